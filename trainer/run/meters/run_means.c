/* Sums over the steps of a run in two parts, the first steps and the rest:
 * which part counts depends on the length of the run and is decided at the
 * end. */
#include <config.h>

#include "trainer/run/meters/run_means.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"

/* The bucket with this number. */
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

/* Collectives of one bucket follow each other (reduce-scatter, allreduce,
 * allgather); together they are the bucket's allreduce. */
static void
add_buckets(struct run_means_part *p, const struct trace *trace)
{
	const double begin = trace_step(trace)->start;
	const struct trace_event *x = trace_event(trace, 0), *first = x;
	size_t n = 0;

	for (long i = 1; first != NULL; i++) {
		const struct trace_event *next = trace_event(trace, i);

		if (next == NULL || next->bucket != first->bucket) {
			struct bucket_times *b = find_bucket(p, n++);

			b->steps++;
			b->bytes += first->bytes;
			b->tensors += first->n_tensors;
			b->ready_s += first->ready - begin;
			b->start_s += first->start - begin;
			b->duration_s += x->end - first->start;
			first = next;
		}
		x = next;
	}
}

static void
add_times(struct step_times *to, const struct step_times *x)
{
	to->step_s += x->step_s;
	to->data_s += x->data_s;
	to->busy_s += x->busy_s;
	to->exposed_s += x->exposed_s;
	to->bytes += x->bytes;
	to->n += x->n;
}

void
run_means_add(struct run_means *m, const struct step_times *step,
    const struct trace *trace)
{
	struct run_means_part *p =
	    m->early.steps < RUN_MEANS_SKIP ? &m->early : &m->late;

	p->steps++;
	add_times(&p->sum, step);
	if (trace != NULL)
		add_buckets(p, trace);
}

long
run_means_skipped(const struct run_means *m)
{
	return m->early.steps + m->late.steps > 2 * RUN_MEANS_SKIP
	    ? RUN_MEANS_SKIP
	    : 0;
}

/* The steps that count, in one part.  Its buckets are new. */
static struct run_means_part
counted_part(const struct run_means *m)
{
	struct run_means_part all = { .steps = m->late.steps,
		.sum = m->late.sum };
	const struct run_means_part *parts[] = { &m->late, &m->early };
	const int n = run_means_skipped(m) > 0 ? 1 : 2;

	if (n == 2) {
		all.steps += m->early.steps;
		add_times(&all.sum, &m->early.sum);
	}
	for (int k = 0; k < n; k++)
		for (size_t i = 0; i < parts[k]->n_buckets; i++) {
			const struct bucket_times *x = &parts[k]->buckets[i];
			struct bucket_times *b = find_bucket(&all, i);

			b->steps += x->steps;
			b->bytes += x->bytes;
			b->tensors += x->tensors;
			b->ready_s += x->ready_s;
			b->start_s += x->start_s;
			b->duration_s += x->duration_s;
		}
	return all;
}

double
run_means_wait_share(const struct run_means *m)
{
	struct run_means_part all = counted_part(m);
	const double share =
	    all.sum.step_s > 0 ? all.sum.data_s / all.sum.step_s : 0;

	free(all.buckets);
	return share;
}

void
run_means_show(const struct run_means *m, struct strbuf *sb)
{
	struct run_means_part all = counted_part(m);
	const double n = (double)all.steps;

	if (all.steps == 0)
		return;
	strbuf_printf(sb,
	    "dlscale: run_phases steps=%ld skipped=%ld step_s=%.6g data_s=%.6g",
	    all.steps, run_means_skipped(m), all.sum.step_s / n,
	    all.sum.data_s / n);
	if (all.sum.n > 0)
		strbuf_printf(sb,
		    " busy_s=%.6g exposed_s=%.6g bytes_per_step=%.0f "
		    "per_step=%.6g",
		    all.sum.busy_s / n, all.sum.exposed_s / n,
		    all.sum.bytes / n, all.sum.n / n);
	strbuf_addch(sb, '\n');
	for (size_t i = 0; i < all.n_buckets; i++) {
		const struct bucket_times *b = &all.buckets[i];
		const double k = (double)b->steps;

		strbuf_printf(sb,
		    "dlscale: run_bucket bucket=%zu steps=%ld tensors=%.6g "
		    "bytes=%.0f ready_s=%.6g start_s=%.6g duration_s=%.6g\n",
		    i, b->steps, b->tensors / k, b->bytes / k, b->ready_s / k,
		    b->start_s / k, b->duration_s / k);
	}
	free(all.buckets);
}

void
run_means_release(struct run_means *m)
{
	free(m->early.buckets);
	free(m->late.buckets);
	memset(m, 0, sizeof *m);
}
