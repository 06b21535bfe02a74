/* What the head of a column states: its role by the words that published tables
 * use, English and Chinese, a unit, and the framework, precision and batch size
 * that stand next to it.  Called where a table is made of its grid; it sees no
 * cell. */
#include <config.h>

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "common/published/published_parts.h"
#include "common/strbuf.h"
#include "common/units/units.h"

enum { MAX_HEAD = 1024 }; /* bytes; a longer one is not looked at */

/* Words of heads, without spaces, '_', '-' and '.', in small letters. */
static const struct known_head {
	const char *word;
	enum published_role role;
} known_heads[] = {
	{ "nodes", PUBLISHED_NODES },
	{ "node", PUBLISHED_NODES },
	{ "nodenum", PUBLISHED_NODES },
	{ "numnodes", PUBLISHED_NODES },
	{ "nnodes", PUBLISHED_NODES },
	{ "nodecount", PUBLISHED_NODES },
	{ "numberofnodes", PUBLISHED_NODES },
	{ "servers", PUBLISHED_NODES },
	{ "machines", PUBLISHED_NODES },
	{ "hosts", PUBLISHED_NODES },
	{ "节点", PUBLISHED_NODES },
	{ "节点数", PUBLISHED_NODES },
	{ "节点数量", PUBLISHED_NODES },
	{ "机器数", PUBLISHED_NODES },
	{ "机器数量", PUBLISHED_NODES },
	{ "服务器数", PUBLISHED_NODES },
	{ "服务器数量", PUBLISHED_NODES },
	{ "numservers", PUBLISHED_NODES },
	{ "nummachines", PUBLISHED_NODES },
	{ "numhosts", PUBLISHED_NODES },
	{ "nodesnum", PUBLISHED_NODES },
	{ "节点个数", PUBLISHED_NODES },
	{ "计算节点数", PUBLISHED_NODES },
	{ "服务器台数", PUBLISHED_NODES },
	{ "机器台数", PUBLISHED_NODES },
	{ "主机数", PUBLISHED_NODES },
	{ "gpus", PUBLISHED_GPUS },
	{ "totalgpus", PUBLISHED_GPUS },
	{ "worldsize", PUBLISHED_GPUS },
	{ "总卡数", PUBLISHED_GPUS },
	{ "gpu总数", PUBLISHED_GPUS },
	{ "totalgpu", PUBLISHED_GPUS },
	{ "gpustotal", PUBLISHED_GPUS },
	{ "totalnumgpus", PUBLISHED_GPUS },
	{ "totalgpunum", PUBLISHED_GPUS },
	{ "totaldevices", PUBLISHED_GPUS },
	{ "numranks", PUBLISHED_GPUS },
	{ "ranks", PUBLISHED_GPUS },
	{ "numworkers", PUBLISHED_GPUS },
	{ "workers", PUBLISHED_GPUS },
	{ "numprocesses", PUBLISHED_GPUS },
	{ "总gpu数", PUBLISHED_GPUS },
	{ "总gpu数量", PUBLISHED_GPUS },
	{ "gpu总数量", PUBLISHED_GPUS },
	{ "总gpu卡数", PUBLISHED_GPUS },
	{ "总显卡数", PUBLISHED_GPUS },
	{ "总卡数量", PUBLISHED_GPUS },
	{ "gpunum", PUBLISHED_GPU_COUNT },
	{ "numgpus", PUBLISHED_GPU_COUNT },
	{ "ngpus", PUBLISHED_GPU_COUNT },
	{ "gpucount", PUBLISHED_GPU_COUNT },
	{ "gpu", PUBLISHED_GPU_COUNT },
	{ "numberofgpus", PUBLISHED_GPU_COUNT },
	{ "devicenum", PUBLISHED_GPU_COUNT },
	{ "numdevices", PUBLISHED_GPU_COUNT },
	{ "devices", PUBLISHED_GPU_COUNT },
	{ "卡数", PUBLISHED_GPU_COUNT },
	{ "gpu数", PUBLISHED_GPU_COUNT },
	{ "gpu数量", PUBLISHED_GPU_COUNT },
	{ "显卡数", PUBLISHED_GPU_COUNT },
	{ "显卡数量", PUBLISHED_GPU_COUNT },
	{ "gpucards", PUBLISHED_GPU_COUNT },
	{ "cards", PUBLISHED_GPU_COUNT },
	{ "numcards", PUBLISHED_GPU_COUNT },
	{ "accelerators", PUBLISHED_GPU_COUNT },
	{ "numaccelerators", PUBLISHED_GPU_COUNT },
	{ "numgpu", PUBLISHED_GPU_COUNT },
	{ "gpu个数", PUBLISHED_GPU_COUNT },
	{ "gpu卡数", PUBLISHED_GPU_COUNT },
	{ "卡数量", PUBLISHED_GPU_COUNT },
	{ "设备数", PUBLISHED_GPU_COUNT },
	{ "设备数量", PUBLISHED_GPU_COUNT },
	{ "显卡个数", PUBLISHED_GPU_COUNT },
	{ "gpunumpernode", PUBLISHED_NODE_GPUS },
	{ "numgpuspernode", PUBLISHED_NODE_GPUS },
	{ "gpuspernode", PUBLISHED_NODE_GPUS },
	{ "gpupernode", PUBLISHED_NODE_GPUS },
	{ "devicespernode", PUBLISHED_NODE_GPUS },
	{ "devicenumpernode", PUBLISHED_NODE_GPUS },
	{ "nprocpernode", PUBLISHED_NODE_GPUS },
	{ "每节点gpu数", PUBLISHED_NODE_GPUS },
	{ "每节点卡数", PUBLISHED_NODE_GPUS },
	{ "每机卡数", PUBLISHED_NODE_GPUS },
	{ "单机卡数", PUBLISHED_NODE_GPUS },
	{ "每台服务器显卡数量", PUBLISHED_NODE_GPUS },
	{ "每台服务器显卡数", PUBLISHED_NODE_GPUS },
	{ "gpus/node", PUBLISHED_NODE_GPUS },
	{ "gpu/node", PUBLISHED_NODE_GPUS },
	{ "numgpus/node", PUBLISHED_NODE_GPUS },
	{ "devices/node", PUBLISHED_NODE_GPUS },
	{ "gpuspermachine", PUBLISHED_NODE_GPUS },
	{ "gpusperserver", PUBLISHED_NODE_GPUS },
	{ "gpusperhost", PUBLISHED_NODE_GPUS },
	{ "numgpuspermachine", PUBLISHED_NODE_GPUS },
	{ "numgpusperserver", PUBLISHED_NODE_GPUS },
	{ "每机gpu数", PUBLISHED_NODE_GPUS },
	{ "每机gpu数量", PUBLISHED_NODE_GPUS },
	{ "单机gpu数", PUBLISHED_NODE_GPUS },
	{ "单节点gpu数", PUBLISHED_NODE_GPUS },
	{ "单节点卡数", PUBLISHED_NODE_GPUS },
	{ "每节点gpu数量", PUBLISHED_NODE_GPUS },
	{ "每节点gpu卡数", PUBLISHED_NODE_GPUS },
	{ "每节点显卡数", PUBLISHED_NODE_GPUS },
	{ "每台机器gpu数", PUBLISHED_NODE_GPUS },
	{ "每台机器卡数", PUBLISHED_NODE_GPUS },
	{ "卡数/节点", PUBLISHED_NODE_GPUS },
	{ "gpu数/节点", PUBLISHED_NODE_GPUS },
	{ "节点gpu", PUBLISHED_CASE },
	{ "节点卡", PUBLISHED_CASE },
	{ "机卡", PUBLISHED_CASE },
	{ "机器x卡数", PUBLISHED_CASE },
	{ "机器×卡数", PUBLISHED_CASE },
	{ "节点x卡", PUBLISHED_CASE },
	{ "节点×卡", PUBLISHED_CASE },
	{ "节点×gpu", PUBLISHED_CASE },
	{ "节点xgpu", PUBLISHED_CASE },
	{ "规模", PUBLISHED_CASE },
	{ "nodesxgpus", PUBLISHED_CASE },
	{ "nodes×gpus", PUBLISHED_CASE },
	{ "nodexgpu", PUBLISHED_CASE },
	{ "node×gpu", PUBLISHED_CASE },
	{ "nodes/gpus", PUBLISHED_CASE },
	{ "setup", PUBLISHED_CASE },
	{ "setting", PUBLISHED_CASE },
	{ "配置", PUBLISHED_CASE },
	{ "nodegpu", PUBLISHED_CASE },
	{ "case", PUBLISHED_CASE },
	{ "config", PUBLISHED_CASE },
	{ "configuration", PUBLISHED_CASE },
	{ "topology", PUBLISHED_CASE },
	{ "xnxgxdpxmpxbs", PUBLISHED_CASE },
	{ "batchsizeperdevice", PUBLISHED_BATCH },
	{ "batchsizepergpu", PUBLISHED_BATCH },
	{ "batchperdevice", PUBLISHED_BATCH },
	{ "batchpergpu", PUBLISHED_BATCH },
	{ "localbatchsize", PUBLISHED_BATCH },
	{ "bszpergpu", PUBLISHED_BATCH },
	{ "bsz", PUBLISHED_BATCH },
	{ "bs", PUBLISHED_BATCH },
	{ "每卡批大小", PUBLISHED_BATCH },
	{ "单卡batchsize", PUBLISHED_BATCH },
	{ "batchsize/gpu", PUBLISHED_BATCH },
	{ "batch/gpu", PUBLISHED_BATCH },
	{ "batchsize/device", PUBLISHED_BATCH },
	{ "bs/gpu", PUBLISHED_BATCH },
	{ "bspergpu", PUBLISHED_BATCH },
	{ "pergpubatchsize", PUBLISHED_BATCH },
	{ "perdevicebatchsize", PUBLISHED_BATCH },
	{ "单卡批大小", PUBLISHED_BATCH },
	{ "单卡bs", PUBLISHED_BATCH },
	{ "每卡batchsize", PUBLISHED_BATCH },
	{ "每gpu批大小", PUBLISHED_BATCH },
	{ "globalbatchsize", PUBLISHED_GLOBAL_BATCH },
	{ "totalbatchsize", PUBLISHED_GLOBAL_BATCH },
	{ "globalbatch", PUBLISHED_GLOBAL_BATCH },
	{ "总批大小", PUBLISHED_GLOBAL_BATCH },
	{ "globalbs", PUBLISHED_GLOBAL_BATCH },
	{ "globalbsz", PUBLISHED_GLOBAL_BATCH },
	{ "effectivebatchsize", PUBLISHED_GLOBAL_BATCH },
	{ "totalbatch", PUBLISHED_GLOBAL_BATCH },
	{ "全局批大小", PUBLISHED_GLOBAL_BATCH },
	{ "全局batchsize", PUBLISHED_GLOBAL_BATCH },
	{ "总batchsize", PUBLISHED_GLOBAL_BATCH },
	/* Of one device or of all: no one can know. */
	{ "batchsize", PUBLISHED_LABEL },
	{ "batch", PUBLISHED_LABEL },
	{ "批大小", PUBLISHED_LABEL },
	{ "precision", PUBLISHED_PRECISION },
	{ "dtype", PUBLISHED_PRECISION },
	{ "datatype", PUBLISHED_PRECISION },
	{ "精度", PUBLISHED_PRECISION },
	{ "framework", PUBLISHED_FRAMEWORK },
	{ "框架", PUBLISHED_FRAMEWORK },
	{ "深度学习框架", PUBLISHED_FRAMEWORK },
	{ "model", PUBLISHED_MODEL },
	{ "network", PUBLISHED_MODEL },
	{ "模型", PUBLISHED_MODEL },
	{ "网络", PUBLISHED_MODEL },
	{ "通信后端", PUBLISHED_LABEL },
	{ "backend", PUBLISHED_LABEL },
	{ "group", PUBLISHED_LABEL },
	{ "throughput", PUBLISHED_RATE },
	{ "throughputs", PUBLISHED_RATE },
	{ "throuthput", PUBLISHED_RATE },
	{ "averagethroughput", PUBLISHED_RATE },
	{ "speed", PUBLISHED_RATE },
	{ "averagespeed", PUBLISHED_OTHER },
	{ "medianspeed", PUBLISHED_RATE },
	{ "samplespersecond", PUBLISHED_RATE },
	{ "imagespersecond", PUBLISHED_RATE },
	{ "吞吐率", PUBLISHED_RATE },
	{ "吞吐量", PUBLISHED_RATE },
	{ "吞吐", PUBLISHED_RATE },
	{ "平均吞吐率", PUBLISHED_RATE },
	{ "平均吞吐量", PUBLISHED_RATE },
	{ "速度", PUBLISHED_RATE },
	{ "训练速度", PUBLISHED_RATE },
	{ "trainingthroughput", PUBLISHED_RATE },
	{ "trainthroughput", PUBLISHED_RATE },
	{ "totalthroughput", PUBLISHED_RATE },
	{ "meanthroughput", PUBLISHED_RATE },
	{ "medianthroughput", PUBLISHED_RATE },
	{ "avgthroughput", PUBLISHED_RATE },
	{ "trainingspeed", PUBLISHED_RATE },
	{ "samplespersec", PUBLISHED_RATE },
	{ "imagespersec", PUBLISHED_RATE },
	{ "imgpersec", PUBLISHED_RATE },
	{ "训练吞吐", PUBLISHED_RATE },
	{ "训练吞吐率", PUBLISHED_RATE },
	{ "训练吞吐量", PUBLISHED_RATE },
	{ "平均吞吐", PUBLISHED_RATE },
	{ "总吞吐", PUBLISHED_RATE },
	{ "总吞吐量", PUBLISHED_RATE },
	{ "latency", PUBLISHED_STEP_TIME },
	{ "lantency", PUBLISHED_STEP_TIME },
	{ "latencyperiteration", PUBLISHED_STEP_TIME },
	{ "steptime", PUBLISHED_STEP_TIME },
	{ "timeperstep", PUBLISHED_STEP_TIME },
	{ "iterationtime", PUBLISHED_STEP_TIME },
	{ "timeperiteration", PUBLISHED_STEP_TIME },
	{ "batchtime", PUBLISHED_STEP_TIME },
	{ "每步耗时", PUBLISHED_STEP_TIME },
	{ "平均每步耗时", PUBLISHED_STEP_TIME },
	{ "单个batch平均时长", PUBLISHED_STEP_TIME },
	{ "timeperbatch", PUBLISHED_STEP_TIME },
	{ "time/step", PUBLISHED_STEP_TIME },
	{ "time/iter", PUBLISHED_STEP_TIME },
	{ "time/iteration", PUBLISHED_STEP_TIME },
	{ "time/batch", PUBLISHED_STEP_TIME },
	{ "averagesteptime", PUBLISHED_STEP_TIME },
	{ "avgsteptime", PUBLISHED_STEP_TIME },
	{ "meansteptime", PUBLISHED_STEP_TIME },
	{ "mediansteptime", PUBLISHED_STEP_TIME },
	{ "itertime", PUBLISHED_STEP_TIME },
	{ "avgitertime", PUBLISHED_STEP_TIME },
	{ "averageiterationtime", PUBLISHED_STEP_TIME },
	{ "meaniterationtime", PUBLISHED_STEP_TIME },
	{ "secondsperstep", PUBLISHED_STEP_TIME },
	{ "单步耗时", PUBLISHED_STEP_TIME },
	{ "单步时间", PUBLISHED_STEP_TIME },
	{ "平均单步耗时", PUBLISHED_STEP_TIME },
	{ "迭代时间", PUBLISHED_STEP_TIME },
	{ "平均迭代时间", PUBLISHED_STEP_TIME },
	{ "单次迭代时间", PUBLISHED_STEP_TIME },
	{ "每步时间", PUBLISHED_STEP_TIME },
	{ "单个batch时长", PUBLISHED_STEP_TIME },
	{ "time", PUBLISHED_DURATION },
	{ "totaltime", PUBLISHED_DURATION },
	{ "elapsed", PUBLISHED_DURATION },
	{ "elapsedtime", PUBLISHED_DURATION },
	{ "walltime", PUBLISHED_DURATION },
	{ "wallclocktime", PUBLISHED_DURATION },
	{ "runtime", PUBLISHED_DURATION },
	{ "trainingtime", PUBLISHED_DURATION },
	{ "totaltrainingtime", PUBLISHED_DURATION },
	{ "timetotrain", PUBLISHED_DURATION },
	{ "epochtime", PUBLISHED_DURATION },
	{ "timeperepoch", PUBLISHED_DURATION },
	{ "time/epoch", PUBLISHED_DURATION },
	{ "duration", PUBLISHED_DURATION },
	{ "trainingduration", PUBLISHED_DURATION },
	{ "traintime", PUBLISHED_DURATION },
	{ "totalruntime", PUBLISHED_DURATION },
	{ "wallclock", PUBLISHED_DURATION },
	{ "timetoaccuracy", PUBLISHED_DURATION },
	{ "timetosolution", PUBLISHED_DURATION },
	{ "训练耗时", PUBLISHED_DURATION },
	{ "总用时", PUBLISHED_DURATION },
	{ "用时", PUBLISHED_DURATION },
	{ "每轮时间", PUBLISHED_DURATION },
	{ "每轮耗时", PUBLISHED_DURATION },
	{ "epoch耗时", PUBLISHED_DURATION },
	{ "每epoch耗时", PUBLISHED_DURATION },
	{ "real", PUBLISHED_DURATION },
	{ "耗时", PUBLISHED_DURATION },
	{ "总耗时", PUBLISHED_DURATION },
	{ "时间", PUBLISHED_DURATION },
	{ "总时间", PUBLISHED_DURATION },
	{ "总时长", PUBLISHED_DURATION },
	{ "总训练时长", PUBLISHED_DURATION },
	{ "训练总时间", PUBLISHED_DURATION },
	{ "训练时间", PUBLISHED_DURATION },
	{ "训练时长", PUBLISHED_DURATION },
	{ "平均时间", PUBLISHED_MEAN_TIME },
	{ "平均时长", PUBLISHED_MEAN_TIME },
	{ "meantime", PUBLISHED_MEAN_TIME },
	{ "averagetime", PUBLISHED_MEAN_TIME },
	{ "count", PUBLISHED_COUNT },
	{ "calls", PUBLISHED_COUNT },
	{ "个数", PUBLISHED_COUNT },
	{ "次数", PUBLISHED_COUNT },
	{ "memory", PUBLISHED_MEMORY },
	{ "memusage", PUBLISHED_MEMORY },
	{ "memoryusage", PUBLISHED_MEMORY },
	{ "gpumem", PUBLISHED_MEMORY },
	{ "gpumemory", PUBLISHED_MEMORY },
	{ "显存", PUBLISHED_MEMORY },
	{ "显存占用", PUBLISHED_MEMORY },
	{ "平均大小", PUBLISHED_MEMORY },
	{ "meansize", PUBLISHED_MEMORY },
	{ "速率", PUBLISHED_BANDWIDTH },
	{ "rate", PUBLISHED_BANDWIDTH },
	{ "bandwidth", PUBLISHED_BANDWIDTH },
	{ "receiving", PUBLISHED_BANDWIDTH },
	{ "receving", PUBLISHED_BANDWIDTH },
	{ "sending", PUBLISHED_BANDWIDTH },
	{ "speedup", PUBLISHED_SPEEDUP },
	{ "speedups", PUBLISHED_SPEEDUP },
	{ "speedupratio", PUBLISHED_SPEEDUP },
	{ "accelerationratio", PUBLISHED_SPEEDUP },
	{ "加速比", PUBLISHED_SPEEDUP },
	{ "speedupfactor", PUBLISHED_SPEEDUP },
	{ "relativespeedup", PUBLISHED_SPEEDUP },
	{ "relspeedup", PUBLISHED_SPEEDUP },
	{ "relativethroughput", PUBLISHED_SPEEDUP },
	{ "relativespeed", PUBLISHED_SPEEDUP },
	{ "relativeperformance", PUBLISHED_SPEEDUP },
	{ "normalizedthroughput", PUBLISHED_SPEEDUP },
	{ "normalizedspeed", PUBLISHED_SPEEDUP },
	{ "scalingfactor", PUBLISHED_SPEEDUP },
	{ "vsbaseline", PUBLISHED_SPEEDUP },
	{ "acceleration", PUBLISHED_SPEEDUP },
	{ "加速", PUBLISHED_SPEEDUP },
	{ "加速倍数", PUBLISHED_SPEEDUP },
	{ "加速倍率", PUBLISHED_SPEEDUP },
	{ "相对加速比", PUBLISHED_SPEEDUP },
	{ "速度提升", PUBLISHED_SPEEDUP },
	/* Of a share it is an efficiency. */
	{ "scaling", PUBLISHED_SPEEDUP },
	{ "efficiency", PUBLISHED_EFFICIENCY },
	{ "scalingefficiency", PUBLISHED_EFFICIENCY },
	{ "parallelefficiency", PUBLISHED_EFFICIENCY },
	{ "效率", PUBLISHED_EFFICIENCY },
	{ "并行效率", PUBLISHED_EFFICIENCY },
	{ "加速效率", PUBLISHED_EFFICIENCY },
	{ "扩展效率", PUBLISHED_EFFICIENCY },
	{ "eff", PUBLISHED_EFFICIENCY },
	{ "scalingeff", PUBLISHED_EFFICIENCY },
	{ "weakscalingefficiency", PUBLISHED_EFFICIENCY },
	{ "strongscalingefficiency", PUBLISHED_EFFICIENCY },
	{ "scaleefficiency", PUBLISHED_EFFICIENCY },
	{ "relativeefficiency", PUBLISHED_EFFICIENCY },
	{ "speedupefficiency", PUBLISHED_EFFICIENCY },
	{ "gpuefficiency", PUBLISHED_EFFICIENCY },
	{ "扩展率", PUBLISHED_EFFICIENCY },
	{ "线性度", PUBLISHED_EFFICIENCY },
	{ "线性加速度", PUBLISHED_EFFICIENCY },
	{ "弱扩展效率", PUBLISHED_EFFICIENCY },
	{ "强扩展效率", PUBLISHED_EFFICIENCY },
	{ "多机效率", PUBLISHED_EFFICIENCY },
	{ "relativecost", PUBLISHED_COST },
	{ "相对成本", PUBLISHED_COST },
	{ "ratio", PUBLISHED_RATIO },
	{ "memusageratio", PUBLISHED_RATIO },
	{ "memoryusageratio", PUBLISHED_RATIO },
	{ "比值", PUBLISHED_RATIO },
	{ "timeshare", PUBLISHED_SHARE },
	{ "时间占比", PUBLISHED_SHARE },
	/* What its unit states. */
	{ "median", PUBLISHED_RATE },
	{ "中位数", PUBLISHED_RATE },
	{ "runs", PUBLISHED_ASIDE },
	{ "n", PUBLISHED_ASIDE },
	{ "interval", PUBLISHED_ASIDE },
	{ "区间", PUBLISHED_ASIDE },
	{ "ci", PUBLISHED_ASIDE },
	{ "medianlow", PUBLISHED_ASIDE },
	{ "medianhigh", PUBLISHED_ASIDE },
	{ "medianlevel", PUBLISHED_ASIDE },
	{ "speeduplow", PUBLISHED_ASIDE },
	{ "speeduphigh", PUBLISHED_ASIDE },
	{ "speeduplevel", PUBLISHED_ASIDE },
	{ "halfwidth", PUBLISHED_ASIDE },
	{ "confidence", PUBLISHED_ASIDE },
	{ "olympicmean", PUBLISHED_ASIDE },
	{ "去最好最差均值", PUBLISHED_ASIDE },
	{ "flags", PUBLISHED_ASIDE },
	{ "备注", PUBLISHED_ASIDE },
	{ "numclasses", PUBLISHED_OTHER },
	{ "maxnumclasses", PUBLISHED_OTHER },
	{ "size", PUBLISHED_OTHER },
	{ "steps", PUBLISHED_OTHER },
	{ "layers", PUBLISHED_OTHER },
	{ "heads", PUBLISHED_OTHER },
	{ "parameters", PUBLISHED_OTHER },
	{ "loss", PUBLISHED_OTHER },
	{ "accuracy", PUBLISHED_OTHER },
	{ "top1", PUBLISHED_OTHER },
	{ "top5", PUBLISHED_OTHER },
	{ "gpuutil", PUBLISHED_OTHER },
	{ "teraflop/spergpu", PUBLISHED_OTHER },
	{ "peakflop/s", PUBLISHED_OTHER },
	{ "petaflop/s", PUBLISHED_OTHER },
};

