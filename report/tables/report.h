/* The parts of report_results: its tables, the formats of other programs,
 * gates, and a published figure against own runs.
 *
 * A new kind of table is a file in tables/ with a report_maker, its declaration
 * here, and a row of reports[] in main.c.
 */
#ifndef REPORT_TABLES_REPORT_H
#define REPORT_TABLES_REPORT_H

#include <stdio.h>

#include "common/error.h"
#include "common/result/case_text.h"
#include "common/series/result_comparison.h"
#include "common/series/result_set.h"
#include "common/series/series.h"
#include "report/parts/columns.h"

struct opt_list;

/* Add tables of a set to a list. */
typedef void report_maker(struct series_set *set, const struct report_how *how,
    struct report_tables *list);

report_maker comparison_make, collectives_make, law_make, phases_make;

/* Scaling laws of speeds over device counts. */
enum scaling_fit_law {
	SCALING_AMDAHL,    /* X = l n / (1 + s (n - 1)) */
	SCALING_GUSTAFSON, /* X = l (n - s (n - 1)) */
	SCALING_USL,       /* X = l n / (1 + s (n - 1) + k n (n - 1)) */
	N_SCALING_FITS
};

struct scaling_fit {
	int sizes; /* number of distinct n */
	/* l, in the unit of the speeds, s, and k, which is 0 except for USL;
	 * standard error and half the width of the interval of
	 * DEFAULT_CONFIDENCE, both NAN if held at 0. */
	struct scaling_parameter {
		double x, error, half;
	} of[3];
	double residual; /* standard deviation of ln X around the law */
	double aic;      /* Akaike's, to compare laws of one series */
	double peak;     /* n of the highest speed; INFINITY: no maximum */
	double reach;    /* largest n whose efficiency, speed / (l n), is at
	                    least DEFAULT_LAW_EFFICIENCY; INFINITY: any */
};

/* Fit a law to n and speed [count], all > 0, by least squares of ln X with l
 * free and s, k >= 0. Speeds are fitted because speedups share the noise of
 * their baseline.
 *
 * Returns 0; -1 for too few sizes, values out of range, or a fit that does not
 * converge; out then holds sizes.
 * Source: Amdahl 1967, AFIPS 30; Gustafson 1988, CACM 31(5); Gunther 2007,
 * Guerrilla Capacity Planning; Gauss-Newton with halved steps. */
int scaling_fit(enum scaling_fit_law law, const double *n, const double *speed,
    size_t count, struct scaling_fit *out);

/* A kind of table with one row per case. */
struct case_table {
	const struct column *columns;
	int of_series; /* 1: a table for each series; 0: for each panel */
	int of_times;  /* 1: labels are columns, and cases without times are
			  omitted; 0: labels name groups of rows */
};

extern const struct case_table scaling_table, speedup_table, times_table,
    dlperf_table;

/* Add a table for each series or panel (kind->of_series) with a case to show;
 * if how->flat, one table for all, of scaling_table if kind->of_series. */
void case_tables_make(struct series_set *set, const struct case_table *kind,
    const struct report_how *how, struct report_tables *list);

/* Columns of a case; they read how, arena, panel, s, p, c and flags. */
extern const struct column case_columns[];

/* Note which runs are sessions, and the rows whose old and new runs do not take
 * turns. */
void compare_note_order(struct table *t, struct series_set *set,
    const struct comparison *c, enum language lang);

/* Name of a row's series: its configuration without the file; "" if there is
 * only one. Lives in the set's arena. */
const char *compare_row_group(struct series_set *set,
    const struct comparison_row *row, enum language lang);

/* The case of a row: that of the new result, or of the old if it has none. */
const struct result_case *compare_row_case(const struct comparison_row *row);

/* Add the table of how->comparison. */
report_maker compare_make;

/* --- pivot tables --------------------------------------------------------- */

/* Add a table whose rows and columns are the values of how's keys
 * "framework,batch", with the numbers "median,speedup" in its cells; a table
 * per combination of the keys that are neither rows nor columns; if flat, one
 * table with these keys as first columns. Keys that are NULL or "" are nodes
 * and gpus, or framework; numbers that are NULL are the median.
 *
 * Returns 0; -1 with ERROR_USAGE for a key or a number that does not exist, is
 * named twice or on both sides, ERROR_INPUT if two cases share a cell. */
int pivot_make(struct series_set *set, const struct report_how *how,
    struct report_tables *list, struct error *e);

/* Sort the cases within each series by "median", "speedup", "efficiency", "n",
 * "nodes" or "gpus", descending with a '-' in front; unknown values last.
 * Returns 0; -1 with ERROR_USAGE for another key. */
