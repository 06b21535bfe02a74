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

#include "common/error.h"
#include "common/program/options.h"
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
	const char *head; /* in our own table and in declarations; NULL: none */
	enum run_cell {
		RUN_WORD,
		RUN_COUNT,
		RUN_NUMBER,
		RUN_FACTOR, /* the count is the product of all such cells */
		RUN_MICROSECONDS, /* of seconds */
		RUN_FLAGS,        /* a sentence */
		RUN_FLAG_CODES,   /* run_flags_json; replaces the sentences */
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

/* Heads of our own table, in their order, after those of the configuration and
 * the labels; the last is NULL. */
extern const char *const runs_table_heads[];

/* The field of a head. */
struct run_field run_field_find(const char *head);

/* True if a text is a table of runs of at most 16 MiB. text[len] is '\0'.
 *
 * declared  1: that is our own or of a program that common/tables/ declares */
int runs_table_is(const char *text, size_t len, int declared);

/* The same for a regular file. */
int runs_table_is_file(const char *path, int declared);

/* Read a table.
 *
 * name  file name for messages
 *
 * Returns 0; -1 with ERROR_INPUT for a cell that is no number or is missing,
 * ERROR_EMPTY without a run. */
int runs_table_parse(const char *name, const char *text, size_t len,
    struct result *r, struct error *e);

/* Read a file that is a table, as runs_table_parse, or else a result, as
 * result_read; a log operand gives its result. */
int runs_table_or_result_read(
    const char *path, struct result *r, struct error *e);

#endif
