#include <config.h>

#include "trainer/bucket.h"

#include <assert.h>
#include <stdlib.h>

#include "common/alloc.h"

void
bucket_plan_ddp(const struct graph *g, size_t element, size_t first,
    size_t rest, struct bucket_plan *p)
{
	int open = 0; /* the last bucket still takes tensors */

	assert(g->finished && g->n_params > 0);
	p->buckets = xcalloc((size_t)g->n_params, sizeof *p->buckets);
	p->n = 0;
	for (int i = g->n_params - 1; i >= 0; i--) {
		const size_t end =
		    i > 0 ? g->params[i - 1].offset : g->arena_size;
		struct bucket *b;

		if (!open)
			p->buckets[p->n++].offset = g->params[i].offset;
		b = &p->buckets[p->n - 1];
		b->n = end - b->offset;
		b->n_tensors++;
		b->bytes += g->params[i].n * element;
		open = b->bytes < (p->n == 1 ? first : rest);
	}
}

void
bucket_plan_release(struct bucket_plan *p)
{
	free(p->buckets);
	p->buckets = NULL;
	p->n = 0;
}
