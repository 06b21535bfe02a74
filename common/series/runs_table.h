/* Tables of runs: one row a run, in CSV, TSV, an array or lines of JSON, or in
 * the format of a program that common/tables/ declares.
 *
 * Columns are known by our own names (extract_logs --table=runs --format=csv),
 * by a declaration, by the options below, or by the heads of published tables:
 * nodes, GPUs, batch, speeds and times with their units. Rows that agree in all
 * but the value, the run and the identity columns are the runs of one case.
 * Jobs, ids, dates, hosts, paths and hashes are identity columns, by their name
 * or since each row has its own. Other columns are labels. Medians, intervals
 * and speedups are computed from the runs. */
#ifndef COMMON_SERIES_RUNS_TABLE_H
#define COMMON_SERIES_RUNS_TABLE_H

#include <stddef.h>

#include "common/arena.h"
#include "common/error.h"
#include "common/program/options.h"
#include "common/published/published.h"
#include "common/result/result.h"

/* Columns that options name, of all tables of runs. */
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
		RUN_FACTOR, /* the count is the product of all such cells */
		RUN_MICROSECONDS, /* of seconds */
		RUN_FLAGS,        /* sentences, which are not read */
		RUN_FLAG_CODES,   /* run_flags_json */
		RUN_LABEL,
		RUN_IGNORED
	} cell;
	enum run_part {
		PART_CASE,
		PART_RUN,
		PART_RULE, /* of the result */
		PART_COLLECTIVE,
		PART_ROW /* what only the reader knows */
	} part;
	size_t at; /* in it */
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
 * Returns 0; 1 if the text is no table of runs, or has more than 16 MiB; -1
 * with ERROR_INPUT for a cell that is no number or is missing, ERROR_EMPTY
 * without a run. */
int runs_table_parse(const char *name, const char *text, size_t len,
    struct result *r, struct error *e);

/* True if a regular file is a table of runs. */
int runs_table_is_file(const char *path);

/* Read a file that is a table, as runs_table_parse, or else a result, as
 * result_read; a log operand gives its result. */
int runs_table_or_result_read(
    const char *path, struct result *r, struct error *e);

/* --- rows, private to run_rows.c and runs_table.c ------------------------- */

/* Keys of a declaration (doc/exchange.md, common/tables/), those with patterns
 * first. Those from FORM_SPLIT to FORM_OTHERS have a word before their text. */
enum form_key {
	FORM_HAS,     /* pattern of such a text; all must match */
	FORM_CONTEXT, /* of a line whose cells hold for rows below */
	FORM_ROW,     /* of rows in lines of text */
	FORM_EACH,    /* of heads: a row for each of them */
	FORM_SPLIT,   /* head, and pattern of its cells: further cells */
	FORM_ONLY,    /* head, and pattern of its cells in rows that count */
	FORM_PAIRS,   /* head whose cells hold KEY=VALUE, separated by '/' */
	FORM_FIELD,   /* run_fields or "label:NAME", and heads: "a|b" */
	FORM_SET,     /* head, and the text of its cells in all rows */
	FORM_WORD,    /* text of a cell, and its meaning */
	FORM_OTHERS,  /* "labels": of heads that nothing names */
	FORM_ROWS,    /* path of the rows in JSON: names and '*' */
	FORM_STRIP,   /* prefix of heads that are read without it */
	N_FORM_KEYS
};

struct table_form {
	const char *path; /* of its file; NULL: table_form_any */
	struct form_list {
		struct form_line *lines;
		size_t n;
	} keys[N_FORM_KEYS];
};

struct form_line {
	const char *word, *text;
	struct pcre2_real_code_8 *pattern; /* that the text is, or NULL */
};

/* CSV, TSV, an array of objects or a line for each object, whose heads are read
 * as those of published tables. */
extern const struct table_form table_form_any;

/* All declarations [*n], in the order of their names; read once in a process.
 * NULL with ERROR_INPUT and "file:line: ..." for a bad one, ERROR_SYSTEM if
 * they are missing. */
const struct table_form *table_forms(size_t *n, struct error *e);

struct run_row {
	const char **cells; /* [n], by head; NULL or "": none */
	size_t n;
	long line; /* from 1; of JSON the row's number */
};

struct run_rows {
	struct arena *arena;
	/* Heads of JSON are the path from the row's outermost object without
	 * indices: "stats.unit". */
	const char **heads;
	size_t n_heads;
	struct run_row *rows;
	size_t n;
	int is_lines; /* 1: run_row.line counts lines, 0: rows */
};

/* Read rows.
 *
 * name  file name for messages
 * most  rows that are wanted
 *
 * Returns 0, without rows if the text is no such table; -1 with ERROR_INPUT for
 * a bad line or bad JSON, ERROR_LIMIT for too many cells. */
int run_rows_read(struct run_rows *t, const char *name, const char *text,
    size_t len, const struct table_form *form, size_t most, struct error *e);

/* Find the last head that is the name, or else the last one that ends with '.'
 * and the name. Returns its index, or n_heads. */
size_t run_rows_head(const struct run_rows *t, const char *name);

/* Cell of a row; "" if it has none. */
const char *run_row_cell(const struct run_row *row, size_t head);

#endif
