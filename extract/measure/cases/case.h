/* Groups runs into cases and computes speedups of cases (doc/measurement.md,
 * "Cases").
 *
 *	case_label_runs(runs, n, 0, &arena, &notes);
 *	... without those whose refused.why has a code ...
 *	struct case_options o = { .confidence = 0.95 };
 *	cases_make(runs, n, &o, &result, &notes, &e);
 */
#ifndef EXTRACT_MEASURE_CASES_CASE_H
#define EXTRACT_MEASURE_CASES_CASE_H

#include <stddef.h>

#include "common/alloc.h"
#include "common/error.h"
#include "common/result/result.h"
#include "extract/log/log.h"
#include "extract/measure/measure_run.h"
#include "extract/measure/metadata.h"

/* A measured run, to be grouped into cases. */
struct case_run {
	struct measured measured;
	struct metadata metadata;
	size_t order;         /* position in the input */
	const char *where;    /* distinguishing part of its path: see
	                         log_file.below */
	const char *source;   /* last part of the operand that it comes from, or
	                         the path of a result; NULL: unknown */
	const char *settings; /* from stated_settings_text; NULL: unknown */
	const char *hash;     /* of its logs' bytes, or NULL */
	struct exclusion refused; /* set by case_label_runs: reason for
	                             exclusion, or REMARK_NONE */
};

/* Order of the keys that a case shares with its baseline: framework, model,
 * precision, batch per device, labels, rule, unit, unit of work.  Units that
 * are alike compare equal: images are samples.
 *
 * strong  1: excluding the batch per device */
int case_compare_groups(
    const struct case_run *a, const struct case_run *b, int strong);

/* Order by numbers of GPUs and nodes, then batch per device. */
int case_compare_shapes(const struct case_run *a, const struct case_run *b);

/* Excluded run with unknown case. */
struct result_excluded excluded_run(const char *path, const struct remark *why);

/* Options of the comparison. */
struct case_options {
	const char *baseline; /* name of a case ("1n4g"), or NULL */
	double confidence;    /* 0 < confidence < 1 */
	const char *score;    /* see struct result_case */
	int strong;           /* 1: group by global batch, not batch per
	                         device */
	int any_scaling;      /* 1: as with strong if all logs state one global
	                         batch and differ in the batch per device */
	int allow_mixed;      /* 1: compare cases of different rules */
};

/* Messages for stderr, in order; allocated in the result's arena. */
struct case_notes {
	const char **items;
	size_t n;
};

/* Add a message. */
void case_note(struct case_notes *notes, struct arena *a, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* --- Labels (case_label.c) -------------------------------------------------*/

/* Label runs and exclude invalid ones.  If runs of one configuration differ in
 * varied settings, device or folder, the difference becomes a label, so that
 * one median never mixes them silently.
 *
 * runs    [n]; labels are added to metadata. refused is set if a run is a copy
 *         of another, has the name of another in the same case, or has a short
 *         log while others have the whole window
 * strong  1: compare cases regardless of their batch per device
 * a       allocates new strings
 * notes   messages about runs of several folders and about unknown metadata */
void case_label_runs(struct case_run **runs, size_t n, int strong,
    struct arena *a, struct case_notes *notes);

/* True if both names are of the same kind of device.  This includes slices of a
 * TPU, names that nvidia-smi truncated, and NULL (unknown) with any name. */
int case_same_device(const char *x, const char *y);

/* --- Settings that differ (case_settings.c) -------------------------------*/

/* A run of a group of comparable cases. */
struct settings_row {
	const char *text;  /* from stated_settings_text; NULL: unknown */
	size_t set;        /* runs of a set would share a case */
	const char *value; /* out: value stated by the run, or NULL */
};

/* Find a setting that differs within a set, and fill in its values.  If several
 * divide the runs in the same way, the one with the shortest name is chosen.  A
 * setting that would leave almost every run alone is a sweep and is not used.
 *
 * rows  [n] of one group
 *
 * Returns the shortest unique name as the label; NULL: no such setting. */
const char *case_settings_split(
    struct settings_row *rows, size_t n, struct arena *a);

/* Differences that remain within a case: "lr (5 values), wd (2 values)"; NULL:
 * none. */
const char *case_settings_differences(
    struct settings_row *rows, size_t n, struct arena *a);

/* --- Cases -----------------------------------------------------------------*/

/* Fill r->cases and r->rule.scaling from n runs: one case per configuration, in
 * natural order of framework, model, precision, batch, labels and GPUs; runs in
 * natural order of their names.
 *
 * runs   [n] pointers into one array, in its order; borrowed, after
 *        case_label_runs; their strings must outlive r
 * notes  messages for users: few runs, a baseline chosen by default
 *
 * Returns 0, or -1 with ERROR_USAGE if no case is named o->baseline. */
int cases_make(const struct case_run *const *runs, size_t n,
    const struct case_options *options, struct result *r,
    struct case_notes *notes, struct error *e);

/* Test if values form two groups, with a largest gap that is wide compared with
 * the spread on either side.  Fewer than 1 % of cases of similar runs do.
 *
 * v  [n] ascending
 *
 * Returns the size of the lower group; 0: only one group. */
size_t case_two_groups(const double *v, size_t n);

/* For times to train: count the failed runs in the folders of a case.  One
 * failed run counts as the slowest, which the olympic mean drops; with more,
 * the case has no valid time (MLPerf training rules).  Flags the runs of the
 * case.  Call after cases_make, when r->excluded is known. */
void cases_count_failed(struct result *r);

/* The case's name: "4n8g", "8g" if the nodes are unknown, or "unknown". */
const char *case_name(const struct metadata *f, struct arena *a);

/* A description with the known parts: "resnet50 fp32 b128 4n8g". */
const char *case_describe(const struct result_case *c, struct arena *a);

#endif
