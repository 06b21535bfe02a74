#include <config.h>

#include "tests/tap.h"
#include "trainer/data/dataset.h"

/* Noise is equal for equal seeds and differs for others; bytes and labels are
 * uniform. */
static void
test_dummy(void)
{
	enum { N = 3 * 40 * 40, IMAGES = 400 };
	static uint8_t a[N], b[N];
	const struct image_source s =
	    image_source_dummy(IMAGE_SOURCE_TRAIN, 500, 40, 10, 7);
	const struct image_source t =
	    image_source_dummy(IMAGE_SOURCE_VALIDATION, 500, 40, 10, 7);
	const struct image_source u =
	    image_source_dummy(IMAGE_SOURCE_TRAIN, 500, 40, 10, 8);
	double sum = 0, square = 0;
	int counts[10] = { 0 };
	int32_t la, lb;

	for (long i = 0; i < IMAGES; i++) {
		CHECK_INT(s.read(&s, i, 0, a, &la, NULL, NULL), 0);
		for (int k = 0; k < N; k++) {
			sum += a[k];
			square += a[k] * a[k];
		}
		CHECK(la >= 0 && la < 10);
		counts[la]++;
	}
	/* Mean 127.5, deviation 73.9; the mean of 1.9e6 is accurate to 0.06. */
	sum /= (double)IMAGES * N;
	CHECK_NEAR(sum, 127.5, 0.3);
	CHECK_NEAR(square / ((double)IMAGES * N) - sum * sum,
	    (256.0 * 256 - 1) / 12, 30);
	/* Expect 40 each, with a standard deviation of 6. */
	for (int i = 0; i < 10; i++)
		CHECK_NEAR(counts[i], 40, 24);
	CHECK_INT(s.read(&s, 17, 0, a, &la, NULL, NULL), 0);
	CHECK_INT(s.read(&s, 17, 3, b, &lb, NULL, NULL), 0);
	CHECK(memcmp(a, b, N) == 0 && la == lb);
	CHECK_INT(s.read(&s, 18, 0, b, &lb, NULL, NULL), 0);
	CHECK(memcmp(a, b, N) != 0);
	CHECK_INT(t.read(&t, 17, 0, b, &lb, NULL, NULL), 0);
	CHECK(memcmp(a, b, N) != 0);
	CHECK_INT(u.read(&u, 17, 0, b, &lb, NULL, NULL), 0);
	CHECK(memcmp(a, b, N) != 0);
}

static const struct tap_test tests[] = {
	TEST(test_dummy),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
