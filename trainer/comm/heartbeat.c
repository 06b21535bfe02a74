/* Datagrams between ranks. A run does not depend on them. */
#include <config.h>

#include "trainer/comm/heartbeat.h"

#include <arpa/inet.h>
#include <assert.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/alloc.h"

enum { MAX_ADDRESSES = 4 }; /* of one rank */

/* Address of a rank, exchanged at the start. */
struct heartbeat_place {
	char host[HEARTBEAT_HOST_SIZE];
	int64_t pid;
	uint64_t machine;
	uint32_t addresses[MAX_ADDRESSES]; /* IPv4, network order; 0: none */
	uint64_t port;                     /* network order; 0: no socket */
};

/* A datagram. In host byte order, which is equal on all ranks (gradients
 * require it, too). */
struct beat {
	uint64_t token; /* identifies the run */
	uint64_t n_entered;
	int32_t rank;
	int32_t state; /* enum heartbeat_state */
};

struct heartbeat {
	int rank, size;
	int fd; /* -1: none */
	uint64_t token;
	struct heartbeat_place *places; /* [size] */
	struct heartbeat_peer *peers;   /* [size] */
};

/* Open a socket on all addresses, on a port chosen by the kernel. */
static int
open_socket(uint64_t *port)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	socklen_t len = sizeof a;
	const int fd =
	    socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	a.sin_addr.s_addr = htonl(INADDR_ANY);
	if (bind(fd, (struct sockaddr *)&a, sizeof a) != 0 ||
	    getsockname(fd, (struct sockaddr *)&a, &len) != 0) {
		close(fd);
		return -1;
	}
	*port = a.sin_port;
	return fd;
}

/* Addresses of this machine. */
static void
find_addresses(uint32_t out[MAX_ADDRESSES])
{
	struct ifaddrs *all;
	int n = 0;

	if (getifaddrs(&all) != 0)
		return;
	for (const struct ifaddrs *i = all; i != NULL; i = i->ifa_next) {
		struct sockaddr_in a;

		if (i->ifa_addr == NULL || i->ifa_addr->sa_family != AF_INET ||
		    !(i->ifa_flags & IFF_UP) || (i->ifa_flags & IFF_LOOPBACK) ||
		    n == MAX_ADDRESSES)
			continue;
		memcpy(&a, i->ifa_addr, sizeof a);
		out[n++] = a.sin_addr.s_addr;
	}
	freeifaddrs(all);
}

/* Exchange the addresses of all ranks. */
static int
share_places(
    struct heartbeat *h, struct comm *c, uint64_t port, struct error *e)
{
	struct heartbeat_place *own = &h->places[c->rank];
	int rc;

	gethostname(own->host, sizeof own->host - 1);
	own->pid = getpid();
	own->machine = c->machine;
	own->port = port;
	find_addresses(own->addresses);
	if (getrandom(&h->token, sizeof h->token, GRND_NONBLOCK) !=
	    (ssize_t)sizeof h->token)
		h->token = (uint64_t)getpid();
	rc = comm_broadcast(c, &h->token, sizeof h->token, 0, e);
	for (int i = 0; i < c->size && rc == 0; i++) {
		struct heartbeat_place *p = &h->places[i];

		rc = comm_broadcast(c, p, sizeof *p, i, e);
		memcpy(h->peers[i].host, p->host, sizeof p->host - 1);
		h->peers[i].pid = (long)p->pid;
		h->peers[i].heard = -1;
	}
	return rc;
}

int
heartbeat_open(struct comm *c, struct heartbeat **out, struct error *e)
{
	struct heartbeat *h = xcalloc(1, sizeof *h);
	uint64_t port = 0;

	h->rank = c->rank;
	h->size = c->size;
	h->places = xcalloc((size_t)c->size, sizeof *h->places);
	h->peers = xcalloc((size_t)c->size, sizeof *h->peers);
	h->fd = open_socket(&port);
	if (share_places(h, c, port, e) != 0) {
		heartbeat_close(h);
		return -1;
	}
	*out = h;
	return 0;
}

static void
send_to(const struct heartbeat *h, uint32_t address, uint64_t port,
    const struct beat *b)
{
	struct sockaddr_in a = { .sin_family = AF_INET };

	a.sin_addr.s_addr = address;
	a.sin_port = (in_port_t)port;
	/* A lost datagram is not an error. */
	(void)!sendto(h->fd, b, sizeof *b, MSG_DONTWAIT | MSG_NOSIGNAL,
	    (const struct sockaddr *)&a, sizeof a);
}

void
heartbeat_send(
    struct heartbeat *h, uint64_t n_entered, enum heartbeat_state state)
{
	const struct beat b = { h->token, n_entered, h->rank, (int32_t)state };

	for (int i = 0; h->fd >= 0 && i < h->size; i++) {
		const struct heartbeat_place *p = &h->places[i];

		if (i == h->rank || p->port == 0)
			continue;
		if (p->machine == h->places[h->rank].machine)
			send_to(h, htonl(INADDR_LOOPBACK), p->port, &b);
		for (int k = 0; k < MAX_ADDRESSES; k++)
			if (p->addresses[k] != 0)
				send_to(h, p->addresses[k], p->port, &b);
	}
}

void
heartbeat_receive(struct heartbeat *h, double now)
{
	struct beat b;
	ssize_t n;

	if (h->fd < 0)
		return;
	while ((n = recv(h->fd, &b, sizeof b, MSG_DONTWAIT)) >= 0) {
		struct heartbeat_peer *p;

		if (n != (ssize_t)sizeof b || b.token != h->token ||
		    b.rank < 0 || b.rank >= h->size)
			continue;
		p = &h->peers[b.rank];
		p->heard = now;
		p->leaving |= b.state == HEARTBEAT_LEAVING;
		if (b.n_entered < p->n_entered) /* overtaken */
			continue;
		p->n_entered = b.n_entered;
		p->inside = b.state != HEARTBEAT_OUTSIDE;
	}
}

const struct heartbeat_peer *
heartbeat_peer(const struct heartbeat *h, int rank)
{
	assert(rank >= 0 && rank < h->size);
	return &h->peers[rank];
}

void
heartbeat_close(struct heartbeat *h)
{
	if (h == NULL)
		return;
	if (h->fd >= 0)
		close(h->fd);
	free(h->places);
	free(h->peers);
	free(h);
}
