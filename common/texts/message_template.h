/* Messages of tables and charts: a row has the code and the English text;
 * zh.texts has the Chinese one. Arguments replace each '@'. messages.h and
 * remark.c include the rows with ROW defined. */

ROW(MESSAGE_NODES, "nodes")
ROW(MESSAGE_GPUS, "GPUs")
ROW(MESSAGE_CPU_PROCESSES, "CPU processes")
ROW(MESSAGE_TPU_CHIPS, "TPU chips")
ROW(MESSAGE_NPUS, "NPUs")
/* Mixed kinds. */
ROW(MESSAGE_DEVICES, "devices")
ROW(MESSAGE_CASE, "case")
ROW(MESSAGE_FRAMEWORK, "framework")
ROW(MESSAGE_MODEL, "model")
ROW(MESSAGE_PRECISION, "precision")
/* Samples on each device in a step, and on all. */
ROW(MESSAGE_BATCH, "batch per device")
ROW(MESSAGE_GLOBAL_BATCH, "global batch")
ROW(MESSAGE_SOURCE, "source")
/* The rule, followed by one of the next. */
ROW(MESSAGE_RULE, "measured")
ROW(MESSAGE_STRONG,
    "strong scaling: speedups are between cases of one global batch size")
ROW(MESSAGE_LOOKS_STRONG,
    "looks like strong scaling, since all numbers of GPUs have the same global "
    "batch size: extract_logs --scaling=strong")
ROW(MESSAGE_UNITS_UNITED, "@ are counted as one: samples/s")
ROW(MESSAGE_ITERATIONS, "iterations @–@")
ROW(MESSAGE_ITERATIONS_FROM, "all iterations from @ on")
ROW(MESSAGE_OF_FIRST_EPOCH, "@ of the first epoch")
ROW(MESSAGE_OF_ALL_EPOCHS, "@ of all epochs")
ROW(MESSAGE_OF_EPOCH, "@ of epoch @")
ROW(MESSAGE_BY_TIME, "@, by time")
ROW(MESSAGE_BY_MEAN, "@, by mean")
ROW(MESSAGE_BY_MEDIAN, "@, by median")
ROW(MESSAGE_BY_SUMMARY, "the figure that the program printed at its end")
ROW(MESSAGE_BY_PROTOCOL, "@, protocol @")
ROW(MESSAGE_RULE_NAMED, "by rule @")
ROW(MESSAGE_UNIT, "unit")
ROW(MESSAGE_KIND, "kind")
ROW(MESSAGE_THROUGHPUT, "throughput")
ROW(MESSAGE_STEP_TIME, "step time")
ROW(MESSAGE_TIME_TO_TRAIN, "time to train")
/* Metrics other than the throughput (run_metrics). */
ROW(MESSAGE_MFU, "MFU")
ROW(MESSAGE_MFU_PRINTED, "MFU, as printed")
ROW(MESSAGE_HFU_PRINTED, "HFU, as printed")
ROW(MESSAGE_TFLOPS_PER_DEVICE, "model FLOP/s per device")
ROW(MESSAGE_TFLOPS_PER_DEVICE_PRINTED, "model FLOP/s per device, as printed")
ROW(MESSAGE_PEAK_MEMORY, "peak memory per device")
ROW(MESSAGE_POWER_PER_DEVICE, "power per device")
ROW(MESSAGE_ENERGY_PER_SAMPLE, "energy per sample")
ROW(MESSAGE_DATA_SHARE, "time waiting for data")
ROW(MESSAGE_FINAL_LOSS, "loss at the end")
ROW(MESSAGE_FINAL_TOP1, "top-1 accuracy at the end")
ROW(MESSAGE_FINAL_VAL_LOSS, "validation loss at the end")
ROW(MESSAGE_FINAL_VAL_TOP1, "validation accuracy at the end")
ROW(MESSAGE_MEDIAN, "median")
/* Without the best and the worst run. */
ROW(MESSAGE_OLYMPIC_MEAN, "olympic mean")
ROW(MESSAGE_MEDIAN_INTERVAL, "interval")
ROW(MESSAGE_SPEEDUP, "speedup")
ROW(MESSAGE_PER_GPU, "throughput per GPU")
ROW(MESSAGE_COST_OF_WORK, "cost of a million @")
ROW(MESSAGE_EFFICIENCY, "efficiency")
ROW(MESSAGE_RUNS, "runs")
ROW(MESSAGE_FLAGS, "flags")
ROW(MESSAGE_BASELINE, "baseline")
/* Each series has its own baseline value. */
ROW(MESSAGE_BASELINE_OF_EACH, "each its own")
ROW(MESSAGE_IDEAL, "ideal")
ROW(MESSAGE_DOTTED_IDEAL, "dotted: ideal")
ROW(MESSAGE_MEASURED, "measured")
ROW(MESSAGE_PUBLISHED, "published")
ROW(MESSAGE_UNKNOWN, "unknown")
ROW(MESSAGE_ERROR_BARS, "error bars")
ROW(MESSAGE_CI_OF_MEDIAN, "@ CI of the median")
ROW(MESSAGE_CI_OF_RATIO, "@ CI of the ratio")
ROW(MESSAGE_CI_OF_SPEEDUP, "@ CI of the speedup")
ROW(MESSAGE_LEVEL_RUNS, "@ CI with @ runs")
ROW(MESSAGE_LEVEL_TWO_RUNS, "@ CI with @ and @ runs")
ROW(MESSAGE_LEVEL_PAIRS, "@ CI with @ pairs")
ROW(MESSAGE_LEVEL_TAKES_PAIRS, "@ takes @ pairs")
ROW(MESSAGE_LEVEL_TAKES, "@ takes @ runs")
ROW(MESSAGE_LEVEL_TAKES_TWO, "@ takes @ runs of each")
/* Half the interval of a run's mean. */
ROW(MESSAGE_WITHIN, "within ±@")
ROW(MESSAGE_WITHIN_MEANS,
    "within: 95 % CI of one run's mean, by its steps; runs may differ by "
    "more")
