/* Gates: what a pipeline fails on, and only where the runs prove it.
 *
 *	struct gate_report g;
 *	if (gate_check(&ask, set, comparison, &g, &e) != 0) ...
 *	status = gate_exit_status(&g, fail_unproven);
 *	gate_release(&g);
 */
#ifndef REPORT_GATE_H
#define REPORT_GATE_H

#include <stdio.h>

#include "common/error.h"
#include "common/program/options.h"
#include "common/series/result_comparison.h"
#include "common/series/series.h"
#include "report/parts/report_tables.h"

enum gate_status {
	GATE_PASSED,     /* the opposite is proven */
	GATE_NOT_PROVEN, /* neither is */
	GATE_TOO_FEW,    /* runs: nothing could be proven */
	GATE_MISSING,    /* the case is in the old result only */
	GATE_FAILED      /* proven */
};

/* One gate of one case. */
struct gate_row {
	const char *gate;  /* as given: "slower:3%" */
	const char *group; /* configuration, or "" */
	const char *name;  /* of the case */
	double value;      /* ratio, efficiency or speedup; NAN */
	double bound;      /* what the gate compares it with */
	double p;          /* one-sided, of the gate's claim; NAN */
	double p_holm;     /* adjusted over the gate's cases */
	double p_opposite; /* of the opposite */
	double least_p;    /* that its runs can reach; NAN without runs */
	const char *over;  /* what its value is over: the old result's name, or
	                      the baseline's; NULL: unknown */
	const struct series *s; /* of the case ... */
	const struct series_point
	    *point;        /* ... or, where it is missing, of what
	                                 the old result has of it; NULL: no
	                                 case has what the gate asks for */
	size_t n, n_other; /* runs of the case, and of what it is over: the old
	                      one, or the baseline */
	enum gate_status status;
};

struct gate_report {
	struct arena arena;
	struct gate_row *rows; /* gate by gate */
	size_t n, alloc;
	double alpha;      /* a p at or below it is proof */
	double confidence; /* 1 - 2 alpha */
	enum language lang;
	const char *
	    *notes; /* what it would take, where failing is impossible; what
	               proof is; how the cases were measured */
	size_t n_notes, alloc_notes;
};

struct gate_ask {
	const struct opt_list *gates; /* "slower:3%", "efficiency<0.8" */
	double confidence;            /* NAN: that of the results */
	enum language lang;           /* of names and notes */
};

/* Check all gates.
 *
 * c  the comparison, or NULL: then only efficiency and speedup can be asked for
 *
 * A gate fails for a case if p, by Holm over its cases, is at most (1 -
 * confidence) / 2.
 *
 * Returns 0; -1 with ERROR_USAGE for a gate that is none, ERROR_EMPTY if no
 * case has what any of them asks for.  Where others have their cases, a gate
 * without any is a row that is missing. */
int gate_check(const struct gate_ask *ask, struct series_set *set,
    const struct comparison *c, struct gate_report *out, struct error *e);

/* True if the row fails the run.
 *
 * fail_unproven  1: what is not proven, or cannot be, fails too */
int gate_is_failure(const struct gate_row *row, int fail_unproven);

/* EXIT_STATUS_GATE if a gate failed, EXIT_STATUS_EMPTY if a case is missing,
 * else EXIT_STATUS_OK. */
int gate_exit_status(const struct gate_report *g, int fail_unproven);

/* Add its table. */
void gate_make(const struct gate_report *g, const struct report_how *how,
    struct report_tables *list);

/* As JUnit's XML: a test a row. */
void gate_write_junit(const struct gate_report *g, int fail_unproven, FILE *f);

/* As commands that GitHub's runner shows next to a change. */
void gate_write_github(const struct gate_report *g, int fail_unproven, FILE *f);

/* Free all. */
void gate_release(struct gate_report *g);

#endif
