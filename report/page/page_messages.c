/* The sentences of the page.  The files of the page call it; words that tables
 * and charts have, too, are in common/texts/messages.c. */
#include <config.h>

#include "report/page/page_messages.h"

#include <assert.h>
#include <stdarg.h>

#include "common/strbuf.h"
#include "common/table/table.h"

enum { MAX_SENTENCE = 1 << 20 };

static const char *const sentences[N_PAGE_MESSAGES][N_LANGUAGES] = {
	[PAGE_TITLE] = { "Training throughput", "训练吞吐量" },
	[PAGE_SKIP] = { "Skip to the report", "跳到报告正文" },
	[PAGE_SUMMARY] = { "Summary", "摘要" },
	[PAGE_CASES] = { "cases", "规模" },
	[PAGE_LOGS] = { "logs", "日志" },
	[PAGE_ONE_GPU] = { "1 GPU", "1 个 GPU" },
	[PAGE_N_GPUS] = { "@ GPUs", "@ 个 GPU" },
	[PAGE_ONE_PROCESS] = { "1 CPU process", "1 个 CPU 进程" },
	[PAGE_N_PROCESSES] = { "@ CPU processes", "@ 个 CPU 进程" },
	[PAGE_ONE_TPU] = { "1 TPU chip", "1 个 TPU 芯片" },
	[PAGE_N_TPUS] = { "@ TPU chips", "@ 个 TPU 芯片" },
	[PAGE_ONE_NPU] = { "1 NPU", "1 个 NPU" },
	[PAGE_N_NPUS] = { "@ NPUs", "@ 个 NPU" },
	[PAGE_ONE_DEVICE] = { "1 device", "1 个设备" },
	[PAGE_N_DEVICES] = { "@ devices", "@ 个设备" },
	[PAGE_ON] = { " on @ (@)", "，@（@）" },
	[PAGE_ON_CASE] = { " on @", "，@" },
	[PAGE_OVER] = { " over @", "（相对 @）" },
	[PAGE_CI] = { " (@ CI)", "（@ 置信区间）" },
	[PAGE_TOO_MANY_LINES] = { "No charts: @ lines are too many for one;"
				  " --select=KEY=VALUE chooses among them.",
	    "未画图：@ 条线过多；可用 --select=K"
	    "EY=VALUE 选择。" },
	[PAGE_MORE] = { "and @ more", "另有 @ 项" },
	[PAGE_DOUBTS] = { "What is doubtful", "存疑之处" },
	[PAGE_NO_DOUBT] = { "Nothing: no run has a flag, every "
			    "interval is narrow, no log was excluded.",
	    "无：各次运行均无备注，区间都较窄，没有日志被排除。" },
	[PAGE_ONE_RUN] = { "one run only: how much runs differ is "
			   "unknown",
	    "仅一次运行，各次运行间的差异未知" },
	[PAGE_TOO_FEW_RUNS] = { "too few runs: @ reach an interval of the"
				" median at @ only; @ takes @",
	    "运行次数不足：@ 次的中位数区间置信水平仅 @；"
	    "@ 需 @ 次" },
	[PAGE_WIDE_MEDIAN] = { "wide interval: the median may be off by "
			       "more than 5 %",
	    "区间较宽：中位数的误差可能超过 5 %" },
	[PAGE_WIDE_SPEEDUP] = { "wide interval: the speedup may be off by"
				" more than 5 %",
	    "区间较宽：加速比的误差可能超过 5 %" },
	[PAGE_PUBLISHED_ONLY] = { "published figures: how much runs differ "
				  "is not stated",
	    "公布的数据，未说明各次运行间的差异" },
	[PAGE_NO_SPEEDUP] = { "no speedup: there is no case to compare "
			      "it with",
	    "无加速比：没有可供比较的规模" },
	[PAGE_NO_1N1G] = { "the baseline is not 1n1g, which is "
			   "missing",
	    "缺 1n1g，基线为其他规模" },
	[PAGE_LOGS_EXCLUDED] = { "@: logs that were excluded: @",
	    "@：被排除的日志数：@" },
	[PAGE_FILE] = { "File", "文件" },
	[PAGE_WRITTEN_BY] = { "by @", "由 @ 生成" },
	[PAGE_ENVIRONMENT] = { "What it was measured on", "测量环境" },
	[PAGE_RESULTS] = { "Results", "结果" },
	[PAGE_FILTER] = { "Filter", "筛选" },
	[PAGE_TABLE] = { "Table of medians and speedups", "中位数与加速比表" },
	[PAGE_CONFIGURATION] = { "configuration", "配置" },
	[PAGE_PROVENANCE] = { "Where the numbers come from", "数据出处" },
	[PAGE_EXCLUDED] = { "Excluded logs", "被排除的日志" },
	[PAGE_REASON] = { "reason", "原因" },
	[PAGE_WHAT_INCLUDES] = { "what would include it", "如何纳入" },
	[PAGE_PUBLISHED_IN] = { "Published: @ in @, line @.",
	    "公布值：@，见 @ 第 @ 行。" },
	[PAGE_FAILED_IN] = { "No number: @", "无数值：@" },
	[PAGE_MEDIAN_OF] = { "Median of @ runs; the true median is in "
			     "[@, @] with @ confidence (order "
			     "statistics, exact).",
	    "@ 次运行的中位数；真实中位数在 [@, @] "
	    "内，置信水平 @（次序统计量，精确）。" },
	[PAGE_MEDIAN_OF_FEW] = { "Median of @ runs, without an interval.",
	    "@ 次运行的中位数，无区间。" },
	[PAGE_VALUE_OF_ONE] = { "The value of one run; one has no "
				"interval of the median.",
	    "一次运行的值；单次运行没有中位数区间。" },
	[PAGE_FORMULA_SPEED] = { "Each run: global batch @"
				 " (@ × @) over its mean s"
				 "tep.",
	    "每次运行：总批大小 @（@ × @）除以平均单步"
	    "时间。" },
	[PAGE_WINDOW] = { "Window: @; positions count from 0.",
	    "测量窗口：@；位置从 0 计起。" },
	[PAGE_LEFT_OUT] = { "Excluded of each run: its first @ "
			    "iterations (@ skipped, @ of warm-up), "
			    "not yet steady.",
	    "每次运行排除前 @ 次迭代（跳过 @ 次，预热 "
	    "@ 次），此时尚未稳定。" },
	[PAGE_LEFT_OUT_AFTER] = { "Excluded, too: all after the first @, so"
				  " that each run has a window of @ "
				  "iterations.",
	    "第 @ 次之后的也排除，使每次运行的窗口都为 @"
	    " 次迭代。" },
	[PAGE_LEFT_OUT_FROM] = { "Excluded of each run: its first @ "
				 "iterations, as --from-iteration asks.",
	    "每次运行按 --from-iteration 排"
	    "除前 @ 次迭代。" },
	[PAGE_SPEEDUP_OF] = { "Speedup @: @ over @, the median of @",
	    "加速比 @：@ 除以 @，即 @ 的中位数" },
	[PAGE_SPEEDUP_OF_TIMES] = { "Speedup @: @, the median of @, over @",
	    "加速比 @：@（@ 的中位数）除以 @" },
	[PAGE_SPEEDUP_WORK] = { ", times @, the ratio of the work of a step",
	    "，再乘以每步工作量之比 @" },
	[PAGE_SPEEDUP_IN] = { "; in [@, @] with @ confidence (quotients"
			      " of all pairs of runs, exact)",
	    "；在 [@, @] 内，置信水平 @（所有运行对"
	    "之比，精确）" },
	[PAGE_SPEEDUP_ROUNDED] = { "; in [@, @] by the rounding of what the"
				   " logs print",
	    "；按日志所印数字的舍入在 [@, @] 内" },
	[PAGE_EFFICIENCY_OF] = { "Efficiency @ %: speedup @ over @, the "
				 "ratio of device counts.",
	    "并行效率 @ %：加速比 @ 除以设备数之比 @。" },
	[PAGE_METADATA_OF] = { "Metadata of the first run: @.",
	    "首次运行的元数据来源：@。" },
	[PAGE_METADATA] = { "@ from @", "@：@" },
	[PAGE_SEE] = { "Compared with: ", "比较对象：" },
	[PAGE_LOG] = { "log", "日志文件" },
	[PAGE_METRICS] = { "Metrics", "其他指标" },
	[PAGE_METRICS_OF] = { "Medians over the runs of a case; the "
			      "case names each run's value and its "
			      "source.",
	    "各规模多次运行的中位数；点击可见每次运行的值及其"
	    "来源。" },
	[PAGE_METRICS_MORE] = { "There are more metrics than a page shows; the "
				"result has them all.",
	    "指标多于页面所能显示的数量；结果文件中有全部指标。" },
	[PAGE_PHASES] = { "Phases of a step", "单步各阶段" },
	[PAGE_COLLECTIVES] = { "Collectives", "集合通信" },
	[PAGE_PREDICTIONS] = { "Predictions", "预测" },
	[PAGE_PREDICTIONS_OF] = { "Cases that were not run, each with an "
				  "interval, and the measured ones, "
				  "unchanged.",
	    "未运行的规模，各附区间；已测的规模照原值列出。" },
	[PAGE_PREDICTION_OF] = { "Sources of the prediction: @",
	    "预测依据：@" },
	[PAGE_PREDICTION_FILE] = { "From @, by predict_scaling, of these "
				   "measured cases:",
	    "来自 @，由 predict_scaling 依"
	    "据下列实测规模得出：" },
	[PAGE_HOW] = { "how", "方式" },
	[PAGE_WARNINGS] = { "warnings", "警告" },
	[PAGE_RANGE] = { "range", "范围" },
	[PAGE_INTERVAL_AT] = { "@ interval", "@ 区间" },
	[PAGE_MADE_BY] = { "Made by @.", "由 @ 生成。" },
};

const char *
page_message_text(enum page_message m, enum language lang)
{
	assert(sentences[m][lang] != NULL);
	return sentences[m][lang];
}

const char *
page_message_fill(struct arena *a, enum language lang, enum page_message m, ...)
{
	struct strbuf sb;
	const char *text;
	va_list list;

	strbuf_init(&sb, MAX_SENTENCE);
	va_start(list, m);
	for (const char *p = page_message_text(m, lang); *p != '\0'; p++) {
		if (*p == '@')
			strbuf_addstr(&sb, va_arg(list, const char *));
		else
			strbuf_addch(&sb, *p);
	}
	va_end(list);
	text = arena_strdup(a, sb.buf);
	strbuf_release(&sb);
	return text;
}

void
page_message(FILE *f, enum language lang, enum page_message m, ...)
{
	va_list list;

	va_start(list, m);
	for (const char *p = page_message_text(m, lang); *p != '\0'; p++) {
		if (*p == '@') {
			fputs("<bdi>", f);
			table_html_text(f, va_arg(list, const char *));
			fputs("</bdi>", f);
		} else {
			putc(*p, f);
		}
	}
	va_end(list);
}
