/* Sums over the ring are correct for all sizes: whole and partial messages, as
 * many as are in flight at once and many more. */
#include <config.h>

#include <stdlib.h>

#include "common/alloc.h"
#include "tests/mpi/mpi_tap.h"

/* A message has 15360 floats, and 32 are in flight; fewer than 65536 elements
 * do not use the ring. */
static const size_t sizes[] = { 0, 1, 7, 65535, 65536, 65537, 92159, 92160,
	92161, 122881, 1023456, 3000017 };

static void
test_sums(void)
{
	const int ranks = world->size;
	struct error e = ERROR_INIT;

	for (int k = 0; k < N_TESTS(sizes); k++) {
		const size_t n = sizes[k];
		float *f = xcalloc(n + 1, sizeof *f);
		int wrong = 0;

		for (size_t i = 0; i <= n; i++)
			f[i] = (float)(i % 1000) + (float)world->rank;
		wrong |=
		    comm_allreduce(world, f, n, COMM_FP32, COMM_SUM, &e) != 0;
		for (size_t i = 0; i < n; i++)
			wrong |= f[i] !=
			    (float)(i % 1000) * (float)ranks +
				(float)(ranks * (ranks - 1) / 2);
		wrong |= f[n] != (float)(n % 1000) + (float)world->rank;
		free(f);
		ALL(!wrong);
	}
}

/* Another type and operation: the maximum of int64. */
static void
test_most(void)
{
	enum { N = 100003 };
	int64_t *x = xcalloc(N, sizeof *x);
	struct error e = ERROR_INIT;
	int wrong = 0;

	for (int i = 0; i < N; i++)
		x[i] = i % world->size == world->rank ? i : -i;
	wrong |= comm_allreduce(world, x, N, COMM_I64, COMM_MAX, &e) != 0;
	for (int i = 0; i < N; i++)
		wrong |= x[i] != i;
	free(x);
	ALL(!wrong);
}

/* All ranks get the same bytes, even if sums are rounded. */
static void
test_same_bytes(void)
{
	enum { N = 200001 };
	float *x = xcalloc(N, sizeof *x), *first = xcalloc(N, sizeof *x);
	struct error e = ERROR_INIT;
	int wrong = 0;

	for (int i = 0; i < N; i++)
		x[i] = 1.0f / (float)(i + 1 + 7 * world->rank);
	wrong |= comm_allreduce(world, x, N, COMM_FP32, COMM_SUM, &e) != 0;
	memcpy(first, x, N * sizeof *x);
	wrong |= comm_broadcast(world, first, N * sizeof *x, 0, &e) != 0;
	wrong |= memcmp(first, x, N * sizeof *x) != 0;
	free(x);
	free(first);
	ALL(!wrong);
}

static const struct tap_test tests[] = {
	TEST(test_sums),
	TEST(test_most),
	TEST(test_same_bytes),
};

int
main(void)
{
	setenv("DLSCALE_MPI_RING", "1", 1);
	return mpi_tap_main(tests, N_TESTS(tests));
}
