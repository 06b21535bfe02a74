#include <config.h>

#include "common/words.h"

#include <assert.h>
#include <string.h>

const char *const language_names[] = { "en", "zh", NULL };

static const char *const words[N_WORDS][N_LANGUAGES] = {
	[WORD_NODES] = { "nodes", "节点数" },
	[WORD_GPUS] = { "GPUs", "GPU 数" },
	[WORD_NODE_GPU] = { "node-GPU", "节点-GPU" },
	[WORD_FRAMEWORK] = { "framework", "框架" },
	[WORD_MODEL] = { "model", "模型" },
	[WORD_PRECISION] = { "precision", "精度" },
	[WORD_BATCH] = { "batch per device", "每卡批大小" },
	[WORD_GLOBAL_BATCH] = { "global batch", "总批大小" },
	[WORD_SOURCE] = { "source", "来源" },
	[WORD_RULE] = { "rule", "计量规则" },
	[WORD_KIND] = { "kind", "性质" },
	[WORD_UNIT] = { "unit", "单位" },
	[WORD_THROUGHPUT] = { "throughput", "吞吐量" },
	[WORD_STEP_TIME] = { "step time", "单步时间" },
	[WORD_TIME_TO_TRAIN] = { "time to train", "训练时间" },
	[WORD_MEDIAN] = { "median", "中位数" },
	[WORD_MEDIAN_INTERVAL] = { "interval", "区间" },
	[WORD_MEDIAN_LOW] = { "median low", "中位数下限" },
	[WORD_MEDIAN_HIGH] = { "median high", "中位数上限" },
	[WORD_OLYMPIC] = { "olympic mean", "去最好最差均值" },
	[WORD_MEDIAN_LEVEL] = { "median level", "中位数置信水平" },
	[WORD_SPEEDUP] = { "speedup", "加速比" },
	[WORD_SPEEDUP_INTERVAL] = { "speedup interval", "加速比区间" },
	[WORD_SPEEDUP_LOW] = { "speedup low", "加速比下限" },
	[WORD_SPEEDUP_HIGH] = { "speedup high", "加速比上限" },
	[WORD_SPEEDUP_LEVEL] = { "speedup level", "加速比置信水平" },
	[WORD_EFFICIENCY] = { "efficiency", "并行效率" },
	[WORD_RUNS] = { "runs", "次数" },
	[WORD_FLAGS] = { "flags", "备注" },
	[WORD_BASELINE] = { "baseline", "基线" },
	[WORD_BASELINE_OF_EACH] = { "each its own", "各自" },
	[WORD_IDEAL] = { "ideal", "理想" },
	[WORD_MEASURED] = { "measured", "实测" },
	[WORD_PUBLISHED] = { "published", "公布" },
	[WORD_UNKNOWN] = { "unknown", "未知" },
	[WORD_BARS] = { "bars", "误差线" },
	[WORD_OF_MEDIAN] = { "interval of the median", "中位数区间" },
	[WORD_OF_SPEEDUP] = { "interval of the speedup", "加速比区间" },
	[WORD_FEW_RUNS] = { "fewer than 5 runs", "少于 5 次" },
	[WORD_NO_1N1G] = { "1n1g is missing", "缺 1n1g" },
	[WORD_NO_FIGURE] = { "no figure", "无数据" },
	[WORD_NOT_DRAWN] = { "not drawn", "未画出" },
	[WORD_MIXED_UNITS] = { "mixed units", "单位不一" },
	[WORD_EXCLUDED] = { "excluded", "已排除" },
	[WORD_PUBLISHED_AT] = { "published", "公布来源" },
	[WORD_RULE_UNKNOWN] = { "published, measured by an unknown rule",
	    "公布的数据，计量规则未知" },
	[WORD_COLLECTIVES] = { "collectives", "集合通信" },
	[WORD_MESSAGE_SIZE] = { "message size", "消息大小" },
	[WORD_SIZE_UP_TO] = { "message size up to", "消息大小上限" },
	[WORD_COUNT] = { "count", "个数" },
	[WORD_MEAN_SIZE] = { "mean size", "平均大小" },
	[WORD_BUS_BANDWIDTH] = { "bus bandwidth", "总线带宽" },
	[WORD_TOTAL_TIME] = { "total time", "总时间" },
	[WORD_MEAN_TIME] = { "mean time", "平均时间" },
	[WORD_TIME_SHARE] = { "share of time", "时间占比" },
	[WORD_MEAN_OF_RUNS] = { "of a run; mean of runs",
	    "单次运行，平均次数" },
	[WORD_COMMA] = { ", ", "，" },
};

enum language
language_find(const char *name)
{
	for (int i = 0; i < N_LANGUAGES; i++)
		if (strcmp(language_names[i], name) == 0)
			return (enum language)i;
	return LANGUAGE_EN;
}

const char *
word(enum word w, enum language lang)
{
	assert(
	    (int)w >= 0 && w < N_WORDS && (int)lang >= 0 && lang < N_LANGUAGES);
	assert(words[w][lang] != NULL);
	return words[w][lang];
}
