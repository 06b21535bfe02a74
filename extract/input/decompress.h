/* Decompression of .gz, .zst and .xz files with one or more streams, recognised
 * by their first bytes.
 */
#ifndef EXTRACT_INPUT_DECOMPRESS_H
#define EXTRACT_INPUT_DECOMPRESS_H

#include <stddef.h>
#include <sys/types.h>

#include "common/error.h"

/* Read up to n compressed bytes. Returns their number (0 at the end) or -1. */
typedef ssize_t stored_reader(
    void *source, char *to, size_t n, struct error *e);

struct codec;

struct unpacker {
	const char *name; /* "gzip"; NULL: not compressed */
	int done;         /* 1: all output was returned */
	int truncated;    /* 1: the compressed data end early */
	int trailing;     /* 1: uncompressed bytes follow the compressed data */

	/* Private members. */
	const struct codec *codec;
	void *state;
	stored_reader *read;
	void *source;
	char *packed; /* [len] bytes before `at` are consumed */
	size_t at, len;
	int end;     /* no more compressed bytes */
	int between; /* 1: between two streams */
};

/* Start decompression if data begin with a compressed stream, else keep u.
 *
 * u     must be zeroed
 * data  [len] the first bytes of a file; `read` supplies the rest
 *
 * Returns 0; -1 if this build does not support the format. */
int unpacker_begin(struct unpacker *u, const char *data, size_t len,
    stored_reader *read, void *source, struct error *e);

/* Decompress n bytes, fewer at the end. Returns their number; -1 if the data
 * are damaged or cannot be read. */
ssize_t unpacker_read(struct unpacker *u, char *to, size_t n, struct error *e);

/* Free all memory and zero u. */
void unpacker_end(struct unpacker *u);

#endif
