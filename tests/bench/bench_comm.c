/* bench_comm BACKEND LINK_MBIT: measure between two ranks the speed of
 * allreduces on the link, the time of an overlapped step against the pipeline
 * bound, and the time of communication alone in fp16 against fp32. The
 * gradients are those of ResNet-50 in DDP's buckets; the backward pass is a
 * sleep. Rank 0 prints. Started by bench_comm.sh. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/alloc.h"
#include "common/error.h"
#include "common/stats/stats.h"
#include "common/process.h"
#include "common/text.h"
#include "trainer/sync/gradient_reducer.h"

enum { ROUNDS = 5, MIB = 1 << 20 };

static struct comm *comm;
static struct graph graph;
static struct fusion_plan plan;
static struct device_arena grads = { .type = DTYPE_FP32 };

/* Unless rc is 0, report the error and abort all ranks. */
static void
check(int rc, const struct error *e)
{
	if (rc == 0)
		return;
	error_report("bench_comm", e);
	comm_abort(comm, EXIT_STATUS_INPUT);
}

static double
time_allreduce(size_t bytes)
{
	struct error e = ERROR_INIT;
	double start;

	check(comm_barrier(comm, &e), &e);
	start = seconds_now();
	check(comm_allreduce(
		  comm, grads.data, bytes / 4, COMM_FP32, COMM_SUM, &e),
	    &e);
	return seconds_now() - start;
}

static double
median_sum(size_t bytes)
{
	double t[ROUNDS];

	time_allreduce(bytes);
	for (int i = 0; i < ROUNDS; i++)
		t[i] = time_allreduce(bytes);
	return stats_median(t, ROUNDS);
}

static void
sleep_until(double when)
{
	const double left = when - seconds_now();
	const struct timespec t = { (time_t)left,
		(long)((left - (double)(time_t)left) * 1e9) };

	if (left > 0)
		nanosleep(&t, NULL);
}

/* Run a step; gradients become ready evenly, or all after the backward pass.
 *
 * Returns its time in seconds. */
static double
step(struct reducer *r, double backward_s, int overlapped)
{
	struct error e = ERROR_INIT;
	double start;

	check(comm_barrier(comm, &e), &e);
	start = seconds_now();
	reducer_begin(r, 0, 0);
	for (int i = 0; i < plan.n; i++) {
		const struct bucket *b = &plan.buckets[i];
		const double part =
		    (double)(b->offset + b->n) / (double)grads.n;

		sleep_until(start + backward_s * (overlapped ? part : 1));
		reducer_ready(r, b->offset, b->n);
	}
	check(reducer_wait(r, &e), &e);
	return seconds_now() - start;
}

/* Median times of two kinds of step, run alternately. */
static void
race(struct reducer *r[2], double backward_s, int second_overlaps, double *t)
{
	double s[2][ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		s[0][i] = step(r[0], backward_s, 1);
		s[1][i] = step(r[1], backward_s, second_overlaps);
	}
	t[0] = stats_median(s[0], ROUNDS);
	t[1] = stats_median(s[1], ROUNDS);
}

static void
bench_overlap(struct reducer *r, double backward_s)
{
	struct reducer *both[2] = { r, r };
	const double small = median_sum(4096), large = median_sum(16 * MIB);
	double *ready = xcalloc((size_t)graph.n_params, sizeof *ready), t[2];
	struct fusion f = { .ready_s = ready };

	f.beta_s_per_byte = (large - small) / (16 * MIB - 4096);
	f.alpha_s = small;
	for (int i = 0; i < graph.n_params; i++) {
		const int next = graph.n_params - 2 - i; /* backward */
		const size_t end =
		    next >= 0 ? graph.params[next].offset : grads.n;

		ready[i] = backward_s * (double)end / (double)grads.n;
	}
	race(both, backward_s, 0, t);
	if (comm->rank == 0)
		printf(
		    "overlap: backward %.0f ms, step %.1f ms, bound %.1f ms, "
		    "ratio %.3f; allreduces after it %.1f ms\n",
		    1e3 * backward_s, 1e3 * t[0],
		    1e3 * fusion_plan_end(&f, &plan),
		    t[0] / fusion_plan_end(&f, &plan), 1e3 * t[1]);
	free(ready);
}

static void
bench_halves(struct reducer *r, struct error *e)
{
	const struct gradient_codec_config config = { .wire = DTYPE_FP16 };
	struct reducer_config reduction = {
		.comm = comm, .grads = grads, .plan = &plan
	};
	struct reducer *both[2] = { r, NULL };
	struct gradient_codec *c;
	double t[2];

	check(
	    gradient_codec_open(comm, DTYPE_FP32, grads.n, &config, &c, e), e);
	reduction.codec = c;
	check(reducer_open(&reduction, &both[1], e), e);
	race(both, 0, 1, t);
	if (comm->rank == 0)
		printf("fp16: allreduces alone, fp32 %.1f ms, fp16 %.1f ms, "
		       "ratio %.3f\n",
		    1e3 * t[0], 1e3 * t[1], t[1] / t[0]);
	reducer_close(both[1]);
	gradient_codec_close(c);
}

int
main(int argc, char **argv)
{
	const struct fusion ddp = {
		.policy = "ddp", .first = MIB, .rest = 25 * MIB
	};
	struct error e = ERROR_INIT;
	struct reducer *r;
	double link, t;

	if (argc != 3 || parse_double(argv[2], 1, 1e9, &link) != 0)
		return EXIT_STATUS_USAGE;
	if (comm_open(argv[1], &comm, &e) != 0)
		return error_report("bench_comm", &e);
	check(
	    graph_build(model_find("resnet50", &e), 1000, 224, &graph, &e), &e);
	fusion_plan_make(&ddp, &graph, 4, &plan);
	grads.n = graph.arena_size;
	grads.data = xcalloc(grads.n, sizeof(float));
	t = median_sum(32 * MIB);
	if (comm->rank == 0)
		printf("allreduce: 32 MiB in %.1f ms, bus %.0f Mbit/s, %.3f of "
		       "the link\n",
		    1e3 * t, 8e-6 * 32 * MIB / t, 8e-6 * 32 * MIB / t / link);
	check(reducer_open(
		  &(struct reducer_config){
		      .comm = comm, .grads = grads, .plan = &plan },
		  &r, &e),
	    &e);
	bench_overlap(r, link < 2000 ? 0.4 : 0.2);
	bench_halves(r, &e);
	reducer_close(r);
	fusion_plan_release(&plan);
	graph_release(&graph);
	free(grads.data);
	comm_close(comm);
	return EXIT_STATUS_OK;
}
