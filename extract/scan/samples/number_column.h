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
	NUMBER_COLUMN = 64,        /* lines at most */
	NUMBER_COLUMN_DECIMALS = 9 /* of numbers that are read as digits only */
};

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
