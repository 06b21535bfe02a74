#include <config.h>

#include "extract/measure/cases/case.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/defaults.h"
#include "common/error.h"
#include "common/result/work_rate.h"
#include "common/stats/rank_test.h"
#include "common/stats/stats.h"
#include "common/units/units.h"
#include "extract/log/words.h"

enum { MAX_NAMED = 6 };

void
case_note(struct case_notes *notes, struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = arena_vprintf(a, fmt, ap);
	va_end(ap);
	notes->items = vec_grow(
	    notes->items, notes->n, &notes->alloc, sizeof *notes->items);
	text_sanitise(text, "\t"); /* one per line */
	notes->items[notes->n++] = text;
}

void
case_notes_release(struct case_notes *notes)
{
	free(notes->items);
	*notes = (struct case_notes){ NULL, 0, 0 };
}

static int
compare_longs(long a, long b)
{
	return (a > b) - (a < b);
}

static int
compare_labels(const struct metadata *a, const struct metadata *b)
{
	size_t i;
	int d = 0;

	for (i = 0; i < a->n_labels && i < b->n_labels && d == 0; i++) {
		d = natural_compare(a->labels[i].key, b->labels[i].key);
		if (d == 0)
			d = natural_compare(
			    a->labels[i].value, b->labels[i].value);
	}
	return d != 0 ? d : compare_longs((long)a->n_labels, (long)b->n_labels);
}

/* Order of framework, model, precision, batch per device and labels.
 *
 * strong  1: excluding the batch per device */
static int
compare_configurations(
    const struct case_run *a, const struct case_run *b, int strong)
{
	const struct metadata *f = &a->metadata, *g = &b->metadata;
	int d = natural_compare(f->framework, g->framework);

	if (d == 0)
		d = natural_compare(f->model, g->model);
	if (d == 0)
		d = natural_compare(f->precision, g->precision);
	if (d == 0 && !strong)
		d = compare_longs(
		    f->batch_size_per_device, g->batch_size_per_device);
	return d != 0 ? d : compare_labels(f, g);
}

const char *
case_work_unit(const struct measured *m)
{
	const char *unit = m->work_unit;

	return unit != NULL && strcmp(unit, "tokens") == 0 &&
		work_kind_is_per_step(work_kind_of(m->unit))
	    ? unit
	    : NULL;
}

int
case_compare_groups(
    const struct case_run *a, const struct case_run *b, int strong)
{
	int d = compare_configurations(a, b, strong);

	if (d == 0)
		d = (int)a->measured.kind - (int)b->measured.kind;
	if (d == 0)
		d = strcmp(unit_alike_name(a->measured.unit),
		    unit_alike_name(b->measured.unit));
	return d != 0 ? d
		      : (case_work_unit(&a->measured) != NULL) -
		(case_work_unit(&b->measured) != NULL);
}

int
case_compare_shapes(const struct case_run *a, const struct case_run *b)
{
	const struct metadata *f = &a->metadata, *g = &b->metadata;
	int d = compare_longs(f->gpus, g->gpus);

	if (d == 0)
		d = compare_longs(f->nodes, g->nodes);
	if (d == 0)
		d = compare_longs(f->gpus_per_node, g->gpus_per_node);
	if (d == 0)
		d = compare_longs(
		    f->batch_size_per_device, g->batch_size_per_device);
	return d;
}

/* 0 if two runs belong to the same case; else their order in the result. */
static int
compare_cases(const struct case_run *a, const struct case_run *b)
{
	int d = compare_configurations(a, b, 0);

	if (d == 0)
		d = case_compare_shapes(a, b);
	return d != 0 ? d : case_compare_groups(a, b, 0);
}

static int
compare_runs(const void *a, const void *b)
{
	const struct case_run *x = *(const struct case_run *const *)a;
	const struct case_run *y = *(const struct case_run *const *)b;
	int d = compare_cases(x, y);

	if (d == 0)
		d = natural_compare(x->measured.run.run, y->measured.run.run);
	if (d == 0)
		d = natural_compare(x->measured.run.path, y->measured.run.path);
	return d != 0 ? d : (x->order > y->order) - (x->order < y->order);
}

