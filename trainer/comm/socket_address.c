/* Finds the addresses of the rendezvous and connects to them. */
#include <config.h>

#include "trainer/comm/socket_address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>
#include <xxhash.h>

/* Ports without MASTER_PORT: PyTorch's, or for a Slurm step one of STEP_PORTS
 * from STEP_PORT on, below the ports that Linux assigns to clients. */
enum { USUAL_PORT = 29500, STEP_PORT = 20000, STEP_PORTS = 9000 };

/* Set an abstract name (unix(7)), which vanishes with its socket. */
static void
find_local(const struct launcher *l, struct address_list *a)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	const int len = snprintf(un.sun_path + 1, sizeof un.sun_path - 1,
	    "dlscale-%ld-%s", (long)geteuid(), l->job);
	const size_t most = sizeof un.sun_path - 2;
	struct socket_address *one = &a->items[0];

	one->len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
	    ((size_t)len < most ? (size_t)len : most));
	memcpy(&one->name, &un, sizeof un);
	a->n = 1;
	a->is_local = 1;
	snprintf(a->text, sizeof a->text, "job %s of this machine", l->job);
}

/* Rank 0's host from the launcher: in Slurm the first host of the step, unless
 * the distribution is arbitrary. */
static int
find_first_host(const struct launcher *l, struct address_list *a)
{
	if (l->host != NULL) {
		snprintf(a->host, sizeof a->host, "%s", l->host);
		return 0;
	}
	if (l->nodes == NULL ||
	    (l->distribution != NULL &&
		strncmp(l->distribution, "arbitrary", 9) == 0))
		return -1;
	return host_list_nth(l->nodes, 0, a->host, sizeof a->host);
}

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
address_list_describe(
    const struct launcher *l, struct address_list *a, struct error *e)
{
	memset(a, 0, sizeof *a);
	a->port = find_port(l);
	if (l->host == NULL && l->job[0] != '\0' && l->local_size == l->size) {
		find_local(l, a);
		return 0;
	}
	if (find_first_host(l, a) != 0)
		return error_set(e, ERROR_USAGE,
		    "the ranks cannot meet: MASTER_ADDR (and MASTER_PORT) in "
		    "the environment of all must name the address of rank 0");
	snprintf(a->text, sizeof a->text, "%.200s port %u", a->host, a->port);
	return 0;
}

int
address_list_resolve(struct address_list *a, struct error *e)
{
	const struct addrinfo hints = { .ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM };
	struct addrinfo *found;
	char port[16];
	int rc;

	if (a->is_local)
		return 0;
	snprintf(port, sizeof port, "%u", a->port);
	rc = getaddrinfo(a->host, port, &hints, &found);
	if (rc != 0) {
		error_set(e, ERROR_INPUT,
		    "MASTER_ADDR '%.200s', MASTER_PORT '%.10s': %s", a->host,
		    port, gai_strerror(rc));
		return rc == EAI_AGAIN ? 1 : -1;
	}
	a->n = 0;
	for (const struct addrinfo *i = found;
	     i != NULL && a->n < ADDRESS_LIST_MAX; i = i->ai_next) {
		memcpy(&a->items[a->n].name, i->ai_addr, i->ai_addrlen);
		a->items[a->n++].len = i->ai_addrlen;
	}
	freeaddrinfo(found);
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
listen_at(const struct socket_address *a)
{
	const int fd = open_socket(a->name.ss_family);
	int saved;

	if (fd < 0)
		return -1;
	if (bind(fd, (const struct sockaddr *)&a->name, a->len) == 0 &&
	    listen(fd, SOMAXCONN) == 0)
		return fd;
	saved = errno;
	close(fd);
	errno = saved;
	return -1;
}

/* Every address of this machine. */
static int
listen_anywhere(unsigned port)
{
	struct sockaddr_in6 six = { .sin6_family = AF_INET6,
		.sin6_port = htons((uint16_t)port),
		.sin6_addr = in6addr_any };
	struct sockaddr_in four = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_ANY) };
	struct socket_address a = { .len = sizeof six };
	int fd;

	memcpy(&a.name, &six, sizeof six);
	fd = listen_at(&a);
	if (fd >= 0 || errno == EADDRINUSE || errno == EACCES)
		return fd;
	/* The machine has no IPv6. */
	a = (struct socket_address){ .len = sizeof four };
	memcpy(&a.name, &four, sizeof four);
	return listen_at(&a);
}

int
socket_address_listen(const struct address_list *a, struct error *e)
{
	const int fd =
	    a->is_local ? listen_at(&a->items[0]) : listen_anywhere(a->port);

	if (fd >= 0)
		return fd;
	if (a->is_local)
		return error_errno(e, errno, "cannot listen at %s", a->text);
	return error_errno(
	    e, errno, "cannot listen on port %u (MASTER_PORT)", a->port);
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
socket_address_connect(const struct socket_address *a, int timeout_ms)
{
	const int fd = open_socket(a->name.ss_family);
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	const struct linger at_once = { .l_onoff = 1 };
	socklen_t len = sizeof(int);
	int failed = 0;

	if (fd < 0)
		return -1;
	if (connect(fd, (const struct sockaddr *)&a->name, a->len) == 0)
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

/* 127.0.0.0/8 (also IPv4-mapped IPv6) and ::1. */
static int
is_loopback(const struct sockaddr_storage *a)
{
	struct sockaddr_in four;
	struct sockaddr_in6 six;

	if (a->ss_family == AF_INET) {
		memcpy(&four, a, sizeof four);
		return ntohl(four.sin_addr.s_addr) >> 24 == 127;
	}
	if (a->ss_family != AF_INET6)
		return 1;
	memcpy(&six, a, sizeof six);
	if (IN6_IS_ADDR_V4MAPPED(&six.sin6_addr))
		return six.sin6_addr.s6_addr[12] == 127;
	return IN6_IS_ADDR_LOOPBACK(&six.sin6_addr);
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
	return is_loopback(&a);
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
