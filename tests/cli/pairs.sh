# Events in pairs: the time of a run and of its epochs.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
x=$bindir/extract_logs
cd "$tmp" || exit 1

event() { # time key metadata
	printf ':::MLLOG {"namespace": "", "time_ms": %s, "key": "%s", ' "$1" "$2"
	printf '"value": %s, "metadata": {"file": "x.py"%s}}\n' "${4:-null}" "$3"
}

run() { # seconds status
	event 0 train_samples '' 1000
	event 1000 run_start ''
	# A second rank prints the same event a little later.
	event 1001 run_start ''
	event 2000 block_start ', "first_epoch_num": 1, "epoch_count": 2'
	event 2000 epoch_start ', "epoch_num": 1'
	event 12000 epoch_stop ', "epoch_num": 1'
	event 12500 epoch_start ', "epoch_num": 2'
	event 17500 epoch_stop ', "epoch_num": 2'
	event 30000 block_stop ', "first_epoch_num": 1'
	event "$((1000 + $1 * 1000))" run_stop ", \"status\": \"$2\""
}
mkdir 1 2
run 60 success >1/result_0.txt
run 120 success >1/result_1.txt
run 30 aborted >1/result_2.txt

value() { # options and logs
	"$x" -q -o - "$@" 2>err | python3 -c '
import json, sys
r = json.load(sys.stdin)
for c in r["cases"]:
    print(c["unit"], *["%.10g" % x["value"] for x in c["runs"]])
for e in r["excluded"]:
    print(e["reason"], e["why"]["text"])'
}

