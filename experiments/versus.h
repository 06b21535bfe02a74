/* What an experiment measured next to what was published: each cell of the
 * reference values with its counterpart here, their ratio, and what differs.
 * Ratios, not equality: the hardware is another.
 */
#ifndef EXPERIMENTS_VERSUS_H
#define EXPERIMENTS_VERSUS_H

#include <stdio.h>

#include "common/error.h"
#include "trainer/launch/plan.h"
#include "trainer/launch/sweep.h"

struct versus {
	const struct sweep *sweep;
	const struct plan *plan; /* for what was excluded */
	const char *result;      /* path of the result */
	const char *reference;   /* path of the reference values; NULL: there
	                            are none */
};

/* Are the quantities to compare known?  Returns 0, or -1 with "file:line:col:
 * ...". */
int versus_check(const struct sweep *s, struct error *e);

/* Write the table as Markdown to path and as text to stdout.  Where there are
 * no reference values it states so and what differs from the experiment's own
 * plain settings.
 *
 * Returns 0; -1 as result_set_read() and outfile_commit(). */
int versus_write(const struct versus *v, const char *path, struct error *e);

#endif
