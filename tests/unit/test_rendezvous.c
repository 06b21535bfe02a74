/* Rendezvous of ranks: addresses, foreign connections, and the report of
 * missing ranks. */
#include <config.h>

#include "trainer/comm/rendezvous.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"
#include "common/process.h"
#include "trainer/comm/launcher_env.h"

enum { RANKS_MAX = 4 };

/* Result of each rank, in memory shared with the test. */
static struct found {
	int rc;
	double s; /* duration of rendezvous_open() */
	int got[RANKS_MAX];
	char address[64];
	struct error e;
} * found;

/* Addresses of rank 0's host, each followed by ":" and a port; both NULL: use
 * the given host. */
static const char *names[2];

/* Number of connections to bind to the port that they call, which the system
 * may do by itself. */
static int n_own_ends;

/* Number of descriptors that a rank can open; -1: the usual limit. */
static int n_descriptors = -1;

/* Space for an address of either family. */
union address {
	struct sockaddr any;
	struct sockaddr_in four;
	struct sockaddr_in6 six;
};

/* Make an address from ":PORT" or "[::1]:PORT". */
static void
fill_address(struct addrinfo *i, union address *a, const char *text)
{
	const uint16_t port =
	    htons((uint16_t)strtol(strrchr(text, ':') + 1, NULL, 10));

	memset(a, 0, sizeof *a);
	if (text[0] == '[') {
		a->six.sin6_family = AF_INET6;
		a->six.sin6_port = port;
		a->six.sin6_addr = in6addr_loopback;
	} else {
		a->four.sin_family = AF_INET;
		a->four.sin_port = port;
		a->four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	}
	i->ai_family = a->any.sa_family;
	i->ai_socktype = SOCK_STREAM;
	i->ai_addr = &a->any;
	i->ai_addrlen = text[0] == '[' ? sizeof a->six : sizeof a->four;
}

/* Replaces the C library's function, with the addresses in names. */
int
getaddrinfo(const char *host, const char *port, const struct addrinfo *hints,
    struct addrinfo **out)
{
	static struct addrinfo items[2];
	static union address addresses[2];

	(void)hints;
	memset(items, 0, sizeof items);
	for (int i = 0; i < 2 && names[i] != NULL; i++) {
		fill_address(&items[i], &addresses[i], names[i]);
		items[0].ai_next = i == 1 ? &items[1] : NULL;
	}
	if (names[0] == NULL) {
		char text[64];

		snprintf(text, sizeof text, ":%s", port);
		fill_address(&items[0], &addresses[0], text);
		inet_pton(AF_INET, host, &addresses[0].four.sin_addr);
	}
	*out = items;
	return 0;
}

void
freeaddrinfo(struct addrinfo *i)
{
	(void)i;
}

/* Replaces the C library's function, to bind n_own_ends connections. */
int
connect(int fd, const struct sockaddr *to, socklen_t len)
{
	if (n_own_ends > 0) {
		n_own_ends--;
		CHECK(bind(fd, to, len) == 0);
	}
	return (int)syscall(SYS_connect, fd, to, len);
}

/* Bind a socket to a free port of 127.0.0.1, which others can share by
 * SO_REUSEADDR. */
static int
open_port(int *port)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof a;
	const int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof a) != 0 ||
	    getsockname(fd, (struct sockaddr *)&a, &len) != 0)
		return -1;
	*port = ntohs(a.sin_port);
	return fd;
}

/* A free port, as text. Its socket stays open until the program ends, so that
 * no other program gets the port. */
static const char *
free_port(void)
{
	static char text[16];
	int port = 0;
	const int fd = open_port(&port);

	CHECK(fd >= 0);
	snprintf(text, sizeof text, "%d", port);
	return text;
}

/* Connect to a port of this machine, as soon as a process listens, and send
 * text. */
