/* No format reads numbers from another program's lines. Each sample of each
 * format is scanned as a log of its own; detection must choose the sample's
 * format, a relative of it, or none. */
#include <config.h>

#include "common/alloc.h"
#include "extract/format/matcher.h"
#include "tests/unit/scanning.h"

#include <ctype.h>
#include <ftw.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COPIES = 6 /* of a sample: enough lines for a run */ };

static size_t n_clashes;

/* Formats with common lines, which other lines of a log distinguish: either may
 * read a sample alone. A name may end in '*'. */
static const char *const relatives[][2] = {
	{ "dllogger*", "dllogger*" },          /* one logger, many programs */
	{ "keras", "keras-arrays" },           /* "Train on N samples" */
	{ "tf-timehistory", "keras" },         /* Keras draws its bar */
	{ "tf-benchmarkmetric", "keras" },     /* the same */
	{ "caffe-old", "faster-rcnn" },        /* its solver is Caffe's */
	{ "deepspeed", "deepspeed-chat" },     /* runs DeepSpeed's engine */
	{ "maxtext", "maxtext-steps" },        /* versions of MaxText */
	{ "pytorch-imagenet", "meters" },      /* prints such meters */
	{ "swin", "meters" },                  /* the same */
	{ "mindformers", "mindformers-rate" }, /* its versions */
	{ "prime-rl*", "prime-rl*" },          /* SFT, RL, its orchestrator */
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

/* Scan copies of a sample as a log. */
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
	CHECK_INT(scanner_scan(s, scratch_path, "x", &log), 0);
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

	for (size_t i = 0; i < built_in.formats.n; i++)
		for (size_t j = 0; j < built_in.formats.items[i]->n_samples;
		     j++)
			check_sample(s, built_in.formats.items[i],
			    &built_in.formats.items[i]->samples[j]);
	scanner_free(s);
	CHECK_INT(n_clashes - before, 0);
}

static uint64_t state = 88172645463325252u;

static size_t
next_random(size_t below)
{
	state ^= state << 13; /* Marsaglia's xorshift */
	state ^= state >> 7;
	state ^= state << 17;
	return state % below;
}

/* Add some samples of a format in order, most of their digits replaced. */
static void
add_samples(struct strbuf *sb, const struct format *f)
{
	const size_t skip = next_random(3);

	for (size_t i = 0; i < f->n_samples; i++) {
		const struct format_sample *x = &f->samples[i];

		if (skip > 0 && next_random(3) == 0)
			continue;
		for (size_t k = 0; k < x->len; k++)
			strbuf_addch(sb,
			    isdigit((unsigned char)x->text[k]) &&
				    next_random(2) == 0
				? (char)('0' + (int)next_random(10))
				: x->text[k]);
		strbuf_addch(sb, '\n');
	}
}

/* Logs that a scanner has read before do not change its result, whatever their
 * programs. */
static void
test_logs_in_turn(void)
{
	const struct scan_options options = { NULL, 1, 0, 0 };
	struct scanner *s = scanner_new(&built_in, &options);
	int n_known = 0, n_other = 0;
	struct strbuf sb;

	strbuf_init(&sb, 1 << 24);
	for (size_t n = 0; n < 1500; n++) {
		struct scanner *fresh = scanner_new(&built_in, &options);
		struct log want, got;

		strbuf_reset(&sb);
		/* A few formats, the same for 40 logs. */
		for (size_t k = 1 + next_random(8); k > 0; k--)
			add_samples(&sb,
			    built_in.formats
				.items[(n / 40 * 5 +
					   next_random(4) * (1 + n / 40)) %
				    built_in.formats.n]);
		put_file("log", sb.buf, sb.len);
		scanner_scan(s, scratch_path, "x", &got);
		scanner_scan(fresh, scratch_path, "x", &want);
		if (got.format != want.format ||
		    got.runner_up != want.runner_up ||
		    got.other_steps != want.other_steps ||
		    got.detection_cut != want.detection_cut ||
		    log_differences(&want, &got) > 0 ||
		    tail_differences(&want, &got) > 0) {
			printf("# log %zu: %s, not %s\n", n,
			    got.format != NULL ? got.format->name : "-",
			    want.format != NULL ? want.format->name : "-");
			CHECK_INT(n, -1);
		}
		n_known += want.format != NULL;
		n_other += want.other_steps > 0;
		log_release(&got);
		log_release(&want);
		scanner_free(fresh);
	}
	CHECK(n_known > 1000);
	CHECK(n_other > 10);
	scanner_free(s);
	strbuf_release(&sb);
}

/* Lines of programs that do not train: servers, and benchmarks of inference,
 * networks and disks. None is a rate of training. tests/cli/inference.sh checks
 * how their logs are rejected. */
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
		/* no model at all */
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
	/* A progress bar that advances. */
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

/* --- Units that are exchanged --------------------------------------------- */

