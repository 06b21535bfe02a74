/* Read all lines of a store whose bytes arrive in pieces. */
#ifndef TESTS_STORE_PIECES_H
#define TESTS_STORE_PIECES_H

#include <stddef.h>
#include <stdint.h>

#include "common/alloc.h"
#include "extract/input/encoding/records.h"

struct store_pieces {
	const char *data; /* [left] bytes not yet read */
	size_t left, piece;
};

static int
store_pieces_more(struct store_input *in)
{
	struct store_pieces *p = in->source;
	const size_t n = p->left < p->piece ? p->left : p->piece;

	in->at = p->data;
	in->end = p->data += n;
	p->left -= n;
	return n > 0;
}

/* Add the lines to out.
 *
 * piece  bytes at a time
 * cut    set to 1 if something is missing, else to 0
 *
 * Returns 0, or -1 with e where the store rejects the data. */
static inline int
store_pieces_read(store_reader *read, const char *data, size_t len,
    size_t piece, struct strbuf *out, int *cut, struct error *e)
{
	struct store_pieces pieces = { data, len, piece };
	struct store_input in = { data, data, store_pieces_more, &pieces, 0 };
	const int rc = read(&in, out, e);

	*cut = in.cut;
	return rc;
}

/* Add a little-endian number of n bytes. */
static inline void
store_put_number(struct strbuf *out, uint64_t x, int n)
{
	for (int i = 0; i < n; i++)
		strbuf_addch(out, (char)(x >> 8 * i));
}

/* Add an event file with one message. */
static inline void
store_put_event(struct strbuf *out, const char *data, size_t len)
{
	struct crc32_table t;

	crc32_init(&t, CRC32_CASTAGNOLI);
	store_put_number(out, len, 8);
	store_put_number(out, crc32_masked(crc32_add(&t, 0, out->buf, 8)), 4);
	strbuf_add(out, data, len);
	store_put_number(out, crc32_masked(crc32_add(&t, 0, data, len)), 4);
}

/* Add a W&B log with one record of up to 32 kB. */
static inline void
store_put_wandb(struct strbuf *out, const char *data, size_t len)
{
	struct crc32_table t;

	crc32_init(&t, CRC32_ZIP);
	strbuf_add(out, ":W&B\xe1\xbe\0", 7);
	store_put_number(
	    out, crc32_add(&t, crc32_add(&t, 0, "\1", 1), data, len), 4);
	store_put_number(out, len, 2);
	strbuf_addch(out, 1);
	strbuf_add(out, data, len);
}

#endif
