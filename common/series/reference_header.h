/* Private to common/series: lines "key: value" of reference value files. */
#ifndef COMMON_SERIES_REFERENCE_HEADER_H
#define COMMON_SERIES_REFERENCE_HEADER_H

#include "common/arena.h"
#include "common/result/result.h"
#include "common/text.h"

#define REFERENCE_UNIT "samples/s" /* by default */

enum { REFERENCE_MAX_LABELS = 32 };

/* What the lines state until another changes it. */
struct reference_header {
	const char *model, *precision, *unit;
	long batch; /* or RESULT_UNKNOWN, as all counts */
	int strong; /* 1: batch is the global batch */
	struct result_pair *labels;
	size_t n_labels;
	enum { ROWS_TOPOLOGIES, ROWS_CASES, ROWS_SIZES } rows;
	long steps;                 /* per run */
	long case_nodes, case_gpus; /* case of a table of sizes */
	double real_s;              /* time of its run, or NAN */
	const char **origins;       /* sources of the values */
	size_t n_origins;
};

/* Read a line, which may not be blank or a comment. Strings are allocated in a.
 *
 * wrong  set to the place of a mistake
 *
 * Returns NULL, or what is wrong. */
const char *reference_header_read(struct reference_header *r, struct arena *a,
    struct text_span line, const char **wrong);

/* Find a unit by name. Returns a static string, or NULL. */
const char *reference_unit(const char *name);

#endif
