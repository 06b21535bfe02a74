/* Lines that only programs of inference print.  run_job.c asks for them once no
 * format knows a log; it knows no numbers.  A row takes all its texts in one
 * line, each after the one before. */
#include <config.h>

#include "extract/job/inference_log.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "extract/input/byte_source.h"
#include "extract/input/lines.h"
#include "extract/job/failed_log.h"

enum { MAX_LINE = 4096, MAX_TEXT = 120, MAX_WORDS = 3 };

static const struct inference_sign {
	const char *program;
	const char *words[MAX_WORDS];
} signs[] = {
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

struct inference_search {
	struct arena *arena;
	struct inference_log *out;
	int found;
	char line[MAX_LINE + 1];
};

static int
has_words(const char *line, const struct inference_sign *sign)
{
	for (int i = 0; i < MAX_WORDS && sign->words[i] != NULL; i++) {
		line = strstr(line, sign->words[i]);
		if (line == NULL)
			return 0;
		line += strlen(sign->words[i]);
	}
	return 1;
}

static void
look_at_line(
    void *arg, const char *text, size_t len, unsigned flags, int64_t number)
{
	struct inference_search *s = arg;
	const char *start;

	(void)flags;
	if (s->found)
		return;
	if (len > MAX_LINE)
		len = MAX_LINE;
	memcpy(s->line, text, len);
	s->line[len] = '\0';
	for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
		if (!has_words(s->line, &signs[i]))
			continue;
		start = s->line + strspn(s->line, " \t");
		len = strlen(start);
		if (len > MAX_TEXT) {
			len = MAX_TEXT;
			while (len > 0 &&
			    ((unsigned char)start[len] & 0xc0) == 0x80)
				len--;
		}
		*s->out = (struct inference_log){ signs[i].program, number,
			arena_strndup(s->arena, start, len) };
		s->found = 1;
		return;
	}
}

int
inference_log_find(const char *path, struct arena *a, struct inference_log *out)
{
	struct inference_search *s = xcalloc(1, sizeof *s);
	struct byte_source source;
	struct line_walker w;
	int found, more;

	s->arena = a;
	s->out = out;
	line_walker_init(&w, MAX_LINE);
	byte_source_init(&source);
	more = byte_source_open(&source, path, 0, NULL) == 0 &&
	    source.size <= FAILED_LOG_MAX_BYTES;
	while (more) {
		const int last = source.last;
		const size_t used = line_walker_consume(
		    &w, source.data, source.len, last, look_at_line, s);

		more = !last && !s->found &&
		    (byte_source_next(&source, used, NULL) == 1 || source.last);
	}
	byte_source_release(&source);
	found = s->found;
	free(s);
	return found;
}
