/* Messages of tables and charts: a row has the code and the text in each
 * language. Arguments replace each '@'. remark.h and remark.c include the
 * rows with ROW defined. */

ROW(MESSAGE_NODES, "nodes", "节点数")
ROW(MESSAGE_GPUS, "GPUs", "GPU 数")
ROW(MESSAGE_CPU_PROCESSES, "CPU processes", "CPU 进程数")
ROW(MESSAGE_TPU_CHIPS, "TPU chips", "TPU 芯片数")
ROW(MESSAGE_NPUS, "NPUs", "NPU 数")
/* Devices of several kinds. */
ROW(MESSAGE_DEVICES, "devices", "设备数")
ROW(MESSAGE_CASE, "case", "规模")
ROW(MESSAGE_FRAMEWORK, "framework", "框架")
ROW(MESSAGE_MODEL, "model", "模型")
ROW(MESSAGE_PRECISION, "precision", "精度")
/* Samples on each device in a step, and on all. */
ROW(MESSAGE_BATCH, "batch per device", "每卡批大小")
ROW(MESSAGE_GLOBAL_BATCH, "global batch", "总批大小")
ROW(MESSAGE_SOURCE, "source", "来源")
/* The rule, followed by one of the messages below. */
ROW(MESSAGE_RULE, "measured", "计量规则")
ROW(MESSAGE_STRONG,
    "strong scaling: speedups are between cases of one global batch size",
    "强扩展：加速比在总批大小相同的规模之间计算")
ROW(MESSAGE_LOOKS_STRONG,
    "looks like strong scaling, since all numbers of GPUs have the same global "
    "batch size: extract_logs --scaling=strong",
    "像是强扩展，因为各 GPU 数的总批大小相同：extract_logs --scaling=strong")
ROW(MESSAGE_UNITS_UNITED, "@ are counted as one: samples/s",
    "@ 视为同一单位：samples/s")
ROW(MESSAGE_ITERATIONS, "iterations @–@", "第 @–@ 次迭代")
ROW(MESSAGE_ITERATIONS_FROM, "all iterations from @ on", "第 @ 次起的全部迭代")
ROW(MESSAGE_OF_FIRST_EPOCH, "@ of the first epoch", "@（首个 epoch）")
ROW(MESSAGE_OF_ALL_EPOCHS, "@ of all epochs", "@（全部 epoch）")
ROW(MESSAGE_OF_EPOCH, "@ of epoch @", "@（epoch @）")
ROW(MESSAGE_BY_TIME, "@, by time", "@，按时间")
ROW(MESSAGE_BY_MEAN, "@, by mean", "@，按均值")
ROW(MESSAGE_BY_MEDIAN, "@, by median", "@，按中位数")
ROW(MESSAGE_BY_SUMMARY, "the figure that the program printed at its end",
    "程序在结束时打印的数值")
ROW(MESSAGE_BY_PROTOCOL, "@, protocol @", "@，协议 @")
ROW(MESSAGE_RULE_NAMED, "by rule @", "规则 @")
ROW(MESSAGE_UNIT, "unit", "单位")
ROW(MESSAGE_KIND, "kind", "性质")
ROW(MESSAGE_THROUGHPUT, "throughput", "吞吐量")
ROW(MESSAGE_STEP_TIME, "step time", "单步时间")
ROW(MESSAGE_TIME_TO_TRAIN, "time to train", "训练时间")
/* Metrics other than the throughput (run_metrics). */
ROW(MESSAGE_MFU, "MFU", "MFU（模型算力利用率）")
ROW(MESSAGE_MFU_PRINTED, "MFU, as printed", "程序打印的 MFU")
ROW(MESSAGE_HFU_PRINTED, "HFU, as printed", "程序打印的 HFU")
ROW(MESSAGE_TFLOPS_PER_DEVICE, "model FLOP/s per device", "每卡模型算力")
ROW(MESSAGE_TFLOPS_PER_DEVICE_PRINTED, "model FLOP/s per device, as printed",
    "程序打印的每卡算力")
