/* Flags that need all runs of a case: outliers, groups, failed runs. */
#include <config.h>

#include "extract/measure/cases/case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/stats/stats.h"
#include "common/text.h"
#include "extract/log/exclusion.h"

enum {
	MIN_RUNS = 5,   /* fewest runs that can have an outlier */
	MAX_RUNS = 10,  /* more runs are tested like this many */
	MIN_OLYMPIC = 3 /* best and worst are dropped from this many */
};

/* The values of the runs of a case, with room for one more. */
static double *
run_values(const struct result_case *c)
{
	double *v = xcalloc(c->n_runs + 1, sizeof *v);

	for (size_t i = 0; i < c->n_runs; i++)
		v[i] = c->runs[i].value;
	return v;
}

void
case_flag_outliers(struct result_case *c, struct arena *a)
{
	double *v = run_values(c);
	const double mad =
	    c->n_runs >= MIN_RUNS ? stats_mad(v, c->n_runs) : NAN;

	for (size_t i = 0; i < c->n_runs; i++) {
		const double off = v[i] - c->median_speed;

		if (mad > 0 && fabs(off) > STATS_OUTLIER_MADS * mad)
			result_run_flag(&c->runs[i],
			    &REMARK(REMARK_OUTLIER,
				remark_number(off / c->median_speed * 100)),
			    a);
	}
	free(v);
}

/* --- Two groups ------------------------------------------------------------*/

/* Thresholds by number of runs, from 3 on: the largest gap between neighbours
 * divided by the standard deviation within the two sides.  Less than 1 % of
 * cases with similar runs exceed it (doc/measurement.md, "Two groups"). */
static const double GROUP_GAPS[] = { 260, 17.8, 11.3, 8.3, 6.6, 5.6, 4.8, 4.3 };

/* A gap below this fraction of the median is ignored, however similar the runs
 * of each side are: values may be printed with few digits. */
static const double LEAST_GAP = 0.02;
static const double LEAST_GAP_OF_THREE = 0.1; /* two may be close by chance */

/* Sum of squared deviations from the mean. */
static double
sum_of_squares(const double *v, size_t n)
{
	const double mean = stats_mean(v, n);
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (v[i] - mean) * (v[i] - mean);
	return sum;
}

size_t
case_two_groups(const double *v, size_t n)
{
	const size_t least = n > 3 ? 2 : 1; /* a single run is an outlier */
	const size_t known = n < MAX_RUNS ? n : MAX_RUNS;
	const double least_gap = n > 3 ? LEAST_GAP : LEAST_GAP_OF_THREE;
	double gap = 0, spread;
	size_t at = 0;

	if (n < 3)
		return 0;
	for (size_t i = least; i + least <= n; i++)
		if (v[i] - v[i - 1] > gap) {
			gap = v[i] - v[i - 1];
			at = i;
		}
	if (at == 0 || !(gap >= least_gap * stats_median(v, n)))
		return 0;
	spread = sqrt((sum_of_squares(v, at) + sum_of_squares(v + at, n - at)) /
	    (double)(n - 2));
	return gap > GROUP_GAPS[known - 3] * spread ? at : 0;
}

void
case_flag_groups(struct result_case *c, struct arena *a)
{
	double *v = run_values(c);
	const size_t n = c->n_runs;
	size_t lower;

	stats_sort(v, n);
	lower = case_two_groups(v, n);
	if (lower > 0) {
		const struct remark flag = REMARK(REMARK_TWO_GROUPS,
		    remark_count(lower), remark_number(stats_median(v, lower)),
		    remark_count(n - lower),
		    remark_number(stats_median(v + lower, n - lower)));

		for (size_t i = 0; i < n; i++)
			result_run_flag(&c->runs[i], &flag, a);
	}
	free(v);
}

/* --- Failed runs -----------------------------------------------------------*/

