/* Times of collectives: the current step and a histogram. */
#include <config.h>

#include "trainer/sync/collective_trace.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"

static const double mib = 1 << 20;

struct trace *
trace_new(int ranks)
{
	struct trace *t = xcalloc(1, sizeof *t);

	assert(ranks >= 1);
	t->ranks = ranks;
	return t;
}

void
trace_free(struct trace *t)
{
	if (t == NULL)
		return;
	free(t->events);
	free(t);
}

void
trace_begin_step(struct trace *t, int64_t number, double now)
{
	t->step = (struct trace_step){ .number = number, .start = now };
}

/* Bytes that each link carries, as a fraction of the data. Source:
 * doc/PERFORMANCE.md of nccl-tests. */
static double
bus_factor(const struct trace_event *event, int ranks)
{
	const int n = event->ranks > 0 ? event->ranks : ranks;
	const double share = (double)(n - 1) / n;

	if (strcmp(event->op, "allreduce") == 0)
		return 2 * share;
	if (strcmp(event->op, "reduce_scatter") == 0 ||
	    strcmp(event->op, "allgather") == 0)
		return share;
	return 1;
}

double
trace_algorithm_bandwidth(const struct trace_event *event)
{
	const double s = event->end - event->start;

	return event->bytes / (s > 1e-9 ? s : 1e-9);
}

double
trace_bus_bandwidth(const struct trace_event *event, int ranks)
{
	return trace_algorithm_bandwidth(event) * bus_factor(event, ranks);
}

void
trace_add(struct trace *t, const struct trace_event *event)
{
	struct trace_bin *b;

	if (t == NULL)
		return;
	t->events = vec_grow(
	    t->events, (size_t)t->step.n, &t->alloc, sizeof *t->events);
	t->events[t->step.n++] = *event;
	t->step.bytes += event->bytes;
	t->step.busy += event->end - event->start;
	b = &t->bins[size_bin(event->bytes)];
	b->n++;
	b->bytes += event->bytes;
	b->bus_bytes += event->bytes * bus_factor(event, t->ranks);
	b->seconds += event->end - event->start;
	b->bus += trace_bus_bandwidth(event, t->ranks);
}

void
trace_end_step(struct trace *t, double exposed, double now)
{
	t->step.end = now;
	t->step.exposed = exposed;
}

static void
show_event(const struct trace *t, const struct trace_event *x,
    const char *backend, int rank, struct strbuf *sb)
{
	const double begin = t->step.start;

	strbuf_printf(sb,
	    "dlscale: collective step=%lld rank=%d bucket=%d op=%s "
	    "backend=%s tensors=%d bytes=%.0f ready_us=%.1f start_us=%.1f "
	    "duration_us=%.1f algorithm_gb_per_s=%.5g bus_gb_per_s=%.5g",
	    (long long)t->step.number + 1, rank, x->bucket, x->op, backend,
	    x->n_tensors, x->bytes, 1e6 * (x->ready - begin),
	    1e6 * (x->start - begin), 1e6 * (x->end - x->start),
	    1e-9 * trace_algorithm_bandwidth(x),
	    1e-9 * trace_bus_bandwidth(x, t->ranks));
	if (x->ranks > 0)
		strbuf_printf(sb, " ranks=%d", x->ranks);
	strbuf_addch(sb, '\n');
}

void
trace_show_step(
    const struct trace *t, const char *backend, int rank, struct strbuf *sb)
{
	const struct trace_step *s = &t->step;

	for (long i = 0; i < s->n; i++)
		show_event(t, &t->events[i], backend, rank, sb);
	strbuf_printf(sb,
	    "dlscale: collectives step=%lld rank=%d n=%ld bytes=%.0f "
	    "busy_us=%.1f exposed_us=%.1f overlap=%.4f\n",
	    (long long)s->number + 1, rank, s->n, s->bytes, 1e6 * s->busy,
	    1e6 * s->exposed,
	    s->busy > s->exposed ? 1 - s->exposed / s->busy : 0.0);
}

void
trace_show_histogram(const struct trace *t, struct strbuf *sb)
{
	const double mibit = 8 / mib; /* of a byte */
	char label[SIZE_LABEL_SIZE];
	double all_s = 0;

	for (int i = 0; i < SIZE_BINS; i++)
		all_s += t->bins[i].seconds;
	for (int i = 0; i < SIZE_BINS; i++) {
		const struct trace_bin *b = &t->bins[i];
		const double n = (double)b->n;

		if (b->n == 0)
			continue;
		size_bin_label(i, ",", label);
		strbuf_printf(sb,
		    "dlscale: collectives_by_size size=%s n=%ld mean_mib=%.5g "
		    "mean_rate_mibit_per_s=%.6g rate_mibit_per_s=%.6g "
		    "total_s=%.5g mean_ms=%.5g share=%.4f\n",
		    label, b->n, b->bytes / n / mib, mibit * b->bus / n,
		    b->seconds > 0 ? mibit * b->bus_bytes / b->seconds : 0.0,
		    b->seconds, 1e3 * b->seconds / n,
		    all_s > 0 ? b->seconds / all_s : 0.0);
	}
}
