/* The mean times of a step and of each of its buckets, from which other runs
 * are predicted. The first RUN_MEANS_SKIP steps warm up and count only in a
 * short run.
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

enum { RUN_MEANS_SKIP = 5 }; /* steps; the summary's, too */

/* One step, or the sum of many, on this rank. */
struct step_times {
	double step_s;    /* all of it */
	double data_s;    /* of it, waiting for images */
	double busy_s;    /* allreduces took, added up */
	double exposed_s; /* training waited for them */
	double bytes;     /* that were allreduced */
	double n;         /* allreduces */
};

/* One bucket over the steps, sums; times are since the step began. */
struct bucket_times {
	long steps; /* in which there was such a bucket */
	double bytes, tensors, ready_s, start_s, duration_s;
};

struct run_means_part {
	long steps;
	struct step_times sum;
	struct bucket_times *buckets; /* by their number in the step */
	size_t n_buckets, alloc;
};

/* All zero at first. */
struct run_means {
	struct run_means_part all, late; /* late: after RUN_MEANS_SKIP steps */
};

/* Take the step in that is over.
 *
 * trace  its collectives; NULL: none */
void run_means_add(struct run_means *m, const struct step_times *step,
    const struct trace *trace);

/* The steps that are excluded from means: RUN_MEANS_SKIP of more than twice as
 * many, else 0. */
long run_means_skipped(const struct run_means *m);

/* Seconds of the steps that count in which this rank waited for images, over
 * their time; 0 without steps. */
double run_means_wait_share(const struct run_means *m);

/* Add "dlscale: run_phases ..." and a line "dlscale: run_bucket ..." for each
 * bucket to sb (doc/trainer.md). */
void run_means_show(const struct run_means *m, struct strbuf *sb);

/* Free what it holds; it is all zero afterwards. */
void run_means_release(struct run_means *m);

#endif
