#include <config.h>

#include "extract/job/log_signs.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/result/result.h"
#include "extract/input/byte_source.h"

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
	"srun: error: ",
	"ORTE has lost communication", /* mpirun */
	"Horovod has been shut down",
};

/* Filter: every sign contains one of these, most lines none. */
static const char *const hints[] = { "rror", "emory", "MORY", "OOM", "oom",
	"bad_alloc", "RESOURCE_EXH", "ALLOC_FAILED", "NCCL", "fault",
	"exception", "instruction", "core dumped", "MPI_ABORT", "signal",
	"terminate", "DUE TO", "ORTE", "Horovod", "Killed", "CUDA failure",
	"Traceback" };

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

/* State of a search in a log. */
struct search {
	struct arena *arena;
	struct log_sign *out;
	void (*look)(struct search *s, int64_t number); /* at a line */
	int stopped; /* 1: stopped by the user */
	/* A traceback whose exception has not been read yet. */
	int in_traceback;
	char prefix[64]; /* prefix of its lines, such as "[rank0]: " */
	char line[MAX_LINE + 1];
};

static int
has_any(const char *line, const char *const *signs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strstr(line, signs[i]) != NULL)
			return 1;
	return 0;
}

/* True for "Killed" as printed by a shell or mpirun, at the end of a part. */
static int
is_killed(const char *line)
{
	const char *p = strstr(line, "Killed");

	if (p == NULL || (p > line && isalnum((unsigned char)p[-1])))
		return 0;
	p += strlen("Killed");
	return *p == '\0' || *p == ')' || strncmp(p, "  ", 2) == 0;
}

/* Keep a sign with the line, without leading blanks and cut to max bytes. */
static void
keep_sign(struct search *s, enum remark_code code, const char *program,
    int64_t number, size_t max)
{
	const char *text = s->line + strspn(s->line, " \t");
	size_t len = strlen(text);

	if (len > max) {
		len = max;
		while (len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80)
			len--;
	}
	*s->out = (struct log_sign){ code, program, number,
		arena_strndup(s->arena, text, len) };
}

/* Keep the first failure; one of memory replaces others. */
static void
note_failure(struct search *s, enum remark_code code, int64_t number)
{
	if (s->out->code == REMARK_NONE || code == REMARK_OUT_OF_MEMORY)
		keep_sign(s, code, NULL, number, MAX_TEXT);
}

/* Read a line of a traceback, whose lines have the same prefix: frames are
 * indented, the exception is not. */
static void
read_traceback(struct search *s, int64_t number)
{
	const size_t len = strlen(s->prefix);
	const char *rest = s->line + len;

	if (strncmp(s->line, s->prefix, len) != 0 || *rest == ' ' ||
	    *rest == '\t' || *rest == '\0')
		return;
	s->in_traceback = 0;
	if (strncmp(rest, "KeyboardInterrupt", 17) == 0 ||
	    strncmp(rest, "SystemExit: 0", 13) == 0)
		s->stopped = 1;
	else
		note_failure(s, REMARK_CRASHED, number);
}

static void
look_for_failure(struct search *s, int64_t number)
{
	const char *at;

	if (s->in_traceback)
		read_traceback(s, number);
	if (!has_any(s->line, hints, COUNT(hints)))
		return;
	if (has_any(s->line, memory_signs, COUNT(memory_signs)))
		note_failure(s, REMARK_OUT_OF_MEMORY, number);
	else if (is_killed(s->line) ||
	    has_any(s->line, crash_signs, COUNT(crash_signs)))
		note_failure(s, REMARK_CRASHED, number);
	else if ((at = strstr(s->line, "Traceback (most recent call last)")) !=
	    NULL) {
		const size_t len = (size_t)(at - s->line);

		s->in_traceback = len < sizeof s->prefix;
		if (s->in_traceback)
			snprintf(s->prefix, sizeof s->prefix, "%.*s", (int)len,
			    s->line);
	}
}

static void
look_for_program(struct search *s, int64_t number)
{
	for (size_t i = 0; i < COUNT(programs); i++) {
		const char *at = s->line;

		for (int k = 0; k < MAX_WORDS && at != NULL &&
		     programs[i].words[k] != NULL;
		     k++) {
			at = strstr(at, programs[i].words[k]);
			if (at != NULL)
				at += strlen(programs[i].words[k]);
		}
		if (at == NULL)
			continue;
		keep_sign(s, REMARK_NOT_TRAINING, programs[i].program, number,
		    MAX_PROGRAM_TEXT);
		return;
	}
}

static int
is_done(const struct search *s)
{
	return s->out->code == REMARK_NOT_TRAINING ||
	    s->out->code == REMARK_OUT_OF_MEMORY;
}

/* Implements line_consumer. */
static void
look_at_line(
    void *arg, const char *text, size_t len, unsigned flags, int64_t number)
{
	struct search *s = arg;
	char clean[MAX_LINE + 1];
	int64_t n_nul = 0;

	if (len > MAX_LINE)
		len = MAX_LINE;
	if (flags & LINE_CONTROL) {
		len = line_clean(text, len, clean, &n_nul);
		text = clean;
	}
	/* Pieces of a line that backspaces rewrote end with a NUL. */
	for (size_t at = 0, n; at < len && !is_done(s); at += n + 1) {
		n = strnlen(text + at, len - at);
		memcpy(s->line, text + at, n);
		s->line[n] = '\0';
		s->look(s, number);
	}
}

/* Search a log. Returns 1 if a sign was found that counts. */
static int
search_log(const char *path, void (*look)(struct search *s, int64_t number),
    struct arena *a, struct log_sign *out)
{
	struct search *s = xcalloc(1, sizeof *s);

	*out = (struct log_sign){ .code = REMARK_NONE };
	s->arena = a;
	s->out = out;
	s->look = look;
	byte_source_each_line(path, MAX_LINE, 1, look_at_line, s, NULL);
	if (s->stopped && out->code == REMARK_CRASHED)
		out->code = REMARK_NONE;
	free(s);
	return out->code != REMARK_NONE;
}

int
log_failure_find(const char *path, struct arena *a, struct log_sign *out)
{
	return search_log(path, look_for_failure, a, out);
}

int
log_program_find(const char *path, struct arena *a, struct log_sign *out)
{
	return search_log(path, look_for_program, a, out);
}
