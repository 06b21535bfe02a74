/* The MPI back end and the reducer on real ranks. */
#include <config.h>

#include <stdlib.h>

#include "common/alloc.h"
#include "tests/mpi/mpi_tap.h"
#include "trainer/base/tensor.h"
#include "trainer/comm/launcher_env.h"
#include "trainer/sync/gradient_reducer.h"

static void
test_places(void)
{
	const char *per_node = getenv("DLSCALE_RANKS_PER_NODE");
	struct launcher l;

	ALL(launcher_env_read(&l, NULL) == 0);
	ALL(world->size == (int)l.size && world->rank == (int)l.rank);
	ALL(per_node == NULL || world->node == world->rank / 2);
	ALL(world->rank >= 0 && world->rank < world->size);
	ALL(world->local_rank >= 0 && world->local_rank < world->local_size);
	ALL(world->node >= 0 && world->node < world->n_nodes);
	if (world->n_nodes == 1) {
		ALL(world->local_rank == world->rank);
		ALL(world->local_size == world->size);
	}
}

/* Sums of whole numbers are exact in any order: the sum over ranks r of i + r
 * is i * ranks + ranks * (ranks - 1) / 2. Sizes include odd ones and 0. */
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
		/* The element after the last one is not touched. */
		wrong |= w[n] != (int64_t)n + world->rank;
		free(f);
		free(d);
		free(w);
		ALL(!wrong);
	}
}

/* The same in fp16 and bf16, with numbers that are exact in both. */
static void
test_half_sums(void)
{
	static const size_t sizes[] = { 0, 1, 7, 1023, 100003 };
	static const enum comm_type types[] = { COMM_FP16, COMM_BF16 };
	static const enum dtype forms[] = { DTYPE_FP16, DTYPE_BF16 };
	const int n_ranks = world->size;

	for (int k = 0; k < 2 * N_TESTS(sizes); k++) {
		const size_t n = sizes[k / 2];
		const enum dtype form = forms[k % 2];
		float *f = xcalloc(n + 1, sizeof *f);
		uint16_t *h = xcalloc(n + 1, sizeof *h);
		struct error e = ERROR_INIT;
		int wrong = 0;

		for (size_t i = 0; i <= n; i++)
			f[i] = (float)(i % 19) - 9 + (float)world->rank;
		half_float_from_float(form, f, 1, h, n + 1);
		wrong |=
		    comm_allreduce(world, h, n, types[k % 2], COMM_SUM, &e);
		half_float_to_float(form, h, f, n + 1);
		for (size_t i = 0; i < n; i++)
			wrong |= f[i] !=
			    ((float)(i % 19) - 9) * (float)n_ranks +
				(float)(n_ranks * (n_ranks - 1) / 2);
		wrong |= f[n] != (float)(n % 19) - 9 + (float)world->rank;
		free(f);
		free(h);
		ALL(!wrong);
	}
}

/* A reduce-scatter followed by an allgather gives the sum. */
static void
test_blocks(void)
{
	static const size_t sizes[] = { 0, 1, 7, 1023, 50001 };
	const size_t n_ranks = (size_t)world->size, rank = (size_t)world->rank;

	for (int k = 0; k < N_TESTS(sizes); k++) {
		const size_t n = sizes[k], all = n * n_ranks;
		float *f = xcalloc(all + 1, sizeof *f);
		struct error e = ERROR_INIT;
		int wrong = 0;

		for (size_t i = 0; i <= all; i++)
			f[i] = (float)(i + rank);
		wrong |= comm_reduce_scatter(world, f, n, COMM_FP32, &e);
		for (size_t i = rank * n; i < (rank + 1) * n; i++)
			wrong |= f[i] !=
			    (float)(i * n_ranks + n_ranks * (n_ranks - 1) / 2);
		/* The other blocks must come from their ranks. */
		for (size_t i = 0; i < all; i++)
			if (i / n != rank)
				f[i] = -1;
		wrong |= comm_allgather(world, f, n, COMM_FP32, &e);
		for (size_t i = 0; i < all; i++)
			wrong |= f[i] !=
			    (float)(i * n_ranks + n_ranks * (n_ranks - 1) / 2);
		wrong |= f[all] != (float)(all + rank);
		free(f);
		ALL(!wrong);
	}
}

