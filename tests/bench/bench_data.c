/* bench_data: images per second and core, from a JPEG file in memory to 224 x
 * 224 pixels. Rates are per CPU time of the thread, so that other processes
 * have little effect (they share caches and, as hyperthreads, units: the best
 * round is nearest to a quiet machine), then per elapsed time. The kinds
 * alternate, and each row's ratio is to the first kind (all pixels decoded) of
 * the same run.
 *
 *	bench_data                   measure, a table
 *	bench_data write SIZE DIR    write the files as 0.jpg and so on, the
 *	                             boxes of a round ("x y w h mirror") as
 *	                             crops and their pixels as pixels; SIZE is
 *	                             0 or 1: small or large images
 *	bench_data serve SIZE KIND   say ready, then do a round of the KIND-th
 *	                             kind for every line of standard input and
 *	                             print its seconds: time, CPU time */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/alloc.h"
#include "common/stats/stats.h"
#include "tests/images.h"
#include "trainer/data/dataset.h"
#include "trainer/data/decode.h"
#include "trainer/data/resize.h"

enum { IMAGES = 8, ROUNDS = 15, SIZE = 224 };
enum { BATCH = 48 }; /* images of a round, the same crops in each */

static const struct {
	int width, height;
	double noise;
} sizes[] = { { 500, 375, 62 }, { 1000, 750, 4 } };

enum { N_SIZES = sizeof sizes / sizeof sizes[0] };

struct file {
	uint8_t *data, *pixels; /* pixels: [h][w][3] and RESIZE_PAD bytes */
	size_t len;
};

static struct file files[IMAGES];
static int width, height;
static struct decoder *decoder;
static struct resizer *resizer;
static uint8_t out[SIZE * SIZE * 3];
static const struct rng numbers = { 1, RNG_STREAM_DATA, 0 };

static struct crop
random_crop(uint64_t i)
{
	return crop_random(width, height, SIZE, &numbers, i * CROP_BLOCKS);
}

static void
open_file(const struct file *f)
{
	int w, h;

	if (decoder_open(decoder, f->data, f->len, &w, &h, NULL) != 0)
		abort();
}

static void
resize(const uint8_t *rgb, size_t stride, const struct crop *c)
{
	const struct resize_side rows = { c->y, c->h, c->y, c->y + c->h, SIZE,
		0, SIZE };
	const struct resize_side columns = { c->x, c->w, c->x, c->x + c->w,
		SIZE, 0, SIZE };

	resizer_run(resizer, rgb + (size_t)c->y * stride + (size_t)c->x * 3,
	    stride, &rows, &columns, c->mirror, out);
}

/* Decode the whole image, then crop and resize. */
static void
run_full(uint64_t i)
{
	const struct decode_box all = { 0, 0, width, height };
	const struct crop c = random_crop(i);
	struct decode_pixels p;

	open_file(&files[i % IMAGES]);
	if (decoder_read(decoder, 1, &all, &p, NULL) != 0)
		abort();
	resize(p.rgb, p.stride, &c);
}

static void
run_make(uint64_t i, int middle, int exact)
{
	const struct crop c =
	    middle ? crop_middle(width, height, SIZE) : random_crop(i);

	open_file(&files[i % IMAGES]);
	if (image_make(decoder, resizer, width, height, &c, exact, out, NULL) !=
	    0)
		abort();
}

static void
run_part(uint64_t i)
{
	run_make(i, 0, 1);
}

static void
run_train(uint64_t i)
{
	run_make(i, 0, 0);
}

static void
run_val(uint64_t i)
{
	run_make(i, 1, 1);
}

static void
run_resize(uint64_t i)
{
	const struct crop c = random_crop(i);

	resize(files[i % IMAGES].pixels, (size_t)width * 3, &c);
}

static const struct {
	const char *name;
	void (*run)(uint64_t i);
} kinds[] = { { "random crop, all decoded (baseline)", run_full },
	{ "random crop, its part decoded", run_part },
	{ "random crop, as the loader does", run_train },
	{ "middle, as in validation", run_val },
	{ "resizing alone", run_resize } };

enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

