/* Remarks: code, name in JSON, reason of exclusions (or FLAG_...), parameters
 * and English sentence; see struct remark_row. zh.texts has the Chinese ones.
 * remark.h and remark.c include the rows with ROW defined. */

ROW(REMARK_NONE, "none", NULL, "", "")
ROW(REMARK_OTHER, "other", FLAG_DOUBT, "text%s", "{text}")

/* Flags: selected iterations */
ROW(REMARK_ATTEMPT, "attempt", NULL, "attempt attempts",
    "attempt {attempt} of {attempts}")
ROW(REMARK_JOINED, "joined", NULL, "files", "joined from {files} files")
ROW(REMARK_EPOCHS, "epochs", NULL, "first last", "epochs {first}–{last}")
ROW(REMARK_LATE_START, "late-start", NULL, "iterations",
    "begins {iterations} {iterations?iteration|iterations} inside the window")
ROW(REMARK_UNPRINTED, "unprinted", NULL, "printed iterations",
    "{printed} of {iterations} iterations printed")
ROW(REMARK_SAMPLED, "sampled", FLAG_COARSE, "period",
    "prints 1 of {period} iterations")
ROW(REMARK_SAMPLED_CONFIRMED, "sampled-confirmed", NULL, "period",
    "prints 1 of {period} iterations: their times were taken, which the "
    "running means confirm")
ROW(REMARK_SAMPLED_MEANS, "sampled-means", NULL, "period",
    "prints 1 of {period} iterations: the running means that its lines print "
    "were taken")
ROW(REMARK_SAMPLED_PLAIN_MEANS, "sampled-plain-means", FLAG_DOUBT, "period",
    "prints 1 of {period} iterations: the running means that its lines print "
    "were taken, which average rates instead of times")
ROW(REMARK_AGGREGATE, "aggregate", NULL, "aggregate%w",
    "{aggregate} of the records")
ROW(REMARK_UNNUMBERED, "unnumbered", NULL, "",
    "iterations are not numbered: the log's lines were counted")
ROW(REMARK_MEAN_DIFFERENCES, "mean-differences", NULL, "",
    "step times are differences of the running means that the log prints")
ROW(REMARK_RECORD_TIMES, "record-times", FLAG_DOUBT, "seconds%6g",
    "timed by when the records were written, to {seconds} s: evaluation and "
    "checkpoints between them count")
ROW(REMARK_BETWEEN_EPOCHS, "between-epochs", NULL, "figure%6g unit%s",
    "{figure} {unit} from the start to the end of the run: the time between "
    "its epochs is not counted")
ROW(REMARK_TUNED, "tuned", FLAG_DOUBT, "tuned steps",
    "settings were tuned during {tuned} of {steps} steps")
ROW(REMARK_TUNED_OPEN, "tuned-open", FLAG_DOUBT, "steps",
    "settings were tuned, and the log does not state until when: maybe during "
    "all {steps} steps")
ROW(REMARK_WINDOW_MOVED, "window-moved", NULL, "position",
    "the window begins at position {position}, after settings were tuned")
ROW(REMARK_SHORT_LOG, "short-log", FLAG_COARSE,
    "iterations from to window percent%2g",
    "short log: {iterations} iterations ({from} to {to}) were measured, not "
    "{window}[; within ±{percent} %]")

/* Flags: contradictions of the number */
ROW(REMARK_INSTANTS_DIFFER, "instants-differ", FLAG_DOUBT,
    "percent%1f direction%w limit%3g",
    "the values of single steps on the same lines are {percent%} {direction}")
ROW(REMARK_MEANS_DIFFER, "means-differ", FLAG_DOUBT,
    "percent%1f direction%w limit%3g",
    "the running means on the same lines are {percent%} {direction}")
ROW(REMARK_SUMMARY_DIFFERS, "summary-differs", FLAG_DOUBT,
    "figure%5g unit%s window%5g percent%1f direction%w limit%3g",
    "the log's figure of the whole job is {figure} {unit}, the window's "
    "{window}: {percent%} {direction}")
ROW(REMARK_RATES_CONTRADICT, "rates-contradict", FLAG_DOUBT,
    "printed%4g unit%s work%4g rate%5g rate_unit%s",
    "the two rates of a line make {printed} {unit} an iteration, not {work}: "
    "one of them is wrong; by time and batch it would be {rate} {rate_unit}")
ROW(REMARK_EVENTS_CONTRADICT, "events-contradict", FLAG_DOUBT,
    "samples%6g steps%6g batch%6g",
    "its events count {samples} samples, but {steps} steps of {batch} "
    "samples: the steps were taken")
