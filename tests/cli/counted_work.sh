# Work as the lines of an interval count it: MLPerf's events, a session that was
# resumed from a checkpoint, rates that contradict their line.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
x=$bindir/extract_logs
cd "$tmp" || exit 1

# mllog SECONDS KEY VALUE METADATA: a line of MLPerf's log
mllog() {
	printf ':::MLLOG {"namespace": "", "time_ms": %d, "event_type": "X", ' \
	    $((1700000000000 + $1 * 1000))
	printf '"key": "%s", "value": %s, "metadata": {"lineno": 1%s}}\n' \
	    "$2" "$3" "${4:+, $4}"
}

# head_of BENCHMARK BATCH TRAIN_SAMPLES
head_of() {
	mllog 0 submission_benchmark "\"$1\""
	mllog 0 global_batch_size "$2"
	mllog 0 train_samples "$3"
	mllog 0 run_start null
}

# figure LOG: print its figure; the flags are in r.json
figure() {
	rm -f r.json
	"$x" -q -o r.json "$@" >out 2>err
	sed -n 's/^ *"median_speed": \([^,]*\),$/\1/p' r.json
}

{
	head_of bert 100 5000000
	mllog 10 epoch_start 0 '"epoch_num": 0'
	mllog 1010 epoch_stop 2000000 '"epoch_num": 2000000'
	mllog 1010 run_stop null '"status": "success"'
} >early.log
verdict "an epoch that stops early has the samples at its stop" \
    test "$(figure early.log)" = 2000

# openfold SAMPLES_BEFORE
openfold() {
	head_of openfold 96 594595
	for k in 1 2 3 4; do
		number="\"epoch_num\": $(($1 + k * 3840))"
		mllog $((k * 500)) epoch_start null "$number"
		mllog $((k * 500 + 384)) epoch_stop null "$number"
	done
	mllog 2500 run_stop null '"status": "success"'
}
openfold 0 >numbers.log
verdict "numbers of epochs that are samples" test "$(figure numbers.log)" = 10
verdict "what is between the epochs is reported" \
    grep -q '"6.144 samples/s from the start to the end of the run: ' r.json
openfold 50000 >middle.log
verdict "of a log that begins in the middle, too" \
    test "$(figure middle.log)" = 10

{
	head_of retinanet 96 12000
	for k in 1 2 3; do
		mllog $((k * 9000)) epoch_start $k "\"epoch_num\": $k"
		mllog $((k * 9000 + 6000)) epoch_stop $k "\"epoch_num\": $k"
	done
} >batches.log
verdict "RetinaNet's train_samples are batches" \
    test "$(figure batches.log)" = 192
{
	head_of ssd 96 117266
	mllog 10 epoch_start 1 '"epoch_num": 1'
	mllog 1010 epoch_stop 1 '"epoch_num": 1'
} >samples.log
verdict "those of the older SSD are samples" \
    test "$(figure samples.log)" = 117.266

{
	head_of gpt3 1000 1228800000
	mllog 0 max_sequence_length 2048
	mllog 10 block_start null '"epoch_count": 40960000, "first_epoch_num": 0'
	mllog 110 block_stop null '"first_epoch_num": 0'
	mllog 110 block_start null \
	    '"epoch_count": 40960000, "first_epoch_num": 40960000'
	mllog 210 block_stop null '"first_epoch_num": 40960000'
} >tokens.log
verdict "GPT-3's epochs are tokens" test "$(figure tokens.log)" = 200

{
	head_of deepcam 64 100000
	for k in 1 2 3; do
		mllog $((k * 100)) epoch_start null \
		    "\"epoch_num\": $k, \"step_num\": $((k * 1000 - 1000))"
		mllog $((k * 100 + 64)) epoch_stop null \
		    "\"epoch_num\": $k, \"step_num\": $((k * 1000))"
	done
} >steps.log
verdict "steps and their batch go before train_samples" \
    test "$(figure steps.log)" = 1000
{
	head_of stable 64 100000
	for k in 1 2 3; do
		before=$((k * 1000 - 1000)) after=$((k * 1000))
		mllog $((k * 100)) block_start null \
		    "\"samples_count\": $before, \"step_num\": $before"
		mllog $((k * 100 + 64)) block_stop null \
		    "\"samples_count\": $after, \"step_num\": $after"
	done
} >count.log
verdict "a count of samples that counts steps" test "$(figure count.log)" = 1000
verdict "is reported with both numbers" grep -q \
    '"its events count 1000 samples, but 1000 steps of 64 samples: ' r.json

{
	head_of dlrm 64 100000000
	mllog 10 epoch_start null '"epoch_num": 0'
	mllog 1010 epoch_stop null '"epoch_num": 0.75'
} >part.log
verdict "an epoch that stops within" test "$(figure part.log)" = 75000

