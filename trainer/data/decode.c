/* JPEG through libjpeg-turbo and PNG through libpng. The decoder of a file is
 * chosen by its first bytes.
 *
 * In a JPEG, entropy decoding runs up to the last row of the box, and the other
 * stages process only the box. In a PNG, rows are decoded up to the last one of
 * the box, and those of the box are kept; an interlaced image is decoded as a
 * whole. */
#include <config.h>

#include "trainer/data/decode.h"

#include <assert.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_JPEG
#include <jpeglib.h>
#include <jerror.h>
#endif
#ifdef HAVE_PNG
#include <png.h>
#endif

#include "common/alloc.h"

enum { MAGIC = 8 /* first bytes of a PNG */ };

struct decoder {
	enum image_format format; /* of the open image; N_IMAGE_FORMATS: none */
	int w, h;
	long max_pixels;
	jmp_buf escape;  /* target of the library's errors */
	struct error *e; /* set by them */

	const uint8_t *data, *end; /* the file; of a PNG its unread part */
	int scale;                 /* arguments of decoder_read */
	struct decode_box box;

	uint8_t *pixels; /* [alloc] decoded */
	size_t alloc;
	int x0, y0; /* its first pixel */
	size_t stride;
#ifdef HAVE_JPEG
	struct jpeg_decompress_struct jpeg;
	struct jpeg_error_mgr manager;
	struct jpeg_progress_mgr progress;
#endif
#ifdef HAVE_PNG
	png_structp png; /* NULL: no PNG is open */
	png_infop info;
#endif
};

/* Report an error of the library, and jump out of it. */
static void fail(struct decoder *d, const char *text) __attribute__((noreturn));

static void
fail(struct decoder *d, const char *text)
{
	error_set(d->e, ERROR_INPUT, "%s", text);
	longjmp(d->escape, 1);
}

/* Make room for the decoded rows y0 .. end - 1. */
static __attribute__((unused)) void
make_room(struct decoder *d, int x0, int y0, int end, size_t stride)
{
	const size_t need = (size_t)(end - y0) * stride + DECODE_PAD;

	if (d->alloc < need) {
		free(d->pixels);
		d->pixels = xmalloc(need);
		d->alloc = need;
	}
	d->x0 = x0;
	d->y0 = y0;
	d->stride = stride;
}

/* --- JPEG ----------------------------------------------------------------- */

#ifdef HAVE_JPEG

enum {
	/* Extra pixels to decode on each side: smooth upsampling of colours
	 * uses neighbouring pixels, so the margin of a decoded part differs
	 * from the whole image. */
	MARGIN = 2,
	ROWS = 8 /* rows decoded at once */
};

static void
jpeg_failed(j_common_ptr c)
{
	char text[JMSG_LENGTH_MAX];

	c->err->format_message(c, text);
	fail(c->client_data, text);
}

/* Called by libjpeg for a warning (level -1) or a message. Warnings about
 * invented pixels are errors here. */
static void
judge_warning(j_common_ptr c, int level)
{
	static const int made_up[] = { JWRN_ARITH_BAD_CODE, JWRN_HIT_MARKER,
		JWRN_HUFF_BAD_CODE, JWRN_JPEG_EOF, JWRN_MUST_RESYNC };

	for (size_t i = 0; i < sizeof made_up / sizeof made_up[0]; i++)
		if (level < 0 && c->err->msg_code == made_up[i])
			jpeg_failed(c);
}

/* Thousands of scans of a large image would take hours. */
static void
limit_scans(j_common_ptr c)
{
	struct decoder *d = c->client_data;
	char text[64];

	snprintf(text, sizeof text, "has more than %d scans", DECODE_MAX_SCANS);
	if (d->jpeg.input_scan_number > DECODE_MAX_SCANS)
		fail(d, text);
}

/* Read the header; returns 0 if an end-of-image marker (FF D9) does not follow
 * it. Coded data cannot contain these two bytes. */
