/* Work per second, from the unit of a case. */
#include <config.h>

#include "common/result/work_rate.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/result/case_text.h"
#include "common/result/record_fields.h"
#include "common/stats/stats.h"
#include "common/text.h"
#include "common/units/units.h"

enum { MAX_PATH = 200, LEAST_DIGITS = 4, MOST_DIGITS = 17 };

/* Units that are not plain rates of work, and rates that count samples. Any
 * other unit is a rate of something other than samples. */
static const struct unit {
	const char *name;
	enum work_kind kind;
	int is_samples;
} units[] = { { "iterations/s", WORK_STEP_RATE, 0 }, { "s", WORK_STEP_TIME, 0 },
	{ "min", WORK_JOB_TIME, 0 }, { "GB/s", WORK_NONE, 0 },
	/* of other metrics */
	{ "TFLOP/s", WORK_NONE, 0 }, { "%", WORK_NONE, 0 },
	{ "GiB", WORK_NONE, 0 }, { "W", WORK_NONE, 0 }, { "J", WORK_NONE, 0 },
	{ "", WORK_NONE, 0 }, { "samples/s", WORK_RATE, 1 },
	{ "images/s", WORK_RATE, 1 }, { "sequences/s", WORK_RATE, 1 },
	{ "examples/s", WORK_RATE, 1 }, { "records/s", WORK_RATE, 1 } };

static struct unit
unit_find(const char *name)
{
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (text_same(name, units[i].name))
			return units[i];
	return (struct unit){ name, name != NULL ? WORK_RATE : WORK_NONE, 0 };
}

enum work_kind
work_kind_of(const char *unit)
{
	return unit_find(unit).kind;
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
	return unit_find(unit).is_samples;
}

int
unit_is_alike(const char *a, const char *b)
{
	return text_same(unit_alike_name(a), unit_alike_name(b));
}

const char *
unit_alike_name(const char *unit)
{
	return unit_counts_samples(unit) ? "samples/s" : unit;
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
	/* Work in tokens and work in samples cannot be compared. */
	if (!text_same(c->work_unit, base->work_unit))
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
    double work, struct arena *a, struct rounded_runs *out)
{
	const int inverse = work_kind_is_time(kind);

	out->n = c->n_runs;
	out->value = arena_calloc(a, 3 * out->n + 1, sizeof *out->value);
	out->low = out->value + out->n;
	out->high = out->low + out->n;
	for (size_t i = 0; i < c->n_runs; i++) {
		const struct result_run *run = &c->runs[i];
		const int rounded =
		    run->rounding.low > 0 && run->rounding.high > 0;
		const double low = rounded ? run->rounding.low : run->value;
		const double high = rounded ? run->rounding.high : run->value;
		const double all = isnan(work) ? 1 : work;
		const double own = isnan(work) ? run->work : 1;

		out->value[i] = own * work_rate(kind, run->value, all);
		out->low[i] = own * work_rate(kind, inverse ? high : low, all);
		out->high[i] = own * work_rate(kind, inverse ? low : high, all);
	}
}

