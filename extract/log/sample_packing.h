/* How samples are packed: what both directions know.  Internal to sample_pack.c
 * and sample_unpack.c.
 */
#ifndef EXTRACT_LOG_SAMPLE_PACKING_H
#define EXTRACT_LOG_SAMPLE_PACKING_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "extract/log/sample_store.h"

/* A sample begins with a byte of these; what it names follows in this order. */
enum {
	HAS_LINE = 1,  /* the step of line, from then on */
	HAS_ITER = 2,  /* the step of iter, from then on */
	HAS_FROM = 4,  /* iter_from */
	HAS_OTHER = 8, /* a byte of OTHER_..., and those */
	VALUE_RAW = 16,
	VALUE_NAN = 32,
	VALUE_DECIMALS = 48, /* a byte of decimals, from then on; a value */
	VALUE_KINDS = 48,    /* none of them: a value */
	STAMP_MICROS = 64,   /* the difference to the last */
	STAMP_RAW = 128,
	STAMP_KINDS = 192, /* none of them: no stamp */
	DIFFERS = 256      /* is no byte's: something else follows */
};

/* A second value is the difference of its digits to those of the one before;
 * after a byte of decimals where they change; or raw. */
enum {
	OTHER_EPOCH = 1,
	OTHER_ITERS = 2,
	OTHER_RANK = 4,
	OTHER_SECOND = 8,
	OTHER_DECIMALS = 16,
	OTHER_RAW = 32
};

/* A block begins with a byte: the decimals of its first value, and whether its
 * samples are a row. */
enum { BLOCK_ROW = 128 };

enum { MAX_DECIMALS = 9 /* of a value */ };

static const double sample_powers[MAX_DECIMALS + 1] = { 1e0, 1e1, 1e2, 1e3, 1e4,
	1e5, 1e6, 1e7, 1e8, 1e9 };

/* The state before the first sample of a block.  Field by field: as one value
 * of more than 64 bytes it would be set by an instruction that takes longer
 * than a sample. */
static inline void
start_block(struct sample_store_state *s, unsigned decimals)
{
	struct sample *y = &s->before;

	y->value = y->stamp = 0;
	y->line = 0;
	y->epoch = y->iter_from = y->iters = y->rank = SAMPLE_NONE;
	y->iter = 0;
	y->second = NAN;
	s->line_step = s->iter_step = 1;
	s->rank_step = 0;
	s->micros = s->second = 0;
	s->decimals = decimals;
	s->stubborn = s->second_decimals = s->filled = 0;
	s->no_row = 0;
}

/* The rank as it is expected: ranks of an iteration tend to ascend, and begin
 * anew with the next. */
static inline int64_t
expected_rank(const struct sample_store_state *s)
{
	return s->before.rank == SAMPLE_NONE ? SAMPLE_NONE
					     : s->before.rank + s->rank_step;
}

/* Another rank follows the one before. */
static inline void
note_rank(struct sample_store_state *s, int32_t before, int32_t rank)
{
	if (before != SAMPLE_NONE && rank >= before)
		s->rank_step = (int64_t)rank - before;
}

/* The start of a window as it is expected. */
static inline int64_t
expected_from(const struct sample_store_state *s)
{
	return s->before.iter_from == SAMPLE_NONE
	    ? SAMPLE_NONE
	    : s->before.iter_from + s->iter_step;
}

/* Samples of block i. */
static inline size_t
block_length(const struct sample_store *all, size_t i)
{
	return all->n_segments == 0 && i + 1 == all->n_blocks
	    ? all->n - i * SAMPLE_STORE_BLOCK
	    : all->heads[i].n;
}

#endif
