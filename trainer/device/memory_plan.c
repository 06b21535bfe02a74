/* Addresses for buffers with disjoint lifetimes. */
#include <config.h>

#include "trainer/device/memory_plan.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/alloc.h"

enum { LARGE_PAGE = 1 << 21 };

int
memory_plan_add(struct memory_plan *m, size_t bytes)
{
	struct memory_plan_buffer *b;

	m->buffers = vec_grow(m->buffers, m->n, &m->alloc, sizeof *b);
	b = &m->buffers[m->n];
	b->bytes = (bytes + MEMORY_PLAN_ALIGN - 1) / MEMORY_PLAN_ALIGN *
	    MEMORY_PLAN_ALIGN;
	b->first = b->last = -1;
	b->offset = 0;
	return (int)m->n++;
}

void
memory_plan_use(struct memory_plan *m, int i, int time)
{
	struct memory_plan_buffer *b;

	if (i == MEMORY_PLAN_NONE)
		return;
	assert(m->block == NULL && (size_t)i < m->n);
	b = &m->buffers[i];
	if (b->first < 0 || time < b->first)
		b->first = time;
	if (time > b->last)
		b->last = time;
}

static int
larger_first(const void *a, const void *b)
{
	const struct memory_plan_buffer *x =
	    *(struct memory_plan_buffer *const *)a;
	const struct memory_plan_buffer *y =
	    *(struct memory_plan_buffer *const *)b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return x < y ? -1 : x > y; /* same array: the order is total */
}

void
memory_plan_arrange(struct memory_plan *m)
{
	struct memory_plan_buffer **order = xcalloc(m->n, sizeof(*order));

	for (size_t i = 0; i < m->n; i++)
		order[i] = &m->buffers[i];
	qsort(order, m->n, sizeof(*order), larger_first);
	m->bytes = m->sum = 0;
	for (size_t i = 0; i < m->n; i++) {
		struct memory_plan_buffer *b = order[i];

		/* Find the lowest offset that is free during its lifetime. */
		for (size_t k = 0; k < i; k++) {
			const struct memory_plan_buffer *o = order[k];

			if (o->last < b->first || b->last < o->first ||
			    o->offset + o->bytes <= b->offset ||
			    b->offset + b->bytes <= o->offset)
				continue;
			b->offset = o->offset + o->bytes;
			k = (size_t)-1; /* restart at the new offset */
		}
		m->sum += b->bytes;
		if (b->offset + b->bytes > m->bytes)
			m->bytes = b->offset + b->bytes;
	}
	free(order);
	m->bytes += MEMORY_PLAN_ALIGN; /* kernels may read past the end */
}

void
memory_plan_take(struct memory_plan *m)
{
	m->block = memory_plan_map(m->bytes);
}

void *
memory_plan_at(const struct memory_plan *m, int b)
{
	if (b == MEMORY_PLAN_NONE)
		return NULL;
	assert(m->block != NULL && (size_t)b < m->n);
	return m->block + m->buffers[b].offset;
}

void
memory_plan_release(struct memory_plan *m)
{
	if (m->block != NULL)
		memory_plan_unmap(m->block, m->bytes);
	free(m->buffers);
	memset(m, 0, sizeof *m);
}

void *
memory_plan_map(size_t size)
{
	void *p;

	size = (size + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
	if (size == 0)
		size = LARGE_PAGE;
	p = mmap(NULL, size, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return xcalloc(SIZE_MAX / 2, 1); /* reports it and exits */
#ifdef MADV_HUGEPAGE
	(void)madvise(p, size, MADV_HUGEPAGE); /* optional */
#endif
	return p;
}

void
memory_plan_unmap(void *p, size_t size)
{
	size = (size + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
	if (size == 0)
		size = LARGE_PAGE;
	if (p != NULL)
		(void)munmap(p, size);
}