const char *
case_name(const struct metadata *f, struct arena *a)
{
	if (f->nodes != RESULT_UNKNOWN && f->gpus_per_node != RESULT_UNKNOWN)
		return arena_printf(a, "%ldn%ldg", f->nodes, f->gpus_per_node);
	if (f->gpus != RESULT_UNKNOWN)
		return arena_printf(a, "%ldg", f->gpus);
	return "unknown";
}

const char *
case_describe(const struct result_case *c, struct arena *a)
{
	const char *const known[] = { c->framework, c->model, c->precision };
	const char *text = "";

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (known[i] != NULL)
			text = arena_printf(a, "%s%s ", text, known[i]);
	if (c->batch_size_per_device != RESULT_UNKNOWN)
		text =
		    arena_printf(a, "%sb%ld ", text, c->batch_size_per_device);
	for (size_t i = 0; i < c->n_labels; i++) {
		const char *key = c->labels[i].key, *value = c->labels[i].value;

		if (strcmp(value, "true") == 0)
			text = arena_printf(a, "%s%s ", text, key);
		else if (strcmp(value, "false") != 0 &&
		    strpbrk(value,
			"abcdefghijklmnopqrstuvwxyz"
			"ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
			text = arena_printf(a, "%s%s ", text, value);
		else /* a bare number needs its key */
			text = arena_printf(a, "%s%s=%s ", text, key, value);
	}
	return arena_printf(a, "%s%s", text, c->name);
}

static void
summarise_case(struct result_case *c, double confidence)
{
	struct rounded_runs runs;
	struct interval in;

	work_rates_of_runs(c, WORK_RATE, 1, &runs);
	c->n = (long)c->n_runs;
	c->median_speed = stats_median(runs.value, c->n_runs);
	c->average_speed = stats_mean(runs.value, c->n_runs);
	c->harmonic_speed = stats_harmonic_mean(runs.value, c->n_runs);
	c->olympic_speed = stats_olympic_mean(runs.value, c->n_runs);
	if (rounded_median(&runs, confidence, &in, NULL) == 0) {
		c->median_low = in.low;
		c->median_high = in.high;
		c->median_level = in.level;
	}
	rounded_runs_release(&runs);
}

static void
fill_case(struct result_case *c, const struct case_run *const *runs, size_t n,
    struct arena *a)
{
	const struct metadata *f = &runs[0]->metadata;
	size_t i;

	result_case_init(c);
	c->name = case_name(f, a);
	c->framework = f->framework;
	c->model = f->model;
	c->precision = f->precision;
	c->batch_size_per_device = f->batch_size_per_device;
	c->nodes = f->nodes;
	c->gpus_per_node = f->gpus_per_node;
	c->gpus = f->gpus;
	c->labels = f->labels;
	c->n_labels = f->n_labels;
	c->unit = runs[0]->measured.unit;
	c->work_unit = case_work_unit(&runs[0]->measured);
	c->rule = rule_kind_name(runs[0]->measured.kind);
	c->runs = arena_calloc(a, n, sizeof *c->runs);
	for (i = 0; i < n; i++) {
		c->runs[i] = runs[i]->measured.run;
		if (strcmp(runs[i]->measured.unit, c->unit) != 0)
			c->unit = unit_alike_name(c->unit);
	}
	c->n_runs = n;
}

/* True if all runs of both cases have a known work per iteration in one
 * unit. */
static int
work_is_known(const struct case_run *const *x, size_t n,
    const struct case_run *const *y, size_t m)
{
	const char *unit = x[0]->measured.work_unit;
	size_t i;

	for (i = 0; i < n + m; i++) {
		const struct case_run *r = i < n ? x[i] : y[i - n];

		if (unit == NULL || r->measured.work_unit == NULL ||
		    isnan(r->measured.work) ||
		    strcmp(r->measured.work_unit, unit) != 0)
			return 0;
	}
	return 1;
}

/* Work per second of each run.
 *
 * work  work per iteration; NAN: use that of each run */
static void
case_work_rates(const struct result_case *c, const struct case_run *const *runs,
    enum work_kind kind, double work, struct rounded_runs *out)
{
	work_rates_of_runs(c, kind, isnan(work) ? 1 : work, out);
	for (size_t i = 0; isnan(work) && i < c->n_runs; i++) {
		out->value[i] *= runs[i]->measured.work;
		out->low[i] *= runs[i]->measured.work;
		out->high[i] *= runs[i]->measured.work;
	}
}

/* Compute speedup and efficiency of c over b as ratios of work per second, so
 * that all metrics of the same runs give the same result.
 *
 * x, y  the runs of c and b
 *
 * Returns 1 if equal batches per device had to be assumed. */
static int
compare_to_baseline(struct result_case *c, const struct case_run *const *x,
    const struct result_case *b, const struct case_run *const *y,
    const struct case_options *o)
{
	struct work_scale scale;
	struct rounded_runs own, base;
	struct interval in;

	if (!work_scale_of(c, b, o->strong, &scale))
		return 0;
	if (work_kind_is_per_step(scale.kind) &&
	    work_is_known(x, c->n_runs, y, b->n_runs)) {
		scale.own = scale.base = NAN;
		scale.assumed = 0;
	}
	c->baseline = b->name;
	c->baseline_flag = o->baseline == NULL && b->gpus != 1;
	case_work_rates(c, x, scale.kind, scale.own, &own);
	case_work_rates(b, y, scale.kind, scale.base, &base);
	if (scale.kind == WORK_JOB_TIME) /* medians as printed */
		c->speedup = b->median_speed / c->median_speed;
	else
		c->speedup = stats_median(own.value, c->n_runs) /
		    stats_median(base.value, b->n_runs);
	c->efficiency = c->speedup * (double)b->gpus / (double)c->gpus;
	if (b != c &&
	    rounded_ratio(&own, &base, o->confidence, &in, NULL) == 0) {
		c->speedup_low = in.low;
		c->speedup_high = in.high;
		c->speedup_level = in.level;
	}
	rounded_runs_release(&own);
	rounded_runs_release(&base);
	return scale.assumed && b != c;
}

/* Set the baseline and speedup of each case.
 *
 * runs   sorted; the runs of r->cases[i] begin at first[i] */
static void
compare_all(struct result *r, const struct case_run *const *runs,
    const size_t *first, const struct case_options *o, struct case_notes *notes)
{
	const struct result_case **baselines =
	    xcalloc(r->n_cases, sizeof *baselines);
	size_t assumed = 0;

	case_baselines(r, o, runs, first, baselines);
	for (size_t i = 0; i < r->n_cases; i++) {
		const struct result_case *b = baselines[i];

		if (b != NULL)
			assumed += (size_t)compare_to_baseline(&r->cases[i],
			    runs + first[i], b, runs + first[b - r->cases], o);
	}
	free(baselines);
	if (assumed > 0)
		case_note(notes, &r->arena,
		    "no batch size is known: the speedups of %zu case%s assume "
		    "the same batch on each device; "
		    "--batch-size-per-device=N states it",
		    assumed, assumed == 1 ? "" : "s");
}

/* Note each case without a speedup, and each that is a baseline because there
 * is no 1n1g. */
static void
note_baselines(const struct result *r, const struct case_options *o,
    struct case_notes *notes, struct arena *a)
{
	for (size_t i = 0; i < r->n_cases; i++) {
		const struct result_case *c = &r->cases[i];
		const char *why = NULL;

		if (work_kind_of(c->unit) == WORK_NONE)
			continue; /* bandwidths have no speedup */
		if (c->gpus == RESULT_UNKNOWN)
			why = "without a number of GPUs there is no speedup; "
			      "give it with --nodes and --gpus-per-node";
		else if (c->baseline == NULL && o->baseline == NULL)
			why = "no speedup: strong scaling compares equal "
			      "global batches, and its batch is not known; "
			      "--batch-size-per-device=N states it";
		else if (c->baseline == NULL)
			why = arena_printf(a,
			    "no speedup: there is no comparable case '%s'",
			    o->baseline);
		else if (c->baseline_flag && strcmp(c->baseline, c->name) == 0)
			why = "the baseline, because there is no comparable "
			      "1n1g; --baseline=CASE chooses another";
		if (why != NULL)
			case_note(notes, a, "%s: %s", case_describe(c, a), why);
	}
}

/* Add a note for all cases of n runs. */
static void
note_few(const struct result *r, long n, const struct case_options *o,
    struct case_notes *notes, struct arena *a)
{
	const double level = 1 - 2 * ldexp(1, -(int)n);
	const long needed = rank_test_runs_for(o->confidence, 0);
	char text[UNITS_TEXT_SIZE];
	const char *names = NULL;
	long cases = 0;

	for (size_t i = 0; i < r->n_cases; i++)
		if (r->cases[i].n == n && cases++ < MAX_NAMED)
			names = arena_printf(a, "%s%s%s",
			    names != NULL ? names : "",
			    names != NULL ? ", " : "",
			    case_describe(&r->cases[i], a));
	if (cases == 0)
		return;
	if (cases > MAX_NAMED)
		names = arena_printf(
		    a, "%s and %ld more", names, cases - MAX_NAMED);
	if (n == 1)
		case_note(notes, a,
		    "%s: 1 run only, so no confidence interval; %.6g %% "
		    "confidence in the median needs %ld runs",
		    names, o->confidence * 100, needed);
	else
		case_note(notes, a,
		    "%s: %ld runs only, so the interval of the "
		    "median has %s %%; %.6g %% needs %ld runs",
		    names, n,
		    short_format_apart(
			text, 100 * level, 100 * o->confidence, 4),
		    o->confidence * 100, needed);
}

/* Returns -1 with ERROR_USAGE if no case is named o->baseline. */
static int
check_baseline(const struct result *r, const struct case_options *o,
    struct arena *a, struct error *e)
{
	const char *names = "";

	for (size_t i = 0; i < r->n_cases && o->baseline != NULL; i++) {
		const char *name = r->cases[i].name;

		if (strcmp(name, o->baseline) == 0)
			return 0;
		if (names[0] == '\0' || strstr(names, name) == NULL)
			names = arena_printf(a, "%s%s%s", names,
			    names[0] != '\0' ? ", " : "", name);
	}
	return o->baseline == NULL
	    ? 0
	    : error_set(e, ERROR_USAGE,
		  "--baseline: no case is called '%s'; there are %s",
		  o->baseline, names);
}

int
cases_make(const struct case_run *const *runs, size_t n,
    const struct case_options *o, struct result *r, struct case_notes *notes,
    struct error *e)
{
	struct arena *a = &r->arena;
	const struct case_run **sorted = xcalloc(n, sizeof *sorted);
	size_t *first = xcalloc(n, sizeof *first);
	size_t i, end;
	int outcome;
	long few, enough;

	for (i = 0; i < n; i++)
		sorted[i] = runs[i];
	qsort(sorted, n, sizeof *sorted, compare_runs);
	for (i = r->n_cases = 0; i < n; i++)
		r->n_cases +=
		    i == 0 || compare_cases(sorted[i - 1], sorted[i]) != 0;
	r->cases = arena_calloc(a, r->n_cases, sizeof *r->cases);
	r->n_cases = 0;
	for (i = 0; i < n; i = end) {
		struct result_case *c = &r->cases[r->n_cases];

		for (end = i + 1; end < n; end++)
			if (compare_cases(sorted[i], sorted[end]) != 0)
				break;
		first[r->n_cases++] = i;
		fill_case(c, sorted + i, end - i, a);
		summarise_case(c, o->confidence);
		case_flag_outliers(c, a);
		case_flag_groups(c, a);
	}
	outcome = check_baseline(r, o, a, e);
	compare_all(r, sorted, first, o, notes);
	free(first);
	free(sorted);
	note_baselines(r, o, notes, a);
	/* Five runs at 95 % are the usual protocol; a note below the table
	 * states their 93.75 %. Warn only if more confidence is requested. */
	enough = o->confidence > DEFAULT_CONFIDENCE
	    ? rank_test_runs_for(o->confidence, 0)
	    : DEFAULT_RUNS;
	for (few = 1; few < enough; few++)
		note_few(r, few, o, notes, a);
	return outcome;
}
