/* Find members of JSON objects in memory by key, without building a tree or
 * unescaping strings. Traces and run stores have many small objects.
 *
 *	struct json_member m;
 *	if (json_find_member(text, len, "ts", &m) == 0)
 *		ts = json_member_number(&m);
 */
#ifndef EXTRACT_INPUT_ENCODING_JSON_CURSOR_H
#define EXTRACT_INPUT_ENCODING_JSON_CURSOR_H

#include <stddef.h>

/* A member's value, which points into the text. */
struct json_member {
	const char *value; /* [len] a string without its quotes */
	size_t len;
	int is_string;
};

/* Find the first member with that key at any depth.
 *
 * Returns 0; 1 if there is none; -1 if a string does not end or the member has
 * no value. */
int json_find_member(
    const char *text, size_t len, const char *key, struct json_member *m);

/* True if the text is one value, optionally surrounded by spaces. Objects and
 * arrays are checked for brackets and strings only. */
int json_is_value(const char *text, size_t len);

/* Copy the value as text to out, truncated to size - 1 bytes. */
void json_member_text(const struct json_member *m, char *out, size_t size);

/* The value as a finite number, quoted or not; otherwise NAN. */
double json_member_number(const struct json_member *m);

#endif
