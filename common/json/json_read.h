/* Reading JSON with limits, and with messages that name the place: accessors of
 * a value know its path, as in "a.json: cases[2].n: -1 is not a count".
 *
 * All accessors of members take an object and a key.  A member that is absent
 * or null is unknown: NULL, NAN or LONG_MIN; where it is required, ask
 * json_read_require first.  Keys without a caller are ignored.
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
#ifndef COMMON_JSON_JSON_READ_H
#define COMMON_JSON_JSON_READ_H

#include <stddef.h>

#include "common/arena.h"
#include "common/error.h"

enum {
	JSON_READ_MAX_DEPTH = 64, /* objects and arrays inside each other */
	JSON_READ_MAX_BYTES = 64 << 20 /* of a document */
};

struct json_object; /* json-c's; only json_read.c uses it */

/* A value and the way to it.  Borrows its parent, which must live as long: it
 * is walked only when a message is made. */
struct json_value {
	const struct json_doc *doc;
	struct json_object *json;        /* NULL: null */
	const struct json_value *parent; /* NULL: the top */
	const char *key;                 /* of a member, else NULL */
	size_t index;                    /* of an item */
};

struct json_doc {
	char *name; /* stands in messages */
	struct json_value top;
};

/* Read a whole file ("-": stdin).
 *
 * Returns 0; -1 with ERROR_SYSTEM if it cannot be read, ERROR_LIMIT if it is
 * larger than JSON_READ_MAX_BYTES or nested deeper than JSON_READ_MAX_DEPTH,
 * ERROR_INPUT if it is no JSON: "a.json:3:17: unexpected character", column in
 * bytes; or if a key comes twice in an object. */
int json_doc_read(const char *path, struct json_doc *d, struct error *e);

/* The same from memory.
 *
 * name  stands for the file in messages */
int json_doc_parse(const char *name, const char *text, size_t len,
    struct json_doc *d, struct error *e);

/* True if the file begins with an object whose first member is "schema" and has
 * a value with this beginning.  Reads no further, and no FIFO or device.
 *
 * schema  "dlscale-result/"
 *
 * Returns 1 or 0; 0 for what cannot be read. */
int json_file_has_schema(const char *path, const char *schema);

/* True if the file begins with an object.  As json_file_has_schema. */
int json_file_is_object(const char *path);

/* Free all; no value of d may be used afterwards. */
void json_doc_release(struct json_doc *d);

/* 0 if there is such a member and it is not null, else -1 and
 * "a.json: cases[0].unit: missing". */
int json_read_require(
    const struct json_value *obj, const char *key, struct error *e);

/* A string without NUL, copied to a.  Unknown: NULL. */
int json_read_string(const struct json_value *obj, const char *key,
    struct arena *a, const char **out, struct error *e);

/* A finite number in min..max, both included; strings are none.  Unknown:
 * NAN. */
int json_read_double(const struct json_value *obj, const char *key, double min,
    double max, double *out, struct error *e);

/* A whole number of at least 0; 5.0 is one.  Unknown: LONG_MIN. */
int json_read_count(
    const struct json_value *obj, const char *key, long *out, struct error *e);

/* true (1) or false (0).  Unknown: 0. */
int json_read_bool(
    const struct json_value *obj, const char *key, int *out, struct error *e);

/* An object.  Unknown: out is an empty object, *out->json is NULL. */
int json_read_object(const struct json_value *obj, const char *key,
    struct json_value *out, struct error *e);

/* An array and how many items it has.  Unknown: n is 0. */
int json_read_array(const struct json_value *obj, const char *key,
    struct json_value *out, size_t *n, struct error *e);

/* Item i of an array that json_read_array gave. */
void json_read_item(
    const struct json_value *array, size_t i, struct json_value *out);

/* 0 if v is an object, else -1 and "a.json: cases[1]: 3 is not an object". */
int json_read_is_object(const struct json_value *v, struct error *e);

/* An item as a string without NUL, copied to a; null is an error. */
int json_read_item_string(const struct json_value *array, size_t i,
    struct arena *a, const char **out, struct error *e);

/* Members of an object. */
size_t json_read_n_members(const struct json_value *obj);

/* Call f for each member in the order of the file, until it returns other than
 * 0; returns that, or 0.
 *
 * key   borrowed from the document
 * user  given to f */
int json_read_each(const struct json_value *obj,
    int (*f)(const struct json_value *obj, const char *key, void *user,
	struct error *e),
    void *user, struct error *e);

/* Fill e with "name: path of v.key: message"; key NULL: the path of v.  Code
 * ERROR_INPUT.  Returns -1. */
int json_read_error(const struct json_value *v, const char *key,
    struct error *e, const char *fmt, ...) PRINTF_LIKE(4, 5);

#endif