static int
jpeg_head(struct decoder *d)
{
	struct jpeg_decompress_struct *c = &d->jpeg;
	const uint8_t *p = d->end - 2;

	/* Create it anew for each image, so that a file without tables does not
	 * use those of the previous one. */
	jpeg_destroy_decompress(c);
	jpeg_create_decompress(c);
	c->progress = &d->progress;
	jpeg_mem_src(c, d->data, (unsigned long)(d->end - d->data));
	jpeg_read_header(c, TRUE);
	d->w = (int)c->image_width;
	d->h = (int)c->image_height;
	while (
	    p >= c->src->next_input_byte && (p[0] != 0xff || p[1] != JPEG_EOI))
		p--;
	return p >= c->src->next_input_byte;
}

/* CMYK files are almost always from Photoshop, which inverts values: 255 is no
 * ink. Works in place, since the output is smaller. */
static void
cmyk_to_rgb(uint8_t *row, size_t n, int inverted)
{
	for (size_t i = 0; i < n; i++) {
		const unsigned flip = inverted ? 0 : 255;
		const unsigned k = row[4 * i + 3] ^ flip;

		for (size_t c = 0; c < 3; c++)
			row[3 * i + c] =
			    (uint8_t)(((row[4 * i + c] ^ flip) * k + 127) /
				255);
	}
}

static int
read_jpeg(struct decoder *d)
{
	struct jpeg_decompress_struct *c = &d->jpeg;
	const int cmyk =
	    c->jpeg_color_space == JCS_CMYK || c->jpeg_color_space == JCS_YCCK;
	const int from = d->box.x0 > MARGIN ? d->box.x0 - MARGIN : 0;
	const int y0 = d->box.y0 > MARGIN ? d->box.y0 - MARGIN : 0;
	const JDIMENSION x1 = (JDIMENSION)(d->box.x1 + MARGIN);
	const JDIMENSION y1 = (JDIMENSION)d->box.y1;
	JDIMENSION x = (JDIMENSION)from, w;

	c->out_color_space = cmyk ? JCS_CMYK : JCS_RGB;
	c->scale_num = 1;
	c->scale_denom = (unsigned)d->scale;
	c->dct_method = JDCT_ISLOW;
	jpeg_start_decompress(c);
	w = (x1 < c->output_width ? x1 : c->output_width) - x;
	if (w != c->output_width)
		jpeg_crop_scanline(c, &x, &w);
	make_room(d, (int)x, y0, d->box.y1,
	    (size_t)c->output_width * (size_t)c->output_components);
	if (y0 > 0)
		jpeg_skip_scanlines(c, (JDIMENSION)y0);
	while (c->output_scanline < y1) {
		uint8_t *rows[ROWS];
		const JDIMENSION y = c->output_scanline;
		const JDIMENSION n = y1 - y < ROWS ? y1 - y : ROWS;

		for (JDIMENSION i = 0; i < n; i++)
			rows[i] = d->pixels +
			    (size_t)(y + i - (JDIMENSION)y0) * d->stride;
		jpeg_read_scanlines(c, rows, n);
	}
	for (int y = y0; c->output_components == 4 && y < d->box.y1; y++)
		cmyk_to_rgb(d->pixels + (size_t)(y - y0) * d->stride,
		    c->output_width, c->saw_Adobe_marker);
	/* Do not decode data after the last row. */
	jpeg_abort_decompress(c);
	return 1;
}

#endif

/* --- PNG ------------------------------------------------------------------ */

#ifdef HAVE_PNG

enum { CHUNK_FRAME = 12 /* length, type and checksum of a chunk */ };

static void
png_failed(png_structp p, png_const_charp text)
{
	fail(png_get_error_ptr(p), text);
}

static void
ignore_warning(png_structp p, png_const_charp text)
{
	(void)p, (void)text;
}

static void
supply_bytes(png_structp p, png_bytep out, size_t n)
{
	struct decoder *d = png_get_io_ptr(p);

	if ((size_t)(d->end - d->data) < n)
		png_error(p, "is truncated");
	memcpy(out, d->data, n);
	d->data += n;
}

