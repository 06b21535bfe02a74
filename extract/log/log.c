#include <config.h>

#include "extract/log/log.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/text.h"
#include "extract/log/words.h"

enum { MAX_LINE = 4096, MAX_TEXT = 200, MAX_PROGRAM_TEXT = 120, MAX_WORDS = 3 };

/* Messages of runs that end early. Most lines contain no part, so a line is
 * searched for the part of a group of rows before their texts. */
static const struct failure_sign {
	const char *part; /* of text; adjacent rows with the same share it */
	const char *text;
	int memory; /* 1: an allocation failed, on a device or the host */
} failure_signs[] = {
	{ "emory", "CUDA out of memory", 1 },         /* PyTorch */
	{ "emory", "HIP out of memory", 1 },          /* the same on ROCm */
	{ "emory", "NPU out of memory", 1 },          /* the same on Ascend */
	{ "emory", "allocate memory: you tried", 1 }, /* PyTorch, host memory */
	{ "emory", "cudaMalloc failed: out of memory", 1 }, /* MXNet */
	{ "emory", "CUDA error: out of memory", 1 },  /* cuBLAS and others */
	{ "emory", "Out of memory error on GPU", 1 }, /* Paddle */
	{ "emory", "MemoryError", 1 }, /* Python, PyTorch since 1.13 */
	{ "emory", "Cannot allocate memory", 1 }, /* the C library */
	{ "emory", ": out of memory", 1 },        /* such as our own trainer */
	{ "emory", "Out of memory: Kill", 1 },    /* the kernel */
	{ "MEMORY", "CUDA_ERROR_OUT_OF_MEMORY", 1 }, /* TensorFlow, XLA */
	{ "OOM", "OOM when allocating", 1 },         /* TensorFlow */
	{ "OOM", "OOM Killed", 1 },                  /* Slurm */
	{ "oom", "oom-kill", 1 },                    /* Slurm, the kernel */
	{ "oom", "oom_kill", 1 },
	{ "RESOURCE_EXH", "RESOURCE_EXHAUSTED", 1 },        /* XLA */
	{ "ALLOC_FAILED", "CUDNN_STATUS_ALLOC_FAILED", 1 }, /* cuDNN */
	{ "bad_alloc", "std::bad_alloc", 1 },               /* C++ */
	{ "rror", "ResourceExhaustedError", 1 }, /* TensorFlow, Paddle */
	{ "rror", "NCCL error", 0 },             /* NCCL through PyTorch */
	{ "rror", "ncclUnhandledCudaError", 0 }, /* NCCL's error codes */
	{ "rror", "ncclSystemError", 0 },
	{ "rror", "ncclInternalError", 0 },
	{ "rror", "ncclRemoteError", 0 },
	{ "rror", "CUDA error: ", 0 },
	{ "rror", "HIP error: ", 0 },
	{ "rror", "Bus error", 0 },
	{ "rror", "Fatal Python error", 0 },
	{ "rror", "ChildFailedError", 0 }, /* torchrun */
	{ "rror", "srun: error: ", 0 },
	{ "NCCL", "NCCL failure", 0 }, /* nccl-tests */
	{ "NCCL", "NCCL operations have failed or timed out", 0 },
	{ "Watchdog", "Watchdog caught collective operation timeout", 0 },
	{ "CUDA failure", "CUDA failure", 0 },
	{ "fault", "Segmentation fault", 0 },
	{ "exception", "Floating point exception", 0 },
	{ "instruction", "Illegal instruction", 0 },
	{ "core dumped", "(core dumped)", 0 },
	{ "MPI_ABORT", "MPI_ABORT was invoked", 0 },
	{ "signal", "exited on signal", 0 }, /* mpirun */
	{ "signal", "terminated by signal", 0 },
	{ "terminate", "terminate called after", 0 }, /* C++ */
	{ "DUE TO", "DUE TO TIME LIMIT", 0 },         /* Slurm */
	{ "DUE TO", "DUE TO NODE FAILURE", 0 },
	{ "DUE TO", "DUE TO PREEMPTION", 0 },
	{ "CANCELLED", "CANCELLED AT ", 0 },          /* scancel */
	{ "job killed", "job killed", 0 },            /* PBS, LSF */
	{ "ORTE", "ORTE has lost communication", 0 }, /* mpirun */
	{ "Horovod", "Horovod has been shut down", 0 },
};

