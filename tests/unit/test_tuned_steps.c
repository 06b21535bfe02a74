/* Steps during trials of a tuner are left out of the window or flagged. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "extract/measure/measure_run.h"
#include "tests/tap.h"
#include "tests/unit/logs.h"
#include "tests/unit/said.h"

static struct arena arena;

/* One device with a batch of 1. */
static const struct metadata one = {
	.batch_size_per_device = 1, .nodes = 1, .gpus_per_node = 1, .gpus = 1
};

static int
measure(struct log *log, const struct rule *rule, struct measured *m,
    struct exclusion *x)
{
	const struct log *packed = log_pack(log);
	const struct run_source source = { &packed, 1, &one, NULL };

	arena_release(&arena);
	return measure_run(&source, rule, &arena, m, x);
}

/* Trial steps take 1 s, the others 0.5 s; iteration i is on line i + 1.
 *
 * until     number of trial iterations
 * from, to  lines of "tuning_from" and "tuning_until"; 0: none */
static int
measure_tuned(int n, int until, const struct rule *rule, int64_t from,
    const char *since, int64_t to, struct measured *m)
{
	struct log *log = log_new(&imagenet);
	struct exclusion x = EXCLUSION_INIT;
	int rc;

	for (int i = 0; i < n; i++)
		log_add(log, 0, i, i < until ? 1 : 0.5);
	if (from > 0)
		log_state(log, "tuning_from", since, from);
	if (to > 0)
		log_state(log, "tuning_until", "77", to);
	rc = measure(log, rule, m, &x);
	free(log->metadata);
	log_drop(log);
	return rc;
}

/* A window with trial steps begins after them, or is flagged. The default
 * window has iterations 25 to 124, on lines 26 to 125. */
static void
test_tuned(void)
{
	const struct rule usual = RULE_DEFAULT;
	struct rule asked = RULE_DEFAULT;
	struct measured m;

	/* Trials end before the window: not flagged. */
	CHECK_INT(measure_tuned(300, 25, &usual, 1, "0", 25, &m), 0);
	CHECK_INT(m.run.first_iteration, 25);
	CHECK_INT(m.run.n_flags, 0);
	/* Iteration 25 is a trial, too: the window moves by 1. */
	CHECK_INT(measure_tuned(300, 26, &usual, 1, "0", 27, &m), 0);
	CHECK_INT(m.run.first_iteration, 26);
	CHECK_INT(m.run.last_iteration, 125);
	CHECK_NEAR(m.run.step_s, 0.5, 1e-15);
	CHECK(run_says(&m.run,
	    "the window begins at position 26, after settings were tuned"));
	/* The latest window that fits; one later, the default is flagged. */
	CHECK_INT(measure_tuned(300, 200, &usual, 1, "0", 201, &m), 0);
	CHECK_INT(m.run.first_iteration, 200);
	CHECK_NEAR(m.run.step_s, 0.5, 1e-15);
	CHECK_INT(measure_tuned(300, 201, &usual, 1, "0", 202, &m), 0);
	CHECK_INT(m.run.first_iteration, 25);
	CHECK(run_says(&m.run, "settings were tuned during 100 of 100 steps"));
	/* A window set by an option does not move. */
	asked.warmup = 30;
	CHECK_INT(measure_tuned(300, 60, &asked, 1, "0", 61, &m), 0);
	CHECK_INT(m.run.first_iteration, 35);
	CHECK(run_says(&m.run, "settings were tuned during 25 of 90 steps"));
	/* Trials resume in the middle, until the end; and start at an iteration
	 * other than 0, whose line is used. */
	CHECK_INT(measure_tuned(130, 0, &usual, 101, "100", 40, &m), 0);
	CHECK(run_says(&m.run, "settings were tuned during 25 of 100 steps"));
	/* Trials that begin before the start, on any line, and do not end. */
	CHECK_INT(measure_tuned(130, 130, &usual, 100, "0", 0, &m), 0);
	CHECK(run_says(&m.run,
	    "settings were tuned during an unknown number of 100 steps"));
}

/* Measure 20 lines, with the changes of the tuner on the given lines. Returns
 * the number of trial steps. */
static int
count_tuned(const struct meaning *meaning, int every, const char *first,
    int64_t first_line, const char *value, int64_t second_line)
{
	struct log *log = log_new(meaning);
	struct rule all = RULE_DEFAULT;
	struct exclusion x = EXCLUSION_INIT;
	struct measured m;
	int n = 0, of = 20;

	all.kind = RULE_ALL;
	for (int i = 1; i <= 20; i++)
		log_add(log, 0, i * every - 1, 0.5);
	log_state(log, first, value, first_line);
	if (second_line > 0)
		log_state(log,
		    strcmp(first, "tuning_from") == 0 ? "tuning_until"
						      : "tuning_from",
		    "77", second_line);
	CHECK_INT(measure(log, &all, &m, &x), 0);
	for (size_t i = 0; i < m.run.n_flags; i++)
		sscanf(said(&m.run.flags[i]),
		    "settings were tuned during %d of %d steps", &n, &of);
	CHECK_INT(of, 20);
	free(log->metadata);
	log_drop(log);
	return n;
}

