/* bench_replay BACKEND MODEL COMPUTE_MS STEPS: replay steps of a published run
 * on links that were shaped before. Computing is a sleep of the published time;
 * the allreduces are real. Rank 0 prints the mean step after the first tenth.
 * bench_replay.sh runs it on emulated nodes. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/alloc.h"
#include "common/error.h"
#include "common/process.h"
#include "common/text.h"
#include "trainer/sync/gradient_reducer.h"

enum { MIB = 1 << 20 };

static void
sleep_until(double when)
{
	const double left = when - seconds_now();
	const struct timespec t = { (time_t)left,
		(long)((left - (double)(time_t)left) * 1e9) };

	if (left > 0)
		nanosleep(&t, NULL);
}

/* Replay a step: the forward pass takes a third of the computing, then
 * gradients become ready at an even pace. */
static int
replay_step(struct reducer *r, const struct fusion_plan *plan, size_t n,
    double compute_s, struct error *e)
{
	const double start = seconds_now() + compute_s / 3;

	reducer_begin(r, 0, 0);
	for (int i = 0; i < plan->n; i++) {
		const struct bucket *b = &plan->buckets[i];

		sleep_until(start +
		    compute_s * 2 / 3 * (double)(b->offset + b->n) / (double)n);
		reducer_ready(r, b->offset, b->n);
	}
	return reducer_wait(r, e);
}

static int
replay(struct comm *comm, const char *model, double compute_s, long steps,
    struct error *e)
{
	const struct fusion ddp = {
		.policy = "ddp", .first = MIB, .rest = 25 * MIB
	};
	const struct model *m = model_find(model, e);
	struct device_arena grads = { .type = DTYPE_FP32 };
	struct fusion_plan plan;
	struct reducer *r;
	struct graph graph;
	double start = 0;
	int rc;

	if (m == NULL || graph_build(m, 1000, 224, &graph, e) != 0)
		return -1;
	fusion_plan_make(&ddp, &graph, 4, &plan);
	grads.n = graph.arena_size;
	grads.data = xcalloc(grads.n, sizeof(float));
	rc = reducer_open(
	    &(struct reducer_config){
		.comm = comm, .grads = grads, .plan = &plan },
	    &r, e);
	for (long i = 0; i < steps && rc == 0; i++) {
		if (i == steps / 10)
			start = seconds_now();
		rc = replay_step(r, &plan, grads.n, compute_s, e);
	}
	if (rc == 0 && comm->rank == 0)
		printf("%s: %ld steps, mean %.1f ms\n", model, steps,
		    1e3 * (seconds_now() - start) /
			(double)(steps - steps / 10));
	if (rc == 0)
		reducer_close(r);
	fusion_plan_release(&plan);
	graph_release(&graph);
	free(grads.data);
	return rc;
}

int
main(int argc, char **argv)
{
	struct error e = ERROR_INIT;
	struct comm *comm;
	double compute_ms;
	long steps;

	if (argc != 5 || parse_double(argv[3], 0, 1e6, &compute_ms) != 0 ||
	    parse_long(argv[4], 2, 1000000, &steps) != 0) {
		fprintf(stderr,
		    "usage: bench_replay BACKEND MODEL COMPUTE_MS STEPS\n");
		return EXIT_STATUS_USAGE;
	}
	if (comm_open(argv[1], &comm, &e) != 0)
		return error_report("bench_replay", &e);
	if (replay(comm, argv[2], 1e-3 * compute_ms, steps, &e) != 0) {
		error_report("bench_replay", &e);
		comm_abort(comm, EXIT_STATUS_INPUT);
	}
	comm_close(comm);
	return EXIT_STATUS_OK;
}
