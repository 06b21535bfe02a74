/* Trends of the cases of a history: medians by date, levels between change
 * points, and the confidence in each change.
 *
 *	if (trend_collect(&h, NULL, 0.95, &set, &e) != 0) ...
 *	for (size_t i = 0; i < set.n; i++)
 *		for (size_t k = 0; k < set.items[i].n_changes; k++)
 *			printf("%g\n", set.items[i].changes[k].ratio);
 *	trend_release(&set);
 */
#ifndef REPORT_HISTORY_TREND_H
#define REPORT_HISTORY_TREND_H

#include <stdio.h>

#include "common/series/series.h"
#include "report/history/history_file.h"
#include "report/parts/report_tables.h"

/* A case at one moment: the runs that share date, commit and host. */
struct trend_point {
	const struct history_row *row; /* the first of them */
	size_t moment; /* orders the moments of all trends; equal for the same
			   moment */
	struct result_case c; /* n and the medians of the runs; the runs
				 themselves only if some are in doubt */
	size_t n_doubtful;    /* runs with a flag that puts them in doubt */
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
	int proven; /* p_holm and the interval both exclude chance; -1:
		       unknown */
};

struct trend {
	const struct series *s;         /* that holds its configuration */
	const struct series_point *own; /* its points in the series of charts */
	const struct result_case *c;    /* of its last point */
	struct trend_point *points;     /* by date */
	size_t n_points;
	struct trend_change *changes; /* by place */
	size_t n_changes;
	size_t skipped; /* first points that were not searched, because there
			   are more than CHANGE_POINTS_MAX */
	double correlation; /* of neighbouring points inside the levels
			       that changes of p <= 1 - confidence separate;
			       NAN for few points */
	size_t n_hosts;     /* hosts that took turns and whose differences
			       were taken out; else 0 */
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
	/* Every change, and every trend without one, by trend. */
	struct trend_finding {
		const struct trend *t;
		struct trend_change *c; /* NULL: it has none */
	} * findings;
	size_t n_findings;
	double confidence;
};

/* The trends of the cases of a history, which must outlive them.
 *
 * select      as of struct series_how, or NULL
 * confidence  0 < confidence < 1
 *
 * Rows of one history_identity and device are one case; the device is a label
 * if there are several.
 *
 * Returns 0; -1 with ERROR_EMPTY if there is nothing, or nothing selected, else
 * as series_collect. */
int trend_collect(const struct history *h, const struct opt_list *select,
    double confidence, struct trend_set *out, struct error *e);

/* Free all. */
void trend_release(struct trend_set *set);

/* Name of a point in rows and on axes: its commit, "3f2a1b0", or its day,
 * "2026-11-13". Lives in a. */
const char *trend_point_name(struct arena *a, const struct history_row *row);

/* --- as text (history_text.c) --------------------------------------------- */

/* Write the answer of --history=FILE show, a table with a row per point, where
 * a change is at the first point of the new level; or of when: sentences, or a
 * table for programs with a row per change or trend without one. */
void history_write(
    struct trend_set *set, int when, const struct report_how *how, FILE *f);

/* Make the table of points for people. */
void history_table_make(
    struct trend_set *set, const struct report_how *how, struct table *t);

/* The part of a trend's configuration that differs between trends, and the
 * case. Lives in the set's arena. */
const char *history_trend_name(
    struct trend_set *set, const struct trend *t, enum language lang);

/* A finding as a sentence. Lives in the set's arena. */
const char *history_sentence(
    struct trend_set *set, const struct trend_finding *f, enum language lang);

/* Decimals of a change and its interval in per cent: as many as the interval
 * supports, at most two, but more where needed to show that it excludes 0. */
int history_change_decimals(const struct trend_change *c);

/* --- as a page (history_page.c) ------------------------------------------- */

/* Write the page of --history=FILE show: the changes as sentences, a chart for
 * each trend, the table.
 *
 * Returns 0, or -1 as page_begin. */
int history_page_write(struct trend_set *set, const struct report_how *how,
    FILE *f, struct error *e);

/* --- commands (history_command.c) ----------------------------------------- */

struct history_ask {
	const char *path;                 /* of the history */
	const char *date, *host, *commit; /* as given, or NULL */
	const char *machine;              /* a machine.txt, or NULL */
	int force;                        /* overwrite an edited script */
	const char *size;                 /* of a picture, as plot_results */
	const struct opt_list *select;    /* as of struct series_how */
	double confidence;                /* 0 < confidence < 1 */
	const char *output;               /* a file, "-" or NULL */
	const char *format;               /* as given, or NULL */
	int html;                         /* 1: show is a page */
	int allow_mixed;                  /* 1: add also unlike protocols */
	const struct report_how *how;     /* of tables */
};

/* Run a command: "add R.json...", "remove R.json...", "show", "plot" or "when".
 *
 * Returns 0; -1 with ERROR_USAGE for other operands or an option that the
 * command does not take, else as history_file_open, history_file_add,
 * trend_collect and draw_all. */
int history_command(const struct history_ask *ask, char *const *operands,
    size_t n, struct error *e);

#endif
