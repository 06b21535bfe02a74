/* The comparison of two results. */
#include <config.h>

#include "common/series/result_comparison.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/defaults.h"
#include "common/result/work_rate.h"
#include "common/series/case_partners.h"
#include "common/series/metric_choice.h"
#include "common/stats/many_cases.h"
#include "common/stats/rank_test.h"
#include "common/stats/sample_size.h"
#include "common/stats/signed_rank.h"
#include "common/stats/stats.h"
#include "common/text.h"

enum { RATIO_DECIMALS = 4 };

static const double unequal_spreads = 3.0; /* more is reported */

void
comparison_name_files(struct result_set *files)
{
	static const char *const names[] = { "old", "new" };

	for (size_t i = 0; i < files->n && i < 2; i++)
		if (files->items[i].label == NULL)
			files->items[i].label = files->items[i].name = names[i];
}

/* --- which cases belong together ------------------------------------------ */

static int
check_pair(const struct series_point *before, const struct series_point *after,
    struct error *e)
{
	const char *x = result_case_device(before->c),
		   *y = result_case_device(after->c);
	char *a, *b;

	if (x == NULL || y == NULL || strcmp(x, y) == 0)
		return 0;
	a = result_file_place(before->source, before->index);
	b = result_file_place(after->source, after->index);
	error_set(e, ERROR_INPUT,
	    "different devices: %s ran on '%s', %s on '%s'; pass --allow-mixed "
	    "to compare them",
	    a, x, b, y);
	free(a);
	free(b);
	return -1;
}

static int
refuse_batch(
    const struct series_point *p, const struct series_point *q, struct error *e)
{
	char *a = result_file_place(p->source, p->index);
	char *b = result_file_place(q->source, q->index);

	error_set(e, ERROR_INPUT,
	    "different batch sizes: %s has %ld per device, %s has %ld; pass "
	    "--allow-mixed to compare them",
	    a, p->c->batch_size_per_device, b, q->c->batch_size_per_device);
	free(a);
	free(b);
	return -1;
}

/* True if both can be compared.  Steps of different units of work are the same
 * work when the global batch is the same, for partners have equal shapes. */
static int
is_of_like_work(const struct result_case *x, const struct result_case *y)
{
	return work_is_alike(x, y) ||
	    (x->batch_size_per_device != RESULT_UNKNOWN &&
		x->batch_size_per_device == y->batch_size_per_device);
}

static int
refuse_work(
    const struct series_point *p, const struct series_point *q, struct error *e)
{
	char *a = result_file_place(p->source, p->index);
	char *b = result_file_place(q->source, q->index);

	error_set(e, ERROR_INPUT,
	    "different work of an iteration: %s counts %s, %s %s, and no same "
	    "batch size is known; extract_logs --batch-size-per-device=N "
	    "states it, --allow-mixed leaves them uncompared",
	    a, p->c->work_unit != NULL ? p->c->work_unit : "samples", b,
	    q->c->work_unit != NULL ? q->c->work_unit : "samples");
	free(a);
	free(b);
	return -1;
}

/* --- runs ----------------------------------------------------------------- */

/* Only the runs that both cases have, as quotients; before becomes 1. */
static void
pair_runs(const struct result_case *x, const struct result_case *y,
    struct rounded_runs *before, struct rounded_runs *after)
{
	size_t n = 0;

	for (size_t i = 0; i < y->n_runs; i++)
		for (size_t k = 0; k < x->n_runs; k++)
			if (text_same(y->runs[i].run, x->runs[k].run)) {
				after->value[n] =
				    after->value[i] / before->value[k];
				after->low[n] = after->low[i] / before->high[k];
				after->high[n++] =
				    after->high[i] / before->low[k];
				break;
			}
	before->n = after->n = n;
	for (size_t i = 0; i < n && i < x->n_runs; i++)
		before->value[i] = before->low[i] = before->high[i] = 1;
}

/* Work per second of the runs of both cases, in one unit; both to be released.
 * Returns the ratio of their medians. */
static double
runs_of_row(const struct comparison *c, const struct comparison_row *row,
    struct rounded_runs *before, struct rounded_runs *after)
{
	const struct result_case *x = row->before->c, *y = row->after->c;
	struct work_scale scale;
	double ratio;

	if (!work_scale_of(y, x,
		result_rule_is_strong(&row->after->source->result.rule),
		&scale))
		scale.own = scale.base = 1;
	work_rates_of_runs(x, scale.kind, scale.base, before);
	work_rates_of_runs(y, scale.kind, scale.own, after);
	if (c->paired)
		pair_runs(x, y, before, after);
	ratio = work_rate(scale.kind, y->median_speed, scale.own) /
	    work_rate(scale.kind, x->median_speed, scale.base);
	return isnormal(ratio) ? ratio : NAN;
}