ROW(REMARK_CLOCK_CONTRADICTS, "clock-contradicts", FLAG_DOUBT,
    "clock_s%4g printed_s%4g",
    "by the clock of its lines a step takes {clock_s} s, by what they print "
    "{printed_s} s: one of them is wrong")
ROW(REMARK_TOTAL_CONTRADICTS, "total-contradicts", FLAG_DOUBT,
    "clock%4g unit%s printed%4g",
    "the total on its lines grows by {clock} {unit} by their clock, what they "
    "print makes {printed}: one of them is wrong")
ROW(REMARK_VALUES_CONTRADICT, "values-contradict", FLAG_DOUBT,
    "key%s taken%s taken_from%s other%s other_from%s",
    "{key}: {taken} ({taken_from}) is taken, against {other} ({other_from})")
ROW(REMARK_CLOCK_SET, "clock-set", NULL, "",
    "the clock was set by an hour: taken for daylight saving, put right")
ROW(REMARK_ROUNDED, "rounded", NULL, "percent%2g",
    "known to {percent} %: the printed numbers are rounded")

/* Flags: quality of the steps */
ROW(REMARK_WARM_UP, "warm-up-in-window", FLAG_DOUBT, "steps",
    "counts {steps} {steps?step|steps} of warm-up: raise --warmup-batches")
ROW(REMARK_SETTLES_LATE, "settles-late", FLAG_DOUBT, "position",
    "settles at position {position}, after the window, which is all warm-up: "
    "raise --skip-iterations")
ROW(REMARK_WINDOW_OFF, "window-off", FLAG_DOUBT,
    "percent%1f direction%w limit%3g",
    "the window is {percent%} {direction} than all steps from its start on: "
    "raise --train-batches to cover more of them")
ROW(REMARK_REST_OFF, "rest-off", FLAG_DOUBT, "percent%1f direction%w limit%3g",
    "the window is {percent%} {direction} than the steps after it: raise "
    "--train-batches to cover more of them")
ROW(REMARK_SINGLE_RECORD, "single-record", FLAG_DOUBT, "iterations",
    "the window is one record of {iterations} {iterations?iteration|"
    "iterations}, which cannot show whether its speed was steady: print more "
    "often, or raise --train-batches")
ROW(REMARK_STALLS, "stalls", FLAG_DOUBT, "percent%0f limit%3g",
    "stalls take {percent} % of the time: --aggregate=median omits them")
ROW(REMARK_LONE_STEP, "lone-step", FLAG_DOUBT, "times%0f line limit%3g",
    "one step took {times} times the median (line {line})")
ROW(REMARK_DRIFT, "drift", FLAG_DOUBT, "ratio%3g",
    "steps take {ratio} times as long at the end of the window as at its "
    "start: try a larger --skip-iterations")
ROW(REMARK_RANKS_APART, "ranks-apart", FLAG_DOUBT, "steps%0f limit%3g",
    "ranks are {steps} steps apart after the window")
ROW(REMARK_RANKS_UNBALANCED, "ranks-unbalanced", FLAG_DOUBT,
    "percent%0f limit%3g", "ranks are unbalanced by {percent} %")

/* Flags: ranks, devices, work */
ROW(REMARK_STOOD_STILL, "counter-stood-still", NULL, "",
    "some iterations are printed again: their counter stood still")
ROW(REMARK_FROM_START_AGAIN, "from-start-again", FLAG_DOUBT, "",
    "iterations are printed again from the start: taken for ranks, but it may "
    "be a restart")
ROW(REMARK_RANKS_ASSUMED, "ranks-assumed", FLAG_DOUBT, "",
    "world size unknown: lines of the same iteration are taken for ranks")
ROW(REMARK_RANKS_UNEQUAL, "ranks-unequal", FLAG_DOUBT, "",
    "ranks printed unequal numbers of iterations: it may be a restart")
ROW(REMARK_RANKS_OPEN, "ranks-open", NULL, "files",
    "{files} files of ranks; whether these are all is not stated")
ROW(REMARK_RANK_MISSING, "rank-missing", FLAG_DOUBT, "files rank",
    "{files} {files?file|files} of ranks, but none of rank {rank}")
ROW(REMARK_GPUS_ASSUMED, "gpus-assumed", FLAG_DOUBT, "ranks",
    "number of GPUs not stated: that of the {ranks} ranks that print; "
    "--gpus=N states it")
