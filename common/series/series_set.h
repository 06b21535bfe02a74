/* What a set of series holds, and how it was asked for; series.h makes it.
 */
#ifndef COMMON_SERIES_SERIES_SET_H
#define COMMON_SERIES_SERIES_SET_H

#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/program/options.h"
#include "common/series/result_set.h"
#include "common/texts/messages.h"

/* Keys of fixed place; labels follow from SERIES_LABELS on. */
enum series_key {
	SERIES_FRAMEWORK,
	SERIES_MODEL,
	SERIES_PRECISION,
	SERIES_BATCH,
	SERIES_GLOBAL_BATCH,
	SERIES_UNIT,   /* with the metric where that is not throughput */
	SERIES_WORK,   /* "samples" or "tokens": what counts the work of an
	                  iteration where the unit leaves that unsaid */
	SERIES_RULE,   /* with its options */
	SERIES_KIND,   /* "measured" or "published" */
	SERIES_SOURCE, /* the file or its label, where that matters */
	SERIES_LABELS,
	SERIES_MAX_KEYS = 64
};

#define SERIES_BIT(key) ((uint64_t)1 << (key))

struct series_point {
	const struct result_file *source;
	size_t index; /* of the case in its result */
	const struct result_case *c;
	const char *text; /* the cell as published, or why there is no number;
	                     NULL: measured */
	const struct result_excluded *failed; /* the run that text is of, which
	                                         failed; NULL: it did not */
};

struct series {
	const char *values[SERIES_MAX_KEYS]; /* NULL: unknown */
	uint64_t known;              /* keys that have a value, as bits */
	struct series_point *points; /* by GPUs, then nodes; unknown last */
	size_t n_points, alloc_points;
};

/* known, differing and partly are what series_set_find_differing() fills in. */
struct series_set {
	struct arena arena;
	const char *keys[SERIES_MAX_KEYS]; /* names, as --select takes them */
	size_t n_keys;
	struct series *items; /* in order of first appearance */
	size_t n, alloc;
	uint64_t differing; /* keys in which the items differ, as bits */
	uint64_t partly;    /* keys that are known of some items only */
};

struct series_how {
	const struct opt_list *select; /* "key=value"; NULL or empty: all.
	                                  Sizes (nodes, gpus, ...) choose
	                                  among cases whose speedups are over
	                                  all of a series */
	int allow_mixed;               /* different rules, metrics, units may be
	                                  in one set */
	int need_gpus;      /* a case with unknown GPU count is an error */
	int by_source;      /* the file is part of each configuration */
	int never_mixed;    /* the caller has no --allow-mixed to advise */
	int with_failed;    /* cases whose runs all failed are points, too */
	enum language lang; /* of what their cells state */
};

#endif
