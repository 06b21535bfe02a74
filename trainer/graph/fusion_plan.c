#include <config.h>

#include "trainer/graph/fusion_plan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "common/alloc.h"

/* Tensors in backward order and the ends of buckets. */
struct bucket_cuts {
	const struct fusion *f;
	size_t *bytes; /* [n] bytes of each tensor */
	char *is_last; /* [n] 1: last of its bucket; all 0 at first */
	int n;
};

static void
cut_ddp(struct bucket_cuts *c)
{
	size_t held = 0, limit = c->f->first;

	for (int i = 0; i < c->n; i++) {
		held += c->bytes[i];
		if (held < limit)
			continue;
		c->is_last[i] = 1;
		held = 0;
		limit = c->f->rest;
	}
}

/* Horovod's rule: add a tensor while the bucket stays within the threshold. */
static int
joins_bucket(size_t held, size_t bytes, size_t threshold)
{
	return held + bytes <= threshold;
}

static void
cut_horovod(struct bucket_cuts *c)
{
	size_t held = 0;

	for (int i = 0; i + 1 < c->n; i++) {
		held += c->bytes[i];
		if (joins_bucket(held, c->bytes[i + 1], c->f->threshold))
			continue;
		c->is_last[i] = 1;
		held = 0;
	}
}

static void
cut_tensor(struct bucket_cuts *c)
{
	memset(c->is_last, 1, (size_t)c->n);
}

/* End of an allreduce that starts when the one before has ended and its
 * gradients are ready. */
static double
sum_end(const struct fusion *f, double before, double ready, size_t bytes)
{
	return (before > ready ? before : ready) + f->alpha_s +
	    f->beta_s_per_byte * (double)bytes;
}

/* Dynamic programming: an earlier end never delays later allreduces, so the
 * best plan of i tensors is a best plan of fewer and one more bucket. */
static void
cut_mgwfbp(struct bucket_cuts *c)
{
	double *end = xcalloc((size_t)c->n + 1, sizeof *end);
	int *from = xcalloc((size_t)c->n + 1, sizeof *from);

	for (int i = 1; i <= c->n; i++) {
		size_t bytes = 0;

		for (int k = i - 1; k >= 0; k--) {
			double t;

			bytes += c->bytes[k];
			t = sum_end(c->f, end[k], c->f->ready_s[i - 1], bytes);
			if (k == i - 1 || t < end[i]) {
				end[i] = t;
				from[i] = k;
			}
		}
	}
	for (int i = c->n; i > 0; i = from[i])
		c->is_last[i - 1] = 1;
	free(end);
	free(from);
}

enum { N_POLICIES = 5 };
static const char *const names[N_POLICIES] = { "ddp", "horovod", "tensor",
	"all", "mgwfbp" };
static void (*const cuts[N_POLICIES])(struct bucket_cuts *) = { cut_ddp,
	cut_horovod, cut_tensor, NULL, cut_mgwfbp }; /* NULL: one bucket */

const char *const *
fusion_policies(size_t *n)
{
	*n = N_POLICIES;
	return names;
}

int
fusion_plan_make(const struct fusion *f, const struct graph *g, size_t element,
    struct fusion_plan *p)
{
	struct bucket_cuts c = { .f = f, .n = g->n_params };
	struct bucket *b;
	int policy = 0;

	assert(g->finished && g->n_params > 0);
	while (policy < N_POLICIES && strcmp(names[policy], f->policy) != 0)
		policy++;
	if (policy == N_POLICIES)
		return -1;
	c.bytes = xcalloc((size_t)c.n, sizeof *c.bytes);
	c.is_last = xcalloc((size_t)c.n, 1);
	for (int k = 0; k < c.n; k++)
		c.bytes[k] = g->params[c.n - 1 - k].n * element;
	if (cuts[policy] != NULL)
		cuts[policy](&c);
	/* Collect the tensors of each bucket; a bucket includes the gaps after
	 * them. */
	*p = (struct fusion_plan){ xcalloc((size_t)c.n, sizeof *b), 0 };
	for (int k = 0; k < c.n; k++) {
		const int i = c.n - 1 - k; /* index in PyTorch's order */

		if (k == 0 || c.is_last[k - 1])
			p->buckets[p->n++].offset = g->params[i].offset;
		b = &p->buckets[p->n - 1];
		b->n = graph_done(g, i) - b->offset;
		b->n_tensors++;
		b->bytes += c.bytes[k];
	}
	free(c.bytes);
	free(c.is_last);
	return 0;
}

void
fusion_plan_release(struct fusion_plan *p)
{
	free(p->buckets);
	p->buckets = NULL;
	p->n = 0;
}

int
fusion_plan_fuse(
    const struct fusion_plan *tensors, int first, int end, size_t threshold)
{
	size_t held = tensors->buckets[first].bytes;
	int i = first + 1;

	while (
	    i < end && joins_bucket(held, tensors->buckets[i].bytes, threshold))
		held += tensors->buckets[i++].bytes;
	return i - first;
}

size_t
fusion_round_threshold(size_t bytes, int local_size)
{
	const size_t unit = 512 * (size_t)local_size;

	return (bytes + unit - 1) / unit * unit;
}

double
fusion_plan_end(const struct fusion *f, const struct fusion_plan *p)
{
	double end = 0;
	int tensor = 0;

	for (int i = 0; i < p->n; i++) {
		tensor += p->buckets[i].n_tensors;
		end = sum_end(
		    f, end, f->ready_s[tensor - 1], p->buckets[i].bytes);
	}
	return end;
}

uint64_t
fusion_plan_hash(const struct fusion_plan *p)
{
	uint64_t h = (uint64_t)p->n;

	for (int i = 0; i < p->n; i++) {
		const uint64_t b[4] = { p->buckets[i].offset, p->buckets[i].n,
			(uint64_t)p->buckets[i].n_tensors,
			p->buckets[i].bytes };

		h = XXH3_64bits_withSeed(b, sizeof b, h);
	}
	return h;
}
