/* Where the numbers of a match stand in all lines of one template
 * (line_template.h), and how many digits each has before and after its point.
 * Reading them is then a few shifts and products each: nothing has to be looked
 * for, nothing can be wrong.  Internal to extract/.
 */
#ifndef EXTRACT_SCAN_SAMPLES_NUMBER_PLAN_H
#define EXTRACT_SCAN_SAMPLES_NUMBER_PLAN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "extract/format/format.h"

struct match;

enum {
	NUMBER_PLAN_STAMPS = 3, /* pieces of a time stamp */
	NUMBER_PLAN_MAX_POWER =
	    22 /* powers of ten are exact in a double up to it */
};

/* Up to eight digits, perhaps with a point between them. */
struct number_plan_run {
	uint64_t high, low; /* of the bytes loaded: digits after the point, or
	                       all; digits before it */
	uint16_t at;        /* eight bytes are loaded from there on */
	uint8_t up;         /* and moved up by so many bits */
	uint8_t len;        /* bytes of the run */
};

/* A number: the runs, one after the other, are its digits; then the digits of
 * its exponent. */
struct number_plan_number {
	const struct capture *capture;
	struct number_plan_run first, second, exponent;
	uint32_t scale;    /* power of ten for the digits of second; 0: none */
	int8_t decimals;   /* of the digits */
	int8_t exponented; /* sign of the exponent; 0: there is none */
};

struct number_plan {
	/* Of those that one scanner makes, from 1; 0: the maker gives none. */
	uint64_t serial;
	const struct number_plan_number
	    *numbers; /* [n_all] n for a sample, then
	                                        those for details */
	size_t n, n_all, n_stamps;
	const struct capture
	    *stamps[NUMBER_PLAN_STAMPS]; /* pieces of a time stamp,
	                                                which are read anew */
};

/* Find out for a match of a step or detail pattern.
 *
 * line     [len] the match is in it
 * numbers  [room] of the number plan; the first of them are filled
 *
 * Returns 1; 0 if it holds a number that is not so simple, or too many: then
 * the number plan is not to be used. */
int number_plan_make(struct number_plan *r, const struct match *match,
    const char *line, size_t len, struct number_plan_number *numbers,
    size_t room);

/* Powers of ten, [NUMBER_PLAN_MAX_POWER + 1]. */
extern const double number_plan_powers[];

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NUMBER_PLAN_WORKS 1
#else
#define NUMBER_PLAN_WORKS 0
#endif

/* The digits are put together in pairs, then fours, then eights.  Source:
 * Lemire 2018, "Quickly parsing eight digits". */
static inline uint64_t
number_plan_run_read(const struct number_plan_run *run, const char *line)
{
	uint64_t x;

	memcpy(&x, line + run->at, sizeof x);
	x <<= run->up;
	x = (x & run->high) | (x & run->low) << 8;
	x = x * 2561 >> 8 & 0x00ff00ff00ff00ff;
	x = x * 6553601 >> 16 & 0x0000ffff0000ffff;
	return x * 42949672960001 >> 32;
}

/* The digits of such a number in such a line.
 *
 * power  out: of ten, that they are to be multiplied with */
static inline uint64_t
number_plan_digits_read(
    const struct number_plan_number *x, const char *line, int *power)
{
	uint64_t digits = number_plan_run_read(&x->first, line);

	*power = -x->decimals;
	if (x->scale > 0)
		digits =
		    digits * x->scale + number_plan_run_read(&x->second, line);
	if (x->exponented != 0)
		*power += x->exponented *
		    (int)number_plan_run_read(&x->exponent, line);
	return digits;
}

/* What such digits are.  They and the power of ten are exact in a double, so
 * that one operation gives the nearest double, as strtod does.
 *
 * Returns 0; -1 where the power of ten is too large for that. */
static inline int
number_plan_number_of(uint64_t digits, int power, double *out)
{
	if ((unsigned)(power + NUMBER_PLAN_MAX_POWER) >
	    2 * (unsigned)NUMBER_PLAN_MAX_POWER)
		return -1;
	*out = power <= 0 ? (double)digits / number_plan_powers[-power]
			  : (double)digits * number_plan_powers[power];
	return 0;
}

/* A number with a number plan in such a line, not yet divided.  Returns as
 * number_plan_number_of. */
static inline int
number_plan_number_read(
    const struct number_plan_number *x, const char *line, double *out)
{
	int power;
	const uint64_t digits = number_plan_digits_read(x, line, &power);

	return number_plan_number_of(digits, power, out);
}

#endif
