/* The loops that measure the roofs of the cpu device, and the roofs. */
#include <config.h>

#include "tests/tap.h"
#ifdef HAVE_DNNL
#include "trainer/base/parallel.h"
#include "trainer/device/cpu/kernels/cpu_kernels.h"

enum { N = 15 * ROOF_ALIGN };

static void
check_loops(const struct cpu_kernels *l)
{
	static float all[3 * N] __attribute__((aligned(64)));
	float *const x = all, *const y = all + N, *const z = all + 2 * N;
	double sum;

	printf("# %s, %s\n", l->isa, dtype_name(l->type));
	for (int i = 0; i < N; i++) {
		x[i] = -1;
		y[i] = (float)i;
		z[i] = (float)(2 * i + 1);
	}
	/* One lane of the sum is returned: with equal numbers N / lanes. */
	sum = l->read(x, N);
	CHECK_NEAR(sum, -N / l->lanes, 0);
	l->triad(x, y, z, N);
	for (int i = 0; i < N; i++)
		CHECK_NEAR(x[i], 2.5 * i + 1, 0);
	l->update(x, y, z, N);
	for (int i = 0; i < N; i++) {
		CHECK_NEAR(y[i], 2.5 * i + 1, 0);
		CHECK_NEAR(x[i], 0.75 * (2.5 * i + 1), 0);
	}
	/* Sums begin at 3, 4, ...: equal ones would be merged. All end at 2. */
	CHECK_NEAR(l->products(0), l->sums * (l->sums + 5) / 2.0, 0);
	CHECK_NEAR(l->products(1000), 2 * l->sums, 1e-3);
}

static enum isa
best_isa(void)
{
#ifdef HAVE_X86_FLAGS
	return isa_runs_avx512() ? ISA_AVX512
	    : isa_runs_avx2()    ? ISA_AVX2
				 : ISA_PLAIN;
#else
	return ISA_PLAIN;
#endif
}

static void
test_loops(void)
{
	for (int isa = ISA_PLAIN; isa <= (int)best_isa(); isa++)
		check_loops(cpu_kernels_find(DTYPE_FP32, (enum isa)isa));
}

static void
test_measure(void)
{
	struct cpu_roof r;

	parallel_set_threads(1);
	cpu_roof_measure(best_isa(), DTYPE_FP32, 1, &r);
	/* Limits for any machine: 0.1 GFLOP/s to 10 TFLOP/s per core, 20 MB/s
	 * to 10 TB/s. */
	CHECK(r.roof.flop_per_s > 1e8 && r.roof.flop_per_s < 1e13);
	CHECK(r.roof.bytes_per_s > 2e7 && r.roof.bytes_per_s < 1e13);
	for (int i = 0; i < r.roof.n_caches; i++) {
		CHECK(r.roof.caches[i].size >= 1 << 17);
		CHECK(r.roof.caches[i].bytes_per_s > 2e7);
		CHECK(i == 0 ||
		    r.roof.caches[i].size > r.roof.caches[i - 1].size);
	}
}
#else
static void
test_loops(void)
{
	SKIP("built without oneDNN");
}
#define test_measure test_loops
#endif

static const struct tap_test tests[] = {
	TEST(test_loops),
	TEST(test_measure),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
