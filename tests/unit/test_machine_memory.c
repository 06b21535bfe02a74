/* Memory that the processes of a machine share: its contents, sums in it, and
 * waiting. If it is unavailable, nothing changes. The ranks are child
 * processes; their communicator is a shared page. */
#include <config.h>

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"
#include "trainer/comm/comm.h"
#include "trainer/device/device.h"

enum {
	RANKS = 4, /* at most */
	SLOTS = 32,
	OWN = 5000,     /* floats of a rank's region, no whole page */
	COMMON = 70001, /* bytes */
	PAGE = 4096,
	CARD = 5, /* numbers of a rank's card */
	PID = 1,  /* index of the process ID of its file */
	FD = 2
};

/* Rank 1 finds its own file in place of this rank's, because a process ID names
 * another process in another container. -1: no rank's file. */
static int mistaken = -1;

static struct {
	pthread_barrier_t all;
	int64_t slots[RANKS][SLOTS];
} * wire;

static int
pages_allreduce(struct comm *c, void *data, size_t n, enum comm_type t,
    enum comm_op op, struct error *e)
{
	int64_t *x = data;

	if (t != COMM_I64 || n > SLOTS)
		return error_set(e, ERROR_SYSTEM, "not of this wire");
	memcpy(wire->slots[c->rank], x, n * sizeof *x);
	pthread_barrier_wait(&wire->all);
	for (size_t i = 0; i < n; i++) {
		x[i] = wire->slots[0][i];
		for (int k = 1; k < c->size; k++) {
			const int64_t y = wire->slots[k][i];

			x[i] = op == COMM_SUM ? x[i] + y : x[i] < y ? x[i] : y;
		}
	}
	if (mistaken >= 0 && c->rank == 1 && n == (size_t)c->size * CARD) {
		x[mistaken * CARD + PID] = x[CARD + PID];
		x[mistaken * CARD + FD] = x[CARD + FD];
	}
	pthread_barrier_wait(&wire->all);
	return 0;
}

static const struct comm_ops ops = { .name = "pages",
	.allreduce = pages_allreduce };

/* A rank: its communicator and two regions, filled. */
struct rank {
	struct comm comm;
	struct machine_memory *memory;
	float *own;
	unsigned char *common;
	struct device_region regions[2];
};

static float
value(int rank, int i)
{
	return 1.0f / (float)(i + 1 + 7 * rank);
}

