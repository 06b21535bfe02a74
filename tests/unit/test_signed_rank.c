#include <config.h>

#include "common/stats/signed_rank.h"

#include "tests/tap.h"

/* R 4.2.2: wilcox.test(log(r), conf.int = TRUE), exp of its limits. */
static void
test_pairs(void)
{
	static const double six[] = { 1.021, 1.034, 1.017, 1.029, 1.041,
		1.012 };
	static const double eight[] = { 0.98, 1.034, 1.017, 1.029, 1.041, 1.012,
		1.05, .97 };
	struct signed_rank s;

	CHECK_INT(signed_rank_ratio(six, 6, 0.95, &s, NULL), 0);
	CHECK_NEAR(s.ratio, 1.0254647726762729, 1e-14);
	CHECK_NEAR(s.interval.low, 1.012, 1e-14);
	CHECK_NEAR(s.interval.high, 1.041, 1e-14);
	CHECK_NEAR(s.interval.level, 0.96875, 1e-15);
	CHECK_NEAR(s.p, .03125, 1e-15);
	CHECK_INT(signed_rank_ratio(eight, 8, 0.95, &s, NULL), 0);
	CHECK_NEAR(s.ratio, 1.0187308271929199, 1e-14);
	CHECK_NEAR(s.interval.low, 0.99077747249319303, 1e-14);
	CHECK_NEAR(s.interval.high, 1.0409999999999999, 1e-14);
	CHECK_NEAR(s.p, 0.19531250000000006, 1e-15);
	/* Five cannot reach 95 %. */
	CHECK_INT(signed_rank_ratio(six, 5, 0.95, &s, NULL), 0);
	CHECK_NEAR(s.interval.level, 0.9375, 1e-15);
	/* Of two the middle rank is the only one: 1 - 2/4. */
	CHECK_INT(signed_rank_ratio(six, 2, 0.95, &s, NULL), 0);
	CHECK_NEAR(s.interval.level, 0.5, 1e-15);
	CHECK_NEAR(s.interval.low, 1.021, 1e-14);
	CHECK_NEAR(s.interval.high, 1.034, 1e-14);
	CHECK_INT(signed_rank_ratio(six, 1, 0.95, &s, NULL), 0);
	CHECK(isnan(s.interval.level));
	CHECK_NEAR(s.p, 1.0, 1e-15);
}

/* A level that is just reached counts: of six pairs the second rank has 1 - 4 /
 * 2^6, from the second of the means of two logarithms to the last but one. */
static void
test_level_just_reached(void)
{
	static const double six[] = { 1.021, 1.034, 1.017, 1.029, 1.041,
		1.012 };
	struct signed_rank s;

	CHECK_INT(signed_rank_ratio(six, 6, 0.9375, &s, NULL), 0);
	CHECK_INT(s.interval.rank, 2);
	CHECK_NEAR(s.interval.level, 0.9375, 1e-15);
	CHECK_NEAR(s.interval.low, sqrt(1.012 * 1.017), 1e-14);
	CHECK_NEAR(s.interval.high, sqrt(1.034 * 1.041), 1e-14);
}

/* 100 pairs, of which each third rank is positive: their sum is 1683, its mean
 * 2525, its variance n (n + 1) (2 n + 1) / 24. */
static void
test_many_pairs(void)
{
	static double equal[SIGNED_RANK_MAX_PAIRS + 1];
	const double spread = sqrt(2 * 100.0 * 101 * 201 / 24);
	struct error e = ERROR_INIT;
	double r[100], p;
	struct signed_rank s;

	for (int i = 0; i < 100; i++)
		r[i] = exp((i % 3 == 2 ? 0.001 : -0.001) * (i + 1));
	CHECK_INT(signed_rank_ratio(r, 100, 0.95, &s, NULL), 0);
	CHECK_NEAR(s.p, erfc((2525 - 1683.5) / spread), 1e-12);
	CHECK_INT(signed_rank_side(r, 100, 1.0, 1, &p, NULL), 0);
	CHECK_NEAR(p, erfc((2525 - 1683.5) / spread) / 2, 1e-12);
	CHECK_INT(signed_rank_side(r, 100, 1.0, 0, &p, NULL), 0);
	CHECK_NEAR(p, erfc((2525 - 3367.5) / spread) / 2, 1e-12);
	for (size_t i = 0; i <= SIGNED_RANK_MAX_PAIRS; i++)
		equal[i] = 1;
	CHECK_INT(
	    signed_rank_side(equal, SIGNED_RANK_MAX_PAIRS, 1.0, 1, &p, NULL),
	    0);
	CHECK_INT(
	    signed_rank_side(equal, SIGNED_RANK_MAX_PAIRS + 1, 1.0, 1, &p, &e),
	    -1);
	CHECK_INT(e.code, ERROR_LIMIT);
}

