/* Histories: results over time, one row per run with date, host, commit and
 * rule, in a SQLite file; and the trends of their cases: medians by date,
 * levels between change points, and the confidence in each change.
 *
 *	struct history_file f;
 *	if (history_file_open("speed.db", HISTORY_READ, &f, &e) != 0 ||
 *	    history_file_read(&f, NULL, &rows, &e) != 0 ||
 *	    trend_collect(&rows, NULL, 0.95, &set, &e) != 0) ...
 *	for (size_t i = 0; i < set.n; i++)
 *		for (size_t k = 0; k < set.items[i].n_changes; k++)
 *			printf("%g\n", set.items[i].changes[k].ratio);
 *
 * Without SQLite the functions of the file are missing. Strings are NULL,
 * numbers RESULT_UNKNOWN or NAN where unknown, as in results.
 */
#ifndef REPORT_HISTORY_HISTORY_H
#define REPORT_HISTORY_HISTORY_H

#include <stdio.h>

#include "common/series/series.h"
#include "report/parts/columns.h"

/* When, where and with which commit something was measured. */
struct history_metadata {
	const char *date;      /* "2026-11-13T08:00:00Z"; never NULL */
	const char *date_from; /* "--date", "machine.txt" or "file", or NULL */
	const char *host, *commit;
};

struct history_row {
	struct history_metadata metadata;
	/* A file stores the options of the rule, the configuration and labels
	 * of the case, and the name, path, values, flags, device and version
	 * of the run. */
	struct result_rule rule;
	struct result_case c;
	struct result_run run;
	const char *file;     /* the result's, when it was added */
	const char *labels;   /* c.labels as {"KEY": "VALUE", ...} */
	const char *log_hash; /* of its log */
	const char *flags;    /* run.flags as {"flags": [...]}; NULL: none */
	const char *key;      /* identity, log and run: see history_rows_of */
	long result;          /* number of the result it was added with */
};

struct history {
	struct arena arena; /* owns all strings */
	struct history_row *rows;
	size_t n, alloc;
};

#define HISTORY_INIT \
	{ \
		ARENA_INIT, NULL, 0, 0 \
	}

/* Append a row whose members are all unknown. */
struct history_row *history_add_row(struct history *h);

/* Free all; h is empty. */
void history_release(struct history *h);

/* Identity of a row's case as text: rule with its options, metric,
 * configuration, labels, unit, but not the device. Lives in a. */
const char *history_identity(struct arena *a, const struct history_row *row);

/* Make the rows of all runs of a result. The key of a row is a hash of
 * identity, log (its hash, else path and number) and run, so that a log
 * extracted again has the same key.
 *
 * metadata  of all of them
 *
 * The rows borrow the strings of both. */
void history_rows_of(const struct result *r,
    const struct history_metadata *metadata, struct history *out);

/* --- the file ------------------------------------------------------------- */

enum history_mode {
	HISTORY_READ, /* the file must exist */
	HISTORY_WRITE /* it is created if necessary, and a transaction begun */
};

enum {
	HISTORY_VERSION = 4,    /* of the tables; see history_file.c */
	HISTORY_WAIT_MS = 60000 /* longest wait for another writer, ms */
};

struct sqlite3;

struct history_file {
	struct sqlite3 *db;
	const char *path; /* borrowed */
};

/* Open a history. Tables of an older version are upgraded in place, in one
 * transaction. Waits for another writer, up to HISTORY_WAIT_MS.
 *
 * Returns 0; -1 with ERROR_SYSTEM if the file cannot be opened or SQLite is not
 * there, ERROR_INPUT if it is damaged, not a database, or of another program or
 * a later version, ERROR_EMPTY for reading a file without tables. */
int history_file_open(const char *path, enum history_mode mode,
    struct history_file *f, struct error *e);

/* Close, and roll back what was not committed. A closed history is ignored. */
void history_file_close(struct history_file *f);

/* Add all rows, or none if it fails or the process is killed. A row that is
 * stored already is skipped; ERROR_INPUT if its value, commit or host differ.
 *
 * file   name of the result file in the history
 * added  number of added rows
 *
 * Returns 0 or -1. */
int history_file_add(struct history_file *f, struct history *rows,
    const char *file, size_t *added, struct error *e);

