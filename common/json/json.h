/* JSON reader with limits. Error messages contain the path of the value, as in
 * "a.json: cases[2].n: -1 is not a count".
 *
 * Accessors of members take an object and a key. An absent or null member is
 * unknown: NULL, NAN or LONG_MIN; for required members call json_read_require
 * first. Other keys are ignored.
 *
 *	struct json_doc d;
 *	struct json_value cases, c;
 *	if (json_doc_read("a.json", &d, &e) != 0)
 *		return -1;
 *	if (json_read_array(&d.top, "cases", &cases, &n, &e) != 0)
 *		goto out;
 *	for (size_t i = 0; i < n; i++) {
 *		json_read_item(&cases, i, &c);
 *		if (json_read_count(&c, "n", &count, &e) != 0)
 *			goto out;
 *	}
 * out:
 *	json_doc_release(&d);
 */
#ifndef COMMON_JSON_JSON_H
#define COMMON_JSON_JSON_H

#include <stddef.h>
#include <stdio.h>

#include "common/alloc.h"
#include "common/error.h"

enum {
	JSON_READ_MAX_DEPTH = 64,       /* nesting of objects and arrays */
	JSON_READ_MAX_BYTES = 512 << 20 /* size of a document */
};

struct json_object; /* of json-c; only json.c uses it */

/* A value and its path. Borrows its parent, which must live as long. The path
 * is only built for messages. */
struct json_value {
	const struct json_doc *doc;
	struct json_object *json;        /* NULL: null */
	const struct json_value *parent; /* NULL: top level */
	const char *key;                 /* key of a member, else NULL */
	size_t index;                    /* of an item */
};

struct json_doc {
	char *name; /* for messages */
	struct json_value top;
};

/* Read a whole file ("-": stdin).
 *
 * Returns 0; -1 with ERROR_SYSTEM if it cannot be read, ERROR_LIMIT if it is
 * larger than JSON_READ_MAX_BYTES or nested deeper than JSON_READ_MAX_DEPTH,
 * ERROR_INPUT if it is not JSON ("a.json:3:17: unexpected character", column in
 * bytes). */
int json_doc_read(const char *path, struct json_doc *d, struct error *e);

/* Like json_doc_read, from memory.
 *
 * name  file name for messages */
int json_doc_parse(const char *name, const char *text, size_t len,
    struct json_doc *d, struct error *e);

/* True if path is a regular file that begins with text, such as "{" or
 * "{\"schema\":\"dlscale-result/". Blanks in the file are ignored. False for
 * stdin ("-"), and if the file cannot be read. */
int json_file_begins(const char *path, const char *text);

/* Free d. Its values become invalid. */
void json_doc_release(struct json_doc *d);

/* Returns 0 if the member exists and is not null, else -1 with "a.json:
 * cases[0].unit: missing". */
int json_read_require(
    const struct json_value *obj, const char *key, struct error *e);

/* Read a string without NUL bytes, copied to a. Unknown: NULL. */
int json_read_string(const struct json_value *obj, const char *key,
    struct arena *a, const char **out, struct error *e);

/* Read a finite number in [min, max]; strings are errors. Unknown: NAN. */
int json_read_double(const struct json_value *obj, const char *key, double min,
    double max, double *out, struct error *e);

/* Read an integer >= 0 (5.0 is accepted). Unknown: LONG_MIN. */
int json_read_count(
    const struct json_value *obj, const char *key, long *out, struct error *e);

/* Read true (1) or false (0). Unknown: 0. */
int json_read_bool(
    const struct json_value *obj, const char *key, int *out, struct error *e);

/* Read an object. Unknown: out is an empty object with json NULL. */
int json_read_object(const struct json_value *obj, const char *key,
    struct json_value *out, struct error *e);

/* Read an array and its number of items. Unknown: n is 0. */
int json_read_array(const struct json_value *obj, const char *key,
    struct json_value *out, size_t *n, struct error *e);

/* Get item i of an array from json_read_array. */
void json_read_item(
    const struct json_value *array, size_t i, struct json_value *out);

/* Returns 0 if v is an object, else -1 with "a.json: cases[1]: 3 is not an
 * object". */
int json_read_is_object(const struct json_value *v, struct error *e);

