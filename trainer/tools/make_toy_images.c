/* make_toy_images: makes a labelled set of images that train_imagenet can learn
 * in minutes. */
#include <config.h>

#include <dirent.h>
#include <errno.h>
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
#include "common/files/files.h"
#include "common/program/options.h"
#include "trainer/tools/toy.h"

static long n_classes, per_class[2], size, seed, quality;
static int plain;
static const char *format;

static const char *const formats[] = { "jpeg", "png", NULL };

static const struct opt opts[] = {
	{ OPT_INT, 0, "classes", "N", .help = "make N classes", .def = "10",
	    .min = 2, .max = TOY_MAX_CLASSES, .to = &n_classes },
	{ OPT_INT, 0, "train-per-class", "N", .unit = "images",
	    .help = "for training", .def = "200", .min = 1, .max = 1e6,
	    .to = &per_class[0] },
	{ OPT_INT, 0, "val-per-class", "N", .unit = "images",
	    .help = "for validation", .def = "50", .min = 1, .max = 1e6,
	    .to = &per_class[1] },
	{ OPT_INT, 0, "size", "N", .unit = "pixels",
	    .help = "make sides N to 4/3 N long", .def = "96", .min = 16,
	    .max = 4096, .to = &size },
	{ OPT_FLAG, 0, "plain", .to = &plain,
	    .help = "larger shapes in grey only, which are learned in fewer "
		    "steps" },
	{ OPT_INT, 0, "seed", "N", .help = "choose other images", .def = "0",
	    .min = 0, .max = 1e9, .to = &seed },
	{ OPT_INT, 0, "quality", "N", .help = "of JPEG", .def = "90", .min = 1,
	    .max = 100, .to = &quality },
	{ OPT_CHOICE, 0, "format", "FORMAT", .help = "of the files",
	    .def = "jpeg", .choices = formats, .to = &format },
	{ .kind = OPT_END }
};

static const char *const examples[] = { "make_toy_images toy",
	"writes 2,500 JPEG files below toy/train and toy/val",
	"train_imagenet -a resnet18 --image-size 64 --epochs 15 toy",
	"learns them", NULL };

static const struct program program = { "make_toy_images", "[OPTION]... DIR",
	"write a labelled set of toy images",
	"Writes DIR/train/CLASS/NUMBER.jpg and DIR/val/CLASS/NUMBER.jpg.  Each "
	"class is a shape, shown several times in colours, sizes, places and "
	"turns that mean nothing, so that a linear model of the pixels learns "
	"next to nothing and a convolutional network does.  The same options "
	"write the same bytes.",
	opts, examples, "train_imagenet(1)" };

/* Reject a folder that is not empty: classes would be mixed. */
static int
check_empty(const char *path, struct error *e)
{
	DIR *dir = opendir(path);
	struct dirent *d;
	int n = 0;

	if (dir == NULL && errno == ENOENT)
		return 0;
	if (dir == NULL)
		return error_errno(e, errno, "cannot read folder '%s'", path);
	while ((d = readdir(dir)) != NULL)
		n +=
		    strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0;
	closedir(dir);
	if (n > 0)
		return error_set(
		    e, ERROR_INPUT, "folder '%s' is not empty", path);
	return 0;
}

/* Encode an image. libjpeg fails only for lack of memory, which ends the
 * program, as in xmalloc(). Returns the file, which the caller frees. */
