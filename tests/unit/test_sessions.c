/* Sessions: which runs belong to one, what their order implies, and sessions as
 * units; also how often intervals and verdicts hold with and without them. The
 * printed table is in doc/measurement.md (tests/coverage_long.sh, with
 * SESSION_TRIALS=4000). */
#include <config.h>

#include "report/tables/report.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/stats/rank_test.h"
#include "common/stats/stats.h"
#include "tests/tap.h"

enum { MAX_RUNS = 64, OLD = 0, NEW = 1, RESAMPLES = 400 };

static int trials = 400;

/* Two results of one case each. */
static struct result_file files[2];
static struct result_case cases[2];
static struct result_run runs[2][MAX_RUNS];
static char stamps[2][MAX_RUNS][32], names[2][MAX_RUNS][8];

static struct result_set
start(void)
{
	for (int i = 0; i < 2; i++) {
		arena_release(&files[i].result.arena);
		result_init(&files[i].result);
		result_case_init(&cases[i]);
		files[i].path = i == OLD ? "old.json" : "new.json";
		files[i].result.rule.confidence = 0.95;
		files[i].result.cases = &cases[i];
		files[i].result.n_cases = 1;
		cases[i].name = "1n1g";
		cases[i].unit = "samples/s";
		cases[i].runs = runs[i];
	}
	return (struct result_set){ files, 2, 2 };
}

/* Add a run that began `minutes` after the start of day 1; < 0: unknown. */
static struct result_run *
add(int side, int minutes, double value)
{
	struct result_case *c = &cases[side];
	const size_t n = c->n_runs++;
	struct result_run *run = &runs[side][n];

	result_run_init(run);
	snprintf(names[side][n], sizeof names[side][n], "%zu", n + 1);
	snprintf(stamps[side][n], sizeof stamps[side][n],
	    "2026-11-%02d %02d:%02d:00,123", 1 + minutes / 1440,
	    minutes / 60 % 24, minutes % 60);
	run->run = names[side][n];
	run->path = "a.log";
	run->value = run->samples_per_s = value;
	run->session.started = minutes >= 0 ? stamps[side][n] : NULL;
	return run;
}

/* A session spans an hour from its first run and any unknown host; another
 * known host is another session, and a job is one session of any length. */
static void
test_find(void)
{
	struct result_set set = start();

	add(OLD, 0, 1);
	add(OLD, 60, 1);
	add(OLD, 61, 1);
	add(NEW, 30, 1)->session.host = "a";
	add(NEW, 40, 1)->session.host = "b";
	add(NEW, 45, 1)->session.host = "a";
	add(NEW, 3000, 1)->session.job = "7";
	add(NEW, 4000, 1)->session.job = "7";
	add(NEW, -1, 1)->session.job = "7";
	add(NEW, -1, 1)->session.job = "8";
	add(NEW, -1, 1)->session.host = "a";
	sessions_find(&set);
	CHECK_INT(runs[OLD][0].session.number, 1);
	CHECK_INT(runs[OLD][1].session.number, runs[NEW][1].session.number);
	CHECK_INT(runs[NEW][0].session.number, 1);
	CHECK_INT(runs[NEW][1].session.number, 2);
	CHECK_INT(runs[NEW][2].session.number, 1);
	CHECK_INT(runs[OLD][2].session.number, 2);
	CHECK_INT(runs[NEW][3].session.number, 3);
	CHECK_INT(runs[NEW][4].session.number, 3);
	CHECK_INT(runs[NEW][5].session.number, 3);
	CHECK_INT(runs[NEW][6].session.number, 4);
	CHECK_INT(runs[NEW][7].session.number, 0);
}

static enum remark_code
order(struct result_set *set)
{
	sessions_find(set);
	return sessions_order(&cases[OLD], &cases[NEW], "old", "new").code;
}

