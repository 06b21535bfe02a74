#include <config.h>

#include "extract/input/byte_source.h"

#include "common/alloc.h"
#include "extract/input/event_run.h"
#include "extract/input/profiles/nsight_file.h"
#include "extract/input/profiles/profile_file.h"
#include "extract/input/stores/event_file.h"
#include "extract/input/stores/run_folder.h"
#include "extract/input/stores/wandb_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { MAX_LINES = 256 << 20 /* bytes: maximum text of one record */ };

/* Stores that are read sequentially, compressed or not. */
static const struct store stores[] = {
	{ event_file_is, event_file_open, event_file_next, free },
	{ wandb_file_is, wandb_file_open, wandb_file_next, wandb_file_close },
	{ profile_file_is, NULL, profile_file_next, NULL },
};

void
byte_source_init(struct byte_source *r)
{
	memset(r, 0, sizeof *r);
	r->fd = -1;
	strbuf_init(&r->made, RUN_FOLDER_MAX_TEXT);
	strbuf_init(&r->lines, MAX_LINES);
}

void
byte_source_release(struct byte_source *r)
{
	byte_source_close(r);
	free(r->buf);
	free(r->middle);
	strbuf_release(&r->lines);
	XXH3_freeState(r->hash);
	byte_source_init(r);
}

/* --- Stored bytes ----------------------------------------------------------*/

/* Read up to n stored bytes and hash each once. Returns the number read (0 at
 * the end) or -1. */
static ssize_t
read_stored(void *source, char *to, size_t n, struct error *e)
{
	struct byte_source *r = source;
	ssize_t got;

	if (r->size >= 0 && (int64_t)n > r->size - r->raw)
		n = (size_t)(r->size - r->raw);
	if (n == 0)
		return 0;
	if (r->is_made) {
		memcpy(to, r->made.buf + r->raw, n);
		got = (ssize_t)n;
	} else {
		do
			got = read(r->fd, to, n);
		while (got < 0 && errno == EINTR);
	}
	if (got < 0)
		return error_errno(e, errno, "cannot read");
	if (got == 0 && r->size >= 0)
		r->truncated = BYTES_STORED; /* the file shrank after opening */
	if (r->raw + got > r->bytes) {
		const int64_t known = r->bytes - r->raw;

		r->bytes = r->raw + got;
		if (r->hashing)
			XXH3_128bits_update(
			    r->hash, to + known, (size_t)(got - known));
	}
	r->raw += got;
	return got;
}

/* --- Filling the buffer ----------------------------------------------------*/

/* Drop the first used bytes and reserve BYTE_SOURCE_CHUNK bytes after the
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

/* Read up to n decompressed bytes. Returns their number (0 at the end) or
 * -1. */
static ssize_t
read_unpacked(struct byte_source *r, char *to, size_t n, struct error *e)
{
	ssize_t got;

	if (r->unpacker.name == NULL)
		return read_stored(r, to, n, e);
	got = unpacker_read(&r->unpacker, to, n, e);
	if (r->unpacker.truncated)
		r->truncated = BYTES_STORED;
	r->trailing = r->unpacker.trailing;
	return got;
}

/* Implements store_input.more. */
static int
read_ahead(struct store_input *in)
{
	struct byte_source *r = in->source;
	const ssize_t n =
	    read_unpacked(r, r->middle, BYTE_SOURCE_CHUNK, &r->problem);

	in->at = in->end = r->middle;
	if (n > 0)
		in->end += n;
	return n > 0;
}

/* Read the next record of a store. */
static int
next_record(struct byte_source *r, struct error *e)
{
	int rc;

	strbuf_reset(&r->lines);
	r->lines_at = 0;
	rc = r->store->next(r->store_state, &r->input, &r->lines, e);
	if (rc == 0) {
		/* The hash covers the whole file: read to its end. */
		while (read_ahead(&r->input))
			;
		r->store_done = 1;
	}
	if (r->problem.code != ERROR_NONE) {
		if (e != NULL)
			*e = r->problem;
		return -1;
	}
	return rc < 0 ? -1 : 0;
}

