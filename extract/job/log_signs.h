/* Find out why a log is excluded: how it ended, or which program wrote it, from
 * lines that no format reads. Other logs are not searched.
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

/* Stored bytes: larger logs are not worth a second reading. */
#define LOG_SIGNS_MAX_BYTES ((int64_t)256 << 20)

struct log_sign {
	enum remark_code code; /* REMARK_OUT_OF_MEMORY, REMARK_CRASHED or
	                          REMARK_NOT_TRAINING */
	const char *program;   /* for REMARK_NOT_TRAINING: "vLLM" */
	int64_t line;          /* line number, from 1 */
	const char *text;      /* the line, shortened */
};

/* Find the reason why a log ends before its run could be measured: messages of
 * frameworks, NCCL, MPI, Slurm, the shell and the kernel at an early end of a
 * run. The first message about memory takes precedence; of a Python traceback
 * the exception line is used. A run interrupted by its user did not fail.
 *
 * path  not "-"
 * a     arena of the text
 *
 * Returns 1 and sets out; 0 if nothing is found or the log cannot be read. */
int log_failure_find(const char *path, struct arena *a, struct log_sign *out);

/* Find programs that serve models or benchmark serving, by the measurements
 * that vLLM, TensorRT-LLM, trtexec, Triton, SGLang, llama.cpp and MLPerf's
 * LoadGen print. Their requests and tokens per second are not training steps.
 *
 * Returns like log_failure_find. */
int log_program_find(const char *path, struct arena *a, struct log_sign *out);

#endif
