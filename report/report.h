/* The tables of report_results: those of --table, gates, and a published figure
 * against own runs. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdio.h>

#include "common/error.h"
#include "common/program/options.h"
#include "common/result/case_text.h"
#include "common/series/result_comparison.h"
#include "common/series/result_set.h"
#include "common/series/series.h"
#include "report/parts/columns.h"

/* Write the comparison, the gates and the pivot table of how, and the tables
 * of how->tables; scaling if there are none of these.
 *
 * is_page  1: as a page; a comparison is one of them
 *
 * Returns 0; -1 with ERROR_USAGE for an unknown table or, if how->flat,
 * several; ERROR_EMPTY without a row, ERROR_INPUT for a table of speeds of
 * another metric. */
int reports_write(struct series_set *set, const struct report_how *how,
    int is_page, FILE *f, struct error *e);

/* Find a format of --format of another program (benchfmt, bmf,
 * github-action-benchmark, conbench, openmetrics). Returns -1 if there is none
 * of this name, which may be NULL. */
int export_find(const char *name);

/* Write the cases of a set in a format of export_find.
 *
 * Returns 0; -1 with ERROR_EMPTY if no case has a number. */
int export_write(int format, struct series_set *set, FILE *f, struct error *e);

/* --- gates ---------------------------------------------------------------- */

/* Claims that make a pipeline fail where the runs prove them.
 *
 *	struct gate_report g = { .lang = lang, .confidence = NAN };
 *	if (gate_check(&gates, set, NULL, &g, &e) != 0) ...
 *	status = gate_exit_status(&g);
 *	gate_release(&g);
 */

enum gate_status {
	GATE_PASSED,     /* the opposite is proven */
	GATE_NOT_PROVEN, /* neither is */
	GATE_TOO_FEW,    /* too few runs to prove anything */
	GATE_MISSING,    /* the case is in the old result only */
	GATE_FLAGGED,    /* it or its opposite is proven, by runs in doubt */
	GATE_FAILED      /* proven */
};

/* What runs in doubt decide (--gate-flagged): a status of their own, which
 * passes or fails, or what they prove. */
enum gate_flagged { GATE_FLAGGED_WARN, GATE_FLAGGED_FAIL, GATE_FLAGGED_IGNORE };

/* One gate applied to one case. */
struct gate_row {
	const char *gate;  /* as given: "slower:3%" */
	const char *group; /* configuration, or "" */
	const char *name;  /* of the case */
	double value;      /* ratio, efficiency or speedup; NAN */
	double bound;      /* bound of the gate */
	double p;          /* one-sided p of the claim; NAN */
	double p_holm;     /* p by Holm over the gate's cases */
	double p_opposite; /* p of the opposite claim */
	double least_p;    /* smallest p that the runs can reach; NAN without
			      runs */
	const char *over;  /* name of the old result or of the baseline; NULL:
			      unknown */
	const struct series *s; /* point of the case ... */
	const struct series_point
	    *point;      /* ... or of the old result where the new one lacks
			      the case; NULL: no case has the gate's quantity */
	long n, n_other; /* runs of the case, and of the old result or the
			    baseline */
	/* Doubts of both sides, see case_doubts_text() and its marks; "":
	 * none. */
	const char *flags, *marks;
	int in_doubt; /* 1: one of them is of more than precision */
	enum gate_status status;
};

struct gate_report {
	/* Set before gate_check: the level, NAN for that of the results; what
	 * runs in doubt decide; 1 if unproven claims fail too; the language of
	 * names and notes. */
	double confidence;
	enum gate_flagged flagged;
	int fail_unproven;
	enum language lang;
	const struct series_set *set;
	struct gate_row *rows; /* gate by gate */
	size_t n;
	double alpha;            /* claims with p <= alpha are proven */
	int sessions;            /* 1: the runs are sessions */
	size_t n_flagged;        /* rows with that status */
	struct case_flags flags; /* sentences of the marks */
	size_t n_too_few;        /* rows that cannot fail with so few runs */
	/* Only its notes: runs needed where no gate can fail; the level of
	 * proof; how the cases were measured. It owns texts and rows. */
	struct table notes;
};

/* Read the claims, and set compare if one is of a ratio, "slower:3%", which
 * needs a comparison. Returns 0; -1 with ERROR_USAGE. */
int gates_check(const struct opt_list *gates, int *compare, struct error *e);

/* Check all gates.
 *
 * gates  "slower:3%", "efficiency<0.8"
 * c      the comparison, or NULL without gates of ratios
 *
 * A gate fails for a case if p, by Holm over its cases, is at most (1 -
 * confidence) / 2.
 *
 * Returns 0; -1 with ERROR_USAGE for a gate that is none, ERROR_EMPTY if no
 * case has the quantity of any gate. If only some gates have no case, each of
 * these is a row with the status "missing". */
int gate_check(const struct opt_list *gates, struct series_set *set,
    const struct comparison *c, struct gate_report *g, struct error *e);

/* EXIT_STATUS_GATE if a gate failed, EXIT_STATUS_EMPTY if a case is missing,
 * else EXIT_STATUS_OK. */
int gate_exit_status(const struct gate_report *g);

/* Add the table of how->gates to a report. */
void gate_make(const struct report_how *how, struct report_tables *list);

/* Write the gates as "junit", XML with one test per row, or "github", workflow
 * commands (annotations). */
void gate_write(const struct gate_report *g, const char *format, FILE *f);

/* Free all. */
void gate_release(struct gate_report *g);

/* --- reproduction --------------------------------------------------------- */

/* Known files of published figures: *.figures of the installed folder
 * "published" and of the user's (user_folder), in the order of their names.
 *
 * n  set to their number
 *
 * Returns their paths, in a. NULL with ERROR_SYSTEM if the installed ones are
 * missing. */
char **reproduce_known_files(struct arena *a, size_t *n, struct error *e);

/* Compare the published case and the own one that agree in most settings, and
 * whose unit is the same.
 *
 * text         a figure with its settings, "resnet50 fp16 b256 1xH200 7950", or
 *              NULL
 * n_published  number of published files at the start of the set, 0 with text;
 *              of several only cases of the runs' models count
 * set          those files, and those of own runs. If the figure is in %, the
 *              runs' values become their MFU
 * t            filled: the settings that differ, by their usual effect, then
 *              those that one side does not state; notes: the verdict, the
 *              others, the place of the figure
 *
 * Returns 0; -1 with ERROR_USAGE for a text without a figure, ERROR_EMPTY if no
 * own case has the unit. */
int reproduce_compare(const char *text, size_t n_published,
    struct result_set *set, enum language lang, struct table *t,
    struct error *e);

#endif
