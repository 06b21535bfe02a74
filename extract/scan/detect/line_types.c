#include <config.h>

#include "extract/scan/detect/line_types.h"

#include <stdlib.h>
#include <xxhash.h>

#include "common/alloc.h"
#include "extract/format/patterns/regex_text.h"

void
digit_mask_places(const char *line, size_t len, char *out, unsigned char *most)
{
	int held = 0; /* 1: the next digits are part of a name */

	for (size_t i = 0; i < len; i++) {
		const char c = line[i];
		const int is_digit = text_is_digit(c);

		if (!is_digit)
			held = text_holds_digits(c);
		out[i] = is_digit && !held ? '0' : c;
		most[i] = is_digit && !held ? 9 : 0;
	}
}

static int
is_of_hash(const void *types, size_t i, const void *hash)
{
	return ((const struct line_type *)types)[i].hash ==
	    *(const uint64_t *)hash;
}

/* Find the type of a line by its masked text, or SIZE_MAX. */
static size_t
find_type(struct line_types *all, const char *text, size_t len, uint64_t *hash)
{
	const size_t last = all->last;
	size_t i;

	/* Most lines have the type of the previous line. */
	if (len >= DIGIT_MASK_MIN && last < all->n &&
	    all->items[last].len == len &&
	    digit_mask_fits(text, all->masked, all->most, len))
		return last;
	if (all->alloc_masks < len) {
		all->alloc_masks = len + len / 2;
		all->masked = xreallocarray(all->masked, all->alloc_masks, 1);
		all->most = xreallocarray(all->most, all->alloc_masks, 1);
	}
	digit_mask_places(text, len, all->masked, all->most);
	*hash = XXH3_64bits(all->masked, len);
	i = hash_index_find(
	    &all->by_hash, (uint32_t)*hash, is_of_hash, all->items, hash);
	return i == HASH_INDEX_NONE ? SIZE_MAX : i;
}

size_t
line_types_add(struct line_types *all, const char *text, size_t len,
    int64_t number, int add)
{
	uint64_t hash = 0;
	size_t i = find_type(all, text, len, &hash);

	if (i == SIZE_MAX && add) {
		i = all->n++;
		all->items =
		    vec_grow(all->items, i, &all->alloc, sizeof *all->items);
		all->items[i] = (struct line_type){ text, len, number, 0, hash,
			len > 0 && memchr(all->most, 9, len) != NULL };
		hash_index_add(&all->by_hash, (uint32_t)hash, i);
	}
	if (i != SIZE_MAX)
		all->items[i].times++;
	all->last = i;
	return i;
}

void
line_types_clear(struct line_types *all)
{
	all->n = 0;
	hash_index_clear(&all->by_hash);
}

void
line_types_release(struct line_types *all)
{
	free(all->items);
	free(all->masked);
	free(all->most);
	hash_index_release(&all->by_hash);
	memset(all, 0, sizeof *all);
}

void
unread_lines_add(
    struct unread_lines *u, const char *text, size_t len, int64_t number)
{
	const size_t n = u->types.n;
	const int fits = u->bytes + len <= UNREAD_MAX_BYTES;

	if (len < UNREAD_MIN_LINE || len > UNREAD_MAX_LINE)
		return;
	if (line_types_add(&u->types, text, len, number, fits) == SIZE_MAX)
		u->overflowed = 1;
	if (u->types.n == n)
		return;
	u->types.items[n].text = arena_strndup(&u->texts, text, len);
	u->bytes += len;
}

void
unread_lines_release(struct unread_lines *u)
{
	line_types_release(&u->types);
	arena_release(&u->texts);
	*u = (struct unread_lines){ .bytes = 0 };
}
