/* Requests that the cuda device rejects in advance. */
#include <config.h>

#include "trainer/device/cuda/cuda_checks.h"

#include "tests/tap.h"
#include "trainer/device/cuda/grid.h"

static struct error e;

static void
test_memory(void)
{
	const struct gpu_needs n = { .fixed = 1000, .per_image = 100 };
	const struct gpu_needs large = { .fixed = 1e9, .per_image = 400e6 };

	CHECK_INT(checks_memory(10, &n, 2000, 9999, &e), 0);
	CHECK_INT(checks_memory(11, &n, 2099, 9999, &e), -1);
	CHECK_INT(e.code, ERROR_LIMIT);
	CHECK(strstr(e.message, "11 images per step") != NULL);
	CHECK(strstr(e.message, "--batch-size=10 fits") != NULL);
	/* The suggested batch size does fit. */
	CHECK_INT(checks_memory(400, &large, 140e9, 150e9, &e), -1);
	CHECK(strstr(e.message,
		  "take 153542 MiB, but 133514 of its 143051 MiB are free") !=
	    NULL);
	CHECK(strstr(e.message, "--batch-size=347 fits") != NULL);
	CHECK_INT(checks_memory(347, &large, 140e9, 150e9, &e), 0);
	CHECK_INT(checks_memory(348, &large, 140e9, 150e9, &e), -1);
	CHECK_INT(checks_memory(1, &n, 1050, 9999, &e), -1);
	CHECK(strstr(e.message, "not even one image fits") != NULL);
	CHECK_INT(checks_memory(1, &n, 50, 9999, &e), -1);
	CHECK(strstr(e.message, "not even one image fits") != NULL);
}

/* The message gives bytes, because MiB would hide the difference. */
static void
test_allocation(void)
{
	CHECK_INT(
	    checks_allocation("weights", 1048576, 1048575, 1 << 30, &e), -1);
	CHECK_INT(e.code, ERROR_SYSTEM);
	CHECK_STR(e.message,
	    "not enough memory on the GPU for weights: 1048576 bytes are "
	    "needed, 1048575 of its 1073741824 are free; a smaller batch needs "
	    "less");
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

/* The number of threads is a multiple of a row's pieces, so that each keeps its
 * columns, and little more than needed; sizes beyond 2^31 are valid. */
static void
test_grid(void)
{
	static const size_t pers[] = { 1, 2, 3, 8, 24, 125, 250, 256, 257, 512,
		4096, 9216 };
	static const size_t rows[] = { 1, 2, 31, 784, 3211264,
		(size_t)1 << 33 };

	for (int i = 0; i < 12; i++)
		for (int k = 0; k < 6; k++) {
			const size_t n = rows[k] * pers[i];
			const size_t blocks = grid_blocks(n, pers[i]);
			const size_t threads = blocks * GRID_BLOCK;

			CHECK(blocks >= 1);
			CHECK_INT(threads % pers[i], 0);
			CHECK(blocks < GRID_MOST + pers[i]);
			CHECK(threads >= n || blocks >= GRID_MOST);
			/* Piece i + threads is in the column of piece i. */
			CHECK_INT((n + threads) % pers[i], n % pers[i]);
		}
	CHECK_INT(grid_blocks(0, 8), 1);
	CHECK_INT(grid_blocks(257, 1), 2);
	CHECK_INT(grid_blocks((size_t)1 << 40, 256), GRID_MOST);
	CHECK_INT(grid_divisor(24, 256), 8);
	for (size_t per = 1; per < 100; per++) {
		const unsigned lanes = grid_lanes(per);

		CHECK(lanes >= 1 && lanes <= 32);
		CHECK_INT(lanes & (lanes - 1), 0);
		CHECK(lanes >= per || lanes == 32);
		CHECK(lanes < 2 * per);
		CHECK_INT(GRID_BLOCK % lanes, 0);
	}
}

static const struct tap_test tests[] = {
	TEST(test_memory),
	TEST(test_allocation),
	TEST(test_precision),
	TEST(test_grid),
};

int
main(void)
{
	return tap_main(tests, sizeof tests / sizeof tests[0]);
}
