/* Files are read in three steps: stored bytes; decompression, if they begin
 * with a compressed stream; conversion to lines, if the result is a store. All
 * lines of a store are made before the first is returned. */
#include <config.h>

#include "extract/input/byte_source.h"

#include "common/alloc.h"
#include "extract/input/encoding/records.h"
#include "extract/input/run_folder.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

static const struct {
	int (*is)(const char *data, size_t len);
	store_reader *read;
} stores[] = {
	{ event_file_is, event_file_read },
	{ wandb_file_is, wandb_file_read },
	{ profile_file_is, profile_file_read },
};

/* --- Codecs ----------------------------------------------------------------*/

enum { MAGIC = 12 /* bytes that show whether another stream follows */ };

enum outcome { TOO_LARGE = -2, DAMAGED = -1, MORE = 0, STREAM_END = 1 };

/* Input and output of a library call, which advances both. */
struct codec_bytes {
	const char *in;
	size_t in_len;
	char *out;
	size_t out_len;
};

struct codec {
	const char *name;
	const char *build;   /* the library's name in configure */
	const char *memory;  /* its memory limit, for messages */
	int zeros;           /* 1: zeros may follow a stream */
	void *(*open)(void); /* NULL if not compiled in */
	enum outcome (*run)(void *state, struct codec_bytes *b);
	void (*close)(void *state);
};

#ifdef HAVE_ZLIB
#define ZLIB_CONST /* makes next_in const */
#include <zlib.h>

static void *
gzip_open(void)
{
	z_stream *z = xcalloc(1, sizeof *z);

	/* 16: expect a gzip header. */
	if (inflateInit2(z, 16 + MAX_WBITS) != Z_OK)
		xmalloc(SIZE_MAX); /* exits with "out of memory" */
	return z;
}

static enum outcome
gzip_run(void *state, struct codec_bytes *b)
{
	z_stream *z = state;
	int rc;

	z->next_in = (const Bytef *)b->in;
	z->avail_in = (uInt)b->in_len;
	z->next_out = (Bytef *)b->out;
	z->avail_out = (uInt)b->out_len;
	rc = inflate(z, Z_NO_FLUSH);
	b->in_len = z->avail_in;
	b->out_len = z->avail_out;
	if (rc == Z_STREAM_END) {
		inflateReset(z);
		return STREAM_END;
	}
	return rc == Z_OK || rc == Z_BUF_ERROR ? MORE : DAMAGED;
}

static void
gzip_close(void *state)
{
	inflateEnd(state);
	free(state);
}
#define GZIP_OPS gzip_open, gzip_run, gzip_close
#else
#define GZIP_OPS NULL, NULL, NULL
#endif

#ifdef HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>

static void *
zstd_open(void)
{
	ZSTD_DCtx *d = ZSTD_createDCtx();

	if (d == NULL)
		xmalloc(SIZE_MAX); /* exits with "out of memory" */
	/* 128 MiB, the largest window of "zstd --long". */
	ZSTD_DCtx_setParameter(d, ZSTD_d_windowLogMax, 27);
	return d;
}

static enum outcome
zstd_run(void *state, struct codec_bytes *b)
{
	ZSTD_inBuffer i = { b->in, b->in_len, 0 };
	ZSTD_outBuffer o = { b->out, b->out_len, 0 };
	const size_t rc = ZSTD_decompressStream(state, &o, &i);

	b->in_len -= i.pos;
	b->out_len -= o.pos;
	if (ZSTD_isError(rc))
		return ZSTD_getErrorCode(rc) ==
			ZSTD_error_frameParameter_windowTooLarge
		    ? TOO_LARGE
		    : DAMAGED;
	return rc == 0 ? STREAM_END : MORE;
}

static void
zstd_close(void *state)
{
	ZSTD_freeDCtx(state);
}
#define ZSTD_OPS zstd_open, zstd_run, zstd_close
#else
#define ZSTD_OPS NULL, NULL, NULL
#endif

