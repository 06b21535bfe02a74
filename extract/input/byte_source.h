/* Bytes of a file, whatever way they are stored: read in chunks, unpacked when
 * it is .gz, .zst or .xz (recognised by its first bytes, not by its name), made
 * into lines when it is a store of another kind (event files, traces, W&B's
 * logs, MLflow's folders, Nsight's data bases).
 *
 * A reader keeps its buffers from file to file.  Memory is bounded by the
 * longest piece that was asked for and not yet dropped.
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

#include "common/error.h"

/* Bytes a read, which stay in a second cache.  No file is mapped: that takes
 * longer, whatever its size (doc/performance.md, "Extraction"). */
enum { BYTE_SOURCE_CHUNK = 256 << 10 };

/* What of a file is missing. */
enum bytes_cut {
	BYTES_ALL,       /* nothing */
	BYTES_STORED,    /* packed data end early, or the file shrank */
	BYTES_OF_RECORDS /* of a store: its records end early, or are damaged */
};

struct decompressor;

struct byte_source {
	/* For the consumer. */
	const char *data; /* [len] what is available */
	size_t len;
	int last; /* 1: nothing comes after data */
	enum bytes_cut truncated;
	int trailing;  /* 1: what follows the packed data is not packed */
	int64_t bytes; /* stored bytes that were read */

	/* The rest is private. */
	int fd;
	int borrowed;   /* 1: fd is another reader's */
	int incomplete; /* 1: the lines were made of files that end early */
	int64_t size;   /* stored bytes as the file was opened; -1 unknown */
	int64_t raw;    /* stored bytes read in this pass */
	void *hash;     /* XXH3_state_t *, or NULL */
	int hashing;
	int64_t hashed; /* stored bytes that are in the hash */
	char *buf;      /* [alloc], whose data is */
	size_t alloc;
	char *packed; /* a chunk of stored bytes, of packed files */
	size_t packed_at, packed_len;
	int packed_end;                   /* no more stored bytes */
	const struct decompressor *codec; /* NULL: stored as they are */
	void *codec_state;
	int between;  /* 1: a stream has ended, no other has begun */
	int unpacked; /* 1: the codec has given all */
	/* What makes lines of what the codec unpacks; NULL: they are lines. */
	const struct decompressor *events;
	void *events_state;
	char *middle; /* a chunk of what the codec unpacked */
	size_t middle_at, middle_len;
};

/* An empty reader; and free all that it keeps. */
void byte_source_init(struct byte_source *r);
void byte_source_release(struct byte_source *r);

/* Open a file and get its first bytes (at least BYTE_SOURCE_CHUNK, unless it is
 * shorter).  "-" is stdin, which is copied to a temporary file.
 *
 * hash  1: compute the hash of the stored bytes
 *
 * Returns 0; -1 with a message without the path: no such file, not a file, a
 * format that this build cannot unpack, ... */
int byte_source_open(
    struct byte_source *r, const char *path, int hash, struct error *e);
void byte_source_close(struct byte_source *r);

/* Drop the first `used` bytes and get more after the rest.
 *
 * Returns 1 if data got longer than the rest was, 0 at the end, -1 if reading
 * fails or packed data is damaged. */
int byte_source_next(struct byte_source *r, size_t used, struct error *e);

/* The offset of data in a file that is stored as it is. */
static inline int64_t
byte_source_at(const struct byte_source *r)
{
	return r->raw - (int64_t)r->len;
}

/* True if the file is stored as it is, so that parts can be read separately. */
int byte_source_has_parts(const struct byte_source *r);

/* Read the bytes from `from` to before `to` of whole's file, with what own
 * keeps; whole must not be closed before own.
 *
 * at_once  bytes that are available at first, if there are so many
 *
 * Returns 0 or -1. */
int byte_source_open_part(struct byte_source *own,
    const struct byte_source *whole, int64_t from, int64_t to, size_t at_once,
    struct error *e);

/* Put what is available of own, a part of whole's file, into the hash of whole:
 * the bytes before it are in it already, and no other thread does so meanwhile.
 *
 * Returns the offset of the first byte that is not in the hash. */
int64_t byte_source_hash_part(
    struct byte_source *whole, const struct byte_source *own);

/* All of it was read in parts. */
void byte_source_finish(struct byte_source *r);

/* Start again at the first byte.  Returns 0 or -1. */
int byte_source_rewind(struct byte_source *r, struct error *e);

/* The hash in 32 hex digits, after the end was reached; "" if not asked for. */
void byte_source_hash(struct byte_source *r, char out[33]);

/* Open a file and call take for each of its lines that ends: an
 * event_run_reader.
 *
 * cut  set to 1 where its data ended early
 *
 * Returns 0; -1 as byte_source_open and byte_source_next. */
int byte_source_each_line(const char *path,
    void (*take)(void *context, const char *line, const char *end),
    void *context, int *cut, struct error *e);

#endif
