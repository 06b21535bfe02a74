/* Addresses of the rendezvous: rank 0 listens on them and the other ranks try
 * them; TCP or a local socket.
 *
 *	struct address_list a;
 *	if (address_list_find(&launcher, &a, &e) != 0)
 *		return -1;
 *	for (size_t i = 0; i < a.n; i++)
 *		fd = socket_address_connect(&a.items[i], 5000);
 */
#ifndef TRAINER_COMM_SOCKET_ADDRESS_H
#define TRAINER_COMM_SOCKET_ADDRESS_H

#include <stddef.h>
#include <sys/socket.h>

#include "common/error.h"
#include "trainer/comm/launcher_env.h"

enum {
	ADDRESS_TEXT_MAX = 64,
	ADDRESS_LIST_MAX = 16 /* addresses of a name to try */
};

struct socket_address {
	struct sockaddr_storage name;
	socklen_t len;
};

struct address_list {
	struct socket_address items[ADDRESS_LIST_MAX];
	size_t n;
	int is_local;   /* local socket, without a port */
	char host[208]; /* rank 0's; "" for a local socket */
	unsigned port;  /* 1 .. 65535 */
	char text[256]; /* "node0 port 29500", for messages */
};

/* Find the address of rank 0, without resolving it: MASTER_ADDR and
 * MASTER_PORT, else a local socket if one launcher's ranks are all here, else
 * the first host of Slurm's step and a port derived from the step. Steps of one
 * job have different ports; those of two jobs coincide with probability 1/9000.
 * Fills all members except items, which only a local socket sets.
 *
 * ERROR_USAGE: the launcher names none. */
int address_list_describe(
    const struct launcher *l, struct address_list *a, struct error *e);

/* Resolve rank 0's host for connecting; does nothing for a local socket.
 *
 * Returns 0; 1 with e if it may succeed later; -1 with ERROR_INPUT. */
int address_list_resolve(struct address_list *a, struct error *e);

/* Listen on all interfaces at the list's port, over IPv6 and IPv4 if available,
 * or at the local socket. It does not bind to MASTER_ADDR, because that often
 * resolves to 127.0.1.1 on rank 0's machine.
 *
 * Returns a non-blocking socket, or -1 with ERROR_SYSTEM. */
int socket_address_listen(const struct address_list *a, struct error *e);

/* Connect within timeout_ms. Returns a non-blocking socket, or -1 with
 * errno. */
int socket_address_connect(const struct socket_address *a, int timeout_ms);

/* The local address of a connected socket as text; 127.0.0.1 for a local
 * socket, IPv4 for an IPv4-mapped address. Returns 1 if only this machine can
 * use it, else 0. */
int socket_address_text(int fd, char text[ADDRESS_TEXT_MAX]);

/* The source address of packets from this machine to another one.
 *
 * address  numeric, IPv4 or IPv6
 *
 * Returns 0, or -1 with errno if there is no route. */
int socket_address_toward(const char *address, char text[ADDRESS_TEXT_MAX]);

#endif