#ifdef HAVE_LZMA
#include <lzma.h>

enum { XZ_MEMORY = 256 << 20 /* bytes: four times what "xz -9" needs */ };

static void
xz_start(lzma_stream *z)
{
	if (lzma_stream_decoder(z, XZ_MEMORY, 0) != LZMA_OK)
		xmalloc(SIZE_MAX); /* exits with "out of memory" */
}

static void *
xz_open(void)
{
	lzma_stream *z = xcalloc(1, sizeof *z);

	xz_start(z);
	return z;
}

static enum outcome
xz_run(void *state, struct codec_bytes *b)
{
	lzma_stream *z = state;
	lzma_ret rc;

	z->next_in = (const uint8_t *)b->in;
	z->avail_in = b->in_len;
	z->next_out = (uint8_t *)b->out;
	z->avail_out = b->out_len;
	rc = lzma_code(z, LZMA_RUN);
	b->in_len = z->avail_in;
	b->out_len = z->avail_out;
	if (rc == LZMA_STREAM_END) {
		xz_start(z);
		return STREAM_END;
	}
	if (rc == LZMA_MEMLIMIT_ERROR)
		return TOO_LARGE;
	return rc == LZMA_OK || rc == LZMA_BUF_ERROR ? MORE : DAMAGED;
}

static void
xz_close(void *state)
{
	lzma_end(state);
	free(state);
}
#define XZ_OPS xz_open, xz_run, xz_close
#else
#define XZ_OPS NULL, NULL, NULL
#endif

static const struct codec gzip = { "gzip", "zlib", "64 KiB", 1, GZIP_OPS };
static const struct codec zstd = { "zstd", "zstd", "128 MiB", 0, ZSTD_OPS };
static const struct codec xz = { "xz", "liblzma", "256 MiB", 1, XZ_OPS };

/* Codec of a stream that starts at data, or NULL. */
static const struct codec *
find_codec(const char *data, size_t len)
{
	if (len >= 2 && memcmp(data, "\x1f\x8b", 2) == 0)
		return &gzip;
	if (len >= 6 && memcmp(data, "\xfd\x37\x7a\x58\x5a", 6) == 0)
		return &xz;
	/* A frame, or a skippable frame, which pzstd writes before each frame.
	 * Source: RFC 8878, 3.1. */
	if (len >= 4 &&
	    (memcmp(data, "\x28\xb5\x2f\xfd", 4) == 0 ||
		(((unsigned char)data[0] & 0xf0) == 0x50 &&
		    memcmp(data + 1, "\x2a\x4d\x18", 3) == 0)))
		return &zstd;
	return NULL;
}

/* --- Stored bytes ----------------------------------------------------------*/

/* Read up to n stored bytes and hash each once. Returns the number read (0 at
 * the end) or -1. */
