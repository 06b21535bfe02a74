#include <config.h>

#include "extract/input/decompress.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"

enum { CHUNK = 256 << 10, MAGIC = 12 };

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

int
unpacker_begin(struct unpacker *u, const char *data, size_t len,
    stored_reader *read, void *source, struct error *e)
{
	const struct codec *codec = find_codec(data, len);

	if (codec == NULL)
		return 0;
	if (codec->open == NULL)
		return error_set(e, ERROR_INPUT,
		    "the file is packed with %s, which "
		    "this build cannot read (configured without %s)",
		    codec->name, codec->build);
	*u = (struct unpacker){ .codec = codec,
		.name = codec->name,
		.state = codec->open(),
		.packed = xmalloc(len > CHUNK ? len : CHUNK),
		.len = len,
		.read = read,
		.source = source };
	memcpy(u->packed, data, len);
	return 0;
}

void
unpacker_end(struct unpacker *u)
{
	if (u->codec != NULL)
		u->codec->close(u->state);
	free(u->packed);
	memset(u, 0, sizeof *u);
}

/* Read compressed bytes until `want` are available or the input ends. */
static int
get_packed(struct unpacker *u, size_t want, struct error *e)
{
	while (u->len - u->at < want && !u->end) {
		ssize_t n;

		u->len -= u->at;
		memmove(u->packed, u->packed + u->at, u->len);
		u->at = 0;
		n = u->read(u->source, u->packed + u->len, CHUNK - u->len, e);
		if (n < 0)
			return -1;
		u->len += (size_t)n;
		u->end = n == 0;
	}
	return 0;
}

/* After a complete stream: find the next stream, the end, or trailing bytes. */
static int
find_stream(struct unpacker *u, struct error *e)
{
	do {
		if (get_packed(u, MAGIC, e) != 0)
			return -1;
		while (u->codec->zeros && u->at < u->len &&
		    u->packed[u->at] == '\0')
			u->at++;
	} while (u->len - u->at < MAGIC && !u->end);
	if (find_codec(u->packed + u->at, u->len - u->at) == u->codec) {
		u->between = 0;
		return 0;
	}
	u->done = 1;
	u->trailing = u->at < u->len;
	return 0;
}

/* Decompress part of a stream. Returns the number of bytes, or -1. */
static ssize_t
unpack_some(struct unpacker *u, char *to, size_t n, struct error *e)
{
	struct codec_bytes b = { NULL, 0, to, n };
	enum outcome rc;

	if (get_packed(u, 1, e) != 0)
		return -1;
	b.in = u->packed + u->at;
	b.in_len = u->len - u->at;
	rc = u->codec->run(u->state, &b);
	if (rc == DAMAGED)
		return error_set(
		    e, ERROR_INPUT, "the %s data is damaged", u->codec->name);
	if (rc == TOO_LARGE)
		return error_set(e, ERROR_LIMIT,
		    "the %s data need more than %s of memory to unpack",
		    u->codec->name, u->codec->memory);
	u->between = rc == STREAM_END;
	if (rc == MORE && u->end && b.in_len == u->len - u->at &&
	    b.out_len == n)
		u->done = u->truncated = 1;
	u->at = u->len - b.in_len;
	return (ssize_t)(n - b.out_len);
}

ssize_t
unpacker_read(struct unpacker *u, char *to, size_t n, struct error *e)
{
	size_t got = 0;

	while (!u->done && got < n) {
		ssize_t some = 0;

		if (u->between
			? find_stream(u, e) != 0
			: (some = unpack_some(u, to + got, n - got, e)) < 0)
			return -1;
		got += (size_t)some;
	}
	return (ssize_t)got;
}
