/* Interpretation of column heads: the role by English and Chinese words of
 * published tables, unit, framework, precision and batch size; and of cases. */
#include <config.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/published/published_parts.h"
#include "common/units/units.h"

static const struct published_column no_head = { .role = PUBLISHED_OTHER,
	.batch = PUBLISHED_UNKNOWN };

/* Words of heads for each role, as published_word writes them. Each word has
 * one role. */
static const char *const role_words[PUBLISHED_N_ROLES] = {
	[PUBLISHED_NODES] =
	    " nodes node nodenum numnodes nnodes nodecount numberofnodes "
	    "servers machines hosts 节点 节点数 节点数量 机器数 机器数量 "
	    "服务器数 服务器数量 numservers nummachines numhosts nodesnum "
	    "节点个数 计算节点数 服务器台数 机器台数 主机数 ",
	[PUBLISHED_GPUS] =
	    " gpus totalgpus worldsize 总卡数 gpu总数 totalgpu gpustotal "
	    "totalnumgpus totalgpunum totaldevices numranks ranks numworkers "
	    "workers numprocesses 总gpu数 总gpu数量 gpu总数量 总gpu卡数 "
	    "总显卡数 总卡数量 ",
	[PUBLISHED_GPU_COUNT] =
	    " gpunum numgpus ngpus gpucount gpu numberofgpus devicenum "
	    "numdevices devices 卡数 gpu数 gpu数量 显卡数 显卡数量 gpucards "
	    "cards numcards accelerators numaccelerators numgpu gpu个数 "
	    "gpu卡数 卡数量 设备数 设备数量 显卡个数 ",
	[PUBLISHED_NODE_GPUS] =
	    " gpunumpernode numgpuspernode gpuspernode gpupernode "
	    "devicespernode devicenumpernode nprocpernode 每节点gpu数 "
	    "每节点卡数 每机卡数 单机卡数 每台服务器显卡数量 每台服务器显卡数 "
	    "gpus/node gpu/node numgpus/node devices/node gpuspermachine "
	    "gpusperserver gpusperhost numgpuspermachine numgpusperserver "
	    "每机gpu数 每机gpu数量 单机gpu数 单节点gpu数 单节点卡数 "
	    "每节点gpu数量 每节点gpu卡数 每节点显卡数 每台机器gpu数 "
	    "每台机器卡数 卡数/节点 gpu数/节点 ",
	[PUBLISHED_CASE] =
	    " 节点gpu 节点卡 机卡 机器x卡数 机器×卡数 节点x卡 节点×卡 节点×gpu "
	    "节点xgpu 规模 nodesxgpus nodes×gpus nodexgpu node×gpu nodes/gpus "
	    "setup setting 配置 nodegpu case config configuration topology "
	    "xnxgxdpxmpxbs ",
	[PUBLISHED_BATCH] =
	    " batchsizeperdevice batchsizepergpu batchperdevice batchpergpu "
	    "localbatchsize bszpergpu bsz bs 每卡批大小 单卡batchsize "
	    "batchsize/gpu batch/gpu batchsize/device bs/gpu bspergpu "
	    "pergpubatchsize perdevicebatchsize 单卡批大小 单卡bs "
	    "每卡batchsize 每gpu批大小 ",
	[PUBLISHED_GLOBAL_BATCH] =
	    " globalbatchsize totalbatchsize globalbatch 总批大小 globalbs "
	    "globalbsz effectivebatchsize totalbatch 全局批大小 全局batchsize "
	    "总batchsize ",
	/* "batch" may be per device or global. */
	[PUBLISHED_LABEL] = " batchsize batch 批大小 通信后端 backend group ",
	[PUBLISHED_PRECISION] = " precision dtype datatype 精度 ",
	[PUBLISHED_FRAMEWORK] = " framework 框架 深度学习框架 ",
	[PUBLISHED_MODEL] = " model network 模型 网络 ",
	[PUBLISHED_RATE] =
	    " throughput throughputs throuthput averagethroughput speed "
	    "medianspeed samplespersecond imagespersecond 吞吐率 吞吐量 吞吐 "
	    "平均吞吐率 平均吞吐量 速度 训练速度 trainingthroughput "
	    "trainthroughput totalthroughput meanthroughput medianthroughput "
	    "avgthroughput trainingspeed samplespersec imagespersec imgpersec "
	    "训练吞吐 训练吞吐率 训练吞吐量 平均吞吐 总吞吐 总吞吐量 ",
	[PUBLISHED_MEDIAN] = " median 中位数 ",
	[PUBLISHED_OTHER] =
	    " averagespeed numclasses maxnumclasses size steps layers heads "
	    "parameters loss accuracy top1 top5 gpuutil teraflop/spergpu "
	    "peakflop/s petaflop/s ",
	[PUBLISHED_STEP_TIME] =
	    " latency lantency latencyperiteration steptime timeperstep "
	    "iterationtime timeperiteration batchtime 每步耗时 平均每步耗时 "
	    "单个batch平均时长 timeperbatch time/step time/iter "
	    "time/iteration time/batch averagesteptime avgsteptime "
	    "meansteptime mediansteptime itertime avgitertime "
	    "averageiterationtime meaniterationtime secondsperstep 单步耗时 "
	    "单步时间 平均单步耗时 迭代时间 平均迭代时间 单次迭代时间 "
	    "每步时间 单个batch时长 ",
	[PUBLISHED_DURATION] =
	    " time totaltime elapsed elapsedtime walltime wallclocktime "
	    "runtime trainingtime totaltrainingtime timetotrain epochtime "
	    "timeperepoch time/epoch duration trainingduration traintime "
	    "totalruntime wallclock timetoaccuracy timetosolution 训练耗时 "
	    "总用时 用时 每轮时间 每轮耗时 epoch耗时 每epoch耗时 real 耗时 "
	    "总耗时 时间 总时间 总时长 总训练时长 训练总时间 训练时间 训练时长 ",
	[PUBLISHED_MEAN_TIME] = " 平均时间 平均时长 meantime averagetime ",
	[PUBLISHED_COUNT] = " count calls 个数 次数 ",
	[PUBLISHED_MEMORY] =
	    " memory memusage memoryusage gpumem gpumemory 显存 显存占用 "
	    "平均大小 meansize ",
	[PUBLISHED_BANDWIDTH] =
	    " 速率 rate bandwidth receiving receving sending ",
	/* "scaling" is an efficiency if its cells are shares. */
	[PUBLISHED_SPEEDUP] =
	    " speedup speedups speedupratio accelerationratio 加速比 "
	    "speedupfactor relativespeedup relspeedup relativethroughput "
	    "relativespeed relativeperformance normalizedthroughput "
	    "normalizedspeed scalingfactor vsbaseline acceleration 加速 "
	    "加速倍数 加速倍率 相对加速比 速度提升 scaling ",
	[PUBLISHED_EFFICIENCY] =
	    " efficiency scalingefficiency parallelefficiency 效率 并行效率 "
	    "加速效率 扩展效率 eff scalingeff weakscalingefficiency "
	    "strongscalingefficiency scaleefficiency relativeefficiency "
	    "speedupefficiency gpuefficiency 扩展率 线性度 线性加速度 "
	    "弱扩展效率 强扩展效率 多机效率 ",
	[PUBLISHED_COST] = " relativecost 相对成本 ",
	[PUBLISHED_RATIO] = " ratio memusageratio memoryusageratio 比值 ",
	[PUBLISHED_SHARE] = " timeshare 时间占比 ",
	[PUBLISHED_ASIDE] =
	    " runs n interval 区间 ci medianlow medianhigh medianlevel "
	    "speeduplow speeduphigh speeduplevel halfwidth confidence "
	    "olympicmean 去最好最差均值 flags 备注 ",
};

