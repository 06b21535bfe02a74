/* Write JPEG and PNG files through libjpeg and libpng: grey, CMYK, palette, 16
 * bits, progressive, subsampled. */
#include <config.h>

#include "tests/images.h"

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

struct encode_job {
	const uint8_t *rgb;
	int w, h;
	const struct encode_options *o;
	uint8_t *row; /* [w * 6] as the library takes it */
	uint8_t *out; /* [len] the file; for PNG [alloc] allocated */
	size_t len, alloc;
	jmp_buf escape;  /* longjmp target of the library's errors */
	struct error *e; /* set by them */
#ifdef HAVE_JPEG
	struct jpeg_compress_struct jpeg;
	struct jpeg_error_mgr manager;
	unsigned long jpeg_len;
#endif
#ifdef HAVE_PNG
	png_structp png;
	png_infop info;
#endif
};

/* --- JPEG ----------------------------------------------------------------- */

#ifdef HAVE_JPEG

static void
jpeg_failed(j_common_ptr c)
{
	struct encode_job *j = c->client_data;
	char text[JMSG_LENGTH_MAX];

	c->err->format_message(c, text);
	error_set(j->e, ERROR_INPUT, "%s", text);
	longjmp(j->escape, 1);
}

static void
set_up(const struct encode_job *j, struct jpeg_compress_struct *c)
{
	static const struct {
		int components;
		J_COLOR_SPACE in, file;
	} kinds[] = { [ENCODE_RGB] = { 3, JCS_RGB, JCS_YCbCr },
		[ENCODE_GREY] = { 1, JCS_GRAYSCALE, JCS_GRAYSCALE },
		[ENCODE_CMYK] = { 4, JCS_CMYK, JCS_CMYK },
		[ENCODE_YCCK] = { 4, JCS_CMYK, JCS_YCCK } };
	const struct encode_options *o = j->o;

	c->image_width = (JDIMENSION)j->w;
	c->image_height = (JDIMENSION)j->h;
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
write_jpeg(struct encode_job *j)
{
	struct jpeg_compress_struct *c = &j->jpeg;
	const uint8_t *rgb = j->rgb;
	JSAMPROW row = j->row;

	c->err = jpeg_std_error(&j->manager);
	c->client_data = j;
	j->manager.error_exit = jpeg_failed;
	jpeg_create_compress(c);
	jpeg_mem_dest(c, &j->out, &j->jpeg_len);
	set_up(j, c);
	jpeg_start_compress(c, TRUE);
	while (c->next_scanline < c->image_height) {
		const size_t step = (size_t)c->input_components;

		/* Samples in the input colour space. */
		for (size_t x = 0; x < (size_t)j->w; x++, rgb += 3)
			if (j->o->colour == ENCODE_GREY) {
				row[x] = rgb[1];
			} else {
				row[step * x + step - 1] = 255;
				memcpy(row + step * x, rgb, 3);
			}
		jpeg_write_scanlines(c, &row, 1);
	}
	jpeg_finish_compress(c);
	j->len = j->jpeg_len;
}

#endif

/* --- PNG ------------------------------------------------------------------ */

#ifdef HAVE_PNG

static void
png_failed(png_structp p, png_const_charp text)
{
	struct encode_job *j = png_get_error_ptr(p);

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
	struct encode_job *j = png_get_io_ptr(p);

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

/* Convert a row to the samples of the file. */
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
write_png(struct encode_job *j)
{
	static const int types[] = { [ENCODE_RGB] = PNG_COLOR_TYPE_RGB,
		[ENCODE_GREY] = PNG_COLOR_TYPE_GRAY,
		[ENCODE_PALETTE] = PNG_COLOR_TYPE_PALETTE,
		[ENCODE_RGBA] = PNG_COLOR_TYPE_RGB_ALPHA,
		[ENCODE_RGB16] = PNG_COLOR_TYPE_RGB };
	const struct encode_options *o = j->o;
	png_structp p = png_create_write_struct(
	    PNG_LIBPNG_VER_STRING, j, png_failed, ignore_warning);
	png_color palette[256];
	int passes;

	j->png = p;
	if (p != NULL)
		j->info = png_create_info_struct(p);
	if (j->info == NULL) {
		error_set(j->e, ERROR_SYSTEM, "libpng does not start");
		longjmp(j->escape, 1);
	}
	png_set_write_fn(p, j, collect_bytes, png_flush_nothing);
	png_set_IHDR(p, j->info, (png_uint_32)j->w, (png_uint_32)j->h,
	    o->colour == ENCODE_RGB16 ? 16 : 8, types[o->colour],
	    o->progressive ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
	    PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
	for (int i = 0; i < 256; i++) {
		palette[i].red = (png_byte)(i & 0xe0);
		palette[i].green = (png_byte)((i & 0x1c) << 3);
		palette[i].blue = (png_byte)((i & 3) << 6);
	}
	if (o->colour == ENCODE_PALETTE)
		png_set_PLTE(p, j->info, palette, 256);
	png_write_info(p, j->info);
	passes = png_set_interlace_handling(p);
	for (int pass = 0; pass < passes; pass++)
		for (int y = 0; y < j->h; y++) {
			convert_png_row(j->rgb + (size_t)y * (size_t)j->w * 3,
			    (size_t)j->w, o->colour, j->row);
			png_write_row(p, j->row);
		}
	png_write_end(p, NULL);
}

#endif

/* --- Both ----------------------------------------------------------------- */

static int
attempt(struct encode_job *j, void (*write)(struct encode_job *j))
{
	if (setjmp(j->escape) != 0)
		return -1;
	write(j);
	return 0;
}

int
encode_image(const uint8_t *rgb, int w, int h, const struct encode_options *o,
    uint8_t **out, size_t *len, struct error *e)
{
	static void (*const writers[N_IMAGE_FORMATS])(struct encode_job * j) = {
#ifdef HAVE_JPEG
		[IMAGE_FORMAT_JPEG] = write_jpeg,
#endif
#ifdef HAVE_PNG
		[IMAGE_FORMAT_PNG] = write_png
#endif
	};
	struct encode_job *j;
	int rc;

	if (writers[o->format] == NULL)
		return error_set(e, ERROR_INPUT,
		    "this program was built without %s",
		    o->format == IMAGE_FORMAT_JPEG ? "libjpeg" : "libpng");
	j = xcalloc(1, sizeof *j);
	*j = (struct encode_job){ .rgb = rgb,
		.w = w,
		.h = h,
		.o = o,
		.e = e,
		.row = xcalloc((size_t)w, 6) };
	rc = attempt(j, writers[o->format]);
	if (rc == 0) {
		*out = j->out;
		*len = j->len;
	} else {
		free(j->out);
	}
#ifdef HAVE_JPEG
	jpeg_destroy_compress(&j->jpeg);
#endif
#ifdef HAVE_PNG
	png_destroy_write_struct(&j->png, &j->info);
#endif
	free(j->row);
	free(j);
	return rc;
}
