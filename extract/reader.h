/* Bytes of a file, whatever way they are stored: read in chunks when the file
 * is small, mapped in windows when it is large, unpacked when it is .gz, .zst
 * or .xz (told by its first bytes, not by its name).  Internal to extract/.
 *
 * A reader keeps its buffers from file to file.  Memory is bounded: two
 * windows, or the longest piece that was asked for and not yet dropped.
 *
 *	reader_open(&r, path, hash, &e);
 *	do {
 *		used = take(r.data, r.len);
 *	} while ((rc = reader_next(&r, used, &e)) > 0);
 *	reader_close(&r);
 */
#ifndef EXTRACT_READER_H
#define EXTRACT_READER_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

enum {
	READER_CHUNK = 256 << 10, /* bytes a read */
	READER_WINDOW = 8 << 20,  /* bytes a mapping */
	READER_MAP_FROM = 2 << 20 /* smaller files are read, not mapped; see
	                              doc/performance.md, "Extraction" */
};

struct codec;

struct reader {
	/* For the taker. */
	const char *data; /* [len] what is at hand */
	size_t len;
	int last;      /* 1: nothing comes behind data */
	int truncated; /* 1: packed data ended early, or the file shrank */
	int64_t bytes; /* stored bytes that were read */

	/* The rest is private. */
	int fd;
	int borrowed; /* 1: fd is another reader's */
	int left;     /* 1: reader_leave let go of the window */
	int64_t size; /* stored bytes as the file was opened; -1 unknown */
	int64_t raw;  /* stored bytes read in this pass */
	void *hash;   /* XXH3_state_t *, or NULL */
	int hashing;
	int64_t hashed; /* stored bytes that are in the hash */
	char *buf;
	size_t alloc;
	char *packed; /* a chunk of stored bytes, of packed files */
	size_t packed_at, packed_len;
	int packed_end;            /* no more stored bytes */
	const struct codec *codec; /* NULL: stored as they are */
	void *codec_state;
	int codec_done; /* at the end of a stream */
	char *map;
	size_t map_len;
	int64_t map_at; /* offset in the file */
};

/* An empty reader; and free all that it keeps. */
void reader_init(struct reader *r);
void reader_release(struct reader *r);

/* Open a file and get its first bytes (at least READER_CHUNK, unless it is
 * shorter).  "-" is stdin, which is copied to a temporary file.
 *
 * hash  1: compute the hash of the stored bytes
 *
 * Returns 0; -1 with a message without the path: no such file, not a file, a
 * format that this build cannot unpack, ... */
int reader_open(struct reader *r, const char *path, int hash, struct error *e);
void reader_close(struct reader *r);

/* Drop the first `used` bytes and get more behind the rest.
 *
 * Returns 1 if data got longer than the rest was, 0 at the end, -1 if reading
 * fails or packed data is damaged. */
int reader_next(struct reader *r, size_t used, struct error *e);

/* The offset of data in a file that is stored as it is. */
static inline int64_t
reader_at(const struct reader *r)
{
	return r->raw - (int64_t)r->len;
}

/* Can parts of the file be read by others: is it stored as it is? */
int reader_has_parts(const struct reader *r);

/* Read the bytes from `from` to before `to` of whole's file, with what own
 * keeps; whole must not be closed before own.  A thread maps one window at a
 * time: reader_leave comes first, or reader_close.
 *
 * Returns 0 or -1. */
int reader_open_part(struct reader *own, const struct reader *whole,
    int64_t from, int64_t to, struct error *e);

/* Let go of the window of a large file. */
void reader_leave(struct reader *r);

/* Behind reader_leave: get the bytes from `at` on.  Returns 0 or -1. */
int reader_return(struct reader *r, int64_t at, struct error *e);

/* Put the bytes that were not read yet into the hash of whole, reading them
 * with own.  Returns 0 or -1. */
int reader_hash_rest(struct reader *own, struct reader *whole, struct error *e);

/* All of it was read in parts. */
void reader_finish(struct reader *r);

/* Start again at the first byte.  Returns 0 or -1. */
int reader_rewind(struct reader *r, struct error *e);

/* The hash in 32 hex digits, after the end was reached; "" if not asked for. */
void reader_hash(struct reader *r, char out[33]);

#endif
