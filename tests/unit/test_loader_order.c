#include <config.h>

#include <stdlib.h>

#include "common/alloc.h"
#include "tests/tap.h"
#include "trainer/base/rng.h"
#include "trainer/data/dataset.h"

/* Count how often each image is dealt to all ranks together, and check that the
 * batches of all ranks, side by side, give the order itself. */
static void
deal(long n, int batch, int ranks, int whole, int *times)
{
	uint32_t *order = xcalloc((size_t)n, sizeof *order);
	const long batches = loader_batches(n, batch, ranks);
	long next = 0;

	sampler_order(order, n, 7, 3);
	memset(times, 0, (size_t)n * sizeof *times);
	for (long b = 0; b < batches; b++)
		for (int r = 0; r < ranks; r++) {
			const int count =
			    sampler_count(n, b, batch, r, ranks, whole);
			const long place = sampler_place(b, batch, r, ranks);

			for (int i = 0; i < count; i++) {
				CHECK_INT(place + i, next);
				times[order[next++ % n]]++;
			}
		}
	free(order);
}

static void
test_short_batches_cover_once(void)
{
	int times[101];

	for (long n = 1; n <= 101; n += 4)
		for (int ranks = 1; ranks <= 5; ranks++)
			for (int batch = 1; batch <= 9; batch += 2) {
				deal(n, batch, ranks, 0, times);
				for (long i = 0; i < n; i++)
					CHECK_INT(times[i], 1);
			}
}

/* Whole batches are padded with images from the start of the order. */
static void
test_whole_batches_pad(void)
{
	int times[101];

	for (long n = 1; n <= 101; n += 4)
		for (int ranks = 1; ranks <= 5; ranks++)
			for (int batch = 1; batch <= 9; batch += 2) {
				const long all = (long)batch * ranks;
				const long sum = (n + all - 1) / all * all;
				long found = 0;

				deal(n, batch, ranks, 1, times);
				for (long i = 0; i < n; i++) {
					CHECK(times[i] == sum / n ||
					    times[i] == sum / n + 1);
					found += times[i];
				}
				CHECK_INT(found, sum);
			}
}

/* A checkpoint of an earlier version continues in the same order: number i of
 * an epoch comes from block i / 2 of the random numbers. */
static void
test_order_is_that_of_before(void)
{
	const struct rng r = { 7, RNG_STREAM_ORDER, 3 };
	uint32_t order[50], expected[50];

	for (uint32_t i = 0; i < 50; i++) {
		uint32_t four[4], j;
		uint64_t high, low;

		rng_block(&r, i / 2, four);
		high = four[i % 2 * 2] >> 5;
		low = four[i % 2 * 2 + 1] >> 6;
		j = (uint32_t)((double)(high << 26 | low) * 0x1p-53 * (i + 1));
		expected[i] = expected[j];
		expected[j] = i;
	}
	sampler_order(order, 50, 7, 3);
	CHECK(memcmp(order, expected, sizeof order) == 0);
}

/* PyTorch's loader over DistributedSampler: ceil(ceil(n / ranks) / batch). */
static void
test_as_many_batches_as_pytorch(void)
{
	CHECK_INT(loader_batches(1281167, 256, 1), 5005);
	CHECK_INT(loader_batches(1281167, 64, 4), 5005);
	CHECK_INT(loader_batches(50000, 256, 1), 196);
	CHECK_INT(sampler_count(50000, 195, 256, 0, 1, 0), 80);
	CHECK_INT(sampler_count(3, 0, 2, 2, 3, 0), 0);
}

static void
test_order_is_a_permutation(void)
{
	enum { N = 1000 };
	uint32_t a[N], b[N];
	char seen[N] = { 0 };
	int fixed = 0, same = 0;

	sampler_order(a, N, 5, 1);
	sampler_order(b, N, 5, 1);
	CHECK(memcmp(a, b, sizeof a) == 0);
	for (uint32_t i = 0; i < N; i++) {
		CHECK(a[i] < N && !seen[a[i]]);
		seen[a[i]] = 1;
		fixed += a[i] == i;
	}
	/* Fixed points of a random permutation are Poisson with mean 1. */
	CHECK(fixed < 10);
	sampler_order(b, N, 5, 2);
	for (int i = 0; i < N; i++)
		same += a[i] == b[i];
	CHECK(same < 10); /* another epoch, another order */
	sampler_order(b, N, 6, 1);
	for (same = 0, fixed = 0; fixed < N; fixed++)
		same += a[fixed] == b[fixed];
	CHECK(same < 10); /* another seed */
}

/* All 24 orders of four are equally likely: chi square with 23 degrees of
 * freedom passes 49.7 with p = 0.001 (R 4.2.2: qchisq(0.999, 23)). */
static void
test_orders_are_equally_likely(void)
{
	enum { EPOCHS = 24000 };
	int count[256] = { 0 }, kinds = 0;
	double chi2 = 0;

	for (int epoch = 0; epoch < EPOCHS; epoch++) {
		uint32_t o[4];

		sampler_order(o, 4, 1, epoch);
		count[o[0] << 6 | o[1] << 4 | o[2] << 2 | o[3]]++;
	}
	for (int i = 0; i < 256; i++)
		if (count[i] > 0) {
			kinds++;
			chi2 +=
			    (count[i] - 1000.0) * (count[i] - 1000.0) / 1000;
		}
	CHECK_INT(kinds, 24);
	CHECK(chi2 < 49.7);
}

int
main(void)
{
	static const struct tap_test tests[] = {
		TEST(test_short_batches_cover_once),
		TEST(test_whole_batches_pad),
		TEST(test_order_is_that_of_before),
		TEST(test_as_many_batches_as_pytorch),
		TEST(test_order_is_a_permutation),
		TEST(test_orders_are_equally_likely),
	};

	return tap_main(tests, N_TESTS(tests));
}
