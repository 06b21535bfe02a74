/* Check a published table against its own numbers and against results.
 *
 * Each cell that others determine is recomputed from the printed digits:
 * operands are intervals of all values that round to them, and a cell follows
 * if the result can round to it or be cut to it.
 *
 *	struct check_report r;
 *	if (check_read(NAN, "README.md", &set, &r, &e) != 0) ...
 *	check_write(&r, &how, 0, f);
 *	status = check_exit_status(&r);
 *	check_release(&r);
 */
#ifndef REPORT_CHECK_CHECK_H
#define REPORT_CHECK_CHECK_H

#include <stdio.h>

#include "common/alloc.h"
#include "common/error.h"
#include "common/published/published.h"
#include "common/series/series.h"
#include "report/parts/columns.h"

enum check_verdict {
	CHECK_FOLLOWS,     /* rounds to what was printed */
	CHECK_CUT,         /* its digits were cut, or those of an operand */
	CHECK_DIFFERS,     /* neither */
	CHECK_MALFORMED,   /* not a number */
	CHECK_UNREAD,      /* not parsed; nothing is claimed */
	CHECK_NO_CASE,     /* the results have no such case */
	CHECK_SEVERAL,     /* several matching cases; --select chooses */
	CHECK_NO_BASELINE, /* nothing to compute it from */
	CHECK_N_VERDICTS
};

/* One check of one cell. */
struct check_finding {
	enum check_verdict verdict;
	long line, col;
	const char *row, *column; /* "4n8g", "speedup" */
	const char *printed;
	const char *expected; /* in the same number of digits, or NULL */
	struct remark why;    /* "11331.93 / 392.24", or what is wrong */
	/* During the check of a recomputed number: its cell, the two cells
	 * whose quotient it is (or NULL), and its bounds in the base unit. */
	const struct published_cell *cell, *over, *under;
	double low, high;
};

/* A remark on how a table was interpreted. */
struct check_remark {
	long line; /* of the table */
	struct remark remark;
};

struct check_report {
	struct arena arena;
	const char *file;
	struct check_finding *findings; /* in the order of the file */
	size_t n;
	size_t counts[CHECK_N_VERDICTS];
	size_t n_tables; /* tables with cells to check */
	struct check_remark *remarks;
	size_t n_remarks;
};

/* Check the tables of a file ("-": stdin).
 *
 * samples  of one training, for rates from durations; NAN: unknown
 * set      the results' cases, or NULL
 *
 * Returns 0; -1 with ERROR_SYSTEM or ERROR_INPUT if it cannot be read,
 * ERROR_EMPTY if it has no table. */
int check_read(double samples, const char *path, const struct series_set *set,
    struct check_report *r, struct error *e);

/* The same for a text in memory; name is used as file name in findings. */
int check_text(double samples, const char *name, const char *text, size_t len,
    const struct series_set *set, struct check_report *r, struct error *e);

/* Write the findings: cells that fail or were not parsed; all cells if every is
 * set or how->flat, with the codes of verdicts and reasons. */
void check_write(const struct check_report *r, const struct report_how *how,
    int every, FILE *f);

/* EXIT_STATUS_GATE if a cell does not follow, EXIT_STATUS_EMPTY if none could
 * be checked, else EXIT_STATUS_OK. */
int check_exit_status(const struct check_report *r);

/* Free all. */
void check_release(struct check_report *r);

#endif
