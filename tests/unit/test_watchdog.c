/* The watchdog of two and three "ranks" in separate processes, with their
 * stderr in pipes: one rank is stopped, is killed, or only waits, or the whole
 * run is suspended. */
#include <config.h>

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/tap.h"
#include "common/process.h"
#include "trainer/comm/comm.h"
#include "trainer/comm/watchdog.h"

enum { MAX_RANKS = 3, SLOT = 4096 };

/* Memory shared by the ranks: a slot for each broadcast. */
struct shared {
	volatile int n_written;
	char slots[MAX_RANKS + 1][SLOT];
};

static struct shared *shared;

/* Broadcast through shared memory; the k-th call of each rank uses slot k. */
static int
broadcast(struct comm *c, void *data, size_t bytes, int root, struct error *e)
{
	static int k;

	(void)e;
	while (c->rank == root && shared->n_written != k)
		usleep(1000);
	if (c->rank == root) {
		memcpy(shared->slots[k], data, bytes);
		shared->n_written++;
	}
	while (shared->n_written <= k)
		usleep(1000);
	memcpy(data, shared->slots[k++], bytes);
	return 0;
}

static void
end(struct comm *c, int status)
{
	(void)c;
	_exit(status + 40);
}

static void
never_end(struct comm *c, int status)
{
	(void)c, (void)status;
	pause();
}

static const struct comm_ops ops = { .name = "shared", .broadcast = broadcast };

struct rank {
	pid_t pid;
	int err; /* its standard error */
};

/* Work of a rank, called after its watchdog is opened. */
typedef void rank_fn(struct watchdog *w);

static void
start(struct rank *ranks, int n, double timeout_s, rank_fn *const *what,
    void (*how)(struct comm *c, int status))
{
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	fflush(stdout);
	for (int i = 0; i < n; i++) {
		struct comm c = { .ops = &ops, .rank = i, .size = n };
		const struct watchdog_config config = {
			.program = "prog", .timeout_s = timeout_s, .end = how
		};
		struct watchdog *w;
		int fds[2];

		CHECK_INT(pipe(fds), 0);
		ranks[i].err = fds[0];
		ranks[i].pid = fork();
		if (ranks[i].pid == 0) {
			dup2(fds[1], STDERR_FILENO);
			if (watchdog_open(&c, &config, &w, NULL) != 0)
				_exit(99);
			what[i](w);
			watchdog_close(w);
			_exit(0);
		}
		close(fds[1]);
	}
}

/* Wait for a rank. Returns its exit status, 1000 if it was killed, and its
 * stderr in text [1000]. */