int pivot_sort(struct series_set *set, const char *by, struct error *e);

/* --- the environment ------------------------------------------------------ */

/* The table of the environment of measurements: hardware, software, date.
 * Sources are this machine, files of lines "key: value" such as run_sweep's
 * machine.txt, and results with what their logs stated. */

/* Fill an empty table: one row per item, one column per source.
 *
 * paths  [n] results, extracted folders of logs, and files of lines; n = 0:
 *        this machine is described
 * how    only lang and flat are used
 *
 * Returns 0; -1 with ERROR_SYSTEM or ERROR_INPUT for a file that cannot be read
 * or holds neither. */
int environment_make(char *const *paths, size_t n, const struct report_how *how,
    struct table *t, struct error *e);

/* As environment_make, for the sources of a set and the machine.txt next to
 * each, if it is one. */
void environment_of_set(const struct series_set *set,
    const struct report_how *how, struct table *t);

/* Path of the machine.txt next to a file or in a folder, or NULL. Free with
 * free(). */
char *environment_machine_next_to(const char *path);

/* --- formats of other programs -------------------------------------------- */

/* Find a format of --format of another program (benchfmt, bmf,
 * github-action-benchmark, conbench, openmetrics). Returns -1 if there is none
 * of this name, which may be NULL. */
int export_find(const char *name);

/* Write the cases of a set in a format of export_find.
 *
 * Returns 0; -1 with ERROR_EMPTY if no case has a number. */
int export_write(int format, struct series_set *set, FILE *f, struct error *e);

/* --- gates ---------------------------------------------------------------- */

/* Gates: claims that make a pipeline fail if the runs prove them. */

enum gate_status {
	GATE_PASSED,     /* the opposite is proven */
	GATE_NOT_PROVEN, /* neither the claim nor its opposite is proven */
	GATE_TOO_FEW,    /* too few runs to prove anything */
	GATE_MISSING,    /* the case is in the old result only */
	GATE_FLAGGED,    /* claim or opposite proven, by runs in doubt */
	GATE_FAILED      /* the claim is proven */
};

/* Effect of runs in doubt (--gate-flagged): GATE_FLAGGED, which passes (WARN)
 * or fails (FAIL), or the same as that of other runs (IGNORE). */
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
	int in_doubt; /* 1: one of them concerns more than the precision */
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
 * Returns 0; -1 with ERROR_USAGE for an invalid gate, ERROR_EMPTY if no case
 * has the quantity of any gate. If only some gates have no case, each of these
 * is a row with the status "missing". */
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

/* List the files of published figures: *.figures in the installed folder
 * "published" and in the user's (user_folder), in the order of their names.
 *
 * n  set to their number
 *
 * Returns their paths, allocated in a; NULL with ERROR_SYSTEM if the installed
 * files are missing. */
char **reproduce_known_files(struct arena *a, size_t *n, struct error *e);

/* Compare the published case and the own case with the same unit that agree in
 * the most settings.
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

/* --- sessions ------------------------------------------------------------- */

/* Sessions are runs that were made together and so share a state of the
 * machine. Runs that began on one host within one job, or within an hour of the
 * first of them, are a session; an unknown host may be any. Their noise is
 * common, so the number of independent values of a case is that of its sessions
 * (doc/measurement.md, "Sessions"). */

enum { SESSION_SECONDS = 3600 }; /* longest time from its first run */

/* Number the sessions of all runs of all results, from 1 (session.number). Runs
 * whose log states neither time nor job keep 0. */
void sessions_find(struct result_set *files);

/* Check whether all runs of one case began before all runs of the other, in
 * other sessions, or the cases ran on different hosts: noise that sessions
 * share then looks like a difference of the cases.
 *
 * first, second  names of the cases' results in the remark
 *
 * Returns REMARK_RUNS_IN_BLOCKS or REMARK_DIFFERENT_HOSTS; REMARK_NONE if not,
 * or if it is unknown for any run. Numbers are those of sessions_find. */
struct remark sessions_order(const struct result_case *a,
    const struct result_case *b, const char *first, const char *second);

/* Replace the runs of each case by one run per session, the median of its runs,
 * and recompute all statistics and speedups of the cases. The new run has the
 * session's number as name, and the flags of the session's runs.
 *
 * confidence  of the intervals; NAN: that of each result
 *
 * Returns 0; -1 with ERROR_INPUT if the session of a run is unknown. */
int sessions_replace_runs(
    struct result_set *files, double confidence, struct error *e);

#endif