ROW(MESSAGE_PEAK_MEMORY, "peak memory per device", "每卡峰值显存")
ROW(MESSAGE_POWER_PER_DEVICE, "power per device", "每卡功率")
ROW(MESSAGE_ENERGY_PER_SAMPLE, "energy per sample", "每样本能耗")
ROW(MESSAGE_DATA_SHARE, "time waiting for data", "等待数据的时间占比")
ROW(MESSAGE_FINAL_LOSS, "loss at the end", "最终 loss")
ROW(MESSAGE_FINAL_TOP1, "top-1 accuracy at the end", "最终 top-1 准确率")
ROW(MESSAGE_FINAL_VAL_LOSS, "validation loss at the end", "最终验证 loss")
ROW(MESSAGE_FINAL_VAL_TOP1, "validation accuracy at the end", "最终验证准确率")
ROW(MESSAGE_MEDIAN, "median", "中位数")
/* Without the best and the worst run. */
ROW(MESSAGE_OLYMPIC_MEAN, "olympic mean", "去最好最差均值")
ROW(MESSAGE_MEDIAN_INTERVAL, "interval", "区间")
ROW(MESSAGE_SPEEDUP, "speedup", "加速比")
ROW(MESSAGE_PER_GPU, "throughput per GPU", "每卡吞吐率")
ROW(MESSAGE_COST_OF_WORK, "cost of a million @", "每百万 @ 的费用")
ROW(MESSAGE_EFFICIENCY, "efficiency", "并行效率")
ROW(MESSAGE_RUNS, "runs", "次数")
ROW(MESSAGE_FLAGS, "flags", "备注")
ROW(MESSAGE_BASELINE, "baseline", "基线")
/* Each series has its own baseline value. */
ROW(MESSAGE_BASELINE_OF_EACH, "each its own", "各自")
ROW(MESSAGE_IDEAL, "ideal", "理想")
ROW(MESSAGE_MEASURED, "measured", "实测")
ROW(MESSAGE_PUBLISHED, "published", "公布")
ROW(MESSAGE_UNKNOWN, "unknown", "未知")
ROW(MESSAGE_ERROR_BARS, "error bars", "误差线")
ROW(MESSAGE_CI_OF, "@ CI of the @", "@ 置信区间（@）")
ROW(MESSAGE_LEVEL_RUNS, "@ CI with @ runs", "置信水平 @（@ 次）")
ROW(MESSAGE_LEVEL_TWO_RUNS, "@ CI with @ and @ runs",
    "置信水平 @（@ 次与 @ 次）")
ROW(MESSAGE_LEVEL_PAIRS, "@ CI with @ pairs", "置信水平 @（@ 对）")
ROW(MESSAGE_LEVEL_TAKES_PAIRS, "@ takes @ pairs", "@ 需 @ 对")
ROW(MESSAGE_LEVEL_TAKES, "@ takes @ runs", "@ 需 @ 次")
ROW(MESSAGE_LEVEL_TAKES_TWO, "@ takes @ runs of each", "@ 各需 @ 次")
/* Half the interval of a run's mean. */
ROW(MESSAGE_WITHIN, "within ±@", "单次 ±@")
ROW(MESSAGE_WITHIN_MEANS,
    "within: 95 % CI of one run's mean, by its steps; runs may differ by "
    "more",
    "单次：一次运行步时均值的 95 % 置信区间（由其各步得出）；各次运行间的差异可能"
    "更大")
/* Intervals in running text. */
ROW(MESSAGE_INTERVAL_OF, "interval of the @", "@区间")
ROW(MESSAGE_NO_1N1G, "1n1g is missing", "缺 1n1g")
/* Cells of cases without a number. */
ROW(MESSAGE_OOM, "OOM", "OOM")
ROW(MESSAGE_FAILED, "failed", "失败")
ROW(MESSAGE_NO_FIGURE, "no figure", "无数据")
ROW(MESSAGE_ONE_COUNT, "only one number of GPUs", "仅一种 GPU 数")
ROW(MESSAGE_GPUS_UNKNOWN, "number of GPUs unknown", "GPU 数未知")
ROW(MESSAGE_NOT_DRAWN, "not drawn", "未画出")
ROW(MESSAGE_MIXED_UNITS, "mixed units", "单位不一")
ROW(MESSAGE_EXCLUDED, "excluded", "已排除")
ROW(MESSAGE_AND_MORE, "@ and @ more", "@ 等另外 @ 个")
ROW(MESSAGE_MEDIANS_OF_RUNS,
    "Medians over the runs; no window, interval or baseline.",
    "各次运行的中位数；没有测量窗口、区间和基线。")
ROW(MESSAGE_RULE_UNKNOWN, "published, measured by an unknown rule",
    "公布的数据，计量规则未知")
ROW(MESSAGE_COLLECTIVES, "collectives", "集合通信")
ROW(MESSAGE_MESSAGE_SIZE, "message size", "消息大小")
ROW(MESSAGE_SIZE_UP_TO, "message size up to", "消息大小上限")
ROW(MESSAGE_BUS_BANDWIDTH, "bus bandwidth", "总线带宽")
ROW(MESSAGE_TIME_SHARE, "share of time", "时间占比")
/* Charts of cases. */
ROW(MESSAGE_BATCH_OF_DEVICE, "batch size per device", "每设备 batch size")
ROW(MESSAGE_STEP, "step", "步")
ROW(MESSAGE_RUN, "run", "运行")
ROW(MESSAGE_LOSS, "loss", "损失")
ROW(MESSAGE_ACCURACY, "top-1 accuracy", "top-1 准确率")
ROW(MESSAGE_TIME, "time", "时间")
ROW(MESSAGE_NOTE_LEVELS, "line: level between changes",
    "线：两次变化之间的水平")
