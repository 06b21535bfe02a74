/* Remarks and roles of published tables, and their release. */
#include <config.h>

#include "common/published/published_parts.h"

#include <stdarg.h>
#include <string.h>

void
published_release(struct published *p)
{
	arena_release(&p->arena);
	*p = (struct published){ .arena = ARENA_INIT };
}

void
published_remark(
    struct published *p, struct published_table *t, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = arena_vprintf(&p->arena, fmt, ap);
	va_end(ap);
	if (t->n_remarks == t->alloc_remarks) {
		const char **more = arena_calloc(
		    &p->arena, t->alloc_remarks * 2 + 4, sizeof *more);

		if (t->n_remarks > 0)
			memcpy(more, t->remarks, t->n_remarks * sizeof *more);
		t->remarks = more;
		t->alloc_remarks = t->alloc_remarks * 2 + 4;
	}
	t->remarks[t->n_remarks++] = text;
}

int
published_has(const struct published_table *t, enum published_role role)
{
	for (size_t i = 0; i < t->n_columns; i++)
		if (t->columns[i].role == role)
			return 1;
	return 0;
}

int
published_has_cases(const struct published_table *t)
{
	return published_has(t, PUBLISHED_CASE) ||
	    published_has(t, PUBLISHED_GPUS) ||
	    published_has(t, PUBLISHED_GPU_COUNT) ||
	    (published_has(t, PUBLISHED_NODES) &&
		published_has(t, PUBLISHED_NODE_GPUS));
}

int
published_is_speed(enum published_role role)
{
	return role == PUBLISHED_RATE || role == PUBLISHED_STEP_TIME ||
	    role == PUBLISHED_DURATION;
}