static int
call_port(const char *port, const char *text)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)strtol(port, NULL, 10)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

	for (int i = 0; i < 200; i++) {
		const int fd = socket(AF_INET, SOCK_STREAM, 0);

		if (connect(fd, (struct sockaddr *)&a, sizeof a) == 0) {
			CHECK(send(fd, text, strlen(text), MSG_NOSIGNAL) ==
			    (ssize_t)strlen(text));
			return fd;
		}
		close(fd);
		usleep(10000);
	}
	CHECK(0);
	return -1;
}

/* Run a rank: open within timeout_s, send its number plus 10, receive all. */
static void
live(struct launcher *l, double timeout_s, struct found *f)
{
	const int own = (int)l->rank + 10;
	struct rendezvous *x;
	double start;

	start = seconds_now();
	f->rc = rendezvous_open(l, timeout_s, &x, &f->e);
	f->s = seconds_now() - start;
	if (f->rc != 0)
		return;
	snprintf(f->address, sizeof f->address, "%s", rendezvous_address(x));
	f->rc = rendezvous_all(x, &own, sizeof own, f->got, &f->e);
	rendezvous_close(x);
}

static void
limit_descriptors(int n)
{
	const int next = dup(0);
	struct rlimit r;

	CHECK(next >= 0 && getrlimit(RLIMIT_NOFILE, &r) == 0);
	close(next);
	r.rlim_cur = (rlim_t)(next + n);
	CHECK(setrlimit(RLIMIT_NOFILE, &r) == 0);
}

static pid_t
start_rank(struct launcher l, double timeout_s)
{
	const pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0) {
		if (n_descriptors >= 0)
			limit_descriptors(n_descriptors);
		live(&l, timeout_s, &found[l.rank]);
		_exit(0);
	}
	return pid;
}

static void
end_ranks(const pid_t *pids, int n)
{
	for (int i = 0; i < n; i++)
		CHECK(waitpid(pids[i], NULL, 0) == pids[i]);
}

static struct launcher
one_of(int rank, int size, const char *host, const char *port)
{
	struct launcher l = { .rank = rank,
		.size = size,
		.local_rank = -1,
		.local_size = -1,
		.host = host,
		.port = port,
		.job = "test" };

	memset(&found[rank], 0, sizeof found[rank]);
	return l;
}

static void
check_met(int size)
{
	for (int i = 0; i < size; i++) {
		CHECK_STR(found[i].e.message, "");
		CHECK_INT(found[i].rc, 0);
		for (int k = 0; k < size; k++)
			CHECK_INT(found[i].got[k], k + 10);
	}
}

/* Rank 0's host name often resolves to 127.0.1.1 on its own machine. */
static void
test_listens_everywhere(void)
{
	const char *port = free_port();
	pid_t pids[3];

	pids[0] = start_rank(one_of(0, 3, "127.0.1.1", port), 20);
	pids[1] = start_rank(one_of(1, 3, "127.0.1.1", port), 20);
	pids[2] = start_rank(one_of(2, 3, "127.0.0.1", port), 20);
	end_ranks(pids, 3);
	check_met(3);
}

static void
test_tries_every_address(void)
{
	char dead[32], right[32];
	const char *port;
	pid_t pids[2];

	snprintf(dead, sizeof dead, ":%s", free_port());
	port = free_port();
	snprintf(right, sizeof right, ":%s", port);
	names[0] = dead;
	names[1] = right;
	pids[0] = start_rank(one_of(0, 2, "node0", port), 20);
	pids[1] = start_rank(one_of(1, 2, "node0", port), 20);
	end_ranks(pids, 2);
	names[0] = names[1] = NULL;
	check_met(2);
}

