/* What makes lines or text of packed bytes: one row of functions each, and what
 * those that make text themselves share.  Which rows there are stands in
 * decompress.h.  Internal to extract/.
 */
#ifndef EXTRACT_INPUT_ENCODING_DECOMPRESSOR_H
#define EXTRACT_INPUT_ENCODING_DECOMPRESSOR_H

#include <stddef.h>

#include "common/strbuf.h"

enum decompress_outcome {
	DECOMPRESS_TOO_LARGE = -2, /* it asks for more memory than is allowed */
	DECOMPRESS_DAMAGED = -1,
	DECOMPRESS_MORE = 0, /* goes on */
	DECOMPRESS_END = 1   /* a stream is complete; another may follow */
};

/* What may follow a stream that is complete. */
enum decompress_after {
	AFTER_STREAM,  /* another one */
	AFTER_ZEROS,   /* zeros, and another one */
	AFTER_ANYTHING /* whatever follows is its own: it finds damage itself */
};

struct decompressor {
	const char *name;   /* "gzip" */
	const char *build;  /* what configure calls the library */
	const char *memory; /* what it may ask for at most: "256 MiB" */
	enum decompress_after after;
	/* Does a stream begin with these bytes?  [DECOMPRESS_MAGIC] of them,
	 * fewer at the end of a file. */
	int (*begins)(const char *data, size_t len);
	void *(*open)(void); /* NULL in a build without it */
	/* Unpack some; moves *in and *out on. */
	enum decompress_outcome (*run)(void *state, const char **in,
	    size_t *in_len, char **out, size_t *out_len);
	void (*close)(void *state);
	/* What is wrong, in its own words, after DECOMPRESS_DAMAGED or where
	 * the data end early and nothing of them counts; NULL: nothing to add.
	 * May be NULL. */
	const char *(*problem)(void *state, int cut_short);
};

enum { DECOMPRESS_MAGIC = 12 };

/* Emit text that waits, from *at on, and move on what it went to.  Returns
 * 1 when none is left; text is empty then and *at 0. */
int decompressor_emit(
    struct strbuf *text, size_t *at, char **out, size_t *out_len);

#endif
