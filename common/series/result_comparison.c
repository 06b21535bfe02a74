#include <config.h>

#include "common/series/result_comparison.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/defaults.h"
#include "common/result/work_rate.h"
#include "common/stats/rank_test.h"
#include "common/stats/stats.h"
#include "common/text.h"

enum { RATIO_DECIMALS = 4 };

static const double unequal_spreads = 3.0; /* larger ratios are reported */

/* --- files ---------------------------------------------------------------- */

void
comparison_name_files(struct result_set *files)
{
	for (size_t i = 0; i < files->n; i++)
		if (files->items[i].label == NULL)
			files->items[i].label = files->items[i].name =
			    i == 0 ? "old" : "new";
}

/* --- matching cases ------------------------------------------------------- */

/* Keys that are ignored between two files, and keys that may differ with
 * --allow-mixed. */
#define SIDE_KEYS \
	(SERIES_BIT(SERIES_SOURCE) | SERIES_BIT(SERIES_KIND) | \
	    SERIES_BIT(SERIES_RULE) | SERIES_BIT(SERIES_WORK))
#define BATCH_KEYS (SERIES_BIT(SERIES_BATCH) | SERIES_BIT(SERIES_GLOBAL_BATCH))

/* A point and its series, with the keys that a partner shares. */
struct partner {
	const struct series *s;
	const struct series_point *p;
	uint64_t keys;
};

/* Hash of topology and configuration without the batch. */
static uint32_t
partner_hash(const struct partner *x)
{
	const long counts[] = { x->p->c->nodes, x->p->c->gpus };

	return series_values_hash(hash_bytes(0, counts, sizeof counts),
	    x->s->values, x->keys & ~BATCH_KEYS);
}

static int
is_partner(const void *list, size_t i, const void *key)
{
	const struct partner *a = (const struct partner *)list + i, *b = key;

	return a->p->source != b->p->source &&
	    case_shape_order(a->p->c, b->p->c) == 0 &&
	    series_values_same(a->s->values, b->s->values, b->keys);
}

/* True if steps have comparable work. Different units of work are comparable if
 * the batch is the same, since partners have equal topologies. */
static int
is_of_like_work(const struct result_case *x, const struct result_case *y)
{
	return text_same(x->work_unit, y->work_unit) ||
	    (x->batch_size_per_device != RESULT_UNKNOWN &&
		x->batch_size_per_device == y->batch_size_per_device);
}

/* Refuse partners that differ in batch size or device. Returns 0 or -1. */
static int
check_partners(const struct series_point *before,
    const struct series_point *after, int is_near, struct error *e)
{
	const struct result_case *x = before->c, *y = after->c;
	const char *d = result_case_device(x), *f = result_case_device(y);
	char a[SERIES_PLACE_SIZE], b[SERIES_PLACE_SIZE];

	series_point_place(a, before);
	series_point_place(b, after);
	if (is_near)
		return error_set(e, ERROR_INPUT,
		    "different batch sizes: %s has %ld per device, %s has %ld; "
		    "pass --allow-mixed to compare them",
		    a, x->batch_size_per_device, b, y->batch_size_per_device);
	if (d != NULL && f != NULL && strcmp(d, f) != 0)
		return error_set(e, ERROR_INPUT,
		    "different devices: %s ran on '%s', %s on '%s'; pass "
		    "--allow-mixed to compare them",
		    a, d, b, f);
	return 0;
}

/* --- runs ----------------------------------------------------------------- */

/* Set the work per second of the runs of both cases, in one unit, and the ratio
 * of their medians. */