/* Units as printed after numbers; those of one class are equivalent. */
static const struct {
	const char *text;
	char class;
} units[] = { { "samples/sec", 'a' }, { "samples/s", 'a' },
	{ "images/sec", 'a' }, { "images/s", 'a' }, { "imgs/s", 'a' },
	{ "img/s", 'a' }, { "examples/sec", 'a' }, { "sequences/sec", 'a' },
	{ "samples per second", 'a' }, { "tokens/sec", 't' },
	{ "tokens/s", 't' }, { "tok/s", 't' }, { "tokens per second", 't' },
	{ "requests/s", 'r' }, { "iters/s", 'i' }, { "it/s", 'i' },
	{ "steps/sec", 'i' }, { "iterations/s", 'i' }, { "s/iter", 's' },
	{ "s/it", 's' }, { "seconds", 's' }, { "sec", 's' }, { "s", 's' },
	{ "ms/step", 'm' }, { "ms/iter", 'm' }, { "ms", 'm' }, { "us", 'u' } };

enum { N_EXCHANGED = sizeof units / sizeof units[0] };

/* Set *end to the end of the value of the first step or summary. */
static void
find_end(void *arg, const struct match *match)
{
	size_t *end = arg;

	if (*end > 0 ||
	    (match->pattern->role != ROLE_STEP &&
		match->pattern->role != ROLE_SUMMARY))
		return;
	for (size_t i = 0; i < match->pattern->n_captures; i++) {
		const struct capture *c = &match->pattern->captures[i];
		size_t len;
		const char *text = match_text(match, c, &len);

		if (c->word->value != FIELD_NAME_NO_VALUE && text != NULL)
			*end = match->base + (size_t)(text + len - match->text);
	}
}

/* Read copies of a line. Returns the figure with its kind and unit, or NULL. */
static char *
read_copies(const char *line)
{
	struct strbuf sb;
	struct log log;
	char *got = NULL;

	strbuf_init(&sb, 1 << 24);
	for (int i = 0; i < COPIES; i++)
		strbuf_printf(&sb, "%s\n", line);
	scan_bytes(sb.buf, sb.len, &log);
	if (log.format != NULL && log.samples.n > 0)
		got = xasprintf("%.6g %d %s", log.samples.items[0].value,
		    (int)log.meaning->kind, log.meaning->unit);
	else if (log.format != NULL && log.n_summaries > 0)
		got = xasprintf(
		    "%.6g %s", log.summaries[0].value, log.summaries[0].unit);
	log_release(&log);
	strbuf_release(&sb);
	return got;
}

/* The index of the unit at the start of text, or -1. */
static int
unit_at(const char *text)
{
	for (int i = 0; i < N_EXCHANGED; i++) {
		const size_t n = strlen(units[i].text);

		if (strncmp(text, units[i].text, n) == 0 &&
		    !isalnum((unsigned char)text[n]) && text[n] != '/' &&
		    strncmp(text + n, " per", 4) != 0)
			return i;
	}
	return -1;
}

/* True if the number that ends at `at` is the value, in any unit. */
static int
is_printed(const char *line, size_t at, double value)
{
	size_t from;
	double x;

	while (at > 0 && !isdigit((unsigned char)line[at - 1]))
		at--;
	for (from = at; from > 0 &&
	     (isdigit((unsigned char)line[from - 1]) ||
		 strchr(".e+-", line[from - 1]) != NULL);
	     from--)
		;
	x = strtod(line + from, NULL);
	for (double unit = 1; unit < 1e7; unit *= 1000)
		if (fabs(x - value * unit) <= 1e-4 * x)
			return 1;
	return 0;
}

/* Replace the unit after the value by each other one: the reading changes. */
static size_t
exchange(const char *line, size_t at)
{
	const int own = unit_at(line + at);
	char *want = own < 0 ? NULL : read_copies(line);
	size_t n = 0;

	if (want != NULL && !is_printed(line, at, strtod(want, NULL))) {
		free(want);
		return 0;
	}

	for (int i = 0; want != NULL && i < N_EXCHANGED; i++) {
		char *other, *got;

		/* Items may be samples or tokens. */
		if (units[i].class == units[own].class ||
		    (strchr("at", units[i].class) != NULL &&
			strstr(want, "items/s") != NULL))
			continue;
		other = xasprintf("%.*s%s%s", (int)at, line, units[i].text,
		    line + at + strlen(units[own].text));
		got = read_copies(other);
		if (got != NULL && strcmp(got, want) == 0) {
			n_clashes++;
			printf("# read as %s: %.150s\n", want, other);
		}
		n++;
		free(other);
		free(got);
	}
	free(want);
	return n;
}

/* A line with another unit after its value than its format expects is read with
 * that unit, or not at all. */
