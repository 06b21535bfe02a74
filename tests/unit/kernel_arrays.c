#include <config.h>

#include "tests/unit/kernel_arrays.h"

#ifdef HAVE_DNNL

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "trainer/base/isa.h"
#include "trainer/base/tensor.h"

enum { GUARD = 128 };

unsigned
next_random(unsigned below)
{
	static uint64_t state = 88172645463325252u;

	/* Marsaglia 2003, "Xorshift RNGs". */
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state % below);
}

double
next_uniform(void)
{
	return next_random(2000001) / 1e6 - 1;
}

struct array
array_new(size_t bytes, size_t shift, int fill)
{
	struct array a = { .bytes = bytes, .fill = fill };

	a.total = (bytes + shift + 2 * GUARD + 63) / 64 * 64;
	a.space = aligned_alloc(64, a.total);
	CHECK(a.space != NULL);
	memset(a.space, fill, a.total);
	a.at = a.space + GUARD + shift;
	return a;
}

struct array
array_copy(const struct array *from, int fill)
{
	struct array a = array_new(
	    from->bytes, (size_t)(from->at - from->space) - GUARD, fill);

	memcpy(a.at, from->at, from->bytes);
	return a;
}

static int
guards_kept(const struct array *a)
{
	for (size_t i = 0; i < a->total; i++) {
		const char *p = a->space + i;

		if ((p < a->at || p >= a->at + a->bytes) &&
		    (unsigned char)*p != a->fill)
			return 0;
	}
	return 1;
}

int
array_equal(const struct array *a, const struct array *b)
{
	return a->total == b->total &&
	    memcmp(a->space, b->space, a->total) == 0;
}

void
array_end(struct array *a)
{
	CHECK(guards_kept(a));
	free(a->space);
	a->space = NULL;
}

size_t
element_size(const struct cpu_kernels *k)
{
	return dtype_size(k->type);
}

double
element_rounded(const struct cpu_kernels *k, double x)
{
	return (double)(k->type == DTYPE_BF16
		? bf16_to_float(bf16_from_float((float)x))
		: (float)x);
}

double
element_get(const struct cpu_kernels *k, const struct array *a, size_t i)
{
	uint16_t h;
	float f;

	if (k->type == DTYPE_BF16) {
		memcpy(&h, a->at + i * sizeof h, sizeof h);
		return (double)bf16_to_float(h);
	}
	memcpy(&f, a->at + i * sizeof f, sizeof f);
	return (double)f;
}

void
element_set(const struct cpu_kernels *k, struct array *a, size_t i, double x)
{
	const float f = (float)x;
	const uint16_t h = bf16_from_float(f);

	if (k->type == DTYPE_BF16)
		memcpy(a->at + i * sizeof h, &h, sizeof h);
	else
		memcpy(a->at + i * sizeof f, &f, sizeof f);
}

struct array
array_random(const struct cpu_kernels *k, size_t n, size_t shift)
{
	struct array a = array_new(n * element_size(k), shift, READ);

	for (size_t i = 0; i < n; i++)
		element_set(k, &a, i, next_uniform());
	return a;
}

struct array
array_empty(const struct cpu_kernels *k, size_t n, size_t shift)
{
	struct array a = array_new(n * element_size(k), shift, WRITTEN);

	memset(a.at, READ, a.bytes); /* NaNs */
	return a;
}

int
kernels_find_all(const struct cpu_kernels *tables[MAX_TABLES])
{
	enum isa most = ISA_PLAIN;
	int n = 0;

#ifdef HAVE_X86_FLAGS
	if (isa_runs_avx2())
		most = ISA_AVX2;
	if (isa_runs_avx512())
		most = ISA_AVX512;
#endif
	for (int isa = ISA_PLAIN; isa <= (int)most; isa++)
		for (int half = 0; half < 2; half++) {
			const struct cpu_kernels *k = cpu_kernels_find(
			    half ? DTYPE_BF16 : DTYPE_FP32, (enum isa)isa);
			int i = 0;

			CHECK_INT(k->type, half ? DTYPE_BF16 : DTYPE_FP32);
			while (i < n && tables[i] != k)
				i++;
			if (i == n)
				tables[n++] = k;
		}
	return n;
}

void
kernels_each(void (*check)(const struct cpu_kernels *k))
{
	const struct cpu_kernels *tables[MAX_TABLES];
	const int n = kernels_find_all(tables);

	for (int i = 0; i < n; i++)
		check(tables[i]);
}

void
check_near(const struct cpu_kernels *k, const char *what, size_t i, double got,
    struct term want, double tolerance)
{
	const int same = isnan(want.value) ? isnan(got)
	    : isinf(want.value) ? isinf(got) && (got > 0) == (want.value > 0)
				: fabs(got - want.value) <= tolerance;

	if (!same)
		printf("# %s %s, %d lanes, %s: %zu is %.9g, not %.9g within "
		       "%g\n",
		    k->isa, k->type == DTYPE_BF16 ? "bf16" : "fp32", k->lanes,
		    what, i, got, want.value, tolerance);
	CHECK(same);
}

void
check_element(const struct cpu_kernels *k, const char *what,
    const struct array *a, size_t i, struct term want, int roundings)
{
	double tolerance = roundings * ROUNDING * want.size;

	if (k->type == DTYPE_BF16)
		tolerance += 0x1p-8 * (fabs(want.value) + tolerance);
	check_near(k, what, i, element_get(k, a, i), want, tolerance);
}

#endif
