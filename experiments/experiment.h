/* An experiment of a published report: extraction of its runs, tables, charts
 * and page, and the comparison with the published values.
 */
#ifndef EXPERIMENTS_EXPERIMENT_H
#define EXPERIMENTS_EXPERIMENT_H

#include "common/arena.h"
#include "common/error.h"
#include "trainer/launch/plan.h"
#include "trainer/launch/sweep.h"

struct experiment {
	struct arena arena;     /* of its texts */
	const char *path;       /* of its file */
	const char *name;       /* first part of the files' names */
	const char *log_dir;    /* its own */
	const char *data;       /* for {data} */
	const char *output_dir; /* takes all files */
	char *result;           /* the path of OUTPUT_DIR/NAME_result.json */
	struct sweep sweep;
	struct site site; /* own_dir is searched first for the other programs */
	struct plan plan;
};

/* Make the images of {data} by the experiment's "prepare", if it has one and
 * the folder does not exist. Returns as experiment_evaluate(). */
int experiment_prepare(const struct experiment *x, struct error *e);

/* Extract the logs into x->result, write NAME.md (the tables,
 * on stdout too), NAME_CHART.svg or, without gnuplot, the scripts alone, and
 * NAME.html.  Names of charts and page go to stdout.
 *
 * Returns 0; -1 with ERROR_SYSTEM if a program cannot be run, else by the
 * program's exit status, after the program has printed the reason. */
int experiment_evaluate(const struct experiment *x, struct error *e);

/* Check that the quantities to compare are known.  Returns 0, or -1 with
 * "file:line:col: ...". */
int versus_check(const struct sweep *s, struct error *e);

/* Compare each cell of the reference values with its counterpart here, by
 * ratio, since the hardware differs. The table goes as Markdown to path and as
 * text to stdout.
 *
 * reference  path of the reference values; NULL: there are none, which is
 *            noted, with what differs from the experiment's own plain settings
 *
 * Returns 0; -1 as result_set_read() and outfile_write(). */
int versus_write(const struct experiment *x, const char *reference,
    const char *path, struct error *e);

#endif
