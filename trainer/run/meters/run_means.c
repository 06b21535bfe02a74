/* Sums over all steps of a run and over those after the warm-up. Which of them
 * are used depends on the length of the run. */
#include <config.h>

#include "trainer/run/meters/run_means.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"

/* Return the bucket with this number. */
static struct bucket_times *
find_bucket(struct run_means_part *p, size_t i)
{
	while (p->n_buckets <= i) {
		p->buckets = vec_grow(
		    p->buckets, p->n_buckets, &p->alloc, sizeof *p->buckets);
		memset(&p->buckets[p->n_buckets++], 0, sizeof *p->buckets);
	}
	return &p->buckets[i];
}

/* Consecutive collectives of one bucket (reduce-scatter, allreduce, allgather)
 * together are the bucket's allreduce. */
static void
add_buckets(struct run_means_part *p, const struct trace *trace)
{
	const double begin = trace->step.start;
	size_t n = 0;

	for (long i = 0, first = 0; i < trace->step.n; i++) {
		const struct trace_event *x = &trace->events[first];
		struct bucket_times *b;

		if (i + 1 < trace->step.n &&
		    trace->events[i + 1].bucket == x->bucket)
			continue;
		b = find_bucket(p, n++);
		b->steps++;
		b->bytes += x->bytes;
		b->tensors += x->n_tensors;
		b->ready_s += x->ready - begin;
		b->start_s += x->start - begin;
		b->duration_s += trace->events[i].end - x->start;
		first = i + 1;
	}
}

static void
add_step(struct run_means_part *p, const struct step_times *x,
    const struct trace *trace)
{
	p->steps++;
	p->sum.step_s += x->step_s;
	p->sum.data_s += x->data_s;
	p->sum.busy_s += x->busy_s;
	p->sum.exposed_s += x->exposed_s;
	p->sum.bytes += x->bytes;
	p->sum.n += x->n;
	if (trace != NULL)
		add_buckets(p, trace);
}

void
run_means_add(struct run_means *m, const struct step_times *step,
    const struct trace *trace)
{
	if (m->all.steps >= RUN_MEANS_SKIP)
		add_step(&m->late, step, trace);
	add_step(&m->all, step, trace);
}

long
run_means_skipped(const struct run_means *m)
{
	return m->all.steps > 2 * RUN_MEANS_SKIP ? RUN_MEANS_SKIP : 0;
}

static const struct run_means_part *
counted_part(const struct run_means *m)
{
	return run_means_skipped(m) > 0 ? &m->late : &m->all;
}

double
run_means_wait_share(const struct run_means *m)
{
	const struct step_times *sum = &counted_part(m)->sum;

	return sum->step_s > 0 ? sum->data_s / sum->step_s : 0;
}

void
run_means_show(const struct run_means *m, struct strbuf *sb)
{
	const struct run_means_part *p = counted_part(m);
	const double n = (double)p->steps;

	if (p->steps == 0)
		return;
	strbuf_printf(sb,
	    "dlscale: run_phases steps=%ld skipped=%ld step_s=%.6g data_s=%.6g",
	    p->steps, run_means_skipped(m), p->sum.step_s / n,
	    p->sum.data_s / n);
	if (p->sum.n > 0)
		strbuf_printf(sb,
		    " busy_s=%.6g exposed_s=%.6g bytes_per_step=%.0f "
		    "per_step=%.6g",
		    p->sum.busy_s / n, p->sum.exposed_s / n, p->sum.bytes / n,
		    p->sum.n / n);
	strbuf_addch(sb, '\n');
	for (size_t i = 0; i < p->n_buckets; i++) {
		const struct bucket_times *b = &p->buckets[i];
		const double k = (double)b->steps;

		strbuf_printf(sb,
		    "dlscale: run_bucket bucket=%zu steps=%ld tensors=%.6g "
		    "bytes=%.0f ready_s=%.6g start_s=%.6g duration_s=%.6g\n",
		    i, b->steps, b->tensors / k, b->bytes / k, b->ready_s / k,
		    b->start_s / k, b->duration_s / k);
	}
}

void
run_means_release(struct run_means *m)
{
	free(m->all.buckets);
	free(m->late.buckets);
	memset(m, 0, sizeof *m);
}