static void
test_exchanged_units(void)
{
	const size_t before = n_clashes;
	struct matcher *m = matcher_new(&built_in);
	size_t n = 0;

	for (size_t i = 0; i < built_in.formats.n; i++)
		for (size_t j = 0; j < built_in.formats.items[i]->n_samples;
		     j++) {
			const struct format_sample *x =
			    &built_in.formats.items[i]->samples[j];
			char *line = xstrndup(x->text, x->len);
			size_t at = 0;

			matcher_new_log(m);
			matcher_line(m, built_in.formats.items[i],
			    FIELD_NAME_IN(ROLE_STEP) |
				FIELD_NAME_IN(ROLE_SUMMARY),
			    line, x->len, find_end, &at);
			while (at > 0 && (line[at] == ' ' || line[at] == '('))
				at++;
			if (at > 0)
				n += exchange(line, at);
			free(line);
		}
	matcher_free(m);
	printf("# %zu exchanges\n", n);
	CHECK(n > 500);
	CHECK_INT(n_clashes - before, 0);
}

/* --- Real logs ------------------------------------------------------------ */

/* A scanner without one of the formats. */
struct reduced_scanner {
	const struct format *without;
	struct format **formats;
	struct format_set set;
	struct scanner *scanner;
};

static struct reduced_scanner *reduced;
static size_t n_reduced, n_logs;

static struct scanner *
scanner_without(const struct format *f)
{
	static const struct scan_options options = { NULL, 1, 0, 0 };
	struct reduced_scanner *x;
	size_t n = 0;

	for (size_t i = 0; i < n_reduced; i++)
		if (reduced[i].without == f)
			return reduced[i].scanner;
	if (reduced == NULL)
		reduced = xcalloc(built_in.formats.n, sizeof *reduced);
	x = &reduced[n_reduced++];
	x->without = f;
	x->set = built_in;
	x->formats = xcalloc(built_in.formats.n, sizeof *x->formats);
	for (size_t i = 0; i < built_in.formats.n; i++)
		if (built_in.formats.items[i] != f)
			x->formats[n++] = built_in.formats.items[i];
	x->set.formats.items = x->formats;
	x->set.formats.n = n;
	x->scanner = scanner_new(&x->set, &options);
	return x->scanner;
}

/* Scan the log, unchanged, without the format it was written for. */
static void
check_log(struct scanner *s, const char *path)
{
	struct log log, other;

	if (scanner_scan(s, path, "x", &log) == 0 && log.format != NULL &&
	    !log.format->generic) {
		n_logs++;
		if (log.other_name != NULL)
			printf("# %s: also %s\n", path, log.other_name);
		CHECK(log.other_name == NULL);
		scanner_scan(scanner_without(log.format), path, "x", &other);
		if (other.format != NULL && !other.format->generic &&
		    other.samples.n + other.n_summaries > 0 &&
		    !are_relatives(log.format->name, other.format->name)) {
			n_clashes++;
			printf("# %s reads %zu numbers of %s: %s\n",
			    other.format->name,
			    other.samples.n + other.n_summaries,
			    log.format->name, path);
		}
		log_release(&other);
	}
	log_release(&log);
}

static struct scanner *all_formats;

static int
visit(const char *path, const struct stat *st, int type, struct FTW *place)
{
	(void)st, (void)place;
	if (type == FTW_F)
		check_log(all_formats, path);
	return 0;
}

/* Without its own format, a real log is read by no format or by a generic one;
 * with it, no other program's steps are found. */
static void
test_corpus(void)
{
	const char *corpus = getenv("DLSCALE_CORPUS");
	const char *top = getenv("top_srcdir");
	struct scan_options options = { NULL, 1, 0, 0 };
	const size_t before = n_clashes;
	char at[512];

	if (corpus != NULL)
		snprintf(at, sizeof at, "%s", corpus);
	else
		snprintf(at, sizeof at, "%s/../shared/corpus",
		    top != NULL ? top : ".");
#ifdef __SANITIZE_ADDRESS__
	SKIP("tests/cli/detect.sh reads these logs with the sanitizer");
#endif
	if (access(at, R_OK) != 0)
		SKIP("the corpus of real logs is not here");
	all_formats = scanner_new(&built_in, &options);
	CHECK_INT(nftw(at, visit, 16, FTW_PHYS), 0);
	scanner_free(all_formats);
	for (size_t i = 0; i < n_reduced; i++) {
		scanner_free(reduced[i].scanner);
		free(reduced[i].formats);
	}
	free(reduced);
	CHECK(n_logs > 100);
	CHECK_INT(n_clashes - before, 0);
}

static const struct tap_test tests[] = {
	TEST(test_inference),
	TEST(test_samples),
	TEST(test_logs_in_turn),
	TEST(test_exchanged_units),
	TEST(test_corpus),
};

int
main(void)
{
	return scanning_main("test_format_cross", tests, N_TESTS(tests));
}
