/* Parses heads and cells of published tables: a column's role, from English and
 * Chinese words, its unit, framework, precision and batch size; cases; numbers
 * with their units and printed digits. */
#include <config.h>

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/published/published_parts.h"
#include "common/units/units.h"

enum { MAX_CELL = 1024 }; /* bytes; a longer cell counts as a word */

/* --- words ---------------------------------------------------------------- */

/* Head words of each role, in the form that published_word returns. Each word
 * has one role. */
static const char *const role_words[PUBLISHED_N_ROLES] = {
	[PUBLISHED_NODES] =
	    " nodes #nodes node nodenum numnodes nnodes numberofnodes servers "
	    "machines hosts 节点 节点数 节点数量 机器数 服务器数 服务器数量 ",
	[PUBLISHED_GPUS] =
	    " gpus totalgpus totalnumgpus worldsize ranks numranks workers "
	    "numworkers numprocesses 总卡数 gpu总数 总gpu数 ",
	[PUBLISHED_GPU_COUNT] =
	    " gpunum numgpus #gpus noofgpus numberofgpus ngpus gpucount gpu "
	    "devicenum numdevices devices cards accelerators numaccelerators "
	    "卡数 gpu数 gpu数量 显卡数 ",
	[PUBLISHED_NODE_GPUS] =
	    " gpunumpernode numgpuspernode gpuspernode gpupernode "
	    "devicespernode nprocpernode gpus/node gpuspermachine "
	    "gpusperserver 每节点gpu数 每节点卡数 每机卡数 单机卡数 "
	    "每台服务器显卡数量 每机gpu数 ",
	[PUBLISHED_CASE] =
	    " 节点gpu 节点卡 机卡 节点xgpu nodesxgpus 规模 setup setting 配置 "
	    "nodegpu case config configuration topology xnxgxdpxmpxbs ",
	[PUBLISHED_BATCH] =
	    " batchsizeperdevice batchsizepergpu batchperdevice batchpergpu "
	    "perdevicebatchsize pergpubatchsize batchsize/gpu localbatchsize "
	    "bszpergpu bsz bs 每卡批大小 单卡批大小 单卡batchsize ",
	[PUBLISHED_GLOBAL_BATCH] =
	    " globalbatchsize globalbatch totalbatchsize totalbatch "
	    "effectivebatchsize 总批大小 全局批大小 ",
	/* "batch" may be per device or global. */
	[PUBLISHED_LABEL] = " batchsize batch 批大小 通信后端 backend group ",
	[PUBLISHED_PRECISION] = " precision dtype datatype 精度 ",
	[PUBLISHED_FRAMEWORK] = " framework 框架 深度学习框架 ",
	[PUBLISHED_MODEL] = " model network 模型 网络 ",
	[PUBLISHED_RATE] =
	    " throughput throuthput averagethroughput meanthroughput "
	    "medianthroughput totalthroughput trainingthroughput speed "
	    "medianspeed trainingspeed samplespersecond imagespersecond "
	    "吞吐率 吞吐量 吞吐 平均吞吐率 平均吞吐量 速度 训练速度 ",
	[PUBLISHED_MEDIAN] = " median 中位数 ",
	[PUBLISHED_OTHER] =
	    " averagespeed numclasses maxnumclasses size steps layers heads "
	    "parameters loss accuracy top1 top5 gpuutil teraflop/spergpu "
	    "peakflop/s petaflop/s ",
	[PUBLISHED_STEP_TIME] =
	    " latency lantency latencyperiteration steptime averagesteptime "
	    "meansteptime mediansteptime timeperstep iterationtime "
	    "timeperiteration batchtime timeperbatch time/step 每步耗时 "
	    "平均每步耗时 单步耗时 单个batch平均时长 ",
	[PUBLISHED_DURATION] =
	    " time totaltime elapsed elapsedtime walltime runtime duration "
	    "trainingtime totaltrainingtime timetotrain epochtime "
	    "timeperepoch real 耗时 总耗时 用时 总用时 训练耗时 时间 总时间 "
	    "训练时间 总时长 训练时长 总训练时长 训练总时间 ",
	[PUBLISHED_MEAN_TIME] = " 平均时间 平均时长 meantime averagetime ",
	[PUBLISHED_COUNT] = " count calls 个数 次数 ",
	[PUBLISHED_MEMORY] =
	    " memory memusage memoryusage gpumem gpumemory 显存 显存占用 "
	    "平均大小 meansize ",
	[PUBLISHED_BANDWIDTH] =
	    " 速率 rate bandwidth receiving receving sending ",
	[PUBLISHED_SPEEDUP] =
	    " speedup speedups speedupratio speedupfactor relativespeedup "
	    "accelerationratio acceleration 加速比 相对加速比 加速 加速倍数 ",
	[PUBLISHED_EFFICIENCY] =
	    " efficiency eff scalingefficiency scalingeff parallelefficiency "
	    "weakscalingefficiency strongscalingefficiency relativeefficiency "
	    "效率 加速效率 并行效率 扩展效率 线性度 ",
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

/* Find the role that has all of s as a head word, in any case; -1 if none. */
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

/* --- units ---------------------------------------------------------------- */

#define UNIT(name, measure, scale) \
	{ \
		name, PUBLISHED_##measure, scale, NULL \
	}
#define RATE(name, rate) \
	{ \
		name, PUBLISHED_PER_SECOND, 1, rate \
	}

static const struct published_unit units[] = { RATE("samples/s", "samples/s"),
	RATE("samples/sec", "samples/s"), RATE("sample/s", "samples/s"),
	RATE("samples/second", "samples/s"),
	RATE("samples per second", "samples/s"), RATE("样本/秒", "samples/s"),
	RATE("images/s", "images/s"), RATE("images/sec", "images/s"),
	RATE("images/second", "images/s"), RATE("imgs/s", "images/s"),
	RATE("imgs/sec", "images/s"), RATE("img/s", "images/s"),
	RATE("img/sec", "images/s"), RATE("image/s", "images/s"),
	RATE("image/sec", "images/s"), RATE("images per second", "images/s"),
	RATE("images per sec", "images/s"),
	RATE("samples per sec", "samples/s"), RATE("fps", "images/s"),
	RATE("frames/s", "images/s"), RATE("图片/秒", "images/s"),
	RATE("张/秒", "images/s"), RATE("sequences/s", "sequences/s"),
	RATE("sequences/sec", "sequences/s"),
	RATE("sequences per second", "sequences/s"),
	RATE("seq/s", "sequences/s"), RATE("seqs/s", "sequences/s"),
	RATE("seq/sec", "sequences/s"), RATE("sentences/sec", "sequences/s"),
	RATE("sentences/s", "sequences/s"), RATE("examples/s", "examples/s"),
	RATE("examples/sec", "examples/s"), RATE("tokens/s", "tokens/s"),
	RATE("tokens/sec", "tokens/s"), RATE("tokens/second", "tokens/s"),
	RATE("tokens per second", "tokens/s"), RATE("token/s", "tokens/s"),
	{ "ktokens/s", PUBLISHED_PER_SECOND, 1e3, "tokens/s" },
	RATE("items/s", "items/s"), RATE("iterations/s", "iterations/s"),
	RATE("iter/s", "iterations/s"), RATE("iters/s", "iterations/s"),
	RATE("it/s", "iterations/s"), RATE("steps/s", "iterations/s"),
	RATE("steps/sec", "iterations/s"), RATE("batches/s", "iterations/s"),
	UNIT("s", SECONDS, 1), UNIT("sec", SECONDS, 1),
	UNIT("seconds", SECONDS, 1), UNIT("秒", SECONDS, 1),
	UNIT("ms", SECONDS, 1e-3), UNIT("毫秒", SECONDS, 1e-3),
	UNIT("us", SECONDS, 1e-6), UNIT("µs", SECONDS, 1e-6),
	UNIT("ns", SECONDS, 1e-9), UNIT("min", SECONDS, 60),
	UNIT("minutes", SECONDS, 60), UNIT("分钟", SECONDS, 60),
	UNIT("h", SECONDS, 3600), UNIT("hours", SECONDS, 3600),
	UNIT("小时", SECONDS, 3600), UNIT("s/step", SECONDS, 1),
	UNIT("s/it", SECONDS, 1), UNIT("s/iter", SECONDS, 1),
	UNIT("s/batch", SECONDS, 1), UNIT("ms/step", SECONDS, 1e-3),
	UNIT("ms/it", SECONDS, 1e-3), UNIT("ms/iter", SECONDS, 1e-3),
	UNIT("ms/batch", SECONDS, 1e-3), UNIT("%", PER_CENT, 0.01),
	UNIT("％", PER_CENT, 0.01), UNIT("x", TIMES, 1), UNIT("X", TIMES, 1),
	UNIT("×", TIMES, 1), UNIT("倍", TIMES, 1),
	UNIT("b/s", BITS_PER_SECOND, 1), UNIT("bps", BITS_PER_SECOND, 1),
	UNIT("Kb/s", BITS_PER_SECOND, 1e3), UNIT("Kbps", BITS_PER_SECOND, 1e3),
	UNIT("Mb/s", BITS_PER_SECOND, 1e6), UNIT("Mbps", BITS_PER_SECOND, 1e6),
	UNIT("Mbit/s", BITS_PER_SECOND, 1e6),
	UNIT("Mibit/s", BITS_PER_SECOND, 1048576),
	UNIT("Gb/s", BITS_PER_SECOND, 1e9), UNIT("Gbps", BITS_PER_SECOND, 1e9),
	UNIT("Gbit/s", BITS_PER_SECOND, 1e9),
	UNIT("MB/s", BITS_PER_SECOND, 8e6), UNIT("GB/s", BITS_PER_SECOND, 8e9),
	UNIT("B", BYTES, 1), UNIT("KB", BYTES, 1e3), UNIT("MB", BYTES, 1e6),
	UNIT("mB", BYTES, 1e6), UNIT("GB", BYTES, 1e9),
	UNIT("KiB", BYTES, 1024), UNIT("MiB", BYTES, 1048576),
	UNIT("GiB", BYTES, 1073741824) };

const struct published_unit *
published_unit_find(const char *s, size_t len)
{
	/* Case matters, since "MB" is not "Mb", except in rates ("Img/s"). */
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (strlen(units[i].name) == len &&
		    (units[i].measure == PUBLISHED_PER_SECOND
			    ? strncasecmp
			    : strncmp)(s, units[i].name, len) == 0)
			return &units[i];
	return NULL;
}

/* --- heads ---------------------------------------------------------------- */

static void
cut_out(char *s, struct text_span part)
{
	memmove(s + (part.s - s), part.end, strlen(part.end) + 1);
}

/* Copy a text with ASCII '(', ')' and '=' for full-width signs and brackets. */
static char *
narrow(struct arena *a, const char *text)
{
	return published_replace("(?:（|\\[)(*:\\()|(?:）|\\])(*:\\))|＝(*:=)",
	    a, text, text + strlen(text));
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

/* Read the words beside a known role or unit, as in "PyTorch speed in img/s": a
 * precision; words for a quantity, which are ignored; else the framework. */
static void
take_words(
    struct arena *a, const char *s, size_t len, struct published_column *h)
{
	char *at = arena_strndup(a, s, len);

	for (char *word; (word = strsep(&at, " ,&:")) != NULL;)
		if (find_precision(word) != NULL)
			h->precision = find_precision(word);
		else if (word[0] != '\0' && strcasecmp(word, "of") != 0 &&
		    strcasecmp(word, "in") != 0 &&
		    find_role(word, strlen(word)) < (int)PUBLISHED_RATE)
			h->framework = arena_join(a, h->framework, " ", word);
}

/* Cut blanks off both ends, and '*' off the end. */
static char *
trim(char *s)
{
	size_t len = strlen(s);

	while (len > 0 && strchr(" *", s[len - 1]) != NULL)
		s[--len] = '\0';
	return s + strspn(s, " ");
}

/* True if a head of this role may contain other words. */
static int
takes_words(int role)
{
	return role == PUBLISHED_OTHER || role == PUBLISHED_ASIDE ||
	    role >= (int)PUBLISHED_RATE;
}

/* Find a known role or unit in a head: the whole head, its last words or
 * Chinese characters, or its first words. Other words state a framework or a
 * precision. */
static void
take_role(struct arena *a, const char *s, struct published_column *h)
{
	const size_t len = strlen(s);

	for (size_t i = 0; i < 2 * len; i++) {
		const size_t from = i < len ? i : 0;
		const size_t to = i < len ? len : 2 * len - i;
		const int is_piece =
		    (from == 0 || strchr(" _-", s[from - 1]) != NULL ||
			(s[from] & 0xc0) == 0xc0) &&
		    (to == len || s[to] == ' ');
		const struct published_unit *unit;
		int role;

		if (!is_piece)
			continue;
		unit = published_unit_find(s + from, to - from);
		role = find_role(s + from, to - from);
		if (unit != NULL && unit->measure == PUBLISHED_PER_SECOND)
			role = PUBLISHED_RATE;
		else if (unit != NULL && unit->measure == PUBLISHED_SECONDS &&
		    strchr(unit->name, '/') != NULL) /* "ms/step" */
			role = PUBLISHED_STEP_TIME;
		else
			unit = NULL;
		if (role < 0 || (to - from < len && !takes_words(role)))
			continue;
		h->known = 1;
		h->role = (enum published_role)role;
		h->unit = unit != NULL ? unit : h->unit;
		take_words(a, s, from, h);
		take_words(a, s + to, len - to, h);
		return;
	}
}

/* Cut units in parentheses or after the last slash ("平均时间/ms") out of s.
 * Returns the text in other parentheses, or NULL. */
static const char *
take_units(struct arena *a, char *s, struct published_column *h)
{
	const struct published_unit *unit;
	const char *rest = NULL, *name;
	struct text_span part[2];
	char *stroke;

	while (
	    published_match("\\((?<inner>[^)]*?)[ *]*\\)", s, NULL, part, 2)) {
		const size_t len = (size_t)(part[1].end - part[1].s);

		unit = published_unit_find(part[1].s, len);
		if (unit != NULL)
			h->unit = unit;
		else
			rest = arena_join(
			    a, rest, " ", arena_strndup(a, part[1].s, len));
		cut_out(s, part[0]);
	}
	s = trim(s);
	stroke = strrchr(s, '/');
	if (stroke == NULL || stroke == s)
		return rest;
	name = stroke + 1 + strspn(stroke + 1, " ");
	unit = published_unit_find(name, strlen(name));
	name = trim(arena_strndup(a, s, (size_t)(stroke - s)));
	/* "sequences/sec" is a rate, "time/s" is not. */
	if (unit != NULL && published_unit_find(s, strlen(s)) == NULL &&
	    (unit->measure != PUBLISHED_SECONDS || unit->scale < 1 ||
		find_role(name, strlen(name)) >= 0)) {
		h->unit = unit;
		*stroke = '\0';
	}
	return rest;
}

void
published_head_read(
    struct arena *a, const char *text, struct published_column *h)
{
	const char *rest;
	char *s;

	*h = (struct published_column){ .role = PUBLISHED_OTHER,
		.head = text,
		.framework = text,
		.batch = PUBLISHED_UNKNOWN };
	if (strlen(text) > PUBLISHED_MAX_HEAD)
		return;
	h->framework = NULL;
	s = narrow(a, text);
	if (take_batch(s, &h->batch))
		h->batch_varies = h->batch == PUBLISHED_UNKNOWN;
	rest = take_units(a, s, h);
	s = trim(s);
	take_role(a, s, h);
	if (h->known && rest != NULL && takes_words((int)h->role)) {
		take_words(a, rest, strlen(rest), h);
	} else if (!h->known && s[0] != '\0') {
		h->framework = rest == NULL || rest[0] == '\0'
		    ? s
		    : arena_printf(a, "%s (%s)", s, rest);
	}
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

int
published_case_read(
    const char *text, long *nodes, long *gpus, const char **rest)
{
	/* Groups: nodes (optional); GPUs; set if the GPUs are per node. */
	static const char cases[] =
	    "(?i)\\A *(?|n" COUNT "[gc]" COUNT "()"
	    "|" COUNT " *n_?" COUNT " *[gc]()"
	    "|(?:" COUNT " *(?:nodes?|机|节点)[ ,]*)?" COUNT
	    " *(?:GPUs?|卡)(?!\\d))(?:(?![a-z0-9])|(?<=[\\x80-\\xff])) *_*";
	struct text_span part[4];

	if (!published_match(cases, text, NULL, part, 4))
		return 0;
	/* strtol gives 0 for "单". */
	*nodes = part[1].s != NULL ? strtol(part[1].s, NULL, 10) : 1;
	*gpus = strtol(part[2].s, NULL, 10);
	*nodes += *nodes == 0;
	*gpus += *gpus == 0;
	if (part[3].s != NULL)
		*gpus *= *nodes;
	if (*gpus % *nodes != 0)
		return 0;
	if (part[1].s == NULL)
		*nodes = PUBLISHED_UNKNOWN;
	*rest = part[0].end;
	return 1;
}

/* --- cells ---------------------------------------------------------------- */

#define NUMBER "\\d+(?:[.,]\\d+)*"
#define PER_CENT "(?:%|％)"

static const struct published_number no_number = { NAN, NAN, 0 };

/* Divide instead of multiplying by less than 1: 28.1 / 1000 is rounded once. */
static void
scale_number(struct published_number *n, double scale)
{
	const double over = scale < 1 ? round(1 / scale) : 1;

	n->value = n->value * (scale < 1 ? 1 : scale) / over;
	n->half = n->half * (scale < 1 ? 1 : scale) / over;
}

/* Read a number, perhaps with digits in groups of three, or a duration in parts
 * such as "1:02:03.5", "2m53.341s" and "1 小时 5 分". Returns its length, or 0.
 *
 * is_time  set to 1 for a duration, else to 0 */
static size_t
scan_number(const char *s, struct published_number *n, int *is_time)
{
	static const char number[] =
	    "\\A\\+?(?:\\d{1,3}(?:,\\d{3}(?!\\d))+|\\d*)"
	    "(?:\\.(?<decimals>\\d*))?(?:[eE](?<exponent>[+-]?\\d{1,4}))?";
	struct text_span part[3];
	double digit;
	size_t len = duration_scan(s, &n->value, &digit);
	long power;

	*is_time = len > 0;
	if (len > 0) {
		n->half = 0.5 * digit;
		n->decimals = digit < 1 ? (int)lround(-log10(digit)) : 0;
		return len;
	}
	if (!published_match(number, s, NULL, part, 3))
		return 0;
	len = (size_t)(part[0].end - s);
	if (number_parse(s, len, &n->value) != UNITS_OK)
		return 0;
	n->decimals = (int)(part[1].end - part[1].s);
	power = part[2].s != NULL ? strtol(part[2].s, NULL, 10) : 0;
	n->half = 0.5 * pow(10, (double)(power - n->decimals));
	return len;
}

/* Read the text after the number: a unit, and a share "(99%)". Returns why the
 * cell is bad, or REMARK_NONE.
 *
 * head  unit of the head, or NULL */
static enum remark_code
read_tail(const char *s, const struct published_unit *head,
    struct published_cell *cell)
{
	static const char tail[] = "(?s)\\A *+(?<unit>(?:(?! |\\(|（).)++)?+ *+"
				   "(?:(?:\\(|（) *(?<share>" NUMBER
				   ") *" PER_CENT " *(?:\\)|）) *+)?+";
	const struct published_unit *unit = NULL;
	struct text_span part[3];
	int is_time;

	if (!published_match(tail, s, NULL, part, 3))
		return REMARK_CELL_MORE;
	if (part[1].s != NULL && cell->unit == NULL)
		unit = published_unit_find(
		    part[1].s, (size_t)(part[1].end - part[1].s));
	if (unit != NULL)
		cell->unit = unit;
	if (part[2].s != NULL &&
	    scan_number(part[2].s, &cell->share, &is_time) > 0)
		scale_number(&cell->share, 0.01);
	s = part[1].s != NULL && unit == NULL ? part[1].s : part[0].end;
	if (*s == '\0')
		return cell->unit != NULL && head != NULL &&
			cell->unit->measure != head->measure
		    ? REMARK_CELL_OTHER_UNIT
		    : REMARK_NONE;
	return *s == '.' || *s == ',' ? REMARK_CELL_NO_NUMBER
				      : REMARK_CELL_MORE;
}

void
published_quantity_read(const char *text, const struct published_unit *unit,
    struct published_cell *cell)
{
	/* The shell's time prints "real 2m53.341s user 2m50.806s sys
	 * 0m3.649s". Cells that begin with other words are not numbers. */
	static const char empty[] = "\\A(?:|--?|—|–|/)\\z";
	static const char times[] =
	    "(?i)\\Areal +(?<real>[\\dhms.:]+)(?: user +[\\dhms.:]+"
	    "(?: sys +[\\dhms.:]+)?)?\\z";
	static const char word[] = "(?i)\\A[\\[(a-z\\x80-\\xff]";
	const struct published_unit *own;
	struct text_span part[2];
	int is_time, is_times;
	size_t len;

	*cell = (struct published_cell){
		.text = text, .number = no_number, .share = no_number
	};
	if (published_match(empty, text, NULL, part, 1))
		return;
	cell->kind = PUBLISHED_WORD;
	if (strlen(text) > MAX_CELL)
		return;
	is_times = published_match(times, text, NULL, part, 2);
	if (!is_times && published_match(word, text, NULL, part, 1))
		return;
	cell->problem = REMARK_CELL_NO_WORD;
	len = scan_number(is_times ? part[1].s : text, &cell->number, &is_time);
	if (is_time)
		cell->unit = published_unit_find("s", 1);
	if (len > 0) {
		cell->number_len = is_times ? 0 : len;
		cell->problem =
		    is_times ? REMARK_NONE : read_tail(text + len, unit, cell);
	}
	own = cell->unit != NULL ? cell->unit : unit;
	if (own != NULL)
		scale_number(&cell->number, own->scale);
	cell->kind =
	    cell->problem == REMARK_NONE ? PUBLISHED_NUMBER : PUBLISHED_BAD;
	if (cell->kind != PUBLISHED_NUMBER || !isfinite(cell->number.value))
		cell->number = no_number;
}

/* --- digits --------------------------------------------------------------- */

/* True if [a, b] and [c, d] overlap. The slack covers rounding: 0.5 * 0.01 is
 * not exact. */
static int
ranges_meet(double a, double b, double c, double d)
{
	const double slack = 1e-9 * fmax(fabs(b), fabs(d));

	return a <= d + slack && c <= b + slack;
}

enum published_fit
published_fits(const struct published_number *printed, int decimals, double low,
    double high)
{
	const double x = printed->value, half = printed->half;
	/* One unit in the last digit of the column. */
	const double unit =
	    2 * half * pow(10, fmin(0, printed->decimals - decimals));

	if (ranges_meet(x - half, x + half, low, high))
		return PUBLISHED_ROUNDS;
	return ranges_meet(x, x + unit, low, high) && low < x + unit
	    ? PUBLISHED_CUT
	    : PUBLISHED_DIFFERS;
}
