/* Gates: parsing, checking by the runs' p values, exit status, and output as a
 * table, JUnit XML and GitHub annotations. */
#include <config.h>

#include "report/tables/report.h"

#include <math.h>
#include <string.h>

#include "common/defaults.h"
#include "common/result/work_rate.h"
#include "common/stats/rank_test.h"
#include "common/text.h"
#include "common/units/units.h"
#include "report/parts/columns.h"
#include "report/parts/panel.h"

enum gate_kind { GATE_OF_RATIO, GATE_OF_EFFICIENCY, GATE_OF_SPEEDUP };

/* A gate's claim: the quantity is below (or above) the bound. The gate fails
 * where the claim is proven.
 */
struct gate_claim {
	const char *text; /* as given, "slower:3%" */
	enum gate_kind kind;
	int below;
	double bound;
};

/* --- reading -------------------------------------------------------------- */

static int
read_gate(const char *text, struct gate_claim *g, struct error *e)
{
	static const struct {
		const char *start;
		enum gate_kind kind;
		int below;
	} claims[] = {
		{ "slower:", GATE_OF_RATIO, 1 },
		{ "faster:", GATE_OF_RATIO, 0 },
		{ "efficiency<", GATE_OF_EFFICIENCY, 1 },
		{ "efficiency>", GATE_OF_EFFICIENCY, 0 },
		{ "speedup<", GATE_OF_SPEEDUP, 1 },
		{ "speedup>", GATE_OF_SPEEDUP, 0 },
	};

	for (size_t i = 0; i < sizeof claims / sizeof claims[0]; i++) {
		const size_t len = strlen(claims[i].start);
		const int below = claims[i].below;
		double x;

		if (strncmp(text, claims[i].start, len) != 0)
			continue;
		*g = (struct gate_claim){ text, claims[i].kind, below, 0 };
		if (g->kind == GATE_OF_RATIO
			? share_parse("gate", text + len, &x, NULL) != 0 ||
			    x >= 1
			: parse_double(text + len, 0, 1e9, &x) != 0 || x <= 0)
			break;
		g->bound = g->kind != GATE_OF_RATIO ? x : below ? 1 - x : 1 + x;
		return 0;
	}
	return error_set(e, ERROR_USAGE,
	    "--gate: '%s' is not slower:SHARE, faster:SHARE, efficiency<X or "
	    "speedup<X, as in slower:3%% or efficiency<0.8",
	    text);
}

int
gates_check(const struct opt_list *gates, int *compare, struct error *e)
{
	struct gate_claim claim;

	for (size_t i = 0; i < gates->n; i++) {
		if (read_gate(gates->items[i], &claim, e) != 0)
			return -1;
		*compare |= claim.kind == GATE_OF_RATIO;
	}
	return 0;
}

/* --- rows ----------------------------------------------------------------- */

/* c NULL: no case has the gate's quantity */
static struct gate_row *
add_row(struct gate_report *g, const struct gate_claim *claim,
    const char *group, const struct result_case *c)
{
	static const struct gate_row unknown = { .name = "-",
		.value = NAN,
		.p = NAN,
		.p_holm = NAN,
		.p_opposite = NAN,
		.least_p = NAN,
		.flags = "",
		.marks = "" };
	struct gate_row *row;

	g->rows = arena_grow(&g->notes.arena, g->rows, g->n, sizeof *g->rows);
	row = &g->rows[g->n++];
	*row = unknown;
	row->gate = claim->text;
	row->bound = claim->bound;
	row->group = group;
	if (c != NULL)
		row->name = series_case_name(&g->notes.arena, c, g->lang);
	return row;
}

/* Add the doubts of a side of a row.
 *
 * side  its name; NULL: that of the row */
static void
add_flags(struct gate_report *g, struct gate_row *row,
    const struct result_case *c, int of_speedup, const char *side)
{
	struct arena *a = &g->notes.arena;
	size_t n;
	const struct case_flag *doubts = case_doubts(c, of_speedup, a, &n);

	for (size_t i = 0; i < n; i++)
		row->in_doubt |= remark_stops_gate(&doubts[i].from);
	row->flags = arena_join(a, row->flags, "; ",
	    case_doubts_text(c, of_speedup, side, g->lang, a));
	row->marks = arena_join(a, row->marks, " ",
	    case_flags_marks(&g->flags, c, of_speedup, side, a));
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
		row->over = c->files[0]->name;
		row->s = from->s;
		row->point = from->before;
		if (from->after == NULL) {
			row->status = GATE_MISSING;
			continue;
		}
		add_flags(g, row, from->before->c, 0, row->over);
		add_flags(g, row, from->after->c, 0, c->files[1]->name);
		row->point = from->after;
		row->n = (long)from->after_runs.n;
		row->n_other = (long)from->before_runs.n;
		row->value = from->ratio;
		row->p = comparison_side(c, from, claim->bound, claim->below);
		row->p_opposite =
		    comparison_side(c, from, claim->bound, !claim->below);
		if (row->n > 0 && row->n_other > 0)
			row->least_p = rank_test_least_p(
			    from->after_runs.n, from->before_runs.n, c->paired);
	}
}

