/* The samples of a log and their details: growing arrays, in the order of the
 * file.
 *
 *	struct sample_store all = SAMPLE_STORE_INIT;
 *	sample_store_add(&all, &x);
 *	... all.items[0] ...
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

struct sample_store {
	struct sample *items; /* [n] */
	size_t n, alloc;
};

#define SAMPLE_STORE_INIT \
	{ \
		NULL, 0, 0 \
	}

/* Append x. */
void sample_store_add(struct sample_store *all, const struct sample *x);

/* A copy of the samples of the training's progress bars only.  Bars of
 * evaluation look alike; the training's have as many iterations as the bar that
 * took longest. */
struct sample_store sample_store_longest_bar(const struct sample_store *all);

/* Free all; it is empty again. */
void sample_store_release(struct sample_store *all);

/* Another value of a line: loss, top1, data_s, ... */
struct log_detail {
	const char *key; /* of the vocabulary; a constant */
	double value;
	int64_t line;   /* of the file, from 1 */
	int64_t sample; /* index in samples of the match on the same line; -1
	                    if the line held none (results of an epoch, ...) */
};

struct detail_store {
	struct log_detail *items; /* [n] */
	size_t n, alloc;
};

/* Append x. */
void detail_store_add(struct detail_store *all, const struct log_detail *x);

/* Free all; it is empty again. */
void detail_store_release(struct detail_store *all);

enum { DETAIL_ROW = 16, DETAIL_STORE_DECIMALS = 9 };
enum { PRINTED_BYTES = 8, PRINTED_WORDS = 16 };

struct printed_number {
	const char *key;
	double divisor;
	unsigned char len, decimals;
	signed char exponent;
};

struct detail_row {
	int64_t line, sample;
	size_t n;
	const char *keys[DETAIL_ROW];
	unsigned char decimals[DETAIL_ROW];
	uint32_t digits[DETAIL_ROW];
};

/* As detail_store_add, of digits / 10^decimals. */
void detail_store_add_decimal(struct detail_store *all,
    const struct log_detail *x, uint64_t digits, unsigned decimals);
void detail_store_add_row(
    struct detail_store *all, const struct detail_row *row);

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

/* Append the samples of more, which is empty then.
 *
 * lines  before them: added to each line */
void sample_store_join(
    struct sample_store *all, struct sample_store *more, int64_t lines);

#endif
