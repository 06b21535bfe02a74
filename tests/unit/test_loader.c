#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "tests/tap.h"
#include "trainer/loader.h"

/* A source whose image i is i in every byte, and its label; image `bad` cannot
 * be read. */
static long bad = -1;

static int
number_read(const struct source *s, long i, int epoch, uint8_t *pixels,
    int32_t *label, struct error *e)
{
	if (i == bad)
		return error_set(e, ERROR_INPUT, "image %ld is bad", i);
	memset(pixels, (int)i, (size_t)(s->image * s->image * 3));
	*label = (int32_t)i + 1000 * epoch;
	return 0;
}

static const struct source numbers = {
	.n = 10, .image = 2, .classes = 10, .read = number_read
};

/* The labels of an epoch as "0 1 2|3 4"; a batch ends with a bar. */
static const char *
epoch(struct loader *l, int number)
{
	static char text[1000];
	size_t len = 0;
	struct error e = ERROR_INIT;
	const int32_t *labels;
	struct images im;
	int rc;

	text[0] = '\0';
	loader_start(l, number);
	while ((rc = loader_next(l, &im, &labels, &e)) > 0) {
		const uint8_t *pixels = im.data;

		CHECK_INT(im.type, DTYPE_U8);
		CHECK_INT(im.order, IMAGES_NHWC);
		for (int i = 0; i < im.n; i++) {
			CHECK_INT(pixels[i * 12], labels[i] % 1000);
			CHECK_INT(pixels[i * 12 + 11], labels[i] % 1000);
			len += (size_t)snprintf(text + len, sizeof text - len,
			    "%s%d", i > 0 ? " " : "", (int)labels[i]);
		}
		len += (size_t)snprintf(text + len, sizeof text - len, "|");
	}
	if (rc < 0)
		snprintf(text + len, sizeof text - len, "%s", e.message);
	return text;
}

/* 10 images, batches of 2 on 2 ranks, with and without threads. */
static const struct {
	int rank, whole;
	const char *first, *second;
} deals[] = {
	{ 0, 1, "0 1|4 5|8 9|", "1000 1001|1004 1005|1008 1009|" },
	{ 1, 1, "2 3|6 7|0 1|", "1002 1003|1006 1007|1000 1001|" },
	{ 0, 0, "0 1|4 5|8 9|", "1000 1001|1004 1005|1008 1009|" },
	{ 1, 0, "2 3|6 7||", "1002 1003|1006 1007||" },
};

static void
test_deal(void)
{
	static const int workers[] = { 0, 1, 4 };

	CHECK_INT(loader_batches(10, 2, 2), 3);
	CHECK_INT(loader_batches(12, 2, 3), 2);
	CHECK_INT(loader_batches(1281167, 32, 1), 40037);
	CHECK_INT(loader_own_batches(10, 2, 0, 2), 3);
	CHECK_INT(loader_own_batches(10, 2, 1, 2), 2);
	CHECK_INT(loader_own_batches(11, 2, 1, 2), 3);
	CHECK_INT(loader_own_batches(11, 1, 1, 2), 5);
	CHECK_INT(loader_own_batches(12, 1, 1, 2), 6);
	CHECK_INT(loader_own_batches(1, 2, 1, 2), 0);
	for (int i = 0; i < N_TESTS(deals) * N_TESTS(workers); i++) {
		const int k = i / N_TESTS(workers);
		struct loader_config c = { &numbers, 2, deals[k].rank, 2, 3,
			deals[k].whole, workers[i % N_TESTS(workers)] };
		struct loader *l;

		CHECK_INT(loader_open(&c, &l, NULL), 0);
		CHECK_STR(epoch(l, 0), deals[k].first);
		CHECK_STR(epoch(l, 1), deals[k].second);
		loader_close(l);
	}
}

/* A short batch; closing with batches made ahead and left. */
static void
test_short(void)
{
	struct loader_config c = { &numbers, 4, 0, 1, 3, 0, 2 };
	struct images im;
	const int32_t *labels;
	struct loader *l;

	CHECK_INT(loader_open(&c, &l, NULL), 0);
	CHECK_STR(epoch(l, 0), "0 1 2 3|4 5 6 7|8 9|");
	loader_start(l, 1);
	CHECK_INT(loader_next(l, &im, &labels, NULL), 1);
	loader_close(l);
	loader_close(NULL);
}

static void
test_error(void)
{
	struct loader_config c = { &numbers, 4, 0, 1, 3, 0, 2 };
	struct loader *l;

	bad = 5;
	CHECK_INT(loader_open(&c, &l, NULL), 0);
	CHECK_STR(epoch(l, 0), "0 1 2 3|image 5 is bad");
	loader_close(l);
	bad = -1;
}

/* An epoch of no batches. */
static void
test_nothing(void)
{
	struct source none = numbers;
	struct loader_config c = { &none, 4, 0, 1, 0, 0, 1 };
	struct loader *l;

	none.n = 0;
	CHECK_INT(loader_open(&c, &l, NULL), 0);
	CHECK_STR(epoch(l, 0), "");
	loader_close(l);
}

/* Noise: the same for the same seed, another for others, bytes and labels
 * uniform. */
static void
test_dummy(void)
{
	enum { N = 3 * 40 * 40, IMAGES = 400 };
	static uint8_t a[N], b[N];
	const struct source s = source_dummy(SOURCE_TRAIN, 500, 40, 10, 7);
	const struct source t = source_dummy(SOURCE_VALIDATION, 500, 40, 10, 7);
	const struct source u = source_dummy(SOURCE_TRAIN, 500, 40, 10, 8);
	double sum = 0, square = 0;
	int counts[10] = { 0 };
	int32_t la, lb;

	for (long i = 0; i < IMAGES; i++) {
		CHECK_INT(s.read(&s, i, 0, a, &la, NULL), 0);
		for (int k = 0; k < N; k++) {
			sum += a[k];
			square += a[k] * a[k];
		}
		CHECK(la >= 0 && la < 10);
		counts[la]++;
	}
	/* Mean 127.5, deviation 73.9; the mean of 1.9e6 is known to 0.06. */
	sum /= (double)IMAGES * N;
	CHECK_NEAR(sum, 127.5, 0.3);
	CHECK_NEAR(square / ((double)IMAGES * N) - sum * sum,
	    (256.0 * 256 - 1) / 12, 30);
	/* 40 each with a deviation of 6. */
	for (int i = 0; i < 10; i++)
		CHECK_NEAR(counts[i], 40, 24);
	CHECK_INT(s.read(&s, 17, 0, a, &la, NULL), 0);
	CHECK_INT(s.read(&s, 17, 3, b, &lb, NULL), 0);
	CHECK(memcmp(a, b, N) == 0 && la == lb);
	CHECK_INT(s.read(&s, 18, 0, b, &lb, NULL), 0);
	CHECK(memcmp(a, b, N) != 0);
	CHECK_INT(t.read(&t, 17, 0, b, &lb, NULL), 0);
	CHECK(memcmp(a, b, N) != 0);
	CHECK_INT(u.read(&u, 17, 0, b, &lb, NULL), 0);
	CHECK(memcmp(a, b, N) != 0);
}

static const struct tap_test tests[] = {
	TEST(test_deal),
	TEST(test_short),
	TEST(test_error),
	TEST(test_nothing),
	TEST(test_dummy),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
