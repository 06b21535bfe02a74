/* Coverage of each interval against its stated level, and power at the
 * detectable change. The printed table is in doc/measurement.md, made by
 * tests/coverage_long.sh with COVERAGE_TRIALS=20000. */
#include <config.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "common/stats/rank_test.h"
#include "common/stats/stats.h"
#include "report/tables/report.h"
#include "tests/tap.h"

enum { MAX_RUNS = 32, MAX_CASES = 8, SIZES = 6 };

static int trials = 500;

/* Each row has its own seed, so that a new row changes no other. */
static void
restart(uint64_t row)
{
	random_state = 88172645463325252u + row * 2654435761u;
}

/* Median 0, and a long tail: runs are slowed down, never sped up. */
static double
skewed(void)
{
	return -log(random_uniform()) - log(2);
}

typedef double noise(void);

static void
fill(double *x, size_t n, double middle, double spread, noise *of)
{
	for (size_t i = 0; i < n; i++)
		x[i] = middle * exp(spread * of());
}

/* --- the table ------------------------------------------------------------ */

/* Print a row and check that the share of trials that held is the claimed one,
 * within slack plus four standard errors. */
static void
say_row(const char *what, double claimed, int held, double slack)
{
	const double share = (double)held / trials;
	const double chance = 4 * sqrt(claimed * (1 - claimed) / trials);

	printf(
	    "# | %s | %.2f %% | %.1f %% |\n", what, 100 * claimed, 100 * share);
	CHECK(share >= claimed - slack - chance);
	CHECK(share <= claimed + slack + chance);
}

static int
holds(double low, double high, double truth)
{
	return low <= truth && truth <= high;
}

/* --- medians -------------------------------------------------------------- */

static void
test_median(void)
{
	static const struct {
		const char *what;
		size_t n;
		noise *of;
	} rows[] = {
		{ "median, 3 normal runs", 3, random_normal },
		{ "median, 5 normal runs", 5, random_normal },
		{ "median, 5 skewed runs", 5, skewed },
		{ "median, 6 skewed runs", 6, skewed },
		{ "median, 10 normal runs", 10, random_normal },
		{ "median, 20 skewed runs", 20, skewed },
	};

	for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
		struct interval in;
		double x[MAX_RUNS];
		int held = 0;

		restart(r);
		for (int k = 0; k < trials; k++) {
			fill(x, rows[r].n, 100, 0.02, rows[r].of);
			CHECK_INT(rank_test_median(x, rows[r].n, 0.95, &in), 0);
			held += holds(in.low, in.high, 100);
		}
		say_row(rows[r].what, in.level, held, 0);
	}
}

/* --- ratios --------------------------------------------------------------- */

static void
test_ratio(void)
{
	static const struct {
		const char *what;
		size_t m, n;
		noise *of;
		double one, other; /* spreads of ln speed */
	} rows[] = {
		{ "ratio, 3 and 3 normal runs", 3, 3, random_normal, 0.01,
		    0.01 },
		{ "ratio, 5 and 5 normal runs", 5, 5, random_normal, 0.01,
		    0.01 },
		{ "ratio, 5 and 5 skewed runs", 5, 5, skewed, 0.01, 0.01 },
		{ "ratio, 5 and 10 normal runs", 5, 10, random_normal, 0.01,
		    0.01 },
		{ "ratio, 10 and 10 skewed runs", 10, 10, skewed, 0.01, 0.01 },
		{ "its limit level, 5 and 5 runs, spreads 30 to 1", 5, 5,
		    random_normal, 0.03, 0.001 },
		{ "its limit level, 10 and 10 runs, spreads 30 to 1", 10, 10,
		    random_normal, 0.03, 0.001 },
		{ "its limit level, 3 and 10 runs, spreads 30 to 1", 3, 10,
		    random_normal, 0.03, 0.001 },
	};

	for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
		const int unlike = rows[r].one != rows[r].other;
		double a[MAX_RUNS], b[MAX_RUNS];
		struct interval in;
		int held = 0;

		restart(100 + r);
		for (int k = 0; k < trials; k++) {
			fill(a, rows[r].m, 110, rows[r].one, rows[r].of);
			fill(b, rows[r].n, 100, rows[r].other, rows[r].of);
			CHECK_INT(rank_test_ratio(
				      a, rows[r].m, b, rows[r].n, 0.95, &in),
			    0);
			held += holds(in.low, in.high, 1.1);
		}
		say_row(rows[r].what,
		    unlike
			? rank_test_limit_level(rows[r].m, rows[r].n, in.rank)
			: in.level,
		    held, unlike ? 0.03 : 0);
	}
}

/* Both runs of a pair share a sitting, which varies as much as runs do. */
static void
test_pairs(void)
{
	static const struct {
		const char *what;
		size_t n;
	} rows[] = { { "ratio, 6 pairs", 6 }, { "ratio, 10 pairs", 10 } };

	for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
		double q[MAX_RUNS];
		const struct rounded_runs pairs = { q, q, q, rows[r].n };
		struct interval in;
		int held = 0;

		restart(200 + r);
		for (int k = 0; k < trials; k++) {
			for (size_t i = 0; i < rows[r].n; i++) {
				const double sitting = 0.01 * random_normal();

				q[i] = exp(log(1.1) + sitting +
				    0.01 * random_normal() -
				    (sitting + 0.01 * random_normal()));
			}
			CHECK_INT(rounded_ratio(&pairs, NULL, 0.95, &in), 0);
			held += holds(in.low, in.high, 1.1);
		}
		say_row(rows[r].what, in.level, held, 0);
	}
}

