/* Numbers and dictionaries as Python prints and rounds them, for
 * --compat=dlperf. */
#ifndef EXTRACT_DLPERF_PYTHON_TEXT_H
#define EXTRACT_DLPERF_PYTHON_TEXT_H

#include <stddef.h>

#include <json.h>

#include "common/strbuf.h"

/* The longest is "-2.2250738585072014e-308". */
enum { PY_DOUBLE_SIZE = 32 };

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

/* pprint.PrettyPrinter(indent=1) of an object of objects, integers, doubles
 * and strings: sorted keys, 80 columns, and a final \n. */
void py_pprint(struct json_object *dict, struct strbuf *sb);

/* print(dict): the keys in their order, on one line with a final \n. */
void py_print(struct json_object *dict, struct strbuf *sb);

/* json.dumps: keys in their order, ASCII only, no final \n. */
void py_json(struct json_object *dict, struct strbuf *sb);

#endif
