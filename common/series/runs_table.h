/* Tables of runs: one row a run, in CSV, TSV, an array or lines of JSON, or in
 * the format of a program that common/tables/ declares.
 *
 * Columns are known by our own names (extract_logs --table=runs --format=csv),
 * by a declaration, by the options below, or by the heads of published tables:
 * nodes, GPUs, batch, speeds and times with their units. Rows that agree in all
 * but the value, the run and the identity columns are the runs of one case.
 * Jobs, ids, dates, hosts, paths and hashes are identity columns, recognised by
 * name or because each row has a different value. Other columns are labels.
 * Medians, intervals and speedups are computed from the runs. */
#ifndef COMMON_SERIES_RUNS_TABLE_H
#define COMMON_SERIES_RUNS_TABLE_H

#include <stddef.h>

#include "common/alloc.h"
#include "common/error.h"
#include "common/program/options.h"
#include "common/published/published.h"
#include "common/result/result.h"

/* Columns named by options; they apply to all tables of runs. */
struct runs_table_options {
	const char *value, *run;
	const char *ignore; /* separated by commas */
};

extern struct runs_table_options runs_table_options;

/* Rows of an option table.
 *
 * where  modes in which they apply; 0: all */
#define RUNS_TABLE_OPTION(name, arg, text, member, where) \
	{ \
		OPT_STR, 0, name, arg, .help = text, \
				       .to = &runs_table_options.member, \
				       .modes = (where) \
	}
#define RUNS_TABLE_OPTIONS(where) \
	RUNS_TABLE_OPTION("value", "COLUMN", \
	    "column of a table of runs that holds the value, or one of its " \
	    "metrics", \
	    value, where), \
	    RUNS_TABLE_OPTION("run", "COLUMN", \
		"column of a table of runs that numbers the runs of a case", \
		run, where), \
	    RUNS_TABLE_OPTION("ignore", "COLUMN,...", \
		"columns of a table of runs that do not distinguish cases", \
		ignore, where)

/* What a column states: a member of the case, the run or the rule. */
struct run_field {
	const char *head;
	enum run_cell {
		RUN_WORD,
		RUN_COUNT,
		RUN_NUMBER,
		RUN_FACTOR,     /* the count is the product of all such cells */
		RUN_US,         /* microseconds; the member holds seconds */
		RUN_FLAGS,      /* sentences, which are not read */
		RUN_FLAG_CODES, /* run_flags_json */
		RUN_LABEL,
		RUN_IGNORED
	} cell;
	enum run_part {
		PART_CASE,
		PART_RUN,
		PART_RULE, /* of the result */
		PART_ROW   /* a struct that only the reader uses */
	} part;
	size_t at; /* offset of the member */
};

enum { N_OWN_RUN_FIELDS = 36 };

/* All fields. The first N_OWN_RUN_FIELDS are the columns of our own table after
 * those of the configuration and the labels; the last has no head. */
extern const struct run_field run_fields[];

/* The field of a head, or NULL. */
const struct run_field *run_field_find(const char *head);

/* Read a table.
 *
 * name  file name for messages
 * text  [len]; text[len] is '\0'
 *
 * Returns 0; 1 if the text is not a table of runs, or has more than 16 MiB; -1
 * with ERROR_INPUT for a cell that is not a number or is missing, ERROR_EMPTY
 * if there are no runs. */
int runs_table_parse(const char *name, const char *text, size_t len,
    struct result *r, struct error *e);

/* True if a regular file is a table of runs. */
int runs_table_is_file(const char *path);

/* Read a file ("-": stdin) that is a table, as runs_table_parse, or else a
 * result, as result_parse. For a log operand, read the result of its logs. */
int runs_table_or_result_read(
    const char *path, struct result *r, struct error *e);

/* --- rows, private to run_rows.c and runs_table.c ------------------------- */

struct run_row {
	const char **cells; /* [n], by head; NULL or "": none */
	size_t n;
	long line; /* from 1; in JSON, the row's number */
};

struct run_rows {
	struct arena *arena;
	/* Our own names where a declaration states them, else those of the
	 * table (in JSON, the path from the row's outermost object without
	 * indices, "stats.unit"); "" for columns without a meaning. */
	const char **heads;
	size_t n_heads;
	struct run_row *rows;
	size_t n;
	int is_lines;    /* 1: run_row.line counts lines, 0: rows */
	int is_declared; /* 1: in the form of a file of common/tables/ */
};

/* Read the rows of a text in the form of the first declaration that fits, or
 * else as CSV, TSV, a JSON array of objects or one JSON object per line.
 *
 * name  file name for messages
 * most  maximum number of rows to read
 *
 * Returns 0, with no rows if the text is not a table; -1 with ERROR_INPUT for a
 * bad line, bad JSON or a bad declaration, ERROR_LIMIT for too many cells,
 * ERROR_SYSTEM if the declarations cannot be read. */
int run_rows_read(struct run_rows *t, const char *name, const char *text,
    size_t len, size_t most, struct error *e);

/* Find the last head that is the name, or else the last one that ends with '.'
 * and the name. Returns its index, or n_heads. */
size_t run_rows_head(const struct run_rows *t, const char *name);

/* Cell of a row; "" if it has none. */
const char *run_row_cell(const struct run_row *row, size_t head);

#endif
