/* doc/measurement.md, "Flags of the audit", lists the rules and their false
 * positive rates on clean logs; tests/unit/test_audit.c simulates them. */
#include <config.h>

#include "extract/measure/steps/window.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "common/stats/stats.h"

enum {
	MAX_LABEL = 1 << 16, /* larger labels are not ranks */
	MIN_BATCHES = 5,
	MAX_BATCHES = 10,
	MIN_BLOCKS = 6,        /* in all steps, to compare with the window */
	MIN_SMALL_BLOCKS = 12, /* if blocks have fewer records */
	MIN_SCATTER = 4        /* blocks whose scatter is known */
};

#define STALLS_SAID 0.05      /* share of the time */
#define DRIFT_SAID 0.05       /* relative, over the window */
#define DRIFT_ERRORS 4.0      /* standard errors of the slope */
#define WINDOW_OFF_SAID 0.02  /* relative, from the mean of all steps */
#define WINDOW_OFF_ERRORS 4.0 /* standard errors of the deviation */
#define REST_OFF_SAID 0.05    /* relative, for any number of lines */
#define REST_OFF_ERRORS 4.0
/* The scatter of n records is imprecise: the 95 % interval is wider by a share
 * of SCATTER_ERROR / n (simulated for 4 to 120 records). The 99 % interval is
 * NOISE_WIDTHS times as wide as that. */
#define SCATTER_ERROR 2.8
#define NOISE_WIDTHS 1.5
#define MERGED_ERROR 0.025   /* relative error of judged records */
#define RANKS_APART_SAID 2.0 /* steps */
#define IMBALANCE_SAID 0.10  /* relative to the mean over the ranks */

/* 97.5 % quantiles of Student's t for 4 to 9 degrees of freedom. */
static const double student[] = { 2.776445, 2.570582, 2.446912, 2.364624,
	2.306004, 2.262157 };

void
audit_init(struct result_audit *a)
{
	*a = (struct result_audit){ RESULT_UNKNOWN, NAN, NAN, NAN, NAN, NAN,
		NAN, NAN, NAN, NAN, NAN };
}

/* --- Times -----------------------------------------------------------------*/

/* Seconds per iteration, or per unit of work. */
static double
step_seconds(const struct steps *s, const struct step *step, double work)
{
	return s->is_rate ? work / step->value : step->value;
}

/* True if a step has a time. A clock may stand still between two lines. */
static int
has_time(const struct steps *s, double seconds)
{
	return steps_value_ok(seconds, 0) ||
	    (seconds == 0 && steps_are_differences(s));
}

/* Times of the steps of the selected epochs, without invalid ones.
 *
 * n          set to their number
 * imbalance  set to the mean over the steps that several ranks printed; NAN:
 *            none
 *
 * The caller frees the array. */
static double *
collect_all(const struct steps *s, const struct window *w, double work,
    size_t *n, double *imbalance)
{
	struct stats_sum sum = STATS_SUM_INIT;
	size_t n_imbalance = 0, most = 0;
	struct step step;
	double *all;

	*n = 0;
	for (size_t e = w->first_epoch; e <= w->last_epoch; e++)
		most += s->epochs[e].n;
	all = xreallocarray(NULL, most, sizeof *all);
	for (size_t e = w->first_epoch; e <= w->last_epoch; e++) {
		struct step_walk walk = steps_walk(s, e);

		while (steps_next(&walk, &step)) {
			const double seconds = step_seconds(s, &step, work);

			if (step.ranks > 1 && !s->points) {
				stats_sum_add(
				    &sum, steps_lines(s, &step).imbalance);
				n_imbalance++;
			}
			if (has_time(s, seconds))
				all[(*n)++] = seconds;
		}
	}
	*imbalance =
	    n_imbalance > 0 ? stats_sum_value(&sum) / (double)n_imbalance : NAN;
	return all;
}

/* Store the means of m successive records in out, which may be x. Returns
 * their number. */
static size_t
merge(const double *x, size_t n, size_t m, double *out)
{
	for (size_t i = 0; (m > 1 || x != out) && i < n / m; i++)
		out[i] = stats_mean(x + i * m, m);
	return n / m;
}

/* Position of the k-th step with a time, counted over the selected epochs. */
static long
position_of(
    const struct steps *s, const struct window *w, double work, size_t k)
{
	long offset = 0;

	for (size_t e = w->first_epoch; e <= w->last_epoch; e++) {
		struct step_walk walk = steps_walk(s, e);
		struct step step;

		while (steps_next(&walk, &step))
			if (has_time(s, step_seconds(s, &step, work)) &&
			    k-- == 0)
				return step.from + offset;
		offset += s->epochs[e].length;
	}
	return RESULT_UNKNOWN;
}

