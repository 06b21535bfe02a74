/* Ends a run in which a collective hangs: MPI_Allreduce does not return when a
 * peer has exited, so a thread watches the time. When a collective exceeds the
 * timeout, the thread reports the collective and when each rank was last heard
 * from, and ends the process. The back end's abort, the launcher and their own
 * watchdogs end the other ranks.
 *
 * Time in which this process was stopped (^Z, a debugger) does not count.
 *
 *	watchdog_open(comm, &config, &w, &e);
 *	comm->watchdog = w;
 *	comm_allreduce(comm, ...);      (calls watchdog_arm, watchdog_disarm)
 *	comm->watchdog = NULL;
 *	watchdog_close(w);
 *
 * Collectives of a rank do not overlap, see comm.h.
 */
#ifndef TRAINER_COMM_WATCHDOG_H
#define TRAINER_COMM_WATCHDOG_H

#include <stdint.h>

#include "common/error.h"

struct comm;
struct watchdog;

struct watchdog_config {
	const char *program; /* named in the message */
	double timeout_s;    /* > 0 */
	/* Ends all processes with an exit status; need not return. NULL:
	 * comm_abort(). */
	void (*end)(struct comm *c, int status);
};

/* Start the thread.  Collective: the ranks exchange their addresses.
 *
 * c  must outlive the watchdog
 *
 * ERROR_SYSTEM: no thread, or the back end failed. */
int watchdog_open(struct comm *c, const struct watchdog_config *config,
    struct watchdog **out, struct error *e);

/* Begin a collective.
 *
 * w      may be NULL: does nothing
 * op     "allreduce"; a string constant
 * bytes  of this rank's data */
void watchdog_arm(struct watchdog *w, const char *op, double bytes);

/* End the collective. */
void watchdog_disarm(struct watchdog *w);

/* Report that the current collective has failed: put its name before the
 * message in e and the silent peers after it. Listens for up to 3 s to find
 * them, and tells the others that this rank ends because of them.
 *
 * w  may be NULL: does nothing */
void watchdog_explain(struct watchdog *w, struct error *e);

/* Set the context of the next collectives.
 *
 * w       may be NULL
 * step    from 0
 * bucket  from 0; -1: no bucket */
void watchdog_set_context(struct watchdog *w, int64_t step, int bucket);

/* End the thread; w may be NULL. */
void watchdog_close(struct watchdog *w);

#endif
