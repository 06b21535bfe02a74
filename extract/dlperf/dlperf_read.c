#include <config.h>

#include "extract/dlperf/dlperf.h"

#include <assert.h>
#include <json.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "common/alloc.h"
#include "common/stats/stats.h"
#include "common/text.h"
#include "extract/format/format.h"

/* Time stamps as the scripts match them: any character may precede the
 * fraction. */
#define DATE "\\d{4}-\\d{1,2}-\\d{1,2}"
#define CLOCK "\\d{1,2}:\\d{1,2}:\\d{1,2}"
#define STAMP "(" DATE "\\s" CLOCK ".\\d{1,6})"

#define WINDOW(w, t) .warmup = (w), .train = (t)

/* OneFlow's lines end with the time of the iteration, in seconds. */
#define CNN_LINE \
	"^train:(?: |$)", "^train: [^ ]* [^ ]* [^ ]* ([^ ]*)[^ ]", \
	    .value = "([^ ]*)\\z", .settings = cnn_settings
#define BERT_LINE \
	"^step:(?: |$)", "^step: ([^ ]*)[^ ]", .value = "([^ ]*)\\z", \
					       .settings = cnn_settings

static const char *const cnn_settings[] = { "batch_size_per_device",
	"gpu_num_per_node", "num_nodes", NULL };
static const char *const wdl_settings[] = { "num_nodes", "batch_size",
	"deep_vocab_size", "hidden_units_num", "deep_embedding_vec_size",
	"gpu_num_per_node", NULL };
static const char *const hugectr_settings[] = { "num_nodes", "batch_size",
	"deep_vocab_size", "hidden_units_num", "deep_embedding_vec_size",
	"gpu_num_per_node", "wide_workspace_size_per_gpu_in_mb",
	"loss_print_every_n_iter", NULL };
static const char *const model_settings[] = { "num_nodes", "batch_size",
	"batch_size_per_proc", "deep_vocab_size", "hidden_units_num",
	"deep_embedding_vec_size", NULL };

