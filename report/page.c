/* The page as a whole: its head with the policy, the summary, the panels.
 * Called by the program for --html; the parts are page_chart.c and
 * page_details.c, the style and the script report/page/. */
#include <config.h>

#include "report/page.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/install_path.h"
#include "common/series/metric_choice.h"
#include "common/sha256.h"
#include "common/strbuf.h"
#include "report/cell.h"
#include "report/notes.h"
#include "report/page_parts.h"

enum { PAGE_MAX_FILE = 1 << 20, MAX_DOUBTS = 40 };

/* The text of report/page/NAME.  Returns 0 or -1. */
static int
load_part(const char *name, struct strbuf *out, struct error *e)
{
	char *path = install_path_find("page", name, e);
	char buf[4096];
	size_t n;
	FILE *f;
	int rc = 0;

	if (path == NULL)
		return -1;
	f = fopen(path, "r");
	if (f == NULL)
		rc = error_errno(e, errno, "cannot open '%s'", path);
	while (f != NULL && (n = fread(buf, 1, sizeof buf, f)) > 0)
		strbuf_add(out, buf, n);
	if (f != NULL && ferror(f))
		rc = error_errno(e, errno, "cannot read '%s'", path);
	if (f != NULL)
		fclose(f);
	free(path);
	return rc;
}

static void
put_head(FILE *f, const char *title, const struct strbuf *style,
    const struct strbuf *script, enum language lang)
{
	char style_hash[SHA256_BASE64_SIZE], script_hash[SHA256_BASE64_SIZE];

	sha256_base64(style->buf, style->len, style_hash);
	sha256_base64(script->buf, script->len, script_hash);
	fprintf(f,
	    "<!DOCTYPE html>\n<html lang=\"%s\">\n<head>\n"
	    "<meta charset=\"utf-8\">\n"
	    "<meta http-equiv=\"Content-Security-Policy\" content=\""
	    "default-src 'none'; style-src 'sha256-%s'; "
	    "script-src 'sha256-%s'; base-uri 'none'; form-action 'none'\">\n"
	    "<meta name=\"viewport\" "
	    "content=\"width=device-width, initial-scale=1\">\n<title>",
	    language_names[lang], style_hash, script_hash);
	page_text(f, title);
	fputs("</title>\n<style>", f);
	fwrite(style->buf, 1, style->len, f);
	fputs("</style>\n</head>\n<body>\n"
	      "<a class=\"skip\" href=\"#report\">Skip to the report</a>\n",
	    f);
}

/* The largest case of a series that has a speedup, else the largest one. */
static const struct series_point *
page_headline(const struct series *s)
{
	const struct series_point *best = NULL;

	for (size_t i = 0; i < s->n_points; i++) {
		const struct series_point *p = &s->points[i];

		if (p->text == NULL && !isfinite(p->c->median_speed))
			continue;
		if (best == NULL || isfinite(p->c->speedup) ||
		    !isfinite(best->c->speedup))
			best = p;
	}
	return best;
}

/* What the tables show of a case, in running text. */
enum headline_part { PART_VALUE, PART_SPEEDUP, PART_INTERVAL, PART_PERCENT };

static void
put_part(FILE *f, const struct report_how *how, const struct series_point *p,
    enum headline_part part)
{
	const struct result_case *c = p->c;
	struct table t;

	table_init(&t);
	table_column(&t, "", NULL, TABLE_RIGHT);
	table_row(&t);
	switch (part) {
	case PART_VALUE:
		cell_value(&t, how, p);
		break;
	case PART_SPEEDUP:
		cell_speedup(&t, how, p, c->speedup);
		break;
	case PART_INTERVAL:
		cell_interval(&t, how, p, c->speedup_low, c->speedup_high, 1);
		break;
	case PART_PERCENT:
		cell_percent(&t, how, c->efficiency);
		break;
	}
	page_text(f, t.rows[0].cells[0].text);
	table_release(&t);
}

static void
put_value(FILE *f, const struct report_how *how, const struct series_point *p)
{
	put_part(f, how, p, PART_VALUE);
	if (isfinite(p->c->median_speed)) {
		putc(' ', f);
		page_text(f, p->c->unit);
	}
}

/* "pytorch: 15.0 samples/s on 1n2g, speedup 1.66 [1.45, 1.79] ...": the digits
 * of the tables. */
