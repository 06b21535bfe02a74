/* One row for each compression and each store. */
#include <config.h>

#include "extract/input/decompress.h"

#include "common/alloc.h"
#include "extract/input/profiles/profile_file.h"
#include "extract/input/stores/event_file.h"
#include "extract/input/stores/wandb_file.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_ZLIB
#define ZLIB_CONST /* next_in points to const */
#include <zlib.h>

static void *
gzip_open(void)
{
	z_stream *z = xcalloc(1, sizeof *z);

	/* 16: a gzip header is expected. */
	if (inflateInit2(z, 16 + MAX_WBITS) != Z_OK)
		xmalloc(SIZE_MAX); /* prints "out of memory" and ends */
	return z;
}

static enum decompress_outcome
gzip_run(
    void *state, const char **in, size_t *in_len, char **out, size_t *out_len)
{
	z_stream *z = state;
	int rc;

	z->next_in = (const Bytef *)*in;
	z->avail_in = (uInt)*in_len;
	z->next_out = (Bytef *)*out;
	z->avail_out = (uInt)*out_len;
	rc = inflate(z, Z_NO_FLUSH);
	*in = (const char *)z->next_in;
	*in_len = z->avail_in;
	*out = (char *)z->next_out;
	*out_len = z->avail_out;
	if (rc == Z_STREAM_END) {
		inflateReset(z);
		return DECOMPRESS_END;
	}
	return rc == Z_OK || rc == Z_BUF_ERROR ? DECOMPRESS_MORE
					       : DECOMPRESS_DAMAGED;
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
		xmalloc(SIZE_MAX); /* prints "out of memory" and ends */
	/* 128 MiB, what "zstd --long" makes at most. */
	ZSTD_DCtx_setParameter(d, ZSTD_d_windowLogMax, 27);
	return d;
}

static enum decompress_outcome
zstd_run(
    void *state, const char **in, size_t *in_len, char **out, size_t *out_len)
{
	ZSTD_inBuffer i = { *in, *in_len, 0 };
	ZSTD_outBuffer o = { *out, *out_len, 0 };
	size_t rc = ZSTD_decompressStream(state, &o, &i);

	*in += i.pos;
	*in_len -= i.pos;
	*out += o.pos;
	*out_len -= o.pos;
	if (ZSTD_isError(rc))
		return ZSTD_getErrorCode(rc) ==
			ZSTD_error_frameParameter_windowTooLarge
		    ? DECOMPRESS_TOO_LARGE
		    : DECOMPRESS_DAMAGED;
	return rc == 0 ? DECOMPRESS_END : DECOMPRESS_MORE;
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

enum { XZ_MEMORY = 256 << 20 /* bytes that "xz -9" needs, times four */ };

static void
xz_start(lzma_stream *z)
{
	if (lzma_stream_decoder(z, XZ_MEMORY, 0) != LZMA_OK)
		xmalloc(SIZE_MAX); /* prints "out of memory" and ends */
}

static void *
xz_open(void)
{
	lzma_stream *z = xcalloc(1, sizeof *z);

	xz_start(z);
	return z;
}

static enum decompress_outcome
xz_run(
    void *state, const char **in, size_t *in_len, char **out, size_t *out_len)
{
	lzma_stream *z = state;
	lzma_ret rc;

	z->next_in = (const uint8_t *)*in;
	z->avail_in = *in_len;
	z->next_out = (uint8_t *)*out;
	z->avail_out = *out_len;
	rc = lzma_code(z, LZMA_RUN);
	*in = (const char *)z->next_in;
	*in_len = z->avail_in;
	*out = (char *)z->next_out;
	*out_len = z->avail_out;
	if (rc == LZMA_STREAM_END) {
		xz_start(z);
		return DECOMPRESS_END;
	}
	if (rc == LZMA_MEMLIMIT_ERROR)
		return DECOMPRESS_TOO_LARGE;
	return rc == LZMA_OK || rc == LZMA_BUF_ERROR ? DECOMPRESS_MORE
						     : DECOMPRESS_DAMAGED;
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

static int
is_gzip(const char *data, size_t len)
{
	return len >= 2 && memcmp(data, "\x1f\x8b", 2) == 0;
}

/* A frame, or one to be skipped: pzstd writes such before each of its frames.
 * Source: RFC 8878, 3.1. */
static int
is_zstd(const char *data, size_t len)
{
	return len >= 4 &&
	    (memcmp(data, "\x28\xb5\x2f\xfd", 4) == 0 ||
		(((unsigned char)data[0] & 0xf0) == 0x50 &&
		    memcmp(data + 1, "\x2a\x4d\x18", 3) == 0));
}

static int
is_xz(const char *data, size_t len)
{
	return len >= 6 && memcmp(data, "\xfd\x37\x7a\x58\x5a", 6) == 0;
}

static const struct decompressor codecs[] = {
	{ "gzip", "zlib", "64 KiB", AFTER_ZEROS, is_gzip, GZIP_OPS, NULL },
	{ "zstd", "zstd", "128 MiB", AFTER_STREAM, is_zstd, ZSTD_OPS, NULL },
	{ "xz", "liblzma", "256 MiB", AFTER_ZEROS, is_xz, XZ_OPS, NULL },
};

/* What lines are made of; may be packed itself. */
static const struct decompressor stores[] = {
	{ "event", "event files", "9 MiB", AFTER_ANYTHING, event_file_is,
	    event_file_open, event_file_run, event_file_close, NULL },
	{ "W&B", "W&B logs", "20 MiB", AFTER_ANYTHING, wandb_file_is,
	    wandb_file_open, wandb_file_run, wandb_file_close, NULL },
	{ "profile", "profiles", "256 MiB", AFTER_ANYTHING, profile_file_is,
	    profile_file_open, profile_file_run, profile_file_close,
	    profile_file_problem },
};

const struct decompressor *
decompress_find(const char *data, size_t len)
{
	for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++) {
		if (codecs[i].begins(data, len))
			return &codecs[i];
	}
	return NULL;
}

const struct decompressor *
decompress_find_events(const char *data, size_t len)
{
	for (size_t i = 0; i < sizeof stores / sizeof stores[0]; i++)
		if (stores[i].begins(data, len))
			return &stores[i];
	return NULL;
}