const char *
published_word(const char *s, size_t len, char word[PUBLISHED_WORD_SIZE])
{
	size_t n = 0;

	word[n++] = ' ';
	for (size_t i = 0; i < len && n + 2 < PUBLISHED_WORD_SIZE; i++)
		if (strchr(" _-.", s[i]) == NULL)
			word[n++] = (char)tolower((unsigned char)s[i]);
	word[n] = n > 1 ? ' ' : '\n';
	word[n + 1] = '\0';
	return word;
}

/* The role that s names as a whole head, ignoring case, or -1. */
static int
find_role(const char *s, size_t len)
{
	char word[PUBLISHED_WORD_SIZE];

	s = published_word(s, len, word);
	for (int role = 0; role < PUBLISHED_N_ROLES; role++)
		if (strstr(role_words[role], s) != NULL)
			return role;
	return -1;
}

/* Cut a part out of s. */
static void
cut_out(char *s, struct text_span part)
{
	memmove(s + (part.s - s), part.end, strlen(part.end) + 1);
}

/* A copy with full-width parentheses and equals signs replaced by ASCII. */
static char *
narrow(struct arena *a, const char *text)
{
	return published_replace(
	    "（(*:\\()|）(*:\\))|＝(*:=)", a, text, text + strlen(text));
}

