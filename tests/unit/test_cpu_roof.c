/* The loops by which the cpu device measures its roofs, and the roofs. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "tests/tap.h"
#ifdef HAVE_DNNL
#include "trainer/base/parallel.h"
#include "trainer/device/cpu/kernels/cpu_roof.h"
#include "trainer/device/cpu/kernels/roof_loops.h"

enum { N = 15 * ROOF_LOOPS_ALIGN };

static void
check_loops(const struct roof_loops *l)
{
	static float all[3 * N] __attribute__((aligned(64)));
	float *const x = all, *const y = all + N, *const z = all + 2 * N;
	double sum;

	for (int i = 0; i < N; i++) {
		x[i] = -1;
		y[i] = (float)i;
		z[i] = (float)(2 * i + 1);
	}
	/* One lane of the sum is returned: with equal numbers N / lanes. */
	sum = l->read(x, N);
	CHECK(sum < 0 && -sum <= N && fmod(N, -sum) <= 0);
	l->triad(x, y, z, N);
	for (int i = 0; i < N; i++)
		CHECK_NEAR(x[i], 2.5 * i + 1, 0);
	l->update(x, y, z, N);
	for (int i = 0; i < N; i++) {
		CHECK_NEAR(y[i], 2.5 * i + 1, 0);
		CHECK_NEAR(x[i], 0.75 * (2.5 * i + 1), 0);
	}
	CHECK(isfinite(l->products(1000)));
	/* Twelve sums begin at 0, 1, ... 11: equal ones would be one sum. */
	CHECK_NEAR(l->products(0), 66, 0);
	CHECK(l->flop >= 2 * 12 * 4);
}

static void
test_loops(void)
{
	const struct roof_loops *fp32 = roof_loops_find(DTYPE_FP32, 0);
	const struct roof_loops *bf16 = roof_loops_find(DTYPE_BF16, 0);

	printf("# %s, %s\n", fp32->name, bf16->name);
	check_loops(fp32);
	check_loops(bf16);
	/* Twelve sums end at 2, each. */
	CHECK_NEAR(fp32->products(1000), 24, 1e-3);
	/* With dot products each instruction does twice as much. */
	CHECK_NEAR(bf16->flop,
	    strcmp(bf16->name, fp32->name) == 0 ? fp32->flop : 2 * fp32->flop,
	    0);
}

static void
test_measure(void)
{
	const struct device_config c = { .precision = DTYPE_FP32,
		.threads = 1 };
	struct cpu_roof r;

	parallel_set_threads(1);
	cpu_roof_measure(&c, 0, &r);
	/* Any machine that runs this: 0.1 GFLOP/s to 10 TFLOP/s a core, 20 MB/s
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