/* Is s, without spaces, '_', '-' and '.', the word, in any case? */
static int
head_is(const char *s, size_t len, const char *word)
{
	for (size_t i = 0; i < len; i++) {
		if (strchr(" _-.", s[i]) != NULL)
			continue;
		if (tolower((unsigned char)s[i]) != (unsigned char)*word)
			return 0;
		word++;
	}
	return *word == '\0';
}

/* The role of these words alone, or -1. */
static int
known_role(const char *s, size_t len)
{
	for (size_t i = 0; i < sizeof known_heads / sizeof known_heads[0]; i++)
		if (head_is(s, len, known_heads[i].word))
			return (int)known_heads[i].role;
	return -1;
}

static struct published_head
head_none(void)
{
	return (struct published_head){ PUBLISHED_OTHER, 0, NULL, NULL,
		PUBLISHED_UNKNOWN, 0, NULL };
}

/* Cut [from, to) out of s. */
static void
cut_out(char *s, size_t from, size_t to)
{
	memmove(s + from, s + to, strlen(s + to) + 1);
}

/* Full-width parentheses and colons become those of ASCII. */
static void
narrow_punctuation(char *s)
{
	static const struct {
		const char *wide;
		char narrow;
	} pairs[] = { { "（", '(' }, { "）", ')' }, { "＝", '=' } };

	for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
		for (char *at; (at = strstr(s, pairs[i].wide)) != NULL;) {
			*at = pairs[i].narrow;
			cut_out(at + 1, 0, 2);
		}
}

