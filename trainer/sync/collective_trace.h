/* Times of the collectives of a run: each one of the current step, and a
 * histogram of all by size. Recording costs a few additions
 * (tests/bench/bench_trace.c).
 *
 *	struct trace *t = trace_new(size);
 *	trace_begin_step(t, 12, now);
 *	trace_add(t, &event);      (the reducer's thread, once per collective)
 *	trace_end_step(t, exposed, now);
 *	trace_show_step(t, "mpi", rank, &sb);
 *	trace_free(t);
 *
 * Only one thread at a time may fill a trace; other threads may read it between
 * steps.
 *
 * Bandwidths are those of nccl-tests (doc/PERFORMANCE.md there): algorithm
 * bandwidth is bytes over time; bus bandwidth is that times 2 (n - 1) / n for
 * an allreduce over n ranks, which is the load of each link, independent of n.
 */
#ifndef TRAINER_SYNC_COLLECTIVE_TRACE_H
#define TRAINER_SYNC_COLLECTIVE_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "common/alloc.h"
#include "common/error.h"
#include "common/result/result.h"

/* One collective; times are seconds of the monotonic clock. */
struct trace_event {
	const char *op; /* "allreduce"; a constant */
	int bucket;     /* in the plan, from 0 */
	int n_tensors;  /* in it */
	int ranks;      /* participating; 0: all */
	double bytes;   /* input of each rank */
	double ready;   /* when its last gradient was ready */
	double start, end;
};

/* Summary of the collectives of a step. */
struct trace_step {
	int64_t number; /* from 0 */
	double start;   /* monotonic seconds */
	double end;     /* set when the step is over */
	long n;         /* collectives */
	double bytes;
	double busy;    /* seconds: sum of end - start */
	double exposed; /* seconds of training spent waiting */
};

/* Sums over the collectives of a size. */
struct trace_bin {
	long n;
	double bytes, seconds;
	double bus_bytes; /* bytes times the bus factor */
	double bus;       /* bus bandwidths, bytes/s */
};

/* Members are read-only for callers. */
struct trace {
	int ranks;                  /* in a collective by default */
	struct trace_step step;     /* the current one, or the last */
	struct trace_event *events; /* [step.n] of this step */
	size_t alloc;
	struct trace_bin bins[SIZE_BINS]; /* see size_bin() */
};

/* Create an empty trace; ranks >= 1. */
struct trace *trace_new(int ranks);

/* Free it; t may be NULL. */
void trace_free(struct trace *t);

/* Begin a step.
 *
 * number  from 0
 * now     seconds of the monotonic clock */
void trace_begin_step(struct trace *t, int64_t number, double now);

/* Record a collective of the step. Does nothing if t is NULL. */
void trace_add(struct trace *t, const struct trace_event *event);

/* End the step.
 *
 * exposed  seconds that training waited for its collectives
 * now      seconds of the monotonic clock */
void trace_end_step(struct trace *t, double exposed, double now);

/* Algorithm and bus bandwidth of a collective, bytes/s. Times below 1 ns count
 * as 1 ns.
 *
 * ranks  number for events that do not record their own
 *
 * Known ops are allreduce, reduce_scatter and allgather; others have the factor
 * 1. */
double trace_algorithm_bandwidth(const struct trace_event *event);
double trace_bus_bandwidth(const struct trace_event *event, int ranks);

/* Add a line for each collective of the last step, and one for all of them:
 * "dlscale: collective ..." and "dlscale: collectives ...", see doc/trainer.md.
 *
 * backend  its name */
void trace_show_step(
    const struct trace *t, const char *backend, int rank, struct strbuf *sb);

/* Add a line for each non-empty bin: "dlscale: collectives_by_size ...". */
void trace_show_histogram(const struct trace *t, struct strbuf *sb);

/* --- Timeline ------------------------------------------------------------- */

/* Writes the collectives of a run for trace viewers (Perfetto,
 * chrome://tracing), as Horovod's timeline or Chrome's trace events.
 *
 * Both are one JSON array with one event per line. Each step extends the array
 * with one write(2), so the file of a killed run is valid; a kill during that
 * write may leave an unclosed array, which viewers and extract_logs accept. The
 * file does not use common/files/files.h because it can be read during the
 * run.
 *
 *	struct timeline_writer *l;
 *	if (timeline_writer_open("t.json", &config, &l, &e) != 0)
 *		return -1;
 *	timeline_writer_step(l, trace, &e);     (after each step)
 *	timeline_writer_close(l);
 */

struct timeline_writer;

/* Names of the supported formats, NULL terminated. */
extern const char *const timeline_forms[];

struct timeline_writer_config {
	const char *form;    /* one of timeline_forms */
	const char *backend; /* its name */
	const char *dtype;   /* type of elements: "float32" */
	int element;         /* bytes of an element */
	int rank, ranks;     /* this process's; number of ranks */
};

/* Create the file. An existing file is unchanged until the first step.
 *
 * c  borrowed during the call, its strings until timeline_writer_close
 *
 * ERROR_SYSTEM: it cannot be written. */
int timeline_writer_open(const char *path,
    const struct timeline_writer_config *c, struct timeline_writer **out,
    struct error *e);

/* Add the last step of a trace.  Returns 0, or -1 with ERROR_SYSTEM. */
int timeline_writer_step(
    struct timeline_writer *l, const struct trace *t, struct error *e);

/* Close it; l may be NULL. */
void timeline_writer_close(struct timeline_writer *l);

#endif
