/* fp16 and bf16 elements that a thread makes piece by piece are those made in
 * one go, and only what was given is taken back. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "tests/tap.h"
#include "trainer/sync/fp16_worker.h"
#include "trainer/base/half_float.h"

enum { N = 10007 };

static float data[N], old[N];
static uint16_t wire[N], want[N];

static void
begin(struct fp16_worker *c, struct fp16_worker_job *j, enum dtype t,
    size_t piece)
{
	for (int i = 0; i < N; i++)
		data[i] = old[i] = 1.0f / (float)(i + 1);
	*j = (struct fp16_worker_job){ .type = t,
		.data = data,
		.scale = 0.25f,
		.half = wire,
		.n = N,
		.piece = piece };
	half_float_from_float(t, old, 0.25f, want, N);
	fp16_worker_begin(c, j);
}

/* Each piece is changed on its way as a sum would do it. */
static void
test_pieces(void)
{
	static const size_t pieces[] = { 1000, 1, 10006, N, 20000 };
	static const enum dtype types[] = { DTYPE_FP16, DTYPE_BF16 };
	struct fp16_worker *c;

	CHECK_INT(fp16_worker_open(&c, NULL), 0);
	for (int i = 0; i < 2 * N_TESTS(pieces); i++) {
		const enum dtype t = types[i % 2];
		struct fp16_worker_job j;
		size_t all = 0;
		int wrong = 0;

		begin(c, &j, t, pieces[i / 2]);
		for (size_t k = 0; k < fp16_worker_pieces(&j); k++) {
			uint16_t *h;
			const size_t n = fp16_worker_take(c, k, &h);

			CHECK(h == wire + all);
			wrong |= memcmp(h, want + all, n * sizeof *h) != 0;
			for (size_t m = 0; m < n; m++)
				h[m] = (uint16_t)(k % 2);
			all += n;
			fp16_worker_give(c, k);
		}
		fp16_worker_join(c);
		CHECK_INT(all, N);
		CHECK_INT(wrong, 0);
		half_float_to_float(t, wire, old, N);
		CHECK(memcmp(data, old, sizeof data) == 0);
	}
	fp16_worker_close(c);
	fp16_worker_close(NULL);
}

/* A sum that failed: the first two pieces are back, the rest is as it was. */
static void
test_given_up(void)
{
	struct fp16_worker *c;
	struct fp16_worker_job j;
	uint16_t *h;

	CHECK_INT(fp16_worker_open(&c, NULL), 0);
	for (int i = 0; i < 100; i++) {
		begin(c, &j, DTYPE_FP16, 1000);
		for (size_t k = 0; k < 2; k++) {
			fp16_worker_take(c, k, &h);
			memset(h, 0, 1000 * sizeof *h);
			fp16_worker_give(c, k);
		}
		fp16_worker_join(c);
		for (int k = 0; k < 2000; k++)
			CHECK(data[k] == 0);
		CHECK(memcmp(data + 2000, old + 2000,
			  sizeof data - 2000 * sizeof *data) == 0);
	}
	fp16_worker_close(c);
}

static const struct tap_test tests[] = {
	TEST(test_pieces),
	TEST(test_given_up),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