/* Intervals in running text. */
ROW(MESSAGE_OF_MEDIAN, "interval of the median")
ROW(MESSAGE_OF_OLYMPIC_MEAN, "interval of the olympic mean")
ROW(MESSAGE_OF_SPEEDUP, "interval of the speedup")
ROW(MESSAGE_NO_1N1G, "1n1g is missing")
/* Cells of cases without a number. */
ROW(MESSAGE_OOM, "OOM")
ROW(MESSAGE_FAILED, "failed")
ROW(MESSAGE_NO_FIGURE, "no figure")
ROW(MESSAGE_ONE_COUNT, "only one number of GPUs")
ROW(MESSAGE_GPUS_UNKNOWN, "number of GPUs unknown")
ROW(MESSAGE_NOT_DRAWN, "not drawn")
ROW(MESSAGE_MIXED_UNITS, "mixed units")
ROW(MESSAGE_EXCLUDED, "excluded")
ROW(MESSAGE_EXCLUDED_LOGS, "Excluded")
ROW(MESSAGE_LOG, "log")
ROW(MESSAGE_REASON, "reason")
ROW(MESSAGE_WORDS, "message")
ROW(MESSAGE_AND_MORE, "@ and @ more")
ROW(MESSAGE_RESULT_LISTS_ALL, "And @ more; the result lists all.")
ROW(MESSAGE_COLLECTIVES_OF_RUNS, "Collectives")
ROW(MESSAGE_MEANS_OF_OPERATIONS,
    "Means over all operations of a run, medians over the runs; no window, "
    "interval or baseline.")
ROW(MESSAGE_MEDIANS_OF_RUNS,
    "Medians over the runs; no window, interval or baseline.")
ROW(MESSAGE_NO_METRICS, "The logs state no figures besides their throughput.")
ROW(MESSAGE_METRICS,
    "Medians over the runs of the figures in each log; no window, interval or "
    "baseline.")
ROW(MESSAGE_PUBLISHED_AT, "published")
ROW(MESSAGE_RULE_UNKNOWN, "published, measured by an unknown rule")
ROW(MESSAGE_COLLECTIVES, "collectives")
ROW(MESSAGE_MESSAGE_SIZE, "message size")
ROW(MESSAGE_SIZE_UP_TO, "message size up to")
ROW(MESSAGE_BUS_BANDWIDTH, "bus bandwidth")
ROW(MESSAGE_TOTAL_TIME, "total time")
ROW(MESSAGE_TIME_SHARE, "share of time")
/* Charts of cases. */
ROW(MESSAGE_BATCH_OF_DEVICE, "batch size per device")
ROW(MESSAGE_STEP, "step")
ROW(MESSAGE_RUN, "run")
ROW(MESSAGE_LOSS, "loss")
ROW(MESSAGE_ACCURACY, "top-1 accuracy")
ROW(MESSAGE_TIME, "time")
ROW(MESSAGE_NOTE_LEVELS, "line: level between changes")
ROW(MESSAGE_NOTE_STEPS,
    "grey: measured window; dotted: settled; line: running median")
