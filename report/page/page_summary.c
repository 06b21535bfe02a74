/* The first card of the page: what was measured, and the headline of each
 * series.  page.c calls it; digits are those of the tables. */
#include <config.h>

#include <math.h>
#include <stdlib.h>

#include "report/page/page_messages.h"
#include "report/page/page_parts.h"
#include "report/parts/cell.h"
#include "report/parts/notes.h"

enum { MAX_HEADLINES = 6 }; /* the others are folded away */

/* What the tables show of a case, in running text. */
enum headline_part {
	PART_VALUE,
	PART_MEDIAN_INTERVAL,
	PART_SPEEDUP,
	PART_INTERVAL,
	PART_PERCENT
};

static void
put_part(const struct html_page *pg, const struct series_point *p,
    enum headline_part part)
{
	const struct report_how *how = pg->how;
	const struct result_case *c = p->c;
	struct table t;

	table_init(&t);
	table_column(&t, "", NULL, TABLE_RIGHT);
	table_row(&t);
	switch (part) {
	case PART_VALUE:
		cell_value(&t, how, p);
		break;
	case PART_MEDIAN_INTERVAL:
		cell_interval(&t, how, p, c->median_low, c->median_high, 0);
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
	page_text(pg->f, t.rows[0].cells[0].text);
	table_release(&t);
}

/* " [1.45, 1.79] (96.83 % CI)", or nothing. */
static void
put_interval(const struct html_page *pg, const struct series_point *p,
    enum headline_part part, double low, double level)
{
	if (!isfinite(low) || !isfinite(level))
		return;
	putc(' ', pg->f);
	put_part(pg, p, part);
	page_message(
	    pg->f, pg->how->lang, PAGE_CI, page_percent(pg->set, level), NULL);
}

/* The largest case of a series that has a speedup, else the largest one. */
static const struct series_point *
headline_point(const struct series *s)
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

/* "15.0 samples/s on 2 GPUs (1n2g)" */
static void
put_speed(const struct html_page *pg, const struct series_point *p)
{
	const enum language lang = pg->how->lang;
	const struct result_case *c = p->c;
	const char *name = series_case_name(&pg->set->arena, c, lang);

	page_link(pg, c);
	fputs("<strong>", pg->f);
	put_part(pg, p, PART_VALUE);
	if (isfinite(c->median_speed)) {
		putc(' ', pg->f);
		page_text(pg->f, c->unit);
	}
	fputs("</strong></a>", pg->f);
	if (!isfinite(c->speedup) || cell_is_baseline(c))
		put_interval(pg, p, PART_MEDIAN_INTERVAL, c->median_low,
		    c->median_level);
	if (c->gpus == RESULT_UNKNOWN)
		page_message(pg->f, lang, PAGE_ON_CASE, name, NULL);
	else
		page_message(pg->f, lang, PAGE_ON,
		    page_devices(pg->set, c->gpus, lang), name, NULL);
}

/* "speedup 1.66 [1.45, 1.79] (96.83 % CI) over 1n1g, efficiency 82.8 %" */
static void
put_speedup(const struct html_page *pg, const struct series_point *p)
{
	const enum language lang = pg->how->lang;
	const struct result_case *c = p->c;

	fprintf(pg->f, "%s%s ", message(MESSAGE_COMMA, lang),
	    message(MESSAGE_SPEEDUP, lang));
	page_link(pg, c);
	fputs("<strong>", pg->f);
	put_part(pg, p, PART_SPEEDUP);
	fputs("</strong></a>", pg->f);
	put_interval(pg, p, PART_INTERVAL, c->speedup_low, c->speedup_level);
	if (c->baseline != NULL)
		page_message(pg->f, lang, PAGE_OVER, c->baseline, NULL);
	if (!isfinite(c->efficiency))
		return;
	fprintf(pg->f, "%s%s ", message(MESSAGE_COMMA, lang),
	    message(MESSAGE_EFFICIENCY, lang));
	page_link(pg, c);
	put_part(pg, p, PART_PERCENT);
	fputs(" %</a>", pg->f);
}

static void
put_headline(const struct html_page *pg, const struct panel *p, size_t i)
{
	const enum language lang = pg->how->lang;
	const struct series_point *q = headline_point(p->s[i]);
	const char *of =
	    panel_title(pg->set, p, SERIES_BIT(SERIES_FRAMEWORK), lang);

	if (q == NULL)
		return;
	fputs("<p>", pg->f);
	page_bdi(pg->f, panel_series_name(pg->set, p, i, lang));
	if (of[0] != '\0') {
		fputs(message(MESSAGE_COMMA, lang), pg->f);
		page_bdi(pg->f, of);
	}
	fputs(": ", pg->f);
	put_speed(pg, q);
	if (isfinite(q->c->speedup) && !cell_is_baseline(q->c))
		put_speedup(pg, q);
	fputs("</p>\n", pg->f);
}

/* --- what was measured, in a line ----------------------------------------- */

struct page_counts {
	size_t cases, logs, excluded;
	long runs, fewest, most; /* devices; RESULT_UNKNOWN: none is known */
};

static struct page_counts
count_all(const struct html_page *pg)
{
	struct page_counts n = { 0, 0, 0, 0, RESULT_UNKNOWN, RESULT_UNKNOWN };
	const struct result_file *s = NULL;

	for (size_t i = 0; i < pg->set->n; i++)
		for (size_t k = 0; k < pg->set->items[i].n_points; k++) {
			const struct result_case *c =
			    pg->set->items[i].points[k].c;

			n.cases++;
			n.runs += c->n > 0 ? c->n : 0;
			if (c->gpus == RESULT_UNKNOWN)
				continue;
			if (n.fewest == RESULT_UNKNOWN || c->gpus < n.fewest)
				n.fewest = c->gpus;
			if (n.most == RESULT_UNKNOWN || c->gpus > n.most)
				n.most = c->gpus;
		}
	while ((s = series_next_source(pg->set, s)) != NULL) {
		n.logs += s->result.n_inputs;
		n.excluded += s->result.n_excluded;
	}
	return n;
}

static void
put_counts(const struct html_page *pg)
{
	const struct page_counts n = count_all(pg);
	const enum language lang = pg->how->lang;
	struct panel all = panel_of_all(pg->set);
	const char *rule = notes_rule_text(&all, &pg->set->arena, lang);

	free(all.s);
	fprintf(pg->f, "<p class=\"faint\">%s: %zu",
	    page_message_text(PAGE_CASES, lang), n.cases);
	if (n.fewest != RESULT_UNKNOWN) {
		fprintf(pg->f, " · %s: %ld",
		    message(series_devices(pg->set), lang), n.fewest);
		if (n.most != n.fewest)
			fprintf(pg->f, "–%ld", n.most);
	}
	if (n.runs > 0)
		fprintf(
		    pg->f, " · %s: %ld", message(MESSAGE_RUNS, lang), n.runs);
	if (n.logs > 0)
		fprintf(pg->f, " · %s: %zu", page_message_text(PAGE_LOGS, lang),
		    n.logs);
	if (n.excluded > 0)
		fprintf(pg->f, " · <a href=\"#excluded\">%s: %zu</a>",
		    message(MESSAGE_EXCLUDED, lang), n.excluded);
	if (rule != NULL) {
		fprintf(pg->f, " · %s: ", message(MESSAGE_RULE, lang));
		page_bdi(pg->f, rule);
	}
	fputs("</p>\n", pg->f);
}

void
page_summary(const struct html_page *pg)
{
	const enum language lang = pg->how->lang;
	char more[32];
	size_t n = 0;

	fprintf(pg->f, "<section class=\"card lead\" aria-label=\"%s\">\n",
	    page_message_text(PAGE_SUMMARY, lang));
	put_counts(pg);
	for (size_t i = 0; i < pg->panels->n; i++)
		for (size_t k = 0; k < pg->panels->items[i].n; k++) {
			if (n++ == MAX_HEADLINES) {
				snprintf(more, sizeof more, "%zu",
				    pg->set->n - MAX_HEADLINES);
				fputs("<details><summary>", pg->f);
				page_message(
				    pg->f, lang, PAGE_MORE, more, NULL);
				fputs("</summary>\n", pg->f);
			}
			put_headline(pg, &pg->panels->items[i], k);
		}
	fputs(n > MAX_HEADLINES ? "</details>\n</section>\n" : "</section>\n",
	    pg->f);
}
