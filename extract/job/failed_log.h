/* Why a log ends before its run could be measured: no memory, a signal, an
 * error.  Asked of logs that are excluded already, so that it costs the others
 * nothing.
 *
 *	struct failed_log f;
 *	if (failed_log_find("runs/1n8g/b160_1.log", &arena, &f))
 *		printf("line %lld: %s\n", (long long)f.line, f.text);
 */
#ifndef EXTRACT_JOB_FAILED_LOG_H
#define EXTRACT_JOB_FAILED_LOG_H

#include <stdint.h>

#include "common/arena.h"
#include "common/texts/remark.h"

struct failed_log {
	enum remark_code code; /* REMARK_OUT_OF_MEMORY or REMARK_CRASHED */
	int64_t line;          /* that states so, from 1 */
	const char *text;      /* of it, shortened */
};

/* Logs of more stored bytes are not looked through again. */
#define FAILED_LOG_MAX_BYTES ((int64_t)256 << 20)

/* Look for what frameworks, NCCL, MPI, Slurm, the shell and the kernel print
 * where a run ends early.  The first line that speaks of memory goes before any
 * other; of a Python traceback the line of its exception is taken.  A run that
 * was interrupted by its user did not fail.
 *
 * path  not "-"
 * a     where the text lives
 *
 * Returns 1 and sets out, or 0: nothing found, or it cannot be read. */
int failed_log_find(const char *path, struct arena *a, struct failed_log *out);

#endif
