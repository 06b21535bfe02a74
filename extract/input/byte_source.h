/* Reader of a file's bytes in chunks, and their division into lines.
 * Decompresses .gz, .zst and .xz (recognised by their first bytes, not by name)
 * and converts stores (event files, traces, W&B logs, MLflow folders, Nsight
 * databases) to lines.
 *
 * A reader reuses its buffers for the next file. Memory is bounded by the
 * longest span that the caller requests before dropping bytes, and by the lines
 * of a store.
 *
 *	byte_source_open(&r, path, hash, &e);
 *	do {
 *		used = take(r.data, r.len);
 *	} while ((rc = byte_source_next(&r, used, &e)) > 0);
 *	byte_source_close(&r);
 */
#ifndef EXTRACT_INPUT_BYTE_SOURCE_H
#define EXTRACT_INPUT_BYTE_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "common/alloc.h"
#include "common/error.h"

/* --- Lines -----------------------------------------------------------------*/

/* A line ends at \n, \r\n or a lone \r (progress bars). Line numbers count \n
 * only, as in editors, sed and grep -n. */

/* Flags of a line. A piece of a long line may have flags of other pieces. */
enum {
	LINE_CONTROL = 1, /* a byte below 0x20 other than \t \n \r */
	LINE_HIGH = 2,    /* a byte of 0x80 or above */
	LINE_UNTESTED = 4 /* lazy walkers only: unknown, see line_flags() */
};

/* Called with each non-empty line: text without its line end. */
typedef void line_consumer(
    void *arg, const char *text, size_t len, unsigned flags, int64_t number);

struct line_walker {
	int64_t number;  /* of the current line, from 1 */
	int64_t n_long;  /* lines split into pieces */
	size_t max_line; /* maximum bytes of a piece */
	size_t scanned;  /* scanned bytes of the unfinished line */
	unsigned flags;  /* of the scanned bytes */
	int open;        /* 1: the last end was \r, \n may follow */
	int cut;         /* 1: pieces of the current line were passed on */
	int lazy;        /* set by the caller; 1: lines need not be tested */
};

/* Initialise a walker at the start of a file. */
void line_walker_init(struct line_walker *w, size_t max_line);

/* Pass all complete lines of data to consume.
 *
 * data  [len] available bytes: the rest of the last call and more
 * last  1: end of the data, so the last line needs no line end
 *
 * Returns the number of consumed bytes. */
size_t line_walker_consume(struct line_walker *w, const char *data, size_t len,
    int last, line_consumer *consume, void *arg);

/* Flags of n bytes of a line without \r. */
unsigned line_flags(const char *text, size_t n);

/* Number of lines, valid after the last call. */
int64_t line_walker_lines(const struct line_walker *w);

/* Called with a piece of a line. */
typedef void piece_consumer(void *arg, const char *text, size_t len);

/* Pass on a line. If it has control characters, escape sequences (colours,
 * cursor moves, titles) and NULs are removed, and it is split into non-empty
 * pieces where backspaces rewrote it.
 *
 * flags  of the line
 * room   [len + 1] receives the pieces, each followed by a NUL */
void line_each_piece(const char *text, size_t len, unsigned flags, char *room,
    piece_consumer *consume, void *arg);

/* --- Bytes -----------------------------------------------------------------*/

/* Bytes per read, which fit the L2 cache. mmap is slower for files of any size
 * (doc/performance.md, "Extraction"). */
enum { BYTE_SOURCE_CHUNK = 256 << 10 };

/* MiB to which compressed data may expand by any factor. */
#define DEFAULT_MAX_UNPACKED 64

/* Factor by which compressed data may expand beyond max_unpacked bytes. */
enum { BYTE_SOURCE_MAX_RATIO = 1000 };

struct byte_source {
	/* Public members. */
	const char *data; /* [len] available bytes */
	size_t len;
	int last;      /* 1: no more data follow */
	int truncated; /* 1: compressed data or records of a store end early or
			  are damaged, or the file shrank */
	int trailing;  /* 1: uncompressed bytes follow the compressed data */
	int64_t bytes; /* stored bytes read and hashed */
	int64_t max_unpacked; /* bytes to which any data may expand */

	/* Private members. */
	int fd;
	int64_t size; /* stored bytes at opening; -1: unknown */
	int64_t raw;  /* stored bytes read since the last rewind */
	void *hash;   /* XXH3_state_t * or NULL */
	int hashing;
	char *buf; /* [alloc]; data points into it, or into made */
	size_t alloc;
	/* Lines that are read instead of the file if is_made is 1. If is_store
	 * is 1, too, they come from a store that was read sequentially. */
	struct strbuf made;
	int is_made, is_store;

	const struct codec *codec; /* NULL: not compressed */
	void *codec_state;
	char *packed; /* [packed_len] bytes before packed_at are consumed */
	size_t packed_at, packed_len;
	int64_t n_unpacked; /* bytes of output since the last rewind */
	int packed_end;     /* 1: no more compressed bytes */
	int between;        /* 1: between two streams */
	int unpacked;       /* 1: all output was returned */
};

/* Make an empty reader; free its buffers. */
void byte_source_init(struct byte_source *r);
void byte_source_release(struct byte_source *r);

/* Open a file and read its first bytes (at least BYTE_SOURCE_CHUNK, or the
 * whole file). "-" is stdin, which is copied to a temporary file.
 *
 * hash  1: compute the hash of the stored bytes
 *
 * Returns 0; -1 with a message without the path, e.g. for a missing file, a
 * device, or a compression format that this build does not support. */
int byte_source_open(
    struct byte_source *r, const char *path, int hash, struct error *e);
void byte_source_close(struct byte_source *r);

/* True if data holds the bytes of the file as stored. */
int byte_source_is_plain(const struct byte_source *r);

/* Drop the first `used` bytes and append more.
 *
 * Returns 1 if bytes were appended, 0 at the end, -1 if reading fails or
 * compressed data are damaged. */
int byte_source_next(struct byte_source *r, size_t used, struct error *e);

/* Return to the first byte. Returns 0 or -1. */
int byte_source_rewind(struct byte_source *r, struct error *e);

/* The hash in 32 hex digits, valid at the end of the file; "" if disabled. */
void byte_source_hash(struct byte_source *r, char out[33]);

/* Open a file and pass on its non-empty lines.
 *
 * all  0: omit a last line without line end, which may be incomplete
 *
 * Returns 0; -1 on errors of byte_source_open and byte_source_next. */
int byte_source_each_line(const char *path, int all, line_consumer *consume,
    void *arg, struct error *e);

#endif
