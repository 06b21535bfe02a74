/* Lines that a log's format did not match, by type. */
#include <config.h>

#include "extract/scan/detect/unread_lines.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "common/alloc.h"
#include "common/hash_index.h"
#include "extract/scan/detect/digit_mask.h"

struct unread_lines {
	struct unread_line *lines; /* line types, by first line */
	size_t n, alloc;
	struct hash_index by_hash;
	size_t bytes; /* bytes of all texts */
	int overflowed;
	char masked[UNREAD_MAX_LINE]; /* the current line */
	unsigned char most[UNREAD_MAX_LINE];
};

struct unread_lines *
unread_lines_new(void)
{
	return xcalloc(1, sizeof(struct unread_lines));
}

void
unread_lines_free(struct unread_lines *u)
{
	if (u == NULL)
		return;
	for (size_t i = 0; i < u->n; i++)
		free(u->lines[i].text);
	free(u->lines);
	hash_index_release(&u->by_hash);
	free(u);
}

/* Types with equal hashes count as one. */
static int
is_of_hash(const void *lines, size_t i, const void *hash)
{
	return ((const struct unread_line *)lines)[i].hash ==
	    *(const uint64_t *)hash;
}

void
unread_lines_add(
    struct unread_lines *u, const char *text, size_t len, int64_t line)
{
	uint64_t hash;
	size_t i;

	if (len < UNREAD_MIN_LINE || len > UNREAD_MAX_LINE)
		return;
	digit_mask_places(text, len, u->masked, u->most);
	hash = XXH3_64bits(u->masked, len);
	i = hash_index_find(
	    &u->by_hash, (uint32_t)hash, is_of_hash, u->lines, &hash);
	if (i != HASH_INDEX_NONE) {
		u->lines[i].times++;
		return;
	}
	if (u->bytes + len > UNREAD_MAX_BYTES) {
		u->overflowed = 1;
		return;
	}
	u->bytes += len;
	u->lines = vec_grow(u->lines, u->n, &u->alloc, sizeof *u->lines);
	u->lines[u->n] =
	    (struct unread_line){ hash, xstrndup(text, len), len, line, 1 };
	hash_index_add(&u->by_hash, (uint32_t)hash, u->n++);
}

const struct unread_line *
unread_lines_all(const struct unread_lines *u, size_t *n)
{
	*n = u->n;
	return u->lines;
}

int
unread_lines_overflowed(const struct unread_lines *u)
{
	return u->overflowed;
}
