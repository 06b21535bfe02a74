/* Gates: parsing, checking by the runs' p values, exit status. */
#include <config.h>

#include "report/gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/defaults.h"
#include "common/result/work_rate.h"
#include "common/series/metric_choice.h"
#include "common/stats/sample_size.h"
#include "common/stats/rank_test.h"
#include "common/text.h"
#include "report/parts/notes.h"
#include "report/parts/panel.h"
#include "report/tables/compare.h"

enum gate_kind { GATE_OF_RATIO, GATE_OF_EFFICIENCY, GATE_OF_SPEEDUP };

/* A gate's claim: the quantity is below (or above) the bound. The gate fails
 * where the claim is proven.
 */
struct gate_claim {
	const char *text;
	enum gate_kind kind;
	int below;
	double bound;
};

enum { MOST_RUNS_NAMED = 1000 };

/* --- reading -------------------------------------------------------------- */

static int
is_word(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && memcmp(text, word, len) == 0;
}

static int
bad_gate(const char *text, struct error *e)
{
	return error_set(e, ERROR_USAGE,
	    "--gate: '%s' is not slower:SHARE, faster:SHARE, efficiency<X or "
	    "speedup<X, as in slower:3%% or efficiency<0.8",
	    text);
}

static int
read_ratio_gate(struct gate_claim *g, size_t len, struct error *e)
{
	const char *number = g->text + len + 1;
	const size_t n = strlen(number);
	const int percent = n > 0 && number[n - 1] == '%';
	char *copy = xstrndup(number, n - (size_t)percent);
	double share;
	int bad = parse_double(copy, 0, percent ? 100 : 1, &share) != 0;

	free(copy);
	g->kind = GATE_OF_RATIO;
	g->below = is_word(g->text, len, "slower");
	share = percent ? share / 100 : share;
	if (bad || !(share < 1) ||
	    (!g->below && !is_word(g->text, len, "faster")))
		return bad_gate(g->text, e);
	g->bound = g->below ? 1 - share : 1 + share;
	return 0;
}

static int
read_gate(const char *text, struct gate_claim *g, struct error *e)
{
	const size_t len = strcspn(text, ":<>");

	*g = (struct gate_claim){ .text = text, .below = text[len] == '<' };
	if (text[len] == ':')
		return read_ratio_gate(g, len, e);
	if (is_word(text, len, "efficiency"))
		g->kind = GATE_OF_EFFICIENCY;
	else if (is_word(text, len, "speedup"))
		g->kind = GATE_OF_SPEEDUP;
	else
		return bad_gate(text, e);
	if (text[len] == '\0' ||
	    parse_double(text + len + 1, 0, 1e9, &g->bound) != 0 ||
	    !(g->bound > 0))
		return bad_gate(text, e);
	return 0;
}

/* --- rows ----------------------------------------------------------------- */

/* c NULL: no case has the gate's quantity */
static struct gate_row *
add_row(struct gate_report *g, const struct gate_claim *claim,
    const char *group, const struct result_case *c)
{
	struct gate_row *row;

	g->rows = vec_grow(g->rows, g->n, &g->alloc, sizeof *g->rows);
	row = &g->rows[g->n++];
	*row = (struct gate_row){ .gate = claim->text,
		.group = group,
		.name =
		    c == NULL ? "-" : series_case_name(&g->arena, c, g->lang),
		.value = NAN,
		.bound = claim->bound,
		.p = NAN,
		.p_holm = NAN,
		.p_opposite = NAN,
		.least_p = NAN };
	return row;
}

static void
add_ratio_rows(struct gate_report *g, const struct gate_claim *claim,
    struct series_set *set, const struct comparison *c)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct comparison_row *from = &c->rows[i];
		const char *group = compare_row_group(set, from, g->lang);
		struct gate_row *row;

		if (from->before == NULL)
			continue;
		row = add_row(g, claim, group, from->before->c);
		row->over = comparison_source_name(c, 0);
		row->s = from->s;
		row->point = from->before;
		if (from->after == NULL) {
			row->status = GATE_MISSING;
			continue;
		}
		row->point = from->after;
		row->n = from->n_after;
		row->n_other = from->n_before;
		row->value = from->ratio;
		row->p = comparison_side(c, from, claim->bound, claim->below);
		row->p_opposite =
		    comparison_side(c, from, claim->bound, !claim->below);
		if (from->n_before == 0 || from->n_after == 0)
			continue;
		row->least_p = c->paired
		    ? exp2(-(double)from->n_after)
		    : rank_test_u_at_most(from->n_before, from->n_after, 0);
	}
}

