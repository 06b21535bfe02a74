/* Sums round the ring are those of MPI, whatever the sizes: shorter than there
 * are ranks, a message, many more than are under way at once. */
#include <config.h>

#include <stdlib.h>

#include "common/alloc.h"
#include "tests/mpi/mpi_tap.h"
#include "trainer/comm/mpi_ring.h"

/* A message has 15360 floats and 32 are under way. */
static const size_t sizes[] = { 0, 1, 2, 3, 7, 15360, 15361, 30719, 30720,
	30721, 61441, 1023456, 3000017 };

static void
test_sums(void)
{
	const int ranks = world->size;
	struct mpi_ring *r = mpi_ring_new(MPI_COMM_WORLD);

	for (int k = 0; k < N_TESTS(sizes); k++) {
		const size_t n = sizes[k];
		float *f = xcalloc(n + 1, sizeof *f);
		int wrong = 0;

		for (size_t i = 0; i <= n; i++)
			f[i] = (float)(i % 1000) + (float)world->rank;
		wrong |= mpi_ring_allreduce(r, f, n, sizeof *f, MPI_FLOAT,
			     MPI_SUM) != MPI_SUCCESS;
		for (size_t i = 0; i < n; i++)
			wrong |= f[i] !=
			    (float)(i % 1000) * (float)ranks +
				(float)(ranks * (ranks - 1) / 2);
		wrong |= f[n] != (float)(n % 1000) + (float)world->rank;
		free(f);
		ALL(!wrong);
	}
	mpi_ring_free(r);
}

/* Other types and other ways to join two numbers. */
static void
test_most(void)
{
	enum { N = 100003 };
	struct mpi_ring *r = mpi_ring_new(MPI_COMM_WORLD);
	int64_t *x = xcalloc(N, sizeof *x);
	int wrong = 0;

	for (int i = 0; i < N; i++)
		x[i] = i % world->size == world->rank ? i : -i;
	wrong |= mpi_ring_allreduce(r, x, N, sizeof *x, MPI_INT64_T, MPI_MAX) !=
	    MPI_SUCCESS;
	for (int i = 0; i < N; i++)
		wrong |= x[i] != i;
	free(x);
	mpi_ring_free(r);
	ALL(!wrong);
}

/* All ranks get the same bytes, also where sums are rounded. */
static void
test_same_bytes(void)
{
	enum { N = 200001 };
	struct mpi_ring *r = mpi_ring_new(MPI_COMM_WORLD);
	float *x = xcalloc(N, sizeof *x), *first = xcalloc(N, sizeof *x);
	struct error e = ERROR_INIT;
	int wrong = 0;

	for (int i = 0; i < N; i++)
		x[i] = 1.0f / (float)(i + 1 + 7 * world->rank);
	wrong |= mpi_ring_allreduce(r, x, N, sizeof *x, MPI_FLOAT, MPI_SUM) !=
	    MPI_SUCCESS;
	memcpy(first, x, N * sizeof *x);
	wrong |= comm_broadcast(world, first, N * sizeof *x, 0, &e) != 0;
	wrong |= memcmp(first, x, N * sizeof *x) != 0;
	free(x);
	free(first);
	mpi_ring_free(r);
	mpi_ring_free(NULL);
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
	return mpi_tap_main(tests, N_TESTS(tests));
}
