/* Reading and writing of records as JSON, by the tables of record_fields.c. */
#include <config.h>

#include "common/result/record_fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/result/result.h"

enum { MAX_FLAGS_TEXT = 1 << 20 };

/* --- remarks -------------------------------------------------------------- */

/* {"code": "stalls", "args": {"percent": 6.2, "limit": 5}, "text": "stalls take
 * 6 % of the time"}. The text is for humans and for programs that do not know
 * the code. */

static void write_remark(
    struct json_writer *j, const char *key, const struct remark *r);
static int read_remark_object(const struct json_value *v, struct remark *out,
    struct arena *a, struct error *e);

static void
write_argument(struct json_writer *j, const struct remark_parameter *p,
    const struct remark_arg *arg)
{
	if (p->type == REMARK_PLACE) {
		json_write_begin_object(j, p->name);
		json_write_string(j, "file", arg->text);
		json_write_double(j, "line", arg->number);
		json_write_end(j);
	} else if (p->type == REMARK_INNER) {
		write_remark(j, p->name, arg->inner);
	} else if (remark_is_number(p->type)) {
		json_write_double(j, p->name, arg->number);
	} else {
		json_write_string(j, p->name, arg->text);
	}
}

static void
write_remark(struct json_writer *j, const char *key, const struct remark *r)
{
	const struct remark_row *row = &remark_rows[r->code];
	struct arena a = ARENA_INIT;

	json_write_begin_object(j, key);
	json_write_string(j, "code", row->name);
	json_write_begin_object(j, "args");
	for (size_t i = 0; i < REMARK_MAX_ARGS; i++) {
		const struct remark_parameter p = remark_parameter(r->code, i);

		if (p.type != REMARK_END && remark_has(r, i))
			write_argument(j, &p, &r->args[i]);
	}
	json_write_end(j);
	json_write_string(j, "text", remark_text(r, LANGUAGE_EN, &a));
	json_write_end(j);
	arena_release(&a);
}

static int
read_argument(const struct json_value *args, const struct remark_parameter *p,
    struct remark_arg *arg, struct arena *a, struct error *e)
{
	struct remark *inner;
	struct json_value v;

	if (p->type == REMARK_PLACE) {
		if (json_read_require(args, p->name, e) != 0 ||
		    json_read_object(args, p->name, &v, e) != 0 ||
		    json_read_require(&v, "file", e) != 0 ||
		    json_read_string(&v, "file", a, &arg->text, e) != 0)
			return -1;
		return json_read_double(
		    &v, "line", 0, RESULT_NUMBER_MAX, &arg->number, e);
	}
	if (p->type == REMARK_INNER) {
		if (json_read_object(args, p->name, &v, e) != 0)
			return -1;
		if (v.json == NULL)
			return 0;
		inner = arena_calloc(a, 1, sizeof *inner);
		arg->inner = inner;
		return read_remark_object(&v, inner, a, e);
	}
	if (remark_is_number(p->type))
		return json_read_double(args, p->name, -RESULT_NUMBER_MAX,
		    RESULT_NUMBER_MAX, &arg->number, e);
	return json_read_string(args, p->name, a, &arg->text, e);
}

/* An unknown code of a newer version becomes REMARK_OTHER with the object's
 * text. */
static int
read_remark_object(const struct json_value *v, struct remark *out,
    struct arena *a, struct error *e)
{
	struct json_value args;
	const char *code;

	if (json_read_is_object(v, e) != 0 ||
	    json_read_require(v, "code", e) != 0 ||
	    json_read_string(v, "code", a, &code, e) != 0)
		return -1;
	*out = remark_plain(remark_find(code));
	if (out->code == REMARK_NONE) {
		*out = remark_plain(REMARK_OTHER);
		return json_read_require(v, "text", e) != 0
		    ? -1
		    : json_read_string(v, "text", a, &out->args[0].text, e);
	}
	if (json_read_object(v, "args", &args, e) != 0)
		return -1;
	for (size_t i = 0; i < REMARK_MAX_ARGS; i++) {
		const struct remark_parameter p =
		    remark_parameter(out->code, i);

		if (p.type != REMARK_END &&
		    read_argument(&args, &p, &out->args[i], a, e) != 0)
			return -1;
	}
	return 0;
}