/* p value of a point's speedup over its baseline. */
static void
test_speedup(struct gate_row *row, const struct series_point *p,
    const struct series_point *base, double bound, int below)
{
	struct work_scale scale;
	struct rounded_runs own, other;

	row->n = p->c->n_runs;
	row->n_other = base->c->n_runs;
	if (p->c->n_runs == 0 || base->c->n_runs == 0 ||
	    !work_scale_of(p->c, base->c,
		result_rule_is_strong(&p->source->result.rule), &scale))
		return;
	work_rates_of_runs(p->c, scale.kind, scale.own, &own);
	work_rates_of_runs(base->c, scale.kind, scale.base, &other);
	/* Use the interval ends that are least favourable to the claim. */
	if (rank_test_ratio_side(below ? own.high : own.low, own.n,
		below ? other.low : other.high, other.n, bound, below, &row->p,
		NULL) == 0 &&
	    rank_test_ratio_side(below ? own.low : own.high, own.n,
		below ? other.high : other.low, other.n, bound, !below,
		&row->p_opposite, NULL) == 0)
		row->least_p =
		    rank_test_u_at_most(p->c->n_runs, base->c->n_runs, 0);
	rounded_runs_release(&own);
	rounded_runs_release(&other);
}

/* source whose cases get a row; NULL: all */
static void
add_speedup_rows(struct gate_report *g, const struct gate_claim *claim,
    struct series_set *set, const struct result_file *only)
{
	for (struct panel_point x = { NULL }; panel_next_of_set(set, &x);) {
		const struct series_point *base = series_baseline(x.s, x.c);
		const double share = x.c->efficiency / x.c->speedup;
		const int of_speedup = claim->kind == GATE_OF_SPEEDUP;
		struct gate_row *row;

		if ((only != NULL && x.p->source != only) ||
		    !isfinite(x.c->speedup) || base == x.p)
			continue;
		row = add_row(g, claim,
		    series_text(set, x.s, set->differing, g->lang), x.c);
		row->over = x.c->baseline;
		row->s = x.s;
		row->point = x.p;
		row->value = of_speedup ? x.c->speedup : x.c->efficiency;
		if (base != NULL)
			test_speedup(row, x.p, base,
			    of_speedup ? claim->bound : claim->bound / share,
			    claim->below);
	}
}

static void
add_gate_note(struct gate_report *g, const char *note)
{
	g->notes =
	    vec_grow(g->notes, g->n_notes, &g->alloc_notes, sizeof *g->notes);
	g->notes[g->n_notes++] = note;
}

/* A gate without any case decides nothing and does not hide the others. */
static void
add_nothing(struct gate_report *g, const struct gate_claim *claim)
{
	add_row(g, claim, "", NULL)->status = GATE_MISSING;
	add_gate_note(g,
	    text_fill(&g->arena, message(MESSAGE_GATE_NOTHING, g->lang),
		claim->text));
}

/* --- verdicts ------------------------------------------------------------- */

/* Smallest n per case at which a gate over so many cases can fail. */
static long
runs_to_fail(double alpha, size_t n_cases, int paired)
{
	for (long n = 2; n < MOST_RUNS_NAMED; n++) {
		const double least = paired
		    ? exp2(-(double)n)
		    : rank_test_u_at_most((size_t)n, (size_t)n, 0);

		if (least * (double)n_cases <= alpha * (1 + 1e-12))
			return n;
	}
	return MOST_RUNS_NAMED;
}

static void
judge_row(struct gate_row *row, double alpha, size_t n_cases)
{
	const double enough = alpha * (1 + 1e-12);

	if (row->status == GATE_MISSING)
		return;
	if (isnan(row->least_p) || row->least_p * (double)n_cases > enough)
		row->status = GATE_TOO_FEW;
	else if (row->p_holm <= enough)
		row->status = GATE_FAILED;
	else if (row->p_opposite <= enough)
		row->status = GATE_PASSED;
	else
		row->status = GATE_NOT_PROVEN;
}

static void
judge_gate(struct gate_report *g, size_t first, int paired, const char *gate)
{
	const size_t n = g->n - first;
	double *p = xcalloc(n, sizeof *p);
	size_t tested = 0, too_few = 0;
	struct arena *a = &g->arena;
	enum message cannot;

	for (size_t i = 0; i < n; i++) {
		p[i] = g->rows[first + i].p;
		tested += !isnan(p[i]);
	}
	holm_adjust(p, n, p);
	for (size_t i = 0; i < n; i++) {
		g->rows[first + i].p_holm = p[i];
		judge_row(&g->rows[first + i], g->alpha, tested);
		too_few += g->rows[first + i].status == GATE_TOO_FEW;
	}
	free(p);
	if (too_few == 0)
		return;
	tested = tested > 0 ? tested : 1;
	cannot = paired ? MESSAGE_GATE_CANNOT_PAIRS : MESSAGE_GATE_CANNOT;
	add_gate_note(g,
	    text_fill(a, message(cannot, g->lang), gate,
		arena_printf(a, "%zu", too_few), arena_printf(a, "%zu", n),
		arena_printf(a, "%zu", tested),
		arena_printf(
		    a, "%ld", runs_to_fail(g->alpha, tested, paired))));
}

