/* JPEG through libjpeg-turbo. Entropy decoding runs up to the last row of the
 * box, the other stages only on the box. */
#include <config.h>

#include "trainer/data/decode.h"

#ifdef HAVE_JPEG

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

#include "common/alloc.h"

enum {
	/* Extra pixels to decode on each side: smooth upsampling of colours
	 * uses neighbouring pixels, so the margin of a decoded part differs
	 * from the whole image. */
	MARGIN = 2,
	ROWS = 8 /* rows decoded at once */
};

struct jpeg {
	struct jpeg_decompress_struct c;
	struct jpeg_error_mgr manager;
	struct jpeg_progress_mgr progress;
	jmp_buf escape;  /* target of errors */
	struct error *e; /* set by errors */

	const uint8_t *data; /* arguments of the current step */
	size_t len;
	int scale;
	struct decode_box box;

	uint8_t *pixels; /* [alloc] decoded */
	size_t alloc;
	int x0, y0; /* its first pixel */
	size_t stride;
};

/* Called by libjpeg for an error; must not return. */
static void
jpeg_failed(j_common_ptr c)
{
	struct jpeg *j = c->client_data;
	char text[JMSG_LENGTH_MAX];

	c->err->format_message(c, text);
	error_set(j->e, ERROR_INPUT, "%s", text);
	longjmp(j->escape, 1);
}

/* Called by libjpeg for a warning (level -1) or a message. Warnings about
 * invented pixels are errors here. */
static void
judge_warning(j_common_ptr c, int level)
{
	static const int made_up[] = { JWRN_ARITH_BAD_CODE, JWRN_HIT_MARKER,
		JWRN_HUFF_BAD_CODE, JWRN_JPEG_EOF, JWRN_MUST_RESYNC };

	if (level >= 0)
		return;
	for (size_t i = 0; i < sizeof made_up / sizeof made_up[0]; i++)
		if (c->err->msg_code == made_up[i])
			jpeg_failed(c);
}

/* Thousands of scans of a large image would take hours. */
static void
limit_scans(j_common_ptr c)
{
	struct jpeg *j = c->client_data;

	if (j->c.input_scan_number > DECODE_MAX_SCANS) {
		error_set(j->e, ERROR_INPUT, "has more than %d scans",
		    DECODE_MAX_SCANS);
		longjmp(j->escape, 1);
	}
}

static void *
jpeg_new(void)
{
	struct jpeg *j = xcalloc(1, sizeof *j);

	j->c.err = jpeg_std_error(&j->manager);
	j->c.client_data = j;
	j->manager.error_exit = jpeg_failed;
	j->manager.emit_message = judge_warning;
	j->progress.progress_monitor = limit_scans;
	return j;
}

static void
jpeg_release(void *state)
{
	struct jpeg *j = state;

	jpeg_destroy_decompress(&j->c);
	free(j->pixels);
	free(j);
}

/* Run a step. Frees all memory of libjpeg on an error. */
static int
attempt_jpeg(struct jpeg *j, void (*step)(struct jpeg *j), struct error *e)
{
	j->e = e;
	if (setjmp(j->escape) != 0) {
		jpeg_destroy_decompress(&j->c);
		return -1;
	}
	step(j);
	return 0;
}

/* True if an end-of-image marker (FF D9) follows the first scan's header. Coded
 * data cannot contain these two bytes. */
static int
has_end(const uint8_t *scan, const uint8_t *end)
{
	for (const uint8_t *p = end - 2; p >= scan; p--)
		if (p[0] == 0xff && p[1] == JPEG_EOI)
			return 1;
	return 0;
}

static void
read_head(struct jpeg *j)
{
	/* Create it anew for each image, so that a file without tables does not
	 * use those of the previous one. */
	jpeg_destroy_decompress(&j->c);
	jpeg_create_decompress(&j->c);
	j->c.progress = &j->progress;
	jpeg_mem_src(&j->c, j->data, j->len);
	jpeg_read_header(&j->c, TRUE);
}