ROW(MESSAGE_NOTE_STEPS,
    "grey: measured window; dotted: settled; line: running median",
    "灰色：测量窗口；点线：此后已稳定；线：滑动中位数")
ROW(MESSAGE_NOTE_SPREAD,
    "steps of the window; mark: median; bar: 5th to 95th percentile",
    "窗口内各步；标记：中位数；误差线：第 5 至第 95 百分位")
ROW(MESSAGE_NOTE_RUNNING_MEDIAN, "line: running median of up to 21 points",
    "线：至多 21 个点的滑动中位数")
ROW(MESSAGE_NOTE_RUNS_BAND, "band: 5th to 95th percentile of runs",
    "色带：各次运行的第 5 至第 95 百分位")
ROW(MESSAGE_NOTE_SIZES_BAND,
    "medians of nearly equal sizes; band: 5th to 95th percentile",
    "相近大小的中位数；色带：第 5 至第 95 百分位")
ROW(MESSAGE_CHANGE_SINCE, "@ % since @", "@ %，自 @ 起")
ROW(MESSAGE_NOTE_PHASES, "medians over the runs of a case", "各次运行的中位数")
ROW(MESSAGE_NOTE_COUNTS, "numbers above bars: operations of a run",
    "柱上数字：单次运行的操作次数")
/* The third argument is a list of cases in parentheses, or empty. */
ROW(MESSAGE_NOTE_FLAGGED, "open: @ of @ cases flagged@, see report_results",
    "空心：@/@ 个规模有备注@，见 report_results")
ROW(MESSAGE_NOTE_CASES_FLAGGED, "@ of @ cases flagged@, see report_results",
    "@/@ 个规模有备注@，见 report_results")
ROW(MESSAGE_NOTE_NOT_DRAWN, "@ of @ cases not drawn", "@/@ 个规模未画出")
ROW(MESSAGE_NOTE_SHOWN, "@ of @ shown", "画出 @/@ 项")
ROW(MESSAGE_NOTE_POINTS_FLAGGED,
    "open: @ of @ points flagged, see --history=FILE show",
    "空心：@/@ 个点有备注，见 --history=FILE show")
ROW(MESSAGE_LINK, "link", "链路")
ROW(MESSAGE_NOTE_PREDICTED, "dotted: predicted, with @ prediction intervals",
    "点线：预测值，含 @ 预测区间")
ROW(MESSAGE_NOTE_PREDICTED_RANGE, "dotted: predicted, with the range",
    "点线：预测值，含取值范围")
ROW(MESSAGE_DATA_WAIT, "waiting for data", "等待数据")
ROW(MESSAGE_COMPUTE, "compute", "计算")
ROW(MESSAGE_OVERLAPPED, "compute and communication", "计算与通信重叠")
ROW(MESSAGE_EXPOSED, "exposed communication", "未重叠通信")
ROW(MESSAGE_WHOLE_RUNS,
    "all operations of each run, not of the window alone; no interval, no "
    "baseline",
    "每次运行的全部操作，不限于测量窗口；无区间，无基准")
/* Shown instead of a level for a single run. */
ROW(MESSAGE_NO_INTERVAL, "none with 1 run", "1 次无区间")
ROW(MESSAGE_MEAN_OF_RUNS, "of a run; mean of runs", "单次运行，平均次数")
/* Times of the program and of a mean step; see result/result.h. */
ROW(MESSAGE_REAL, "real", "实际耗时 real")
ROW(MESSAGE_USER, "user", "用户态 user")
ROW(MESSAGE_SYS, "sys", "内核态 sys")
ROW(MESSAGE_TOTAL_TRAINING, "total time", "总训练时长")
ROW(MESSAGE_MEAN_STEP, "mean step", "单个 batch 平均时长")
ROW(MESSAGE_PHASE_DATA, "data", "数据加载平均时长")
ROW(MESSAGE_PHASE_TO_DEVICE, "batch to device", "batch 到设备平均时长")
ROW(MESSAGE_PHASE_FORWARD, "forward", "forward 平均时长")
ROW(MESSAGE_PHASE_LOSS, "loss", "compute_loss 平均时长")
ROW(MESSAGE_PHASE_BACKWARD, "backward", "backward 平均时长")
ROW(MESSAGE_PHASE_UPDATE, "update of weights", "update gradients 平均时长")
ROW(MESSAGE_PHASE_ALLREDUCE, "allreduce under way", "allreduce 时长")
ROW(MESSAGE_PHASE_EXPOSED, "allreduce not overlapped", "allreduce 未重叠时长")
ROW(MESSAGE_RECEIVING, "receiving", "接收")
ROW(MESSAGE_SENDING, "sending", "发送")
/* Scaling law, then its parameters. */
ROW(MESSAGE_LAW, "law", "规律")
ROW(MESSAGE_SPEED_OF_ONE, "speed of one", "单卡速度")
ROW(MESSAGE_SERIAL, "serial", "串行比例")
ROW(MESSAGE_COHERENCE, "coherence", "一致性开销")
ROW(MESSAGE_STANDARD_ERROR, "± s.e.", "± 标准误")
ROW(MESSAGE_AIC, "AIC", "AIC")
ROW(MESSAGE_PEAK, "peak", "峰值卡数")
ROW(MESSAGE_UP_TO, "up to", "上限")
ROW(MESSAGE_KARP_FLATT, "Karp-Flatt serial fraction", "Karp-Flatt 串行比例")
ROW(MESSAGE_LAW_FIT,
    "fitted to ln speed, the speed of one is free; intervals: 95 % CI by "
    "Student's t",
    "对 ln 速度拟合，单卡速度自由；区间：95 % 置信区间（t 分布）")
