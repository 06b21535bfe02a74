/* Splits a piece of a log into lines and finds their types. */
#include <config.h>

#include "extract/scan/detect/line_kinds.h"

#include "common/alloc.h"
#include "extract/input/lines.h"
#include "extract/scan/detect/digit_mask.h"

#include <stdlib.h>
#include <string.h>

void
line_kinds_release(struct line_kinds *all)
{
	free(all->lines);
	free(all->kinds);
	free(all->clean);
	free(all->masked);
	free(all->most);
	hash_index_release(&all->by_masked);
	memset(all, 0, sizeof *all);
}

struct masked_text {
	const char *s; /* [len] */
	size_t len;
};

static int
is_of_kind(const void *kinds, size_t kind, const void *key)
{
	const struct line_kinds *all = kinds;
	const struct line_kind *k = &all->kinds[kind];
	const struct masked_text *text = key;

	return all->lines[k->first].len == text->len &&
	    memcmp(k->masked, text->s, text->len) == 0;
}

/* Find or add the type of the last line. */
static size_t
find_kind(struct line_kinds *all)
{
	const size_t i = all->n_lines - 1;
	const struct piece_line *l = &all->lines[i];
	char *masked = all->masked + all->n_masked;
	unsigned char *most = all->most + all->n_masked;
	const struct masked_text key = { masked, l->len };
	uint32_t hash;
	size_t kind;

	/* Most lines have the type of the previous line. */
	if (i > 0 && l->len >= DIGIT_MASK_MIN && l[-1].len == l->len &&
	    digit_mask_fits(l->text, all->kinds[l[-1].kind].masked,
		all->kinds[l[-1].kind].most, l->len))
		return l[-1].kind;
	digit_mask_places(l->text, l->len, masked, most);
	hash = hash_bytes(0, masked, l->len);
	kind = hash_index_find(&all->by_masked, hash, is_of_kind, all, &key);
	if (kind != HASH_INDEX_NONE)
		return kind;
	kind = all->n_kinds;
	hash_index_add(&all->by_masked, hash, kind);
	all->kinds =
	    vec_grow(all->kinds, kind, &all->alloc_kinds, sizeof *all->kinds);
	all->kinds[all->n_kinds++] = (struct line_kind){ i,
		memchr(most, 9, l->len) != NULL, masked, most };
	all->n_masked += l->len;
	return kind;
}

static void
add_line(struct line_kinds *all, const char *text, size_t len)
{
	const size_t i = all->n_lines;
	struct piece_line *l;

	all->lines =
	    vec_grow(all->lines, i, &all->alloc_lines, sizeof *all->lines);
	l = &all->lines[all->n_lines++];
	*l = (struct piece_line){ .text = text, .len = len };
	l->kind = find_kind(all);
	all->lines[all->kinds[l->kind].first].times++;
}

/* Add a line of the piece, cleaned if necessary. */
static void
take_line(
    void *arg, const char *text, size_t len, unsigned flags, int64_t number)
{
	struct line_kinds *all = arg;
	int64_t n_nul = 0;
	size_t end;

	(void)number;
	if (!(flags & LINE_CONTROL)) {
		add_line(all, text, len);
		return;
	}
	end = all->n_clean +
	    line_clean(text, len, all->clean + all->n_clean, &n_nul);
	while (all->n_clean < end) {
		const size_t n = strlen(all->clean + all->n_clean);

		add_line(all, all->clean + all->n_clean, n);
		all->n_clean += n + 1;
	}
}

void
line_kinds_split(struct line_kinds *all, const char *data, size_t len)
{
	struct line_walker w;

	/* A cleaned line with its NUL is not longer than the original. */
	if (all->alloc < len + 1) {
		all->alloc = len + 1;
		all->clean = xreallocarray(all->clean, all->alloc, 1);
		all->masked = xreallocarray(all->masked, all->alloc, 1);
		all->most = xreallocarray(all->most, all->alloc, 1);
	}
	hash_index_clear(&all->by_masked);
	all->n_lines = all->n_kinds = all->n_clean = all->n_masked = 0;
	line_walker_init(&w, len);
	line_walker_consume(&w, data, len, 1, take_line, all);
}

void
line_kinds_load(
    struct line_kinds *all, const struct unread_line *lines, size_t n)
{
	if (all->alloc_lines < n) {
		all->alloc_lines = n;
		all->lines = xreallocarray(all->lines, n, sizeof *all->lines);
	}
	if (all->alloc_kinds < n) {
		all->alloc_kinds = n;
		all->kinds = xreallocarray(all->kinds, n, sizeof *all->kinds);
	}
	all->n_lines = all->n_kinds = n;
	for (size_t i = 0; i < n; i++) {
		all->lines[i] = (struct piece_line){ .text = lines[i].text,
			.len = lines[i].len,
			.kind = i,
			.times = lines[i].times };
		all->kinds[i] =
		    (struct line_kind){ .first = i, .has_digits = 1 };
	}
}
