/* Members of one JSON object, one by one, out of text in memory: no tree is
 * built, and nothing is unescaped.  For readers of traces and run stores, whose
 * objects are many and small.
 *
 *	struct json_cursor c = { text, text + len };
 *	struct json_member m;
 *	while ((rc = json_cursor_next(&c, &m)) > 0)
 *		if (json_member_is(&m, "ts"))
 *			ts = json_member_number(&m);
 */
#ifndef EXTRACT_INPUT_ENCODING_JSON_CURSOR_H
#define EXTRACT_INPUT_ENCODING_JSON_CURSOR_H

#include <stddef.h>

/* What is left of an object. */
struct json_cursor {
	const char *at, *end;
};

/* A member of it; texts are within the object. */
struct json_member {
	const char *key; /* [key_len] between its quotes */
	size_t key_len;
	const char *value; /* [len] a string's between its quotes */
	size_t len;
	int is_string;
};

/* The next member; the first one where c stands at the object's brace.
 * Returns 1, 0 at the object's end, -1 if it is none. */
int json_cursor_next(struct json_cursor *c, struct json_member *m);

/* True if the text is one value with spaces around it.  Objects and arrays are
 * checked for brackets and strings only. */
int json_is_value(const char *text, size_t len);

/* True if the member has that key. */
int json_member_is(const struct json_member *m, const char *key);

/* Its text, or the text of its number or object, in out; at most size - 1
 * bytes of it. */
void json_member_text(const struct json_member *m, char *out, size_t size);

/* The finite number that it is, in quotes or not; NAN: none. */
double json_member_number(const struct json_member *m);

/* The first member with that key, at any depth, of any text of JSON.  Returns
 * 0, or -1 where there is none. */
int json_find_member(
    const char *text, size_t len, const char *key, struct json_member *m);

#endif
