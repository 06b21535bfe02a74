/* Reading dlscale-prediction/1.  report_results shows it in its page,
 * plot_results draws it; how speeds are predicted is not known here. */
#include <config.h>

#include "common/result/predictions.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/json/json_read.h"

#define PREDICTION_SCHEMA "dlscale-prediction/"
#define PREDICTION_VERSION PREDICTION_SCHEMA "1"

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

/* Where the members of a configuration go. */
struct configuration_read {
	struct arena *a;
	struct result_pair *pairs;
	size_t n;
};

static int
add_member(
    const struct json_value *obj, const char *key, void *user, struct error *e)
{
	struct configuration_read *to = user;
	struct result_pair *pair = &to->pairs[to->n];

	pair->key = arena_strdup(to->a, key);
	if (json_read_string(obj, key, to->a, &pair->value, e) != 0)
		return -1;
	to->n += pair->value != NULL;
	return 0;
}

static int
read_configuration(const struct json_value *v, struct arena *a,
    struct prediction_series *s, struct error *e)
{
	struct configuration_read to = { .a = a };
	struct json_value obj;

	if (json_read_object(v, "configuration", &obj, e) != 0)
		return -1;
	to.pairs =
	    arena_calloc(a, json_read_n_members(&obj) + 1, sizeof *to.pairs);
	if (json_read_each(&obj, add_member, &to, e) != 0)
		return -1;
	s->configuration = to.pairs;
	s->n_configuration = to.n;
	return 0;
}

static int
read_series(const struct json_value *v, struct arena *a,
    struct prediction_series *s, struct error *e)
{
	struct json_value list;

	if (json_read_is_object(v, e) != 0 ||
	    read_configuration(v, a, s, e) != 0 ||
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