/* Records per block: enough for AUDIT_BLOCK iterations, from 1 (if lines are so
 * far apart) to AUDIT_BLOCK.
 *
 * merged  lines per record */
static size_t
block_of(const struct steps *s, size_t merged)
{
	const long spacing = (s->spacing > 0 ? s->spacing : 1) * (long)merged;

	return spacing >= AUDIT_BLOCK
	    ? 1
	    : (size_t)((AUDIT_BLOCK + spacing - 1) / spacing);
}

/* Steps of the window with valid times. */
struct judged {
	const struct steps *steps;
	const struct window *window;
	double work;                /* see audit_run */
	double *position, *seconds; /* [n] */
	size_t n;
	double mean, median;
	double error;  /* of a record, seconds per iteration */
	size_t merged; /* lines per record, as in audit_run */
};

/* Collect the steps of the window. Returns -1 if none has a time.
 *
 * j->seconds has room for all steps of the selected epochs.
 *
 * n, median  number of steps with a time in the selected epochs, and the median
 *            of their records */
static int
judged_collect(struct judged *j, size_t n, double median)
{
	const struct window *w = j->window;
	double total = 0, all = 0;
	int whole; /* 1: the window has all steps of the selected epochs */

	j->position = xreallocarray(NULL, w->n, sizeof *j->position);
	for (size_t p = 0; p < w->n_parts; p++)
		for (size_t i = w->parts[p].first; i < w->parts[p].end; i++) {
			const struct step *step = &w->steps[i];
			const double t = step_seconds(j->steps, step, j->work);
			const double span = (double)(step->done - step->from);

			if (!has_time(j->steps, t))
				continue;
			j->position[j->n] =
			    (double)(step->done - 1 + w->parts[p].offset);
			j->seconds[j->n++] = t;
			total += span * t;
			all += span;
		}
	if (j->n == 0)
		return -1;
	whole = j->n == n;
	j->mean = total / all;
	merge(j->position, j->n, j->merged, j->position);
	j->n = merge(j->seconds, j->n, j->merged, j->seconds);
	j->median = whole ? median : stats_median(j->seconds, j->n);
	if (!(j->median > 0))
		j->median = j->mean;
	return 0;
}

static void
add_flag(struct audit_flags *flags, struct remark flag)
{
	if (flags->n < AUDIT_MAX_FLAGS)
		flags->items[flags->n++] = flag;
}

/* --- Warm-up and what comes after the window -------------------------------*/

/* Compare the window with the rest of the run. */
static void
judge_rest(const struct judged *j, size_t block, struct result_audit *a,
    struct audit_flags *flags)
{
	const size_t least =
	    block < AUDIT_BLOCK ? MIN_SMALL_BLOCKS : MIN_BLOCKS;
	struct window_rest rest;
	double off, after;

	window_compare(j->steps, j->window, block, &rest);
	a->window_off = rest.off;
	off = fabs(rest.off) - rest.error;
	after = fabs(rest.after) - rest.error;
	if (off > fmax(REST_OFF_SAID, flags->noise) ||
	    (rest.blocks >= least && off > WINDOW_OFF_SAID &&
		off > WINDOW_OFF_ERRORS * rest.window_scatter))
		add_flag(flags,
		    REMARK(REMARK_WINDOW_OFF,
			remark_number(fabs(rest.off) * 100),
			remark_name(rest.off < 0 ? "faster" : "slower"),
			remark_number(WINDOW_OFF_SAID * 100)));
	else if (rest.blocks >= MIN_SCATTER && rest.iterations >= AUDIT_BLOCK &&
	    after > REST_OFF_SAID &&
	    after > REST_OFF_ERRORS * rest.after_scatter)
		add_flag(flags,
		    REMARK(REMARK_REST_OFF,
			remark_number(fabs(rest.after) * 100),
			remark_name(rest.after < 0 ? "faster" : "slower"),
			remark_number(REST_OFF_SAID * 100)));
}

/* --- Inside the window -----------------------------------------------------*/

