/* Published tables: Markdown, CSV, LaTeX, or the JSON of DLPerf's scripts, with
 * the role of each column and the value of each cell.
 *
 * A cell keeps its position, text and printed digits: a number is the interval
 * of all values that round to it. Nothing is guessed: a cell that is neither a
 * number of its column's kind nor a word is PUBLISHED_BAD with the code of the
 * reason, and a remark of the table states how an ambiguous head was read.
 *
 *	struct published p;
 *	if (published_read("README.md", text, len, 0, &p, &e) != 0) ...
 *	for (size_t i = 0; i < p.n; i++)
 *		printf("line %ld: %zu rows\n", p.tables[i].line,
 *		    p.tables[i].n_rows);
 *	published_release(&p);
 */
#ifndef COMMON_PUBLISHED_PUBLISHED_H
#define COMMON_PUBLISHED_PUBLISHED_H

#include <limits.h>
#include <stddef.h>

#include "common/alloc.h"
#include "common/error.h"
#include "common/text.h"
#include "common/texts/remark.h"

#define PUBLISHED_UNKNOWN LONG_MIN /* unstated count */

enum {
	PUBLISHED_MAX_BYTES = 16 << 20,
	PUBLISHED_MAX_COLUMNS = 256,
	PUBLISHED_MAX_CELLS = 1000000,
	PUBLISHED_MAX_TABLES = 10000,
	PUBLISHED_MAX_HEADINGS = 6
};

/* Contents of a column. */
enum published_role {
	PUBLISHED_OTHER, /* any other quantity or text */
	/* Details of the measurement: runs, interval, flags. Neither part of a
	 * row's configuration nor an input of other columns. */
	PUBLISHED_ASIDE,
	/* Configuration of a row. */
	PUBLISHED_NODES,
	PUBLISHED_GPUS,      /* total */
	PUBLISHED_NODE_GPUS, /* per node */
	PUBLISHED_GPU_COUNT, /* total or per node; decided by the rows */
	PUBLISHED_CASE,      /* "4n8g", "4机32卡" */
	PUBLISHED_BATCH,     /* samples per device and step */
	PUBLISHED_GLOBAL_BATCH,
	PUBLISHED_PRECISION,
	PUBLISHED_FRAMEWORK, /* framework of the row */
	PUBLISHED_MODEL,
	PUBLISHED_LABEL, /* other words or parameters */
	/* Measured values. */
	PUBLISHED_RATE,      /* work per second */
	PUBLISHED_MEDIAN,    /* of any quantity; decided by the unit */
	PUBLISHED_STEP_TIME, /* time per step */
	PUBLISHED_DURATION,  /* time of a whole training */
	PUBLISHED_MEAN_TIME, /* mean of several operations */
	PUBLISHED_COUNT,     /* number of operations */
	PUBLISHED_MEMORY,
	PUBLISHED_BANDWIDTH,
	/* Derived from other columns. */
	PUBLISHED_SPEEDUP,
	PUBLISHED_EFFICIENCY,
	PUBLISHED_COST,  /* T(n GPUs) / (n * T(1 GPU)) */
	PUBLISHED_RATIO, /* of the two preceding columns */
	PUBLISHED_SHARE, /* share of the column's total time */
	PUBLISHED_N_ROLES
};

enum published_kind {
	PUBLISHED_EMPTY,
	PUBLISHED_WORD, /* OOM, TODO, a name */
	PUBLISHED_NUMBER,
	PUBLISHED_BAD /* see problem */
};

/* Dimension of a unit. */
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

/* A number as printed; value and half are in the base unit. */
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
	size_t number_len; /* bytes of the number; 0: not first in text */
	const struct published_unit *unit; /* printed in the cell, or NULL */
	struct published_number share;     /* "(99%)" after it */
	enum remark_code problem;          /* reason for BAD, or REMARK_NONE */
};

struct published_column {
	enum published_role role;
	const char *head; /* without markup */
	long line, col;
	const char *framework; /* named in the head, or NULL */
	const char *precision; /* ditto */
	long batch;            /* ditto; PUBLISHED_UNKNOWN */
	int batch_varies;      /* "bsz=max": the heading's batch does not hold
	                          for this column */
	const struct published_unit *unit; /* default unit of its cells, or
					      NULL */
	int decimals;                      /* maximum of its cells */
	int known;                         /* 0: no word of the head is known */
	int guessed; /* 1: read as a speed, although no word says so */
};

struct published_row {
	struct published_cell *cells; /* one per column */
	long line;
	long nodes, gpus, node_gpus; /* or PUBLISHED_UNKNOWN */
	long batch;                  /* per device */
	long global_batch;           /* of all devices, if a column has it */
	const char *label;           /* after the case in its cell, or NULL */
	const char *group;           /* title of its group, or NULL */
	enum remark_code problem;    /* why its counts are invalid, or NONE */
	const struct published_cell *problem_cell;
	size_t n_cells; /* printed cells; the others are empty */
};

