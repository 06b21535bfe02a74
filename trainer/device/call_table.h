/* Tables of the kernel calls of a training step: the minimum operations and
 * bytes of each, its roofline, which is the least time that a machine needs for
 * them (Williams, Waterman and Patterson, "Roofline", CACM 52, 2009), and the
 * measured time, if any.
 *
 *	struct call_table t = { .roof = &roof };
 *	call_table_add(&t, &(struct call_row){ ... });
 *	call_table_show_measured(&t, "", &out);
 *	call_table_release(&t);
 */
#ifndef TRAINER_DEVICE_CALL_TABLE_H
#define TRAINER_DEVICE_CALL_TABLE_H

#include <stddef.h>

#include "common/alloc.h"

enum { ROOF_CACHES = 2 };

/* Peak rates of a machine. */
struct roof {
	double flop_per_s;  /* products in the element type */
	double bytes_per_s; /* main memory */
	/* A call of at most `size` bytes may find or leave them in a cache and
	 * move them at the cache's speed. Ascending by size. */
	struct roof_cache {
		double size, bytes_per_s;
	} caches[ROOF_CACHES];
	int n_caches;
};

/* A call, or the sum of several calls of a step. */
struct call_row {
	int index; /* step order; below 0: input, loss, optimiser */
	int kind;  /* sort key of the sums by kind */
	const char *kind_name, *node; /* "conv data", "layer1.0.conv1" */
	int fused;
	int calls;          /* set by call_table_add() */
	double flop, bytes; /* a multiply-add is two; each byte counts once */
	double saving;      /* flop / operations that the algorithm performs:
	                       4 for Winograd's F(4x4, 3x3); 0 means 1 */
	double seconds;     /* measured within a step, or 0 */
	double roof_s;      /* roofline time; set by call_table_add() */
	int memory_bound;   /* the bytes determine roof_s; set likewise */
};

struct call_table {
	const struct roof *roof; /* borrowed */
	struct call_row *rows;   /* names are borrowed */
	size_t n, alloc;
};

/* Least time to move a number of bytes, in seconds. */
double roof_memory_s(const struct roof *r, double bytes);

/* Add a call. */
void call_table_add(struct call_table *t, const struct call_row *row);

/* Sum of all rows. */
struct call_row call_table_sum(const struct call_table *t);

/* Add the rows to out in order, with their rooflines, then sums by kind. */
void call_table_show_planned(const struct call_table *t, struct strbuf *out);

/* The same with measured times. Calls with equal kind, operations and bytes
 * share a row. Rows are sorted by time above the roofline, largest first.
 *
 * front  prefix of each line */
void call_table_show_measured(
    const struct call_table *t, const char *front, struct strbuf *out);

/* Add a line "call index=0 kind=conv node=conv1 ...", with roof_s if not 0. */
void call_row_show(const struct call_row *c, struct strbuf *out);

/* Free the rows. */
void call_table_release(struct call_table *t);

#endif
