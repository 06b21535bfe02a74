/* No format takes numbers out of another program's lines: every sample of every
 * format is a log of its own, and what detection chooses for it must be the
 * sample's format, a relative of it, or none. */
#include <config.h>

#include "common/alloc.h"
#include "common/strbuf.h"
#include "tests/unit/scanning.h"

#include <stdlib.h>
#include <string.h>

enum { COPIES = 6 /* of a sample: more than are too few for a run */ };

static size_t n_clashes;

/* Formats of the same lines, which other lines of the log tell apart: alone, a
 * sample may be read by either.  A name may end in '*'. */
static const char *const relatives[][2] = {
	{ "dllogger*", "dllogger*" },          /* one logger, many programs */
	{ "keras", "keras-arrays" },           /* "Train on N samples" */
	{ "caffe-old", "faster-rcnn" },        /* its solver is Caffe's */
	{ "maxtext", "maxtext-steps" },        /* versions of it */
	{ "pytorch-imagenet", "meters" },      /* meters, as it prints them */
	{ "swin", "meters" },                  /* the same */
	{ "mindformers", "mindformers-rate" }, /* versions of it */
	{ "tf-benchmarkmetric", "tf-examples-per-second" }, /* the same hook */
};

static int
is_name(const char *name, const char *pattern)
{
	const size_t n = strlen(pattern);

	if (n > 0 && pattern[n - 1] == '*')
		return strncmp(name, pattern, n - 1) == 0;
	return strcmp(name, pattern) == 0;
}

static int
are_relatives(const char *a, const char *b)
{
	for (size_t i = 0; i < sizeof relatives / sizeof relatives[0]; i++)
		if ((is_name(a, relatives[i][0]) &&
			is_name(b, relatives[i][1])) ||
		    (is_name(b, relatives[i][0]) &&
			is_name(a, relatives[i][1])))
			return 1;
	return 0;
}

/* The sample alone, some times. */
static void
check_sample(
    struct scanner *s, const struct format *f, const struct format_sample *x)
{
	struct strbuf sb;
	struct log log;

	strbuf_init(&sb, 1 << 24);
	for (int i = 0; i < COPIES; i++)
		strbuf_printf(&sb, "%.*s\n", (int)x->len, x->text);
	put_file("log", sb.buf, sb.len);
	CHECK_INT(scanner_scan(s, scratch_path, "x", NULL, &log), 0);
	if (log.format != NULL && log.format != f && !log.format->generic &&
	    log.samples.n + log.n_summaries > 0 &&
	    !are_relatives(f->name, log.format->name)) {
		n_clashes++;
		printf("# %s reads %zu numbers of %s: %.100s\n",
		    log.format->name, log.samples.n + log.n_summaries, f->name,
		    x->text);
	}
	log_release(&log);
	strbuf_release(&sb);
}

static void
test_samples(void)
{
	const size_t before = n_clashes;
	struct scan_options options = { NULL, 1, 0, 0 };
	struct scanner *s = scanner_new(&built_in, &options);

	CHECK_INT(format_set_ready(&built_in, NULL), 0);
	for (size_t i = 0; i < built_in.n_formats; i++)
		for (size_t j = 0; j < built_in.formats[i]->n_samples; j++)
			check_sample(s, built_in.formats[i],
			    &built_in.formats[i]->samples[j]);
	scanner_free(s);
	CHECK_INT(n_clashes - before, 0);
}

/* Lines of programs that train nothing: servers and benchmarks of inference,
 * of networks and of disks.  None of them is a rate of training. */
