/* What a path states about its run: which of its parts only distinguish
 * repetitions (numbers of runs, time stamps, job ids) or only state the shape,
 * and what is left, in which runs of one case must agree.
 */
#ifndef EXTRACT_MEASURE_RUN_PATH_H
#define EXTRACT_MEASURE_RUN_PATH_H

#include <stddef.h>

#include "common/arena.h"
#include "extract/measure/metadata.h"

struct run_path {
	const char *folder; /* "" if nothing is left */
	const char *file;   /* the same, without suffixes (".log.gz") and the
	                       number at its end */
	const char *named;  /* the file with that number */
	long number;        /* -1: there is none */
	int lettered;       /* 1: with an 'r' before it: "r3" */
	const char *run;    /* the folders' ids with '/' between; NULL: none */
};

enum { RUN_PATH_KIND = 16, RUN_PATH_MAX_KINDS = 32 };

/* Kinds of tokens that look like a shape and in some path state another one:
 * "n#" of "N1" in a run on 8 GPUs of 8 nodes. */
struct run_path_kinds {
	char items[RUN_PATH_MAX_KINDS][RUN_PATH_KIND]; /* digits are '#' */
	size_t n;
};

/* Add the kinds of path whose numbers are not those of the known shape.
 * Nothing is added where the GPUs in all are not known, nor for the value of a
 * label ("5G" of a link) or the rest of a number ("2.5G").
 *
 * token  set to the first of them [RUN_PATH_KIND], as printed; unchanged
 *        without one
 *
 * Returns how many were added. */
size_t run_path_find_contrary(struct run_path_kinds *kinds, const char *path,
    const struct metadata *f, char token[RUN_PATH_KIND]);

/* Read a path.
 *
 * f     of its known shape: a part of the path with these numbers alone states
 *       nothing of its own: "4n8g", "gpus8"
 * kept  kinds of such parts that stay in all paths, since in some they state
 *       another shape: otherwise runs would be distinguished by some of them
 *       only; NULL: none
 * a     owns the texts */
void run_path_read(struct run_path *p, const char *path,
    const struct metadata *f, const struct run_path_kinds *kept,
    struct arena *a);

/* True if these are the numbers of repetitions, not values that were varied: at
 * least half of the numbers from the least to the greatest are there, and they
 * are not powers of two alone; or they are numbers of jobs, of four digits and
 * more, and most are not round.
 *
 * numbers  [n] ascending, each once */
int run_path_is_series(const long *numbers, size_t n);

/* What a run without a name is called: its file's name without the last suffix.
 * Lives in a or is part of path. */
const char *run_path_stem(const char *path, struct arena *a);

#endif
