/* One number of a number plan in several lines of its template: four lines at
 * once where the processor has AVX2, eight with AVX-512.  Internal to
 * extract/.
 */
#ifndef EXTRACT_SCAN_SAMPLES_NUMBER_COLUMN_H
#define EXTRACT_SCAN_SAMPLES_NUMBER_COLUMN_H

#include <stddef.h>
#include <stdint.h>

#include "extract/scan/samples/number_plan.h"

enum {
	NUMBER_COLUMN = 128,       /* lines at most */
	NUMBER_COLUMN_DECIMALS = 9 /* of numbers that are read as digits only */
};

/* Lines that are read together. */
struct number_lines {
	size_t n;
	const char *text[NUMBER_COLUMN]; /* [n] not copied */
	int64_t number[NUMBER_COLUMN];   /* [n] of the lines in the file */
};

/* Add lines, n at most: as many as there is room for.  The first has that
 * number, and each begins stride bytes after the one before.  Returns how many
 * they are. */
static inline size_t
number_lines_add(struct number_lines *all, const char *line, size_t stride,
    size_t n, int64_t number)
{
	const size_t room = NUMBER_COLUMN - all->n;
	const size_t most = n < room ? n : room;
	const char **text = all->text + all->n;
	int64_t *numbers = all->number + all->n;

#pragma GCC unroll 4
	for (size_t i = 0; i < most; i++) {
		text[i] = line + i * stride;
		numbers[i] = number + (int64_t)i;
	}
	all->n += most;
	return most;
}

/* The digits of numbers without their points. */
struct number_digits {
	/* Of each number, 0 to NUMBER_PLAN_MAX_POWER; -1: they have more than
	 * eight digits, or not all have as many decimals. */
	int decimals;
	int32_t digits[NUMBER_COLUMN]; /* [n] unless decimals is -1; with 0
	                                  decimals the number itself */
};

/* What number_plan_number_read gives for each of the lines, to the last bit.
 *
 * lines   [n] n <= NUMBER_COLUMN
 * out     [n]
 * digits  out: each over the power of ten is out's; NULL: not wanted
 *
 * Returns 0; -1 where it would for one of them: out is not to be used. */
int number_column_read(const struct number_plan_number *x,
    const char *const *lines, size_t n, double *out,
    struct number_digits *digits);

/* The digits alone, where they have up to eight with one number of decimals, no
 * more than NUMBER_COLUMN_DECIMALS.
 *
 * Returns 1; 0 where not all do. */
int number_column_read_digits(const struct number_plan_number *x,
    const char *const *lines, size_t n, struct number_digits *digits);

/* The same for a whole number of up to eight digits. */
void number_column_read_whole(const struct number_plan_number *x,
    const char *const *lines, size_t n, int32_t *out);

/* Is that the same number in all lines?  Then out is set to it.
 *
 * Returns 1; 0 where it is not, or there are no lines. */
int number_column_read_one(const struct number_plan_number *x,
    const char *const *lines, size_t n, int32_t *out);

#endif