/* In the order of their numbers in the survey, from 1. */
static const struct dlperf_script scripts[] = {
	{ "hugectr-wdl", "HugeCTR/wdl/tools/extract_hugectr_logs.py", NULL,
	    PRINT_INTERVAL, "^[^ ]*\\[INFO\\][^ ]* Iter: [^ ]* ",
	    "^[^ ]* Iter: ([^ ]*) ", .value = "^(?:[^ ]* ){5}([^ ]*)[^ ]",
	    .settings = hugectr_settings, .vocabulary = "vocab_size",
	    WINDOW(100, 1100) },
	{ "hugectr-losses", "HugeCTR/wdl/tools/extract_losses_aucs.sh", NULL,
	    PRINT_LOSSES, WINDOW(0, 1) },
	{ "mindspore-bert-time",
	    "MindSpore/bert/extract_mindspore_logs_time.py", NULL, READ_SINK,
	    "epoch", "step:\\s(\\d+)",
	    .value = "epoch\\stime:\\s(\\d+.\\d{3})" },
	{ "mindspore-resnet50-time",
	    "MindSpore/resnet50v1.5/extract_mindspore_logs_time.py",
	    "mindspore", READ_SINK, "epoch", "step:\\s(\\d+)",
	    .value = "epoch\\stime:\\s(\\d+.\\d{3})",
	    .epoch = "epoch:\\s(\\d+)" },
	{ "mxnet-bert", "MxNet/BERT/extract_mxnet_logs.py", "gluonnlp-bert",
	    READ_MEAN, "throughput=", .digits = 1,
	    .value = "latency=(\\d+.\\d+) ms\\/batch", .what = GIVES_LATENCY,
	    .rows = ROWS_OF_ALL,
	    .from = { .least = 101, .low = 100, .minus = 100 },
	    WINDOW(100, 200) },
	{ "mxnet-resnet50v1b",
	    "MxNet/Classification/RN50v1b/extract_mxnet_logs.py", NULL,
	    READ_MEAN, "Epoch\\[0\\] Batch\\[", .digits = 2,
	    .value = "Speed: (\\d+.\\d+) samples/sec", .rows = ROWS_OF_ONE,
	    .from = { .least = 21, .low = 20, .minus = 20 } },
	{ "mxnet-arcface", "MxNet/InsightFace/ArcFace/extract_mxnet_logs.py",
	    NULL, READ_MEAN, "INFO:root:(?:Epoch|Iter)\\[0\\] Batch",
	    .digits = 1, .value = "Speed: (\\d+\\.\\d+) samples/sec",
	    .what = GIVES_NODE_SPEED, .from = { .over = 20 },
	    .to = { .over = 20 }, .warmup_step = 20 },
	{ "mxnet-partialfc",
	    "MxNet/InsightFace/PartailFC/extract_mxnet_logs.py",
	    "insightface-mxnet", READ_MEAN, "^(?=.*Rank:).*Total:", .digits = 1,
	    .value = "Total:(\\d+\\.\\d+) it/sec", .from = { .minus = 1 },
	    .to = { .least = LONG_MAX, .low = LONG_MAX }, .warmup_step = 20 },
	{ "nvidia-mxnet-resnet50",
	    "NVIDIADeepLearningExamples/MxNet/Classification/RN50v1.5/"
	    "extract_mxnet_logs.py",
	    "mxnet-speedometer", READ_MEAN, " Epoch\\[0\\] Batch ", .digits = 2,
	    .value = "Speed: (\\d+.\\d+) samples/sec", .rows = ROWS_OF_ALL,
	    .from = { .least = 21, .low = 20, .minus = 20 } },
	{ "nvidia-mxnet-resnet50-time",
	    "NVIDIADeepLearningExamples/MxNet/Classification/RN50v1.5/"
	    "extract_mxnet_logs_time.py",
	    NULL, READ_CLOCK, " Epoch\\[0\\] Batch ", .fraction = ',',
	    .value = "(" DATE "\\s" CLOCK ",\\d{1,6})",
	    .from = { .least = 21, .low = 20 }, .per_rank = 1,
	    .by_distance = 1 },
	{ "nvidia-pytorch-bert-time",
	    "NVIDIADeepLearningExamples/PyTorch/BERT/"
	    "extract_pytorch_logs_time.py",
	    "dllogger-bert-pytorch", READ_CLOCK,
	    "Training Epoch: ", "Training Iteration: (.*)  average_loss",
	    .value = STAMP, WINDOW(20, 110) },
	{ "nvidia-pytorch-resnet50-time",
	    "NVIDIADeepLearningExamples/PyTorch/resnet50v1.5/"
	    "extract_pytorch_logs_time.py",
	    "dllogger-resnet50-pytorch", READ_CLOCK,
	    "Iteration: ", "Iteration: (.*)  train.loss :", .value = STAMP },
	{ "nvidia-tensorflow-resnet50",
	    "NVIDIADeepLearningExamples/TensorFlow/Classification/ConvNets/"
	    "resnet50v1.5/extract_tensorflow_logs.py",
	    "dllogger-resnet50-tensorflow", READ_MEAN, " imgs_per_sec ",
	    .digits = 2, .value = " imgs_per_sec \\: (\\d+.\\d+) ",
	    .from = { .least = 20, .minus = 20 }, .to = { .minus = 20 },
	    .warmup_least = 20 },
	{ "nvidia-tensorflow-resnet50-time",
	    "NVIDIADeepLearningExamples/TensorFlow/Classification/ConvNets/"
	    "resnet50v1.5/extract_tensorflow_logs_time.py",
	    NULL, READ_CLOCK, " imgs_per_sec ", .value = STAMP,
	    .from = { .least = 20, .low = 1, .minus = 19 },
	    .to = { .minus = 20 }, .by_distance = 1, .warmup_least = 20 },
	{ "nvidia-tensorflow-bert",
	    "NVIDIADeepLearningExamples/TensorFlow/LanguageModeling/BERT/"
	    "extract_tensorflow_logs.py",
	    "dllogger-bert-tensorflow", READ_MEAN,
	    "^(?=.*Iteration: \\d+0 ).* throughput_train : \\d+\\.\\d+ seq/s",
	    .average_digits = 4,
	    .value = "throughput_train : (\\d+\\.\\d+) seq/s",
	    .from = { .least = 20, .low = 2, .over = 10 }, .to = { .over = 10 },
	    .plain = 1, .warmup_step = 10 },
	{ "nvidia-tensorflow-bert-time",
	    "NVIDIADeepLearningExamples/TensorFlow/LanguageModeling/BERT/"
	    "extract_tensorflow_logs_time.py",
	    NULL, READ_TEXT, " throughput_train : ", "Iteration: ",
	    .average_digits = 4, .value = "(" DATE " " CLOCK ".\\d{1,6})",
	    .plain = 1, .warmup_step = 10 },
	{ "oneflow-cnn",
	    "OneFlow/Classification/ConvNets/resnet50v1.5/"
	    "extract_cnn_result.py",
	    "oneflow-cnn", PRINT_SPEEDS, CNN_LINE },
	{ "oneflow-cnn-util",
	    "OneFlow/Classification/ConvNets/resnet50v1.5/extract_util.py",
	    NULL, PRINT_SPEEDS, CNN_LINE },
	{ "oneflow-wdl",
	    "OneFlow/ClickThroughRate/WideDeepLearning/"
	    "extract_info_from_log.py",
	    "oneflow-wdl", PRINT_1000, "^[^ ]* time [^ ]* ", "^([^ ]*) ",
	    .value = "^[^ ]* time ([^ ]*) ", .settings = wdl_settings,
	    .vocabulary = "deep_vocab_size", WINDOW(0, 1000) },
	{ "oneflow-wdl-models",
	    "OneFlow/ClickThroughRate/WideDeepLearning/"
	    "extract_info_from_log.sh",
	    NULL, PRINT_MEAN, "^\\s*[^ ]* iter: [^ ]* loss: [^ ]* [^ ]* ",
	    .value = "^\\s*[^ ]* iter: [^ ]* loss: [^ ]* [^ ]* ([^ ]*)",
	    .settings = model_settings, .vocabulary = "deep_vocab_size",
	    WINDOW(0, 1000) },
	{ "oneflow-bert",
	    "OneFlow/LanguageModeling/BERT/extract_bert_result.py",
	    "oneflow-bert", PRINT_SPEEDS, BERT_LINE, WINDOW(19, 119) },
	{ "oneflow-bert-util", "OneFlow/LanguageModeling/BERT/extract_util.py",
	    NULL, PRINT_SPEEDS, BERT_LINE, WINDOW(19, 119) },
	{ "oneflow-insightface-time",
	    "OneFlow/Recognition/insightface/extract_oneflow_logs_time.py",
	    "oneflow-insightface", READ_COUNTED, "train: iter",
	    "train: iter (.*), loss", .value = "throughput: (.*)" },
	{ "paddle-bert", "PaddlePaddle/bert/extract_paddle_logs.py",
	    "paddle-bert", READ_MEAN, "speed:",
	    .value = " speed: ([0-9]+\\.[0-9]+) steps/s", .what = GIVES_STEPS },
	{ "paddle-resnet50", "PaddlePaddle/resnet50v1.5/extract_paddle_logs.py",
	    "paddle-pass", READ_MEAN, "elapse", .value = ".*elapse (.*?) sec",
	    .what = GIVES_ELAPSED },
	{ "paddle-resnet50-time",
	    "PaddlePaddle/resnet50v1.5/extract_paddle_logs_time.py", NULL,
	    READ_TEXT, "elapse", "train batch ", "]", .fraction = ',',
	    .value = "(" DATE "\\s" CLOCK ",\\d{3})", .from = { .minus = 1 },
	    .to = { .minus = 1 }, .warmup_least = 2 },
	{ "pytorch-resnet50-time",
	    "PyTorch/resnet50v1.5/extract_pytorch_logs_time.py",
	    "pytorch-imagenet", READ_TIMES,
	    "Epoch: ", "\\[.*\\]\\[([^/]*)(?:/.*)?\\]",
	    .value = "(\\d.\\d{1,3})(?:[\\s\\x1c-\\x1f]|$)",
	    .from = { .minus = -1 }, .plain = 1 },
	{ "tensorflow-bert-time",
	    "TensorFlow/bert/extract_tensorflow_logs_time.py", "tf-bert",
	    READ_CLOCK, "Train Step:", .value = "(" CLOCK ".\\d{1,6})",
	    .from = { .least = 21, .low = 20 } },
	{ "tensorflow-resnet50",
	    "TensorFlow/resnet50v1.5/extract_tensorflow_logs.py",
	    "tf-timehistory", READ_MEAN, "TimeHistory",
	    .value = "\\, (\\d+.\\d+) examples/second ",
	    .from = { .least = 101, .low = 1, .over = 100 },
	    .to = { .over = 100 }, WINDOW(100, 600), .warmup_step = 100 },
	{ "tensorflow-resnet50-time",
	    "TensorFlow/resnet50v1.5/extract_tensorflow_logs_time.py", NULL,
	    READ_CLOCK, "TimeHistory", .value = "(" CLOCK ".\\d{1,6})",
	    .from = { .least = 101, .low = 1, .over = 100 },
	    .to = { .over = 100 }, WINDOW(100, 600), .warmup_step = 100 },
};

