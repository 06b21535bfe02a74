/* Sessions: runs that were made together and so share a state of the machine.
 * Runs that began on one host within one job, or within an hour of the first of
 * them, are a session; an unknown host may be any. Their noise is common, so
 * the number of independent values of a case is that of its sessions
 * (doc/measurement.md, "Sessions").
 *
 *	sessions_find(&files);
 *	if (sessions_order(old, new, "old", "new", &remark))
 *		puts(remark_text(&remark, LANGUAGE_EN, &arena));
 */
#ifndef COMMON_SERIES_SESSIONS_H
#define COMMON_SERIES_SESSIONS_H

#include "common/error.h"
#include "common/series/result_set.h"
#include "common/texts/remark.h"

enum { SESSION_SECONDS = 3600 }; /* longest time from its first run */

/* Number the sessions of all runs of all results, from 1 (session.number). Runs
 * whose log states neither time nor job keep 0. */
void sessions_find(struct result_set *files);

/* Do all runs of one case begin before all of the other, in other sessions, or
 * did they run on different hosts? Then noise that sessions share looks like a
 * difference of the cases.
 *
 * first, second  names of the cases' results in the remark
 * out            set on 1: REMARK_RUNS_IN_BLOCKS or REMARK_DIFFERENT_HOSTS
 *
 * Returns 1 if so, 0 if not or if it is unknown for any run. Numbers are those
 * of sessions_find. */
int sessions_order(const struct result_case *a, const struct result_case *b,
    const char *first, const char *second, struct remark *out);

/* Replace the runs of each case by one value a session, the median of its runs,
 * and compute all statistics and speedups of the cases anew. The run of a
 * session has its number as name, and the flags of its runs.
 *
 * confidence  of the intervals; NAN: that of each result
 *
 * Returns 0; -1 with ERROR_INPUT if the session of a run is unknown. */
int sessions_replace_runs(
    struct result_set *files, double confidence, struct error *e);

#endif
