#include <config.h>

#include "extract/input/byte_source.h"

#include "common/alloc.h"
#include "extract/input/decompress.h"
#include "common/strbuf.h"
#include "extract/input/stores/event_run.h"
#include "extract/input/profiles/nsight_file.h"
#include "extract/input/stores/run_folder.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

void
byte_source_init(struct byte_source *r)
{
	memset(r, 0, sizeof *r);
	r->fd = -1;
}

void
byte_source_release(struct byte_source *r)
{
	byte_source_close(r);
	free(r->buf);
	free(r->packed);
	free(r->middle);
	XXH3_freeState(r->hash);
	byte_source_init(r);
}

/* --- Stored bytes ----------------------------------------------------------*/

/* Note that stored bytes [at, at + n) were read; each is hashed once. */
static void
note_stored(struct byte_source *r, const char *data, int64_t at, size_t n)
{
	int64_t end = at + (int64_t)n;

	if (end > r->bytes)
		r->bytes = end;
	if (!r->hashing || end <= r->hashed)
		return;
	data += r->hashed - at;
	XXH3_128bits_update(r->hash, data, (size_t)(end - r->hashed));
	r->hashed = end;
}

/* Read stored bytes, at most n.  Returns how many (0 at the end) or -1. */
static ssize_t
read_stored(struct byte_source *r, char *to, size_t n, struct error *e)
{
	ssize_t got;

	if (r->size >= 0 && (int64_t)n > r->size - r->raw)
		n = (size_t)(r->size - r->raw);
	if (n == 0)
		return 0;
	do /* who borrowed it shares the place in it */
		got = r->borrowed ? pread(r->fd, to, n, (off_t)r->raw)
				  : read(r->fd, to, n);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return error_errno(e, errno, "cannot read");
	if (got == 0 && r->size >= 0)
		r->truncated = BYTES_STORED; /* longer when we opened it */
	note_stored(r, to, r->raw, (size_t)got);
	r->raw += got;
	return got;
}

/* --- Reading and unpacking into the buffer ---------------------------------*/

/* Drop the first used bytes and make room for BYTE_SOURCE_CHUNK bytes after the
 * rest. */
static void
make_room(struct byte_source *r, size_t used)
{
	const size_t rest = r->len - used;

	if (used > 0)
		memmove(r->buf, r->buf + used, rest);
	if (r->alloc < rest + BYTE_SOURCE_CHUNK) {
		r->alloc = rest + rest / 2 + BYTE_SOURCE_CHUNK;
		r->buf = xreallocarray(r->buf, r->alloc, 1);
	}
	r->len = rest;
	r->data = r->buf;
}

/* Read stored bytes until buf holds size of them at most. */
static int
fill_plain(struct byte_source *r, size_t size, struct error *e)
{
	const ssize_t n = read_stored(r, r->buf + r->len, size - r->len, e);

	if (n < 0)
		return -1;
	r->len += (size_t)n;
	r->last = n == 0 || (r->size >= 0 && r->raw == r->size);
	return 0;
}

/* Get more packed bytes until there are `want` of them, or no more. */
static int
fill_packed(struct byte_source *r, size_t want, struct error *e)
{
	while (r->packed_len - r->packed_at < want && !r->packed_end) {
		const size_t rest = r->packed_len - r->packed_at;
		ssize_t n;

		memmove(r->packed, r->packed + r->packed_at, rest);
		r->packed_at = 0;
		r->packed_len = rest;
		n = read_stored(
		    r, r->packed + rest, BYTE_SOURCE_CHUNK - rest, e);
		if (n < 0)
			return -1;
		r->packed_len += (size_t)n;
		r->packed_end = n == 0;
	}
	return 0;
}

/* Drop the zeros that may pad a stream. */
static int
skip_padding(struct byte_source *r, struct error *e)
{
	do {
		if (fill_packed(r, DECOMPRESS_MAGIC, e) != 0)
			return -1;
		while (r->codec->after == AFTER_ZEROS &&
		    r->packed_at < r->packed_len &&
		    r->packed[r->packed_at] == '\0')
			r->packed_at++;
	} while (
	    r->packed_len - r->packed_at < DECOMPRESS_MAGIC && !r->packed_end);
	return 0;
}