enum { N_SCRIPTS = sizeof scripts / sizeof *scripts };

const struct dlperf_script *
dlperf_script_of(const char *format)
{
	size_t i;

	for (i = 0; i < N_SCRIPTS; i++)
		if (scripts[i].format != NULL &&
		    strcmp(scripts[i].format, format) == 0)
			return &scripts[i];
	return NULL;
}

const struct dlperf_script *
dlperf_script_get(const char *name, struct error *e)
{
	const char *number = name[0] == '#' ? name + 1 : name;
	const struct dlperf_script *found = NULL, *near = scripts;
	size_t i, n = 0;
	char *end;
	const long k = strtol(number, &end, 10);

	for (i = 0; i < N_SCRIPTS; i++) {
		if (strcmp(scripts[i].name, name) == 0 ||
		    (end != number && *end == '\0' && k == (long)i + 1))
			return &scripts[i];
		/* The path with or without its suffix, or the end of either
		 * after a '/'. */
		for (int suffix = 1; suffix >= 0 && name[0] != '\0'; suffix--) {
			const char *path = scripts[i].path;
			const char *last =
			    suffix ? path + strlen(path) : strrchr(path, '.');

			if (strlen(name) > (size_t)(last - path) ||
			    strncmp(last - strlen(name), name, strlen(name)) !=
				0)
				continue;
			last -= strlen(name);
			if (last == path)
				return &scripts[i];
			if (last[-1] != '/')
				continue;
			found = &scripts[i];
			n++;
			break;
		}
		if (spell_distance(name, scripts[i].name) <
		    spell_distance(name, near->name))
			near = &scripts[i];
	}
	if (n == 1)
		return found;
	if (n > 1)
		error_set(e, ERROR_USAGE,
		    "--protocol=dlperf: %zu scripts are called '%s'; give more "
		    "of the path, or a name (--protocol=dlperf:list)",
		    n, name);
	else
		error_set(e, ERROR_USAGE,
		    "--protocol=dlperf: there is no script '%.200s'; nearest: "
		    "%s; --protocol=dlperf:list names all",
		    name, near->name);
	return NULL;
}

