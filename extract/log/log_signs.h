/* Signs in the lines of a log of why its run ended, and of programs that do not
 * train.
 *
 *	struct log_sign_search search = { .signs = &log->signs };
 *	... log_signs_look(&search, text, len, number, 0, &log->arena) ...
 *	sign = log_failure(&log->signs);
 */
#ifndef EXTRACT_LOG_LOG_SIGNS_H
#define EXTRACT_LOG_LOG_SIGNS_H

#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/texts/remark.h"

struct log_sign {
	enum remark_code code; /* REMARK_OUT_OF_MEMORY, REMARK_CRASHED or
	                          REMARK_NOT_TRAINING; REMARK_NONE: none */
	const char *program;   /* for REMARK_NOT_TRAINING: "vLLM" */
	int64_t line;          /* line number, from 1 */
	const char *text;      /* the line, shortened */
};

/* Signs found in a log. */
struct log_signs {
	struct log_sign failure, program;
	enum remark_code last; /* of the failure after the last step, and its
	                          line number; as for failure */
	int64_t last_line;
	int64_t stopped; /* line that says that its user stopped the run; 0:
	                    none */
};

/* State of a search in a log. */
struct log_sign_search {
	struct log_signs *signs;
	int64_t step;     /* line number of the last step before, or 0 */
	int in_traceback; /* 1: its exception has not been read yet */
	char prefix[64];  /* of the lines of the traceback: "[rank0]: " */
};

/* Look for messages of frameworks, NCCL, MPI, Slurm, the shell and the kernel
 * at an early end of a run. The first one about memory is kept, else the first;
 * of a Python traceback the line of the exception.
 *
 * text          [len] a line
 * number        of the line, from 1
 * programs_too  1: also look for programs that serve models or benchmark
 *               serving, by the measurements that vLLM, TensorRT-LLM, trtexec,
 *               Triton, SGLang, llama.cpp and MLPerf's LoadGen print. Their
 *               requests and tokens per second are not training steps.
 * a             arena of the sign's text
 *
 * Returns 0 if no line that differs only in digits can be a sign of a failure,
 * unless a traceback is open; else 1. */
int log_signs_look(struct log_sign_search *s, const char *text, size_t len,
    int64_t number, int programs_too, struct arena *a);

/* The sign of a failure, or NULL. A run that its user stopped did not fail. */
const struct log_sign *log_failure(const struct log_signs *signs);

#endif