ROW(MESSAGE_NOTE_SPREAD,
    "steps of the window; mark: median; bar: 5th to 95th percentile")
ROW(MESSAGE_NOTE_RUNNING_MEDIAN, "line: running median of up to 21 points")
ROW(MESSAGE_NOTE_RUNS_BAND, "band: 5th to 95th percentile of runs")
ROW(MESSAGE_NOTE_SIZES_BAND,
    "medians of nearly equal sizes; band: 5th to 95th percentile")
ROW(MESSAGE_CHANGE_SINCE, "@ % since @")
ROW(MESSAGE_AFTER, "after:")
ROW(MESSAGE_NOTE_PHASES, "medians over the runs of a case")
ROW(MESSAGE_NOTE_COUNTS, "numbers above bars: operations of a run")
/* Cases in parentheses, or nothing, follow the second number. */
ROW(MESSAGE_NOTE_FLAGGED, "open: @ of @ cases flagged@, see report_results")
ROW(MESSAGE_NOTE_CASES_FLAGGED, "@ of @ cases flagged@, see report_results")
ROW(MESSAGE_NOTE_NOT_DRAWN, "@ of @ cases not drawn, see report_results")
/* After a note that names report_results. */
ROW(MESSAGE_NOTE_ALSO_NOT_DRAWN, "@ of @ cases not drawn")
ROW(MESSAGE_NOTE_SHOWN, "@ of @ shown")
ROW(MESSAGE_NOTE_POINTS_FLAGGED,
    "open: @ of @ points flagged, see --history=FILE show")
ROW(MESSAGE_NOTE_ABOVE_LINK,
    "@ of @ lines have points above the link, so it is not theirs")
ROW(MESSAGE_LINK, "link")
ROW(MESSAGE_NOTE_PREDICTED, "dotted: predicted, with @ prediction intervals")
ROW(MESSAGE_NOTE_PREDICTED_RANGE, "dotted: predicted, with the range")
ROW(MESSAGE_DATA_WAIT, "waiting for data")
ROW(MESSAGE_COMPUTE, "compute")
ROW(MESSAGE_OVERLAPPED, "compute and communication")
ROW(MESSAGE_EXPOSED, "exposed communication")
ROW(MESSAGE_MEDIANS_OVER_RUNS, "of a run; medians over the runs")
ROW(MESSAGE_WHOLE_RUNS,
    "all operations of each run, not of the window alone; no interval, no "
    "baseline")
/* Instead of a level, with the number of runs. */
ROW(MESSAGE_NO_INTERVAL, "none with 1 run")
ROW(MESSAGE_MEAN_OF_RUNS, "of a run; mean of runs")
/* Times of the program and of a mean step; see series/quantity.h. */
ROW(MESSAGE_REAL, "real")
ROW(MESSAGE_USER, "user")
ROW(MESSAGE_SYS, "sys")
ROW(MESSAGE_TOTAL_TRAINING, "total time")
ROW(MESSAGE_MEAN_STEP, "mean step")
ROW(MESSAGE_PHASE_DATA, "data")
ROW(MESSAGE_PHASE_TO_DEVICE, "batch to device")
ROW(MESSAGE_PHASE_FORWARD, "forward")
ROW(MESSAGE_PHASE_LOSS, "loss")
ROW(MESSAGE_PHASE_BACKWARD, "backward")
ROW(MESSAGE_PHASE_UPDATE, "update of weights")
ROW(MESSAGE_PHASE_ALLREDUCE, "allreduce under way")
ROW(MESSAGE_PHASE_EXPOSED, "allreduce not overlapped")
ROW(MESSAGE_RECEIVING, "receiving")
ROW(MESSAGE_SENDING, "sending")
/* Scaling law, then its parameters. */
ROW(MESSAGE_LAW, "law")
ROW(MESSAGE_SPEED_OF_ONE, "speed of one")
ROW(MESSAGE_SERIAL, "serial")
ROW(MESSAGE_COHERENCE, "coherence")
ROW(MESSAGE_STANDARD_ERROR, "± s.e.")
ROW(MESSAGE_AIC, "AIC")
ROW(MESSAGE_PEAK, "peak")
ROW(MESSAGE_UP_TO, "up to")
ROW(MESSAGE_KARP_FLATT, "Karp-Flatt serial fraction")
ROW(MESSAGE_LAW_FIT,
    "fitted to ln speed, the speed of one is free; intervals: 95 % CI by "
    "Student's t")
