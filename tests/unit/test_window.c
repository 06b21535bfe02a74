#include <config.h>

#include "common/result/result.h"
#include "extract/measure/steps/window.h"
#include "tests/tap.h"
#include "tests/unit/logs.h"
#include "tests/unit/said.h"

/* Steps of one log on one rank; they are dropped with the log. */
static struct arena arena;
static struct steps steps;
static struct log *log_of_steps;

static void
use(struct log *log)
{
	const struct log *logs = log_pack(log);
	struct exclusion x = EXCLUSION_INIT;

	CHECK_INT(steps_make(&logs, 1, 1, 1, -1, &steps, &x), 0);
	log_of_steps = log;
}

static void
drop(void)
{
	steps_release(&steps);
	log_drop(log_of_steps);
}

static void
test_default_window(void)
{
	const struct rule rule = RULE_DEFAULT;
	struct log *log = log_new(&imagenet);
	struct exclusion x = EXCLUSION_INIT;
	struct window w;
	int i;

	/* Value k at position k: the mean over 25..124 is 74.5. */
	for (i = 0; i < 200; i++)
		log_add(log, 0, i, i + 1e-9);
	use(log);
	CHECK_INT(window_select(&steps, &rule, RULE_WINDOW, &w, &x), 0);
	CHECK_INT(w.n, 100);
	CHECK_INT(w.iterations, 100);
	CHECK_INT(steps_first(&steps, &w.first), 25);
	CHECK_INT(w.last.last, 124);
	CHECK_NEAR(w.value, 74.5, 1e-6);
	window_release(&w);
	drop();

	/* Counted from 1: the same positions are 26 to 125. */
	log = log_new(&imagenet);
	log_add_range(log, 0, 1, 200, 0.5);
	use(log);
	CHECK_INT(window_select(&steps, &rule, RULE_WINDOW, &w, &x), 0);
	CHECK_INT(steps_first(&steps, &w.first), 26);
	CHECK_INT(w.last.last, 125);
	window_release(&w);
	drop();
}

/* Check that the log is excluded, and included by the suggested option. */
static void
check_short(const struct rule *rule, const char *message)
{
	struct exclusion x = EXCLUSION_INIT;
	struct rule other = *rule;
	struct window w;
	const char *hint;
	long n;

	CHECK_INT(window_select(&steps, rule, RULE_WINDOW, &w, &x), -1);
	advice_add(&steps, rule, &w, &arena, &x);
	window_release(&w);
	CHECK_STR(reason_of(&x), EXCLUDED_SHORT);
	CHECK_STR(why_said(&x), message);
	hint = strstr(message, "--train-batches=");
	if (hint != NULL) {
		CHECK_INT(sscanf(hint, "--train-batches=%ld", &n), 1);
		other.train = n;
		CHECK_INT(
		    window_select(&steps, &other, RULE_WINDOW, &w, &x), 0);
		window_release(&w);
		/* The suggested value is the largest one. */
		other.train = n + 1;
		if (steps.instant && steps.spacing == 1)
			CHECK(!advice_is_good(&steps, &other, RULE_WINDOW));
	}
	hint = strstr(message, "--from-iteration=");
	if (hint != NULL) {
		CHECK_INT(
		    sscanf(hint, "--from-iteration=%ld", &other.from_iteration),
		    1);
		CHECK(advice_is_good(&steps, &other, RULE_ALL));
	} else if (strstr(message, "--rule=all") != NULL) {
		CHECK(advice_is_good(&steps, rule, RULE_ALL));
	}
	if (strstr(message, "--epoch=auto") != NULL) {
		other.epoch_choice = EPOCH_AUTO;
		CHECK(advice_is_good(&steps, &other, RULE_WINDOW));
	}
}

