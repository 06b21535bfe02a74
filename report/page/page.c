/* The page as a whole: its head with the policy, its panels and their tables.
 * Called by the program for --html; the other parts are page_*.c, the style and
 * the script report/page/. */
#include <config.h>

#include "report/page/page.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/files/infile.h"
#include "common/result/case_text.h"
#include "common/series/metric_choice.h"
#include "common/sha256.h"
#include "common/strbuf.h"
#include "report/page/page_messages.h"
#include "report/page/page_parts.h"
#include "report/parts/case_links.h"
#include "report/parts/cell.h"
#include "report/parts/notes.h"
#include "report/tables/environment.h"

enum {
	PAGE_MAX_FILE = 1 << 20,
	MAX_OPEN_DETAILS = 12 /* summaries that stand in the page */
};

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
	fputs("</style>\n</head>\n<body>\n", f);
}

/* Which columns the table of a panel has; those that would be empty are not
 * there. */
struct panel_columns {
	int nodes, median_interval, speedup_interval, runs, flags;
};

static struct panel_columns
find_columns(const struct panel *p)
{
	struct panel_columns has = { 0, 0, 0, 0, notes_panel_is_flagged(p) };

	for (size_t i = 0; i < p->n; i++)
		for (size_t k = 0; k < p->s[i]->n_points; k++) {
			const struct result_case *c = p->s[i]->points[k].c;

			has.nodes |= c->nodes != RESULT_UNKNOWN;
			has.median_interval |= isfinite(c->median_low) ||
			    isfinite(case_within_run(c));
			has.speedup_interval |= isfinite(c->speedup_low);
			has.runs |= c->n > 0;
		}
	return has;
}

static void
put_columns(const struct html_page *pg, struct table *t, const struct panel *p,
    const struct panel_columns *has)
{
	const enum language lang = pg->how->lang;
	const char *interval = message(MESSAGE_MEDIAN_INTERVAL, lang);

	table_column(
	    t, page_message_text(PAGE_CONFIGURATION, lang), NULL, TABLE_LEFT);
	table_column(t, message(MESSAGE_CASE, lang), NULL, TABLE_LEFT);
	if (has->nodes)
		table_column(
		    t, message(MESSAGE_NODES, lang), NULL, TABLE_RIGHT);
	table_column(
	    t, message(series_devices(pg->set), lang), NULL, TABLE_RIGHT);
	table_column(t, message(MESSAGE_MEDIAN, lang),
	    p->s[0]->points[0].c->unit, TABLE_DECIMAL);
	if (has->median_interval)
		table_column(t, interval, NULL, TABLE_RIGHT);
	table_column(t, message(MESSAGE_SPEEDUP, lang), NULL, TABLE_DECIMAL);
	if (has->speedup_interval)
		table_column(t, interval, NULL, TABLE_RIGHT);
	table_column(t, message(MESSAGE_EFFICIENCY, lang), "%", TABLE_DECIMAL);
	if (has->runs)
		table_column(t, message(MESSAGE_RUNS, lang), NULL, TABLE_RIGHT);
	if (has->flags)
		table_column(t, message(MESSAGE_FLAGS, lang), NULL, TABLE_LEFT);
}

/* A case; every number leads to what it stands on. */
static void
put_row(const struct html_page *pg, struct table *t,
    const struct panel_columns *has, const struct series_point *q,
    const char *name, struct case_flags *flags)
{
	const struct report_how *how = pg->how;
	const struct result_case *c = q->c;
	struct arena *a = &pg->set->arena;

	table_row(t);
	table_cell(t, name);
	table_cell(t, series_case_name(a, c, how->lang));
	if (has->nodes)
		cell_count(t, how, c->nodes);
	cell_count(t, how, c->gpus);
	cell_value(t, how, q);
	if (has->median_interval)
		cell_median_interval(t, how, q, a);
	cell_speedup(t, how, q, c->speedup);
	if (has->speedup_interval)
		cell_interval(t, how, q, c->speedup_low, c->speedup_high, 1);
	cell_percent(t, how, c->efficiency);
	if (isfinite(c->efficiency))
		case_links_cell(how->links, t, c);
	if (has->runs)
		cell_count(t, how, c->n);
	if (has->runs && c->n != RESULT_UNKNOWN)
		case_links_cell(how->links, t, c);
	if (has->flags)
		table_cell(t, case_flags_marks(flags, c, a));
}