static int
finish(const struct rank *r, char *text)
{
	size_t len = 0;
	ssize_t n;
	int status;

	waitpid(r->pid, &status, 0);
	while ((n = read(r->err, text + len, 999 - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	close(r->err);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
}

static void
finish_all(const struct rank *ranks, int n)
{
	char text[1000];

	for (int i = 0; i < n; i++) {
		kill(ranks[i].pid, SIGKILL);
		finish(&ranks[i], text);
	}
	munmap(shared, sizeof *shared);
}

static void
nap(double s)
{
	usleep((useconds_t)(s * 1e6));
}

static void
hang(struct watchdog *w)
{
	watchdog_set_context(w, 11, 3);
	watchdog_arm(w, "allreduce", 4096);
	sleep(60);
}

static void
wait_only(struct watchdog *w)
{
	watchdog_set_context(w, -1, -1);
	watchdog_arm(w, "allreduce", 0);
	sleep(60);
}

static void
compute(struct watchdog *w)
{
	(void)w;
	sleep(60);
}

/* Short collectives that together exceed the timeout. */
static void
work(struct watchdog *w)
{
	for (int i = 0; i < 12; i++) {
		watchdog_arm(w, "allreduce", 4);
		usleep(100000);
		watchdog_disarm(w);
	}
	sleep(1);
}

/* A collective that fails after s seconds, as if its peer had exited. */
static void
fail_after(struct watchdog *w, double s)
{
	struct error e = ERROR_INIT;

	watchdog_set_context(w, 4, 1);
	watchdog_arm(w, "allreduce", 8);
	nap(s);
	watchdog_disarm(w);
	error_set(&e, ERROR_SYSTEM, "it is closed");
	watchdog_explain(w, &e);
	dprintf(STDERR_FILENO, "%s\n", e.message);
}

static void
fail_soon(struct watchdog *w)
{
	fail_after(w, 1.2);
}

static void
fail_late(struct watchdog *w)
{
	fail_after(w, 3);
}

/* The number after a text in a message; NAN if the text is missing. */
static double
number_after(const char *text, const char *what)
{
	const char *at = strstr(text, what);

	return at != NULL ? strtod(at + strlen(what), NULL) : NAN;
}

static void
test_peer_stopped(void)
{
	static rank_fn *const what[] = { hang, hang };
	struct rank r[2];
	char text[1000], peer[200];
	double begin, took, ago;

	begin = seconds_now();
	start(r, 2, 2, what, end);
	nap(1);
	kill(r[1].pid, SIGSTOP);
	CHECK_INT(finish(&r[0], text), 43);
	took = seconds_now() - begin;
	printf("# %s", text);
	CHECK(took >= 2 && took < 4);
	CHECK(strncmp(text,
		  "prog: rank 0: allreduce of bucket 3 (4096 bytes) in step "
		  "12 has not ended within 2 s; last heard from rank 1 (",
		  60) == 0);
	snprintf(peer, sizeof peer, ", process %ld) ", (long)r[1].pid);
	ago = number_after(text, peer);
	CHECK(ago >= 0.8 && ago < 2.2);
	CHECK(strstr(text, " s ago, when it waited here too\n") != NULL);
	r[0].pid = r[1].pid; /* only that one is left */
	finish_all(&r[1], 1);
}

/* One of three ranks is killed: each other rank reports it, and reports the
 * remaining rank as alive. */
static void
test_peer_killed(void)
{
	static rank_fn *const what[] = { hang, compute, hang };
	struct rank r[3];
	char text[1000], peer[200];

	start(r, 3, 1.5, what, end);
	nap(0.7);
	kill(r[1].pid, SIGKILL);
	for (int i = 0; i < 3; i += 2) {
		CHECK_INT(finish(&r[i], text), 43);
		printf("# %s", text);
		CHECK(strstr(text, "last heard from rank 1 (") != NULL);
		CHECK(strstr(text, "ago, when it had not come here; rank ") !=
		    NULL);
		snprintf(
		    peer, sizeof peer, ", process %ld) ", (long)r[2 - i].pid);
		CHECK(number_after(text, peer) < 0.6);
		CHECK(strstr(text, "when it waited here too\n") != NULL);
	}
	finish_all(&r[1], 1);
}

/* Rank 1 of three is killed, and collectives of the others fail: each names
 * only rank 1, whether the third rank fails too, computes, or fails after the
 * first rank has exited. */
static void
try_failure(rank_fn *third)
{
	static const char begin[] =
	    "allreduce of bucket 1 (8 bytes) in step 5: "
	    "it is closed; last heard from rank 1 (";
	rank_fn *const what[] = { fail_soon, compute, third };
	struct rank r[3];
	char text[1000], peer[200];

	start(r, 3, 30, what, end);
	nap(0.7);
	kill(r[1].pid, SIGKILL);
	snprintf(peer, sizeof peer, ", process %ld) ", (long)r[1].pid);
	for (int i = 0; i < (third == compute ? 1 : 3); i += 2) {
		CHECK_INT(finish(&r[i], text), 0);
		printf("# %s", text);
		CHECK(strncmp(text, begin, sizeof begin - 1) == 0);
		CHECK(number_after(text, peer) > 0.4);
		CHECK(strstr(text, "; rank ") == NULL);
	}
	if (third == compute) {
		kill(r[2].pid, SIGKILL);
		finish(&r[2], text);
	}
	finish_all(&r[1], 1);
}

static void
test_peers_that_live(void)
{
	try_failure(fail_soon);
	try_failure(compute);
	try_failure(fail_late);
}

/* All ranks respond, so all are named: any of them may be the cause. */
static void
test_none_is_silent(void)
{
	static rank_fn *const what[] = { fail_soon, compute, compute };
	struct rank r[3];
	char text[1000];

	start(r, 3, 30, what, end);
	CHECK_INT(finish(&r[0], text), 0);
	printf("# %s", text);
	CHECK(strstr(text, "rank 1 (") != NULL);
	CHECK(strstr(text, "rank 2 (") != NULL);
	finish_all(&r[1], 2);
}

static void
test_no_bucket(void)
{
	static rank_fn *const what[] = { wait_only, compute };
	struct rank r[2];
	char text[1000];

	start(r, 2, 0.3, what, end);
	CHECK_INT(finish(&r[0], text), 43);
	CHECK(strncmp(text,
		  "prog: rank 0: allreduce has not ended within 0.3 s; ",
		  52) == 0);
	finish_all(&r[1], 1);
}

/* Many collectives, each shorter than the timeout. */
static void
test_quiet(void)
{
	static rank_fn *const what[] = { work, work };
	struct rank r[2];
	char text[1000];

	start(r, 2, 0.6, what, end);
	for (int i = 0; i < 2; i++) {
		CHECK_INT(finish(&r[i], text), 0);
		CHECK_STR(text, "");
	}
}

/* All processes are stopped for longer than the timeout and go on. */
static void
test_suspended(void)
{
	static rank_fn *const what[] = { hang, hang };
	struct rank r[2];
	int status;

	start(r, 2, 1.5, what, end);
	nap(0.5);
	kill(r[0].pid, SIGSTOP);
	kill(r[1].pid, SIGSTOP);
	nap(2);
	kill(r[0].pid, SIGCONT);
	kill(r[1].pid, SIGCONT);
	nap(0.5);
	CHECK_INT(waitpid(r[0].pid, &status, WNOHANG), 0);
	finish_all(r, 2);
}

/* The end function of the backend may hang too. */
static void
test_end_hangs(void)
{
	static rank_fn *const what[] = { hang, compute };
	struct rank r[2];
	char text[1000];

	start(r, 2, 0.3, what, never_end);
	CHECK_INT(finish(&r[0], text), 3);
	finish_all(&r[1], 1);
}

/* All functions accept NULL, for runs without a watchdog. */
static void
test_none(void)
{
	watchdog_arm(NULL, "allreduce", 1);
	watchdog_set_context(NULL, 1, 1);
	watchdog_disarm(NULL);
	watchdog_close(NULL);
}

static const struct tap_test tests[] = { TEST(test_peer_stopped),
	TEST(test_peer_killed), TEST(test_peers_that_live),
	TEST(test_none_is_silent), TEST(test_no_bucket), TEST(test_quiet),
	TEST(test_suspended), TEST(test_end_hangs), TEST(test_none) };

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