static void
test_short(void)
{
	struct rule rule = RULE_DEFAULT;
	struct exclusion x = EXCLUSION_INIT;
	struct window w;
	struct log *log = log_new(&imagenet);

	log_add_range(log, 0, 0, 103, 0.5);
	use(log);
	check_short(&rule,
	    "has 104 of 125 iterations; pass --train-batches=99 to include it");
	drop();
	/* One iteration too few for the window, and just enough. */
	log = log_new(&imagenet);
	log_add_range(log, 0, 0, 123, 0.5);
	use(log);
	check_short(&rule,
	    "has 124 of 125 iterations; pass --train-batches=119 to include "
	    "it");
	drop();
	log = log_new(&imagenet);
	log_add_range(log, 0, 0, 124, 0.5);
	use(log);
	CHECK_INT(window_select(&steps, &rule, RULE_WINDOW, &w, &x), 0);
	window_release(&w);
	drop();
	/* The log ends before the warm-up does. */
	log = log_new(&imagenet);
	log_add_range(log, 0, 0, 19, 0.5);
	use(log);
	check_short(
	    &rule, "has 20 of 125 iterations; pass --rule=all to include it");
	drop();
	/* The same for a window without an end. */
	log = log_new(&imagenet);
	log_add_range(log, 0, 0, 19, 0.5);
	use(log);
	rule.train = RESULT_UNKNOWN;
	check_short(
	    &rule, "has 20 of 26 iterations; pass --rule=all to include it");
	drop();
	/* The run resumed from a checkpoint. */
	rule = (struct rule)RULE_DEFAULT;
	log = log_new(&imagenet);
	log_add_range(log, 0, 5001, 5200, 0.5);
	use(log);
	check_short(&rule,
	    "has the iterations from 5000 on, not the window from "
	    "25 to 125; "
	    "pass --rule=all --from-iteration=5026 to include it");
	drop();
	/* The log starts just after the window, or at its last iteration. */
	log = log_new(&imagenet);
	log_add_range(log, 0, 126, 300, 0.5);
	use(log);
	check_short(&rule,
	    "has the iterations from 125 on, not the window from "
	    "25 to 125; "
	    "pass --rule=all --from-iteration=151 to include it");
	drop();
	log = log_new(&imagenet);
	log_add_range(log, 0, 125, 300, 0.5);
	use(log);
	check_short(&rule,
	    "has the iterations from 124 on, not the window from 25 "
	    "to 125; pass --rule=all to include it");
	drop();
}

/* Lost iterations of the default window. */
static long
lost_of(struct log *log)
{
	const struct rule rule = RULE_DEFAULT;
	struct exclusion x = EXCLUSION_INIT;
	struct window w;
	long lost;

	use(log);
	CHECK_INT(window_select(&steps, &rule, RULE_WINDOW, &w, &x), 0);
	CHECK_INT(steps.spacing, 10);
	lost = w.lost;
	window_release(&w);
	drop();
	return lost;
}

/* Lines are 10 iterations apart. Between two lines, 5 iterations more count as
 * lost, 4 do not; at the start of the window, 10 do. */
static void
test_lost(void)
{
	struct meaning m = imagenet;

	m.base = 0;
	for (int more = 4; more <= 5; more++) {
		struct log *log = log_new(&m);

		for (int i = 0; i < 200; i += 10)
			log_add(log, 0, i > 60 ? i + more : i, 0.5);
		CHECK_INT(lost_of(log), more == 5 ? 5 : 0);
	}
	for (int first = 34; first <= 35; first++) {
		struct log *log = log_new(&m);

		for (int i = 5; i < 200; i += 10)
			if (i != 25)
				log_add(log, 0, i == 35 ? first : i, 0.5);
		CHECK_INT(lost_of(log), first == 35 ? 10 : 0);
	}
}

static void
test_sampled(void)
{
	const struct rule rule = RULE_DEFAULT;
	struct log *log = log_new(&imagenet);
	struct exclusion x = EXCLUSION_INIT;
	struct window w;
	int i;

	for (i = 0; i <= 120; i += 10)
		log_add(log, 0, i, i + 0.5);
	use(log);
	CHECK_INT(window_select(&steps, &rule, RULE_WINDOW, &w, &x), 0);
	CHECK_INT(w.n, 10); /* 30, 40, ... 120 */
	CHECK_NEAR(w.value, 75.5, 1e-12);
	CHECK_INT(steps.spacing, 10);
	window_release(&w);
	drop();
	log = log_new(&imagenet);
	for (i = 0; i <= 110; i += 10)
		log_add(log, 0, i, 0.5);
	use(log);
	check_short(&rule,
	    "has 111 of 125 iterations; pass --train-batches=106 to include "
	    "it");
	drop();
	/* The log prints 1 of 200 iterations, none of them in the window. */
	log = log_new(&imagenet);
	for (i = 0; i <= 5000; i += 200)
		log_add(log, 0, i, 0.5);
	use(log);
	check_short(&rule,
	    "prints 1 of 200 iterations and too few in the window from 25 to "
	    "125; pass --rule=all to include it");
	drop();
}

