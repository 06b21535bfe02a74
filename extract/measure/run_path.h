/* What a path says of its run: which of its parts only tell one repetition from
 * another (numbers of runs, time stamps, job ids) or only state the shape, and
 * what is left, in which runs of one case must agree.
 */
#ifndef EXTRACT_MEASURE_RUN_PATH_H
#define EXTRACT_MEASURE_RUN_PATH_H

#include <stddef.h>

#include "common/arena.h"

/* Nodes, GPUs per node, GPUs; below 1: not known. */
enum { RUN_PATH_SHAPE = 3 };

struct run_path {
	const char *folder; /* "" if nothing is left */
	const char *file;   /* the same, without suffixes (".log.gz") and the
	                       number at its end */
	const char *named;  /* the file with that number */
	long number;        /* -1: there is none */
	const char *run;    /* the folders' ids with '/' between; NULL: none */
};

/* Read a path.
 *
 * shape  known numbers; a part of the path that only states these says nothing
 *        of its own: "4n8g", "gpus8"
 * a      owns the texts */
void run_path_read(struct run_path *p, const char *path,
    const long shape[RUN_PATH_SHAPE], struct arena *a);

/* Are these the numbers of repetitions, and not values that were varied?  At
 * least half of the numbers from the least to the greatest are there, and they
 * are not powers of two alone.
 *
 * numbers  [n] ascending, each once */
int run_path_is_series(const long *numbers, size_t n);

#endif
