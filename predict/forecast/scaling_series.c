/* Conversion of the cases of a result to device times; rows of them, and what
 * is refused. */
#include <config.h>

#include "predict/forecast/forecast.h"

#include <math.h>
#include <string.h>

#include "common/result/result.h"
#include "common/stats/stats.h"

/* --- the series ----------------------------------------------------------- */

static int
set_device(struct scaling_series *s, struct error *e)
{
	const struct series_point *first = NULL;
	char a[SERIES_PLACE_SIZE], b[SERIES_PLACE_SIZE];

	for (size_t i = 0; i < s->series->n_points; i++) {
		const struct series_point *p = &s->series->points[i];

		for (size_t k = 0; k < p->c->n_runs; k++) {
			const char *device = p->c->runs[k].device;

			if (device != NULL && first == NULL) {
				first = p;
				s->device = device;
			}
			if (device != NULL && strcmp(device, s->device) != 0)
				return error_set(e, ERROR_INPUT,
				    "different devices in one series: %s has "
				    "'%s', %s has '%s'; choose by --select",
				    series_point_place(a, first), s->device,
				    series_point_place(b, p), device);
		}
	}
	return 0;
}

static int
add_cases(struct scaling_series *s, struct arena *a, struct error *e)
{
	const struct series *from = s->series;
	char place[SERIES_PLACE_SIZE];

	s->cases = arena_calloc(a, from->n_points, sizeof *s->cases);
	for (size_t i = 0; i < from->n_points; i++) {
		const struct series_point *p = &from->points[i];
		const struct result_case *of = p->c;
		struct scaling_case *c = &s->cases[s->n];
		double *values = arena_calloc(a, of->n_runs, sizeof *values);
		size_t n = 0;

		if (isnan(of->median_speed) && p->text != NULL)
			continue; /* a published "OOM" */
		if (!isfinite(of->median_speed) || of->median_speed <= 0)
			return error_set(e, ERROR_INPUT,
			    "%s: median_speed: %g is not above 0 and "
			    "finite",
			    series_point_place(place, p), of->median_speed);
		for (size_t k = 0; k < of->n_runs; k++)
			if (isfinite(of->runs[k].value))
				values[n++] = of->runs[k].value;
		*c = (struct scaling_case){ .point = p,
			.shape = { of->name != NULL ? of->name : "?", of->nodes,
			    of->gpus_per_node, of->gpus },
			.speed = of->median_speed,
			.cv = n >= 2 ? stats_cv(values, n) : NAN };
		/* The time of a step on all devices, as that of one. */
		c->t = s->kind == SPEED_STEP_TIME && s->strong
		    ? c->speed * (double)of->gpus
		    : scaling_speed(s, c->speed, (double)of->gpus);
		if (isfinite(c->cv))
			c->s = K_RUN_FACTOR * c->cv / sqrt((double)n);
		for (size_t k = 0; k < of->n_runs; k++)
			values[k] =
			    (of->runs[k].audit.p95 - of->runs[k].audit.p5) /
			    K_P90_TO_SIGMA / of->runs[k].audit.p50;
		if (of->gpus == 1)
			s->sigma = stats_median_known(values, of->n_runs);
		c->doubts = case_doubts(of, 0, a, &c->n_doubts);
		s->flat |= of->nodes == RESULT_UNKNOWN ||
		    of->gpus_per_node == RESULT_UNKNOWN;
		s->n++;
	}
	return 0;
}

/* Set the batch, and the scale from device times to seconds of a step: the
 * samples of a step where the unit counts the elements of a batch, else the
 * measured step of the baseline. */
static void
set_steps(struct scaling_series *s, struct arena *a)
{
	static const char *const units[] = { "samples/s", "images/s",
		"sequences/s", "examples/s", "items/s", "records/s" };
	const struct result_case *of = s->baseline->point->c;
	const double parts = s->strong ? (double)of->gpus : 1;
	double *steps = arena_calloc(a, of->n_runs, sizeof *steps);
	int counts_samples = 0;

	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		counts_samples |= strcmp(s->unit, units[i]) == 0;
	for (size_t i = 0; i < of->n_runs; i++)
		steps[i] = of->runs[i].step_s;
	s->samples = of->batch_size_per_device != RESULT_UNKNOWN
	    ? (double)of->batch_size_per_device * parts
	    : NAN;
	s->batch = s->strong ? NAN : s->samples;
	if (s->kind != SPEED_RATE)
		s->step_scale = 1;
	else if (isfinite(s->samples) && counts_samples)
		s->step_scale = s->samples;
	else
		s->step_scale = stats_median_known(steps, of->n_runs) /
		    s->baseline->t * parts;
	for (size_t i = 0; i < s->n; i++)
		s->cases[i].step_s = scaling_step(
		    s, s->cases[i].t, (double)s->cases[i].shape.gpus);
}

