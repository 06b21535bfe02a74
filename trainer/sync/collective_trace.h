/* Times of the collectives of a run: each is recorded in a ring buffer,
 * allocated at the start, and counted in a histogram of sizes. Recording costs
 * a few additions (tests/bench/bench_trace.c).
 *
 *	struct trace *t = trace_new(size, 4096);
 *	trace_begin_step(t, 12, now);
 *	trace_add(t, &event);      (the reducer's thread, once per collective)
 *	trace_end_step(t, exposed, now);
 *	trace_show_step(t, "mpi", rank, &sb);
 *	trace_free(t);
 *
 * One thread at a time fills a trace; other threads may read it between steps.
 *
 * Bandwidths are those of nccl-tests (doc/PERFORMANCE.md there): algorithm,
 * bytes over time; bus, that times 2 (n - 1) / n for an allreduce over n ranks,
 * which is what each link carries, whatever n is.
 */
#ifndef TRAINER_SYNC_COLLECTIVE_TRACE_H
#define TRAINER_SYNC_COLLECTIVE_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "common/strbuf.h"

/* One collective; times are seconds of the monotonic clock. */
struct trace_event {
	int64_t step;   /* from 0; set by trace_add */
	const char *op; /* "allreduce"; a constant */
	int bucket;     /* of the plan, from 0 */
	int n_tensors;  /* in it */
	int ranks;      /* that took part; 0: all */
	double bytes;   /* that each rank gave */
	double ready;   /* time when the last of its gradients was ready */
	double start, end;
};

/* Summary of the collectives of a step. */
struct trace_step {
	int64_t number; /* from 0 */
	double start;   /* of the step, seconds of the monotonic clock */
	double end;     /* of the step, if over */
	long n;         /* collectives */
	double bytes;
	double busy;    /* seconds: sum of end - start */
	double exposed; /* seconds that training waited for them */
	int over;       /* trace_end_step was called */
};

/* Collectives of sizes in (from, to] bytes, a bin of
 * common/result/collective_groups.h. */
struct trace_bin {
	double from, to; /* to is INFINITY in the last one */
	long n;
	double bytes, seconds; /* sums */
	double bus_bytes;      /* sum of bytes times the factor of the bus */
	double bus;            /* sum of bus bandwidths, bytes/s */
};

struct trace;

/* An empty trace.
 *
 * ranks     that take part in a collective, >= 1
 * capacity  collectives that are remembered, >= 1 */
struct trace *trace_new(int ranks, size_t capacity);

/* Free it; t may be NULL. */
void trace_free(struct trace *t);

/* Begin a step.
 *
 * number  from 0
 * now     seconds of the monotonic clock */
void trace_begin_step(struct trace *t, int64_t number, double now);

/* Record a collective of the step; its member step need not be set. If the ring
 * is full the oldest is overwritten. Does nothing if t is NULL. */
void trace_add(struct trace *t, const struct trace_event *event);

/* End the step.
 *
 * exposed  seconds that training waited for its collectives
 * now      seconds of the monotonic clock */
void trace_end_step(struct trace *t, double exposed, double now);

/* The current step, or the last one. */
const struct trace_step *trace_step(const struct trace *t);

/* The i-th collective of that step, from 0; NULL after the last, and for those
 * that were overwritten. */
const struct trace_event *trace_event(const struct trace *t, long i);

/* Algorithm and bus bandwidth of a collective, bytes/s. Times below 1 ns count
 * as 1 ns.
 *
 * ranks  of the run, for events that do not record how many took part
 *
 * Of op only allreduce, reduce_scatter and allgather are known, others have the
 * factor 1. */
double trace_algorithm_bandwidth(const struct trace_event *event);
double trace_bus_bandwidth(const struct trace_event *event, int ranks);

/* Add a line for each collective of the last step, and one for all of them:
 * "dlscale: collective ..." and "dlscale: collectives ...", see doc/trainer.md.
 *
 * backend  its name */
void trace_show_step(
    const struct trace *t, const char *backend, int rank, struct strbuf *sb);

/* The histogram: [SIZE_BINS] of common/result/collective_groups.h, in order of
 * size; n is 0 in a bin without collectives. */
const struct trace_bin *trace_bins(const struct trace *t);

/* Add a line for each bin that is not empty: "dlscale: collectives_by_size
 * ...". */
void trace_show_histogram(const struct trace *t, struct strbuf *sb);

#endif
