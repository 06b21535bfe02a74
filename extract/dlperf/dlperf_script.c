#include <config.h>

#include "extract/dlperf/dlperf.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"

/* Time stamps as the scripts match them: any character may precede the
 * fraction. */
#define DATE "\\d{4}-\\d{1,2}-\\d{1,2}"
#define CLOCK "\\d{1,2}:\\d{1,2}:\\d{1,2}"

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

static const struct dlperf_script scripts[] = {
	{ 1, "hugectr-wdl", "HugeCTR/wdl/tools/extract_hugectr_logs.py", NULL,
	    PRINT_INTERVAL, "^[^ ]*\\[INFO\\][^ ]* Iter: [^ ]* ",
	    "^[^ ]* Iter: ([^ ]*) ", .value = "^(?:[^ ]* ){5}([^ ]*)[^ ]",
	    .settings = hugectr_settings, .vocabulary = "vocab_size",
	    WINDOW(100, 1100) },
	{ 2, "hugectr-losses", "HugeCTR/wdl/tools/extract_losses_aucs.sh", NULL,
	    PRINT_LOSSES, WINDOW(0, 1) },
	{ 3, "mindspore-bert-time",
	    "MindSpore/bert/extract_mindspore_logs_time.py", NULL, READ_SINK,
	    "epoch", "step:\\s(\\d+)", .value = "epoch\\stime:\\s(\\d+.\\d{3})",
	    WINDOW(20, 120) },
	{ 4, "mindspore-resnet50-time",
	    "MindSpore/resnet50v1.5/extract_mindspore_logs_time.py",
	    "mindspore", READ_SINK, "epoch", "step:\\s(\\d+)",
	    .value = "epoch\\stime:\\s(\\d+.\\d{3})",
	    .epoch = "epoch:\\s(\\d+)", WINDOW(20, 120) },
	{ 5, "mxnet-bert", "MxNet/BERT/extract_mxnet_logs.py", "gluonnlp-bert",
	    READ_MEAN, "throughput=", .digits = 1,
	    .value = "latency=(\\d+.\\d+) ms\\/batch", .what = GIVES_LATENCY,
	    .rows = ROWS_OF_ALL,
	    .from = { .least = 101, .low = 100, .minus = 100 },
	    WINDOW(100, 200) },
	{ 6, "mxnet-resnet50v1b",
	    "MxNet/Classification/RN50v1b/extract_mxnet_logs.py", NULL,
	    READ_MEAN, "Epoch\\[0\\] Batch\\[", .digits = 2,
	    .value = "Speed: (\\d+.\\d+) samples/sec", .rows = ROWS_OF_ONE,
	    .from = { .least = 21, .low = 20, .minus = 20 }, WINDOW(20, 120) },
	{ 7, "mxnet-arcface", "MxNet/InsightFace/ArcFace/extract_mxnet_logs.py",
	    NULL, READ_MEAN, "INFO:root:(?:Epoch|Iter)\\[0\\] Batch",
	    .digits = 1, .value = "Speed: (\\d+\\.\\d+) samples/sec",
	    .what = GIVES_NODE_SPEED, .from = { .over = 20 },
	    .to = { .over = 20 }, WINDOW(20, 120), .warmup_step = 20 },
	{ 8, "mxnet-partialfc",
	    "MxNet/InsightFace/PartailFC/extract_mxnet_logs.py",
	    "insightface-mxnet", READ_MEAN, "^(?=.*Rank:).*Total:", .digits = 1,
	    .value = "Total:(\\d+\\.\\d+) it/sec", .from = { .minus = 1 },
	    .to = { .least = LONG_MAX, .low = LONG_MAX }, WINDOW(20, 120),
	    .warmup_step = 20 },
	{ 9, "nvidia-mxnet-resnet50",
	    "NVIDIADeepLearningExamples/MxNet/Classification/RN50v1.5/"
	    "extract_mxnet_logs.py",
	    "mxnet-speedometer", READ_MEAN, " Epoch\\[0\\] Batch ", .digits = 2,
	    .value = "Speed: (\\d+.\\d+) samples/sec", .rows = ROWS_OF_ALL,
	    .from = { .least = 21, .low = 20, .minus = 20 }, WINDOW(20, 120) },
	{ 10, "nvidia-mxnet-resnet50-time",
	    "NVIDIADeepLearningExamples/MxNet/Classification/RN50v1.5/"
	    "extract_mxnet_logs_time.py",
	    NULL, READ_CLOCK, " Epoch\\[0\\] Batch ", .fraction = ',',
	    .value = "(" DATE "\\s" CLOCK ",\\d{1,6})",
	    .from = { .least = 21, .low = 20 }, .per_rank = 1, .by_distance = 1,
	    WINDOW(20, 120) },
	{ 11, "nvidia-pytorch-bert-time",
	    "NVIDIADeepLearningExamples/PyTorch/BERT/"
	    "extract_pytorch_logs_time.py",
	    "dllogger-bert-pytorch", READ_CLOCK,
	    "Training Epoch: ", "Training Iteration: (.*)  average_loss",
	    .value = "(" DATE "\\s" CLOCK ".\\d{1,6})", WINDOW(20, 110) },
	{ 12, "nvidia-pytorch-resnet50-time",
	    "NVIDIADeepLearningExamples/PyTorch/resnet50v1.5/"
	    "extract_pytorch_logs_time.py",
	    "dllogger-resnet50-pytorch", READ_CLOCK,
	    "Iteration: ", "Iteration: (.*)  train.loss :",
	    .value = "(" DATE "\\s" CLOCK ".\\d{1,6})", WINDOW(20, 120) },
	{ 13, "nvidia-tensorflow-resnet50",
	    "NVIDIADeepLearningExamples/TensorFlow/Classification/ConvNets/"
	    "resnet50v1.5/extract_tensorflow_logs.py",
	    "dllogger-resnet50-tensorflow", READ_MEAN, " imgs_per_sec ",
	    .digits = 2, .value = " imgs_per_sec \\: (\\d+.\\d+) ",
	    .from = { .least = 20, .minus = 20 }, .to = { .minus = 20 },
	    WINDOW(20, 120), .warmup_least = 20 },
	{ 14, "nvidia-tensorflow-resnet50-time",
	    "NVIDIADeepLearningExamples/TensorFlow/Classification/ConvNets/"
	    "resnet50v1.5/extract_tensorflow_logs_time.py",
	    NULL, READ_CLOCK, " imgs_per_sec ",
	    .value = "(" DATE "\\s" CLOCK ".\\d{1,6})",
	    .from = { .least = 20, .low = 1, .minus = 19 },
	    .to = { .minus = 20 }, .by_distance = 1, WINDOW(20, 120),
	    .warmup_least = 20 },
	{ 15, "nvidia-tensorflow-bert",
	    "NVIDIADeepLearningExamples/TensorFlow/LanguageModeling/BERT/"
	    "extract_tensorflow_logs.py",
	    "dllogger-bert-tensorflow", READ_MEAN,
	    "^(?=.*Iteration: \\d+0 ).* throughput_train : \\d+\\.\\d+ seq/s",
	    .average_digits = 4,
	    .value = "throughput_train : (\\d+\\.\\d+) seq/s",
	    .from = { .least = 20, .low = 2, .over = 10 }, .to = { .over = 10 },
	    .plain = 1, WINDOW(20, 120), .warmup_step = 10 },
	{ 16, "nvidia-tensorflow-bert-time",
	    "NVIDIADeepLearningExamples/TensorFlow/LanguageModeling/BERT/"
	    "extract_tensorflow_logs_time.py",
	    NULL, READ_TEXT, " throughput_train : ", "Iteration: ",
	    .average_digits = 4, .value = "(" DATE " " CLOCK ".\\d{1,6})",
	    .plain = 1, WINDOW(20, 120), .warmup_step = 10 },
	{ 17, "oneflow-cnn",
	    "OneFlow/Classification/ConvNets/resnet50v1.5/"
	    "extract_cnn_result.py",
	    "oneflow-cnn", PRINT_SPEEDS, CNN_LINE, WINDOW(20, 120) },
	{ 18, "oneflow-cnn-util",
	    "OneFlow/Classification/ConvNets/resnet50v1.5/extract_util.py",
	    NULL, PRINT_SPEEDS, CNN_LINE, WINDOW(20, 120) },
	{ 19, "oneflow-wdl",
	    "OneFlow/ClickThroughRate/WideDeepLearning/"
	    "extract_info_from_log.py",
	    "oneflow-wdl", PRINT_1000, "^[^ ]* time [^ ]* ", "^([^ ]*) ",
	    .value = "^[^ ]* time ([^ ]*) ", .settings = wdl_settings,
	    .vocabulary = "deep_vocab_size", WINDOW(0, 1000) },
	{ 20, "oneflow-wdl-models",
	    "OneFlow/ClickThroughRate/WideDeepLearning/"
	    "extract_info_from_log.sh",
	    NULL, PRINT_MEAN, "^\\s*[^ ]* iter: [^ ]* loss: [^ ]* [^ ]* ",
	    .value = "^\\s*[^ ]* iter: [^ ]* loss: [^ ]* [^ ]* ([^ ]*)",
	    .settings = model_settings, .vocabulary = "deep_vocab_size",
	    WINDOW(0, 1000) },
	{ 21, "oneflow-bert",
	    "OneFlow/LanguageModeling/BERT/extract_bert_result.py",
	    "oneflow-bert", PRINT_SPEEDS, BERT_LINE, WINDOW(19, 119) },
	{ 22, "oneflow-bert-util",
	    "OneFlow/LanguageModeling/BERT/extract_util.py", NULL, PRINT_SPEEDS,
	    BERT_LINE, WINDOW(19, 119) },
	{ 23, "oneflow-insightface-time",
	    "OneFlow/Recognition/insightface/extract_oneflow_logs_time.py",
	    "oneflow-insightface", READ_COUNTED, "train: iter",
	    "train: iter (.*), loss", .value = "throughput: (.*)",
	    WINDOW(20, 120) },
	{ 24, "paddle-bert", "PaddlePaddle/bert/extract_paddle_logs.py",
	    "paddle-bert", READ_MEAN,
	    "speed:", .value = " speed: ([0-9]+\\.[0-9]+) steps/s",
	    .what = GIVES_STEPS, WINDOW(20, 120) },
	{ 25, "paddle-resnet50",
	    "PaddlePaddle/resnet50v1.5/extract_paddle_logs.py", "paddle-pass",
	    READ_MEAN, "elapse", .value = ".*elapse (.*?) sec",
	    .what = GIVES_ELAPSED, WINDOW(20, 120) },
	{ 26, "paddle-resnet50-time",
	    "PaddlePaddle/resnet50v1.5/extract_paddle_logs_time.py", NULL,
	    READ_TEXT, "elapse", "train batch ", "]", .fraction = ',',
	    .value = "(" DATE "\\s" CLOCK ",\\d{3})", .from = { .minus = 1 },
	    .to = { .minus = 1 }, WINDOW(20, 120), .warmup_least = 2 },
	{ 27, "pytorch-resnet50-time",
	    "PyTorch/resnet50v1.5/extract_pytorch_logs_time.py",
	    "pytorch-imagenet", READ_TIMES,
	    "Epoch: ", "\\[.*\\]\\[([^/]*)(?:/.*)?\\]",
	    .value = "(\\d.\\d{1,3})(?:[\\s\\x1c-\\x1f]|$)",
	    .from = { .minus = -1 }, .plain = 1, WINDOW(20, 120) },
	{ 28, "tensorflow-bert-time",
	    "TensorFlow/bert/extract_tensorflow_logs_time.py", "tf-bert",
	    READ_CLOCK, "Train Step:", .value = "(" CLOCK ".\\d{1,6})",
	    .from = { .least = 21, .low = 20 }, WINDOW(20, 120) },
	{ 29, "tensorflow-resnet50",
	    "TensorFlow/resnet50v1.5/extract_tensorflow_logs.py",
	    "tf-timehistory", READ_MEAN, "TimeHistory",
	    .value = "\\, (\\d+.\\d+) examples/second ",
	    .from = { .least = 101, .low = 1, .over = 100 },
	    .to = { .over = 100 }, WINDOW(100, 600), .warmup_step = 100 },
	{ 30, "tensorflow-resnet50-time",
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

/* True if name is the path with or without its suffix, or the end of either
 * after a '/'. */
static int
is_path(const char *path, const char *name)
{
	const size_t len = strlen(path), n = strlen(name);
	const size_t ends[] = { len, (size_t)(strrchr(path, '.') - path) };
	size_t i;

	for (i = 0; i < 2; i++)
		if (n <= ends[i] && strncmp(path + ends[i] - n, name, n) == 0 &&
		    (n == ends[i] || path[ends[i] - n - 1] == '/'))
			return 1;
	return 0;
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
		    (end != number && *end == '\0' && k == scripts[i].number))
			return &scripts[i];
		if (name[0] != '\0' && is_path(scripts[i].path, name)) {
			found = &scripts[i];
			n++;
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
		fprintf(f, "%2d  %-31s  %s\n", scripts[i].number,
		    scripts[i].name, scripts[i].path);
}
