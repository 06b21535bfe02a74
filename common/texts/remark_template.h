/* Remarks: code, name in JSON, reason for exclusion (or FLAG_...), parameters
 * and sentences; see struct remark_row. remark.h and remark.c include the rows
 * with ROW defined. */

ROW(REMARK_NONE, "none", NULL, "", "", "")
ROW(REMARK_OTHER, "other", FLAG_DOUBT, "text%s", "{text}", "{text}")

/* Flags: selected iterations */
ROW(REMARK_ATTEMPT, "attempt", NULL, "attempt attempts",
    "attempt {attempt} of {attempts}",
    "共 {attempts} 次尝试中的第 {attempt} 次")
ROW(REMARK_JOINED, "joined", NULL, "files", "joined from {files} files",
    "由 {files} 个文件拼接")
ROW(REMARK_EPOCHS, "epochs", NULL, "first last", "epochs {first}–{last}",
    "第 {first}–{last} 轮")
ROW(REMARK_LATE_START, "late-start", NULL, "iterations",
    "begins {iterations} {iterations?iteration|iterations} inside the window",
    "从窗口内第 {iterations} 次迭代才开始")
ROW(REMARK_UNPRINTED, "unprinted", NULL, "printed iterations",
    "{printed} of {iterations} iterations printed",
    "{iterations} 次迭代中只打印了 {printed} 次")
ROW(REMARK_SAMPLED, "sampled", FLAG_COARSE, "period",
    "prints 1 of {period} iterations", "每 {period} 次迭代打印 1 次")
ROW(REMARK_SAMPLED_CONFIRMED, "sampled-confirmed", NULL, "period",
    "prints 1 of {period} iterations: the printed step times are used, and the "
    "running means confirm them",
    "每 {period} 次迭代打印 1 次：取其用时，滑动均值予以证实")
ROW(REMARK_SAMPLED_MEANS, "sampled-means", NULL, "period",
    "prints 1 of {period} iterations: the printed running means are used",
    "每 {period} 次迭代打印 1 次：取各行的滑动均值")
ROW(REMARK_SAMPLED_PLAIN_MEANS, "sampled-plain-means", FLAG_DOUBT, "period",
    "prints 1 of {period} iterations: the printed running means are used, "
    "which average rates instead of times",
    "每 {period} 次迭代打印 1 次：取各行的滑动均值，而它平均的是速率而非用时")
ROW(REMARK_AGGREGATE, "aggregate", NULL, "aggregate%w",
    "{aggregate} of the records", "取各记录的{aggregate}")
ROW(REMARK_UNNUMBERED, "unnumbered", NULL, "",
    "iterations are not numbered: the lines of the log are counted",
    "迭代没有编号：按日志的行计数")
ROW(REMARK_MEAN_DIFFERENCES, "mean-differences", NULL, "",
    "step times are differences of the running means that the log prints",
    "每步时间由日志打印的滑动均值之差得出")
ROW(REMARK_RECORD_TIMES, "record-times", FLAG_DOUBT, "seconds%6g",
    "timed by when the records were written, to {seconds} s: evaluation and "
    "checkpoints between them count",
    "按记录写入的时刻计时，精度 {seconds} 秒：其间的评估与检查点也计入")
ROW(REMARK_BETWEEN_EPOCHS, "between-epochs", NULL, "figure%6g unit%s",
    "{figure} {unit} from the start to the end of the run: the time between "
    "its epochs is not counted",
    "整个运行从开始到结束为 {figure} {unit}：各轮之间的部分不计")
ROW(REMARK_TUNED, "tuned", FLAG_DOUBT, "tuned steps",
    "settings were tuned during [{tuned}|an unknown number] of {steps} steps",
    "{steps} 步中有[ {tuned} 步|若干步]仍在调优设置")
ROW(REMARK_WINDOW_MOVED, "window-moved", NULL, "position",
    "the window begins at position {position}, after settings were tuned",
    "窗口从位置 {position} 开始，在设置调优之后")
ROW(REMARK_SHORT_LOG, "short-log", FLAG_COARSE,
    "iterations from to window percent%2g",
    "short log: {iterations} iterations ({from} to {to}) were measured, not "
    "{window}[; within ±{percent} %]",
    "日志较短：测量了 {iterations} 次迭代（第 {from} 至 {to} 次），而非 {window} "
    "次[；误差 ±{percent} %]")

/* Flags: values that contradict the number */
ROW(REMARK_INSTANTS_DIFFER, "instants-differ", FLAG_DOUBT,
    "percent%1f direction%w limit%3g",
    "the values of single steps on the same lines are {percent%} {direction}",
    "同一行的单步值{direction} {percent%}")
ROW(REMARK_MEANS_DIFFER, "means-differ", FLAG_DOUBT,
    "percent%1f direction%w limit%3g",
    "the running means on the same lines are {percent%} {direction}",
    "同一行的滑动均值{direction} {percent%}")
ROW(REMARK_SUMMARY_DIFFERS, "summary-differs", FLAG_DOUBT,
    "figure%5g unit%s window%5g percent%1f direction%w limit%3g",
    "the log's figure of the whole job is {figure} {unit}, the window's "
    "{window}: {percent%} {direction}",
    "日志所记整个作业为 {figure} {unit}，窗口为 {window}：{direction} "
    "{percent%}")
