/* What ends an experiment: its runs extracted, and from the result its tables,
 * its charts and its page, by the programs of this project.
 */
#ifndef EXPERIMENTS_EVALUATION_H
#define EXPERIMENTS_EVALUATION_H

#include "common/error.h"
#include "trainer/launch/sweep.h"

struct evaluation {
	const struct sweep *sweep;
	const char *own_dir;    /* where the other programs are looked for
	                           first; NULL: nowhere */
	const char *name;       /* of the experiment: first part of the files */
	const char *log_dir;    /* the experiment's own */
	const char *output_dir; /* takes all files */
	const char *data;       /* for {data}; NULL: none */
};

/* Extract the logs into OUTPUT_DIR/NAME_result.json, write NAME.md (the tables,
 * on stdout too), NAME_CHART.svg or, without gnuplot, the scripts alone, and
 * NAME.html.  Names of charts and page go to stdout.
 *
 * Returns 0; -1 with ERROR_SYSTEM if a program cannot be run, else with its
 * exit status's kind after it has stated itself why. */
int evaluation_make(const struct evaluation *v, struct error *e);

/* The path of the result.  Free with free(). */
char *evaluation_result(const struct evaluation *v);

/* Make the images of {data} by the experiment's "prepare", unless the folder is
 * there; nothing where the experiment has none.  Returns as evaluation_make().
 */
int evaluation_prepare(const struct evaluation *v, struct error *e);

#endif
