/* Small UDP datagrams from each rank to all others, so that a waiting rank can
 * name those that are silent. A process that is killed or stopped sends none,
 * and none passes a link that is down.
 *
 * The run does not depend on them: without a socket, or if datagrams are
 * filtered, no peer is ever heard from.
 *
 *	heartbeat_open(comm, &h, &e);
 *	heartbeat_send(h, n, HEARTBEAT_INSIDE);        (now and then)
 *	heartbeat_receive(h, now);
 *	heartbeat_peer(h, 1)->heard;
 *	heartbeat_close(h);
 */
#ifndef TRAINER_COMM_HEARTBEAT_H
#define TRAINER_COMM_HEARTBEAT_H

#include <stdint.h>

#include "common/error.h"
#include "trainer/comm/comm.h"

enum { HEARTBEAT_HOST_SIZE = 48 };

/* State that a rank reports. */
enum heartbeat_state {
	HEARTBEAT_OUTSIDE, /* it is in no collective */
	HEARTBEAT_INSIDE,
	HEARTBEAT_LEAVING /* it ends because its collective failed */
};

/* Last report of a rank. */
struct heartbeat_peer {
	char host[HEARTBEAT_HOST_SIZE]; /* its name, cut if longer */
	long pid;
	double heard;       /* seconds of the monotonic clock; < 0: never */
	uint64_t n_entered; /* collectives that it had begun by then */
	int inside;         /* it was in the last of them */
	int leaving;        /* it ends because of another rank */
};

struct heartbeat;

/* Find the others.  Collective.
 *
 * ERROR_SYSTEM: only if the back end fails. */
int heartbeat_open(struct comm *c, struct heartbeat **out, struct error *e);

/* Inform all other ranks.
 *
 * n_entered  of this rank, as in struct heartbeat_peer */
void heartbeat_send(
    struct heartbeat *h, uint64_t n_entered, enum heartbeat_state state);

/* Receive pending datagrams.
 *
 * now  seconds of the monotonic clock */
void heartbeat_receive(struct heartbeat *h, double now);

/* The last report of a rank. This rank itself is never heard from. */
const struct heartbeat_peer *heartbeat_peer(
    const struct heartbeat *h, int rank);

/* Free it; h may be NULL. */
void heartbeat_close(struct heartbeat *h);

#endif