static void
test_geometric_mean(void)
{
	static const struct {
		const char *what;
		size_t cases, n;
		double most; /* about the last case's spread over the first's */
	} rows[] = {
		{ "geometric mean, 1 case of 5 and 5 runs", 1, 5, 1 },
		{ "geometric mean, 5 cases of 3 and 3 runs", 5, 3, 1 },
		{ "geometric mean, 5 cases of 5 and 5 runs, uneven", 5, 5, 8 },
		{ "geometric mean, 8 cases of 10 and 10 runs", 8, 10, 1 },
	};

	for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
		int held = 0;

		restart(300 + r);
		for (int k = 0; k < trials; k++) {
			struct ratio_mean m = RATIO_MEAN_INIT;
			double a[MAX_RUNS], b[MAX_RUNS], low, high;
			const struct rounded_runs x = { b, b, b, rows[r].n };
			const struct rounded_runs y = { a, a, a, rows[r].n };

			for (size_t i = 0; i < rows[r].cases; i++) {
				const double s = 0.01 *
				    pow(rows[r].most, (double)i / MAX_CASES);
				struct interval in;

				fill(a, rows[r].n, 103, s, random_normal);
				fill(b, rows[r].n, 100, s, random_normal);
				CHECK_INT(rounded_ratio(&y, &x, 0.95, &in), 0);
				ratio_mean_add(&m, in.middle, &x, &y);
			}
			ratio_mean_interval(&m, 0.95, &low, &high);
			held += holds(low, high, 1.03);
		}
		say_row(rows[r].what, 0.95, held, 0.02);
	}
}

/* --- spreads, laws, plans ------------------------------------------------- */

static void
test_spread(void)
{
	static const struct {
		const char *what;
		size_t n;
	} rows[] = { { "standard deviation, 5 normal runs", 5 },
		{ "standard deviation, 10 normal runs", 10 } };

	for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
		int held = 0;

		restart(400 + r);
		for (int k = 0; k < trials; k++) {
			double x[MAX_RUNS], low, high;

			fill(x, rows[r].n, 100, 0.02, random_normal);
			CHECK_INT(
			    stddev_interval(sqrt(log_squares(x, rows[r].n) /
						((double)rows[r].n - 1)),
				(double)rows[r].n - 1, 0.95, &low, &high),
			    0);
			held += holds(low, high, 0.02);
		}
		say_row(rows[r].what, 0.95, held, 0);
	}
}

/* Six sizes from 1 to 32. USL's coherence cannot be negative. */
static void
test_laws(void)
{
	static const double n[SIZES] = { 1, 2, 4, 8, 16, 32 };
	static const double serial = 0.02, coherence = 0.0005;
	int amdahl = 0, usl = 0, usl_serial = 0;

	restart(500);
	for (int k = 0; k < trials; k++) {
		double x[SIZES];
		struct scaling_fit f;

		for (int i = 0; i < SIZES; i++)
			x[i] = 100 * n[i] / (1 + serial * (n[i] - 1)) *
			    exp(0.005 * random_normal());
		CHECK_INT(scaling_fit(SCALING_AMDAHL, n, x, SIZES, &f), 0);
		amdahl += fabs(f.of[1].x - serial) <= f.of[1].half;
		for (int i = 0; i < SIZES; i++)
			x[i] = 100 * n[i] /
			    (1 + serial * (n[i] - 1) +
				coherence * n[i] * (n[i] - 1)) *
			    exp(0.005 * random_normal());
		CHECK_INT(scaling_fit(SCALING_USL, n, x, SIZES, &f), 0);
		usl += fabs(f.of[2].x - coherence) <= f.of[2].half;
		usl_serial += fabs(f.of[1].x - serial) <= f.of[1].half;
	}
	say_row("Amdahl's serial fraction, 6 sizes", 0.95, amdahl, 0.01);
	say_row("USL's serial fraction, 6 sizes", 0.95, usl_serial, 0.01);
	say_row("USL's coherence, 6 sizes", 0.95, usl, 0.01);
}

/* n runs prove their detectable change in 80 % of the trials. */
static void
test_power(void)
{
	static const struct {
		const char *what;
		size_t n;
	} rows[] = { { "power of the detectable change, 5 and 5 runs", 5 },
		{ "power of the detectable change, 8 and 8 runs", 8 },
		{ "power of the detectable change, 20 and 20 runs", 20 } };

	for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
		const size_t n = rows[r].n;
		const double change = detectable_change(0.01, (long)n, 0.95);
		int shown = 0;

		restart(600 + r);
		for (int k = 0; k < trials; k++) {
			double a[MAX_RUNS], b[MAX_RUNS];
			struct interval in;

			fill(a, n, 100 * (1 + change), 0.01, random_normal);
			fill(b, n, 100, 0.01, random_normal);
			CHECK_INT(rank_test_ratio(a, n, b, n, 0.95, &in), 0);
			shown += in.low > 1;
		}
		say_row(rows[r].what, 0.8, shown, 0.005);
	}
}

static const struct tap_test tests[] = {
	TEST(test_median),
	TEST(test_ratio),
	TEST(test_pairs),
	TEST(test_geometric_mean),
	TEST(test_spread),
	TEST(test_laws),
	TEST(test_power),
};

int
main(void)
{
	const char *asked = getenv("COVERAGE_TRIALS");

	if (asked != NULL && strtol(asked, NULL, 10) > 0)
		trials = (int)strtol(asked, NULL, 10);
	return tap_main(tests, N_TESTS(tests));
}