/* Stalls are steps longer than twice the median. */
static void
judge_stalls(
    const struct judged *j, struct result_audit *a, struct audit_flags *flags)
{
	struct stats_sum stalled = STATS_SUM_INIT, all = STATS_SUM_INIT;
	double slowest = 0;
	int64_t slowest_line = 0;

	for (size_t i = 0; i < j->window->n; i++) {
		const struct step *step = &j->window->steps[i];
		const double t = step_seconds(j->steps, step, j->work);
		const double n = (double)(step->done - step->from);

		if (!has_time(j->steps, t))
			continue;
		stats_sum_add(&all, t * n);
		if (t > 2 * j->median + j->error)
			stats_sum_add(&stalled, t * n);
		if (t > slowest) {
			slowest = t;
			slowest_line = step->line;
		}
	}
	a->stall_share = stats_sum_value(&stalled) / stats_sum_value(&all);
	if (a->stall_share > STALLS_SAID)
		add_flag(flags,
		    REMARK(REMARK_STALLS, remark_number(a->stall_share * 100),
			remark_number(STALLS_SAID * 100)));
	if (slowest > AUDIT_LONE_FACTOR * j->median + j->error)
		add_flag(flags,
		    REMARK(REMARK_LONE_STEP, remark_number(slowest / j->median),
			remark_count(slowest_line),
			remark_number(AUDIT_LONE_FACTOR)));
}

static void
judge_drift(
    const struct judged *j, struct result_audit *a, struct audit_flags *flags)
{
	double error, length, *logs;

	if (j->n < 2)
		return;
	/* Relative to the median, from start to end. */
	a->drift = theil_sen(j->position, j->seconds, j->n) *
	    (j->position[j->n - 1] - j->position[0] + 1) / j->median;
	if (j->n < MIN_BATCHES || !(fabs(a->drift) > DRIFT_SAID))
		return;
	/* Standard error of the slope times the length, for normal noise; the
	 * spread of few steps is imprecise. */
	error = neighbour_spread(j->seconds, j->n) / j->median *
	    sqrt(12 / (double)j->n) * (1 + 8 / (double)j->n);
	if (!(fabs(a->drift) > DRIFT_ERRORS * error))
		return;
	/* Step time at the end of the window over that at its start, by the
	 * line through the logarithms: one through the times can fall below
	 * 0. */
	logs = xcalloc(j->n, sizeof *logs);
	for (size_t i = 0; i < j->n; i++)
		logs[i] = log(fmax(j->seconds[i], DBL_MIN));
	length = j->position[j->n - 1] - j->position[0] + 1;
	add_flag(flags,
	    REMARK(REMARK_DRIFT,
		remark_number(
		    exp(length * theil_sen(j->position, logs, j->n)))));
	free(logs);
}

/* Set the noise of struct audit_flags, which a change of level or a few stalls
 * do not raise, and the interval of the mean by batch means (Law and Kelton
 * 1982, who recommend 5 to 10 batches): successive steps are correlated, steps
 * 20 apart much less. With fewer records the noise gives the interval.
 *
 * n       records of the selected epochs, merged as those of the window
 * spread  neighbour_spread of them */
static void
judge_precision(const struct judged *j, size_t n, double spread,
    struct result_audit *a, struct audit_flags *flags)
{
	const double records =
	    (double)(j->window->by_means ? (size_t)j->window->iterations
					 : j->n);
	size_t batches = j->n / AUDIT_BLOCK, size;
	double means[MAX_BATCHES];

	if (n >= MIN_SCATTER && j->n > 0)
		flags->noise = NOISE_WIDTHS * normal_quantile(0.975) *
		    (1 + SCATTER_ERROR / (double)n) * spread / sqrt(records) /
		    j->mean;
	/* Short logs have few steps: use the minimum number of batches. */
	if (j->window->shortened && j->n >= 2 * MIN_BATCHES)
		batches = MIN_BATCHES;
	if (batches < MIN_BATCHES) {
		if (flags->noise > 0)
			a->half_width = flags->noise / NOISE_WIDTHS;
		return;
	}
	if (batches > MAX_BATCHES)
		batches = MAX_BATCHES;
	size = j->n / batches;
	for (size_t i = 0; i < batches; i++)
		means[i] = stats_mean(j->seconds + i * size, size);
	a->half_width = student[batches - MIN_BATCHES] *
	    stats_stddev(means, batches) / sqrt((double)batches) / j->mean;
}

/* --- Ranks -----------------------------------------------------------------*/

/* Ranks of synchronous training finish each step together: flag the time
 * between the slowest and the fastest rank over the window, in median step
 * times. Only ranks with a label that printed all steps count for it. */
static void
judge_ranks(const struct judged *j, const struct result_audit *a,
    struct audit_flags *flags)
{
	const struct sample_index *r = &j->steps->index;
	const int labelled = r->labelled && r->max_label < MAX_LABEL;
	const size_t n = labelled ? (size_t)r->max_label + 1 : 0;
	const double m = (double)j->window->ranks;
	double *seconds, low = INFINITY, high = 0, noise = 0;
	size_t *steps;