/* only  source whose cases get a row; NULL: all */
static void
add_speedup_rows(struct gate_report *g, const struct gate_claim *claim,
    struct series_set *set, const struct result_file *only)
{
	for (struct panel_point x = { NULL }; panel_next_of_set(set, &x);) {
		const struct series_point *base = series_baseline(x.s, x.c);
		const double share = x.c->efficiency / x.c->speedup;
		const int of_speedup = claim->kind == GATE_OF_SPEEDUP;
		const int below = claim->below;
		const double bound =
		    of_speedup ? claim->bound : claim->bound / share;
		struct rounded_runs own, other;
		struct work_scale scale;
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
		add_flags(g, row, x.c, 1, NULL);
		if (base == NULL)
			continue;
		row->n = (long)x.c->n_runs;
		row->n_other = (long)base->c->n_runs;
		if (row->n == 0 || row->n_other == 0 ||
		    !work_scale_of(x.c, base->c,
			result_rule_is_strong(&x.p->source->result.rule),
			&scale))
			continue;
		work_rates_of_runs(
		    x.c, scale.kind, scale.own, &g->notes.arena, &own);
		work_rates_of_runs(
		    base->c, scale.kind, scale.base, &g->notes.arena, &other);
		row->p = rounded_side(&own, &other, bound, below);
		row->p_opposite = rounded_side(&own, &other, bound, !below);
		if (!isnan(row->p))
			row->least_p =
			    rank_test_least_p(x.c->n_runs, base->c->n_runs, 0);
	}
}

/* --- verdicts ------------------------------------------------------------- */

static void
judge_gate(struct gate_report *g, size_t first, int paired, const char *gate)
{
	const double enough = g->alpha * (1 + 1e-12);
	const size_t n = g->n - first;
	struct arena *a = &g->notes.arena;
	double *p = arena_calloc(a, n, sizeof *p);
	size_t tested = 0, too_few = 0;
	const char *needed;

	for (size_t i = 0; i < n; i++) {
		p[i] = g->rows[first + i].p;
		tested += !isnan(p[i]);
	}
	p_adjust(p, n, 1, p);
	for (size_t i = 0; i < n; i++) {
		struct gate_row *row = &g->rows[first + i];

		row->p_holm = p[i];
		if (row->status == GATE_MISSING)
			continue;
		row->status = isnan(row->least_p) ||
			row->least_p * (double)tested > enough
		    ? GATE_TOO_FEW
		    : row->p_holm <= enough     ? GATE_FAILED
		    : row->p_opposite <= enough ? GATE_PASSED
						: GATE_NOT_PROVEN;
		too_few += row->status == GATE_TOO_FEW;
		if (row->in_doubt && g->flagged != GATE_FLAGGED_IGNORE &&
		    (row->status == GATE_FAILED ||
			row->status == GATE_PASSED)) {
			row->status = GATE_FLAGGED;
			g->n_flagged++;
		}
	}
	g->n_too_few += too_few;
	tested = tested > 0 ? tested : 1;
	needed = text_fill(a,
	    message(paired ? MESSAGE_GATE_TAKES_PAIRS : MESSAGE_GATE_TAKES,
		g->lang),
	    arena_printf(a, "%ld",
		rank_test_runs_for(g->alpha / (double)tested, paired)));
	if (too_few > 0 && n == 1)
		note_message(
		    &g->notes, g->lang, MESSAGE_GATE_CANNOT_ONE, gate, needed);
	else if (too_few > 0)
		note_message(&g->notes, g->lang, MESSAGE_GATE_CANNOT, gate,
		    arena_printf(a, "%zu", too_few), arena_printf(a, "%zu", n),
		    arena_printf(a, "%zu", tested), needed);
}

/* Note the baselines (each once), the level of proof, and how the cases were
 * measured. */
static void
note_all(
    struct gate_report *g, struct series_set *set, const struct comparison *c)
{
	struct arena *a = &g->notes.arena;
	const struct panel all = panel_of_all(set, a);