ROW(MESSAGE_RELATIVE_COST, "in parentheses: time over GPUs times the time of @",
    "括号内：时长 / (GPU 数 × @ 的时长)")
/* Keys and labels of published tables. */
ROW(MESSAGE_GPUS_PER_NODE, "GPUs per node", "每台服务器显卡数量")
ROW(MESSAGE_BACKEND, "back end", "通信后端")
ROW(MESSAGE_DEVICE, "device", "设备")
ROW(MESSAGE_FUSION, "fusion", "融合")
ROW(MESSAGE_COMPRESSION, "compression", "压缩")
/* Separators: between items of a list, between sentences, after a place. */
ROW(MESSAGE_COMMA, ", ", "，")
ROW(MESSAGE_SEMICOLON, "; ", "；")
ROW(MESSAGE_COLON, ": ", "：")
/* Comparisons. */
ROW(MESSAGE_RATIO, "ratio", "比值")
ROW(MESSAGE_RATIO_OF, "ratio of speeds: @ over @; above 1 is faster",
    "速度之比：@ 比 @；大于 1 为更快")
ROW(MESSAGE_NOTE_RATIO, "speed of @ over @", "@ 与 @ 的速度之比")
ROW(MESSAGE_VERDICT, "verdict", "结论")
ROW(MESSAGE_FASTER, "faster", "更快")
ROW(MESSAGE_SLOWER, "slower", "更慢")
ROW(MESSAGE_EQUIVALENT, "equivalent", "相当")
ROW(MESSAGE_FASTER_WITHIN, "faster, but equivalent", "更快，但相当")
ROW(MESSAGE_SLOWER_WITHIN, "slower, but equivalent", "更慢，但相当")
ROW(MESSAGE_NO_EVIDENCE, "no evidence", "无证据")
ROW(MESSAGE_TOO_FEW_RUNS, "too few runs", "次数太少")
ROW(MESSAGE_TOO_FEW_SESSIONS, "too few sessions", "批次太少")
ROW(MESSAGE_SESSIONS, "sessions", "批次")
ROW(MESSAGE_OF_SESSIONS,
    "each run stands for a session, by the median of its runs: runs of a host "
    "that began within one job or an hour",
    "每次运行代表一个批次（取其各次运行的中位数）：同一主机、同一作业或一小时内开始"
    "的运行")
ROW(MESSAGE_EQUIVALENT_MEANS, "equivalent: within @", "相当：相差在 @ 以内")
ROW(MESSAGE_OVER_FIRST_LEVEL, "over the first level", "与首个水平之比")
ROW(MESSAGE_GEOMETRIC_MEAN, "geometric mean", "几何平均")
ROW(MESSAGE_NOTE_SHADED, "grey: within @", "灰带：相差在 @ 以内")
ROW(MESSAGE_ONLY_IN, "only in @", "仅在 @ 中")
ROW(MESSAGE_SPREADS,
    "@: the runs of one side spread @ times as much as those of the other, so "
    "the level of its interval may be as low as @",
    "@：一方各次运行的离散程度是另一方的 @ 倍，其区间的置信水平可能低至 @")
ROW(MESSAGE_DETECTABLE, "smallest change that these runs show with power 80 %",
    "这些次数以 80 % 功效可检出的最小变化")
ROW(MESSAGE_RUNS_TO_SHOW, "runs of each to show a change of @",
    "检出 @ 的变化各需次数")
