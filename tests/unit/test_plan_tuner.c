#include <config.h>

#include "tests/tap.h"
#include "trainer/tune/plan_model.h"

/* Run the tuner on a machine that drifts: a step with plan i takes
 * seconds[i] * (1 + drift * step).
 *
 * order  [8] out: the plan of each measured step; or NULL */
static int
run_tuner(struct plan_tuner *p, const double *seconds, int n, double drift,
    long *decided, int *order)
{
	plan_tuner_start(p);
	for (long step = 1; step <= 10; step++) {
		const int plan = p->plan;
		const double s = seconds[plan] * (1 + drift * (double)step);
		/* Warm-up steps are slow. */
		enum plan_tuner_event what =
		    plan_tuner_step(p, step <= 2 ? 10 * s : s);

		if (order != NULL && step > 2)
			order[step - 3] = plan;
		CHECK_INT(what == PLAN_TUNER_PROBE, step == 2);
		if (what == PLAN_TUNER_PROBE) {
			what = plan_tuner_propose(p, n);
			CHECK_INT(p->plan, 0);
		}
		CHECK_INT(what == PLAN_TUNER_USE,
		    what != PLAN_TUNER_DECIDED &&
			(step == 2 || p->plan != plan));
		if (what == PLAN_TUNER_DECIDED) {
			*decided = step;
			return p->plan;
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
		/* A gain of 1 % does not replace the first plan, more does. */
		{ { 1, 0.991, 1, 1 }, 3, 0, 10 },
		{ { 1, 0.99, 1, 1 }, 3, 0, 10 },
		{ { 1, 0.989, 1, 1 }, 3, 1, 10 },
		{ { 1, 0.5 }, 1, 1, 8 },
		{ { 1, 1.5, 0.5 }, 2, 2, 9 },
		{ { 1 }, 0, 0, 2 },
	};

	for (int i = 0; i < N_TESTS(cases); i++) {
		const int n = cases[i].n;
		struct plan_tuner p;
		long step = 0;

		CHECK_INT(run_tuner(&p, cases[i].seconds, n, 0, &step, NULL),
		    cases[i].best);
		CHECK_INT(step, cases[i].step);
		for (int k = 0; n > 0 && k <= n; k++) {
			CHECK_NEAR(
			    plan_tuner_time(&p, k), cases[i].seconds[k], 1e-12);
			CHECK(p.times[k].n == 1 || p.times[k].n == 3);
		}
		CHECK_INT(p.times[0].n, n > 0 ? 3 : 0);
		CHECK_NEAR(p.noise_s, 0, 1e-12);
	}
}

/* The first plan and the best candidate take turns, so that a machine which
 * drifts by 2 % a step does not decide between equal plans. */
static void
test_turns(void)
{
	static const int turns[8] = { 0, 1, 2, 3, 0, 2, 2, 0 };
	static const double better[4] = { 1, 1.2, 0.9, 1.2 };
	static const double equal[4] = { 1, 1, 1, 1 };
	struct plan_tuner p;
	int order[8];
	long step;

	CHECK_INT(run_tuner(&p, better, 3, 0, &step, order), 2);
	for (int i = 0; i < 8; i++)
		CHECK_INT(order[i], turns[i]);
	CHECK_INT(run_tuner(&p, equal, 3, 0.02, &step, order), 0);
	CHECK_INT(run_tuner(&p, equal, 3, -0.02, &step, order), 0);
}

/* Feed steps 3 .. 10 with three candidates, the second being the fastest. */
static int
decide_by(struct plan_tuner *p, const double *seconds)
{
	enum plan_tuner_event what = PLAN_TUNER_NOTHING;

	plan_tuner_start(p);
	plan_tuner_step(p, 1);
	plan_tuner_step(p, 1);
	plan_tuner_propose(p, 3);
	for (int i = 0; i < 8; i++)
		what = plan_tuner_step(p, seconds[i]);
	CHECK_INT(what, PLAN_TUNER_DECIDED);
	return p->plan;
}

/* The order of plans is 0 1 2 3, 0 2 2 0. A gain counts if it exceeds the
 * standard deviation of a step. By hand: with two plans, steps of 1 and 1 +- d
 * have the variance (2 d^2 + 2 d^2) / 4, so the deviation is d. */
static void
test_noise(void)
{
	static const struct {
		double seconds[8];
		double noise;
		int best;
	} cases[] = {
		/* Plan 2 is 10 % faster; steps vary by 5 %, 9.9 %, 10.1 %. */
		{ { 1, 2, 0.9, 2, 1.05, 0.95, 0.85, 0.95 }, 0.05, 2 },
		{ { 1, 2, 0.9, 2, 1.099, 0.999, 0.801, 0.901 }, 0.099, 2 },
		{ { 1, 2, 0.9, 2, 1.101, 1.001, 0.799, 0.899 }, 0.101, 0 },
		/* One slow step of three does not move a median. */
		{ { 1, 2, 0.9, 2, 1, 0.95, 0.9, 1 }, -1, 2 },
		{ { 1, 2, 0.9, 2, 1, 0.9, 1.05, 1 }, -1, 2 },
		/* Fast by chance in the first round only. */
		{ { 1, 2, 0.9, 2, 1, 1.05, 1.05, 1 }, -1, 0 },
	};

	for (int i = 0; i < N_TESTS(cases); i++) {
		struct plan_tuner p;

		CHECK_INT(decide_by(&p, cases[i].seconds), cases[i].best);
		if (cases[i].noise >= 0)
			CHECK_NEAR(p.noise_s, cases[i].noise, 1e-12);
	}
}

/* After a noisy search, the tuner goes back only for more than the noise. */
static void
test_back_noise(void)
{
	static const double search[8] = { 1, 2, 0.9, 2, 1.05, 0.95, 0.85,
		0.95 };

	for (int more = 0; more < 2; more++) {
		struct plan_tuner p;

		CHECK_INT(decide_by(&p, search), 2);
		for (int k = 1; k <= 10; k++)
			CHECK_INT(plan_tuner_step(&p, more ? 1.051 : 1.049) ==
				PLAN_TUNER_DECIDED,
			    k == 10 && more);
	}
}

/* The tuner goes back, once, if the first plan would be faster. */
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

		CHECK_INT(run_tuner(&p, seconds, 3, 0, &step, NULL), 1);
		for (int k = 1; k <= 40; k++) {
			const enum plan_tuner_event what =
			    plan_tuner_step(&p, cases[i].then);

			CHECK_INT(what == PLAN_TUNER_DECIDED,
			    k == 10 && cases[i].back);
			CHECK(what == PLAN_TUNER_DECIDED ||
			    what == PLAN_TUNER_NOTHING);
		}
		CHECK_INT(p.plan, !cases[i].back);
	}
}

/* A few slow steps are ignored; if most become slower by more than a fifth, the
 * search starts again. */
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

		CHECK_INT(run_tuner(&p, seconds, 3, 0, &step, NULL), 1);
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
		CHECK_INT(p.plan, 0);
		for (int k = 1; k <= 2; k++)
			CHECK_INT(
			    plan_tuner_step(&p, 1) == PLAN_TUNER_PROBE, k == 2);
		CHECK_INT(plan_tuner_propose(&p, 1), PLAN_TUNER_USE);
	}
}

static const struct tap_test tests[] = {
	TEST(test_decisions),
	TEST(test_turns),
	TEST(test_noise),
	TEST(test_back_noise),
	TEST(test_back),
	TEST(test_again),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
