/* The reducer with two ranks in one process: a back end of this test doubles
 * its input after a delay, and fails at a given call. */
#include <config.h>

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "common/process.h"
#include "tests/tap.h"
#include "trainer/sync/gradient_reducer.h"

static int fail_at;     /* the k-th allreduce fails; 0: none does */
static int peer_failed; /* 1: the other rank fails */
static int peer_flag;   /* flag of the other rank */
static int calls, not_sums, negotiations;
static atomic_int ended; /* completed calls, without negotiations */

static int
twice_allreduce(struct comm *c, void *data, size_t n, enum comm_type t,
    enum comm_op op, struct error *e)
{
	float *x = data;
	int64_t *well = data;

	(void)c;
	if (++calls == fail_at)
		return error_set(e, ERROR_SYSTEM, "wire is cut");
	if (op == COMM_MIN) { /* of a negotiation */
		negotiations++;
		return 0;
	}
	not_sums += op != (t == COMM_I64 ? COMM_MAX : COMM_SUM);
	usleep(1000);
	if (t == COMM_I64) {
		well[0] = well[0] > peer_failed ? well[0] : peer_failed;
		well[1] = well[1] > peer_flag ? well[1] : peer_flag;
	}
	for (size_t i = 0; t == COMM_FP32 && i < n; i++)
		x[i] *= 2;
	ended++;
	return 0;
}

static const struct comm_ops twice_ops = { .name = "twice",
	.allreduce = twice_allreduce };
static struct comm twice = { .ops = &twice_ops, .size = 2 };
static struct bucket buckets[] = { { 0, 16, 1, 64 }, { 16, 32, 2, 128 },
	{ 48, 16, 1, 64 } };
static const struct fusion_plan plan = { buckets, 3 };
static float arena[64];

static struct device_arena
start(int fail, int peer)
{
	fail_at = fail;
	peer_failed = peer;
	calls = 0;
	ended = 0;
	for (int i = 0; i < 64; i++)
		arena[i] = (float)i;
	return (struct device_arena){ arena, 64, DTYPE_FP32 };
}

/* The two ranks; tests set another plan or cycles. */
static struct reducer_config config;

static int
open_twice(
    struct device_arena grads, const struct fusion_plan *p, struct reducer **r)
{
	config = (struct reducer_config){
		.comm = &twice, .grads = grads, .plan = p
	};
	return reducer_open(&config, r, NULL);
}

static void
test_sums(void)
{
	struct reducer_stats s;
	struct reducer *r;

	CHECK_INT(open_twice(start(0, 0), &plan, &r), 0);
	for (int step = 1; step <= 3; step++) {
		reducer_begin(r, 0, 0);
		/* Ranges that end inside buckets and span several. */
		reducer_ready(r, 0, 10);
		reducer_ready(r, 10, 10);
		reducer_ready(r, 20, 44);
		CHECK_INT(reducer_wait(r, NULL), 0);
		CHECK_INT(calls, 4 * step);
		CHECK_INT(not_sums, 0);
		for (int i = 0; i < 64; i++)
			CHECK_NEAR(arena[i], i << step, 0);
	}
	s = reducer_stats(r);
	CHECK_INT(s.n, 3);
	CHECK_NEAR(s.bytes, 256, 0);
	CHECK(s.busy >= 0.003);
	CHECK(s.exposed > 0);
	for (int i = 0; i < 3; i++) {
		const struct reduction *t = &reducer_stats(r).reductions[i];

		CHECK(t->ready > 0 && t->ready <= t->start);
		CHECK(t->start + 0.001 <= t->end);
		CHECK(i == 0 || t->start >= t[-1].end);
		CHECK_NEAR(t->bytes, (double)buckets[i].bytes, 0);
	}
	reducer_close(r);
}

/* A bucket is summed as soon as it is complete, before later ones are. */
static void
test_overlap(void)
{
	struct reducer *r;

	CHECK_INT(open_twice(start(0, 0), &plan, &r), 0);
	reducer_begin(r, 0, 0);
	reducer_ready(r, 0, 16);
	for (int i = 0; i < 2000 && ended < 2; i++)
		usleep(1000);
	CHECK_NEAR(arena[15], 30, 0);
	CHECK_NEAR(arena[16], 16, 0);
	reducer_ready(r, 16, 48);
	CHECK_INT(reducer_wait(r, NULL), 0);
	CHECK_NEAR(arena[63], 126, 0);
	reducer_close(r);
}

