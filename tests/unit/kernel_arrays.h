/* Arrays of fp32 or bf16 elements between guards, and a loop over the cpu
 * device's tables of kernels, for tests that compare these with plain loops.
 *
 *	static void check_add(const struct cpu_kernels *k)
 *	{
 *		struct array a = array_random(k, 16, 0);
 *		...
 *		array_end(&a);
 *	}
 *	kernels_each(check_add);
 *
 * Values are within about +-1. A result computed in fp32 has a tolerance of
 * some roundings, each 2^-24 of the sum of its terms' magnitudes; storing it in
 * bf16 adds 2^-8 of the value, half a unit of the last of its 8 bits.
 */
#ifndef TESTS_UNIT_KERNEL_ARRAYS_H
#define TESTS_UNIT_KERNEL_ARRAYS_H

#include <stddef.h>

#include "tests/tap.h"
#include "trainer/device/cpu/kernels/cpu_kernels.h"

#define ROUNDING 0x1p-24

enum { MAX_TABLES = 8 };

/* Fill bytes of guards: NaNs around inputs, so that reading a guard shows in
 * the result; other values around outputs, so that writing to a guard is
 * noticed. */
enum { READ = 0xff, WRITTEN = 0xa5 };

struct array {
	char *space; /* [total] guards, and between them: */
	char *at;    /* [bytes] */
	size_t bytes, total;
	int fill; /* READ or WRITTEN */
};

/* A result and the sum of the magnitudes of its terms. */
struct term {
	double value, size;
};

/* Random number in 0 .. below - 1. */
unsigned next_random(unsigned below);

/* Random number in -1 .. 1. */
double next_uniform(void);

/* New array with all bytes set to fill.
 *
 * shift  bytes after the start of a cache line */
struct array array_new(size_t bytes, size_t shift, int fill);

/* Copy with the alignment of `from`. */
struct array array_copy(const struct array *from, int fill);

/* New array of n elements of the table's type: random ones as input, or NaNs to
 * be overwritten. */
struct array array_random(const struct cpu_kernels *k, size_t n, size_t shift);
struct array array_empty(const struct cpu_kernels *k, size_t n, size_t shift);

/* True if guards and contents are equal. */
int array_equal(const struct array *a, const struct array *b);

/* Check that the guards are as they were, then free. */
void array_end(struct array *a);

/* Bytes per element. */
size_t element_size(const struct cpu_kernels *k);

/* x rounded to the element type. */
double element_rounded(const struct cpu_kernels *k, double x);

/* Get element i of an array; set it to x, rounded. */
double element_get(
    const struct cpu_kernels *k, const struct array *a, size_t i);
void element_set(
    const struct cpu_kernels *k, struct array *a, size_t i, double x);

/* Find the tables that this CPU can run, each once. Returns their number. */
int kernels_find_all(const struct cpu_kernels *tables[MAX_TABLES]);

/* Call check for each of these tables. */
void kernels_each(void (*check)(const struct cpu_kernels *k));

/* Fail unless got is want.value within a tolerance; infinities and NaNs must
 * match.
 *
 * what, i  the kernel and the place, for the message */
void check_near(const struct cpu_kernels *k, const char *what, size_t i,
    double got, struct term want, double tolerance);

/* The same for element i of an array, computed with this many roundings. */
void check_element(const struct cpu_kernels *k, const char *what,
    const struct array *a, size_t i, struct term want, int roundings);

#endif