void
case_summarise(struct result_case *c, double confidence)
{
	struct arena a = ARENA_INIT;
	struct rounded_runs runs;
	struct interval in;

	work_rates_of_runs(c, WORK_RATE, 1, &a, &runs);
	c->n = (long)c->n_runs;
	c->median_speed = stats_median(runs.value, c->n_runs);
	c->average_speed = stats_mean(runs.value, c->n_runs);
	c->harmonic_speed = stats_harmonic_mean(runs.value, c->n_runs);
	c->olympic_speed = stats_olympic_mean(runs.value, c->n_runs);
	if (c->score != NULL && !isnan(c->olympic_speed)) {
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
	arena_release(&a);
}

void
case_add_failed(struct result_case *c)
{
	const size_t n = c->n_runs + 1;
	double *v = xcalloc(n, sizeof *v);

	for (size_t i = 0; i < c->n_runs; i++)
		v[i] = c->runs[i].value;
	/* With three runs, neither statistic depends on the slowest value. */
	v[n - 1] = stats_max(v, c->n_runs);
	c->olympic_speed = stats_olympic_mean(v, n);
	c->median_speed =
	    c->score != NULL ? c->olympic_speed : stats_median(v, n);
	free(v);
	c->average_speed = c->harmonic_speed = NAN;
	c->median_low = c->median_high = c->median_level = NAN;
}

/* True if all runs of a case state the work of an iteration in this unit. */
static int
runs_state_work(const struct result_case *c, const char *unit)
{
	size_t i = 0;

	while (i < c->n_runs && c->runs[i].work > 0 &&
	    text_same(c->runs[i].work_unit, unit))
		i++;
	return unit != NULL && i > 0 && i == c->n_runs;
}

int
case_speedup_over(struct result_case *c, const struct result_case *b,
    int strong, double confidence)
{
	const char *unit = c->n_runs > 0 ? c->runs[0].work_unit : NULL;
	struct arena a = ARENA_INIT;
	struct rounded_runs own, base;
	struct work_scale scale;
	struct interval in;

	if (!work_scale_of(c, b, strong, &scale))
		return 0;
	if (work_kind_is_per_step(scale.kind) && runs_state_work(c, unit) &&
	    runs_state_work(b, unit))
		scale = (struct work_scale){ scale.kind, NAN, NAN, 0 };
	work_rates_of_runs(c, scale.kind, scale.own, &a, &own);
	work_rates_of_runs(b, scale.kind, scale.base, &a, &base);
	c->baseline = b->name;
	if (scale.kind == WORK_JOB_TIME) /* medians as printed */
		c->speedup = b->median_speed / c->median_speed;
	else if (own.n == 0 || base.n == 0)
		c->speedup = work_rate(scale.kind, c->median_speed,
				 scale.own / scale.base) /
		    work_rate(scale.kind, b->median_speed, 1);
	else
		c->speedup = stats_median(own.value, own.n) /
		    stats_median(base.value, base.n);
	/* The ratio may overflow or underflow. */
	if (!isnormal(c->speedup))
		c->speedup = NAN;
	c->efficiency = c->speedup * (double)b->gpus / (double)c->gpus;
	/* The interval belongs to a ratio of medians, not of scores. */
	if (b != c && own.n > 0 && base.n > 0 && c->score == NULL &&
	    rounded_ratio(&own, &base, confidence, &in) == 0) {
		c->speedup_low = in.low;
		c->speedup_high = in.high;
		c->speedup_level = in.level;
	}
	arena_release(&a);
	return scale.assumed ? 2 : 1;
}

/* --- what follows from the runs of a result ------------------------------- */

/* Relative error of the arithmetic. */
static const double arithmetic = 1e-9;

/* Largest utilization that is possible, in percent. */
static const double full_utilization = 100;

/* True if x is unknown or equals from_runs rounded to the digits of x, at least
 * four. */
static int
follows(double x, double from_runs)
{
	char text[UNITS_TEXT_SIZE];
	int digits = LEAST_DIGITS;

	if (isnan(x) || fabs(x - from_runs) <= arithmetic * fabs(x))
		return 1;
	if (isnan(from_runs))
		return 0;
	do
		snprintf(text, sizeof text, "%.*g", digits, x);
	while (strtod(text, NULL) != x && ++digits < MOST_DIGITS);
	return fabs(x - from_runs) <=
	    pow(10, floor(log10(fabs(x))) + 1 - digits) / 2 * (1 + arithmetic);
}

/* --- speedups ------------------------------------------------------------- */

/* Return a copy of c with its speedup over b, computed from the runs.
 *
 * confidence  level of the interval; NAN: no interval, which takes less time */
static struct result_case
with_speedup(const struct result *r, const struct result_case *c,
    const struct result_case *b, double confidence)
{
	struct result_case out = *c;

	result_case_clear_speedup(&out);
	if (!case_speedup_over(&out, b == c ? &out : b,
		result_rule_is_strong(&r->rule), confidence))
		return out;
	/* A step's work may differ from the batch: keep c's speedup. */
	if (work_kind_is_per_step(work_kind_of(c->unit)) &&
	    !follows(c->speedup, out.speedup)) {
		out.speedup = c->speedup;
		out.speedup_low = c->speedup_low;
		out.speedup_high = c->speedup_high;
		out.efficiency = c->speedup * (double)b->gpus / (double)c->gpus;
	}
	return out;
}

/* --- baselines ------------------------------------------------------------ */

/* Batch that a case of r shares with its baseline: the batch of a device; under
 * strong scaling the global batch (NAN if unknown); 0 for a time to train,
 * since each size then has its own batch. */
static double
shared_batch(const struct result *r, const struct result_case *c)
{
	const double batch = (double)c->batch_size_per_device;

	if (text_same(c->unit, "min"))
		return 0;
	if (!result_rule_is_strong(&r->rule))
		return batch;
	return c->batch_size_per_device == RESULT_UNKNOWN
	    ? NAN
	    : batch * (double)c->gpus;
}

/* True if c has all labels of b. */
static int
has_labels_of(const struct result_case *c, const struct result_case *b)
{
	size_t i = 0;

	while (i < b->n_labels &&
	    text_same(b->labels[i].value,
		result_pair_value(c->labels, c->n_labels, b->labels[i].key)))
		i++;
	return i == b->n_labels;
}

/* Hash of what a case of r shares with its baseline. */
static uint32_t
baseline_hash(const struct result *r, const struct result_case *c,
    const char *name, int labels)
{
	const double batch = shared_batch(r, c);
	uint32_t hash = hash_bytes(hash_text(0, name), &batch, sizeof batch);

	hash = hash_text(hash, c->framework);
	hash = hash_text(hash, c->model);
	hash = hash_text(hash, c->precision);
	for (size_t i = 0; labels && i < c->n_labels; i++) {
		hash = hash_text(hash, c->labels[i].key);
		hash = hash_text(hash, c->labels[i].value);
	}
	return hash;
}

/* A case whose baseline is sought. */
struct sought {
	const struct result *r;
	const struct result_case *c;
	int follows; /* 1: its speedup over the baseline must follow */
};

static int
is_baseline(const void *cases, size_t i, const void *key)
{
	const struct sought *x = key;
	const struct result_case *b = (const struct result_case *)cases + i;
	const struct result_case *c = x->c;

	return text_same(b->name, c->baseline) &&
	    result_configuration_order(b, c) == 0 &&
	    unit_is_alike(b->unit, c->unit) &&
	    fabs(shared_batch(x->r, b) - shared_batch(x->r, c)) <= 0 &&
	    (b->n_labels == c->n_labels || b->gpus == 1) &&
	    has_labels_of(c, b) &&
	    (!x->follows ||
		follows(c->speedup, with_speedup(x->r, c, b, NAN).speedup));
}

/* Find the case that c->baseline names. It differs from c only in its size; a
 * case of one GPU may also lack labels of c. If several match, the first over
 * which the speedup of c follows from the runs is preferred. NULL if none does.
 *
 * cases  index of r->cases by baseline_hash, with and without the labels for
 *        cases of one GPU */
static const struct result_case *
find_baseline(const struct result *r, const struct hash_index *cases,
    const struct result_case *c)
{
	size_t i = HASH_INDEX_NONE;

	for (int tried = 0;
	     c->baseline != NULL && i == HASH_INDEX_NONE && tried < 4; tried++)
		i = hash_index_find(cases,
		    baseline_hash(r, c, c->baseline, tried % 2 == 0),
		    is_baseline, r->cases, &(struct sought){ r, c, tried < 2 });
	return i != HASH_INDEX_NONE ? &r->cases[i] : NULL;
}

size_t
result_speedups(struct result *r, double confidence)
{
	char *has_others = xcalloc(r->n_cases + 1, 1);
	size_t n_assumed = 0;

	for (size_t i = 0; i < r->n_cases; i++) {
		struct result_case *c = &r->cases[i];
		const struct result_case *b = c->base;
		int how = 0;

		result_case_clear_speedup(c);
		c->base = b;
		if (b != NULL)
			how = case_speedup_over(
			    c, b, result_rule_is_strong(&r->rule), confidence);
		c->baseline_flag =
		    how > 0 && r->rule.baseline == NULL && b->gpus != 1;
		n_assumed += how == 2 && b != c;
		if (b != NULL && b != c)
			has_others[b - r->cases] = 1;
	}
	for (size_t i = 0; i < r->n_cases; i++) {
		struct result_case *c = &r->cases[i];

		/* A lone case's speedup of 1 would look measured. */
		if (c->base == c && !has_others[i])
			c->speedup = c->efficiency = NAN;
		if (c->base != NULL)
			case_flag_speedup(c, c->base, &r->arena);
	}
	free(has_others);
	return n_assumed;
}

/* --- checks --------------------------------------------------------------- */

/* Where a number is checked: a case, or one of its runs. */
struct place {
	const struct result *r;
	size_t i, run; /* run SIZE_MAX: the case */
	int rc;        /* -1 after the first error, which is in e */
	struct error *e;
};

/* Report the first error: "FILE: cases[I].KEY: MESSAGE". */
static void PRINTF_LIKE(3, 4)
    refuse(struct place *at, const char *key, const char *fmt, ...)
{
	char run[MAX_PATH] = "", what[MAX_PATH * 4];
	va_list ap;

	if (at->rc != 0)
		return;
	va_start(ap, fmt);
	vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);
	if (at->run != SIZE_MAX)
		snprintf(run, sizeof run, "runs[%zu].", at->run);
	at->rc = error_set(at->e, ERROR_INPUT, "%s: cases[%zu].%s%s: %s",
	    at->r->file != NULL ? at->r->file : "result", at->i, run, key,
	    what);
}