ROW(MESSAGE_OR_MORE, "@ or more", "@ 或更多")
ROW(MESSAGE_PAIRS, "pairs", "成对次数")
ROW(MESSAGE_SIDE_LABEL, "@: @ (@) against @ (@)", "@：@（@）对 @（@）")
ROW(MESSAGE_CHANCE,
    "p and interval are of each case alone; the verdict follows p by Holm, "
    "adjusted for all @ cases",
    "p 与区间为单个规模；结论依 Holm 校正的 p，按全部 @ 个规模校正")
ROW(MESSAGE_VERDICT_TAKES, "no change provable in @ of @ cases: takes @ runs",
    "@/@ 个规模的变化不可能得到证明：同时比较这么多，各需至少 @ 次")
ROW(MESSAGE_VERDICT_TAKES_PAIRS,
    "no change provable in @ of @ cases: takes @ pairs",
    "@/@ 个规模的变化不可能得到证明：同时比较这么多，需至少 @ 对")
ROW(MESSAGE_GATE, "gate", "门限")
ROW(MESSAGE_VALUE, "value", "数值")
ROW(MESSAGE_GATE_PASSED, "passed", "通过")
ROW(MESSAGE_GATE_NOT_PROVEN, "not proven", "未证明")
ROW(MESSAGE_GATE_MISSING, "missing", "缺失")
ROW(MESSAGE_FLAGGED, "flagged", "存疑")
/* Arguments: gate, one of the next four, value, p, alpha, runs of each side. */
ROW(MESSAGE_GATE_IS,
    "@ @: the value is @, p @ by Holm (proof: at most @), @ and @ runs",
    "@ @：数值 @，Holm 校正 p = @（至多 @ 为证明），@ 次与 @ 次")
ROW(MESSAGE_GATE_IS_PROVEN, "is proven", "已证明")
ROW(MESSAGE_GATE_IS_REFUTED, "is refuted", "已否定")
ROW(MESSAGE_GATE_IS_NOT_PROVEN, "is not proven", "未证明")
ROW(MESSAGE_GATE_IS_FLAGGED, "is decided by numbers in doubt",
    "的判定依据存疑的数值")
ROW(MESSAGE_GATE_TOO_FEW_IS,
    "@: too few runs to prove anything; the value is @, of @ and @ runs",
    "@：次数太少，无法证明；数值 @，@ 次与 @ 次")
ROW(MESSAGE_GATE_FLAGGED_NOTE,
    "flagged: @ of @ gates are decided by numbers in doubt; "
    "--gate-flagged=fail fails for them, --gate-flagged=ignore lets the runs "
    "decide",
    "存疑：@/@ 项判定依据存疑的数值；--gate-flagged=fail "
    "按失败计，--gate-flagged=ignore 仍依其判定")
ROW(MESSAGE_GATE_MISSING_IS, "@: the case is not in the new result",
    "@：新结果中没有该规模")
ROW(MESSAGE_GATE_PROOF, "proof: p at most @ by Holm (confidence @)",
    "证明：Holm 校正 p 至多 @（置信水平 @）")
/* The last argument is MESSAGE_GATE_TAKES or MESSAGE_GATE_TAKES_PAIRS. */
ROW(MESSAGE_GATE_CANNOT, "@ cannot fail for @ of @ cases: for @ at once @",
    "@ 对 @/@ 个规模不可能失败：@ 个同时检验，@")
ROW(MESSAGE_GATE_CANNOT_ONE, "@ cannot fail: @", "@ 不可能失败：@")
ROW(MESSAGE_GATE_TAKES, "it takes at least @ runs of each", "各需至少 @ 次")
ROW(MESSAGE_GATE_TAKES_PAIRS, "it takes at least @ pairs", "需至少 @ 对")
ROW(MESSAGE_GATE_NOTHING, "@: no case has a speedup over another",
    "@：没有规模有加速比")
ROW(MESSAGE_STATUS, "status", "状态")
/* Checks of published tables; a place is file:line:column of a cell. */
ROW(MESSAGE_PLACE, "place", "位置")
ROW(MESSAGE_COLUMN, "column", "列")
ROW(MESSAGE_PRINTED, "printed", "表中")
ROW(MESSAGE_SHOULD_BE, "should be", "应为")
ROW(MESSAGE_WHY, "because", "依据")
ROW(MESSAGE_TABLES, "tables", "表格")
ROW(MESSAGE_FOLLOWS, "follows", "一致")
ROW(MESSAGE_FOLLOWS_CUT, "follows, digits cut", "一致（截断）")
ROW(MESSAGE_DIFFERS, "does not follow", "不一致")
ROW(MESSAGE_MALFORMED, "no number", "不是数")
ROW(MESSAGE_UNREAD, "not read", "未读懂")
ROW(MESSAGE_NO_CASE, "not in the results", "结果中没有")
ROW(MESSAGE_SEVERAL_CASES, "several cases fit; --select one",
    "有多个可能的规模，请用 --select")