/* Cut "batch size = 96" out of s. The batch is PUBLISHED_UNKNOWN for "max" or
 * "?". Returns 1, or 0 if the text has no batch size. */
static int
take_batch(char *s, long *batch)
{
	struct text_span part[2];

	if (!published_match("(?i)(?:max )?(?<![a-z0-9])(?:batch[ _]?size|bsz"
			     "|bz|bs) *= *(?:(?<batch>\\d+)|[^ ),&]*)"
			     "(?:\\(max\\))?",
		s, NULL, part, 2))
		return 0;
	*batch = PUBLISHED_UNKNOWN;
	if (part[1].s != NULL)
		(void)whole_parse(part[1].s, (size_t)(part[1].end - part[1].s),
		    1, 1000000000, batch);
	cut_out(s, part[0]);
	return 1;
}

/* The precision that the word names, or NULL. */
static const char *
find_precision(const char *word)
{
	static const char *const words[] = { "fp32", "fp16", "bf16", "tf32",
		"fp64", "amp" };

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (strcasecmp(word, words[i]) == 0)
			return words[i];
	return NULL;
}

/* Read the words next to a known role or unit: a precision, and the name of a
 * framework. */
static void
take_words(
    struct arena *a, const char *s, size_t len, struct published_column *h)
{
	char *at = arena_strndup(a, s, len);

	for (char *word; (word = strsep(&at, " ,&:")) != NULL;)
		if (find_precision(word) != NULL)
			h->precision = find_precision(word);
		else if (strcasecmp(word, "of") != 0)
			h->framework = arena_join(a, h->framework, " ", word);
}

static size_t
trimmed_length(const char *s, size_t len)
{
	while (len > 0 && strchr(" *", s[len - 1]) != NULL)
		len--;
	return len;
}

/* Set unit or role from [s, s+len). Returns 1 if it is known. */
static int
take_known(const char *s, size_t len, struct published_column *h)
{
	const struct published_unit *unit = published_unit_find(s, len);
	const int role = find_role(s, len);
	const int rate = unit != NULL && unit->measure == PUBLISHED_PER_SECOND;

	/* "ms/step" */
	if (rate ||
	    (unit != NULL && unit->measure == PUBLISHED_SECONDS &&
		strchr(unit->name, '/') != NULL)) {
		h->unit = unit;
		h->role = rate ? PUBLISHED_RATE : PUBLISHED_STEP_TIME;
	} else if (role >= 0) {
		h->role = (enum published_role)role;
	} else {
		return 0;
	}
	h->known = 1;
	return 1;
}

/* True if a head of this role may contain other words. */
static int
takes_words(const struct published_column *h)
{
	return h->role == PUBLISHED_OTHER || h->role == PUBLISHED_ASIDE ||
	    h->role >= PUBLISHED_RATE;
}

/* True if [from, to) consists of the last or first words or Chinese characters
 * of a head. */
static int
is_piece(const char *s, size_t len, size_t from, size_t to)
{
	return (from == 0 || strchr(" _-", s[from - 1]) != NULL ||
		   (s[from] & 0xc0) == 0xc0) &&
	    (to == len || s[to] == ' ');
}

