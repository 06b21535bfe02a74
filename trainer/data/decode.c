/* Chooses the decoder of a file by its first bytes. */
#include <config.h>

#include "trainer/data/decode.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"

static const struct decode_format *const formats[N_IMAGE_FORMATS] = {
	[IMAGE_FORMAT_JPEG] = &decode_jpeg, [IMAGE_FORMAT_PNG] = &decode_png
};

struct decoder {
	void *state[N_IMAGE_FORMATS];
	int format; /* of the open image; -1: none */
	int w, h;
	long max_pixels;
};

int
decode_has(enum image_format f)
{
	return formats[f]->create != NULL;
}

struct decoder *
decoder_new(void)
{
	struct decoder *d = xcalloc(1, sizeof *d);

	for (int f = 0; f < N_IMAGE_FORMATS; f++)
		if (formats[f]->create != NULL)
			d->state[f] = formats[f]->create();
	d->format = -1;
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
	for (int f = 0; f < N_IMAGE_FORMATS; f++)
		if (d->state[f] != NULL)
			formats[f]->destroy(d->state[f]);
	free(d);
}

int
decoder_open(struct decoder *d, const uint8_t *data, size_t len, int *w, int *h,
    struct error *e)
{
	int f;

	d->format = -1;
	for (f = 0; f < N_IMAGE_FORMATS; f++)
		if (len >= formats[f]->magic_len &&
		    memcmp(data, formats[f]->magic, formats[f]->magic_len) == 0)
			break;
	if (len == 0)
		return error_set(e, ERROR_INPUT, "is empty");
	if (f == N_IMAGE_FORMATS)
		return error_set(e, ERROR_INPUT, "is neither JPEG nor PNG");
	if (d->state[f] == NULL)
		return error_set(e, ERROR_INPUT,
		    "is %s, but this program was built without %s",
		    formats[f]->name, formats[f]->library);
	if (formats[f]->open(d->state[f], data, len, &d->w, &d->h, e) != 0)
		return -1;
	if (d->w > d->max_pixels / d->h)
		return error_set(e, ERROR_INPUT,
		    "%d x %d pixels are more than --max-pixels=%ld", d->w, d->h,
		    d->max_pixels);
	d->format = f;
	*w = d->w;
	*h = d->h;
	return 0;
}

int
decoder_scale(const struct decoder *d, double most)
{
	int scale = 1;

	assert(d->format >= 0);
	while (scale * 2 <= formats[d->format]->max_scale && scale * 2 <= most)
		scale *= 2;
	return scale;
}

int
decoder_read(struct decoder *d, int scale, const struct decode_box *box,
    struct decode_pixels *out, struct error *e)
{
	const int f = d->format;

	assert(f >= 0 && scale >= 1 && scale <= formats[f]->max_scale);
	assert(0 <= box->x0 && box->x0 < box->x1 &&
	    box->x1 <= (d->w + scale - 1) / scale);
	assert(0 <= box->y0 && box->y0 < box->y1 &&
	    box->y1 <= (d->h + scale - 1) / scale);
	d->format = -1;
	return formats[f]->read(d->state[f], scale, box, out, e);
}

int
decode_check_size(unsigned long w, unsigned long h, struct error *e)
{
	if (w < 1 || h < 1)
		return error_set(e, ERROR_INPUT, "has no pixels");
	if (w > DECODE_MAX_PIXELS / h)
		return error_set(e, ERROR_INPUT,
		    "%lu x %lu pixels are more than %d million", w, h,
		    DECODE_MAX_PIXELS / 1000000);
	return 0;
}
