/* Compare the window of a run with the rest of it, where lines are few or their
 * numbers coarse. */
#include <config.h>

#include <math.h>

#include "extract/measure/measure_run.h"
#include "tests/tap.h"
#include "tests/unit/logs.h"
#include "tests/unit/said.h"

static struct arena arena;
static struct measured m; /* the last run */

/* Measure a log of one device and drop it. */
static void
measure(struct log *log)
{
	const struct metadata f = { .batch_size_per_device = 32,
		.nodes = 1,
		.gpus_per_node = 1,
		.gpus = 1 };
	const struct rule rule = RULE_DEFAULT;
	const struct log *packed = log_pack(log);
	const struct run_source source = { &packed, 1, &f, NULL };
	struct exclusion x = EXCLUSION_INIT;

	arena_release(&arena);
	CHECK_INT(measure_run(&source, &rule, &arena, &m, &x), 0);
	log_drop(log);
}

/* True if a flag reports a change of speed. */
static int
is_unsteady(void)
{
	return run_says(&m.run, "than all steps") ||
	    run_says(&m.run, "than the steps after") ||
	    run_says(&m.run, "settles at") || run_says(&m.run, "warm-up") ||
	    run_says(&m.run, "stalls") || run_says(&m.run, "drift");
}

/* Mean step times over several iterations each, like MXNet's rates. */
static const struct meaning means = { .kind = VALUE_STEP_TIME,
	.statistic = STATISTIC_WINDOW_MEAN,
	.unit = "s",
	.base = 1,
	.rule = "window" };

/* Lines with only a time stamp. */
static const struct meaning stamped = {
	.kind = VALUE_STAMP, .unit = "s", .base = BASE_AUTO, .rule = "window"
};

/* Measure step times over 50 iterations each, as MXNet prints rates. */
static void
few_lines(const double *seconds, int n)
{
	struct log *log = log_new(&means);

	for (int i = 0; i < n; i++)
		log_add(log, 0, 50 * (i + 1), seconds[i]);
	measure(log);
}

/* A difference of more than 5 % between the window and the rest is flagged
 * however few lines show it; a smaller one is not if the scatter is unknown. */
static void
test_few_lines(void)
{
	static const double slow[] = { 0.6, 0.6, 0.2, 0.2 };
	static const double more[] = { 0.2, 0.2, 0.217, 0.217 };
	static const double less[] = { 0.2, 0.2, 0.213, 0.213 };

	few_lines(slow, 4);
	CHECK_NEAR(m.run.audit.window_off, 0.6 * 3 - 1, 1e-12);
	CHECK(run_says(&m.run, "the window is 80.0 % slower than all steps"));
	few_lines(more, 4);
	CHECK(run_says(&m.run, "the window is 5.4 % faster than all steps"));
	few_lines(less, 4);
	CHECK(!is_unsteady());
}

/* The run throttles in an epoch after that of the window. The first steps of an
 * epoch, which wait for the loader, are left out. */
static void
test_later_epoch(void)
{
	for (int throttled = 0; throttled < 2; throttled++) {
		struct log *log = log_new(&imagenet);

		for (int e = 0; e < 3; e++)
			for (int i = 0; i < 200; i++)
				log_add(log, e, i,
				    i < 5 && e > 0           ? 5
					: throttled && e > 0 ? 0.4
							     : 0.3);
		measure(log);
		CHECK_INT(
		    run_says(&m.run, "% faster than all steps"), throttled);
		CHECK_INT(m.run.n_flags, throttled);
	}
}

/* The steps after the window are slower by 8 %. The window differs less from
 * all steps, as it is a large part of them. */
static void
test_after(void)
{
	struct log *log = log_new(&imagenet);

	for (int i = 0; i < 150; i++)
		log_add(log, 0, i, i < 125 ? 0.3 : 0.324);
	measure(log);
	CHECK_NEAR(m.run.audit.window_off,
	    0.3 / ((100 * 0.3 + 25 * 0.324) / 125) - 1, 1e-12);
	CHECK(run_says(
	    &m.run, "the window is 7.4 % faster than the steps after it"));
	/* Too few steps to tell. */
	log = log_new(&imagenet);
	for (int i = 0; i < 140; i++)
		log_add(log, 0, i, i < 125 ? 0.3 : 0.324);
	measure(log);
	CHECK_INT(m.run.n_flags, 0);
}

