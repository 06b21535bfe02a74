/* The samples of a log, packed: some 6 bytes each where steps follow each other
 * as they do in most logs, 16 where each line bears a time stamp of its own.
 * What goes in comes out, to the last bit.  Internal to extract/.
 *
 * They stand in blocks of SAMPLES_BLOCK.  Inside a block each says how it
 * differs from what the one before it leads to expect; a block starts anew.
 *
 *	struct samples all = SAMPLES_INIT;
 *	samples_add(&all, &x);
 *	x = samples_get(&all, 0);
 *	samples_release(&all);
 */
#ifndef EXTRACT_SAMPLES_H
#define EXTRACT_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

enum { SAMPLE_NONE = -1 }; /* a whole number that the line did not print */

/* One match of a hot pattern.  Two matches in one physical line are two
 * samples. */
struct sample {
	double value;      /* step seconds or rate, as the format says; NAN if
	                      the format gives time stamps only */
	double stamp;      /* seconds: since 1970 with a date, since midnight
	                      without, NAN if none was printed */
	int64_t line;      /* of the file, from 1 */
	int32_t epoch;     /* as printed, or SAMPLE_NONE */
	int32_t iter;      /* as printed: the end b of a window (a,b] */
	int32_t iter_from; /* start a of the window where printed */
	int32_t iters;     /* iterations per epoch where printed */
	int32_t rank;      /* label by a prefix or group, or SAMPLE_NONE */
};

enum { SAMPLES_BLOCK = 64 };

/* What is expected of the next sample of a block. */
struct samples_state {
	struct sample before;
	int64_t line_step, iter_step; /* to it from the one before */
	int64_t micros;               /* of the last stamp that was whole */
	unsigned decimals;            /* of values */
	unsigned stubborn;            /* 1: values of this block resist */
};

/* Samples that were joined behind others. */
struct samples_segment {
	size_t first, first_block; /* of all */
	int64_t lines;             /* in front of its own */
};

struct samples {
	size_t n;
	unsigned char **blocks; /* [(n + 63) / 64] their first bytes */
	size_t n_blocks, alloc_blocks;
	unsigned char **chunks; /* what the blocks stand in */
	size_t n_chunks, alloc_chunks;
	unsigned char *at, *end; /* room in the last chunk */
	struct samples_state state;
	struct samples_segment *segments; /* NULL: one, that begins at 0 */
	size_t n_segments, alloc_segments;
};

#define SAMPLES_INIT \
	{ \
		.n = 0 \
	}

/* Put x behind the others, before any are joined. */
void samples_add(struct samples *all, const struct sample *x);

/* The i-th, i < n. */
struct sample samples_get(const struct samples *all, size_t i);

/* Put all of more behind the others; more is empty then.
 *
 * lines  in front of them: added to each line */
void samples_join(struct samples *all, struct samples *more, int64_t lines);

/* The block of the i-th, i < n; first is set to the number of its first. */
size_t samples_block_of(const struct samples *all, size_t i, size_t *first);

/* All of block i into out [SAMPLES_BLOCK].  Returns how many it has. */
size_t samples_block(
    const struct samples *all, size_t i, struct sample out[SAMPLES_BLOCK]);

/* Bytes that they take. */
size_t samples_bytes(const struct samples *all);

/* Free all; it is empty again. */
void samples_release(struct samples *all);

#endif