/* Is the "[...]" at s a mark of a footnote: "[1]", "[^a]"? */
static size_t
footnote_length(const char *s)
{
	const size_t n = strcspn(s, "]");

	if (s[n] != ']' || n < 2 ||
	    (s[1] != '^' && strspn(s + 1, "0123456789") != n - 1))
		return 0;
	return n + 1;
}

/* Marks of footnotes go, brackets become parentheses, and "#GPUs", "No. of
 * GPUs" and "number of GPUs" are "num GPUs". */
static char *
plain_head(struct arena *a, const char *text)
{
	static const char *const marks[] = { "†", "‡", "§", "¹", "²", "³", "⁴",
		"⁵", "⁶", "⁷", "⁸", "⁹" };
	static const char *const numbers[] = { "#", "no. of ", "nr. of ",
		"num. of ", "num of ", "number of ", "total number of " };
	char *s = arena_strdup(a, text);

	narrow_punctuation(s);
	for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
		for (char *at; (at = strstr(s, marks[i])) != NULL;)
			cut_out(at, 0, strlen(marks[i]));
	for (char *at = s; (at = strchr(at, '[')) != NULL;) {
		const size_t n = footnote_length(at);

		if (n > 0) {
			cut_out(at, 0, n);
			continue;
		}
		*at++ = '(';
		if (strchr(at, ']') != NULL)
			*strchr(at, ']') = ')';
	}
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		if (strncasecmp(s, numbers[i], strlen(numbers[i])) == 0 &&
		    s[strlen(numbers[i])] != '\0')
			return arena_printf(a, "%snum %s",
			    numbers[i][0] == 't' ? "total " : "",
			    s + strlen(numbers[i]) +
				strspn(s + strlen(numbers[i]), " "));
	return s;
}

