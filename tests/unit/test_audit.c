#include <config.h>

#include "common/stats/stats.h"

#include "extract/measure/audit.h"
#include "tests/tap.h"
#include "tests/unit/logs.h"

/* Audit one log under the default rule. */
static struct result_audit
audit(struct log *log, double work)
{
	const struct log *logs = log_pack(log);
	const struct steps_source from = { &logs, 1, 1, 1, -1, 0 };
	const struct rule rule = RULE_DEFAULT;
	struct exclusion x = EXCLUSION_INIT;
	struct result_audit a;
	struct steps s;
	struct window w;

	CHECK_INT(steps_make(&from, &s, &x), 0);
	CHECK_INT(window_select(&s, &rule, RULE_WINDOW, &w, &x), 0);
	audit_make(&s, &w, work, 100, &a);
	window_release(&w);
	steps_release(&s);
	log_drop(log);
	return a;
}

static void
test_constant(void)
{
	struct log *log = log_new(&imagenet);
	struct result_audit a;

	log_add_range(log, 0, 0, 129, 0.5);
	a = audit(log, NAN);
	CHECK_INT(a.settled_at, 0);
	CHECK_NEAR(a.drift, 0, 0);
	CHECK_NEAR(a.stall_share, 0, 0);
	CHECK_NEAR(a.cv, 0, 1e-15);
	CHECK_NEAR(a.p5, 0.5, 0);
	CHECK_NEAR(a.max, 0.5, 0);
	CHECK(isnan(a.imbalance)); /* one rank */
}

/* 30 slow steps, then 100 of 0.5: a block of 20 has a median of 0.5 as soon as
 * fewer than 10 of it are slow: from position 21 on. */
static void
test_settled(void)
{
	struct log *log = log_new(&imagenet);
	struct result_audit a;
	int i;

	for (i = 0; i < 130; i++)
		log_add(log, 0, i, i < 30 ? 0.8 : 0.5);
	a = audit(log, NAN);
	CHECK_INT(a.settled_at, 21);
	/* 10 and 10: the median is 0.65, 30 % off. */
	log = log_new(&imagenet);
	for (i = 0; i < 130; i++)
		log_add(log, 0, i, i < 30 ? 0.52 : 0.5);
	a = audit(log, NAN);
	CHECK_INT(a.settled_at, 0); /* 4 % is near enough */
	/* The end is off: never settled. */
	log = log_new(&imagenet);
	for (i = 0; i < 130; i++)
		log_add(log, 0, i, i > 115 ? 0.8 : 0.5);
	a = audit(log, NAN);
	CHECK_INT(a.settled_at, RESULT_UNKNOWN);
}

/* All blocks against the rule as the text states it. */
static void
test_settled_by_definition(void)
{
	double t[200], half[200], block[AUDIT_BLOCK];
	struct log *log = log_new(&imagenet);
	unsigned state = 12345;
	int i, first = 200, target_n;
	double target;

	for (i = 0; i < 200; i++) {
		state = state * 1103515245u + 12345u;
		t[i] = 0.5 + 0.1 * ((state >> 16) % 1000) / 1000 +
		    (i < 70 ? 0.2 * (70 - i) / 70 : 0);
		log_add(log, 0, i, t[i]);
	}
	target_n = 100;
	memcpy(half, t + 100, sizeof(double) * 100);
	target = stats_median(half, (size_t)target_n);
	for (i = 180; i >= 0; i--) {
		memcpy(block, t + i, sizeof block);
		if (fabs(stats_median(block, AUDIT_BLOCK) - target) >
		    0.05 * target)
			break;
		first = i;
	}
	CHECK(first > 0 && first < 100);
	CHECK_INT(audit(log, NAN).settled_at, first);
}

/* Growing by 0.001 a step: 0.1 in a window of 100, over the median. */
static void
test_drift(void)
{
	struct log *log = log_new(&imagenet);
	struct result_audit a;
	int i;

	for (i = 0; i < 201; i++)
		log_add(log, 0, i, 0.4 + 0.001 * i);
	a = audit(log, NAN);
	CHECK_NEAR(a.drift, 0.1 / 0.5, 1e-12);
	CHECK_NEAR(a.p50, 0.5, 1e-12);
	CHECK_NEAR(a.p5, 0.41, 1e-12);
	CHECK_NEAR(a.p95, 0.59, 1e-12);
	CHECK_NEAR(a.max, 0.6, 1e-12);
	/* sqrt(n (n + 1) / 12) of the numbers 0..200 is 58.168 */
	CHECK_NEAR(a.cv, 0.058168 / 0.5, 1e-5);
}

static void
test_stalls(void)
{
	struct log *log = log_new(&imagenet);
	int i;

	for (i = 0; i < 200; i++)
		log_add(log, 0, i,
		    i % 10 == 0       ? 1.01
			: i % 10 == 1 ? 1.0
				      : 0.5);
	CHECK_NEAR(audit(log, NAN).stall_share, 0.1, 1e-15);
}

/* A rate is a time turned over: the stall is the slow step. */
static void
test_rates(void)
{
	struct log *log = log_new(&dllogger);
	struct result_audit a;
	int i;

	for (i = 1; i <= 200; i++)
		log_add(log, 0, i, i % 10 == 0 ? 40 : 100);
	a = audit(log, 50);
	CHECK_NEAR(a.stall_share, 0.1, 1e-15);
	CHECK_NEAR(a.p50, 0.5, 1e-15);
	CHECK_NEAR(a.max, 1.25, 1e-15);
}

/* The audit looks at the whole epoch, but not beyond it. */
static void
test_epochs(void)
{
	struct log *log = log_new(&imagenet);

	log_add_range(log, 0, 0, 149, 0.5);
	log_add_range(log, 1, 0, 149, 0.9);
	CHECK_NEAR(audit(log, NAN).max, 0.5, 0);
	log = log_new(&imagenet);
	log_add_range(log, 0, 0, 89, 0.5);
	log_add_range(log, 1, 0, 89, 0.9);
	CHECK_NEAR(audit(log, NAN).max, 0.9, 0);
}

static const struct tap_test tests[] = {
	TEST(test_constant),
	TEST(test_settled),
	TEST(test_settled_by_definition),
	TEST(test_drift),
	TEST(test_stalls),
	TEST(test_rates),
	TEST(test_epochs),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