/* Read the header; returns 0 if the file lacks its end chunk. */
static int
png_head(struct decoder *d)
{
	const uint8_t *p = d->data + MAGIC;

	while (d->end - p >= CHUNK_FRAME && memcmp(p + 4, "IEND", 4) != 0) {
		const size_t len = (size_t)p[0] << 24 | (size_t)p[1] << 16 |
		    (size_t)p[2] << 8 | p[3];

		if (len > (size_t)(d->end - p) - CHUNK_FRAME)
			return 0;
		p += len + CHUNK_FRAME;
	}
	if (d->end - p < CHUNK_FRAME)
		return 0;
	png_destroy_read_struct(&d->png, &d->info, NULL);
	d->png = png_create_read_struct(
	    PNG_LIBPNG_VER_STRING, d, png_failed, ignore_warning);
	if (d->png != NULL)
		d->info = png_create_info_struct(d->png);
	if (d->info == NULL)
		fail(d, "libpng does not start");
	png_set_read_fn(d->png, d, supply_bytes);
	png_set_user_limits(d->png, DECODE_MAX_PIXELS, DECODE_MAX_PIXELS);
	png_read_info(d->png, d->info);
	d->w = (int)png_get_image_width(d->png, d->info);
	d->h = (int)png_get_image_height(d->png, d->info);
	/* Pillow, and so torchvision, turns all values above 255 white. */
	if (png_get_color_type(d->png, d->info) == PNG_COLOR_TYPE_GRAY &&
	    png_get_bit_depth(d->png, d->info) == 16)
		fail(d,
		    "has 16 bits per grey pixel, which other programs clip at "
		    "255; save it with 8");
	return 1;
}

static int
read_png(struct decoder *d)
{
	png_structp p = d->png;
	int passes, last;

	/* Convert all kinds of pixels to 8-bit RGB, taking the upper half of 16
	 * bits, as Pillow does. */
	png_set_expand(p);
	png_set_strip_16(p);
	png_set_strip_alpha(p);
	png_set_gray_to_rgb(p);
	passes = png_set_interlace_handling(p);
	png_read_update_info(p, d->info);
	if (png_get_channels(p, d->info) != 3 ||
	    png_get_bit_depth(p, d->info) != 8)
		png_error(p, "has colours of an unknown kind");
	last = passes > 1 ? d->h : d->box.y1;
	make_room(d, 0, passes > 1 ? 0 : d->box.y0, last,
	    png_get_rowbytes(p, d->info));
	for (int pass = 0; pass < passes; pass++)
		for (int y = 0; y < last; y++) {
			/* Rows above the box are decoded into the place of its
			 * first row. */
			const int at = y > d->y0 ? y - d->y0 : 0;

			png_read_row(
			    p, d->pixels + (size_t)at * d->stride, NULL);
		}
	png_destroy_read_struct(&d->png, &d->info, NULL);
	return 1;
}

#endif

/* --- The decoder ---------------------------------------------------------- */

static const struct {
	const char *name, *library;
	const char *magic; /* first bytes of a file */
	size_t magic_len;
	int max_scale; /* see decoder_scale */
	/* NULL: built without it. They return 0 if the file is truncated. */
	int (*head)(struct decoder *d), (*read)(struct decoder *d);
} formats[N_IMAGE_FORMATS] = {
#ifdef HAVE_JPEG
	[IMAGE_FORMAT_JPEG] = { "JPEG", "libjpeg", "\xff\xd8\xff", 3, 8,
	    jpeg_head, read_jpeg },
#else
	[IMAGE_FORMAT_JPEG] = { "JPEG", "libjpeg", "\xff\xd8\xff", 3, 1, NULL,
	    NULL },
#endif
#ifdef HAVE_PNG
	[IMAGE_FORMAT_PNG] = { "PNG", "libpng", "\x89PNG\r\n\x1a\n", MAGIC, 1,
	    png_head, read_png },
#else
	[IMAGE_FORMAT_PNG] = { "PNG", "libpng", "\x89PNG\r\n\x1a\n", MAGIC, 1,
	    NULL, NULL },
#endif
};

/* Free the libraries' memory. */
static void
drop_image(struct decoder *d)
{
#ifdef HAVE_JPEG
	jpeg_destroy_decompress(&d->jpeg);
#endif
#ifdef HAVE_PNG
	png_destroy_read_struct(&d->png, &d->info, NULL);
#endif
	d->format = N_IMAGE_FORMATS;
}