void
dlperf_script_list(FILE *f)
{
	size_t i;

	for (i = 0; i < N_SCRIPTS; i++)
		fprintf(f, "%2zu  %-31s  %s\n", i + 1, scripts[i].name,
		    scripts[i].path);
}

#define LATENCY "latency(ms)"

enum {
	SKIP = 5, /* iterations that are not counted */
	MAX_GROUP = 256,
	MAX_SHOWN = 40,
	MATCH_LIMIT = 100000
};

/* The patterns of a script. */
enum { LINE, ITERATION, EPOCH, VALUE, N_PATTERNS };

struct taken_line {
	char *text;
	double iteration;
};

/* State while one log is read. */
struct reader {
	const struct dlperf_script *script;
	struct dlperf_log *log;
	struct json_object *dict;
	long warmup, train, from, to;
	long gpus, ranks; /* ranks: lines per iteration */
	double batch;     /* samples per iteration of all GPUs */
	pcre2_code *patterns[N_PATTERNS];
	pcre2_match_data *match;
	pcre2_match_context *limits;
	struct taken_line *lines;
	size_t n, alloc;
	double every;        /* PRINT_INTERVAL: iterations between lines */
	struct error *error; /* first failure; reading continues */
};

/* Record why the script fails.  Returns NAN. */
static double
fail(struct reader *r, const char *why, const char *value)
{
	if (r->error->code == ERROR_NONE)
		error_set(r->error, ERROR_INPUT,
		    "DLPerf's script fails: %s%.*s", why, MAX_SHOWN, value);
	return NAN;
}

