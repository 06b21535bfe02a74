/* An experiment of a published report, and the comparison of its results with
 * the published values. */
#ifndef EXPERIMENTS_EXPERIMENT_H
#define EXPERIMENTS_EXPERIMENT_H

#include "common/arena.h"
#include "common/error.h"
#include "trainer/launch/plan.h"
#include "trainer/launch/sweep.h"

struct experiment {
	struct arena arena;  /* of its texts */
	const char *path;    /* of its file */
	const char *name;    /* first part of the files' names */
	const char *log_dir; /* its own */
	const char *data;    /* for {data} */
	char *result;        /* the path of OUTPUT_DIR/NAME_result.json */
	struct sweep sweep;
	struct site site; /* own_dir is searched first for the other programs */
	struct plan plan;
};

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
