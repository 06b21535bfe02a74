#include <config.h>

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/alloc.h"
#include "tests/images.h"
#include "tests/tap.h"
#include "trainer/data/dataset.h"

/* A folder of 11 small JPEGs and PNGs of different sizes in 3 classes; "bad"
 * also has three files that are not images. */
enum { SIDE = 24, GOOD = 11, MOST = 64 };

static char *top;

static void
put(const char *part, int i, const void *data, size_t len)
{
	char *path = xasprintf("%s/%s/class%d/%02d.jpg", top, part, i % 3, i);

	file_write(path, data, len);
	free(path);
}

static void
make_folders_of_images(void)
{
	for (int i = 0; i < GOOD; i++) {
		const struct encode_options jpeg = { IMAGE_FORMAT_JPEG,
			ENCODE_RGB, 90, 2, 2, i % 2 };
		const struct encode_options png = { .format =
							IMAGE_FORMAT_PNG };
		const int w = 40 + 7 * i, h = 90 - 5 * i;
		uint8_t *rgb = image_paint(w, h, (unsigned)i, 10);
		size_t len;
		/* The suffix does not depend on the format. */
		uint8_t *data =
		    image_encode(rgb, w, h, i % 4 == 3 ? &png : &jpeg, &len);

		put("good", i, data, len);
		put("bad", i, data, len);
		if (i == 5)
			put("bad", 18, data, len / 2);
		free(data);
		free(rgb);
	}
	put("bad", 19, "no image", 8);
	put("bad", 20, "", 0);
	for (int i = 0; i < 4; i++)
		put("none", i, "no image", 8);
}

/* All images that a loader returned in an epoch. */
struct given {
	uint8_t pixels[MOST][SIDE * SIDE * 3];
	int32_t labels[MOST];
	int n, batches, sizes[MOST];
	int rc;
	struct error e;
};

static void
take(struct loader *l, struct given *g)
{
	const int32_t *labels;
	struct images im;

	memset(g, 0, sizeof *g);
	while ((g->rc = loader_next(l, &im, &labels, &g->e)) > 0) {
		CHECK_INT(im.type, DTYPE_U8);
		CHECK_INT(im.order, IMAGES_NHWC);
		CHECK(g->n + im.n <= MOST);
		if (im.n > 0) {
			memcpy(g->pixels[g->n], im.data,
			    (size_t)im.n * sizeof g->pixels[0]);
			memcpy(&g->labels[g->n], labels,
			    (size_t)im.n * sizeof *labels);
		}
		g->n += im.n;
		g->sizes[g->batches++] = im.n;
	}
}

/* Messages passed to config.note. */
static char notes[10][300];
static int n_notes;

static void
note(void *ctx, const char *message)
{
	CHECK(ctx == &n_notes);
	CHECK(n_notes < N_TESTS(notes));
	snprintf(notes[n_notes++], sizeof notes[0], "%s", message);
}

static struct dataset *data;
static struct image_source *source;
static struct loader_config extra; /* held, unturned and device */

static struct loader *
loader(const char *part, enum image_mode mode, int batch, int rank, int size,
    int workers)
{
	struct loader_config c = { .batch = batch,
		.rank = rank,
		.size = size,
		.whole = mode == IMAGE_MODE_TRAIN,
		.shuffle = mode == IMAGE_MODE_TRAIN,
		.seed = 7,
		.workers = workers,
		.held = extra.held,
		.unturned = extra.unturned,
		.device = extra.device,
		.note = note,
		.ctx = &n_notes };
	struct loader *l = NULL;

	CHECK_INT(dataset_open(top, part, &data, NULL), 0);
	source = dataset_source(data, mode, SIDE, 3);
	c.source = source;
	c.batches = loader_batches(source->n, batch, size);
	n_notes = 0;
	CHECK_INT(loader_open(&c, &l, NULL), 0);
	return l;
}

static void
end(struct loader *l)
{
	loader_close(l);
	dataset_source_free(source);
	dataset_close(data);
}

static void
epoch(const char *part, enum image_mode mode, int workers, int number,
    struct given *g)
{
	struct loader *l = loader(part, mode, 4, 0, 1, workers);

	loader_start(l, number, 0);
	take(l, g);
	end(l);
}