double
py_round(double x, int digits)
{
	char buf[512]; /* up to 309 digits */

	snprintf(buf, sizeof buf, "%.*f", digits, x);
	return strtod(buf, NULL);
}

double
np_round(double x, int digits)
{
	const double scale = pow(10, digits);

	return rint(x * scale) / scale;
}

double
dlperf_round(const struct dlperf_script *s, double x, int digits)
{
	const int numpy =
	    !s->plain && (s->kind == READ_MEAN || s->kind == READ_COUNTED);

	return numpy ? np_round(x, digits) : py_round(x, digits);
}

static int
matches(struct reader *r, int pattern, const char *line)
{
	return pcre2_match(r->patterns[pattern], (PCRE2_SPTR)line, strlen(line),
		   0, PCRE2_NO_UTF_CHECK, r->match, r->limits) >= 1;
}

/* float(text); NAN if invalid. */
static double
read_float(const char *text)
{
	char *end;
	const double x = strtod(text, &end);

	return end == text || end[strspn(end, " \t\v\f")] != '\0' ? NAN : x;
}

/* Group 1 of the first match in the line: a number, or "2020-07-14
 * 22:16:50,122" or "22:16:50.122" in microseconds. */
static double
number_in(struct reader *r, int pattern, const char *line)
{
	const struct dlperf_script *s = r->script;
	const PCRE2_SIZE *span = pcre2_get_ovector_pointer(r->match);
	struct tm tm = { .tm_year = 70, .tm_mday = 1 };
	char buf[MAX_GROUP], *end;
	double x = NAN;

	if (!matches(r, pattern, line))
		return fail(r, "there is no number in ", line);
	snprintf(
	    buf, sizeof buf, "%.*s", (int)(span[3] - span[2]), line + span[2]);
	if (pattern != VALUE || (s->kind != READ_CLOCK && s->kind != READ_TEXT))
		x = read_float(buf);
	else if ((end = strptime(buf,
		      strchr(buf, '-') != NULL ? "%Y-%m-%d %H:%M:%S"
					       : "%H:%M:%S",
		      &tm)) != NULL &&
	    *end == (s->fraction != '\0' ? s->fraction : '.')) {
		*end = '.';
		x = (double)timegm(&tm) * 1e6 + rint(strtod(end, NULL) * 1e6);
	}
	return isnan(x) ? fail(r, "not a number: ", buf) : x;
}

/* Parse a line "batch_size = 128"; 0 if it is not a setting of the script. */
static int
take_setting(struct reader *r, char *line)
{
	const size_t len = strcspn(line, " ");
	const char *const *key = r->script->settings;
	char *value = line[len] != '\0' ? strchr(line + len + 1, ' ') : NULL;
	long k = 0;

	while (key != NULL && *key != NULL &&
	    (strncmp(line, *key, len) != 0 || (*key)[len] != '\0'))
		key++;
	if (key == NULL || *key == NULL)
		return 0;
	value = value != NULL ? value + 1 : line + len;
	value[strcspn(value, " ")] = '\0';
	if (strcmp(*key, "loss_print_every_n_iter") == 0)
		r->every = read_float(value);
	else if (strcmp(*key, "wide_workspace_size_per_gpu_in_mb") == 0) {
		if (parse_long(value, 0, INT_MAX, &k) != 0)
			fail(r, "not a number: ", value);
		json_object_object_add(r->dict, "vocab_size",
		    json_object_new_int64(k * 262144 / 1000000 * 1000000));
	} else if (*value == '\0')
		fail(r, "there is no value of ", *key);
	else
		json_object_object_add(
		    r->dict, *key, json_object_new_string(value));
	return 1;
}

