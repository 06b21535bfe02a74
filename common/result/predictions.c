/* Reader of dlscale-prediction/1, driven by tables of its members. */
#include <config.h>

#include "common/result/predictions.h"

#include <math.h>

#include "common/json/json_read.h"
#include "common/result/record_fields.h"
#include "common/text.h"

#define PREDICTION_SCHEMA "dlscale-prediction/"
#define PREDICTION_VERSION PREDICTION_SCHEMA "1"

int
predictions_is(const char *path)
{
	return json_file_begins(path, "{\"schema\":\"" PREDICTION_SCHEMA);
}

void
predictions_release(struct predictions *p)
{
	arena_release(&p->arena);
	*p = PREDICTIONS_INIT;
}

/* --- reading -------------------------------------------------------------- */

static const struct field interval_fields[] = {
	{ DOUBLE(prediction_interval, level, SHARE) },
	{ DOUBLE(prediction_interval, low, POSITIVE) },
	{ DOUBLE(prediction_interval, high, POSITIVE) },
	{ .kind = FIELD_END },
};

static const struct field case_fields[] = {
	{ ROW(FIELD_STRING, "case", prediction_case, name), .required = 1 },
	{ ROW(FIELD_STRING, "model", prediction_case, how) },
	{ LONG(prediction_case, gpus, NOT_NEGATIVE) },
	{ DOUBLE(prediction_case, speed, POSITIVE), .required = 1 },
	{ DOUBLE(prediction_case, speedup, POSITIVE) },
	{ DOUBLE(prediction_case, efficiency, POSITIVE) },
	{ BOOL(prediction_case, measured) },
	{ BOOL(prediction_case, forced) },
	{ RECORDS(prediction_case, intervals, interval_fields) },
	{ ARRAY(FIELD_STRINGS, "warnings", prediction_case, words) },
	{ .kind = FIELD_END },
};

static const struct field series_fields[] = {
	{ PAIRS(prediction_series, configuration) },
	{ STRING(prediction_series, title) },
	{ STRING(prediction_series, unit) },
	{ STRINGS(prediction_series, notes) },
	{ RECORDS(prediction_series, cases, case_fields) },
	{ .kind = FIELD_END },
};

static const struct field document_fields[] = {
	{ ROW(FIELD_RECORDS, "series", predictions, items), .required = 1,
	    .count = offsetof(struct predictions, n), .fields = series_fields,
	    .size = sizeof(struct prediction_series) },
	{ .kind = FIELD_END },
};

int
predictions_read(struct predictions *p, const char *path, struct error *e)
{
	struct predictions more = PREDICTIONS_INIT;
	struct json_doc d;
	const char *schema;
	int rc;

	if (json_doc_read(path, &d, e) != 0)
		return -1;
	rc = json_read_string(&d.top, "schema", &p->arena, &schema, e);
	if (rc == 0 && !text_same(schema, PREDICTION_VERSION))
		rc = json_read_error(&d.top, "schema", e,
		    "only '%s' can be read", PREDICTION_VERSION);
	if (rc == 0)
		rc = fields_read(document_fields, &d.top, &more, &p->arena, e);
	json_doc_release(&d);
	for (size_t i = 0; rc == 0 && i < more.n; i++) {
		struct prediction_series *s = &more.items[i];
		size_t known = 0;

		s->path = arena_strdup(&p->arena, path);
		/* A null member of a configuration is unknown. */
		for (size_t k = 0; k < s->n_configuration; k++)
			if (s->configuration[k].value != NULL)
				s->configuration[known++] = s->configuration[k];
		s->n_configuration = known;
		for (size_t k = 0; k < s->n_cases; k++) {
			struct prediction_case *c = &s->cases[k];

			c->first = c->n_intervals > 0
			    ? c->intervals[0]
			    : (struct prediction_interval){ NAN, NAN, NAN };
			c->warnings = "";
			for (size_t w = 0; w < c->n_words; w++)
				c->warnings = arena_join(
				    &p->arena, c->warnings, "; ", c->words[w]);
		}
		p->items =
		    arena_grow(&p->arena, p->items, p->n, sizeof *p->items);
		p->items[p->n++] = *s;
	}
	return rc;
}
