/* Flat histories whose commits are not independent, and histories with a step:
 * how often a change is proven.  The table that it prints is in
 * doc/measurement.md (tests/coverage_long.sh, with TREND_TRIALS=2000). */
#include <config.h>

#include "report/history/trend.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/tap.h"

enum { MAX_POINTS = 240 };

static int trials = 100;
static char dates[MAX_POINTS][24];

/* Each row has its own numbers, so that a new one changes no other. */
static void
restart(uint64_t row)
{
	random_state = 88172645463325252u + row * 2654435761u;
}

/* How the speed of a history varies; ln speed has a standard deviation of 1 %
 * in all but the patterns. */
struct noise {
	const char *what;
	double correlation; /* of neighbours, AR(1) */
	double weekend;     /* ln speed on two days of seven */
	double machine;     /* ln speed of the other machine */
	int turn;           /* commits until the other machine; 0: by chance */
	double step;        /* ln speed from `at` on */
	double at;          /* share of the points */
	size_t from;        /* fewest points that promise 90 % */
};

static void
fill_speeds(const struct noise *how, double *speeds, size_t n)
{
	const double r = how->correlation;
	double x = random_normal();

	for (size_t i = 0; i < n; i++) {
		double ln = 0.01 * x;

		ln += i % 7 >= 5 ? how->weekend : 0;
		if (how->turn > 0 ? i / (size_t)how->turn % 2 == 1
				  : random_uniform() < 0.5)
			ln += how->machine;
		if ((double)i >= how->at * (double)n)
			ln += how->step;
		speeds[i] = 1000 * exp(ln);
		x = r * x + sqrt(1 - r * r) * random_normal();
	}
}

/* Proven changes of a history of these speeds; within a commit of the place of
 * the step: *found is 1. */
static size_t
count_proven(const double *speeds, size_t n, size_t place, int *found)
{
	struct error e = ERROR_INIT;
	struct history h = HISTORY_INIT;
	struct trend_set set;
	size_t proven = 0;

	*found = 0;
	for (size_t i = 0; i < n; i++) {
		struct history_row *row = history_add_row(&h);

		snprintf(dates[i], sizeof dates[i],
		    "2026-%02zu-%02zuT00:00:00Z", 1 + i / 28, 1 + i % 28);
		row->metadata.date = dates[i];
		row->c.name = "1n8g";
		row->c.unit = "samples/s";
		row->run.value = speeds[i];
		row->run.path = "a.log";
	}
	CHECK_INT(trend_collect(&h, NULL, 0.95, &set, &e), 0);
	for (size_t i = 0; i < set.items[0].n_changes; i++) {
		const struct trend_change *c = &set.items[0].changes[i];

		proven += c->proven != 0;
		*found |= c->proven && c->at + 1 >= place && c->at <= place + 1;
	}
	trend_release(&set);
	history_release(&h);
	return proven;
}

/* Print the share of histories of 30, 60 and 120 points with a proven change;
 * of a step, with one at its place. */
static void
run_row(const struct noise *how, uint64_t number)
{
	static const size_t sizes[] = { 30, 60, 120 };
	const int of_step = fabs(how->step) > 0;

	printf("# | %s", how->what);
	for (uint64_t k = 0; k < 3; k++) {
		const size_t n = sizes[k];
		const size_t place = (size_t)ceil(how->at * (double)n);
		int count = 0;
		double share;

		restart(100 * number + k);
		for (int i = 0; i < trials; i++) {
			double speeds[MAX_POINTS];
			int found;
			size_t proven;

			fill_speeds(how, speeds, n);
			proven = count_proven(speeds, n, place, &found);
			count += of_step ? found : proven > 0;
		}
		share = (double)count / trials;
		printf(" | %.1f %%", 100 * share);
		/* Beyond chance: 4 standard deviations. */
		if (!of_step)
			CHECK(share <= 0.05 + 4 * sqrt(0.05 * 0.95 / trials));
		else if (n >= how->from)
			CHECK(share >= 0.9 - 4 * sqrt(0.9 * 0.1 / trials));
	}
	printf(" |\n");
}

static void
test_flat(void)
{
	static const struct noise rows[] = {
		{ "flat, independent", .correlation = 0 },
		{ "flat, AR(1) 0.3", .correlation = 0.3 },
		{ "flat, AR(1) 0.6", .correlation = 0.6 },
		{ "flat, AR(1) 0.9", .correlation = 0.9 },
		{ "two days of seven faster by 2 %", .weekend = 0.02 },
		{ "two days of seven faster by 5 %", .weekend = 0.05 },
		{ "two machines, 3 % apart, by turns", .machine = 0.03,
		    .turn = 1 },
		{ "two machines, 3 % apart, a week each", .machine = 0.03,
		    .turn = 7 },
		{ "two machines, 3 % apart, by chance", .machine = 0.03 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		run_row(&rows[i], i);
}

static void
test_step(void)
{
	static const struct noise rows[] = {
		{ "step of 3 % in the middle", .step = -0.03, .at = 0.5,
		    .from = 30 },
		{ "step of 3 % after a third", .step = 0.03, .at = 1 / 3.0,
		    .from = 60 },
		{ "step of 3 % after three quarters", .step = 0.03, .at = 0.75,
		    .from = 60 },
		{ "step of 3 % in the middle, AR(1) 0.3", .correlation = 0.3,
		    .step = -0.03, .at = 0.5, .from = 60 },
		{ "step of 3 % in the middle, AR(1) 0.6", .correlation = 0.6,
		    .step = -0.03, .at = 0.5, .from = SIZE_MAX },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		run_row(&rows[i], 50 + i);
}

static const struct tap_test tests[] = {
	TEST(test_flat),
	TEST(test_step),
};

int
main(void)
{
	const char *asked = getenv("TREND_TRIALS");

	if (asked != NULL && strtol(asked, NULL, 10) > 0)
		trials = (int)strtol(asked, NULL, 10);
	return tap_main(tests, N_TESTS(tests));
}
