/* Runs into cases, cases into speedups (doc/measurement.md, "Cases").
 *
 *	case_label_runs(runs, n, 0, &arena, &notes);
 *	... without those whose refused.why has a code ...
 *	struct case_options o = { .confidence = 0.95 };
 *	cases_make(runs, n, &o, &result, &notes, &e);
 */
#ifndef EXTRACT_MEASURE_CASES_CASE_H
#define EXTRACT_MEASURE_CASES_CASE_H

#include <stddef.h>

#include "common/arena.h"
#include "common/error.h"
#include "common/result/result.h"
#include "extract/log/exclusion.h"
#include "extract/measure/measure_run.h"
#include "extract/measure/metadata.h"

/* A run that counts. */
struct case_run {
	struct measured measured;
	struct metadata metadata;
	size_t order;         /* among the runs of the input */
	const char *rule;     /* in parts: the name of measured.kind */
	const char *where;    /* what in its path distinguishes it: see
	                      log_file.below */
	const char *source;   /* the operand it is of, by its last part; NULL:
	                       not known */
	const char *settings; /* stated_settings_text's, or NULL: not known */
	const char *hash;     /* of its logs' bytes, or NULL */
	struct exclusion refused; /* by case_label_runs: why it does not
	                             count, or REMARK_NONE */
};

/* What a case of that run has as work_unit (see result.h). */
const char *case_work_unit(const struct measured *m);

/* Order of what cases of one baseline share: framework, model, precision, batch
 * per device, labels, rule, unit, unit of work.  Images are samples: units that
 * are alike are equal.
 *
 * strong  1: but the batch per device */
int case_compare_groups(
    const struct case_run *a, const struct case_run *b, int strong);

/* Order of the numbers of GPUs and nodes, and of the batch per device. */
int case_compare_shapes(const struct case_run *a, const struct case_run *b);

/* How cases are compared. */
struct case_options {
	const char *baseline; /* name of a case ("1n4g"), or NULL */
	double confidence;    /* 0 < confidence < 1 */
	int strong;           /* 1: group by global batch, not batch per
	                         device */
	int allow_mixed;      /* 1: compare cases of different rules */
};

/* Sentences for stderr, in order; they live in the result's arena. */
struct case_notes {
	const char **items;
	size_t n, alloc;
};

/* Add a sentence. */
void case_note(struct case_notes *notes, struct arena *a, const char *fmt, ...)
    PRINTF_LIKE(3, 4);
void case_notes_release(struct case_notes *notes);

/* --- What sets runs apart (case_label.c) -----------------------------------*/

/* Label runs, and refuse those that cannot count: where runs of one
 * configuration differ in what was varied, in their device or in their folder,
 * that becomes a label, so that nothing is put into one median in silence.
 *
 * runs    [n]; labels are added to metadata, refused is set where a run is a
 *         copy of another, has another's name in the same case, or is of a
 *         short log where others have the whole window
 * strong  1: cases are compared whatever their batch per device
 * a       where new strings live
 * notes   what became of runs of several folders, and of unknown metadata */
void case_label_runs(struct case_run **runs, size_t n, int strong,
    struct arena *a, struct case_notes *notes);

/* True if both names are of one kind of device.  Slices of a TPU are, and names
 * that nvidia-smi cut short; so is every name and NULL, unknown. */
int case_same_device(const char *x, const char *y);

/* --- Which case another is compared with (case_baseline.c) -----------------*/

struct baseline_index;

/* Get ready to look baselines up among the cases of a result, whose labels and
 * medians are known.  Both live longer; the caller frees it. */
struct baseline_index *baseline_index_new(
    const struct result *r, const struct case_options *o);
void baseline_index_free(struct baseline_index *x);

/* The baseline of a case of that result: of those that may be, or are called
 * o->baseline, the one of fewest GPUs, then of its own rule, then of fewest
 * nodes; itself, if there is no other.
 *
 * run  one of the case
 *
 * Returns NULL where its GPUs are unknown, none is called so, or its batch is
 * unknown where scaling is strong. */
const struct result_case *baseline_index_find(const struct baseline_index *x,
    const struct result_case *c, const struct case_run *run);

/* --- Cases -----------------------------------------------------------------*/

/* Fill r->cases from n runs: a case for each configuration, in natural order of
 * framework, model, precision, batch, labels and GPUs; runs in natural order of
 * their names.
 *
 * runs   [n] of one array, in its order; borrowed, as case_label_runs leaves
 *        them; their strings must live as long as r
 * notes  what people should know: few runs, a baseline that was not asked for
 *
 * Returns 0, or -1 with ERROR_USAGE if no case is called o->baseline. */
int cases_make(const struct case_run *const *runs, size_t n,
    const struct case_options *o, struct result *r, struct case_notes *notes,
    struct error *e);

/* Flag the runs of a case of five or more that lie over 14.8 median distances
 * from its median, which is known. */
void case_flag_outliers(struct result_case *c, struct arena *a);

/* Do values form two groups: is the largest gap wide against the spread on
 * either side?  Of alike runs less than 1 % do.
 *
 * v  [n] ascending
 *
 * Returns how many are of the lower one, 0: they are one. */
size_t case_two_groups(const double *v, size_t n);

/* Flag the runs of a case that form two groups. */
void case_flag_groups(struct result_case *c, struct arena *a);

/* Of times to train: let the runs in a case's folders that failed count.  One
 * is the slowest, which the olympic mean drops; with more there is no valid
 * time (MLPerf training rules).  The runs of the case are flagged.  After
 * cases_make, when r->excluded is known. */
void cases_count_failed(struct result *r);

/* The case's name: "4n8g", "8g" where the nodes are unknown, "unknown". */
const char *case_name(const struct metadata *f, struct arena *a);

/* What sets a case apart: "resnet50 fp32 b128 4n8g" with the parts that are
 * known. */
const char *case_describe(const struct result_case *c, struct arena *a);

#endif