static void
put_headline(FILE *f, struct series_set *set, const struct panel *p, size_t i,
    const struct report_how *how)
{
	const struct series_point *q = page_headline(p->s[i]);

	if (q == NULL)
		return;
	fputs("<p><bdi>", f);
	page_text(f, panel_series_name(set, p, i, how->lang));
	fputs("</bdi>, <bdi>", f);
	page_text(
	    f, panel_title(set, p, SERIES_BIT(SERIES_FRAMEWORK), how->lang));
	fputs("</bdi>: <strong>", f);
	put_value(f, how, q);
	fputs("</strong> on ", f);
	page_text(f, series_case_name(&set->arena, q->c, how->lang));
	if (isfinite(q->c->speedup) && !cell_is_baseline(q->c)) {
		fprintf(
		    f, ", %s <strong>", message(MESSAGE_SPEEDUP, how->lang));
		put_part(f, how, q, PART_SPEEDUP);
		fputs("</strong>", f);
		if (isfinite(q->c->speedup_low)) {
			putc(' ', f);
			put_part(f, how, q, PART_INTERVAL);
			fprintf(f, " (%.4g %% CI)", q->c->speedup_level * 100);
		}
		if (isfinite(q->c->efficiency)) {
			fprintf(
			    f, ", %s ", message(MESSAGE_EFFICIENCY, how->lang));
			put_part(f, how, q, PART_PERCENT);
			fputs(" %", f);
		}
	}
	fputs(".</p>\n", f);
}

/* One of the flags that mark something doubtful: each, with its case
 * and a link to what it stands on.  Returns how many were written. */
static size_t
put_doubts_of(FILE *f, struct series_set *set, const struct panel *p, size_t i,
    page_number first, const struct report_how *how, size_t n)
{
	for (size_t k = 0; k < p->s[i]->n_points; k++) {
		const struct series_point *q = &p->s[i]->points[k];
		const char *flags = case_flags_text(q->c, &set->arena);

		if (flags[0] == '\0')
			continue;
		if (n++ >= MAX_DOUBTS)
			continue;
		fprintf(f, "<li><a href=\"#case-%zu\"><bdi>", first + k);
		page_text(f, panel_series_name(set, p, i, how->lang));
		fputs("</bdi> ", f);
		page_text(f, series_case_name(&set->arena, q->c, how->lang));
		fputs("</a>: <bdi>", f);
		page_text(f, flags);
		fputs("</bdi></li>\n", f);
	}
	return n;
}

static void
put_doubts(FILE *f, struct series_set *set, const struct panel_list *l,
    const struct report_how *how)
{
	size_t n = 0;
	page_number number = 0;

	fputs("<section class=\"card doubt\" aria-labelledby=\"doubts\">\n"
	      "<h2 id=\"doubts\">What is doubtful</h2>\n<ul>\n",
	    f);
	for (size_t i = 0; i < l->n; i++)
		for (size_t k = 0; k < l->items[i].n; k++) {
			n = put_doubts_of(
			    f, set, &l->items[i], k, number, how, n);
			number += l->items[i].s[k]->n_points;
		}
	if (n == 0)
		fputs("<li>Nothing: no case has a flag.</li>\n", f);
	if (n > MAX_DOUBTS)
		fprintf(f, "<li>and %zu more, in the tables below</li>\n",
		    n - MAX_DOUBTS);
	fputs("</ul>\n</section>\n", f);
}

