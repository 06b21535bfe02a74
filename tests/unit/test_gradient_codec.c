/* Long fp16 and bf16 allreduces of one process, whose pieces are converted by a
 * thread, with a back end that can fail at a given piece. */
#include <config.h>

#include <stdlib.h>

#include "common/alloc.h"
#include "tests/tap.h"
#include "trainer/base/tensor.h"
#include "trainer/sync/gradient_reducer.h"

enum { PIECE = 1 << 20, N = 5 * PIECE + 7 };

static int calls, fail_at;
static size_t elements;

/* Adds 1 to the first element of each piece. */
static int
count_allreduce(struct comm *c, void *data, size_t n, enum comm_type t,
    enum comm_op op, struct error *e)
{
	uint16_t *half = data;

	(void)c, (void)op;
	if (++calls == fail_at)
		return error_set(e, ERROR_SYSTEM, "wire is cut");
	half[0] = t == COMM_FP16 ? fp16_from_float(fp16_to_float(half[0]) + 1)
				 : bf16_from_float(bf16_to_float(half[0]) + 1);
	elements += n;
	return 0;
}

static const struct comm_ops ops = { .name = "count",
	.allreduce = count_allreduce };
static struct comm comm = { .ops = &ops, .size = 4 };

static float
gradient(size_t i)
{
	return 1.0f / (float)(i % 1000 + 1);
}

/* Allreduce N gradients. Returns the number of pieces reduced in place. */
static size_t
reduced_pieces(enum dtype wire, int rc)
{
	const struct gradient_codec_config config = { .wire = wire };
	float *x = xcalloc(N, sizeof *x), *want = xcalloc(N, sizeof *want);
	uint16_t *half = xcalloc(N, sizeof *half);
	struct error e = ERROR_INIT;
	struct gradient_codec *c;
	size_t n = 0;
	int wrong = 0;

	for (size_t i = 0; i < N; i++)
		x[i] = gradient(i);
	half_float_from_float(wire, x, 0.25f, half, N);
	half_float_to_float(wire, half, want, N);
	calls = 0;
	elements = 0;
	CHECK_INT(
	    gradient_codec_open(&comm, DTYPE_FP32, N, &config, &c, NULL), 0);
	CHECK_INT(gradient_codec_allreduce(c, x, N, &e), rc);
	while (n * PIECE < N && x[n * PIECE] != gradient(n * PIECE))
		n++;
	for (size_t i = 0; i < N; i++) {
		const int is_first = i % PIECE == 0;

		wrong += i < n * PIECE ? (is_first ? x[i] < 1 : x[i] != want[i])
				       : x[i] != gradient(i);
	}
	CHECK_INT(wrong, 0);
	gradient_codec_close(c);
	free(x);
	free(want);
	free(half);
	return n;
}

/* All pieces are reduced in order; a codec can be reused. */
static void
test_pieces(void)
{
	fail_at = 0;
	CHECK_INT((int)reduced_pieces(DTYPE_FP16, 0), 6);
	CHECK_INT((int)elements, N);
	CHECK_INT((int)reduced_pieces(DTYPE_BF16, 0), 6);
	CHECK_INT(calls, 6);
}

/* After a failure exactly the pieces before it are copied back. */
static void
test_failure(void)
{
	for (fail_at = 1; fail_at <= 6; fail_at++) {
		CHECK_INT((int)reduced_pieces(DTYPE_FP16, -1), fail_at - 1);
		CHECK_INT(calls, fail_at);
	}
}

static const struct tap_test tests[] = {
	TEST(test_pieces),
	TEST(test_failure),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
