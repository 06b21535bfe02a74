/* Reading dlscale-prediction/1 and showing it as a section of the page.  main.c
 * reads the operands, page.c places the section; how speeds are predicted is
 * not known here. */
#include <config.h>

#include "report/predictions.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/json/json_read.h"
#include "common/table/table.h"
#include "common/units/units.h"
#include "report/page.h"

#define PREDICTION_SCHEMA "dlscale-prediction/"
#define PREDICTION_VERSION PREDICTION_SCHEMA "1"

enum { SPEED_DIGITS = 5, RATIO_DIGITS = 3 };

int
predictions_is(const char *path)
{
	return json_file_has_schema(path, PREDICTION_SCHEMA);
}

void
predictions_release(struct predictions *p)
{
	free(p->items);
	arena_release(&p->arena);
	*p = (struct predictions)PREDICTIONS_INIT;
}

/* --- reading -------------------------------------------------------------- */

static int
read_positive(
    const struct json_value *v, const char *key, double *out, struct error *e)
{
	return json_read_double(v, key, DBL_MIN, DBL_MAX, out, e);
}

/* The first interval; a case may have none. */
static int
read_interval(
    const struct json_value *v, struct prediction_case *c, struct error *e)
{
	struct json_value list, first;
	size_t n;

	c->level = c->low = c->high = NAN;
	if (json_read_array(v, "intervals", &list, &n, e) != 0)
		return -1;
	if (n == 0)
		return 0;
	json_read_item(&list, 0, &first);
	return json_read_is_object(&first, e) != 0 ||
		json_read_double(&first, "level", 0, 1, &c->level, e) != 0 ||
		read_positive(&first, "low", &c->low, e) != 0 ||
		read_positive(&first, "high", &c->high, e) != 0
	    ? -1
	    : 0;
}

static int
read_warnings(const struct json_value *v, struct arena *a,
    struct prediction_case *c, struct error *e)
{
	struct json_value list;
	size_t n;

	c->warnings = "";
	if (json_read_array(v, "warnings", &list, &n, e) != 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		const char *word;

		if (json_read_item_string(&list, i, a, &word, e) != 0)
			return -1;
		c->warnings = arena_printf(
		    a, "%s%s%s", c->warnings, i > 0 ? "; " : "", word);
	}
	return 0;
}

static int
read_case(const struct json_value *v, struct arena *a,
    struct prediction_case *c, struct error *e)
{
	return json_read_is_object(v, e) != 0 ||
		json_read_require(v, "case", e) != 0 ||
		json_read_string(v, "case", a, &c->name, e) != 0 ||
		json_read_string(v, "model", a, &c->how, e) != 0 ||
		json_read_count(v, "gpus", &c->gpus, e) != 0 ||
		json_read_require(v, "speed", e) != 0 ||
		read_positive(v, "speed", &c->speed, e) != 0 ||
		read_positive(v, "speedup", &c->speedup, e) != 0 ||
		read_positive(v, "efficiency", &c->efficiency, e) != 0 ||
		json_read_bool(v, "measured", &c->measured, e) != 0 ||
		json_read_bool(v, "forced", &c->forced, e) != 0 ||
		read_interval(v, c, e) != 0 || read_warnings(v, a, c, e) != 0
	    ? -1
	    : 0;
}

static int
read_notes(const struct json_value *v, struct arena *a,
    struct prediction_series *s, struct error *e)
{
	struct json_value list;
	const char **notes;

	if (json_read_array(v, "notes", &list, &s->n_notes, e) != 0)
		return -1;
	notes = arena_calloc(a, s->n_notes + 1, sizeof *notes);
	for (size_t i = 0; i < s->n_notes; i++)
		if (json_read_item_string(&list, i, a, &notes[i], e) != 0)
			return -1;
	s->notes = notes;
	return 0;
}

static int
read_series(const struct json_value *v, struct arena *a,
    struct prediction_series *s, struct error *e)
{
	struct json_value list;

	if (json_read_is_object(v, e) != 0 ||
	    json_read_string(v, "title", a, &s->title, e) != 0 ||
	    json_read_string(v, "unit", a, &s->unit, e) != 0 ||
	    read_notes(v, a, s, e) != 0 ||
	    json_read_array(v, "cases", &list, &s->n_cases, e) != 0)
		return -1;
	s->cases = arena_calloc(a, s->n_cases + 1, sizeof *s->cases);
	for (size_t i = 0; i < s->n_cases; i++) {
		struct json_value item;

		json_read_item(&list, i, &item);
		if (read_case(&item, a, &s->cases[i], e) != 0)
			return -1;
	}
	return 0;
}

static int
read_document(struct predictions *p, const struct json_doc *d, const char *path,
    struct error *e)
{
	const char *schema;
	struct json_value list;
	size_t n;

	if (json_read_string(&d->top, "schema", &p->arena, &schema, e) != 0)
		return -1;
	if (schema == NULL || strcmp(schema, PREDICTION_VERSION) != 0)
		return json_read_error(&d->top, "schema", e,
		    "only '%s' can be read", PREDICTION_VERSION);
	if (json_read_require(&d->top, "series", e) != 0 ||
	    json_read_array(&d->top, "series", &list, &n, e) != 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		struct json_value item;
		struct prediction_series *s;

		json_read_item(&list, i, &item);
		p->items =
		    vec_grow(p->items, p->n, &p->alloc, sizeof *p->items);
		s = &p->items[p->n++];
		*s = (struct prediction_series){ .path = arena_strdup(
						     &p->arena, path) };
		if (read_series(&item, &p->arena, s, e) != 0)
			return -1;
	}
	return 0;
}

int
predictions_read(struct predictions *p, const char *path, struct error *e)
{
	struct json_doc d;
	int rc;

	if (json_doc_read(path, &d, e) != 0)
		return -1;
	rc = read_document(p, &d, path, e);
	json_doc_release(&d);
	return rc;
}

/* --- showing -------------------------------------------------------------- */

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
predictions_put(const struct predictions *p, FILE *f)
{
	if (p == NULL || p->n == 0)
		return;
	fputs("<section aria-labelledby=\"predictions\">\n"
	      "<h2 id=\"predictions\">Predictions</h2>\n"
	      "<p>Cases that were not run, each with an interval; measured "
	      "ones stand beside them as they are.</p>\n",
	    f);
	for (size_t i = 0; i < p->n; i++)
		put_series(&p->items[i], f);
	fputs("</section>\n", f);
}
