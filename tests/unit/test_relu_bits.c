/* The bits that a block's normalisation leaves for its backward pass must say
 * what the stored result says, also where rounding makes it 0 and for NaN. */
#include <config.h>

#include "tests/tap.h"

#ifdef HAVE_DNNL

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "trainer/base/isa.h"
#include "trainer/device/cpu/kernels/cpu_kernels.h"

/* Pixels of a panel: whole fours of vectors, and one or three more. */
static const int sides[] = { 1, 7, 8 };

enum { MOST = 8 * 8 * CPU_BLOCK_MAX, GUARD = 8 };

/* As the results of normalisations; what a scale makes so small that only fp32
 * holds it is among them. */
static const float scales[] = { 1, 0x1p-40F };
static const float xs[] = { 1, -1, 0, -0.0F, 0x1p-60F, -0x1p-60F, 0x1p-86F,
	0x1p-93F, 0x1.8p-94F, 0x1p-94F, 0x1p-95F, 0x1p-100F, -0x1p-100F,
	0x1p-126F, INFINITY, -INFINITY, NAN, -NAN, 0x1p100F };

/* Aligned, as writing past the caches wants. */
static _Alignas(64) char x[4 * MOST], add[4 * MOST], y[4 * MOST], dy[4 * MOST];
static _Alignas(64) uint8_t bits[MOST / 8 + GUARD];
static float floats[MOST], zero[CPU_BLOCK_MAX], scale[CPU_BLOCK_MAX];

/* All tables that this machine runs. */
static int
table(int i, const struct cpu_kernels **k)
{
	const enum isa isa = (enum isa)(i / 2);

	if (isa > ISA_AVX512)
		return 0;
	*k = cpu_kernels_find(i % 2 ? DTYPE_BF16 : DTYPE_FP32, ISA_PLAIN);
#ifdef HAVE_X86_FLAGS
	if ((isa == ISA_AVX2 && !isa_runs_avx2()) ||
	    (isa >= ISA_AVX512 && !isa_runs_avx512()))
		return 1;
	*k = cpu_kernels_find(i % 2 ? DTYPE_BF16 : DTYPE_FP32, isa);
#endif
	return 1;
}

/* Values in an order that puts each into every place of a vector. */
static void
fill(const struct cpu_kernels *k, size_t n)
{
	for (size_t i = 0; i < n; i++)
		floats[i] = xs[(i + i / 32) % (size_t)N_TESTS(xs)];
	k->from_float(n, floats, x);
	memset(add, 0, sizeof add);
	memset(bits, 0xa5, sizeof bits);
}

/* bits against y, and nothing written beyond them. */
static void
check_bits(const struct cpu_kernels *k, size_t n)
{
	int on = 0;

	k->to_float(n, y, floats);
	for (size_t i = 0; i < n; i++) {
		const int bit = bits[i / 8] >> i % 8 & 1;

		if (bit != (floats[i] > 0))
			printf("# element %zu, %g\n", i, (double)floats[i]);
		CHECK_INT(bit, floats[i] > 0);
		on += bit;
	}
	CHECK(on > 0);
	for (size_t i = n / 8; i < n / 8 + GUARD; i++)
		CHECK_INT(bits[i], 0xa5);
}

/* A gradient of ones and twos goes where the result was > 0, alone and with a
 * second one; without bits everywhere. */
static void
check_back(const struct cpu_kernels *k, struct cpu_panel p)
{
	static _Alignas(64) char ones[4 * MOST];
	static float got[MOST];
	const struct cpu_norm a = { add, zero, scale, zero };

	for (int kind = 0; kind < 3; kind++) {
		float sum[CPU_BLOCK_MAX] = { 0 }, want[CPU_BLOCK_MAX] = { 0 };
		float dot[CPU_BLOCK_MAX] = { 0 };

		for (size_t i = 0; i < p.n; i++)
			got[i] = 1 + (float)(i % 2);
		k->from_float(p.n, got, dy);
		k->from_float(p.n, got, ones);
		k->block_back_sums(p, &a, kind < 2 ? bits : NULL,
		    kind == 1 ? ones : NULL, dy, sum, dot);
		k->to_float(p.n, dy, got);
		for (size_t i = 0; i < p.n; i++) {
			float d = 1 + (float)(i % 2);

			d *= kind == 1 ? 2 : 1;
			d *= kind == 2 || floats[i] > 0;
			CHECK_NEAR(got[i], d, 0);
			want[i % (size_t)p.block] += d;
		}
		for (int c = 0; c < p.block; c++)
			CHECK_NEAR(sum[c], want[c], 0);
	}
}

static void
check_table(const struct cpu_kernels *k, int block, int side, int past)
{
	const struct cpu_panel p = {
		(size_t)side * (size_t)side * (size_t)block, block, past
	};
	const struct cpu_norm a = { x, zero, scale, zero };

	for (int adds = 0; adds < 2; adds++) {
		for (int s = 0; s < N_TESTS(scales); s++) {
			for (int c = 0; c < block; c++)
				scale[c] = scales[s];
			fill(k, p.n);
			k->norm(p, &a, adds ? add : NULL, 1, y, bits);
			check_bits(k, p.n);
			check_back(k, p);
		}
	}
}

static void
test_bits(void)
{
	const struct cpu_kernels *k;

	for (int i = 0; table(i, &k); i++) {
		printf("# %s, %s\n", dtype_name(k->type), k->isa);
		for (int block = k->lanes; block <= CPU_BLOCK_MAX; block *= 2)
			for (int s = 0; s < N_TESTS(sides); s++)
				for (int past = 0; past < 2; past++)
					check_table(k, block, sides[s], past);
	}
}

/* The values do what they are for: some are lost in bf16 and not in fp32. */
static void
test_values(void)
{
	const struct cpu_kernels *k;

	for (int i = 0; table(i, &k); i++) {
		const struct cpu_panel p = { 8 * CPU_BLOCK_MAX, CPU_BLOCK_MAX,
			0 };
		const struct cpu_norm a = { x, zero, scale, zero };
		int lost = 0;

		for (int c = 0; c < CPU_BLOCK_MAX; c++)
			scale[c] = scales[1];
		fill(k, p.n);
		k->norm(p, &a, add, 1, y, bits);
		k->to_float(p.n, y, floats);
		for (size_t j = 0; j < p.n; j++)
			lost += xs[(j + j / 32) % (size_t)N_TESTS(xs)] >=
				0x1p-100F &&
			    !(floats[j] > 0);
		CHECK_INT(lost > 0, k->type == DTYPE_BF16);
	}
}

static const struct tap_test tests[] = {
	TEST(test_bits),
	TEST(test_values),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}

#else

int
main(void)
{
	puts("1..0 # SKIP built without oneDNN");
	return 0;
}

#endif