ROW(REMARK_RATES_CONTRADICT, "rates-contradict", FLAG_DOUBT,
    "printed%4g unit%s work%4g rate%5g rate_unit%s",
    "the two rates of a line give {printed} {unit} per iteration, not {work}: "
    "one of them is wrong; time and batch give {rate} {rate_unit}",
    "一行中的两个速率得每次迭代 {printed} {unit}，而非 "
    "{work}：其一有误；按时间和批量应为 {rate} {rate_unit}")
ROW(REMARK_EVENTS_CONTRADICT, "events-contradict", FLAG_DOUBT,
    "samples%6g steps%6g batch%6g",
    "its events count {samples} samples, but {steps} steps of {batch} samples: "
    "the steps are used",
    "其事件计有 {samples} 个样本，而 {steps} 步每步 {batch} 个样本：取步数")
ROW(REMARK_CLOCK_CONTRADICTS, "clock-contradicts", FLAG_DOUBT,
    "clock_s%4g printed_s%4g",
    "a step takes {clock_s} s by the clock of the lines, but {printed_s} s by "
    "the printed values: one of them is wrong",
    "按各行时钟每步 {clock_s} s，按其打印值每步 {printed_s} s：其一有误")
ROW(REMARK_TOTAL_CONTRADICTS, "total-contradicts", FLAG_DOUBT,
    "clock%4g unit%s printed%4g",
    "the printed total grows by {clock} {unit} by the clock of the lines, but "
    "by {printed} by the printed values: one of them is wrong",
    "各行的累计量按其时钟增长 {clock} {unit}，按其打印值为 {printed}：其一有误")
ROW(REMARK_VALUES_CONTRADICT, "values-contradict", FLAG_DOUBT,
    "key%s taken%s taken_from%s other%s other_from%s",
    "{key}: {taken} ({taken_from}) is taken, against {other} ({other_from})",
    "{key}：取 {taken}（{taken_from}），而非 {other}（{other_from}）")
ROW(REMARK_CLOCK_SET, "clock-set", NULL, "",
    "the clock was changed by an hour: corrected as daylight saving time",
    "时钟被拨动一小时：视为夏令时，已修正")
ROW(REMARK_ROUNDED, "rounded", NULL, "percent%2g",
    "known to {percent} %: the printed numbers are rounded",
    "精确到 {percent} %：所打印的数字经过舍入")

/* Flags: quality of the steps */
ROW(REMARK_WARM_UP, "warm-up-in-window", FLAG_DOUBT, "steps",
    "counts {steps} {steps?step|steps} of warm-up: raise --warmup-batches",
    "计入了 {steps} 步预热：请加大 --warmup-batches")
ROW(REMARK_SETTLES_LATE, "settles-late", FLAG_DOUBT, "position",
    "settles at position {position}, after the window, which is all warm-up: "
    "raise --skip-iterations",
    "到第 {position} 个位置才稳定，在窗口之后，窗口全是预热：请加大 "
    "--skip-iterations")
ROW(REMARK_WINDOW_OFF, "window-off", FLAG_DOUBT,
    "percent%1f direction%w limit%3g",
    "the window is {percent%} {direction} than all steps from its start on: "
    "raise --train-batches to cover more of them",
    "窗口比其起点之后的所有步{direction} {percent%}：请加大 --train-batches "
    "以覆盖更多")
ROW(REMARK_REST_OFF, "rest-off", FLAG_DOUBT, "percent%1f direction%w limit%3g",
    "the window is {percent%} {direction} than the steps after it: raise "
    "--train-batches to cover more of them",
    "窗口比其后的步{direction} {percent%}：请加大 --train-batches 以覆盖更多")
ROW(REMARK_SINGLE_RECORD, "single-record", FLAG_DOUBT, "iterations",
    "the window is one record of {iterations} {iterations?iteration|"
    "iterations}, which cannot show whether its speed was steady: print more "
    "often, or raise --train-batches",
    "窗口只有一条记录，含 {iterations} 次迭代，无法判断其速度是否稳定：请更频繁"
    "地打印，或加大 --train-batches")
ROW(REMARK_STALLS, "stalls", FLAG_DOUBT, "percent%0f limit%3g",
    "stalls take {percent} % of the time: --aggregate=median omits them",
    "停顿占时间的 {percent} %：--aggregate=median 可排除")
ROW(REMARK_LONE_STEP, "lone-step", FLAG_DOUBT, "times%0f line limit%3g",
    "one step took {times} times the median (line {line})",
    "有一步用时为中位数的 {times} 倍（第 {line} 行）")
ROW(REMARK_DRIFT, "drift", FLAG_DOUBT, "ratio%3g",
    "steps take {ratio} times as long at the end of the window as at its "
    "start: try a larger --skip-iterations",
    "窗口末尾每步用时为开头的 {ratio} 倍：可试更大的 --skip-iterations")
ROW(REMARK_RANKS_APART, "ranks-apart", FLAG_DOUBT, "steps%0f limit%3g",
    "ranks are {steps} steps apart after the window",
    "窗口之后各 rank 相差 {steps} 步")
ROW(REMARK_RANKS_UNBALANCED, "ranks-unbalanced", FLAG_DOUBT,
    "percent%0f limit%3g", "ranks are unbalanced by {percent} %",
    "各 rank 不均衡 {percent} %")

/* Flags: ranks, devices, work */
ROW(REMARK_STOOD_STILL, "counter-stood-still", NULL, "",
    "some iterations are printed again: their counter did not advance",
    "部分迭代重复打印：其计数器未前进")
