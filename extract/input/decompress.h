/* Unpackers of .gz, .zst, .xz and of event files, each a row of an ops table;
 * those that this build lacks have no functions.  Internal to extract/.
 */
#ifndef EXTRACT_INPUT_DECOMPRESS_H
#define EXTRACT_INPUT_DECOMPRESS_H

#include <stddef.h>

enum decompress_outcome {
	DECOMPRESS_DAMAGED = -1,
	DECOMPRESS_MORE = 0, /* goes on */
	DECOMPRESS_END = 1   /* a stream is complete; another may follow */
};

struct decompressor {
	const char *name;  /* "gzip" */
	const char *build; /* what configure calls the library */
	const char *magic; /* first bytes; NULL: is() looks at them */
	size_t magic_len;  /* bytes that tell */
	int (*is)(const char *data, size_t len);
	void *(*open)(void); /* NULL in a build without it */
	/* Unpack some; moves *in and *out on. */
	enum decompress_outcome (*run)(void *state, const char **in,
	    size_t *in_len, char **out, size_t *out_len);
	void (*close)(void *state);
};

/* The one whose stream data begins with, or NULL.  12 bytes are enough. */
const struct decompressor *decompress_find(const char *data, size_t len);

#endif