int
decode_has(enum image_format f)
{
	return formats[f].head != NULL;
}

struct decoder *
decoder_new(void)
{
	struct decoder *d = xcalloc(1, sizeof *d);

#ifdef HAVE_JPEG
	d->jpeg.err = jpeg_std_error(&d->manager);
	d->jpeg.client_data = d;
	d->manager.error_exit = jpeg_failed;
	d->manager.emit_message = judge_warning;
	d->progress.progress_monitor = limit_scans;
#endif
	d->format = N_IMAGE_FORMATS;
	d->max_pixels = DECODE_MAX_PIXELS;
	return d;
}

void
decoder_limit(struct decoder *d, long max_pixels)
{
	assert(max_pixels >= 1 && max_pixels <= DECODE_MAX_PIXELS);
	d->max_pixels = max_pixels;
}

void
decoder_free(struct decoder *d)
{
	if (d == NULL)
		return;
	drop_image(d);
	free(d->pixels);
	free(d);
}

/* Run a step of a format. Returns 0, or -1 with e. */
static int
attempt(struct decoder *d, int (*step)(struct decoder *d), struct error *e)
{
	d->e = e;
	if (setjmp(d->escape) != 0) {
		drop_image(d);
		return -1;
	}
	if (!step(d))
		fail(d, "is truncated: no end of image");
	return 0;
}

int
decoder_open(struct decoder *d, const uint8_t *data, size_t len, int *w, int *h,
    struct error *e)
{
	int f = 0;

	d->format = N_IMAGE_FORMATS;
	d->data = data;
	d->end = data + len;
	while (f < N_IMAGE_FORMATS &&
	    (len < formats[f].magic_len ||
		memcmp(data, formats[f].magic, formats[f].magic_len) != 0))
		f++;
	if (len == 0)
		return error_set(e, ERROR_INPUT, "is empty");
	if (f == N_IMAGE_FORMATS)
		return error_set(e, ERROR_INPUT, "is neither JPEG nor PNG");
	if (formats[f].head == NULL)
		return error_set(e, ERROR_INPUT,
		    "is %s, but this program was built without %s",
		    formats[f].name, formats[f].library);
	if (attempt(d, formats[f].head, e) != 0)
		return -1;
	if (d->w < 1 || d->h < 1)
		return error_set(e, ERROR_INPUT, "has no pixels");
	if (d->w > DECODE_MAX_PIXELS / d->h)
		return error_set(e, ERROR_INPUT,
		    "%d x %d pixels are more than %d million", d->w, d->h,
		    DECODE_MAX_PIXELS / 1000000);
	if (d->w > d->max_pixels / d->h)
		return error_set(e, ERROR_INPUT,
		    "%d x %d pixels are more than --max-pixels=%ld", d->w, d->h,
		    d->max_pixels);
	d->format = (enum image_format)f;
	*w = d->w;
	*h = d->h;
	return 0;
}

int
decoder_scale(const struct decoder *d, double most)
{
	int scale = 1;

	assert(d->format < N_IMAGE_FORMATS);
	while (scale * 2 <= formats[d->format].max_scale && scale * 2 <= most)
		scale *= 2;
	return scale;
}

int
decoder_read(struct decoder *d, int scale, const struct decode_box *box,
    struct decode_pixels *out, struct error *e)
{
	const enum image_format f = d->format;

	assert(f < N_IMAGE_FORMATS && scale >= 1);
	assert(scale <= formats[f].max_scale);
	assert(0 <= box->x0 && box->x0 < box->x1 &&
	    box->x1 <= (d->w + scale - 1) / scale);
	assert(0 <= box->y0 && box->y0 < box->y1 &&
	    box->y1 <= (d->h + scale - 1) / scale);
	d->format = N_IMAGE_FORMATS;
	d->scale = scale;
	d->box = *box;
	if (attempt(d, formats[f].read, e) != 0)
		return -1;
	out->rgb = d->pixels + (size_t)(box->y0 - d->y0) * d->stride +
	    (size_t)(box->x0 - d->x0) * 3;
	out->stride = d->stride;
	return 0;
}