static double *
keep_speeds(struct comparison *c, const double *x, size_t n)
{
	double *copy = arena_calloc(&c->arena, n + 1, sizeof *copy);

	memcpy(copy, x, n * sizeof *copy);
	return copy;
}

static int
check_pairs(const struct comparison_row *row, struct error *e)
{
	char *place;

	if (row->n_after > 0 || row->before->c->n_runs == 0 ||
	    row->after->c->n_runs == 0)
		return 0;
	place = result_file_place(row->after->source, row->after->index);
	error_set(e, ERROR_INPUT,
	    "%s: --paired: no run has the number of one in the other result",
	    place);
	free(place);
	return -1;
}

/* --- statistics of a row -------------------------------------------------- */

static double
log_stddev(const double *x, size_t n)
{
	return n > 1 ? pooled_log_stddev(&x, &n, 1) : NAN;
}

static void
fill_spreads(struct comparison *c, struct comparison_row *row, size_t rank)
{
	const double *both[] = { row->before_speeds, row->after_speeds };
	const size_t n[] = { row->n_before, row->n_after };
	double x, y;

	if (c->paired) {
		row->spread = log_stddev(row->after_speeds, row->n_after);
		row->freedom = (double)row->n_after - 1;
		return;
	}
	row->spread = pooled_log_stddev(both, n, 2);
	row->freedom = (double)(n[0] + n[1]) - 2;
	x = log_stddev(both[0], n[0]);
	y = log_stddev(both[1], n[1]);
	row->spread_ratio = fmax(x, y) / fmin(x, y);
	if (row->spread_ratio > unequal_spreads)
		row->limit_level = rank_test_limit_level(n[0], n[1], rank);
}

static void
fill_sample_size(struct comparison *c, struct comparison_row *row,
    const struct comparison_how *how)
{
	const size_t least =
	    row->n_before < row->n_after ? row->n_before : row->n_after;
	const double spread = row->spread;
	double low, high;

	/* What is simulated is two samples, not pairs. */
	if (isnan(row->spread) || c->paired)
		return;
	row->detectable = detectable_change(spread, (long)least, c->confidence);
	if (isnan(how->detect) ||
	    stddev_interval(spread, row->freedom, c->confidence, &low, &high) !=
		0)
		return;
	if (runs_needed(
		low, how->detect, c->confidence, &row->runs_low, NULL) != 0)
		row->runs_low = RESULT_UNKNOWN;
	if (runs_needed(
		high, how->detect, c->confidence, &row->runs_high, NULL) != 0)
		row->runs_high = RESULT_UNKNOWN;
}

static void
fill_verdict(struct comparison *c, struct comparison_row *row, double delta)
{
	row->p_equivalent = fmax(comparison_side(c, row, 1 / (1 + delta), 0),
	    comparison_side(c, row, 1 + delta, 1));
	if (!(row->level >= c->confidence - 1e-12)) {
		row->verdict = COMPARISON_TOO_FEW;
		return;
	}
	row->is_equivalent =
	    delta > 0 && row->p_equivalent <= 1 - c->confidence + 1e-12;
	if (row->low > 1)
		row->verdict = COMPARISON_FASTER;
	else if (row->high < 1)
		row->verdict = COMPARISON_SLOWER;
	else
		row->verdict = COMPARISON_NO_EVIDENCE;
}

/* Ratio, interval and p of pairs. */
static int
test_pairs(const struct comparison *c, struct comparison_row *row,
    const struct rounded_runs *pairs, struct interval *in, struct error *e)
{
	struct signed_rank s, low, high;

	if (signed_rank_ratio(pairs->value, pairs->n, c->confidence, &s, e) !=
		0 ||
	    signed_rank_ratio(pairs->low, pairs->n, c->confidence, &low, e) !=
		0 ||
	    signed_rank_ratio(pairs->high, pairs->n, c->confidence, &high, e) !=
		0)
		return -1;
	row->ratio = s.ratio;
	row->p = s.p;
	*in = s.interval;
	in->low = low.interval.low;
	in->high = high.interval.high;
	return 0;
}

static int
test_row(struct comparison *c, struct comparison_row *row,
    const struct rounded_runs *before, const struct rounded_runs *after,
    struct interval *in, struct error *e)
{
	if (c->paired)
		return test_pairs(c, row, after, in, e);
	if (rank_test_ratio_median(after->value, after->n, before->value,
		before->n, &row->ratio, e) != 0 ||
	    rounded_ratio(after, before, c->confidence, in, e) != 0)
		return -1;
	return rank_test_mann_whitney(
	    after->value, after->n, before->value, before->n, &row->p, e);
}