/* True if the path is in a folder of a run of the case. */
static int
has_folder(const struct result_case *c, const char *path)
{
	const char *slash = strrchr(path, '/');
	const size_t n = slash != NULL ? (size_t)(slash - path) : 0;

	for (size_t i = 0; i < c->n_runs; i++) {
		const char *own = c->runs[i].path, *end = strrchr(own, '/');

		if (n == (end != NULL ? (size_t)(end - own) : 0) &&
		    memcmp(own, path, n) == 0)
			return 1;
	}
	return 0;
}

/* Count failed runs in the folders of a case.  Clears alone if another case
 * also has runs there. */
static size_t
count_failed(const struct result *r, const struct result_case *c, int *alone)
{
	size_t failed = 0;

	for (size_t i = 0; i < r->n_excluded; i++) {
		const struct result_excluded *x = &r->excluded[i];

		if (strcmp(x->reason, EXCLUDED_FAILED) != 0 ||
		    !has_folder(c, x->path))
			continue;
		failed++;
		for (size_t k = 0; k < r->n_cases; k++)
			if (&r->cases[k] != c &&
			    has_folder(&r->cases[k], x->path))
				*alone = 0;
	}
	return failed;
}

/* Count one failed run as the slowest, with infinite time.  The olympic mean
 * drops it and the median may not depend on it; other means are infinite. */
static void
count_as_slowest(struct result_case *c)
{
	const size_t n = c->n_runs + 1;
	double *v = run_values(c);

	stats_sort(v, c->n_runs);
	v[c->n_runs] = INFINITY;
	c->olympic_speed = n >= MIN_OLYMPIC ? stats_mean(v + 1, n - 2) : NAN;
	c->median_speed = n % 2 == 1 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
	free(v);
}

/* True if b is the baseline of c.  The name is not enough, since each model has
 * a 1n1g.  A baseline has no label that c lacks. */
static int
is_baseline_of(const struct result_case *b, const struct result_case *c)
{
	size_t shared = 0;

	if (!text_same(c->baseline, b->name) ||
	    !text_same(c->framework, b->framework) ||
	    !text_same(c->model, b->model) ||
	    !text_same(c->precision, b->precision))
		return 0;
	for (size_t i = 0; i < b->n_labels; i++)
		for (size_t k = 0; k < c->n_labels; k++)
			shared +=
			    strcmp(b->labels[i].key, c->labels[k].key) == 0 &&
			    strcmp(b->labels[i].value, c->labels[k].value) == 0;
	return shared == b->n_labels;
}

static void
judge_failed(struct result *r, struct result_case *c, size_t failed, int alone)
{
	const int one = failed == 1 && alone && c->n_runs >= 2;
	const struct remark_arg n = remark_count(failed);
	const struct remark_arg all = remark_count(c->n_runs + failed);
	const struct remark flag = !alone ? REMARK(REMARK_FAILED_NEARBY, n)
	    : one                         ? REMARK(REMARK_FAILED_ONE, all)
					  : REMARK(REMARK_FAILED_RUNS, n, all);

	for (size_t i = 0; i < c->n_runs; i++)
		result_run_flag(&c->runs[i], &flag, &r->arena);
	if (!one)
		return;
	count_as_slowest(c);
	c->average_speed = c->harmonic_speed = NAN;
	c->median_low = c->median_high = c->median_level = NAN;
	for (size_t i = 0; i < r->n_cases; i++) {
		struct result_case *x = &r->cases[i];

		if (x != c && !is_baseline_of(c, x))
			continue;
		x->speedup = x->speedup_low = x->speedup_high = NAN;
		x->speedup_level = x->efficiency = NAN;
	}
}

void
cases_count_failed(struct result *r)
{
	if (r->rule.metric == NULL ||
	    strcmp(r->rule.metric, "time-to-train") != 0)
		return;
	for (size_t i = 0; i < r->n_cases; i++) {
		int alone = 1;
		const size_t failed = count_failed(r, &r->cases[i], &alone);

		if (failed > 0)
			judge_failed(r, &r->cases[i], failed, alone);
	}
}
