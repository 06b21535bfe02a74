/* Private to reference_values.c (lines of a reference value file) and
 * reference_tables.c (its tables, and those of documents). */
#ifndef COMMON_SERIES_REFERENCE_READER_H
#define COMMON_SERIES_REFERENCE_READER_H

#include "common/published/published.h"
#include "common/series/result_set.h"

#define REFERENCE_UNIT "samples/s" /* by default */

enum { REFERENCE_MAX_LABELS = 32 };

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

struct reference_reader {
	const char *name;
	struct result_file *out;
	struct arena *arena; /* arena of out->result */
	struct error *e;
	int failed;             /* e is set */
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
	/* Row type: nodes and GPUs, with one column per framework; cases, with
	 * one column per quantity; collectives of one case by size. */
	enum { ROWS_TOPOLOGIES, ROWS_CASES, ROWS_SIZES } rows;
	long samples, steps;        /* per run, or RESULT_UNKNOWN */
	long case_nodes, case_gpus; /* case of a table of sizes */
	double real_s;              /* time of its run, or NAN */

	/* Current table; NULL outside of tables. */
	const char *table_at;
	long table_line, table_col;
	const char *table_label; /* distinguishes tables of a document */
	const char *metric;      /* of all tables; NULL before the first */

	struct reference_value *values;
	size_t n, alloc;
};

/* Report a mistake: in a reference value file an error with the line and a
 * caret, in a document a remark (200 at most).
 *
 * col   from 1; 0: none
 * text  wrong text, or NULL
 *
 * Returns 0: what is wrong is skipped. */
int reference_mistake(struct reference_reader *r, long line, long col,
    const char *text, const char *what);

/* Find a unit by name. Returns a static string, or NULL. */
const char *reference_unit(const char *name);

/* Make cases of a table and compute their speedups, unless the reader has
 * failed. */
void reference_add_table(
    struct reference_reader *r, const struct published_table *t);

#endif
