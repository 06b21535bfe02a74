/* Connections of Gloo while a stranger connects to its listening ports. */
#include <config.h>

#include "tests/tap.h"

#ifdef HAVE_GLOO

#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "trainer/comm/gloo_shim.h"

enum { RANKS = 2, MOST = 4096, CALLS = 8 };

/* Two ranks, threads of this process, and the data that they exchange. */
struct pair_of_ranks {
	pthread_barrier_t barrier;
	char rows[RANKS][MOST];
	int with_stranger;
	int calls[CALLS]; /* sockets of the stranger */
	int n_calls;
};

struct rank_of_pair {
	struct pair_of_ranks *pair;
	int rank, rc;
	float sum;
	struct error e;
};

/* Connect to the port of an address like a process outside the job, before the
 * other rank does. A Gloo address begins with the address of its socket. */
static void
call_port(struct pair_of_ranks *p, const char *address)
{
	struct sockaddr_in in;
	const int fd = socket(AF_INET, SOCK_STREAM, 0);

	memcpy(&in, address, sizeof in);
	if (in.sin_family == AF_INET &&
	    connect(fd, (const struct sockaddr *)&in, sizeof in) == 0)
		p->calls[p->n_calls++] = fd;
	else
		close(fd);
}

static int
exchange(void *ctx, const void *own, size_t n, void *all, struct error *e)
{
	const struct rank_of_pair *r = ctx;
	struct pair_of_ranks *p = r->pair;

	(void)e;
	memcpy(p->rows[r->rank], own, n);
	pthread_barrier_wait(&p->barrier);
	if (r->rank == 0 && p->with_stranger)
		for (int k = 0; k < RANKS; k++)
			call_port(p, p->rows[k] + (size_t)(1 - k) * n / RANKS);
	pthread_barrier_wait(&p->barrier);
	for (int k = 0; k < RANKS; k++)
		memcpy((char *)all + (size_t)k * n, p->rows[k], n);
	return 0;
}

static void *
be_rank(void *arg)
{
	struct rank_of_pair *r = arg;
	const struct gloo_place place = { .rank = r->rank,
		.size = RANKS,
		.address = "127.0.0.1",
		.timeout_s = 2,
		.exchange = exchange,
		.ctx = r };
	struct comm_gloo c = { .shim = NULL };

	r->sum = (float)(r->rank + 1);
	r->rc = gloo_shim_open(&place, NULL, &c.shim, &r->e);
	if (r->rc == 0)
		r->rc = gloo_allreduce(
		    &c.base, &r->sum, 1, COMM_FP32, COMM_SUM, &r->e);
	gloo_shim_close(c.shim);
	return NULL;
}

static void
run_pair(struct pair_of_ranks *p, struct rank_of_pair *ranks)
{
	pthread_t threads[RANKS];

	pthread_barrier_init(&p->barrier, NULL, RANKS);
	for (int k = 0; k < RANKS; k++) {
		ranks[k] = (struct rank_of_pair){ .pair = p, .rank = k };
		CHECK_INT(
		    pthread_create(&threads[k], NULL, be_rank, &ranks[k]), 0);
	}
	for (int k = 0; k < RANKS; k++)
		pthread_join(threads[k], NULL);
	for (int k = 0; k < p->n_calls; k++)
		close(p->calls[k]);
	pthread_barrier_destroy(&p->barrier);
}

static void
test_alone(void)
{
	static struct pair_of_ranks p;
	struct rank_of_pair ranks[RANKS];

	run_pair(&p, ranks);
	for (int k = 0; k < RANKS; k++) {
		CHECK_STR(ranks[k].e.message, "");
		CHECK_NEAR(ranks[k].sum, 3, 0);
	}
}

/* Writing to a closed connection does not end the process. */
static void
test_closed(void)
{
	int ends[2];

	CHECK_INT(pipe(ends), 0);
	close(ends[0]);
	CHECK(write(ends[1], "", 1) == -1 && errno == EPIPE);
	close(ends[1]);
}

/* With a stranger at the port, either a rank reports it in time, or this
 * version of Gloo rejects strangers itself and the sum is correct. */
static void
test_stranger(void)
{
	static struct pair_of_ranks p = { .with_stranger = 1 };
	struct rank_of_pair ranks[RANKS];

	run_pair(&p, ranks);
	CHECK(p.n_calls > 0);
	for (int k = 0; k < RANKS; k++) {
		if (ranks[k].rc == 0)
			CHECK_NEAR(ranks[k].sum, 3, 0);
		else
			CHECK(strncmp(ranks[k].e.message, "gloo: ", 6) == 0);
	}
	printf("# rank 0: %s\n", ranks[0].e.message);
	printf("# rank 1: %s\n", ranks[1].e.message);
	CHECK(ranks[0].rc == 0 ||
	    strstr(ranks[0].e.message, "another process") ||
	    strstr(ranks[1].e.message, "another process"));
}

static const struct tap_test tests[] = {
	TEST(test_alone),
	TEST(test_closed),
	TEST(test_stranger),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}

#else

int
main(void)
{
	puts("1..0 # SKIP built without Gloo");
	return 0;
}

#endif
