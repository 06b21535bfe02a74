/* The samples of a log, packed: some 6 bytes each where steps follow each other
 * as they do in most logs, 16 where each line holds a time stamp of its own.
 * What goes in comes out, to the last bit.  Internal to extract/.
 *
 * They stand in blocks of SAMPLE_STORE_BLOCK.  Inside a block each states how
 * it differs from what the one before it leads to expect; a block starts anew.
 *
 *	struct sample_store all = SAMPLE_STORE_INIT;
 *	sample_store_add(&all, &x);
 *	x = sample_store_get(&all, 0);
 *	sample_store_release(&all);
 */
#ifndef EXTRACT_LOG_SAMPLE_STORE_H
#define EXTRACT_LOG_SAMPLE_STORE_H

#include <stddef.h>
#include <stdint.h>

enum { SAMPLE_NONE = -1 }; /* a whole number that the line did not print */

/* One match of a step pattern.  Two matches in one physical line are two
 * samples. */
struct sample {
	double value;      /* step seconds or rate, as the format states; NAN if
	                      the format gives time stamps only */
	double stamp;      /* seconds: since 1970 with a date, since midnight
	                      without, NAN if none was printed */
	int64_t line;      /* of the file, from 1 */
	int32_t epoch;     /* as printed, or SAMPLE_NONE */
	int32_t iter;      /* as printed: the end b of a window (a,b] */
	int32_t iter_from; /* start a of the window where printed */
	int32_t iters;     /* iterations per epoch where printed */
	int32_t rank;      /* label by a prefix or group, or SAMPLE_NONE */
	double second;     /* meaning.second states what it is; NAN if the line
	                      prints none */
};

enum {
	SAMPLE_STORE_BLOCK = 64,
	SAMPLE_STORE_ROW = 64 /* blocks, so that asking about each of a long row
	                         in turn takes linear time */
};

/* What is expected of the next sample of a block. */
struct sample_store_state {
	struct sample before;
	int64_t line_step, iter_step; /* to it from the one before */
	int64_t rank_step;            /* the same, >= 0, where it has a rank */
	int64_t micros;               /* of the last stamp that was whole */
	unsigned decimals;            /* of values */
	unsigned stubborn;            /* 1: values of this block resist */
	unsigned second_decimals;     /* of second values */
	unsigned likely_decimals;     /* of theirs in the blocks before */
	int64_t second;               /* the last one, without its point */
	unsigned filled;              /* samples in the block so far */
	int no_row;                   /* 1: they are no struct sample_row */
};

/* Samples of one epoch whose iterations ascend by equal steps, with equal
 * iters, without iter_from, rank and stamp. */
struct sample_row {
	int32_t epoch, iters; /* of all */
	int32_t iter;         /* of the first, >= 0 */
	int64_t step;         /* > 0 from one iteration to the next */
	size_t n;
};

/* All samples as rows, as long as these are long. */
struct sample_rows {
	struct sample_row *items; /* [n] in their order */
	size_t n, alloc;
	int none; /* 1: they are no such rows */
};

/* What is known of a block without its bytes. */
struct sample_store_head {
	int32_t epoch, iter, iters; /* of its first sample */
	int32_t step; /* from there to the next; 0: the block is no row */
	uint32_t n;   /* samples; not set while some are added */
};

/* Memory of blocks, which stand after this. */
struct sample_store_chunk {
	struct sample_store_chunk *before;
};

/* Samples that were joined after others. */
struct sample_store_segment {
	size_t first, first_block; /* of all */
	int64_t lines;             /* before its own */
};

