/* Inside of the reader of reference values: what reference_values.c (lines and
 * their keys), reference_table.c (heads, rows, baselines) and reference_text.c
 * (texts, units, errors) share.  No other file includes it. */
#ifndef COMMON_SERIES_REFERENCE_READER_H
#define COMMON_SERIES_REFERENCE_READER_H

#include "common/series/reference_values.h"

/* A piece of the text, without NUL. */
struct span {
	const char *s;
	size_t len;
};

enum column_kind { COLUMN_NODES, COLUMN_GPUS, COLUMN_FRAMEWORK };

struct column {
	enum column_kind kind;
	const char *framework; /* in the arena; NULL for the other kinds */
	const char *unit;
};

/* One figure: what becomes an entry of cases, texts and lines. */
struct reference_value {
	struct result_case c;
	const char *text;
	long line;
};

enum {
	REFERENCE_VALUES_MAX_LABELS = 32,
	REFERENCE_VALUES_MAX_ORIGINS = 100,
	REFERENCE_VALUES_ECHO =
	    80 /* bytes of the text that a message repeats */
};

struct reference_reader {
	const char *name;
	struct result_file *out;
	struct arena *arena; /* of out->result */
	struct error *e;
	const char *line; /* the line that is read */
	size_t line_len;
	long line_number;

	/* What header lines said; holds until changed. */
	const char *model, *precision, *unit, *rule, *baseline;
	long baseline_line;
	long batch;
	int strong; /* 1: batch is that of all GPUs together */
	struct result_pair *labels;
	size_t n_labels;

	/* The table that is read. */
	struct column columns[REFERENCE_VALUES_MAX_COLUMNS];
	size_t n_columns;    /* 0: outside of a table */
	size_t n_frameworks; /* columns that are one */
	size_t table_from;   /* its first figure */
	int n_lines;         /* of the table, head included */
	const char *metric;  /* of all columns; NULL before the first */

	struct reference_value *values;
	size_t n, alloc;
};

/* The text without blanks around it. */
struct span span_trim(const char *s, size_t len);

/* Is it that word, in any case of ASCII letters? */
int span_is(struct span a, const char *word);

/* Fill r->e with "file:line:col: 'value' what", the line and a caret.
 *
 * at     in the line; NULL: no column
 * value  may be SPAN_NONE: only what is said
 *
 * Returns -1. */
int reference_values_fail(struct reference_reader *r, enum error_code code,
    const char *at, const char *what, struct span value);

/* What reference values are in where nothing is said. */
#define REFERENCE_VALUES_UNIT "samples/s"

#define SPAN_NONE ((struct span){ NULL, 0 })

/* The unit of that name, static, or NULL. */
const char *reference_values_unit(struct span a);

/* The metric that the unit belongs to. */
const char *reference_values_metric(const char *unit);

/* A line that starts with '|'.  Returns 0 or -1. */
int reference_values_table_line(struct reference_reader *r, struct span line);

/* The table that is read, if any, has ended: compute its speedups. */
int reference_values_table_end(struct reference_reader *r);

#endif
