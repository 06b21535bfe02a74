/* All lines that a store makes of bytes that come in pieces. */
#ifndef TESTS_STORE_PIECES_H
#define TESTS_STORE_PIECES_H

#include <stddef.h>

#include "common/strbuf.h"
#include "extract/input/encoding/records.h"

struct store_pieces {
	const char *data; /* [left] still to come */
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
static int
store_pieces_read(const struct store *store, const char *data, size_t len,
    size_t piece, struct strbuf *out, int *cut, struct error *e)
{
	struct store_pieces pieces = { data, len, piece };
	struct store_input in = { data, data, store_pieces_more, &pieces, 0 };
	void *state = store->open != NULL ? store->open() : NULL;
	int rc;

	do
		rc = store->next(state, &in, out, e);
	while (rc > 0);
	if (store->close != NULL)
		store->close(state);
	*cut = in.cut;
	return rc;
}

#endif
