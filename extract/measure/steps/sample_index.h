/* The samples of a run in the order of its iterations, and the question whether
 * those that share an iteration are ranks or a restart.  A part of steps.c.
 *
 * Invariants after sample_index_collect: they are ordered by epoch, iteration,
 * log, line; those of the same (epoch, iter) stand together: a group.
 */
#ifndef EXTRACT_MEASURE_STEPS_SAMPLE_INDEX_H
#define EXTRACT_MEASURE_STEPS_SAMPLE_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "common/hash_index.h"
#include "extract/log/exclusion.h"
#include "extract/log/log.h"

struct sample_index_entry {
	struct sample sample;
	int32_t epoch;  /* index in the index's epochs */
	int32_t iter;   /* as printed; counted where none was printed */
	int32_t source; /* index of its log */
	double shift;   /* seconds that put the clock of its stamp right */
};

struct index_block;
struct clock_course;

struct sample_index {
	size_t n;
	int32_t *epochs; /* printed numbers, in the order of the file */
	size_t n_epochs, alloc_epochs;
	size_t n_sources;
	int numbered; /* 0: no iteration was printed; iter is the count */
	int labelled; /* 1: each sample states by whom it is */
	int32_t max_label;
	int32_t hours; /* jumps of a clock by an hour that were put right */
	int has_zero;  /* 1: an iteration 0 is printed, anywhere */
	int first_has_zero; /* 1: in the first epoch */
	size_t most;        /* members of the largest group */
	/* What sample_index_check found worth stating, or REMARK_NONE. */
	enum remark_code flag;

	/* The rest is private. */
	const struct log *const *logs;
	size_t *starts;          /* [n_sources + 1] samples before each log */
	const size_t *from, *to; /* see sample_index_collect */
	uint64_t *keys;      /* [n] group and index of each, sorted; NULL: the
	                         order is that of the logs */
	unsigned index_bits; /* of a key that are its index */
	size_t
	    *first_blocks; /* [n_sources] blocks of samples before each log */
	struct clock_course *clocks; /* before each block; NULL: no clock
	                                started anew */
	struct hash_index by_number; /* of the epochs */
};

/* Put the samples of n_logs logs in order.  The logs must outlive r.  What is
 * in order already takes no memory here, the rest 8 bytes a sample.
 *
 * from, to  [n_logs] only samples from[i] to to[i] - 1 of log i; they must
 *           outlive r; NULL: all */
void sample_index_collect(struct sample_index *r, const struct log *const *logs,
    size_t n_logs, const size_t *from, const size_t *to);
void sample_index_release(struct sample_index *r);

/* Who reads them, one after the other or nearly so; each has its own. */
struct sample_index_reader {
	const struct sample_index *index;
	struct index_block *blocks; /* [n_blocks] unpacked ones */
	size_t n_blocks;            /* a power of 2 */
	struct index_block *last;   /* of the sample that was read last */
	int32_t epoch;              /* and its */
};

/* A reader that has read nothing; and free what it keeps. */
void sample_index_reader_init(
    struct sample_index_reader *reader, const struct sample_index *r);
void sample_index_reader_release(struct sample_index_reader *reader);

/* The i-th.  Quick where the neighbours were asked for before. */
struct sample_index_entry sample_index_at(
    struct sample_index_reader *reader, size_t i);

/* Does each stand alone in its iteration, in the order of one log that numbers
 * them, and is its clock as it was printed? */
int sample_index_is_straight(const struct sample_index *r);

/* The samples from the i-th on that lie unpacked together, and how many they
 * are, n >= 1; only where they are straight, i < index->n.  Good until the next
 * call with this reader. */
const struct sample *sample_index_straight(
    struct sample_index_reader *reader, size_t i, size_t *n);

/* Does a row (struct sample_row) begin with the i-th, i < n?  Only where they
 * are straight. */
int sample_index_row(
    const struct sample_index *r, size_t i, struct sample_row *row);

/* All of them as rows, n of these; NULL: they are no rows, or not straight. */
const struct sample_row *sample_index_rows(
    const struct sample_index *r, size_t *n);

/* The values alone of the samples that are stored together from the i-th on,
 * where they are a row.
 *
 * out  [SAMPLE_STORE_BLOCK]
 *
 * Returns how many they are; 0 where they are none, or the i-th is not their
 * first. */
size_t sample_index_row_values(const struct sample_index *r, size_t i,
    struct sample_row *row, double *out);

/* The samples of the group that begins with the i-th, n >= 1 of them, where
 * they lie unpacked next to each other, are of one log and no clock was put
 * right; else NULL.  Good until the next call with this reader. */
const struct sample *sample_index_members(
    struct sample_index_reader *reader, size_t i, size_t *n);

/* The index after the group of entry, which is the i-th and its first. */
size_t sample_index_group_end(struct sample_index_reader *reader, size_t i,
    const struct sample_index_entry *entry);

/* The index of the epoch of that number, which is there; quick if it is that of
 * index last. */
int32_t sample_index_epoch(
    const struct sample_index *r, int32_t number, int32_t last);

/* Who printed it: its log where there are several, else its label. */
int32_t sample_index_label(
    const struct sample_index *r, const struct sample_index_entry *entry);

struct attempts;

/* Are the members of all groups ranks?  See steps_make.
 *
 * world     ranks in all, or RESULT_UNKNOWN
 * attempts  filled if they are not and the job was started again; NULL: that is
 *           not asked
 *
 * Returns 0; 1 if attempts was filled; or -1 with EXCLUDED_RESTART. */
int sample_index_check(struct sample_index *r, long world,
    struct attempts *attempts, struct exclusion *x);

#endif