ROW(REMARK_SCALED_UP, "scaled-up", FLAG_DOUBT, "printed all what%w",
    "only {printed} of {all} {what} print rates: their sum is scaled up")
/* A program may print the rate of one device by design. */
ROW(REMARK_SCALED_FROM_ONE, "scaled-from-one", FLAG_DETAIL, "all what%w",
    "the rate of one of {all} {what}, times {all}")
ROW(REMARK_COUNT_UNKNOWN, "count-unknown", FLAG_DOUBT, "what%w printed",
    "number of {what} unknown: sum over the {printed} that printed")
ROW(REMARK_BATCH_OF_DEVICE, "batch-of-device", FLAG_DOUBT, "batch",
    "batch size {batch} of the configuration taken as that of a device; "
    "--batch-size=N or --batch-size-per-device=N states it")
ROW(REMARK_BATCH_OF_ALL, "batch-of-all", FLAG_DOUBT, "batch",
    "batch size {batch} of the configuration taken as that of all; "
    "--batch-size=N or --batch-size-per-device=N states it")
ROW(REMARK_TOKENS_UNKNOWN, "tokens-unknown", FLAG_DOUBT, "",
    "tokens of each step unknown: weighted equally")

/* Flags: figures of the whole run */
ROW(REMARK_BENCHMARKS, "benchmarks", NULL,
    "tests name%s first%s first_figure%6g others%s more",
    "{tests} benchmarks in it: that of {name} (before: {first} "
    "[{first_figure}|no figure][, {others}] GB/s[ and {more} more])")
ROW(REMARK_BEST_TRIAL, "best-trial", FLAG_DOUBT, "trials name%s",
    "best of {trials} trials: {name}")
ROW(REMARK_STRAGGLER, "straggler", FLAG_DOUBT, "process ratio%3g bytes kind%s",
    "operations of process {process} take {ratio} times those of the others: "
    "{bytes} B {kind}")
ROW(REMARK_TIME_OF, "time-of", NULL, "program%s",
    "its time is that of {program}")
ROW(REMARK_SCORE_FACTOR, "score-factor", NULL, "factor%6g",
    "the time times {factor}, as scaling.json beside the log states")
ROW(REMARK_RESUMED_RATE, "resumed-rate", NULL, "step counted steps figure%6g",
    "resumed after step {step}: {counted} of {steps} steps were counted, the "
    "log's own figure is {figure}")
ROW(REMARK_RESUMED_TIMES, "resumed-times", NULL, "step%s",
    "resumed after step {step}: its wall-clock and CPU times are of the steps "
    "since")

/* Flags: the log itself */
ROW(REMARK_NAN_LOSS, "nan-loss", FLAG_DOUBT, "line file%s more",
    "its loss is not a number from line {line} on[ ({file}[ and {more} more])]")
ROW(REMARK_RECORDS_CUT, "records-cut", FLAG_DOUBT, "file%s more",
    "incomplete: its records end early, or some are damaged[ ({file}[ and "
    "{more} more])]")
ROW(REMARK_DATA_CUT, "data-cut", FLAG_DOUBT, "file%s more",
    "incomplete: its compressed data end early[ ({file}[ and {more} more])]")
ROW(REMARK_TRAILING, "trailing-data", FLAG_DOUBT, "file%s more",
    "incomplete: what follows its compressed data was not read[ ({file}[ and "
    "{more} more])]")
ROW(REMARK_MATCH_LIMIT, "match-limit", FLAG_DOUBT, "lines first file%s more",
    "incomplete: a pattern gave up on {lines} {lines?line|lines}, the first "
    "is line {first}[ ({file}[ and {more} more])]")
ROW(REMARK_OTHER_STEPS, "other-steps", FLAG_DOUBT,
    "steps at_least%w format%s line file%s more",
    "it also holds [{at_least} ]{steps} steps of format {format} from line "
    "{line} on, which are not counted[ ({file}[ and {more} more])]")
ROW(REMARK_DETECTION_CUT, "detection-cut", NULL, "file%s more",
    "its format was chosen by a part of it: more would have taken too long[ "
    "({file}[ and {more} more])]")
ROW(REMARK_LONG_LINES, "long-lines", NULL, "lines file%s more",
    "{lines} {lines?line|lines} longer than 16 MiB, read in pieces[ ({file}[ "
    "and {more} more])]")

/* Flags: all runs of a case */
ROW(REMARK_OUTLIER, "outlier", FLAG_DOUBT, "percent%1c",
    "outlier: {percent} % off the median of the runs")
