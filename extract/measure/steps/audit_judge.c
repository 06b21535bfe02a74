/* What the steps of a window state about the number made of them, and what is
 * worth a flag.  Called by measure_run.c after audit.c, which
 * describes all steps; knows nothing of tables.
 *
 * The rules and how often each is wrong on clean logs are in
 * doc/measurement.md, "Flags of the audit"; tests/unit/test_audit.c simulates
 * them.
 */
#include <config.h>

#include "extract/measure/steps/audit.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "common/defaults.h"
#include "common/stats/distribution.h"
#include "common/stats/stats.h"

enum {
	MIN_BATCHES = 5,
	MAX_BATCHES = 10,
	MIN_BLOCKS = 6,       /* of all steps, to compare the window with */
	MIN_SMALL_BLOCKS = 12 /* where they are of fewer records */
};

#define STALLS_SAID 0.05      /* of the time */
#define DRIFT_SAID 0.05       /* over the window */
#define DRIFT_ERRORS 4.0      /* standard errors of the slope */
#define WINDOW_OFF_SAID 0.02  /* of the mean of all steps */
#define WINDOW_OFF_ERRORS 4.0 /* standard errors of that */
#define RANKS_APART_SAID 2.0  /* steps */
#define IMBALANCE_SAID 0.10   /* of the mean over the ranks */

/* 97.5 % quantiles of Student's t for 4 to 9 degrees of freedom. */
static const double student[] = { 2.776445, 2.570582, 2.446912, 2.364624,
	2.306004, 2.262157 };

/* Times of the ranks over the window, where lines state by whom they are. */
struct rank_sums {
	double *seconds; /* [n] by label */
	long *steps;     /* [n] */
	size_t n;        /* 0: there are none */
};

/* The steps of the window. */
struct judged {
	double *position, *seconds, *iterations; /* [n] */
	size_t n;
	double mean, median;
	int64_t slowest_line;
	double slowest;
	struct rank_sums ranks;
};

static void
judged_release(struct judged *j)
{
	free(j->position);
	free(j->seconds);
	free(j->iterations);
	free(j->ranks.seconds);
	free(j->ranks.steps);
}

static void
rank_sums_init(
    struct rank_sums *r, const struct steps *s, const struct window *w)
{
	*r = (struct rank_sums){ .n = 0 };
	if (s->points || w->ranks < 2 || !s->index.labelled ||
	    s->index.max_label >= AUDIT_MAX_LABEL)
		return;
	r->n = (size_t)s->index.max_label + 1;
	r->seconds = xcalloc(r->n, sizeof *r->seconds);
	r->steps = xcalloc(r->n, sizeof *r->steps);
}

/* Add the times of the members of a step. */
static void
rank_sums_add(struct rank_sums *r, const struct steps *s,
    const struct step *step, double work)
{
	const double iterations = (double)(step->done - step->from);

	for (size_t i = step->first_entry; i < step->end_entry; i++) {
		const struct sample_place *p = &s->index.items[i];
		const double value = sample_index_sample(&s->index, p)->value;
		const int32_t label = sample_index_label(&s->index, p);

		r->steps[label]++;
		r->seconds[label] +=
		    iterations * (s->is_rate ? work / value : value);
	}
}