/* The words that begin a statement of the batch size. */
static const char *const batch_words[] = { "batch size", "batch_size",
	"batchsize", "bsz", "bz", "bs", NULL };

/* "batch size = 96": where it begins and ends; 0 if the text holds none.  The
 * batch is PUBLISHED_UNKNOWN for "max" or "?". */
static int
find_batch(const char *s, size_t *from, size_t *to, long *batch)
{
	for (size_t i = 0; s[i] != '\0'; i++)
		for (size_t k = 0; batch_words[k] != NULL; k++) {
			size_t at = i + strlen(batch_words[k]), len;

			if ((i > 0 && isalnum((unsigned char)s[i - 1])) ||
			    strncasecmp(s + i, batch_words[k], at - i) != 0)
				continue;
			at += strspn(s + at, " ");
			if (s[at] != '=')
				continue;
			at++;
			at += strspn(s + at, " ");
			len = strspn(s + at, "0123456789");
			*batch = PUBLISHED_UNKNOWN;
			if (len > 0)
				(void)whole_parse(
				    s + at, len, 1, 1000000000, batch);
			else
				len = strcspn(s + at, " ),&");
			*from = i;
			if (i >= 4 && strncasecmp(s + i - 4, "max ", 4) == 0)
				*from = i - 4;
			*to = at + len;
			if (strncasecmp(s + *to, "(max)", 5) == 0)
				*to += 5;
			return 1;
		}
	return 0;
}