static int
fill_row(struct comparison *c, struct comparison_row *row,
    const struct comparison_how *how, struct error *e)
{
	struct interval in = { NAN, NAN, NAN, 0 };
	struct rounded_runs before, after;
	int rc = 0;

	row->ratio = runs_of_row(c, row, &before, &after);
	row->n_before = before.n;
	row->n_after = after.n;
	row->before_speeds = keep_speeds(c, before.value, before.n);
	row->after_speeds = keep_speeds(c, after.value, after.n);
	if (before.n == 0 || after.n == 0) {
		row->verdict = COMPARISON_TOO_FEW; /* published values */
		rc = c->paired ? check_pairs(row, e) : 0;
		goto out;
	}
	rc = test_row(c, row, &before, &after, &in, e);
	if (rc != 0)
		goto out;
	/* Nothing is proven that rounding may hold. */
	if (rounded_runs_are(&before) || rounded_runs_are(&after))
		row->p = fmax(row->p,
		    fmin(1,
			2 *
			    fmin(comparison_side(c, row, 1, 0),
				comparison_side(c, row, 1, 1))));
	row->low = in.low;
	row->high = in.high;
	row->level = in.level;
	fill_spreads(c, row, in.rank);
	fill_sample_size(c, row, how);
	fill_verdict(c, row, how->delta);
out:
	rounded_runs_release(&before);
	rounded_runs_release(&after);
	return rc;
}

double
comparison_side(const struct comparison *c, const struct comparison_row *row,
    double bound, int below)
{
	struct rounded_runs before, after;
	const double *own;
	double p = NAN;

	if (row->n_before == 0 || row->n_after == 0)
		return NAN;
	(void)runs_of_row(c, row, &before, &after);
	own = below ? after.high : after.low;
	if (c->paired)
		signed_rank_side(own, after.n, bound, below, &p, NULL);
	else
		rank_test_ratio_side(own, after.n,
		    below ? before.low : before.high, before.n, bound, below,
		    &p, NULL);
	rounded_runs_release(&before);
	rounded_runs_release(&after);
	return p;
}

/* --- all of it ------------------------------------------------------------ */

static struct comparison_row *
comparison_add_row(struct comparison *c, const struct series *s,
    const struct series_point *before, const struct series_point *after)
{
	struct comparison_row *row;

	c->rows = vec_grow(c->rows, c->n, &c->alloc, sizeof *c->rows);
	row = &c->rows[c->n++];
	*row = (struct comparison_row){ .s = s,
		.before = before,
		.after = after,
		.ratio = NAN,
		.low = NAN,
		.high = NAN,
		.level = NAN,
		.p = NAN,
		.p_holm = NAN,
		.p_bh = NAN,
		.p_equivalent = NAN,
		.spread = NAN,
		.freedom = NAN,
		.limit_level = NAN,
		.spread_ratio = NAN,
		.detectable = NAN,
		.runs_low = RESULT_UNKNOWN,
		.runs_high = RESULT_UNKNOWN };
	return row;
}

static int
has_two_sources(const struct series_set *set)
{
	for (size_t i = 1; i < set->n; i++)
		if (set->items[i].points[0].source !=
		    set->items[0].points[0].source)
			return 1;
	return 0;
}

/* The point of the other file that p is compared with, and its series; NULL:
 * none.  Returns 0; -1 if what would be its partner may not. */
static int
find_partner(const struct partners *all, const struct comparison_how *how,
    const struct series *s, const struct series_point *p, int of_old,
    const struct series_point **q, const struct series **of, struct error *e)
{
	const struct series_point *near;

	*q = partners_find(all, s, p, how->allow_mixed, of, &near);
	if (*q == NULL)
		return near == NULL
		    ? 0
		    : refuse_batch(of_old ? p : near, of_old ? near : p, e);
	if (is_of_like_work(p->c, (*q)->c))
		return 0;
	if (!how->allow_mixed)
		return refuse_work(of_old ? p : *q, of_old ? *q : p, e);
	*q = NULL;
	return 0;
}

/* Rows of one file's points: with their partners, or alone. */
static int
add_rows(struct comparison *c, const struct series_set *set,
    const struct partners *all, const struct comparison_how *how, int of_old,
    struct error *e)
{
	const struct result_file *old = series_first_source(set);

	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_points; k++) {
			const struct series *s = &set->items[i], *other = NULL;
			const struct series_point *p = &s->points[k], *q;

			if ((p->source == old) != of_old)
				continue;
			if (find_partner(
				all, how, s, p, of_old, &q, &other, e) != 0)
				return -1;
			if (of_old)
				comparison_add_row(
				    c, q != NULL ? other : s, p, q);
			else if (q == NULL)
				comparison_add_row(c, s, NULL, p);
			if (!of_old || q == NULL)
				continue;
			if (!how->allow_mixed && check_pair(p, q, e) != 0)
				return -1;
			if (fill_row(c, &c->rows[c->n - 1], how, e) != 0)
				return -1;
			c->n_both++;
		}
	return 0;
}