static int
judged_collect(struct judged *j, const struct steps *s, const struct window *w,
    double work)
{
	struct window_walk walk = window_walk_begin(s, w);
	const struct step *step;
	double total = 0, all = 0;

	*j = (struct judged){ .n = 0 };
	j->position = xcalloc(w->n, sizeof *j->position);
	j->seconds = xcalloc(w->n, sizeof *j->seconds);
	j->iterations = xcalloc(w->n, sizeof *j->iterations);
	rank_sums_init(&j->ranks, s, w);
	while ((step = window_walk_next(&walk)) != NULL && j->n < w->n) {
		const double t = s->is_rate ? work / step->value : step->value;
		const double n = (double)(step->done - step->from);

		if (j->ranks.n > 0)
			rank_sums_add(&j->ranks, s, step, work);
		if (!steps_value_ok(t, 0))
			continue;
		j->position[j->n] = (double)(step->done - 1 +
		    w->parts[walk.part < w->n_parts ? walk.part
						    : w->n_parts - 1]
			.offset);
		j->seconds[j->n] = t;
		j->iterations[j->n++] = n;
		total += n * t;
		all += n;
		if (t > j->slowest) {
			j->slowest = t;
			j->slowest_line = step->first_line;
		}
	}
	if (j->n == 0)
		return -1;
	j->mean = total / all;
	j->median = stats_median(j->seconds, j->n);
	return 0;
}

/* The standard deviation of what follows each other, as the median of the
 * distances between neighbours has it: a level that changes does not bend
 * it. */
static double
neighbour_spread(const double *x, size_t n)
{
	double *d = xcalloc(n, sizeof *d);
	double spread;

	for (size_t i = 1; i < n; i++)
		d[i - 1] = fabs(x[i] - x[i - 1]);
	spread = MAD_TO_SIGMA * stats_median_reorder(d, n - 1) / sqrt(2);
	free(d);
	return spread;
}

static void
add_flag(struct audit_flags *flags, struct remark flag)
{
	if (flags->n < AUDIT_MAX_FLAGS)
		flags->items[flags->n++] = flag;
}

/* --- Warm-up and what comes after the window -------------------------------*/

static void
judge_settling(const struct window *w, long end, const struct result_audit *a,
    struct audit_flags *flags)
{
	const long first = w->first.from + w->parts[0].offset;

	if (a->settled_at == RESULT_UNKNOWN || a->settled_at <= first)
		return;
	if (a->settled_at < end)
		add_flag(flags,
		    REMARK(REMARK_WARM_UP,
			remark_number((double)(a->settled_at - first))));
	else
		add_flag(flags,
		    REMARK(REMARK_SETTLES_LATE,
			remark_number((double)a->settled_at)));
}

static void
judge_rest(const struct judged *j, const struct audit_rest *b,
    struct result_audit *a, struct audit_flags *flags)
{
	double error;

	if (b->steps > 0)
		a->window_off = j->mean / (b->total / (double)b->steps) - 1;
	if (b->n >= (b->block < AUDIT_BLOCK ? MIN_SMALL_BLOCKS : MIN_BLOCKS) &&
	    b->steps > (long)j->n) {
		error = neighbour_spread(b->means, b->n) / j->mean *
		    sqrt((double)b->block / (double)j->n);
		if (fabs(a->window_off) > WINDOW_OFF_SAID &&
		    fabs(a->window_off) > WINDOW_OFF_ERRORS * error)
			add_flag(flags,
			    REMARK(REMARK_WINDOW_OFF,
				remark_number(fabs(a->window_off) * 100),
				remark_name(
				    a->window_off < 0 ? "faster" : "slower"),
				remark_number(WINDOW_OFF_SAID * 100)));
	}
}

/* --- Inside the window -----------------------------------------------------*/

static void
judge_stalls(
    const struct judged *j, struct result_audit *a, struct audit_flags *flags)
{
	a->stall_share = stats_stall_share(j->seconds, j->iterations, j->n);
	if (a->stall_share > STALLS_SAID)
		add_flag(flags,
		    REMARK(REMARK_STALLS, remark_number(a->stall_share * 100),
			remark_number(STALLS_SAID * 100)));
	if (j->slowest > AUDIT_LONE_FACTOR * j->median)
		add_flag(flags,
		    REMARK(REMARK_LONE_STEP,
			remark_number(j->slowest / j->median),
			remark_number((double)j->slowest_line),
			remark_number(AUDIT_LONE_FACTOR)));
}

