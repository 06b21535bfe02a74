/* A thread that makes the next pieces of a text while the last one is worked
 * on: unpacking next to scanning.  Pieces are used where they were made.
 * Internal to extract/.
 *
 *	struct read_ahead *a = read_ahead_start(fill, arg, size);
 *	while ((rc = read_ahead_take(
 *		    a, rest, n, &data, &len, &last, &e)) == 0 && !last)
 *		...
 *	read_ahead_stop(a);
 */
#ifndef EXTRACT_INPUT_READ_AHEAD_H
#define EXTRACT_INPUT_READ_AHEAD_H

#include <stddef.h>

#include "common/error.h"

struct read_ahead;

enum { READ_AHEAD_PIECES = 4 }; /* one of which is the taker's */

/* Makes a piece; nothing else uses what arg leads to meanwhile.
 *
 * buf   [size]
 * len   out: bytes that are in it
 * last  out: 1 if nothing follows
 *
 * Returns 0 or -1. */
typedef int read_ahead_filler(
    void *arg, char *buf, size_t *len, size_t size, int *last, struct error *e);

/* Begin; pieces are of size bytes at most, and three are made ahead.  Returns
 * NULL where there can be no other thread. */
struct read_ahead *read_ahead_start(
    read_ahead_filler *fill, void *arg, size_t size);

/* Wait for the next piece, and let the place of the one that was taken before
 * be used for another; not to be called again after the last one or an error.
 *
 * rest  [n] what is to stand right before the piece, mostly the end of the one
 *       before
 * data  out: rest and the piece, until the next call
 * len   out: bytes of both
 *
 * Returns what its filler returned, and what it left in last and e. */
int read_ahead_take(struct read_ahead *a, const char *rest, size_t n,
    const char **data, size_t *len, int *last, struct error *e);

/* End, wherever it is, and free a, which may be NULL.  What arg leads to is the
 * caller's again. */
void read_ahead_stop(struct read_ahead *a);

#endif
