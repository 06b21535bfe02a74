/* A row a sentence: the English one with '@' for what varies, and its other
 * languages, where "@1" is the first of these.  tests/cli/sentences.sh holds
 * the rows against the sources that make the sentences.  report's notes, its
 * check and the titles of charts call this; it knows no log. */
#include <config.h>

#include "common/texts/sentence_text.h"

#include <string.h>

#include "common/strbuf.h"

enum { MAX_PARTS = 6, MAX_TEXT = 1 << 16 };

static const struct sentence {
	const char *texts[N_LANGUAGES];
} sentences[] = {
	{ { " (@ of @ runs)", "（@2 次运行中的 @1 次）" } },
	{ { "attempt @ of @", "共 @2 次尝试中的第 @1 次" } },
	{ { "epochs @–@", "第 @1–@2 轮" } },
	{ { "joined from @ files", "由 @1 个文件拼接" } },
	{ { "begins @ iteration@ inside the window",
	    "从窗口内第 @1 次迭代才开始" } },
	{ { "@ of @ iterations printed", "@2 次迭代中只打印了 @1 次" } },
	{ { "sampled 1 of @: the running means of the lines were taken@",
	    "每 @1 次迭代打印 1 次：取各行的滑动均值" } },
	{ { "sampled 1 of @: the printed steps were taken, which the running "
	    "means confirm",
	    "每 @1 次迭代打印 1 次：取所打印的步，滑动均值予以证实" } },
	{ { "sampled 1 of @", "每 @1 次迭代打印 1 次" } },
	{ { "the running means on the same lines are @ % higher",
	    "同一行的滑动均值高 @1 %" } },
	{ { "the running means on the same lines are @ % lower",
	    "同一行的滑动均值低 @1 %" } },
	{ { "the log's figure of the whole job is @ @, the window's @: @ % "
	    "higher",
	    "日志所记整个作业为 @1 @2，窗口为 @3：高 @4 %" } },
	{ { "the log's figure of the whole job is @ @, the window's @: @ % "
	    "lower",
	    "日志所记整个作业为 @1 @2，窗口为 @3：低 @4 %" } },
	{ { "known to @ %: the printed numbers are rounded",
	    "精确到 @1 %：所打印的数字经过舍入" } },
	{ { "the instants on the same lines are @ % higher",
	    "同一行的瞬时值高 @1 %" } },
	{ { "the instants on the same lines are @ % lower",
	    "同一行的瞬时值低 @1 %" } },
	{ { "the two rates of a line make @ an iteration, not @: one of them "
	    "is wrong; by time and batch it would be @",
	    "一行中的两个速率得每次迭代 @1，而非 @2：其一有误；按时间和批量应为 "
	    "@3" } },
	{ { "its events count @ samples, but @ steps of @ samples: the steps "
	    "were taken",
	    "其事件计有 @1 个样本，而 @2 步每步 @3 个样本：取步数" } },
	{ { "@ @ from the start to the end of the run: what is between the "
	    "epochs is not counted",
	    "整个运行从开始到结束为 @1 @2：各轮之间的部分不计" } },
	{ { "resumed after step @: @ of @ steps were counted, the log's own "
	    "figure is @",
	    "自第 @1 步后恢复：计 @3 步中的 @2 步，日志自报 @4" } },
	{ { "its loss is not a number from line @ on",
	    "自第 @1 行起其损失不是数" } },
	{ { "by the clock of its lines a step takes @ s, by what they print @ "
	    "s: one of them is wrong",
	    "按各行时钟每步 @1 s，按其打印值每步 @2 s：其一有误" } },
	{ { "the total on its lines grows by @ by their clock, what they "
	    "print makes @: one of them is wrong",
	    "各行累计值按其时钟每秒增长 @1，打印值为 @2：其一有误" } },
	{ { "@ of the records", "取各记录的 @1" } },
	{ { "tokens of each step unknown: weighted equally",
	    "每步 token 数未知：按等权计" } },
	{ { "@ benchmarks in it: that of @", "含 @1 个测试：取 @2" } },
	{ { "number of @ unknown: sum over the @ that printed",
	    "@1 数未知：为打印出的 @2 个之和" } },
	{ { "number of GPUs not stated: that of the @ ranks that print; "
	    "--gpus=N states it",
	    "GPU 数未说明：取打印的 @1 个 rank；可用 --gpus=N 说明" } },
	{ { "@: @ (@) is taken, against @ (@)",
	    "@1：取 @2（@3），而非 @4（@5）" } },
	{ { "batch size @ of the configuration taken as that of a device; "
	    "--batch-size=N or --batch-size-per-device=N states it",
	    "配置中的批大小 @1 视为每卡的；可用 --batch-size=N 或 "
	    "--batch-size-per-device=N 说明" } },
	{ { "batch size @ of the configuration taken as that of all; "
	    "--batch-size=N or --batch-size-per-device=N states it",
	    "配置中的批大小 @1 视为全部的；可用 --batch-size=N 或 "
	    "--batch-size-per-device=N 说明" } },
	{ { "scaled up from @ to @ @", "由 @1 个按比例放大到 @2 个 @3" } },
	{ { "best of @ trials: @", "@1 次试验中最好的：@2" } },
	{ { "the clock was set by an hour: taken for daylight saving, put "
	    "right",
	    "时钟被拨动一小时：视为夏令时，已修正" } },
	{ { "iterations are not numbered: records counted",
	    "迭代没有编号：按记录计数" } },
	{ { "incomplete: @ (@ and @ more)", "不完整：@1（@2 等共另 @3 个）" } },
	{ { "incomplete: @ (@)", "不完整：@1（@2）" } },
	{ { "incomplete: @", "不完整：@1" } },
	{ { "its records end early, or some are damaged",
	    "其记录提前结束，或部分损坏" } },
	{ { "its compressed data end early", "其压缩数据提前结束" } },
	{ { "what follows its compressed data was not read",
	    "其压缩数据之后的内容未读取" } },
	{ { "a pattern gave up on @ line@, the first is line @",
	    "某模式放弃了 @1 行，第一处为第 @3 行" } },
	{ { "it also holds @ steps of format @ from line @ on, which are not "
	    "counted@",
	    "另含格式 @2 的 @1 步（自第 @3 行起），未计入@4" } },
	{ { "at least @", "至少 @1" } },
	{ { "its format was chosen by a part of it: more would have taken too "
	    "long@",
	    "其格式由部分内容判定：判定全部耗时过长@1" } },
	{ { "@ line@ longer than 16 MiB, read in pieces@",
	    "@1 行超过 16 MiB，分段读取@3" } },
	{ { "timed by when the records were written, to @ s: evaluation and "
	    "checkpoints between them count",
	    "按记录写入的时刻计时，精度 @1 秒：其间的评估与检查点也计入" } },
	{ { "differences of running means", "由滑动均值之差得出" } },
	{ { "some iterations are printed again: their counter stood still",
	    "部分迭代重复打印：其计数器未前进" } },
	{ { "iterations are printed again from the start: taken for ranks, "
	    "but it may be a restart",
	    "迭代从头重复打印：视为多个 rank，也可能是重启" } },
	{ { "world size unknown: lines of the same iteration are taken for "
	    "ranks",
	    "进程总数未知：同一迭代的多行视为多个 rank" } },
	{ { "ranks printed unequal numbers of iterations: it may be a restart",
	    "各 rank 打印的迭代数不等：可能是重启" } },
	{ { "it also holds @ steps of format @ from line @ on, which are not "
	    "counted",
	    "另含格式 @2 的 @1 步，自第 @3 行起，未计入" } },
	{ { "its format was chosen by a part of it: more would have taken too "
	    "long",
	    "格式由其中一部分判定：读更多会太慢" } },
	{ { "@ line@ longer than 16 MiB, read in pieces",
	    "@1 行超过 16 MiB，分段读取" } },
	{ { "outlier: @ % off the median of the runs",
	    "离群：偏离各次运行的中位数 @1 %" } },
	{ { "these runs differ in @", "这些运行的设置不同：@1" } },
	{ { "the runs form two groups: @ around @ and @ around @",
	    "各次运行分为两组：@1 次约 @2，@3 次约 @4" } },
	{ { "@ run@ in its folder failed and @ excluded",
	    "同一文件夹中有 @1 次运行失败，已排除" } },
	{ { "1 of @ runs failed and counts as the slowest: the median's "
	    "interval has no upper end",
	    "@1 次运行中有 1 次失败，按最慢计：中位数区间无上端" } },
	{ { "@ of @ runs failed: no valid time to train",
	    "@2 次运行中有 @1 次失败：没有有效的训练时长" } },
	{ { "warm-up reaches @ step@ into the window",
	    "预热延伸到窗口内 @1 步" } },
	{ { "settles at position @, after the window",
	    "到第 @1 个位置才稳定，在窗口之后" } },
	{ { "the window is @ % faster than all steps from its start on",
	    "窗口比其起点之后的所有步快 @1 %" } },
	{ { "the window is @ % slower than all steps from its start on",
	    "窗口比其起点之后的所有步慢 @1 %" } },
	{ { "stalls take @ % of the time", "停顿占时间的 @1 %" } },
	{ { "one step took @ times the median (line @)",
	    "有一步用时为中位数的 @1 倍（第 @2 行）" } },
	{ { "drifts by @ % over the window", "窗口内漂移 @1 %" } },
	{ { "settings were tuned during @ of @ steps",
	    "@2 步中有 @1 步仍在调优设置" } },
	{ { "settings were tuned, and the log does not state until when: maybe "
	    "during all @ steps",
	    "设置在调优中，日志未说明到何时：可能全部 @1 步都是" } },
	{ { "the window begins at position @, after settings were tuned",
	    "窗口从位置 @1 开始，在设置调优之后" } },
	{ { "resumed after step @: its wall-clock and CPU times are of the "
	    "steps since",
	    "从第 @1 步之后恢复：墙钟与 CPU 时间只含其后的步" } },
	{ { "ranks are @ steps apart after the window",
	    "窗口之后各 rank 相差 @1 步" } },
	{ { "ranks are unbalanced by @ %", "各 rank 不均衡 @1 %" } },
	{ { "its time is that of @", "其时间取自 @1" } },
	/* Why a law is not fitted: common/stats/scaling_fit.c. */
	{ { "@ takes @ sizes, there are @", "@1 需 @2 种规模，只有 @3 种" } },
	{ { "@ takes @ sizes, there is @", "@1 需 @2 种规模，只有 @3 种" } },
	{ { "a speed of @ on @ is no point of a law",
	    "@2 卡上的速度 @1 不能用于拟合" } },
	{ { "@ does not fit: the speeds follow no such law",
	    "@1 不适合：速度不符合该规律" } },
	/* Parts of sentences. */
	{ { "nodes", "节点" } },
	{ { "node", "节点" } },
	{ { "ranks", "rank" } },
	{ { "device", "设备" } },
	{ { "rate", "速率" } },
	{ { "time", "时间" } },
	{ { "time stamp", "时间戳" } },
	{ { "mean", "平均值" } },
	{ { "median", "中位数" } },
	{ { ", which are plain means of rates", "，即速率的简单平均" } },
	{ { "the batch size per device", "每设备 batch size" } },
	{ { "the batch size per device and the number of GPUs",
	    "每设备 batch size 和 GPU 数" } },
	{ { "the number of GPUs", "GPU 数" } },
	{ { "the tokens of a sample", "每个样本的 token 数" } },
	{ { "the tokens of an iteration", "每次迭代的 token 数" } },
	{ { " (logs that differ: --map=FILE or --path=TEMPLATE)",
	    "（各日志不同时：--map=FILE 或 --path=TEMPLATE）" } },
	{ { " (logs that differ: --map=FILE or --path=TEMPLATE), or "
	    "--rate-scope=global if the rate is that of all",
	    "（各日志不同时：--map=FILE 或 --path=TEMPLATE）；"
	    "若是全部的速率，用 --rate-scope=global" } },
	{ { "from @ to @; pass @ to include it",
	    "第 @1 至 @2 次；加 @3 可计入" } },
	{ { "from @ on; pass @ to include it", "自第 @1 次起；加 @2 可计入" } },
	{ { "from @ to @", "第 @1 至 @2 次" } },
	{ { "from @ on", "自第 @1 次起" } },
	{ { "; pass @ to include it", "；加 @1 可计入" } },
	{ { "; no other choice of iterations passes the audit: @",
	    "；别的迭代范围都通不过审查：@1" } },
	{ { "it is one iteration", "只有一次迭代" } },
	{ { "it is one record, with the start", "只有一条记录，且含开头" } },
	{ { "its start is slower", "其开头较慢" } },
	{ { "its running means differ", "其滑动均值不同" } },
	/* Why runs are excluded.  What begins with a place comes last. */
	{ { "no step with a time or a rate was read in it",
	    "未从中读到带时间或速率的步" } },
	{ { "its @ progress bars show no time yet (00:00)",
	    "其 @1 个进度条尚未显示时间（00:00）" } },
	{ { "numbers no iterations@", "迭代没有编号@1" } },
	{ { "prints no iteration from @ on, only up to @",
	    "自第 @1 次迭代起无输出，只到第 @2 次" } },
	{ { "lacks the figure of the whole run@, which its program prints at "
	    "its end",
	    "缺少整个运行的数值，程序在结束时才打印" } },
	{ { "is too coarse: what its lines print is rounded by as much as the "
	    "window takes; a longer one (--train-batches=N) may do",
	    "过于粗略：各行所打印的舍入量不小于窗口时间；"
	    "更长的窗口（--train-batches=N）或可" } },
	{ { "has @ of @ iterations@", "只有 @2 次迭代中的 @1 次@3" } },
	{ { "has the iterations from @ to @ only, not the window @",
	    "只有第 @1 至 @2 次迭代，没有窗口（@3）" } },
	{ { "starts at iteration @, inside the window @",
	    "从第 @1 次迭代开始，在窗口（@2）之内" } },
	{ { "starts at iteration @, after the window @",
	    "从第 @1 次迭代开始，已在窗口（@2）之后" } },
	{ { "lacks the lines of @ of the @ iterations in the window @",
	    "窗口（@3）的 @2 次迭代中缺 @1 次的行" } },
	{ { "prints 1 of @ iterations and too few in the window @",
	    "每 @1 次迭代打印 1 次，窗口（@2）内太少" } },
	{ { "numbers no epochs; without --epoch=@ it is looked at",
	    "没有轮次编号；去掉 --epoch=@1 可计入" } },
	{ { "has no epoch @, only @ to @",
	    "没有第 @1 轮，只有第 @2 至 @3 轮" } },
	{ { "was started @ times, and none of the last @ attempts has the "
	    "iterations that count; keep one of them, or choose others",
	    "启动过 @1 次，最后 @2 次都不含要计的迭代；请只留其一，或另选迭代" } },
	{ { "was started @ times, and no attempt has the iterations that "
	    "count; keep one of them, or choose others",
	    "启动过 @1 次，没有一次含有要计的迭代；请只留其一，或另选迭代" } },
	{ { "neither an option nor the path nor the log states @; pass @ to "
	    "include it@",
	    "选项、路径和日志都没有说明 @1；加 @2 可计入@3" } },
	{ { "prints the rate of one @, and neither an option nor the path nor "
	    "the log states how many there are; pass @ to include it@",
	    "打印的是一个 @1 的速率，而个数未知；加 @2 可计入@3" } },
	{ { "the rate on its lines is that of one device or of all, by the "
	    "program's version, and the log does not state which; pass @ to "
	    "include it@",
	    "各行的速率属于一个设备还是整个任务因程序版本而异，日志没有说明；加 "
	    "@1 可计入@2" } },
	{ { "prints @, from which the time of a step does not follow",
	    "打印的是 @1，由此得不出每步时间" } },
	{ { "--metric=@: the log does not state it, nor enough to compute it; "
	    "next to its throughput there is @",
	    "--metric=@1：日志没有给出，也不足以算出；除吞吐率外还有 @2" } },
	{ { "--metric=@: @ is not above 0 within reason",
	    "--metric=@1：@2 不是合理的正数" } },
	{ { "is empty", "为空" } },
	{ { "the file is empty", "文件为空" } },
	{ { "@: out of memory: @", "@1：内存不足：@2" } },
	{ { "@: the run ended: @", "@1：运行中止：@2" } },
	{ { "@ (short: @)", "“@1”（太短：@2）" } },
	{ { "@ (no-steps: @)", "“@1”（没有可计的迭代：@2）" } },
	{ { "@ (no-summary: @)", "“@1”（没有总结数值：@2）" } },
	{ { "@ (no-format: @)", "“@1”（格式未知：@2）" } },
	{ { "@ (bad-value: @)", "“@1”（数值无效：@2）" } },
	{ { "@ (restart: @)", "“@1”（重启：@2）" } },
	{ { "no format knows it; --explain shows how near each comes, "
	    "--suggest proposes one",
	    "没有格式能读；--explain 显示各格式相差多少，--suggest 提议一个" } },
	{ { "no format knows the part of it that was looked at: more would "
	    "have taken too long",
	    "没有格式能读已查看的部分：再多看会太费时间" } },
	{ { "no format knows its first 256 KiB, after which its first line "
	    "goes on; --log-format=NAME reads all of it",
	    "没有格式能读其前 256 KiB，首行在此之后仍未结束；"
	    "--log-format=NAME 可读取全部" } },
	{ { "is of format @, but @ of the same run is of @",
	    "格式为 @1，而同一运行的 @2 为 @3" } },
	{ { "has the same bytes as @, which counts",
	    "与 @1 逐字节相同，只计后者" } },
	{ { "prints the same as @, which counts",
	    "与 @1 打印的内容相同，只计后者" } },
	{ { "@: a log of inference (@): requests and tokens that are served "
	    "are no steps of training, and nothing of it is compared with "
	    "them",
	    "@1：推理日志（@2）：所服务的请求和 token 不是训练的步" } },
	{ { "@: iteration @ comes again, on the line of another rank or of "
	    "another run, and nothing states which; pass --nodes=N "
	    "--gpus-per-node=N, or keep one run",
	    "@1：第 @2 次迭代再次出现，来自另一 rank 或另一次运行，无从判断；"
	    "加 --nodes=N --gpus-per-node=N，或只留一次运行" } },
	{ { "@: iteration @ comes again, and @: the log holds more than one "
	    "run; keep one of them",
	    "@1：第 @2 次迭代再次出现（@3）：日志含多次运行，请只留其一" } },
	{ { "@: the figure of the whole run is not a number above 0 within "
	    "reason",
	    "@1：整个运行的数值不是合理的正数" } },
	{ { "@: the @ of iteration @ is not a number above 0 within reason",
	    "@1：第 @3 次迭代的 @2 不是合理的正数" } },
	{ { "@: the run ended with the status '@'",
	    "@1：运行结束时的状态为“@2”" } },
	/* How a published table was read: common/published/. */
	{ { "'@' counts the GPUs of each node: rows of several nodes have as "
	    "many as those of one",
	    "“@1”是每个节点的 GPU 数：多节点各行与单节点行的数相同" } },
	{ { "'@' may count the GPUs of each node or of all; it is read as "
	    "those of all",
	    "“@1”可能是每个节点或全部的 GPU 数；按全部理解" } },
	{ { "the global batch may grow with the GPUs or not; rows of one batch "
	    "of each device are read as alike",
	    "总批大小可能随 GPU 数增长，也可能不变；每卡批大小相同的各行视为同类" } },
	{ { "'@' is read as nodes times GPUs of each",
	    "“@1”按“节点数乘每节点 GPU 数”理解" } },
	{ { "empty cells of '@' are read as the cell above",
	    "“@1”的空格按上一格理解" } },
	{ { "read as speeds of frameworks: @", "按各框架的速度理解：@1" } },
	{ { "the comma is read as the decimal mark, as in '@'",
	    "逗号按小数点理解，如“@1”" } },
	{ { "read from text without borders between its cells",
	    "读自单元格之间没有边框的文本" } },
	{ { "contradicts another cell of its row", "与同行另一格矛盾" } },
	{ { "contradicts the case of its row", "与该行的规模矛盾" } },
	{ { "is not a count", "不是个数" } },
	{ { "is not nodes times GPUs of each",
	    "不等于节点数乘每节点 GPU 数" } },
	{ { "the GPUs do not spread evenly over the nodes ('GPUs' counts those "
	    "of all nodes)",
	    "GPU 不能均分到各节点（“GPUs”是全部节点的数目）" } },
	{ { "is followed by more than a unit", "单位之后还有其他内容" } },
	{ { "its unit is none of its column's", "其单位与该列不符" } },
	{ { "is no number", "不是数" } },
	{ { "holds several numbers", "含有多个数" } },
	{ { "is neither a number nor a word", "既不是数，也不是词" } },
	{ { "begins a row with more cells than the header has",
	    "此行的单元格多于表头" } },
	/* What a check found, and from what: report/check/. */
	{ { "'@' is taken to be over the row that prints 1, for each '@'",
	    "视“@1”以打印 1 的行为基准，每个“@2”各有其一" } },
	{ { "'@' is taken to be over the row that prints 1, for each number of "
	    "GPUs",
	    "视“@1”以打印 1 的行为基准，每种 GPU 数各有其一" } },
	{ { "'@' is taken to be over the row that prints 1",
	    "视“@1”以打印 1 的行为基准" } },
	{ { "not stated, and taken to be as in the results: @; --select "
	    "chooses among these",
	    "未说明，视为与结果相同：@1；可用 --select 从中选择" } },
	{ { "over @ GPU@ here, over @ in the results",
	    "此处以 @1 卡为基准，结果中以 @3 卡为基准" } },
	{ { "no case of the results is of it", "结果中没有相应的规模" } },
	{ { "@ cases of the results may be meant",
	    "可能指结果中的 @1 个规模" } },
	{ { "speedup of @ in @", "@2 中 @1 的加速比" } },
	{ { "efficiency of @ in @", "@2 中 @1 的效率" } },
	{ { "median of @ in @", "@2 中 @1 的中位数" } },
	{ { "@ cells that are computed with it do not follow; with this value "
	    "they do",
	    "由它算出的 @1 格都不一致；换成此值则一致" } },
	{ { "@; @ of @ speedups imply this baseline, which is not in the table",
	    "@1；@3 个加速比中有 @2 个指向此基准，而表中没有它" } },
	{ { "its baseline, or what it is a quotient of, is not in the table",
	    "表中没有它的基准，也没有可相除得出它的数" } },
	{ { "its baseline is not in the table", "表中没有它的基准" } },
	{ { "neither a speed nor a speedup is next to it",
	    "同行既没有速度，也没有加速比" } },
	{ { "no time of it and of its baseline is in the table",
	    "表中没有它与其基准的时间" } },
	{ { "no two numbers of one kind come before it",
	    "它之前没有两个同类的数" } },
	{ { "the times that it is a share of are not all there",
	    "它所占份额的各项时间不全" } },
	{ { "@; printed is @ / @ s, the time cut",
	    "@1；表中是 @2 / @3 s，即时间被截断" } },
	{ { "@ samples / @ s", "@1 个样本 / @2 s" } },
	{ { "@ of @ in all", "总计 @2 中的 @1" } },
	{ { "@ (for @)@", "@1（原为 @2）@3" } },
};