/* Bytes and messages do not depend on the number of threads. */
static void
test_threads_do_not_matter(void)
{
	static struct given want, got;

	for (int mode = IMAGE_MODE_TRAIN; mode <= IMAGE_MODE_VAL; mode++) {
		char first[3][300];

		epoch("bad", mode, 0, 2, &want);
		CHECK_INT(n_notes, 3);
		memcpy(first, notes, sizeof first);
		for (int workers = 1; workers <= 5; workers += 2)
			for (int again = 0; again < 5; again++) {
				epoch("bad", mode, workers, 2, &got);
				CHECK(memcmp(&want, &got, sizeof got) == 0);
				CHECK_INT(n_notes, 3);
				CHECK(memcmp(notes, first, sizeof first) == 0);
			}
	}
}

/* The index of an image in an epoch, by its pixels, or -1. */
static int
find(const struct given *all, const uint8_t *pixels)
{
	for (int i = 0; i < all->n; i++)
		if (memcmp(all->pixels[i], pixels, sizeof all->pixels[0]) == 0)
			return i;
	return -1;
}

/* An epoch has each image once, then the first one again to fill the batch.
 * Another epoch has other crops and another order. */
static void
test_train_epoch(void)
{
	static struct given zero, one;
	int labels[3] = { 0 }, moved = 0;

	epoch("good", IMAGE_MODE_TRAIN, 2, 0, &zero);
	CHECK_INT(zero.rc, 0);
	CHECK_INT(zero.batches, 3);
	CHECK_INT(zero.n, 12);
	for (int i = 0; i < GOOD; i++) {
		CHECK_INT(find(&zero, zero.pixels[i]), i);
		labels[zero.labels[i]]++;
	}
	CHECK_INT(labels[0], 4);
	CHECK_INT(labels[1], 4);
	CHECK_INT(labels[2], 3);
	CHECK_INT(find(&zero, zero.pixels[GOOD]), 0);
	CHECK_INT(zero.labels[GOOD], zero.labels[0]);
	epoch("good", IMAGE_MODE_TRAIN, 2, 1, &one);
	for (int i = 0; i < GOOD; i++) {
		CHECK_INT(find(&zero, one.pixels[i]), -1);
		moved += one.labels[i] != zero.labels[i];
	}
	CHECK(moved > 0);
}

/* Memory from a device: two allocations succeed, later ones fail. */
static int n_given;

static void *
give(struct device *d, size_t bytes)
{
	(void)d;
	return ++n_given <= 2 ? xmalloc(bytes) : NULL;
}

static void
take_back(struct device *d, void *p)
{
	(void)d;
	n_given -= 100;
	free(p);
}

static const struct device_ops device_ops = { .host_alloc = give,
	.host_free = take_back };
static struct device device = { .ops = &device_ops };

static void
swap_columns(uint8_t *pixels)
{
	for (int i = 0; i < SIDE * SIDE / 2; i++) {
		uint8_t *a =
		    pixels + 3 * (i / (SIDE / 2) * SIDE + i % (SIDE / 2));
		uint8_t *b = pixels +
		    3 * (i / (SIDE / 2) * SIDE + SIDE - 1 - i % (SIDE / 2));

		for (int c = 0; c < 3; c++) {
			const uint8_t x = a[c];

			a[c] = b[c];
			b[c] = x;
		}
	}
}

/* Images for a device that mirrors them itself equal the usual ones once they
 * are mirrored as im.mirror states, and stay valid for two more batches. */
static void
test_for_device(void)
{
	static struct given want, held[3];
	int n = 0, turned = 0;
	const int32_t *labels;
	const void *at[3];
	struct loader *l;
	struct images im;

	for (int number = 0; number < 3; number++) {
		epoch("bad", IMAGE_MODE_TRAIN, 2, number, &want);
		extra = (struct loader_config){
			.held = 2, .unturned = 1, .device = &device
		};
		n = n_given = 0;
		l = loader("bad", IMAGE_MODE_TRAIN, 4, 0, 1, 3);
		memset(&extra, 0, sizeof extra);
		CHECK_INT(n_given, 5);
		loader_start(l, number, 0);
		for (int b = 0; loader_next(l, &im, &labels, NULL) > 0; b++) {
			CHECK_INT(im.held, 2);
			CHECK_INT(im.width, SIDE);
			at[b % 3] = im.data;
			memcpy(held[b % 3].pixels, im.data,
			    4 * sizeof want.pixels[0]);
			for (int k = 0; k < 3 && k <= b; k++)
				CHECK(memcmp(held[(b - k) % 3].pixels,
					  at[(b - k) % 3],
					  4 * sizeof want.pixels[0]) == 0);
			for (int i = 0; i < im.n; i++, n++) {
				uint8_t *own = held[b % 3].pixels[i];

				turned += im.mirror[i];
				CHECK_INT(labels[i], want.labels[n]);
				if (im.mirror[i])
					swap_columns(own);
				CHECK(memcmp(own, want.pixels[n],
					  sizeof want.pixels[0]) == 0);
			}
			memcpy(held[b % 3].pixels, im.data,
			    4 * sizeof want.pixels[0]);
		}
		CHECK_INT(n, want.n);
		end(l);
		CHECK_INT(n_given, 5 - 200);
	}
	CHECK(turned > 5 && turned < 3 * want.n - 5);
}