/* Find a known role or unit in a head: the whole head, its last words or
 * Chinese characters, or its first words. Other words state a framework or a
 * precision; before a unit also a quantity, as in "Throughput, images/s" and
 * "PyTorch speed in img/s". */
static void
take_role(
    struct arena *a, const char *s, size_t len, struct published_column *h)
{
	const struct published_column before = *h;
	struct published_column words = no_head;
	size_t from = 0, to = len;

	for (size_t i = 0; i < 2 * len; i++) {
		from = i < len ? i : 0;
		to = i < len ? len : 2 * len - i;
		if (!is_piece(s, len, from, to) ||
		    !take_known(s + from, to - from, h))
			continue;
		if (to - from == len || takes_words(h))
			break;
		*h = before;
	}
	if (!h->known || to - from == len)
		return;
	if (from == 0) {
		take_words(a, s + to, len - to, h);
		return;
	}
	len = trimmed_length(s, from);
	if (h->unit != before.unit) {
		while (len > 0 && strchr(" ,:;-", s[len - 1]) != NULL)
			len--;
		if (len > 3 && strncasecmp(s + len - 3, " in", 3) == 0)
			len = trimmed_length(s, len - 3);
		take_role(a, s, len, &words);
	}
	if (words.known && words.role >= PUBLISHED_RATE) {
		h->framework = words.framework;
		h->precision = words.precision;
	} else {
		take_words(a, s, len, h);
	}
}

/* Cut units out of s: in parentheses, and after the last slash, "平均时间/ms",
 * "Latency / ms". Returns the words of other parentheses, or NULL. */
static const char *
take_units(struct arena *a, char *s, struct published_column *h)
{
	const struct published_unit *unit;
	const char *rest = NULL, *name;
	struct text_span part[2];
	size_t len, before;
	char *stroke;

	while (
	    published_match("\\((?<inner>[^)]*?)[ *]*\\)", s, NULL, part, 2)) {
		len = (size_t)(part[1].end - part[1].s);
		unit = published_unit_find(part[1].s, len);
		if (unit != NULL)
			h->unit = unit;
		else
			rest = arena_join(
			    a, rest, " ", arena_strndup(a, part[1].s, len));
		cut_out(s, part[0]);
	}
	len = trimmed_length(s, strlen(s));
	s[len] = '\0';
	stroke = strrchr(s, '/');
	if (stroke == NULL || stroke[strspn(s, " ")] == '\0' ||
	    stroke == s + strspn(s, " "))
		return rest;
	name = stroke + 1 + strspn(stroke + 1, " ");
	unit = published_unit_find(name, strlen(name));
	before = trimmed_length(s, (size_t)(stroke - s));
	s += strspn(s, " ");
	/* "sequences/sec" is a rate, "time/s" is not. */
	if (unit == NULL || published_unit_find(s, strlen(s)) != NULL ||
	    (unit->measure == PUBLISHED_SECONDS && unit->scale >= 1 &&
		stroke[-1] != ' ' && (stroke[-1] & 0x80) == 0 &&
		find_role(s, before) < 0))
		return rest;
	h->unit = unit;
	s[before] = '\0';
	return rest;
}

void
published_head_read(
    struct arena *a, const char *text, struct published_column *h)
{
	/* Brackets become parentheses, and "#GPUs", "No. of GPUs" and "number
	 * of GPUs" become "num GPUs". */
	static const char marks[] =
	    "(?!\\*)" PUBLISHED_NOTE "|\\[(*:\\()|\\](*:\\))";
	static const char number[] =
	    "(?i)\\A(?:#|(?:no|nr|num)\\. of |num of |(?<keep>total )?"
	    "number of ) *(?=.)(*:num )";
	struct text_span part[2];
	const char *rest;
	long batch;
	char *s;

