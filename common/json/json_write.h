/* JSON writer that adds commas and indentation and only writes valid JSON.
 *
 * In an object every value has a key; in an array and at the top level the key
 * is NULL. Invalid UTF-8 becomes U+FFFD, so that the output can always be read
 * back. Errors of a FILE are left to outfile_commit, of a strbuf to its member
 * full.
 *
 *	struct json_writer j = JSON_TO_FILE(f, JSON_WRITE_PRETTY);
 *	json_write_begin_object(&j, NULL);
 *	json_write_string(&j, "case", "4n8g");
 *	json_write_double(&j, "median_speed", 1234.5);
 *	json_write_end(&j);
 *	json_write_finish(&j);
 */
#ifndef COMMON_JSON_JSON_WRITE_H
#define COMMON_JSON_JSON_WRITE_H

#include <stdio.h>

#include "common/strbuf.h"

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

/* Write a number as json_double formats it. NAN and infinities become null. */
void json_write_double(struct json_writer *j, const char *key, double x);

/* Write false if x is 0, else true. */
void json_write_bool(struct json_writer *j, const char *key, int x);

/* Check that all objects and arrays are closed, and end the last line. */
void json_write_finish(struct json_writer *j);

/* Format a finite x with the shortest of %.15g, %.16g and %.17g that reads back
 * the same. Returns buf. */
char *json_double(char buf[JSON_DOUBLE_SIZE], double x);

#endif
