/* One block of memory for everything that lives only during a part of a step:
 * buffers record when they are first and last used, and those that never live
 * at the same time share addresses.
 *
 * Time is counted in operations: forward ones from 0, then the backward ones.
 *
 *	int b = memory_plan_add(&m, "conv1", bytes);
 *	memory_plan_use(&m, b, 3);
 *	memory_plan_use(&m, b, 120);
 *	memory_plan_arrange(&m);
 *	memory_plan_take(&m);
 *	void *p = memory_plan_at(&m, b);
 */
#ifndef TRAINER_DEVICE_MEMORY_PLAN_H
#define TRAINER_DEVICE_MEMORY_PLAN_H

#include <stddef.h>

#include "common/strbuf.h"

enum { MEMORY_PLAN_ALIGN = 4096, MEMORY_PLAN_NONE = -1 };

struct memory_plan_buffer {
	const char *name; /* borrowed */
	size_t bytes;
	int first, last; /* times of use, both included */
	size_t offset;
};

struct memory_plan {
	struct memory_plan_buffer *buffers;
	size_t n, alloc;
	size_t bytes; /* of the block, after memory_plan_arrange */
	size_t sum;   /* of the buffers: what it would be without sharing */
	char *block;
};

/* A buffer that no one uses yet.  Returns its index. */
int memory_plan_add(struct memory_plan *m, const char *name, size_t bytes);

/* Buffer b is needed at the given time. */
void memory_plan_use(struct memory_plan *m, int b, int time);

/* Choose all offsets, and with them m->bytes: largest buffers first, each at
 * the lowest offset that no buffer alive at the same time covers.  For blocks
 * that are allocated by others; m->block stays NULL. */
void memory_plan_arrange(struct memory_plan *m);

/* Allocate the block, cleared. */
void memory_plan_take(struct memory_plan *m);

/* Where buffer b is; NULL for MEMORY_PLAN_NONE. */
void *memory_plan_at(const struct memory_plan *m, int b);

/* Free all. */
void memory_plan_release(struct memory_plan *m);

/* size bytes, cleared, at a multiple of MEMORY_PLAN_ALIGN, in large pages where
 * the system has them.  Free with memory_plan_unmap of the same size; ends the
 * program if there is no memory, as xmalloc does. */
void *memory_plan_map(size_t size);
void memory_plan_unmap(void *p, size_t size);

#endif
