/* What a log that is excluded tells about its end or its program, in lines that
 * no format reads.  Other logs are not looked through.
 *
 *	struct log_sign sign;
 *	if (log_failure_find("runs/1n8g/b160_1.log", &arena, &sign))
 *		printf("line %lld: %s\n", (long long)sign.line, sign.text);
 */
#ifndef EXTRACT_JOB_LOG_SIGNS_H
#define EXTRACT_JOB_LOG_SIGNS_H

#include <stdint.h>

#include "common/arena.h"
#include "common/texts/remark.h"

struct log_sign {
	enum remark_code code; /* REMARK_OUT_OF_MEMORY, REMARK_CRASHED or
	                          REMARK_NOT_TRAINING */
	const char *program;   /* of the latter: "vLLM" */
	int64_t line;          /* that shows it, from 1 */
	const char *text;      /* of the line, shortened */
};

/* Why a log ends before its run could be measured: look for what frameworks,
 * NCCL, MPI, Slurm, the shell and the kernel print where a run ends early.  The
 * first line that speaks of memory goes before any other; of a Python traceback
 * the line of its exception is taken.  A run that was interrupted by its user
 * did not fail.
 *
 * path  not "-"
 * a     where the text lives
 *
 * Returns 1 and sets out; 0 where nothing is found, the log cannot be read, or
 * has more than 256 MiB as it is stored. */
int log_failure_find(const char *path, struct arena *a, struct log_sign *out);

/* Programs that serve a model, or measure that: look for what vLLM,
 * TensorRT-LLM, trtexec, Triton, SGLang, llama.cpp and MLPerf's LoadGen print
 * of a measurement.  Their requests and tokens per second are no steps of
 * training.
 *
 * Returns as log_failure_find. */
int log_program_find(const char *path, struct arena *a, struct log_sign *out);

#endif