static void
judge_drift(
    const struct judged *j, struct result_audit *a, struct audit_flags *flags)
{
	double error;

	if (j->n < 2)
		return;
	a->drift = stats_drift(j->position, j->seconds, j->n);
	if (j->n < MIN_BATCHES)
		return;
	/* The slope's standard error times the length, for normal noise. */
	error = neighbour_spread(j->seconds, j->n) / j->median *
	    sqrt(12 / (double)j->n);
	if (fabs(a->drift) > DRIFT_SAID &&
	    fabs(a->drift) > DRIFT_ERRORS * error)
		add_flag(flags,
		    REMARK(REMARK_DRIFT, remark_number(a->drift * 100),
			remark_number(DRIFT_SAID * 100)));
}

/* The interval of the mean by means of batches (Law and Kelton 1982, who find 5
 * to 10 of them enough): what follows each other is not independent, what lies
 * 20 steps apart is more so. */
static void
judge_precision(
    const struct judged *j, const struct window *w, struct result_audit *a)
{
	size_t batches = j->n / AUDIT_BLOCK, size;
	double means[MAX_BATCHES];

	/* The few steps of a short log make the fewest batches. */
	if (w->shortened && j->n >= 2 * MIN_BATCHES)
		batches = MIN_BATCHES;
	if (batches < MIN_BATCHES)
		return;
	if (batches > MAX_BATCHES)
		batches = MAX_BATCHES;
	size = j->n / batches;
	for (size_t i = 0; i < batches; i++)
		means[i] = stats_mean(j->seconds + i * size, size);
	a->half_width = student[batches - MIN_BATCHES] *
	    stats_stddev(means, batches) / sqrt((double)batches) / j->mean;
}

/* --- Ranks -----------------------------------------------------------------*/

/* By how much pure noise makes the slowest of so many ranks slower than their
 * mean: the expected maximum of normal values (Blom 1958).  Their scatter is
 * sqrt(ranks) times that of the steps' means. */
static double
imbalance_of_noise(const struct judged *j, long ranks)
{
	const double m = (double)ranks;

	if (j->n < 2)
		return 0;
	return normal_quantile((m - 0.375) / (m + 0.25)) * sqrt(m) *
	    neighbour_spread(j->seconds, j->n) / j->median;
}

/* Ranks of synchronous training leave each step together. */
static void
judge_ranks(const struct judged *j, const struct steps *s,
    const struct window *w, const struct result_audit *a,
    struct audit_flags *flags)
{
	const struct rank_sums *r = &j->ranks;
	double low = INFINITY, high = 0, apart;

	if (s->points || w->ranks < 2)
		return;
	for (size_t k = 0; k < r->n; k++)
		if (r->steps[k] == (long)w->n) {
			low = fmin(low, r->seconds[k]);
			high = fmax(high, r->seconds[k]);
		}
	apart = (high - low) / j->median;
	if (apart > RANKS_APART_SAID)
		add_flag(flags,
		    REMARK(REMARK_RANKS_APART, remark_number(apart),
			remark_number(RANKS_APART_SAID)));
	else if (a->imbalance - imbalance_of_noise(j, w->ranks) >
	    IMBALANCE_SAID)
		add_flag(flags,
		    REMARK(REMARK_RANKS_UNBALANCED,
			remark_number(a->imbalance * 100),
			remark_number(IMBALANCE_SAID * 100)));
}

void
audit_judge(const struct steps *s, const struct window *w, double work,
    const struct audit_rest *rest, long end, struct result_audit *a,
    struct audit_flags *flags)
{
	struct judged j;

	flags->n = 0;
	judge_settling(w, end, a, flags);
	if (judged_collect(&j, s, w, work) == 0) {
		judge_rest(&j, rest, a, flags);
		judge_stalls(&j, a, flags);
		judge_drift(&j, a, flags);
		judge_precision(&j, w, a);
		judge_ranks(&j, s, w, a, flags);
	}
	judged_release(&j);
}
