#include <config.h>

#include <stdlib.h>

#include "tests/device_pair.h"
#include "tests/tap.h"
#include "trainer/device/device.h"

/* The cpu device divides work by the size of its caches. These images exceed
 * them, unlike those of other tests. They are compared with the reference
 * device in double precision, with fewer and with more threads than images. */
static int threads;

static int
open_cpu(const struct graph *g, const struct device_config *c,
    struct device **out, struct error *e)
{
	struct device_config cpu = *c;
	int result;

	cpu.device = "cpu";
	cpu.threads = threads;
	result = device_open(g, &cpu, out, e);
	if (result != 0 && e->code == ERROR_USAGE)
		SKIP("this machine cannot");
	return result;
}

static void
check_large(enum dtype precision, double most, double gradients)
{
	static const int counts[] = { 5, 1, 2 };
	const int n = getenv("DLSCALE_QUICK") != NULL ? 1 : N_TESTS(counts);
	struct pair p;

	for (int i = 0; i < n; i++) {
		threads = counts[i];
		pair_open(&p, "large", precision, open_cpu);
		pair_check(&p, MODE_TRAIN, most);
		pair_compare(
		    &p, TENSOR_GRAD, p.reference.graph.n_params, gradients);
		pair_close(&p);
	}
}

static void
test_large_fp32(void)
{
	check_large(DTYPE_FP32, 1e-4, 1e-4);
}

static void
test_large_bf16(void)
{
	check_large(DTYPE_BF16, 0.06, 0.03);
}

static const struct tap_test tests[] = {
	TEST(test_large_fp32),
	TEST(test_large_bf16),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
