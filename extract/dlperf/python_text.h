/* Texts, numbers and dictionaries as Python and NumPy read, round and print
 * them, and the exceptions with which they stop, for --compat=dlperf. */
#ifndef EXTRACT_DLPERF_PYTHON_TEXT_H
#define EXTRACT_DLPERF_PYTHON_TEXT_H

#include <stddef.h>

#include <json.h>

#include "common/error.h"
#include "common/strbuf.h"

/* The longest is "-2.2250738585072014e-308". */
enum { PY_DOUBLE_SIZE = 32 };

/* A line of a text opened in text mode. */
struct py_line {
	char *text;      /* a NUL replaces the line end */
	const char *end; /* position of that NUL */
	int ended;       /* 1: a line end followed */
};

/* Fill e with the exception that stops the script.
 *
 * value  quoted after it, or NULL
 *
 * Returns -1. */
int py_raises(struct error *e, const char *what, const char *value);

/* str.strip(set): s without the characters of set at both ends, which are
 * overwritten; PY_BLANKS for white space. */
#define PY_BLANKS " \t\n\v\f\r"
char *py_strip(char *s, const char *set);

/* int(s) and float(s); blanks around are accepted.  Return 0, or -1 with
 * ValueError in e.  s is written to. */
int py_int(char *s, long *out, struct error *e);
int py_float(char *s, double *out, struct error *e);

/* Check that text [len] is UTF-8, and replace its NULs.  Returns 0, or -1 with
 * UnicodeDecodeError in e. */
int py_decode(char *text, size_t len, struct error *e);

/* Take the line at *at, which moves to the next; 0 at end. */
int py_next_line(char **at, char *end, struct py_line *line);

/* repr(x) of a float: "nan", "inf", "-inf", else the shortest digits that read
 * back the same, with a point or an exponent (from 1e16 on and below 1e-4).
 * Returns buf. */
char *py_double(char buf[PY_DOUBLE_SIZE], double x);

/* round(x, digits): to the nearest, ties by the exact binary value. */
double py_round(double x, int digits);

/* round() of a NumPy number (from version 1.19 on): x times 10^digits to the
 * nearest whole number, ties to even, over 10^digits.  DLPerf's published
 * medians of an even number of runs show the difference. */
double np_round(double x, int digits);

/* numpy.mean of n > 0 numbers, added in NumPy's order. */
double np_mean(const double *x, size_t n);

enum py_style {
	PY_REPR,   /* print(dict): keys in their order, on one line */
	PY_RUNS,   /* the same with keys that are integers */
	PY_SORTED, /* PY_REPR with sorted keys */
	PY_PPRINT, /* pprint.PrettyPrinter(indent=1): sorted, 80 columns */
	PY_JSON    /* json.dumps: keys in their order, ASCII only */
};

/* Add an object of objects, integers, doubles and strings; no final \n. */
void py_write(struct json_object *dict, enum py_style style, struct strbuf *sb);

#endif