static int
jpeg_open(void *state, const uint8_t *data, size_t len, int *w, int *h,
    struct error *e)
{
	struct jpeg *j = state;

	j->data = data;
	j->len = len;
	if (attempt_jpeg(j, read_head, e) != 0 ||
	    decode_check_size(j->c.image_width, j->c.image_height, e) != 0)
		return -1;
	if (!has_end(j->c.src->next_input_byte, data + len))
		return error_set(
		    e, ERROR_INPUT, "is truncated: no end of image");
	*w = (int)j->c.image_width;
	*h = (int)j->c.image_height;
	return 0;
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

static size_t
with_margin(int x, int margin, size_t most)
{
	const long v = (long)x + margin;

	if (v < 0)
		return 0;
	return (size_t)v > most ? most : (size_t)v;
}

/* Set up decoding of the box's columns; returns the first column. */
static int
start_jpeg(struct jpeg *j)
{
	struct jpeg_decompress_struct *c = &j->c;
	const int cmyk =
	    c->jpeg_color_space == JCS_CMYK || c->jpeg_color_space == JCS_YCCK;
	JDIMENSION x, w;

	c->out_color_space = cmyk ? JCS_CMYK : JCS_RGB;
	c->scale_num = 1;
	c->scale_denom = (unsigned)j->scale;
	c->dct_method = JDCT_ISLOW;
	jpeg_start_decompress(c);
	x = (JDIMENSION)with_margin(j->box.x0, -MARGIN, c->output_width);
	w = (JDIMENSION)with_margin(j->box.x1, MARGIN, c->output_width) - x;
	if (w < c->output_width)
		jpeg_crop_scanline(c, &x, &w);
	else
		x = 0;
	return (int)x;
}

static void
read_pixels(struct jpeg *j)
{
	struct jpeg_decompress_struct *c = &j->c;
	const int x0 = start_jpeg(j);
	const size_t y0 = with_margin(j->box.y0, -MARGIN, c->output_height);
	const size_t y1 = (size_t)j->box.y1;
	const size_t stride =
	    (size_t)c->output_width * (size_t)c->output_components;
	const size_t need = (y1 - y0) * stride + DECODE_PAD;

	if (j->alloc < need) {
		free(j->pixels);
		j->pixels = xmalloc(need);
		j->alloc = need;
	}
	if (y0 > 0)
		jpeg_skip_scanlines(c, (JDIMENSION)y0);
	while (c->output_scanline < y1) {
		uint8_t *rows[ROWS];
		const size_t y = c->output_scanline;
		const size_t n = y1 - y < ROWS ? y1 - y : ROWS;

		for (size_t i = 0; i < n; i++)
			rows[i] = j->pixels + (y - y0 + i) * stride;
		jpeg_read_scanlines(c, rows, (JDIMENSION)n);
	}
	if (c->output_components == 4)
		for (size_t y = 0; y < y1 - y0; y++)
			cmyk_to_rgb(j->pixels + y * stride, c->output_width,
			    c->saw_Adobe_marker);
	j->x0 = x0;
	j->y0 = (int)y0;
	j->stride = stride;
	/* Do not decode data after the last row. */
	jpeg_abort_decompress(c);
}

static int
jpeg_read(void *state, int scale, const struct decode_box *box,
    struct decode_pixels *out, struct error *e)
{
	struct jpeg *j = state;

	j->scale = scale;
	j->box = *box;
	if (attempt_jpeg(j, read_pixels, e) != 0)
		return -1;
	out->rgb = j->pixels + (size_t)(box->y0 - j->y0) * j->stride +
	    (size_t)(box->x0 - j->x0) * 3;
	out->stride = j->stride;
	return 0;
}

const struct decode_format decode_jpeg = { "JPEG", "libjpeg", "\xff\xd8\xff", 3,
	8, jpeg_new, jpeg_release, jpeg_open, jpeg_read };

#else

const struct decode_format decode_jpeg = { "JPEG", "libjpeg", "\xff\xd8\xff", 3,
	1, NULL, NULL, NULL, NULL };

#endif