static void
test_ipv6(void)
{
	const struct sockaddr_in6 a = { .sin6_family = AF_INET6,
		.sin6_addr = in6addr_loopback };
	const int fd = socket(AF_INET6, SOCK_STREAM, 0);
	char six[32];
	const char *port;
	pid_t pids[3];

	if (fd < 0 || bind(fd, (const struct sockaddr *)&a, sizeof a) != 0) {
		SKIP("no IPv6 here");
		return;
	}
	close(fd);
	port = free_port();
	snprintf(six, sizeof six, "[::1]:%s", port);
	names[0] = six;
	pids[0] = start_rank(one_of(0, 3, "node0", port), 20);
	pids[1] = start_rank(one_of(1, 3, "node0", port), 20);
	names[0] = NULL; /* one rank over IPv4 */
	pids[2] = start_rank(one_of(2, 3, "127.0.0.1", port), 20);
	end_ranks(pids, 3);
	check_met(3);
	/* All ranks use IPv4 if one of them does. */
	for (int i = 0; i < 3; i++)
		CHECK_STR(found[i].address, "127.0.0.1");
	port = free_port();
	snprintf(six, sizeof six, "[::1]:%s", port);
	names[0] = six;
	pids[0] = start_rank(one_of(0, 2, "node0", port), 20);
	pids[1] = start_rank(one_of(1, 2, "node0", port), 20);
	names[0] = NULL;
	end_ranks(pids, 2);
	check_met(2);
	for (int i = 0; i < 2; i++)
		CHECK_STR(found[i].address, "::1");
}

/* A rank that calls before rank 0 listens may connect to itself. */
static void
test_own_end(void)
{
	const char *port = free_port();
	pid_t pids[2];

	n_own_ends = 1;
	pids[1] = start_rank(one_of(1, 2, "127.0.0.1", port), 30);
	n_own_ends = 0;
	usleep(300000);
	pids[0] = start_rank(one_of(0, 2, "127.0.0.1", port), 30);
	end_ranks(pids, 2);
	check_met(2);
	CHECK(found[1].s < 4);
}

/* Another program listens at rank 0's first address and sends says, if not
 * NULL. */
static void
check_wrong_server(const char *says)
{
	char wrong[32], right[32];
	const char *port = free_port();
	int other = 0;
	const int listener = open_port(&other);
	pid_t pids[2];

	CHECK(listener >= 0 && listen(listener, 8) == 0);
	snprintf(wrong, sizeof wrong, ":%d", other);
	snprintf(right, sizeof right, ":%s", port);
	names[0] = wrong;
	names[1] = right;
	pids[0] = start_rank(one_of(0, 2, "node0", port), 30);
	pids[1] = start_rank(one_of(1, 2, "node0", port), 30);
	if (says != NULL) {
		const int fd = accept(listener, NULL, NULL);

		CHECK(send(fd, says, strlen(says), MSG_NOSIGNAL) > 0);
		close(fd);
	}
	end_ranks(pids, 2);
	names[0] = names[1] = NULL;
	close(listener);
	check_met(2);
}

static void
test_passes_other_servers(void)
{
	check_wrong_server("HTTP/1.0 400 Bad Request\r\n\r\n");
	check_wrong_server(NULL);
}

/* A process that sends the bytes of a rank's greeting slowly, one per 0.1 s. */
static pid_t
start_slow(const char *port)
{
	const pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0) {
		const int fd = call_port(port, "d");

		for (size_t i = 0; i < 600; i++) {
			usleep(100000);
			(void)!send(fd, &"lscale3\0"[i % 8], 1, MSG_NOSIGNAL);
		}
		_exit(0);
	}
	return pid;
}

/* Foreign connections send nothing, other text, only the first bytes, or one
 * byte at a time. */
