#include <config.h>

#include "trainer/comm/rendezvous.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/alloc.h"
#include "trainer/base/clock.h"

enum { ADDRESS_MAX = 64, RETRY_MS = 50 };

/* The first words of a rank. */
struct hello {
	char magic[8];
	int32_t rank, size;
};

static const char magic[8] = "dlscale1";

struct rendezvous {
	const struct launcher *l;
	struct clock clock;
	double deadline;
	int *fds; /* rank 0: [size] of the others; else: [1] to rank 0 */
	int n_fds;
	char address[ADDRESS_MAX];
};

/* Where to meet. */
struct place {
	struct sockaddr_storage address;
	socklen_t len;
	char text[ADDRESS_MAX + LAUNCHER_NAME_MAX]; /* for messages */
};

/* A name that vanishes with its socket (unix(7), abstract). */
static void
find_local(const struct launcher *l, struct place *p)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	const int len = snprintf(un.sun_path + 1, sizeof un.sun_path - 1,
	    "dlscale-%ld-%s", (long)geteuid(), l->job);
	const size_t most = sizeof un.sun_path - 2;

	p->len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
	    ((size_t)len < most ? (size_t)len : most));
	memcpy(&p->address, &un, sizeof un);
	snprintf(p->text, sizeof p->text, "job %s of this machine", l->job);
}

static int
find_place(const struct launcher *l, struct place *p, struct error *e)
{
	const struct addrinfo hints = { .ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM };
	struct addrinfo *found;
	int rc;

	memset(p, 0, sizeof *p);
	if (l->host == NULL && l->job[0] != '\0' && l->local_size == l->size) {
		find_local(l, p);
		return 0;
	}
	if (l->host == NULL)
		return error_set(e, ERROR_USAGE,
		    "the ranks cannot meet: MASTER_ADDR (and MASTER_PORT) in "
		    "the environment of all must say where rank 0 is");
	rc = getaddrinfo(l->host, l->port, &hints, &found);
	if (rc != 0)
		return error_set(e, ERROR_INPUT,
		    "MASTER_ADDR '%s', MASTER_PORT '%s': %s", l->host, l->port,
		    gai_strerror(rc));
	memcpy(&p->address, found->ai_addr, found->ai_addrlen);
	p->len = found->ai_addrlen;
	freeaddrinfo(found);
	snprintf(p->text, sizeof p->text, "%.60s port %.10s", l->host, l->port);
	return 0;
}

static double
time_left(struct rendezvous *x)
{
	return x->deadline - clock_now(&x->clock);
}

/* Wait until fd can be read or written.  Returns -1 at the deadline. */
static int
wait_for(struct rendezvous *x, int fd, short events)
{
	struct pollfd p = { .fd = fd, .events = events };

	for (;;) {
		const double left = time_left(x);
		const int rc =
		    poll(&p, 1, left > 0 ? (int)(left * 1e3) + 1 : 0);

		if (rc > 0)
			return 0;
		if (rc == 0 || errno != EINTR)
			return -1;
	}
}