ROW(MESSAGE_UNCHECKED, "nothing to check it by", "无从核对")
/* Histories. */
ROW(MESSAGE_DATE, "date", "日期")
ROW(MESSAGE_COMMIT, "commit", "提交")
ROW(MESSAGE_COMMIT_OR_DATE, "commit or date, by time", "提交或日期（按时间）")
ROW(MESSAGE_HOST, "host", "主机")
ROW(MESSAGE_CHANGE, "change", "变化")
ROW(MESSAGE_CHANGE_MEANS,
    "change: speed of the level that begins there over that of the level "
    "before, less 1; p: of no change, after Holm over all changes; "
    "intervals: at least @ where there are points enough",
    "变化：新水平与前一水平的速度之比减 1；p：对“无变化”的检验，按 Holm "
    "校正；区间：点数足够时置信水平不低于 @")
/* Arguments: case, share, interval and level, first point, last point before */
ROW(MESSAGE_SLOWER_SINCE,
    "@: slower by @ (@ to @, @ CI) since @; the last one before is @",
    "@：慢 @（@ 至 @，@ 置信区间），自 @ 起；此前最后一点为 @")
ROW(MESSAGE_FASTER_SINCE,
    "@: faster by @ (@ to @, @ CI) since @; the last one before is @",
    "@：快 @（@ 至 @，@ 置信区间），自 @ 起；此前最后一点为 @")
ROW(MESSAGE_POINTS_AGAINST, "; @ points before, @ from then on, p = @",
    "；此前 @ 点，此后 @ 点，p = @")
ROW(MESSAGE_HOSTS_APART,
    "hosts take turns: their differences are not counted as changes",
    "各主机轮流运行：其差异不计作变化")
ROW(MESSAGE_CHANGE_UNPROVEN, "; not proven", "；未证实")
ROW(MESSAGE_POINTS_FLAGGED,
    "; flagged: @ of these @ points, whose speeds are in doubt (see show)",
    "；其中 @ 点（共 @ 点）带有备注，速度存疑（见 show）")
ROW(MESSAGE_NO_CHANGE, "@: no change in @ points since @",
    "@：自 @ 个点以来无变化（起点 @）")
ROW(MESSAGE_FEW_POINTS, "@: too few points to show a change: @, it takes @",
    "@：点数太少，无法判断变化：有 @ 个，需 @ 个")
/* Environment. */
ROW(MESSAGE_ENVIRONMENT, "environment", "实验环境")
ROW(MESSAGE_ITEM, "item", "项目")
ROW(MESSAGE_THIS_MACHINE, "this machine", "本机")
ROW(MESSAGE_HARDWARE, "hardware", "硬件环境")
ROW(MESSAGE_SOFTWARE, "software", "软件环境")
ROW(MESSAGE_MADE, "runs", "运行")
ROW(MESSAGE_OTHER, "other", "其他")
ROW(MESSAGE_CPU, "CPU", "CPU")
ROW(MESSAGE_CORES, "CPU cores", "CPU 核数")
ROW(MESSAGE_VECTORS, "vector instructions", "向量指令")
ROW(MESSAGE_MEMORY, "memory", "内存")
ROW(MESSAGE_NIC, "network cards", "网卡型号、速率")
ROW(MESSAGE_GPU, "GPUs", "GPU 型号、数目")
ROW(MESSAGE_GPU_LINK, "GPU link", "GPU 连接方式")
ROW(MESSAGE_SERVERS, "servers", "服务器数目")
ROW(MESSAGE_GPU_MEMORY, "GPU memory", "GPU 显存")
ROW(MESSAGE_BANDWIDTH, "network bandwidth (in + out)", "网络带宽能力（出+入）")
ROW(MESSAGE_PACKET_RATE, "network packets (in + out)",
    "网络收发包能力（出+入）")
ROW(MESSAGE_LARGEST_CASE, "largest case", "最大规模")
ROW(MESSAGE_SYSTEM, "operating system", "操作系统版本")
ROW(MESSAGE_KERNEL, "kernel", "内核")
ROW(MESSAGE_GPU_DRIVER, "GPU driver", "GPU 驱动")
ROW(MESSAGE_COMMAND, "command", "命令")

/* Predictions */
ROW(MESSAGE_NOTHING_PREDICTED, "nothing is predicted", "没有可预测的规模")
ROW(MESSAGE_FROM_BATCH, "from batch @ per device, which has it measured",
    "由每卡批大小 @ 推出，该批大小已实测此规模")
ROW(MESSAGE_FROM_LINK_ALONE,
    "from the link alone; the range is that of the overlap",
    "仅由链路推出；范围取决于重叠程度")
ROW(MESSAGE_GROWTH_SERIES, "growth of the network's cost from @ other series",
    "网络开销的增长取自另外 @ 个系列")
