/* A thread that makes the next piece of a text while the last one is worked on:
 * unpacking next to scanning.  Internal to extract/.
 *
 *	struct read_ahead *a = read_ahead_start(fill, arg, size);
 *	while ((rc = read_ahead_take(a, piece, &len, &last, &e)) == 0 && !last)
 *		...
 *	read_ahead_stop(a);
 */
#ifndef EXTRACT_INPUT_READ_AHEAD_H
#define EXTRACT_INPUT_READ_AHEAD_H

#include <stddef.h>

#include "common/error.h"

struct read_ahead;

/* Makes a piece; nothing else uses what arg leads to meanwhile.
 *
 * buf   [size]
 * len   out: bytes that are in it
 * last  out: 1 if nothing follows
 *
 * Returns 0 or -1. */
typedef int read_ahead_filler(
    void *arg, char *buf, size_t *len, size_t size, int *last, struct error *e);

/* Begin; pieces are of size bytes at most.  Returns NULL where there can be no
 * other thread. */
struct read_ahead *read_ahead_start(
    read_ahead_filler *fill, void *arg, size_t size);

/* Wait for the next piece and let the one after it be made; not to be called
 * again after the last one or an error.
 *
 * out  [size] gets it
 *
 * Returns what its filler returned, and what it left in len, last and e. */
int read_ahead_take(
    struct read_ahead *a, char *out, size_t *len, int *last, struct error *e);

/* End, wherever it is, and free a, which may be NULL.  What arg leads to is the
 * caller's again. */
void read_ahead_stop(struct read_ahead *a);

#endif
