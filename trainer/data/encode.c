/* Which encoder writes an image. make_toy_images and tests call it; training
 * never does. */
#include <config.h>

#include "trainer/data/encode.h"

#include <stdlib.h>
#include <string.h>

#include "trainer/data/encode_format.h"

void
encode_expect(enum encode_colour colour, const uint8_t rgb[3], uint8_t out[3])
{
	memcpy(out, rgb, 3);
	if (colour == ENCODE_GREY)
		memset(out, rgb[1], 3);
	if (colour == ENCODE_PALETTE) {
		out[0] = rgb[0] & 0xe0;
		out[1] = rgb[1] & 0xe0;
		out[2] = rgb[2] & 0xc0;
	}
}

int
encode_image(const uint8_t *rgb, int w, int h, const struct encode_options *o,
    uint8_t **out, size_t *len, struct error *e)
{
	if (o->format == IMAGE_FORMAT_JPEG)
		return encode_jpeg(rgb, w, h, o, out, len, e);
	return encode_png(rgb, w, h, o, out, len, e);
}
