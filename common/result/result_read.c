#include <config.h>

#include "common/result/result.h"

#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/json/json_read.h"
#include "common/json/json_write.h"
#include "common/result/record_fields.h"
#include "common/result/remark_json.h"
#include "common/text.h"

typedef int field_reader(const struct field *field,
    const struct json_value *obj, void *record, struct arena *a,
    struct error *e);

static int
string_read(const struct field *field, const struct json_value *obj,
    void *record, struct arena *a, struct error *e)
{
	const char *s;

	if (json_read_string(obj, field->key, a, &s, e) != 0)
		return -1;
	field_set_pointer(field, record, s);
	return 0;
}

static int
long_read(const struct field *field, const struct json_value *obj, void *record,
    struct arena *a, struct error *e)
{
	long x;

	(void)a;
	assert(field->range != RANGE_ANY);
	if (json_read_count(obj, field->key, &x, e) != 0)
		return -1;
	if (field->range == RANGE_POSITIVE && x == 0)
		return json_read_error(obj, field->key, e, "0 is not above 0");
	memcpy((char *)record + field->offset, &x, sizeof x);
	return 0;
}

static int
double_read(const struct field *field, const struct json_value *obj,
    void *record, struct arena *a, struct error *e)
{
	static const struct {
		double min, max;
	} ranges[] = {
		[RANGE_ANY] = { -RESULT_NUMBER_MAX, RESULT_NUMBER_MAX },
		[RANGE_NOT_NEGATIVE] = { 0, RESULT_NUMBER_MAX },
		[RANGE_POSITIVE] = { -RESULT_NUMBER_MAX, RESULT_NUMBER_MAX },
		[RANGE_SHARE] = { 0, 1 },
		[RANGE_OPEN_SHARE] = { -RESULT_NUMBER_MAX, RESULT_NUMBER_MAX },
	};
	char buf[JSON_DOUBLE_SIZE];
	double x;

	(void)a;
	if (json_read_double(obj, field->key, ranges[field->range].min,
		ranges[field->range].max, &x, e) != 0)
		return -1;
	if (field->range == RANGE_POSITIVE && x <= 0)
		return json_read_error(obj, field->key, e, "%s is not above 0",
		    json_double(buf, x));
	if (field->range == RANGE_POSITIVE && x < 1 / RESULT_NUMBER_MAX)
		return json_read_error(obj, field->key, e, "%s is below %g",
		    json_double(buf, x), 1 / RESULT_NUMBER_MAX);
	if (field->range == RANGE_OPEN_SHARE && (x <= 0 || x >= 1))
		return json_read_error(obj, field->key, e,
		    "%s is not between 0 and 1", json_double(buf, x));
	memcpy((char *)record + field->offset, &x, sizeof x);
	return 0;
}

static int
bool_read(const struct field *field, const struct json_value *obj, void *record,
    struct arena *a, struct error *e)
{
	int x;

	(void)a;
	if (json_read_bool(obj, field->key, &x, e) != 0)
		return -1;
	memcpy((char *)record + field->offset, &x, sizeof x);
	return 0;
}

/* The array of that key, if it is not too long. */
static int
array_read(const struct field *field, const struct json_value *obj,
    struct json_value *array, size_t *n, struct error *e)
{
	if (json_read_array(obj, field->key, array, n, e) != 0)
		return -1;
	if (*n <= RESULT_MAX_ITEMS)
		return 0;
	return json_read_error(
	    obj, field->key, e, "more than %d items", RESULT_MAX_ITEMS);
}

static int
strings_read(const struct field *field, const struct json_value *obj,
    void *record, struct arena *a, struct error *e)
{
	struct json_value array;
	const char **strings;
	size_t n, i;

	if (array_read(field, obj, &array, &n, e) != 0)
		return -1;
	strings = arena_calloc(a, n, sizeof *strings);
	for (i = 0; i < n; i++)
		if (json_read_item_string(&array, i, a, &strings[i], e) != 0)
			return -1;
	field_set_pointer(field, record, strings);
	*field_count(field, record) = n;
	return 0;
}

/* An item: an object, or a sentence of an earlier schema. */
static int
remarks_read(const struct field *field, const struct json_value *obj,
    void *record, struct arena *a, struct error *e)
{
	struct json_value array, item;
	struct remark *remarks;
	const char *sentence;
	size_t n;

	if (array_read(field, obj, &array, &n, e) != 0)
		return -1;
	remarks = arena_calloc(a, n, sizeof *remarks);
	for (size_t i = 0; i < n; i++) {
		if (json_read_item_string(&array, i, a, &sentence, NULL) == 0) {
			remarks[i] = remark_of_sentence(sentence);
			continue;
		}
		json_read_item(&array, i, &item);
		if (remark_json_read(&item, &remarks[i], a, e) != 0)
			return -1;
	}
	field_set_pointer(field, record, remarks);
	*field_count(field, record) = n;
	return 0;
}

