/* Finds the place of the rendezvous; listens and connects. */
#include <config.h>

#include "trainer/comm/rendezvous.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

/* Ports without MASTER_PORT: PyTorch's, or for a Slurm step one of STEP_PORTS
 * from STEP_PORT on, below the ports that Linux assigns to clients. */
enum { USUAL_PORT = 29500, STEP_PORT = 20000, STEP_PORTS = 9000 };

static unsigned
find_port(const struct launcher *l)
{
	unsigned long step;
	size_t dot;

	if (l->port != NULL)
		return (unsigned)strtoul(l->port, NULL, 10);
	if (l->host != NULL || l->job[0] == '\0')
		return USUAL_PORT;
	/* "JOB.STEP": steps of a job have consecutive ports. */
	dot = strcspn(l->job, ".");
	step = l->job[dot] != '\0' ? strtoul(l->job + dot + 1, NULL, 10) : 0;
	return STEP_PORT +
	    (unsigned)((XXH3_64bits(l->job, dot) + step) % STEP_PORTS);
}

int
meeting_place_find(
    const struct launcher *l, struct meeting_place *p, struct error *e)
{
	memset(p, 0, sizeof *p);
	p->port = find_port(l);
	if (l->host == NULL && l->job[0] != '\0' && l->local_size == l->size) {
		/* An abstract name (unix(7)), which vanishes with its
		 * socket. */
		const int most = sizeof p->local.sun_path - 1;
		const int len = snprintf(p->local.sun_path + 1, (size_t)most,
		    "dlscale-%ld-%s", (long)geteuid(), l->job);

		p->is_local = 1;
		p->local.sun_family = AF_UNIX;
		p->local_len =
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1) +
		    (socklen_t)(len < most ? len : most - 1);
		snprintf(
		    p->text, sizeof p->text, "job %s of this machine", l->job);
		return 0;
	}
	/* In Slurm the first host of the step, unless the distribution is
	 * arbitrary. */
	if (l->host != NULL)
		snprintf(p->host, sizeof p->host, "%s", l->host);
	else if (l->nodes == NULL ||
	    (l->distribution != NULL &&
		strncmp(l->distribution, "arbitrary", 9) == 0) ||
	    host_list_nth(l->nodes, 0, p->host, sizeof p->host) != 0)
		return error_set(e, ERROR_USAGE,
		    "ranks cannot connect: MASTER_ADDR (and MASTER_PORT) must "
		    "name the address of rank 0 in the environment of all "
		    "ranks");
	snprintf(p->text, sizeof p->text, "%.200s port %u", p->host, p->port);
	return 0;
}

static int
open_socket(int family)
{
	const int fd =
	    socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	const int on = 1, off = 0;

	if (fd < 0 || family == AF_UNIX)
		return fd;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
	return fd;
}

static int
listen_at(const void *address, socklen_t len)
{
	const struct sockaddr *a = address;
	const int fd = open_socket(a->sa_family);
	int saved;

	if (fd < 0 || (bind(fd, a, len) == 0 && listen(fd, SOMAXCONN) == 0))
		return fd;
	saved = errno;
	close(fd);
	errno = saved;
	return -1;
}

int
socket_address_listen(const struct meeting_place *p, struct error *e)
{
	const struct sockaddr_in6 six = { .sin6_family = AF_INET6,
		.sin6_port = htons((uint16_t)p->port),
		.sin6_addr = in6addr_any };
	const struct sockaddr_in four = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)p->port),
		.sin_addr.s_addr = htonl(INADDR_ANY) };
	int fd = p->is_local ? listen_at(&p->local, p->local_len)
			     : listen_at(&six, sizeof six);

	/* The machine may have no IPv6. */
	if (fd < 0 && !p->is_local && errno != EADDRINUSE && errno != EACCES)
		fd = listen_at(&four, sizeof four);
	if (fd >= 0)
		return fd;
	if (p->is_local)
		return error_errno(e, errno, "cannot listen at %s", p->text);
	return error_errno(
	    e, errno, "cannot listen on port %u (MASTER_PORT)", p->port);
}

/* True if TCP connected the socket to itself: nothing listens on the port, and
 * the kernel chose the same port for this end. */
static int
is_own_end(int fd)
{
	struct sockaddr_storage own, other;
	socklen_t own_len = sizeof own, other_len = sizeof other;

	memset(&own, 0, sizeof own);
	memset(&other, 0, sizeof other);
	return getsockname(fd, (struct sockaddr *)&own, &own_len) == 0 &&
	    getpeername(fd, (struct sockaddr *)&other, &other_len) == 0 &&
	    own.ss_family != AF_UNIX && own_len == other_len &&
	    memcmp(&own, &other, own_len) == 0;
}

int
socket_address_connect(
    const struct sockaddr *to, socklen_t to_len, int timeout_ms)
{
	const int fd = open_socket(to->sa_family);
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	const struct linger at_once = { .l_onoff = 1 };
	socklen_t len = sizeof(int);
	int failed = 0;

	if (fd < 0)
		return -1;
	if (connect(fd, to, to_len) == 0)
		failed = 0;
	else if (errno != EINPROGRESS)
		failed = errno;
	else if (poll(&p, 1, timeout_ms) != 1)
		failed = ETIMEDOUT;
	else if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &len) != 0)
		failed = errno;
	if (failed == 0 && is_own_end(fd)) {
		/* Reset the connection to free the port for rank 0. */
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
		failed = ECONNREFUSED;
	}
	if (failed == 0)
		return fd;
	close(fd);
	errno = failed;
	return -1;
}

int
socket_address_text(int fd, char text[ADDRESS_TEXT_MAX])
{
	static const char mapped[] = "::ffff:";
	struct sockaddr_storage a = { .ss_family = AF_UNSPEC };
	socklen_t len = sizeof a;
	const int rc = getsockname(fd, (struct sockaddr *)&a, &len);

	snprintf(text, ADDRESS_TEXT_MAX, "127.0.0.1");
	if (rc != 0 || (a.ss_family != AF_INET && a.ss_family != AF_INET6) ||
	    getnameinfo((struct sockaddr *)&a, len, text, ADDRESS_TEXT_MAX,
		NULL, 0, NI_NUMERICHOST) != 0)
		return 1;
	if (strncmp(text, mapped, sizeof mapped - 1) == 0 &&
	    strchr(text, '.') != NULL)
		memmove(text, text + sizeof mapped - 1,
		    strlen(text + sizeof mapped - 1) + 1);
	/* 127.0.0.0/8, also IPv4-mapped, and ::1. */
	return strncmp(text, "127.", 4) == 0 || strcmp(text, "::1") == 0;
}

int
socket_address_toward(const char *address, char text[ADDRESS_TEXT_MAX])
{
	/* Connecting a UDP socket sends nothing. */
	const unsigned short any_port = htons(9);
	struct sockaddr_in four = { .sin_family = AF_INET,
		.sin_port = any_port };
	struct sockaddr_in6 six = { .sin6_family = AF_INET6,
		.sin6_port = any_port };
	const int is_four = inet_pton(AF_INET, address, &four.sin_addr) == 1;
	int fd, rc, saved;

	if (!is_four && inet_pton(AF_INET6, address, &six.sin6_addr) != 1) {
		errno = EAFNOSUPPORT;
		return -1;
	}
	fd = socket(is_four ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	rc = is_four ? connect(fd, (const struct sockaddr *)&four, sizeof four)
		     : connect(fd, (const struct sockaddr *)&six, sizeof six);
	saved = errno;
	if (rc == 0)
		socket_address_text(fd, text);
	close(fd);
	errno = saved;
	return rc;
}