struct sample_store {
	size_t n;
	unsigned char **blocks;          /* [(n + 63) / 64] their first bytes */
	struct sample_store_head *heads; /* [n_blocks] */
	size_t n_blocks, alloc_blocks, alloc_heads;
	struct sample_store_chunk *chunks; /* [n_chunks] what the blocks stand
	                                      in, the last one first */
	size_t n_chunks;
	size_t bytes;            /* that they take */
	size_t in_chunks;        /* the same, and that of stores before it */
	unsigned char *at, *end; /* room in the last chunk; NULL: none */
	struct sample_store_state state;
	struct sample_rows rows;
	struct sample_store_segment *segments; /* NULL: one, that begins at 0 */
	size_t n_segments, alloc_segments;
};

#define SAMPLE_STORE_INIT \
	{ \
		.n = 0 \
	}

/* Put x after the others, before any are joined. */
void sample_store_add(struct sample_store *all, const struct sample *x);

/* Numbers of samples, field by field. */
struct sample_columns {
	size_t n;
	struct sample same;  /* what all have, where a column is NULL */
	const int64_t *line; /* [n] */
	/* Each [n] or NULL. */
	const int32_t *epoch, *iter, *iter_from, *iters, *rank;
	const double *value, *second;
	/* value's and second's without their points, so that each over the
	 * power of ten is the number to the last bit; NULL: not known.  Where
	 * they have up to nine decimals, the numbers may be NULL. */
	const int32_t *value_digits, *second_digits;
	int value_decimals, second_decimals; /* >= 0 where they are known */
};

/* The same as sample_store_add for each of them. */
void sample_store_add_columns(
    struct sample_store *all, const struct sample_columns *c);

/* The i-th, i < n. */
struct sample sample_store_get(const struct sample_store *all, size_t i);

/* Let all, which is empty, go on in what is left of the last chunk of `before`,
 * to which no more is added; all need not be used.  Who owned the chunk still
 * does: it is to be released when neither is read any more. */
void sample_store_go_on(struct sample_store *all, struct sample_store *before);

/* Put all of more after the others; more is empty then.
 *
 * lines  before them: added to each line */
void sample_store_join(
    struct sample_store *all, struct sample_store *more, int64_t lines);

/* Free those that were joined: all is what it was before.
 *
 * before  a copy of *all then, without any that were joined */
void sample_store_unjoin(
    struct sample_store *all, const struct sample_store *before);

/* The block of the i-th, i < n; first is set to the number of its first. */
size_t sample_store_block_of(
    const struct sample_store *all, size_t i, size_t *first);

/* All of block i into out [SAMPLE_STORE_BLOCK].  Returns how many it has. */
size_t sample_store_block(const struct sample_store *all, size_t i,
    struct sample out[SAMPLE_STORE_BLOCK]);

/* What a block holds so far. */
struct sample_block {
	const unsigned char *bytes;
	unsigned first; /* of them, which may change */
	size_t n;       /* samples */
};

/* Block i before any are joined, for another thread to read while more samples
 * are added. */
struct sample_block sample_store_share(
    const struct sample_store *all, size_t i);

/* As sample_store_block. */
size_t sample_block_read(
    const struct sample_block *b, struct sample out[SAMPLE_STORE_BLOCK]);

/* Do samples of block i, all of them, and of blocks after it make a row?  Then
 * row states the longest of SAMPLE_STORE_ROW blocks at most, at a small part of
 * the cost of unpacking it.
 *
 * Returns the blocks of the row; 0 if block i is none. */
size_t sample_store_row(
    const struct sample_store *all, size_t i, struct sample_row *row);

/* All samples as rows, which are long: set n to how many there are.  NULL: they
 * are none, or not all are.  Good until samples are added or joined. */
const struct sample_row *sample_store_rows(
    const struct sample_store *all, size_t *n);

/* The values alone of block i, where a row begins with it, into out; that is
 * row, of this block only.  Returns how many it has; 0 if block i is no row. */
size_t sample_store_row_values(const struct sample_store *all, size_t i,
    struct sample_row *row, double out[SAMPLE_STORE_BLOCK]);

/* Bytes that they take. */
size_t sample_store_bytes(const struct sample_store *all);

/* Free all; it is empty again. */
void sample_store_release(struct sample_store *all);

#endif