static int
remark_read(const struct field *field, const struct json_value *obj,
    void *record, struct arena *a, struct error *e)
{
	struct remark *out = (void *)((char *)record + field->offset);
	struct json_value v;
	const char *sentence = NULL;

	if (field->older != NULL &&
	    json_read_string(obj, field->older, a, &sentence, e) != 0)
		return -1;
	if (sentence != NULL) {
		*out = remark_of_sentence(sentence);
		return 0;
	}
	if (field->older != NULL && json_read_require(obj, field->key, e) != 0)
		return -1;
	if (json_read_object(obj, field->key, &v, e) != 0)
		return -1;
	return v.json == NULL ? 0 : remark_json_read(&v, out, a, e);
}

/* Where pairs are collected, and the table whose keys are not among them. */
struct pair_list {
	struct result_pair *pairs;
	size_t n;
	const struct field *known; /* NULL: every member is a pair */
	struct arena *arena;
};

static int
pair_read(
    const struct json_value *obj, const char *key, void *user, struct error *e)
{
	struct pair_list *list = user;
	struct result_pair *pair = &list->pairs[list->n];

	if (list->known != NULL && fields_have(list->known, key))
		return 0;
	/* A further key of another type is from a newer version. */
	if (json_read_string(obj, key, list->arena, &pair->value, e) != 0)
		return list->known != NULL ? 0 : -1;
	pair->key = arena_strdup(list->arena, key);
	list->n++;
	return 0;
}

static int
members_read(const struct field *field, const struct json_value *obj,
    const struct field *known, void *record, struct arena *a, struct error *e)
{
	struct pair_list list = { NULL, 0, known, a };

	list.pairs =
	    arena_calloc(a, json_read_n_members(obj), sizeof *list.pairs);
	if (json_read_each(obj, pair_read, &list, known != NULL ? NULL : e) !=
	    0)
		return -1;
	field_set_pointer(field, record, list.pairs);
	*field_count(field, record) = list.n;
	return 0;
}

static int
pairs_read(const struct field *field, const struct json_value *obj,
    void *record, struct arena *a, struct error *e)
{
	struct json_value inner;

	if (json_read_object(obj, field->key, &inner, e) != 0)
		return -1;
	return members_read(field, &inner, NULL, record, a, e);
}

static int
inner_read(const struct field *field, const struct json_value *obj,
    void *record, struct arena *a, struct error *e)
{
	struct json_value inner;

	if (json_read_object(obj, field->key, &inner, e) != 0)
		return -1;
	return fields_read(
	    field->fields, &inner, (char *)record + field->offset, a, e);
}

static int
records_read(const struct field *field, const struct json_value *obj,
    void *record, struct arena *a, struct error *e)
{
	struct json_value array, item;
	char *items;
	size_t n, i;

	if (array_read(field, obj, &array, &n, e) != 0)
		return -1;
	items = arena_calloc(a, n, field->size);
	for (i = 0; i < n; i++) {
		json_read_item(&array, i, &item);
		if (json_read_is_object(&item, e) != 0)
			return -1;
		if (fields_read(field->fields, &item, items + i * field->size,
			a, e) != 0)
			return -1;
	}
	field_set_pointer(field, record, items);
	*field_count(field, record) = n;
	return 0;
}

/* The members that the table names.  Recursion ends with the tables. */
int
fields_read(const struct field *fields, const struct json_value *obj,
    void *record, struct arena *a, struct error *e)
{
	static field_reader *const readers[] = {
		[FIELD_STRING] = string_read,
		[FIELD_LONG] = long_read,
		[FIELD_DOUBLE] = double_read,
		[FIELD_BOOL] = bool_read,
		[FIELD_STRINGS] = strings_read,
		[FIELD_REMARK] = remark_read,
		[FIELD_REMARKS] = remarks_read,
		[FIELD_PAIRS] = pairs_read,
		[FIELD_RECORD] = inner_read,
		[FIELD_RECORDS] = records_read,
	};
	const struct field *all = fields;

	for (; fields->kind != FIELD_END; fields++) {
		if (fields->kind == FIELD_REST) {
			if (members_read(fields, obj, all, record, a, e) != 0)
				return -1;
			continue;
		}
		if (fields->required && fields->older == NULL &&
		    json_read_require(obj, fields->key, e))
			return -1;
		if (readers[fields->kind](fields, obj, record, a, e) != 0)
			return -1;
	}
	return 0;
}