static void
test_windows(void)
{
	const struct rule rule = RULE_DEFAULT;
	struct log *log = log_new(&speedometer);
	struct exclusion x = EXCLUSION_INIT;
	struct window w;
	int i;

	for (i = 0; i < 200; i += 20)
		log_add(log, 0, i + 20, i < 100 ? 100 : 200)->iter_from = i;
	use(log);
	CHECK_INT(window_select(&steps, &rule, RULE_WINDOW, &w, &x), 0);
	CHECK_INT(w.n, 4); /* 40-60, 60-80, 80-100, 100-120 */
	CHECK_INT(w.iterations, 80);
	CHECK_INT(steps_first(&steps, &w.first), 40);
	CHECK_INT(w.last.last, 120);
	/* 80 / (60 / 100 + 20 / 200), not the mean 125 */
	CHECK_NEAR(w.value, 80 / 0.7, 1e-12);
	window_release(&w);
	drop();
	/* Windows of unequal length are weighted by their length. */
	log = log_new(&speedometer);
	log_add(log, 0, 30, 50)->iter_from = 0;
	log_add(log, 0, 40, 100)->iter_from = 30;
	log_add(log, 0, 120, 200)->iter_from = 40;
	use(log);
	CHECK_INT(window_select(&steps, &rule, RULE_WINDOW, &w, &x), 0);
	CHECK_INT(w.iterations, 90);
	CHECK_NEAR(w.value, 90 / (10 / 100.0 + 80 / 200.0), 1e-12);
	window_release(&w);
	drop();
	/* The log ends a whole window too early. */
	log = log_new(&speedometer);
	for (i = 0; i < 100; i += 20)
		log_add(log, 0, i + 20, 100)->iter_from = i;
	use(log);
	check_short(&rule,
	    "has 100 of 125 iterations; pass --train-batches=95 to include it");
	drop();
	/* The log's windows do not fit: a larger window is suggested. */
	log = log_new(&speedometer);
	for (i = 0; i < 400; i += 100)
		log_add(log, 0, i + 100, 100)->iter_from = i;
	use(log);
	check_short(&rule,
	    "prints 1 of 100 iterations and too few in the window from 25 to "
	    "125; pass --train-batches=195 to include it");
	drop();
}

static void
test_aggregates(void)
{
	struct rule rule = RULE_DEFAULT;
	struct log *log = log_new(&dllogger);
	struct exclusion x = EXCLUSION_INIT;
	struct window w;
	int i;

	for (i = 1; i <= 130; i++)
		log_add(log, 0, i, i % 4 == 0 ? 50 : 100);
	use(log);
	CHECK_INT(window_select(&steps, &rule, RULE_WINDOW, &w, &x), 0);
	/* 25 of 100 at half the speed: 100 / (75/100 + 25/50) */
	CHECK_NEAR(w.value, 80, 1e-12);
	window_release(&w);
	rule.aggregate = AGGREGATE_MEAN;
	CHECK_INT(window_select(&steps, &rule, RULE_WINDOW, &w, &x), 0);
	CHECK_NEAR(w.value, 87.5, 1e-12);
	window_release(&w);
	rule.aggregate = AGGREGATE_MEDIAN;
	CHECK_INT(window_select(&steps, &rule, RULE_WINDOW, &w, &x), 0);
	CHECK_NEAR(w.value, 100, 0);
	window_release(&w);
	drop();
}