static void
adjust_p_values(struct comparison *c)
{
	double *p = xcalloc(c->n, sizeof *p);
	double *out = xcalloc(c->n, sizeof *out);

	for (size_t i = 0; i < c->n; i++)
		p[i] = c->rows[i].p;
	holm_adjust(p, c->n, out);
	for (size_t i = 0; i < c->n; i++)
		c->rows[i].p_holm = out[i];
	benjamini_hochberg_adjust(p, c->n, out);
	for (size_t i = 0; i < c->n; i++)
		c->rows[i].p_bh = out[i];
	free(p);
	free(out);
}

/* The geometric mean of the ratios, and its interval: of these cases, by the
 * spread of their runs. */
static void
fill_mean(struct comparison *c)
{
	struct ratio_mean m = RATIO_MEAN_INIT;

	for (size_t i = 0; i < c->n; i++) {
		const struct comparison_row *row = &c->rows[i];
		const double *const x[] = { row->before_speeds,
			row->after_speeds };
		const size_t n[] = { row->n_before, row->n_after };
		const size_t from = c->paired ? 1 : 0; /* the quotients */

		ratio_mean_add(&m, row->ratio, x + from, n + from, 2 - from);
	}
	c->mean = ratio_mean_value(&m);
	ratio_mean_interval(&m, c->confidence, &c->mean_low, &c->mean_high);
}

/* The larger of what the results ask for. */
static double
confidence_of(const struct series_set *set)
{
	double confidence = 0;

	for (size_t i = 0; i < set->n; i++)
		confidence = fmax(confidence,
		    set->items[i].points[0].source->result.rule.confidence);
	return confidence > 0 ? confidence : DEFAULT_CONFIDENCE;
}

int
comparison_init(const struct series_set *set, const struct comparison_how *how,
    struct comparison *out, struct error *e)
{
	struct partners all;
	int rc;

	*out = (struct comparison){ .arena = ARENA_INIT,
		.confidence = isnan(how->confidence) ? confidence_of(set)
						     : how->confidence,
		.paired = how->paired };
	if (metric_choice_need_speeds(set, "a comparison", e) != 0)
		goto fail;
	if (!has_two_sources(set)) {
		error_set(e, ERROR_EMPTY,
		    "only one of the two results has a case to compare");
		goto fail;
	}
	all = partners_of(set);
	rc = add_rows(out, set, &all, how, 1, e);
	if (rc == 0)
		rc = add_rows(out, set, &all, how, 0, e);
	partners_release(&all);
	if (rc != 0)
		goto fail;
	if (out->n_both == 0) {
		error_set(e, ERROR_EMPTY,
		    "no case is in both results: compare their configurations "
		    "with --table=scaling");
		goto fail;
	}
	adjust_p_values(out);
	fill_mean(out);
	return 0;
fail:
	comparison_release(out);
	return -1;
}

void
comparison_release(struct comparison *c)
{
	arena_release(&c->arena);
	free(c->rows);
	*c = (struct comparison){ .rows = NULL };
}

const char *
comparison_source_name(const struct comparison *c, int of_new)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct series_point *p =
		    of_new ? c->rows[i].after : c->rows[i].before;

		if (p != NULL)
			return p->source->name;
	}
	return of_new ? "new" : "old";
}

const char *
comparison_verdict_text(const struct comparison_row *row, enum language lang)
{
	switch (row->verdict) {
	case COMPARISON_FASTER:
		return message(
		    row->is_equivalent ? MESSAGE_FASTER_WITHIN : MESSAGE_FASTER,
		    lang);
	case COMPARISON_SLOWER:
		return message(
		    row->is_equivalent ? MESSAGE_SLOWER_WITHIN : MESSAGE_SLOWER,
		    lang);
	case COMPARISON_TOO_FEW:
		return message(MESSAGE_TOO_FEW_RUNS, lang);
	case COMPARISON_NO_EVIDENCE:
		break;
	}
	return message(
	    row->is_equivalent ? MESSAGE_EQUIVALENT : MESSAGE_NO_EVIDENCE,
	    lang);
}

const char *
comparison_ratio_text(
    char buf[UNITS_TEXT_SIZE], double x, double low, double high)
{
	const int supported = interval_decimals(low, high);
	int decimals = supported < RATIO_DECIMALS ? supported : RATIO_DECIMALS;

	if (!isfinite(x))
		return "n/a";
	/* An interval that leaves 1 out must not print it. */
	if (low > 1)
		decimals = decimals_apart(low, 1, decimals);
	else if (high < 1)
		decimals = decimals_apart(high, 1, decimals);
	if (fabs(x) >= 1e6 || x < 1e-3)
		return number_format(buf, x, RATIO_DECIMALS);
	snprintf(buf, UNITS_TEXT_SIZE, "%.*f", decimals, x);
	return buf;
}