	for (size_t i = 0; i < g->n; i++) {
		size_t k = 0;

		while (k < i && !text_same(g->rows[k].over, g->rows[i].over))
			k++;
		if (k == i && g->rows[i].over != NULL)
			table_note(&g->notes, "%s: %s",
			    message(MESSAGE_BASELINE, g->lang),
			    g->rows[i].over);
	}
	if (c != NULL)
		compare_note_order(&g->notes, set, c, g->lang);
	note_message(&g->notes, g->lang, MESSAGE_GATE_PROOF,
	    arena_printf(a, "%.12g", g->alpha),
	    arena_printf(a, "%.6g %%", 100 * g->confidence));
	if (g->n_flagged > 0)
		note_message(&g->notes, g->lang, MESSAGE_GATE_FLAGGED_NOTE,
		    arena_printf(a, "%zu", g->n_flagged),
		    arena_printf(a, "%zu", g->n));
	notes_rules(set, &g->notes, &all, g->lang);
}

int
gate_check(const struct opt_list *gates, struct series_set *set,
    const struct comparison *c, struct gate_report *g, struct error *e)
{
	const struct result_file *only = c != NULL ? c->files[1] : NULL;
	size_t nothing = 0;
	const double given = c != NULL ? c->confidence : g->confidence;
	double level = given;
	int rc = series_need_speeds(set, "--gate", e);

	g->set = set;
	g->flags = CASE_FLAGS_INIT(g->lang);
	/* The given level, else the highest of the results. */
	for (size_t i = 0; c == NULL && isnan(given) && i < set->n; i++)
		level = fmax(level,
		    set->items[i].points[0].source->result.rule.confidence);
	g->confidence = isnan(level) ? DEFAULT_CONFIDENCE : level;
	g->alpha = (1 - g->confidence) / 2;
	g->sessions = c != NULL && c->sessions;
	for (size_t i = 0; rc == 0 && i < gates->n; i++) {
		const size_t first = g->n;
		struct gate_claim claim;
		int of_ratio;

		rc = read_gate(gates->items[i], &claim, e);
		if (rc != 0)
			break;
		of_ratio = claim.kind == GATE_OF_RATIO;
		if (of_ratio)
			add_ratio_rows(g, &claim, set, c);
		else
			add_speedup_rows(g, &claim, set, only);
		if (g->n > first) {
			judge_gate(g, first, of_ratio && c->paired, claim.text);
			continue;
		}
		/* A gate without cases does not affect the other gates. */
		add_row(g, &claim, "", NULL)->status = GATE_MISSING;
		note_message(
		    &g->notes, g->lang, MESSAGE_GATE_NOTHING, claim.text);
		nothing++;
	}
	if (rc == 0 && nothing == gates->n)
		rc = error_set(e, ERROR_EMPTY,
		    "--gate=%s: no case has a speedup over another",
		    gates->items[0]);
	if (rc == 0)
		note_all(g, set, c);
	else
		gate_release(g);
	return rc;
}

static int
is_failure(const struct gate_report *g, const struct gate_row *row)
{
	return row->status == GATE_FAILED ||
	    (row->status == GATE_FLAGGED && g->flagged == GATE_FLAGGED_FAIL) ||
	    (g->fail_unproven &&
		(row->status == GATE_NOT_PROVEN ||
		    row->status == GATE_TOO_FEW));
}

int
gate_exit_status(const struct gate_report *g)
{
	int status = EXIT_STATUS_OK;

	for (size_t i = 0; i < g->n; i++) {
		if (is_failure(g, &g->rows[i]))
			return EXIT_STATUS_GATE;
		if (g->rows[i].status == GATE_MISSING)
			status = EXIT_STATUS_EMPTY;
	}
	return status;
}

void
gate_release(struct gate_report *g)
{
	table_release(&g->notes);
	case_flags_release(&g->flags);
}

/* The word of a status, and its sentence or the words in MESSAGE_GATE_IS:
 * "slower:3% is proven: the value is 0.968, p 0.0079 by Holm (proof: at most
 * 0.025), 5 and 5 runs". */
