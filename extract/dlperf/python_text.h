/* Numbers, strings and dictionaries as Python prints them, for --compat: what
 * repr(), pprint and json.dump make of a nested dictionary of numbers.
 *
 *	struct py_dict *d = py_dict_new(&arena);
 *	py_dict_set_double(d, "speedup", 1.0);
 *	py_pprint(d, &sb);  -> {'speedup': 1.0}
 */
#ifndef EXTRACT_DLPERF_PYTHON_TEXT_H
#define EXTRACT_DLPERF_PYTHON_TEXT_H

#include <stddef.h>

#include "common/arena.h"
#include "common/strbuf.h"

struct py_dict;

/* Written by py_double: the longest is "-2.2250738585072014e-308". */
enum { PY_DOUBLE_SIZE = 32 };

/* repr(x) of a float: "nan", "inf", "-inf", else the shortest digits that read
 * back the same, with a point or an exponent (from 1e16 on and below 1e-4).
 * Returns buf. */
char *py_double(char buf[PY_DOUBLE_SIZE], double x);

/* round(x, digits): to the nearest, ties by the exact binary value. */
double py_round(double x, int digits);
double py_round2(double x); /* round(x, 2) */

/* The same of a NumPy number (from version 1.19 on): x times 10^digits to the
 * nearest whole number, ties to even, over 10^digits.  DLPerf's published
 * medians of an even number of runs show the difference. */
double np_round(double x, int digits);

/* numpy.mean of n > 0 numbers, added in NumPy's order. */
double np_mean(const double *x, size_t n);

/* An empty dictionary that keeps the order of its keys. */
struct py_dict *py_dict_new(struct arena *a);

/* The dictionary under key; made if it is not there. */
struct py_dict *py_dict_get(struct py_dict *d, const char *key);

/* Set a number; a key that is there keeps its place. */
void py_dict_set_long(struct py_dict *d, const char *key, long x);
void py_dict_set_double(struct py_dict *d, const char *key, double x);

/* pprint.PrettyPrinter(indent=1): sorted keys, 80 columns, and a final \n. */
void py_pprint(struct py_dict *d, struct strbuf *sb);

/* json.dumps: keys in their order, ASCII only, no final \n. */
void py_json(const struct py_dict *d, struct strbuf *sb);

#endif