/* --- members -------------------------------------------------------------- */

/* Pointer member, or first item of an array, of any type. */
static const void *
pointer_of(const struct field *field, const void *record)
{
	const void *p;

	memcpy(&p, (const char *)record + field->offset, sizeof p);
	return p;
}

/* Number of items of an array. */
static size_t
count_of(const struct field *field, const void *record)
{
	size_t n;

	memcpy(&n, (const char *)record + field->count, sizeof n);
	return n;
}

static void
set_array(const struct field *field, void *record, const void *items, size_t n)
{
	memcpy((char *)record + field->offset, &items, sizeof items);
	memcpy((char *)record + field->count, &n, sizeof n);
}

void
fields_init(const struct field *fields, void *record)
{
	for (; fields->kind != FIELD_END; fields++) {
		void *at = (char *)record + fields->offset;

		if (fields->kind == FIELD_RECORD)
			fields_init(fields->fields, at);
		else if (fields->kind == FIELD_LONG)
			*(long *)at = RESULT_UNKNOWN;
		else if (fields->kind == FIELD_DOUBLE)
			*(double *)at = NAN;
	}
}

/* --- reading -------------------------------------------------------------- */

static int
read_double(const struct field *field, const struct json_value *obj, double *x,
    struct error *e)
{
	const enum field_range range = field->range;
	const double min = range == RANGE_NOT_NEGATIVE || range == RANGE_SHARE
	    ? 0
	    : -RESULT_NUMBER_MAX;
	const double max = range == RANGE_SHARE ? 1 : RESULT_NUMBER_MAX;
	char wrong[64] = "", buf[JSON_DOUBLE_SIZE];

	if (json_read_double(obj, field->key, min, max, x, e) != 0)
		return -1;
	if (range == RANGE_POSITIVE && *x <= 0)
		snprintf(wrong, sizeof wrong, "not above 0");
	else if (range == RANGE_POSITIVE && *x < 1 / RESULT_NUMBER_MAX)
		snprintf(
		    wrong, sizeof wrong, "below %g", 1 / RESULT_NUMBER_MAX);
	else if (range == RANGE_OPEN_SHARE && (*x <= 0 || *x >= 1))
		snprintf(wrong, sizeof wrong, "not between 0 and 1");
	return wrong[0] == '\0' ? 0
				: json_read_error(obj, field->key, e,
				      "%s is %s", json_double(buf, *x), wrong);
}

/* Read a remark; in schema 1 a sentence, of another key. */
static int
read_remark(const struct field *field, const struct json_value *obj,
    struct remark *out, struct arena *a, struct error *e)
{
	struct json_value v;

	*out = remark_plain(REMARK_OTHER);
	if (field->older != NULL &&
	    json_read_string(obj, field->older, a, &out->args[0].text, e) != 0)
		return -1;
	if (out->args[0].text != NULL)
		return 0;
	*out = remark_plain(REMARK_NONE);
	if ((field->required && json_read_require(obj, field->key, e) != 0) ||
	    json_read_object(obj, field->key, &v, e) != 0)
		return -1;
	return v.json == NULL ? 0 : read_remark_object(&v, out, a, e);
}

/* Read an array item: a string, a remark (in schema 1 a sentence) or a
 * record. */
static int
read_item(const struct field *field, const struct json_value *array, size_t i,
    void *out, struct arena *a, struct error *e)
{
	struct json_value item;
	const char *sentence;

	if (field->kind == FIELD_STRINGS)
		return json_read_item_string(array, i, a, out, e);
	json_read_item(array, i, &item);
	if (field->kind == FIELD_RECORDS)
		return json_read_is_object(&item, e) != 0
		    ? -1
		    : fields_read(field->fields, &item, out, a, e);
	if (json_read_item_string(array, i, a, &sentence, NULL) != 0)
		return read_remark_object(&item, out, a, e);
	*(struct remark *)out = REMARK(REMARK_OTHER, remark_name(sentence));
	return 0;
}

