/* Tables as they were published: in Markdown, CSV, LaTeX, or as the JSON that
 * DLPerf's scripts write, with what each column holds and what each cell
 * states.
 *
 * A cell keeps its place, its text, and the digits that were printed: a number
 * is the interval of all values that round to it.  Nothing is guessed: a cell
 * that is neither a number of its column's kind nor a word is PUBLISHED_BAD
 * with the code of the reason, and how a head was taken that could be taken
 * otherwise is a remark of the table.
 *
 *	struct published p;
 *	if (published_read("README.md", text, len, &p, &e) != 0) ...
 *	for (size_t i = 0; i < p.n; i++)
 *		printf("line %ld: %zu rows\n", p.tables[i].line,
 *		    p.tables[i].n_rows);
 *	published_release(&p);
 */
#ifndef COMMON_PUBLISHED_PUBLISHED_H
#define COMMON_PUBLISHED_PUBLISHED_H

#include <limits.h>
#include <stddef.h>

#include "common/arena.h"
#include "common/error.h"
#include "common/texts/remark.h"

#define PUBLISHED_UNKNOWN LONG_MIN /* a count that is not stated */

enum {
	PUBLISHED_MAX_BYTES = 16 << 20,
	PUBLISHED_MAX_COLUMNS = 256,
	PUBLISHED_MAX_CELLS = 1000000,
	PUBLISHED_MAX_TABLES = 10000
};

/* What a column holds. */
enum published_role {
	PUBLISHED_OTHER, /* a quantity or text that is none of the others */
	/* About how it was measured: runs, interval, flags.  It is neither part
	 * of a row's configuration nor what another cell follows from. */
	PUBLISHED_ASIDE,
	/* Of which configuration a row is. */
	PUBLISHED_NODES,
	PUBLISHED_GPUS,      /* of all nodes */
	PUBLISHED_NODE_GPUS, /* of each node */
	PUBLISHED_GPU_COUNT, /* either; settled by the rows */
	PUBLISHED_CASE,      /* "4n8g", "4机32卡" */
	PUBLISHED_BATCH,     /* samples of each device in a step */
	PUBLISHED_GLOBAL_BATCH,
	PUBLISHED_PRECISION,
	PUBLISHED_FRAMEWORK, /* of the row */
	PUBLISHED_MODEL,
	PUBLISHED_LABEL, /* any other word or parameter */
	/* What was measured. */
	PUBLISHED_RATE,      /* work per second */
	PUBLISHED_STEP_TIME, /* of one step */
	PUBLISHED_DURATION,  /* of a whole training */
	PUBLISHED_MEAN_TIME, /* of one of several operations */
	PUBLISHED_COUNT,     /* of operations */
	PUBLISHED_MEMORY,
	PUBLISHED_BANDWIDTH,
	/* What follows from other columns. */
	PUBLISHED_SPEEDUP,
	PUBLISHED_EFFICIENCY,
	PUBLISHED_COST,  /* T of n GPUs over n times that of one */
	PUBLISHED_RATIO, /* of the two columns before */
	PUBLISHED_SHARE, /* of the column's total time */
	PUBLISHED_N_ROLES
};

enum published_kind {
	PUBLISHED_EMPTY,
	PUBLISHED_WORD, /* OOM, TODO, a name */
	PUBLISHED_NUMBER,
	PUBLISHED_BAD, /* problem states why */
	/* As PUBLISHED_BAD, and no way to write a number: "1359.3.9ms". */
	PUBLISHED_MALFORMED
};

/* What a unit measures. */
enum published_measure {
	PUBLISHED_PLAIN, /* no unit */
	PUBLISHED_PER_SECOND,
	PUBLISHED_SECONDS,
	PUBLISHED_PER_CENT,
	PUBLISHED_TIMES, /* "7.5x" */
	PUBLISHED_BITS_PER_SECOND,
	PUBLISHED_BYTES
};

struct published_unit {
	const char *name; /* as printed */
	enum published_measure measure;
	double scale;     /* to the base: seconds, bits per second, bytes, 1 */
	const char *rate; /* PER_SECOND: its name in results */
};

/* A number as printed.  value, half in the unit's base. */
struct published_number {
	double value; /* NAN: none */
	double half;  /* half a unit of its last digit */
	int decimals; /* digits after the point, as printed */
};

struct published_cell {
	const char *text; /* without markup, never NULL */
	long line, col;   /* from 1, col in bytes */
	enum published_kind kind;
	struct published_number number;
	size_t number_len; /* bytes of text that are it; 0: not its begin */
	const struct published_unit *unit; /* printed in the cell, or NULL */
	struct published_number share;     /* "(99%)" after it */
	long batch;                        /* "bsz=96" after it */
	enum remark_code problem;          /* why it is bad, or REMARK_NONE */
};

