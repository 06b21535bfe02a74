#include <config.h>

#include "tests/images.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/files/files.h"

void
image_decoded_pixel(
    enum encode_colour colour, const uint8_t rgb[3], uint8_t out[3])
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

/* A linear congruential generator suffices for painting. */
static double
next_random(unsigned *state)
{
	*state = *state * 1664525u + 1013904223u;
	return (*state >> 8) / 16777216.0;
}

static double
scene(int x, int y, int c, unsigned seed)
{
	double v = 128 + 40 * sin(x * 0.013 * (c + 1) + seed) +
	    35 * cos(y * 0.017 + c * 2 + seed * 0.7) +
	    20 * sin((x + y) * 0.11 + c);

	if (((unsigned)(x / 47) + (unsigned)(y / 61) + seed) % 3 == 0)
		v += 38;
	return v;
}

uint8_t *
image_paint(int w, int h, unsigned seed, double noise)
{
	uint8_t *rgb = xcalloc((size_t)w * (size_t)h, 3);
	/* Noise is slightly correlated, as a camera's is. */
	double *last = xcalloc((size_t)w * 3, sizeof *last);
	unsigned state = seed;

	for (int y = 0; y < h; y++)
		for (int i = 0; i < 3 * w; i++) {
			const double fresh = next_random(&state) - 0.5;
			double v = scene(i / 3, y, i % 3, seed) +
			    noise * (fresh + last[i]) / 1.5;

			last[i] = fresh;
			v = v < 0 ? 0 : v > 255 ? 255 : v;
			rgb[(size_t)y * (size_t)w * 3 + (size_t)i] = (uint8_t)v;
		}
	free(last);
	return rgb;
}

static void
must(int rc, const struct error *e)
{
	if (rc == 0)
		return;
	printf("Bail out! %s\n", e->message);
	exit(99);
}

uint8_t *
image_encode(const uint8_t *rgb, int w, int h, const struct encode_options *o,
    size_t *len)
{
	struct error e = ERROR_INIT;
	uint8_t *out = NULL;

	must(encode_image(rgb, w, h, o, &out, len, &e), &e);
	return out;
}

void
file_write(const char *path, const void *data, size_t len)
{
	struct error e = ERROR_INIT;
	struct outfile o;

	must(make_folder_of(path, &e), &e);
	must(outfile_open(&o, path, &e), &e);
	if (len > 0)
		fwrite(data, 1, len, o.f);
	must(outfile_commit(&o, &e), &e);
}

char *
folder_new(void)
{
	const char *top = getenv("TMPDIR");
	char *path =
	    xasprintf("%s/dlscale-test-XXXXXX", top != NULL ? top : "/tmp");

	if (mkdtemp(path) == NULL) {
		printf("Bail out! cannot make a folder %s\n", path);
		exit(99);
	}
	return path;
}

void
folder_remove(char *path)
{
	DIR *dir = opendir(path);
	struct dirent *d;
	struct stat st;

	while (dir != NULL && (d = readdir(dir)) != NULL) {
		char *name;

		if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
			continue;
		name = xasprintf("%s/%s", path, d->d_name);
		if (lstat(name, &st) == 0 && S_ISDIR(st.st_mode)) {
			folder_remove(name);
		} else {
			unlink(name);
			free(name);
		}
	}
	if (dir != NULL)
		closedir(dir);
	rmdir(path);
	free(path);
}
