/* PNG through libpng. Decodes rows up to the last one of the box and keeps only
 * those of the box; an interlaced image is decoded as a whole. */
#include <config.h>

#include "trainer/data/decode.h"

#define MAGIC "\x89PNG\r\n\x1a\n"

#ifdef HAVE_PNG

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

#include "common/alloc.h"

enum { MAGIC_LEN = 8, CHUNK_FRAME = 12 /* length, type and checksum */ };

struct png {
	png_structp p; /* NULL: no image is open */
	png_infop info;
	jmp_buf escape;  /* target of errors */
	struct error *e; /* set by errors */

	const uint8_t *data, *end; /* unread part of the file */
	struct decode_box box;     /* argument of the current step */
	int passes;                /* 1 unless interlaced */

	uint8_t *pixels; /* [alloc] decoded */
	size_t alloc;
	int y0; /* its first row */
	size_t stride;
};

static void
png_failed(png_structp p, png_const_charp text)
{
	struct png *s = png_get_error_ptr(p);

	error_set(s->e, ERROR_INPUT, "%s", text);
	longjmp(s->escape, 1);
}

static void
ignore_warning(png_structp p, png_const_charp text)
{
	(void)p, (void)text;
}

static void
supply_bytes(png_structp p, png_bytep out, size_t n)
{
	struct png *s = png_get_io_ptr(p);

	if ((size_t)(s->end - s->data) < n)
		png_error(p, "is truncated");
	memcpy(out, s->data, n);
	s->data += n;
}

static void *
png_new(void)
{
	return xcalloc(1, sizeof(struct png));
}

static void
png_drop(struct png *s)
{
	png_destroy_read_struct(&s->p, &s->info, NULL);
}

static void
png_release(void *state)
{
	struct png *s = state;

	png_drop(s);
	free(s->pixels);
	free(s);
}

/* Run a step. Frees all memory of libpng on an error. */
static int
attempt_png(struct png *s, void (*step)(struct png *s), struct error *e)
{
	s->e = e;
	if (setjmp(s->escape) != 0) {
		png_drop(s);
		return -1;
	}
	step(s);
	return 0;
}

static void
read_head(struct png *s)
{
	png_drop(s);
	s->p = png_create_read_struct(
	    PNG_LIBPNG_VER_STRING, s, png_failed, ignore_warning);
	if (s->p != NULL)
		s->info = png_create_info_struct(s->p);
	if (s->info == NULL) {
		error_set(s->e, ERROR_SYSTEM, "libpng does not start");
		longjmp(s->escape, 1);
	}
	png_set_read_fn(s->p, s, supply_bytes);
	png_set_user_limits(s->p, DECODE_MAX_PIXELS, DECODE_MAX_PIXELS);
	png_read_info(s->p, s->info);
}

/* True if the file contains its end chunk. */
static int
has_end(const uint8_t *p, const uint8_t *end)
{
	while (end - p >= CHUNK_FRAME) {
		const size_t len = (size_t)p[0] << 24 | (size_t)p[1] << 16 |
		    (size_t)p[2] << 8 | p[3];

		if (memcmp(p + 4, "IEND", 4) == 0)
			return 1;
		if (len > (size_t)(end - p) - CHUNK_FRAME)
			return 0;
		p += len + CHUNK_FRAME;
	}
	return 0;
}

static int
png_open(void *state, const uint8_t *data, size_t len, int *w, int *h,
    struct error *e)
{
	struct png *s = state;

	s->data = data;
	s->end = data + len;
	if (!has_end(data + MAGIC_LEN, s->end))
		return error_set(
		    e, ERROR_INPUT, "is truncated: no end of image");
	if (attempt_png(s, read_head, e) != 0 ||
	    decode_check_size(png_get_image_width(s->p, s->info),
		png_get_image_height(s->p, s->info), e) != 0)
		return -1;
	/* Pillow, and so torchvision, turns all values above 255 white. */
	if (png_get_color_type(s->p, s->info) == PNG_COLOR_TYPE_GRAY &&
	    png_get_bit_depth(s->p, s->info) == 16)
		return error_set(e, ERROR_INPUT,
		    "has 16 bits per grey pixel, which other programs clip at "
		    "255; save it with 8");
	*w = (int)png_get_image_width(s->p, s->info);
	*h = (int)png_get_image_height(s->p, s->info);
	return 0;
}

static void
read_pixels(struct png *s)
{
	const int h = (int)png_get_image_height(s->p, s->info);
	int last;
	size_t need;

	/* Convert all kinds of pixels to 8-bit RGB, taking the upper half of 16
	 * bits, as Pillow does. */
	png_set_expand(s->p);
	png_set_strip_16(s->p);
	png_set_strip_alpha(s->p);
	png_set_gray_to_rgb(s->p);
	s->passes = png_set_interlace_handling(s->p);
	png_read_update_info(s->p, s->info);
	if (png_get_channels(s->p, s->info) != 3 ||
	    png_get_bit_depth(s->p, s->info) != 8)
		png_error(s->p, "has colours of an unknown kind");
	s->stride = png_get_rowbytes(s->p, s->info);
	s->y0 = s->passes > 1 ? 0 : s->box.y0;
	last = s->passes > 1 ? h : s->box.y1;
	need = (size_t)(last - s->y0) * s->stride + DECODE_PAD;
	if (s->alloc < need) {
		free(s->pixels);
		s->pixels = xmalloc(need);
		s->alloc = need;
	}
	for (int pass = 0; pass < s->passes; pass++)
		for (int y = 0; y < last; y++) {
			/* Rows above the box are decoded into the place of its
			 * first row. */
			const int at = y > s->y0 ? y - s->y0 : 0;

			png_read_row(
			    s->p, s->pixels + (size_t)at * s->stride, NULL);
		}
}

static int
png_read(void *state, int scale, const struct decode_box *box,
    struct decode_pixels *out, struct error *e)
{
	struct png *s = state;

	(void)scale;
	s->box = *box;
	if (attempt_png(s, read_pixels, e) != 0)
		return -1;
	png_drop(s);
	out->rgb = s->pixels + (size_t)(box->y0 - s->y0) * s->stride +
	    (size_t)box->x0 * 3;
	out->stride = s->stride;
	return 0;
}

const struct decode_format decode_png = { "PNG", "libpng", MAGIC, MAGIC_LEN, 1,
	png_new, png_release, png_open, png_read };

#else

const struct decode_format decode_png = { "PNG", "libpng", MAGIC, 8, 1, NULL,
	NULL, NULL, NULL };

#endif
