/* What reference_values.c (the lines of a figure file), reference_cases.c
 * (tables of topologies) and reference_records.c (tables of cases and of sizes)
 * share.  No other file includes it. */
#ifndef COMMON_SERIES_REFERENCE_READER_H
#define COMMON_SERIES_REFERENCE_READER_H

#include "common/published/published.h"
#include "common/series/reference_values.h"

/* What the rows of a table are. */
enum reference_rows {
	ROWS_TOPOLOGIES, /* nodes and GPUs; a column a framework */
	ROWS_CASES,      /* a case each; a column a quantity */
	ROWS_SIZES       /* collectives of one case by size */
};

/* One figure: what becomes an entry of cases, texts, lines and written. */
struct reference_value {
	struct result_case c;
	const char *text;
	long line;
	struct written_cells written;
	size_t column; /* of its table */
	/* Of a table of topologies, while it is read; else NULL. */
	const struct published_cell *cell;
	const struct published_row *row;
	long batch; /* that sets its series apart; 0 with scaling strong */
};

/* What reference values are in where nothing is stated. */
#define REFERENCE_VALUES_UNIT "samples/s"

/* Why a cell of a column of speeds is refused. */
#define REFERENCE_NO_SPEED \
	"is neither a number above 0 nor a word such as OOM, TODO or n/a"

enum {
	REFERENCE_VALUES_MAX_LABELS = 32,
	REFERENCE_VALUES_MAX_ORIGINS = 100,
	REFERENCE_VALUES_MAX_REPEATS = 1000, /* rows that are numbered */
	REFERENCE_VALUES_ECHO = 80 /* bytes of the text in a message */
};

struct reference_reader {
	const char *name;
	struct result_file *out;
	struct arena *arena; /* of out->result */
	struct error *e;
	const char *text, *end; /* of a figure file, whose mistakes are errors;
	                           NULL: a document, read on after mistakes */
	long line;              /* that is read */

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

	/* The table that is read; NULL outside of one. */
	const char *table_at;
	long table_line, table_col;
	const char *table_label; /* names one of several of a document */
	size_t table_from;       /* its first figure */
	const char *metric;      /* of all tables; NULL before the first */

	struct reference_value *values;
	size_t n, alloc;
	struct published_doubt *doubts;
	size_t n_doubts, alloc_doubts;
};

/* Report a mistake: in a figure file an error with the line and a caret, in a
 * document a remark, of which there are 200 at most.
 *
 * col   from 1; 0: none
 * text  that is wrong, or NULL
 *
 * Returns -1 or 0. */
int reference_mistake(struct reference_reader *r, long line, long col,
    const char *text, const char *what);

/* Note how a document's cell was taken: "file:line:col: text". */
void reference_remark(
    struct reference_reader *r, long line, long col, const char *text);

/* The unit of that name, static, or NULL. */
const char *reference_unit(const char *name);

/* The metric that the unit belongs to. */
const char *reference_metric(const char *unit);

/* A copy of a list with room for one more; lives in r->arena.
 *
 * list  [n] members of size bytes */
void *reference_longer(
    struct reference_reader *r, const void *list, size_t n, size_t size);

/* An empty value at the end of the list, with model, unit, rule and labels of
 * the header lines.  r->n counts it once the caller adds 1.
 *
 * Returns NULL with ERROR_LIMIT. */
struct reference_value *reference_new_value(
    struct reference_reader *r, long line, long col);

/* Add a label, whose texts live as long as r->arena; beyond
 * REFERENCE_VALUES_MAX_LABELS it is dropped. */
void reference_add_label(struct reference_reader *r, struct result_case *c,
    const char *key, const char *value);

/* Set nodes, GPUs and name of a case.
 *
 * nodes  RESULT_UNKNOWN: not known
 * gpus   of all nodes */
void reference_set_topology(
    struct reference_reader *r, struct result_case *c, long nodes, long gpus);

/* Require as many cells of a row as the head has; a document may have others.
 * Returns 0 or -1. */
int reference_check_length(struct reference_reader *r,
    const struct published_table *t, const struct published_row *row);

/* Make cases of a table, and their speedups.  Returns 0, also where it holds
 * none and is a document's, or -1. */
int reference_add_table(
    struct reference_reader *r, const struct published_table *t);

/* Read the rows of a table of cases or sizes.  Returns 0 or -1. */
int reference_read_records(
    struct reference_reader *r, const struct published_table *t);

#endif