ROW(MESSAGE_GROWTH_COUNTS, "growth of the network's cost from @ @ counts",
    "网络开销的增长取自 @ 种@数")
ROW(MESSAGE_GROWTH_TWO,
    "growth of the network's cost from published series (two @ counts)",
    "网络开销的增长取自公布的系列（仅两种@数）")
ROW(MESSAGE_GROWTH_PUBLISHED,
    "cost of the network from published series alone (one count)",
    "网络开销仅取自公布的系列（只有一种规模）")
ROW(MESSAGE_RANGE, "range", "范围")
ROW(MESSAGE_LEVEL_INTERVAL, "@ % interval", "@ % 区间")
ROW(MESSAGE_HEADLINE, "@: @ @, @ @–@, speedup @; @@",
    "@：@ @，@ @–@，加速比 @；@@")
ROW(MESSAGE_RESTS_ON_FLAGGED, "; rests on flagged cases", "；依据存疑的规模")
ROW(MESSAGE_SPEED, "speed", "速度")
ROW(MESSAGE_GPU_HOURS, "GPU-hours", "GPU 小时")
ROW(MESSAGE_PRICE, "cost", "费用")
ROW(MESSAGE_HOW, "how", "来源")
ROW(MESSAGE_REMARKS, "notes", "说明")
ROW(MESSAGE_BY_DOUBLING, "doubling", "倍增")
ROW(MESSAGE_BY_TRANSFER, "transfer", "转换")
ROW(MESSAGE_BY_LINK, "from the link", "由链路")
ROW(MESSAGE_AND_FORCED, ", forced", "，强制")
ROW(MESSAGE_REFUSED, "refused: @", "不预测：@")
ROW(MESSAGE_BATCH_FROM, "batch @, from @ on", "批大小 @，自 @ 起")
ROW(MESSAGE_NOT_USED, "without a speed, not used: @", "没有速度，未用：@")
ROW(MESSAGE_RESTS_FLAGGED,
    "flagged: @ is in doubt, and with it what rests on it: @",
    "存疑：@ 存疑，以其为依据的也存疑：@")
ROW(MESSAGE_IS_FORCED,
    "forced: a rule refuses this case, so its interval may promise too much",
    "强制：按规则不预测此规模，其区间可能过窄")
ROW(MESSAGE_LINK_ERROR,
    "from the link: the range is that of the overlap; nominal rates err by 8 "
    "to 13 % (median), 24 to 40 % in one case of ten",
    "由链路：范围取决于重叠程度；标称速率的误差为 8 至 13 %（中位数），十例中有"
    "一例为 24 至 40 %")
ROW(MESSAGE_GRADIENTS_OF_MODEL,
    "gradients of a step: @ bytes, four for each parameter of @; "
    "--gradient-bytes=N states another size",
    "每步梯度：@ 字节，即 @ 每个参数四字节；可用 --gradient-bytes=N 另行说明")
ROW(MESSAGE_N_NODES, "@ nodes", "@ 个节点")
ROW(MESSAGE_N_GPUS, "@ GPUs", "@ 个 GPU")
ROW(MESSAGE_BEYOND, "beyond @", "超过 @")
ROW(MESSAGE_UNTIL_NO_ROW, "efficiency below @ %: no row has two counts",
    "效率低于 @ %：没有一行含两种规模")
ROW(MESSAGE_FROM_ON, "from @ on", "自 @ 起")
ROW(MESSAGE_NOT_WITHIN, "not within @, @ times the largest measured count",
    "在 @ 之内不会，即实测最大规模的 @ 倍")
ROW(MESSAGE_GPUS_A_NODE, ", @ GPUs a node", "，每节点 @ 个 GPU")
ROW(MESSAGE_UNTIL,
    "efficiency below @ %: @; at the earliest @, at the latest @ (@ % "
    "interval@)",
    "效率低于 @ %：@；最早 @，最晚 @（@ % 区间@）")
ROW(MESSAGE_NO_BANDWIDTH,
    "efficiency @ % at @: no bandwidth gives it; without any network the "
    "efficiency is @ %",
    "@ % 效率（@）：任何带宽都达不到；完全没有网络时效率为 @ %")
ROW(MESSAGE_BANDWIDTH_RANGE,
    "efficiency @ % at @: @ to @ Gbit/s, by how much of the communication is "
    "hidden",
    "@ % 效率（@）：@ 至 @ Gbit/s，取决于通信有多少被掩盖")
ROW(MESSAGE_BANDWIDTH_FOR, "efficiency @ % at @: @ Gbit/s",
    "@ % 效率（@）：@ Gbit/s")
ROW(MESSAGE_BACKTEST_INSIDE,
    "back-test: @ from the others: @ %, inside its interval",
    "回测：由其余规模预测 @：@ %，在区间之内")
