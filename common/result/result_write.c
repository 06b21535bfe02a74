#include <config.h>

#include "common/result/result.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "common/json/json_write.h"
#include "common/result/record_fields.h"
#include "common/result/remark_json.h"

static size_t
count_items(const struct field *field, const void *record)
{
	size_t n;

	memcpy(&n, (const char *)record + field->count, sizeof n);
	return n;
}

static void
string_write(
    struct json_writer *j, const struct field *field, const void *record)
{
	json_write_string(j, field->key, field_pointer(field, record));
}

static void
long_write(struct json_writer *j, const struct field *field, const void *record)
{
	long x;

	memcpy(&x, (const char *)record + field->offset, sizeof x);
	json_write_long(j, field->key, x);
}

static void
double_write(
    struct json_writer *j, const struct field *field, const void *record)
{
	double x;

	memcpy(&x, (const char *)record + field->offset, sizeof x);
	json_write_double(j, field->key, x);
}

static void
bool_write(struct json_writer *j, const struct field *field, const void *record)
{
	int x;

	memcpy(&x, (const char *)record + field->offset, sizeof x);
	json_write_bool(j, field->key, x);
}

static void
strings_write(
    struct json_writer *j, const struct field *field, const void *record)
{
	const char *const *strings = field_pointer(field, record);
	size_t i;

	json_write_begin_array(j, field->key);
	for (i = 0; i < count_items(field, record); i++)
		json_write_string(j, NULL, strings[i]);
	json_write_end(j);
}

static void
remark_write(
    struct json_writer *j, const struct field *field, const void *record)
{
	remark_json_write(j, field->key,
	    (const void *)((const char *)record + field->offset));
}

static void
remarks_write(
    struct json_writer *j, const struct field *field, const void *record)
{
	const struct remark *remarks = field_pointer(field, record);

	json_write_begin_array(j, field->key);
	for (size_t i = 0; i < count_items(field, record); i++)
		remark_json_write(j, NULL, &remarks[i]);
	json_write_end(j);
}

static void
rest_write(struct json_writer *j, const struct field *field, const void *record)
{
	const struct result_pair *pairs = field_pointer(field, record);
	size_t i;

	for (i = 0; i < count_items(field, record); i++)
		json_write_string(j, pairs[i].key, pairs[i].value);
}

static void
pairs_write(
    struct json_writer *j, const struct field *field, const void *record)
{
	json_write_begin_object(j, field->key);
	rest_write(j, field, record);
	json_write_end(j);
}

/* Is a member unknown?  Only of the kinds that records without a key have. */
static int
member_is_unknown(const struct field *field, const char *record)
{
	enum remark_code code;
	double x;
	long n;

	switch (field->kind) {
	case FIELD_DOUBLE:
		memcpy(&x, record + field->offset, sizeof x);
		return isnan(x);
	case FIELD_LONG:
		memcpy(&n, record + field->offset, sizeof n);
		return n == RESULT_UNKNOWN;
	case FIELD_STRING:
		return field_pointer(field, record) == NULL;
	case FIELD_REMARK:
		memcpy(&code, record + field->offset, sizeof code);
		return code == REMARK_NONE;
	default:
		assert(field->kind == FIELD_PAIRS);
		return count_items(field, record) == 0;
	}
}

/* Is every member of a record unknown? */
static int
is_unknown(const struct field *fields, const char *record)
{
	for (; fields->kind != FIELD_END; fields++)
		if (!member_is_unknown(fields, record))
			return 0;
	return 1;
}

static void
inner_write(
    struct json_writer *j, const struct field *field, const void *record)
{
	if (field->omit_empty &&
	    is_unknown(field->fields, (const char *)record + field->offset))
		return;
	json_write_begin_object(j, field->key);
	fields_write(j, field->fields, (const char *)record + field->offset);
	json_write_end(j);
}

static void
records_write(
    struct json_writer *j, const struct field *field, const void *record)
{
	const char *items = field_pointer(field, record);
	size_t i;

	if (field->omit_empty && count_items(field, record) == 0)
		return;
	json_write_begin_array(j, field->key);
	for (i = 0; i < count_items(field, record); i++) {
		json_write_begin_object(j, NULL);
		fields_write(j, field->fields, items + i * field->size);
		json_write_end(j);
	}
	json_write_end(j);
}

/* The members that the table names.  Recursion ends with the tables. */
void
fields_write(
    struct json_writer *j, const struct field *fields, const void *record)
{
	static void (*const writers[])(
	    struct json_writer *, const struct field *, const void *) = {
		[FIELD_STRING] = string_write,
		[FIELD_LONG] = long_write,
		[FIELD_DOUBLE] = double_write,
		[FIELD_BOOL] = bool_write,
		[FIELD_STRINGS] = strings_write,
		[FIELD_REMARK] = remark_write,
		[FIELD_REMARKS] = remarks_write,
		[FIELD_PAIRS] = pairs_write,
		[FIELD_REST] = rest_write,
		[FIELD_RECORD] = inner_write,
		[FIELD_RECORDS] = records_write,
	};

	for (; fields->kind != FIELD_END; fields++)
		if ((fields->kind != FIELD_STRING &&
			fields->kind != FIELD_REMARK) ||
		    !fields->omit_empty || !member_is_unknown(fields, record))
			writers[fields->kind](j, fields, record);
}

void
result_write(const struct result *r, FILE *f)
{
	struct json_writer j;

	json_write_to_file(&j, f, JSON_WRITE_PRETTY);
	json_write_begin_object(&j, NULL);
	json_write_string(&j, "schema", RESULT_SCHEMA);
	fields_write(&j, result_fields, r);
	json_write_end(&j);
	json_write_finish(&j);
}
