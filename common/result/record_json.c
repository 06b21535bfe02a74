/* Reading and writing of records as JSON, by the tables of record_fields.c. */
#include <config.h>

#include "common/result/record_fields.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "common/result/result.h"

/* --- remarks -------------------------------------------------------------- */

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
		remark_json_write(j, p->name, arg->inner);
	} else if (remark_is_number(p->type)) {
		json_write_double(j, p->name, arg->number);
	} else {
		json_write_string(j, p->name, arg->text);
	}
}

void
remark_json_write(
    struct json_writer *j, const char *key, const struct remark *r)
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
		return remark_json_read(&v, inner, a, e);
	}
	if (remark_is_number(p->type))
		return json_read_double(args, p->name, -RESULT_NUMBER_MAX,
		    RESULT_NUMBER_MAX, &arg->number, e);
	return json_read_string(args, p->name, a, &arg->text, e);
}

/* Remark for a sentence of an earlier schema. */
static struct remark
remark_of_sentence(const char *sentence)
{
	return REMARK(REMARK_OTHER, remark_name(sentence));
}

int
remark_json_read(const struct json_value *v, struct remark *out,
    struct arena *a, struct error *e)
{
	struct json_value args;
	const char *code, *text;

	if (json_read_is_object(v, e) != 0 ||
	    json_read_require(v, "code", e) != 0 ||
	    json_read_string(v, "code", a, &code, e) != 0)
		return -1;
	*out = remark_plain(remark_find(code));
	if (out->code == REMARK_NONE) {
		if (json_read_require(v, "text", e) != 0 ||
		    json_read_string(v, "text", a, &text, e) != 0)
			return -1;
		*out = remark_of_sentence(text);
		return 0;
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

static const void *
member_of(const struct field *field, const void *record)
{
	return (const char *)record + field->offset;
}

/* Read a pointer member of any type. */
static const void *
pointer_of(const struct field *field, const void *record)
{
	const void *p;

	memcpy(&p, member_of(field, record), sizeof p);
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
	const long unknown = RESULT_UNKNOWN;
	const double nan_ = NAN;

	for (; fields->kind != FIELD_END; fields++) {
		char *at = (char *)record + fields->offset;

		if (fields->kind == FIELD_RECORD)
			fields_init(fields->fields, at);
		else if (fields->kind == FIELD_LONG)
			memcpy(at, &unknown, sizeof unknown);
		else if (fields->kind == FIELD_DOUBLE)
			memcpy(at, &nan_, sizeof nan_);
	}
}

/* --- reading -------------------------------------------------------------- */

static int
read_long(const struct field *field, const struct json_value *obj, long *out,
    struct error *e)
{
	assert(field->range != RANGE_ANY);
	if (json_read_count(obj, field->key, out, e) != 0)
		return -1;
	if (field->range == RANGE_POSITIVE && *out == 0)
		return json_read_error(obj, field->key, e, "0 is not above 0");
	return 0;
}

static int
read_double(const struct field *field, const struct json_value *obj,
    double *out, struct error *e)
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
	*out = x;
	return 0;
}

static int
read_remark(const struct field *field, const struct json_value *obj,
    struct remark *out, struct arena *a, struct error *e)
{
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

/* Read an array item: a string, a remark (in an earlier schema a sentence) or a
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
		return remark_json_read(&item, out, a, e);
	*(struct remark *)out = remark_of_sentence(sentence);
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

/* List of pairs, and the table whose keys are excluded from it. */
struct pair_list {
	struct result_pair *pairs;
	size_t n;
	const struct field *known; /* NULL: every member is a pair */
	struct arena *arena;
};

static int
has_key(const struct field *fields, const char *key)
{
	for (; fields->kind != FIELD_END; fields++)
		if (fields->key != NULL && strcmp(fields->key, key) == 0)
			return 1;
	return 0;
}

static int
read_pair(
    const struct json_value *obj, const char *key, void *user, struct error *e)
{
	struct pair_list *list = user;
	struct result_pair *pair = &list->pairs[list->n];

	if (list->known != NULL && has_key(list->known, key))
		return 0;
	/* Ignore further keys of other types: they are from a newer version. */
	if (json_read_string(obj, key, list->arena, &pair->value, e) != 0)
		return list->known != NULL ? 0 : -1;
	pair->key = arena_strdup(list->arena, key);
	list->n++;
	return 0;
}

static int
read_pairs(const struct field *field, const struct json_value *obj,
    const struct field *known, void *record, struct arena *a, struct error *e)
{
	struct pair_list list = { NULL, 0, known, a };

	list.pairs =
	    arena_calloc(a, json_read_n_members(obj), sizeof *list.pairs);
	if (json_read_each(obj, read_pair, &list, known != NULL ? NULL : e) !=
	    0)
		return -1;
	set_array(field, record, list.pairs, list.n);
	return 0;
}

static int
read_member(const struct field *field, const struct json_value *obj,
    void *record, struct arena *a, struct error *e)
{
	void *at = (char *)record + field->offset;
	struct json_value inner;

	switch (field->kind) {
	case FIELD_STRING:
		return json_read_string(obj, field->key, a, at, e);
	case FIELD_LONG:
		return read_long(field, obj, at, e);
	case FIELD_DOUBLE:
		return read_double(field, obj, at, e);
	case FIELD_BOOL:
		return json_read_bool(obj, field->key, at, e);
	case FIELD_REMARK:
		return read_remark(field, obj, at, a, e);
	case FIELD_PAIRS:
	case FIELD_RECORD:
		if (json_read_object(obj, field->key, &inner, e) != 0)
			return -1;
		return field->kind == FIELD_PAIRS
		    ? read_pairs(field, &inner, NULL, record, a, e)
		    : fields_read(field->fields, &inner, at, a, e);
	default:
		return read_array(field, obj, record, a, e);
	}
}

/* The tables bound the recursion. */
int
fields_read(const struct field *fields, const struct json_value *obj,
    void *record, struct arena *a, struct error *e)
{
	for (const struct field *f = fields; f->kind != FIELD_END; f++) {
		if (f->kind == FIELD_REST) {
			if (read_pairs(f, obj, fields, record, a, e) != 0)
				return -1;
			continue;
		}
		if (f->required && f->older == NULL &&
		    json_read_require(obj, f->key, e) != 0)
			return -1;
		if (read_member(f, obj, record, a, e) != 0)
			return -1;
	}
	return 0;
}

/* --- writing -------------------------------------------------------------- */

/* True if a member is unknown or empty. */
static int
is_unknown(const struct field *field, const void *record)
{
	const void *at = member_of(field, record);

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
		assert(field->kind != FIELD_BOOL);
		return count_of(field, record) == 0;
	}
}

static void
write_items(
    struct json_writer *j, const struct field *field, const void *record)
{
	const void *items = pointer_of(field, record);
	const size_t n = count_of(field, record);