ROW(REMARK_FROM_START_AGAIN, "from-start-again", FLAG_DOUBT, "",
    "iterations are printed again from the start: counted as ranks, but the "
    "run may have restarted",
    "迭代从头重复打印：视为多个 rank，也可能是重启")
ROW(REMARK_RANKS_ASSUMED, "ranks-assumed", FLAG_DOUBT, "",
    "world size unknown: lines of the same iteration are counted as ranks",
    "进程总数未知：同一迭代的多行视为多个 rank")
ROW(REMARK_RANKS_UNEQUAL, "ranks-unequal", FLAG_DOUBT, "",
    "ranks printed unequal numbers of iterations: the run may have restarted",
    "各 rank 打印的迭代数不等：可能是重启")
ROW(REMARK_RANKS_OPEN, "ranks-open", NULL, "files",
    "{files} files of ranks; the log does not state whether these are all",
    "{files} 个 rank 的文件；是否齐全未说明")
ROW(REMARK_RANK_MISSING, "rank-missing", FLAG_DOUBT, "files rank",
    "{files} {files?file|files} of ranks, but rank {rank} is missing",
    "{files} 个 rank 的文件，但没有 rank {rank} 的")
ROW(REMARK_GPUS_ASSUMED, "gpus-assumed", FLAG_DOUBT, "ranks",
    "number of GPUs not stated: counted from the {ranks} ranks that print; "
    "--gpus=N sets it",
    "GPU 数未说明：取打印的 {ranks} 个 rank；可用 --gpus=N 说明")
ROW(REMARK_SCALED_UP, "scaled-up", FLAG_DOUBT, "printed all what%w",
    "only {printed} of {all} {what} print rates: their sum is scaled up",
    "{all} 个{what}中只有 {printed} 个打印速率：其和按比例放大")
/* A program may print the rate of one device by design. */
ROW(REMARK_SCALED_FROM_ONE, "scaled-from-one", FLAG_DETAIL, "all what%w",
    "the rate of one of {all} {what}, times {all}",
    "取 {all} 个{what}之一的速率乘以 {all}")
ROW(REMARK_COUNT_UNKNOWN, "count-unknown", FLAG_DOUBT, "what%w printed",
    "number of {what} unknown: sum over the {printed} that printed",
    "{what}数未知：为打印出的 {printed} 个之和")
ROW(REMARK_BATCH_OF_DEVICE, "batch-of-device", FLAG_DOUBT, "batch what%w",
    "batch size {batch} of the configuration taken as that of {what}; "
    "--batch-size=N or --batch-size-per-device=N states it",
    "配置中的批大小 {batch} 视为{what}的；可用 --batch-size=N 或 "
    "--batch-size-per-device=N 说明")
ROW(REMARK_TOKENS_UNKNOWN, "tokens-unknown", FLAG_DOUBT, "",
    "tokens of each step unknown: weighted equally",
    "每步 token 数未知：按等权计")

/* Flags: figures of the whole run */
ROW(REMARK_BENCHMARKS, "benchmarks", NULL,
    "tests name%s first%s first_figure%6g others%s more",
    "{tests} benchmarks in it: that of {name} (before: {first} "
    "[{first_figure}|no figure][, {others}] GB/s[ and {more} more])",
    "含 {tests} 个测试：取 {name}（此前：{first} "
    "[{first_figure}|无数值][，{others}] GB/s[ 等，另有 {more} 个]）")
ROW(REMARK_BEST_TRIAL, "best-trial", FLAG_DOUBT, "trials name%s",
    "best of {trials} trials: {name}", "{trials} 次试验中最好的：{name}")
ROW(REMARK_STRAGGLER, "straggler", FLAG_DOUBT, "process ratio%3g bytes kind%s",
    "operations of process {process} take {ratio} times those of the others: "
    "{bytes} B {kind}",
    "进程 {process} 的操作用时是其他进程的 {ratio} 倍：{bytes} B {kind}")
ROW(REMARK_TIME_OF, "time-of", NULL, "program%s",
    "its time is that of {program}", "其时间取自 {program}")
ROW(REMARK_SCORE_FACTOR, "score-factor", NULL, "factor%6g",
    "the time times {factor}, as scaling.json beside the log states",
    "时间乘以日志旁 scaling.json 所给的 {factor}")
ROW(REMARK_RESUMED_RATE, "resumed-rate", NULL, "step counted steps figure%6g",
    "resumed after step {step}: {counted} of {steps} steps were counted, the "
    "log's own figure is {figure}",
    "自第 {step} 步后恢复：计 {steps} 步中的 {counted} 步，日志自报 {figure}")
ROW(REMARK_RESUMED_TIMES, "resumed-times", NULL, "step%s",
    "resumed after step {step}: its wall-clock and CPU times are of the steps "
    "since",
    "从第 {step} 步之后恢复：墙钟与 CPU 时间只含其后的步")

/* Flags: the log itself */
ROW(REMARK_NAN_LOSS, "nan-loss", FLAG_DOUBT, "line file%s more",
    "its loss is not a number from line {line} on[ ({file}[ and {more} more])]",
    "自第 {line} 行起其损失不是数[（{file}[ 等共另 {more} 个]）]")