/* If this rank or the other one fails, nothing is summed. */
static void
test_failed(void)
{
	struct reducer *r;

	for (int own = 0; own < 2; own++) {
		CHECK_INT(open_twice(start(0, !own), &plan, &r), 0);
		reducer_begin(r, own, 0);
		if (!own)
			reducer_ready(r, 0, 64);
		CHECK_INT(reducer_wait(r, NULL), 1);
		CHECK_INT(calls, 1);
		CHECK_NEAR(arena[63], 63, 0);
		reducer_close(r);
	}
}

static void
test_broken(void)
{
	struct error e = ERROR_INIT;
	struct reducer *r;

	for (int k = 1; k <= 4; k++) {
		CHECK_INT(open_twice(start(k, 0), &plan, &r), 0);
		reducer_begin(r, 0, 0);
		reducer_ready(r, 0, 64);
		e.message[0] = '\0';
		CHECK_INT(reducer_wait(r, &e), -1);
		CHECK_STR(e.message, "wire is cut");
		CHECK_INT(calls, k);
		reducer_close(r);
	}
}

/* With cycles, what is ready at a cycle is fused up to the threshold. The first
 * cycle of a step may come at any time, so only the second step is checked,
 * which ends before its second cycle. */
static void
test_cycles(void)
{
	static const char *const names[] = { "a", "b", "c" };
	static const struct {
		size_t threshold;
		int n;
	} cases[] = { { 0, 3 }, { 191, 3 }, { 192, 2 }, { 256, 1 } };

	for (int k = 0; k < N_TESTS(cases); k++) {
		const struct reducer_cycles c = { .cycle_s = 0.1,
			.threshold = cases[k].threshold,
			.names = names,
			.capacity = 3 };
		struct reducer *r;
		double began;

		CHECK_INT(open_twice(start(0, 0), &plan, &r), 0);
		config.cycles = c;
		reducer_configure(r, &config);
		negotiations = 0;
		began = seconds_now();
		for (int step = 1; step <= 2; step++) {
			reducer_begin(r, 0, 0);
			reducer_ready(r, 0, 64);
			CHECK_INT(reducer_wait(r, NULL), 0);
			CHECK_NEAR(arena[63], 63 << step, 0);
		}
		CHECK(negotiations >= 2 && negotiations <= 3);
		CHECK(seconds_now() - began >= c.cycle_s);
		CHECK_INT(reducer_stats(r).n, cases[k].n);
		CHECK(reducer_stats(r).reductions[0].start >=
		    reducer_stats(r).reductions[0].ready);
		reducer_close(r);
	}
}

/* A new plan takes effect for the next step. */
static void
test_plans(void)
{
	static struct bucket one[] = { { 0, 64, 4, 256 } };
	static const struct fusion_plan all = { one, 1 };
	struct reducer *r;

	CHECK_INT(open_twice(start(0, 0), &plan, &r), 0);
	reducer_begin(r, 0, 0);
	reducer_ready(r, 0, 64);
	CHECK_INT(reducer_wait(r, NULL), 0);
	CHECK_INT(reducer_stats(r).n, 3);
	config.plan = &all;
	reducer_configure(r, &config);
	CHECK_INT(reducer_stats(r).n, 0);
	reducer_begin(r, 0, 0);
	reducer_ready(r, 0, 64);
	CHECK_INT(reducer_wait(r, NULL), 0);
	CHECK_INT(reducer_stats(r).n, 1);
	CHECK_NEAR(arena[63], 63 * 4, 0);
	reducer_close(r);
}

/* Tensors are timed individually, whatever the plan. */
static void
test_tensor_times(void)
{
	static struct bucket one[] = { { 0, 64, 3, 256 } };
	static const struct fusion_plan all = { one, 1 };
	struct reducer *r;
	const double *times;

	CHECK_INT(open_twice(start(0, 0), &all, &r), 0);
	CHECK(reducer_stats(r).tensor_s == NULL);
	config.tensors = &plan;
	reducer_configure(r, &config);
	for (int step = 0; step < 2; step++) {
		reducer_begin(r, 0, 0);
		for (int i = 0; i < plan.n; i++) {
			usleep(2000);
			reducer_ready(
			    r, plan.buckets[i].offset, plan.buckets[i].n);
		}
		CHECK_INT(reducer_wait(r, NULL), 0);
		CHECK_INT(reducer_stats(r).n, 1);
		times = reducer_stats(r).tensor_s;
		for (int i = 1; i < plan.n; i++)
			CHECK(times[i] - times[i - 1] >= 0.002);
	}
	reducer_close(r);
}

