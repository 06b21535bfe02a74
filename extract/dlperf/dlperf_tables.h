/* DLPerf's scripts that print tables of their own: OneFlow's speeds, latencies
 * of wide-and-deep models, losses and AUCs.  A part of dlperf.c.
 */
#ifndef EXTRACT_DLPERF_DLPERF_TABLES_H
#define EXTRACT_DLPERF_DLPERF_TABLES_H

#include "common/arena.h"
#include "common/error.h"
#include "common/strbuf.h"
#include "extract/measure/cases/case.h"
#include "extract/dlperf/dlperf_script.h"

struct dlperf_tables {
	const struct dlperf_script *script;
	const char *const *paths; /* [n_paths] in the script's order */
	size_t n_paths;
	long warmup, train; /* first and last iteration */
	struct arena *arena;
	struct strbuf *text;      /* what it prints */
	struct strbuf *file;      /* what it writes */
	struct case_notes *stops; /* where it would have stopped */
	size_t n_used;            /* logs that the script could read */
};

/* Do as the script does.  A log at which it would stop is named in stops and
 * excluded. */
void dlperf_tables(struct dlperf_tables *t);

#endif