/* A change applies to its own line; the later of two on one line wins. */
static void
test_lines_of_changes(void)
{
	CHECK_INT(count_tuned(&imagenet, 1, "tuning_from", 3, "77", 6), 3);
	CHECK_INT(count_tuned(&imagenet, 1, "tuning_until", 6, "77", 3), 3);
	CHECK_INT(count_tuned(&imagenet, 1, "tuning_from", 3, "77", 3), 0);
	CHECK_INT(count_tuned(&imagenet, 1, "tuning_until", 3, "77", 3), 18);
	CHECK_INT(count_tuned(&imagenet, 1, "tuning_from", 3, "77", 2), 18);
	CHECK_INT(count_tuned(&imagenet, 1, "tuning_from", 9, "0", 2), 1);
	CHECK_INT(count_tuned(&imagenet, 1, "tuning_from", 9, "0", 1), 0);
	/* An end without a beginning. */
	CHECK_INT(count_tuned(&imagenet, 1, "tuning_until", 6, "77", 0), 0);
}

/* A line with the mean since the previous line is a trial if that line is one;
 * the first line has no previous line. */
static void
test_lines_of_means(void)
{
	struct meaning meaning = imagenet;

	meaning.statistic = STATISTIC_WINDOW_MEAN;
	meaning.base = 0;
	CHECK_INT(count_tuned(&meaning, 10, "tuning_from", 3, "77", 6), 4);
	CHECK_INT(count_tuned(&meaning, 10, "tuning_from", 9, "0", 3), 3);
	CHECK_INT(count_tuned(&meaning, 10, "tuning_from", 9, "0", 2), 2);
	CHECK_INT(count_tuned(&meaning, 10, "tuning_from", 9, "0", 1), 0);
	CHECK_INT(count_tuned(&meaning, 10, "tuning_from", 20, "77", 21), 1);
}

/* With time stamps, a step ends where the next begins. */
static void
test_tuned_stamps(void)
{
	struct meaning meaning = imagenet;
	const struct rule usual = RULE_DEFAULT;
	struct log *log = log_new(&meaning);
	struct exclusion x = EXCLUSION_INIT;
	struct measured m;
	double at = 1000;

	meaning.kind = VALUE_STAMP;
	meaning.base = 0;
	for (int i = 0; i < 300; i++) {
		at += i < 36 ? 1 : 0.5;
		log_add(log, 0, i, NAN)->stamp = at;
	}
	log_state(log, "tuning_from", "0", 1);
	log_state(log, "tuning_until", "77", 37);
	CHECK_INT(measure(log, &usual, &m, &x), 0);
	/* Iteration 35 ends at the stamp of 36, but began during a trial. */
	CHECK_INT(m.run.first_iteration, 36);
	CHECK_NEAR(m.run.step_s, 0.5, 1e-9);
	CHECK(run_says(&m.run,
	    "the window begins at position 36, after settings were tuned"));
	free(log->metadata);
	log_drop(log);
}

/* The maximum number of changes in a log. */
static void
test_tuned_often(void)
{
	enum { CHANGES = 8000, EACH = 25 };
	struct log *log = log_new(&imagenet);
	struct rule all = RULE_DEFAULT;
	struct exclusion x = EXCLUSION_INIT;
	struct measured m;

	all.kind = RULE_ALL;
	for (int i = 0; i < CHANGES * EACH; i++)
		log_add(log, 0, i, 0.5);
	for (int i = 0; i < CHANGES; i++)
		log_state(log, i % 2 ? "tuning_until" : "tuning_from", "77",
		    1 + EACH * i);
	CHECK_INT(measure(log, &all, &m, &x), 0);
	CHECK(run_says(
	    &m.run, "settings were tuned during 100000 of 200000 steps"));
	free(log->metadata);
	log_drop(log);
}

static const struct tap_test tests[] = {
	TEST(test_tuned),
	TEST(test_lines_of_changes),
	TEST(test_lines_of_means),
	TEST(test_tuned_stamps),
	TEST(test_tuned_often),
};

int
main(void)
{
	const int rc = tap_main(tests, N_TESTS(tests));

	arena_release(&arena);
	return rc;
}