static void
take_batch(char *s, struct published_head *h)
{
	size_t from, to;

	if (!find_batch(s, &from, &to, &h->batch))
		return;
	h->batch_varies = h->batch == PUBLISHED_UNKNOWN;
	cut_out(s, from, to);
}

/* Words of precision, as heads and headings spell them. */
static const char *
find_precision(const char *s, size_t len)
{
	static const char *const words[] = { "fp32", "fp16", "bf16", "tf32",
		"fp64", "amp" };

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (len == strlen(words[i]) &&
		    strncasecmp(s, words[i], len) == 0)
			return words[i];
	return NULL;
}

/* A blank between a and b, unless one of them is empty.  Lives in a. */
static const char *
join_words(struct arena *arena, const char *a, const char *b, size_t b_len)
{
	if (a == NULL || a[0] == '\0')
		return b_len > 0 ? arena_strndup(arena, b, b_len) : a;
	return b_len > 0 ? arena_printf(arena, "%s %.*s", a, (int)b_len, b) : a;
}

/* Words that stand before or after what is known: a precision, and the name of
 * a framework. */
static void
take_words(struct arena *a, const char *s, size_t len, struct published_head *h)
{
	size_t i = 0;

	while (i < len) {
		const size_t from = i += strspn(s + i, " ,&:");
		size_t n;

		if (i >= len)
			return;
		while (i < len && strchr(" ,&:", s[i]) == NULL)
			i++;
		n = i - from;
		if (find_precision(s + from, n) != NULL)
			h->precision = find_precision(s + from, n);
		else if (n > 2 || strncasecmp(s + from, "of", n) != 0)
			h->framework = join_words(a, h->framework, s + from, n);
	}
}

