#include <config.h>

#include "report/parts/cell.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/hash_index.h"
#include "common/json/json_write.h"
#include "common/result/case_text.h"
#include "common/text.h"
#include "common/units/units.h"
#include "report/parts/panel.h"

enum { VALUE_DIGITS = 5 };

static const char absent[] = "-";
static const char unknown[] = "n/a";

/* The cell of an unknown number: empty in flat tables. */
static const char *
no_number(const struct report_how *how)
{
	return how->flat ? "" : how->of_logs ? absent : unknown;
}

static void
number_cell(struct table *t, const char *text)
{
	table_cell(t, text);
	table_last_cell(t)->is_numeric = 1;
}

void
cell_count(struct table *t, const struct report_how *how, long count)
{
	number_cell(t,
	    count == RESULT_UNKNOWN ? no_number(how)
				    : arena_printf(&t->arena, "%ld", count));
}

/* Too small or too large for a number of decimals. */
static int
is_extreme(double x)
{
	return fabs(x) < 1e-5 || fabs(x) >= 1e15;
}

static const char *
exact_text(struct arena *a, double x)
{
	char buf[JSON_DOUBLE_SIZE];

	return arena_strdup(a, json_double(buf, x));
}

/* x with the decimals of a number of that size, no more than supported. */
static const char *
supported_text(struct arena *a, double x, int decimals, int supported)
{
	return arena_printf(
	    a, "%.*f", decimals < supported ? decimals : supported, x);
}

const char *
text_of_value(struct arena *a, const struct report_how *how,
    const struct series_point *p, double x)
{
	const struct result_case *c = p->c;
	const char *metric = p->source->result.rule.metric;
	const int is_time = metric != NULL && strcmp(metric, "throughput") != 0;
	const double half = case_within_run(c) * c->median_speed;
	char buf[UNITS_TEXT_SIZE];
	int decimals;

	if (!isfinite(x))
		return no_number(how);
	if (how->digits >= 0)
		return arena_printf(a, "%.*f", (int)how->digits, x);
	if (how->flat)
		return exact_text(a, x);
	if (is_extreme(x))
		return arena_strdup(a, number_format(buf, x, VALUE_DIGITS));
	decimals = significant_decimals(
	    isfinite(c->median_speed) ? c->median_speed : x, VALUE_DIGITS);
	if (!is_time && !how->of_logs && decimals < 2)
		decimals = 2;
	return supported_text(a, x, decimals,
	    isnan(half) ? interval_decimals(c->median_low, c->median_high)
			: interval_decimals(
			      c->median_speed - half, c->median_speed + half));
}

const char *
text_of_ratio(struct arena *a, const struct report_how *how, double x)
{
	const int digits = how->ratio_digits > 0 ? (int)how->ratio_digits
						 : REPORT_RATIO_DIGITS;
	char buf[UNITS_TEXT_SIZE];

	if (!isfinite(x))
		return no_number(how);
	if (how->ratio_decimals >= 0)
		return arena_printf(a, "%.*f", (int)how->ratio_decimals, x);
	if (how->flat && how->ratio_digits == 0)
		return exact_text(a, x);
	return arena_strdup(a, number_format(buf, x, digits));
}

const char *
text_of_speedup(struct arena *a, const struct report_how *how,
    const struct series_point *p, double x)
{
	const struct result_case *c = p->c;

	if (!isfinite(x) || how->flat || cell_ratio_digits_asked(how) ||
	    !isfinite(c->speedup) || is_extreme(x))
		return text_of_ratio(a, how, x);
	return supported_text(a, x,
	    significant_decimals(c->speedup, REPORT_RATIO_DIGITS),
	    interval_decimals(c->speedup_low, c->speedup_high));
}

const char *
text_of_interval(struct arena *a, const struct report_how *how,
    const struct series_point *p, double low, double high, int is_ratio)
{
	const char *(*text)(struct arena * a, const struct report_how *how,
	    const struct series_point *p, double x);

	if (!isfinite(low) || !isfinite(high))
		return "";
	text = is_ratio ? text_of_speedup : text_of_value;
	return arena_printf(
	    a, "[%s, %s]", text(a, how, p, low), text(a, how, p, high));
}

void
cell_number(struct table *t, const struct report_how *how,
    const struct series_point *p, double x)
{
	number_cell(t, text_of_value(&t->arena, how, p, x));
	case_links_cell(how->links, t, p->c);
}

