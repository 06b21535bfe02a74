/* Small UDP datagrams from each rank to all others, so that a waiting rank can
 * name silent ones. Killed or stopped processes send none, and links that are
 * down carry none.
 *
 * The run does not depend on them: without a socket, or if datagrams are
 * filtered, all peers stay silent.
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
	HEARTBEAT_OUTSIDE, /* in no collective */
	HEARTBEAT_INSIDE,
	HEARTBEAT_LEAVING /* ending: its collective failed */
};

/* Last report of a rank. */
struct heartbeat_peer {
	char host[HEARTBEAT_HOST_SIZE]; /* host name, truncated if longer */
	long pid;
	double heard;       /* monotonic seconds; < 0: never */
	uint64_t n_entered; /* collectives begun by then */
	int inside;         /* 1: in the last of them */
	int leaving;        /* 1: ending because of another rank */
};

struct heartbeat;

/* Exchange addresses with all ranks. Collective.
 *
 * ERROR_SYSTEM: only if the back end fails. */
int heartbeat_open(struct comm *c, struct heartbeat **out, struct error *e);

/* Inform all other ranks.
 *
 * n_entered  this rank's value, see struct heartbeat_peer */
void heartbeat_send(
    struct heartbeat *h, uint64_t n_entered, enum heartbeat_state state);

/* Receive pending datagrams.
 *
 * now  seconds of the monotonic clock */
void heartbeat_receive(struct heartbeat *h, double now);

/* The last report of a rank. This rank itself counts as never heard from. */
const struct heartbeat_peer *heartbeat_peer(
    const struct heartbeat *h, int rank);

/* Free it; h may be NULL. */
void heartbeat_close(struct heartbeat *h);

#endif