/* The table of a panel; medians lead to what they stand on. */
static void
put_table(FILE *f, struct series_set *set, const struct panel *p, size_t i_p,
    page_number number, const struct report_how *how)
{
	struct table t;

	table_init(&t);
	table_column(&t, "configuration", NULL, TABLE_LEFT);
	table_column(&t, "case", NULL, TABLE_LEFT);
	table_column(&t, message(MESSAGE_NODES, how->lang), NULL, TABLE_RIGHT);
	table_column(
	    &t, message(series_devices(set), how->lang), NULL, TABLE_RIGHT);
	table_column(&t, message(MESSAGE_MEDIAN, how->lang),
	    p->s[0]->points[0].c->unit, TABLE_DECIMAL);
	table_column(
	    &t, message(MESSAGE_MEDIAN_INTERVAL, how->lang), NULL, TABLE_RIGHT);
	table_column(
	    &t, message(MESSAGE_SPEEDUP, how->lang), NULL, TABLE_DECIMAL);
	table_column(
	    &t, message(MESSAGE_MEDIAN_INTERVAL, how->lang), NULL, TABLE_RIGHT);
	table_column(
	    &t, message(MESSAGE_EFFICIENCY, how->lang), "%", TABLE_DECIMAL);
	table_column(&t, message(MESSAGE_RUNS, how->lang), NULL, TABLE_RIGHT);
	table_column(&t, message(MESSAGE_FLAGS, how->lang), NULL, TABLE_LEFT);
	for (size_t i = 0; i < p->n; i++)
		for (size_t k = 0; k < p->s[i]->n_points; k++) {
			const struct series_point *q = &p->s[i]->points[k];
			const struct result_case *c = q->c;
			char link[32];

			table_row(&t);
			table_cell(&t, panel_series_name(set, p, i, how->lang));
			table_cell(
			    &t, series_case_name(&set->arena, c, how->lang));
			cell_count(&t, how, c->nodes);
			cell_count(&t, how, c->gpus);
			cell_value(&t, how, q);
			snprintf(link, sizeof link, "#case-%zu", number++);
			table_link(&t, link);
			cell_median_interval(&t, how, q, &set->arena);
			cell_speedup(&t, how, q, c->speedup);
			if (isfinite(c->speedup))
				table_link(&t, link);
			cell_interval(
			    &t, how, q, c->speedup_low, c->speedup_high, 1);
			cell_percent(&t, how, c->efficiency);
			cell_count(&t, how, c->n);
			table_cell(&t, case_flags_text(c, &set->arena));
		}
	notes_measured(set, &t, p, NOTES_SPEEDUPS, how->lang);
	fprintf(f,
	    "<p class=\"filter\" data-of=\"table-%zu\" hidden><label>Filter: "
	    "<input type=\"search\"></label> <output></output></p>\n"
	    "<div class=\"scroll\" id=\"table-%zu\" tabindex=\"0\" "
	    "role=\"region\" aria-label=\"Table of medians and speedups\">\n",
	    i_p, i_p);
	table_write(&t, &table_html, TABLE_COLOUR_OFF, f);
	fputs("</div>\n", f);
	table_release(&t);
}

static void
put_panel(FILE *f, struct series_set *set, const struct panel *p, size_t i_p,
    page_number number, const struct report_how *how)
{
	const char *title = panel_title(set, p, 0, how->lang);

	fputs("<section>\n<h2><bdi>", f);
	page_text(f, title[0] != '\0' ? title : "Results");
	fputs("</bdi></h2>\n<div class=\"charts\">\n", f);
	for (int kind = 0; kind < N_PAGE_CHARTS; kind++)
		page_chart(f, set, p, (enum page_chart)kind, how->lang);
	fputs("</div>\n", f);
	put_table(f, set, p, i_p, number, how);
	fputs("<h3>What the numbers stand on</h3>\n", f);
	for (size_t i = 0; i < p->n; i++)
		for (size_t k = 0; k < p->s[i]->n_points; k++)
			page_details(f, set, p, i, k, number++, how);
	fputs("</section>\n", f);
}

static void
put_file(FILE *f, const struct result_file *file)
{
	fputs("<li>File <bdi>", f);
	page_text(f, file->path);
	fputs("</bdi>", f);
	if (file->result.tool_name != NULL) {
		fputs(", by ", f);
		page_text(f, file->result.tool_name);
		putc(' ', f);
		page_text(f, file->result.tool_version);
	}
	fprintf(f, ": %zu logs, %zu excluded</li>\n", file->result.n_inputs,
	    file->result.n_excluded);
}

/* "pytorch 1.13.1 on Tesla V100", in the set's arena; NULL: neither is
 * known. */
static const char *
program_text(struct series_set *set, const struct result_case *c)
{
	const struct result_run *run = c->n_runs > 0 ? &c->runs[0] : NULL;

	if (run == NULL ||
	    (run->device == NULL && run->framework_version == NULL))
		return NULL;
	return arena_printf(&set->arena, "%s%s%s%s%s",
	    c->framework != NULL ? c->framework : "unknown",
	    run->framework_version != NULL ? " " : "",
	    run->framework_version != NULL ? run->framework_version : "",
	    run->device != NULL ? " on " : "",
	    run->device != NULL ? run->device : "");
}