ROW(REMARK_RECORDS_CUT, "records-cut", FLAG_DOUBT, "file%s more",
    "incomplete: its data end early or are damaged[ ({file}[ and {more} "
    "more])]",
    "不完整：其数据提前结束，或部分损坏[（{file}[ 等共另 {more} 个]）]")
ROW(REMARK_TRAILING, "trailing-data", FLAG_DOUBT, "file%s more",
    "incomplete: the bytes after its compressed data were not read[ ({file}[ "
    "and {more} more])]",
    "不完整：其压缩数据之后的内容未读取[（{file}[ 等共另 {more} 个]）]")
ROW(REMARK_MATCH_LIMIT, "match-limit", FLAG_DOUBT, "lines first file%s more",
    "incomplete: a pattern reached its limit on {lines} {lines?line|lines}, "
    "first on line {first}[ ({file}[ and {more} more])]",
    "不完整：某模式放弃了 {lines} 行，第一处为第 {first} 行[（{file}[ 等共另 "
    "{more} 个]）]")
ROW(REMARK_OTHER_STEPS, "other-steps", FLAG_DOUBT,
    "steps at_least%w format%s line file%s more",
    "it also contains [{at_least} ]{steps} steps of format {format} from line "
    "{line} on, which are not counted[ ({file}[ and {more} more])]",
    "另含格式 {format} 的[{at_least}] {steps} 步，自第 {line} "
    "行起，未计入[（{file}[ 等共另 {more} 个]）]")
ROW(REMARK_DETECTION_CUT, "detection-cut", NULL, "file%s more",
    "its format was detected from a part of it: more would take too long[ "
    "({file}[ and {more} more])]",
    "格式由其中一部分判定：读更多会太慢[（{file}[ 等共另 {more} 个]）]")
ROW(REMARK_LONG_LINES, "long-lines", NULL, "lines file%s more",
    "{lines} {lines?line|lines} longer than 16 MiB, read in pieces[ ({file}[ "
    "and {more} more])]",
    "{lines} 行超过 16 MiB，分段读取[（{file}[ 等共另 {more} 个]）]")

/* Flags: all runs of a case */
ROW(REMARK_OUTLIER, "outlier", FLAG_DOUBT, "percent%1c",
    "outlier: {percent} % off the median of the runs",
    "离群：偏离各次运行的中位数 {percent} %")
/* In a comparison: noise that a session's runs share looks like a change. */
ROW(REMARK_RUNS_IN_BLOCKS, "runs-in-blocks", FLAG_DOUBT, "first%s second%s",
    "all {first} runs before all {second} ones: a drift of the machine counts "
    "as a change",
    "{first} 的所有次运行都先于 {second}：机器的漂移会被算作变化")
ROW(REMARK_DIFFERENT_HOSTS, "different-hosts", FLAG_DOUBT, "first%s second%s",
    "{first} and {second} ran on different hosts: a difference of the machines "
    "counts as a change",
    "{first} 与 {second} 在不同主机上运行：机器的差别会被算作变化")
ROW(REMARK_SETTINGS_DIFFER, "settings-differ", FLAG_DOUBT, "settings%s",
    "these runs differ in {settings}", "这些运行的设置不同：{settings}")
ROW(REMARK_TWO_GROUPS, "two-groups", FLAG_DOUBT,
    "low_runs low%4g high_runs high%4g",
    "the runs form two groups: {low_runs} around {low} and {high_runs} around "
    "{high}",
    "各次运行分为两组：{low_runs} 次约 {low}，{high_runs} 次约 {high}")
ROW(REMARK_FAILED_NEARBY, "failed-nearby", FLAG_DOUBT, "failed",
    "{failed} {failed?run|runs} in its folder failed and {failed?is|are} "
    "excluded",
    "同一文件夹中有 {failed} 次运行失败，已排除")
ROW(REMARK_FAILED_ONE, "failed-one", NULL, "runs",
    "1 of {runs} runs failed and counts as the slowest: the median's interval "
    "has no upper end",
    "{runs} 次运行中有 1 次失败，按最慢计：中位数区间无上端")
ROW(REMARK_FAILED_RUNS, "failed-runs", FLAG_DOUBT, "failed runs",
    "{failed} of {runs} runs failed: no valid time to train",
    "{runs} 次运行中有 {failed} 次失败：没有有效的训练时长")

/* Flags: speedup of a case, figures of a run */
ROW(REMARK_BASELINE_DOUBT, "baseline-doubt", FLAG_DOUBT,
    "case%k runs all flag%r more",
    "the speedup is over {case}, of which {runs} of {all} runs are in doubt: "
    "{flag}[; and {more} more]",
    "加速比以 {case} 为基准，其 {all} 次运行中有 {runs} 次存疑：{flag}[；另有 "
    "{more} 项]")
ROW(REMARK_EFFICIENCY_HIGH, "efficiency-too-high", FLAG_DOUBT,
    "percent%1f low%1f limit%3g",
    "an efficiency of {percent} % is above 100 %[, by its interval at least "
    "{low} %]: the baseline is too slow or counts other work; --baseline=CASE "
    "chooses another",
    "效率 {percent} % 高于 100 %[，按其区间至少 {low} "
    "%]：基准过慢或所计工作不同；可用 --baseline=CASE 另选")
ROW(REMARK_UTILIZATION_HIGH, "utilization-too-high", FLAG_DOUBT,
    "metric%s percent%1f limit%3g",
    "{metric} of {percent} % is impossible: the speed, the FLOP of a sample, "
    "the number of GPUs or --peak-tflops is wrong",
    "{metric} 为 {percent} %，不可能：速度、每样本 FLOP、GPU 数或 "
    "--peak-tflops 有误")