static void
test_order(void)
{
	struct result_set set = start();
	struct arena a = ARENA_INIT;
	struct remark r;

	for (int i = 0; i < 3; i++) {
		add(OLD, 100 + 10 * i, 1);
		add(NEW, 10 * i, 1);
	}
	CHECK_INT(order(&set), REMARK_RUNS_IN_BLOCKS);
	r = sessions_order(&cases[OLD], &cases[NEW], "old", "new");
	CHECK_STR(remark_text(&r, LANGUAGE_EN, &a),
	    "all new runs before all old ones: a drift of the machine counts "
	    "as a change");
	/* With a new run after the old ones, the sides alternate. */
	add(NEW, 300, 1);
	CHECK_INT(order(&set), REMARK_NONE);
	/* One session. */
	set = start();
	for (int i = 0; i < 3; i++) {
		add(OLD, 10 * i, 1);
		add(NEW, 30 + 10 * i, 1);
	}
	CHECK_INT(order(&set), REMARK_NONE);
	for (int i = 0; i < 3; i++) {
		runs[OLD][i].session.host = "a";
		runs[NEW][i].session.host = "b";
	}
	CHECK_INT(order(&set), REMARK_DIFFERENT_HOSTS);
	runs[NEW][2].session.host = "a";
	CHECK_INT(order(&set), REMARK_NONE);
	/* Nothing is claimed if a time is unknown, or if one clock has a zone
	 * and the other has not. */
	set = start();
	add(OLD, 0, 1);
	add(NEW, 100, 1);
	CHECK_INT(order(&set), REMARK_RUNS_IN_BLOCKS);
	runs[NEW][0].session.started = "2026-11-01T03:00:00Z";
	CHECK_INT(order(&set), REMARK_NONE);
	add(OLD, -1, 1);
	CHECK_INT(order(&set), REMARK_NONE);
	/* A job identifies its session, but not when it began. */
	set = start();
	add(OLD, 0, 1);
	add(OLD, -1, 1)->session.job = "7";
	add(NEW, 100, 1);
	CHECK_INT(order(&set), REMARK_NONE);
	arena_release(&a);
}

/* Each session is the median of its runs, with their flags and rounding. */
static void
test_replace(void)
{
	static struct remark flag = { .code = REMARK_JOINED };
	struct result_set set = start();
	struct error e = ERROR_INIT;

	add(OLD, 0, 10);
	add(OLD, 10, 14)->flags = &flag;
	runs[OLD][1].n_flags = 1;
	add(OLD, 20, 11)->rounding = (struct result_rounding){ 9, 13 };
	add(OLD, 100, 20);
	add(OLD, 110, 22);
	add(NEW, 0, 1);
	sessions_find(&set);
	CHECK_INT(sessions_replace_runs(&set, NAN, &e), 0);
	CHECK_INT(cases[OLD].n, 2);
	CHECK_NEAR(cases[OLD].runs[0].value, 11, 0);
	CHECK_NEAR(cases[OLD].runs[0].rounding.low, 10, 0);
	CHECK_NEAR(cases[OLD].runs[0].rounding.high, 13, 0);
	CHECK_INT(cases[OLD].runs[0].n_flags, 1);
	CHECK_NEAR(cases[OLD].runs[1].value, 21, 0);
	CHECK_STR(cases[OLD].runs[1].run, "2");
	CHECK_NEAR(cases[OLD].median_speed, 16, 0);
	CHECK_NEAR(cases[OLD].median_level, 0.5, 1e-15);
	set = start();
	add(OLD, -1, 10);
	sessions_find(&set);
	CHECK_INT(sessions_replace_runs(&set, NAN, &e), -1);
	CHECK_STR(e.message,
	    "old.json: 1n1g: --sessions: the log of run 1 (a.log) states "
	    "neither when it began nor its job");
}

/* The speedup is that of session medians, wherever the baseline is. */
static void
test_replace_speedup(void)
{
	struct result_set set = start();
	struct result_case both[2];
	struct error e = ERROR_INIT;

	add(OLD, 0, 10);
	add(OLD, 100, 12);
	add(NEW, 10, 20);
	add(NEW, 20, 30);
	add(NEW, 110, 22);
	both[0] = cases[NEW];
	both[0].name = "1n2g";
	both[0].gpus = 2;
	both[0].baseline = "1n1g";
	both[0].base = &both[1];
	both[0].speedup = 2;
	both[1] = cases[OLD];
	both[1].gpus = 1;
	files[OLD].result.cases = both;
	files[OLD].result.n_cases = 2;
	set.n = 1;
	sessions_find(&set);
	CHECK_INT(sessions_replace_runs(&set, NAN, &e), 0);
	CHECK_NEAR(both[0].median_speed, 23.5, 0);
	CHECK_NEAR(both[0].speedup, 23.5 / 11, 1e-15);
	CHECK_NEAR(both[0].efficiency, 23.5 / 22, 1e-15);
}

/* --- coverage ------------------------------------------------------------- */

/* How often intervals held, and how often "slower" was wrong. */
struct counts {
	int median, ratio, slower;
	double median_level, ratio_level;
};

static void
count(struct counts *n)
{
	double x[2][MAX_RUNS];
	struct interval in;

	for (int i = 0; i < 2; i++)
		for (size_t k = 0; k < cases[i].n_runs; k++)
			x[i][k] = cases[i].runs[k].value;
	CHECK_INT(rank_test_median(x[OLD], cases[OLD].n_runs, 0.95, &in), 0);
	n->median += in.low <= 100 && 100 <= in.high;
	n->median_level = in.level;
	CHECK_INT(rank_test_ratio(x[NEW], cases[NEW].n_runs, x[OLD],
		      cases[OLD].n_runs, 0.95, &in),
	    0);
	n->ratio += in.low <= 1 && 1 <= in.high;
	n->slower += in.level >= 0.95 && in.high < 1;
	n->ratio_level = in.level;
}