static int
read_array(const struct field *field, const struct json_value *obj,
    void *record, struct arena *a, struct error *e)
{
	const size_t size = field->kind == FIELD_RECORDS ? field->size
	    : field->kind == FIELD_REMARKS               ? sizeof(struct remark)
							 : sizeof(const char *);
	struct json_value array;
	char *items;
	size_t n;

	if (json_read_array(obj, field->key, &array, &n, e) != 0)
		return -1;
	if (n > RESULT_MAX_ITEMS)
		return json_read_error(
		    obj, field->key, e, "more than %d items", RESULT_MAX_ITEMS);
	items = arena_calloc(a, n, size);
	for (size_t i = 0; i < n; i++)
		if (read_item(field, &array, i, items + i * size, a, e) != 0)
			return -1;
	set_array(field, record, items, n);
	return 0;
}

int
pairs_read(const struct json_value *obj, struct result_pair **pairs, size_t *n,
    struct arena *a, struct error *e)
{
	struct json_cursor at = { 0, NULL };
	struct json_value one;
	const char *key;

	*pairs = arena_calloc(a, json_read_n_members(obj), sizeof **pairs);
	for (*n = 0; json_read_next(obj, &at, &key, &one); ++*n) {
		(*pairs)[*n].key = arena_strdup(a, key);
		if (json_read_string(obj, key, a, &(*pairs)[*n].value, e) != 0)
			return -1;
	}
	return 0;
}

static int
read_member(const struct field *field, const struct json_value *obj,
    void *record, struct arena *a, struct error *e)
{
	void *at = (char *)record + field->offset;
	struct json_value inner;
	struct result_pair *pairs;
	size_t n;

	switch (field->kind) {
	case FIELD_STRING:
		return json_read_string(obj, field->key, a, at, e);
	case FIELD_LONG:
		if (json_read_count(obj, field->key, at, e) != 0)
			return -1;
		return field->range == RANGE_POSITIVE && *(long *)at == 0
		    ? json_read_error(obj, field->key, e, "0 is not above 0")
		    : 0;
	case FIELD_DOUBLE:
		return read_double(field, obj, at, e);
	case FIELD_BOOL:
		return json_read_bool(obj, field->key, at, e);
	case FIELD_REMARK:
		return read_remark(field, obj, at, a, e);
	case FIELD_RECORD:
		return json_read_object(obj, field->key, &inner, e) != 0
		    ? -1
		    : fields_read(field->fields, &inner, at, a, e);
	case FIELD_PAIRS:
		if (json_read_object(obj, field->key, &inner, e) != 0 ||
		    pairs_read(&inner, &pairs, &n, a, e) != 0)
			return -1;
		set_array(field, record, pairs, n);
		return 0;
	case FIELD_REST:
		return 0;
	default:
		return read_array(field, obj, record, a, e);
	}
}

/* The tables bound the recursion. */
int
fields_read(const struct field *fields, const struct json_value *obj,
    void *record, struct arena *a, struct error *e)
{
	for (const struct field *f = fields; f->kind != FIELD_END; f++)
		if ((f->required && f->kind != FIELD_REMARK &&
			json_read_require(obj, f->key, e) != 0) ||
		    read_member(f, obj, record, a, e) != 0)
			return -1;
	return 0;
}

/* --- writing -------------------------------------------------------------- */

/* True if a member is unknown or empty. */
static int
is_unknown(const struct field *field, const void *record)
{
	const void *at = (const char *)record + field->offset;

	switch (field->kind) {
	case FIELD_STRING:
		return pointer_of(field, record) == NULL;
	case FIELD_LONG:
		return *(const long *)at == RESULT_UNKNOWN;
	case FIELD_DOUBLE:
		return isnan(*(const double *)at);
	case FIELD_REMARK:
		return ((const struct remark *)at)->code == REMARK_NONE;
	case FIELD_RECORD:
		for (const struct field *f = field->fields;
		     f->kind != FIELD_END; f++)
			if (!is_unknown(f, at))
				return 0;
		return 1;
	default:
		return count_of(field, record) == 0;
	}
}

