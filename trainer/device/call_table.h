/* Tables of the kernel calls of a training step: what each computes and moves
 * at least, the least time that a machine needs for that, its roofline
 * (Williams, Waterman and Patterson, "Roofline", CACM 52, 2009), and, where it
 * was measured, the time that it took.
 *
 *	struct call_table t = { .roof = &roof };
 *	call_table_add(&t, &(struct call_row){ ... });
 *	call_table_show_measured(&t, "", &out);
 *	call_table_release(&t);
 */
#ifndef TRAINER_DEVICE_CALL_TABLE_H
#define TRAINER_DEVICE_CALL_TABLE_H

#include <stddef.h>

#include "common/strbuf.h"

enum { ROOF_CACHES = 2 };

/* What a machine can do at most. */
struct roof {
	double flop_per_s;  /* in the type of the products */
	double bytes_per_s; /* of the memory */
	/* At most `size` bytes of a call may still be in a cache, or stay
	 * there, and move at its speed.  The smallest first. */
	struct roof_cache {
		double size, bytes_per_s;
	} caches[ROOF_CACHES];
	int n_caches;
};

/* A call, or several calls of a step added up. */
struct call_row {
	int index; /* in the step's order; below 0: input, loss, optimiser */
	int kind;  /* sums by kind are in its order */
	const char *kind_name, *node; /* "conv data", "layer1.0.conv1" */
	int fused;
	int calls;          /* set by call_table_add() */
	double flop, bytes; /* two operations a multiply-add; each byte once */
	double saving;      /* flop over the operations of the algorithm, 4 for
	                  Winograd's F(4x4, 3x3); 0 is 1 */
	double seconds;     /* of a step, measured; else 0 */
	double roof_s;      /* the least; set by call_table_add() */
	int memory_bound;   /* that is the time of the bytes; set likewise */
};

struct call_table {
	const struct roof *roof; /* borrowed */
	struct call_row *rows;   /* their texts are borrowed */
	size_t n, alloc;
};

/* The least seconds for so many bytes. */
double roof_memory_s(const struct roof *r, double bytes);

/* Add a call. */
void call_table_add(struct call_table *t, const struct call_row *row);

/* The sum over all rows. */
struct call_row call_table_sum(const struct call_table *t);

/* Add the rows to out, in their order, with their roofs; then sums by kind. */
void call_table_show_planned(const struct call_table *t, struct strbuf *out);

/* The same with times; calls that are equal in kind, operations and bytes are
 * one row.  The first row is the one that takes longest beyond its roof.
 *
 * front  what each line begins with */
void call_table_show_measured(
    const struct call_table *t, const char *front, struct strbuf *out);

/* Add a line, "call index=0 kind=conv node=conv1 ...".  A roof_s of 0 is not
 * known, and left out. */
void call_row_show(const struct call_row *c, struct strbuf *out);

/* Free the rows. */
void call_table_release(struct call_table *t);

#endif
