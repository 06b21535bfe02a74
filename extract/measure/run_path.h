/* Analysis of the path of a run: parts that only distinguish repetitions (run
 * numbers, time stamps, job ids) or only state the topology are removed; the
 * rest must be equal for all runs of a case.
 */
#ifndef EXTRACT_MEASURE_RUN_PATH_H
#define EXTRACT_MEASURE_RUN_PATH_H

#include <stddef.h>

#include "common/alloc.h"
#include "extract/measure/metadata.h"

struct run_path {
	const char *folder; /* "" if all was removed */
	const char *file;   /* without suffixes (".log.gz") and the number at
	                       its end */
	const char *named;  /* file, with that number */
	long number;        /* -1: none */
	int lettered;       /* 1: an 'r' precedes it: "r3" */
	const char *run;    /* ids of the folders, joined by '/'; or NULL */
};

enum { RUN_PATH_KIND = 16, RUN_PATH_MAX_KINDS = 32 };

/* Kinds of tokens that look like a topology but contradict it in some path:
 * "n#" for "N1" in a run on 8 GPUs of 8 nodes. */
struct run_path_kinds {
	char items[RUN_PATH_MAX_KINDS][RUN_PATH_KIND]; /* digits are '#' */
	size_t n;
};

/* Add the kinds of tokens of path that contradict the known topology. Nothing
 * is added if the total of GPUs is unknown, nor for label values ("5G" of a
 * link) or the fraction of a number ("2.5G").
 *
 * token  [RUN_PATH_KIND] set to the first of them as printed; unchanged if
 *        there is none
 *
 * Returns the number added. */
size_t run_path_find_contrary(struct run_path_kinds *kinds, const char *path,
    const struct metadata *f, char token[RUN_PATH_KIND]);

/* Read a path.
 *
 * f     the known topology; parts of the path that only repeat it are removed:
 *       "4n8g", "gpus8"
 * kept  kinds of such parts that are kept in all paths, since they contradict
 *       the topology in some; NULL: none
 * a     owns the texts */
void run_path_read(struct run_path *p, const char *path,
    const struct metadata *f, const struct run_path_kinds *kept,
    struct arena *a);

/* True if the numbers count repetitions and are not values of a parameter: at
 * least half of the range is present, and not all are powers of two; or they
 * are job numbers of four or more digits, most of them not round.
 *
 * numbers  [n] ascending, each once */
int run_path_is_series(const long *numbers, size_t n);

/* Default name of a run: its file name without the last suffix. Allocated in a
 * or part of path. */
const char *run_path_stem(const char *path, struct arena *a);

#endif
