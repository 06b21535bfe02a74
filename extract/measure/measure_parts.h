/* What the files measure_*.c share: a run that is being measured.  No other
 * file includes it.
 *
 *	measure_run.c      which rule, and what every run's number comes with
 *	measure_steps.c    from steps and a window
 *	measure_summary.c  from a figure that the program printed
 *	measure_work.c     work of an iteration, units, metrics
 */
#ifndef EXTRACT_MEASURE_MEASURE_PARTS_H
#define EXTRACT_MEASURE_MEASURE_PARTS_H

#include "extract/measure/measure_run.h"
#include "extract/measure/steps/steps.h"
#include "extract/measure/steps/window.h"

/* What the functions hand on to each other. */
struct measuring {
	const struct run_source *source;
	const struct rule *rule;
	struct arena *arena;
	struct measured *m;
	struct steps steps;
	struct window window;
	double samples, tokens; /* of an iteration of the whole job, or NAN */
	double instants; /* what the printed instants state, where running means
	                    were taken instead; else NAN */
	int steps_agree; /* 1: the instants lie within their rounding */
	double means_off; /* what the means of all records state over what their
	                     instants do, - 1 */
	double low, high; /* of the window's value by rounding, or NAN */
};

/* Add a copy of a flag.  FLAG(g, code, arguments...) makes it. */
void measuring_flag(struct measuring *g, struct remark flag);
#define FLAG(g, ...) measuring_flag(g, REMARK(__VA_ARGS__))

/* Work of an iteration as the lines of the window print it, else as the
 * metadata states it: g->samples and g->tokens. */
void measure_read_work(struct measuring *g);

/* The same from the metadata alone, for what is not known yet. */
void measure_reckon_work(struct measuring *g);

/* Units of work in an iteration, or NAN. */
double measure_work_of(const struct measuring *g, const char *unit);

/* From seconds per iteration, or a rate in unit, to the metric: sets the run's
 * value, step_s, samples_per_s and g->m's unit and work.
 *
 * Returns 0, or -1 with x: work or a count is not known. */
int measure_to_metric(struct measuring *g, double value, int is_rate,
    const char *unit, struct exclusion *x);

/* Add to a hint in x ("pass ... to include it") what measure_to_metric would
 * ask for next.  Returns -1. */
int measure_also_needs(const struct measuring *g, struct exclusion *x);

/* Exclude the rate of one device or node, which is not the job's.  Returns
 * -1. */
int measure_exclude_part(
    const struct measuring *g, enum value_scope scope, struct exclusion *x);

/* Exclude a rate of which the format does not know whether it is that of a
 * device or of the job.  Returns -1. */
int measure_exclude_scope(const struct measuring *g, struct exclusion *x);

/* Measure by steps, or by the figure of the whole run.  Returns 0, or -1 with
 * x. */
int measure_steps(struct measuring *g, struct exclusion *x);
int measure_summary(struct measuring *g, struct exclusion *x);

/* Half the interval of the run's own number, over it: by rounding, by batch
 * means, or of too few steps for these by their scatter. */
double measure_own_width(const struct measuring *g);

/* Flag the run where a figure of the whole job contradicts its number. */
void measure_check_summary(struct measuring *g);

/* The figure that counts of the first log that has one, a rate or a time, and
 * that log; NULL: there is none. */
const struct log_summary *measure_find_summary(
    const struct run_source *source, int is_rate, const struct log **log);

/* Add to x, where a log has no steps, that it prints a figure of the whole run.
 * Returns -1. */
int measure_hint_summary(const struct measuring *g, struct exclusion *x);

#endif
