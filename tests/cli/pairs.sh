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
	# A second rank says the same, a little later.
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
    print(e["reason"], e["message"])'
}

if command -v python3 >/dev/null 2>&1; then
	value --metric=time-to-train 1 >out
	printf 'min 1 2\nfailed %s\n' "result_2.txt:10: the run ended with the \
status 'aborted'" >want
	verdict "time to train, without the run that failed" cmp -s want out
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
expect b' "4:1: pattern 'b' tells no time: it needs a group at_s or at_ms"
mistake "an end without its begin" 'end b stop (?<at_s>\d+)
sample stop 3
expect b' "4:1: no 'begin' stands above 'b'"
mistake "a lap beside steps" 'hot h step (?<step_s>\d+)
begin b start (?<at_s>\d+)
lap l stop (?<at_s>\d+)
sample step 3
expect h' "6:1: a lap needs the kind step-time, and no hot pattern"
finish
