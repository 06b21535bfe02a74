/* Flat histories whose commits are not independent, and histories with a step:
 * how often a change is proven.  The table that it prints is in
 * doc/measurement.md (tests/coverage_long.sh, with TREND_TRIALS=2000). */
#include <config.h>

#include "report/history/history.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/tap.h"

enum { MAX_POINTS = 240 };

static int trials = 100;
static char dates[MAX_POINTS][24];

/* Each row has its own random numbers, so that a new row changes no other. */
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
	int known;          /* 1: the points state their host */
	double step;        /* ln speed from `at` on */
	double at;          /* share of the points */
	double until;       /* share where the step ends; 0: nowhere */
	size_t from;        /* fewest points whose share is checked */
};

/* A simulated history. */
struct simulated {
	double speeds[MAX_POINTS];
	const char *hosts[MAX_POINTS];
	size_t n, place; /* of the step */
	int found;       /* 1: a change within a commit of it is proven */
	int listed;      /* 1: such a change is listed */
	double low, high, level; /* its interval */
};

static void
simulate(const struct noise *how, struct simulated *out)
{
	const double r = how->correlation, n = (double)out->n;
	double x = random_normal();

	out->place = (size_t)ceil(how->at * n);
	for (size_t i = 0; i < out->n; i++) {
		const int other = how->turn > 0 ? i / (size_t)how->turn % 2 == 1
						: random_uniform() < 0.5;
		double ln = 0.01 * x;

		ln += i % 7 >= 5 ? how->weekend : 0;
		ln += other ? how->machine : 0;
		if ((double)i >= how->at * n &&
		    !(how->until > 0 && (double)i >= how->until * n))
			ln += how->step;
		out->speeds[i] = 1000 * exp(ln);
		out->hosts[i] = !how->known ? NULL : other ? "b" : "a";
		x = r * x + sqrt(1 - r * r) * random_normal();
	}
}

/* Set found and listed. Returns the number of proven changes. */
static size_t
count_proven(struct simulated *x)
{
	struct error e = ERROR_INIT;
	struct history h = HISTORY_INIT;
	struct trend_set set;
	size_t proven = 0;

	x->found = x->listed = 0;
	for (size_t i = 0; i < x->n; i++) {
		struct history_row *row = history_add_row(&h);

		snprintf(dates[i], sizeof dates[i],
		    "2026-%02zu-%02zuT00:00:00Z", 1 + i / 28, 1 + i % 28);
		row->metadata.date = dates[i];
		row->metadata.host = x->hosts[i];
		row->c.name = "1n8g";
		row->c.unit = "samples/s";
		row->run.value = x->speeds[i];
		row->run.path = "a.log";
	}
	CHECK_INT(trend_collect(&h, NULL, 0.95, &set, &e), 0);
	for (size_t i = 0; i < set.items[0].n_changes; i++) {
		const struct trend_change *c = &set.items[0].changes[i];

		proven += c->proven != 0;
		if (c->at + 1 < x->place || c->at > x->place + 1)
			continue;
		x->found |= c->proven;
		x->listed = 1;
		x->low = c->low;
		x->high = c->high;
		x->level = c->level;
	}
	trend_release(&set);
	history_release(&h);
	return proven;
}

/* Print the share of histories of 30, 60 and 120 points with a proven change;
 * for a step, with a proven change at its place. */
static void
run_row(const struct noise *how, uint64_t number)
{
	static const size_t sizes[] = { 30, 60, 120 };
	const int of_step = fabs(how->step) > 0;

	printf("# | %s", how->what);
	for (uint64_t k = 0; k < 3; k++) {
		struct simulated x = { .n = sizes[k] };
		int count = 0;
		double share;

		restart(100 * number + k);
		for (int i = 0; i < trials; i++) {
			size_t proven;

			simulate(how, &x);
			proven = count_proven(&x);
			count += of_step ? x.found : proven > 0;
		}
		share = (double)count / trials;
		printf(" | %.1f %%", 100 * share);
		/* Tolerance: 4 standard deviations. */
		if (!of_step && how->from <= x.n)
			CHECK(share <= 0.05 + 4 * sqrt(0.05 * 0.95 / trials));
		else if (of_step && x.n >= how->from)
			CHECK(share >= 0.9 - 4 * sqrt(0.9 * 0.1 / trials));
	}
	printf(" |\n");
}

/* Print how often the interval of a listed change at the step's place covers
 * the true ratio, and its mean level. */
