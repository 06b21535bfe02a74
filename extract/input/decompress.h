/* Unpacking .gz, .zst and .xz files of one stream or several, recognised by
 * their first bytes.
 */
#ifndef EXTRACT_INPUT_DECOMPRESS_H
#define EXTRACT_INPUT_DECOMPRESS_H

#include <stddef.h>
#include <sys/types.h>

#include "common/error.h"

/* Read packed bytes, at most n.  Returns how many (0 at the end) or -1. */
typedef ssize_t stored_reader(
    void *source, char *to, size_t n, struct error *e);

struct codec;

struct unpacker {
	const char *name; /* "gzip"; NULL: nothing is unpacked */
	int done;         /* 1: all was given out */
	int truncated;    /* 1: the packed data end early */
	int trailing;     /* 1: what follows the packed data is not packed */

	/* The rest is private. */
	const struct codec *codec;
	void *state;
	stored_reader *read;
	void *source;
	char *packed; /* [len] those before `at` are unpacked */
	size_t at, len;
	int end;     /* no more packed bytes */
	int between; /* 1: a stream has ended, no other has begun */
};

/* Start unpacking if a packed stream begins data; else leave u as it is.
 *
 * u     zero bytes
 * data  [len] the first bytes of a file; `read` gets the rest
 *
 * Returns 0; -1 where this build cannot unpack it. */
int unpacker_begin(struct unpacker *u, const char *data, size_t len,
    stored_reader *read, void *source, struct error *e);

/* Unpack n bytes, fewer at the end.  Returns how many; -1 where the data are
 * damaged or cannot be read. */
ssize_t unpacker_read(struct unpacker *u, char *to, size_t n, struct error *e);

/* Free all; u is zero bytes then. */
void unpacker_end(struct unpacker *u);

#endif
