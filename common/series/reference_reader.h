/* Inside of the reader of reference values: what reference_values.c (lines
 * and their keys), reference_table.c (where a table ends), reference_cases.c
 * (tables of nodes and GPUs), reference_records.c (others), reference_row.c
 * (a row's cells, baselines) and reference_text.c (texts, units, errors)
 * share.  No other file includes it. */
#ifndef COMMON_SERIES_REFERENCE_READER_H
#define COMMON_SERIES_REFERENCE_READER_H

#include "common/published/published.h"
#include "common/series/quantity.h"
#include "common/series/reference_values.h"

/* A piece of the text, without NUL. */
struct span {
	const char *s;
	size_t len;
};

/* What the rows of a table are. */
enum reference_rows {
	ROWS_TOPOLOGIES, /* nodes and GPUs; a column a framework */
	ROWS_CASES,      /* a case each; a column a quantity */
	ROWS_SIZES       /* collectives of one case by size */
};

enum record_kind {
	RECORD_NODES,
	RECORD_GPUS,
	RECORD_BATCH,
	RECORD_LABEL,
	RECORD_RATE,     /* the speed */
	RECORD_QUANTITY, /* of series/quantity.h */
	RECORD_SIZE,     /* "(1MB, 10MB]" */
	RECORD_COUNT,
	RECORD_MEAN_SIZE, /* MiB */
	RECORD_BANDWIDTH, /* Mibit/s */
	RECORD_TOTAL,     /* s */
	RECORD_MEAN       /* ms */
};

struct record_column {
	enum record_kind kind;
	const char *name; /* of a label; the unit of a rate */
	enum quantity quantity;
};

/* One figure: what becomes an entry of cases, texts and lines. */
struct reference_value {
	struct result_case c;
	const char *text;
	long line;
	struct written_cells written;
	size_t column;                     /* of its table */
	const struct published_cell *cell; /* while its table is read */
	const struct published_row *row;
	long batch;  /* that sets its series apart; 0 with scaling strong */
	long repeat; /* which of several rows of one configuration; 0 */
};

enum {
	REFERENCE_VALUES_MAX_LABELS = 32,
	REFERENCE_VALUES_MAX_ORIGINS = 100,
	REFERENCE_VALUES_MAX_REMARKS = 200,
	REFERENCE_VALUES_MAX_REPEATS = 1000, /* rows that are numbered */
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

	/* What header lines stated; holds until changed. */
	const char *model, *precision, *unit, *rule, *baseline;
	long baseline_line;
	long batch;
	int strong; /* 1: batch is that of all GPUs together */
	struct result_pair *labels;
	size_t n_labels;

	enum reference_rows rows;
	long samples, steps;        /* of a run, or RESULT_UNKNOWN */
	long case_nodes, case_gpus; /* of a table of sizes */
	double real_s;              /* of its run, or NAN */
	struct record_column record_columns[REFERENCE_VALUES_MAX_COLUMNS];
	struct published_doubt *doubts;
	size_t n_doubts, alloc_doubts;

	/* The table that is read: lines of one of topologies, NULL
	 * outside of it. */
	const char *table_at, *table_end;
	long table_line, table_col;
	const char *table_label; /* names one of several of a document */
	int strict;         /* 1: a figure file; 0: a document, read on after
	               mistakes */
	size_t n_columns;   /* of another; 0: outside of it */
	int n_lines;        /* of it, head included */
	size_t table_from;  /* its first figure */
	const char *metric; /* of all tables; NULL before the first */

	struct reference_value *values;
	size_t n, alloc;
};

/* The text without spaces around it. */
struct span span_trim(const char *s, size_t len);

/* True if it is that word in any case of ASCII letters. */
int span_is(struct span a, const char *word);

/* Fill r->e with "file:line:col: 'value' what", the line and a caret.
 *
 * at     in the line; NULL: no column
 * value  may be SPAN_NONE: only what is stated
 *
 * Returns -1. */
int reference_values_fail(struct reference_reader *r, enum error_code code,
    const char *at, const char *what, struct span value);

/* What reference values are in where nothing is stated. */
#define REFERENCE_VALUES_UNIT "samples/s"

#define SPAN_NONE ((struct span){ NULL, 0 })

/* The unit of that name, static, or NULL. */
const char *reference_values_unit(struct span a);

/* The metric that the unit belongs to. */
const char *reference_values_metric(const char *unit);

/* A line that starts with '|'.  Returns 0 or -1. */
int reference_values_table_line(struct reference_reader *r, struct span line);

/* The next cell of a row; *at stands after a '|' before and after.  Returns 0
 * at the end of the row.  "\|" is a '|' inside a cell. */
int reference_next_cell(const char **at, const char *end, struct span *cell);

/* A copy of a cell without the backslashes that Markdown wants before
 * punctuation. */
const char *reference_cell_copy(struct reference_reader *r, struct span cell);

/* The cells of a row; their number must be that of r->n_columns.  Returns 0 or
 * -1. */
int reference_split_row(struct reference_reader *r, const char *at,
    const char *end, struct span cells[REFERENCE_VALUES_MAX_COLUMNS]);

/* Set name and counts of a case. */
void reference_fill_shape(
    struct reference_reader *r, struct result_case *c, long nodes, long gpus);

/* A number above 0, or a word that stands for one; NAN for the latter.  Returns
 * 0 or -1. */
int reference_read_value(
    struct reference_reader *r, struct span cell, double *value);

/* A count; may_miss: empty or "-" is RESULT_UNKNOWN.  Returns 0 or -1. */
int reference_read_count(
    struct reference_reader *r, struct span cell, int may_miss, long *out);

/* A head, a row, the end of a table whose rows are cases or sizes
 * (reference_records.c). */
int reference_records_heads(
    struct reference_reader *r, const char *at, const char *end);
int reference_records_row(
    struct reference_reader *r, const char *at, const char *end);
void reference_records_end(struct reference_reader *r);

/* Which of two cases speedups stand on: the one that r->baseline names, else
 * 1n1g, else the fewest GPUs, the first of equals.  best may be NULL; c is not
 * taken without a number. */
const struct result_case *reference_better_baseline(
    const struct reference_reader *r, const struct result_case *best,
    const struct result_case *c);

/* Set speedup and efficiency of c over base; NULL: leaves them unknown. */
void reference_fill_speedup(struct reference_reader *r, struct result_case *c,
    const struct result_case *base);

/* Make cases of a table. Returns 0, also where it holds none and the reader is
 * not strict, or -1. */
int reference_values_add_table(
    struct reference_reader *r, const struct published_table *t);

/* Require that the named baseline is a case of the table.  Returns 0 or -1. */
int reference_check_baseline(struct reference_reader *r);

/* The table that is read, if any, has ended: make cases of it. */
int reference_values_table_end(struct reference_reader *r);

#endif