static int
compare_longs(long a, long b)
{
	return (a > b) - (a < b);
}

static int
compare_labels(const struct result_case *a, const struct result_case *b)
{
	int order = compare_longs((long)a->n_labels, (long)b->n_labels);
	size_t i;

	for (i = 0; order == 0 && i < a->n_labels; i++) {
		order = strcmp(a->labels[i].key, b->labels[i].key);
		if (order == 0)
			order =
			    text_order(a->labels[i].value, b->labels[i].value);
	}
	return order;
}

/* By all that makes two cases different (MEASUREMENT, "Cases"). */
static int
compare_identity(const struct result_case *a, const struct result_case *b)
{
	const struct {
		const char *a, *b;
	} names[] = { { a->name, b->name }, { a->framework, b->framework },
		{ a->model, b->model }, { a->precision, b->precision },
		{ a->rule, b->rule }, { a->unit, b->unit },
		{ a->work_unit, b->work_unit } };
	const struct {
		long a, b;
	} counts[] = { { a->batch_size_per_device, b->batch_size_per_device },
		{ a->nodes, b->nodes }, { a->gpus_per_node, b->gpus_per_node },
		{ a->gpus, b->gpus } };
	int order = 0;
	size_t i;

	for (i = 0; order == 0 && i < sizeof names / sizeof names[0]; i++)
		order = text_order(names[i].a, names[i].b);
	for (i = 0; order == 0 && i < sizeof counts / sizeof counts[0]; i++)
		order = compare_longs(counts[i].a, counts[i].b);
	return order != 0 ? order : compare_labels(a, b);
}

/* For qsort: the same ones in the order of the file. */
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
	const struct result_case **sorted;
	struct json_value item;
	size_t i;
	int rc = 0;

	sorted = xcalloc(r->n_cases, sizeof *sorted);
	for (i = 0; i < r->n_cases; i++)
		sorted[i] = &r->cases[i];
	qsort(sorted, r->n_cases, sizeof *sorted, compare_cases);
	for (i = 1; rc == 0 && i < r->n_cases; i++) {
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

/* low <= middle <= high where they are known. */
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

/* Do the ends of each run's rounding lie around it? */
static int
check_rounding(
    const struct result_case *c, const struct json_value *obj, struct error *e)
{
	static const char *const keys[] = { "low", "value", "high" };
	struct json_value runs, run, ends;
	size_t n;

	for (size_t i = 0; i < c->n_runs; i++) {
		const struct result_run *r = &c->runs[i];

		if (isnan(r->rounding.low) && isnan(r->rounding.high))
			continue;
		if (json_read_array(obj, "runs", &runs, &n, e) != 0)
			return -1;
		json_read_item(&runs, i, &run);
		if (json_read_object(&run, "rounding", &ends, e) != 0 ||
		    check_interval(&ends, keys, r->rounding.low, r->value,
			r->rounding.high, e) != 0)
			return -1;
	}
	return 0;
}

/* Do the numbers of one case agree with each other? */
static int
check_case(
    const struct result_case *c, const struct json_value *obj, struct error *e)
{
	static const char *const median[] = { "median_low", "median_speed",
		"median_high" };
	static const char *const speedup[] = { "speedup_low", "speedup",
		"speedup_high" };

	/* No runs at all are fine: a file may keep only the cases. */
	if (c->n_runs > 0 && (size_t)c->n > c->n_runs)
		return json_read_error(
		    obj, "n", e, "%ld, but 'runs' has %zu", c->n, c->n_runs);
	if (!result_counts_agree(c->nodes, c->gpus_per_node, c->gpus))
		return json_read_error(obj, "gpus", e,
		    "%ld is not %ld nodes times %ld", c->gpus, c->nodes,
		    c->gpus_per_node);
	if (check_interval(obj, median, c->median_low, c->median_speed,
		c->median_high, e) != 0 ||
	    check_rounding(c, obj, e) != 0)
		return -1;
	return check_interval(
	    obj, speedup, c->speedup_low, c->speedup, c->speedup_high, e);
}

static int
check_cases(
    const struct result *r, const struct json_value *top, struct error *e)
{
	struct json_value cases, item;
	size_t n, i;

	if (json_read_array(top, "cases", &cases, &n, e) != 0)
		return -1;
	assert(n == r->n_cases);
	for (i = 0; i < n; i++) {
		json_read_item(&cases, i, &item);
		if (check_case(&r->cases[i], &item, e) != 0)
			return -1;
	}
	return check_duplicates(r, &cases, e);
}

/* Is the schema one that a later version of us writes? */
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

/* Release d whatever comes. */
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
	    "cannot write '%s': JSON of another program is there; remove it, "
	    "or name another file with --output",
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