static void
set_runs(
    const struct comparison *c, struct comparison_row *row, struct arena *a)
{
	const struct result_case *x = row->before->c, *y = row->after->c;
	struct rounded_runs *before = &row->before_runs;
	struct rounded_runs *after = &row->after_runs;
	struct work_scale scale;
	double ratio;
	size_t n = 0;

	if (!work_scale_of(y, x,
		result_rule_is_strong(&row->after->source->result.rule),
		&scale))
		scale.own = scale.base = 1;
	work_rates_of_runs(x, scale.kind, scale.base, a, before);
	work_rates_of_runs(y, scale.kind, scale.own, a, after);
	/* For pairs, keep the quotients of the runs that both have. */
	for (size_t i = 0; c->paired && i < y->n_runs; i++)
		for (size_t k = 0; k < x->n_runs; k++)
			if (text_same(y->runs[i].run, x->runs[k].run)) {
				after->value[n] =
				    after->value[i] / before->value[k];
				after->low[n] = after->low[i] / before->high[k];
				after->high[n++] =
				    after->high[i] / before->low[k];
				break;
			}
	if (c->paired)
		before->n = after->n = n;
	ratio = work_rate(scale.kind, y->median_speed, scale.own) /
	    work_rate(scale.kind, x->median_speed, scale.base);
	row->ratio = isnormal(ratio) ? ratio : NAN;
}

/* --- statistics of a row -------------------------------------------------- */

/* Set the spread of the runs, and the changes that they can prove.
 *
 * rank  rank of the ends of the ratio's interval */
static void
fill_spreads(struct comparison *c, struct comparison_row *row, size_t rank,
    const struct comparison_how *how)
{
	const struct rounded_runs *x = &row->before_runs, *y = &row->after_runs;
	const double of_x = c->paired ? 0 : log_squares(x->value, x->n);
	const double of_y = log_squares(y->value, y->n);
	const double df_x = c->paired ? 0 : (double)x->n - 1;
	const double df_y = (double)y->n - 1;
	const double one = sqrt(of_x / df_x), other = sqrt(of_y / df_y);
	double low, high;

	row->spread = sqrt((of_x + of_y) / (df_x + df_y));
	if (c->paired) /* The simulation supports two samples, not pairs. */
		return;
	row->spread_ratio = fmax(one, other) / fmin(one, other);
	if (row->spread_ratio > unequal_spreads)
		row->limit_level = rank_test_limit_level(x->n, y->n, rank);
	if (isnan(row->spread))
		return;
	row->detectable = detectable_change(
	    row->spread, (long)(x->n < y->n ? x->n : y->n), c->confidence);
	if (isnan(how->detect) ||
	    stddev_interval(
		row->spread, df_x + df_y, c->confidence, &low, &high) != 0)
		return;
	runs_needed(low, how->detect, c->confidence, &row->runs_low);
	runs_needed(high, how->detect, c->confidence, &row->runs_high);
}

static int
fill_row(struct comparison *c, struct comparison_row *row,
    const struct comparison_how *how, struct arena *a, struct error *e)
{
	const struct rounded_runs *x = &row->before_runs, *y = &row->after_runs;
	const struct rounded_runs *other = c->paired ? NULL : x;
	struct interval in;
	char place[SERIES_PLACE_SIZE];

	set_runs(c, row, a);
	if (x->n == 0 || y->n == 0) { /* published values */
		if (c->paired && row->before->c->n_runs > 0 &&
		    row->after->c->n_runs > 0)
			return error_set(e, ERROR_INPUT,
			    "%s: --paired: no run has a partner of the same "
			    "number in the other result",
			    series_point_place(place, row->after));
		return 0;
	}
	if (rounded_ratio(y, other, c->confidence, &in) != 0 ||
	    rounded_p(y, other, &row->p) != 0)
		return error_set(e, ERROR_LIMIT,
		    "%s: more than %d pairs of runs, or a ratio out of range",
		    series_point_place(place, row->after),
		    SIGNED_RANK_MAX_PAIRS);
	row->ratio = in.middle;
	row->low = in.low;
	row->high = in.high;
	row->level = in.level;
	fill_spreads(c, row, in.rank, how);
	row->least_p = 2 * rank_test_least_p(y->n, x->n, c->paired);
	row->p_equivalent =
	    fmax(comparison_side(c, row, 1 / (1 + how->delta), 0),
		comparison_side(c, row, 1 + how->delta, 1));
	return 0;
}

double
comparison_side(const struct comparison *c, const struct comparison_row *row,
    double bound, int below)
{
	return rounded_side(&row->after_runs,
	    c->paired ? NULL : &row->before_runs, bound, below);
}

/* --- comparison ----------------------------------------------------------- */

