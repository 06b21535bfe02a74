/* Arrays of fp16 and bf16 against the functions for one number. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "tests/tap.h"
#include "trainer/base/tensor.h"

enum { ALL = 1 << 16 };

static float
widen(enum dtype t, uint16_t x)
{
	return t == DTYPE_FP16 ? fp16_to_float(x) : bf16_to_float(x);
}

static uint16_t
narrow(enum dtype t, float x)
{
	return t == DTYPE_FP16 ? fp16_from_float(x) : bf16_from_float(x);
}

/* True if equal; all NaNs are equal. */
static int
is_same(enum dtype t, uint16_t a, uint16_t b)
{
	return a == b || (isnan(widen(t, a)) && isnan(widen(t, b)));
}

/* All 65536 numbers, to float and back. */
static void
test_all(void)
{
	uint16_t *x = xcalloc(ALL, sizeof *x), *y = xcalloc(ALL, sizeof *y);
	float *f = xcalloc(ALL, sizeof *f);

	for (int k = 0; k < 2; k++) {
		const enum dtype t = k ? DTYPE_BF16 : DTYPE_FP16;
		int wrong = 0;

		for (int i = 0; i < ALL; i++)
			x[i] = (uint16_t)i;
		half_float_to_float(t, x, f, ALL);
		half_float_from_float(t, f, 1, y, ALL);
		for (int i = 0; i < ALL; i++) {
			const float want = widen(t, x[i]);

			wrong += !is_same(t, x[i], y[i]) ||
			    (isnan(want) ? !isnan(f[i]) : f[i] != want);
		}
		CHECK_INT(wrong, 0);
	}
	free(x);
	free(y);
	free(f);
}

/* Arrays that are large enough to be written past the caches, at any alignment:
 * nothing before or after them is written. */
static void
test_many(void)
{
	enum { MANY = (1 << 17) + 13 };
	uint16_t *x = xcalloc(MANY, sizeof *x);
	float *f = xcalloc(MANY + 10, sizeof *f);

	for (int i = 0; i < MANY; i++)
		x[i] = (uint16_t)(i % 0x7c00); /* finite in both */
	for (int k = 0; k < 18; k++) {
		const enum dtype t = k % 2 ? DTYPE_BF16 : DTYPE_FP16;
		float *out = f + 1 + k / 2;
		int wrong = 0;

		out[-1] = out[MANY] = 7;
		half_float_to_float(t, x, out, MANY);
		for (int i = 0; i < MANY; i++)
			wrong += out[i] != widen(t, x[i]);
		CHECK_INT(wrong, 0);
		CHECK(out[-1] == 7 && out[MANY] == 7);
	}
	free(x);
	free(f);
}

/* Round and scale floats of arbitrary bits; nothing is written past the end,
 * at lengths of 0 to 19. */
static void
test_rounding(void)
{
	float *f = xcalloc(ALL, sizeof *f);
	uint16_t *y = xcalloc(ALL, sizeof *y);
	uint64_t state = 1;

	for (int i = 0; i < ALL; i++) {
		uint32_t bits;

		state =
		    state * UINT64_C(6364136223846793005) + 1442695040888963407;
		bits = (uint32_t)(state >> 32);
		/* Every other one is near the middle between two fp16. */
		if (i % 2)
			bits = (bits & 0x87ffe000) | 0x38001000 | (bits & 1);
		memcpy(&f[i], &bits, sizeof bits);
	}
	for (int k = 0; k < 2; k++) {
		const enum dtype t = k ? DTYPE_BF16 : DTYPE_FP16;
		int wrong = 0;

		for (int n = 0; n < 20; n++) {
			y[n] = 7;
			half_float_from_float(t, f, 1, y, (size_t)n);
			wrong += y[n] != 7;
		}
		half_float_from_float(t, f, 1 / 3.0f, y, ALL);
		for (int i = 0; i < ALL; i++)
			wrong +=
			    !is_same(t, y[i], narrow(t, f[i] * (1 / 3.0f)));
		CHECK_INT(wrong, 0);
	}
	free(f);
	free(y);
}

static void
test_add(void)
{
	uint16_t *x = xcalloc(ALL, sizeof *x), *y = xcalloc(ALL, sizeof *y);

	for (int k = 0; k < 2; k++) {
		const enum dtype t = k ? DTYPE_BF16 : DTYPE_FP16;
		int wrong = 0;

		for (int i = 0; i < ALL; i++) {
			x[i] = (uint16_t)i;
			y[i] = (uint16_t)(i * 40503);
		}
		half_float_add(t, x, y, ALL - 3);
		for (int i = 0; i < ALL; i++) {
			const uint16_t want = i < ALL - 3
			    ? narrow(t, widen(t, (uint16_t)i) + widen(t, y[i]))
			    : (uint16_t)i;

			wrong += !is_same(t, x[i], want);
		}
		CHECK_INT(wrong, 0);
	}
	free(x);
	free(y);
}

static const struct tap_test tests[] = {
	TEST(test_all),
	TEST(test_many),
	TEST(test_rounding),
	TEST(test_add),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
