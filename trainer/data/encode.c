/* Which encoder writes an image. make_toy_images and tests call it; training
 * never does. */
#include <config.h>

#include "trainer/data/encode.h"

#include <stdlib.h>
#include <string.h>

#include "trainer/data/encode_format.h"

int
encode_image(const uint8_t *rgb, int w, int h, const struct encode_options *o,
    uint8_t **out, size_t *len, struct error *e)
{
	if (o->format == IMAGE_FORMAT_JPEG)
		return encode_jpeg(rgb, w, h, o, out, len, e);
	return encode_png(rgb, w, h, o, out, len, e);
}