/* Fill the buffer with lines of a store. */
static int
fill_lines(struct byte_source *r, struct error *e)
{
	while (!r->last && r->len < r->alloc) {
		size_t n = r->alloc - r->len;

		if (r->lines_at == r->lines.len && next_record(r, e) != 0)
			return -1;
		if (n > r->lines.len - r->lines_at)
			n = r->lines.len - r->lines_at;
		memcpy(r->buf + r->len, r->lines.buf + r->lines_at, n);
		r->lines_at += n;
		r->len += n;
		r->last = r->store_done && r->lines_at == r->lines.len;
	}
	if (r->input.cut)
		r->truncated = BYTES_OF_RECORDS;
	return 0;
}

/* Read until the buffer holds size bytes or the data ends. */
static int
fill(struct byte_source *r, size_t size, struct error *e)
{
	ssize_t n;

	if (r->store != NULL)
		return fill_lines(r, e);
	n = read_unpacked(r, r->buf + r->len, size - r->len, e);
	if (n < 0)
		return -1;
	r->len += (size_t)n;
	r->last = r->unpacker.name != NULL
	    ? r->unpacker.done
	    : n == 0 || (r->size >= 0 && r->raw == r->size);
	return 0;
}

/* --- Files -----------------------------------------------------------------*/

/* Copy stdin to an unnamed file, so that it can be read twice. */
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

/* Read r->made instead of the file. */
static int
take_made(struct byte_source *r)
{
	r->is_made = 1;
	r->size = (int64_t)r->made.len;
	return 0;
}

/* Check that the open file is a regular file or run folder. Sets the size. */
static int
check_file(struct byte_source *r, const char *path, struct error *e)
{
	struct stat st;

	if (fstat(r->fd, &st) != 0)
		return error_errno(e, errno, "cannot open");
	if (S_ISDIR(st.st_mode)) {
		if (!run_folder_is_at(path))
			return error_set(
			    e, ERROR_INPUT, "a folder, not a file");
		return run_folder_read(path, &r->made, &r->incomplete, e) != 0
		    ? -1
		    : take_made(r);
	}
	if (!S_ISREG(st.st_mode))
		return error_set(e, ERROR_INPUT, "%s, not a file",
		    S_ISFIFO(st.st_mode)       ? "a FIFO"
			: S_ISSOCK(st.st_mode) ? "a socket"
					       : "a device");
	/* Files in /proc report size 0 but have contents. */
	r->size = st.st_size > 0 ? st.st_size : -1;
	return 0;
}

/* Open path and check that it is a file. */
static int
open_file(struct byte_source *r, const char *path, struct error *e)
{
	r->incomplete = 0;
	if (nsight_report_refuse(path, e) != 0)
		return -1;
	if (strcmp(path, "-") == 0) {
		r->fd = spool_stdin(e);
		return r->fd < 0 ? -1 : check_file(r, path, e);
	}
	/* Without O_NONBLOCK, opening a FIFO would wait for a writer. */
	r->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (r->fd >= 0)
		return check_file(r, path, e);
	if (errno != ENOENT || !event_run_is_at(path))
		return error_errno(e, errno, "cannot open");
	return event_run_read(path, &r->made, &r->incomplete, e) != 0
	    ? -1
	    : take_made(r);
}

/* Read the first stored bytes of an open file. */
static int
read_first_bytes(struct byte_source *r, struct error *e)
{
	r->raw = 0;
	r->len = 0;
	r->last = 0;
	r->truncated = r->incomplete ? BYTES_OF_RECORDS : BYTES_ALL;
	r->trailing = 0;
	make_room(r, 0);
	while (!r->last && r->len < BYTE_SOURCE_CHUNK) {
		if (fill(r, BYTE_SOURCE_CHUNK, e) != 0)
			return -1;
	}
	return 0;
}

