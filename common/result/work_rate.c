/* Work per second, from the unit of a case. */
#include <config.h>

#include "common/result/work_rate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/stats/stats.h"
#include "common/text.h"

enum { MIN_OLYMPIC = 3 }; /* best and worst are dropped from this many */

/* Units that are no rate of samples. Others are rates of something else. */
static const struct {
	const char *name;
	enum work_kind kind;
} units[] = { { "iterations/s", WORK_STEP_RATE }, { "s", WORK_STEP_TIME },
	{ "min", WORK_JOB_TIME }, { "GB/s", WORK_NONE },
	/* of other metrics */
	{ "TFLOP/s", WORK_NONE }, { "%", WORK_NONE }, { "GiB", WORK_NONE },
	{ "W", WORK_NONE }, { "J", WORK_NONE }, { "", WORK_NONE } };

enum work_kind
work_kind_of(const char *unit)
{
	if (unit == NULL)
		return WORK_NONE;
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (strcmp(unit, units[i].name) == 0)
			return units[i].kind;
	return WORK_RATE;
}

int
work_kind_is_time(enum work_kind kind)
{
	return kind == WORK_STEP_TIME || kind == WORK_JOB_TIME;
}

int
work_kind_is_per_step(enum work_kind kind)
{
	return kind == WORK_STEP_TIME || kind == WORK_STEP_RATE;
}

int
unit_counts_samples(const char *unit)
{
	static const char *const names[] = { "samples/s", "images/s",
		"sequences/s", "examples/s", "records/s" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (text_same(unit, names[i]))
			return 1;
	return 0;
}

int
unit_is_alike(const char *a, const char *b)
{
	return text_same(a, b) ||
	    (unit_counts_samples(a) && unit_counts_samples(b));
}

const char *
unit_alike_name(const char *unit)
{
	return unit_counts_samples(unit) ? "samples/s" : unit;
}

int
work_is_alike(const struct result_case *a, const struct result_case *b)
{
	return text_same(a->work_unit, b->work_unit);
}

int
work_scale_of(const struct result_case *c, const struct result_case *base,
    int strong, struct work_scale *scale)
{
	const long own = c->batch_size_per_device;
	const long other = base->batch_size_per_device;

	*scale = (struct work_scale){ work_kind_of(c->unit), 1, 1, 0 };
	if (scale->kind == WORK_NONE || c->gpus <= 0 || base->gpus <= 0 ||
	    work_kind_of(base->unit) != scale->kind)
		return 0;
	if (!work_kind_is_per_step(scale->kind))
		return 1;
	if (!work_is_alike(c, base))
		return 0;
	if (strong)
		return 1;
	if ((own == RESULT_UNKNOWN) != (other == RESULT_UNKNOWN))
		return 0;
	scale->assumed = own == RESULT_UNKNOWN;
	scale->own = (double)c->gpus * (scale->assumed ? 1 : (double)own);
	scale->base = (double)base->gpus * (scale->assumed ? 1 : (double)other);
	return 1;
}

double
work_rate(enum work_kind kind, double value, double work)
{
	return work_kind_is_time(kind) ? work / value : value * work;
}

void
work_rates_of_runs(const struct result_case *c, enum work_kind kind,
    double work, struct rounded_runs *out)
{
	const int inverse = work_kind_is_time(kind);

	out->n = c->n_runs;
	out->value = xcalloc(3 * out->n + 1, sizeof *out->value);
	out->low = out->value + out->n;
	out->high = out->low + out->n;
	for (size_t i = 0; i < c->n_runs; i++) {
		const struct result_run *run = &c->runs[i];
		const int rounded =
		    run->rounding.low > 0 && run->rounding.high > 0;
		const double low = rounded ? run->rounding.low : run->value;
		const double high = rounded ? run->rounding.high : run->value;

		out->value[i] = work_rate(kind, run->value, work);
		out->low[i] = work_rate(kind, inverse ? high : low, work);
		out->high[i] = work_rate(kind, inverse ? low : high, work);
	}
}

void
case_summarise(struct result_case *c, double confidence)
{
	struct rounded_runs runs;
	struct interval in;

	work_rates_of_runs(c, WORK_RATE, 1, &runs);
	c->n = (long)c->n_runs;
	c->median_speed = stats_median(runs.value, c->n_runs);
	c->average_speed = stats_mean(runs.value, c->n_runs);
	c->harmonic_speed = stats_harmonic_mean(runs.value, c->n_runs);
	c->olympic_speed = stats_olympic_mean(runs.value, c->n_runs);
	if (c->score != NULL && c->n_runs >= MIN_OLYMPIC) {
		c->median_speed = c->olympic_speed;
		if (stats_olympic_interval(
			runs.value, c->n_runs, confidence, &in) != 0 ||
		    in.low <= 0)
			in.low = in.high = in.level = NAN;
	} else if (rounded_median(&runs, confidence, &in) != 0) {
		in.low = in.high = in.level = NAN;
	}
	c->median_low = in.low;
	c->median_high = in.high;
	c->median_level = in.level;
	rounded_runs_release(&runs);
}

void
case_add_failed(struct result_case *c)
{
	const size_t n = c->n_runs + 1;
	double *v = xcalloc(n, sizeof *v);

	for (size_t i = 0; i < n; i++)
		v[i] = i < c->n_runs ? c->runs[i].value : INFINITY;
	stats_sort(v, n);
	c->olympic_speed = n >= MIN_OLYMPIC ? stats_mean(v + 1, n - 2) : NAN;
	c->median_speed = c->score != NULL && n >= MIN_OLYMPIC
	    ? c->olympic_speed
	    : n % 2 == 1 ? v[n / 2]
			 : (v[n / 2 - 1] + v[n / 2]) / 2;
	free(v);
	c->average_speed = c->harmonic_speed = NAN;
	c->median_low = c->median_high = c->median_level = NAN;
}

void
case_speedup(struct result_case *c, const struct result_case *b,
    enum work_kind kind, double work, const struct rounded_runs *own,
    const struct rounded_runs *base, double confidence)
{
	struct interval in;

	c->baseline = b->name;
	if (kind == WORK_JOB_TIME) /* medians as printed */
		c->speedup = b->median_speed / c->median_speed;
	else if (own->n == 0 || base->n == 0)
		c->speedup = work_rate(kind, c->median_speed, work) /
		    work_rate(kind, b->median_speed, 1);
	else
		c->speedup = stats_median(own->value, own->n) /
		    stats_median(base->value, base->n);
	/* The ratio may overflow or underflow. */
	if (!isnormal(c->speedup))
		c->speedup = NAN;
	c->efficiency = c->speedup * (double)b->gpus / (double)c->gpus;
	/* The interval is of a ratio of medians. */
	if (b == c || own->n == 0 || base->n == 0 || c->score != NULL ||
	    rounded_ratio(own, base, confidence, &in) != 0)
		return;
	c->speedup_low = in.low;
	c->speedup_high = in.high;
	c->speedup_level = in.level;
}

int
case_speedup_over(struct result_case *c, const struct result_case *b,
    int strong, double confidence)
{
	struct rounded_runs own, base;
	struct work_scale scale;

	if (!work_scale_of(c, b, strong, &scale))
		return 0;
	work_rates_of_runs(c, scale.kind, scale.own, &own);
	work_rates_of_runs(b, scale.kind, scale.base, &base);
	case_speedup(
	    c, b, scale.kind, scale.own / scale.base, &own, &base, confidence);
	rounded_runs_release(&own);
	rounded_runs_release(&base);
	return 1;
}