/* Match the cases of both results, and fill the rows: first one per case of the
 * old result, with its partner, then the cases that only the new one has. */
static int
match_cases(struct comparison *c, struct series_set *set,
    const struct comparison_how *how, struct error *e)
{
	const uint64_t keys = ~(SIDE_KEYS | c->side_labels);
	struct partner *all = NULL;
	size_t n = 0, alloc = 0;
	/* Results may have thousands of cases. */
	struct hash_index index = HASH_INDEX_INIT;
	int rc = 0;

	c->n = 0;
	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_points; k++) {
			const struct partner x = { &set->items[i],
				&set->items[i].points[k], keys };

			all = vec_grow(all, n, &alloc, sizeof x);
			hash_index_add(&index, partner_hash(&x), n);
			all[n++] = x;
		}
	for (size_t i = 0; rc == 0 && i < 2 * n; i++) {
		const int of_new = i >= n;
		const struct partner *x = &all[i % n], *y = NULL;
		struct partner key = *x;
		struct comparison_row *row;
		size_t at;
		int is_near = 0;

		if ((x->p->source == c->files[1]) != of_new)
			continue;
		/* Find an equal case, else one that differs in batch size. */
		for (; y == NULL && is_near < 2; is_near++) {
			at = hash_index_find(
			    &index, partner_hash(x), is_partner, all, &key);
			if (at != HASH_INDEX_NONE)
				y = &all[at];
			key.keys &= ~BATCH_KEYS;
		}
		if (y != NULL && !is_of_like_work(x->p->c, y->p->c))
			y = NULL;
		if (y != NULL && !how->allow_mixed)
			rc = check_partners(of_new ? y->p : x->p,
			    of_new ? x->p : y->p, is_near == 2, e);
		if (rc != 0 || (y != NULL && of_new))
			continue;
		c->rows =
		    arena_grow(&set->arena, c->rows, c->n, sizeof *c->rows);
		row = &c->rows[c->n++];
		*row = (struct comparison_row){ .s = x->s };
		row->ratio = row->low = row->high = row->level = NAN;
		row->p = row->p_holm = row->p_bh = row->least_p = NAN;
		row->p_equivalent = row->p_equivalent_holm = NAN;
		row->spread = row->limit_level = NAN;
		row->spread_ratio = row->detectable = NAN;
		row->runs_low = row->runs_high = RESULT_UNKNOWN;
		*(of_new ? &row->after : &row->before) = x->p;
		if (y == NULL)
			continue;
		row->s = y->s;
		row->after = y->p;
		c->n_both++;
		rc = fill_row(c, row, how, &set->arena, e);
	}
	hash_index_release(&index);
	free(all);
	return rc;
}

int
comparison_side_label(const struct series_set *set,
    const struct result_file *file, size_t key, const char **value)
{
	int found = 0;

	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_points; k++) {
			const char *own = set->items[i].values[key];

			if (set->items[i].points[k].source != file)
				continue;
			if (found && !text_same(own, *value))
				return 0;
			*value = own;
			found = 1;
		}
	return found;
}

/* Split a set of one file by the two values of a key. Values "old" and "new"
 * name the old and the new result; otherwise the first value is the old one.
 * Returns 0 or -1. */
static int
split_by(struct series_set *set, size_t key, struct error *e)
{
	const struct result_file *file = series_next_source(set, NULL);
	/* The old result comes first: the first value is sides[1], the second
	 * sides[0] if it is the old one, else sides[2]. */
	struct result_file *sides = arena_calloc(&set->arena, 3, sizeof *file);
	const char *first = NULL, *second = NULL;

	for (size_t i = 0; i < set->n; i++) {
		const struct series *x = &set->items[i];
		const char *own = x->values[key] != NULL ? x->values[key] : "-";
		struct result_file *side = &sides[1];

		first = first != NULL ? first : own;
		if (strcmp(own, first) != 0) {
			if (second != NULL && strcmp(own, second) != 0)
				return error_set(e, ERROR_USAGE,
				    "--by=%s: it has more than two values; "
				    "--select=%s=VALUE, given twice, chooses "
				    "two",
				    set->keys[key], set->keys[key]);
			second = own;
			side =
			    strcmp(first, "new") == 0 || strcmp(own, "old") == 0
			    ? &sides[0]
			    : &sides[2];
		}
		*side = *file;
		side->label = side->name = own;
		for (size_t k = 0; k < x->n_points; k++)
			x->points[k].source = side;
	}
	if (second == NULL)
		return error_set(e, ERROR_USAGE,
		    "--by=%s: all cases have the value '%s'", set->keys[key],
		    first);
	return 0;
}