/* Lines that only inference programs print contain these words in order. */
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

/* Search a line for failure_signs.
 *
 * memory, crash  set to 1 if it has such a sign
 *
 * Returns 1 if it contains the part of any sign. */
static int
find_signs(const char *line, int *memory, int *crash)
{
	const struct failure_sign *sign = failure_signs;
	const char *part = NULL;
	int has_part = 0, any = 0;

	for (; sign < failure_signs + COUNT(failure_signs); sign++) {
		if (sign->part != part)
			has_part = strstr(line, part = sign->part) != NULL;
		any |= has_part;
		if (has_part && strstr(line, sign->text) != NULL)
			*(sign->memory ? memory : crash) = 1;
	}
	return any;
}

/* True if a line has the word ("Killed", "Terminated") as a shell or mpirun
 * prints it: before the end, a ')' or two spaces. */
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

/* Keep the first failure of all, and the first after the last step; an
 * out-of-memory failure replaces others. */
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

/* Returns like log_signs_look. */
static int
look_for_failure(struct log_sign_search *s, const char *line, int64_t number,
    struct arena *a)
{
	const size_t prefix = strlen(s->prefix);
	int memory = 0, crash = 0, any;
	const char *at;

	/* The lines of a traceback have the same prefix: frames are indented,
	 * the exception is not. */
	if (s->in_traceback && strncmp(line, s->prefix, prefix) == 0 &&
	    strspn(line + prefix, " \t") == 0 && line[prefix] != '\0') {
		s->in_traceback = 0;
		if (words_fit("KeyboardInterrupt|SystemExit: 0", WORDS_START,
			line + prefix))
			s->signs->stopped = number;
		else
			note_failure(s, REMARK_CRASHED, line, number, a);
	}
	any = find_signs(line, &memory, &crash);
	if (memory)
		note_failure(s, REMARK_OUT_OF_MEMORY, line, number, a);
	else if (crash || is_killed(line, "Killed") ||
	    is_killed(line, "Terminated"))
		note_failure(s, REMARK_CRASHED, line, number, a);
	else if ((at = strstr(line, "Traceback (most recent call last)")) !=
	    NULL) {
		const size_t len = (size_t)(at - line);

		s->in_traceback = len < sizeof s->prefix;
		if (s->in_traceback)
			snprintf(s->prefix, sizeof s->prefix, "%.*s", (int)len,
			    line);
	} else {
		return any;
	}
	return 1;
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
		for (size_t i = 0; programs_too && i < COUNT(programs) &&
		     s->signs->program.code == REMARK_NONE;
		     i++) {
			const char *const *words = programs[i].words;
			const char *p = line;

			for (int k = 0; p != NULL && k < MAX_WORDS; k++)
				if (words[k] != NULL &&
				    (p = strstr(p, words[k])) != NULL)
					p += strlen(words[k]);
			if (p != NULL)
				s->signs->program = make_sign(
				    REMARK_NOT_TRAINING, programs[i].program,
				    line, number, MAX_PROGRAM_TEXT, a);
		}
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

void
log_init(struct log *log)
{
	memset(log, 0, offsetof(struct log, tail));
	log->problem.code = ERROR_NONE;
	log->problem.message[0] = '\0';
}

void
log_release(struct log *log)
{
	if (log->borrowed) {
		log_init(log);
		return;
	}
	sample_store_release(&log->samples);
	free(log->metadata);
	free(log->summaries);
	log_works_clear(log);
	free(log->details.items);
	free(log->collectives);
	hash_index_release(&log->collective_index);
	free(log->buckets);
	arena_release(&log->arena);
	log_init(log);
}

/* --- Samples and details ---------------------------------------------------*/

struct sample *
sample_store_next(struct sample_store *all)
{
	all->items =
	    vec_grow(all->items, all->n, &all->alloc, sizeof *all->items);
	return &all->items[all->n];
}

void
sample_store_release(struct sample_store *all)
{
	free(all->items);
	*all = (struct sample_store){ .n = 0 };
}

void
detail_store_add(struct detail_store *all, const struct log_detail *x)
{
	size_t i = all->n++;

	all->items = vec_grow(all->items, i, &all->alloc, sizeof *all->items);
	for (; i > 0 && all->items[i - 1].sample > x->sample; i--)
		all->items[i] = all->items[i - 1];
	all->items[i] = *x;
}

static void
keep_finer(double *unit, double x)
{
	if (x > 0 && (!(*unit > 0) || x < *unit))
		*unit = x;
}

void
log_units_join(struct log_units *units, const struct log_units *more)
{
	keep_finer(&units->value, more->value);
	keep_finer(&units->mean, more->mean);
	keep_finer(&units->total, more->total);
}

const struct sample *
log_sample_from(const struct log *log, int64_t line)
{
	const struct sample *x = log->samples.items;
	size_t low = 0, high = log->samples.n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (x[middle].line < line)
			low = middle + 1;
		else
			high = middle;
	}
	return low < log->samples.n ? &x[low] : NULL;
}

