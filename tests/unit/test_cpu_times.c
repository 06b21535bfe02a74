/* Times of calls within steps: the steps kept, and the times per operation. */
#include <config.h>

#include "tests/tap.h"
#ifdef HAVE_DNNL
#include "common/process.h"
#include "trainer/device/cpu/cpu.h"

static void
wait_s(double s)
{
	const double end = seconds_now() + s;

	while (seconds_now() < end)
		;
}

/* A step whose calls of operation 1 take s seconds. Time before cpu_times_start
 * belongs to no call. */
static void
step(struct cpu_times *l, double s)
{
	cpu_times_begin(l);
	cpu_times_add(l, 0, CPU_CALL_TAKE);
	wait_s(0.01);
	cpu_times_start(l);
	cpu_times_add(l, 0, CPU_CALL_FORWARD);
	wait_s(s / 2);
	cpu_times_add(l, 1, CPU_CALL_JOIN);
	cpu_times_add(l, 0, CPU_CALL_JOIN);
	wait_s(s / 2);
	cpu_times_add(l, 1, CPU_CALL_JOIN);
	cpu_times_end(l);
}

static void
test_times(void)
{
	struct cpu_times *l = cpu_times_new(2, 3);
	double one;

	step(l, 0.3); /* the first step, which is slow because of new pages */
	CHECK_INT(cpu_times_count(l), 1);
	CHECK(cpu_times_median(l, 1, CPU_CALL_JOIN) >= 0.3);
	step(l, 0.02);
	CHECK_INT(cpu_times_count(l), 1);
	one = cpu_times_median(l, 1, CPU_CALL_JOIN);
	CHECK(one >= 0.02 && one < 0.3);
	CHECK(cpu_times_median(l, 0, CPU_CALL_STEP) >= 0.03 &&
	    cpu_times_median(l, 0, CPU_CALL_STEP) < 0.3);
	CHECK(cpu_times_median(l, 0, CPU_CALL_TAKE) < 0.01);
	CHECK(cpu_times_median(l, 0, CPU_CALL_FORWARD) < 0.01);
	CHECK_NEAR(cpu_times_median(l, 0, CPU_CALL_BACK), 0, 0);
	/* The last three steps are kept; their median is 40 ms. */
	step(l, 0.3);
	step(l, 0.01);
	step(l, 0.04);
	CHECK_INT(cpu_times_count(l), 3);
	one = cpu_times_median(l, 1, CPU_CALL_JOIN);
	CHECK(one >= 0.04 && one < 0.3);
	cpu_times_free(l);
}

/* Evaluations and work between steps are not counted. */
static void
test_evaluation(void)
{
	struct cpu_times *l = cpu_times_new(1, 2);

	cpu_times_begin(l);
	cpu_times_add(l, 0, CPU_CALL_TAKE);
	cpu_times_leave(l);
	wait_s(0.01);
	cpu_times_add(l, 0, CPU_CALL_FORWARD);
	cpu_times_end(l);
	CHECK_INT(l->steps, 0);
	cpu_times_begin(l);
	cpu_times_end(l);
	wait_s(0.01);
	cpu_times_add(l, 0, CPU_CALL_WEIGHT_COPY);
	CHECK_INT(l->steps, 1);
	CHECK_NEAR(cpu_times_median(l, 0, CPU_CALL_FORWARD), 0, 0);
	CHECK_NEAR(cpu_times_median(l, 0, CPU_CALL_WEIGHT_COPY), 0, 0);
	CHECK_NEAR(cpu_times_median(l, 0, CPU_CALL_TAKE), 0, 0);
	cpu_times_free(l);
	/* Without a profile, all calls do nothing. */
	cpu_times_begin(NULL);
	cpu_times_start(NULL);
	cpu_times_add(NULL, 0, CPU_CALL_LOSS);
	cpu_times_leave(NULL);
	cpu_times_end(NULL);
	cpu_times_free(NULL);
}
#else
static void
test_times(void)
{
	SKIP("built without oneDNN");
}
#define test_evaluation test_times
#endif

static const struct tap_test tests[] = {
	TEST(test_times),
	TEST(test_evaluation),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