static int64_t
shared_flag(struct reducer *r, int flag)
{
	reducer_begin(r, 0, flag);
	reducer_ready(r, 0, 64);
	CHECK_INT(reducer_wait(r, NULL), 0);
	return reducer_stats(r).flag;
}

/* Both ranks get the larger of their flags. */
static void
test_flags(void)
{
	struct reducer *r;

	CHECK_INT(open_twice(start(0, 0), &plan, &r), 0);
	CHECK_INT(shared_flag(r, 0), 0);
	CHECK_INT(shared_flag(r, 15), 15);
	peer_flag = 10;
	CHECK_INT(shared_flag(r, 15), 15);
	CHECK_INT(shared_flag(r, 2), 10);
	peer_flag = 0;
	CHECK_INT(shared_flag(r, 0), 0);
	reducer_close(r);
}

/* Each bucket's allreduce is in the trace, and its time in the step's sum. */
static void
test_trace(void)
{
	struct trace *t = trace_new(2);
	struct reducer_stats s;
	struct reducer *r;
	double busy = 0;

	config = (struct reducer_config){
		.comm = &twice, .grads = start(0, 0), .plan = &plan, .trace = t
	};
	CHECK_INT(reducer_open(&config, &r, NULL), 0);
	trace_begin_step(t, 0, seconds_now());
	reducer_begin(r, 0, 0);
	reducer_ready(r, 0, 64);
	CHECK_INT(reducer_wait(r, NULL), 0);
	CHECK_INT(t->step.n, 3);
	for (int i = 0; i < 3; i++) {
		CHECK_INT(t->events[i].bucket, i);
		CHECK_INT(t->events[i].n_tensors, buckets[i].n_tensors);
		CHECK_NEAR(t->events[i].bytes, (double)buckets[i].bytes, 0);
	}
	s = reducer_stats(r);
	for (int i = 0; i < s.n; i++)
		busy += s.reductions[i].end - s.reductions[i].start;
	CHECK_INT(s.n, 3);
	CHECK_NEAR(s.busy, busy, 1e-12);
	reducer_close(r);
	trace_free(t);
}

/* A compressed allreduce is in the trace once, with the bytes sent. */
static void
test_trace_compressed(void)
{
	const struct gradient_codec_config half = { .wire = DTYPE_FP16 };
	struct trace *t = trace_new(2);
	struct gradient_codec *codec;
	struct reducer *r;

	CHECK_INT(
	    gradient_codec_open(&twice, DTYPE_FP32, 32, &half, &codec, NULL),
	    0);
	config = (struct reducer_config){ .comm = &twice,
		.grads = start(0, 0),
		.plan = &plan,
		.codec = codec,
		.trace = t };
	CHECK_INT(reducer_open(&config, &r, NULL), 0);
	trace_begin_step(t, 0, seconds_now());
	reducer_begin(r, 0, 0);
	reducer_ready(r, 0, 64);
	CHECK_INT(reducer_wait(r, NULL), 0);
	CHECK_INT(t->step.n, 3);
	for (int i = 0; i < 3; i++)
		CHECK_NEAR(t->events[i].bytes, (double)buckets[i].n * 2, 0);
	CHECK_NEAR(reducer_stats(r).reductions[1].bytes, 128, 0);
	reducer_close(r);
	gradient_codec_close(codec);
	trace_free(t);
}

/* With one rank there is no thread, and gradients do not change. */
static void
test_alone(void)
{
	struct reducer_config alone = { .grads = start(0, 0), .plan = &plan };
	struct comm *self;
	struct reducer *r;

	CHECK_INT(comm_open("self", &self, NULL), 0);
	alone.comm = self;
	CHECK_INT(reducer_open(&alone, &r, NULL), 0);
	reducer_begin(r, 0, 0);
	reducer_ready(r, 0, 64);
	CHECK_INT(reducer_wait(r, NULL), 0);
	CHECK_NEAR(arena[63], 63, 0);
	CHECK_INT(reducer_stats(r).n, 0);
	CHECK(reducer_stats(r).reductions == NULL);
	CHECK_INT(shared_flag(r, 7), 7);
	reducer_begin(r, 1, 0);
	CHECK_INT(reducer_wait(r, NULL), 1);
	reducer_close(r);
	reducer_close(NULL);
	comm_close(self);
}

static const struct tap_test tests[] = {
	TEST(test_sums),
	TEST(test_overlap),
	TEST(test_failed),
	TEST(test_broken),
	TEST(test_cycles),
	TEST(test_plans),
	TEST(test_tensor_times),
	TEST(test_flags),
	TEST(test_trace),
	TEST(test_trace_compressed),
	TEST(test_alone),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