double
log_stamp_at(const struct log *log, long line)
{
	const struct sample *x = log_sample_from(log, line);

	return x != NULL && x->line == line ? x->stamp : NAN;
}

int64_t
log_first_step(const struct log *log)
{
	return log->samples.n > 0 ? log->samples.items[0].line : INT64_MAX;
}

int64_t
log_last_step(const struct log *log)
{
	const struct sample_store *all = &log->samples;

	return all->n > 0 ? all->items[all->n - 1].line : 0;
}

/* --- Work -----------------------------------------------------------------*/

/* Index of a key's list, or of a free one. */
static size_t
works_of(const struct log *log, const char *key)
{
	size_t k = 0;

	while (k < LOG_WORK_KEYS - 1 && log->works[k].key != NULL &&
	    strcmp(log->works[k].key, key) != 0)
		k++;
	return k;
}

void
log_works_add(struct log *log, const char *key, double amount, int64_t line)
{
	struct log_works *x = &log->works[works_of(log, key)];

	assert(x->key == NULL || strcmp(x->key, key) == 0);
	x->key = key;
	x->items = vec_grow(x->items, x->n, &x->alloc, sizeof *x->items);
	x->items[x->n++] = (struct log_work){ amount, line };
}

const struct log_work *
log_works_entry(const struct log *log, const char *key, int64_t line)
{
	const struct log_works *x = &log->works[works_of(log, key)];
	size_t low = 0, high = x->n;

	if (x->key == NULL || strcmp(x->key, key) != 0)
		return NULL;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (x->items[middle].line <= line)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? &x->items[low - 1] : NULL;
}

void
log_works_clear(struct log *log)
{
	for (size_t k = 0; k < LOG_WORK_KEYS; k++) {
		free(log->works[k].items);
		log->works[k] = (struct log_works){ .key = NULL };
	}
}

double
log_works_at(const struct log *log, const char *key, int64_t line)
{
	const struct log_work *x = log_works_entry(log, key, line);

	return x != NULL ? x->amount : NAN;
}

/* --- Collectives ----------------------------------------------------------*/

/* True if both have the same name, kind and size. */
static int
is_alike(const void *list, size_t i, const void *key)
{
	const struct log_collective *x = key,
				    *y =
					(const struct log_collective *)list + i;

	return !(y->bytes < x->bytes) && !(y->bytes > x->bytes) &&
	    text_same(y->kind, x->kind) &&
	    text_same(y->collective, x->collective);
}