/* Find the two results of a set; the key `by` splits a set of one file. */
static int
find_sides(struct comparison *c, struct series_set *set, const char *by,
    struct error *e)
{
	const struct result_file *old = series_next_source(set, NULL);
	size_t key = 0;

	if (by != NULL) {
		while (key < set->n_keys && strcmp(set->keys[key], by) != 0)
			key++;
		if (key == set->n_keys || (SERIES_BIT(key) & SIDE_KEYS) != 0)
			return error_set(e, ERROR_USAGE,
			    "--by: '%s' is neither framework, model, precision "
			    "or batch nor a label of these results",
			    by);
		c->side_labels = SERIES_BIT(key);
		if (series_next_source(set, old) == NULL &&
		    split_by(set, key, e) != 0)
			return -1;
	}
	c->files[0] = series_next_source(set, NULL);
	c->files[1] = series_next_source(set, c->files[0]);
	return c->files[1] != NULL
	    ? 0
	    : error_set(e, ERROR_EMPTY,
		  "only one of the two results has cases to compare");
}

/* Fill e: no case has a partner. Names the keys in which the cases differ.
 * Returns -1. */
static int
no_case_in_both(struct series_set *set, struct error *e)
{
	const char *keys = NULL;

	for (size_t i = 0; i < set->n_keys; i++)
		if ((set->differing & ~SIDE_KEYS & SERIES_BIT(i)) != 0)
			keys =
			    arena_join(&set->arena, keys, ", ", set->keys[i]);
	if (keys == NULL)
		keys = "their sizes";
	else if (strchr(keys, ',') == NULL)
		keys = arena_printf(
		    &set->arena, "%s; --by=%s ignores it", keys, keys);
	return error_set(e, ERROR_EMPTY,
	    "no case is in both results: they differ in %s", keys);
}

/* Set the adjusted p values of all rows, and the verdicts that follow. */
static void
adjust_p_values(struct comparison *c, struct arena *a)
{
	const double enough = 1 - c->confidence + 1e-12;
	double *holm = arena_calloc(a, 3 * c->n, sizeof *holm);
	double *bh = holm + c->n, *equivalent = holm + 2 * c->n;

	for (size_t i = 0; i < c->n; i++) {
		holm[i] = bh[i] = c->rows[i].p;
		equivalent[i] = c->rows[i].p_equivalent;
	}
	p_adjust(equivalent, c->n, 1, equivalent);
	p_adjust(holm, c->n, 1, holm);
	p_adjust(bh, c->n, 0, bh);
	for (size_t i = 0; i < c->n; i++) {
		struct comparison_row *row = &c->rows[i];

		row->p_equivalent_holm = equivalent[i];
		row->p_holm = holm[i];
		row->p_bh = bh[i];
		if (!(row->level >= c->confidence - 1e-12)) {
			row->verdict = COMPARISON_TOO_FEW;
			continue;
		}
		row->is_equivalent = row->p_equivalent_holm <= enough;
		if (row->p_holm <= enough && row->low > 1)
			row->verdict = COMPARISON_FASTER;
		else if (row->p_holm <= enough && row->high < 1)
			row->verdict = COMPARISON_SLOWER;
	}
}

int
comparison_init(struct series_set *set, const struct comparison_how *how,
    struct comparison *out, struct error *e)
{
	/* Mean of the ratios; its interval covers the spread of the runs, not
	 * the choice of cases. */
	struct ratio_mean mean = RATIO_MEAN_INIT;
	const char *x, *y;
	int rc;