/* Commit what was added. */
int history_file_commit(struct history_file *f, struct error *e);

/* Read all rows, by date and order of addition.
 *
 * host  only rows of this host; NULL: all
 * out   set on success only */
int history_file_read(struct history_file *f, const char *host,
    struct history *out, struct error *e);

/* --- trends (trend.c) ----------------------------------------------------- */

/* A case at one moment: the runs that share date, commit and host. */
struct trend_point {
	const struct history_row *row; /* the first of them */
	size_t moment; /* orders the moments of all trends; equal for the same
			   moment */
	struct result_case c; /* n and the medians of the runs; the runs
				 themselves only if some are in doubt */
	const struct trend_change *change; /* that begins here, or NULL */
};

/* A change of a case's speed. */
struct trend_change {
	size_t at;     /* first point of the new level */
	size_t before; /* first point of the old level */
	size_t end;    /* one after the last point of the new level */
	double ratio;  /* of speeds, new over old level: Hodges and Lehmann's
	                  over the medians of the points */
	double low, high, level; /* its interval */
	double p;                /* of no change; p and interval allow for the
				    trend's correlation */
	double p_holm;           /* p adjusted over all changes of the set */
	long proven; /* 1: p_holm and the interval both exclude chance */
};

struct trend {
	const struct series *s;      /* that holds its configuration */
	struct series_point *own;    /* its points in the series of charts */
	const struct result_case *c; /* of its last point */
	struct trend_point *points;  /* by date */
	size_t n_points;
	struct trend_change *changes; /* by place */
	size_t n_changes;
	size_t skipped; /* first points that were not searched, because there
			   are more than CHANGE_POINTS_MAX */
	double correlation; /* of neighbouring points inside the levels
			       that changes of p <= 1 - confidence separate;
			       NAN for few points */
	size_t n_hosts;     /* number of alternating hosts whose differences
			       were removed; 0: none */
	int is_time;        /* less is better */
};

struct trend_set {
	struct arena arena;
	struct result_set files;  /* one for each trend */
	struct series_set series; /* of the selected cases */
	/* The selected trends for the chart "history", a series each: the
	 * source of a point is its moment, named by trend_point_name. */
	struct series_set points;
	struct trend *items;
	size_t n;
	double confidence;
};

/* The trends of the cases of a history, which must outlive them.
 *
 * select      as of struct series_how, or NULL
 * confidence  0 < confidence < 1
 *
 * Rows of one history_identity and device are one case; the device is a label.
 *
 * Returns 0; -1 with ERROR_EMPTY if there are no rows or none is selected, else
 * as series_collect. */
int trend_collect(const struct history *h, const struct opt_list *select,
    double confidence, struct trend_set *out, struct error *e);

/* Free all. */
void trend_release(struct trend_set *set);

/* Name of a point in rows and on axes: its commit, "3f2a1b0", or its day,
 * "2026-11-13". Lives in a. */
const char *trend_point_name(struct arena *a, const struct history_row *row);

/* --- commands (history_command.c) ----------------------------------------- */

/* Write the output of --history=FILE show: a table with a row per point, with a
 * change at the first point of its new level. With `when`, write sentences, or
 * for programs a table with a row per change or per trend without one. */
void history_write(
    struct trend_set *set, int when, const struct report_how *how, FILE *f);

struct history_ask {
	const char *path;                 /* of the history */
	const char *date, *host, *commit; /* as given, or NULL */
	int force;                        /* overwrite an edited script */
	const char *size;                 /* of a picture, as plot_results */
	const struct opt_list *select;    /* as of struct series_how */
	double confidence;                /* 0 < confidence < 1 */
	const char *output;               /* a file, "-" or NULL */
	const char *format;               /* as given, or NULL */
	int html;                         /* 1: show is a page */
	const struct report_how *how;     /* of tables */
};

/* Run a command: "add R.json...", "show", "plot" or "when".
 *
 * Returns 0; -1 with ERROR_USAGE for other operands or an option that the
 * command does not take, else as history_file_open, history_file_add,
 * trend_collect and draw_all. */
int history_command(const struct history_ask *ask, char *const *operands,
    size_t n, struct error *e);

#endif