static void
test_inference(void)
{
	static const char *const lines[] = {
		/* vLLM */
		"Throughput: 4.32 requests/s, 2112.34 total tokens/s, "
		"1056.17 output tokens/s",
		"Throughput: 4.32 requests/s, 2112.34 tokens/s",
		"INFO 07-15 12:00:00 metrics.py:455] Avg prompt throughput: "
		"120.3 tokens/s, Avg generation throughput: 45.6 tokens/s, "
		"Running: 8 reqs, Swapped: 0 reqs, Pending: 0 reqs, GPU KV "
		"cache usage: 3.1%, CPU KV cache usage: 0.0%.",
		"Request throughput (req/s):              3.45",
		"Output token throughput (tok/s):         1234.56",
		"Total Token throughput (tok/s):          2345.67",
		"Avg latency: 1.2345 seconds",
		"{\"elapsed_time\": 12.3, \"num_requests\": 1000, "
		"\"total_num_tokens\": 400000, \"requests_per_second\": 81.3, "
		"\"tokens_per_second\": 32520.3}",
		"{\"request_throughput\": 3.4, \"output_throughput\": 1200.5, "
		"\"mean_ttft_ms\": 32.1}",
		/* TensorRT-LLM, trtexec, Triton */
		"[BENCHMARK] model_name gpt_350m world_size 1 batch_size 8 "
		"input_length 60 output_length 20 gpu_peak_mem(gb) 4.2 "
		"build_time(s) 25.67 tokens_per_sec 1234.5 "
		"percentile95(ms) 60.99 latency(ms) 60.00",
		"[BENCHMARK] token_throughput(token/sec) 1234.56",
		"[BENCHMARK] seq_throughput(seq/sec) 12.34",
		"[BENCHMARK] num_samples 100",
		"Request Throughput (req/sec):                     3.1421",
		"Total Output Throughput (tokens/sec):             402.19",
		"[07/15/2023-12:00:00] [I] Throughput: 507.399 qps",
		"    Throughput: 152.345 infer/sec",
		"Concurrency: 1, throughput: 152.345 infer/sec, latency 6562 "
		"usec",
		/* SGLang, TGI, llama.cpp, loadgen of MLPerf inference */
		"[2024-07-15 12:00:00] Decode batch. #running-req: 8, #token: "
		"4096, token usage: 0.05, gen throughput (token/s): 512.30, "
		"#queue-req: 0",
		"llama_print_timings:        eval time =    1234.56 ms /   127 "
		"runs   (    9.72 ms per token,   102.88 tokens per second)",
		"llama_perf_context_print: prompt eval time = 41.23 ms / 14 "
		"tokens (2.95 ms per token, 339.56 tokens per second)",
		"Samples per second: 1234.56",
		"Tokens per second: 1234.56",
		"Samples per query : 24576",
		"Generated 128 tokens in 2.34s, 54.7 tokens/s",
		"Processed prompts: 100%|##########| 1000/1000 [00:12<00:00, "
		"81.30it/s, est. speed input: 20812.5 toks/s, output: 10406.2 "
		"toks/s]",
		/* not even a model */
		"[  5]   0.00-1.00   sec   112 MBytes   941 Mbits/sec    0",
		"1073741824 bytes (1.1 GB, 1.0 GiB) copied, 0.5 s, 2.1 GB/s",
		"Speed: 123.4 MB/s",
		"Requests per second:    1234.56 [#/sec] (mean)",
		"Time per request:       8.100 [ms] (mean)",
	};
	struct strbuf sb;
	struct log log;

	strbuf_init(&sb, 1 << 20);
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		strbuf_reset(&sb);
		for (int j = 0; j < COPIES; j++)
			strbuf_printf(&sb, "%s\n", lines[i]);
		scan_bytes(sb.buf, sb.len, &log);
		if (log.samples.n + log.n_summaries > 0) {
			n_clashes++;
			printf("# %s reads %zu numbers of: %.100s\n",
			    log.format->name, log.samples.n + log.n_summaries,
			    lines[i]);
		}
		log_release(&log);
	}
	/* A bar that moves on. */
	strbuf_reset(&sb);
	for (int i = 1; i <= 50; i++)
		strbuf_printf(&sb,
		    "Processed prompts: %3d%%|##        | "
		    "%d/1000 [00:%02d<00:50, 19.9it/s, est. speed "
		    "input: 20812.5 toks/s, output: 10406.2 toks/s]\n",
		    2 * i, 20 * i, i);
	scan_bytes(sb.buf, sb.len, &log);
	if (log.samples.n + log.n_summaries > 0)
		printf("# %s reads a bar of vLLM\n", log.format->name);
	CHECK_INT(log.samples.n + log.n_summaries, 0);
	log_release(&log);
	strbuf_release(&sb);
	CHECK_INT(n_clashes, 0);
}

static const struct tap_test tests[] = {
	TEST(test_inference),
	TEST(test_samples),
};

int
main(void)
{
	return scanning_main("test_format_cross", tests, N_TESTS(tests));
}