struct published_column {
	enum published_role role;
	const char *head; /* without markup */
	long line, col;
	const char *framework; /* named in the head, or NULL */
	const char *precision; /* ditto */
	long batch;            /* ditto; PUBLISHED_UNKNOWN */
	int batch_varies;      /* "bsz=max": that of the table's heading is
	                          not this column's */
	const struct published_unit *unit; /* of its plain numbers, or NULL */
	int decimals;                      /* the most that a cell has */
	int guessed; /* 1: no word of the head states that it holds speeds */
};

struct published_row {
	struct published_cell *cells; /* one a column */
	long line;
	long nodes, gpus, node_gpus; /* PUBLISHED_UNKNOWN where not stated */
	long batch;                  /* of each device */
	long global_batch;           /* of all together, where a column is */
	const char *label;           /* after the case in its cell, or NULL */
	const char *group;           /* the title of its group, or NULL */
	enum remark_code problem;    /* why its counts are none, or NONE */
	const struct published_cell *problem_cell;
	size_t n_cells; /* that are printed; the others are empty */
	long extra_col; /* of the first cell too many, or 0 */
};

struct published_table {
	long line;           /* of its head */
	const char *heading; /* the nearest one above, or NULL */
	const char *const
	    *headings; /* [n_headings] all above, outermost first */
	size_t n_headings;
	long batch; /* that headings state */
	const char *precision;
	const struct published_unit *unit; /* that headings state, or NULL */
	char point; /* what parts its numbers' decimals, '.' or ',' */
	int strong; /* rows of more GPUs share a global batch, which is theirs
	               together; 0: they share what each device has of it */
	struct published_column *columns;
	size_t n_columns;
	struct published_row *rows;
	size_t n_rows;
	struct remark *remarks; /* how its heads and cells were taken */
	size_t n_remarks, alloc_remarks;
};

struct published {
	struct arena arena;
	struct published_table *tables;
	size_t n, alloc;
	int keeps_empty; /* an empty cell is never that above it */
};

/* Read all tables of a text: LaTeX where a tabular begins, JSON where it starts
 * with a brace, Markdown where a line holds a '|', else CSV.
 *
 * name  stands for the file in messages
 *
 * Returns 0, also without a table (p->n is 0); -1 with ERROR_LIMIT, or with
 * ERROR_INPUT for text that is not UTF-8 or JSON that is no result of
 * DLPerf's. */
int published_read(const char *name, const char *text, size_t len,
    struct published *p, struct error *e);

/* Read one Markdown table whose row of dashes may be missing.
 *
 * line  number of its first line, for messages */
int published_read_block(const char *name, const char *text, size_t len,
    long line, struct published *p, struct error *e);

/* Free all. */
void published_release(struct published *p);

/* True for JSON as DLPerf's scripts write it: cases such as "4n8g" within
 * models. */
int published_is_dlperf(const char *text, size_t len);

/* True if it has a column of that role. */
int published_has(const struct published_table *t, enum published_role role);

/* True if cells of that role state a speed: a rate, the time of a step or of a
 * run. */
int published_is_speed(enum published_role role);

/* True if columns state the nodes and GPUs of rows, or the GPUs alone. */
int published_has_cases(const struct published_table *t);

/* Samples of each device in a step of what a cell is of: as the cell states
 * ("bsz=96"), else its row, its head, the headings of the table.
 * PUBLISHED_UNKNOWN where none does. */
long published_batch_of(const struct published_table *t,
    const struct published_row *row, size_t column);

/* The unit of that name, static, or NULL. */
const struct published_unit *published_unit_find(const char *s, size_t len);

/* How a printed number stands to what was computed. */
enum published_fit {
	PUBLISHED_ROUNDS, /* it rounds to what was printed */
	PUBLISHED_CUT,    /* its further digits were cut */
	PUBLISHED_DIFFERS
};

/* Compare a printed number with the computed range low..high.
 *
 * decimals  that its column prints at most: 10.2 may be 10.20 */
enum published_fit published_fits(const struct published_number *printed,
    int decimals, double low, double high);

/* What a cell is of: "4n8g", "8g", or the words of its row.  Lives in a. */
const char *published_row_name(struct arena *a, const struct published_table *t,
    const struct published_row *row);

/* All that a row states about what it is but its nodes and GPUs: rows of one
 * key have one baseline.  Lives in a. */
const char *published_row_key(struct arena *a, const struct published_table *t,
    const struct published_row *row);

#endif
