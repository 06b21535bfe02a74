/* The reason why a run is excluded, and a hint with the option that would
 * include it.
 */
#ifndef EXTRACT_LOG_EXCLUSION_H
#define EXTRACT_LOG_EXCLUSION_H

#include <string.h>

#include "common/texts/remark.h"

/* Texts in the remarks are borrowed from logs or the run's arena. */
struct exclusion {
	struct remark why; /* REMARK_NONE: not excluded */
	struct remark hint;
};

#define EXCLUSION_INIT \
	{ \
		{ .code = REMARK_NONE }, \
		{ \
			.code = REMARK_NONE \
		} \
	}

/* Fill x. Always returns -1, for "return exclude(...)". */
static inline int
exclude(struct exclusion *x, struct remark why)
{
	*x = (struct exclusion){ .why = why };
	return -1;
}

/* True if the run is excluded for this reason key. */
static inline int
exclusion_is(const struct exclusion *x, const char *reason)
{
	const char *own = remark_rows[x->why.code].reason;

	return own != NULL && strcmp(own, reason) == 0;
}

/* Format the reason and the hint as a text in a. */
static inline const char *
exclusion_text(const struct exclusion *x, struct arena *a)
{
	const char *why = remark_text(&x->why, LANGUAGE_EN, a);

	return x->hint.code == REMARK_NONE
	    ? why
	    : arena_printf(
		  a, "%s; %s", why, remark_text(&x->hint, LANGUAGE_EN, a));
}

#endif