/* Of a comparison: noise that runs of a session share looks like a change. */
ROW(REMARK_RUNS_IN_BLOCKS, "runs-in-blocks", FLAG_DOUBT, "first%s second%s",
    "all {first} runs before all {second} ones: a drift of the machine counts "
    "as a change")
ROW(REMARK_DIFFERENT_HOSTS, "different-hosts", FLAG_DOUBT, "first%s second%s",
    "{first} and {second} ran on different hosts: a difference of the machines "
    "counts as a change")
ROW(REMARK_SETTINGS_DIFFER, "settings-differ", FLAG_DOUBT, "settings%s",
    "these runs differ in {settings}")
ROW(REMARK_TWO_GROUPS, "two-groups", FLAG_DOUBT,
    "low_runs low%4g high_runs high%4g",
    "the runs form two groups: {low_runs} around {low} and {high_runs} around "
    "{high}")
ROW(REMARK_FAILED_NEARBY, "failed-nearby", FLAG_DOUBT, "failed",
    "{failed} {failed?run|runs} in its folder failed and {failed?is|are} "
    "excluded")
ROW(REMARK_FAILED_ONE, "failed-one", NULL, "runs",
    "1 of {runs} runs failed and counts as the slowest: the median's interval "
    "has no upper end")
ROW(REMARK_FAILED_RUNS, "failed-runs", FLAG_DOUBT, "failed runs",
    "{failed} of {runs} runs failed: no valid time to train")

/* Flags: speedup of a case, figures of a run */
ROW(REMARK_BASELINE_DOUBT, "baseline-doubt", FLAG_DOUBT,
    "case%k runs all flag%r more",
    "the speedup is over {case}, of which {runs} of {all} runs are in doubt: "
    "{flag}[; and {more} more]")
ROW(REMARK_EFFICIENCY_HIGH, "efficiency-too-high", FLAG_DOUBT,
    "percent%1f low%1f limit%3g",
    "an efficiency of {percent} % is above 100 %[, by its interval at least "
    "{low} %]: the baseline is too slow or counts other work; --baseline=CASE "
    "chooses another")
ROW(REMARK_UTILIZATION_HIGH, "utilization-too-high", FLAG_DOUBT,
    "metric%s percent%1f limit%3g",
    "{metric} of {percent} % is impossible: the speed, the FLOP of a sample, "
    "the number of GPUs or --peak-tflops is wrong")

/* Exclusions */
ROW(REMARK_UNREADABLE, "unreadable", EXCLUDED_UNREADABLE, "error%s", "{error}")
ROW(REMARK_EMPTY, "empty", EXCLUDED_EMPTY, "", "is empty")
ROW(REMARK_EMPTY_FILE, "empty-file", EXCLUDED_EMPTY, "", "the file is empty")
ROW(REMARK_NO_FORMAT, "no-format", EXCLUDED_NO_FORMAT, "",
    "no format knows it; --explain shows how near each comes, --suggest "
    "proposes one")
ROW(REMARK_NO_FORMAT_POWER, "power-record", EXCLUDED_NO_FORMAT, "",
    "a record of power by its name: it is read with the log that it lies next "
    "to")
ROW(REMARK_NO_FORMAT_START, "no-format-start", EXCLUDED_NO_FORMAT, "",
    "no format knows its first 256 KiB, after which its first line goes on; "
    "--log-format=NAME reads all of it")
ROW(REMARK_NO_FORMAT_PART, "no-format-part", EXCLUDED_NO_FORMAT, "",
    "no format knows the part of it that was looked at: more would have taken "
    "too long")
ROW(REMARK_FORMATS_DIFFER, "formats-differ", EXCLUDED_NO_FORMAT,
    "format%s file%s other_format%s",
    "is of format {format}, but {file} of the same run is of {other_format}")
ROW(REMARK_NOT_TRAINING, "not-training", EXCLUDED_NOT_TRAINING,
    "place%p program%s text%s",
    "a log of inference ({program}: {text}): requests and tokens that are "
    "served are no steps of training, and nothing of it is compared with them")
ROW(REMARK_ATTEMPTS, "attempts", EXCLUDED_RESTART, "attempts tried",
    "was started {attempts} times, and [none of the last {tried} attempts|no "
    "attempt] has the iterations that count; keep one of them, or choose "
    "others with --skip-iterations, --train-batches or --rule=all")
ROW(REMARK_REPEATED, "repeated", EXCLUDED_RESTART, "place%p iteration ranks",
    "iteration {iteration} comes again, and there {ranks?is|are} {ranks} "
    "{ranks?rank|ranks}: the log holds more than one run; keep one of them")
