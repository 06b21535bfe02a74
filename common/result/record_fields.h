/* The keys of the result JSON, in order, one row each: the table drives the
 * reader, the writer and "all unknown", so that they cannot disagree.  A new
 * key is a member in result.h, a row here and a property in
 * doc/result-schema.json (tests/unit/test_result.c compares them).
 *
 * Private to common/result, to extract/job/shard_file.c, which keeps runs in
 * the same form, and to the test.
 */
#ifndef COMMON_RESULT_RECORD_FIELDS_H
#define COMMON_RESULT_RECORD_FIELDS_H

#include <stddef.h>

#include "common/arena.h"
#include "common/error.h"
#include "common/json/json_read.h"
#include "common/json/json_write.h"
#include "common/texts/remark.h"

enum field_kind {
	FIELD_END = 0, /* ends a table */
	FIELD_STRING,  /* const char * */
	FIELD_LONG,    /* long */
	FIELD_DOUBLE,  /* double */
	FIELD_BOOL,    /* int, 0 or 1 */
	FIELD_STRINGS, /* const char **, size_t: array of strings */
	FIELD_REMARK,  /* struct remark */
	FIELD_REMARKS, /* struct remark *, size_t: array of objects */
	FIELD_PAIRS,   /* struct result_pair *, size_t: object of strings */
	FIELD_REST,    /* the same, as further keys of the object itself */
	FIELD_RECORD,  /* a struct, or members of the same struct: object */
	FIELD_RECORDS  /* struct *, size_t: array of objects */
};

/* Which numbers are allowed. */
enum field_range {
	RANGE_ANY,
	RANGE_NOT_NEGATIVE,
	RANGE_POSITIVE,
	RANGE_SHARE,     /* 0..1, both included */
	RANGE_OPEN_SHARE /* 0..1, both excluded */
};

struct field {
	enum field_kind kind;
	const char *key;
	size_t offset; /* of the member in its struct, bytes */
	enum field_range range;
	int required;
	int omit_empty;    /* no key where the member, or all of a record, is
	                      unknown or empty */
	const char *older; /* of REMARK: the key of the sentence that an earlier
	                      schema has in its place */
	size_t count;      /* offset of the size_t of an array */
	const struct field *fields; /* of RECORD, RECORDS */
	size_t size;                /* of an item of RECORDS, bytes */
};

/* The begin of a row, and the count of an array in it. */
#define ROW(field_kind_, key_, record, member) \
	.kind = (field_kind_), .key = (key_), \
	.offset = offsetof(struct record, member)
#define COUNT(record, member) .count = offsetof(struct record, member)
/* Those of members whose key is their name. */
#define STRING(record, member) ROW(FIELD_STRING, #member, record, member)
#define BOOL(record, member) ROW(FIELD_BOOL, #member, record, member)
#define LONG(record, member, range_) \
	ROW(FIELD_LONG, #member, record, member), .range = RANGE_##range_
#define DOUBLE(record, member, range_) \
	ROW(FIELD_DOUBLE, #member, record, member), .range = RANGE_##range_

enum { RESULT_MAX_ITEMS = 1000000 }; /* of one array */

extern const struct field result_fields[];
extern const struct field result_case_fields[];
extern const struct field result_run_fields[];
extern const struct field result_input_fields[];
extern const struct field result_excluded_fields[];

/* Set all numbers that the table names to unknown: NAN, RESULT_UNKNOWN.
 *
 * record  cleared to zero bytes: the rest is unknown or empty by that */
void fields_init(const struct field *fields, void *record);

/* Read the members that the table names from obj into a record as fields_init
 * leaves it.
 *
 * a  where strings and arrays live
 *
 * Returns 0, or -1 with a message that names the place. */
int fields_read(const struct field *fields, const struct json_value *obj,
    void *record, struct arena *a, struct error *e);

/* Write them as members of the object that is open. */
void fields_write(
    struct json_writer *j, const struct field *fields, const void *record);

/* Remarks in JSON: {"code": "stalls", "args": {"percent": 6.2, "limit": 5},
 * "text": "stalls take 6 % of the time"}.  The text is for people and for
 * programs that do not know the code. */

/* Write a remark as a member, or as an item where key is NULL. */
void remark_json_write(
    struct json_writer *j, const char *key, const struct remark *r);

/* Read a remark.  A code of a newer version becomes REMARK_OTHER with the text
 * of the object.
 *
 * a  where texts and inner remarks live
 *
 * Returns 0, or -1 with the place of what is missing or of the wrong type. */
int remark_json_read(const struct json_value *v, struct remark *out,
    struct arena *a, struct error *e);

#endif
