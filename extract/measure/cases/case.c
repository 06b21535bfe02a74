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
#include "common/text.h"
#include "common/texts/remark.h"
#include "common/units/units.h"
#include "extract/log/log.h"
#include "extract/log/words.h"

enum {
	/* Labels that a baseline may lack; it must have any others. */
	MAX_LACKING = 16,
	MAX_KEY = 1 << 20 /* bytes */
};

/* A case with the key that it shares with its baseline, see put_key. */
struct baseline_place {
	const char *key;
	const struct result_case *c;
};

/* The device of all runs of c; NULL if unknown or not the same. */
static const char *
device_of(const struct result_case *c)
{
	for (size_t i = 0; i < c->n_runs; i++)
		if (c->runs[i].device == NULL ||
		    !case_same_device(c->runs[i].device, c->runs[0].device))
			return NULL;
	return c->runs[0].device;
}

/* True if b, which has the key of c, may be its baseline.
 *
 * lacks  1: b lacks labels of c; only a case of one GPU may, since it has no
 *        communication that labels could describe */
static int
comparable_baseline(const struct result_case *c, const struct result_case *b,
    int lacks, const struct case_options *o)
{
	if (b->gpus == RESULT_UNKNOWN || c->gpus == RESULT_UNKNOWN ||
	    (lacks && b->gpus != 1) ||
	    (!o->allow_mixed && strcmp(c->rule, b->rule) != 0) ||
	    (o->baseline != NULL && strcmp(o->baseline, b->name) != 0))
		return 0;
	if (o->strong && c->batch_size_per_device == RESULT_UNKNOWN &&
	    strcmp(c->unit, "min") != 0)
		return 0;
	/* The loop over the runs comes last. */
	return unit_is_alike(c->unit, b->unit) &&
	    text_same(c->work_unit, b->work_unit) &&
	    (o->allow_mixed || case_same_device(device_of(c), device_of(b)));
}

/* True if x is a better baseline for c than y: fewer GPUs, then the same rule,
 * then fewer nodes, then the first of the cases. */
static int
better_baseline(const struct result_case *c, const struct result_case *x,
    const struct result_case *y)
{
	const int same_x = strcmp(x->rule, c->rule) == 0;
	const int same_y = strcmp(y->rule, c->rule) == 0;

	if (x->gpus != y->gpus)
		return x->gpus < y->gpus;
	if (same_x != same_y)
		return same_x;
	return x->nodes != y->nodes ? x->nodes < y->nodes : x < y;
}

/* Write framework, model, precision, batch and labels of a case as one text.
 * The batch is that per device, or the global one if scaling is strong. It is
 * omitted for times to train, where each size uses the batch with which it
 * reaches the target best.
 *
 * without  [c->n_labels] 1: omit that label; NULL: omit none */
static void
put_key(struct strbuf *sb, const struct result_case *c, int strong,
    const char *without)
{
	struct result_pair *labels = xcalloc(c->n_labels + 1, sizeof *labels);
	const double scale = strong ? (double)c->gpus : 1;
	size_t n = 0;

	for (size_t i = 0; i < c->n_labels; i++)
		if (without == NULL || !without[i])
			labels[n++] = c->labels[i];
	/* A pair begins with its key. */
	qsort(labels, n, sizeof *labels, text_order_at);
	strbuf_reset(sb);
	strbuf_printf(sb, "%s\n%s\n%s",
	    c->framework != NULL ? c->framework : "",
	    c->model != NULL ? c->model : "",
	    c->precision != NULL ? c->precision : "");
	if (strcmp(c->unit, "min") != 0 &&
	    c->batch_size_per_device != RESULT_UNKNOWN)
		strbuf_printf(
		    sb, "\n%.17g", scale * (double)c->batch_size_per_device);
	for (size_t i = 0; i < n; i++)
		strbuf_printf(sb, "\n%s=%s", labels[i].key, labels[i].value);
	free(labels);
}

static int
by_key(const void *a, const void *b)
{
	const struct baseline_place *x = a, *y = b;
	int d = strcmp(x->key, y->key);

	if (d == 0)
		d = (x->c->gpus > y->c->gpus) - (x->c->gpus < y->c->gpus);
	return d != 0 ? d : (x->c > y->c) - (x->c < y->c);
}