static void
test_strangers_delay_nobody(void)
{
	const char *port = free_port();
	int silent[100], web, half;
	pid_t pids[2], slow;
	char byte;

	pids[0] = start_rank(one_of(0, 2, "127.0.0.1", port), 50);
	for (int i = 0; i < N_TESTS(silent); i++)
		silent[i] = call_port(port, "");
	half = call_port(port, "dlsc");
	slow = start_slow(port);
	web = call_port(port, "GET / HTTP/1.1\r\n");
	/* Closed at once, while rank 0 still waits for ranks. */
	CHECK(recv(web, &byte, 1, 0) <= 0);
	CHECK_INT(waitpid(pids[0], NULL, WNOHANG), 0);
	pids[1] = start_rank(one_of(1, 2, "127.0.0.1", port), 50);
	end_ranks(pids, 2);
	kill(slow, SIGKILL);
	CHECK(waitpid(slow, NULL, 0) == slow);
	for (int i = 0; i < N_TESTS(silent); i++)
		close(silent[i]);
	close(half);
	close(web);
	check_met(2);
	CHECK(found[1].s < 8);
}

static void
test_refuses_other_jobs(void)
{
	const char *port = free_port();
	struct launcher other = one_of(2, 3, "127.0.0.1", port);
	pid_t pids[3];

	snprintf(other.job, sizeof other.job, "another");
	pids[0] = start_rank(one_of(0, 2, "127.0.0.1", port), 20);
	pids[2] = start_rank(other, 0.5);
	CHECK(waitpid(pids[2], NULL, 0) == pids[2]);
	CHECK(found[2].rc != 0);
	CHECK(strstr(found[2].e.message, "belongs to another job") != NULL);
	/* A rank with another secret is refused, too. */
	other = one_of(1, 2, "127.0.0.1", port);
	other.secret = "b";
	pids[2] = start_rank(other, 0.5);
	CHECK(waitpid(pids[2], NULL, 0) == pids[2]);
	CHECK(found[1].rc != 0);
	CHECK(strstr(found[1].e.message, "belongs to another job") != NULL);
	pids[1] = start_rank(one_of(1, 2, "127.0.0.1", port), 20);
	end_ranks(pids, 2);
	check_met(2);
}

/* The bytes that two ranks sent to each other. */
struct talk {
	char said[2][4096]; /* from rank 1, from rank 0 */
	size_t n[2];
};

/* Connect two ranks through a relay that records their messages. */
static void
overhear(struct talk *t)
{
	const char *port = free_port();
	char relay[16];
	struct pollfd p[2] = { { .events = POLLIN }, { .events = POLLIN } };
	int other = 0, ends[2];
	const int listener = open_port(&other);
	pid_t pids[2];

	memset(t, 0, sizeof *t);
	CHECK(listener >= 0 && listen(listener, 1) == 0);
	snprintf(relay, sizeof relay, "%d", other);
	pids[0] = start_rank(one_of(0, 2, "127.0.0.1", port), 20);
	pids[1] = start_rank(one_of(1, 2, "127.0.0.1", relay), 20);
	p[0].fd = ends[0] = accept(listener, NULL, NULL);
	p[1].fd = ends[1] = call_port(port, "");
	while (p[0].fd >= 0 || p[1].fd >= 0) {
		CHECK(poll(p, 2, 20000) > 0);
		for (int i = 0; i < 2; i++) {
			char *at = t->said[i] + t->n[i];
			ssize_t n;

			if (p[i].fd < 0 || p[i].revents == 0)
				continue;
			n = recv(p[i].fd, at, sizeof t->said[i] - t->n[i], 0);
			if (n > 0) {
				(void)!send(
				    ends[!i], at, (size_t)n, MSG_NOSIGNAL);
				t->n[i] += (size_t)n;
			} else {
				shutdown(ends[!i], SHUT_WR);
				p[i].fd = -1;
			}
		}
	}
	end_ranks(pids, 2);
	close(ends[0]);
	close(ends[1]);
	close(listener);
	check_met(2);
}