ROW(REMARK_REPEATED_UNKNOWN, "repeated-unknown", EXCLUDED_RESTART,
    "place%p iteration",
    "iteration {iteration} comes again, on the line of another rank or of "
    "another run, and nothing states which; pass --nodes=N --gpus-per-node=N, "
    "or keep one run")
ROW(REMARK_OUT_OF_MEMORY, "out-of-memory", EXCLUDED_OUT_OF_MEMORY,
    "place%p text%s reason%w why%r hint%r",
    "out of memory: {text} ({reason}: {why}[; {hint}])")
ROW(REMARK_CRASHED, "crashed", EXCLUDED_CRASHED,
    "place%p text%s reason%w why%r hint%r",
    "the run ended: {text} ({reason}: {why}[; {hint}])")
ROW(REMARK_FAILED, "failed-status", EXCLUDED_FAILED, "place%p status%s",
    "the run ended with the status '{status}'")
ROW(REMARK_TOO_FEW, "too-few", EXCLUDED_SHORT, "iterations needed",
    "has {iterations} of {needed} iterations")
ROW(REMARK_NOT_WINDOW, "not-window", EXCLUDED_SHORT, "first last from to",
    "has the iterations from {first} to {last} only, not the window from "
    "{from} [to {to}|on]")
ROW(REMARK_STARTS_AFTER, "starts-after-window", EXCLUDED_SHORT,
    "iteration from to",
    "starts at iteration {iteration}, after the window from {from} [to "
    "{to}|on]")
ROW(REMARK_STARTS_INSIDE, "starts-inside-window", EXCLUDED_SHORT,
    "iteration from to",
    "starts at iteration {iteration}, inside the window from {from} [to "
    "{to}|on]")
ROW(REMARK_LINES_LACKING, "lines-lacking", EXCLUDED_SHORT,
    "lacking iterations from to",
    "lacks the lines of {lacking} of the {iterations} iterations in the "
    "window from {from} [to {to}|on]")
ROW(REMARK_TOO_SPARSE, "too-sparse", EXCLUDED_SHORT, "period from to",
    "prints 1 of {period} iterations and too few in the window from {from} "
    "[to {to}|on]")
ROW(REMARK_NONE_FROM, "none-from", EXCLUDED_SHORT, "from last",
    "prints no iteration from {from} on, only up to {last}")
ROW(REMARK_TOO_COARSE, "too-coarse", EXCLUDED_SHORT, "",
    "is too coarse: what its lines print is rounded by as much as the window "
    "takes; a longer one (--train-batches=N) may do")
ROW(REMARK_BAD_STEP, "bad-step", EXCLUDED_BAD_VALUE, "place%p what%w iteration",
    "the {what} of iteration {iteration} is not a number above 0 within reason")
ROW(REMARK_BAD_SUMMARY, "bad-summary", EXCLUDED_BAD_VALUE, "place%p",
    "the figure of the whole run is not a number above 0 within reason")
ROW(REMARK_BAD_METRIC, "bad-metric", EXCLUDED_BAD_VALUE, "metric%s figure%6g",
    "--metric={metric}: {figure} is not above 0 within reason")
ROW(REMARK_NO_EPOCHS, "no-epochs", EXCLUDED_NO_EPOCH, "epoch",
    "numbers no epochs; without --epoch={epoch} it is looked at")
ROW(REMARK_NO_EPOCH, "no-epoch", EXCLUDED_NO_EPOCH, "epoch first last",
    "has no epoch {epoch}, only {first} to {last}")
ROW(REMARK_NO_STEPS, "no-steps", EXCLUDED_NO_STEPS, "",
    "no step with a time or a rate was read in it")
ROW(REMARK_NO_TIMES, "no-times", EXCLUDED_NO_STEPS, "bars",
    "its {bars} progress bars show no time yet (00:00)")
ROW(REMARK_NO_NUMBERS, "no-numbers", EXCLUDED_NO_STEPS, "",
    "numbers no iterations")
ROW(REMARK_NO_STEP_TIME, "no-step-time", EXCLUDED_NO_STEPS, "unit%s",
    "prints {unit}, from which the time of a step does not follow")
ROW(REMARK_NO_SUMMARY, "no-summary", EXCLUDED_NO_SUMMARY, "",
    "lacks the figure of the whole run, which its program prints at its end")
