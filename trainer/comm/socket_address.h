/* The place of the rendezvous, where rank 0 listens: a TCP port or a local
 * socket.
 *
 *	struct meeting_place p;
 *	if (meeting_place_find(&launcher, &p, &e) != 0)
 *		return -1;
 *	fd = socket_address_listen(&p, &e);
 */
#ifndef TRAINER_COMM_SOCKET_ADDRESS_H
#define TRAINER_COMM_SOCKET_ADDRESS_H

#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "common/error.h"
#include "trainer/comm/launcher_env.h"

enum { ADDRESS_TEXT_MAX = 64 };

struct meeting_place {
	int is_local;             /* local socket, without a port */
	struct sockaddr_un local; /* its name */
	socklen_t local_len;
	char host[208]; /* rank 0's; "" for a local socket */
	unsigned port;  /* 1 .. 65535 */
	char text[256]; /* "node0 port 29500", for messages */
};

/* Find the place, without resolving the host: MASTER_ADDR and MASTER_PORT, else
 * a local socket if one launcher's ranks are all here, else the first host of
 * Slurm's step and a port derived from the step. Steps of one job have
 * different ports; those of two jobs coincide with probability 1/9000.
 *
 * ERROR_USAGE: the launcher names none. */
int meeting_place_find(
    const struct launcher *l, struct meeting_place *p, struct error *e);

/* Listen on all interfaces at the place's port, over IPv6 and IPv4 if
 * available, or at the local socket. It does not bind to MASTER_ADDR, because
 * that often resolves to 127.0.1.1 on rank 0's machine.
 *
 * Returns a non-blocking socket, or -1 with ERROR_SYSTEM. */
int socket_address_listen(const struct meeting_place *p, struct error *e);

/* Connect within timeout_ms. Returns a non-blocking socket, or -1 with
 * errno. */
int socket_address_connect(
    const struct sockaddr *to, socklen_t len, int timeout_ms);

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
