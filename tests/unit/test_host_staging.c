/* Which pieces of the gradients are staged, and how errors are reported. */
#include <config.h>

#include <stdlib.h>

#include "common/alloc.h"
#include "tests/host_staging_memory.h"
#include "tests/tap.h"

enum { N = 1000 };

static float arena[N];
/* In pieces of 400 bytes: 1 and a part, a part, 3, 0, 5. */
static struct bucket buckets[] = { { 0, 130, 3, 520 }, { 130, 70, 1, 280 },
	{ 200, 300, 1, 1200 }, { 500, 0, 0, 0 }, { 500, 500, 1, 2000 } };
static const struct fusion_plan plan = { buckets, N_TESTS(buckets) };
static struct error e;

static void
open_stage(size_t piece, struct device *d, struct device_ops *ops,
    struct host_staging **out)
{
	memset(ops, 0, sizeof *ops);
	memset(d, 0, sizeof *d);
	ops->staging = &host_staging_memory;
	d->ops = ops;
	d->grads = (struct device_arena){ arena, N, DTYPE_FP32 };
	e.code = ERROR_NONE;
	host_staging_fails = 0;
	CHECK_INT(host_staging_open(d, &plan, piece, out, &e), 0);
	for (int i = 0; i < N; i++)
		arena[i] = (float)i;
}

/* Double a bucket on the host. Returns the number of its elements. */
static size_t
pass(struct host_staging *s, int bucket)
{
	struct host_staging_piece p;
	size_t sum = 0;

	host_staging_out(s, bucket);
	for (int k = 0; k < host_staging_pieces(s, bucket); k++) {
		CHECK_INT(host_staging_take(s, bucket, k, &p, &e), 0);
		for (size_t i = 0; i < p.n; i++)
			((float *)p.data)[i] *= 2;
		sum += p.n;
		CHECK_INT(host_staging_give(s, bucket, k, &e), 0);
	}
	return sum;
}

static void
test_pieces(void)
{
	static const size_t sizes[] = { 400, 1, 4, 1 << 20, 2000 };
	static const int want[][5] = { { 2, 1, 3, 0, 5 },
		{ 130, 70, 300, 0, 500 }, { 130, 70, 300, 0, 500 },
		{ 1, 1, 1, 0, 1 }, { 1, 1, 1, 0, 1 } };
	struct device_ops ops;
	struct device d;
	struct host_staging *s;

	for (int k = 0; k < N_TESTS(sizes); k++) {
		int wrong = 0;

		open_stage(sizes[k], &d, &ops, &s);
		for (int b = 0; b < plan.n; b++) {
			CHECK_INT(host_staging_pieces(s, b), want[k][b]);
			CHECK_INT(pass(s, b), buckets[b].n);
		}
		CHECK_INT(host_staging_join(s, &e), 0);
		for (int i = 0; i < N; i++)
			wrong += arena[i] != (float)(2 * i);
		CHECK_INT(wrong, 0);
		CHECK_INT(host_staging_calls.in, host_staging_calls.out);
		host_staging_close(s);
	}
}

/* A failed copy to the host is reported when the piece is taken, and the rest
 * of the bucket is not queued. */
static void
test_errors(void)
{
	struct device_ops ops;
	struct host_staging_piece p;
	struct device d;
	struct host_staging *s;

	open_stage(400, &d, &ops, &s);
	host_staging_fails = 2;
	host_staging_out(s, 2);
	CHECK_INT(host_staging_calls.out, 2);
	CHECK_INT(host_staging_take(s, 2, 0, &p, &e), -1);
	CHECK_INT(e.code, ERROR_SYSTEM);
	CHECK_STR(e.message, "the copy failed");
	host_staging_close(s);
	open_stage(400, &d, &ops, &s);
	host_staging_fails = 3; /* two copies out, then a wait */
	host_staging_out(s, 0);
	CHECK_INT(host_staging_take(s, 0, 0, &p, &e), -1);
	CHECK_STR(e.message, "the copy failed");
	host_staging_close(s);
	host_staging_close(NULL);
}

static const struct tap_test tests[] = {
	TEST(test_pieces),
	TEST(test_errors),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