	json_write_begin_array(j, field->key);
	for (size_t i = 0; i < n; i++) {
		if (field->kind == FIELD_STRINGS) {
			json_write_string(
			    j, NULL, ((const char *const *)items)[i]);
		} else if (field->kind == FIELD_REMARKS) {
			remark_json_write(
			    j, NULL, &((const struct remark *)items)[i]);
		} else {
			json_write_begin_object(j, NULL);
			fields_write(j, field->fields,
			    (const char *)items + i * field->size);
			json_write_end(j);
		}
	}
	json_write_end(j);
}

static void
write_pairs(
    struct json_writer *j, const struct field *field, const void *record)
{
	const struct result_pair *pairs = pointer_of(field, record);

	for (size_t i = 0; i < count_of(field, record); i++)
		json_write_string(j, pairs[i].key, pairs[i].value);
}

static void
write_member(
    struct json_writer *j, const struct field *field, const void *record)
{
	const void *at = member_of(field, record);

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
		remark_json_write(j, field->key, at);
		break;
	case FIELD_REST:
		write_pairs(j, field, record);
		break;
	case FIELD_PAIRS:
		json_write_begin_object(j, field->key);
		write_pairs(j, field, record);
		json_write_end(j);
		break;
	case FIELD_RECORD:
		json_write_begin_object(j, field->key);
		fields_write(j, field->fields, at);
		json_write_end(j);
		break;
	default:
		write_items(j, field, record);
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