ROW(MESSAGE_RELATIVE_COST, "in parentheses: time over GPUs times the time of @")
/* case, quantity, written, from, gives */
ROW(MESSAGE_DOUBT, "@, @ @: does not follow from @, which gives @")
ROW(MESSAGE_GPUS_PER_NODE, "GPUs per node")
ROW(MESSAGE_BACKEND, "back end")
ROW(MESSAGE_DEVICE, "device")
ROW(MESSAGE_FUSION, "fusion")
ROW(MESSAGE_COMPRESSION, "compression")
/* Between parts of a list, between sentences, after a place. */
ROW(MESSAGE_COMMA, ", ")
ROW(MESSAGE_SEMICOLON, "; ")
ROW(MESSAGE_COLON, ": ")
/* Comparisons. */
ROW(MESSAGE_RATIO, "ratio")
ROW(MESSAGE_RATIO_OF, "ratio of speeds: @ over @; above 1 is faster")
ROW(MESSAGE_NOTE_RATIO, "speed of @ over @")
ROW(MESSAGE_VERDICT, "verdict")
ROW(MESSAGE_FASTER, "faster")
ROW(MESSAGE_SLOWER, "slower")
ROW(MESSAGE_EQUIVALENT, "equivalent")
ROW(MESSAGE_FASTER_WITHIN, "faster, but equivalent")
ROW(MESSAGE_SLOWER_WITHIN, "slower, but equivalent")
ROW(MESSAGE_NO_EVIDENCE, "no evidence")
ROW(MESSAGE_TOO_FEW_RUNS, "too few runs")
ROW(MESSAGE_TOO_FEW_SESSIONS, "too few sessions")
ROW(MESSAGE_SESSIONS, "sessions")
ROW(MESSAGE_OF_SESSIONS,
    "each run stands for a session, by the median of its runs: runs of a host "
    "that began within one job or an hour")
ROW(MESSAGE_EQUIVALENT_MEANS, "equivalent: within @")
ROW(MESSAGE_OVER_FIRST_LEVEL, "over the first level")
ROW(MESSAGE_GEOMETRIC_MEAN, "geometric mean")
ROW(MESSAGE_NOTE_SHADED, "grey: within @")
ROW(MESSAGE_NOTE_DIAMOND, "diamond: geometric mean, @ CI")
ROW(MESSAGE_ONLY_IN, "only in @")
ROW(MESSAGE_OF_RATIO, "interval of the ratio")
ROW(MESSAGE_SPREADS,
    "@: the runs of one side spread @ times as much as those of the other, so "
    "the level of its interval may be as low as @")
ROW(MESSAGE_DETECTABLE, "smallest change that these runs show with power 80 %")
ROW(MESSAGE_RUNS_TO_SHOW, "runs of each to show a change of @")
ROW(MESSAGE_OR_MORE, "@ or more")
ROW(MESSAGE_PAIRS, "pairs")
ROW(MESSAGE_SIDE_LABEL, "@: @ (@) against @ (@)")
ROW(MESSAGE_CHANCE,
    "p and interval are of each case alone; the verdict follows p by Holm, "
    "adjusted for all @ cases")
ROW(MESSAGE_VERDICT_TAKES, "no change provable in @ of @ cases: takes @ runs")
ROW(MESSAGE_VERDICT_TAKES_PAIRS,
    "no change provable in @ of @ cases: takes @ pairs")
