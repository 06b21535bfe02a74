/* Work per second, from the unit of a case. */
#include <config.h>

#include "common/result/work_rate.h"

#include <string.h>

#include "common/text.h"

enum work_kind
work_kind_of(const char *unit)
{
	static const struct {
		const char *unit;
		enum work_kind kind;
	} units[] = {
		{ "iterations/s", WORK_STEP_RATE },
		{ "s", WORK_STEP_TIME },
		{ "min", WORK_JOB_TIME },
		{ "GB/s", WORK_NONE },
		/* units of other metrics */
		{ "TFLOP/s", WORK_NONE },
		{ "%", WORK_NONE },
		{ "GiB", WORK_NONE },
		{ "W", WORK_NONE },
		{ "J", WORK_NONE },
		{ "", WORK_NONE },
	};

	if (unit == NULL)
		return WORK_NONE;
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (strcmp(unit, units[i].unit) == 0)
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

	for (size_t i = 0; unit != NULL && i < sizeof names / sizeof *names;
	     i++)
		if (strcmp(unit, names[i]) == 0)
			return 1;
	return 0;
}

int
unit_is_alike(const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	return strcmp(a, b) == 0 ||
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

static int
has_gpus(const struct result_case *c)
{
	return c->gpus != RESULT_UNKNOWN && c->gpus > 0;
}

int
work_scale_of(const struct result_case *c, const struct result_case *base,
    int strong, struct work_scale *scale)
{
	const long own = c->batch_size_per_device;
	const long other = base->batch_size_per_device;

	*scale = (struct work_scale){ work_kind_of(c->unit), 1, 1, 0 };
	if (scale->kind == WORK_NONE || !has_gpus(c) || !has_gpus(base) ||
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

	rounded_runs_init(out, c->n_runs);
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