static size_t
trimmed_length(const char *s, size_t len)
{
	while (len > 0 && strchr(" *", s[len - 1]) != NULL)
		len--;
	return len;
}

/* The unit or the role of [s, s+len); 1 if it is known. */
static int
take_known(const char *s, size_t len, struct published_head *h)
{
	const struct published_unit *unit = published_unit_find(s, len);
	const int role = known_role(s, len);

	if (unit != NULL && unit->measure == PUBLISHED_PER_SECOND) {
		h->unit = unit;
		h->role = PUBLISHED_RATE;
		h->known = 1;
	} else if (unit != NULL && strchr(unit->name, '/') != NULL &&
	    unit->measure == PUBLISHED_SECONDS) {
		/* "ms/step" */
		h->unit = unit;
		h->role = PUBLISHED_STEP_TIME;
		h->known = 1;
	} else if (role >= 0) {
		h->role = (enum published_role)role;
		h->known = 1;
	}
	return h->known;
}

/* May other words stand next to such a head? */
static int
takes_words(const struct published_head *h)
{
	return h->role == PUBLISHED_OTHER || h->role == PUBLISHED_ASIDE ||
	    h->role >= PUBLISHED_RATE;
}

static void take_role(
    struct arena *a, const char *s, size_t len, struct published_head *h);

