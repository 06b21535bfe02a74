/* Predictions as a section of the page, which page.c places.  They were read by
 * common/result/predictions.c; how speeds are predicted is not known here. */
#include <config.h>

#include <math.h>

#include "common/result/predictions.h"
#include "common/result/work_rate.h"
#include "common/table/table.h"
#include "common/units/units.h"
#include "report/page/page_messages.h"
#include "report/page/page_parts.h"

enum { SPEED_DIGITS = 5, RATIO_DIGITS = 3 };

/* A number and what it leads to. */
static void
put_number(struct table *t, double x, int digits, const char *link)
{
	char buf[UNITS_TEXT_SIZE];

	table_cell(t, isfinite(x) ? number_format(buf, x, digits) : "");
	if (isfinite(x))
		table_link(t, link);
}

static void
put_interval(struct table *t, const struct prediction_case *c, const char *link)
{
	char low[UNITS_TEXT_SIZE], high[UNITS_TEXT_SIZE];

	if (!isfinite(c->low) || !isfinite(c->high)) {
		table_cell(t, NULL);
		return;
	}
	table_cellf(t, "[%s, %s]", number_format(low, c->low, SPEED_DIGITS),
	    number_format(high, c->high, SPEED_DIGITS));
	table_link(t, link);
}

static void
put_case(struct table *t, const struct prediction_case *c, const char *link)
{
	table_row(t);
	table_cell(t, c->name);
	if (c->gpus >= 0)
		table_cellf(t, "%ld", c->gpus);
	else
		table_cell(t, NULL);
	/* What was measured stands as it is. */
	if (c->measured) {
		table_cellf(t, "%.12g", c->speed);
		table_link(t, link);
	} else {
		put_number(t, c->speed, SPEED_DIGITS, link);
	}
	put_interval(t, c, link);
	put_number(t, c->speedup, RATIO_DIGITS, link);
	if (isfinite(c->efficiency)) {
		table_cellf(t, "%.1f", 100 * c->efficiency);
		table_link(t, link);
	} else {
		table_cell(t, NULL);
	}
	table_cellf(t, "%s%s", c->how != NULL ? c->how : "",
	    c->forced ? ", forced" : "");
	table_cell(t, c->warnings);
}

/* "80 % interval": of the first case that has one; a range has no level. */
static const char *
interval_head(
    const struct prediction_series *s, struct table *t, enum language lang)
{
	for (size_t i = 0; i < s->n_cases; i++)
		if (isfinite(s->cases[i].level))
			return page_message_fill(&t->arena, lang,
			    PAGE_INTERVAL_AT,
			    arena_printf(
				&t->arena, "%g %%", 100 * s->cases[i].level),
			    NULL);
	return page_message_text(PAGE_RANGE, lang);
}

/* One that states no title is called by its file. */
static const char *
title_of(const struct prediction_series *s)
{
	return s->title != NULL ? s->title : s->path;
}

/* The measured cases that a series was predicted from, and its notes. */
static void
put_details(const struct html_page *pg, const struct prediction_series *s,
    const char *link)
{
	const enum language lang = pg->how->lang;

	fprintf(pg->f, "<details id=\"%s\">\n<summary>", link + 1);
	page_message(pg->f, lang, PAGE_PREDICTION_OF, title_of(s), NULL);
	fputs("</summary>\n<p>", pg->f);
	page_message(pg->f, lang, PAGE_PREDICTION_FILE, s->path, NULL);
	fputs("</p>\n<ul>\n", pg->f);
	for (size_t i = 0; i < s->n_cases; i++) {
		if (!s->cases[i].measured)
			continue;
		fputs("<li>", pg->f);
		page_bdi(pg->f, s->cases[i].name);
		fprintf(pg->f, ": %.12g ", s->cases[i].speed);
		page_bdi(pg->f, s->unit);
		fputs("</li>\n", pg->f);
	}
	fputs("</ul>\n", pg->f);
	for (size_t i = 0; i < s->n_notes; i++) {
		fputs("<p>", pg->f);
		page_bdi(pg->f, s->notes[i]);
		fputs("</p>\n", pg->f);
	}
	fputs("</details>\n", pg->f);
}

static void
put_series(const struct html_page *pg, const struct prediction_series *s,
    const char *link, const char *id)
{
	const enum language lang = pg->how->lang;
	const enum message speed = work_kind_of(s->unit) == WORK_STEP_TIME
	    ? MESSAGE_STEP_TIME
	    : MESSAGE_THROUGHPUT;
	struct table t;

	fputs("<p><strong>", pg->f);
	page_bdi(pg->f, title_of(s));
	fputs("</strong></p>\n", pg->f);
	table_init(&t);
	table_column(&t, message(MESSAGE_CASE, lang), NULL, TABLE_LEFT);
	table_column(
	    &t, message(series_devices(pg->set), lang), NULL, TABLE_RIGHT);
	table_column(&t, message(speed, lang), s->unit, TABLE_DECIMAL);
	table_column(&t, interval_head(s, &t, lang), s->unit, TABLE_INTERVAL);
	table_column(&t, message(MESSAGE_SPEEDUP, lang), NULL, TABLE_DECIMAL);
	table_column(&t, message(MESSAGE_EFFICIENCY, lang), "%", TABLE_DECIMAL);
	table_column(&t, page_message_text(PAGE_HOW, lang), NULL, TABLE_LEFT);
	table_column(
	    &t, page_message_text(PAGE_WARNINGS, lang), NULL, TABLE_LEFT);
	for (size_t i = 0; i < s->n_cases; i++)
		put_case(&t, &s->cases[i], link);
	page_table(pg, &t, page_message_text(PAGE_PREDICTIONS, lang), id);
	table_release(&t);
	put_details(pg, s, link);
}

void
page_predictions(const struct html_page *pg)
{
	const struct predictions *p = pg->how->predictions;
	const enum language lang = pg->how->lang;
	char link[32], id[32];

	if (p == NULL || p->n == 0)
		return;
	fprintf(pg->f,
	    "<section aria-labelledby=\"predictions\">\n"
	    "<h2 id=\"predictions\">%s</h2>\n<p>%s</p>\n",
	    page_message_text(PAGE_PREDICTIONS, lang),
	    page_message_text(PAGE_PREDICTIONS_OF, lang));
	for (size_t i = 0; i < p->n; i++) {
		snprintf(link, sizeof link, "#prediction-%zu", i);
		snprintf(id, sizeof id, "predicted-%zu", i);
		put_series(pg, &p->items[i], link, id);
	}
	fputs("</section>\n", pg->f);
}