static uint8_t *
encode_jpeg(const uint8_t *rgb, int w, int h, size_t *len, struct error *e)
{
#ifdef HAVE_JPEG
	struct jpeg_error_mgr manager;
	struct jpeg_compress_struct c = { .err = jpeg_std_error(&manager) };
	JSAMPROW row = xmalloc((size_t)w * 3);
	unsigned long bytes = 0;
	uint8_t *out = NULL;

	(void)e;
	jpeg_create_compress(&c);
	jpeg_mem_dest(&c, &out, &bytes);
	c.image_width = (JDIMENSION)w;
	c.image_height = (JDIMENSION)h;
	c.input_components = 3;
	c.in_color_space = JCS_RGB;
	jpeg_set_defaults(&c);
	jpeg_set_quality(&c, (int)quality, TRUE);
	jpeg_start_compress(&c, TRUE);
	for (; c.next_scanline < c.image_height; rgb += (size_t)w * 3) {
		memcpy(row, rgb, (size_t)w * 3);
		jpeg_write_scanlines(&c, &row, 1);
	}
	jpeg_finish_compress(&c);
	jpeg_destroy_compress(&c);
	free(row);
	*len = bytes;
	return out;
#else
	(void)rgb, (void)w, (void)h, (void)len;
	error_set(e, ERROR_INPUT, "this program was built without libjpeg");
	return NULL;
#endif
}

static uint8_t *
encode_png(const uint8_t *rgb, int w, int h, size_t *len, struct error *e)
{
#ifdef HAVE_PNG
	png_image image = { .version = PNG_IMAGE_VERSION,
		.width = (png_uint_32)w,
		.height = (png_uint_32)h,
		.format = PNG_FORMAT_RGB };
	png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(image);
	uint8_t *out = xmalloc(bytes);

	if (png_image_write_to_memory(&image, out, &bytes, 0, rgb, 0, NULL)) {
		*len = bytes;
		return out;
	}
	free(out);
	error_set(e, ERROR_SYSTEM, "libpng: %s", image.message);
	return NULL;
#else
	(void)rgb, (void)w, (void)h, (void)len;
	error_set(e, ERROR_INPUT, "this program was built without libpng");
	return NULL;
#endif
}

/* Write image i of a class into its folder, without outfile_write(): its fsyncs
 * would take most of the time. The next run rejects an unfinished set. */
static int
write_image(
    const char *folder, const struct toy *t, int label, int i, struct error *e)
{
	const int png = strcmp(format, "png") == 0;
	char *path = xasprintf("%s/%05d.%s", folder, i, png ? "png" : "jpg");
	int w, h, rc = -1;
	uint8_t *rgb = toy_paint(t, label, i, &w, &h), *data;
	size_t len, done = 0;
	FILE *f;

	data = png ? encode_png(rgb, w, h, &len, e)
		   : encode_jpeg(rgb, w, h, &len, e);
	if (data != NULL) {
		f = fopen(path, "wb");
		if (f != NULL)
			done = fwrite(data, 1, len, f);
		rc = f == NULL || fclose(f) != 0 || done != len
		    ? error_errno(e, errno, "cannot write '%s'", path)
		    : 0;
	}
	free(data);
	free(rgb);
	free(path);
	return rc;
}

static int
write_classes(char **operands, size_t n, struct error *e)
{
	static const char *const parts[] = { "train", "val" };
	struct toy t = { (uint64_t)seed, 0, (int)size, plain };
	const char *dir = operands[0];
	int rc;

	if (n != 1)
		return error_set(e, ERROR_USAGE, "give one folder to write to");
	rc = check_empty(dir, e);
	for (t.part = 0; t.part < 2; t.part++)
		for (int label = 0; label < n_classes && rc == 0; label++) {
			char *folder = xasprintf(
			    "%s/%s/%s", dir, parts[t.part], toy_class(label));

			rc = make_folders(folder, e);
			for (int i = 0; rc == 0 && i < per_class[t.part]; i++)
				rc = write_image(folder, &t, label, i, e);
			free(folder);
		}
	if (rc == 0)
		printf("%s: %ld classes, %ld images for training, %ld for "
		       "validation\n",
		    dir, n_classes, n_classes * per_class[0],
		    n_classes * per_class[1]);
	return rc;
}

int
main(int argc, char **argv)
{
	return program_main(&program, argc, argv, write_classes);
}
