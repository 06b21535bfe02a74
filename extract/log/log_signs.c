#include <config.h>

#include "extract/log/log.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MAX_LINE = 4096, MAX_TEXT = 200, MAX_PROGRAM_TEXT = 120, MAX_WORDS = 3 };

/* Messages of failed allocations: on a device, then on the host. */
static const char *const memory_signs[] = {
	"CUDA out of memory",            /* PyTorch */
	"HIP out of memory",             /* the same on ROCm */
	"NPU out of memory",             /* the same on Ascend */
	"OutOfMemoryError",              /* PyTorch's exception since 1.13 */
	"CUDA_ERROR_OUT_OF_MEMORY",      /* TensorFlow, XLA */
	"OOM when allocating",           /* TensorFlow */
	"RESOURCE_EXHAUSTED",            /* XLA */
	"ResourceExhaustedError",        /* TensorFlow, Paddle */
	"cudaMalloc failed: out of mem", /* MXNet */
	"CUDA error: out of memory",     /* cuBLAS and others through PyTorch */
	"Out of memory error on GPU",    /* Paddle */
	"allocate memory: you tried",    /* PyTorch, host memory */
	"CUDNN_STATUS_ALLOC_FAILED",     /* cuDNN */
	"std::bad_alloc",                /* C++ */
	"MemoryError",                   /* Python */
	"Cannot allocate memory",        /* the C library */
	": out of memory",               /* programs such as our own trainer */
	"oom-kill",                      /* Slurm, the kernel */
	"oom_kill", "Out of memory: Kill", /* the kernel */
	"OOM Killed",                      /* Slurm */
};

/* Messages of runs that end for other reasons. */
static const char *const crash_signs[] = {
	"NCCL error",             /* NCCL through PyTorch */
	"NCCL failure",           /* nccl-tests */
	"ncclUnhandledCudaError", /* NCCL's error codes */
	"ncclSystemError",
	"ncclInternalError",
	"ncclRemoteError",
	"Watchdog caught collective operation timeout",
	"NCCL operations have failed or timed out",
	"CUDA error: ",
	"CUDA failure",
	"HIP error: ",
	"Segmentation fault",
	"Bus error",
	"Floating point exception",
	"Illegal instruction",
	"(core dumped)",
	"MPI_ABORT was invoked",
	"exited on signal", /* mpirun */
	"terminated by signal",
	"terminate called after", /* C++ */
	"Fatal Python error",
	"ChildFailedError",  /* torchrun */
	"DUE TO TIME LIMIT", /* Slurm */
	"DUE TO NODE FAILURE",
	"DUE TO PREEMPTION",
	"CANCELLED AT ", /* scancel */
	"job killed",    /* PBS, LSF */
	"srun: error: ",
	"ORTE has lost communication", /* mpirun */
	"Horovod has been shut down",
};

/* Filter: every sign contains one of these, most lines none. */
static const char *const hints[] = { "rror", "emory", "MORY", "OOM", "oom",
	"bad_alloc", "RESOURCE_EXH", "ALLOC_FAILED", "NCCL", "fault",
	"exception", "instruction", "core dumped", "MPI_ABORT", "signal",
	"terminate", "DUE TO", "ORTE", "Horovod", "Killed", "CUDA failure",
	"Traceback", "CANCELLED", "job killed", "Terminated" };

/* Lines printed only by inference programs: all words, in this order. */
static const struct inference_sign {
	const char *program;
	const char *words[MAX_WORDS];
} programs[] = {
	/* benchmark_throughput.py, vllm bench throughput */
	{ "vLLM", { "Throughput: ", " requests/s, ", " tokens/s" } },
	{ "vLLM", { "Avg prompt throughput: ", " tokens/s" } },
	{ "vLLM", { "Processed prompts: ", "est. speed input: " } },
	{ "vLLM", { "\"requests_per_second\": ", "\"tokens_per_second\": " } },
	{ "vLLM", { "\"total_num_tokens\": ", "\"requests_per_second\": " } },
	/* benchmark_serving.py, vllm bench serve, and SGLang's after it */
	{ "vLLM or SGLang", { "Request throughput (req/s): " } },
	{ "vLLM or SGLang", { "Output token throughput (tok/s): " } },
	{ "vLLM or SGLang", { "\"request_throughput\": " } },
	{ "SGLang", { "gen throughput (token/s): " } },
	/* trtllm-bench, gptManagerBenchmark, benchmark.py */
	{ "TensorRT-LLM", { "Request Throughput (req/sec): " } },
	{ "TensorRT-LLM", { "Total Output Throughput (tokens/sec): " } },
	{ "TensorRT-LLM", { "[BENCHMARK] ", "tokens_per_sec" } },
	{ "TensorRT-LLM", { "[BENCHMARK] ", "throughput(" } },
	{ "trtexec", { "Throughput: ", " qps" } },
	{ "Triton's perf_analyzer", { "hroughput: ", " infer/sec" } },
	{ "llama.cpp", { "llama_print_timings: " } },
	{ "llama.cpp", { "llama_perf_context_print: " } },
	{ "MLPerf's LoadGen", { "Samples per query : " } },
	{ "MLPerf's LoadGen", { "SUT name : " } },
};

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

