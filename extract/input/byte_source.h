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
#include "common/strbuf.h"
#include "extract/input/decompress.h"
#include "extract/input/encoding/records.h"

/* Bytes a read, which stay in a second cache.  No file is mapped: that takes
 * longer, whatever its size (doc/performance.md, "Extraction"). */
enum { BYTE_SOURCE_CHUNK = 256 << 10 };

/* What of a file is missing. */
enum bytes_cut {
	BYTES_ALL,       /* nothing */
	BYTES_STORED,    /* packed data end early, or the file shrank */
	BYTES_OF_RECORDS /* of a store: its records end early, or are damaged */
};

struct byte_source {
	/* For the consumer. */
	const char *data; /* [len] what is available */
	size_t len;
	int last; /* 1: nothing comes after data */
	enum bytes_cut truncated;
	int trailing;  /* 1: what follows the packed data is not packed */
	int64_t bytes; /* stored bytes that were read, and hashed */

	/* The rest is private. */
	int fd;
	struct strbuf made; /* lines that are read instead of the file, */
	int is_made;        /* where this is 1 */
	int incomplete;     /* 1: they were made of files that end early */
	int64_t size; /* stored bytes as the file was opened; -1 unknown */
	int64_t raw;  /* stored bytes read in this pass */
	void *hash;   /* XXH3_state_t *, or NULL */
	int hashing;
	char *buf; /* [alloc], whose data is */
	size_t alloc;
	struct unpacker unpacker;
	/* What makes lines of the unpacked bytes; NULL: they are lines. */
	const struct store *store;
	void *store_state;
	struct store_input input;
	char *middle;         /* [BYTE_SOURCE_CHUNK] of input */
	struct error problem; /* in reading that */
	struct strbuf lines;  /* of the current record */
	size_t lines_at;      /* bytes of them that are in buf */
	int store_done;
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

/* True if data are the bytes of the file as they are stored. */
int byte_source_is_plain(const struct byte_source *r);

/* Drop the first `used` bytes and get more after the rest.
 *
 * Returns 1 if data got longer than the rest was, 0 at the end, -1 if reading
 * fails or packed data is damaged. */
int byte_source_next(struct byte_source *r, size_t used, struct error *e);

/* Start again at the first byte.  Returns 0 or -1. */
int byte_source_rewind(struct byte_source *r, struct error *e);

/* The hash in 32 hex digits, after the end was reached; "" if not asked for. */
void byte_source_hash(struct byte_source *r, char out[33]);

/* Open a file and call take for each of its lines that ends.
 *
 * cut  set to 1 where its data ended early
 *
 * Returns 0; -1 as byte_source_open and byte_source_next. */
int byte_source_each_line(const char *path,
    void (*take)(void *context, const char *line, const char *end),
    void *context, int *cut, struct error *e);

#endif