/* Epochs of 53 iterations; later ones count from iteration 5: 53 + 48 + 24. */
static void
test_epochs_run_on(void)
{
	struct rule rule = RULE_DEFAULT;
	struct log *log = log_new(&imagenet);
	struct exclusion x = EXCLUSION_INIT;
	struct window w;
	int e;

	for (e = 0; e < 5; e++)
		log_add_range(log, e, 0, 52, 0.1 * (e + 1));
	use(log);
	CHECK_INT(window_select(&steps, &rule, RULE_WINDOW, &w, &x), 0);
	CHECK_INT(w.n_parts, 3);
	CHECK_INT(w.iterations, 100);
	CHECK_INT(steps_first(&steps, &w.first), 25);
	CHECK_INT(steps_first(&steps, &w.steps[w.parts[1].first]), 5);
	CHECK_INT(w.last.last, 28); /* 53 + 48 = 101, and 24 from 5 */
	CHECK_INT(w.last_epoch, 2);
	CHECK_NEAR(w.value, (28 * 0.1 + 48 * 0.2 + 24 * 0.3) / 100, 1e-14);
	window_release(&w);
	/* Without an end: 28 + 4 x 48. */
	rule.epoch_choice = EPOCH_ALL;
	rule.train = RESULT_UNKNOWN;
	CHECK_INT(window_select(&steps, &rule, RULE_WINDOW, &w, &x), 0);
	CHECK_INT(w.iterations, 220);
	window_release(&w);
	rule.epoch_choice = EPOCH_ONE;
	rule.epoch = 1;
	rule.train = 120;
	check_short(&rule,
	    "has 53 of 125 iterations; pass --train-batches=48 to include it");
	rule.warmup = 60;
	/* --epoch=auto is not suggested: other epochs are faster and slower. */
	check_short(
	    &rule, "has 53 of 125 iterations; pass --rule=all to include it");
	rule.epoch = 7;
	CHECK_INT(window_select(&steps, &rule, RULE_WINDOW, &w, &x), -1);
	CHECK_STR(reason_of(&x), EXCLUDED_NO_EPOCH);
	CHECK_STR(why_said(&x), "has no epoch 7, only 0 to 4");
	window_release(&w);
	drop();
}

/* A first epoch shorter than the part that later ones skip moves the window
 * back: position 3 is iteration 5 of the next epoch, and 124 is 126. */
static void
test_short_first_epoch(void)
{
	const struct rule rule = RULE_DEFAULT;
	struct log *log = log_new(&imagenet);
	struct exclusion x = EXCLUSION_INIT;
	struct window w;

	log_add_range(log, 0, 0, 2, 9);
	log_add_range(log, 1, 0, 200, 0.5);
	use(log);
	CHECK_INT(window_select(&steps, &rule, RULE_WINDOW, &w, &x), 0);
	CHECK_INT(w.iterations, 100);
	CHECK_INT(steps_first(&steps, &w.first), 27);
	CHECK_INT(w.last.last, 126);
	CHECK_INT(w.lost, 0);
	window_release(&w);
	drop();
}

static void
test_one_epoch(void)
{
	struct rule rule = RULE_DEFAULT;
	struct log *log = log_new(&imagenet);
	struct exclusion x = EXCLUSION_INIT;
	struct window w;

	log_add_range(log, 3, 0, 199, 0.5);
	log_add_range(log, 4, 0, 199, 0.7);
	use(log);
	CHECK_INT(window_select(&steps, &rule, RULE_WINDOW, &w, &x), 0);
	CHECK_NEAR(w.value, 0.5, 1e-15); /* the first in the file */
	CHECK_INT(w.n_parts, 1);
	window_release(&w);
	rule.epoch_choice = EPOCH_ONE;
	rule.epoch = 4;
	CHECK_INT(window_select(&steps, &rule, RULE_WINDOW, &w, &x), 0);
	CHECK_NEAR(w.value, 0.7, 1e-15);
	window_release(&w);
	drop();
	log = log_new(&imagenet);
	log_add_range(log, SAMPLE_NONE, 0, 199, 0.5);
	use(log);
	CHECK_INT(window_select(&steps, &rule, RULE_WINDOW, &w, &x), -1);
	CHECK_STR(why_said(&x), "has no epoch 4");
	window_release(&w);
	drop();
}