/* Read an item as a string without NUL bytes, copied to a. null is an error. */
int json_read_item_string(const struct json_value *v, struct arena *a,
    const char **out, struct error *e);

/* Number of members of an object. */
size_t json_read_n_members(const struct json_value *obj);

/* Get a member of any type. Unknown: out->json is NULL. */
void json_read_member(
    const struct json_value *obj, const char *key, struct json_value *out);

/* The text of a string, a number or a truth value, in a. NULL for null, an
 * object or an array. */
const char *json_read_text(const struct json_value *v, struct arena *a);

/* Position among the members of an object or the items of an array. */
struct json_cursor {
	size_t n;         /* number passed; initially 0 */
	const void *next; /* next member of an object */
};

/* Get the next member or item.
 *
 * key  set to its key, borrowed from the document; NULL in an array
 *
 * Returns 1; 0 after the last one, and if v is neither object nor array. */
int json_read_next(const struct json_value *v, struct json_cursor *c,
    const char **key, struct json_value *out);

/* Fill e with "name: path of v.key: message", or the path of v if key is NULL,
 * and code ERROR_INPUT. Returns -1. */
int json_read_error(const struct json_value *v, const char *key,
    struct error *e, const char *fmt, ...) PRINTF_LIKE(4, 5);

/* --- writing -------------------------------------------------------------- */

/* JSON writer that adds commas and indentation and only writes valid JSON.
 *
 * In an object every value has a key; in an array and at the top level the key
 * is NULL. Invalid UTF-8 becomes U+FFFD, so that the output can always be read
 * back. outfile_commit reports errors of a FILE; the member full of a strbuf is
 * set if text was dropped.
 *
 *	struct json_writer j = JSON_TO_FILE(f, JSON_WRITE_PRETTY);
 *	json_write_begin_object(&j, NULL);
 *	json_write_string(&j, "case", "4n8g");
 *	json_write_double(&j, "median_speed", 1234.5);
 *	json_write_end(&j);
 *	json_write_finish(&j);
 */
enum { JSON_WRITE_MAX_DEPTH = 64, JSON_DOUBLE_SIZE = 32 };

enum json_write_style {
	JSON_WRITE_PRETTY, /* one member a line, 2 spaces per level */
	JSON_WRITE_LINES   /* each top-level value on one line (JSON lines) */
};

struct json_writer {
	FILE *f; /* exactly one is set; borrowed */
	struct strbuf *sb;
	enum json_write_style style;
	size_t bytes;                     /* written */
	int depth;                        /* open objects and arrays */
	char close[JSON_WRITE_MAX_DEPTH]; /* '}' or ']' per level */
	long n[JSON_WRITE_MAX_DEPTH + 1]; /* values written per level */
};

/* Writers to f or sb, which must live until json_write_finish. */
#define JSON_TO_FILE(f_, style_) \
	((struct json_writer){ .f = (f_), .style = (style_) })
#define JSON_TO_STRBUF(sb_) \
	((struct json_writer){ .sb = (sb_), .style = JSON_WRITE_LINES })

/* Open an object or an array, nested at most JSON_WRITE_MAX_DEPTH deep. */
void json_write_begin_object(struct json_writer *j, const char *key);
void json_write_begin_array(struct json_writer *j, const char *key);

/* Close the object or array opened last. */
void json_write_end(struct json_writer *j);

/* Write a string. NULL becomes null. */
void json_write_string(struct json_writer *j, const char *key, const char *s);

/* Write an integer. LONG_MIN (RESULT_UNKNOWN) becomes null. */
void json_write_long(struct json_writer *j, const char *key, long x);

/* Write a number with the digits of json_double(); null for NAN and
 * infinities. */
void json_write_double(struct json_writer *j, const char *key, double x);

/* Write false if x is 0, else true. */
void json_write_bool(struct json_writer *j, const char *key, int x);

/* Check that all objects and arrays are closed, and end the last line. */
void json_write_finish(struct json_writer *j);

/* Format a finite x with the shortest of %.15g, %.16g and %.17g that reads back
 * the same. Returns buf. */
char *json_double(char buf[JSON_DOUBLE_SIZE], double x);

#endif