/* A replayed greeting neither joins nor ends the job. */
static void
test_replayed_hello(void)
{
	const char *port;
	struct talk t;
	pid_t pids[2];
	char byte;
	int fd;

	overhear(&t);
	port = free_port();
	pids[0] = start_rank(one_of(0, 2, "127.0.0.1", port), 20);
	fd = call_port(port, "");
	CHECK(send(fd, t.said[0], t.n[0], MSG_NOSIGNAL) == (ssize_t)t.n[0]);
	/* Closed right after the challenge. */
	while (recv(fd, &byte, 1, 0) > 0)
		;
	CHECK_INT(waitpid(pids[0], NULL, WNOHANG), 0);
	pids[1] = start_rank(one_of(1, 2, "127.0.0.1", port), 20);
	end_ranks(pids, 2);
	close(fd);
	check_met(2);
}

/* Replayed answers of rank 0, which state the time limit, do not make another
 * server pass for it. */
static void
test_replayed_answers(void)
{
	char wrong[32], right[32];
	int other = 0, fd;
	const int listener = open_port(&other);
	const char *port;
	struct talk t;
	pid_t pids[2];

	overhear(&t);
	port = free_port();
	CHECK(listener >= 0 && listen(listener, 8) == 0);
	snprintf(wrong, sizeof wrong, ":%d", other);
	snprintf(right, sizeof right, ":%s", port);
	names[0] = wrong;
	names[1] = right;
	pids[0] = start_rank(one_of(0, 2, "node0", port), 20);
	pids[1] = start_rank(one_of(1, 2, "node0", port), 20);
	fd = accept(listener, NULL, NULL);
	CHECK(send(fd, t.said[1], t.n[1], MSG_NOSIGNAL) == (ssize_t)t.n[1]);
	end_ranks(pids, 2);
	names[0] = names[1] = NULL;
	close(fd);
	close(listener);
	check_met(2);
}

/* A process with the job's name but no secret can neither join nor end it. */
static void
test_false_client(void)
{
	const char *port = free_port();
	struct launcher l[3] = { one_of(0, 2, "127.0.0.1", port),
		one_of(1, 2, "127.0.0.1", port),
		one_of(2, 3, "127.0.0.1", port) };
	pid_t pids[2], other;

	l[0].secret = l[1].secret = "a secret";
	pids[0] = start_rank(l[0], 20);
	other = start_rank(l[2], 0.5);
	CHECK(waitpid(other, NULL, 0) == other);
	CHECK_INT(found[2].rc, -1);
	pids[1] = start_rank(l[1], 20);
	end_ranks(pids, 2);
	check_met(2);
}

/* A rank does not wait longer than its own limit, whatever rank 0 states. */
static void
test_long_stated_time(void)
{
	const char *port = free_port();
	pid_t pids[2];

	pids[0] = start_rank(one_of(0, 3, "127.0.0.1", port), 60);
	pids[1] = start_rank(one_of(1, 3, "127.0.0.1", port), 0.5);
	CHECK(waitpid(pids[1], NULL, 0) == pids[1]);
	CHECK_INT(found[1].rc, -1);
	CHECK(
	    strstr(found[1].e.message, "disconnected during start-up") != NULL);
	CHECK_INT(waitpid(pids[0], NULL, WNOHANG), 0);
	kill(pids[0], SIGKILL);
	CHECK(waitpid(pids[0], NULL, 0) == pids[0]);
}

/* Rank 2 is on the machine of rank 3, which connected; rank 1's is unknown. */
static void
test_names_who_is_missing(void)
{
	const char *port = free_port();
	char host[64] = "", want[256];
	struct launcher l = one_of(3, 4, "127.0.0.1", port);
	pid_t pids[2];

	gethostname(host, sizeof host - 1);
	l.local_rank = 1;
	l.local_size = 2;
	pids[1] = start_rank(l, 1);
	pids[0] = start_rank(one_of(0, 4, "127.0.0.1", port), 2);
	end_ranks(pids, 2);
	snprintf(want, sizeof want,
	    "only 2 of 4 ranks connected to 127.0.0.1 port %s within 2 s; "
	    "missing: "
	    "rank 1 (no rank of its host came), rank 2 (%s)",
	    port, host);
	CHECK(found[0].rc != 0);
	CHECK_STR(found[0].e.message, want);
	/* A connected rank with a shorter limit gets the same error. */
	CHECK(found[3].rc != 0 && strstr(found[3].e.message, want) != NULL);
}

