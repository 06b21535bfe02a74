/* Private to reference_values.c (lines of a reference value file) and
 * reference_tables.c (its tables, and those of documents). */
#ifndef COMMON_SERIES_REFERENCE_READER_H
#define COMMON_SERIES_REFERENCE_READER_H

#include "common/published/published.h"
#include "common/series/result_set.h"

/* Row type of a table. */
enum reference_rows {
	ROWS_TOPOLOGIES, /* nodes and GPUs; one column per framework */
	ROWS_CASES,      /* cases; one column per quantity */
	ROWS_SIZES       /* collectives of one case by size */
};

/* One value, which becomes an entry of cases, texts, lines and written. */
struct reference_value {
	struct result_case c;
	const char *text;
	long line;
	struct written_cells written;
	const char *real, *step; /* cells of these quantities, or NULL */
	size_t column;           /* index in its table */
	/* Set while a table of topologies is read, else NULL. */
	const struct published_cell *cell;
	const struct published_row *row;
	long batch; /* that distinguishes its series; 0 for strong scaling */
};

/* Default unit of reference values. */
#define REFERENCE_VALUES_UNIT "samples/s"

enum { REFERENCE_VALUES_MAX_LABELS = 32 };

struct reference_reader {
	const char *name;
	struct result_file *out;
	struct arena *arena; /* arena of out->result */
	struct error *e;
	const char *text, *end; /* of a reference value file, where mistakes are
	                           errors; NULL: a document, where they are
	                           remarks */
	long line;              /* current line */

	/* Set by header lines, until changed. */
	const char *model, *precision, *unit, *rule, *baseline;
	long baseline_line;
	long batch;
	int strong; /* 1: batch is the global batch */
	struct result_pair *labels;
	size_t n_labels;
	enum reference_rows rows;
	long samples, steps;        /* per run, or RESULT_UNKNOWN */
	long case_nodes, case_gpus; /* case of a table of sizes */
	double real_s;              /* time of its run, or NAN */

	/* Current table; NULL outside of tables. */
	const char *table_at;
	long table_line, table_col;
	const char *table_label; /* distinguishes tables of a document */
	size_t table_from;       /* index of its first value */
	const char *metric;      /* of all tables; NULL before the first */

	struct reference_value *values;
	size_t n, alloc;
	struct published_doubt *doubts;
	size_t n_doubts, alloc_doubts;
};

/* Report a mistake: in a reference value file an error with the line and a
 * caret, in a document a remark (200 at most).
 *
 * col   from 1; 0: none
 * text  wrong text, or NULL
 *
 * Returns -1 or 0. */
int reference_mistake(struct reference_reader *r, long line, long col,
    const char *text, const char *what);

/* Add a remark about a document's cell: "file:line:col: text". */
void reference_remark(
    struct reference_reader *r, long line, long col, const char *text);

/* Require that a row has as many cells as the head, except in documents.
 * Returns 0 or -1. */
int reference_check_length(struct reference_reader *r,
    const struct published_table *t, const struct published_row *row);

/* Find a unit by name. Returns a static string, or NULL. */
const char *reference_unit(const char *name);

/* Make cases of a table and compute their speedups. Returns 0, also for a
 * document's table without cases, or -1. */
int reference_add_table(
    struct reference_reader *r, const struct published_table *t);

#endif
