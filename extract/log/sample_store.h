/* The samples of a log and their details: growing arrays in file order.
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

enum { SAMPLE_NONE = -1 }; /* integer not printed on the line */

/* One match of a step pattern.  Two matches in one physical line are two
 * samples. */
struct sample {
	double value;      /* step seconds or rate, as the format states; NAN if
	                      the format gives time stamps only */
	double stamp;      /* seconds: since 1970 with a date, since midnight
	                      without, NAN if none was printed */
	uint32_t line;     /* of the file, from 1 */
	int32_t epoch;     /* as printed, or SAMPLE_NONE */
	int32_t iter;      /* as printed: the end b of a window (a,b] */
	int32_t iter_from; /* start a of the window, or SAMPLE_NONE */
	int32_t iters;     /* iterations per epoch, or SAMPLE_NONE */
	int32_t rank;      /* from a prefix or group, or SAMPLE_NONE */
	double second;     /* see meaning.second; NAN if not printed */
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

/* Space for the next sample, which is appended when n is incremented. */
struct sample *sample_store_next(struct sample_store *all);

/* Copy only the samples of the training's progress bars, whose number of
 * iterations is that of the bar that took longest. Evaluation bars look the
 * same otherwise. */
struct sample_store sample_store_longest_bar(const struct sample_store *all);

/* Free the items and leave the store empty. */
void sample_store_release(struct sample_store *all);

/* An additional value of a line: loss, top1, data_s, ... */
struct log_detail {
	double value;
	uint32_t word;   /* its index, see field_name_at */
	uint32_t sample; /* index in samples of the match on the same line */
};

struct detail_store {
	struct log_detail *items; /* [n] */
	size_t n, alloc;
};

/* Append x. */
void detail_store_add(struct detail_store *all, const struct log_detail *x);

/* Free the items and leave the store empty. */
void detail_store_release(struct detail_store *all);

#endif