/* If the launcher states the machines, one without connected ranks is named. */
static void
test_names_missing_hosts(void)
{
	const char *port = free_port();
	struct launcher l = one_of(0, 4, "127.0.0.1", port);
	pid_t pids[1];

	l.nodes = "gpu[07-08]";
	l.tasks_per_node = "2(x2)";
	l.local_rank = 0;
	l.local_size = 2;
	pids[0] = start_rank(l, 0.3);
	end_ranks(pids, 1);
	CHECK(found[0].rc != 0);
	CHECK(strstr(found[0].e.message, "rank 2 (gpu08), rank 3 (gpu08)") !=
	    NULL);
}

/* At most eight missing ranks are named, those of this host with its name. */
static void
test_names_eight(void)
{
	const char *port = free_port();
	struct launcher l = one_of(0, 12, "127.0.0.1", port);
	char host[64] = "", want[1024];
	int n;
	pid_t pids[1];

	gethostname(host, sizeof host - 1);
	l.local_rank = 0;
	l.local_size = 12;
	pids[0] = start_rank(l, 0.3);
	end_ranks(pids, 1);
	n = snprintf(want, sizeof want, "missing:");
	for (int i = 1; i <= 8; i++)
		n += snprintf(want + n, sizeof want - (size_t)n,
		    " rank %d (%s),", i, host);
	snprintf(want + n, sizeof want - (size_t)n, " ...");
	CHECK(found[0].rc != 0);
	CHECK(strstr(found[0].e.message, want) != NULL);
}

static void
test_names_itself(void)
{
	const char *port = free_port();
	pid_t pid = start_rank(one_of(1, 2, "127.0.0.1", port), 0.3);

	CHECK(waitpid(pid, NULL, 0) == pid);
	CHECK(strstr(found[1].e.message, "rank 1 (") != NULL);
	CHECK(strstr(found[1].e.message,
		  "cannot connect to rank 0 at "
		  "127.0.0.1") != NULL);
}

static void
test_refuses_a_rank_twice(void)
{
	const char *port = free_port();
	pid_t pids[3];

	pids[0] = start_rank(one_of(0, 3, "127.0.0.1", port), 20);
	pids[1] = start_rank(one_of(1, 3, "127.0.0.1", port), 20);
	pids[2] = start_rank(one_of(1, 3, "127.0.0.1", port), 20);
	end_ranks(pids, 3);
	CHECK(found[0].rc != 0);
	CHECK(strstr(found[0].e.message, "two are rank 1, on ") != NULL);
}

/* Ranks with another size, or with a number that is too large, are refused. */
static void
test_refuses_other_sizes(void)
{
	static const struct {
		int rank, size;
		const char *message;
	} cases[] = {
		{ 1, 3, "the ranks do not agree: one is rank 1 of 3 (" },
		{ 3, 3, "the ranks do not agree: one is rank 3 of 3 (" },
	};

	for (int i = 0; i < N_TESTS(cases); i++) {
		const char *port = free_port();
		const int size = i == 0 ? 2 : 3;
		pid_t pids[2];

		pids[0] = start_rank(one_of(0, size, "127.0.0.1", port), 20);
		pids[1] = start_rank(
		    one_of(cases[i].rank, cases[i].size, "127.0.0.1", port),
		    20);
		end_ranks(pids, 2);
		CHECK_INT(found[0].e.code, ERROR_INPUT);
		CHECK(strstr(found[0].e.message, cases[i].message) != NULL);
		CHECK(strstr(found[cases[i].rank].e.message,
			  "the ranks do not agree: this is rank ") != NULL);
	}
}

