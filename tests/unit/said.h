/* Remarks and exclusions as their English sentences, for checks. */
#ifndef TESTS_UNIT_SAID_H
#define TESTS_UNIT_SAID_H

#include <string.h>

#include "common/result/result.h"
#include "extract/log/log.h"

static struct arena said_arena;

static inline const char *
said(const struct remark *r)
{
	return remark_text(r, LANGUAGE_EN, &said_arena);
}

static inline const char *
why_said(const struct exclusion *x)
{
	const char *why = said(&x->why);

	return x->hint.code == REMARK_NONE
	    ? why
	    : arena_printf(&said_arena, "%s; %s", why, said(&x->hint));
}

static inline const char *
reason_of(const struct exclusion *x)
{
	return remark_rows[x->why.code].reason;
}

/* True if a flag of the run contains the text. */
static inline int
run_says(const struct result_run *run, const char *text)
{
	for (size_t i = 0; i < run->n_flags; i++)
		if (strstr(said(&run->flags[i]), text) != NULL)
			return 1;
	return 0;
}

#endif