struct published_table {
	long line;           /* line of its head */
	const char *heading; /* nearest heading above, or NULL */
	/* The headings above by level, outermost first; NULL: none. */
	const char *headings[PUBLISHED_MAX_HEADINGS];
	long batch; /* stated by headings */
	const char *precision;
	const struct published_unit *unit; /* stated by headings, or NULL */
	int strong; /* 1: rows of different GPU counts share the global batch;
	               0: they share the batch per device */
	struct published_column *columns;
	size_t n_columns;
	struct published_row *rows;
	size_t n_rows;
	struct remark *remarks; /* how its heads and cells were read */
	size_t n_remarks;
};

struct published {
	struct arena arena;
	struct text_span text; /* what was read, without a byte order mark */
	struct published_table *tables;
	size_t n;
	long html; /* line of the first table of HTML, which is not read, or
	              0 */
};

/* Read all tables of a text: JSON if it starts with a brace, LaTeX if it has an
 * environment, CSV if its first line has separators and nothing looks like
 * Markdown or HTML, else Markdown.
 *
 * name     file name for messages
 * is_bare  1: only Markdown tables whose lines begin with '|', and whose row of
 *          dashes may be missing
 *
 * Returns 0, also without a table (p->n is 0); -1 with ERROR_LIMIT, or with
 * ERROR_INPUT for text that is not UTF-8 or JSON not written by DLPerf. */
int published_read(const char *name, const char *text, size_t len, int is_bare,
    struct published *p, struct error *e);

/* Free the tables. */
void published_release(struct published *p);

/* True for JSON written by DLPerf's scripts: cases such as "4n8g" within
 * models. */
int published_is_dlperf(const char *text, size_t len);

/* True if the table has a column of the role. */
int published_has(const struct published_table *t, enum published_role role);

/* True for roles that state a speed: a rate, or the time of a step or of a
 * run. */
int published_is_speed(enum published_role role);

/* True if columns state the GPUs of the rows, with or without their nodes. */
int published_has_cases(const struct published_table *t);

/* Batch per device of a cell: from its row, else its head or the headings of
 * the table; else PUBLISHED_UNKNOWN. */
long published_batch_of(const struct published_table *t,
    const struct published_row *row, size_t column);

/* Search [s, end) for a regular expression over bytes.
 *
 * pattern  a literal: it is compiled once for each address
 * end      NULL: s ends with a NUL
 * parts    [n_parts] receives the whole match and its groups; s is NULL for a
 *          group that took no part in the match
 *
 * Returns 1, or 0. */
int published_match(const char *pattern, const char *s, const char *end,
    struct text_span *parts, size_t n_parts);

/* Find a unit by name. Returns a static unit, or NULL. */
const struct published_unit *published_unit_find(const char *s, size_t len);

/* Interpret the text of a cell, which is borrowed.
 *
 * unit  unit of its head, or NULL */
void published_quantity_read(const char *text,
    const struct published_unit *unit, struct published_cell *cell);

/* Interpret a head and initialize its column. Strings are allocated in a. */
void published_head_read(
    struct arena *a, const char *text, struct published_column *c);

enum {
	PUBLISHED_MAX_HEAD = 1024, /* bytes; longer heads are not parsed */
	PUBLISHED_WORD_SIZE = PUBLISHED_MAX_HEAD + 3
};

/* Write a head as " head ", in lower case and without blanks, '_', '-' and '.',
 * in order to search for it in a list of such words. An empty head becomes a
 * line break, which no list contains. Returns word. */
const char *published_word(
    const char *s, size_t len, char word[PUBLISHED_WORD_SIZE]);

/* Read a case at the start of a text: "4n8g", "n1g8", "4机32卡", "单机单卡",
 * "8 GPUs".
 *
 * nodes, gpus  total counts; unspecified if 0 is returned; nodes is
 *              PUBLISHED_UNKNOWN if only GPUs are stated
 * rest         set to the text after the case, or ""; borrowed
 *
 * Returns 1, or 0 if the text does not begin with a case. */
int published_case_read(
    const char *text, long *nodes, long *gpus, const char **rest);

/* Relation of a printed number to a computed one. */
enum published_fit {
	PUBLISHED_ROUNDS, /* the computed one rounds to it */
	PUBLISHED_CUT,    /* the computed one was truncated */
	PUBLISHED_DIFFERS
};

/* Compare a printed number with the computed range low..high.
 *
 * decimals  maximum of its column: with 2, 10.2 is compared as 10.20 */
enum published_fit published_fits(const struct published_number *printed,
    int decimals, double low, double high);

/* Configuration of a row without nodes and GPUs: rows with equal keys share a
 * baseline. Allocated in a. */
const char *published_row_key(struct arena *a, const struct published_table *t,
    const struct published_row *row);

#endif