/* After a complete stream: find another one, the end, or trailing bytes. */
static int
find_stream(struct byte_source *r, struct error *e)
{
	if (skip_padding(r, e) != 0)
		return -1;
	if (r->packed_at == r->packed_len)
		r->unpacked = 1;
	else if (r->codec->after == AFTER_ANYTHING ||
	    decompress_find(r->packed + r->packed_at,
		r->packed_len - r->packed_at) == r->codec)
		r->between = 0;
	else
		r->unpacked = r->trailing = 1;
	return 0;
}

/* The codec reports that its data is no good. */
static int
refuse_data(const struct decompressor *codec, void *state, int cut_short,
    struct error *e)
{
	const char *problem =
	    codec->problem != NULL ? codec->problem(state, cut_short) : NULL;

	if (problem != NULL)
		return error_set(e, ERROR_INPUT, "%s", problem);
	return cut_short
	    ? 0
	    : error_set(e, ERROR_INPUT, "the %s data is damaged", codec->name);
}

static int
refuse_size(const struct decompressor *codec, struct error *e)
{
	return error_set(e, ERROR_LIMIT,
	    "the %s data need more than %s of memory to unpack", codec->name,
	    codec->memory);
}

/* Unpack some after buf[*len], which has room for size bytes. */
static int
unpack_some(
    struct byte_source *r, char *buf, size_t *len, size_t size, struct error *e)
{
	const char *in = r->packed + r->packed_at;
	size_t in_len = r->packed_len - r->packed_at, in_before = in_len;
	char *out = buf + *len;
	size_t out_len = size - *len, out_before = out_len;
	enum decompress_outcome rc;

	rc = r->codec->run(r->codec_state, &in, &in_len, &out, &out_len);
	if (rc == DECOMPRESS_DAMAGED)
		return refuse_data(r->codec, r->codec_state, 0, e);
	if (rc == DECOMPRESS_TOO_LARGE)
		return refuse_size(r->codec, e);
	r->packed_at = r->packed_len - in_len;
	*len += out_before - out_len;
	if (rc == DECOMPRESS_END) {
		r->between = 1;
	} else if (r->packed_end && in_len == in_before &&
	    out_before == out_len) {
		r->unpacked = 1;
		r->truncated = r->codec->after == AFTER_ANYTHING
		    ? BYTES_OF_RECORDS
		    : BYTES_STORED;
		return refuse_data(r->codec, r->codec_state, 1, e);
	}
	return 0;
}

/* Unpack until buf is full or the data ends. */
static int
unpack_into(
    struct byte_source *r, char *buf, size_t *len, size_t size, struct error *e)
{
	while (!r->unpacked && *len < size) {
		if (r->between ? find_stream(r, e) != 0
			       : fill_packed(r, 1, e) != 0 ||
			    unpack_some(r, buf, len, size, e) != 0)
			return -1;
	}
	return 0;
}

/* Make lines of some of what is unpacked. */
static int
read_events(struct byte_source *r, struct error *e)
{
	const char *in = r->middle + r->middle_at;
	size_t in_len = r->middle_len - r->middle_at;
	const size_t in_before = in_len;
	char *out = r->buf + r->len;
	size_t out_len = r->alloc - r->len;
	const size_t out_before = out_len;
	enum decompress_outcome rc;

	rc = r->events->run(r->events_state, &in, &in_len, &out, &out_len);
	if (rc == DECOMPRESS_DAMAGED)
		return refuse_data(r->events, r->events_state, 0, e);
	r->middle_at = r->middle_len - in_len;
	r->len += out_before - out_len;
	if (!r->unpacked || in_len > 0)
		return 0;
	if (rc == DECOMPRESS_END) {
		r->last = 1;
	} else if (in_before == in_len && out_before == out_len) {
		r->last = 1;
		r->truncated = BYTES_OF_RECORDS;
		return refuse_data(r->events, r->events_state, 1, e);
	}
	return 0;
}

/* Fill the buffer with lines made of what is unpacked. */
static int
fill_events(struct byte_source *r, struct error *e)
{
	while (!r->last && r->len < r->alloc) {
		if (r->middle_at == r->middle_len) {
			r->middle_at = r->middle_len = 0;
			if (unpack_into(r, r->middle, &r->middle_len,
				BYTE_SOURCE_CHUNK, e) != 0)
				return -1;
		}
		if (read_events(r, e) != 0)
			return -1;
	}
	return 0;
}

/* Unpack until the buffer is full or the data ends. */
static int
fill_unpacked(struct byte_source *r, struct error *e)
{
	int rc;

	if (r->events != NULL)
		return fill_events(r, e);
	rc = unpack_into(r, r->buf, &r->len, r->alloc, e);
	r->last = r->unpacked;
	return rc;
}

