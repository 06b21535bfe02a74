/* Private to measure_*.c: state of a run while it is measured.
 *
 *	measure_run.c    choice of the rule, work of an iteration, units,
 *			 measurement by a printed figure, members that all
 *			 runs have
 *	measure_steps.c  measurement by steps in a window
 */
#ifndef EXTRACT_MEASURE_MEASURE_PARTS_H
#define EXTRACT_MEASURE_MEASURE_PARTS_H

#include "extract/measure/measure_run.h"
#include "extract/measure/steps/steps.h"
#include "extract/measure/steps/window.h"

/* Two figures of the same work contradict each other if they differ by more
 * than this share. Logs print rates with two to three digits. */
#define WORK_MAX_OFF 0.05

/* State passed between the functions. */
struct measuring {
	const struct run_source *source;
	const struct rule *rule;
	struct arena *arena;
	struct measured *m;
	struct steps steps;
	struct window window;
	double samples, tokens; /* per iteration of the whole job, or NAN */
	double instants;  /* value from single steps if running means were used
	                    instead, else NAN */
	int steps_agree;  /* 1: single steps agree within rounding */
	double means_off; /* value from the means of all records over that from
	                     single steps, minus 1 */
	double low, high; /* rounding bounds of the value, or NAN */
};

/* Add a copy of a flag. FLAG(g, code, arguments...) constructs it. */
void measuring_flag(struct measuring *g, struct remark flag);
#define FLAG(g, ...) measuring_flag(g, REMARK(__VA_ARGS__))

/* Set g->samples and g->tokens, the work of an iteration, from the lines of the
 * window, else from the metadata. */
void measure_read_work(struct measuring *g);

/* Units of work in an iteration, or NAN. */
double measure_work_of(const struct measuring *g, const char *unit);

/* Convert seconds per iteration, or a rate in unit, to the metric. Sets the
 * run's value, step_s and samples_per_s, and unit and work of g->m.
 *
 * Returns 0, or -1 with x if work or a count is unknown. */
int measure_to_metric(struct measuring *g, double value, int is_rate,
    const char *unit, struct exclusion *x);

/* Add to a hint in x ("pass ... to include it") the options that
 * measure_to_metric would require next. Returns -1. */
int measure_also_needs(const struct measuring *g, struct exclusion *x);

/* Exclude a run whose rate is that of one device or node. Returns -1. */
int measure_exclude_part(
    const struct measuring *g, enum value_scope scope, struct exclusion *x);

/* Exclude a run whose format does not define whether the rate is that of a
 * device or of the job. Returns -1. */
int measure_exclude_scope(const struct measuring *g, struct exclusion *x);

/* Measure by steps. Returns 0, or -1 with x. */
int measure_steps(struct measuring *g, struct exclusion *x);

/* Relative half width of the interval of the run's value: from rounding and
 * batch means, or from the scatter of steps if they are too few for batch
 * means. */
double measure_own_width(const struct measuring *g);

/* Flag the run if a printed figure of the whole job contradicts its value. */
void measure_check_summary(struct measuring *g);

/* Find the preferred figure, a rate or a time, of the first log that has one,
 * and set that log. Returns NULL if there is none. */
const struct log_summary *measure_find_summary(
    const struct run_source *source, int is_rate, const struct log **log);

/* Add a hint to x if a log without steps prints a figure of the whole run.
 * Returns -1. */
int measure_hint_summary(const struct measuring *g, struct exclusion *x);

#endif
