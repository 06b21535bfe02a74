/* Predictions as a section of the page. */
#include <config.h>

#include <math.h>

#include "common/result/predictions.h"
#include "common/result/work_rate.h"
#include "common/units/units.h"
#include "report/page/page_parts.h"

enum { SPEED_DIGITS = 5, RATIO_DIGITS = 3 };

/* A cell with a link, unless it is empty. */
static void
put_linked(struct table *t, const char *text, const char *link)
{
	table_cell(t, text);
	if (text[0] != '\0')
		table_link(t, link);
}

static const char *
number_text(struct arena *a, double x, int digits)
{
	char buf[UNITS_TEXT_SIZE];

	return isfinite(x) ? arena_strdup(a, number_format(buf, x, digits))
			   : "";
}

static void
put_case(struct table *t, const struct prediction_case *c, const char *link)
{
	struct arena *a = &t->arena;
	const char *low = number_text(a, c->low, SPEED_DIGITS);
	const char *high = number_text(a, c->high, SPEED_DIGITS);

	table_row(t);
	table_cell(t, c->name);
	table_cell(t, c->gpus >= 0 ? arena_printf(a, "%ld", c->gpus) : "");
	/* Measured cases have no interval. */
	put_linked(t,
	    c->measured ? arena_printf(a, "%.12g", c->speed)
			: number_text(a, c->speed, SPEED_DIGITS),
	    link);
	put_linked(t,
	    low[0] != '\0' && high[0] != '\0'
		? arena_printf(a, "[%s, %s]", low, high)
		: "",
	    link);
	put_linked(t, number_text(a, c->speedup, RATIO_DIGITS), link);
	put_linked(t,
	    isfinite(c->efficiency)
		? arena_printf(a, "%.1f", 100 * c->efficiency)
		: "",
	    link);
	table_cellf(t, "%s%s", c->how != NULL ? c->how : "",
	    c->forced ? ", forced" : "");
	table_cell(t, c->warnings);
}

/* "80 % interval", from the first case with a level; ranges have none. */
static const char *
interval_head(const struct html_page *pg, const struct prediction_series *s)
{
	for (size_t i = 0; i < s->n_cases; i++)
		if (isfinite(s->cases[i].level))
			return text_fill(pg->a,
			    page_words(pg, "@ interval", "@ 区间"),
			    arena_printf(
				pg->a, "%g %%", 100 * s->cases[i].level));
	return page_words(pg, "range", "范围");
}

/* The measured cases of a predicted series, and its notes. */
static void
put_details(const struct html_page *pg, const struct prediction_series *s,
    const char *title, const char *link)
{
	fprintf(pg->f, "<details id=\"%s\">\n<summary>", link + 1);
	page_put(pg,
	    page_words(pg, "Sources of the prediction: @", "预测依据：@"),
	    title);
	fputs("</summary>\n", pg->f);
	page_sentence(pg,
	    page_words(pg,
		"From @, by predict_scaling, of these measured cases:",
		"来自 @，由 predict_scaling 依据下列实测规模得出："),
	    s->path);
	fputs("<ul>\n", pg->f);
	for (size_t i = 0; i < s->n_cases; i++)
		if (s->cases[i].measured)
			page_put(pg, "<li>@: ^ @</li>\n", s->cases[i].name,
			    arena_printf(pg->a, "%.12g", s->cases[i].speed),
			    s->unit);
	fputs("</ul>\n", pg->f);
	for (size_t i = 0; i < s->n_notes; i++)
		page_sentence(pg, "@", s->notes[i]);
	fputs("</details>\n", pg->f);
}

static void
put_series(const struct html_page *pg, const struct prediction_series *s,
    size_t number)
{
	const enum language lang = pg->lang;
	const enum message speed = work_kind_of(s->unit) == WORK_STEP_TIME
	    ? MESSAGE_STEP_TIME
	    : MESSAGE_THROUGHPUT;
	/* A prediction without a title is named by its file. */
	const char *title = s->title != NULL ? s->title : s->path;
	const char *link = arena_printf(pg->a, "#prediction-%zu", number);
	struct table t;

	page_sentence(pg, "<strong>@</strong>", title);
	table_init(&t);
	table_column(&t, message(MESSAGE_CASE, lang), NULL, TABLE_LEFT);
	table_column(
	    &t, message(series_devices(pg->set), lang), NULL, TABLE_RIGHT);
	table_column(&t, message(speed, lang), s->unit, TABLE_DECIMAL);
	table_column(&t, interval_head(pg, s), s->unit, TABLE_INTERVAL);
	table_column(&t, message(MESSAGE_SPEEDUP, lang), NULL, TABLE_DECIMAL);
	table_column(&t, message(MESSAGE_EFFICIENCY, lang), "%", TABLE_DECIMAL);
	table_column(&t, page_words(pg, "how", "方式"), NULL, TABLE_LEFT);
	table_column(&t, page_words(pg, "warnings", "警告"), NULL, TABLE_LEFT);
	for (size_t i = 0; i < s->n_cases; i++)
		put_case(&t, &s->cases[i], link);
	page_table(pg, &t, page_words(pg, "Predictions", "预测"),
	    arena_printf(pg->a, "predicted-%zu", number));
	table_release(&t);
	put_details(pg, s, title, link);
}

void
page_predictions(const struct html_page *pg)
{
	const struct predictions *p = pg->how->predictions;

	if (p == NULL || p->n == 0)
		return;
	page_section(pg, "predictions", page_words(pg, "Predictions", "预测"));
	page_sentence(pg,
	    page_words(pg,
		"Cases that were not run, each with an interval, and the "
		"measured ones, unchanged.",
		"未运行的规模，各附区间；已测的规模照原值列出。"));
	for (size_t i = 0; i < p->n; i++)
		put_series(pg, &p->items[i], i);
	fputs("</section>\n", pg->f);
}