static int
byte_source_fill(struct byte_source *r, struct error *e)
{
	return r->codec != NULL ? fill_unpacked(r, e)
				: fill_plain(r, r->alloc, e);
}

/* --- Files -----------------------------------------------------------------*/

/* Copy stdin to a file without name, so that it can be read twice. */
static int
spool_stdin(struct error *e)
{
	FILE *f = tmpfile();
	char buf[65536];
	ssize_t n;
	int fd;

	if (f == NULL)
		return error_errno(e, errno, "cannot make a temporary file");
	while ((n = read(STDIN_FILENO, buf, sizeof buf)) > 0) {
		if (fwrite(buf, 1, (size_t)n, f) != (size_t)n)
			break;
	}
	if (n != 0 || fflush(f) != 0) {
		error_errno(e, errno, "cannot copy the standard input");
		fclose(f);
		return -1;
	}
	fd = dup(fileno(f));
	fclose(f);
	if (fd < 0 || lseek(fd, 0, SEEK_SET) != 0)
		return error_errno(e, errno, "cannot read the temporary file");
	return fd;
}

/* Write all of the text.  Returns 0 or -1. */
static int
write_all(int fd, const struct strbuf *text)
{
	for (size_t at = 0; at < text->len;) {
		const ssize_t n = write(fd, text->buf + at, text->len - at);

		if (n < 0 && errno != EINTR)
			return -1;
		at += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* Put text into a file in memory, in place of r's: it can be read twice, and no
 * place on a disk must be writable. */
static int
spool_text(struct byte_source *r, const struct strbuf *text, struct error *e)
{
	const int fd = memfd_create("lines", MFD_CLOEXEC);

	if (fd < 0)
		return error_errno(e, errno, "cannot make a file in memory");
	if (write_all(fd, text) != 0 || lseek(fd, 0, SEEK_SET) != 0) {
		error_errno(e, errno, "cannot write a file in memory");
		close(fd);
		return -1;
	}
	if (r->fd >= 0)
		close(r->fd);
	r->fd = fd;
	return 0;
}

/* What is made into lines as a whole, and needs a name. */
enum made_kind { MADE_OF_FOLDER, MADE_OF_DATABASE, MADE_OF_EVENT_FILES };

/* Let r be the lines that are made of what lies at path: a folder that is one
 * run, several event files of one run, or a data base. */
static int
open_made(struct byte_source *r, const char *path, enum made_kind kind,
    struct error *e)
{
	struct strbuf text;
	int rc;

	strbuf_init(&text, RUN_FOLDER_MAX_TEXT);
	if (kind == MADE_OF_FOLDER)
		rc = run_folder_read(path, &text, &r->incomplete, e);
	else if (kind == MADE_OF_EVENT_FILES)
		rc = event_run_read(
		    path, byte_source_each_line, &text, &r->incomplete, e);
	else
		rc = nsight_file_read(path, &text, e);
	if (rc == 0)
		rc = spool_text(r, &text, e);
	strbuf_release(&text);
	return rc;
}

/* Let r be the lines of what lies at path, and take its size. */
static int
open_sized(struct byte_source *r, const char *path, enum made_kind kind,
    struct error *e)
{
	struct stat st;

	if (open_made(r, path, kind, e) != 0)
		return -1;
	if (fstat(r->fd, &st) != 0)
		return error_errno(e, errno, "cannot open");
	r->size = st.st_size > 0 ? st.st_size : -1;
	return 0;
}

/* Reject what is no regular file or run folder, and note its size.
 *
 * path  NULL: of the standard input's copy */
static int
check_file(struct byte_source *r, const char *path, struct error *e)
{
	struct stat st;

	if (fstat(r->fd, &st) != 0)
		return error_errno(e, errno, "cannot open");
	if (S_ISDIR(st.st_mode) && (path == NULL || !run_folder_is_at(path)))
		return error_set(e, ERROR_INPUT, "a folder, not a file");
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return error_set(e, ERROR_INPUT, "%s, not a file",
		    S_ISFIFO(st.st_mode)       ? "a FIFO"
			: S_ISSOCK(st.st_mode) ? "a socket"
					       : "a device");
	if (S_ISDIR(st.st_mode))
		return open_sized(r, path, MADE_OF_FOLDER, e);
	/* Files of /proc state 0 and hold something. */
	r->size = st.st_size > 0 ? st.st_size : -1;
	return 0;
}

/* Open path and see that it is a file. */
static int
open_file(struct byte_source *r, const char *path, struct error *e)
{
	r->incomplete = 0;
	if (nsight_report_refuse(path, e) != 0)
		return -1;
	if (strcmp(path, "-") == 0) {
		r->fd = spool_stdin(e);
		if (r->fd < 0)
			return -1;
		path = NULL;
	} else {
		/* Without O_NONBLOCK a FIFO would wait for a writer. */
		r->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (r->fd < 0 && errno == ENOENT &&
		    event_run_is_at(path, byte_source_each_line)) {
			if (open_made(r, path, MADE_OF_EVENT_FILES, e) != 0)
				return -1;
		} else if (r->fd < 0) {
			return error_errno(e, errno, "cannot open");
		}
	}
	return check_file(r, path, e);
}

/* What is unpacked are events of which lines are to be made: start so. */
static int
begin_events(
    struct byte_source *r, const struct decompressor *events, struct error *e)
{
	r->events = events;
	r->events_state = events->open();
	if (r->middle == NULL)
		r->middle = xmalloc(BYTE_SOURCE_CHUNK);
	assert(r->len <= BYTE_SOURCE_CHUNK);
	memcpy(r->middle, r->data, r->len);
	r->middle_at = 0;
	r->middle_len = r->len;
	r->len = 0;
	r->last = 0;
	return fill_events(r, e);
}

/* Start unpacking if the first bytes, which are in the buffer, are packed. */
static int
look_for_codec(struct byte_source *r, struct error *e)
{
	const struct decompressor *events = NULL;

	r->codec = decompress_find(r->data, r->len);
	if (r->codec == NULL)
		r->codec = decompress_find_events(r->data, r->len);
	if (r->codec == NULL)
		return 0;
	if (r->codec->open == NULL) {
		error_set(e, ERROR_INPUT,
		    "the file is packed with %s, which "
		    "this build cannot read (configured without %s)",
		    r->codec->name, r->codec->build);
		r->codec = NULL;
		return -1;
	}
	r->codec_state = r->codec->open();
	if (r->packed == NULL)
		r->packed = xmalloc(BYTE_SOURCE_CHUNK);
	/* What was read so far are packed bytes. */
	assert(r->len <= BYTE_SOURCE_CHUNK);
	memcpy(r->packed, r->data, r->len);
	r->packed_at = 0;
	r->packed_len = r->len;
	r->packed_end = 0;
	r->between = r->unpacked = 0;
	r->len = 0;
	r->last = 0;
	if (fill_unpacked(r, e) != 0)
		return -1;
	if (nsight_file_is(r->data, r->len))
		return error_set(e, ERROR_INPUT,
		    "a SQLite file packed with %s; unpack it first",
		    r->codec->name);
	events = decompress_find_events(r->data, r->len);
	return events != NULL ? begin_events(r, events, e) : 0;
}

/* Get the first bytes of an open file, as they are stored. */
static int
read_first_bytes(struct byte_source *r, struct error *e)
{
	r->raw = 0;
	r->len = 0;
	r->last = 0;
	r->truncated = r->incomplete ? BYTES_OF_RECORDS : BYTES_ALL;
	r->trailing = 0;
	make_room(r, 0);
	/* No more than a chunk, for look_for_codec. */
	while (!r->last && r->len < BYTE_SOURCE_CHUNK) {
		if (fill_plain(r, BYTE_SOURCE_CHUNK, e) != 0)
			return -1;
	}
	return 0;
}

static void
start_hash(struct byte_source *r)
{
	r->bytes = r->hashed = 0;
	if (r->hashing)
		XXH3_128bits_reset(r->hash);
}

/* The first bytes are those of a data base: the lines that are made of it are
 * read instead, from the first on. */
static int
read_database(struct byte_source *r, const char *path, struct error *e)
{
	if (strcmp(path, "-") == 0)
		return error_set(
		    e, ERROR_INPUT, "a SQLite file is read by its name only");
	if (open_sized(r, path, MADE_OF_DATABASE, e) != 0)
		return -1;
	start_hash(r);
	return read_first_bytes(r, e);
}

int
byte_source_open(
    struct byte_source *r, const char *path, int hash, struct error *e)
{
	byte_source_close(r);
	r->hashing = hash;
	if (hash && r->hash == NULL) {
		r->hash = XXH3_createState();
		if (r->hash == NULL)
			xmalloc(SIZE_MAX); /* "out of memory", and ends */
	}
	start_hash(r);
	if (open_file(r, path, e) != 0 || read_first_bytes(r, e) != 0 ||
	    (nsight_file_is(r->data, r->len) &&
		read_database(r, path, e) != 0) ||
	    look_for_codec(r, e) != 0) {
		byte_source_close(r);
		return -1;
	}
	return 0;
}

static void
close_codec(struct byte_source *r)
{
	if (r->codec != NULL)
		r->codec->close(r->codec_state);
	if (r->events != NULL)
		r->events->close(r->events_state);
	r->codec = r->events = NULL;
	r->codec_state = r->events_state = NULL;
}

void
byte_source_close(struct byte_source *r)
{
	close_codec(r);
	if (r->fd >= 0 && !r->borrowed)
		close(r->fd);
	r->fd = -1;
	r->borrowed = 0;
	r->data = NULL;
	r->len = 0;
	r->last = 1;
}

int
byte_source_next(struct byte_source *r, size_t used, struct error *e)
{
	const size_t rest = r->len - used;

	assert(used <= r->len);
	if (r->last)
		return 0;
	make_room(r, used);
	while (!r->last && r->len == rest) {
		if (byte_source_fill(r, e) != 0)
			return -1;
	}
	return r->len > rest;
}

int
byte_source_rewind(struct byte_source *r, struct error *e)
{
	close_codec(r);
	if (lseek(r->fd, 0, SEEK_SET) != 0)
		return error_errno(e, errno, "cannot read again");
	return read_first_bytes(r, e) != 0 ? -1 : look_for_codec(r, e);
}

/* --- Parts -----------------------------------------------------------------*/

int
byte_source_has_parts(const struct byte_source *r)
{
	return r->codec == NULL && r->size >= 0 && !r->truncated;
}

int
byte_source_open_part(struct byte_source *own, const struct byte_source *whole,
    int64_t from, int64_t to, size_t at_once, struct error *e)
{
	byte_source_close(own);
	own->fd = whole->fd;
	own->borrowed = 1;
	own->size = to;
	own->raw = from;
	own->last = 0;
	own->hashing = 0;
	own->truncated = BYTES_ALL;
	own->trailing = 0;
	own->bytes = own->hashed = 0;
	if ((int64_t)at_once > to - from)
		at_once = (size_t)(to - from);
	if (own->alloc < at_once) {
		/* Parts end where lines do: the next may be longer. */
		free(own->buf);
		own->alloc = at_once + at_once / 16;
		own->buf = xmalloc(own->alloc);
	}
	make_room(own, 0);
	while (!own->last && own->len < at_once)
		if (fill_plain(own, own->alloc, e) != 0) {
			byte_source_close(own);
			return -1;
		}
	return 0;
}

int64_t
byte_source_hash_part(struct byte_source *whole, const struct byte_source *own)
{
	note_stored(whole, own->data, byte_source_at(own), own->len);
	return whole->hashed;
}

void
byte_source_finish(struct byte_source *r)
{
	r->raw = r->bytes = r->size;
	r->len = 0;
	r->last = 1;
}

void
byte_source_hash(struct byte_source *r, char out[33])
{
	XXH128_canonical_t c;

	out[0] = '\0';
	if (!r->hashing)
		return;
	XXH128_canonicalFromHash(&c, XXH3_128bits_digest(r->hash));
	for (int i = 0; i < 16; i++)
		snprintf(out + 2 * i, 3, "%02x", c.digest[i]);
}

int
byte_source_each_line(const char *path,
    void (*take)(void *context, const char *line, const char *end),
    void *context, int *cut, struct error *e)
{
	struct byte_source r;
	int rc;

	byte_source_init(&r);
	rc = byte_source_open(&r, path, 0, e);
	while (rc >= 0) {
		const char *at = r.data, *const end = r.data + r.len;
		const char *newline;

		while (at < end &&
		    (newline = memchr(at, '\n', (size_t)(end - at))) != NULL) {
			take(context, at, newline);
			at = newline + 1;
		}
		if (r.last)
			break;
		rc = byte_source_next(&r, (size_t)(at - r.data), e);
	}
	*cut |= r.truncated != BYTES_ALL;
	byte_source_release(&r);
	return rc < 0 ? -1 : 0;
}