/* True if a line of iteration k counts. */
static int
is_counted(const struct reader *r, const char *line, double k)
{
	const enum dlperf_kind kind = r->script->kind;

	if (kind == READ_SINK)
		return k > (double)r->warmup &&
		    strstr(line, "epoch time:") != NULL;
	if (kind == PRINT_INTERVAL)
		return k != (double)r->warmup;
	return r->patterns[ITERATION] == NULL || kind >= PRINT_SPEEDS ||
	    k > SKIP;
}

/* Collect the counted lines, up to the line where the script stops.  READ_SINK
 * takes the iteration of a line from those above it. */
static void
collect_lines(struct reader *r, char *text)
{
	const enum dlperf_kind kind = r->script->kind;
	const int stops =
	    kind == READ_COUNTED || kind == READ_TIMES || kind == READ_CLOCK;
	char *line;
	double k = 0;

	while (r->error->code == ERROR_NONE &&
	    (line = strsep(&text, "\r\n")) != NULL) {
		if (take_setting(r, line) || !matches(r, LINE, line))
			continue;
		if (r->patterns[ITERATION] != NULL &&
		    (kind != READ_SINK ||
			(strstr(line, "epoch:") != NULL &&
			    strstr(line, "step:") != NULL)))
			k = number_in(r, ITERATION, line) *
			    (r->patterns[EPOCH] != NULL
				    ? number_in(r, EPOCH, line)
				    : 1);
		if (kind == READ_SINK && k > (double)r->train)
			return;
		if (!is_counted(r, line, k))
			continue;
		r->lines =
		    vec_grow(r->lines, r->n, &r->alloc, sizeof *r->lines);
		r->lines[r->n++] = (struct taken_line){ line, k };
		if (stops && (long)r->n == r->to * r->ranks)
			return;
	}
}

/* True if line i has the number or iteration `at`, which W or T gives. */
static int
is_at(const struct reader *r, size_t i, long at)
{
	const struct dlperf_script *s = r->script;
	const double iteration = r->lines[i].iteration;
	char text[64];

	if (s->kind == READ_CLOCK)
		return (long)i + 1 == at * r->ranks;
	if (s->kind == PRINT_1000)
		return at == r->from
		    ? i == 0
		    : iteration == r->lines[0].iteration + 1000;
	if (s->kind == PRINT_SPEEDS)
		return iteration == (double)at;
	snprintf(text, sizeof text, "%s%ld%s", s->iteration, at,
	    s->after != NULL ? s->after : "");
	return strstr(r->lines[i].text, text) != NULL;
}

/* int(dict[key]) */
static long
setting_of(struct reader *r, const char *key)
{
	struct json_object *x = json_object_object_get(r->dict, key);
	long value = 0;

	if (x == NULL ||
	    parse_long(json_object_get_string(x), 0, INT_MAX, &value) != 0)
		fail(r, "there is no number of ", key);
	return value;
}

/* Compute the speed from the seconds that these iterations took. */
static void
set_speed(struct reader *r, double seconds, double iterations)
{
	if (iterations == 0 || seconds == 0)
		fail(r, "no time has passed", "");
	r->log->is_float = 1;
	r->log->speed = r->batch / (seconds / iterations);
}