static ssize_t
read_stored(struct byte_source *r, char *to, size_t n, struct error *e)
{
	ssize_t got;

	if (r->size >= 0 && (int64_t)n > r->size - r->raw)
		n = (size_t)(r->size - r->raw);
	if (n == 0)
		return 0;
	do
		got = read(r->fd, to, n);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return error_errno(e, errno, "cannot read");
	if (got == 0 && r->size >= 0)
		r->truncated = 1; /* the file shrank after opening */
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

/* --- Decompression ---------------------------------------------------------*/

/* Read compressed bytes until `want` are available or the input ends. */
static int
get_packed(struct byte_source *r, size_t want, struct error *e)
{
	while (r->packed_len - r->packed_at < want && !r->packed_end) {
		ssize_t n;

		r->packed_len -= r->packed_at;
		memmove(r->packed, r->packed + r->packed_at, r->packed_len);
		r->packed_at = 0;
		n = read_stored(r, r->packed + r->packed_len,
		    BYTE_SOURCE_CHUNK - r->packed_len, e);
		if (n < 0)
			return -1;
		r->packed_len += (size_t)n;
		r->packed_end = n == 0;
	}
	return 0;
}

/* After a complete stream: find the next stream, the end, or trailing bytes. */
static int
find_stream(struct byte_source *r, struct error *e)
{
	do {
		if (get_packed(r, MAGIC, e) != 0)
			return -1;
		while (r->codec->zeros && r->packed_at < r->packed_len &&
		    r->packed[r->packed_at] == '\0')
			r->packed_at++;
	} while (r->packed_len - r->packed_at < MAGIC && !r->packed_end);
	r->between = 0;
	if (find_codec(r->packed + r->packed_at,
		r->packed_len - r->packed_at) == r->codec)
		return 0;
	r->unpacked = 1;
	r->trailing = r->packed_at < r->packed_len;
	return 0;
}

/* Decompress part of a stream. Returns the number of bytes, or -1. */
static ssize_t
unpack_some(struct byte_source *r, char *to, size_t n, struct error *e)
{
	struct codec_bytes b = { NULL, 0, to, n };
	enum outcome rc;
	size_t len;

	if (get_packed(r, 1, e) != 0)
		return -1;
	b.in = r->packed + r->packed_at;
	b.in_len = len = r->packed_len - r->packed_at;
	rc = r->codec->run(r->codec_state, &b);
	if (rc == DAMAGED)
		return error_set(
		    e, ERROR_INPUT, "the %s data is damaged", r->codec->name);
	if (rc == TOO_LARGE)
		return error_set(e, ERROR_LIMIT,
		    "the %s data need more than %s of memory to unpack",
		    r->codec->name, r->codec->memory);
	r->between = rc == STREAM_END;
	if (rc == MORE && r->packed_end && b.in_len == len && b.out_len == n) {
		r->unpacked = 1;
		r->truncated = 1;
	}
	r->packed_at = r->packed_len - b.in_len;
	r->n_unpacked += (int64_t)(n - b.out_len);
	if (r->n_unpacked > r->max_unpacked &&
	    r->n_unpacked / BYTE_SOURCE_MAX_RATIO > r->raw - (int64_t)b.in_len)
		return error_set(e, ERROR_LIMIT,
		    "the %s data expand to more than %d times their size; "
		    "--max-unpacked=MIB reads more",
		    r->codec->name, BYTE_SOURCE_MAX_RATIO);
	return (ssize_t)(n - b.out_len);
}

/* Read up to n decompressed bytes. Returns their number (0 at the end) or
 * -1. */
static ssize_t
read_unpacked(struct byte_source *r, char *to, size_t n, struct error *e)
{
	ssize_t got = 0, some = 0;

	if (r->codec == NULL)
		return read_stored(r, to, n, e);
	while (!r->unpacked && some >= 0 && (size_t)got < n) {
		some = r->between
		    ? find_stream(r, e)
		    : unpack_some(r, to + got, n - (size_t)got, e);
		got += some;
	}
	return some < 0 ? -1 : got;
}

static void
end_unpacking(struct byte_source *r)
{
	if (r->codec != NULL)
		r->codec->close(r->codec_state);
	r->codec = NULL;
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

/* Read more bytes into the buffer, up to size in all. Sets r->last at the end
 * of the data. Returns 0 or -1. */
static int
fill(struct byte_source *r, size_t size, struct error *e)
{
	const ssize_t n = read_unpacked(r, r->buf + r->len, size - r->len, e);

	if (n < 0)
		return -1;
	r->len += (size_t)n;
	r->last = r->codec != NULL
	    ? r->unpacked
	    : n == 0 || (r->size >= 0 && r->raw == r->size);
	return 0;
}

/* --- Lines made from stores ------------------------------------------------*/

/* Make the lines at `from` available: `rest` bytes and up to a chunk more. */
static void
show_made(struct byte_source *r, const char *from, size_t rest)
{
	const size_t left = (size_t)(r->made.buf + r->made.len - from);

	r->data = from;
	r->len =
	    left - rest < BYTE_SOURCE_CHUNK ? left : rest + BYTE_SOURCE_CHUNK;
	r->last = r->len == left;
}

/* Use the lines in r->made as the stored bytes, unless making them failed
 * (rc). */
static int
take_made(struct byte_source *r, int rc)
{
	r->size = r->bytes = (int64_t)r->made.len;
	r->is_made = 1;
	if (r->hashing) {
		XXH3_128bits_reset(r->hash);
		XXH3_128bits_update(r->hash, r->made.buf, r->made.len);
	}
	return rc;
}

/* A file that a store_reader reads. */
struct store_file {
	struct byte_source *r;
	struct error problem; /* while reading it */
};

/* Implements store_input.more. */
static int
read_ahead(struct store_input *in)
{
	struct store_file *f = in->source;
	const ssize_t n =
	    read_unpacked(f->r, f->r->buf, BYTE_SOURCE_CHUNK, &f->problem);

	in->at = in->end = f->r->buf;
	if (n > 0)
		in->end += n;
	return n > 0;
}

/* Convert the file whose first bytes are in the buffer. */
static int
convert_store(struct byte_source *r, store_reader *read, struct error *e)
{
	struct store_file f = { r, ERROR_INIT };
	struct store_input in = { r->data, r->data + r->len, read_ahead, &f,
		0 };
	int rc = read(&in, &r->made, e);

	/* Read to the end, since the hash covers the whole file. */
	while (rc == 0 && read_ahead(&in))
		;
	if (f.problem.code != ERROR_NONE) {
		if (e != NULL)
			*e = f.problem;
		return -1;
	}
	if (rc == 0 && r->made.full)
		return error_set(e, ERROR_LIMIT,
		    "the file expands to more than 1 GiB of lines");
	if (in.cut)
		r->truncated = 1;
	r->is_made = r->is_store = 1;
	return rc;
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

/* Reject a report that only NVIDIA's profilers read. e names the command that
 * exports it. */
static int
refuse_report(const char *path, struct error *e)
{
	static const struct {
		const char *suffix, *what;
	} reports[] = {
		{ ".nsys-rep",
		    "a report of Nsight Systems; convert it with nsys export "
		    "--type sqlite" },
		{ ".qdrep",
		    "a report of Nsight Systems; convert it with nsys export "
		    "--type sqlite" },
		{ ".qdstrm",
		    "a raw recording of Nsight Systems; import it into a "
		    "report, then convert that with nsys export --type "
		    "sqlite" },
		{ ".ncu-rep",
		    "a report of Nsight Compute, which covers kernels, not "
		    "steps; profile steps with nsys and convert the report "
		    "with nsys export --type sqlite" },
	};
	const size_t len = strlen(path);

	for (size_t i = 0; i < sizeof reports / sizeof reports[0]; i++) {
		const size_t n = strlen(reports[i].suffix);

		if (len > n &&
		    strcasecmp(path + len - n, reports[i].suffix) == 0)
			return error_set(e, ERROR_INPUT, "%s", reports[i].what);
	}
	return 0;
}

/* Open path and check that it is a regular file or run folder. */
static int
open_file(struct byte_source *r, const char *path, struct error *e)
{
	struct stat st;
	int is_run, cut = 0, rc;

	if (refuse_report(path, e) != 0)
		return -1;
	/* Without O_NONBLOCK, opening a FIFO would wait for a writer. */
	r->fd = strcmp(path, "-") == 0
	    ? spool_stdin(e)
	    : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (r->fd < 0 && strcmp(path, "-") == 0)
		return -1;
	is_run = r->fd < 0 && errno == ENOENT && event_run_is_at(path);
	if (!is_run && (r->fd < 0 || fstat(r->fd, &st) != 0))
		return error_errno(e, errno, "cannot open");
	if (is_run || (S_ISDIR(st.st_mode) && run_folder_is_at(path))) {
		rc = run_folder_read(path, &r->made, &cut, e);
		if (cut)
			r->truncated = 1;
		return take_made(r, rc);
	}
	if (S_ISDIR(st.st_mode))
		return error_set(e, ERROR_INPUT, "a folder, not a file");
	if (!S_ISREG(st.st_mode))
		return error_set(e, ERROR_INPUT, "%s, not a file",
		    S_ISFIFO(st.st_mode)       ? "a FIFO"
			: S_ISSOCK(st.st_mode) ? "a socket"
					       : "a device");
	/* Files in /proc report size 0 but have contents. */
	r->size = st.st_size > 0 ? st.st_size : -1;
	return 0;
}

/* Read the first bytes of a file and start decompression if they require it;
 * convert a store to lines.
 *
 * path  used to open a SQLite file, which is read in random order */
static int
begin_reading(struct byte_source *r, const char *path, struct error *e)
{
	const struct codec *codec;

	r->raw = 0;
	r->len = 0;
	r->last = 0;
	r->truncated = 0;
	r->trailing = 0;
	make_room(r, 0);
	while (!r->last && r->len < BYTE_SOURCE_CHUNK)
		if (fill(r, BYTE_SOURCE_CHUNK, e) != 0)
			return -1;
	if (nsight_file_is(r->data, r->len)) {
		if (strcmp(path, "-") == 0)
			return error_set(e, ERROR_INPUT,
			    "a SQLite file cannot be read from a stream; pass "
			    "its name");
		return take_made(r, nsight_file_read(path, &r->made, e));
	}
	codec = find_codec(r->data, r->len);
	if (codec != NULL) {
		if (codec->open == NULL)
			return error_set(e, ERROR_INPUT,
			    "the file is compressed with %s, which this build "
			    "cannot read (configured without %s)",
			    codec->name, codec->build);
		r->codec = codec;
		r->codec_state = codec->open();
		if (r->packed == NULL)
			r->packed = xmalloc(BYTE_SOURCE_CHUNK);
		memcpy(r->packed, r->data, r->len);
		r->packed_at = 0;
		r->packed_len = r->len;
		r->packed_end = r->between = r->unpacked = 0;
		r->n_unpacked = 0;
		r->len = 0;
		r->last = 0;
		if (fill(r, BYTE_SOURCE_CHUNK, e) != 0)
			return -1;
		if (nsight_file_is(r->data, r->len))
			return error_set(e, ERROR_INPUT,
			    "a SQLite file compressed with %s; decompress it "
			    "first",
			    codec->name);
	}
	for (size_t i = 0; i < sizeof stores / sizeof stores[0]; i++)
		if (stores[i].is(r->data, r->len))
			return convert_store(r, stores[i].read, e);
	return 0;
}

void
byte_source_init(struct byte_source *r)
{
	memset(r, 0, sizeof *r);
	r->fd = -1;
	r->max_unpacked = (int64_t)DEFAULT_MAX_UNPACKED << 20;
	strbuf_init(&r->made, RUN_FOLDER_MAX_TEXT);
}

void
byte_source_release(struct byte_source *r)
{
	byte_source_close(r);
	free(r->buf);
	free(r->packed);
	XXH3_freeState(r->hash);
	byte_source_init(r);
}

int
byte_source_open(
    struct byte_source *r, const char *path, int hash, struct error *e)
{
	byte_source_close(r);
	r->hashing = hash;
	r->bytes = 0;
	r->truncated = 0;
	r->trailing = 0;
	if (hash && r->hash == NULL) {
		r->hash = XXH3_createState();
		if (r->hash == NULL)
			xmalloc(SIZE_MAX); /* exits with "out of memory" */
	}
	if (hash)
		XXH3_128bits_reset(r->hash);
	if (open_file(r, path, e) != 0 ||
	    (!r->is_made && begin_reading(r, path, e) != 0)) {
		byte_source_close(r);
		return -1;
	}
	if (r->is_made)
		show_made(r, r->made.buf, 0);
	return 0;
}

void
byte_source_close(struct byte_source *r)
{
	end_unpacking(r);
	if (r->fd >= 0)
		close(r->fd);
	r->fd = -1;
	strbuf_release(&r->made);
	r->is_made = r->is_store = 0;
	r->data = NULL;
	r->len = 0;
	r->last = 1;
}

int
byte_source_is_plain(const struct byte_source *r)
{
	return r->codec == NULL && !r->is_store;
}

int
byte_source_next(struct byte_source *r, size_t used, struct error *e)
{
	const size_t rest = r->len - used;

	assert(used <= r->len);
	if (r->last)
		return 0;
	if (r->is_made) {
		show_made(r, r->data + used, rest);
		return 1;
	}
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
	if (r->is_made) {
		show_made(r, r->made.buf, 0);
		return 0;
	}
	end_unpacking(r);
	if (lseek(r->fd, 0, SEEK_SET) != 0)
		return error_errno(e, errno, "cannot read again");
	return begin_reading(r, "-", e);
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
byte_source_each_line(const char *path, int all, line_consumer *consume,
    void *arg, struct error *e)
{
	struct byte_source r;
	struct line_walker w;
	int rc;

	line_walker_init(&w, SIZE_MAX / 2);
	byte_source_init(&r);
	rc = byte_source_open(&r, path, 0, e);
	while (rc >= 0) {
		const size_t used = line_walker_consume(
		    &w, r.data, r.len, all && r.last, consume, arg);

		if (r.last)
			break;
		rc = byte_source_next(&r, used, e);
	}
	byte_source_release(&r);
	return rc < 0 ? -1 : 0;
}

/* --- Lines -----------------------------------------------------------------*/

enum { LINE_RETURN = 8 /* a \r; extends the flags of a line */ };

void
line_walker_init(struct line_walker *w, size_t max_line)
{
	memset(w, 0, sizeof *w);
	w->number = 1;
	w->max_line = max_line;
}

int64_t
line_walker_lines(const struct line_walker *w)
{
	return w->number - 1;
}

/* --- cutting -------------------------------------------------------------- */

/* Bytes that are tested together. */
typedef unsigned char block __attribute__((vector_size(16)));

/* Bytes that occurred at each place of the blocks. */
struct seen {
	block high, control, cr;
};

static inline void
look_at(struct seen *s, const char *text)
{
	block b, cr;

	memcpy(&b, text, sizeof b);
	cr = (block)(b == '\r');
	s->high |= b;
	s->cr |= cr;
	s->control |=
	    (block)(b < 0x20) & ~((block)(b == '\t') | (block)(b == '\n') | cr);
}

unsigned
line_flags(const char *text, size_t n)
{
	struct seen s = { { 0 }, { 0 }, { 0 } };
	char rest[sizeof(block)];
	unsigned flags = 0;
	size_t i = 0;

	for (; i + sizeof rest <= n; i += sizeof rest)
		look_at(&s, text + i);
	memset(rest, ' ', sizeof rest);
	memcpy(rest, text + i, n - i);
	look_at(&s, rest);
	for (i = 0; i < sizeof rest; i++)
		flags |= (s.control[i] != 0 ? LINE_CONTROL : 0) |
		    (s.high[i] >= 0x80 ? LINE_HIGH : 0) |
		    (s.cr[i] != 0 ? LINE_RETURN : 0);
	return flags;
}

/* Pass on pieces of a line that is too long. Returns their length. */
static size_t
cut_long(struct line_walker *w, const char *text, size_t len,
    line_consumer *consume, void *arg)
{
	size_t at = 0;

	while (len - at > w->max_line) {
		const size_t max = w->max_line;
		size_t n = max;

		/* Cut after a space in the last 1/16, to keep numbers whole. */
		while (n > max - max / 16 && text[at + n - 1] != ' ' &&
		    text[at + n - 1] != '\t')
			n--;
		n = n > max - max / 16 ? n : max;
		consume(arg, text + at, n, w->flags, w->number);
		w->n_long += !w->cut;
		w->cut = 1;
		at += n;
	}
	return at;
}

/* Pass on a complete line. */
static void
end_line(struct line_walker *w, const char *text, size_t len,
    line_consumer *consume, void *arg)
{
	const size_t n =
	    len > w->max_line ? cut_long(w, text, len, consume, arg) : 0;

	if (len > n)
		consume(arg, text + n, len - n, w->flags, w->number);
	w->cut = 0;
}

size_t
line_walker_consume(struct line_walker *w, const char *data, size_t len,
    int last, line_consumer *consume, void *arg)
{
	const char *const end = data + len;
	const char *start = data, *at = data + w->scanned;
	const size_t fresh = (size_t)(end - at);
	const unsigned flags = w->lazy && memchr(at, '\r', fresh) == NULL
	    ? LINE_UNTESTED
	    : line_flags(at, fresh);

	while (at < end) {
		const char *stop = at;

		if (flags & LINE_RETURN)
			while (stop < end && *stop != '\n' && *stop != '\r')
				stop++;
		else
			stop = memchr(at, '\n', (size_t)(end - at));
		if (stop == NULL)
			stop = end;
		w->flags |= flags & LINE_UNTESTED;
		if (flags & (LINE_CONTROL | LINE_HIGH))
			w->flags |= line_flags(at, (size_t)(stop - at));
		if (stop == end)
			break;
		end_line(w, start, (size_t)(stop - start), consume, arg);
		w->open = *stop != '\n';
		w->number += !w->open;
		w->flags = 0;
		start = at = stop + 1;
	}
	if (last) {
		/* The last line may have no line end. */
		const int more = start < end || w->cut || w->open;

		if (start < end)
			end_line(w, start, (size_t)(end - start), consume, arg);
		w->number += more;
		return len;
	}
	start += cut_long(w, start, (size_t)(end - start), consume, arg);
	w->scanned = (size_t)(end - start);
	return (size_t)(start - data);
}

/* --- cleaning ------------------------------------------------------------- */

/* End of the escape sequence that begins at p. */
static const char *
skip_escape(const char *p, const char *end)
{
	if (++p == end)
		return end;
	if (*p == '[') { /* CSI: ends with a letter */
		for (p++; p < end && (*p < 0x40 || *p > 0x7e); p++)
			;
		return p < end ? p + 1 : end;
	}
	if (*p == ']') { /* OSC: ends with BEL or ESC \ */
		for (p++; p < end && *p != '\a' && *p != '\033'; p++)
			;
		if (p < end && *p == '\033' && p + 1 < end)
			p++;
		return p < end ? p + 1 : end;
	}
	while (p < end && *p >= 0x20 && *p <= 0x2f)
		p++; /* others, e.g. character set selection */
	return p < end ? p + 1 : end;
}

void
line_each_piece(const char *text, size_t len, unsigned flags, char *room,
    piece_consumer *consume, void *arg)
{
	const char *p = text, *end = text + len;
	size_t n = 0; /* length of the current piece */

	if (!(flags & LINE_CONTROL)) {
		consume(arg, text, len);
		return;
	}
	while (p < end) {
		if (*p == '\033') {
			p = skip_escape(p, end);
			continue;
		}
		if (*p != '\0' && *p != '\b')
			room[n++] = *p;
		else if (*p == '\b' && n > 0) {
			room[n] = '\0';
			consume(arg, room, n);
			room += n + 1;
			n = 0;
		}
		p++;
	}
	room[n] = '\0';
	if (n > 0)
		consume(arg, room, n);
}