static void *
map(size_t bytes)
{
	return mmap(NULL, bytes + PAGE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void
fill(struct rank *r, int first)
{
	r->own = map(OWN * sizeof *r->own);
	r->common = map(COMMON);
	for (int i = 0; i < OWN; i++)
		r->own[i] = value(r->comm.rank, i);
	for (int i = 0; i < COMMON; i++)
		r->common[i] = (unsigned char)(first + i * 5);
	r->regions[0] = (struct device_region){ r->common, COMMON, 1 };
	r->regions[1] =
	    (struct device_region){ r->own, OWN * sizeof *r->own, 0 };
}

/* True if both regions hold what fill() wrote. */
static int
is_filled(const struct rank *r, int first)
{
	for (int i = 0; i < OWN; i++)
		if (r->own[i] != value(r->comm.rank, i))
			return 0;
	for (int i = 0; i < COMMON; i++)
		if (r->common[i] != (unsigned char)(first + i * 5))
			return 0;
	return 1;
}

static int
open_memory(struct rank *r)
{
	struct error e = ERROR_INIT;
	const int rc =
	    machine_memory_open(&r->comm, r->regions, 2, &r->memory, &e);

	if (rc != 0)
		printf("# rank %d: %s\n", r->comm.rank, e.message);
	r->comm.memory = r->memory;
	r->comm.memory_sums = r->memory != NULL;
	return rc;
}

typedef int rank_fn(struct rank *r);

/* Run n ranks, `together` of them on each machine. True if all ranks return
 * 1. */
static int
run_ranks(int n, int together, rank_fn *what)
{
	pthread_barrierattr_t shared;
	pid_t pids[RANKS];
	int good = 0;

	wire = mmap(NULL, sizeof *wire, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_barrierattr_init(&shared);
	pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&wire->all, &shared, (unsigned)n);
	fflush(stdout);
	for (int i = 0; i < n; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			const int node = i / together,
				  left = n - node * together;
			struct rank r = {
				.comm = { .ops = &ops,
				    .rank = i,
				    .size = n,
				    .local_rank = i % together,
				    .local_size =
					left < together ? left : together,
				    .node = node,
				    .n_nodes = (n + together - 1) / together }
			};

			fill(&r, 3);
			alarm(60);
			good = what(&r);
			fflush(stdout);
			machine_memory_close(r.memory);
			_exit(!good);
		}
	}
	for (int i = 0; i < n; i++) {
		int status = 1;

		waitpid(pids[i], &status, 0);
		good += status == 0;
	}
	munmap(wire, sizeof *wire);
	return good == n;
}

static int
opens(struct rank *r)
{
	return open_memory(r) == 0 && r->memory != NULL && is_filled(r, 3);
}

static void
test_open(void)
{
	CHECK(run_ranks(2, 2, opens));
	CHECK(run_ranks(3, 3, opens));
	CHECK(run_ranks(4, 2, opens));
}

/* All ranks of a machine see what one writes into the common region, but not
 * what it writes into its own. */
static int
shares(struct rank *r)
{
	struct comm *c = &r->comm;
	struct error e = ERROR_INIT;
	int good = opens(r) && comm_join_machine(c, &e) == 0;

	r->common[c->local_rank * 1000] = (unsigned char)(100 + c->rank);
	r->own[0] = (float)(10 + c->rank);
	good &= comm_join_machine(c, &e) == 0;
	for (int i = 0; i < c->local_size; i++)
		good &=
		    r->common[i * 1000] == 100 + c->rank - c->local_rank + i;
	return good && r->own[0] == (float)(10 + c->rank);
}

static void
test_common(void)
{
	CHECK(run_ranks(2, 2, shares));
	CHECK(run_ranks(4, 2, shares));
}

/* A rank that is alone on its machine shares no memory, two ranks do. */
static int
opens_if_two(struct rank *r)
{
	return r->comm.local_size == 2
	    ? shares(r)
	    : open_memory(r) == 0 && r->memory == NULL && is_filled(r, 3) &&
		comm_join_machine(&r->comm, NULL) == 0;
}

static void
test_alone(void)
{
	CHECK(run_ranks(3, 2, opens_if_two));
}

/* Sums over a range of floats of the region are added in rank order; floats
 * outside of the range do not change. */
static int
sums(struct rank *r)
{
	static const int ranges[][2] = { { 0, OWN }, { 0, 1 }, { 1, 2 },
		{ 16, 16 }, { 3, 17 }, { 5, 1025 }, { 7, 4097 }, { OWN - 1, 1 },
		{ 100, 64 } };
	struct error e = ERROR_INIT;
	int good = opens(r);

	for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++) {
		const int first = ranges[k][0], n = ranges[k][1];

		for (int i = 0; i < OWN; i++)
			r->own[i] = value(r->comm.rank, i);
		good &= comm_allreduce(&r->comm, r->own + first, (size_t)n,
			    COMM_FP32, COMM_SUM, &e) == 0;
		for (int i = 0; i < OWN; i++) {
			float sum = value(0, i);

			for (int j = 1; j < r->comm.size; j++)
				sum += value(j, i);
			if (i < first || i >= first + n)
				sum = value(r->comm.rank, i);
			good &= r->own[i] == sum;
		}
		/* The others write into this rank's region too. */
		good &= comm_join_machine(&r->comm, &e) == 0;
	}
	return good;
}

