/* image_seeds DIR: write the seeds of fuzz_image: small images of all kinds,
 * each after a byte that chooses the crop. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "tests/images.h"

static const struct {
	const char *name;
	struct encode_options o;
} seeds[] = { { "baseline", { IMAGE_FORMAT_JPEG, ENCODE_RGB, 70, 2, 2, 0 } },
	{ "progressive", { IMAGE_FORMAT_JPEG, ENCODE_RGB, 70, 1, 1, 1 } },
	{ "grey", { IMAGE_FORMAT_JPEG, ENCODE_GREY, 70, 0, 0, 0 } },
	{ "ycck", { IMAGE_FORMAT_JPEG, ENCODE_YCCK, 70, 2, 2, 0 } },
	{ "png", { IMAGE_FORMAT_PNG, ENCODE_RGB, 0, 0, 0, 0 } },
	{ "interlaced", { IMAGE_FORMAT_PNG, ENCODE_RGBA, 0, 0, 0, 1 } },
	{ "palette", { IMAGE_FORMAT_PNG, ENCODE_PALETTE, 0, 0, 0, 0 } },
	{ "sixteen", { IMAGE_FORMAT_PNG, ENCODE_RGB16, 0, 0, 0, 0 } } };

int
main(int argc, char **argv)
{
	uint8_t *rgb = image_paint(37, 29, 1, 0);

	if (argc != 2) {
		fprintf(stderr, "image_seeds: give a folder\n");
		return 2;
	}
	for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++) {
		char *path = xasprintf("%s/%s", argv[1], seeds[i].name);
		size_t len;
		uint8_t *data = image_encode(rgb, 37, 29, &seeds[i].o, &len);
		uint8_t *seed = xmalloc(len + 1);

		seed[0] = (uint8_t)i;
		memcpy(seed + 1, data, len);
		file_write(path, seed, len + 1);
		free(seed);
		free(data);
		free(path);
	}
	free(rgb);
	return 0;
}
