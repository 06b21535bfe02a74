/* Time of a training step by phase. The loop marks the end of each phase; every
 * moment belongs to exactly one phase, so the phases add up to the step.
 *
 * Without sync the phases are times of the training loop: an asynchronous
 * device (a GPU) does the backward pass during the "update". With sync the loop
 * waits for the device at the end of each phase.
 *
 *	phases_start(&p, &clock);
 *	for (...) {
 *		load();   phases_end(&p, PHASE_DATA);
 *		...
 *		update(); phases_end(&p, PHASE_UPDATE);
 *		print();  phases_end(&p, PHASE_OTHER);
 *	}
 */
#ifndef TRAINER_RUN_METERS_PHASES_H
#define TRAINER_RUN_METERS_PHASES_H

#include "common/strbuf.h"

struct clock {
	int fake;
	long looks; /* readings of the fake clock */
};

/* Set up a clock: the machine's monotonic one or, if fake is 1, one that
 * advances by a millisecond at each reading (--clock=fake), so that equal runs
 * print equal logs. */
void clock_init(struct clock *c, int fake);

/* Seconds since an unspecified start; never decreases. Only one thread may use
 * the fake clock. */
double clock_now(struct clock *c);

enum phase {
	PHASE_DATA,      /* waiting for images */
	PHASE_TO_DEVICE, /* loading them to the device */
	PHASE_FORWARD,
	PHASE_LOSS, /* including the wait for its value */
	PHASE_BACKWARD,
	PHASE_ALLREDUCE, /* waiting for gradient allreduces */
	PHASE_STEP,      /* optimiser */
	PHASE_OTHER,     /* log and loop overhead */
	N_PHASES
};

struct phases {
	struct clock *clock; /* borrowed */
	double last;         /* when the last phase ended */
	double seconds[N_PHASES];
};

/* Set all to zero and begin a phase now. */
void phases_start(struct phases *p, struct clock *clock);

/* End phase k now. Returns its seconds. */
double phases_end(struct phases *p, enum phase k);

/* Seconds of all phases: from phases_start to the last phases_end. */
double phases_total(const struct phases *p);

/* Add " step_ms=9.876 data_ms=1.234 ..." to sb, means over n steps: the step,
 * the phases that add up to it (update is the sum of allreduce and step), and
 * last these two parts of update. */
void phases_show(const struct phases *p, long n, struct strbuf *sb);

#endif