int
scaling_series_init(struct scaling_series *s, const struct series *series,
    const char *baseline, struct arena *a, struct error *e)
{
	const struct series_point *p = &series->points[0];
	const struct result_rule *rule = &p->source->result.rule;

	*s = (struct scaling_series){ .series = series,
		.sigma = NAN,
		.unit = p->c->unit != NULL ? p->c->unit : "samples/s",
		.strong = result_rule_is_strong(rule) };
	s->kind = strcmp(s->unit, "s") == 0        ? SPEED_STEP_TIME
	    : strcmp(s->unit, "iterations/s") == 0 ? SPEED_STEP_RATE
						   : SPEED_RATE;
	if (text_same(rule->metric, "time-to-train"))
		s->not_predicted = REMARK_NO_TIME_TO_TRAIN;
	else if (run_metric_find(rule->metric) != NULL ||
	    strcmp(s->unit, "min") == 0 || strcmp(s->unit, "GB/s") == 0)
		s->not_predicted = REMARK_SPEEDS_ONLY;
	if (set_device(s, e) != 0 || add_cases(s, a, e) != 0)
		return -1;
	if (s->n == 0)
		return 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct scaling_shape *c = &s->cases[i].shape;

		if (baseline == NULL ? c->nodes == 1 && c->gpus_per_node == 1
				     : strcmp(c->name, baseline) == 0)
			s->baseline = &s->cases[i];
	}
	if (baseline != NULL && s->baseline == NULL)
		return error_set(e, ERROR_USAGE,
		    "--baseline: '%s' is not a case of %s", baseline,
		    s->cases[0].point->source->path);
	if (s->baseline == NULL)
		s->baseline = &s->cases[0];
	set_steps(s, a);
	return 0;
}

const struct scaling_case *
scaling_series_find(
    const struct scaling_series *s, long nodes, long gpus_per_node, long gpus)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct scaling_shape *c = &s->cases[i].shape;

		if (s->flat ? c->gpus == gpus
			    : c->nodes == nodes &&
			    c->gpus_per_node == gpus_per_node)
			return &s->cases[i];
	}
	return NULL;
}

double
scaling_speed(const struct scaling_series *s, double t, double gpus)
{
	if (s->kind == SPEED_STEP_TIME)
		return s->strong ? t / gpus : t;
	return (s->kind == SPEED_STEP_RATE && !s->strong ? 1 : gpus) / t;
}

double
scaling_step(const struct scaling_series *s, double t, double gpus)
{
	return s->step_scale * (s->strong ? t / gpus : t);
}

/* --- targets -------------------------------------------------------------- */

enum { MAX_COUNT = 1000000 };

struct scaling_shape
scaling_shape_make(long nodes, long gpus, struct arena *a)
{
	if (nodes == RESULT_UNKNOWN)
		return (struct scaling_shape){ arena_printf(a, "%ldg", gpus),
			RESULT_UNKNOWN, RESULT_UNKNOWN, gpus };
	return (struct scaling_shape){ arena_printf(a, "%ldn%ldg", nodes, gpus),
		nodes, gpus, nodes * gpus };
}

int
scaling_shape_parse(
    const char *text, struct scaling_shape *target, struct arena *a)
{
	char nodes[8] = "", gpus[8] = "";
	long n = RESULT_UNKNOWN, g;
	int end = 0;

	sscanf(text, "%7[0-9]n%7[0-9]g%n", nodes, gpus, &end);
	if (end == 0)
		sscanf(text, "%7[0-9]g%n", gpus, &end);
	else if (parse_long(nodes, 1, MAX_COUNT, &n) != 0)
		return -1;
	if (end == 0 || text[end] != '\0' ||
	    parse_long(gpus, 1, MAX_COUNT, &g) != 0)
		return -1;
	*target = scaling_shape_make(n, g, a);
	return 0;
}

void
scaling_shape_complete(struct scaling_shape *target,
    const struct scaling_series *s, struct arena *a)
{
	long each = RESULT_UNKNOWN;

	for (size_t i = 0; i < s->n; i++) {
		const struct scaling_shape *c = &s->cases[i].shape;

		if (c->nodes == 1 && c->gpus == 1)
			continue;
		if (each != RESULT_UNKNOWN && c->gpus_per_node != each)
			return;
		each = c->gpus_per_node;
	}
	if (target->nodes == RESULT_UNKNOWN && !s->flat &&
	    each != RESULT_UNKNOWN && target->gpus % each == 0)
		*target = scaling_shape_make(target->gpus / each, each, a);
}

/* The shapes of a target that states no nodes, by the GPUs a node of the
 * measured cases: "8n8g or 16n4g". */
static const char *
target_shapes(const struct scaling_series *s,
    const struct scaling_shape *target, struct arena *a)
{
	const char *text = NULL;

	for (size_t i = 0; i < s->n; i++) {
		const long each = s->cases[i].shape.gpus_per_node;
		size_t k = 0;

		while (k < i && s->cases[k].shape.gpus_per_node != each)
			k++;
		if (k == i && target->gpus % each == 0)
			text = arena_join(a, text, ", ",
			    scaling_shape_make(target->gpus / each, each, a)
				.name);
	}
	return text != NULL ? text : "4n8g";
}

