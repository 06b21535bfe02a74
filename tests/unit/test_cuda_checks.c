/* What the cuda device refuses before it tries. */
#include <config.h>

#include "trainer/cuda/checks.h"

#include "tests/tap.h"

static struct error e;

static void
test_memory(void)
{
	const struct gpu_needs n = { .fixed = 1000, .per_image = 100 };
	const struct gpu_needs large = { .fixed = 1e9, .per_image = 400e6 };

	CHECK_INT(checks_memory(10, &n, 2000, 9999, &e), 0);
	CHECK_INT(checks_memory(11, &n, 2099, 9999, &e), -1);
	CHECK_INT(e.code, ERROR_LIMIT);
	CHECK(strstr(e.message, "11 images a step") != NULL);
	CHECK(strstr(e.message, "(2100 bytes)") != NULL);
	CHECK(strstr(e.message, "(2099 bytes)") != NULL);
	CHECK(strstr(e.message, "--batch-size=10 fits") != NULL);
	/* What it says does fit. */
	CHECK_INT(checks_memory(400, &large, 140e9, 150e9, &e), -1);
	CHECK(strstr(e.message, "--batch-size=347 fits") != NULL);
	CHECK_INT(checks_memory(347, &large, 140e9, 150e9, &e), 0);
	CHECK_INT(checks_memory(348, &large, 140e9, 150e9, &e), -1);
	CHECK_INT(checks_memory(1, &n, 1050, 9999, &e), -1);
	CHECK(strstr(e.message, "not even one image fits") != NULL);
	CHECK_INT(checks_memory(1, &n, 50, 9999, &e), -1);
	CHECK(strstr(e.message, "not even one image fits") != NULL);
}

static void
test_precision(void)
{
	static const enum dtype all[] = { DTYPE_FP32, DTYPE_TF32, DTYPE_FP16,
		DTYPE_BF16 };

	for (int i = 0; i < 4; i++) {
		CHECK_INT(checks_precision(all[i], 90, "H200", &e), 0);
		CHECK_INT(checks_precision(all[i], 80, "A100", &e), 0);
	}
	CHECK_INT(checks_precision(DTYPE_FP32, 70, "V100", &e), 0);
	CHECK_INT(checks_precision(DTYPE_FP16, 70, "V100", &e), 0);
	CHECK_INT(checks_precision(DTYPE_FP16, 52, "M40", &e), -1);
	CHECK_INT(checks_precision(DTYPE_TF32, 75, "T4", &e), -1);
	CHECK_INT(checks_precision(DTYPE_BF16, 75, "T4", &e), -1);
	CHECK_INT(e.code, ERROR_USAGE);
	CHECK_STR(e.message,
	    "GPU 'T4' (compute capability 7.5) does not compute in bf16, which "
	    "takes 8.0");
}

static const struct tap_test tests[] = {
	TEST(test_memory),
	TEST(test_precision),
};

int
main(void)
{
	return tap_main(tests, sizeof tests / sizeof tests[0]);
}
