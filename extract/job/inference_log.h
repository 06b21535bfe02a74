/* Is a log that no format knows one of a program that serves a model or
 * measures that?  Its requests and tokens per second are no steps of training:
 * it is refused by name, so that no one looks for a format that would read it.
 *
 *	struct inference_log found;
 *	if (inference_log_find("vllm.log", &arena, &found))
 *		printf("line %lld: %s\n", (long long)found.line, found.program);
 */
#ifndef EXTRACT_JOB_INFERENCE_LOG_H
#define EXTRACT_JOB_INFERENCE_LOG_H

#include <stdint.h>

#include "common/arena.h"

struct inference_log {
	const char *program; /* "vLLM" */
	int64_t line;        /* that it prints, from 1 */
	const char *text;    /* of it, shortened */
};

/* Look for what vLLM, TensorRT-LLM, trtexec, Triton, SGLang, llama.cpp and
 * MLPerf's LoadGen print of a measurement.
 *
 * path  not "-"
 * a     where the text lives
 *
 * Returns 1 and sets out, or 0: nothing found, or it cannot be read, or has
 * more than FAILED_LOG_MAX_BYTES. */
int inference_log_find(
    const char *path, struct arena *a, struct inference_log *out);

#endif