/* "Throughput, images/s", "PyTorch speed in img/s": what stands before a unit
 * is its quantity, with the name of a framework, or that name. */
static void
take_before_unit(
    struct arena *a, const char *s, size_t len, struct published_head *h)
{
	struct published_head words = head_none();

	while (len > 0 && strchr(" ,:;-", s[len - 1]) != NULL)
		len--;
	if (len > 3 && strncasecmp(s + len - 3, " in", 3) == 0)
		len = trimmed_length(s, len - 3);
	if (len > 0)
		take_role(a, s, len, &words);
	if (words.known && words.role >= PUBLISHED_RATE) {
		h->framework = words.framework;
		h->precision = words.precision;
	} else {
		take_words(a, s, trimmed_length(s, len), h);
	}
}

/* What is known in a head: all of it, its last words, its first, or, of
 * Chinese, its last characters. */
static void
take_role(struct arena *a, const char *s, size_t len, struct published_head *h)
{
	const struct published_head before = *h;

	if (take_known(s, len, h))
		return;
	for (size_t i = 1; i < len; i++)
		if ((strchr(" _-", s[i - 1]) != NULL ||
			(s[i] & 0xc0) == 0xc0) &&
		    take_known(s + i, len - i, h)) {
			if (h->unit != before.unit) {
				take_before_unit(a, s, i, h);
				return;
			}
			if (takes_words(h)) {
				take_words(a, s, trimmed_length(s, i), h);
				return;
			}
			*h = before;
		}
	for (size_t i = len; i-- > 1;)
		if (s[i] == ' ' && take_known(s, i, h)) {
			if (takes_words(h)) {
				take_words(a, s + i, len - i, h);
				return;
			}
			*h = before;
		}
}