{
	head_of stable_diffusion 100 6000000
	for k in 0 1 2 3; do
		rate=1000
		test $k -gt 0 || rate=10
		mllog $((k * 100)) tracked_stats "{\"throughput\": $rate}" \
		    "\"step_num\": $((k * 500))"
	done
} >warm.log
verdict "a record at step 0 is one step" \
    awk -v v="$(figure warm.log)" 'BEGIN { exit !(v > 930 && v <= 1000) }'
{
	head_of stable_diffusion 100 6000000
	for k in 1 2 3 4; do
		mllog $((k * 500)) tracked_stats \
		    '{"throughput": 1000, "train_step_time": 1.0}' \
		    "\"step_num\": $((k * 500))"
	done
} >two.log
figure two.log >got
verdict "MLPerf: a rate that its time and batch contradict" \
    grep -q 'time and batch give 100 samples/s"' r.json

# Transformers: 600 of 800 steps in this session, 100 s, 4 samples each.
resumed() { # STEPS_PER_SECOND
	echo '  Total train batch size (w. parallel, distributed & accumulation) = 4'
	echo '  Total optimization steps = 800'
	echo '  Continuing training from global step 200'
	echo "{'train_runtime': 100.0, 'train_samples_per_second': $1," \
	    "'train_steps_per_second': 1, 'epoch': 1.0}"
}
resumed 32 >all.log
verdict "a rate that counts steps of another session" \
    test "$(figure all.log)" = 24
verdict "is reported" grep -q \
    'resumed after step 200: 600 of 800 steps were counted, the log.s own figure is 32' \
    r.json
resumed 24 >own.log
verdict "one that counts its own steps stays" test "$(figure own.log)" = 24

awk 'BEGIN {
	print "[config.py:1003:print]   train_batch_size ............. 320"
	for (i = 10; i <= 200; i += 10)
		printf "steps: %d loss: 9.5 iter time (s): 1.000 " \
		    "samples/sec: 32.000\n", i
}' >pipeline.log
figure pipeline.log >got
verdict "DeepSpeed: a rate that its time and batch contradict" \
    grep -q 'time and batch give 320 samples/s"' r.json

# By the clock of the lines, 10 steps take 10 s; they print 1 s or 2.5 s a step.
stamped() { # STEP_SECONDS
	awk -v t="$1" 'BEGIN {
		print "[config.py:1003:print]   train_batch_size ............. 320"
		for (i = 10; i <= 200; i += 10)
			printf "[2025-01-02 15:%02d:%02d,500] [INFO] steps: %d " \
			    "loss: 9.5 iter time (s): %.3f samples/sec: %.3f\n",
			    46 + int(i / 60), i % 60, i, t, 320 / t
	}'
}
stamped 2.5 >clock.log
verdict "what is printed stays" test "$(figure clock.log)" = 128
verdict "a step that lasts longer than the clock allows" grep -q \
    '"a step takes 1 s by the clock of the lines, but 2.5 s by the printed values: ' \
    r.json
stamped 1 >clock.log
figure clock.log >got
verdict "one that lasts as long is not reported" \
    sh -c '! grep -q "by the clock" r.json'
# A header's clock applies to the next line: 20 s and 16384 tokens a step.
awk 'BEGIN {
	print "global_train_batch_size: 8\nmax_sequence_length: 2048"
	for (i = 1; i <= 130; i++)
		printf "2025-01-02 %02d:%02d:%02d.500\thost:0\tolmo.train:9\t" \
		    "INFO\t[step=%d/2500,epoch=0]\n    throughput/total_tokens=" \
		    "%d\n    throughput/device/tokens_per_second=409.6\n",
		    10 + int(i / 180), int(i / 3) % 60, i % 3 * 20, i, i * 16384
}' >olmo.log
test "$(figure --gpus=2 olmo.log)" = 819.2
verdict "OLMo on as many devices as it has" \
    sh -c '! grep -q "by the clock" r.json'
figure --gpus=8 olmo.log >got
verdict "on others" grep -q \
    '"a step takes 20 s by the clock of the lines, but 5 s by the printed values: ' \
    r.json
# Without a batch, only the total of tokens contradicts the number of devices.
grep -v '_batch_size\|_length' olmo.log >total.log
figure --gpus=2 total.log >got
verdict "a total of tokens that grows at the measured rate" \
    sh -c '! grep -q "the printed total" r.json'
figure --gpus=8 total.log >got
verdict "one that grows at another" grep -q \
    'grows by 819.2 tokens/s by the clock of the lines, but by 3277 by the' \
    r.json
# Evaluations fill the head, as in one long epoch: the rate at the end of the
# log shows which of MLPerf's formats it is.
{
	head_of rgat 4096 1000000
	i=0
	while test $((i += 1)) -le 3000; do
		mllog "$i" eval_accuracy 0.5 '"epoch_num": 0.1'
	done
	mllog 3500 tracked_stats '{"throughput": 308041.5}' '"epoch_num": 1'
	mllog 3600 run_stop null '"status": "success"'
} >late.log
verdict "the only rate stands at the end of a long log" \
    test "$(figure late.log)" = 308041.5
figure --gpus=2 olmo.log >got
verdict "a session begins and ends with the first and the last step" eval '
    tr -d " \n" <r.json | grep -qF "\"started\":\"2025-01-0210:00:20.500\",\
\"ended\":\"2025-01-02T10:43:20\""'
finish