ROW(MESSAGE_GATE, "gate")
ROW(MESSAGE_VALUE, "value")
ROW(MESSAGE_GATE_PASSED, "passed")
ROW(MESSAGE_GATE_NOT_PROVEN, "not proven")
ROW(MESSAGE_GATE_MISSING, "missing")
ROW(MESSAGE_FLAGGED, "flagged")
/* Sentences about the gate of a case. */
ROW(MESSAGE_GATE_PROVEN_IS,
    "@ is proven: the value is @, p @ by Holm (proof: at most @), @ and @ runs")
ROW(MESSAGE_GATE_REFUTED_IS,
    "@ is refuted: the value is @, p @ by Holm (proof: at most @), @ and @ "
    "runs")
ROW(MESSAGE_GATE_NOT_PROVEN_IS,
    "@ is not proven: the value is @, p @ by Holm (proof: at most @), @ and @ "
    "runs")
ROW(MESSAGE_GATE_TOO_FEW_IS,
    "@: too few runs to prove anything; the value is @, of @ and @ runs")
ROW(MESSAGE_GATE_FLAGGED_IS,
    "@ is decided by numbers in doubt: the value is @, p @ by Holm (proof: at "
    "most @), @ and @ runs")
ROW(MESSAGE_GATE_FLAGGED_NOTE,
    "flagged: @ of @ gates are decided by numbers in doubt; "
    "--gate-flagged=fail fails for them, --gate-flagged=ignore lets the runs "
    "decide")
ROW(MESSAGE_GATE_MISSING_IS, "@: the case is not in the new result")
ROW(MESSAGE_GATE_PROOF, "proof: p at most @ by Holm (confidence @)")
ROW(MESSAGE_GATE_CANNOT,
    "@ cannot fail for @ of @ cases: for @ at once it takes at least @ runs "
    "of each")
ROW(MESSAGE_GATE_CANNOT_PAIRS,
    "@ cannot fail for @ of @ cases: for @ at once it takes at least @ pairs")
ROW(MESSAGE_GATE_CANNOT_ONE, "@ cannot fail: it takes at least @ runs of each")
ROW(MESSAGE_GATE_CANNOT_ONE_PAIRS, "@ cannot fail: it takes at least @ pairs")
ROW(MESSAGE_GATE_NOTHING, "@: no case has a speedup over another")
ROW(MESSAGE_STATUS, "status")
/* Checks of published tables; file:line:column of a cell. */
ROW(MESSAGE_PLACE, "place")
ROW(MESSAGE_COLUMN, "column")
ROW(MESSAGE_PRINTED, "printed")
ROW(MESSAGE_SHOULD_BE, "should be")
ROW(MESSAGE_WHY, "because")
ROW(MESSAGE_TABLES, "tables")
ROW(MESSAGE_FOLLOWS, "follows")
ROW(MESSAGE_FOLLOWS_CUT, "follows, digits cut")
ROW(MESSAGE_DIFFERS, "does not follow")
ROW(MESSAGE_MALFORMED, "no number")
ROW(MESSAGE_UNREAD, "not read")
ROW(MESSAGE_NO_CASE, "not in the results")
ROW(MESSAGE_SEVERAL_CASES, "several cases fit; --select one")
ROW(MESSAGE_UNCHECKED, "nothing to check it by")
/* Histories. */
ROW(MESSAGE_DATE, "date")
ROW(MESSAGE_COMMIT, "commit")
ROW(MESSAGE_COMMIT_OR_DATE, "commit or date, by time")
ROW(MESSAGE_HOST, "host")
ROW(MESSAGE_FRAMEWORK_VERSION, "framework version")
ROW(MESSAGE_CHANGE, "change")
ROW(MESSAGE_CHANGE_MEANS,
    "change: speed of the level that begins there over that of the level "
    "before, less 1; p: of no change, after Holm over all changes; "
    "intervals: at least @ where there are points enough")
/* case, share, interval ends, level, first point, last one before */
ROW(MESSAGE_SLOWER_SINCE,
    "@: slower by @ (@ to @, @ CI) since @; the last one before is @")
ROW(MESSAGE_FASTER_SINCE,
    "@: faster by @ (@ to @, @ CI) since @; the last one before is @")
ROW(MESSAGE_POINTS_AGAINST, "; @ points before, @ from then on, p = @")
ROW(MESSAGE_CORRELATED, " (at a correlation of @ between neighbours)")
ROW(MESSAGE_CORRELATION,
    "correlation of neighbouring points, which p and the intervals of changes "
    "allow for")
