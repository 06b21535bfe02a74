/* Conversion of the cases of a result to device times. */
#include <config.h>

#include "predict/forecast/scaling_series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/result/result.h"
#include "common/stats/stats.h"

/* --- what a series is of -------------------------------------------------- */

static void
set_kind(struct scaling_series *s)
{
	const struct series_point *p = &s->series->points[0];
	const struct result_rule *rule = &p->source->result.rule;

	s->unit = p->c->unit != NULL ? p->c->unit : "samples/s";
	s->kind = strcmp(s->unit, "s") == 0        ? SPEED_STEP_TIME
	    : strcmp(s->unit, "iterations/s") == 0 ? SPEED_STEP_RATE
						   : SPEED_RATE;
	s->strong = result_rule_is_strong(rule);
	if (rule->metric != NULL && strcmp(rule->metric, "time-to-train") == 0)
		s->not_predicted = "time-to-train is not predicted: it mixes "
				   "speed with the number of steps";
	else if (run_metric_find(rule->metric) != NULL)
		s->not_predicted = "only speeds are predicted: the result "
				   "holds another metric";
	else if (strcmp(s->unit, "min") == 0)
		s->not_predicted = "minutes are not predicted: they mix speed "
				   "with the number of steps";
	else if (strcmp(s->unit, "GB/s") == 0)
		s->not_predicted = "a bandwidth is not predicted: it is no "
				   "speed of training";
}

static int
set_devices(struct scaling_series *s, struct error *e)
{
	const struct series_point *first = NULL;

	for (size_t i = 0; i < s->series->n_points; i++) {
		const struct series_point *p = &s->series->points[i];

		for (size_t k = 0; k < p->c->n_runs; k++) {
			const char *device = p->c->runs[k].device;
			char a[SERIES_PLACE_SIZE], b[SERIES_PLACE_SIZE];

			if (device == NULL)
				continue;
			if (first == NULL) {
				first = p;
				s->device = device;
			}
			if (strcmp(device, s->device) == 0)
				continue;
			return error_set(e, ERROR_INPUT,
			    "different devices in one series: %s has '%s', %s "
			    "has '%s'; choose by --select",
			    series_point_place(a, first), s->device,
			    series_point_place(b, p), device);
		}
	}
	return 0;
}

/* --- cases ---------------------------------------------------------------- */

static double
device_time(const struct scaling_series *s, double speed, double gpus)
{
	if (s->kind == SPEED_STEP_TIME)
		return s->strong ? gpus * speed : speed;
	if (s->kind == SPEED_STEP_RATE)
		return s->strong ? gpus / speed : 1 / speed;
	return gpus / speed;
}

static int
add_cases(struct scaling_series *s, struct error *e)
{
	const struct series *from = s->series;
	char place[SERIES_PLACE_SIZE];

	s->cases = xcalloc(from->n_points, sizeof *s->cases);
	for (size_t i = 0; i < from->n_points; i++) {
		const struct series_point *p = &from->points[i];
		struct scaling_case *c = &s->cases[s->n];
		double *values;
		size_t n = 0;

		if (isnan(p->c->median_speed) && p->text != NULL)
			continue;
		if (!isfinite(p->c->median_speed) || p->c->median_speed <= 0)
			return error_set(e, ERROR_INPUT,
			    "%s: median_speed: %g is not above 0 and "
			    "finite",
			    series_point_place(place, p), p->c->median_speed);
		values = xcalloc(p->c->n_runs, sizeof *values);
		c->point = p;
		c->name = p->c->name != NULL ? p->c->name : "?";
		c->nodes = p->c->nodes;
		c->gpus_per_node = p->c->gpus_per_node;
		c->gpus = p->c->gpus;
		c->speed = p->c->median_speed;
		c->t = device_time(s, c->speed, (double)c->gpus);
		for (size_t k = 0; k < p->c->n_runs; k++)
			if (isfinite(p->c->runs[k].value))
				values[n++] = p->c->runs[k].value;
		c->cv = n >= 2 ? stats_cv(values, n) : NAN;
		c->s = isfinite(c->cv) ? K_RUN_FACTOR * c->cv / sqrt((double)n)
				       : 0;
		free(values);
		if (c->nodes == RESULT_UNKNOWN ||
		    c->gpus_per_node == RESULT_UNKNOWN)
			s->flat = 1;
		s->n++;
	}
	return 0;
}