static int
ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Median of a sample of sessions and of runs of each, both drawn with
 * replacement. The runs of session s start at s * n_runs. */
static double
resampled(const struct result_case *c, size_t n_sessions, size_t n_runs)
{
	double x[MAX_RUNS];
	size_t n = 0;

	for (size_t s = 0; s < n_sessions; s++) {
		const size_t from =
		    (size_t)(random_uniform() * (double)n_sessions) * n_runs;

		for (size_t k = 0; k < n_runs; k++)
			x[n++] =
			    c->runs[from +
				 (size_t)(random_uniform() * (double)n_runs)]
				.value;
	}
	return stats_median_reorder(x, n);
}

/* True if the 95 % interval of the ratio by a two-level bootstrap holds. */
static int
bootstrap_holds(size_t n_sessions, size_t n_runs)
{
	double ratios[RESAMPLES];

	for (size_t i = 0; i < RESAMPLES; i++)
		ratios[i] = resampled(&cases[NEW], n_sessions, n_runs) /
		    resampled(&cases[OLD], n_sessions, n_runs);
	qsort(ratios, RESAMPLES, sizeof *ratios, ascending);
	return ratios[RESAMPLES / 40 - 1] <= 1 &&
	    1 <= ratios[RESAMPLES - RESAMPLES / 40];
}

/* Old and new sessions, one a day; sessions vary as much as runs. */
static void
simulate(size_t n_sessions, size_t n_runs)
{
	struct counts plain = { 0 }, own = { 0 };
	int bootstrap = 0, bootstraps = 0;
	double chance;

	random_state =
	    88172645463325252u + (100 * n_sessions + n_runs) * 2654435761u;
	for (int t = 0; t < trials; t++) {
		struct result_set set = start();
		struct error e = ERROR_INIT;

		for (size_t s = 0; s < 2 * n_sessions; s++) {
			const double common = 0.01 * random_normal();

			for (size_t k = 0; k < n_runs; k++)
				add(s % 2, (int)(1440 * (s % 20) + 5 * k),
				    100 * exp(common + 0.01 * random_normal()));
		}
		count(&plain);
		if (t % 8 == 0) {
			bootstrap += bootstrap_holds(n_sessions, n_runs);
			bootstraps++;
		}
		sessions_find(&set);
		CHECK_INT(sessions_replace_runs(&set, 0.95, &e), 0);
		CHECK_INT(cases[OLD].n_runs, n_sessions);
		count(&own);
	}
	printf(
	    "# | %zu x %zu | %.2f %%: %.1f %% | %.2f %%: %.1f %% | %.1f %% | "
	    "%.1f %% | ",
	    n_sessions, n_runs, 100 * plain.median_level,
	    100.0 * plain.median / trials, 100 * plain.ratio_level,
	    100.0 * plain.ratio / trials, 100.0 * plain.slower / trials,
	    100.0 * bootstrap / bootstraps);
	if (isnan(own.ratio_level)) {
		printf(
		    "none | none | %.1f %% |\n", 100.0 * own.slower / trials);
		CHECK_INT(own.slower, 0);
		return;
	}
	printf("%.2f %%: %.1f %% | %.2f %%: %.1f %% | %.1f %% |\n",
	    100 * own.median_level, 100.0 * own.median / trials,
	    100 * own.ratio_level, 100.0 * own.ratio / trials,
	    100.0 * own.slower / trials);
	/* Beyond chance: 4 standard deviations. */
	chance = 4 * sqrt(0.25 / trials);
	CHECK(own.median >= trials * (own.median_level - chance));
	CHECK(own.median <= trials * (own.median_level + chance));
	chance = 4 * sqrt(0.1 * 0.9 / trials);
	CHECK(own.ratio >= trials * (own.ratio_level - chance));
	CHECK(own.ratio <= trials * (own.ratio_level + chance));
	CHECK(own.slower <= trials * (0.025 + 4 * sqrt(0.025 / trials)));
}

static void
test_coverage(void)
{
	static const size_t sessions[] = { 1, 3, 5, 6, 10 };

	for (size_t i = 0; i < sizeof sessions / sizeof *sessions; i++)
		for (size_t n = 2; n <= 5; n++)
			simulate(sessions[i], n);
}

static const struct tap_test tests[] = {
	TEST(test_find),
	TEST(test_order),
	TEST(test_replace),
	TEST(test_replace_speedup),
	TEST(test_coverage),
};

int
main(void)
{
	const char *asked = getenv("SESSION_TRIALS");

	if (asked != NULL && strtol(asked, NULL, 10) > 0)
		trials = (int)strtol(asked, NULL, 10);
	return tap_main(tests, N_TESTS(tests));
}
