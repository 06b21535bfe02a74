/* Writes JPEG and PNG files through libjpeg and libpng: grey, CMYK, palette, 16
 * bits, progressive, subsampled. */
#include <config.h>

#include "trainer/data/decode.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_JPEG
#include <jpeglib.h>
#endif
#ifdef HAVE_PNG
#include <png.h>
#endif

#include "common/alloc.h"

/* --- JPEG ----------------------------------------------------------------- */

#ifdef HAVE_JPEG

struct jpeg_job {
	struct jpeg_compress_struct c;
	struct jpeg_error_mgr manager;
	jmp_buf escape;
	struct error *e;
	unsigned char *out;
	unsigned long len;
	uint8_t *row; /* [w * 4] */
};

static void
jpeg_failed(j_common_ptr c)
{
	struct jpeg_job *j = c->client_data;
	char text[JMSG_LENGTH_MAX];

	c->err->format_message(c, text);
	error_set(j->e, ERROR_INPUT, "%s", text);
	longjmp(j->escape, 1);
}

static void
set_up(struct jpeg_compress_struct *c, int w, int h,
    const struct encode_options *o)
{
	static const struct {
		int components;
		J_COLOR_SPACE in, file;
	} kinds[] = { [ENCODE_RGB] = { 3, JCS_RGB, JCS_YCbCr },
		[ENCODE_GREY] = { 1, JCS_GRAYSCALE, JCS_GRAYSCALE },
		[ENCODE_CMYK] = { 4, JCS_CMYK, JCS_CMYK },
		[ENCODE_YCCK] = { 4, JCS_CMYK, JCS_YCCK } };

	c->image_width = (JDIMENSION)w;
	c->image_height = (JDIMENSION)h;
	c->input_components = kinds[o->colour].components;
	c->in_color_space = kinds[o->colour].in;
	jpeg_set_defaults(c);
	jpeg_set_colorspace(c, kinds[o->colour].file);
	jpeg_set_quality(c, o->quality, TRUE);
	if (o->across > 0) {
		c->comp_info[0].h_samp_factor = o->across;
		c->comp_info[0].v_samp_factor = o->down;
	}
	if (o->progressive)
		jpeg_simple_progression(c);
}

static void
write_jpeg(struct jpeg_job *j, const uint8_t *rgb, int w, int h,
    const struct encode_options *o)
{
	struct jpeg_compress_struct *c = &j->c;

	jpeg_create_compress(c);
	jpeg_mem_dest(c, &j->out, &j->len);
	set_up(c, w, h, o);
	jpeg_start_compress(c, TRUE);
	while (c->next_scanline < c->image_height) {
		JSAMPROW row = j->row;
		const size_t step = (size_t)c->input_components;

		/* The samples that libjpeg is given. */
		for (size_t x = 0; x < (size_t)w; x++, rgb += 3)
			if (o->colour == ENCODE_GREY) {
				row[x] = rgb[1];
			} else {
				row[step * x + step - 1] = 255;
				memcpy(row + step * x, rgb, 3);
			}
		jpeg_write_scanlines(c, &row, 1);
	}
	jpeg_finish_compress(c);
}

static int
encode_jpeg(const uint8_t *rgb, int w, int h, const struct encode_options *o,
    uint8_t **out, size_t *len, struct error *e)
{
	struct jpeg_job *j = xcalloc(1, sizeof *j);
	int rc = -1;

	j->row = xcalloc((size_t)w, 4);
	j->e = e;
	j->c.err = jpeg_std_error(&j->manager);
	j->c.client_data = j;
	j->manager.error_exit = jpeg_failed;
	if (setjmp(j->escape) == 0) {
		write_jpeg(j, rgb, w, h, o);
		*out = j->out;
		*len = j->len;
		rc = 0;
	} else {
		free(j->out);
	}
	jpeg_destroy_compress(&j->c);
	free(j->row);
	free(j);
	return rc;
}

#else

static int
encode_jpeg(const uint8_t *rgb, int w, int h, const struct encode_options *o,
    uint8_t **out, size_t *len, struct error *e)
{
	(void)rgb, (void)w, (void)h, (void)o, (void)out, (void)len;
	return error_set(
	    e, ERROR_INPUT, "this program was built without libjpeg");
}

#endif

/* --- PNG ------------------------------------------------------------------ */

#ifdef HAVE_PNG

struct png_job {
	png_structp p;
	png_infop info;
	jmp_buf escape;
	struct error *e;
	uint8_t *out; /* [len], [alloc] allocated */
	size_t len, alloc;
	uint8_t *row; /* [w * 6] */
};

static void
png_failed(png_structp p, png_const_charp text)
{
	struct png_job *j = png_get_error_ptr(p);

	error_set(j->e, ERROR_INPUT, "%s", text);
	longjmp(j->escape, 1);
}