/* Read or write all n bytes. */
static int
move_all(struct rendezvous *x, int fd, int out, void *data, size_t n)
{
	char *at = data;

	while (n > 0) {
		ssize_t k;

		if (wait_for(x, fd, out ? POLLOUT : POLLIN) != 0)
			return -1;
		k = out ? send(fd, at, n, MSG_NOSIGNAL | MSG_DONTWAIT)
			: recv(fd, at, n, MSG_DONTWAIT);
		if (k < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (k <= 0)
			return -1;
		at += k;
		n -= (size_t)k;
	}
	return 0;
}

/* This end's address as text; local sockets mean the loopback interface. */
static void
note_address(struct rendezvous *x, int fd)
{
	struct sockaddr_storage a;
	socklen_t len = sizeof a;

	snprintf(x->address, sizeof x->address, "127.0.0.1");
	if (getsockname(fd, (struct sockaddr *)&a, &len) == 0 &&
	    a.ss_family != AF_UNIX)
		getnameinfo((struct sockaddr *)&a, len, x->address,
		    sizeof x->address, NULL, 0, NI_NUMERICHOST);
}

static int
make_socket(const struct place *p)
{
	const int fd =
	    socket(p->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const int on = 1;

	if (fd >= 0 && p->address.ss_family != AF_UNIX)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	return fd;
}

/* Take in the rank that connected.  Returns 1 if it is one, 0 if it is somebody
 * else, -1 with e. */
static int
welcome(struct rendezvous *x, int fd, struct error *e)
{
	struct hello h;

	if (move_all(x, fd, 0, &h, sizeof h) != 0 ||
	    memcmp(h.magic, magic, sizeof magic) != 0) {
		close(fd);
		return 0;
	}
	if (h.size == x->l->size && h.rank > 0 && h.rank < h.size &&
	    x->fds[h.rank] < 0) {
		x->fds[h.rank] = fd;
		note_address(x, fd);
		return 1;
	}
	close(fd);
	return error_set(e, ERROR_INPUT,
	    "the ranks do not agree: one is rank %d of %d, and this is rank 0 "
	    "of %ld",
	    h.rank, h.size, x->l->size);
}

static int
gather_ranks(
    struct rendezvous *x, int listener, const struct place *p, struct error *e)
{
	for (int n = 1; n < x->l->size;) {
		int fd, rc;

		if (wait_for(x, listener, POLLIN) != 0)
			return error_set(e, ERROR_SYSTEM,
			    "only %d of %ld ranks came to %s", n, x->l->size,
			    p->text);
		fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		if (fd < 0)
			continue;
		rc = welcome(x, fd, e);
		if (rc < 0)
			return -1;
		n += rc;
	}
	return 0;
}

static int
be_first(struct rendezvous *x, const struct place *p, struct error *e)
{
	const int fd = make_socket(p);
	int rc;

	if (fd < 0 ||
	    bind(fd, (const struct sockaddr *)&p->address, p->len) != 0 ||
	    listen(fd, (int)x->l->size) != 0) {
		rc = error_errno(e, errno, "cannot listen at %s", p->text);
	} else {
		note_address(x, fd);
		rc = gather_ranks(x, fd, p, e);
	}
	if (fd >= 0)
		close(fd);
	return rc;
}

/* Connect to rank 0, which may not be there yet. */
static int
join(struct rendezvous *x, const struct place *p, struct error *e)
{
	struct hello h = { .rank = (int32_t)x->l->rank,
		.size = (int32_t)x->l->size };

	memcpy(h.magic, magic, sizeof magic);
	for (;;) {
		const int fd = make_socket(p);

		if (fd >= 0 &&
		    connect(fd, (const struct sockaddr *)&p->address, p->len) ==
			0 &&
		    move_all(x, fd, 1, &h, sizeof h) == 0) {
			x->fds[0] = fd;
			note_address(x, fd);
			return 0;
		}
		if (time_left(x) <= 0) {
			error_errno(
			    e, errno, "cannot meet rank 0 at %s", p->text);
			if (fd >= 0)
				close(fd);
			return -1;
		}
		if (fd >= 0)
			close(fd);
		usleep(RETRY_MS * 1000);
	}
}

int
rendezvous_open(const struct launcher *l, double timeout_s,
    struct rendezvous **out, struct error *e)
{
	struct rendezvous *x = xcalloc(1, sizeof *x);
	struct place p;
	int rc = 0;

	x->l = l;
	clock_init(&x->clock, 0);
	x->deadline = clock_now(&x->clock) + timeout_s;
	x->n_fds = l->rank == 0 ? (int)l->size : 1;
	x->fds = xcalloc((size_t)x->n_fds, sizeof *x->fds);
	for (int i = 0; i < x->n_fds; i++)
		x->fds[i] = -1;
	snprintf(x->address, sizeof x->address, "127.0.0.1");
	if (l->size > 1)
		rc = find_place(l, &p, e);
	if (rc == 0 && l->size > 1)
		rc = l->rank == 0 ? be_first(x, &p, e) : join(x, &p, e);
	if (rc != 0) {
		rendezvous_close(x);
		return -1;
	}
	*out = x;
	return 0;
}

const char *
rendezvous_address(const struct rendezvous *x)
{
	return x->address;
}

/* Rank 0's part: take from all, then give to all. */
static int
pass_on(struct rendezvous *x, size_t n, char *all)
{
	for (int i = 1; i < x->n_fds; i++)
		if (move_all(x, x->fds[i], 0, all + (size_t)i * n, n) != 0)
			return -1;
	for (int i = 1; i < x->n_fds; i++)
		if (move_all(x, x->fds[i], 1, all, n * (size_t)x->n_fds) != 0)
			return -1;
	return 0;
}

int
rendezvous_all(
    struct rendezvous *x, const void *own, size_t n, void *all, struct error *e)
{
	const size_t size = (size_t)x->l->size;
	char *mine = (char *)all + (size_t)x->l->rank * n;
	int rc;

	if (n > 0)
		memcpy(mine, own, n);
	if (x->l->rank == 0)
		rc = pass_on(x, n, all);
	else
		rc = move_all(x, x->fds[0], 1, mine, n) != 0 ||
			move_all(x, x->fds[0], 0, all, n * size) != 0
		    ? -1
		    : 0;
	if (rc != 0)
		error_set(e, ERROR_SYSTEM,
		    "a rank left while all were still meeting");
	return rc;
}

void
rendezvous_close(struct rendezvous *x)
{
	if (x == NULL)
		return;
	for (int i = 0; i < x->n_fds; i++)
		if (x->fds[i] >= 0)
			close(x->fds[i]);
	free(x->fds);
	free(x);
}
