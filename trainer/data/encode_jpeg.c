/* JPEG files by libjpeg, in all the ways that tests want to read: grey, CMYK,
 * progressive, other samplings. */
#include <config.h>

#include "trainer/data/encode_format.h"

#ifdef HAVE_JPEG

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include "common/alloc.h"

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

/* The row's samples in the colours that libjpeg is given. */
static void
convert_row(
    const uint8_t *rgb, size_t w, enum encode_colour colour, uint8_t *row)
{
	for (size_t x = 0; x < w; x++, rgb += 3) {
		if (colour == ENCODE_GREY) {
			row[x] = rgb[1];
		} else if (colour == ENCODE_RGB) {
			memcpy(row + 3 * x, rgb, 3);
		} else {
			memcpy(row + 4 * x, rgb, 3);
			row[4 * x + 3] = 255;
		}
	}
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

		convert_row(rgb + (size_t)c->next_scanline * (size_t)w * 3,
		    (size_t)w, o->colour, row);
		jpeg_write_scanlines(c, &row, 1);
	}
	jpeg_finish_compress(c);
}

int
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

int
encode_jpeg(const uint8_t *rgb, int w, int h, const struct encode_options *o,
    uint8_t **out, size_t *len, struct error *e)
{
	(void)rgb, (void)w, (void)h, (void)o, (void)out, (void)len;
	return error_set(
	    e, ERROR_INPUT, "this program was built without libjpeg");
}

#endif