static const struct {
	enum message word, sentence;
} statuses[] = {
	[GATE_PASSED] = { MESSAGE_GATE_PASSED, MESSAGE_GATE_IS_REFUTED },
	[GATE_NOT_PROVEN] = { MESSAGE_GATE_NOT_PROVEN,
	    MESSAGE_GATE_IS_NOT_PROVEN },
	[GATE_TOO_FEW] = { MESSAGE_TOO_FEW_RUNS, MESSAGE_GATE_TOO_FEW_IS },
	[GATE_MISSING] = { MESSAGE_GATE_MISSING, MESSAGE_GATE_MISSING_IS },
	[GATE_FLAGGED] = { MESSAGE_FLAGGED, MESSAGE_GATE_IS_FLAGGED },
	[GATE_FAILED] = { MESSAGE_FAILED, MESSAGE_GATE_IS_PROVEN },
};

/* --- the table ------------------------------------------------------------ */

/* A number with the digits that set it apart from its bound; empty if it is
 * unknown. */
static void
put_number(struct table *t, double x, double bound, int digits)
{
	char buf[UNITS_TEXT_SIZE];

	table_cell(
	    t, isfinite(x) ? short_format_apart(buf, x, bound, digits) : "");
}

static void
add_row_cells(struct table *t, const struct report_how *how,
    const struct gate_row *row, const char *status)
{
	table_cell(t, row->name);
	table_cell(t, row->gate);
	if (how->ratio_decimals >= 0 && isfinite(row->value))
		cell_ratio(t, how, row->value);
	else
		put_number(t, row->value, row->bound, 4);
	put_number(t, row->p_holm, how->gates->alpha, 2);
	/* "7, 5" if the baseline has another number of runs. */
	if (row->n == 0)
		table_cell(t, "");
	else if (row->n == row->n_other)
		table_cellf(t, "%ld", row->n);
	else
		table_cellf(t, "%ld, %ld", row->n, row->n_other);
	table_cell(t, status);
	if (row->status == GATE_FAILED || row->status == GATE_PASSED)
		table_last_cell(t)->emphasis =
		    row->status == GATE_FAILED ? TABLE_BAD : TABLE_GOOD;
}

void
gate_make(const struct report_how *how, struct report_tables *list)
{
	static const char *const flat_heads[] = { "case", "gate", "value", "p",
		"p_holm", "status", "n", "n_other", "baseline", "confidence",
		"flags", "rule", "measured", NULL };
	static const struct {
		enum message head;
		enum table_align align;
	} heads[] = { { MESSAGE_CASE, TABLE_LEFT },
		{ MESSAGE_GATE, TABLE_LEFT }, { MESSAGE_VALUE, TABLE_DECIMAL },
		{ N_MESSAGES, TABLE_DECIMAL }, { MESSAGE_RUNS, TABLE_RIGHT },
		{ MESSAGE_STATUS, TABLE_LEFT }, { MESSAGE_FLAGS, TABLE_LEFT } };
	const struct gate_report *g = how->gates;
	struct table *t = report_tables_add(list);
	const enum language lang = how->flat ? LANGUAGE_EN : how->lang;
	const uint64_t keys = KEYS_ALWAYS |
	    keys_known(g->set,
		~(SERIES_BIT(SERIES_RULE) | SERIES_BIT(SERIES_UNIT) |
		    SERIES_BIT(SERIES_SOURCE)));
	int groups = 0;

	for (size_t i = 0; i < g->n && !how->flat; i++)
		groups |= g->rows[i].group[0] != '\0';
	table_title(t, "%s", message(MESSAGE_GATE, how->lang));
	if (how->flat) {
		keys_columns(t, g->set, keys);
		flat_columns(t, flat_heads);
	}
	if (groups)
		table_column(t, "", NULL, TABLE_LEFT);
	for (size_t i = 0; i < 6 + (g->flags.n > 0) && !how->flat; i++)
		table_column(t,
		    heads[i].head == N_MESSAGES ? "p (Holm)"
						: message(heads[i].head, lang),
		    NULL, heads[i].align);
	for (size_t i = 0; i < g->n; i++) {
		const struct gate_row *row = &g->rows[i];
		const char *status =
		    message(g->sessions && row->status == GATE_TOO_FEW
			    ? MESSAGE_TOO_FEW_SESSIONS
			    : statuses[row->status].word,
			lang);

		table_row(t);
		if (how->flat) {
			const double numbers[] = { row->value, row->p,
				row->p_holm };

			keys_cells(t, g->set, row->s, keys);
			table_cell(t, row->name);
			table_cell(t, row->gate);
			flat_numbers(t, numbers, 3);
			table_cell(t, status);
			cell_count(t, how, row->n);
			cell_count(t, how, row->n_other);
			table_cell(t, row->over);
			cell_unrounded(t, how->gates->confidence);
			table_cell(t, row->flags);
			if (row->point != NULL)
				measured_columns_fill(t,
				    &(struct panel_point){ .s = row->s,
					.p = row->point,
					.c = row->point->c },
				    1);
			continue;
		}
		if (groups)
			table_cell(t, row->group);
		add_row_cells(t, how, row, status);
		if (g->flags.n > 0)
			table_cell(t, row->marks);
	}
	if (!how->flat)
		notes_flags(t, &g->flags);
	for (size_t i = 0; i < g->notes.n_notes; i++)
		table_note(t, "%s", g->notes.notes[i]);
}

