/* Arrays between guards, of fp32 or bf16 elements, and each table of the cpu
 * device's kernels, for the tests that compare these with plain loops.
 *
 *	static void check_add(const struct cpu_kernels *k)
 *	{
 *		struct array a = array_random(k, 16, 0);
 *		...
 *		array_end(&a);
 *	}
 *	kernels_each(check_add);
 *
 * Values are in about +-1.  What is computed in fp32 is right to a number of
 * roundings of 2^-24 of the sizes of all its terms; what is then stored in bf16
 * to 2^-8 of itself more, half of the last of its 8 bits.
 */
#ifndef TESTS_UNIT_KERNEL_ARRAYS_H
#define TESTS_UNIT_KERNEL_ARRAYS_H

#include <stddef.h>

#include "tests/tap.h"
#include "trainer/device/cpu/kernels/cpu_kernels.h"

#define ROUNDING 0x1p-24

enum { MAX_TABLES = 8 };

/* What guards are filled with.  Those of what is read are NaNs, so that none is
 * read unseen; those of what is written are not, so that none is written as it
 * was. */
enum { READ = 0xff, WRITTEN = 0xa5 };

struct array {
	char *space; /* [total] guards, and between them: */
	char *at;    /* [bytes] */
	size_t bytes, total;
	int fill; /* READ or WRITTEN */
};

/* A result, and the sizes of its terms together. */
struct term {
	double value, size;
};

/* A number below that. */
unsigned next_random(unsigned below);

/* In -1 .. 1. */
double next_uniform(void);

/* An array without content.
 *
 * shift  bytes after the start of a cache line */
struct array array_new(size_t bytes, size_t shift, int fill);

/* A copy that lies as from does. */
struct array array_copy(const struct array *from, int fill);

/* n elements of the table's type: random ones to be read, or NaNs, to be
 * written. */
struct array array_random(const struct cpu_kernels *k, size_t n, size_t shift);
struct array array_empty(const struct cpu_kernels *k, size_t n, size_t shift);

/* Are guards and content the same bytes? */
int array_equal(const struct array *a, const struct array *b);

/* Check that the guards are as they were, then free. */
void array_end(struct array *a);

/* Bytes of one. */
size_t element_size(const struct cpu_kernels *k);

/* The nearest to x that one can hold. */
double element_rounded(const struct cpu_kernels *k, double x);

/* The i-th of an array; set it to the nearest. */
double element_get(
    const struct cpu_kernels *k, const struct array *a, size_t i);
void element_set(
    const struct cpu_kernels *k, struct array *a, size_t i, double x);

/* The tables that this CPU can run, each once.  Returns how many. */
int kernels_find_all(const struct cpu_kernels *tables[MAX_TABLES]);

/* Call check with each of them. */
void kernels_each(void (*check)(const struct cpu_kernels *k));

/* Fail where a number is not want.value within a tolerance, infinite or NaN as
 * it is.
 *
 * what, i  the kernel and the place, for the message */
void check_near(const struct cpu_kernels *k, const char *what, size_t i,
    double got, struct term want, double tolerance);

/* The same for an element that was computed in some roundings and stored. */
void check_element(const struct cpu_kernels *k, const char *what,
    const struct array *a, size_t i, struct term want, int roundings);

#endif