/* Exclusions */
ROW(REMARK_UNREADABLE, "unreadable", EXCLUDED_UNREADABLE, "error%s", "{error}",
    "{error}")
ROW(REMARK_EMPTY_FILE, "empty-file", EXCLUDED_EMPTY, "", "the file is empty",
    "文件为空")
ROW(REMARK_NO_FORMAT, "no-format", EXCLUDED_NO_FORMAT, "",
    "no format matches it; --explain shows how near each comes, --suggest "
    "proposes one",
    "没有格式能读；--explain 显示各格式相差多少，--suggest 提议一个")
ROW(REMARK_NO_FORMAT_POWER, "power-record", EXCLUDED_NO_FORMAT, "",
    "a record of power by its name: it is read with the log beside it",
    "按其名称是功率记录：与同处的日志一起读取")
ROW(REMARK_NO_FORMAT_PART, "no-format-part", EXCLUDED_NO_FORMAT, "",
    "no format matches the examined part of it: more would take too long; "
    "--log-format=NAME reads all of it",
    "没有格式能读已查看的部分：再多看会太费时间；--log-format=NAME 可读取全部")
ROW(REMARK_FORMATS_DIFFER, "formats-differ", EXCLUDED_NO_FORMAT,
    "format%s file%s other_format%s",
    "is of format {format}, but {file} of the same run is of {other_format}",
    "格式为 {format}，而同一运行的 {file} 为 {other_format}")
ROW(REMARK_NOT_TRAINING, "not-training", EXCLUDED_NOT_TRAINING,
    "place%p program%s text%s",
    "[{place}: ]a log of inference ({program}: {text}): served requests and "
    "tokens are not training steps and are not compared with them",
    "[{place}：]推理日志（{program}：{text}）：所服务的请求和 token 不是训练的步")
ROW(REMARK_ATTEMPTS, "attempts", EXCLUDED_RESTART, "attempts tried",
    "was started {attempts} times, and [none of the last {tried} attempts|no "
    "attempt] has the required iterations; keep one of them, or choose other "
    "iterations with --skip-iterations, --train-batches or --rule=all",
    "启动过 {attempts} 次，[最后 {tried} "
    "次都不含|没有一次含有]要计的迭代；请只留其一，或用 --skip-iterations、--train-batches 或 --rule=all "
    "另选迭代")
ROW(REMARK_REPEATED, "repeated", EXCLUDED_RESTART, "place%p iteration ranks",
    "[{place}: ]iteration {iteration} is printed again, [and there "
    "{ranks?is|are} {ranks} {ranks?rank|ranks}: the log holds more than one "
    "run; keep one of them|on the line of another rank or of another run, and "
    "nothing states which; pass --nodes=N --gpus-per-node=N, or keep one run]",
    "[{place}：]第 {iteration} 次迭代再次出现，[而 rank 共 {ranks} "
    "个：日志含多次运行，请只留其一|来自另一 rank 或另一次运行，无从判断；加 "
    "--nodes=N --gpus-per-node=N，或只留一次运行]")
ROW(REMARK_OUT_OF_MEMORY, "out-of-memory", EXCLUDED_OUT_OF_MEMORY,
    "place%p text%s reason%w why%r hint%r",
    "[{place}: ]out of memory: {text} ({reason}: {why}[; {hint}])",
    "[{place}：]内存不足：“{text}”（{reason}：{why}[；{hint}]）")
ROW(REMARK_CRASHED, "crashed", EXCLUDED_CRASHED,
    "place%p text%s reason%w why%r hint%r",
    "[{place}: ]the run ended: {text} ({reason}: {why}[; {hint}])",
    "[{place}：]运行中止：“{text}”（{reason}：{why}[；{hint}]）")
ROW(REMARK_FAILED, "failed-status", EXCLUDED_FAILED, "place%p status%s",
    "[{place}: ]the run ended with the status '{status}'",
    "[{place}：]运行结束时的状态为“{status}”")
ROW(REMARK_TOO_FEW, "too-few", EXCLUDED_SHORT, "iterations needed",
    "has {iterations} of {needed} iterations",
    "只有 {needed} 次迭代中的 {iterations} 次")
ROW(REMARK_NOT_WINDOW, "not-window", EXCLUDED_SHORT, "first last from to",
    "has the iterations from {first} [to {last} only|on], not the window from "
    "{from} [to {to}|on]",
    "只有[第 {first} 至 {last} 次迭代|第 {first} 次起的迭代]，没有窗口（[第 "
    "{from} 至 {to} 次|自第 {from} 次起]）")
ROW(REMARK_LINES_LACKING, "lines-lacking", EXCLUDED_SHORT,
    "lacking iterations from to",
    "lacks the lines of {lacking} of the {iterations} iterations in the "
    "window from {from} [to {to}|on]",
    "窗口（[第 {from} 至 {to} 次|自第 {from} 次起]）的 {iterations} "
    "次迭代中缺 {lacking} 次的行")
ROW(REMARK_TOO_SPARSE, "too-sparse", EXCLUDED_SHORT, "period from to",
    "prints 1 of {period} iterations and too few in the window from {from} "
    "[to {to}|on]",
    "每 {period} 次迭代打印 1 次，窗口（[第 {from} 至 {to} 次|自第 {from} "
    "次起]）内太少")