ROW(MESSAGE_HOSTS_APART,
    "hosts take turns: their differences are not counted as changes")
ROW(MESSAGE_CHANGE_UNPROVEN, "; not proven")
ROW(MESSAGE_POINTS_FLAGGED,
    "; flagged: @ of these @ points, whose speeds are in doubt (see show)")
ROW(MESSAGE_ALSO_CHANGED, "; at the same time: @ '@' became '@'")
ROW(MESSAGE_NO_CHANGE, "@: no change in @ points since @")
ROW(MESSAGE_FEW_POINTS, "@: too few points to show a change: @, it takes @")
/* Environment. */
ROW(MESSAGE_ENVIRONMENT, "environment")
ROW(MESSAGE_ITEM, "item")
ROW(MESSAGE_THIS_MACHINE, "this machine")
ROW(MESSAGE_HARDWARE, "hardware")
ROW(MESSAGE_SOFTWARE, "software")
ROW(MESSAGE_MADE, "runs")
ROW(MESSAGE_OTHER, "other")
ROW(MESSAGE_CPU, "CPU")
ROW(MESSAGE_CORES, "CPU cores")
ROW(MESSAGE_VECTORS, "vector instructions")
ROW(MESSAGE_MEMORY, "memory")
ROW(MESSAGE_NIC, "network cards")
ROW(MESSAGE_GPU, "GPUs")
ROW(MESSAGE_GPU_LINK, "GPU link")
ROW(MESSAGE_SERVERS, "servers")
ROW(MESSAGE_GPU_MEMORY, "GPU memory")
ROW(MESSAGE_BANDWIDTH, "network bandwidth (in + out)")
ROW(MESSAGE_PACKET_RATE, "network packets (in + out)")
ROW(MESSAGE_LARGEST_CASE, "largest case")
ROW(MESSAGE_SYSTEM, "operating system")
ROW(MESSAGE_KERNEL, "kernel")
ROW(MESSAGE_GPU_DRIVER, "GPU driver")
ROW(MESSAGE_COMMAND, "command")

/* Predictions */
ROW(MESSAGE_NOTHING_PREDICTED, "nothing is predicted")
ROW(MESSAGE_FROM_BATCH, "from batch @ per device, which has it measured")
ROW(MESSAGE_FROM_LINK_ALONE,
    "from the link alone; the range is that of the overlap")
ROW(MESSAGE_GROWTH_SERIES, "growth of the network's cost from @ other series")
ROW(MESSAGE_GROWTH_GPUS, "growth of the network's cost from @ GPU counts")
ROW(MESSAGE_GROWTH_NODES, "growth of the network's cost from @ node counts")
ROW(MESSAGE_GROWTH_TWO_GPUS,
    "growth of the network's cost from published series (two GPU counts)")
ROW(MESSAGE_GROWTH_TWO_NODES,
    "growth of the network's cost from published series (two node counts)")
ROW(MESSAGE_GROWTH_PUBLISHED,
    "cost of the network from published series alone (one count)")
ROW(MESSAGE_RANGE, "range")
ROW(MESSAGE_LEVEL_INTERVAL, "@ % interval")
ROW(MESSAGE_HEADLINE, "@: @ @, @ @–@, speedup @; @@")
ROW(MESSAGE_RESTS_ON_FLAGGED, "; rests on flagged cases")
ROW(MESSAGE_SPEED, "speed")
ROW(MESSAGE_GPU_HOURS, "GPU-hours")
ROW(MESSAGE_PRICE, "cost")
ROW(MESSAGE_HOW, "how")
ROW(MESSAGE_REMARKS, "notes")
ROW(MESSAGE_BY_DOUBLING, "doubling")
ROW(MESSAGE_BY_TRANSFER, "transfer")
ROW(MESSAGE_BY_LINK, "from the link")
ROW(MESSAGE_AND_FORCED, ", forced")
ROW(MESSAGE_REFUSED, "refused: @")
ROW(MESSAGE_BATCH_FROM, "batch @, from @ on")
ROW(MESSAGE_NOT_USED, "without a speed, not used: @")
ROW(MESSAGE_RESTS_FLAGGED,
    "flagged: @ is in doubt, and with it what rests on it: @")
ROW(MESSAGE_IS_FORCED,
    "forced: a rule refuses this case, so its interval may promise too much")
