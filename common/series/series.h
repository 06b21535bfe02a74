/* Cases put into series: a series is what one line of a chart or one column
 * of a table shows, the same configuration at several GPU counts.
 *
 * A configuration is a list of keys and values: framework, model, precision,
 * batch, labels, unit, rule, source.  What is the same everywhere is printed
 * once in a title, what differs in a legend or a head.
 *
 *	struct series_set set;
 *	if (series_collect(&list, &how, &set, &e) != 0) ...
 *	for (size_t i = 0; i < set.n; i++)
 *		puts(series_text(
 *		    &set, &set.items[i], set.differing, LANGUAGE_EN));
 *	series_release(&set);
 */
#ifndef COMMON_SERIES_SERIES_H
#define COMMON_SERIES_SERIES_H

#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/error.h"
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

/* Group the cases of all sources.  The set borrows from the list.
 *
 * Where two files hold the same case, or one has a label, the file becomes
 * part of the configuration; where one file does twice, that is an error.
 * Reference values are alike to every case of their rule's name.  Where a
 * series is from several files, its speedups are computed over all of it.
 *
 * Returns 0; -1 with ERROR_EMPTY if there are no cases or nothing is selected,
 * ERROR_USAGE for a bad selection, ERROR_INPUT for different rules, metrics or
 * units, a case twice, or an unknown GPU count, ERROR_LIMIT for too many label
 * names. */
int series_collect(const struct result_set *l, const struct series_how *how,
    struct series_set *set, struct error *e);

/* What the counted devices of the set are called, by the device that its logs
 * name: "CPU processes", "TPU chips", "NPUs", "GPUs" where they name none, and
 * "devices" where they are of several kinds. */
enum message series_devices(const struct series_set *set);

/* The set's source after last, in the order of the operands: all are members of
 * one array.  last is NULL at first; NULL is returned at the end. */
const struct result_file *series_next_source(
    const struct series_set *set, const struct result_file *last);

enum { SERIES_PLACE_SIZE = ERROR_MESSAGE_SIZE };

/* Where the case of a point stands, for messages: "a.json: cases[3] (4n8g)" or
 * "b.figures:12 (4n8g)".  Returns place. */
const char *series_point_place(
    char place[SERIES_PLACE_SIZE], const struct series_point *p);

/* Free all; the set is empty. */
void series_release(struct series_set *set);

/* The point of the series that c's speedup is over, by its name; NULL: it has
 * none, or that case is not in the series. */
const struct series_point *series_baseline(
    const struct series *s, const struct result_case *c);

/* True if its figures are published ones.  All points are of one kind. */
int series_is_published(const struct series *s);

/* The keys in which the n series differ, as bits.  A rule that is not known
 * differs from none. */
uint64_t series_differing(const struct series *const *list, size_t n);

/* Fill in which keys the items of a set have values of, and in which they
 * differ.  series_collect() has done it; whoever makes a set by hand, or
 * changes its items, does it. */
void series_set_find_differing(struct series_set *set);

/* The values of the keys in mask, joined by ", " ("pytorch, batch 128 per
 * device").  An unknown value is named ("batch unknown") only where it is known
 * in another series of the set, and the known values alone were no text or that
 * of another series.  A rule is named without its options where that sets it
 * apart from the others.  Lives in the set's arena; "" if nothing is left. */
const char *series_text(struct series_set *set, const struct series *s,
    uint64_t mask, enum language lang);

/* The same as the part of a name to which the caller adds a case's: it may be
 * "" where no value is known. */
const char *series_name_part(struct series_set *set, const struct series *s,
    uint64_t mask, enum language lang);

/* The case's name as rows of tables show it: "4n8g", in Chinese by nodes and
 * all GPUs ("4机32卡").  Lives in a. */
const char *series_case_name(
    struct arena *a, const struct result_case *c, enum language lang);

#endif