	*h = no_head;
	h->head = h->framework = text;
	if (strlen(text) > PUBLISHED_MAX_HEAD)
		return;
	h->framework = NULL;
	s = narrow(a, text);
	s = published_replace(marks, a, s, s + strlen(s));
	s = published_replace(number, a, s, s + strlen(s));
	if (take_batch(s, &h->batch))
		h->batch_varies = h->batch == PUBLISHED_UNKNOWN;
	rest = take_units(a, s, h);
	s += strspn(s, " ");
	take_role(a, s, strlen(s), h);
	if (!h->known && h->unit != NULL &&
	    h->unit->measure == PUBLISHED_TIMES) {
		/* "C(x)" is a name, not a factor. */
		h->unit = NULL;
		h->framework = text;
	} else if (!h->known) {
		/* Without its unit. Only a trailing unit is cut: a framework
		 * may be called "C(x)". */
		h->framework = s = narrow(a, text);
		(void)take_batch(s, &batch);
		s[trimmed_length(s, strlen(s))] = '\0';
		if (published_match(
			"[ *]*\\((?<unit>[^()]*)\\)\\z", s, NULL, part, 2) &&
		    (part[1].s == part[1].end ||
			published_unit_find(part[1].s,
			    (size_t)(part[1].end - part[1].s)) != NULL))
			s[part[0].s - s] = '\0';
	} else if (rest != NULL && takes_words(h)) {
		take_words(a, rest, strlen(rest), h);
	}
	if (h->framework != NULL && h->framework[0] == '\0')
		h->framework = NULL;
}

void
published_heading_read(
    struct arena *a, const char *text, struct published_table *t)
{
	char *at;

	if (strlen(text) > PUBLISHED_MAX_HEAD)
		return;
	at = narrow(a, text);
	(void)take_batch(at, &t->batch);
	for (const char *word; (word = strsep(&at, " ,&;:()")) != NULL;) {
		const struct published_unit *unit =
		    published_unit_find(word, strlen(word));

		if (find_precision(word) != NULL)
			t->precision = find_precision(word);
		if (unit != NULL && unit->measure == PUBLISHED_PER_SECOND)
			t->unit = unit;
	}
}

/* --- cases ---------------------------------------------------------------- */

/* "单" is 1, other counts are above 0 and have at most seven digits. */
#define COUNT "(?!0+(?!\\d))(单|\\d{1,7}(?!\\d))"
#define END "(?:(?![a-z0-9])|(?<=[\\x80-\\xff]))"
#define NODES COUNT " *(?:nodes?|servers?|machines?|hosts?|机|节点)" END
#define GPUS \
	COUNT " *(?:GPUs?|devices?|cards?|accelerators|张卡|块卡|卡)" END \
	      "(?!\\d)"
#define DEVICES \
	COUNT TIMES "(?:[VAHP]100|H200|[AH]800|T4|L4|A10|RTX|GPU)[^ ,(]*"
#define TIMES " *(?:x|×|\\*) *"
#define COMMA "[ ,(/+&]*"
#define EACH "/node| per node| each"
#define OF_EACH "(?:" EACH ")?\\)?()"
#define OR_OF_EACH "(" EACH ")?\\)?"

int
published_case_read(
    const char *text, long *nodes, long *gpus, const char **rest)
{
	/* Groups: nodes, or nothing; GPUs; set if these are of each node. */
	static const char cases[] =
	    "(?i)\\A *(?|"
	    "n" COUNT "[gc]" COUNT END "()"
	    "|" COUNT " *n_?" COUNT " *[gc]" END "()"
	    "|()" GPUS "|()" DEVICES "|" NODES TIMES GPUS OF_EACH
	    "|" NODES COMMA GPUS OR_OF_EACH "|" NODES TIMES DEVICES OF_EACH
	    "|" NODES COMMA DEVICES OR_OF_EACH "|" COUNT TIMES COUNT
	    "\\z()) *_*";
	struct text_span part[4];

	if (!published_match(cases, text, NULL, part, 4))
		return 0;
	/* strtol gives 0 for "单". */
	*nodes = part[1].s < part[1].end ? strtol(part[1].s, NULL, 10) : 1;
	*gpus = strtol(part[2].s, NULL, 10);
	*nodes += *nodes == 0;
	*gpus += *gpus == 0;
	if (part[3].s != NULL)
		*gpus *= *nodes;
	if (*gpus % *nodes != 0)
		return 0;
	if (part[1].s == part[1].end)
		*nodes = PUBLISHED_UNKNOWN;
	*rest = part[0].end;
	return 1;
}
