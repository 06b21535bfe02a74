/* The samples of a run in the order of its iterations, and the question whether
 * those that share an iteration are ranks or a restart.  A part of steps.c.
 *
 * Invariants behind refs_collect: items are ordered by epoch, iteration, log,
 * line; items of the same (epoch, iter) stand together: a group.
 */
#ifndef EXTRACT_REFS_H
#define EXTRACT_REFS_H

#include <stddef.h>
#include <stdint.h>

#include "extract/exclusion.h"
#include "extract/log.h"

struct ref {
	const struct sample *sample;
	int32_t epoch;  /* index in refs.epochs */
	int32_t iter;   /* as printed; counted where none was printed */
	int32_t source; /* index of its log */
	int32_t wraps;  /* of the clock, before it */
};

struct refs {
	struct ref *items;
	size_t n;
	int32_t *epochs; /* printed numbers, in the order of the file */
	size_t n_epochs, alloc_epochs;
	size_t n_sources;
	int numbered; /* 0: no iteration was printed; iter is the count */
	int labelled; /* 1: each sample says by whom it is */
	int32_t max_label;
	size_t most; /* members of the largest group */
	/* What refs_check found worth telling; NULL if nothing. */
	const char *flag;
};

/* Take the samples of n_logs logs and put them in order. */
void refs_collect(struct refs *r, const struct log *const *logs, size_t n_logs);
void refs_release(struct refs *r);

/* The index behind the group that starts at i. */
size_t refs_group_end(const struct refs *r, size_t i);

/* Who printed it: its log where there are several, else its label. */
int32_t refs_label(const struct refs *r, const struct ref *ref);

/* Are the members of all groups ranks?  See steps_make.
 *
 * logs   as given to refs_collect
 * world  ranks in all, or RESULT_UNKNOWN
 *
 * Returns 0, or -1 with EXCLUDED_RESTART. */
int refs_check(struct refs *r, const struct log *const *logs, long world,
    struct exclusion *x);

#endif