static int
set_baseline(struct scaling_series *s, const char *name, struct error *e)
{
	if (s->n == 0)
		return 0;
	s->baseline = &s->cases[0];
	for (size_t i = s->n; i-- > 0;) {
		const struct scaling_case *c = &s->cases[i];

		if (name == NULL ? c->nodes == 1 && c->gpus_per_node == 1
				 : strcmp(c->name, name) == 0) {
			s->baseline = c;
			return 0;
		}
	}
	if (name != NULL)
		return error_set(e, ERROR_USAGE,
		    "--baseline: '%s' is not a case of %s", name,
		    s->cases[0].point->source->path);
	return 0;
}

/* --- steps ---------------------------------------------------------------- */

static void
set_steps(struct scaling_series *s)
{
	static const char *const units[] = { "samples/s", "images/s",
		"sequences/s", "examples/s", "items/s", "records/s" };
	const struct scaling_case *c = s->baseline;
	const long batch = c->point->c->batch_size_per_device;
	const double parts = s->strong ? (double)c->gpus : 1;
	const struct result_case *of = c->point->c;
	double *steps = xcalloc(of->n_runs, sizeof *steps), step;
	size_t n = 0;
	int counts_samples = 0;

	/* Units that count the elements of a batch. */
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		counts_samples |= strcmp(s->unit, units[i]) == 0;
	for (size_t i = 0; i < of->n_runs; i++)
		if (isfinite(of->runs[i].step_s))
			steps[n++] = of->runs[i].step_s;
	step = n > 0 ? stats_median(steps, n) : NAN;
	s->batch = s->samples = NAN;
	if (batch != RESULT_UNKNOWN)
		s->samples = (double)batch * parts;
	if (!s->strong)
		s->batch = s->samples;
	if (s->kind != SPEED_RATE)
		s->step_scale = 1;
	else if (isfinite(s->samples) && counts_samples)
		s->step_scale = s->samples;
	else
		s->step_scale = step / c->t * parts;
	free(steps);
	for (size_t i = 0; i < s->n; i++)
		s->cases[i].step_s =
		    scaling_step(s, s->cases[i].t, (double)s->cases[i].gpus);
}

int
scaling_series_init(struct scaling_series *s, const struct series *series,
    const char *baseline, struct error *e)
{
	*s = (struct scaling_series){ .series = series };
	set_kind(s);
	if (set_devices(s, e) != 0 || add_cases(s, e) != 0 ||
	    set_baseline(s, baseline, e) != 0) {
		scaling_series_release(s);
		return -1;
	}
	if (s->n > 0)
		set_steps(s);
	return 0;
}

void
scaling_series_release(struct scaling_series *s)
{
	free(s->cases);
	*s = (struct scaling_series){ 0 };
}

const struct scaling_case *
scaling_series_find(
    const struct scaling_series *s, long nodes, long gpus_per_node, long gpus)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct scaling_case *c = &s->cases[i];

		if (s->flat ? c->gpus == gpus
			    : c->nodes == nodes &&
			    c->gpus_per_node == gpus_per_node)
			return c;
	}
	return NULL;
}

double
scaling_speed(const struct scaling_series *s, double t, double gpus)
{
	if (s->kind == SPEED_STEP_TIME)
		return s->strong ? t / gpus : t;
	if (s->kind == SPEED_STEP_RATE)
		return s->strong ? gpus / t : 1 / t;
	return gpus / t;
}

