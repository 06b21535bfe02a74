/* The first card of the page: what was measured, and the headline of each
 * series. */
#include <config.h>

#include <math.h>
#include <stdlib.h>

#include "report/page/page_parts.h"
#include "report/parts/cell.h"

enum { MAX_HEADLINES = 6 }; /* the others are folded */

/* Parts of a headline. */
enum headline_part {
	PART_VALUE,
	PART_MEDIAN_INTERVAL,
	PART_SPEEDUP,
	PART_INTERVAL,
	PART_PERCENT
};

static const char *
part_text(const struct html_page *pg, const struct series_point *p,
    enum headline_part part)
{
	const struct report_how *how = pg->how;
	const struct result_case *c = p->c;
	const char *text;
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
	text = arena_strdup(pg->a, t.rows[0].cells[0].text);
	table_release(&t);
	return text;
}

/* " [1.45, 1.79] (96.83 % CI)", or nothing. */
static void
put_interval(const struct html_page *pg, const struct series_point *p,
    enum headline_part part, double low, double level)
{
	if (!isfinite(low) || !isfinite(level))
		return;
	page_put(pg, " ^", part_text(pg, p, part));
	page_put(pg, page_words(pg, " (@ CI)", "（@ 置信区间）"),
	    page_percent(pg, level));
}

/* The largest case of a series with a speedup, else the largest case. */
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
	const struct result_case *c = p->c;
	const char *name = series_case_name(pg->a, c, pg->lang);

	page_link(pg, c);
	page_put(pg, "<strong>^", part_text(pg, p, PART_VALUE));
	if (isfinite(c->median_speed))
		page_put(pg, " ^", c->unit);
	fputs("</strong></a>", pg->f);
	if (!isfinite(c->speedup) || cell_is_baseline(c))
		put_interval(pg, p, PART_MEDIAN_INTERVAL, c->median_low,
		    c->median_level);
	if (c->gpus == RESULT_UNKNOWN)
		page_put(pg, page_words(pg, " on @", "，@"), name);
	else
		page_put(pg, page_words(pg, " on @ (@)", "，@（@）"),
		    page_devices(pg, c->gpus), name);
}

/* "speedup 1.66 [1.45, 1.79] (96.83 % CI) over 1n1g, efficiency 82.8 %" */
static void
put_speedup(const struct html_page *pg, const struct series_point *p)
{
	const struct result_case *c = p->c;
	const char *comma = message(MESSAGE_COMMA, pg->lang);

	fprintf(pg->f, "%s%s ", comma, message(MESSAGE_SPEEDUP, pg->lang));
	page_link(pg, c);
	page_put(pg, "<strong>^</strong></a>", part_text(pg, p, PART_SPEEDUP));
	put_interval(pg, p, PART_INTERVAL, c->speedup_low, c->speedup_level);
	if (c->baseline != NULL)
		page_put(
		    pg, page_words(pg, " over @", "（相对 @）"), c->baseline);
	if (!isfinite(c->efficiency))
		return;
	fprintf(pg->f, "%s%s ", comma, message(MESSAGE_EFFICIENCY, pg->lang));
	page_link(pg, c);
	page_put(pg, "^ %</a>", part_text(pg, p, PART_PERCENT));
}

static void
put_headline(const struct html_page *pg, const struct panel *p, size_t i)
{
	const struct series_point *q = headline_point(p->s[i]);
	const char *of =
	    panel_title(pg->set, p, SERIES_BIT(SERIES_FRAMEWORK), pg->lang);

	if (q == NULL)
		return;
	page_put(pg, "<p>@", panel_series_name(pg->set, p, i, pg->lang));
	if (of[0] != '\0')
		page_put(pg, "^@", message(MESSAGE_COMMA, pg->lang), of);
	fputs(": ", pg->f);
	put_speed(pg, q);
	if (isfinite(q->c->speedup) && !cell_is_baseline(q->c))
		put_speedup(pg, q);
	fputs("</p>\n", pg->f);
}

/* One line about what was measured. */
static void
put_counts(const struct html_page *pg)
{
	const struct result_file *s = NULL;
	struct panel all = panel_of_all(pg->set);
	const char *rule = notes_rule_text(&all, pg->a, pg->lang);
	const char *logs = page_words(pg, "logs", "日志");
	size_t n_cases = 0, n_logs = 0, n_excluded = 0;
	long runs = 0, fewest = RESULT_UNKNOWN, most = RESULT_UNKNOWN;

	for (struct panel_point x = { NULL }; panel_next(&all, &x);) {
		n_cases++;
		runs += x.c->n > 0 ? x.c->n : 0;
		if (x.c->gpus == RESULT_UNKNOWN)
			continue;
		if (fewest == RESULT_UNKNOWN || x.c->gpus < fewest)
			fewest = x.c->gpus;
		if (most == RESULT_UNKNOWN || x.c->gpus > most)
			most = x.c->gpus;
	}
	free(all.s);
	while ((s = series_next_source(pg->set, s)) != NULL) {
		n_logs += s->result.n_inputs;
		n_excluded += s->result.n_excluded;
	}
	fprintf(pg->f, "<p class=\"faint\">%s: %zu",
	    page_words(pg, "cases", "规模"), n_cases);
	if (fewest != RESULT_UNKNOWN)
		fprintf(pg->f, " · %s: %ld",
		    message(series_devices(pg->set), pg->lang), fewest);
	if (most != fewest)
		fprintf(pg->f, "–%ld", most);
	if (runs > 0)
		fprintf(
		    pg->f, " · %s: %ld", message(MESSAGE_RUNS, pg->lang), runs);
	if (n_logs > 0)
		fprintf(pg->f, " · %s: %zu", logs, n_logs);
	if (n_excluded > 0)
		fprintf(pg->f, " · <a href=\"#excluded\">%s: %zu</a>",
		    message(MESSAGE_EXCLUDED, pg->lang), n_excluded);
	if (rule != NULL)
		page_put(pg, " · ^: @", message(MESSAGE_RULE, pg->lang), rule);
	fputs("</p>\n", pg->f);
}

void
page_summary(const struct html_page *pg)
{
	size_t n = 0;

	fprintf(pg->f, "<section class=\"card lead\" aria-label=\"%s\">\n",
	    page_words(pg, "Summary", "摘要"));
	put_counts(pg);
	for (size_t i = 0; i < pg->panels->n; i++)
		for (size_t k = 0; k < pg->panels->items[i].n; k++) {
			if (n++ == MAX_HEADLINES) {
				fputs("<details><summary>", pg->f);
				page_more(pg, pg->set->n - MAX_HEADLINES);
				fputs("</summary>\n", pg->f);
			}
			put_headline(pg, &pg->panels->items[i], k);
		}
	fputs(n > MAX_HEADLINES ? "</details>\n</section>\n" : "</section>\n",
	    pg->f);
}