/* The length of an epoch is the stated one, even if not all is printed. */
static void
test_epoch_length(void)
{
	const struct rule rule = RULE_DEFAULT;
	struct log *log = log_new(&imagenet);
	struct exclusion x = EXCLUSION_INIT;
	struct window w;
	int e, i;

	for (e = 0; e < 3; e++)
		for (i = 0; i < 60; i += 10)
			log_add(log, e, i, 0.5)->iters = 55;
	use(log);
	CHECK_INT(window_select(&steps, &rule, RULE_WINDOW, &w, &x), 0);
	/* 0: 30 40 50; 1 (positions 50 + i): 10 .. 50; 2 (100 + i): 10 20 */
	CHECK_INT(w.n, 10);
	CHECK_INT(w.last.last, 20);
	window_release(&w);
	drop();
}

/* Time from the first to the last stamp in the window, 99 iterations. */
static void
test_stamps(void)
{
	struct meaning m = imagenet;
	const struct rule rule = RULE_DEFAULT;
	struct log *log = log_new(&m);
	struct exclusion x = EXCLUSION_INIT;
	struct window w;
	int i;

	m.kind = VALUE_STAMP;
	for (i = 0; i < 125; i++)
		log_add(log, 0, i, NAN)->stamp =
		    86350 + 0.5 * i - (i > 99 ? 86400 : 0);
	use(log);
	CHECK_INT(window_select(&steps, &rule, RULE_WINDOW, &w, &x), 0);
	CHECK_INT(w.iterations, 99);
	CHECK_INT(steps_first(&steps, &w.first), 25);
	CHECK_INT(w.last.last, 124);
	CHECK_NEAR(w.value, 0.5, 1e-9);
	window_release(&w);
	drop();
}

static void
test_rule_all(void)
{
	struct rule rule = RULE_DEFAULT;
	struct log *log = log_new(&speedometer);
	struct exclusion x = EXCLUSION_INIT;
	struct window w;
	int i, e;

	for (e = 0; e < 2; e++)
		for (i = 0; i < 200; i += 20)
			log_add(log, e, i + 20, 100 + i)->iter_from = i;
	use(log);
	CHECK_INT(window_select(&steps, &rule, RULE_ALL, &w, &x), 0);
	CHECK_INT(w.n, 20);
	window_release(&w);
	/* The window that begins at 100 is the first; all of a later epoch
	 * counts. */
	rule.from_iteration = 100;
	CHECK_INT(window_select(&steps, &rule, RULE_ALL, &w, &x), 0);
	CHECK_INT(w.n, 15);
	CHECK_INT(steps_first(&steps, &w.first), 100);
	window_release(&w);
	rule.epoch_choice = EPOCH_ONE;
	rule.aggregate = AGGREGATE_MEDIAN;
	CHECK_INT(window_select(&steps, &rule, RULE_ALL, &w, &x), 0);
	CHECK_INT(w.n, 5);
	CHECK_NEAR(w.value, 240, 0);
	window_release(&w);
	rule.from_iteration = 1000;
	CHECK_INT(window_select(&steps, &rule, RULE_ALL, &w, &x), -1);
	CHECK_STR(
	    why_said(&x), "prints no iteration from 1000 on, only up to 200");
	window_release(&w);
	drop();
}

/* A line without bounds is compared by its printed number. */
static void
test_rule_all_by_printed_number(void)
{
	struct meaning m = speedometer;
	struct rule rule = RULE_DEFAULT;
	struct log *log = log_new(&m);
	struct exclusion x = EXCLUSION_INIT;
	struct window w;
	int i;

	m.base = 1;
	for (i = 10; i <= 100; i += 10)
		log_add(log, SAMPLE_NONE, i, 100);
	use(log);
	rule.from_iteration = 11;
	CHECK_INT(window_select(&steps, &rule, RULE_ALL, &w, &x), 0);
	CHECK_INT(w.first.last, 20);
	window_release(&w);
	rule.from_iteration = 20;
	CHECK_INT(window_select(&steps, &rule, RULE_ALL, &w, &x), 0);
	CHECK_INT(w.first.last, 20);
	window_release(&w);
	drop();
}

/* Numbers that continue across epochs are compared as printed: a bound of 61
 * excludes the line with 60. */