static void
test_refuses_a_taken_port(void)
{
	int port = 0;
	const int fd = open_port(&port);
	char text[16];
	pid_t pid;

	CHECK(fd >= 0 && listen(fd, 1) == 0);
	snprintf(text, sizeof text, "%d", port);
	pid = start_rank(one_of(0, 2, "127.0.0.1", text), 5);
	CHECK(waitpid(pid, NULL, 0) == pid);
	close(fd);
	CHECK(strstr(found[0].e.message, "cannot listen on port ") != NULL);
}

/* Rank 0 can listen but not accept: it fails at once, instead of waiting and
 * then reporting connected ranks as missing. */
static void
test_few_descriptors(void)
{
	const char *port = free_port();
	pid_t pids[2];

	n_descriptors = 1;
	pids[0] = start_rank(one_of(0, 2, "127.0.0.1", port), 20);
	n_descriptors = -1;
	pids[1] = start_rank(one_of(1, 2, "127.0.0.1", port), 3);
	end_ranks(pids, 2);
	CHECK_INT(found[0].rc, -1);
	CHECK_INT(found[0].e.code, ERROR_SCARCE);
	CHECK(strstr(found[0].e.message, "cannot take in all 2 ranks at ") !=
	    NULL);
	CHECK(found[0].s < 10);
	CHECK_INT(found[1].rc, -1);
}

/* RFC 4231, cases 1, 2, 6 and 7: a short key, a text, keys over block size. */
static void
test_hmac(void)
{
	static const char above[] =
	    "This is a test using a larger than block-size key and a larger "
	    "than block-size data. The key needs to be hashed before being "
	    "used by the HMAC algorithm.";
	static const struct {
		int key;  /* byte of the key, or 0: "Jefe" */
		size_t n; /* its length */
		const char *data, *want;
	} cases[] = {
		{ 0x0b, 20, "Hi There",
		    "b0344c61d8db38535ca8afceaf0bf12b"
		    "881dc200c9833da726e9376c2e32cff7" },
		{ 0, 4, "what do ya want for nothing?",
		    "5bdcc146bf60754e6a042426089575c7"
		    "5a003f089d2739839dec58b964ec3843" },
		{ 0xaa, 131,
		    "Test Using Larger Than Block-Size Key - Hash Key First",
		    "60e431591ee0b67f0d8a26aacbf5b77f"
		    "8e0bc6213728c5140546040f0ee37f54" },
		{ 0xaa, 131, above,
		    "9b09ffa71b942fcb27635fbcd5b0e944"
		    "bfdc63644f0713938a7f51535c3a35e2" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		unsigned char out[SHA256_SIZE];
		char key[131] = "Jefe", text[2 * SHA256_SIZE + 1];

		if (cases[i].key != 0)
			memset(key, cases[i].key, cases[i].n);
		hmac_sha256(
		    key, cases[i].n, cases[i].data, strlen(cases[i].data), out);
		for (int k = 0; k < SHA256_SIZE; k++)
			snprintf(text + 2 * k, 3, "%02x", out[k]);
		CHECK_STR(text, cases[i].want);
	}
}

static const struct tap_test tests[] = {
	TEST(test_hmac),
	TEST(test_listens_everywhere),
	TEST(test_tries_every_address),
	TEST(test_ipv6),
	TEST(test_own_end),
	TEST(test_passes_other_servers),
	TEST(test_strangers_delay_nobody),
	TEST(test_refuses_other_jobs),
	TEST(test_replayed_hello),
	TEST(test_replayed_answers),
	TEST(test_false_client),
	TEST(test_long_stated_time),
	TEST(test_names_who_is_missing),
	TEST(test_names_missing_hosts),
	TEST(test_names_eight),
	TEST(test_names_itself),
	TEST(test_refuses_a_rank_twice),
	TEST(test_refuses_other_sizes),
	TEST(test_refuses_a_taken_port),
	TEST(test_few_descriptors),
};

int
main(void)
{
	found = mmap(NULL, RANKS_MAX * sizeof *found, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return tap_main(tests, N_TESTS(tests));
}