struct sentence_part {
	const char *text;
	size_t len;
};

/* The first place of a text of n bytes in one of len; NULL: none. */
static const char *
find_text(const char *in, size_t len, const char *text, size_t n)
{
	for (size_t i = 0; i + n <= len; i++)
		if (memcmp(in + i, text, n) == 0)
			return in + i;
	return NULL;
}

/* Does text fit the pattern?  Each '@' ends where what follows it in the
 * pattern comes first, the last one where the text's end fits; it may be
 * nothing.
 *
 * parts  [MAX_PARTS] set to what stands for each '@' */
static int
is_like(const char *pattern, const char *text, size_t len,
    struct sentence_part *parts)
{
	size_t plain = strcspn(pattern, "@");

	if (len < plain || memcmp(text, pattern, plain) != 0)
		return 0;
	pattern += plain, text += plain, len -= plain;
	while (*pattern == '@') {
		const char *next = ++pattern, *at;

		plain = strcspn(next, "@");
		if (next[plain] != '\0')
			at = find_text(text, len, next, plain);
		else
			at = len < plain ? NULL : text + len - plain;
		if (at == NULL || memcmp(at, next, plain) != 0)
			return 0;
		*parts++ = (struct sentence_part){ text, (size_t)(at - text) };
		len -= (size_t)(at - text) + plain;
		text = at + plain;
		pattern += plain;
	}
	return len == 0;
}