static void
start_hash(struct byte_source *r)
{
	r->bytes = 0;
	if (r->hashing)
		XXH3_128bits_reset(r->hash);
}

/* Convert a database to lines and read these from the start. */
static int
read_database(struct byte_source *r, const char *path, struct error *e)
{
	if (strcmp(path, "-") == 0)
		return error_set(
		    e, ERROR_INPUT, "a SQLite file is read by its name only");
	if (nsight_file_read(path, &r->made, e) != 0)
		return -1;
	take_made(r);
	start_hash(r);
	return read_first_bytes(r, e);
}

/* Start converting a store to lines, from its first bytes in the buffer. */
static int
begin_store(struct byte_source *r, const struct store *store, struct error *e)
{
	r->store = store;
	r->store_state = store->open != NULL ? store->open() : NULL;
	r->store_done = 0;
	r->problem.code = ERROR_NONE;
	if (r->middle == NULL)
		r->middle = xmalloc(BYTE_SOURCE_CHUNK);
	memcpy(r->middle, r->data, r->len);
	r->input = (struct store_input){ r->middle, r->middle + r->len,
		read_ahead, r, 0 };
	strbuf_reset(&r->lines);
	r->lines_at = 0;
	r->len = 0;
	r->last = 0;
	return fill_lines(r, e);
}

/* Start decompression and conversion if the first bytes require them. */
static int
look_at_first_bytes(struct byte_source *r, struct error *e)
{
	if (unpacker_begin(&r->unpacker, r->data, r->len, read_stored, r, e) !=
	    0)
		return -1;
	if (r->unpacker.name != NULL) {
		r->len = 0;
		r->last = 0;
		if (fill(r, BYTE_SOURCE_CHUNK, e) != 0)
			return -1;
		if (nsight_file_is(r->data, r->len))
			return error_set(e, ERROR_INPUT,
			    "a SQLite file packed with %s; unpack it first",
			    r->unpacker.name);
	}
	for (size_t i = 0; i < sizeof stores / sizeof stores[0]; i++)
		if (stores[i].begins(r->data, r->len))
			return begin_store(r, &stores[i], e);
	return 0;
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
			xmalloc(SIZE_MAX); /* exits with "out of memory" */
	}
	start_hash(r);
	if (open_file(r, path, e) != 0 || read_first_bytes(r, e) != 0 ||
	    (nsight_file_is(r->data, r->len) &&
		read_database(r, path, e) != 0) ||
	    look_at_first_bytes(r, e) != 0) {
		byte_source_close(r);
		return -1;
	}
	return 0;
}

static void
end_reading(struct byte_source *r)
{
	unpacker_end(&r->unpacker);
	if (r->store != NULL && r->store->close != NULL)
		r->store->close(r->store_state);
	r->store = NULL;
	r->store_state = NULL;
}

void
byte_source_close(struct byte_source *r)
{
	end_reading(r);
	if (r->fd >= 0)
		close(r->fd);
	r->fd = -1;
	strbuf_release(&r->made);
	r->is_made = 0;
	r->data = NULL;
	r->len = 0;
	r->last = 1;
}

int
byte_source_is_plain(const struct byte_source *r)
{
	return r->unpacker.name == NULL && r->store == NULL;
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
		if (fill(r, r->alloc, e) != 0)
			return -1;
	}
	return r->len > rest;
}

int
byte_source_rewind(struct byte_source *r, struct error *e)
{
	end_reading(r);
	if (!r->is_made && lseek(r->fd, 0, SEEK_SET) != 0)
		return error_errno(e, errno, "cannot read again");
	return read_first_bytes(r, e) != 0 ? -1 : look_at_first_bytes(r, e);
}

void
byte_source_hash(struct byte_source *r, char out[33])
{
	XXH128_hash_t h;

	out[0] = '\0';
	if (!r->hashing)
		return;
	h = XXH3_128bits_digest(r->hash);
	snprintf(out, 33, "%016" PRIx64 "%016" PRIx64, h.high64, h.low64);
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