ROW(REMARK_NO_RUN_TIME, "no-run-time", EXCLUDED_NO_SUMMARY, "",
    "lacks the figure of the whole run's time, which its program prints at "
    "its end")
ROW(REMARK_NO_METRIC, "no-metric", EXCLUDED_NO_METRIC,
    "metric%s others%s options%s",
    "--metric={metric}: the log does not state it, nor enough to compute it[: "
    "{options}]; next to its throughput there is [{others}|nothing]")
ROW(REMARK_NO_SEQUENCE_LENGTH, "no-sequence-length", EXCLUDED_NO_BATCH, "",
    "neither an option nor the path nor the log states the tokens of a sample")
ROW(REMARK_NO_TOKENS, "no-tokens", EXCLUDED_NO_BATCH, "",
    "neither an option nor the path nor the log states the tokens of an "
    "iteration")
ROW(REMARK_NO_BATCH_SIZE, "no-batch-size", EXCLUDED_NO_BATCH, "",
    "neither an option nor the path nor the log states the batch size per "
    "device")
ROW(REMARK_NO_BATCH_OR_GPUS, "no-batch-or-gpus", EXCLUDED_NO_BATCH, "",
    "neither an option nor the path nor the log states the batch size per "
    "device and the number of GPUs")
ROW(REMARK_NO_GPUS, "no-gpus", EXCLUDED_NO_GPUS, "",
    "neither an option nor the path nor the log states the number of GPUs")
ROW(REMARK_RATE_OF_PART, "rate-of-part", EXCLUDED_NO_GPUS, "part%w",
    "prints the rate of one {part}, and neither an option nor the path nor "
    "the log states how many there are")
ROW(REMARK_RATE_SCOPE, "rate-scope", EXCLUDED_NO_GPUS, "",
    "the rate on its lines is that of one device or of all, by the program's "
    "version, and the log does not state which")
ROW(REMARK_SAME_BYTES, "same-bytes", EXCLUDED_COPY, "file%s",
    "has the same bytes as {file}, which counts")
ROW(REMARK_SAME_FIGURES, "same-figures", EXCLUDED_COPY, "file%s",
    "prints the same as {file}, which counts")
ROW(REMARK_SAME_RUN, "same-run", EXCLUDED_DOUBLE_RUN, "file%s",
    "is of the same case and run as {file}; another name, --run=N or "
    "label=path would distinguish them")

/* Hints: how to include a run, or why that is impossible */
ROW(REMARK_PASS, "pass", NULL, "options%s with%s",
    "pass {options} to include it[, with {with}]")
ROW(REMARK_PASS_FOR_ALL, "pass-for-all", NULL, "options%s",
    "pass {options} to include it (logs that differ: --map=FILE or "
    "--path=TEMPLATE)")
ROW(REMARK_PASS_OR_GLOBAL, "pass-or-global", NULL, "options%s",
    "pass {options} to include it (logs that differ: --map=FILE or "
    "--path=TEMPLATE), or --rate-scope=global if the rate is that of all")
ROW(REMARK_NO_CHOICE, "no-choice", NULL, "doubt%r",
    "every other choice of iterations is in doubt: {doubt}")
ROW(REMARK_ONE_ITERATION, "one-iteration", NULL, "", "it is one iteration")
ROW(REMARK_ONE_RECORD, "one-record", NULL, "",
    "it is one record, with the start")
ROW(REMARK_SLOWER_START, "slower-start", NULL, "", "its start is slower")
ROW(REMARK_OTHER_MEANS, "other-means", NULL, "", "its running means differ")

/* Notes */
ROW(REMARK_OF_RUNS, "of-runs", NULL, "flagged runs",
    " ({flagged} of {runs} runs)")

/* Notes: interpretation of a published table */
ROW(REMARK_GPUS_OF_EACH, "gpus-of-each", NULL, "head%s",
    "'{head}' counts the GPUs of each node: rows of several nodes have as "
    "many as those of one")
ROW(REMARK_GPUS_OF_EITHER, "gpus-of-either", NULL, "head%s",
    "'{head}' may count the GPUs of each node or of all; it is read as those "
    "of all")
ROW(REMARK_BATCH_MAY_GROW, "batch-may-grow", NULL, "",
    "the global batch may grow with the GPUs or not; rows of one batch of "
    "each device are read as alike")
ROW(REMARK_READ_AS_PRODUCT, "read-as-product", NULL, "text%s",
    "'{text}' is read as nodes times GPUs of each")
ROW(REMARK_READ_AS_ABOVE, "read-as-above", NULL, "head%s",
    "empty cells of '{head}' are read as the cell above")
