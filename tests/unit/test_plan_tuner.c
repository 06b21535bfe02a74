#include <config.h>

#include "tests/tap.h"
#include "trainer/tune/plan_tuner.h"

/* Steps with plan i take seconds[i]; noise alternates. */
static int
run_tuner(struct plan_tuner *p, const double *seconds, int n, double noise,
    long *decided)
{
	plan_tuner_start(p);
	for (long step = 1; step <= 10; step++) {
		const double s = seconds[plan_tuner_plan(p)];
		/* The steps to warm up are slow. */
		enum plan_tuner_event what = plan_tuner_step(
		    p, step <= 2 ? 10 * s : s * (1 + (step & 1 ? noise : 0)));

		CHECK_INT(what == PLAN_TUNER_PROBE, step == 4);
		if (what == PLAN_TUNER_PROBE)
			what = plan_tuner_propose(p, n);
		if (what == PLAN_TUNER_DECIDED) {
			*decided = step;
			return plan_tuner_plan(p);
		}
	}
	return -1;
}

static void
test_decisions(void)
{
	static const struct {
		double seconds[4];
		int n, best;
		long step;
	} cases[] = {
		{ { 1, 0.9, 0.8, 0.7 }, 3, 3, 10 },
		{ { 1, 0.7, 0.8, 0.9 }, 3, 1, 10 },
		{ { 1, 0.9, 0.8, 0.85 }, 3, 2, 10 },
		{ { 1, 1.1, 1.2, 1.3 }, 3, 0, 10 },
		/* 1 % is no reason to leave the first one, more is. */
		{ { 1, 0.991, 1, 1 }, 3, 0, 10 },
		{ { 1, 0.99, 1, 1 }, 3, 0, 10 },
		{ { 1, 0.989, 1, 1 }, 3, 1, 10 },
		{ { 1, 0.5 }, 1, 1, 6 },
		{ { 1, 1.5, 0.5 }, 2, 2, 8 },
		{ { 1 }, 0, 0, 4 },
	};

	for (int i = 0; i < N_TESTS(cases); i++) {
		struct plan_tuner p;
		long step = 0;

		CHECK_INT(run_tuner(&p, cases[i].seconds, cases[i].n, 0, &step),
		    cases[i].best);
		CHECK_INT(step, cases[i].step);
		/* The least of the two steps counts. */
		CHECK_INT(
		    run_tuner(&p, cases[i].seconds, cases[i].n, 0.5, &step),
		    cases[i].best);
		for (int k = 0; k <= cases[i].n; k++)
			CHECK_NEAR(
			    plan_tuner_time(&p, k), cases[i].seconds[k], 1e-12);
		CHECK_NEAR(plan_tuner_time(&p, 4), 0, 0);
	}
}

/* What is kept is slower than the first plan was: back to it, once. */
static void
test_back(void)
{
	static const double seconds[4] = { 1, 0.9, 1.2, 1.3 };
	static const struct {
		double then; /* seconds of a step */
		int back;
	} cases[] = { { 0.9, 0 }, { 1.03, 0 }, { 1.031, 1 }, { 2, 1 } };

	for (int i = 0; i < N_TESTS(cases); i++) {
		struct plan_tuner p;
		long step;

		CHECK_INT(run_tuner(&p, seconds, 3, 0, &step), 1);
		for (int k = 1; k <= 40; k++) {
			const enum plan_tuner_event what =
			    plan_tuner_step(&p, cases[i].then);

			CHECK_INT(what == PLAN_TUNER_DECIDED,
			    k == 10 && cases[i].back);
			CHECK(what == PLAN_TUNER_DECIDED ||
			    what == PLAN_TUNER_NOTHING);
		}
		CHECK_INT(plan_tuner_plan(&p), !cases[i].back);
	}
}

/* A few slow steps are passed over; when most become slower by more than a
 * fifth, all begins anew. */
static void
test_again(void)
{
	static const double seconds[4] = { 1, 0.9, 1.2, 1.3 };
	static const struct {
		double then;
		int again;
	} cases[] = { { 0.9, 0 }, { 1.08, 0 }, { 1.081, 1 }, { 5, 1 } };

	for (int i = 0; i < N_TESTS(cases); i++) {
		struct plan_tuner p;
		long step;

		CHECK_INT(run_tuner(&p, seconds, 3, 0, &step), 1);
		for (int k = 1; k <= 20; k++)
			CHECK_INT(plan_tuner_step(&p, 0.9), PLAN_TUNER_NOTHING);
		/* 9 of 20 do not move the median, 11 do. */
		for (int k = 1; k <= 20; k++)
			CHECK_INT(plan_tuner_step(&p, k <= 9 ? 9 : 0.9),
			    PLAN_TUNER_NOTHING);
		for (int k = 1; k <= 20; k++)
			CHECK_INT(
			    plan_tuner_step(&p, k <= 11 ? cases[i].then : 0.9),
			    k == 20 && cases[i].again ? PLAN_TUNER_AGAIN
						      : PLAN_TUNER_NOTHING);
		if (!cases[i].again)
			continue;
		CHECK_INT(plan_tuner_plan(&p), 0);
		for (int k = 1; k <= 4; k++)
			CHECK_INT(
			    plan_tuner_step(&p, 1) == PLAN_TUNER_PROBE, k == 4);
		CHECK_INT(plan_tuner_propose(&p, 1), PLAN_TUNER_USE);
	}
}

static const struct tap_test tests[] = {
	TEST(test_decisions),
	TEST(test_back),
	TEST(test_again),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
