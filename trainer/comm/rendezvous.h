/* How ranks that do not know each other yet meet: all connect to rank 0, which
 * passes on what each of them sends.  For the addresses of a transport, not for
 * gradients.
 *
 * Rank 0 listens on all interfaces at the TCP port that the launcher named;
 * ranks that are all on one machine and know of none meet at a local
 * socket called after the job.  Strangers do not delay it: who does not send
 * the job's token (its name by the launcher, and DLSCALE_JOB_TOKEN) is refused.
 *
 *	struct rendezvous *x;
 *	if (rendezvous_open(&launcher, 60, &x, &e) != 0)
 *		return -1;
 *	rendezvous_all(x, &own, sizeof own, all, &e);
 *	rendezvous_close(x);
 */
#ifndef TRAINER_COMM_RENDEZVOUS_H
#define TRAINER_COMM_RENDEZVOUS_H

#include <stddef.h>

#include "common/error.h"
#include "trainer/comm/launcher_env.h"

struct rendezvous;

/* Meet the others.
 *
 * l          borrowed until rendezvous_close
 * timeout_s  for all to come, by rank 0's clock once it is reached, and again
 *            for all that is exchanged
 *
 * ERROR_SYSTEM: some rank did not come, and rank 0 names it and its host;
 * ERROR_SCARCE: rank 0 can have no connection to each;
 * ERROR_USAGE: no address of rank 0 is known; ERROR_INPUT: the ranks do not
 * agree on their number, or rank 0 is another job's. */
int rendezvous_open(const struct launcher *l, double timeout_s,
    struct rendezvous **out, struct error *e);

/* The address of this machine that the others can reach, as text, on all ranks
 * of one family (IPv4 if any came by it); valid until rendezvous_close. */
const char *rendezvous_address(const struct rendezvous *x);

/* Send n bytes, the same number on all ranks, and get those of all; a
 * gloo_exchange_fn.
 *
 * rendezvous  that of rendezvous_open()
 * all         [l->size][n], by rank */
int rendezvous_all(
    void *rendezvous, const void *own, size_t n, void *all, struct error *e);

/* Leave; x may be NULL. */
void rendezvous_close(struct rendezvous *x);

#endif