/* Check that the numbers of c agree with those of from_runs.
 *
 * base  name of the baseline of c; NULL: its runs alone give the numbers */
static void
check_derived(struct place *at, const struct result_case *c,
    const struct result_case *from_runs, const char *base)
{
	for (const struct field *f = result_case_fields; f->kind != FIELD_END;
	     f++) {
		char is[JSON_DOUBLE_SIZE], should[JSON_DOUBLE_SIZE];
		double x, y;

		if (f->kind != FIELD_DOUBLE)
			continue;
		memcpy(&x, (const char *)c + f->offset, sizeof x);
		memcpy(&y, (const char *)from_runs + f->offset, sizeof y);
		if (!follows(x, y))
			refuse(at, f->key, "%s, but its runs%s%s%s give %s",
			    json_double(is, x),
			    base != NULL ? " and those of '" : "",
			    base != NULL ? base : "", base != NULL ? "'" : "",
			    isnan(y) ? "none" : json_double(should, y));
	}
}

/* Check low <= middle <= high, ignoring unknown values. */
static void
check_interval(
    struct place *at, const char *key, double low, double middle, double high)
{
	if (isnan(low) != isnan(high) || low > middle || high < middle)
		refuse(
		    at, key, "its interval has one end, or does not hold it");
}

/* Check the counts of a case and its name. */
static void
check_counts(struct place *at, const struct result_case *c)
{
	long nodes, per_node;
	int end = 0;

	if (c->nodes > 0 && c->gpus_per_node > 0 && c->gpus > 0 &&
	    (c->gpus % c->nodes != 0 || c->gpus / c->nodes != c->gpus_per_node))
		refuse(at, "gpus", "%ld is not %ld nodes times %ld", c->gpus,
		    c->nodes, c->gpus_per_node);
	if (c->nodes != RESULT_UNKNOWN && c->gpus_per_node != RESULT_UNKNOWN &&
	    sscanf(c->name, "%9ldn%9ldg%n", &nodes, &per_node, &end) == 2 &&
	    end > 0 && c->name[end] == '\0' &&
	    (nodes != c->nodes || per_node != c->gpus_per_node))
		refuse(at, "case",
		    "'%s', but it has %ld nodes with %ld GPUs each", c->name,
		    c->nodes, c->gpus_per_node);
}

