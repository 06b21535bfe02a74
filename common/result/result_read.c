#include <config.h>

#include "common/result/result.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/json/json_read.h"
#include "common/result/record_fields.h"
#include "common/text.h"

/* Compare all that distinguishes cases (doc/measurement.md, "Cases"). */
static int
compare_identity(const struct result_case *a, const struct result_case *b)
{
	const char *const names[][2] = { { a->name, b->name },
		{ a->rule, b->rule }, { a->unit, b->unit },
		{ a->work_unit, b->work_unit } };
	const long counts[][2] = { { a->batch_size_per_device,
				       b->batch_size_per_device },
		{ a->nodes, b->nodes }, { a->gpus_per_node, b->gpus_per_node },
		{ a->gpus, b->gpus } };
	int order = result_case_order(a, b);

	for (size_t i = 0; order == 0 && i < 4; i++)
		order = text_order(names[i][0], names[i][1]);
	for (size_t i = 0; order == 0 && i < 4; i++)
		order = (counts[i][0] > counts[i][1]) -
		    (counts[i][0] < counts[i][1]);
	return order;
}

/* For qsort: equal cases in the order of the file. */
static int
compare_cases(const void *x, const void *y)
{
	const struct result_case *a = *(const struct result_case *const *)x;
	const struct result_case *b = *(const struct result_case *const *)y;
	const int order = compare_identity(a, b);

	return order != 0 ? order : (a > b) - (a < b);
}

static int
check_duplicates(
    const struct result *r, const struct json_value *cases, struct error *e)
{
	struct json_value item;
	int rc = 0;
	const struct result_case **sorted = xcalloc(r->n_cases, sizeof *sorted);

	for (size_t i = 0; i < r->n_cases; i++)
		sorted[i] = &r->cases[i];
	qsort(sorted, r->n_cases, sizeof *sorted, compare_cases);
	for (size_t i = 1; rc == 0 && i < r->n_cases; i++) {
		if (compare_identity(sorted[i - 1], sorted[i]) != 0)
			continue;
		json_read_item(cases, (size_t)(sorted[i] - r->cases), &item);
		rc = json_read_error(&item, NULL, e,
		    "the same configuration as cases[%zu]",
		    (size_t)(sorted[i - 1] - r->cases));
	}
	free(sorted);
	return rc;
}

/* Check low <= middle <= high, ignoring unknown values. */
static int
check_interval(const struct json_value *obj, const char *const keys[3],
    double low, double middle, double high, struct error *e)
{
	if (isnan(low) != isnan(high))
		return json_read_error(obj, keys[isnan(low) ? 0 : 2], e,
		    "missing, but '%s' is there", keys[isnan(low) ? 2 : 0]);
	if (low > middle)
		return json_read_error(obj, keys[0], e, "above '%s'", keys[1]);
	if (high < middle)
		return json_read_error(obj, keys[2], e, "below '%s'", keys[1]);
	return 0;
}

/* Check that the numbers of a case are consistent. */
static int
check_case(
    const struct result_case *c, const struct json_value *obj, struct error *e)
{
	static const char *const median[] = { "median_low", "median_speed",
		"median_high" };
	static const char *const speedup[] = { "speedup_low", "speedup",
		"speedup_high" };
	static const char *const rounding[] = { "low", "value", "high" };
	struct json_value runs, run, ends;
	size_t n;

	/* A file may omit the runs and keep only the cases. */
	if (c->n_runs > 0 && (size_t)c->n > c->n_runs)
		return json_read_error(
		    obj, "n", e, "%ld, but 'runs' has %zu", c->n, c->n_runs);
	if (!result_counts_agree(c->nodes, c->gpus_per_node, c->gpus))
		return json_read_error(obj, "gpus", e,
		    "%ld is not %ld nodes times %ld", c->gpus, c->nodes,
		    c->gpus_per_node);
	if (check_interval(obj, median, c->median_low, c->median_speed,
		c->median_high, e) != 0 ||
	    json_read_array(obj, "runs", &runs, &n, e) != 0)
		return -1;
	for (size_t i = 0; i < c->n_runs; i++) {
		const struct result_rounding *r = &c->runs[i].rounding;

		if (isnan(r->low) && isnan(r->high))
			continue;
		json_read_item(&runs, i, &run);
		if (json_read_object(&run, "rounding", &ends, e) != 0 ||
		    check_interval(&ends, rounding, r->low, c->runs[i].value,
			r->high, e) != 0)
			return -1;
	}
	return check_interval(
	    obj, speedup, c->speedup_low, c->speedup, c->speedup_high, e);
}