static double
confidence_of(const struct gate_ask *ask, const struct series_set *set)
{
	double confidence = ask->confidence;

	for (size_t i = 0; isnan(ask->confidence) && i < set->n; i++)
		confidence = fmax(confidence,
		    set->items[i].points[0].source->result.rule.confidence);
	return isnan(confidence) ? DEFAULT_CONFIDENCE : confidence;
}

static const struct result_file *
new_source(const struct comparison *c)
{
	for (size_t i = 0; c != NULL && i < c->n; i++)
		if (c->rows[i].after != NULL)
			return c->rows[i].after->source;
	return NULL;
}

/* Note the baselines (each once), the level of proof, and how the cases were
 * measured. */
static void
note_all(struct gate_report *g, const struct series_set *set)
{
	const char *baseline = message(MESSAGE_BASELINE, g->lang);
	struct arena *a = &g->arena;
	struct panel all = panel_of_all(set);
	const char *rule = notes_rule_text(&all, a, g->lang);

	for (size_t i = 0; i < g->n; i++) {
		size_t k = 0;

		while (k < i && !text_same(g->rows[k].over, g->rows[i].over))
			k++;
		if (k == i && g->rows[i].over != NULL)
			add_gate_note(g,
			    arena_printf(
				a, "%s: %s", baseline, g->rows[i].over));
	}
	add_gate_note(g,
	    text_fill(a, message(MESSAGE_GATE_PROOF, g->lang),
		arena_printf(a, "%.12g", g->alpha),
		arena_printf(a, "%.6g %%", 100 * g->confidence)));
	if (rule != NULL)
		add_gate_note(g,
		    arena_printf(
			a, "%s: %s", message(MESSAGE_RULE, g->lang), rule));
	free(all.s);
}

int
gate_check(const struct gate_ask *ask, struct series_set *set,
    const struct comparison *c, struct gate_report *out, struct error *e)
{
	size_t nothing = 0;

	*out = (struct gate_report){ .arena = ARENA_INIT,
		.confidence =
		    c != NULL ? c->confidence : confidence_of(ask, set),
		.lang = ask->lang };
	out->alpha = (1 - out->confidence) / 2;
	if (metric_choice_need_speeds(set, "--gate", e) != 0)
		goto fail;
	for (size_t i = 0; i < ask->gates->n; i++) {
		const size_t first = out->n;
		const int paired = c != NULL && c->paired;
		struct gate_claim claim;

		if (read_gate(ask->gates->items[i], &claim, e) != 0)
			goto fail;
		if (claim.kind == GATE_OF_RATIO && c == NULL) {
			error_set(e, ERROR_USAGE,
			    "--gate=%s is of --compare OLD NEW", claim.text);
			goto fail;
		}
		if (claim.kind == GATE_OF_RATIO)
			add_ratio_rows(out, &claim, set, c);
		else
			add_speedup_rows(out, &claim, set, new_source(c));
		if (out->n == first) {
			add_nothing(out, &claim);
			nothing++;
			continue;
		}
		judge_gate(out, first, claim.kind == GATE_OF_RATIO && paired,
		    claim.text);
	}
	if (nothing == ask->gates->n) {
		error_set(e, ERROR_EMPTY,
		    "--gate=%s: no case has a speedup over another",
		    ask->gates->items[0]);
		goto fail;
	}
	note_all(out, set);
	return 0;
fail:
	gate_release(out);
	return -1;
}

int
gate_is_failure(const struct gate_row *row, int fail_unproven)
{
	return row->status == GATE_FAILED ||
	    (fail_unproven &&
		(row->status == GATE_NOT_PROVEN ||
		    row->status == GATE_TOO_FEW));
}

int
gate_exit_status(const struct gate_report *g, int fail_unproven)
{
	int status = EXIT_STATUS_OK;

	for (size_t i = 0; i < g->n; i++) {
		if (gate_is_failure(&g->rows[i], fail_unproven))
			return EXIT_STATUS_GATE;
		if (g->rows[i].status == GATE_MISSING)
			status = EXIT_STATUS_EMPTY;
	}
	return status;
}

void
gate_release(struct gate_report *g)
{
	arena_release(&g->arena);
	free(g->rows);
	free(g->notes);
	*g = (struct gate_report){ .rows = NULL };
}
