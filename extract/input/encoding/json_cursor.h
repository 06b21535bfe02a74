/* Members of JSON objects, found in text in memory by their keys: no tree is
 * built, and nothing is unescaped.  For readers of traces and run stores, whose
 * objects are many and small.
 *
 *	struct json_member m;
 *	if (json_find_member(text, len, "ts", &m) == 0)
 *		ts = json_member_number(&m);
 */
#ifndef EXTRACT_INPUT_ENCODING_JSON_CURSOR_H
#define EXTRACT_INPUT_ENCODING_JSON_CURSOR_H

#include <stddef.h>

/* The value of a member, within the text. */
struct json_member {
	const char *value; /* [len] that of a string without its quotes */
	size_t len;
	int is_string;
};

/* Find the first member with that key at any depth of a text.
 *
 * Returns 0; 1 where there is none; -1 where a string does not end or the
 * member has no value. */
int json_find_member(
    const char *text, size_t len, const char *key, struct json_member *m);

/* True if the text is one value with spaces around it.  Objects and arrays are
 * checked for brackets and strings only. */
int json_is_value(const char *text, size_t len);

/* Copy the text of a value, a number or an object to out; at most size - 1
 * bytes of it. */
void json_member_text(const struct json_member *m, char *out, size_t size);

/* The finite number that the value is, in quotes or not; NAN: none. */
double json_member_number(const struct json_member *m);

#endif