ROW(REMARK_NONE_FROM, "none-from", EXCLUDED_SHORT, "from last",
    "prints no iteration from {from} on, only up to {last}",
    "自第 {from} 次迭代起无输出，只到第 {last} 次")
ROW(REMARK_TOO_COARSE, "too-coarse", EXCLUDED_SHORT, "",
    "is too coarse: the rounding of its lines is as large as the time of the "
    "window; a longer window (--train-batches=N) may help",
    "过于粗略：各行所打印的舍入量不小于窗口时间；更长的窗口（--train-batches=N"
    "）或可")
ROW(REMARK_BAD_STEP, "bad-step", EXCLUDED_BAD_VALUE, "place%p what%w iteration",
    "[{place}: ]the {what}[ of iteration {iteration}] is not a plausible "
    "number above 0",
    "[{place}：][第 {iteration} 次迭代的]{what}不是合理的正数")
ROW(REMARK_BAD_METRIC, "bad-metric", EXCLUDED_BAD_VALUE, "metric%s figure%6g",
    "--metric={metric}: {figure} is not a plausible number above 0",
    "--metric={metric}：{figure} 不是合理的正数")
ROW(REMARK_NO_EPOCH, "no-epoch", EXCLUDED_NO_EPOCH, "epoch first last",
    "has no epoch {epoch}[, only {first} to {last}]",
    "没有第 {epoch} 轮[，只有第 {first} 至 {last} 轮]")
ROW(REMARK_NO_STEPS, "no-steps", EXCLUDED_NO_STEPS, "",
    "no step with a time or a rate was found in it",
    "未从中读到带时间或速率的步")
ROW(REMARK_NO_TIMES, "no-times", EXCLUDED_NO_STEPS, "bars",
    "its {bars} progress bars show no time yet (00:00)",
    "其 {bars} 个进度条尚未显示时间（00:00）")
ROW(REMARK_NO_NUMBERS, "no-numbers", EXCLUDED_NO_STEPS, "",
    "numbers no iterations", "迭代没有编号")
ROW(REMARK_NO_STEP_TIME, "no-step-time", EXCLUDED_NO_STEPS, "unit%s",
    "prints {unit}, which does not give the time of a step",
    "打印的是 {unit}，由此得不出每步时间")
ROW(REMARK_NO_SUMMARY, "no-summary", EXCLUDED_NO_SUMMARY, "",
    "lacks the figure of the whole run, which its program prints at its end",
    "缺少整个运行的数值，程序在结束时才打印")
ROW(REMARK_NO_METRIC, "no-metric", EXCLUDED_NO_METRIC,
    "metric%s others%s options%s",
    "--metric={metric}: the log does not state it, nor enough to compute it[: "
    "{options}]; next to its throughput there is [{others}|nothing]",
    "--metric={metric}：日志没有给出，也不足以算出[：{options}]；除吞吐率外[还有 "
    "{others}|没有别的]")
ROW(REMARK_NO_BATCH_SIZE, "no-batch-size", EXCLUDED_NO_BATCH, "what%w",
    "neither an option nor the path nor the log states the {what}",
    "选项、路径和日志都没有说明{what}")
ROW(REMARK_NO_GPUS, "no-gpus", EXCLUDED_NO_GPUS, "",
    "neither an option nor the path nor the log states the number of GPUs",
    "选项、路径和日志都没有说明 GPU 数")
ROW(REMARK_RATE_OF_PART, "rate-of-part", EXCLUDED_NO_GPUS, "part%w",
    "prints the rate of one {part}, and neither an option nor the path nor "
    "the log states how many there are",
    "打印的是一个{part}的速率，而个数未知")
ROW(REMARK_RATE_SCOPE, "rate-scope", EXCLUDED_NO_GPUS, "",
    "the rate on its lines is that of one device or of all, by the program's "
    "version, and the log does not state which",
    "各行的速率属于一个设备还是整个任务因程序版本而异，日志没有说明")
ROW(REMARK_SAME_BYTES, "same-bytes", EXCLUDED_COPY, "file%s",
    "has the same bytes as {file}, which counts",
    "与 {file} 逐字节相同，只计后者")
ROW(REMARK_SAME_FIGURES, "same-figures", EXCLUDED_COPY, "file%s",
    "prints the same as {file}, which counts",
    "与 {file} 打印的内容相同，只计后者")
ROW(REMARK_SAME_RUN, "same-run", EXCLUDED_DOUBLE_RUN, "file%s",
    "is of the same case and run as {file}; another name, --run=N or "
    "label=path would distinguish them",
    "与 {file} 属于同一规模的同一次运行；可用不同名称、--run=N 或 label=path "
    "区分")

/* Hints: how to include a run, or why that is impossible */
ROW(REMARK_PASS, "pass", NULL, "options%s with%s",
    "pass {options} to include it[, with {with}]",
    "加 {options} 可计入[，并加 {with}]")
ROW(REMARK_PASS_FOR_ALL, "pass-for-all", NULL, "options%s",
    "pass {options} to include it (logs that differ: --map=FILE or "
    "--path=TEMPLATE)",
    "加 {options} 可计入（各日志不同时：--map=FILE 或 --path=TEMPLATE）")