/* Measure the time between the lines of W and T; PRINT_...: the last ones. */
static void
read_interval(struct reader *r)
{
	const enum dlperf_kind kind = r->script->kind;
	const int last = kind >= PRINT_SPEEDS;
	const long train = r->train - r->warmup;
	struct dlperf_log *log = r->log;
	const char *start = NULL, *end = NULL;
	double elapsed;
	size_t i;

	for (i = 0; i < r->n && (last || end == NULL); i++)
		if (is_at(r, i, r->from))
			start = r->lines[i].text;
		else if (is_at(r, i, r->to))
			end = r->lines[i].text;
	log->lines = (long)i;
	if (kind == PRINT_1000 && start != NULL && end == NULL)
		json_object_object_add(
		    r->dict, LATENCY, json_object_new_int64(0));
	if (start == NULL || end == NULL) {
		if (kind == PRINT_SPEEDS || (!last && end != NULL))
			fail(r, "there is no iteration ",
			    start == NULL ? "of warm-up" : "after it");
		return;
	}
	elapsed = number_in(r, VALUE, end) - number_in(r, VALUE, start);
	if (kind == PRINT_1000)
		/* seconds per 1000 iterations are ms per iteration */
		json_object_object_add(
		    r->dict, LATENCY, json_object_new_double(elapsed));
	else if (kind == PRINT_SPEEDS) {
		log->nodes = setting_of(r, "num_nodes");
		log->gpus_per_node = setting_of(r, "gpu_num_per_node");
		log->batch = setting_of(r, "batch_size_per_device");
		r->batch = (double)(log->batch * log->gpus_per_node *
		    log->nodes * train);
		set_speed(r, elapsed, 1);
	} else
		set_speed(r, elapsed / 1e6,
		    (double)(r->script->by_distance ? r->to - r->from : train));
}

/* Convert a value of READ_MEAN to samples/s as the script does. */
static double
make_speed(struct reader *r, double x)
{
	const struct dlperf_log *n = r->log;
	const enum dlperf_value what = r->script->what;

	if (r->script->digits > 0)
		x = py_round(x, r->script->digits);
	if (what == GIVES_NODE_SPEED)
		return x * (double)n->nodes;
	if (what == GIVES_STEPS)
		return py_round(x * (double)(n->gpus_per_node * n->batch), 4);
	if (what == GIVES_SPEED)
		return x;
	if (x == 0)
		return fail(r, "a time is 0", "");
	if (what == GIVES_LATENCY)
		return 1000.0 / x * (double)n->batch * (double)n->nodes *
		    (double)n->gpus_per_node;
	return py_round(r->batch / x, 4);
}

/* Slice index as in Python: negative values count from the end; at most n. */
static size_t
slice_index(long i, size_t n)
{
	if (i < 0)
		i = i + (long)n < 0 ? 0 : i + (long)n;
	return (size_t)i < n ? (size_t)i : n;
}

/* Add latency(ms) of PRINT_INTERVAL and PRINT_MEAN. */
static void
add_latency(struct reader *r, const double *values)
{
	const int models = r->script->kind == PRINT_MEAN;
	const size_t skip = models && r->n > 2; /* first and last */
	const double n = (double)(r->n - 2 * skip);
	double latency = 0;
	long each;
	size_t i;

	for (i = skip; i < r->n - skip; i++)
		latency += values[i];
	latency = models ? latency / n : 1000 * latency / n / r->every;
	if (!models && !(r->every > 0))
		return;
	if (models) {
		each = setting_of(r, "batch_size_per_proc");
		if (each == 0)
			fail(r, "batch_size_per_proc is 0", "");
		json_object_object_add(r->dict, "gpu_num_per_node",
		    json_object_new_int64(
			setting_of(r, "batch_size") / (each > 0 ? each : 1)));
		json_object_object_add(
		    r->dict, "num_nodes", json_object_new_int64(1));
	} else if (n == 0)
		fail(r, "no line has Iter", "");
	json_object_object_add(r->dict, LATENCY,
	    n == 0 ? json_object_new_string("NA")
		   : json_object_new_double(latency));
}