static void
ignore_warning(png_structp p, png_const_charp text)
{
	(void)p, (void)text;
}

static void
collect_bytes(png_structp p, png_bytep data, size_t n)
{
	struct png_job *j = png_get_io_ptr(p);

	while (j->alloc - j->len < n) {
		j->alloc = 2 * j->alloc + 4096;
		j->out = xreallocarray(j->out, j->alloc, 1);
	}
	memcpy(j->out + j->len, data, n);
	j->len += n;
}

static void
png_flush_nothing(png_structp p)
{
	(void)p;
}

/* The row as the file holds it. */
static void
convert_png_row(
    const uint8_t *rgb, size_t w, enum encode_colour colour, uint8_t *row)
{
	for (size_t x = 0; x < w; x++, rgb += 3) {
		if (colour == ENCODE_GREY) {
			row[x] = rgb[1];
		} else if (colour == ENCODE_PALETTE) {
			row[x] = (uint8_t)((rgb[0] & 0xe0) |
			    (rgb[1] & 0xe0) >> 3 | rgb[2] >> 6);
		} else if (colour == ENCODE_RGB16) {
			for (size_t c = 0; c < 6; c++)
				row[6 * x + c] = rgb[c / 2];
		} else {
			const size_t step = colour == ENCODE_RGBA ? 4 : 3;

			row[step * x + step - 1] = 128;
			memcpy(row + step * x, rgb, 3);
		}
	}
}

static void
write_png(struct png_job *j, const uint8_t *rgb, int w, int h,
    const struct encode_options *o)
{
	static const int types[] = { [ENCODE_RGB] = PNG_COLOR_TYPE_RGB,
		[ENCODE_GREY] = PNG_COLOR_TYPE_GRAY,
		[ENCODE_PALETTE] = PNG_COLOR_TYPE_PALETTE,
		[ENCODE_RGBA] = PNG_COLOR_TYPE_RGB_ALPHA,
		[ENCODE_RGB16] = PNG_COLOR_TYPE_RGB };
	png_color palette[256];
	int passes;

	png_set_write_fn(j->p, j, collect_bytes, png_flush_nothing);
	png_set_IHDR(j->p, j->info, (png_uint_32)w, (png_uint_32)h,
	    o->colour == ENCODE_RGB16 ? 16 : 8, types[o->colour],
	    o->progressive ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
	    PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
	for (int i = 0; i < 256; i++) {
		palette[i].red = (png_byte)(i & 0xe0);
		palette[i].green = (png_byte)((i & 0x1c) << 3);
		palette[i].blue = (png_byte)((i & 3) << 6);
	}
	if (o->colour == ENCODE_PALETTE)
		png_set_PLTE(j->p, j->info, palette, 256);
	png_write_info(j->p, j->info);
	passes = png_set_interlace_handling(j->p);
	for (int pass = 0; pass < passes; pass++)
		for (int y = 0; y < h; y++) {
			convert_png_row(rgb + (size_t)y * (size_t)w * 3,
			    (size_t)w, o->colour, j->row);
			png_write_row(j->p, j->row);
		}
	png_write_end(j->p, NULL);
}

static int
encode_png(const uint8_t *rgb, int w, int h, const struct encode_options *o,
    uint8_t **out, size_t *len, struct error *e)
{
	struct png_job *j = xcalloc(1, sizeof *j);
	int rc = -1;

	j->row = xcalloc((size_t)w, 6);
	j->e = e;
	if (setjmp(j->escape) == 0) {
		j->p = png_create_write_struct(
		    PNG_LIBPNG_VER_STRING, j, png_failed, ignore_warning);
		if (j->p != NULL)
			j->info = png_create_info_struct(j->p);
		if (j->info == NULL) {
			error_set(e, ERROR_SYSTEM, "libpng does not start");
			longjmp(j->escape, 1);
		}
		write_png(j, rgb, w, h, o);
		*out = j->out;
		*len = j->len;
		rc = 0;
	} else {
		free(j->out);
	}
	png_destroy_write_struct(&j->p, &j->info);
	free(j->row);
	free(j);
	return rc;
}

#else

static int
encode_png(const uint8_t *rgb, int w, int h, const struct encode_options *o,
    uint8_t **out, size_t *len, struct error *e)
{
	(void)rgb, (void)w, (void)h, (void)o, (void)out, (void)len;
	return error_set(
	    e, ERROR_INPUT, "this program was built without libpng");
}

#endif

int
encode_image(const uint8_t *rgb, int w, int h, const struct encode_options *o,
    uint8_t **out, size_t *len, struct error *e)
{
	if (o->format == IMAGE_FORMAT_JPEG)
		return encode_jpeg(rgb, w, h, o, out, len, e);
	return encode_png(rgb, w, h, o, out, len, e);
}