static int
check_cases(
    const struct result *r, const struct json_value *top, struct error *e)
{
	struct json_value cases, item;
	size_t n;

	if (json_read_array(top, "cases", &cases, &n, e) != 0)
		return -1;
	for (size_t i = 0; i < r->n_cases; i++) {
		json_read_item(&cases, i, &item);
		if (check_case(&r->cases[i], &item, e) != 0)
			return -1;
	}
	return check_duplicates(r, &cases, e);
}

/* True for a later version of the schema. */
static int
is_newer_schema(const char *schema)
{
	const size_t stem = strcspn(RESULT_SCHEMA, "/") + 1;
	long own, other;

	return strncmp(schema, RESULT_SCHEMA, stem) == 0 &&
	    parse_long(&RESULT_SCHEMA[stem], 0, LONG_MAX, &own) == 0 &&
	    parse_long(schema + stem, 0, LONG_MAX, &other) == 0 && other > own;
}

static int
schema_read(const struct json_value *top, struct arena *a, struct error *e)
{
	const char *schema;

	if (json_read_is_object(top, e) != 0 ||
	    json_read_require(top, "schema", e) != 0 ||
	    json_read_string(top, "schema", a, &schema, e) != 0)
		return -1;
	if (is_newer_schema(schema))
		return json_read_error(top, "schema", e,
		    "'%.60s' is newer than '" RESULT_SCHEMA
		    "', which this version reads: upgrade dlscale",
		    schema);
	if (strcmp(schema, RESULT_SCHEMA) != 0 &&
	    strcmp(schema, RESULT_SCHEMA_1) != 0)
		return json_read_error(top, "schema", e,
		    "'%.60s' is not '" RESULT_SCHEMA "'", schema);
	return 0;
}

/* Releases d in any case. */
static int
result_from_doc(struct json_doc *d, struct result *r, struct error *e)
{
	int rc = -1;

	result_init(r);
	r->file = arena_strdup(&r->arena, d->name);
	if (schema_read(&d->top, &r->arena, e) == 0 &&
	    fields_read(result_fields, &d->top, r, &r->arena, e) == 0)
		rc = check_cases(r, &d->top, e);
	json_doc_release(d);
	if (rc != 0)
		result_release(r);
	return rc;
}

int
result_read(const char *path, struct result *r, struct error *e)
{
	struct json_doc d;

	if (json_doc_read(path, &d, e) != 0) {
		result_init(r);
		return -1;
	}
	return result_from_doc(&d, r, e);
}

int
result_is_file(const char *path)
{
	return json_file_has_schema(path, "dlscale-result/");
}

int
result_spare_foreign(const char *path, struct error *e)
{
	if (!json_file_is_object(path) || result_is_file(path))
		return 0;
	return error_set(e, ERROR_INPUT,
	    "cannot write '%s': it is JSON of another program; remove it, or "
	    "choose another file with --output",
	    path);
}

int
result_parse(const char *name, const char *text, size_t len, struct result *r,
    struct error *e)
{
	struct json_doc d;

	if (json_doc_parse(name, text, len, &d, e) != 0) {
		result_init(r);
		return -1;
	}
	return result_from_doc(&d, r, e);
}