/* Compute the script's statistic of the values of the lines. */
static void
read_values(struct reader *r)
{
	const enum dlperf_kind kind = r->script->kind;
	const int counted = kind == READ_COUNTED || kind == READ_TIMES;
	const size_t first = counted && r->from > 0 ? (size_t)r->from - 1 : 0;
	const double iterations = (double)(r->train - r->warmup);
	const size_t ranks = r->script->rows == ROWS_OF_ALL ? r->gpus : 1;
	double *values, sum = 0;
	size_t i, n = r->n, low, end;

	r->log->lines = (long)r->n;
	if (counted && r->log->lines < r->to)
		return;
	r->log->is_float = 1;
	values = xcalloc(r->n + 1, sizeof *values);
	for (i = first; i < r->n; i++) {
		values[i] = number_in(r, VALUE, r->lines[i].text);
		sum += values[i];
		if (kind == READ_MEAN)
			values[i] = make_speed(r, values[i]);
	}
	r->log->nothing = kind == READ_SINK && sum / 1000 <= 1e-5;
	if (kind == READ_MEAN) {
		/* reshape(T, ranks), the median of each row, then the mean of a
		 * slice. */
		if (r->script->rows != ROWS_NONE) {
			n = (size_t)r->train;
			if (ranks == 0 || r->n != n * ranks) {
				fail(
				    r, "the lines are not T for each rank", "");
				n = 0;
			}
			for (i = 0; i < n; i++)
				values[i] =
				    stats_median(values + i * ranks, ranks);
		}
		low = slice_index(r->from, n);
		end = slice_index(r->to, n);
		r->log->speed =
		    end > low ? stats_mean(values + low, end - low) : NAN;
	} else if (kind >= PRINT_SPEEDS)
		add_latency(r, values);
	else if (kind == READ_TIMES)
		set_speed(r, sum, iterations);
	else if (kind == READ_COUNTED)
		r->log->speed = sum / (double)(r->n - first);
	else if (!r->log->nothing)
		set_speed(r, sum / 1000, iterations * (double)r->gpus);
	free(values);
}

static long
bound_of(const struct dlperf_bound *b, long x)
{
	if (x < b->least)
		return b->low;
	return (x - b->minus) / (b->over > 0 ? b->over : 1);
}

int
dlperf_read(const struct dlperf_script *s, char *text, size_t len, long warmup,
    long train, struct dlperf_log *log, struct json_object *dict,
    struct error *e)
{
	const enum dlperf_kind kind = s->kind;
	const char *const patterns[N_PATTERNS] = { s->line,
		kind == READ_TEXT ? NULL : s->iteration, s->epoch, s->value };
	const long gpus = log->nodes * log->gpus_per_node;
	struct reader r = {
		.script = s,
		.log = log,
		.dict = dict,
		.warmup = warmup,
		.train = train,
		.from = bound_of(&s->from, warmup),
		.to = bound_of(&s->to, train),
		.gpus = gpus,
		.ranks = s->per_rank ? gpus : 1,
		.batch = (double)(gpus * log->batch),
		.match = pcre2_match_data_create(8, NULL),
		.limits = pcre2_match_context_create(NULL),
		.error = e,
	};
	PCRE2_SIZE offset;
	size_t i;
	int code;

	pcre2_set_match_limit(r.limits, MATCH_LIMIT);
	for (i = 0; i < N_PATTERNS; i++)
		if (patterns[i] != NULL) {
			r.patterns[i] = pcre2_compile((PCRE2_SPTR)patterns[i],
			    PCRE2_ZERO_TERMINATED, PCRE2_DOTALL | PCRE2_UTF,
			    &code, &offset, NULL);
			assert(r.patterns[i] != NULL); /* constants */
		}
	if (!utf8_valid(text, len))
		fail(&r, "the log is not UTF-8", "");
	for (i = 0; i < len; i++)
		if (text[i] == '\0')
			text[i] = '\001'; /* also neither digit nor blank */
	collect_lines(&r, text);
	if (kind == READ_CLOCK || kind == READ_TEXT || kind == PRINT_SPEEDS ||
	    kind == PRINT_1000)
		read_interval(&r);
	else
		read_values(&r);
	if (log->is_float && kind < PRINT_SPEEDS)
		log->speed = dlperf_round(s, log->speed, 2);
	for (i = 0; i < N_PATTERNS; i++)
		pcre2_code_free(r.patterns[i]);
	pcre2_match_data_free(r.match);
	pcre2_match_context_free(r.limits);
	free(r.lines);
	return e->code == ERROR_NONE ? 0 : -1;
}