double
scaling_step(const struct scaling_series *s, double t, double gpus)
{
	return s->step_scale * (s->strong ? t / gpus : t);
}

double
scaling_speedup(const struct scaling_series *s, double t, double gpus)
{
	return s->baseline->t / t * (gpus / (double)s->baseline->gpus);
}

double
scaling_efficiency(const struct scaling_series *s, double t)
{
	return s->baseline->t / t;
}

double
scaling_samples(const struct scaling_series *s, double t, double gpus)
{
	if (s->kind == SPEED_RATE)
		return gpus / t;
	return s->samples * (s->strong ? 1 : gpus) / scaling_step(s, t, gpus);
}

/* --- targets and rows ----------------------------------------------------- */

enum { MAX_COUNT = 1000000, MAX_COUNT_DIGITS = 7 };

/* Read a count >= 1 followed by letter at *p. Returns 0 if there is none. */
static long
read_count(const char **p, const char *end, char letter)
{
	long count = 0;
	int digits = 0;

	for (; *p < end && **p >= '0' && **p <= '9'; ++*p) {
		if (++digits > MAX_COUNT_DIGITS)
			return 0;
		count = count * 10 + (**p - '0');
	}
	if (*p == end || **p != letter || count > MAX_COUNT)
		return 0;
	++*p;
	return count;
}

int
scaling_target_parse(
    const char *text, size_t len, struct scaling_target *target)
{
	const char *p = text, *end = text + len;
	long nodes, gpus;

	nodes = read_count(&p, end, 'n');
	if (nodes == 0)
		p = text;
	gpus = read_count(&p, end, 'g');
	if (gpus == 0 || p != end)
		return -1;
	scaling_target_set(target, nodes > 0 ? nodes : RESULT_UNKNOWN, gpus);
	return 0;
}

void
scaling_target_set(
    struct scaling_target *target, long nodes, long gpus_per_node)
{
	target->nodes = nodes;
	target->gpus = gpus_per_node;
	target->gpus_per_node = gpus_per_node;
	if (nodes == RESULT_UNKNOWN) {
		target->gpus_per_node = RESULT_UNKNOWN;
		snprintf(
		    target->name, sizeof target->name, "%ldg", gpus_per_node);
		return;
	}
	target->gpus *= nodes;
	snprintf(target->name, sizeof target->name, "%ldn%ldg", nodes,
	    gpus_per_node);
}

/* --- rows ----------------------------------------------------------------- */

void
scaling_row_init(struct scaling_row *row, const struct scaling_series *s,
    enum doubling_axis axis, long gpus_per_node,
    const struct scaling_case *without)
{
	*row = (struct scaling_row){ axis, gpus_per_node, s->flat,
		xcalloc(s->n, sizeof *row->points),
		xcalloc(s->n, sizeof *row->cases), 0 };
	for (size_t i = 0; i < s->n; i++) {
		const struct scaling_case *c = &s->cases[i];
		const double m =
		    (double)(axis == DOUBLING_ROW ? c->nodes : c->gpus);
		const int is_on_axis = s->flat ? axis == DOUBLING_COLUMN
		    : axis == DOUBLING_COLUMN
		    ? c->nodes == 1
		    : c->gpus_per_node == gpus_per_node;
		size_t at = row->n;

		if (c == without || !is_on_axis)
			continue;
		/* By m; equal counts stay in the order of the series. */
		for (; at > 0 && row->points[at - 1].m > m; at--) {
			row->points[at] = row->points[at - 1];
			row->cases[at] = row->cases[at - 1];
		}
		row->points[at] =
		    (struct scaling_point){ m, (double)c->gpus, c->t, c->s };
		row->cases[at] = c;
		row->n++;
	}
}

