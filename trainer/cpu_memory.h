/* One block of memory for everything that lives only during a part of a step:
 * buffers say when they are first and last used, and those that never live at
 * the same time share addresses.
 *
 * Time is counted in operations: forward ones from 0, then the backward ones.
 *
 *	int b = memory_add(&m, "conv1", bytes);
 *	memory_use(&m, b, 3);
 *	memory_use(&m, b, 120);
 *	memory_arrange(&m);
 *	memory_take(&m);
 *	void *p = memory_at(&m, b);
 */
#ifndef TRAINER_CPU_MEMORY_H
#define TRAINER_CPU_MEMORY_H

#include <stddef.h>

#include "common/strbuf.h"

enum { MEMORY_ALIGN = 4096, MEMORY_NONE = -1 };

struct memory_buffer {
	const char *name; /* borrowed */
	size_t bytes;
	int first, last; /* times of use, both included */
	size_t offset;
};

struct memory {
	struct memory_buffer *buffers;
	size_t n, alloc;
	size_t bytes; /* of the block, after memory_arrange */
	size_t sum;   /* of the buffers: what it would be without sharing */
	char *block;
};

/* A buffer that nobody uses yet.  Returns its index. */
int memory_add(struct memory *m, const char *name, size_t bytes);

/* Buffer b is needed at the given time. */
void memory_use(struct memory *m, int b, int time);

/* Choose all offsets, and with them m->bytes: largest buffers first, each at
 * the lowest offset that no buffer alive at the same time covers.  For blocks
 * that are allocated elsewhere; m->block stays NULL. */
void memory_arrange(struct memory *m);

/* Allocate the block, cleared. */
void memory_take(struct memory *m);

/* Where buffer b is; NULL for MEMORY_NONE. */
void *memory_at(const struct memory *m, int b);

/* Free all. */
void memory_release(struct memory *m);

/* size bytes, cleared, at a multiple of MEMORY_ALIGN, in large pages where the
 * system has them.  Free with memory_unmap of the same size; ends the program
 * if there is no memory, as xmalloc does. */
void *memory_map(size_t size);
void memory_unmap(void *p, size_t size);

#endif
