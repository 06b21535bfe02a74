/* What a number of the page stands on: which runs of which files and lines, in
 * which window, and the sentence that makes the median, the interval and the
 * speedup of them.  Called by page.c; computes nothing itself. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "report/cell.h"
#include "report/page_parts.h"

static void
put_number(FILE *f, const struct report_how *how, const struct series_point *p,
    double x)
{
	struct table t;

	table_init(&t);
	table_column(&t, "", NULL, TABLE_RIGHT);
	table_row(&t);
	cell_number(&t, how, p, x);
	page_text(f, t.rows[0].cells[0].text);
	table_release(&t);
}

/* Which iterations of each run do not count, and why. */
static void
put_excluded_iterations(FILE *f, const struct result_rule *rule)
{
	const long skip = rule->skip_iterations, warm = rule->warmup_batches;

	if (rule->rule == NULL)
		return;
	if (strcmp(rule->rule, "all") == 0 && rule->from_iteration > 0)
		fprintf(f,
		    "<p>Excluded of each run: its first %ld iterations, as the "
		    "rule asks.</p>\n",
		    rule->from_iteration);
	if (strcmp(rule->rule, "window") != 0 || skip < 0 || warm < 0)
		return;
	fprintf(f,
	    "<p>Excluded of each run: its first %ld iterations (%ld skipped, "
	    "%ld of warm-up)",
	    skip + warm, skip, warm);
	if (rule->train_batches >= 0)
		fprintf(f, " and all after the first %ld",
		    skip + rule->train_batches);
	fputs(", as the rule asks.</p>\n", f);
}

static void
put_sentences(
    FILE *f, const struct series_point *p, const struct report_how *how)
{
	const struct result_case *c = p->c;

	if (p->text != NULL) {
		fputs("<p>Published: <bdi>", f);
		page_text(f, p->text);
		fputs("</bdi> in <bdi>", f);
		page_text(f, p->source->path);
		fprintf(f, "</bdi>, line %ld.</p>\n",
		    p->source->lines != NULL ? p->source->lines[p->index] : 0);
		return;
	}
	fprintf(f, "<p>Median of %ld %s", c->n, c->n == 1 ? "run" : "runs");
	if (isfinite(c->median_low) && isfinite(c->median_level)) {
		fputs("; the true median is in [", f);
		put_number(f, how, p, c->median_low);
		fputs(", ", f);
		put_number(f, how, p, c->median_high);
		fprintf(f,
		    "] with %.4g %% confidence (order statistics, exact)",
		    c->median_level * 100);
	} else {
		fputs("; no interval of one run", f);
	}
	fputs(".</p>\n", f);
	put_excluded_iterations(f, &p->source->result.rule);
	if (isfinite(c->speedup) && c->baseline != NULL &&
	    !cell_is_baseline(c)) {
		fprintf(f, "<p>Speedup %.5g over ", c->speedup);
		page_text(f, c->baseline);
		if (isfinite(c->speedup_low))
			fprintf(f,
			    ", [%.5g, %.5g] with %.4g %% confidence "
			    "(quotients of all pairs of runs, exact)",
			    c->speedup_low, c->speedup_high,
			    c->speedup_level * 100);
		fprintf(f,
		    "; efficiency %.4g %%: speedup over the ratio of "
		    "device counts.</p>\n",
		    c->efficiency * 100);
	}
}

static void
put_flags(struct table *t, const struct result_run *run)
{
	char text[512] = "";
	size_t n = 0;

	for (size_t i = 0; i < run->n_flags && n < sizeof text - 1; i++) {
		const int more = snprintf(text + n, sizeof text - n, "%s%s",
		    i > 0 ? "; " : "", run->flags[i]);

		n += more > 0 ? (size_t)more : 0;
	}
	table_cell(t, text);
}

static void
put_long(struct table *t, long x)
{
	if (x == RESULT_UNKNOWN)
		table_cell(t, NULL);
	else
		table_cellf(t, "%ld", x);
}

static void
put_range(struct table *t, long first, long last)
{
	if (first == RESULT_UNKNOWN)
		table_cell(t, NULL);
	else if (last == RESULT_UNKNOWN || last == first)
		table_cellf(t, "%ld", first);
	else
		table_cellf(t, "%ld\xe2\x80\x93%ld", first, last);
}

static void
put_runs(FILE *f, const struct series_point *p, const struct report_how *how)
{
	struct table t;

	table_init(&t);
	table_column(&t, "run", NULL, TABLE_LEFT);
	table_column(&t, "value", p->c->unit, TABLE_RIGHT);
	table_column(&t, "iterations averaged", NULL, TABLE_RIGHT);
	table_column(&t, "iterations", NULL, TABLE_RIGHT);
	table_column(&t, "lines of the log", NULL, TABLE_RIGHT);
	table_column(&t, "log", NULL, TABLE_LEFT);
	table_column(&t, "flags", NULL, TABLE_LEFT);
	for (size_t i = 0; i < p->c->n_runs; i++) {
		const struct result_run *run = &p->c->runs[i];

		table_row(&t);
		table_cell(&t, run->run);
		cell_number(&t, how, p, run->value);
		put_long(&t, run->iterations);
		put_range(&t, run->first_iteration, run->last_iteration);
		put_range(&t, run->first_line, run->last_line);
		table_cell(&t, run->path);
		put_flags(&t, run);
	}
	fputs("<div class=\"scroll\" tabindex=\"0\">\n", f);
	table_write(&t, &table_html, TABLE_COLOUR_OFF, f);
	fputs("</div>\n", f);
	table_release(&t);
}

void
page_details(FILE *f, struct series_set *set, const struct panel *p,
    size_t i_series, size_t i_point, page_number number,
    const struct report_how *how)
{
	const struct series_point *q = &p->s[i_series]->points[i_point];

	fprintf(f, "<details id=\"case-%zu\">\n<summary><bdi>", number);
	page_text(f, panel_series_name(set, p, i_series, how->lang));
	fputs("</bdi> ", f);
	page_text(f, series_case_name(&set->arena, q->c, how->lang));
	if (q->text == NULL && isfinite(q->c->median_speed)) {
		fputs(": ", f);
		put_number(f, how, q, q->c->median_speed);
		putc(' ', f);
		page_text(f, q->c->unit);
	}
	fputs("</summary>\n", f);
	put_sentences(f, q, how);
	if (q->c->n_runs > 0)
		put_runs(f, q, how);
	fputs("</details>\n", f);
}
