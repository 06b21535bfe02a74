/* Rendezvous of the ranks of a run: all connect to rank 0, which distributes
 * the data of each. Meant for addresses of a transport, not for gradients.
 *
 * Rank 0 listens on all interfaces at the launcher's TCP port. Without one,
 * ranks on one machine use a local socket named after the job. Rank 0 and each
 * other rank prove to each other that they have the job's key, by hashes of
 * random numbers, so that recorded messages cannot be replayed. The key is
 * the launcher's name of the job and its secret; without a secret it only keeps
 * jobs apart. Connections without it are closed and cause no delay.
 *
 *	struct rendezvous *x;
 *	if (rendezvous_open(&launcher, 60, &x, &e) != 0)
 *		return -1;
 *	rendezvous_all(x, &own, sizeof own, all, &e);
 *	rendezvous_close(x);
 */
#ifndef TRAINER_COMM_RENDEZVOUS_H
#define TRAINER_COMM_RENDEZVOUS_H

#include <sys/un.h>
#include <sys/socket.h>
#include <stddef.h>

#include "common/error.h"
#include "common/sha256.h"
#include "trainer/comm/launcher_env.h"

struct rendezvous;

/* Connect to the other ranks.
 *
 * l          borrowed until rendezvous_close
 * timeout_s  limit for each of three phases: reaching rank 0, the connection of
 *            all ranks, which rank 0 can shorten, and the exchange
 *
 * ERROR_SYSTEM: a rank is missing, and rank 0 names it and its host;
 * ERROR_SCARCE: too few descriptors on rank 0; ERROR_USAGE: the address of rank
 * 0 is not known; ERROR_INPUT: the ranks differ in their number, or rank 0
 * belongs to another job. */
int rendezvous_open(const struct launcher *l, double timeout_s,
    struct rendezvous **out, struct error *e);

/* The address at which other ranks reach this machine, as text. All ranks use
 * one family, IPv4 if any rank connected by it. Valid until
 * rendezvous_close. */
const char *rendezvous_address(const struct rendezvous *x);

/* Allgather of n bytes, the same number on all ranks; a gloo_exchange_fn.
 *
 * rendezvous  from rendezvous_open()
 * all         [l->size][n], by rank */
int rendezvous_all(
    void *rendezvous, const void *own, size_t n, void *all, struct error *e);

/* Leave; x may be NULL. */
void rendezvous_close(struct rendezvous *x);

/* Hash len bytes with a secret key: HMAC-SHA-256 (RFC 2104), the proof of the
 * job's key. */
void hmac_sha256(const void *key, size_t key_len, const void *data, size_t len,
    unsigned char out[SHA256_SIZE]);

/* --- The place ------------------------------------------------------------ */

/* The place of the rendezvous, where rank 0 listens: a TCP port or a local
 * socket. */

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

#endif