/* Validation: in order, a short last batch, all epochs equal. */
static void
test_val_epoch(void)
{
	static const int32_t labels[GOOD] = { 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2 };
	static struct given zero, one;

	epoch("good", IMAGE_MODE_VAL, 2, 0, &zero);
	CHECK_INT(zero.n, GOOD);
	CHECK_INT(zero.sizes[0], 4);
	CHECK_INT(zero.sizes[1], 4);
	CHECK_INT(zero.sizes[2], 3);
	CHECK(memcmp(zero.labels, labels, sizeof labels) == 0);
	epoch("good", IMAGE_MODE_VAL, 2, 1, &one);
	CHECK(memcmp(&zero, &one, sizeof one) == 0);
}

/* Batch b of two ranks together is batch b of one with twice the size. */
static void
test_ranks_share(void)
{
	static struct given whole, part[2];

	for (int mode = IMAGE_MODE_TRAIN; mode <= IMAGE_MODE_VAL; mode++) {
		struct loader *l = loader("good", mode, 6, 0, 1, 2);
		int at = 0, done[2] = { 0, 0 };

		loader_start(l, 5, 0);
		take(l, &whole);
		end(l);
		for (int r = 0; r < 2; r++) {
			l = loader("good", mode, 3, r, 2, 1);
			loader_start(l, 5, 0);
			take(l, &part[r]);
			end(l);
			CHECK_INT(part[r].batches, whole.batches);
		}
		CHECK_INT(part[0].n + part[1].n, whole.n);
		for (int b = 0; b < whole.batches; b++)
			for (int r = 0; r < 2; r++)
				for (int i = 0; i < part[r].sizes[b]; i++) {
					const int k = done[r]++;

					CHECK_INT(part[r].labels[k],
					    whole.labels[at]);
					CHECK(memcmp(part[r].pixels[k],
						  whole.pixels[at],
						  sizeof whole.pixels[0]) == 0);
					at++;
				}
	}
}

/* An epoch can be abandoned for another one, which can begin at any batch with
 * the same images as if it began at its start. */
static void
test_start_at(void)
{
	static struct given all, rest;
	struct loader *l = loader("good", IMAGE_MODE_TRAIN, 2, 0, 1, 3);
	const int32_t *labels;
	struct images im;

	loader_start(l, 1, 0);
	take(l, &all);
	for (int first = 0; first <= 6; first++) {
		loader_start(l, 4, 0);
		for (int i = 0; i < first; i++)
			CHECK_INT(loader_next(l, &im, &labels, NULL), 1);
		loader_start(l, 1, first);
		take(l, &rest);
		CHECK_INT(rest.n, all.n - 2 * first);
		CHECK(memcmp(rest.pixels, all.pixels[2 * first],
			  (size_t)rest.n * sizeof all.pixels[0]) == 0);
	}
	CHECK_INT(loader_next(l, &im, &labels, NULL), 0);
	end(l);
}

/* The three bad files are reported once each, in order of position, and
 * validation continues without them. */
static void
test_bad_images_val(void)
{
	static struct given good, bad;
	static const char *const want[] = {
		"/bad/class0/18.jpg: is truncated: no end of image",
		"/bad/class1/19.jpg: is neither JPEG nor PNG",
		"/bad/class2/20.jpg: is empty"
	};
	struct loader *l;

	epoch("good", IMAGE_MODE_VAL, 2, 0, &good);
	l = loader("bad", IMAGE_MODE_VAL, 4, 0, 1, 2);
	for (int i = 0; i < 2; i++) {
		loader_start(l, i, 0);
		take(l, &bad);
		CHECK_INT(bad.n, GOOD);
		CHECK(memcmp(bad.pixels, good.pixels, sizeof bad.pixels) == 0);
		CHECK(memcmp(bad.labels, good.labels, sizeof bad.labels) == 0);
	}
	CHECK_INT(loader_unusable(l), 3);
	CHECK_INT(n_notes, 3);
	for (int i = 0; i < 3; i++) {
		printf("# %s\n", notes[i]);
		CHECK(strncmp(notes[i], top, strlen(top)) == 0);
		CHECK_STR(notes[i] + strlen(top), want[i]);
	}
	end(l);
}

