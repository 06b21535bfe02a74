/* What is counted is what reading again finds. */
#include <config.h>

#include "common/stats/value_counts.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "common/stats/stats.h"
#include "tests/tap.h"

static unsigned
next_random(unsigned below)
{
	static uint64_t state = 88172645463325252u;

	/* Marsaglia 2003, "Xorshift RNGs". */
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state % below);
}

static int
same(double a, double b)
{
	return a <= b && a >= b;
}

static double
median_distance(const double *x, size_t n, double target)
{
	double *d = xcalloc(n, sizeof *d), median;

	for (size_t i = 0; i < n; i++)
		d[i] = fabs(x[i] - target);
	median = stats_median(d, n);
	free(d);
	return median;
}

static void
check(const double *x, size_t n)
{
	static const double shares[] = { 0, 0.05, 0.3, 0.5, 0.95, 1 };
	struct stats_stream_array room;
	const struct stats_stream s = stats_stream_of_array(&room, x, n);
	const double *late = x + n / 2;
	const size_t n_late = n - n / 2;
	struct value_counts c;
	size_t bad = 0, beyond = 0, all = 0, all_late = 0;
	double target, far;

	CHECK(value_counts_make(&c, &s, n));
	for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
		bad += !same(value_counts_quantile(&c, shares[i]),
		    stats_quantile(x, n, shares[i]));
	target = value_counts_late_median(&c);
	bad += !same(target, stats_median(late, n_late));
	bad += !same(value_counts_late_distance(&c, target),
	    median_distance(late, n_late, target));
	/* What is as far as that is not further. */
	far = fabs(x[n / 3] - target);
	for (size_t i = 0; i < n; i++)
		beyond += fabs(x[i] - target) > far;
	CHECK_INT(value_counts_beyond(&c, target, far), beyond);
	for (size_t i = 0; i < c.n_different; i++) {
		all += c.of[i].all;
		all_late += c.of[i].late;
		bad += i > 0 && !(c.of[i].value > c.of[i - 1].value);
	}
	CHECK_INT(all, n);
	CHECK_INT(all_late, n_late);
	CHECK_INT(bad, 0);
	value_counts_release(&c);
	CHECK(c.of == NULL);
}

/* Few to many different, over one piece that is read at once and several. */
static void
test_few(void)
{
	enum { MOST = 5000 };
	double *x = xcalloc(MOST, sizeof *x);

	for (int trial = 0; trial < 300; trial++) {
		const size_t n = 1 + next_random(trial % 3 == 0 ? 20 : MOST);
		const unsigned different = 1 + next_random(1500);

		for (size_t i = 0; i < n; i++)
			x[i] =
			    ((int)next_random(different) - (int)different / 9) /
			    (trial % 2 ? 1e3 : 7.0);
		check(x, n);
	}
	free(x);
}

/* The last number of different values that is counted, and one more, wherever
 * it comes. */
static void
test_most(void)
{
	enum { N = 4 * VALUE_COUNTS_MOST };
	double *x = xcalloc(N, sizeof *x);
	struct stats_stream_array room;
	struct value_counts c;

	for (size_t i = 0; i < N; i++)
		x[i] = (double)(i % VALUE_COUNTS_MOST) * 0.001 + 1;
	check(x, N);
	for (size_t i = 0; i < N; i += N - 1) {
		struct stats_stream s;
		const double was = x[i];

		x[i] = 0.5;
		s = stats_stream_of_array(&room, x, N);
		CHECK(!value_counts_make(&c, &s, N));
		x[i] = was;
	}
	free(x);
}

static void
test_zero(void)
{
	const double x[] = { -0.0, 0.0, -0.0, 1, 0.0 };
	struct stats_stream_array room;
	struct stats_stream s = stats_stream_of_array(&room, x, 5);
	struct value_counts c;

	CHECK(value_counts_make(&c, &s, 5));
	CHECK_INT(c.n_different, 2);
	CHECK(!signbit(c.of[0].value));
	CHECK_INT(c.of[0].all, 4);
	CHECK_INT(c.of[0].late, 2);
	value_counts_release(&c);
	s = stats_stream_of_array(&room, x, 0);
	CHECK(!value_counts_make(&c, &s, 0));
}

static const struct tap_test tests[] = {
	TEST(test_few),
	TEST(test_most),
	TEST(test_zero),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
