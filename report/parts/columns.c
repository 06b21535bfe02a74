#include <config.h>

#include "report/parts/columns.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/hash_index.h"
#include "common/json/json.h"
#include "common/result/case_text.h"
#include "common/result/result.h"
#include "common/text.h"
#include "common/units/units.h"
#include "report/parts/panel.h"

enum { VALUE_DIGITS = 5, RATIO_DIGITS = 3, DIGITS = 4 };

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

/* True if x is too small or too large to be printed with fixed decimals. */
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

/* Format x with `decimals` decimals, but no more than supported. */
static const char *
supported_text(struct arena *a, double x, int decimals, int supported)
{
	return arena_printf(
	    a, "%.*f", decimals < supported ? decimals : supported, x);
}

double
case_within_run(const struct result_case *c)
{
	double half;

	if (c->n != 1 || c->n_runs != 1)
		return NAN;
	half = c->runs[0].audit.half_width;
	/* A larger rounding error is already the interval of the median. */
	return c->median_high - c->median_low > 2 * half * c->median_speed
	    ? NAN
	    : half;
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
	char buf[UNITS_TEXT_SIZE];

	if (!isfinite(x))
		return no_number(how);
	if (how->ratio_decimals >= 0)
		return arena_printf(a, "%.*f", (int)how->ratio_decimals, x);
	if (how->flat)
		return exact_text(a, x);
	return arena_strdup(a, number_format(buf, x, RATIO_DIGITS));
}

