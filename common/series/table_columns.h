/* Columns of a table of runs: which member of a case or run each states, by a
 * declaration, options, our own names, or the words of published tables.
 * Private to runs_table.c and table_columns.c. */
#ifndef COMMON_SERIES_TABLE_COLUMNS_H
#define COMMON_SERIES_TABLE_COLUMNS_H

#include <stddef.h>

#include "common/published/published.h"
#include "common/result/result.h"
#include "common/series/run_rows.h"
#include "common/series/table_form.h"

/* What a row states: of its case, its run and its collective. */
struct row_content {
	struct result_case c;
	struct result_run run;
	struct result_collective collective;
	long gpu_count;    /* of all or of each node: the rows decide */
	long global_batch; /* of all GPUs */
};

enum cell_kind {
	CELL_WORD,
	CELL_COUNT,
	CELL_FACTOR, /* the count is the product of all such cells */
	CELL_NUMBER,
	CELL_MICROSECONDS, /* of seconds */
	CELL_FLAG,         /* a sentence */
	CELL_FLAG_CODES,   /* run_flags_json; replaces the sentences */
	CELL_LABEL,
	CELL_IGNORED
};

struct table_field {
	const char *head; /* its name in our own table and in declarations */
	enum cell_kind kind;
	enum {
		FIELD_OF_CASE,
		FIELD_OF_RUN,
		FIELD_OF_COLLECTIVE,
		FIELD_OF_RULE, /* of the result */
		FIELD_OF_ROW   /* struct row_content */
	} of;
	size_t at; /* in it */
};

/* The field of a name, or NULL. */
const struct table_field *table_field_find(const char *name);

/* Words of heads. */
enum head_words {
	HEAD_IDENTITY, /* tells runs apart: job, host, hash */
	HEAD_TIME,
	HEAD_RUN,    /* number of a run */
	HEAD_STEP,   /* of the steps of one run, which is no table of runs */
	HEAD_METRIC, /* name of the value of a row */
	HEAD_PARALLEL
};

/* True if a head is one of the words, ignoring case, '_', '-', '.' and
 * blanks. */
int head_is(const char *head, enum head_words words);

struct run_column {
	const struct table_field *field; /* NULL: not used */
	const char *name;                /* of a label */
};

/* Unit of a value. */
struct value_unit {
	const char *name; /* NULL: unknown */
	double scale;     /* from the value to that unit */
	int per_gpu;      /* 1: "tokens/s/GPU" */
};

/* Unit that a text states: "img/s", "ns/op", "samples_per_second".
 *
 * role  of its column, or PUBLISHED_OTHER */
struct value_unit value_unit_of(
    struct arena *a, const char *text, enum published_role role);

struct table_columns {
	struct run_column *items; /* [heads] */
	struct value_unit unit;   /* of the head of the value */
	int is_own;               /* 1: the table of extract_logs */
	int gpus_of_node;         /* 1: gpu_count is that of a node */
};

/* Find the meanings of all heads. */
void table_columns_read(struct table_columns *c, const struct run_rows *t,
    const struct table_form *form);

/* True if a column states that field. */
int table_columns_have(
    const struct table_columns *c, const struct run_rows *t, const char *field);

/* True if a comma-separated list, which may be NULL, contains the name. */
int name_is_listed(const char *list, const char *name);

#endif