/* Set the baseline of each case of a result whose labels and medians are known:
 * of the comparable cases (only those named o->baseline, if given), the one
 * with the fewest GPUs, then the same rule, then the fewest nodes. A case
 * without another is its own baseline. It is NULL if the number of GPUs is
 * unknown, no case has the name, or the batch is unknown and scaling is strong.
 *
 * runs  the first run of r->cases[i] is runs[first[i]] */
static void
case_baselines(const struct result *r, const struct case_options *o,
    const struct case_run *const *runs, const size_t *first)
{
	const size_t n = r->n_cases;
	struct arena a = ARENA_INIT;
	struct baseline_place *places = arena_calloc(&a, n, sizeof *places);
	struct strbuf key;

	strbuf_init(&key, MAX_KEY);
	for (size_t i = 0; i < n; i++) {
		put_key(&key, &r->cases[i], o->strong, NULL);
		places[i] = (struct baseline_place){ arena_strdup(&a, key.buf),
			&r->cases[i] };
	}
	if (n > 1)
		qsort(places, n, sizeof *places, by_key);
	for (size_t i = 0; i < n; i++) {
		const struct metadata *f = &runs[first[i]]->metadata;
		struct result_case *c = &r->cases[i];
		const struct result_case *best = NULL;
		size_t lacking[MAX_LACKING], n_lacking = 0;
		char *without = arena_calloc(&a, c->n_labels + 1, 1);

		for (size_t k = 0; k < c->n_labels; k++)
			if (n_lacking < MAX_LACKING &&
			    result_pair_value(f->varied, f->n_varied,
				c->labels[k].key) != NULL)
				lacking[n_lacking++] = k;
		/* Try every subset of the labels that may be missing. */
		for (unsigned set = 0; set < 1U << n_lacking; set++) {
			size_t low = 0;

			for (size_t k = 0; k < n_lacking; k++)
				without[lacking[k]] = set >> k & 1;
			put_key(&key, c, o->strong, without);
			for (size_t high = n, middle; low < high;) {
				middle = low + (high - low) / 2;
				if (strcmp(places[middle].key, key.buf) < 0)
					low = middle + 1;
				else
					high = middle;
			}
			for (; low < n; low++) {
				const struct result_case *b = places[low].c;

				if (strcmp(places[low].key, key.buf) != 0 ||
				    (best != NULL && b->gpus > best->gpus))
					break;
				if (comparable_baseline(c, b, set != 0, o) &&
				    (best == NULL ||
					better_baseline(c, b, best)))
					best = b;
			}
		}
		c->base = best;
	}
	strbuf_release(&key);
	arena_release(&a);
}

enum { MAX_NAMED = 6 };

void
case_note(struct case_notes *notes, struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = arena_vprintf(a, fmt, ap);
	va_end(ap);
	notes->items =
	    arena_grow(a, notes->items, notes->n, sizeof *notes->items);
	text_sanitise(text, "\t"); /* one per line */
	notes->items[notes->n++] = text;
}

static int
compare_longs(long a, long b)
{
	return (a > b) - (a < b);
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
	for (size_t i = 0; i < f->n_labels && i < g->n_labels && d == 0; i++) {
		d = natural_compare(f->labels[i].key, g->labels[i].key);
		if (d == 0)
			d = natural_compare(
			    f->labels[i].value, g->labels[i].value);
	}
	return d != 0 ? d : compare_longs((long)f->n_labels, (long)g->n_labels);
}

/* The work_unit (see result.h) of a case with this run. */
static const char *
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
		d = natural_compare(f->name, g->name);
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
	if (f->name != NULL)
		return f->name;
	if (f->nodes != RESULT_UNKNOWN && f->gpus_per_node != RESULT_UNKNOWN)
		return arena_printf(a, "%ldn%ldg", f->nodes, f->gpus_per_node);
	if (f->gpus != RESULT_UNKNOWN)
		return arena_printf(a, "%ldg", f->gpus);
	if (f->gpus_per_node != RESULT_UNKNOWN)
		return arena_printf(a, "?n%ldg", f->gpus_per_node);
	if (f->nodes != RESULT_UNKNOWN)
		return arena_printf(a, "%ldn?g", f->nodes);
	return "unknown";
}