void
scaling_row_for(struct scaling_row *row, const struct scaling_series *s,
    const struct scaling_target *target)
{
	const int is_column = s->flat || target->nodes == 1;

	scaling_row_init(row, s, is_column ? DOUBLING_COLUMN : DOUBLING_ROW,
	    target->gpus_per_node, NULL);
	if (!is_column || s->flat || row->n >= 2)
		return;
	for (size_t i = 0; i < s->n; i++)
		if (s->cases[i].gpus_per_node == target->gpus_per_node) {
			scaling_row_release(row);
			scaling_row_init(
			    row, s, DOUBLING_ROW, target->gpus_per_node, NULL);
			return;
		}
}

double
scaling_row_count(
    const struct scaling_row *row, const struct scaling_target *target)
{
	return (
	    double)(row->axis == DOUBLING_ROW ? target->nodes : target->gpus);
}

void
scaling_row_release(struct scaling_row *row)
{
	free(row->points);
	free(row->cases);
	*row = (struct scaling_row){ 0 };
}

const char *const refusal_words[] = { [REFUSAL_NONE] = "none",
	[REFUSAL_MEASURED] = "measured",
	[REFUSAL_METRIC] = "metric",
	[REFUSAL_BATCH] = "batch",
	[REFUSAL_NODES] = "nodes",
	[REFUSAL_GPUS_PER_NODE] = "gpus-per-node",
	[REFUSAL_ONE_NODE_COUNT] = "one-node-count",
	[REFUSAL_TOO_FEW] = "too-few",
	[REFUSAL_CASE_TWICE] = "case-twice",
	[REFUSAL_SUPERLINEAR] = "superlinear",
	[REFUSAL_TOO_FAR] = "too-far",
	[REFUSAL_TRANSFER] = "transfer" };

static const struct refusal none = { REFUSAL_NONE, NULL };

/* "s" after all numbers but 1. */
static const char *
plural_ending(double n)
{
	return n == 1 ? "" : "s";
}

/* --- points --------------------------------------------------------------- */

static struct refusal
check_counts(const struct scaling_row *row, struct arena *a)
{
	size_t different = row->n > 0;

	for (size_t i = 1; i < row->n; i++)
		different += row->points[i].m > row->points[i - 1].m;
	if (different >= 2)
		return none;
	if (row->axis == DOUBLING_COLUMN)
		return (struct refusal){ REFUSAL_TOO_FEW,
			arena_printf(a,
			    "%zu case%s%s; at least two different counts are "
			    "needed",
			    row->n, plural_ending((double)row->n),
			    row->flat ? "" : " on one node") };
	return (struct refusal){ REFUSAL_ONE_NODE_COUNT,
		arena_printf(a,
		    "all cases with %ld GPU%s a node have %.0f node%s: how "
		    "the network slows training is not in the data; measure "
		    "one more node count, or give a benchmark of the network",
		    row->gpus_per_node,
		    plural_ending((double)row->gpus_per_node), row->points[0].m,
		    plural_ending(row->points[0].m)) };
}

static struct refusal
check_twice(const struct scaling_row *row, struct arena *a)
{
	for (size_t i = 1; i < row->n; i++) {
		if (row->points[i].m > row->points[i - 1].m)
			continue;
		if (row->axis == DOUBLING_COLUMN)
			return (struct refusal){ REFUSAL_CASE_TWICE,
				row->flat
				    ? "two cases have the same count"
				    : "two cases on one node have the same "
				      "count" };
		return (struct refusal){ REFUSAL_CASE_TWICE,
			arena_printf(a,
			    "two cases with %ld GPU%s a node have the same "
			    "count",
			    row->gpus_per_node,
			    plural_ending((double)row->gpus_per_node)) };
	}
	return none;
}

