/* Does a published table follow from its own numbers, and from results?
 *
 * Every cell that others determine is computed again with the digits that were
 * printed: its operands are intervals of all values that round to them, and a
 * cell follows if what they give rounds to it, or is cut to it.
 *
 *	struct check_report r;
 *	if (check_read(&ask, "README.md", &set, &r, &e) != 0) ...
 *	check_write(&r, &how, f);
 *	status = check_exit_status(&r);
 *	check_release(&r);
 */
#ifndef REPORT_CHECK_CHECK_H
#define REPORT_CHECK_CHECK_H

#include <stdio.h>

#include "common/arena.h"
#include "common/error.h"
#include "common/published/published.h"
#include "common/series/series.h"
#include "common/table/table.h"

enum check_verdict {
	CHECK_FOLLOWS,     /* rounds to what was printed */
	CHECK_CUT,         /* its digits were cut, or those of an operand */
	CHECK_DIFFERS,     /* neither: it does not follow */
	CHECK_MALFORMED,   /* is no number at all */
	CHECK_UNREAD,      /* more than a number; nothing is stated about it */
	CHECK_NO_CASE,     /* the results have no such case */
	CHECK_SEVERAL,     /* they have several: --select chooses */
	CHECK_NO_BASELINE, /* nothing that it could follow from */
	CHECK_N_VERDICTS
};

/* One check of one cell. */
struct check_finding {
	enum check_verdict verdict;
	long line, col;
	const char *row, *column; /* "4n8g", "speedup" */
	const char *printed;
	const char *expected; /* with as many digits, or NULL */
	struct remark why;    /* "11331.93 / 392.24", or what is wrong */
	/* Of a number that was computed again: its cell, and what it should be
	 * in the unit's base; else NULL and NAN. */
	const struct published_cell *cell;
	double low, high;
};

/* How a header of a table was read, or what the table does not state. */
struct check_remark {
	long line; /* of the table */
	struct remark remark;
};

struct check_report {
	struct arena arena;
	const char *file;
	struct check_finding *findings; /* in the order of the file */
	size_t n, alloc;
	size_t counts[CHECK_N_VERDICTS];
	size_t n_tables; /* that hold cells to check */
	struct check_remark *remarks;
	size_t n_remarks, alloc_remarks;
};

struct check_ask {
	double samples; /* of one training, for rates over durations; NAN */
};

/* Check the tables of a file ("-": stdin).
 *
 * set  the results' cases, or NULL
 *
 * Returns 0; -1 with ERROR_SYSTEM or ERROR_INPUT if it cannot be read,
 * ERROR_EMPTY if it has no table. */
int check_read(const struct check_ask *ask, const char *path,
    const struct series_set *set, struct check_report *r, struct error *e);

/* The same of a text; name stands for the file. */
int check_text(const struct check_ask *ask, const char *name, const char *text,
    size_t len, const struct series_set *set, struct check_report *r,
    struct error *e);

struct check_how {
	enum language lang;
	const struct table_format *format;
	enum table_colour colour;
	int flat;  /* for a machine: the place in columns, words of JSON */
	int every; /* cells that follow, too; those without a check, a case */
	int json;  /* as JSON, which has every cell; format is ignored */
};

/* Write the findings: those that do not follow or were not read, and all of
 * them where how->every or how->flat states so. */
void check_write(
    const struct check_report *r, const struct check_how *how, FILE *f);

/* EXIT_STATUS_GATE if a cell does not follow, EXIT_STATUS_EMPTY if none could
 * be checked, else EXIT_STATUS_OK. */
int check_exit_status(const struct check_report *r);

/* Free all. */
void check_release(struct check_report *r);

#endif
