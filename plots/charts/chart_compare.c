/* Forest plot of two results: one ratio with its interval per case. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/series/result_comparison.h"
#include "common/strbuf.h"
#include "common/units/units.h"
#include "plots/charts/chart.h"

static const struct result_case *
row_case(const struct comparison_row *row)
{
	return row->after != NULL ? row->after->c : row->before->c;
}

/* Name of a row: values in which the compared series differ, and the case. */
static const char *
point_name(struct chart_data *d, const struct series_set *set,
    const struct comparison_row *row)
{
	const uint64_t keys = set->differing &
	    ~(SERIES_BIT(SERIES_SOURCE) | SERIES_BIT(SERIES_RULE) |
		SERIES_BIT(SERIES_KIND));
	struct strbuf sb;
	const char *name;

	strbuf_init(&sb, 4096);
	for (size_t k = 0; k < set->n_keys; k++)
		if ((keys & SERIES_BIT(k)) && row->s->values[k] != NULL)
			strbuf_printf(&sb, "%s ", row->s->values[k]);
	strbuf_addstr(&sb, row_case(row)->name);
	name = arena_strdup(&d->arena, sb.buf);
	strbuf_release(&sb);
	return name;
}

/* "1.056 [1.025, 1.090]". */
static const char *
number_text(struct chart_data *d, double ratio, double low, double high)
{
	char x[UNITS_TEXT_SIZE], from[UNITS_TEXT_SIZE], to[UNITS_TEXT_SIZE];

	if (isnan(low))
		return arena_strdup(
		    &d->arena, comparison_ratio_text(x, ratio, low, high));
	return arena_printf(&d->arena, "%s [%s, %s]",
	    comparison_ratio_text(x, ratio, low, high),
	    comparison_ratio_text(from, low, low, high),
	    comparison_ratio_text(to, high, low, high));
}

static void
add_case(struct chart_data *d, struct chart_series *s,
    const struct series_set *set, const struct comparison_row *row)
{
	const struct chart_number y = { row->ratio, row->low, row->high };
	const int proven = row->verdict == COMPARISON_FASTER ||
	    row->verdict == COMPARISON_SLOWER;
	struct chart_point *p =
	    chart_point_add(s, (double)s->n_points + 1, &y, row->level, "");

	p->aside = 1;
	p->is_open = !proven;
	d->rows[d->n_rows++] = (struct chart_row){ point_name(d, set, row),
		number_text(d, row->ratio, row->low, row->high),
		comparison_verdict_text(row, d->lang) };
}

/* Add the mean of all ratios below the cases. */
static void
set_mean(struct chart_data *d, const struct comparison *c)
{
	if (c->n_both < 2 || isnan(c->mean))
		return;
	d->mean = (struct chart_number){ c->mean, c->mean_low, c->mean_high };
	d->rows[d->n_rows++] =
	    (struct chart_row){ message(MESSAGE_GEOMETRIC_MEAN, d->lang),
		    number_text(d, c->mean, c->mean_low, c->mean_high), "" };
}

/* List the cases that only one of the results has: "4n8g (only in old)". */
static void
add_missing(struct chart_data *d, const struct series_set *set,
    const struct comparison *c, struct strbuf *sb)
{
	enum { NAMED = 6 };
	size_t n = 0;

	if (d->series[0].n_points == c->n)
		return;
	strbuf_printf(sb, "%s%s: ", d->lang == LANGUAGE_ZH ? "；" : "; ",
	    message(MESSAGE_NOT_DRAWN, d->lang));
	for (size_t i = 0; i < c->n; i++) {
		const struct comparison_row *row = &c->rows[i];
		const char *in[] = {
			comparison_source_name(c, row->after != NULL), NULL
		};

		if (isfinite(row->ratio) || n++ >= NAMED)
			continue;
		strbuf_printf(sb, "%s%s (",
		    n > 1 ? message(MESSAGE_COMMA, d->lang) : "",
		    point_name(d, set, row));
		if (row->before == NULL || row->after == NULL)
			message_fill(sb, MESSAGE_ONLY_IN, d->lang, in);
		else
			strbuf_addstr(sb, message(MESSAGE_NO_FIGURE, d->lang));
		strbuf_addch(sb, ')');
	}
	if (n > NAMED)
		strbuf_printf(
		    sb, "%s+%zu", message(MESSAGE_COMMA, d->lang), n - NAMED);
}

/* Direction of the ratio, meaning of the marks, and missing cases. */
static const char *
remark_of(struct chart_data *d, const struct series_set *set,
    const struct comparison *c)
{
	const char *names[] = { comparison_source_name(c, 1),
		comparison_source_name(c, 0), NULL };
	const char *part = d->lang == LANGUAGE_ZH ? "；" : "; ";
	char text[UNITS_TEXT_SIZE];
	const char *share[] = { text, NULL };
	struct strbuf sb;
	const char *remark;

	strbuf_init(&sb, 1 << 14);
	message_fill(&sb, MESSAGE_RATIO_OF, d->lang, names);
	if (d->delta > 0) {
		snprintf(text, sizeof text, "%.4g %%", 100 * d->delta);
		strbuf_addstr(&sb, part);
		message_fill(&sb, MESSAGE_NOTE_SHADED, d->lang, share);
	}
	if (d->mean.at > 0 && isfinite(d->mean.low)) {
		percent_format(text, c->confidence, 2);
		strbuf_addstr(&sb, part);
		message_fill(&sb, MESSAGE_NOTE_DIAMOND, d->lang, share);
	}
	add_missing(d, set, c, &sb);
	remark = arena_strdup(&d->arena, sb.buf);
	strbuf_release(&sb);
	return remark;
}

int
chart_fill_ratios(struct chart_data *d, struct series_set *set,
    const char *const *names, struct error *e)
{
	static const struct comparison_how usual = {
		.confidence = NAN, .detect = NAN, .allow_mixed = 1
	};
	const struct comparison_how *how =
	    d->comparison != NULL ? d->comparison : &usual;
	struct comparison c;
	struct chart_series *s;

	(void)names;
	if (!(set->differing & SERIES_BIT(SERIES_SOURCE)))
		return 0;
	if (comparison_init(set, how, &c, e) != 0)
		return -1;
	if (c.n_both >= AXIS_MAX_TICKS) {
		error_set(e, ERROR_LIMIT,
		    "%zu cases are too many for one chart, the limit is %d; "
		    "choose by --select=KEY=VALUE",
		    c.n_both, AXIS_MAX_TICKS - 1);
		comparison_release(&c);
		return -1;
	}
	s = chart_series_add(d, message(MESSAGE_RATIO, d->lang), c.n);
	d->rows = arena_calloc(&d->arena, c.n + 1, sizeof *d->rows);
	for (size_t i = 0; i < c.n; i++)
		if (isfinite(c.rows[i].ratio))
			add_case(d, s, set, &c.rows[i]);
	d->n_series = s->n_points > 0;
	d->delta = how->delta;
	set_mean(d, &c);
	d->remark = remark_of(d, set, &c);
	comparison_release(&c);
	return 0;
}
