/* How ranks that do not know each other yet meet: all connect to rank 0, which
 * passes on what each has to tell.  For the addresses of a transport, not for
 * gradients.
 *
 * Rank 0 listens on the TCP port that the launcher named; ranks that are all on
 * one machine and were told of none meet at a local socket called after the
 * job.
 *
 *	struct exchange *x;
 *	if (exchange_open(&launcher, 60, &x, &e) != 0)
 *		return -1;
 *	exchange_all(x, &own, sizeof own, all, &e);
 *	exchange_close(x);
 */
#ifndef TRAINER_EXCHANGE_H
#define TRAINER_EXCHANGE_H

#include <stddef.h>

#include "common/error.h"
#include "trainer/launcher.h"

struct exchange;

/* Meet the others.
 *
 * l          borrowed until exchange_close
 * timeout_s  for all of it
 *
 * ERROR_SYSTEM: some rank did not come; ERROR_USAGE: it is not told where
 * rank 0 is; ERROR_INPUT: the ranks do not agree on their number. */
int exchange_open(const struct launcher *l, double timeout_s,
    struct exchange **out, struct error *e);

/* The address of this machine that the others can reach, as text; valid until
 * exchange_close. */
const char *exchange_address(const struct exchange *x);

/* Give n bytes, the same number on all ranks, and get everybody's.
 *
 * all  [l->size][n], by rank */
int exchange_all(
    struct exchange *x, const void *own, size_t n, void *all, struct error *e);

/* Part; x may be NULL. */
void exchange_close(struct exchange *x);

#endif
