/* One block of memory for all buffers that live during a part of a step.
 * Buffers have a first and last time of use; those with disjoint lifetimes may
 * share addresses.
 *
 * Times are numbers of operations: forward from 0, then backward.
 *
 *	int b = memory_plan_add(&m, bytes);
 *	memory_plan_use(&m, b, 3);
 *	memory_plan_use(&m, b, 120);
 *	memory_plan_arrange(&m);
 *	memory_plan_take(&m);
 *	void *p = memory_plan_at(&m, b);
 */
#ifndef TRAINER_DEVICE_MEMORY_PLAN_H
#define TRAINER_DEVICE_MEMORY_PLAN_H

#include <stddef.h>

enum { MEMORY_PLAN_ALIGN = 4096, MEMORY_PLAN_NONE = -1 };

struct memory_plan_buffer {
	size_t bytes;
	int first, last; /* first and last time of use, inclusive */
	size_t offset;
};

struct memory_plan {
	struct memory_plan_buffer *buffers;
	size_t n, alloc;
	size_t bytes; /* size of the block, after memory_plan_arrange */
	size_t sum;   /* sum over the buffers: size without sharing */
	char *block;
};

/* Add a buffer without uses. Returns its index. */
int memory_plan_add(struct memory_plan *m, size_t bytes);

/* Record a use of buffer b. */
void memory_plan_use(struct memory_plan *m, int b, int time);

/* Choose all offsets and m->bytes: largest buffers first, each at the lowest
 * offset that is free during its lifetime. If the block is allocated elsewhere,
 * m->block stays NULL. */
void memory_plan_arrange(struct memory_plan *m);

/* Allocate the block, zeroed. */
void memory_plan_take(struct memory_plan *m);

/* Address of buffer b; NULL for MEMORY_PLAN_NONE. */
void *memory_plan_at(const struct memory_plan *m, int b);

/* Free all. */
void memory_plan_release(struct memory_plan *m);

/* Allocate size zeroed bytes, aligned to MEMORY_PLAN_ALIGN, in large pages if
 * available. Free with memory_plan_unmap and the same size. Exits if out of
 * memory, as xmalloc does. */
void *memory_plan_map(size_t size);
void memory_plan_unmap(void *p, size_t size);

#endif