/* In training the next usable image replaces a bad one. The last image of each
 * class is bad, so the first images of the three classes occur twice. */
static void
test_bad_images_train(void)
{
	static struct given g;
	struct loader *l = loader("bad", IMAGE_MODE_TRAIN, 2, 0, 1, 2);
	int times[MOST] = { 0 }, twice[3] = { 0 };

	loader_start(l, 0, 0);
	take(l, &g);
	CHECK_INT(g.n, 14);
	for (int i = 0; i < g.n; i++)
		times[find(&g, g.pixels[i])]++;
	for (int i = 0; i < g.n; i++)
		twice[g.labels[i]] += times[i] == 2;
	for (int i = 0; i < 3; i++)
		CHECK_INT(twice[i], 1);
	CHECK_INT(n_notes, 3);
	loader_start(l, 1, 0);
	take(l, &g);
	CHECK_INT(n_notes, 3);
	CHECK_INT(loader_unusable(l), 3);
	end(l);
}

static void
test_nothing_usable(void)
{
	static struct given g;

	epoch("none", IMAGE_MODE_TRAIN, 2, 0, &g);
	CHECK_INT(g.rc, -1);
	CHECK_INT(g.e.code, ERROR_EMPTY);
	printf("# %s\n", g.e.message);
	CHECK(strncmp(g.e.message,
		  "4 consecutive images cannot be used, the last one: ", 51) ==
	    0);
	CHECK_INT(n_notes, 4);
	epoch("none", IMAGE_MODE_VAL, 2, 0, &g);
	CHECK_INT(g.rc, 0);
	CHECK_INT(g.n, 0);
	CHECK_INT(g.batches, 1);
}

/* A file removed after the folder was opened counts as a bad image. */
static void
test_gone(void)
{
	static struct given g;
	struct loader *l;
	char *path = xasprintf("%s/gone/class0/00.jpg", top);

	put("gone", 0, "x", 1);
	put("gone", 3, "x", 1);
	l = loader("gone", IMAGE_MODE_VAL, 4, 0, 1, 1);
	CHECK_INT(unlink(path), 0);
	loader_start(l, 0, 0);
	take(l, &g);
	CHECK_INT(g.n, 0);
	CHECK(
	    strstr(notes[0],
		"00.jpg: cannot be opened: No such file or directory") != NULL);
	end(l);
	free(path);
}

/* Close while workers are running; workers never receive signals. */
static pthread_t signalled;

static void
on_signal(int number)
{
	(void)number;
	signalled = pthread_self();
}

static void
test_close_and_signals(void)
{
	for (int i = 0; i < 20; i++) {
		struct loader *l = loader("good", IMAGE_MODE_TRAIN, 4, 0, 1, 3);

		signal(SIGUSR1, on_signal);
		loader_start(l, i, 0);
		kill(getpid(), SIGUSR1);
		CHECK(pthread_equal(signalled, pthread_self()));
		end(l);
	}
	loader_close(NULL);
	dataset_source_free(NULL);
}

int
main(void)
{
	static const struct tap_test tests[] = {
		TEST(test_threads_do_not_matter),
		TEST(test_train_epoch),
		TEST(test_for_device),
		TEST(test_val_epoch),
		TEST(test_ranks_share),
		TEST(test_start_at),
		TEST(test_bad_images_val),
		TEST(test_bad_images_train),
		TEST(test_nothing_usable),
		TEST(test_gone),
		TEST(test_close_and_signals),
	};

	if (!decode_has(IMAGE_FORMAT_JPEG) || !decode_has(IMAGE_FORMAT_PNG)) {
		printf("1..0 # SKIP needs libjpeg and libpng\n");
		return 0;
	}
	top = folder_new();
	make_folders_of_images();
	tap_main(tests, N_TESTS(tests));
	folder_remove(top);
	return 0;
}
