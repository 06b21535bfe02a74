/* Conversion of the cases of a result to device times. */
#include <config.h>

#include "predict/forecast.h"

#include <math.h>
#include <string.h>

#include "common/stats/stats.h"
#include "common/text.h"

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
		/* Strong step times: scaling_speed() is not its own inverse. */
		c->t = s->kind == WORK_STEP_TIME && s->strong
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

/* Set the batch, and the factor from device times to seconds per step: for
 * rates, the samples of a step if the unit counts samples, else the factor that
 * gives the measured step time of the baseline. */
static void
set_steps(struct scaling_series *s, struct arena *a)
{
	const struct result_case *of = s->baseline->point->c;
	const double parts = s->strong ? (double)of->gpus : 1;
	double *steps = arena_calloc(a, of->n_runs, sizeof *steps);

	for (size_t i = 0; i < of->n_runs; i++)
		steps[i] = of->runs[i].step_s;
	s->samples = of->batch_size_per_device != RESULT_UNKNOWN
	    ? (double)of->batch_size_per_device * parts
	    : NAN;
	s->batch = s->strong ? NAN : s->samples;
	if (s->kind != WORK_RATE)
		s->step_scale = 1;
	else if (isfinite(s->samples) && unit_counts_samples(s->unit))
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
	s->kind = work_kind_of(s->unit);
	if (s->kind == WORK_JOB_TIME ||
	    text_same(rule->metric, "time-to-train"))
		s->not_predicted = REMARK_NO_TIME_TO_TRAIN;
	else if (s->kind == WORK_NONE || run_metric_find(rule->metric) != NULL)
		s->not_predicted = REMARK_SPEEDS_ONLY;
	if (!work_kind_is_per_step(s->kind))
		s->kind = WORK_RATE;
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
	if (s->kind == WORK_STEP_TIME)
		return s->strong ? t / gpus : t;
	return (s->kind == WORK_STEP_RATE && !s->strong ? 1 : gpus) / t;
}

double
scaling_step(const struct scaling_series *s, double t, double gpus)
{
	return s->step_scale * (s->strong ? t / gpus : t);
}

/* --- shapes --------------------------------------------------------------- */

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