void
cell_value(struct table *t, const struct report_how *how,
    const struct series_point *p, const char *marks)
{
	if (p == NULL)
		table_cell(t, absent);
	else if (p->text == NULL && !isfinite(p->c->median_speed))
		table_cell(t, how->of_logs ? no_number(how) : unknown);
	else if (p->text == NULL && marks[0] != '\0')
		table_cellf(t, "%s %s",
		    text_of_value(&t->arena, how, p, p->c->median_speed),
		    marks);
	else if (p->text == NULL)
		cell_number(t, how, p, p->c->median_speed);
	else {
		number_cell(t, p->text);
		case_links_cell(how->links, t, p->c);
	}
}

int
cell_is_baseline(const struct result_case *c)
{
	return c->baseline != NULL && text_same(c->baseline, c->name);
}

void
cell_speedup(struct table *t, const struct report_how *how,
    const struct series_point *p, double speedup)
{
	const int is_one = cell_is_baseline(p->c) && isfinite(speedup) &&
	    how->ratio_decimals < 0 && !(how->of_logs && how->flat);

	number_cell(
	    t, is_one ? "1" : text_of_speedup(&t->arena, how, p, speedup));
	if (isfinite(speedup))
		case_links_cell(how->links, t, p->c);
}

void
cell_ratio(struct table *t, const struct report_how *how, double ratio)
{
	number_cell(t, text_of_ratio(&t->arena, how, ratio));
}

int
cell_ratio_digits_asked(const struct report_how *how)
{
	return how->ratio_digits > 0 || how->ratio_decimals >= 0;
}

void
cell_percent(struct table *t, const struct report_how *how, double share)
{
	if (!isfinite(share))
		table_cell(t, no_number(how));
	else if (how->flat)
		cell_unrounded(t, share);
	else
		table_cellf(t, "%.1f", 100 * share);
}

void
cell_interval(struct table *t, const struct report_how *how,
    const struct series_point *p, double low, double high, int is_ratio)
{
	table_cell(t, text_of_interval(&t->arena, how, p, low, high, is_ratio));
	case_links_cell(how->links, t, p->c);
}

void
cell_median_interval(
    struct table *t, const struct report_how *how, const struct series_point *p)
{
	const double within = case_within_run(p->c);
	char half[UNITS_TEXT_SIZE];

	/* The table then needs the note MESSAGE_WITHIN_MEANS. */
	table_cell(t,
	    isnan(within)
		? text_of_interval(
		      &t->arena, how, p, p->c->median_low, p->c->median_high, 0)
		: message_with(&t->arena, MESSAGE_WITHIN, how->lang,
		      percent_format(half, within, within < 0.0995 ? 2 : 0),
		      NULL));
	case_links_cell(how->links, t, p->c);
}

void
cell_unrounded(struct table *t, double x)
{
	number_cell(t, isfinite(x) ? exact_text(&t->arena, x) : "");
}

/* --- the tables of a report ----------------------------------------------- */

struct table *
report_tables_add(struct report_tables *list)
{
	struct table *t;

	list->items =
	    vec_grow(list->items, list->n, &list->alloc, sizeof *list->items);
	t = &list->items[list->n++];
	*t = TABLE_INIT;
	return t;
}

void
report_tables_release(struct report_tables *list)
{
	for (size_t i = 0; i < list->n; i++)
		table_release(&list->items[i]);
	free(list->items);
}

void
report_tables_write(
    const struct report_tables *list, const struct report_how *how, FILE *f)
{
	const int is_page = strcmp(how->format->name, "html") == 0;
	const char **names = xcalloc(list->n + 1, sizeof *names);
	int *copies = xcalloc(list->n + 1, sizeof *copies);
	struct hash_index known = HASH_INDEX_INIT;

	if (is_page)
		table_page_start(
		    "report_results", language_names[how->lang], f);
	for (size_t i = 0; i < list->n; i++) {
		struct table *t = &list->items[i];

		if (t->n_rows == 0)
			continue;
		names[i] = arena_printf(&t->arena, "%s\n%s",
		    t->name != NULL ? t->name : "",
		    t->title != NULL ? t->title : "");
		t->copies = copies[hash_index_first(&known, names, i)]++;
	}
	hash_index_release(&known);
	free(copies);
	free(names);
	table_write(list->items, list->n, how->format, how->colour, f);
	if (is_page)
		table_page_end(f);
}