ROW(MESSAGE_BACKTEST_OUTSIDE,
    "back-test: @ from the others: @ %, outside of its interval",
    "回测：由其余规模预测 @：@ %，在区间之外")
ROW(MESSAGE_PREDICTED_OF, "of: @", "依据：@")
ROW(MESSAGE_WHAT_IF, "What if", "假设")
ROW(MESSAGE_STEP_NOW, "step now", "当前单步")
ROW(MESSAGE_STEP_THEN, "step then", "改动后单步")
ROW(MESSAGE_FASTER_BY, "faster by", "加快倍数")
ROW(MESSAGE_OVERLAP, "overlap", "重叠")
ROW(MESSAGE_BOTH_ENDS, "unknown: both ends", "未知：两端")
ROW(MESSAGE_BOUND,
    "@, @: a bound: communication was busy for @ s a step, of which the link "
    "needs @ s; the rest (waiting, the CPUs' share) does not change with it",
    "@，@：为界限：每步通信占 @ s，其中链路需 @ s；其余（等待、CPU "
    "部分）不随之改变")
ROW(MESSAGE_WHAT_LIMITS, "What limits each case, shares of its step",
    "各规模的限制因素，占单步的份额")
ROW(MESSAGE_PART_WITHIN, "within nodes", "节点内")
ROW(MESSAGE_PART_BETWEEN, "between nodes", "节点间")
ROW(MESSAGE_PART_COMMUNICATION, "communication", "通信")
ROW(MESSAGE_PART_INPUT, "input", "输入")
ROW(MESSAGE_PART_STRAGGLER, "straggler", "落后者")
ROW(MESSAGE_DIAGNOSIS,
    "within and between nodes are of the measured cases, the rest of what the "
    "runs state about their steps: two views of one loss; - was not measured",
    "节点内、节点间取自实测规模，其余取自各运行所记的单步情况：是同一损失的两种"
    "看法；- 为未测")
ROW(MESSAGE_TWO_COUNTS,
    "the row has two counts, so the growth of the network's cost is not from "
    "its data; a third count would narrow the interval",
    "该行只有两种规模，网络开销的增长并非来自其数据；再测一种可缩小区间")
ROW(MESSAGE_SATURATED,
    "speed grew by less than 1.35 a doubling between the two largest counts: "
    "something shared may be full",
    "最大两种规模之间每翻倍速度增长不到 1.35 倍：某种共享资源可能已满")
ROW(MESSAGE_FAR, "more than one doubling beyond the measured counts",
    "超出实测规模一倍以上")
ROW(MESSAGE_FAR_BEYOND,
    "more than 4 times the largest measured count: of such predictions for @ "
    "published series @ missed their 80 % interval, @ because the case was "
    "slower",
    "超过实测最大规模的 4 倍：@ 个公布系列的此类预测中有 @ 例在 80 % "
    "区间之外，其中 @ 例因实际更慢")
ROW(MESSAGE_RISING,
    "the last measured doubling cost more than the one before it: of such "
    "predictions for @ published series @ missed their 80 % interval, @ "
    "because the case was slower",
    "最后一次实测翻倍的开销大于前一次：@ 个公布系列的此类预测中有 @ 例在 80 % "
    "区间之外，其中 @ 例因实际更慢")
ROW(MESSAGE_WIDE,
    "the 80 % interval spans more than a factor of 1.5: too wide to plan by",
    "80 % 区间跨度超过 1.5 倍：太宽，不宜据以规划")
ROW(MESSAGE_SPREAD, "runs of a case spread by more than 10 %",
    "某规模各次运行相差 10 % 以上")
ROW(MESSAGE_BACKTEST_MISSED,
    "the largest measured case lies outside of the interval that the others "
    "predict for it: this series does not follow the model",
    "最大的实测规模在其余规模所预测的区间之外：该系列不符合模型")
ROW(MESSAGE_SETTING, "setting", "设置")
ROW(MESSAGE_OWN_SIDE, "here", "此处")
ROW(MESSAGE_REPRODUCED, "within the published figure: @ of it@",
    "与已发表的数值相符：为其 @@")
ROW(MESSAGE_REPRODUCED_SLOWER, "slower than published: @ of it@",
    "慢于已发表的数值：为其 @@")
ROW(MESSAGE_REPRODUCED_FASTER, "faster than published: @ of it@",
    "快于已发表的数值：为其 @@")
ROW(MESSAGE_OTHER_MODEL,
    "@ parameters here, @ published: another model, so the figures are not of "
    "one work",
    "此处为 @ 个参数，已发表的为 @：模型不同，两个数值并非同一工作")
ROW(MESSAGE_BUCKETS_ASSUMED, "how gradients are cut into buckets was assumed",
    "梯度如何分桶为假设")