ROW(REMARK_PASS_OR_GLOBAL, "pass-or-global", NULL, "options%s",
    "pass {options} to include it (logs that differ: --map=FILE or "
    "--path=TEMPLATE), or --rate-scope=global if the rate is that of all",
    "加 {options} 可计入（各日志不同时：--map=FILE 或 "
    "--path=TEMPLATE）；若是全部的速率，用 --rate-scope=global")
ROW(REMARK_NO_CHOICE, "no-choice", NULL, "doubt%r",
    "every other choice of iterations is in doubt: {doubt}",
    "别的迭代范围都存疑：{doubt}")
ROW(REMARK_ONE_ITERATION, "one-iteration", NULL, "", "it is one iteration",
    "只有一次迭代")
ROW(REMARK_ONE_RECORD, "one-record", NULL, "",
    "it is one record, with the start", "只有一条记录，且含开头")
ROW(REMARK_SLOWER_START, "slower-start", NULL, "", "its start is slower",
    "其开头较慢")
ROW(REMARK_OTHER_MEANS, "other-means", NULL, "", "its running means differ",
    "其滑动均值不同")

/* Notes */
ROW(REMARK_OF_RUNS, "of-runs", NULL, "flagged runs",
    " ({flagged} of {runs} runs)", "（{runs} 次运行中的 {flagged} 次）")

/* Notes: interpretation of a published table */
ROW(REMARK_GPUS_OF_EACH, "gpus-of-each", NULL, "head%s",
    "'{head}' counts the GPUs of each node: rows of several nodes have as "
    "many as those of one",
    "“{head}”是每个节点的 GPU 数：多节点各行与单节点行的数相同")
ROW(REMARK_GPUS_OF_EITHER, "gpus-of-either", NULL, "head%s",
    "'{head}' may count the GPUs of each node or of all; it is read as those "
    "of all",
    "“{head}”可能是每个节点或全部的 GPU 数；按全部理解")
ROW(REMARK_BATCH_MAY_GROW, "batch-may-grow", NULL, "",
    "the global batch may grow with the GPUs or not; rows of one batch of "
    "each device are read as alike",
    "总批大小可能随 GPU 数增长，也可能不变；每卡批大小相同的各行视为同类")
ROW(REMARK_READ_AS_SPEEDS, "read-as-speeds", NULL, "heads%s",
    "read as speeds of frameworks: {heads}", "按各框架的速度理解：{heads}")
ROW(REMARK_NOTHING_FOLLOWS, "nothing-follows", NULL, "unread%s",
    "nothing could be checked: no cell follows from others[; not understood: "
    "{unread}]",
    "无可检查：没有一格可由其他格算出[；未读懂的列：{unread}]")
ROW(REMARK_NO_BORDERS, "no-borders", NULL, "",
    "read from text without borders between its cells",
    "读自单元格之间没有边框的文本")
ROW(REMARK_HTML, "html", NULL, "", "tables of HTML are not read",
    "不读取 HTML 表格")

/* Why a cell is not read; the sentence follows the cell's text */
ROW(REMARK_CELL_CONTRADICTS, "contradicts-cell", NULL, "",
    "contradicts another cell of its row", "与同行另一格矛盾")
ROW(REMARK_CELL_NO_COUNT, "no-count", NULL, "", "is not a count", "不是个数")
ROW(REMARK_CELL_UNEVEN, "uneven", NULL, "",
    "does not divide the number of GPUs ('GPUs' counts those of all nodes)",
    "除不尽 GPU 数（“GPUs”是全部节点的数目）")
ROW(REMARK_CELL_MORE, "more-than-unit", NULL, "",
    "is followed by more than a unit", "单位之后还有其他内容")
ROW(REMARK_CELL_OTHER_UNIT, "other-unit", NULL, "",
    "has a unit of another kind than its column", "其单位与该列不符")
ROW(REMARK_CELL_NO_NUMBER, "no-number", NULL, "", "is no number", "不是数")
ROW(REMARK_CELL_NO_WORD, "no-word", NULL, "", "is neither a number nor a word",
    "既不是数，也不是词")
ROW(REMARK_CELL_TOO_MANY, "too-many-cells", NULL, "",
    "begins a row with more cells than the header has", "此行的单元格多于表头")

/* Source of a computed cell */
ROW(REMARK_QUOTIENT, "quotient", NULL, "scale%6g a%s b%s by%6g",
    "[{scale} x ]{a}[ / {b}][ / {by}]", "[{scale} x ]{a}[ / {b}][ / {by}]")
ROW(REMARK_EXPLAINS, "explains", NULL, "cells",
    "{cells} cells that are computed with it do not follow; with this value "
    "they do",
    "由它算出的 {cells} 格都不一致；换成此值则一致")

/* Why a cell was not computed */
ROW(REMARK_NO_OPERANDS, "no-operands", NULL, "",
    "what it is computed from is not in the table", "表中没有用以算出它的数")

/* Reference that a cell was compared with */
ROW(REMARK_NOT_STATED, "not-stated", NULL, "keys%s",
    "not stated, and taken to be as in the results: {keys}; --select chooses "
    "among these",
    "未说明，视为与结果相同：{keys}；可用 --select 从中选择")
ROW(REMARK_OTHER_BASELINE, "other-baseline", NULL, "here there",
    "over {here} {here?GPU|GPUs} here, over {there} in the results",
    "此处以 {here} 卡为基准，结果中以 {there} 卡为基准")