/* "平均时间/ms", "Latency / ms": the unit after the last stroke. */
static size_t
take_stroke(const char *s, size_t len, struct published_head *h)
{
	const char *stroke = memrchr(s, '/', len);
	const struct published_unit *unit;
	size_t from, before;

	if (stroke == NULL || stroke == s)
		return len;
	from = (size_t)(stroke - s) + 1;
	from += strspn(s + from, " ");
	if (from > len)
		return len;
	unit = published_unit_find(s + from, len - from);
	before = trimmed_length(s, (size_t)(stroke - s));
	/* "sequences/sec" is a rate, "time/s" is not. */
	if (unit == NULL || published_unit_find(s, len) != NULL ||
	    (unit->measure == PUBLISHED_SECONDS && unit->scale >= 1 &&
		stroke[-1] != ' ' && (stroke[-1] & 0x80) == 0 &&
		known_role(s, before) < 0))
		return len;
	h->unit = unit;
	return before;
}

/* Take parentheses out of s: a unit, or words that qualify. */
static const char *
take_parentheses(struct arena *a, char *s, struct published_head *h)
{
	const char *rest = NULL;
	size_t from = 0;

	while (s[from] != '\0') {
		const char *close = strchr(s + from, ')');
		size_t open = from + strcspn(s + from, "("), to, len;
		const struct published_unit *unit;

		if (s[open] == '\0' || close == NULL)
			break;
		to = open + strcspn(s + open, ")");
		if (s[to] == '\0')
			break;
		len = trimmed_length(s + open + 1, to - open - 1);
		unit = published_unit_find(s + open + 1, len);
		if (unit != NULL)
			h->unit = unit;
		else
			rest = join_words(a, rest, s + open + 1, len);
		cut_out(s, open, to + 1);
		from = open;
	}
	return rest;
}

/* The head without its unit, for one that is no known word: a framework may be
 * called "C(x)". */
static const char *
unknown_name(struct arena *a, const char *text)
{
	char *s = arena_strdup(a, text);
	struct published_head none = head_none();
	size_t len;
	char *open;

	narrow_punctuation(s);
	take_batch(s, &none);
	len = trimmed_length(s, strlen(s));
	s[len] = '\0';
	open = strrchr(s, '(');
	if (open != NULL && len > 0 && s[len - 1] == ')' &&
	    (published_unit_find(
		 open + 1, (size_t)(s + len - 1 - (open + 1))) != NULL ||
		open + 2 == s + len))
		s[trimmed_length(s, (size_t)(open - s))] = '\0';
	return s;
}

void
published_head_read(struct arena *a, const char *text, struct published_head *h)
{
	char *s;
	const char *rest;
	size_t len;

	*h = head_none();
	h->framework = text;
	if (strlen(text) > MAX_HEAD)
		return;
	h->framework = NULL;
	s = plain_head(a, text);
	take_batch(s, h);
	rest = take_parentheses(a, s, h);
	len = trimmed_length(s, strlen(s));
	while (len > 0 && *s == ' ') {
		s++;
		len--;
	}
	len = take_stroke(s, len, h);
	if (len > 0)
		take_role(a, s, len, h);
	if (!h->known && h->unit != NULL &&
	    h->unit->measure == PUBLISHED_TIMES) {
		/* "C(x)" is a name. */
		h->unit = NULL;
		h->framework = text;
	} else if (!h->known)
		h->framework = unknown_name(a, text);
	else if (rest != NULL && takes_words(h))
		take_words(a, rest, strlen(rest), h);
	if (h->framework != NULL && h->framework[0] == '\0')
		h->framework = NULL;
}

void
published_heading_read(
    struct arena *a, const char *text, struct published_table *t)
{
	static const char ends[] = " ,&;:()";
	const struct published_unit *unit;
	size_t from, to;
	long batch;
	char *s;

	if (strlen(text) > MAX_HEAD)
		return;
	s = arena_strdup(a, text);
	narrow_punctuation(s);
	if (find_batch(s, &from, &to, &batch)) {
		t->batch = batch;
		cut_out(s, from, to);
	}
	for (s += strspn(s, ends); *s != '\0'; s += strspn(s, ends)) {
		const size_t len = strcspn(s, ends);

		if (find_precision(s, len) != NULL)
			t->precision = find_precision(s, len);
		unit = published_unit_find(s, len);
		if (unit != NULL && unit->measure == PUBLISHED_PER_SECOND)
			t->unit = unit;
		s += len;
	}
}
