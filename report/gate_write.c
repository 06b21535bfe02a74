/* Output of gates: table, JUnit XML, GitHub annotations. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "common/units/units.h"
#include "report/gate.h"
#include "report/parts/cell.h"
#include "report/parts/columns.h"
#include "report/parts/notes.h"

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

/* "5", or "7, 5" if the baseline has another number of runs. */
static void
put_runs(struct table *t, const struct gate_row *row)
{
	if (row->n == 0)
		table_cell(t, "");
	else if (row->n == row->n_other)
		table_cellf(t, "%zu", row->n);
	else
		table_cellf(t, "%zu, %zu", row->n, row->n_other);
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
		if (!how->flat)
			put_runs(t, row);
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
		switch (*text) {
		case '<':
			fputs("&lt;", f);
			break;
		case '>':
			fputs("&gt;", f);
			break;
		case '&':
			fputs("&amp;", f);
			break;
		case '"':
			fputs("&quot;", f);
			break;
		default:
			putc((unsigned char)*text < ' ' ? ' ' : *text, f);
		}
}

static void
put_junit_case(const struct gate_report *g, const struct gate_row *row,
    int fail_unproven, FILE *f)
{
	const char *element = row->status == GATE_MISSING ? "error"
	    : gate_is_failure(row, fail_unproven)         ? "failure"
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
		else if (gate_is_failure(row, fail_unproven))
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
			    gate_is_failure(row, fail_unproven)
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