if command -v python3 >/dev/null 2>&1; then
	value --metric=time-to-train 1 >out
	printf 'min 1 2\nfailed %s\n' "result_2.txt:10: the run ended with the \
status 'aborted'" >want
	verdict "time to train, without the run that failed" cmp -s want out
	"$x" -q --metric=time-to-train --nodes=1 --gpus-per-node=8 \
	    -o failed.json 1 >/dev/null 2>&1
	verdict "which counts as the slowest of three" eval \
	    'grep -q "1 of 3 runs failed and counts as the slowest" failed.json &&
	    grep -q "\"median_speed\": 2," failed.json &&
	    grep -q "\"median_high\": null" failed.json'
	verdict "and reads back" eval '"$bindir/report_results" failed.json \
	    >/dev/null && "$bindir/plot_results" --format=gp -o failed \
	    failed.json >/dev/null'
	# 2000 samples in 10 + 5 seconds: the epochs, not the block
	value 1/result_0.txt >out
	echo 'samples/s 133.3333333' >want
	verdict "the rate is that of the epochs" cmp -s want out
	grep -v epoch_st 1/result_0.txt >2/result_0.txt
	value 2 >out
	# 2000 samples in 28 seconds
	echo 'samples/s 71.42857143' >want
	verdict "blocks where there are no epochs" cmp -s want out
	{
		event 1000 block_start ', "samples_count": 100'
		event 3000 block_stop ', "samples_count": 400'
		event 4000 block_start ', "samples_count": 400'
		event 6000 block_stop ', "samples_count": 900'
	} >2/result_0.txt
	value 2 >out
	echo 'samples/s 200' >want
	verdict "samples that the events count" cmp -s want out
	# An end that repeats the count of its begin has no samples, and not
	# those of an epoch either; a begin with a smaller count is ignored.
	{
		event 900 train_samples '' 1000
		for i in 1 2 3 4 5; do
			event ${i}1000 block_start ", \"samples_count\": ${i}00"
			event ${i}3000 block_stop ", \"samples_count\": ${i}00"
		done
	} >2/result_0.txt
	refuse "samples that no one counts" 4 '*' "$x" -o none 2
	{
		event 1000 block_start ', "samples_count": 0'
		event 3000 block_stop ', "samples_count": 400'
		event 4000 block_start ', "samples_count": 50'
		event 6000 block_stop ', "samples_count": 900'
	} >2/result_0.txt
	value 2 >out
	echo 'samples/s 225' >want
	verdict "a count that fell back" cmp -s want out
	# Events far from both ends of a log that has nothing else, between the
	# lines of another program; and formats of rounds 0.5 and 0.6.
	noise() { awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++)
		print "a line of forty bytes without a number" }'; }
	{
		noise 9000
		event 1000 run_start ''
		event 91000 run_stop ', "status": "success"'
		noise 9000
	} >2/result_0.txt
	{
		echo 'eta: 0:05:00  iter: 20  loss: 2.1 (3.6)  time: 0.1 (0.4)  data: 0.001 (0.06)  lr: 0.003  max mem: 1'
		echo ':::MLL 100.5 run_start: {"value": null}'
		echo 'Total training time: 0:02:00 (0.1 s / it)'
		echo ':::MLL 250.5 run_stop: {"value": null, "metadata": {"status": "success"}}'
		echo 'eta: 0:04:00  iter: 40  loss: 2.1 (3.6)  time: 0.1 (0.4)  data: 0.001 (0.06)  lr: 0.003  max mem: 1'
		echo 'Total training time: 0:02:00 (0.1 s / it)'
	} >2/result_1.txt
	{
		echo ':::MLPv0.5.0 ncf 100.5 (x.py:4) run_start'
		echo ':::MLPv0.5.0 ncf 280.5 (x.py:9) run_stop: {"success": true}'
	} >2/result_2.txt
	sed 's/true/false/' 2/result_2.txt >2/result_3.txt
	value --metric=time-to-train 2 | cut -c -40 >out
	cat >want <<-'END'
	min 1.5
	min 3
	min 2.5
	failed result_3.txt:2: the run ended wit
	END
	verdict "wherever they stand, in any round's form, before sums" \
	    cmp -s want out

	# A program that does not print the time of the whole run.
	bar() {
		for i in 0 1 2 3 4 5 6 7; do
			echo "Epoch: [0]  [$i/8]  eta: 0:00:01  lr: 0.1  loss: 1.0 (1.0)  time: 0.5  data: 0.1  max mem: 1"
		done
	}
	rm 2/*
	{
		event 1000 run_start ''
		bar
		event 61000 run_stop ', "status": "success"'
	} >2/result_0.txt
	sed 's/success/aborted/' 2/result_0.txt >2/result_1.txt
	{
		bar
		printf '\nreal\t4m0.000s\nuser\t0m1.0s\n'
	} >2/result_2.txt
	value --metric=time-to-train 2 | cut -c -40 >out
	cat >want <<-'END'
	min 1 4
	failed result_1.txt:10: the run ended wi
	END
	verdict "another format's time of the run" cmp -s want out
	"$x" -q -o - --metric=time-to-train 2/result_2.txt 2>err |
	    grep -q 'its time is that of wall-clock'
	verdict "and the run states so" test $? -eq 0
	refuse "not where the format is reported" 4 '*whole run*' "$x" -o none \
	    --metric=time-to-train --log-format=torchvision-references 2

	# A benchmark of collectives before the training.
	{
		echo '# Collective test starting: all_reduce_perf'
		echo '    33554432       2097152    double    none      -1  1282.93   26.15   13.08       0  1266.72   26.49   13.24    N/A'
		echo '# Avg bus bandwidth    : 13.16'
		event 1000 run_start ''
		event 1000 train_samples '' 600
		for i in 1 2 3 4 5 6; do
			event ${i}1000 epoch_start ", \"epoch_num\": $i"
			event ${i}7000 epoch_stop ", \"epoch_num\": $i"
		done
		event 91000 run_stop ', "status": "success"'
	} >2/result_0.txt
	value --rule=all 2/result_0.txt >out
	echo 'samples/s 100' >want
	verdict "a benchmark that ran before steps back" cmp -s want out
fi

head='name t
description d
kind step-time
'
mistake() { # name text message
	printf '%s%s\n' "$head" "$2" >t.format
	"$x" --format-dir . --check-formats >out 2>err
	verdict "$1" grep -qF "t.format:$3" err
}
mistake "an event without a time" 'begin b start (?<iter>\d+)
sample start 3
expect b' "4:1: pattern 'b' captures no time: it needs a group at_s or at_ms"
mistake "an end without its begin" 'end b stop (?<at_s>\d+)
sample stop 3
expect b' "4:1: there is no 'begin' above 'b'"
mistake "an interval next to steps" 'step h step (?<step_s>\d+)
begin b start (?<at_s>\d+)
interval l stop (?<at_s>\d+)
sample step 3
expect h' "6:1: an interval needs the kind step-time, and no step pattern"
finish
