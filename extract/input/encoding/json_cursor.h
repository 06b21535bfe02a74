/* Find members of JSON objects by key, without building a tree or unescaping
 * strings. Traces and run stores have many small objects.
 *
 *	struct json_member m;
 *	if (json_find_member(text, len, "ts", &m) == 0)
 *		ts = json_member_number(&m);
 */
#ifndef EXTRACT_INPUT_ENCODING_JSON_CURSOR_H
#define EXTRACT_INPUT_ENCODING_JSON_CURSOR_H

#include <stddef.h>

#include "common/strbuf.h"
#include "extract/input/encoding/records.h"

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

/* --- JSON of any size ----------------------------------------------------- */

enum { JSON_END = 256 /* end of the input, in addition to bytes */ };

/* Read the next byte, or the next one that is not a space. */
int json_next(struct store_input *in);
int json_next_solid(struct store_input *in);

/* Skip a string after its opening quote.
 *
 * text  [size] receives its start; may be NULL
 *
 * Returns 0, or -1 if it does not end. */
int json_skip_string(struct store_input *in, char *text, size_t size);

/* Skip an object or array after its opening bracket.
 *
 * kept  receives its text with that bracket; may be NULL
 *
 * Returns 0, or -1 if it does not end. */
int json_skip_nested(struct store_input *in, int bracket, struct strbuf *kept);

#endif