/* Hash of name, kind and size. */
static uint32_t
hash_of(const struct log_collective *x)
{
	const double bytes = x->bytes + 0.0; /* -0 is 0 */
	const uint32_t hash = hash_bytes(0, &bytes, sizeof bytes);

	return hash_text(hash_text(hash, x->kind), x->collective);
}

/* The bandwidth of n + k messages of one size, of which n have the mean a and k
 * the mean b: total bytes over total time. The arithmetic mean would be larger
 * if times differ. NAN if either is. */
static double
mean_rate(double a, double n, double b, double k)
{
	return (n + k) / (n / a + k / b);
}

void
log_collectives_add(struct log *log, const struct log_collective *x, int merge)
{
	struct log_collective one = *x, *y;
	size_t i = HASH_INDEX_NONE;

	if (!(one.bytes >= 0))
		return;
	if (isnan(one.algorithm) && one.time_s > 0)
		one.algorithm = one.bytes / one.time_s / 1e9;
	if (merge && !(one.count > 0))
		one.count = 1;
	if (merge)
		i = hash_index_find(&log->collective_index, hash_of(&one),
		    is_alike, log->collectives, &one);
	if (i != HASH_INDEX_NONE) {
		y = &log->collectives[i];
		y->time_s += (one.time_s - y->time_s) *
		    (one.count / (y->count + one.count));
		y->algorithm =
		    mean_rate(y->algorithm, y->count, one.algorithm, one.count);
		y->bus = mean_rate(y->bus, y->count, one.bus, one.count);
		y->count += one.count;
		return;
	}
	if (log->n_collectives == LOG_COLLECTIVES_MAX)
		return;
	log->collectives = vec_grow(log->collectives, log->n_collectives,
	    &log->alloc_collectives, sizeof *log->collectives);
	if (merge)
		hash_index_add(
		    &log->collective_index, hash_of(&one), log->n_collectives);
	log->collectives[log->n_collectives++] = one;
}

void
log_buckets_add(
    struct log *log, const struct log_bucket *x, const char *collective)
{
	if (collective == NULL || strcmp(collective, "allreduce") != 0) {
		log->split_buckets = 1;
		return;
	}
	if (log->n_buckets == LOG_BUCKETS_MAX)
		return;
	log->buckets = vec_grow(log->buckets, log->n_buckets,
	    &log->alloc_buckets, sizeof *log->buckets);
	log->buckets[log->n_buckets++] = *x;
}

/* --- Flags ----------------------------------------------------------------*/

/* Flag k of a log, or REMARK_NONE.
 *
 * file  name of the log if the run has several
 * more  number of other logs with the flag */
static struct remark
make_flag(const struct log *log, size_t k, struct remark_arg file,
    struct remark_arg more)
{
	int64_t finite = 0; /* line of the last finite loss */

	for (size_t i = 0; i < log->n_tail; i++)
		if (strcmp(log->tail[i].key, "loss") == 0)
			finite = log->tail[i].last_line;
	if (k == 0 && log->truncated)
		return REMARK(REMARK_RECORDS_CUT, file, more);
	if (k == 1 && log->trailing)
		return REMARK(REMARK_TRAILING, file, more);
	if (k == 2 && log->n_match_limit > 0)
		return REMARK(REMARK_MATCH_LIMIT,
		    remark_number((double)log->n_match_limit),
		    remark_number((double)log->match_limit_line), file, more);
	if (k == 3 && log->other_name != NULL)
		return REMARK(REMARK_OTHER_STEPS,
		    remark_number((double)log->other_steps),
		    remark_name(log->other_more ? "at least" : NULL),
		    remark_name(log->other_name),
		    remark_number((double)log->other_line), file, more);
	if (k == 4 && log->detection_cut)
		return REMARK(REMARK_DETECTION_CUT, file, more);
	if (k == 5 && log->n_long_lines > 0)
		return REMARK(REMARK_LONG_LINES,
		    remark_number((double)log->n_long_lines), file, more);
	if (k == 6 && log->nan_loss_line > finite)
		return REMARK(REMARK_NAN_LOSS,
		    remark_number((double)log->nan_loss_line), file, more);
	return remark_plain(REMARK_NONE);
}

