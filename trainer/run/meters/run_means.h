/* Mean times of a step and of each of its buckets, from which other runs are
 * predicted. The first RUN_MEANS_SKIP steps are warm-up and count only in short
 * runs.
 *
 *	run_means_add(&m, &step, trace);	(after each step)
 *	run_means_show(&m, &sb);
 *	run_means_release(&m);
 */
#ifndef TRAINER_RUN_METERS_RUN_MEANS_H
#define TRAINER_RUN_METERS_RUN_MEANS_H

#include <stddef.h>

#include "common/strbuf.h"
#include "trainer/sync/collective_trace.h"

enum { RUN_MEANS_SKIP = 5 }; /* steps; also in the summary */

/* One step, or the sum of many, on this rank. */
struct step_times {
	double step_s;    /* all of it */
	double data_s;    /* waiting for images */
	double busy_s;    /* sum of allreduce times */
	double exposed_s; /* waiting for allreduces */
	double bytes;     /* allreduced */
	double n;         /* allreduces */
};

/* Sums of one bucket over the steps; times are relative to the start of the
 * step. */
struct bucket_times {
	long steps; /* steps with this bucket */
	double bytes, tensors, ready_s, start_s, duration_s;
};

struct run_means_part {
	long steps;
	struct step_times sum;
	struct bucket_times *buckets; /* indexed by number in the step */
	size_t n_buckets, alloc;
};

/* All zero at first. */
struct run_means {
	struct run_means_part all, late; /* late: after RUN_MEANS_SKIP steps */
};

/* Add a finished step.
 *
 * trace  its collectives; NULL: none */
void run_means_add(struct run_means *m, const struct step_times *step,
    const struct trace *trace);

/* Number of steps excluded from the means: RUN_MEANS_SKIP if there are more
 * than twice as many steps, else 0. */
long run_means_skipped(const struct run_means *m);

/* Fraction of the time of the counted steps in which this rank waited for
 * images; 0 without steps. */
double run_means_wait_share(const struct run_means *m);

/* Add "dlscale: run_phases ..." and a line "dlscale: run_bucket ..." for each
 * bucket to sb (doc/trainer.md). */
void run_means_show(const struct run_means *m, struct strbuf *sb);

/* Free the members and set all to zero. */
void run_means_release(struct run_means *m);

#endif