static void
test_sums(void)
{
	CHECK(run_ranks(2, 2, sums));
	CHECK(run_ranks(3, 3, sums));
	CHECK(run_ranks(4, 4, sums));
}

/* Other data and operations go to the back end, which fails here; a sum of no
 * numbers succeeds. */
static int
leaves_the_rest(struct rank *r)
{
	struct error e = ERROR_INIT;
	float other[4] = { 0 };
	int good = opens(r);

	good &=
	    comm_allreduce(&r->comm, other, 4, COMM_FP32, COMM_SUM, &e) == -1;
	good &=
	    comm_allreduce(&r->comm, r->own, 4, COMM_FP32, COMM_MAX, &e) == -1;
	good &=
	    comm_allreduce(&r->comm, r->own, 0, COMM_FP32, COMM_SUM, &e) == 0;
	good &= comm_allreduce(
		    &r->comm, r->common, 4, COMM_FP32, COMM_SUM, &e) == -1;
	good &= comm_allreduce(&r->comm, r->own + OWN - 1, 2, COMM_FP32,
		    COMM_SUM, &e) == -1;
	r->comm.memory_sums = 0;
	return good &&
	    comm_allreduce(&r->comm, r->own, 4, COMM_FP32, COMM_SUM, &e) == -1;
}

static void
test_rest(void)
{
	CHECK(run_ranks(2, 2, leaves_the_rest));
}

/* No rank shares memory if rank 1 differs from the others. */
static int
stays(struct rank *r, int first)
{
	return open_memory(r) == 0 && r->memory == NULL && is_filled(r, first);
}

static int
differs(struct rank *r)
{
	const int first = 3 + (r->comm.rank == 1);

	fill(r, first);
	return stays(r, first);
}

static int
is_longer(struct rank *r)
{
	enum { FIRST = 208 }; /* the last byte becomes 0, as if not written */

	fill(r, FIRST);
	r->regions[0].bytes -= r->comm.rank == 1;
	return r->common[COMMON - 1] == 0 && stays(r, FIRST);
}

static int
is_not_wanted(struct rank *r)
{
	if (r->comm.rank == 1)
		setenv("DLSCALE_MACHINE_MEMORY", "0", 1);
	return stays(r, 3);
}

/* Without common regions the files of all ranks have the same size. */
static int
finds_another(struct rank *r)
{
	struct error e = ERROR_INIT;

	return machine_memory_open(
		   &r->comm, r->regions + 1, 1, &r->memory, &e) == 0 &&
	    r->memory == NULL && is_filled(r, 3);
}

static void
test_refused(void)
{
	mistaken = 0;
	CHECK(run_ranks(3, 3, finds_another));
	mistaken = 2;
	CHECK(run_ranks(3, 3, finds_another));
	mistaken = -1;
	CHECK(run_ranks(2, 2, differs));
	CHECK(run_ranks(2, 2, is_longer));
	CHECK(run_ranks(3, 3, is_not_wanted));
	CHECK(run_ranks(4, 2, is_not_wanted));
}

/* Waiting for a rank that has exited fails instead of blocking; what the rank
 * did before it exited counts. */
static int
leaves(struct rank *r)
{
	struct error e = ERROR_INIT;
	int good = opens(r) && comm_join_machine(&r->comm, &e) == 0;

	if (r->comm.rank == 1)
		return good;
	good &= comm_join_machine(&r->comm, &e) == -1;
	return good && e.code == ERROR_SYSTEM &&
	    strcmp(e.message, "rank 1, on this machine, has exited") == 0;
}

static void
test_gone(void)
{
	CHECK(run_ranks(2, 2, leaves));
}

static const struct tap_test tests[] = {
	TEST(test_open),
	TEST(test_common),
	TEST(test_alone),
	TEST(test_sums),
	TEST(test_rest),
	TEST(test_refused),
	TEST(test_gone),
};

int
main(void)
{
	unsetenv("DLSCALE_MACHINE_MEMORY");
	return tap_main(tests, N_TESTS(tests));
}