ROW(MESSAGE_LINK_ERROR,
    "from the link: the range is that of the overlap; nominal rates err by 8 "
    "to 13 % (median), 24 to 40 % in one case of ten")
ROW(MESSAGE_GRADIENTS_OF_MODEL,
    "gradients of a step: @ bytes, four for each parameter of @; "
    "--gradient-bytes=N states another size")
ROW(MESSAGE_N_NODES, "@ nodes")
ROW(MESSAGE_N_GPUS, "@ GPUs")
ROW(MESSAGE_BEYOND, "beyond @")
ROW(MESSAGE_UNTIL_NO_ROW, "efficiency below @ %: no row has two counts")
ROW(MESSAGE_FROM_ON, "from @ on")
ROW(MESSAGE_NOT_WITHIN, "not within @, @ times the largest measured count")
ROW(MESSAGE_GPUS_A_NODE, ", @ GPUs a node")
ROW(MESSAGE_UNTIL,
    "efficiency below @ %: @; at the earliest @, at the latest @ (@ % "
    "interval@)")
ROW(MESSAGE_NO_BANDWIDTH,
    "efficiency @ % at @: no bandwidth gives it; without any network the "
    "efficiency is @ %")
ROW(MESSAGE_BANDWIDTH_RANGE,
    "efficiency @ % at @: @ to @ Gbit/s, by how much of the communication is "
    "hidden")
ROW(MESSAGE_BANDWIDTH_FOR, "efficiency @ % at @: @ Gbit/s")
ROW(MESSAGE_BACKTEST_INSIDE,
    "back-test: @ from the others: @ %, inside its interval")
ROW(MESSAGE_BACKTEST_OUTSIDE,
    "back-test: @ from the others: @ %, outside of its interval")
ROW(MESSAGE_PREDICTED_OF, "of: @")
ROW(MESSAGE_WHAT_IF, "What if")
ROW(MESSAGE_WHAT_CHANGES, "change")
ROW(MESSAGE_STEP_NOW, "step now")
ROW(MESSAGE_STEP_THEN, "step then")
ROW(MESSAGE_FASTER_BY, "faster by")
ROW(MESSAGE_OVERLAP, "overlap")
ROW(MESSAGE_BOTH_ENDS, "unknown: both ends")
ROW(MESSAGE_BOUND,
    "@, @: a bound: communication was busy for @ s a step, of which the link "
    "needs @ s; the rest (waiting, the CPUs' share) does not change with it")
ROW(MESSAGE_WHAT_LIMITS, "What limits each case, shares of its step")
ROW(MESSAGE_PART_LOSS, "loss")
ROW(MESSAGE_PART_WITHIN, "within nodes")
ROW(MESSAGE_PART_BETWEEN, "between nodes")
ROW(MESSAGE_PART_COMMUNICATION, "communication")
ROW(MESSAGE_PART_INPUT, "input")
ROW(MESSAGE_PART_STRAGGLER, "straggler")
ROW(MESSAGE_PART_OTHER, "other")
ROW(MESSAGE_DIAGNOSIS,
    "within and between nodes are of the measured cases, the rest of what the "
    "runs state about their steps: two views of one loss; - was not measured")
ROW(MESSAGE_TWO_COUNTS,
    "the row has two counts, so the growth of the network's cost is not from "
    "its data; a third count would narrow the interval")
ROW(MESSAGE_SATURATED,
    "speed grew by less than 1.35 a doubling between the two largest counts: "
    "something shared may be full")
ROW(MESSAGE_FAR, "more than one doubling beyond the measured counts")
ROW(MESSAGE_FAR_BEYOND,
    "more than 4 times the largest measured count: of such predictions for @ "
    "published series @ missed their 80 % interval, @ because the case was "
    "slower")
ROW(MESSAGE_RISING,
    "the last measured doubling cost more than the one before it: of such "
    "predictions for @ published series @ missed their 80 % interval, @ "
    "because the case was slower")
ROW(MESSAGE_WIDE,
    "the 80 % interval spans more than a factor of 1.5: too wide to plan by")
ROW(MESSAGE_SPREAD, "runs of a case spread by more than 10 %")
ROW(MESSAGE_BACKTEST_MISSED,
    "the largest measured case lies outside of the interval that the others "
    "predict for it: this series does not follow the model")