/* The files, and each different program and device. */
static void
put_environment(FILE *f, struct series_set *set)
{
	const struct result_file *last = NULL;
	const char *seen[64];
	size_t n_seen = 0;

	fputs("<section class=\"card\" aria-labelledby=\"env\">\n"
	      "<h2 id=\"env\">What was measured</h2>\n<ul>\n",
	    f);
	for (size_t i = 0; i < set->n; i++) {
		const struct series_point *p = &set->items[i].points[0];
		const char *text = program_text(set, p->c);
		size_t k = 0;

		if (p->source != last)
			put_file(f, p->source);
		last = p->source;
		while (k < n_seen && text != NULL && strcmp(seen[k], text) != 0)
			k++;
		if (text == NULL || k < n_seen || n_seen == 64)
			continue;
		seen[n_seen++] = text;
		fputs("<li><bdi>", f);
		page_text(f, text);
		fputs("</bdi></li>\n", f);
	}
	fputs("</ul>\n</section>\n", f);
}

static void
put_excluded(FILE *f, const struct series_set *set)
{
	const struct result_file *last = NULL;
	struct table t;

	table_init(&t);
	table_column(&t, "log", NULL, TABLE_LEFT);
	table_column(&t, "reason", NULL, TABLE_LEFT);
	table_column(&t, "what would include it", NULL, TABLE_LEFT);
	for (size_t i = 0; i < set->n; i++) {
		const struct result_file *s = set->items[i].points[0].source;

		for (size_t k = 0; s != last && k < s->result.n_excluded; k++) {
			const struct result_excluded *x =
			    &s->result.excluded[k];

			table_row(&t);
			table_cell(&t, x->path);
			table_cell(&t, x->reason);
			table_cell(&t, x->message);
		}
		last = s;
	}
	if (t.n_rows > 0) {
		fputs("<section>\n<h2>Excluded</h2>\n"
		      "<div class=\"scroll\" tabindex=\"0\">\n",
		    f);
		table_write(&t, &table_html, TABLE_COLOUR_OFF, f);
		fputs("</div>\n</section>\n", f);
	}
	table_release(&t);
}

static void
put_body(FILE *f, struct series_set *set, const struct panel_list *l,
    const char *title, const struct report_how *how)
{
	page_number number = 0;

	fputs("<main id=\"report\">\n<h1><bdi>", f);
	page_text(f, title);
	fputs("</bdi></h1>\n<section class=\"card lead\" "
	      "aria-label=\"Summary\">\n",
	    f);
	for (size_t i = 0; i < l->n; i++)
		for (size_t k = 0; k < l->items[i].n; k++)
			put_headline(f, set, &l->items[i], k, how);
	fputs("</section>\n", f);
	put_doubts(f, set, l, how);
	put_environment(f, set);
	for (size_t i = 0; i < l->n; i++) {
		put_panel(f, set, &l->items[i], i, number, how);
		for (size_t k = 0; k < l->items[i].n; k++)
			number += l->items[i].s[k]->n_points;
	}
	page_predictions(how->predictions, f);
	put_excluded(f, set);
	fputs("</main>\n<footer>Made by report_results of " PACKAGE_STRING
	      ".</footer>\n",
	    f);
}

int
page_write(struct series_set *set, const struct report_how *how, FILE *f,
    struct error *e)
{
	struct strbuf style, script;
	struct panel_list l;
	const char *title;
	int rc;

	if (set->n == 0)
		return error_set(e, ERROR_EMPTY, "no case to show");
	if (metric_choice_need_speeds(set, "the page", e) != 0)
		return -1;
	strbuf_init(&style, PAGE_MAX_FILE);
	strbuf_init(&script, PAGE_MAX_FILE);
	rc = load_part("page.css", &style, e);
	if (rc == 0)
		rc = load_part("page.js", &script, e);
	if (rc == 0) {
		panel_split(set, PANEL_KEYS | SERIES_BIT(SERIES_UNIT), &l);
		title = panel_title(set, &l.items[0], 0, how->lang);
		if (title[0] == '\0' || l.n > 1)
			title = "Training throughput";
		put_head(f, title, &style, &script, how->lang);
		put_body(f, set, &l, title, how);
		fputs("<script>", f);
		fwrite(script.buf, 1, script.len, f);
		fputs("</script>\n</body>\n</html>\n", f);
		panel_release(&l);
	}
	strbuf_release(&style);
	strbuf_release(&script);
	return rc;
}