size_t
log_flags_find(const struct log *const *logs, size_t n, struct remark *flags)
{
	const struct remark_arg none = { .number = NAN };
	size_t n_flags = 0;

	for (size_t k = 0; k < LOG_FLAGS_MAX; k++) {
		const struct log *first = NULL;
		size_t has = 0;

		for (size_t i = 0; i < n; i++)
			if (make_flag(logs[i], k, none, none).code !=
				REMARK_NONE &&
			    has++ == 0)
				first = logs[i];
		if (first != NULL)
			flags[n_flags++] = make_flag(first, k,
			    remark_name(n > 1 ? first->shown : NULL),
			    has > 1 ? remark_number((double)has - 1) : none);
	}
	return n_flags;
}

/* --- Power ----------------------------------------------------------------*/

int
power_log_mean(
    const struct power_log *p, double from, double to, struct power_mean *mean)
{
	const int by_time = !isnan(from);
	double sum = 0, first = INFINITY, last = -INFINITY;
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++) {
		const struct power_row *row = &p->rows[i];

		first = fmin(first, row->at);
		last = fmax(last, row->at);
		if (by_time && !(row->at >= from && row->at <= to))
			continue;
		if (n++ == 0)
			mean->first_line = row->line;
		mean->last_line = row->line;
		sum += row->watts;
	}
	if (n == 0)
		return -1;
	mean->watts = sum / (double)n;
	first = fmax(first, from);
	last = fmin(last, to);
	mean->covered = !by_time ? 1
	    : to > from          ? fmax(0, last - first) / (to - from)
				 : last >= first;
	return 0;
}

void
power_log_release(struct power_log *p)
{
	free(p->rows);
	*p = (struct power_log){ .name = NULL };
}

/* --- Tests of a benchmark of collectives ----------------------------------*/

size_t
benchmark_test_end(const struct log *log, size_t i)
{
	const struct log_collective *rows = log->collectives;
	size_t end, j;

	for (end = i + 1; end < log->n_collectives; end++) {
		if (!text_same(rows[end].collective, rows[i].collective))
			break;
		for (j = end; j-- > i;)
			if (strcmp(rows[j].kind, rows[end].kind) == 0)
				break;
		if (j + 1 > i && rows[end].bytes <= rows[j].bytes)
			break;
	}
	return end;
}

int
benchmark_log(const struct log *log)
{
	return log->samples.n == 0 && log->n_collectives > 0;
}

const struct log_summary *
benchmark_figure(
    const struct log *log, size_t from, size_t end, struct log_summary *room)
{
	const int64_t last =
	    end < log->n_collectives ? log->collectives[end].line : INT64_MAX;
	double most = -1;
	size_t low = 0, high = log->n_summaries;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (log->summaries[middle].line < last)
			low = middle + 1;
		else
			high = middle;
	}
	while (
	    low-- > 0 && log->summaries[low].line > log->collectives[from].line)
		if (strcmp(log->summaries[low].unit, "GB/s") == 0)
			return &log->summaries[low];
	/* Else the largest message's bus bandwidth, or bytes over time. */
	*room = (struct log_summary){ NAN, "GB/s", 0, 0, 0, NULL };
	for (size_t i = from; i < end; i++) {
		const struct log_collective *x = &log->collectives[i];
		const double v = x->bus > 0 ? x->bus : x->algorithm;

		if (!(v > 0) || x->bytes <= most)
			continue;
		most = x->bytes;
		room->value = v;
		room->line = x->line;
	}
	return most < 0 ? NULL : room;
}
