/* Rendezvous of the ranks of a run: all connect to rank 0, which distributes
 * the data of each. Meant for addresses of a transport, not for gradients.
 *
 * Rank 0 listens on all interfaces at the launcher's TCP port. Without one,
 * ranks on one machine use a local socket named after the job. Connections
 * without the job's token (its name from the launcher, and DLSCALE_JOB_TOKEN)
 * are refused and cause no delay.
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

/* Connect to the other ranks.
 *
 * l          borrowed until rendezvous_close
 * timeout_s  limit for all ranks to connect, by rank 0's clock once it is
 *            reached, and again for the exchange
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

#endif