static int
has_any(const char *line, const char *const *signs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strstr(line, signs[i]) != NULL)
			return 1;
	return 0;
}

/* True for "Killed" or "Terminated" as printed by a shell or mpirun, at the end
 * of a part. */
static int
is_killed(const char *line, const char *word)
{
	const char *p = strstr(line, word);

	if (p == NULL || (p > line && isalnum((unsigned char)p[-1])))
		return 0;
	p += strlen(word);
	return *p == '\0' || *p == ')' || strncmp(p, "  ", 2) == 0;
}

/* A sign with its line, without leading blanks and cut to max bytes. */
static struct log_sign
make_sign(enum remark_code code, const char *program, const char *line,
    int64_t number, size_t max, struct arena *a)
{
	const char *text = line + strspn(line, " \t");
	size_t len = strlen(text);

	if (len > max) {
		len = max;
		while (len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80)
			len--;
	}
	return (struct log_sign){ code, program, number,
		arena_strndup(a, text, len) };
}

/* Keep the first failure of all, and the first after the last step; one of
 * memory replaces others. */
static void
note_failure(struct log_sign_search *search, enum remark_code code,
    const char *line, int64_t number, struct arena *a)
{
	struct log_signs *s = search->signs;
	const int memory = code == REMARK_OUT_OF_MEMORY;

	if (s->failure.code == REMARK_NONE ||
	    (memory && s->failure.code != code))
		s->failure = make_sign(code, NULL, line, number, MAX_TEXT, a);
	if (s->last_line <= search->step || (memory && s->last != code)) {
		s->last = code;
		s->last_line = number;
	}
}

/* Read a line of a traceback, whose lines have the same prefix: frames are
 * indented, the exception is not. */
static void
read_traceback(struct log_sign_search *s, const char *line, int64_t number,
    struct arena *a)
{
	const size_t len = strlen(s->prefix);
	const char *rest = line + len;

	if (strncmp(line, s->prefix, len) != 0 || *rest == ' ' ||
	    *rest == '\t' || *rest == '\0')
		return;
	s->in_traceback = 0;
	if (strncmp(rest, "KeyboardInterrupt", 17) == 0 ||
	    strncmp(rest, "SystemExit: 0", 13) == 0)
		s->signs->stopped = number;
	else
		note_failure(s, REMARK_CRASHED, line, number, a);
}

/* Returns like log_signs_look. */
static int
look_for_failure(struct log_sign_search *s, const char *line, int64_t number,
    struct arena *a)
{
	const char *at;

	if (s->in_traceback)
		read_traceback(s, line, number, a);
	if (!has_any(line, hints, COUNT(hints)))
		return 0;
	if (has_any(line, memory_signs, COUNT(memory_signs)))
		note_failure(s, REMARK_OUT_OF_MEMORY, line, number, a);
	else if (is_killed(line, "Killed") || is_killed(line, "Terminated") ||
	    has_any(line, crash_signs, COUNT(crash_signs)))
		note_failure(s, REMARK_CRASHED, line, number, a);
	else if ((at = strstr(line, "Traceback (most recent call last)")) !=
	    NULL) {
		const size_t len = (size_t)(at - line);

		s->in_traceback = len < sizeof s->prefix;
		if (s->in_traceback)
			snprintf(s->prefix, sizeof s->prefix, "%.*s", (int)len,
			    line);
	}
	return 1;
}

static void
look_for_program(
    struct log_signs *s, const char *line, int64_t number, struct arena *a)
{
	for (size_t i = 0;
	     s->program.code == REMARK_NONE && i < COUNT(programs); i++) {
		const char *at = line;

		for (int k = 0; k < MAX_WORDS && at != NULL &&
		     programs[i].words[k] != NULL;
		     k++) {
			at = strstr(at, programs[i].words[k]);
			if (at != NULL)
				at += strlen(programs[i].words[k]);
		}
		if (at != NULL)
			s->program =
			    make_sign(REMARK_NOT_TRAINING, programs[i].program,
				line, number, MAX_PROGRAM_TEXT, a);
	}
}

int
log_signs_look(struct log_sign_search *s, const char *text, size_t len,
    int64_t number, int programs_too, struct arena *a)
{
	char line[MAX_LINE + 1];
	int may = 0;

	for (size_t at = 0, n; at < len; at += n) {
		n = len - at < MAX_LINE ? len - at : MAX_LINE;
		memcpy(line, text + at, n);
		line[n] = '\0';
		may |= look_for_failure(s, line, number, a);
		if (programs_too)
			look_for_program(s->signs, line, number, a);
	}
	return may;
}

const struct log_sign *
log_failure(const struct log_signs *signs)
{
	return signs->failure.code == REMARK_NONE ||
		(signs->stopped && signs->failure.code == REMARK_CRASHED)
	    ? NULL
	    : &signs->failure;
}
