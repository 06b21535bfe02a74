/* Gates: parsing, checking by the runs' p values, exit status, and output as a
 * table, JUnit XML and GitHub annotations. */
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
#include "common/units/units.h"
#include "report/parts/cell.h"
#include "report/parts/columns.h"
#include "report/parts/notes.h"
#include "report/parts/panel.h"
#include "report/tables/report_makers.h"

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
read_gate(const char *text, struct gate_claim *g, struct error *e)
{
	static const char *const names[] = { "slower", "faster", "efficiency",
		"speedup" };
	static const enum gate_kind kinds[] = { GATE_OF_RATIO, GATE_OF_RATIO,
		GATE_OF_EFFICIENCY, GATE_OF_SPEEDUP };
	const size_t len = strcspn(text, ":<>"), n = strlen(text);
	const int is_ratio = text[len] == ':';
	const int percent = is_ratio && text[n - 1] == '%';
	char *number = xstrndup(text + (len < n ? len + 1 : n),
	    n - len > 1 ? n - len - 1 - (size_t)percent : 0);
	double x;
	size_t k = 0;
	const int bad = parse_double(number, 0,
			    percent        ? 100
				: is_ratio ? 1
					   : 1e9,
			    &x) != 0;

	free(number);
	*g = (struct gate_claim){ .text = text };
	while (k < sizeof names / sizeof names[0] &&
	    (strlen(names[k]) != len || memcmp(names[k], text, len) != 0))
		k++;
	x = percent ? x / 100 : x;
	if (bad || k == sizeof names / sizeof names[0] ||
	    (kinds[k] == GATE_OF_RATIO) != is_ratio ||
	    (is_ratio ? !(x < 1) : !(x > 0)))
		return error_set(e, ERROR_USAGE,
		    "--gate: '%s' is not slower:SHARE, faster:SHARE, "
		    "efficiency<X or speedup<X, as in slower:3%% or "
		    "efficiency<0.8",
		    text);
	g->kind = kinds[k];
	g->below = is_ratio ? k == 0 : text[len] == '<';
	g->bound = !is_ratio ? x : g->below ? 1 - x : 1 + x;
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

/* Note the baselines (each once), the level of proof, and how the cases were
 * measured. */
static void
note_all(struct gate_report *g, const struct series_set *set)
{
	const char *baseline = message(MESSAGE_BASELINE, g->lang);
	struct arena *a = &g->arena;
	const struct panel all = panel_of_all(set, a);
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
}

int
gate_check(const struct gate_ask *ask, struct series_set *set,
    const struct comparison *c, struct gate_report *out, struct error *e)
{
	const struct result_file *only = NULL; /* the new one of two */
	size_t nothing = 0;

	*out = (struct gate_report){ .arena = ARENA_INIT,
		.confidence = c != NULL ? c->confidence : ask->confidence,
		.lang = ask->lang };
	/* Without a given level, the highest of the results. */
	for (size_t i = 0; c == NULL && isnan(ask->confidence) && i < set->n;
	     i++)
		out->confidence = fmax(out->confidence,
		    set->items[i].points[0].source->result.rule.confidence);
	if (isnan(out->confidence))
		out->confidence = DEFAULT_CONFIDENCE;
	for (size_t i = 0; c != NULL && only == NULL && i < c->n; i++)
		if (c->rows[i].after != NULL)
			only = c->rows[i].after->source;
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
			    "--gate=%s: only with --compare OLD "
			    "NEW",
			    claim.text);
			goto fail;
		}
		if (claim.kind == GATE_OF_RATIO)
			add_ratio_rows(out, &claim, set, c);
		else
			add_speedup_rows(out, &claim, set, only);
		if (out->n == first) {
			/* It decides nothing and does not hide the others. */
			add_row(out, &claim, "", NULL)->status = GATE_MISSING;
			add_gate_note(out,
			    text_fill(&out->arena,
				message(MESSAGE_GATE_NOTHING, out->lang),
				claim.text));
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

static int
is_failure(const struct gate_row *row, int fail_unproven)
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
		if (is_failure(&g->rows[i], fail_unproven))
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

static const enum message statuses[] = {
	[GATE_PASSED] = MESSAGE_GATE_PASSED,
	[GATE_NOT_PROVEN] = MESSAGE_GATE_NOT_PROVEN,
	[GATE_TOO_FEW] = MESSAGE_TOO_FEW_RUNS,
	[GATE_MISSING] = MESSAGE_GATE_MISSING,
	[GATE_FAILED] = MESSAGE_GATE_FAILED,
};

/* --- the table ------------------------------------------------------------ */

/* bound that x was compared with */
static void
put_number(struct table *t, const struct report_how *how, double x,
    double bound, int digits)
{
	char buf[UNITS_TEXT_SIZE];

	if (how->flat)
		cell_unrounded(t, x);
	else
		table_cell(t,
		    isfinite(x) ? number_format_apart(buf, x, bound, digits)
				: "");
}

static void
add_columns(struct table *t, const struct report_how *how, int groups)
{
	static const char *const heads[] = { "configuration", "case", "gate",
		"value", "p", "p_holm", "status", "n", "n_other", "baseline",
		"confidence", "rule", "measured", NULL };

	if (how->flat) {
		flat_columns(t, heads);
		return;
	}
	if (groups)
		table_column(t, "", NULL, TABLE_LEFT);
	table_column(t, message(MESSAGE_CASE, how->lang), NULL, TABLE_LEFT);
	table_column(t, message(MESSAGE_GATE, how->lang), NULL, TABLE_LEFT);
	table_column(t, message(MESSAGE_VALUE, how->lang), NULL, TABLE_DECIMAL);
	table_column(t, "p (Holm)", NULL, TABLE_DECIMAL);
	table_column(t, message(MESSAGE_RUNS, how->lang), NULL, TABLE_RIGHT);
	table_column(t, message(MESSAGE_STATUS, how->lang), NULL, TABLE_LEFT);
}

void
gate_make(const struct gate_report *g, const struct report_how *how,
    struct report_tables *list)
{
	struct table *t = report_tables_add(list);
	int groups = 0;

	for (size_t i = 0; i < g->n; i++)
		groups |= g->rows[i].group[0] != '\0';
	table_title(t, "%s", message(MESSAGE_GATE, how->lang));
	add_columns(t, how, groups);
	for (size_t i = 0; i < g->n; i++) {
		const struct gate_row *row = &g->rows[i];
		struct measured_case measured;

		table_row(t);
		if (groups || how->flat)
			table_cell(t, row->group);
		table_cell(t, row->name);
		table_cell(t, row->gate);
		if (cell_ratio_digits_asked(how) && isfinite(row->value))
			cell_ratio(t, how, row->value);
		else
			put_number(t, how, row->value, row->bound, 4);
		if (how->flat)
			cell_unrounded(t, row->p);
		put_number(t, how, row->p_holm, g->alpha, 2);
		/* "7, 5" if the baseline has another number of runs. */
		if (!how->flat)
			table_cell(t,
			    row->n == 0 ? ""
				: row->n == row->n_other
				? arena_printf(&t->arena, "%zu", row->n)
				: arena_printf(&t->arena, "%zu, %zu", row->n,
				      row->n_other));
		table_cell(t,
		    message(statuses[row->status],
			how->flat ? LANGUAGE_EN : how->lang));
		if (row->status == GATE_FAILED)
			table_emphasise(t, TABLE_BAD);
		else if (row->status == GATE_PASSED)
			table_emphasise(t, TABLE_GOOD);
		if (how->flat) {
			table_cellf(t, "%zu", row->n);
			table_cellf(t, "%zu", row->n_other);
			table_cell(t, row->over);
			cell_unrounded(t, g->confidence);
			if (row->point != NULL) {
				measured = keys_measured(row->s, row->point);
				measured_columns_fill(t, &measured, 1);
			}
		}
	}
	for (size_t i = 0; i < g->n_notes; i++)
		table_note(t, "%s", g->notes[i]);
}

/* --- sentences ------------------------------------------------------------ */

/* "slower:3% is proven: the value is 0.968, p 0.0079 by Holm (proof: at most
 * 0.025), 5 and 5 runs" */
static const char *
sentence_of(
    struct arena *a, const struct gate_row *row, const struct gate_report *g)
{
	static const enum message sentences[] = {
		[GATE_PASSED] = MESSAGE_GATE_REFUTED_IS,
		[GATE_NOT_PROVEN] = MESSAGE_GATE_NOT_PROVEN_IS,
		[GATE_TOO_FEW] = MESSAGE_GATE_TOO_FEW_IS,
		[GATE_MISSING] = MESSAGE_GATE_MISSING_IS,
		[GATE_FAILED] = MESSAGE_GATE_PROVEN_IS,
	};
	const char *sentence = message(
	    row->point == NULL ? MESSAGE_GATE_NOTHING : sentences[row->status],
	    g->lang);
	const char *n = arena_printf(a, "%zu", row->n);
	const char *other = arena_printf(a, "%zu", row->n_other);
	char value[UNITS_TEXT_SIZE], p[UNITS_TEXT_SIZE];

	number_format_apart(value, row->value, row->bound, 4);
	number_format_apart(p, row->p_holm, g->alpha, 2);
	if (row->status == GATE_TOO_FEW)
		return text_fill(a, sentence, row->gate, value, n, other);
	return text_fill(a, sentence, row->gate, value, p,
	    arena_printf(a, "%.12g", g->alpha), n, other);
}

static void
put_xml(FILE *f, const char *text)
{
	for (; *text != '\0'; text++)
		if (*text == '<')
			fputs("&lt;", f);
		else if (*text == '>')
			fputs("&gt;", f);
		else if (*text == '&')
			fputs("&amp;", f);
		else if (*text == '"')
			fputs("&quot;", f);
		else
			putc((unsigned char)*text < ' ' ? ' ' : *text, f);
}

static void
put_junit_case(const struct gate_report *g, const struct gate_row *row,
    int fail_unproven, FILE *f)
{
	const char *element = row->status == GATE_MISSING ? "error"
	    : is_failure(row, fail_unproven)              ? "failure"
							  : "skipped";
	const int passed = row->status == GATE_PASSED;
	struct arena a = ARENA_INIT;

	fputs("  <testcase classname=\"", f);
	put_xml(f, row->group[0] != '\0' ? row->group : "result");
	fputs("\" name=\"", f);
	put_xml(f, row->name);
	putc(' ', f);
	put_xml(f, row->gate);
	fprintf(f, "\">\n    <%s", passed ? "system-out>" : element);
	fputs(passed ? "" : " message=\"", f);
	put_xml(f, sentence_of(&a, row, g));
	fprintf(f, "%s\n  </testcase>\n", passed ? "</system-out>" : "\"/>");
	arena_release(&a);
}

void
gate_write_junit(const struct gate_report *g, int fail_unproven, FILE *f)
{
	size_t failures = 0, errors = 0, skipped = 0;

	for (size_t i = 0; i < g->n; i++) {
		const struct gate_row *row = &g->rows[i];

		if (row->status == GATE_MISSING)
			errors++;
		else if (is_failure(row, fail_unproven))
			failures++;
		else
			skipped += row->status != GATE_PASSED;
	}
	fprintf(f,
	    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<testsuite name=\"report_results\" tests=\"%zu\" failures=\"%zu\" "
	    "errors=\"%zu\" skipped=\"%zu\">\n",
	    g->n, failures, errors, skipped);
	for (size_t i = 0; i < g->n; i++)
		put_junit_case(g, &g->rows[i], fail_unproven, f);
	for (size_t i = 0; i < g->n_notes; i++) {
		fputs(i == 0 ? "  <system-out>" : "\n", f);
		put_xml(f, g->notes[i]);
	}
	if (g->n_notes > 0)
		fputs("</system-out>\n", f);
	fputs("</testsuite>\n", f);
}

/* Characters that GitHub's runner decodes; a line end would end the command. */
static void
put_github(FILE *f, const char *text, const char *also)
{
	for (; *text != '\0'; text++) {
		const unsigned char c = (unsigned char)*text;

		if (c < ' ' || c == '%' || strchr(also, c) != NULL)
			fprintf(f, "%%%02X", c);
		else
			putc(c, f);
	}
}

void
gate_write_github(const struct gate_report *g, int fail_unproven, FILE *f)
{
	struct arena a = ARENA_INIT;

	for (size_t i = 0; i < g->n; i++) {
		const struct gate_row *row = &g->rows[i];

		if (row->status == GATE_PASSED)
			continue;
		fprintf(f, "::%s title=",
		    row->status == GATE_MISSING ||
			    is_failure(row, fail_unproven)
			? "error"
			: "warning");
		put_github(f, row->group, ":,");
		put_github(f, row->group[0] != '\0' ? " " : "", ":,");
		put_github(f, row->name, ":,");
		fputs("::", f);
		put_github(f, sentence_of(&a, row, g), "");
		putc('\n', f);
	}
	for (size_t i = 0; i < g->n_notes; i++) {
		fputs("::notice::", f);
		put_github(f, g->notes[i], "");
		putc('\n', f);
	}
	arena_release(&a);
}