static void
put_table(const struct html_page *pg, const struct panel *p, const char *id)
{
	const enum language lang = pg->how->lang;
	const struct panel_columns has = find_columns(p);
	struct case_flags flags = CASE_FLAGS_INIT(lang);
	struct table t;

	table_init(&t);
	put_columns(pg, &t, p, &has);
	for (size_t i = 0; i < p->n; i++)
		for (size_t k = 0; k < p->s[i]->n_points; k++)
			put_row(pg, &t, &has, &p->s[i]->points[k],
			    panel_series_name(pg->set, p, i, lang), &flags);
	notes_flags(&t, &flags);
	notes_doubts(pg->set, &t, p, lang);
	notes_measured(pg->set, &t, p, NOTES_SPEEDUPS, pg->how);
	page_table(pg, &t, page_message_text(PAGE_TABLE, lang), id);
	table_release(&t);
	case_flags_release(&flags);
}

/* What the numbers stand on; many are folded away together. */
static void
put_all_details(const struct html_page *pg, const struct panel *p)
{
	const char *head = page_message_text(PAGE_PROVENANCE, pg->how->lang);
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		n += p->s[i]->n_points;
	if (n > MAX_OPEN_DETAILS)
		fprintf(
		    pg->f, "<details><summary>%s (%zu)</summary>\n", head, n);
	else
		fprintf(pg->f, "<h3>%s</h3>\n", head);
	for (size_t i = 0; i < p->n; i++)
		for (size_t k = 0; k < p->s[i]->n_points; k++)
			page_details(pg, p->s[i], &p->s[i]->points[k]);
	if (n > MAX_OPEN_DETAILS)
		fputs("</details>\n", pg->f);
}

static void
put_panel(const struct html_page *pg, size_t i_panel)
{
	const enum language lang = pg->how->lang;
	const struct panel *p = &pg->panels->items[i_panel];
	const char *title = panel_title(pg->set, p, 0, lang);
	char id[32];

	snprintf(id, sizeof id, "table-%zu", i_panel);
	fputs("<section>\n<h2><bdi>", pg->f);
	page_text(pg->f,
	    title[0] != '\0' ? title : page_message_text(PAGE_RESULTS, lang));
	fputs("</bdi></h2>\n", pg->f);
	page_charts(pg, p);
	put_table(pg, p, id);
	put_all_details(pg, p);
	fputs("</section>\n", pg->f);
}

static void
put_body(const struct html_page *pg, const char *title)
{
	fprintf(pg->f,
	    "<a class=\"skip\" href=\"#report\">%s</a>\n"
	    "<main id=\"report\" tabindex=\"-1\">\n<h1><bdi>",
	    page_message_text(PAGE_SKIP, pg->how->lang));
	page_text(pg->f, title);
	fputs("</bdi></h1>\n", pg->f);
	page_summary(pg);
	page_doubts(pg);
	for (size_t i = 0; i < pg->panels->n; i++)
		put_panel(pg, i);
	page_sections(pg);
	page_predictions(pg);
	page_sources(pg);
	page_excluded(pg);
	fputs("</main>\n<footer>", pg->f);
	page_message(pg->f, pg->how->lang, PAGE_MADE_BY,
	    "report_results, " PACKAGE_STRING, NULL);
	fputs("</footer>\n", pg->f);
}

/* What all panels have in common, in the set's arena. */
static const char *
page_title(struct series_set *set, enum language lang)
{
	struct panel all = panel_of_all(set);
	const char *title = panel_title(set, &all, 0, lang);

	free(all.s);
	return title[0] != '\0' ? title : page_message_text(PAGE_TITLE, lang);
}

int
page_write(struct series_set *set, const struct report_how *how, FILE *f,
    struct error *e)
{
	struct strbuf style, script;
	struct case_links links;
	struct report_how linked = *how;
	struct panel_list l;
	struct table environment;
	struct html_page pg = { f, set, &l, &linked, &environment,
		set->differing };
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
	table_init(&environment);
	if (rc == 0)
		rc = environment_of_set(set, how, &environment, e);
	environment.title = NULL; /* the section has a head */
	if (rc == 0) {
		panel_split(set, PANEL_KEYS | SERIES_BIT(SERIES_UNIT), &l);
		case_links_init(&links, &l);
		linked.links = &links;
		title = page_title(set, how->lang);
		put_head(f, title, &style, &script, how->lang);
		put_body(&pg, title);
		fputs("<script>", f);
		fwrite(script.buf, 1, script.len, f);
		fputs("</script>\n</body>\n</html>\n", f);
		case_links_release(&links);
		panel_release(&l);
	}
	table_release(&environment);
	strbuf_release(&style);
	strbuf_release(&script);
	return rc;
}