static void
write_record(struct json_writer *j, const char *key, const struct field *fields,
    const void *record)
{
	json_write_begin_object(j, key);
	fields_write(j, fields, record);
	json_write_end(j);
}

/* Write the items of an array, or the pairs of an object. */
static void
write_items(
    struct json_writer *j, const struct field *field, const void *record)
{
	const void *items = pointer_of(field, record);
	const struct result_pair *pairs = items;
	const struct remark *remarks = items;
	const char *const *strings = items;

	for (size_t i = 0; i < count_of(field, record); i++) {
		if (field->kind == FIELD_STRINGS)
			json_write_string(j, NULL, strings[i]);
		else if (field->kind == FIELD_REMARKS)
			write_remark(j, NULL, &remarks[i]);
		else if (field->kind == FIELD_RECORDS)
			write_record(j, NULL, field->fields,
			    (const char *)items + i * field->size);
		else
			json_write_string(j, pairs[i].key, pairs[i].value);
	}
}

static void
write_member(
    struct json_writer *j, const struct field *field, const void *record)
{
	const void *at = (const char *)record + field->offset;

	switch (field->kind) {
	case FIELD_STRING:
		json_write_string(j, field->key, pointer_of(field, record));
		break;
	case FIELD_LONG:
		json_write_long(j, field->key, *(const long *)at);
		break;
	case FIELD_DOUBLE:
		json_write_double(j, field->key, *(const double *)at);
		break;
	case FIELD_BOOL:
		json_write_bool(j, field->key, *(const int *)at);
		break;
	case FIELD_REMARK:
		write_remark(j, field->key, at);
		break;
	case FIELD_RECORD:
		write_record(j, field->key, field->fields, at);
		break;
	case FIELD_REST:
		write_items(j, field, record);
		break;
	default:
		if (field->kind == FIELD_PAIRS)
			json_write_begin_object(j, field->key);
		else
			json_write_begin_array(j, field->key);
		write_items(j, field, record);
		json_write_end(j);
	}
}

void
fields_write(
    struct json_writer *j, const struct field *fields, const void *record)
{
	for (; fields->kind != FIELD_END; fields++)
		if (!fields->omit_empty || !is_unknown(fields, record))
			write_member(j, fields, record);
}

/* --- flags of a run in one cell ------------------------------------------- */

static const struct field flag_fields[] = {
	{ ROW(FIELD_REMARKS, "flags", result_run, flags),
	    COUNT(result_run, n_flags), .required = 1 },
	{ .kind = FIELD_END },
};

const char *
run_flags_json(const struct result_run *run, struct arena *a)
{
	struct strbuf sb = STRBUF_INIT(MAX_FLAGS_TEXT);
	struct json_writer j = JSON_TO_STRBUF(&sb);

	if (run->n_flags == 0)
		return NULL;
	json_write_begin_object(&j, NULL);
	fields_write(&j, flag_fields, run);
	json_write_end(&j);
	json_write_finish(&j);
	sb.buf[--sb.len] = '\0'; /* the end of the line */
	return strbuf_finish(&sb, a);
}

int
run_flags_parse(struct result_run *run, const char *name, const char *text,
    struct arena *a, struct error *e)
{
	struct json_doc doc;
	int rc;

	if (json_doc_parse(name, text, strlen(text), &doc, e) != 0)
		return error_set(
		    e, ERROR_INPUT, "%s: flags of a run are no JSON", name);
	rc = json_read_is_object(&doc.top, e) != 0
	    ? -1
	    : fields_read(flag_fields, &doc.top, run, a, e);
	json_doc_release(&doc);
	return rc;
}
