/* Table of the keys of the result JSON, in order. It drives the reader, the
 * writer and the initialiser, so that they cannot disagree. A new key needs a
 * member in result.h, a row here and a property in doc/result-schema.json
 * (tests/unit/test_result.c compares them).
 *
 * Private to common/result, runs_table.c, history_file.c and test_result.c.
 */
#ifndef COMMON_RESULT_RECORD_FIELDS_H
#define COMMON_RESULT_RECORD_FIELDS_H

#include <stddef.h>

#include "common/alloc.h"
#include "common/error.h"
#include "common/json/json.h"
#include "common/texts/remark.h"

/* Kinds of members. All but LONG, DOUBLE and BOOL may be arrays, whose member
 * is a pointer to items, with a size_t beside it. */
enum field_kind {
	FIELD_END = 0, /* ends a table */
	FIELD_STRING,  /* const char * */
	FIELD_LONG,    /* long */
	FIELD_DOUBLE,  /* double */
	FIELD_BOOL,    /* int, 0 or 1 */
	FIELD_REMARK,  /* struct remark */
	FIELD_PAIRS,   /* array of struct result_pair: object of strings */
	FIELD_REST,    /* like PAIRS, as further keys of the object itself; only
			  written */
	FIELD_RECORD   /* a struct, or members of the same struct: object */
};

/* Valid range of a number. */
enum field_range {
	RANGE_ANY,
	RANGE_NOT_NEGATIVE,
	RANGE_POSITIVE,
	RANGE_SHARE,     /* [0, 1] */
	RANGE_OPEN_SHARE /* (0, 1) */
};

struct field {
	enum field_kind kind;
	const char *key;
	size_t offset; /* offset of the member, bytes */
	enum field_range range;
	int required;
	int omit_empty;    /* omit the key if the member, or the whole record,
			      is unknown or empty */
	const char *older; /* for REMARK: key of its sentence in schema 1 */
	size_t count;      /* offset of the size_t of an array; 0: none */
	const struct field *fields; /* for RECORD */
	size_t size;                /* of an item of an array, bytes */
};

/* Rows of a single member and of an array. */
#define ROW(field_kind_, key_, record, member) \
	.kind = (field_kind_), .key = (key_), \
	.offset = offsetof(struct record, member)
#define ARRAY(field_kind_, key_, record, member) \
	ROW(field_kind_, key_, record, member), \
	    .count = offsetof(struct record, n_##member), \
	    .size = sizeof *((struct record *)NULL)->member
/* Rows of members whose key is their name. */
#define STRING(record, member) ROW(FIELD_STRING, #member, record, member)
#define BOOL(record, member) ROW(FIELD_BOOL, #member, record, member)
#define PAIRS(record, member) ARRAY(FIELD_PAIRS, #member, record, member)
#define REMARKS(record, member) ARRAY(FIELD_REMARK, #member, record, member)
#define STRINGS(record, member) ARRAY(FIELD_STRING, #member, record, member)
#define RECORD(record, member, fields_) \
	ROW(FIELD_RECORD, #member, record, member), .fields = (fields_)
#define RECORDS(record, member, fields_) \
	ARRAY(FIELD_RECORD, #member, record, member), .fields = (fields_)
#define LONG(record, member, range_) \
	ROW(FIELD_LONG, #member, record, member), .range = RANGE_##range_
#define DOUBLE(record, member, range_) \
	ROW(FIELD_DOUBLE, #member, record, member), .range = RANGE_##range_

struct result_pair;

enum { RESULT_MAX_ITEMS = 1000000 }; /* per array */

extern const struct field result_fields[];
extern const struct field result_case_fields[];
extern const struct field result_run_fields[];
extern const struct field result_rule_fields[];
extern const struct field result_collective_fields[];

/* Set all numbers of the table to unknown: NAN, RESULT_UNKNOWN.
 *
 * record  zeroed by the caller, so that other members are unknown or empty */
void fields_init(const struct field *fields, void *record);

/* Read the members of the table from obj into a record that fields_init
 * initialised.
 *
 * a  holds strings and arrays
 *
 * Returns 0, or -1 with a message that contains the path. */
int fields_read(const struct field *fields, const struct json_value *obj,
    void *record, struct arena *a, struct error *e);

/* Read the members of an object, which are strings.
 *
 * a  holds pairs and strings */
int pairs_read(const struct json_value *obj, struct result_pair **pairs,
    size_t *n, struct arena *a, struct error *e);

/* Write the members into the open object. */
void fields_write(
    struct json_writer *j, const struct field *fields, const void *record);

#endif