static struct refusal
check_superlinear(const struct scaling_row *row, struct arena *a)
{
	for (size_t i = 1; i < row->n; i++) {
		const struct scaling_point *p = &row->points[i - 1];

		if (p[1].t >= K_SUPERLINEAR * p[0].t)
			continue;
		return (struct refusal){ REFUSAL_SUPERLINEAR,
			arena_printf(a,
			    "efficiency rises by %.0f %% from %.0f to %.0f "
			    "%s: these cases were not run in the same way",
			    100 * (p[0].t / p[1].t - 1), p[0].m, p[1].m,
			    row->axis == DOUBLING_ROW ? "nodes" : "GPUs") };
	}
	return none;
}

struct refusal
refusal_of_row(const struct scaling_row *row, struct arena *a)
{
	struct refusal r = check_counts(row, a);

	if (r.code == REFUSAL_NONE)
		r = check_twice(row, a);
	if (r.code == REFUSAL_NONE)
		r = check_superlinear(row, a);
	return r;
}

/* --- targets -------------------------------------------------------------- */

static struct refusal
check_target(const struct scaling_series *s, const struct scaling_row *row,
    const struct scaling_target *target, struct arena *a)
{
	if (scaling_series_find(
		s, target->nodes, target->gpus_per_node, target->gpus) != NULL)
		return (struct refusal){ REFUSAL_MEASURED,
			arena_printf(a, "%s is measured", target->name) };
	if (s->not_predicted != NULL)
		return (struct refusal){ REFUSAL_METRIC, s->not_predicted };
	if (!s->flat && target->nodes == RESULT_UNKNOWN)
		return (struct refusal){ REFUSAL_NODES,
			arena_printf(a,
			    "'%s' does not state how many nodes, as the cases "
			    "do (1n8g)",
			    target->name) };
	if (row->n == 0 && row->axis == DOUBLING_ROW)
		return (struct refusal){ REFUSAL_GPUS_PER_NODE,
			arena_printf(a, "no case has %ld GPU%s a node",
			    target->gpus_per_node,
			    plural_ending((double)target->gpus_per_node)) };
	return none;
}

static struct refusal
check_far(const struct scaling_row *row, const struct scaling_target *target,
    struct arena *a)
{
	const double farthest = exp2(K_FARTHEST);
	const double m = scaling_row_count(row, target);
	const double largest = row->points[row->n - 1].m;

	if (m > farthest * largest)
		return (struct refusal){ REFUSAL_TOO_FAR,
			arena_printf(a,
			    "%s is %.3g times the largest measured count; at "
			    "most %.0f times is predicted",
			    target->name, m / largest,
			    exp2(floor(K_FARTHEST))) };
	if (m * farthest < row->points[0].m)
		return (struct refusal){ REFUSAL_TOO_FAR,
			arena_printf(a,
			    "%s is too far below the smallest measured count",
			    target->name) };
	return none;
}

/* Drop the points before the last rise of efficiency. */
static void
drop_before_rise(struct scaling_row *row)
{
	size_t from = 0;

	for (size_t i = 1; i < row->n; i++)
		if (row->points[i].t < K_SUPERLINEAR * row->points[i - 1].t)
			from = i;
	row->n -= from;
	memmove(row->points, row->points + from, row->n * sizeof *row->points);
	memmove(row->cases, row->cases + from, row->n * sizeof *row->cases);
}

struct refusal
refusal_check(const struct scaling_series *s, struct scaling_row *row,
    const struct scaling_target *target, int force, int *lifted,
    struct arena *a)
{
	struct refusal r = check_target(s, row, target, a);

	*lifted = 0;
	if (r.code == REFUSAL_NONE)
		r = check_counts(row, a);
	if (r.code == REFUSAL_ONE_NODE_COUNT && force) {
		*lifted = 1;
		r = none;
	}
	if (r.code == REFUSAL_NONE)
		r = check_twice(row, a);
	if (r.code == REFUSAL_NONE)
		r = check_superlinear(row, a);
	if (r.code == REFUSAL_SUPERLINEAR && force) {
		*lifted = 1;
		drop_before_rise(row);
		r = none;
	}
	if (r.code == REFUSAL_NONE)
		r = check_far(row, target, a);
	return r;
}