ROW(REMARK_READ_AS_SPEEDS, "read-as-speeds", NULL, "heads%s",
    "read as speeds of frameworks: {heads}")
ROW(REMARK_DECIMAL_COMMA, "decimal-comma", NULL, "example%s",
    "the comma is read as the decimal mark, as in '{example}'")
ROW(REMARK_NOTHING_FOLLOWS, "nothing-follows", NULL, "read%s unread%s",
    "nothing could be checked: no cell follows from others; read as numbers: "
    "{read}[; not understood: {unread}]")
ROW(REMARK_NO_BORDERS, "no-borders", NULL, "",
    "read from text without borders between its cells")

/* Why a cell is not read; the sentence follows the cell's text */
ROW(REMARK_CELL_CONTRADICTS, "contradicts-cell", NULL, "",
    "contradicts another cell of its row")
ROW(REMARK_CELL_CONTRADICTS_CASE, "contradicts-case", NULL, "",
    "contradicts the case of its row")
ROW(REMARK_CELL_NO_COUNT, "no-count", NULL, "", "is not a count")
ROW(REMARK_CELL_NO_PRODUCT, "no-product", NULL, "",
    "is not nodes times GPUs of each")
ROW(REMARK_CELL_UNEVEN, "uneven", NULL, "",
    "does not divide the number of GPUs ('GPUs' counts those of all nodes)")
ROW(REMARK_CELL_MORE, "more-than-unit", NULL, "",
    "is followed by more than a unit")
ROW(REMARK_CELL_OTHER_UNIT, "other-unit", NULL, "",
    "has a unit of another kind than its column")
ROW(REMARK_CELL_NO_NUMBER, "no-number", NULL, "", "is no number")
ROW(REMARK_CELL_SEVERAL, "several-numbers", NULL, "", "holds several numbers")
ROW(REMARK_CELL_NO_WORD, "no-word", NULL, "", "is neither a number nor a word")
ROW(REMARK_CELL_TOO_MANY, "too-many-cells", NULL, "",
    "begins a row with more cells than the header has")

/* Source of a computed cell */
ROW(REMARK_QUOTIENT, "quotient", NULL, "scale%6g a%s b%s by%6g",
    "[{scale} x ]{a}[ / {b}][ / {by}]")
ROW(REMARK_QUOTIENT_SCALED, "quotient-scaled", NULL, "a%s scale%6g b%s",
    "{a} / ({scale} x {b})")
ROW(REMARK_PRODUCT, "product", NULL, "count%s mean%s", "{count} x {mean}")
ROW(REMARK_PART_OF, "part-of", NULL, "part%s total%6g",
    "{part} of {total} in all")
ROW(REMARK_SAMPLES_OVER, "samples-over", NULL, "samples%15g seconds%s cut%s",
    "{samples} samples / {seconds} s[; printed is {samples} / {cut} s, the "
    "time cut]")
ROW(REMARK_WORK_OVER, "work-over", NULL, "batch gpus time%s",
    "{batch} x {gpus} / {time}")
ROW(REMARK_IMPLIED, "implied", NULL, "quotient%r agree speedups",
    "{quotient}; {agree} of {speedups} speedups imply this baseline, which is "
    "not in the table")
ROW(REMARK_EXPLAINS, "explains", NULL, "cells",
    "{cells} cells that are computed with it do not follow; with this value "
    "they do")

/* Why a cell was not computed */
ROW(REMARK_NO_QUOTIENT, "no-quotient", NULL, "",
    "its baseline, or what it is a quotient of, is not in the table")
ROW(REMARK_NO_BASELINE, "no-baseline", NULL, "",
    "its baseline is not in the table")
ROW(REMARK_NO_SPEED, "no-speed", NULL, "",
    "neither a speed nor a speedup is next to it")
ROW(REMARK_NO_TIME, "no-time", NULL, "",
    "no time of it and of its baseline is in the table")
ROW(REMARK_NO_OPERANDS, "no-operands", NULL, "",
    "no two numbers of one kind come before it")
ROW(REMARK_NO_TOTAL, "no-total", NULL, "",
    "the times that it is a share of are not all there")

/* Reference that a cell was compared with */
ROW(REMARK_OVER_ONES, "over-ones", NULL, "head%s each%s",
    "'{head}' is taken to be over the row that prints 1[, for each '{each}']")
ROW(REMARK_OVER_ONES_OF_SIZE, "over-ones-of-size", NULL, "head%s",
    "'{head}' is taken to be over the row that prints 1, for each number of "
    "GPUs")