	*out = (struct comparison){ .confidence = how->confidence,
		.paired = how->paired,
		.sessions = how->sessions };
	/* By default, use the largest level of the results. */
	for (size_t i = 0; isnan(how->confidence) && i < set->n; i++)
		out->confidence = fmax(out->confidence,
		    set->items[i].points[0].source->result.rule.confidence);
	if (!(out->confidence > 0))
		out->confidence = DEFAULT_CONFIDENCE;
	rc = series_need_speeds(set, "a comparison", e) != 0 ||
	    find_sides(out, set, how->by, e) != 0 ||
	    match_cases(out, set, how, e) != 0;
	if (rc == 0 && out->n_both == 0) {
		/* Ignore labels with one value in each result. */
		for (size_t i = SERIES_LABELS; i < set->n_keys; i++)
			if (comparison_side_label(set, out->files[0], i, &x) &&
			    comparison_side_label(set, out->files[1], i, &y) &&
			    !text_same(x, y))
				out->side_labels |= SERIES_BIT(i);
		rc = match_cases(out, set, how, e);
	}
	set->differing &= ~out->side_labels;
	if (rc == 0 && out->n_both == 0)
		rc = no_case_in_both(set, e);
	if (rc != 0)
		return -1;
	for (size_t i = 0; i < out->n; i++) {
		struct comparison_row *row = &out->rows[i];

		ratio_mean_add(&mean, row->ratio,
		    out->paired ? &row->after_runs : &row->before_runs,
		    out->paired ? NULL : &row->after_runs);
		row->of_sessions = out->sessions;
	}
	adjust_p_values(out, &set->arena);
	out->mean = ratio_mean_interval(
	    &mean, out->confidence, &out->mean_low, &out->mean_high);
	return 0;
}

const char *
comparison_verdict_text(const struct comparison_row *row, enum language lang)
{
	/* Indexed by verdict, and by is_equivalent or of_sessions. */
	static const enum message texts[][2] = {
		[COMPARISON_NO_EVIDENCE] = { MESSAGE_NO_EVIDENCE,
		    MESSAGE_EQUIVALENT },
		[COMPARISON_TOO_FEW] = { MESSAGE_TOO_FEW_RUNS,
		    MESSAGE_TOO_FEW_SESSIONS },
		[COMPARISON_FASTER] = { MESSAGE_FASTER, MESSAGE_FASTER_WITHIN },
		[COMPARISON_SLOWER] = { MESSAGE_SLOWER, MESSAGE_SLOWER_WITHIN },
	};

	return message(texts[row->verdict][row->verdict == COMPARISON_TOO_FEW
			       ? row->of_sessions
			       : row->is_equivalent],
	    lang);
}

const char *
comparison_impossible(
    const struct comparison *c, enum language lang, struct arena *a)
{
	const double alpha = 1 - c->confidence;
	size_t n = 0, tested = 0;

	for (size_t i = 0; i < c->n; i++)
		tested += !isnan(c->rows[i].least_p);
	for (size_t i = 0; i < c->n; i++)
		n += c->rows[i].verdict != COMPARISON_TOO_FEW &&
		    c->rows[i].least_p * (double)tested > alpha * (1 + 1e-12);
	if (n == 0)
		return NULL;
	return text_fill(a,
	    message(
		c->paired ? MESSAGE_VERDICT_TAKES_PAIRS : MESSAGE_VERDICT_TAKES,
		lang),
	    arena_printf(a, "%zu", n), arena_printf(a, "%zu", tested),
	    arena_printf(a, "%ld",
		rank_test_runs_for(alpha / 2 / (double)tested, c->paired)));
}

const char *
comparison_ratio_text(
    char buf[UNITS_TEXT_SIZE], double x, double low, double high)
{
	const int supported = interval_decimals(low, high);
	int decimals = supported < RATIO_DECIMALS ? supported : RATIO_DECIMALS;

	if (!isfinite(x))
		return "n/a";
	/* An interval that excludes 1 must not be rounded to 1. */
	if (low > 1)
		decimals = decimals_apart(low, 1, decimals);
	else if (high < 1)
		decimals = decimals_apart(high, 1, decimals);
	snprintf(buf, UNITS_TEXT_SIZE, "%.*f", decimals, x);
	return buf;
}