static void add_known(
    struct strbuf *sb, const char *text, size_t len, enum language lang);

/* A sentence with its parts, which may be sentences themselves, but for names,
 * which stand in quotes. */
static void
add_filled(struct strbuf *sb, const char *text,
    const struct sentence_part *parts, enum language lang)
{
	static const char quote[] = "“";
	const size_t len = sizeof quote - 1;

	for (const char *from = text; *text != '\0'; text++) {
		const struct sentence_part *part;
		const char *before = text;

		if (*text != '@') {
			strbuf_addch(sb, *text);
			continue;
		}
		part = &parts[*++text - '1'];
		if ((size_t)(before - from) >= len &&
		    memcmp(before - len, quote, len) == 0)
			strbuf_add(sb, part->text, part->len);
		else
			add_known(sb, part->text, part->len, lang);
	}
}

/* Where " (2 of 5 runs)" begins at the end of a text of len bytes; len: it does
 * not end so. */
static size_t
runs_suffix(const char *text, size_t len)
{
	static const char end[] = " runs)";
	size_t at = len;

	if (len < sizeof end ||
	    memcmp(text + len - (sizeof end - 1), end, sizeof end - 1) != 0)
		return len;
	while (at > 0 && text[at] != '(')
		at--;
	return at > 0 && text[at - 1] == ' ' ? at - 1 : len;
}

static void
add_known(struct strbuf *sb, const char *text, size_t len, enum language lang)
{
	struct sentence_part parts[MAX_PARTS];
	const size_t suffix = runs_suffix(text, len);

	if (suffix < len) {
		add_known(sb, text, suffix, lang);
		text += suffix;
		len -= suffix;
	}
	for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++)
		if (is_like(
			sentences[i].texts[LANGUAGE_EN], text, len, parts)) {
			add_filled(sb, sentences[i].texts[lang], parts, lang);
			return;
		}
	strbuf_add(sb, text, len);
}

const char *
sentence_text(struct arena *a, const char *english, enum language lang)
{
	struct strbuf sb;
	const char *text;

	if (lang == LANGUAGE_EN || strlen(english) > MAX_TEXT / 8)
		return english;
	strbuf_init(&sb, MAX_TEXT);
	add_known(&sb, english, strlen(english), lang);
	text = arena_strdup(a, sb.buf);
	strbuf_release(&sb);
	return text;
}