/* --- rows ----------------------------------------------------------------- */

struct scaling_row
scaling_row_of(const struct scaling_series *s, enum doubling_axis axis,
    long gpus_per_node, const struct scaling_case *without, struct arena *a)
{
	struct scaling_row row = { axis,
		s->flat ? RESULT_UNKNOWN : gpus_per_node,
		arena_calloc(a, s->n, sizeof *row.points), 0, 0 };

	for (size_t i = 0; i < s->n; i++) {
		const struct scaling_case *c = &s->cases[i];
		const double m = scaling_row_count(&row, &c->shape);
		const int is_on_axis = axis == DOUBLING_COLUMN
		    ? s->flat || c->shape.nodes == 1
		    : !s->flat && c->shape.gpus_per_node == gpus_per_node;
		size_t at = row.n;

		if (c == without || !is_on_axis)
			continue;
		/* By m; equal counts stay in the order of the series. */
		for (; at > 0 && row.points[at - 1].m > m; at--)
			row.points[at] = row.points[at - 1];
		row.points[at] = (struct scaling_point){ m,
			(double)c->shape.gpus, c->t, c->s, c };
		row.n++;
	}
	return row;
}

double
scaling_row_count(
    const struct scaling_row *row, const struct scaling_shape *target)
{
	return (
	    double)(row->axis == DOUBLING_ROW ? target->nodes : target->gpus);
}

struct remark
scaling_row_check(
    struct scaling_row *row, const struct scaling_shape *target, int force)
{
	const int is_row = row->axis == DOUBLING_ROW;
	const double of_node =
	    is_row || row->gpus_per_node == RESULT_UNKNOWN ? NAN : 1;
	const double farthest = exp2(K_FARTHEST);
	const struct scaling_point *p = row->points;
	size_t rise = 0;
	double m;

	if (row->n == 0 || p[row->n - 1].m <= p[0].m) {
		if (!is_row)
			return REMARK(REMARK_TOO_FEW_COUNTS,
			    remark_count(row->n), remark_number(of_node));
		if (!force)
			return REMARK(REMARK_ONE_NODE_COUNT,
			    remark_count(row->gpus_per_node),
			    remark_number(p[0].m));
		row->lifted = 1;
	}
	for (size_t i = 1; i < row->n; i++)
		if (p[i].m <= p[i - 1].m)
			return REMARK(REMARK_SAME_COUNT,
			    is_row ? remark_count(row->gpus_per_node)
				   : remark_number(NAN),
			    remark_number(of_node));
	for (size_t i = 1; i < row->n; i++) {
		if (p[i].t >= K_SUPERLINEAR * p[i - 1].t)
			continue;
		if (!force)
			return REMARK(REMARK_EFFICIENCY_RISES,
			    remark_number(100 * (p[i - 1].t / p[i].t - 1)),
			    remark_number(p[i - 1].m), remark_number(p[i].m),
			    remark_name(is_row ? "nodes" : "GPUs"));
		rise = i;
	}
	row->points += rise;
	row->n -= rise;
	row->lifted |= rise > 0;
	m = target != NULL ? scaling_row_count(row, target) : p[0].m;
	if (m > farthest * p[rise + row->n - 1].m)
		return REMARK(REMARK_TARGET_FAR, remark_name(target->name),
		    remark_number(m / p[rise + row->n - 1].m),
		    remark_number(exp2(floor(K_FARTHEST))));
	if (m * farthest < p[rise].m)
		return REMARK(REMARK_TARGET_BELOW, remark_name(target->name));
	return remark_plain(REMARK_NONE);
}

struct remark
scaling_row_for(const struct scaling_series *s,
    const struct scaling_shape *target, int force, struct scaling_row *row,
    struct arena *a)
{
	const long g = target->gpus_per_node;

	*row = scaling_row_of(s, DOUBLING_ROW, g, NULL, a);
	if (s->flat || target->nodes == 1) {
		const struct scaling_row column =
		    scaling_row_of(s, DOUBLING_COLUMN, g, NULL, a);

		if (s->flat || column.n >= 2 || row->n == 0)
			*row = column;
	}
	if (scaling_series_find(s, target->nodes, g, target->gpus) != NULL)
		return REMARK(REMARK_IS_MEASURED, remark_name(target->name));
	if (s->not_predicted != REMARK_NONE)
		return remark_plain(s->not_predicted);
	if (!s->flat && target->nodes == RESULT_UNKNOWN)
		return REMARK(REMARK_NODES_UNSTATED, remark_name(target->name),
		    remark_name(target_shapes(s, target, a)));
	if (row->n == 0 && row->axis == DOUBLING_ROW)
		return REMARK(REMARK_NO_SUCH_ROW, remark_count(g));
	return scaling_row_check(row, target, force);
}
