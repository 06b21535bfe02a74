/* Predictions as a section of the page, which page.c places.  They were read by
 * common/result/predictions.c; how speeds are predicted is not known here. */
#include <config.h>

#include <math.h>

#include "common/result/predictions.h"
#include "common/table/table.h"
#include "common/units/units.h"
#include "report/page_parts.h"

enum { SPEED_DIGITS = 5, RATIO_DIGITS = 3 };

static void
put_number(struct table *t, double x, int digits)
{
	char buf[UNITS_TEXT_SIZE];

	if (isfinite(x))
		table_cell(t, number_format(buf, x, digits));
	else
		table_cell(t, NULL);
}

static void
put_case(struct table *t, const struct prediction_case *c)
{
	char low[UNITS_TEXT_SIZE], high[UNITS_TEXT_SIZE];

	table_row(t);
	table_cell(t, c->name);
	if (c->gpus >= 0)
		table_cellf(t, "%ld", c->gpus);
	else
		table_cell(t, NULL);
	/* What was measured stands as it is. */
	if (c->measured)
		table_cellf(t, "%.12g", c->speed);
	else
		put_number(t, c->speed, SPEED_DIGITS);
	if (isfinite(c->low) && isfinite(c->high))
		table_cellf(t, "[%s, %s]",
		    number_format(low, c->low, SPEED_DIGITS),
		    number_format(high, c->high, SPEED_DIGITS));
	else
		table_cell(t, NULL);
	put_number(t, c->speedup, RATIO_DIGITS);
	if (isfinite(c->efficiency))
		table_cellf(t, "%.1f", 100 * c->efficiency);
	else
		table_cell(t, NULL);
	table_cellf(t, "%s%s", c->how != NULL ? c->how : "",
	    c->forced ? ", forced" : "");
	table_cell(t, c->warnings);
}

/* "80 % interval": of the first case that has one; a range has no level. */
static const char *
interval_head(const struct prediction_series *s, struct table *t)
{
	for (size_t i = 0; i < s->n_cases; i++)
		if (isfinite(s->cases[i].level))
			return arena_printf(&t->arena, "%g %% interval",
			    100 * s->cases[i].level);
	return "range";
}

static void
put_series(const struct prediction_series *s, FILE *f)
{
	struct table t;

	fputs("<p><strong><bdi>", f);
	page_text(f, s->title);
	fputs("</bdi></strong></p>\n", f);
	table_init(&t);
	table_column(&t, "case", NULL, TABLE_LEFT);
	table_column(&t, "GPUs", NULL, TABLE_RIGHT);
	table_column(&t, "speed", s->unit, TABLE_DECIMAL);
	table_column(&t, interval_head(s, &t), s->unit, TABLE_INTERVAL);
	table_column(&t, "speedup", NULL, TABLE_DECIMAL);
	table_column(&t, "efficiency", "%", TABLE_DECIMAL);
	table_column(&t, "how", NULL, TABLE_LEFT);
	table_column(&t, "warnings", NULL, TABLE_LEFT);
	for (size_t i = 0; i < s->n_cases; i++)
		put_case(&t, &s->cases[i]);
	for (size_t i = 0; i < s->n_notes; i++)
		table_note(&t, "%s", s->notes[i]);
	table_note(&t, "from %s, by predict_scaling", s->path);
	fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
	      "aria-label=\"Table of predictions\">\n",
	    f);
	table_write(&t, &table_html, TABLE_COLOUR_OFF, f);
	fputs("</div>\n", f);
	table_release(&t);
}

void
page_predictions(const struct predictions *p, FILE *f)
{
	if (p == NULL || p->n == 0)
		return;
	fputs("<section aria-labelledby=\"predictions\">\n"
	      "<h2 id=\"predictions\">Predictions</h2>\n"
	      "<p>Cases that were not run, each with an interval; measured "
	      "ones stand next to them as they are.</p>\n",
	    f);
	for (size_t i = 0; i < p->n; i++)
		put_series(&p->items[i], f);
	fputs("</section>\n", f);
}
