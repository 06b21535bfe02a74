/* Addresses of the rendezvous: those on which rank 0 listens and those that the
 * others try, TCP or a local socket.
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
	ADDRESS_LIST_MAX = 16 /* maximum number of addresses of a name that are
				 tried */
};

struct socket_address {
	struct sockaddr_storage name;
	socklen_t len;
};

struct address_list {
	struct socket_address items[ADDRESS_LIST_MAX];
	size_t n;
	int is_local;   /* a local socket, which has no port */
	char host[208]; /* of rank 0; "" for a local socket */
	unsigned port;  /* on which rank 0 listens; 1 .. 65535 */
	char text[256]; /* "node0 port 29500", for messages */
};

/* Find the address of rank 0, without resolving it: MASTER_ADDR and
 * MASTER_PORT, else a local socket if one launcher's ranks are all here, else
 * the first host of Slurm's step and a port derived from the step. Steps of one
 * job have different ports; those of two jobs coincide once in 9,000 times.
 * Fills all but items, and these too for a local socket.
 *
 * ERROR_USAGE: the launcher names none. */
int address_list_describe(
    const struct launcher *l, struct address_list *a, struct error *e);

/* Resolve rank 0's host for connecting; does nothing for a local socket.
 *
 * Returns 0; 1 with e if it may succeed later; -1 with ERROR_INPUT. */
int address_list_resolve(struct address_list *a, struct error *e);

/* Listen on all interfaces at the list's port, over IPv6 and IPv4 where the
 * machine has both, or at the local socket. It does not bind to MASTER_ADDR,
 * because that often resolves to 127.0.1.1 on rank 0's machine.
 *
 * Returns a non-blocking socket, or -1 with ERROR_SYSTEM. */
int socket_address_listen(const struct address_list *a, struct error *e);

/* Connect within timeout_ms. Returns a non-blocking socket, or -1 with
 * errno. */
int socket_address_connect(const struct socket_address *a, int timeout_ms);

/* This end's address of a connected socket as text; a local socket's is
 * 127.0.0.1, IPv4 in IPv6 is shown as IPv4.  Returns whether only this machine
 * can use it. */
int socket_address_text(int fd, char text[ADDRESS_TEXT_MAX]);

/* The address from which this machine would send to another one.
 *
 * address  in numbers, IPv4 or IPv6
 *
 * Returns 0, or -1 with errno if there is no route. */
int socket_address_toward(const char *address, char text[ADDRESS_TEXT_MAX]);

#endif
