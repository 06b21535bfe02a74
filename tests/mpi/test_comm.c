/* The MPI back end and the reducer on real ranks. */
#include <config.h>

#include <stdlib.h>

#include "common/alloc.h"
#include "tests/mpi/mpi_tap.h"
#include "trainer/reducer.h"

static void
test_places(void)
{
	ALL(world->size == (int)comm_launched());
	ALL(world->rank >= 0 && world->rank < world->size);
	ALL(world->local_rank >= 0 && world->local_rank < world->local_size);
	ALL(world->node >= 0 && world->node < world->n_nodes);
	if (world->n_nodes == 1) {
		ALL(world->local_rank == world->rank);
		ALL(world->local_size == world->size);
	}
}

/* Sums of whole numbers are exact in any order: the sum over ranks r of
 * i + r is i * ranks + ranks * (ranks - 1) / 2.  Odd sizes, and none. */
static void
test_sums(void)
{
	static const size_t sizes[] = { 0, 1, 7, 1023, 100003 };
	const int n_ranks = world->size;
	const double more = n_ranks * (n_ranks - 1) / 2;

	for (int k = 0; k < N_TESTS(sizes); k++) {
		const size_t n = sizes[k];
		float *f = xcalloc(n + 1, sizeof *f);
		double *d = xcalloc(n + 1, sizeof *d);
		int64_t *w = xcalloc(n + 1, sizeof *w);
		struct error e = ERROR_INIT;
		int wrong = 0;

		for (size_t i = 0; i <= n; i++) {
			w[i] = (int64_t)i + world->rank;
			d[i] = (double)w[i];
			f[i] = (float)w[i];
		}
		wrong |= comm_allreduce(world, f, n, COMM_FP32, COMM_SUM, &e);
		wrong |= comm_allreduce(world, d, n, COMM_FP64, COMM_SUM, &e);
		wrong |= comm_allreduce(world, w, n, COMM_I64, COMM_SUM, &e);
		for (size_t i = 0; i < n; i++) {
			const double want = (double)i * n_ranks + more;

			wrong |= f[i] != (float)want || d[i] != want ||
			    w[i] != (int64_t)want;
		}
		/* What is behind is not touched. */
		wrong |= w[n] != (int64_t)n + world->rank;
		free(f);
		free(d);
		free(w);
		ALL(!wrong);
	}
}

static void
test_extremes(void)
{
	int64_t low = -world->rank, high = world->rank;
	double real = 0.5 + world->rank;

	ALL(comm_allreduce(world, &low, 1, COMM_I64, COMM_MIN, NULL) == 0);
	ALL(low == -(world->size - 1));
	ALL(comm_allreduce(world, &high, 1, COMM_I64, COMM_MAX, NULL) == 0);
	ALL(high == world->size - 1);
	ALL(comm_allreduce(world, &real, 1, COMM_FP64, COMM_MIN, NULL) == 0);
	ALL(real == 0.5);
}

static void
test_broadcast(void)
{
	const int root = world->size - 1;
	char text[16] = "nothing yet";

	if (world->rank == root)
		snprintf(text, sizeof text, "from %d", root);
	ALL(comm_broadcast(world, text, sizeof text, root, NULL) == 0);
	ALL(strncmp(text, "from ", 5) == 0);
	ALL(comm_barrier(world, NULL) == 0);
}

/* An error of one rank is told on all; one of all has no rank in front. */
static void
test_agree(void)
{
	const int last = world->size - 1;
	char want[64];
	struct error e = ERROR_INIT;

	ALL(comm_agree(world, &e) == 0 && e.code == ERROR_NONE);
	if (world->rank == last)
		error_set(&e, ERROR_INPUT, "image %d is bad", last);
	ALL(comm_agree(world, &e) == -1);
	snprintf(want, sizeof want, "%s%.*d%simage %d is bad",
	    last > 0 ? "rank " : "", last > 0, last, last > 0 ? ": " : "",
	    last);
	ALL(e.code == ERROR_INPUT);
	if (last > 0)
		ALL(strcmp(e.message, want) == 0);
	error_set(&e, ERROR_USAGE, "all alike");
	ALL(comm_agree(world, &e) == -1);
	ALL(e.code == ERROR_USAGE && strcmp(e.message, "all alike") == 0);
}

static void
test_same(void)
{
	const uint64_t big = UINT64_C(0xfedcba9876543210);
	struct error e = ERROR_INIT;

	ALL(comm_check_same(world, "options", big, &e) == 0);
	ALL(comm_check_same(world, "options", 0, &e) == 0);
	if (world->size == 1)
		SKIP("one rank only");
	ALL(comm_check_same(world, "options", big + (world->rank == 1), &e) ==
	    -1);
	ALL(strcmp(e.message, "the ranks differ in options") == 0);
	ALL(comm_check_same(world, "options",
		big ^ (uint64_t)(world->rank == 1) << 63, &e) == -1);
}

static void
test_count_local(void)
{
	ALL(comm_count_local(world, 42, NULL) == world->local_size);
	ALL(comm_count_local(world, (uint64_t)world->rank, NULL) == 1);
}

/* Three steps of overlapped sums over two buckets, then one that a rank has
 * given up. */
static void
test_reducer(void)
{
	static float arena[48];
	static struct bucket buckets[] = { { 0, 16, 1, 64 },
		{ 16, 32, 1, 128 } };
	static const struct bucket_plan plan = { buckets, 2 };
	const struct device_arena grads = { arena, 48, DTYPE_FP32 };
	const int n = world->size, last = n - 1;
	struct error e = ERROR_INIT;
	struct reducer *r;
	int wrong = 0;

	ALL(reducer_open(world, grads, &plan, &r, &e) == 0);
	for (int step = 0; step < 3; step++) {
		for (int i = 0; i < 48; i++)
			arena[i] = (float)(i + world->rank + step);
		reducer_begin(r, 0);
		for (size_t i = 0; i < 48; i += 8)
			reducer_ready(r, i, 8);
		wrong |= reducer_wait(r, &e);
		for (int i = 0; i < 48; i++)
			wrong |= arena[i] !=
			    (float)((i + step) * n + n * (n - 1) / 2);
	}
	arena[47] = 1;
	reducer_begin(r, world->rank == last);
	if (world->rank == last)
		error_set(&e, ERROR_INPUT, "loss is nan");
	else
		reducer_ready(r, 0, 48);
	wrong |= reducer_wait(r, &e) != 1;
	wrong |= arena[47] != 1;
	ALL(comm_agree(world, &e) == -1);
	reducer_close(r);
	ALL(!wrong);
	ALL(strstr(e.message, "loss is nan") != NULL);
}

static const struct tap_test tests[] = {
	TEST(test_places),
	TEST(test_sums),
	TEST(test_extremes),
	TEST(test_broadcast),
	TEST(test_agree),
	TEST(test_same),
	TEST(test_count_local),
	TEST(test_reducer),
};

int
main(void)
{
	return mpi_tap_main(tests, N_TESTS(tests));
}