ROW(REMARK_NO_CASE, "no-case", NULL, "", "no case of the results is of it",
    "结果中没有相应的规模")
ROW(REMARK_SEVERAL_CASES, "several-cases", NULL, "cases",
    "{cases} cases of the results may be meant",
    "可能指结果中的 {cases} 个规模")
ROW(REMARK_FIGURE_OF, "figure-of", NULL, "figure%w case%s file%s",
    "{figure} of {case} in {file}", "{file} 中 {case} 的{figure}")

/* Why a law is not fitted */
ROW(REMARK_LAW_SIZES, "law-sizes", NULL, "law%s needed sizes",
    "{law} takes {needed} sizes, there {sizes?is|are} {sizes}",
    "{law} 需 {needed} 种规模，只有 {sizes} 种")
ROW(REMARK_LAW_UNFIT, "law-unfit", NULL, "law%s",
    "{law} does not fit: the speeds follow no such law",
    "{law} 不适合：速度不符合该规律")

/* Why a case is not predicted, with the code of the prediction */
ROW(REMARK_IS_MEASURED, "is-measured", "measured", "case%s",
    "{case} is measured", "{case} 已实测")
ROW(REMARK_NO_TIME_TO_TRAIN, "no-time-to-train", "metric", "",
    "time-to-train is not predicted: it mixes speed with the number of steps",
    "不预测 time-to-train：它混合了速度与步数")
ROW(REMARK_SPEEDS_ONLY, "speeds-only", "metric", "",
    "only speeds of training are predicted, and this is another metric",
    "只预测训练速度，而这是另一种指标")
ROW(REMARK_NODES_UNSTATED, "nodes-unstated", "nodes", "case%s cases%s",
    "{case} does not state how many nodes, as the cases do: write {cases}",
    "{case} 未像各规模那样说明节点数：请写 {cases}")
ROW(REMARK_NO_SUCH_ROW, "no-such-row", "gpus-per-node", "gpus",
    "no case has {gpus} {gpus?GPU|GPUs} a node",
    "没有每节点 {gpus} 个 GPU 的规模")
ROW(REMARK_NO_WIDER_ROW, "no-wider-row", "gpus-per-node", "gpus",
    "no case has {gpus} GPUs a node; with --force more than any row has can be "
    "predicted, from a row with two node counts and the cases of one node",
    "没有每节点 {gpus} 个 GPU 的规模；加 --force 可由含两种节点数的一行和单节点"
    "各规模预测更多")
ROW(REMARK_NODE_NOT_MEASURED, "node-not-measured", "gpus-per-node", "case%s",
    "{case} is not measured, so what the network costs is not known",
    "{case} 未实测，因此不知网络的开销")
ROW(REMARK_TOO_FEW_COUNTS, "too-few-counts", "too-few", "cases nodes",
    "{cases} {cases?case|cases}[ on {nodes?one node|nodes}]; at least two "
    "different counts are needed",
    "[在 {nodes} 个节点上]只有 {cases} 个规模；至少需要两种")
ROW(REMARK_ONE_NODE_COUNT, "one-node-count", "one-node-count", "gpus nodes",
    "all cases with {gpus} {gpus?GPU|GPUs} a node have {nodes} "
    "{nodes?node|nodes}: how the network slows training is not in the data; "
    "measure one more node count, or give a benchmark of the network",
    "每节点 {gpus} 个 GPU 的规模都是 {nodes} 个节点：数据中没有网络对训练的影响"
    "；请再测一种节点数，或说明网络，如 --network=100Gbit/s")
ROW(REMARK_GRADIENTS_UNKNOWN, "gradients-unknown", "one-node-count", "model%s",
    "the gradients of [{model}|an unknown model] are of unknown size: "
    "--gradient-bytes=N states what a step sends",
    "[{model}|未知模型] 的梯度大小未知：用 --gradient-bytes=N "
    "说明每步发送的字节数")
ROW(REMARK_SAME_COUNT, "same-count", "case-twice", "gpus nodes",
    "two cases[ with {gpus} {gpus?GPU|GPUs} a node][ on {nodes} node] have the "
    "same count",
    "[在 {nodes} 个节点上][每节点 {gpus} 个 GPU 的]两个规模相同")
ROW(REMARK_EFFICIENCY_RISES, "efficiency-rises", "superlinear",
    "percent%0f from to what%w",
    "efficiency rises by {percent} % from {from} to {to} {what}: these cases "
    "were not run in the same way",
    "从 {from} 到 {to} 个{what}效率上升 {percent} %：这些规模的运行方式不同")
ROW(REMARK_TARGET_FAR, "target-far", "too-far", "case%s times%3g most",
    "{case} is {times} times the largest measured count; at most {most} times "
    "is predicted",
    "{case} 是实测最大规模的 {times} 倍；最多预测 {most} 倍")
ROW(REMARK_TARGET_BELOW, "target-below", "too-far", "case%s",
    "{case} is too far below the smallest measured count",
    "{case} 远小于实测的最小规模")
ROW(REMARK_NO_OTHER_BATCH, "no-other-batch", "transfer", "case%s",
    "no other batch size of this configuration has {case} measured, and a case "
    "in common",
    "此配置没有其他批大小实测了 {case} 且有共同的规模")
ROW(REMARK_BATCHES_DIFFER, "batches-differ", "batch", "",
    "cases with different batch sizes in one series",
    "同一系列中各规模的批大小不同")
