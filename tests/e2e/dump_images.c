/* dump_images DIR SIZE: print the class names of DIR, one per line, and an
 * empty line; then for each image, as prepared for validation, its label (one
 * byte) and its SIZE x SIZE x 3 bytes. For images.py.
 *
 * dump_images DIR SIZE each: print one line per image, its message or
 * "read". */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/text.h"
#include "trainer/data/dataset.h"

static int
dump(const struct dataset *d, int size, struct error *e)
{
	struct image_source *s = dataset_source(d, IMAGE_MODE_VAL, size, 0);
	const size_t bytes = (size_t)size * (size_t)size * 3;
	uint8_t *rgb = xcalloc(bytes, 1);
	int rc = 0;

	for (size_t i = 0; i < d->n_classes; i++)
		printf("%s\n", d->classes[i]);
	printf("\n");
	for (long i = 0; rc == 0 && i < s->n; i++) {
		int32_t label;

		rc = s->read(s, i, 0, rgb, &label, NULL, e);
		if (rc == 0) {
			putchar(label);
			fwrite(rgb, 1, bytes, stdout);
		}
	}
	free(rgb);
	dataset_source_free(s);
	return rc;
}

static void
try_each(const struct dataset *d, int size)
{
	struct image_source *s = dataset_source(d, IMAGE_MODE_VAL, size, 0);
	uint8_t *rgb = xcalloc((size_t)size * (size_t)size * 3, 1);

	for (long i = 0; i < s->n; i++) {
		struct error e = ERROR_INIT;
		int32_t label;

		printf("%s\n",
		    s->read(s, i, 0, rgb, &label, NULL, &e) == 0 ? "read"
								 : e.message);
	}
	free(rgb);
	dataset_source_free(s);
}

int
main(int argc, char **argv)
{
	struct error e = ERROR_INIT;
	struct dataset *d = NULL;
	long size = 0;

	if (argc < 3 || argc > 4 || parse_long(argv[2], 1, 4096, &size) != 0 ||
	    (argc == 4 && strcmp(argv[3], "each") != 0)) {
		fprintf(stderr, "dump_images: give DIR SIZE [each]\n");
		return 2;
	}
	if (dataset_open(argv[1], NULL, &d, &e) != 0)
		return error_report("dump_images", &e);
	if (argc == 4)
		try_each(d, (int)size);
	else if (dump(d, (int)size, &e) != 0)
		return error_report("dump_images", &e);
	dataset_close(d);
	return 0;
}