static void
run_intervals(const struct noise *how, uint64_t number)
{
	static const size_t sizes[] = { 30, 60, 120 };

	printf("# | %s", how->what);
	for (uint64_t k = 0; k < 3; k++) {
		struct simulated x = { .n = sizes[k] };
		int held = 0, listed = 0;
		double level = 0;

		restart(100 * number + k);
		for (int i = 0; i < trials; i++) {
			simulate(how, &x);
			count_proven(&x);
			if (!x.listed)
				continue;
			listed++;
			level += x.level;
			held +=
			    x.low <= exp(how->step) && x.high >= exp(how->step);
		}
		printf(" | %.1f %%: %.1f %%", 100 * level / listed,
		    100.0 * held / listed);
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
		{ "two machines, two weeks each, hosts known", .machine = 0.03,
		    .turn = 14, .known = 1 },
		{ "two machines, two weeks each, hosts unknown",
		    .machine = 0.03, .turn = 14, .from = 60 },
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
		    .from = 30 },
		{ "step of 3 % after three quarters", .step = 0.03, .at = 0.75,
		    .from = 30 },
		{ "step of 3 % in the middle, AR(1) 0.3", .correlation = 0.3,
		    .step = -0.03, .at = 0.5, .from = 60 },
		{ "step of 3 % in the middle, AR(1) 0.6", .correlation = 0.6,
		    .step = -0.03, .at = 0.5, .from = SIZE_MAX },
		{ "3 % slower from a third to two thirds", .step = -0.03,
		    .at = 1 / 3.0, .until = 2 / 3.0, .from = 60 },
		{ "step of 3 % in the middle, machines a week each",
		    .step = -0.03, .at = 0.5, .machine = 0.03, .turn = 7,
		    .known = 1, .from = 60 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		run_row(&rows[i], 50 + i);
}

/* Scenarios and seeds that were not used to choose the method. */
static void
test_kept_back(void)
{
	static const struct noise rows[] = {
		{ "flat, independent", .correlation = 0 },
		{ "flat, AR(1) 0.2", .correlation = 0.2 },
		{ "flat, AR(1) 0.45", .correlation = 0.45 },
		{ "flat, AR(1) 0.6", .correlation = 0.6 },
		{ "flat, AR(1) 0.75", .correlation = 0.75 },
		{ "flat, AR(1) 0.9", .correlation = 0.9 },
		{ "two days of seven faster by 3 %, AR(1) 0.3",
		    .correlation = 0.3, .weekend = 0.03 },
		{ "two machines, 4 % apart, five commits each", .machine = 0.04,
		    .turn = 5 },
		{ "two machines, 5 % apart, ten commits each, hosts known",
		    .machine = 0.05, .turn = 10, .known = 1 },
		{ "step of 3 % after 40 %", .step = -0.03, .at = 0.4,
		    .from = 30 },
		{ "step of 3 % after two thirds", .step = 0.03, .at = 2 / 3.0,
		    .from = 30 },
		{ "step of 3 % after three quarters", .step = -0.03, .at = 0.75,
		    .from = 30 },
		{ "step of 4 % after 80 %, AR(1) 0.3", .correlation = 0.3,
		    .step = -0.04, .at = 0.8, .from = 60 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		run_row(&rows[i], 1000 + i);
}

static void
test_intervals(void)
{
	static const struct noise rows[] = {
		{ "interval of a step of 3 %", .step = -0.03, .at = 0.5 },
		{ "interval of a step of 3 %, AR(1) 0.3", .correlation = 0.3,
		    .step = -0.03, .at = 0.5 },
		{ "interval of a step of 3 %, AR(1) 0.6", .correlation = 0.6,
		    .step = -0.03, .at = 0.5 },
		{ "interval of a step of 6 %, AR(1) 0.6", .correlation = 0.6,
		    .step = -0.06, .at = 1 / 3.0 },
		{ "interval of a step of 6 %, AR(1) 0.9", .correlation = 0.9,
		    .step = -0.06, .at = 0.5 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		run_intervals(&rows[i], 80 + i);
}

static const struct tap_test tests[] = {
	TEST(test_flat),
	TEST(test_step),
	TEST(test_kept_back),
	TEST(test_intervals),
};

int
main(void)
{
	const char *asked = getenv("TREND_TRIALS");

	if (asked != NULL && strtol(asked, NULL, 10) > 0)
		trials = (int)strtol(asked, NULL, 10);
	return tap_main(tests, N_TESTS(tests));
}