const char *
text_of_speedup(struct arena *a, const struct report_how *how,
    const struct series_point *p, double x)
{
	const struct result_case *c = p->c;

	if (!isfinite(x) || how->flat || how->ratio_decimals >= 0 ||
	    !isfinite(c->speedup) || is_extreme(x))
		return text_of_ratio(a, how, x);
	return supported_text(a, x,
	    significant_decimals(c->speedup, RATIO_DIGITS),
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

/* Add the interval of a point's median; for a single run that of the mean
 * within the run, which notes_levels explains. */
static void
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
		: text_fill(&t->arena, message(MESSAGE_WITHIN, how->lang),
		      percent_format(half, within, within < 0.0995 ? 2 : 0)));
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
report_page_start(const char *title, const char *language, FILE *f)
{
	fprintf(f,
	    "<!DOCTYPE html>\n<html lang=\"%s\">\n<head>\n"
	    "<meta charset=\"utf-8\">\n"
	    "<meta name=\"viewport\" content=\"width=device-width\">\n"
	    "<title>%s</title>\n"
	    "<style>\n"
	    "body { font-family: sans-serif; margin: 2em; }\n"
	    "table { border-collapse: collapse; margin: 1em 0; }\n"
	    "caption { font-weight: bold; text-align: left; "
	    "padding: 0.3em 0; }\n"
	    "th, td { padding: 0.2em 0.8em; "
	    "border-bottom: 1px solid #ccc; text-align: left; }\n"
	    ".num { text-align: right; "
	    "font-variant-numeric: tabular-nums; }\n"
	    ".unit, .note { color: #666; font-weight: normal; }\n"
	    "</style>\n</head>\n<body>\n",
	    language, title);
}

void
report_page_end(FILE *f)
{
	fputs("</body>\n</html>\n", f);
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
		report_page_start(
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
		report_page_end(f);
}

/* --- rows of arrays ------------------------------------------------------- */

static const void *
member_of(const struct column *column, const struct column_row *x)
{
	const char *of = column->of_rule ? (const void *)&x->result->rule
	    : column->of_item            ? x->item
					 : (const void *)x->c;

	return of + column->at;
}

const char *
column_text(const struct column *column, const struct column_row *x)
{
	if (column->cell == CELL_MADE)
		return column->text(x);
	if (column->cell == CELL_COUNT) {
		const long n = *(const long *)member_of(column, x);

		return n == RESULT_UNKNOWN ? NULL
					   : arena_printf(x->arena, "%ld", n);
	}
	return *(const char *const *)member_of(column, x);
}

double
column_number(const struct column_row *x)
{
	const struct column *column = x->column;
	const void *member = member_of(column, x);

	if (column->cell == CELL_COUNT)
		return *(const long *)member == RESULT_UNKNOWN
		    ? NAN
		    : (double)*(const long *)member;
	return *(const double *)member *
	    (column->scale != 0 ? column->scale : 1);
}

int
column_differs(const struct column *column, const struct column_row *x)
{
	struct column_row one = *x;
	const char *first = NULL;

	for (size_t i = 0; i < x->result->n_cases; i++) {
		const char *text;

		one.c = &x->result->cases[i];
		text = column_text(column, &one);
		if (i > 0 && !text_same(first, text))
			return 1;
		first = text;
	}
	return 0;
}

/* Add a column. An earlier column of the same name, which is a label, is
 * renamed, since heads are the member names of JSON objects. */
static void
flat_column(struct table *t, const char *head)
{
	for (size_t i = 0; i < t->n_columns; i++)
		if (strcmp(t->columns[i].head, head) == 0)
			t->columns[i].head =
			    arena_printf(&t->arena, "label_%s", head);
	table_column(t, head, NULL, TABLE_LEFT);
}

uint64_t
columns_add(const struct column *columns, const struct column_row *x)
{
	const int of_cases = x->how->flat && x->set != NULL;
	uint64_t shown = 0;

	if (of_cases)
		keys_columns(x->t, x->set, x->keys);
	for (int i = 0; columns[i].cell != CELL_END; i++) {
		const struct column *c = &columns[i];
		const char *head = c->key, *unit = NULL;

		assert(i < 64);
		if (!x->how->flat) {
			head = c->head[x->how->lang];
			unit = text_same(c->unit, "") ? x->c->unit : c->unit;
			if ((c->when != NULL && !c->when(x)) ||
			    (c->differs && !column_differs(c, x)))
				continue;
			if (c->title != NULL)
				head = c->title(x);
		}
		if (head == NULL)
			continue;
		if (x->how->flat)
			flat_column(x->t, head);
		else
			table_column(x->t, head,
			    unit != NULL && unit[0] != '\0' ? unit : NULL,
			    c->align);
		shown |= (uint64_t)1 << i;
	}
	if (of_cases)
		measured_columns_add(x->t);
	return shown;
}

void
column_put(const struct column_row *x)
{
	const struct column *column = x->column;
	struct table *t = x->t;
	char text[UNITS_TEXT_SIZE];

	switch (column->cell) {
	case CELL_CASE:
		table_cell(t,
		    series_case_name(x->arena, x->c,
			x->how->flat ? LANGUAGE_EN : x->how->lang));
		break;
	case CELL_MEDIAN:
		cell_value(t, x->how, x->p, "");
		if (x->how->of_logs)
			table_last_cell(t)->emphasis = TABLE_STRONG;
		break;
	case CELL_SPEEDUP:
		cell_speedup(t, x->how, x->p, x->c->speedup);
		break;
	case CELL_MEDIAN_INTERVAL:
		cell_median_interval(t, x->how, x->p);
		break;
	case CELL_SPEEDUP_INTERVAL:
		table_cell(t,
		    text_of_interval(&t->arena, x->how, x->p, x->c->speedup_low,
			x->c->speedup_high, 1));
		case_links_cell(x->how->links, t, x->p->c);
		break;
	case CELL_MADE:
	case CELL_TEXT:
		table_cell(t, column_text(column, x));
		break;
	case CELL_COUNT:
		cell_count(t, x->how, *(const long *)member_of(column, x));
		break;
	case CELL_VALUE:
		cell_number(t, x->how, x->p, column_number(x));
		break;
	case CELL_RATIO:
		cell_ratio(t, x->how, column_number(x));
		break;
	case CELL_SHARE:
		cell_percent(t, x->how, column_number(x));
		break;
	case CELL_DIGITS:
		table_cell(t,
		    isnan(column_number(x))
			? "-"
			: number_format(text, column_number(x), DIGITS));
		break;
	case CELL_EXACT:
		cell_unrounded(t, column_number(x));
		break;
	default:
		column->put(x);
		break;
	}
}

void
columns_put(
    const struct column *columns, uint64_t shown, const struct column_row *x)
{
	struct column_row own = *x;

	for (int i = 0; columns[i].cell != CELL_END; i++) {
		own.column = &columns[i];
		if (!(shown >> i & 1))
			continue;
		column_put(&own);
		if (x->links)
			case_links_cell(x->how->links, x->t, x->c);
	}
}

void
columns_row(
    const struct column *columns, uint64_t shown, const struct column_row *x)
{
	table_row(x->t);
	if (x->set != NULL)
		keys_cells(x->t, x->set, x->s, x->keys);
	columns_put(columns, shown, x);
	if (x->how->flat && x->set != NULL)
		measured_columns_fill(x->t,
		    &(struct panel_point){ .s = x->s, .p = x->p, .c = x->c },
		    1);
}

void
flat_columns(struct table *t, const char *const *heads)
{
	for (; *heads != NULL; heads++)
		flat_column(t, *heads);
}

void
flat_numbers(struct table *t, const double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		cell_unrounded(t, x[i]);
}

/* --- columns of a configuration ------------------------------------------- */

uint64_t
keys_known(const struct series_set *set, uint64_t mask)
{
	uint64_t known = 0;

	for (size_t i = 0; i < set->n; i++)
		known |= set->items[i].known;
	if (!(set->differing & SERIES_BIT(SERIES_WORK)))
		known &= ~SERIES_BIT(SERIES_WORK);
	return known & mask;
}

const char *
keys_head(const struct series_set *set, size_t key, enum language lang)
{
	static const enum message heads[SERIES_LABELS] = {
		[SERIES_FRAMEWORK] = MESSAGE_FRAMEWORK,
		[SERIES_MODEL] = MESSAGE_MODEL,
		[SERIES_PRECISION] = MESSAGE_PRECISION,
		[SERIES_BATCH] = MESSAGE_BATCH,
		[SERIES_GLOBAL_BATCH] = MESSAGE_GLOBAL_BATCH,
		[SERIES_UNIT] = MESSAGE_UNIT,
		[SERIES_RULE] = MESSAGE_RULE,
		[SERIES_KIND] = MESSAGE_KIND,
		[SERIES_SOURCE] = MESSAGE_SOURCE,
	};

	return key < SERIES_LABELS && key != SERIES_WORK
	    ? message(heads[key], lang)
	    : message_label(set->keys[key], lang);
}

void
keys_columns(struct table *t, const struct series_set *set, uint64_t keys)
{
	for (size_t k = 0; k < set->n_keys; k++)
		if (keys & SERIES_BIT(k))
			table_column(
			    t, series_key_column(set, k), NULL, TABLE_LEFT);
}

void
keys_cells(struct table *t, const struct series_set *set,
    const struct series *s, uint64_t keys)
{
	for (size_t k = 0; k < set->n_keys; k++)
		if (keys & SERIES_BIT(k)) {
			table_cell(t, s != NULL ? s->values[k] : "");
			if (k == SERIES_BATCH || k == SERIES_GLOBAL_BATCH)
				table_last_cell(t)->is_numeric = 1;
		}
}

static const struct {
	const char *head;
	int is_numeric;
} measured_columns[] = { { "case", 0 }, { "unit", 0 }, { "n", 1 },
	{ "median_level", 1 }, { "baseline", 0 }, { "speedup_level", 1 },
	{ "confidence", 1 }, { "rule", 0 }, { "measured", 0 } };
enum { N_MEASURED = sizeof measured_columns / sizeof measured_columns[0] };

static const char *
known_text(struct arena *a, double x)
{
	return isfinite(x) ? exact_text(a, x) : NULL;
}

void
measured_columns_add(struct table *t)
{
	for (size_t i = 0; i < N_MEASURED; i++) {
		size_t k = 0;

		while (k < t->n_columns &&
		    strcmp(t->columns[k].head, measured_columns[i].head) != 0)
			k++;
		if (k == t->n_columns)
			table_column(
			    t, measured_columns[i].head, NULL, TABLE_LEFT);
	}
}

void
measured_columns_fill(
    struct table *t, const struct panel_point *points, size_t n)
{
	const struct table_row *row = &t->rows[t->n_rows - 1];
	struct arena a = ARENA_INIT;
	const char *(*texts)[N_MEASURED] = arena_calloc(&a, n, sizeof *texts);

	/* Texts of the cases in the columns; NULL: unknown. */
	for (size_t i = 0; i < n; i++) {
		const struct panel_point *x = &points[i];
		const struct result_case *c = x->c;
		const struct result_rule *options = &x->p->source->result.rule;
		const char *rule = x->s->values[SERIES_RULE];
		const int is_published = series_is_published(x->s);
		const char *measured =
		    measured_text(&a, options, c->rule, LANGUAGE_EN);
		const char *const own[N_MEASURED] = { c->name, c->unit,
			known_text(
			    &a, c->n != RESULT_UNKNOWN ? (double)c->n : NAN),
			known_text(&a, c->median_level), c->baseline,
			known_text(&a, c->speedup_level),
			known_text(
			    &a, is_published ? NAN : options->confidence),
			rule != NULL ? rule : c->rule,
			measured == NULL && is_published
			    ? message(MESSAGE_RULE_UNKNOWN, LANGUAGE_EN)
			    : measured };

		memcpy(texts[i], own, sizeof own);
	}
	while (row->n_cells < t->n_columns) {
		const char *head = t->columns[row->n_cells].head, *all = "";
		size_t column = 0;

		while (strcmp(head, measured_columns[column].head) != 0)
			column++;
		for (size_t i = 0; i < n; i++) {
			size_t k = 0;

			while (!text_same(texts[k][column], texts[i][column]))
				k++;
			if (k == i)
				all =
				    arena_join(&a, all, "; ", texts[i][column]);
		}
		table_cell(t, all);
		if (measured_columns[column].is_numeric)
			table_last_cell(t)->is_numeric = 1;
	}
	arena_release(&a);
}

void
metric_list_add(struct metric_list *l, const struct result_case *c)
{
	for (size_t i = 0; i < c->n_runs; i++)
		for (size_t k = 0; k < c->runs[i].n_metrics && !l->more; k++) {
			const struct result_metric *m = &c->runs[i].metrics[k];
			size_t j = 0;

			while (
			    j < l->n && strcmp(l->items[j]->name, m->name) != 0)
				j++;
			if (j < l->n)
				continue;
			l->more = l->n == METRICS_MAX;
			if (l->more)
				return;
			l->items[l->n++] = m;
		}
}

void
metric_list_columns(
    const struct metric_list *l, struct table *t, enum table_align align)
{
	for (size_t k = 0; k < l->n; k++) {
		const char *unit = l->items[k]->unit;

		table_column(t, l->items[k]->name,
		    unit != NULL && unit[0] != '\0' ? unit : NULL, align);
	}
}
