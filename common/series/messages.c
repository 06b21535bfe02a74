#include <config.h>

#include "common/series/messages.h"

#include <assert.h>
#include <string.h>

const char *const language_names[] = { "en", "zh", NULL };

static const char *const words[N_MESSAGES][N_LANGUAGES] = {
	[MESSAGE_NODES] = { "nodes", "节点数" },
	[MESSAGE_GPUS] = { "GPUs", "GPU 数" },
	[MESSAGE_NODE_GPU] = { "node-GPU", "节点-GPU" },
	[MESSAGE_FRAMEWORK] = { "framework", "框架" },
	[MESSAGE_MODEL] = { "model", "模型" },
	[MESSAGE_PRECISION] = { "precision", "精度" },
	[MESSAGE_BATCH] = { "batch per device", "每卡批大小" },
	[MESSAGE_GLOBAL_BATCH] = { "global batch", "总批大小" },
	[MESSAGE_SOURCE] = { "source", "来源" },
	[MESSAGE_RULE] = { "rule", "计量规则" },
	[MESSAGE_KIND] = { "kind", "性质" },
	[MESSAGE_UNIT] = { "unit", "单位" },
	[MESSAGE_THROUGHPUT] = { "throughput", "吞吐量" },
	[MESSAGE_STEP_TIME] = { "step time", "单步时间" },
	[MESSAGE_TIME_TO_TRAIN] = { "time to train", "训练时间" },
	[MESSAGE_MEDIAN] = { "median", "中位数" },
	[MESSAGE_MEDIAN_INTERVAL] = { "interval", "区间" },
	[MESSAGE_MEDIAN_LOW] = { "median low", "中位数下限" },
	[MESSAGE_MEDIAN_HIGH] = { "median high", "中位数上限" },
	[MESSAGE_OLYMPIC] = { "olympic mean", "去最好最差均值" },
	[MESSAGE_MEDIAN_LEVEL] = { "median level", "中位数置信水平" },
	[MESSAGE_SPEEDUP] = { "speedup", "加速比" },
	[MESSAGE_SPEEDUP_INTERVAL] = { "speedup interval", "加速比区间" },
	[MESSAGE_SPEEDUP_LOW] = { "speedup low", "加速比下限" },
	[MESSAGE_SPEEDUP_HIGH] = { "speedup high", "加速比上限" },
	[MESSAGE_SPEEDUP_LEVEL] = { "speedup level", "加速比置信水平" },
	[MESSAGE_EFFICIENCY] = { "efficiency", "并行效率" },
	[MESSAGE_RUNS] = { "runs", "次数" },
	[MESSAGE_FLAGS] = { "flags", "备注" },
	[MESSAGE_BASELINE] = { "baseline", "基线" },
	[MESSAGE_BASELINE_OF_EACH] = { "each its own", "各自" },
	[MESSAGE_IDEAL] = { "ideal", "理想" },
	[MESSAGE_MEASURED] = { "measured", "实测" },
	[MESSAGE_PUBLISHED] = { "published", "公布" },
	[MESSAGE_UNKNOWN] = { "unknown", "未知" },
	[MESSAGE_BARS] = { "bars", "误差线" },
	[MESSAGE_OF_MEDIAN] = { "interval of the median", "中位数区间" },
	[MESSAGE_OF_SPEEDUP] = { "interval of the speedup", "加速比区间" },
	[MESSAGE_FEW_RUNS] = { "fewer than 5 runs", "少于 5 次" },
	[MESSAGE_NO_1N1G] = { "1n1g is missing", "缺 1n1g" },
	[MESSAGE_NO_FIGURE] = { "no figure", "无数据" },
	[MESSAGE_NOT_DRAWN] = { "not drawn", "未画出" },
	[MESSAGE_MIXED_UNITS] = { "mixed units", "单位不一" },
	[MESSAGE_EXCLUDED] = { "excluded", "已排除" },
	[MESSAGE_PUBLISHED_AT] = { "published", "公布来源" },
	[MESSAGE_RULE_UNKNOWN] = { "published, measured by an unknown rule",
	    "公布的数据，计量规则未知" },
	[MESSAGE_COLLECTIVES] = { "collectives", "集合通信" },
	[MESSAGE_MESSAGE_SIZE] = { "message size", "消息大小" },
	[MESSAGE_SIZE_UP_TO] = { "message size up to", "消息大小上限" },
	[MESSAGE_COUNT] = { "count", "个数" },
	[MESSAGE_MEAN_SIZE] = { "mean size", "平均大小" },
	[MESSAGE_BUS_BANDWIDTH] = { "bus bandwidth", "总线带宽" },
	[MESSAGE_TOTAL_TIME] = { "total time", "总时间" },
	[MESSAGE_MEAN_TIME] = { "mean time", "平均时间" },
	[MESSAGE_TIME_SHARE] = { "share of time", "时间占比" },
	[MESSAGE_MEAN_OF_RUNS] = { "of a run; mean of runs",
	    "单次运行，平均次数" },
	[MESSAGE_COMMA] = { ", ", "，" },
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
message(enum message w, enum language lang)
{
	assert((int)w >= 0 && w < N_MESSAGES && (int)lang >= 0 &&
	    lang < N_LANGUAGES);
	assert(words[w][lang] != NULL);
	return words[w][lang];
}
