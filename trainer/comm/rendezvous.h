/* How ranks that do not know each other yet meet: all connect to rank 0, which
 * passes on what each has to tell.  For the addresses of a transport, not for
 * gradients.
 *
 * Rank 0 listens on the TCP port that the launcher named; ranks that are all on
 * one machine and were told of none meet at a local socket called after the
 * job.
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
 * timeout_s  for all of it
 *
 * ERROR_SYSTEM: some rank did not come; ERROR_USAGE: it is not told where
 * rank 0 is; ERROR_INPUT: the ranks do not agree on their number. */
int rendezvous_open(const struct launcher *l, double timeout_s,
    struct rendezvous **out, struct error *e);

/* The address of this machine that the others can reach, as text; valid until
 * rendezvous_close. */
const char *rendezvous_address(const struct rendezvous *x);

/* Give n bytes, the same number on all ranks, and get everybody's.
 *
 * all  [l->size][n], by rank */
int rendezvous_all(struct rendezvous *x, const void *own, size_t n, void *all,
    struct error *e);

/* Part; x may be NULL. */
void rendezvous_close(struct rendezvous *x);

#endif
