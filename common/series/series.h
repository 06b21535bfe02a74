/* Series of cases: one configuration at several GPU counts, shown as a line of
 * a chart or a column of a table.
 *
 * A configuration is a list of keys and values: framework, model, precision,
 * batch, labels, unit, rule, source. Common values are printed once in a title,
 * differing values in a legend or a head.
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

#include "common/alloc.h"
#include "common/error.h"
#include "common/hash_index.h"
#include "common/program/options.h"
#include "common/series/result_set.h"
#include "common/text.h"
#include "common/texts/remark.h"

/* Fixed keys; labels start at SERIES_LABELS. */
enum series_key {
	SERIES_FRAMEWORK,
	SERIES_MODEL,
	SERIES_PRECISION,
	SERIES_BATCH,
	SERIES_GLOBAL_BATCH,
	SERIES_UNIT,   /* with the metric if that is not throughput */
	SERIES_WORK,   /* "samples" or "tokens": unit of an iteration's work, if
	                  the unit does not state it */
	SERIES_RULE,   /* with its options */
	SERIES_KIND,   /* "measured" or "published" */
	SERIES_SOURCE, /* the file or its label, if needed */
	SERIES_LABELS,
	SERIES_MAX_KEYS = 64
};

#define SERIES_BIT(key) ((uint64_t)1 << (key))

struct series_point {
	const struct result_file *source;
	size_t index; /* case index in its result */
	const struct result_case *c;
	const char *text; /* published cell, or why there is no number; NULL:
	                     measured */
	const struct result_excluded *failed; /* the failed run that text
	                                         describes, or NULL */
	double level; /* in a history, median of the points between two changes;
	                 0: none */
};

struct series {
	const char *values[SERIES_MAX_KEYS]; /* NULL: unknown */
	uint64_t known;              /* keys that have a value, as bits */
	struct series_point *points; /* by GPUs, then nodes; unknown last */
	size_t n_points;
};

struct series_set {
	struct arena arena;
	const char *keys[SERIES_MAX_KEYS]; /* names for --select */
	size_t n_keys;
	struct series *items; /* in order of first appearance */
	size_t n;
	uint64_t differing;   /* keys in which items differ, as bits */
	enum message devices; /* counted, named in the logs: "CPU processes",
				 "TPU chips", "NPUs", "GPUs" if none is
				 named, "devices" for several kinds */
	uint64_t partly;      /* keys known for some items only */
};

struct series_how {
	const struct opt_list *select; /* "key=value"; NULL or empty: all. Sizes
	                                  (nodes, gpus, ...) are applied after
	                                  speedups are computed */
	int allow_mixed;               /* allow different rules, metrics and
	                                  units */
	int need_gpus;                 /* reject cases of unknown GPU count, and
	                                  do not suggest --allow-mixed */
	int by_source;      /* make the file part of configurations */
	int with_failed;    /* include cases whose runs all failed */
	enum language lang; /* of the cells' texts */
};

/* Group the cases of all sources.  The set borrows from the list.
 *
 * If two files hold the same case, or a file has a label, the file becomes part
 * of the configuration. A case twice in one file is an error. Reference values
 * match every case of their rule's name. Speedups of a series from several
 * files are computed over the whole series.
 *
 * Returns 0; -1 with ERROR_EMPTY if there are no cases or nothing is selected,
 * ERROR_USAGE for a bad selection, ERROR_INPUT for different rules, metrics or
 * units, a case twice, or an unknown GPU count, ERROR_LIMIT for too many label
 * names. */
int series_collect(const struct result_set *l, const struct series_how *how,
    struct series_set *set, struct error *e);

/* Require that the values of a set are speeds or times, for which speedups
 * exist.
 *
 * what  option that needs it, for the message: "--compare"
 *
 * Returns 0; -1 with ERROR_INPUT, which names the first file with another
 * metric. */
int series_need_speeds(
    const struct series_set *set, const char *what, struct error *e);

/* Iterate over the sources of the set in the order of the operands. last is
 * NULL at first. Returns NULL at the end. */
const struct result_file *series_next_source(
    const struct series_set *set, const struct result_file *last);

enum { SERIES_PLACE_SIZE = ERROR_MESSAGE_SIZE };

/* Format the position of a point's case for messages: "a.json: cases[3] (4n8g)"
 * or "b.figures:12 (4n8g)". Returns place. */
const char *series_point_place(
    char place[SERIES_PLACE_SIZE], const struct series_point *p);

/* Free all series; the set is empty afterwards. */
void series_release(struct series_set *set);

/* The baseline of c's speedup in the series, by name; NULL if c has none or it
 * is not in the series. */
const struct series_point *series_baseline(
    const struct series *s, const struct result_case *c);

/* True if the values are published. All points of a series are of one kind. */
int series_is_published(const struct series *s);

/* The keys in which the n series differ, as bits. An unknown rule equals any
 * rule. */
uint64_t series_differing(const struct series *const *list, size_t n);

/* Set known, differing, partly and devices, as series_collect() does. Call it
 * after changing the items of a set. */
void series_set_find_differing(struct series_set *set);

/* The values of the keys in mask, joined by ", " ("pytorch, batch 128 per
 * device"). If none is known, keys that other series have are named as unknown
 * ("batch unknown"). A rule is named without its options if that is unique.
 * Allocated in the set's arena; "" if there is no value. */
const char *series_text(struct series_set *set, const struct series *s,
    uint64_t mask, enum language lang);

/* As series_text, but "" if no value is known. */
const char *series_name_part(struct series_set *set, const struct series *s,
    uint64_t mask, enum language lang);

/* Name of a case in tables: "4n8g", in Chinese with total GPUs ("4机32卡").
 * Allocated in a. */
const char *series_case_name(
    struct arena *a, const struct result_case *c, enum language lang);

/* Name of a key's column in tables for programs: "batch_size_per_device". */
const char *series_key_column(const struct series_set *set, size_t key);

/* --- grouping and splitting ----------------------------------------------- */

/* True if the values of these keys are the same.  Unknown values are equal.
 *
 * a, b  [SERIES_MAX_KEYS]
 * keys  mask of keys */
static inline int
series_values_same(const char *const *a, const char *const *b, uint64_t keys)
{
	for (size_t k = 0; k < SERIES_MAX_KEYS; k++)
		if ((keys & SERIES_BIT(k)) != 0 && !text_same(a[k], b[k]))
			return 0;
	return 1;
}

/* Hash of the values of these keys; begin as for hash_bytes. Unknown values add
 * nothing, so that new keys do not change earlier hashes. */
static inline uint32_t
series_values_hash(uint32_t begin, const char *const *values, uint64_t keys)
{
	for (size_t k = 0; k < SERIES_MAX_KEYS; k++)
		if ((keys & SERIES_BIT(k)) != 0)
			begin = hash_text(begin, values[k]);
	return begin;
}

/* Order of two cases by GPUs, then nodes; unknown counts come last. If the GPUs
 * are unknown, the cases are ordered by name. 0: the same topology. */
int case_shape_order(const struct result_case *a, const struct result_case *b);

#endif
