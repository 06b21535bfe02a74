/* A JSON writer: what is begun is ended, commas and indentation come by
 * themselves, and nothing that is not JSON gets out.
 *
 * In an object every value has a key; in an array and at the top the key is
 * NULL.  Invalid UTF-8 becomes U+FFFD, so that the output always reads back.
 * Errors of a FILE are left to outfile_commit, of a strbuf to its member full.
 *
 *	struct json_out j;
 *	json_out_to_file(&j, f, JSON_OUT_PRETTY);
 *	json_out_begin_object(&j, NULL);
 *	json_out_string(&j, "case", "4n8g");
 *	json_out_double(&j, "median_speed", 1234.5);
 *	json_out_end(&j);
 *	json_out_finish(&j);
 */
#ifndef COMMON_JSON_OUT_H
#define COMMON_JSON_OUT_H

#include <stdio.h>

#include "common/strbuf.h"

enum { JSON_OUT_MAX_DEPTH = 64 };

enum json_out_style {
	JSON_OUT_PRETTY, /* a member a line, indented by 2 blanks a level */
	JSON_OUT_LINES   /* each top-level value on one line (JSON lines) */
};

struct json_out {
	FILE *f; /* one of f and sb is not NULL; borrowed */
	struct strbuf *sb;
	enum json_out_style style;
	int depth;                      /* open objects and arrays */
	char close[JSON_OUT_MAX_DEPTH]; /* '}' or ']' of each level */
	long n[JSON_OUT_MAX_DEPTH + 1]; /* values so far on each level */
};

/* Start writing to f or sb, which must live until json_out_finish. */
void json_out_to_file(struct json_out *j, FILE *f, enum json_out_style style);
void json_out_to_strbuf(
    struct json_out *j, struct strbuf *sb, enum json_out_style style);

/* Open an object or an array; at most JSON_OUT_MAX_DEPTH inside each other. */
void json_out_begin_object(struct json_out *j, const char *key);
void json_out_begin_array(struct json_out *j, const char *key);

/* Close the object or array opened last. */
void json_out_end(struct json_out *j);

/* A string; NULL becomes null. */
void json_out_string(struct json_out *j, const char *key, const char *s);

/* The len bytes of s, NULs included. */
void json_out_text(
    struct json_out *j, const char *key, const char *s, size_t len);

/* A whole number; LONG_MIN (RESULT_UNKNOWN) becomes null. */
void json_out_long(struct json_out *j, const char *key, long x);

/* A number in the shortest of %.15g, %.16g, %.17g that reads back the same;
 * NAN and infinities become null. */
void json_out_double(struct json_out *j, const char *key, double x);

/* true unless x is 0. */
void json_out_bool(struct json_out *j, const char *key, int x);

/* null, whatever was meant. */
void json_out_null(struct json_out *j, const char *key);

/* Check that all is closed, and end the last line. */
void json_out_finish(struct json_out *j);

enum { JSON_DOUBLE_SIZE = 32 };

/* The text that json_out_double writes for a finite x, in buf; returns buf. */
char *json_double(char buf[JSON_DOUBLE_SIZE], double x);

#endif