ROW(REMARK_NOT_STATED, "not-stated", NULL, "keys%s",
    "not stated, and taken to be as in the results: {keys}; --select chooses "
    "among these")
ROW(REMARK_OTHER_BASELINE, "other-baseline", NULL, "here there",
    "over {here} {here?GPU|GPUs} here, over {there} in the results")
ROW(REMARK_NO_CASE, "no-case", NULL, "", "no case of the results is of it")
ROW(REMARK_SEVERAL_CASES, "several-cases", NULL, "cases",
    "{cases} cases of the results may be meant")
ROW(REMARK_FIGURE_OF, "figure-of", NULL, "figure%w case%s file%s",
    "{figure} of {case} in {file}")

/* Why a law is not fitted */
ROW(REMARK_LAW_SIZES, "law-sizes", NULL, "law%s needed sizes",
    "{law} takes {needed} sizes, there {sizes?is|are} {sizes}")
ROW(REMARK_LAW_UNFIT, "law-unfit", NULL, "law%s",
    "{law} does not fit: the speeds follow no such law")

/* Why a case is not predicted, with the code of the prediction */
ROW(REMARK_IS_MEASURED, "is-measured", "measured", "case%s",
    "{case} is measured")
ROW(REMARK_NO_TIME_TO_TRAIN, "no-time-to-train", "metric", "",
    "time-to-train is not predicted: it mixes speed with the number of steps")
ROW(REMARK_SPEEDS_ONLY, "speeds-only", "metric", "",
    "only speeds are predicted: the result holds another metric")
ROW(REMARK_NO_MINUTES, "no-minutes", "metric", "",
    "minutes are not predicted: they mix speed with the number of steps")
ROW(REMARK_NO_BANDWIDTH, "no-bandwidth", "metric", "",
    "a bandwidth is not predicted: it is no speed of training")
ROW(REMARK_NODES_UNSTATED, "nodes-unstated", "nodes", "case%s cases%s",
    "{case} does not state how many nodes, as the cases do: write {cases}")
ROW(REMARK_NO_SUCH_ROW, "no-such-row", "gpus-per-node", "gpus",
    "no case has {gpus} {gpus?GPU|GPUs} a node")
ROW(REMARK_NO_WIDER_ROW, "no-wider-row", "gpus-per-node", "gpus",
    "no case has {gpus} GPUs a node; with --force more than any row has can be "
    "predicted, from a row with two node counts and the cases of one node")
ROW(REMARK_NODE_NOT_MEASURED, "node-not-measured", "gpus-per-node", "case%s",
    "{case} is not measured, so what the network costs is not known")
ROW(REMARK_TOO_FEW_COUNTS, "too-few-counts", "too-few", "cases nodes",
    "{cases} {cases?case|cases}[ on {nodes?one node|nodes}]; at least two "
    "different counts are needed")
ROW(REMARK_ONE_NODE_COUNT, "one-node-count", "one-node-count", "gpus nodes",
    "all cases with {gpus} {gpus?GPU|GPUs} a node have {nodes} "
    "{nodes?node|nodes}: how the network slows training is not in the data; "
    "measure one more node count, or give a benchmark of the network")
ROW(REMARK_GRADIENTS_UNKNOWN, "gradients-unknown", "one-node-count", "model%s",
    "the gradients of [{model}|an unknown model] are of unknown size: "
    "--gradient-bytes=N states what a step sends")
ROW(REMARK_SAME_COUNT, "same-count", "case-twice", "gpus nodes",
    "two cases[ with {gpus} {gpus?GPU|GPUs} a node][ on {nodes} node] have the "
    "same count")
ROW(REMARK_EFFICIENCY_RISES, "efficiency-rises", "superlinear",
    "percent%0f from to what%w",
    "efficiency rises by {percent} % from {from} to {to} {what}: these cases "
    "were not run in the same way")
ROW(REMARK_TARGET_FAR, "target-far", "too-far", "case%s times%3g most",
    "{case} is {times} times the largest measured count; at most {most} times "
    "is predicted")
ROW(REMARK_TARGET_BELOW, "target-below", "too-far", "case%s",
    "{case} is too far below the smallest measured count")
ROW(REMARK_NO_OTHER_BATCH, "no-other-batch", "transfer", "case%s",
    "no other batch size of this configuration has {case} measured, and a case "
    "in common")
ROW(REMARK_BATCHES_DIFFER, "batches-differ", "batch", "",
    "cases with different batch sizes in one series")