/* Check a case without its speedup. */
static void
check_case(struct place *at, const struct result_case *c)
{
	const struct run_metric *metric = run_metric_find(at->r->rule.metric);
	struct result_case from_runs = *c;

	if (c->score != NULL && strcmp(c->score, RESULT_OLYMPIC) != 0)
		refuse(at, "score", "'%.40s' is not known", c->score);
	if (c->n_runs > 0 && (size_t)c->n != c->n_runs)
		refuse(at, "n", "%ld, but 'runs' has %zu", c->n, c->n_runs);
	check_counts(at, c);
	/* Check the value of each run, which other members state, too. */
	for (at->run = 0; at->run < c->n_runs; at->run++) {
		const struct result_run *run = &c->runs[at->run];
		const struct result_metric *m =
		    metric != NULL ? run_metric_of(run, metric->name) : NULL;
		const double x = m != NULL ? m->value
		    : metric == NULL && unit_counts_samples(c->unit)
		    ? run->samples_per_s
		    : NAN;
		char is[JSON_DOUBLE_SIZE], should[JSON_DOUBLE_SIZE];

		if (!follows(x, run->value))
			refuse(at, "value", "%s, but '%s' is %s",
			    json_double(is, run->value),
			    m != NULL ? m->name : "samples_per_s",
			    json_double(should, x));
		check_interval(at, "rounding", run->rounding.low, run->value,
		    run->rounding.high);
	}
	at->run = SIZE_MAX;
	if (c->n_runs > 0 && at->rc == 0) {
		case_summarise(&from_runs, result_confidence(&at->r->rule));
		/* A failed time to train has no mean. */
		if (isnan(c->average_speed) && text_same(c->unit, "min"))
			case_add_failed(&from_runs);
		check_derived(at, c, &from_runs, NULL);
	}
	check_interval(
	    at, "median_speed", c->median_low, c->median_speed, c->median_high);
	check_interval(
	    at, "speedup", c->speedup_low, c->speedup, c->speedup_high);
}