	if (j->steps->points || j->window->ranks < 2)
		return;
	seconds = xcalloc(n + 1, sizeof *seconds);
	steps = xcalloc(n + 1, sizeof *steps);
	for (size_t i = 0; i < j->window->n && n > 0; i++) {
		const struct step *step = &j->window->steps[i];
		const double iterations = (double)(step->done - step->from);

		for (size_t k = 0; k < step->ranks; k++) {
			const struct sample_place p =
			    sample_index_place(r, step->entry + k);
			const double v = sample_index_sample(r, &p)->value;
			const int32_t label = sample_index_label(r, &p);

			steps[label]++;
			seconds[label] +=
			    iterations * (j->steps->is_rate ? j->work / v : v);
		}
	}
	for (size_t k = 0; k < n; k++)
		if (steps[k] == j->window->n) {
			low = fmin(low, seconds[k]);
			high = fmax(high, seconds[k]);
		}
	free(seconds);
	free(steps);
	/* Excess over the mean that noise alone explains for the slowest rank:
	 * the expected maximum of normal values (Blom 1958). The scatter of a
	 * rank is sqrt(ranks) times that of the steps' means. */
	if (j->n > 1)
		noise = normal_quantile((m - 0.375) / (m + 0.25)) * sqrt(m) *
		    neighbour_spread(j->seconds, j->n) / j->median;
	if ((high - low) / j->median > RANKS_APART_SAID)
		add_flag(flags,
		    REMARK(REMARK_RANKS_APART,
			remark_number((high - low) / j->median),
			remark_number(RANKS_APART_SAID)));
	else if (a->imbalance - noise > IMBALANCE_SAID)
		add_flag(flags,
		    REMARK(REMARK_RANKS_UNBALANCED,
			remark_number(a->imbalance * 100),
			remark_number(IMBALANCE_SAID * 100)));
}

void
audit_run(const struct steps *s, const struct window *w, double work, long end,
    struct result_audit *a, struct audit_flags *flags)
{
	struct judged j = {
		.steps = s, .window = w, .work = work, .merged = 1
	};
	size_t n, n_steps, merged, m = 1, settled;
	double *all, *judged, spread = NAN;

	audit_init(a);
	all = judged = collect_all(s, w, work, &n, &a->imbalance);
	merged = n_steps = n;
	if (n > 0) {
		const double of = s->is_rate ? work : 1;
		const double mean = stats_mean(all, n);

		j.error = of * window_record_error(s, mean / of);
		/* Number of successive records whose mean has an error of at
		 * most MERGED_ERROR, by the resolution of the clock or the
		 * rounding of numbers. Single records would seem to vary. */
		m = (size_t)fmin(
		    fmax(1, ceil(j.error / (MERGED_ERROR * mean))), (double)n);
	}
	/* The statistics are of merged differences, or of printed times. */
	if (steps_are_differences(s)) {
		j.merged = m;
		merged = merge(all, n, m, all);
		n = merged;
	} else if (m > 1) {
		judged = xcalloc(n / m + 1, sizeof *judged);
		merged = merge(all, n, m, judged);
	}
	settled = settled_from(judged, merged, block_of(s, m));
	if (settled != SETTLED_NEVER)
		a->settled_at = position_of(s, w, work, settled * m);
	if (judged != all)
		free(judged);
	if (n > 0) {
		spread = neighbour_spread(all, n); /* before the reordering */
		a->cv = stats_cv(all, n);
		a->p50 = stats_quantile_reorder(all, n, 0.50);
		a->p5 = stats_quantile_reorder(all, n, 0.05);
		a->p95 = stats_quantile_reorder(all, n, 0.95);
		a->max = stats_quantile_reorder(all, n, 1);
	}
	j.seconds = all; /* reuse its memory */
	if (flags != NULL) {
		const long first = w->first.from + w->parts[0].offset;

		flags->n = 0;
		flags->noise = 0;
		if (a->settled_at != RESULT_UNKNOWN && a->settled_at > first)
			add_flag(flags,
			    a->settled_at < end
				? REMARK(REMARK_WARM_UP,
				      remark_count(a->settled_at - first))
				: REMARK(REMARK_SETTLES_LATE,
				      remark_count(a->settled_at)));
		if (judged_collect(&j, n_steps, a->p50) == 0) {
			judge_precision(&j, n, spread, a, flags);
			a->window_off = 0; /* to the end: there is no rest */
			if (end < LONG_MAX)
				judge_rest(&j, block_of(s, 1), a, flags);
			judge_stalls(&j, a, flags);
			judge_drift(&j, a, flags);
			judge_ranks(&j, a, flags);
		}
		free(j.position);
	}
	free(all);
}
