/* Comparison of findings, for tests of checks. */
#ifndef TESTS_UNIT_CHECK_FINDINGS_H
#define TESTS_UNIT_CHECK_FINDINGS_H

#include <stdio.h>
#include <string.h>

#include "report/check/check.h"
#include "tests/tap.h"

/* The English sentence of a remark, in the report's arena. */
static inline const char *
sentence(struct check_report *r, const struct remark *remark)
{
	return remark_text(remark, LANGUAGE_EN, &r->arena);
}

/* Check that the findings of a verdict are "line:col printed expected;" ... */
static inline void
found(
    const struct check_report *r, enum check_verdict verdict, const char *want)
{
	char text[1000] = "";

	for (size_t i = 0; i < r->n; i++)
		if (r->findings[i].verdict == verdict)
			snprintf(text + strlen(text),
			    sizeof text - strlen(text), "%ld:%ld %s %s;",
			    r->findings[i].line, r->findings[i].col,
			    r->findings[i].printed,
			    r->findings[i].expected ? r->findings[i].expected
						    : "?");
	CHECK_STR(text, want);
}

#endif
