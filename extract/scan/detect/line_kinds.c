/* Cuts a piece of a log into lines and finds of which kinds they are.  Called
 * by detect.c, which asks formats about one line of each kind; formats it does
 * not know. */
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

static void
add_line(struct line_kinds *all, size_t at, size_t len, int cleaned)
{
	all->lines = vec_grow(
	    all->lines, all->n_lines, &all->alloc_lines, sizeof *all->lines);
	all->lines[all->n_lines++] = (struct piece_line){
		.at = at, .len = len, .cleaned = cleaned, .times = 1
	};
}

/* Note a line of the piece, cleaned if need be. */
static void
note_line(
    void *arg, const char *text, size_t len, unsigned flags, int64_t number)
{
	struct line_kinds *all = arg;
	int64_t n_nul = 0;
	size_t end;

	(void)number;
	if (!(flags & LINE_CONTROL)) {
		add_line(all, (size_t)(text - all->data), len, 0);
		return;
	}
	if (all->alloc_clean - all->n_clean < len + 1) {
		all->alloc_clean = all->n_clean + all->n_clean / 2 + len + 1;
		all->clean = xreallocarray(all->clean, all->alloc_clean, 1);
	}
	end = all->n_clean +
	    line_clean(text, len, all->clean + all->n_clean, &n_nul);
	while (all->n_clean < end) {
		size_t n = strlen(all->clean + all->n_clean);

		add_line(all, all->n_clean, n, 1);
		all->n_clean += n + 1;
	}
}

/* Has the first line of that kind the same masked copy as line key? */
static int
is_of_kind(const void *kinds, size_t kind, const void *key)
{
	const struct line_kinds *all = kinds;
	const struct piece_line *x = &all->lines[all->kinds[kind].first];
	const struct piece_line *l = key;

	return x->len == l->len &&
	    memcmp(all->masked + x->masked, all->masked + l->masked, l->len) ==
	    0;
}

static void
add_kind(struct line_kinds *all, size_t first, int has_digits)
{
	struct line_kind *x;

	all->kinds = vec_grow(
	    all->kinds, all->n_kinds, &all->alloc_kinds, sizeof *all->kinds);
	x = &all->kinds[all->n_kinds++];
	x->first = first;
	x->has_digits = has_digits;
	x->asked = x->alike = x->given_up = 0;
	x->known = NULL;
}

/* Are some digits of the line free? */
static int
line_has_digits(const struct line_kinds *all, const struct piece_line *l)
{
	return memchr(all->most + l->masked, 9, l->len) != NULL;
}

/* Make room for lines that are len bytes long in all, but for the cleaned. */
static void
clear_kinds(struct line_kinds *all, size_t len)
{
	hash_index_clear(&all->by_masked);
	if (all->alloc_masked < len + all->n_clean) {
		all->alloc_masked = len + all->n_clean;
		all->masked = xreallocarray(all->masked, all->alloc_masked, 1);
		all->most = xreallocarray(all->most, all->alloc_masked, 1);
	}
	all->n_kinds = all->n_recent = all->n_masked = 0;
}

/* The line is of this kind: the next is likely so, too. */
static void
note_recent(struct line_kinds *all, size_t kind)
{
	size_t i = 0;

	while (i < all->n_recent && all->recent[i] != kind)
		i++;
	if (i == all->n_recent && i < LINE_KINDS_RECENT)
		all->n_recent++;
	if (i == LINE_KINDS_RECENT)
		i--;
	for (; i > 0; i--)
		all->recent[i] = all->recent[i - 1];
	all->recent[0] = kind;
}

/* Is the line of a kind that the last lines were of?  That is seen faster than
 * it is looked up. */
static int
find_recent(
    const struct line_kinds *all, const struct piece_line *l, size_t *kind)
{
	const char *text = line_kinds_text(all, l);

	for (size_t i = 0; l->len >= DIGIT_MASK_MIN && i < all->n_recent; i++) {
		const struct piece_line *x =
		    &all->lines[all->kinds[all->recent[i]].first];

		if (x->len != l->len ||
		    !digit_mask_fits(text, all->masked + x->masked,
			all->most + x->masked, l->len))
			continue;
		*kind = all->recent[i];
		return 1;
	}
	return 0;
}

/* The same among all kinds, in which it is the first line of its kind
 * perhaps. */
static size_t
look_up_kind(struct line_kinds *all, size_t i)
{
	struct piece_line *l = &all->lines[i];
	uint32_t hash;
	size_t kind;

	l->masked = all->n_masked;
	digit_mask_places(line_kinds_text(all, l), l->len,
	    all->masked + l->masked, all->most + l->masked);
	hash = hash_bytes(0, all->masked + l->masked, l->len);
	kind = hash_index_find(&all->by_masked, hash, is_of_kind, all, l);
	if (kind == HASH_INDEX_NONE) {
		kind = all->n_kinds;
		hash_index_add(&all->by_masked, hash, kind);
		add_kind(all, i, line_has_digits(all, l));
		all->n_masked += l->len;
	}
	return kind;
}

/* Distinguish the kinds of line, and count each. */
static void
find_kinds(struct line_kinds *all, size_t len)
{
	clear_kinds(all, len);
	for (size_t i = 0; i < all->n_lines; i++) {
		struct piece_line *l = &all->lines[i];

		if (!find_recent(all, l, &l->kind))
			l->kind = look_up_kind(all, i);
		note_recent(all, l->kind);
		if (all->kinds[l->kind].first == i)
			continue;
		l->times = 0;
		all->lines[all->kinds[l->kind].first].times++;
	}
}

void
line_kinds_split(struct line_kinds *all, const char *data, size_t len)
{
	struct line_walker w;

	all->data = data;
	all->n_lines = all->n_clean = 0;
	line_walker_init(&w, len);
	line_walker_consume(&w, data, len, 1, note_line, all);
	find_kinds(all, len);
}

void
line_kinds_load(
    struct line_kinds *all, const struct unread_line *lines, size_t n)
{
	size_t len = 0;

	for (size_t i = 0; i < n; i++)
		len += lines[i].len;
	if (all->alloc_clean < len) {
		all->alloc_clean = len;
		all->clean = xreallocarray(all->clean, len, 1);
	}
	all->data = NULL;
	all->n_lines = all->n_clean = 0;
	for (size_t i = 0; i < n; i++) {
		memcpy(all->clean + all->n_clean, lines[i].text, lines[i].len);
		add_line(all, all->n_clean, lines[i].len, 1);
		all->n_clean += lines[i].len;
	}
	find_kinds(all, 0);
}