/* --- JUnit and GitHub ----------------------------------------------------- */

static const char *
sentence_of(
    struct arena *a, const struct gate_row *row, const struct gate_report *g)
{
	const char *sentence =
	    message(row->point == NULL ? MESSAGE_GATE_NOTHING
				       : statuses[row->status].sentence,
		g->lang);
	const char *n = arena_printf(a, "%ld", row->n);
	const char *other = arena_printf(a, "%ld", row->n_other);
	char value[UNITS_TEXT_SIZE], p[UNITS_TEXT_SIZE];

	short_format_apart(value, row->value, row->bound, 4);
	short_format_apart(p, row->p_holm, g->alpha, 2);
	if (row->status == GATE_TOO_FEW || row->status == GATE_MISSING)
		sentence = text_fill(a, sentence, row->gate, value, n, other);
	else
		sentence = text_fill(a, message(MESSAGE_GATE_IS, g->lang),
		    row->gate, sentence, value, p,
		    arena_printf(a, "%.12g", g->alpha), n, other);
	return row->flags[0] == '\0'
	    ? sentence
	    : arena_join(
		  a, sentence, message(MESSAGE_SEMICOLON, g->lang), row->flags);
}

/* Write a text with the characters that GitHub's runner decodes; a line end
 * would end the command. */
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

/* JUnit XML has one test per row. */
void
gate_write(const struct gate_report *g, const char *format, FILE *f)
{
	struct arena a = ARENA_INIT;
	size_t failures = 0, errors = 0, passed = 0;

	if (strcmp(format, "junit") != 0) {
		/* Write GitHub's workflow commands (annotations). */
		for (size_t i = 0; i < g->n; i++) {
			const struct gate_row *row = &g->rows[i];

			if (row->status == GATE_PASSED)
				continue;
			fprintf(f, "::%s title=",
			    row->status == GATE_MISSING || is_failure(g, row)
				? "error"
				: "warning");
			put_github(f,
			    arena_join(&a, row->group, " ", row->name), ":,");
			fputs("::", f);
			put_github(f, sentence_of(&a, row, g), "");
			putc('\n', f);
		}
		for (size_t i = 0; i < g->notes.n_notes; i++) {
			fputs("::notice::", f);
			put_github(f, g->notes.notes[i], "");
			putc('\n', f);
		}
		arena_release(&a);
		return;
	}
	for (size_t i = 0; i < g->n; i++) {
		failures += is_failure(g, &g->rows[i]);
		errors += g->rows[i].status == GATE_MISSING;
		passed += g->rows[i].status == GATE_PASSED;
	}
	fprintf(f,
	    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<testsuite name=\"report_results\" tests=\"%zu\" failures=\"%zu\" "
	    "errors=\"%zu\" skipped=\"%zu\">\n",
	    g->n, failures, errors, g->n - failures - errors - passed);
	for (size_t i = 0; i < g->n; i++) {
		const struct gate_row *row = &g->rows[i];
		const int ok = row->status == GATE_PASSED;
		const char *element = row->status == GATE_MISSING ? "error"
		    : is_failure(g, row)                          ? "failure"
								  : "skipped";

		fputs("  <testcase classname=\"", f);
		table_html_text(
		    f, row->group[0] != '\0' ? row->group : "result");
		fputs("\" name=\"", f);
		table_html_text(
		    f, arena_printf(&a, "%s %s", row->name, row->gate));
		fprintf(f, "\">\n    <%s", ok ? "system-out>" : element);
		fputs(ok ? "" : " message=\"", f);
		table_html_text(f, sentence_of(&a, row, g));
		fprintf(
		    f, "%s\n  </testcase>\n", ok ? "</system-out>" : "\"/>");
	}
	for (size_t i = 0; i < g->notes.n_notes; i++) {
		fputs(i == 0 ? "  <system-out>" : "\n", f);
		table_html_text(f, g->notes.notes[i]);
	}
	fputs(g->notes.n_notes > 0 ? "</system-out>\n</testsuite>\n"
				   : "</testsuite>\n",
	    f);
	arena_release(&a);
}