static double
now_s(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static size_t
make_files(int size)
{
	static const struct encode_options o = { IMAGE_FORMAT_JPEG, ENCODE_RGB,
		90, 2, 2, 0 };
	const int w = sizes[size].width, h = sizes[size].height;
	const size_t bytes = (size_t)w * (size_t)h * 3;
	size_t sum = 0;

	width = w;
	height = h;
	for (int i = 0; i < IMAGES; i++) {
		uint8_t *rgb =
		    image_paint(w, h, (unsigned)i + 1, sizes[size].noise);

		free(files[i].data);
		free(files[i].pixels);
		files[i].pixels = xmalloc(bytes + RESIZE_PAD);
		memcpy(files[i].pixels, rgb, bytes);
		files[i].data = image_encode(rgb, w, h, &o, &files[i].len);
		sum += files[i].len;
		free(rgb);
	}
	return sum / IMAGES;
}

static void
bench(int size)
{
	double rate[N_KINDS][ROUNDS], passed[N_KINDS][ROUNDS];
	const size_t len = make_files(size);

	printf("JPEG %d x %d, 4:2:0, %.0f KB, to %d x %d\n", width, height,
	    (double)len / 1000, SIZE, SIZE);
	for (int r = -1; r < ROUNDS; r++)
		for (int k = 0; k < N_KINDS; k++) {
			const double start_s = now_s(CLOCK_THREAD_CPUTIME_ID);
			const double begin_s = now_s(CLOCK_MONOTONIC);

			for (uint64_t i = 0; i < BATCH; i++)
				kinds[k].run(i);
			if (r < 0)
				continue;
			rate[k][r] =
			    BATCH / (now_s(CLOCK_THREAD_CPUTIME_ID) - start_s);
			passed[k][r] =
			    BATCH / (now_s(CLOCK_MONOTONIC) - begin_s);
		}
	for (int k = 0; k < N_KINDS; k++) {
		const double median = stats_median(rate[k], ROUNDS);
		const double ratio = median / stats_median(rate[0], ROUNDS);

		stats_sort(rate[k], ROUNDS);
		printf("  %-36s %7.0f images/s/core (best round %.0f; %.0f in "
		       "time passed), %.2f x baseline\n",
		    kinds[k].name, median, rate[k][ROUNDS - 1],
		    stats_median(passed[k], ROUNDS), ratio);
	}
}

static void
write_size(int size, const char *dir)
{
	const size_t bytes = sizeof out;
	uint8_t *pixels = xmalloc(BATCH * bytes);
	char path[4096], crops[BATCH * 64];
	size_t used = 0;

	make_files(size);
	for (int i = 0; i < IMAGES; i++) {
		snprintf(path, sizeof path, "%s/%d.jpg", dir, i);
		file_write(path, files[i].data, files[i].len);
	}
	for (uint64_t i = 0; i < BATCH; i++) {
		const struct crop c = random_crop(i);

		used += (size_t)snprintf(crops + used, sizeof crops - used,
		    "%d %d %d %d %d\n", c.x, c.y, c.w, c.h, c.mirror);
		run_full(i);
		memcpy(pixels + i * bytes, out, bytes);
	}
	snprintf(path, sizeof path, "%s/crops", dir);
	file_write(path, crops, used);
	snprintf(path, sizeof path, "%s/pixels", dir);
	file_write(path, pixels, BATCH * bytes);
	free(pixels);
}

static void
serve(int size, int kind)
{
	char line[16];

	make_files(size);
	printf("ready %s\n", kinds[kind].name);
	fflush(stdout);
	while (fgets(line, sizeof line, stdin) != NULL) {
		const double start_s = now_s(CLOCK_THREAD_CPUTIME_ID);
		const double begin_s = now_s(CLOCK_MONOTONIC);

		for (uint64_t i = 0; i < BATCH; i++)
			kinds[kind].run(i);
		printf("step %.6f %.6f\n", now_s(CLOCK_MONOTONIC) - begin_s,
		    now_s(CLOCK_THREAD_CPUTIME_ID) - start_s);
		fflush(stdout);
	}
}

/* Return the number, which is below n, or exit. */
static int
index_of(const char *text, int n)
{
	if (text[0] < '0' || text[0] >= '0' + n || text[1] != '\0') {
		fprintf(stderr, "bench_data: no number '%s'\n", text);
		exit(2);
	}
	return text[0] - '0';
}

int
main(int argc, char **argv)
{
	if (!decode_has(IMAGE_FORMAT_JPEG)) {
		printf("bench_data: skipped: built without libjpeg\n");
		return 0;
	}
	decoder = decoder_new();
	resizer = resizer_new();
	if (argc == 4 && strcmp(argv[1], "write") == 0)
		write_size(index_of(argv[2], N_SIZES), argv[3]);
	else if (argc == 4 && strcmp(argv[1], "serve") == 0)
		serve(index_of(argv[2], N_SIZES), index_of(argv[3], N_KINDS));
	else
		for (int i = 0; i < N_SIZES; i++)
			bench(i);
	for (int i = 0; i < IMAGES; i++) {
		free(files[i].data);
		free(files[i].pixels);
	}
	decoder_free(decoder);
	resizer_free(resizer);
	return 0;
}