/* Split into even and odd ranks, in reverse order. */
static void
test_split(void)
{
	const int color = world->rank % 2, n = world->size;
	const int want = (n - color + 1) / 2;
	int64_t sum = world->rank, ranks = 0;
	struct comm *part;
	struct error e = ERROR_INIT;

	ALL(comm_split(world, color, -world->rank, &part, &e) == 0);
	ALL(part->size == want);
	ALL(part->rank == want - 1 - world->rank / 2);
	ALL(part->local_size <= part->size);
	for (int i = color; i < n; i += 2)
		ranks += i;
	ALL(comm_allreduce(part, &sum, 1, COMM_I64, COMM_SUM, &e) == 0);
	ALL(sum == ranks);
	comm_close(part);
	/* The whole communicator still works. */
	ALL(comm_barrier(world, &e) == 0);
}

static void
test_count(void)
{
	const struct comm_count before = world->count;
	uint16_t half[10] = { 0 };
	float full[10] = { 0 };
	struct comm_count after;

	comm_allreduce(world, full, 10, COMM_FP32, COMM_SUM, NULL);
	comm_allreduce(world, half, 10, COMM_BF16, COMM_SUM, NULL);
	after = world->count;
	ALL(after.calls == before.calls + 2);
	ALL(after.bytes == before.bytes + 40 + 20);
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

/* An error of one rank is reported on all; an error of all names no rank. */
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
	ALL(comm_count_same(world, 42, 1, NULL) == world->local_size);
	ALL(comm_count_same(world, (uint64_t)world->rank, 1, NULL) == 1);
}

/* Ranks that are ahead wait for the last one, by number and by name. */
static void
test_negotiator(void)
{
	static const char *const names[] = { "fc.bias", "fc.weight", "conv2",
		"conv", "conv1.weight" };

	for (long capacity = 4; capacity <= 5; capacity++) {
		struct coordinator *n =
		    coordinator_new(world, names, 5, capacity);
		const uint64_t calls = world->count.calls;
		uint64_t made;

		for (int step = 0; step < 2; step++) {
			int all = -1, wrong;

			coordinator_begin(n);
			wrong = coordinator_ask(n, 0, &all, NULL) || all != 0;
			wrong |= coordinator_ask(
				     n, world->rank == 0 ? 2 : 4, &all, NULL) ||
			    all != 2;
			wrong |= coordinator_ask(
				     n, world->rank == 0 ? 5 : 4, &all, NULL) ||
			    all != (world->size > 1 ? 4 : 5);
			wrong |= coordinator_ask(n, 5, &all, NULL) || all != 5;
			ALL(!wrong);
		}
		/* By number it is one call, by name several; ALL() adds one. */
		made = world->count.calls - calls;
		ALL(made == (capacity == 5 ? 8 : 16) + 2);
		coordinator_free(n);
	}
}

/* Three steps of overlapped sums over two buckets, then a step that one rank
 * aborts. */
static void
test_gradient_reducer(void)
{
	static float arena[48];
	static struct bucket buckets[] = { { 0, 16, 1, 64 },
		{ 16, 32, 1, 128 } };
	static const struct fusion_plan plan = { buckets, 2 };
	const struct reducer_config config = {
		.comm = world, .grads = { arena, 48, DTYPE_FP32 }, .plan = &plan
	};
	const int n = world->size, last = n - 1;
	struct error e = ERROR_INIT;
	struct reducer *r;
	int wrong = 0;

	ALL(reducer_open(&config, &r, &e) == 0);
	for (int step = 0; step < 3; step++) {
		for (int i = 0; i < 48; i++)
			arena[i] = (float)(i + world->rank + step);
		reducer_begin(r, 0, 0);
		for (size_t i = 0; i < 48; i += 8)
			reducer_ready(r, i, 8);
		wrong |= reducer_wait(r, &e);
		for (int i = 0; i < 48; i++)
			wrong |= arena[i] !=
			    (float)((i + step) * n + n * (n - 1) / 2);
	}
	arena[47] = 1;
	reducer_begin(r, world->rank == last, 0);
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
	TEST(test_half_sums),
	TEST(test_blocks),
	TEST(test_split),
	TEST(test_count),
	TEST(test_extremes),
	TEST(test_broadcast),
	TEST(test_agree),
	TEST(test_same),
	TEST(test_count_local),
	TEST(test_negotiator),
	TEST(test_gradient_reducer),
};

int
main(void)
{
	return mpi_tap_main(tests, N_TESTS(tests));
}
