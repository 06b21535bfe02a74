/* Which of two formats shows more of a log.  Called by detect.c; how lines are
 * matched it does not know. */
#include <config.h>

#include "extract/scan/detect/candidate.h"

#include <string.h>

/* A benchmark of collectives that ran before a training of which generic lines
 * show a run? */
static int
candidate_is_prelude(
    const struct candidate *benchmark, const struct candidate *training)
{
	return benchmark->format->has_collectives &&
	    benchmark->format->n_step_patterns == 0 &&
	    training->n_steps >= DETECT_FEW && training->n_summaries > 0;
}

/* Does a format that is generic only take the times at which lines were
 * written? */
static int
candidate_is_by_clock(const struct candidate *c)
{
	return c->format->meaning.kind == VALUE_ELAPSED ||
	    c->format->meaning.kind == VALUE_STAMP;
}

/* Does generic format a give way to b?  One that reads a rate or a time of a
 * step, if only on some of the lines, knows more than the clock: evaluation and
 * checkpoints do not count there. */
static int
candidate_is_last_resort(const struct candidate *a, const struct candidate *b)
{
	return a->format->generic && candidate_is_by_clock(a) &&
	    b->format->generic && !candidate_is_by_clock(b) &&
	    b->n_steps >= DETECT_FEW;
}

int
candidate_is_better(const struct candidate *a, const struct candidate *b)
{
	if (a->n_steps + a->n_summaries + a->n_results == 0)
		return 0;
	if (b->format == NULL)
		return 1;
	if (a->format->generic != b->format->generic)
		return a->format->generic ? candidate_is_prelude(b, a)
					  : !candidate_is_prelude(a, b);
	if (candidate_is_last_resort(a, b) || candidate_is_last_resort(b, a))
		return candidate_is_last_resort(b, a);
	if (a->n_steps != b->n_steps)
		return a->n_steps > b->n_steps;
	if (a->n_summaries != b->n_summaries)
		return a->n_summaries > b->n_summaries;
	if (a->n_results != b->n_results)
		return a->n_results > b->n_results;
	if (a->n_signatures != b->n_signatures)
		return a->n_signatures > b->n_signatures;
	if (a->format->priority != b->format->priority)
		return a->format->priority > b->format->priority;
	return strcmp(a->format->name, b->format->name) < 0;
}

int
candidate_is_slight(const struct candidate *c)
{
	return c->format != NULL && !c->format->generic &&
	    c->format->meaning.statistic == STATISTIC_INSTANT &&
	    c->n_steps < DETECT_FEW && c->n_summaries == 0;
}