const char *
case_describe(const struct result_case *c, struct arena *a)
{
	const char *const known[] = { c->framework, c->model, c->precision };
	struct strbuf text;

	strbuf_init(&text, SIZE_MAX);
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (known[i] != NULL)
			strbuf_printf(&text, "%s ", known[i]);
	if (c->batch_size_per_device != RESULT_UNKNOWN)
		strbuf_printf(&text, "b%ld ", c->batch_size_per_device);
	for (size_t i = 0; i < c->n_labels; i++) {
		const char *key = c->labels[i].key, *value = c->labels[i].value;

		if (strcmp(value, "true") == 0)
			strbuf_printf(&text, "%s ", key);
		else if (strcmp(value, "false") != 0 &&
		    strpbrk(value,
			"abcdefghijklmnopqrstuvwxyz"
			"ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
			strbuf_printf(&text, "%s ", value);
		else /* a bare number needs its key */
			strbuf_printf(&text, "%s=%s ", key, value);
	}
	strbuf_addstr(&text, c->name);
	return strbuf_finish(&text, a);
}

/* --- Flags that need all runs of a case -----------------------------------*/

enum {
	MIN_RUNS = 5, /* fewest runs that can have an outlier */
	MAX_RUNS = 10 /* more runs are tested like this many */
};

/* --- Two groups ------------------------------------------------------------*/

/* Thresholds by number of runs, from 3 on: the largest gap between neighbours
 * divided by the standard deviation within the two sides.  Less than 1 % of
 * cases with similar runs exceed it (doc/measurement.md, "Two groups"). */
static const double GROUP_GAPS[] = { 260, 17.8, 11.3, 8.3, 6.6, 5.6, 4.8, 4.3 };

/* A gap below this fraction of the median is ignored, however similar the runs
 * of each side are: values may be printed with few digits. */
static const double LEAST_OUTLIER = 0.01; /* relative to the median */
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

/* True if a run's true value may be this, given rounding and noise of steps. */
static int
is_open(const struct case_run *run, double value)
{
	const struct result_rounding *r = &run->measured.run.rounding;
	const double own = run->measured.run.value;
	const double noise = own * run->measured.noise;

	return value >= fmin(r->low, own - noise) &&
	    value <= fmax(r->high, own + noise);
}

/* Flag runs that form two groups, and outliers among five or more runs: those
 * farther from the median than 14.8 median absolute deviations and
 * LEAST_OUTLIER. */
static void
flag_runs(
    struct result_case *c, const struct case_run *const *runs, struct arena *a)
{
	const size_t n = c->n_runs;
	double *v = arena_calloc(a, n, sizeof *v), middle, mad, least, low = 0;
	struct remark flag;
	size_t lower, open = 0;

	for (size_t i = 0; i < n; i++)
		v[i] = c->runs[i].value;
	middle = stats_median(v, n);
	mad = n >= MIN_RUNS ? stats_mad(v, n) : NAN;
	least = fmax(LEAST_OUTLIER * middle, STATS_OUTLIER_MADS * mad);
	for (size_t i = 0; i < n; i++) {
		const double off = v[i] - middle;

		if (mad > 0 && fabs(off) > least && !is_open(runs[i], middle))
			result_run_flag(&c->runs[i],
			    &REMARK(REMARK_OUTLIER,
				remark_number(off / middle * 100)),
			    a);
	}
	stats_sort(v, n);
	/* If one value lies within the uncertainty of every run, rounding and
	 * noise alone explain why the runs differ. */
	for (size_t i = 0; i < n; i++) {
		const struct result_run *r = &runs[i]->measured.run;
		const double noise = r->value * runs[i]->measured.noise;

		low = fmax(low, fmin(r->rounding.low, r->value - noise));
	}
	for (size_t i = 0; i < n; i++)
		open += (size_t)is_open(runs[i], low);
	lower = open == n ? 0 : case_two_groups(v, n);
	if (lower > 0)
		flag = REMARK(REMARK_TWO_GROUPS, remark_count(lower),
		    remark_number(stats_median(v, lower)),
		    remark_count(n - lower),
		    remark_number(stats_median(v + lower, n - lower)));
	for (size_t i = 0; i < n && lower > 0; i++)
		result_run_flag(&c->runs[i], &flag, a);
}

/* --- Failed runs -----------------------------------------------------------*/

struct result_excluded
excluded_run(const char *path, const struct remark *why)
{
	return (struct result_excluded){ .path = path,
		.reason = remark_rows[why->code].reason,
		.why = *why,
		.failed = { .line = RESULT_UNKNOWN,
		    .batch_size_per_device = RESULT_UNKNOWN,
		    .nodes = RESULT_UNKNOWN,
		    .gpus_per_node = RESULT_UNKNOWN,
		    .gpus = RESULT_UNKNOWN } };
}

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

void
cases_count_failed(struct result *r)
{
	if (r->rule.metric == NULL ||
	    strcmp(r->rule.metric, "time-to-train") != 0)
		return;
	for (size_t i = 0; i < r->n_cases; i++) {
		struct result_case *c = &r->cases[i];
		int alone = 1; /* 0: another case has runs there, too */
		size_t failed = 0;
		struct remark flag;

		for (size_t j = 0; j < r->n_excluded; j++) {
			const struct result_excluded *x = &r->excluded[j];

			if (strcmp(x->reason, EXCLUDED_FAILED) != 0 ||
			    !has_folder(c, x->path))
				continue;
			failed++;
			for (size_t k = 0; k < r->n_cases; k++)
				alone &= k == i ||
				    !has_folder(&r->cases[k], x->path);
		}
		if (failed == 0)
			continue;
		flag = REMARK(REMARK_FAILED_RUNS, remark_count(failed),
		    remark_count(c->n_runs + failed));
		if (!alone)
			flag =
			    REMARK(REMARK_FAILED_NEARBY, remark_count(failed));
		else if (failed == 1 && c->n_runs >= 2)
			flag = REMARK(REMARK_FAILED_ONE,
			    remark_count(c->n_runs + failed));
		for (size_t k = 0; k < c->n_runs; k++)
			result_run_flag(&c->runs[k], &flag, &r->arena);
		if (flag.code != REMARK_FAILED_ONE)
			continue;
		case_add_failed(c);
		for (size_t k = 0; k < r->n_cases; k++) {
			struct result_case *x = &r->cases[k];

			if (x != c && x->base != c)
				continue;
			x->speedup = x->speedup_low = x->speedup_high = NAN;
			x->speedup_level = x->efficiency = NAN;
		}
	}
}

/* --- Cases ----------------------------------------------------------------*/

/* Note each case without a baseline, and each that is a baseline because there
 * is no 1n1g. */
static void
note_baselines(const struct result *r, const struct case_options *o,
    struct case_notes *notes, struct arena *a)
{
	const enum language lang = language_find(NULL);

	for (size_t i = 0; i < r->n_cases; i++) {
		const struct result_case *c = &r->cases[i];
		const char *why = NULL;

		if (work_kind_of(c->unit) == WORK_NONE)
			continue; /* bandwidths have no speedup */
		if (c->gpus == RESULT_UNKNOWN)
			why = in_language(lang,
			    "no speedup without a number of GPUs; set it with "
			    "--nodes and --gpus-per-node",
			    "没有 GPU 数就没有加速比；用 --nodes 和 "
			    "--gpus-per-node 说明");
		else if (c->baseline == NULL && o->baseline == NULL)
			why = "no speedup: strong scaling compares equal "
			      "global batches, and its batch is unknown; set "
			      "it with --batch-size-per-device=N";
		else if (c->baseline == NULL)
			why = arena_printf(a,
			    "no speedup: there is no comparable case '%s'",
			    o->baseline);
		else if (c->baseline_flag && strcmp(c->baseline, c->name) == 0)
			why = in_language(lang,
			    "the baseline, because there is no comparable "
			    "1n1g; --baseline=CASE chooses another",
			    "作为基线，因为没有可比的 1n1g；可用 "
			    "--baseline=CASE 另选");
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
	const long needed = rank_test_runs_for((1 - o->confidence) / 2, 1);
	char text[UNITS_TEXT_SIZE];
	const enum language lang = language_find(NULL);
	const char *names = NULL, *asked, *why;
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
	asked = arena_printf(a, "%.6g", o->confidence * 100);
	if (n == 1)
		why = arena_printf(a,
		    in_language(lang,
			"%s: 1 run only: how much runs differ is unknown; %s "
			"%% confidence in the median needs %ld runs",
			"%s：只有 1 次运行：各次运行的差异未知；中位数要达到 "
			"%s %% 置信水平需 %ld 次"),
		    names, asked, needed);
	else
		why = arena_printf(a,
		    in_language(lang,
			"%s: %ld runs only, so the interval of the median has "
			"%s %%; %s %% needs %ld runs",
			"%s：只有 %ld 次运行，因此中位数区间的置信水平为 %s "
			"%%；%s %% 需 %ld 次"),
		    names, n,
		    short_format_apart(
			text, 100 * level, 100 * o->confidence, 4),
		    asked, needed);
	case_note(notes, a, "%s", why);
}

/* Set r->rule.scaling. It is strong if all logs state the global batch and it
 * is the same for all sizes. If it is the same but not all logs state it, add a
 * note that names the option, and return 1. */
static int
choose_scaling(struct result *r, const struct case_run *const *runs, size_t n,
    struct case_options *o, struct case_notes *notes, struct arena *a)
{
	const struct result_case **cases =
	    arena_calloc(a, r->n_cases, sizeof *cases);
	size_t stated = 0;
	int looks_strong;

	for (size_t i = 0; i < r->n_cases; i++)
		cases[i] = &r->cases[i];
	while (stated < n && runs[stated]->metadata.batch_by_log)
		stated++;
	looks_strong =
	    o->any_scaling && result_cases_look_strong(cases, r->n_cases);
	if (looks_strong) {
		o->strong = stated == n;
		case_note(notes, a,
		    o->strong
			? "strong scaling: the logs state the same global "
			  "batch size for all numbers of GPUs; --scaling=weak "
			  "compares equal batches per device"
			: "looks like strong scaling, since all numbers of "
			  "GPUs have the same global batch size: add "
			  "--scaling=strong");
	}
	r->rule.scaling = o->strong ? "strong" : "weak";
	return looks_strong && !o->strong;
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
    const struct case_options *options, struct result *r,
    struct case_notes *notes, struct error *e)
{
	struct case_options own = *options;
	const struct case_options *o = &own;
	struct arena *a = &r->arena;
	const struct case_run **sorted = arena_calloc(a, n, sizeof *sorted);
	size_t *first = arena_calloc(a, n, sizeof *first);
	size_t assumed, i, end;
	int looks_strong, outcome;
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
		const struct metadata *f = &sorted[i]->metadata;
		const struct measured *m = &sorted[i]->measured;
		struct result_case *c = &r->cases[r->n_cases];

		for (end = i + 1; end < n; end++)
			if (compare_cases(sorted[i], sorted[end]) != 0)
				break;
		first[r->n_cases++] = i;
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
		c->unit = m->unit;
		c->work_unit = case_work_unit(m);
		c->rule = rule_kind_names[m->kind];
		c->score = o->score;
		c->n_runs = end - i;
		c->n = (long)c->n_runs;
		c->runs = arena_calloc(a, c->n_runs, sizeof *c->runs);
		for (size_t k = 0; k < c->n_runs; k++) {
			m = &sorted[i + k]->measured;
			c->runs[k] = m->run;
			c->runs[k].work = m->work;
			c->runs[k].work_unit = m->work_unit;
			if (strcmp(m->unit, c->unit) != 0)
				c->unit = unit_alike_name(c->unit);
		}
		case_summarise(c, o->confidence);
		flag_runs(c, sorted + i, a);
	}
	looks_strong = choose_scaling(r, sorted, n, &own, notes, a);
	outcome = check_baseline(r, o, a, e);
	case_baselines(r, o, sorted, first);
	r->rule.baseline = o->baseline;
	assumed = result_speedups(r, o->confidence);
	if (assumed > 0)
		case_note(notes, a,
		    "unknown batch size: the speedups of %zu case%s assume the "
		    "same batch on each device; set it with "
		    "--batch-size-per-device=N",
		    assumed, assumed == 1 ? "" : "s");
	/* Without speedups, notes on baselines would add nothing. */
	if (!looks_strong)
		note_baselines(r, o, notes, a);
	/* Five runs at 95 % are the usual protocol; a note below the table
	 * states their 93.75 %. Warn only if more confidence is requested. */
	enough = o->confidence > DEFAULT_CONFIDENCE
	    ? rank_test_runs_for((1 - o->confidence) / 2, 1)
	    : DEFAULT_RUNS;
	for (few = 1; few < enough; few++)
		note_few(r, few, o, notes, a);
	return outcome;
}