static void
flag_utilization(struct result_run *run, struct arena *a)
{
	static const char *const names[] = { "mfu", "mfu_printed",
		"hfu_printed" };

	/* Tables of runs have the flag without the metric. */
	for (size_t i = 0; i < run->n_flags; i++)
		if (run->flags[i].code == REMARK_UTILIZATION_HIGH)
			return;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		const struct result_metric *m = run_metric_of(run, names[i]);

		if (m != NULL && m->value > full_utilization)
			result_run_flag(run,
			    &REMARK(REMARK_UTILIZATION_HIGH,
				remark_name(names[i]), remark_number(m->value),
				remark_number(full_utilization)),
			    a);
	}
}

int
case_is_same(const void *cases, size_t i, const void *key)
{
	const struct result_case *x = (const struct result_case *)cases + i;
	const struct result_case *y = key;

	return x != y && x->gpus == y->gpus && x->nodes == y->nodes &&
	    (x->gpus != RESULT_UNKNOWN || text_same(x->name, y->name)) &&
	    x->batch_size_per_device == y->batch_size_per_device &&
	    result_configuration_order(x, y) == 0 &&
	    text_same(x->unit, y->unit) && text_same(x->rule, y->rule) &&
	    text_same(x->work_unit, y->work_unit) &&
	    x->n_labels == y->n_labels && has_labels_of(x, y);
}

int
result_check(struct result *r, struct error *e)
{
	struct place at = { r, 0, SIZE_MAX, 0, e };
	struct hash_index cases = HASH_INDEX_INIT;

	for (; at.rc == 0 && at.i < r->n_cases; at.i++) {
		const struct result_case *c = &r->cases[at.i];

		check_case(&at, c);
		hash_index_add(&cases, baseline_hash(r, c, c->name, 1), at.i);
		if (c->gpus == 1)
			hash_index_add(
			    &cases, baseline_hash(r, c, c->name, 0), at.i);
		for (size_t k = 0; k < c->n_runs; k++)
			flag_utilization(&c->runs[k], &r->arena);
	}
	for (at.i = 0; at.rc == 0 && at.i < r->n_cases; at.i++) {
		struct result_case *c = &r->cases[at.i];
		const struct result_case *b = find_baseline(r, &cases, c);
		const size_t same = hash_index_find(&cases,
		    baseline_hash(r, c, c->name, 1), case_is_same, r->cases, c);
		struct result_case from_runs;

		c->base = b;
		if (same != HASH_INDEX_NONE)
			refuse(
			    &at, "case", "the same case as cases[%zu]", same);
		if (b == NULL)
			continue;
		from_runs = with_speedup(r, c, b, result_confidence(&r->rule));
		/* NAN: the work of the two cannot be compared. */
		if (!isnan(from_runs.speedup))
			check_derived(&at, c, &from_runs, b->name);
		case_flag_speedup(c, b, &r->arena);
	}
	hash_index_release(&cases);
	return at.rc;
}