/* Single steps on every tenth line miss the stalls after the window; the
 * running means beside them include these. */
static void
test_means_of_the_rest(void)
{
	struct meaning meaning = imagenet;

	meaning.base = 0;
	for (int printed = 0; printed < 2; printed++) {
		struct log *log = log_new(&meaning);
		double sum = 0;

		meaning.second = printed ? SECOND_MEAN : SECOND_NONE;
		log->units.mean = printed ? 1e-4 : 0;
		for (int i = 0; i < 600; i++) {
			sum += i % 10 == 5 && i > 150 ? 0.9 : 0.3;
			if (i % 10 == 0)
				log_add(log, 0, i, 0.3)->second =
				    round(sum / (i + 1) * 1e4) / 1e4;
		}
		measure(log);
		CHECK_INT(run_says(&m.run, "% faster than all steps"), printed);
	}
}

/* A clock of whole seconds beside steps of 0.205 s. Its ticks are not changes
 * of the step time and do not hide one. */
static void
test_whole_seconds(void)
{
	for (int period = 1; period <= 50; period += period < 10 ? 9 : 40)
		for (int slow = 0; slow < 2; slow++) {
			struct log *log = log_new(&stamped);
			double now = 1638460800;

			log->units.total = 1;
			for (int i = 0; i < 600; i++) {
				now += slow && i > 150 ? 0.41 : 0.205;
				if (i % period == 0)
					log_add(log, 0, i, NAN)->stamp =
					    floor(now);
			}
			measure(log);
			CHECK_INT(is_unsteady(), slow);
		}
}

/* Noise of the printed steps is not a difference from their means. */
static void
test_instants_scatter(void)
{
	struct meaning meaning = imagenet;
	meaning.base = 0;
	meaning.second = SECOND_MEAN;
	for (int apart = 0; apart < 2; apart++) {
		struct log *log = log_new(&meaning);

		/* Steps of 0.27 to 0.35 s, 3.3 % above the mean, and 0.05 s
		 * slower, 20 % above it. */
		for (int i = 0; i < 200; i += 10)
			log_add(log, 0, i,
			    0.31 + 0.04 * ((i / 10) % 3 - 1) + 0.05 * apart)
			    ->second = 0.3;
		log->units.mean = 1e-5;
		measure(log);
		CHECK(run_says(
		    &m.run, "1 of 10 iterations: the printed running means"));
		CHECK_INT(
		    run_says(&m.run, "single steps on the same lines"), apart);
	}
}

/* One step in ten is printed, with its stamp and without a mean. The stamps
 * reveal slow steps between the lines, in the window or after it. */
static void
test_stamps_between(void)
{
	for (int where = 0; where < 3; where++) {
		struct log *log = log_new(&imagenet);
		double now = 1638460800;

		for (int i = 0; i < 600; i++) {
			const int in = i < 125;

			now += i % 10 == 5 && where > 0 && in == (where == 1)
			    ? 0.9
			    : 0.3;
			if (i % 10 == 0)
				log_add(log, 0, i, 0.3)->stamp = now;
		}
		measure(log);
		CHECK(run_says(&m.run, "prints 1 of 10 iterations"));
		CHECK_INT(
		    run_says(&m.run, "by the clock of the lines"), where == 1);
		CHECK_INT(run_says(&m.run, "% faster than the steps after it"),
		    where == 2);
	}
}

/* A single record is the whole window. */
static void
test_single_record(void)
{
	for (int width = 25; width <= 50; width += 25) {
		struct log *log = log_new(&speedometer);

		for (int i = width; i <= 400; i += width)
			log_add(log, 0, i, 100)->iter_from = i - width;
		measure(log);
		CHECK_INT(run_says(&m.run,
			      "the window is one record of 50 iterations"),
		    width == 50);
	}
}

static const struct tap_test tests[] = {
	TEST(test_few_lines),
	TEST(test_later_epoch),
	TEST(test_after),
	TEST(test_means_of_the_rest),
	TEST(test_whole_seconds),
	TEST(test_instants_scatter),
	TEST(test_stamps_between),
	TEST(test_single_record),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