/* All 2^n choices of signs of the ranks that are there, ties included. */
static void
test_enumerated(void)
{
	static const double logs[] = { 1, -2, 2, 3, 3, -3, 5, 7 };
	static const double ranks[] = { 1, 2.5, 2.5, 5, 5, 5, 7, 8 };
	double r[9], seen = 0, total = 0, p = 0;
	struct signed_rank s;

	for (int i = 0; i < 8; i++) {
		r[i] = exp(logs[i] / 100);
		seen += logs[i] > 0 ? ranks[i] : 0;
		total += ranks[i];
	}
	for (unsigned mask = 0; mask < 256; mask++) {
		double sum = 0;

		for (int i = 0; i < 8; i++)
			sum += mask >> i & 1 ? ranks[i] : 0;
		p += fabs(sum - total / 2) >= fabs(seen - total / 2);
	}
	r[8] = 1.0; /* no rank */
	CHECK_INT(signed_rank_ratio(r, 9, 0.95, &s, NULL), 0);
	CHECK_NEAR(s.p, p / 256, 1e-15);
}

static void
test_side(void)
{
	static const double r[] = { .97, .96, .98, .95, .965, .94 };
	static const double equal[] = { 1, 1, 1, 1, 1, 1 };
	double p;

	CHECK_INT(signed_rank_side(r, 6, 0.99, 1, &p, NULL), 0);
	CHECK_NEAR(p, 1.0 / 64, 1e-15);
	CHECK_INT(signed_rank_side(r, 6, 0.93, 0, &p, NULL), 0);
	CHECK_NEAR(p, 1.0 / 64, 1e-15);
	CHECK_INT(signed_rank_side(equal, 6, 1.0, 1, &p, NULL), 0);
	CHECK_NEAR(p, 1.0, 1e-15);
	CHECK_INT(signed_rank_side(equal, 6, 1.0, 0, &p, NULL), 0);
	CHECK_NEAR(p, 1.0, 1e-15);
}

/* At 60 pairs the exact p and the normal one agree to a few thousandths.  The
 * p are those of the sums 837 and 855; the levels are 1 - 2 P(sum < rank): of
 * all 2^60 choices of signs, counted in whole numbers, and of a normal sum with
 * the correction of a half. */
static void
test_seam(void)
{
	double r[61];
	struct signed_rank exact, normal;

	for (int i = 0; i < 61; i++)
		r[i] = exp((i % 7 - 2.6) / 100 + i * 1e-6);
	CHECK_INT(signed_rank_ratio(r, 60, 0.95, &exact, NULL), 0);
	CHECK_INT(signed_rank_ratio(r, 61, 0.95, &normal, NULL), 0);
	CHECK_INT(exact.interval.rank, 649);
	CHECK_NEAR(exact.interval.level, 0.95071849401563868, 1e-12);
	CHECK_INT(normal.interval.rank, 673);
	CHECK_NEAR(normal.interval.level, 0.95010904905065596, 1e-12);
	CHECK_NEAR(exact.interval.low, normal.interval.low, 0.003);
	CHECK_NEAR(exact.p, 0.5709070155082846, 1e-12);
	CHECK_NEAR(normal.p, 0.5179880910885917, 1e-12);
}

static void
test_errors(void)
{
	const double bad[] = { 1.0, 0.0 };
	struct signed_rank s;
	double p;

	CHECK_INT(signed_rank_ratio(bad, 2, 0.95, &s, NULL), -1);
	CHECK_INT(signed_rank_ratio(bad, 0, 0.95, &s, NULL), -1);
	CHECK_INT(signed_rank_ratio(bad, 1, 1.0, &s, NULL), -1);
	CHECK_INT(signed_rank_side(bad, 1, 0.0, 1, &p, NULL), -1);
	CHECK_INT(signed_rank_side(bad, 2, 1.0, 1, &p, NULL), -1);
}

static const struct tap_test tests[] = {
	TEST(test_pairs),
	TEST(test_level_just_reached),
	TEST(test_many_pairs),
	TEST(test_enumerated),
	TEST(test_side),
	TEST(test_seam),
	TEST(test_errors),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