ROW(MESSAGE_SETTING, "setting")
ROW(MESSAGE_PUBLISHED_SIDE, "published")
ROW(MESSAGE_OWN_SIDE, "here")
ROW(MESSAGE_REPRODUCED, "within the published figure: @ of it@")
ROW(MESSAGE_REPRODUCED_SLOWER, "slower than published: @ of it@")
ROW(MESSAGE_REPRODUCED_FASTER, "faster than published: @ of it@")
ROW(MESSAGE_ALIKE_SETTINGS, "alike: @")
ROW(MESSAGE_UNSTATED_SETTINGS, "stated by neither side: @")
ROW(MESSAGE_OTHER_MODEL,
    "@ parameters here, @ published: another model, so the figures are not of "
    "one work")
ROW(MESSAGE_BUCKETS_ASSUMED, "how gradients are cut into buckets was assumed")
/* --- extract_logs --follow ------------------------------------------------*/
/* A line number, and ": " with its text where that is known. */
ROW(MESSAGE_MEMORY_AT, "out of memory at line @@")
ROW(MESSAGE_CRASHED_AT, "crashed at line @@")
ROW(MESSAGE_STOPPED_AT, "stopped by its user at line @@")
ROW(MESSAGE_SILENT_STEPS, "silent for more than @ steps")
ROW(MESSAGE_SILENT_S, "silent for @ s")
ROW(MESSAGE_NO_ITERATION, "no iteration yet")
ROW(MESSAGE_AN_ITERATION, "@ s an iteration")
ROW(MESSAGE_NOT_SETTLED, "not settled")
ROW(MESSAGE_SETTLED_FROM, "settled from @ on")
ROW(MESSAGE_OF_TOTAL, "@ of @")
ROW(MESSAGE_SO_FAR, "@ so far")
ROW(MESSAGE_DONE, "@ done")
ROW(MESSAGE_S_LEFT, "@ s left")
ROW(MESSAGE_IN_RESULT, "in the result")
ROW(MESSAGE_NOT_IN_RESULT, "not in the result yet")
ROW(MESSAGE_LEFT_OUT, "not in the result")
ROW(MESSAGE_GONE, "gone")
/* --- extract_logs: warnings -----------------------------------------------*/
ROW(MESSAGE_ONE_RUN_ONLY,
    "@: 1 run only: how much runs differ is unknown; @ % confidence in the "
    "median needs @ runs")
ROW(MESSAGE_FEW_RUNS_ONLY,
    "@: @ runs only, so the interval of the median has @ %; @ % needs @ runs")
ROW(MESSAGE_NO_SPEEDUP_GPUS,
    "no speedup without a number of GPUs; set it with --nodes and "
    "--gpus-per-node")
ROW(MESSAGE_OTHER_BASELINE,
    "the baseline, because there is no comparable 1n1g; --baseline=CASE "
    "chooses another")
/* --- run_sweep, run_on_nodes ----------------------------------------------*/
ROW(MESSAGE_LOG_UNFINISHED,
    "@: exists, but is not the log of a finished run; left alone")
ROW(MESSAGE_LOG_OF_OTHER,
    "@: exists, but was made by another command; left alone")
ROW(MESSAGE_OTHER_MACHINE, "@: not the machine of @/machine.txt, but that of @")
ROW(MESSAGE_LOG_RENAMED, "@: had finished; renamed")
ROW(MESSAGE_TRYING_AGAIN, "@: trying again, @ more attempts")
/* "3/10", path, time left */
ROW(MESSAGE_RUN_BEGINS, "@ @")
ROW(MESSAGE_RUN_BEGINS_LEFT, "@ @, @ left")
ROW(MESSAGE_RUN_DONE, "@ done in @")
ROW(MESSAGE_RUN_DONE_AT, "@ done in @, @ images/s")
ROW(MESSAGE_RUNS_MADE, "@ made in @, @ were there, @ failed, @ left")
ROW(MESSAGE_RANK_KILLED, "rank @ (node@) was ended by signal @ (@)")
ROW(MESSAGE_RANK_ENDED, "rank @ (node@) ended with status @")
ROW(MESSAGE_NO_CORE_SHARES,
    "cannot make control groups that limit time in '@': @; ranks share the "
    "cores as they can")
