/* What cases are made of: a run that was measured, its order among others, and
 * the notes that come up on the way; and what was asked for.  case_label.c sets
 * runs apart, then case.c makes cases of them.
 */
#ifndef EXTRACT_MEASURE_CASES_CASE_RUN_H
#define EXTRACT_MEASURE_CASES_CASE_RUN_H

#include <stddef.h>

#include "common/arena.h"
#include "common/error.h"
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

/* Order of framework, model, precision, batch per device and labels.
 *
 * strong  1: but the batch per device */
int case_compare_configurations(
    const struct case_run *a, const struct case_run *b, int strong);

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

#endif