static void
test_rule_all_counts_on(void)
{
	struct meaning m = speedometer;
	struct rule rule = RULE_DEFAULT;
	struct log *log = log_new(&m);
	struct exclusion x = EXCLUSION_INIT;
	struct window w;
	size_t all;
	int i;

	m.base = 1;
	m.iter_global = 1;
	for (i = 10; i <= 100; i += 10)
		log_add(log, (i - 1) / 50, i, 100);
	use(log);
	CHECK_INT(window_select(&steps, &rule, RULE_ALL, &w, &x), 0);
	all = w.n;
	window_release(&w);
	rule.from_iteration = 60;
	CHECK_INT(window_select(&steps, &rule, RULE_ALL, &w, &x), 0);
	CHECK_INT(w.n, all - 5);
	window_release(&w);
	rule.from_iteration = 61;
	CHECK_INT(window_select(&steps, &rule, RULE_ALL, &w, &x), 0);
	CHECK_INT(w.n, all - 6);
	window_release(&w);
	drop();
}

/* Means since the previous line, on two lines: 25 and 125 have a spacing of 25,
 * so lines are missing; 50 and 125 have a spacing of 75, so none are. */
static void
test_two_lines(void)
{
	const struct rule rule = RULE_DEFAULT;
	struct meaning m = speedometer;
	struct exclusion x = EXCLUSION_INIT;
	struct window w;

	m.base = 1;
	for (int first = 25; first <= 50; first += 25) {
		struct log *log = log_new(&m);

		log_add(log, 0, first, 100);
		log_add(log, 0, 125, 100);
		use(log);
		CHECK_INT(steps.spacing, first == 25 ? 25 : 75);
		CHECK_INT(window_select(&steps, &rule, RULE_WINDOW, &w, &x),
		    first == 25 ? -1 : 0);
		window_release(&w);
		drop();
	}
}

static void
test_unnumbered(void)
{
	const struct rule rule = RULE_DEFAULT;
	struct log *log = log_new(&dllogger);
	struct exclusion x = EXCLUSION_INIT;
	struct window w;

	log_add(log, SAMPLE_NONE, SAMPLE_NONE, 100);
	log_add(log, SAMPLE_NONE, SAMPLE_NONE, 110);
	use(log);
	CHECK_INT(window_select(&steps, &rule, RULE_WINDOW, &w, &x), -1);
	CHECK_STR(why_said(&x), "numbers no iterations");
	advice_add(&steps, &rule, &w, &arena, &x);
	CHECK_STR(why_said(&x),
	    "numbers no iterations; pass --rule=all to include it");
	window_release(&w);
	CHECK_INT(window_select(&steps, &rule, RULE_ALL, &w, &x), 0);
	CHECK_INT(w.n, 2);
	window_release(&w);
	drop();
}

static void
test_rule_check(void)
{
	struct rule rule = RULE_DEFAULT;
	struct error e = ERROR_INIT;

	CHECK_INT(rule_check(&rule, &e), 0);
	rule.train = 20;
	CHECK_INT(rule_check(&rule, &e), -1);
	CHECK_INT(e.code, ERROR_USAGE);
	rule = (struct rule)RULE_DEFAULT;
	rule.metric = METRIC_TIME_TO_TRAIN;
	CHECK_INT(rule_check(&rule, &e), 0);
	CHECK_INT(rule_kind_of(&rule, &imagenet), RULE_SUMMARY);
	rule.kind = RULE_WINDOW;
	CHECK_INT(rule_check(&rule, &e), -1);
}

static const struct tap_test tests[] = {
	TEST(test_default_window),
	TEST(test_two_lines),
	TEST(test_short),
	TEST(test_lost),
	TEST(test_sampled),
	TEST(test_windows),
	TEST(test_aggregates),
	TEST(test_epochs_run_on),
	TEST(test_short_first_epoch),
	TEST(test_one_epoch),
	TEST(test_epoch_length),
	TEST(test_stamps),
	TEST(test_rule_all),
	TEST(test_rule_all_by_printed_number),
	TEST(test_rule_all_counts_on),
	TEST(test_unnumbered),
	TEST(test_rule_check),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
