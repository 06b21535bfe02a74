# Reports of the allreduces of two processes: lines, roll-ups, sizes, and files
# for trace viewers.
. "$top_srcdir/tests/lib.sh"

program=$bindir/train_imagenet
two="$bindir/tests/run-mpi $program"
small="--dummy --device=$fast_device --threads=1 --image-size 32 -b 2 -a resnet18
    --classes 10 --epochs 1 --val-batches 0 --lr 0.01"
ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}
export ASAN_OPTIONS
lines() { grep "^dlscale: $1 " "$2"; }
count() { test "$(lines "$1" "$2" | wc -l)" -eq "$3"; }

if "$program" $small --backend=mpi --batches-per-epoch 1 >"$tmp/out" 2>&1 &&
    $two $small --batches-per-epoch 6 --comm-trace=3 --bucket=4 \
	--timeline "$tmp/h.json" >"$tmp/log" 2>"$tmp/err"; then :; else
	skip "two ranks" "no MPI, or no launcher works: $(tail -n 1 "$tmp/err")"
	finish
	exit
fi
# Means of a run of 12 steps: related values must add up.
run_means() {
	cat "$1"
	awk '
	function get(key) {
		match($0, " " key "=[^ ]*")
		return substr($0, RSTART + length(key) + 2,
		    RLENGTH - length(key) - 2) + 0
	}
	function near(a, b) { return a - b <= 1e-4 * b && b - a <= 1e-4 * b }
	/^dlscale: summary / { mean = get("step_ms_mean") / 1000 }
	/^dlscale: run_phases / {
		steps = get("steps")
		bytes = get("bytes_per_step") * steps
		busy = get("busy_s") * steps
		n = get("per_step") * steps
		bad = !near(get("step_s"), mean) || steps != 7 ||
		    get("skipped") != 5 || get("exposed_s") > get("step_s") ||
		    get("data_s") > get("step_s")
		phases++
	}
	/^dlscale: run_bucket / {
		if (get("bucket") != number++) bad = 1
		if (get("ready_s") > get("start_s")) bad = 1
		sum += get("bytes") * get("steps")
		took += get("duration_s") * get("steps")
		events += get("steps")
	}
	/^dlscale: run_times / {
		times++
		# The mean is that of the 7 steps after the warm-up.
		if (get("processes") != 2 || get("real_s") < mean * 7 ||
		    get("user_s") <= 0 || get("sys_s") <= 0)
			bad = 1
	}
	/^dlscale: run_network .* interfaces=/ { network++ }
	END {
		print bad, bytes, sum, busy, took, n, events
		exit bad || phases != 1 || times != 1 || network != 1 ||
		    !near(bytes, sum) || !near(busy, took) || !near(n, events) ||
		    number < 1
	}' "$1"
}
buckets=$(sed -n 's/.* buckets=\([0-9]*\) .*/\1/p' "$tmp/log")
verdict "a line for each allreduce of steps 3 and 6 on both ranks" \
    count collective "$tmp/log" $((2 * 2 * buckets))
verdict "and one for each step and rank" count collectives "$tmp/log" 4
verdict "the lines add up, in order" awk '
	function get(key) {
		match($0, " " key "=[^ ]*")
		return substr($0, RSTART + length(key) + 2,
		    RLENGTH - length(key) - 2) + 0
	}
	function bad(what) { print what ": " $0; failed = 1 }
	/^dlscale: collective / {
		i = get("rank") " " get("step")
		if (get("bucket") != n[i]++) bad("bucket")
		if (get("ready_us") > get("start_us") + 0.2) bad("ready")
		if (get("start_us") + 0.2 < end[i]) bad("start")
		end[i] = get("start_us") + get("duration_us")
		bytes[i] += get("bytes")
		busy[i] += get("duration_us")
		gb = get("bytes") / get("duration_us") / 1000
		if (get("algorithm_gb_per_s") / gb > 1.001 ||
		    get("algorithm_gb_per_s") / gb < 0.999) bad("rate")
		# Of two ranks the factor is 1.
		if (get("bus_gb_per_s") != get("algorithm_gb_per_s")) bad("bus")
	}
	/^dlscale: collectives / {
		i = get("rank") " " get("step")
		if (get("n") != n[i] || get("bytes") != bytes[i]) bad("sum")
		d = get("busy_us") - busy[i]
		if (d * d > 4) bad("busy")
		# 11,181,642 weights and some gaps.
		if (bytes[i] < 4 * 11181642 || bytes[i] > 4.1 * 11181642)
			bad("bytes")
		seen++
	}
	END { exit failed || seen != 4 }' "$tmp/log"
verdict "sizes of all steps" awk -v want=$((6 * buckets)) '
	/^dlscale: collectives_by_size / {
		match($0, " n=[0-9]*")
		n += substr($0, RSTART + 3, RLENGTH - 3)
		match($0, "share=.*")
		share += substr($0, RSTART + 6)
	}
	END {
		print n, "of", want, share
		exit n != want || share < 0.999 || share > 1.001
	}' "$tmp/log"
if $two $small --batches-per-epoch 2 >"$tmp/log" 2>&1; then
	verdict "sizes also without the option, the rest not" sh -c '
		grep -q "^dlscale: collectives_by_size " "$1" &&
		    ! grep -q "^dlscale: collectives\{0,1\} " "$1"' - "$tmp/log"
	for more in "" "--fusion=horovod" "--fusion=tensor --compression=fp16"; do
		$two $small --batches-per-epoch 12 $more >"$tmp/log" 2>&1
		verdict "means of the run: ${more:-ddp}" run_means "$tmp/log"
	done
	$two $small --batches-per-epoch 2 --clock=fake >"$tmp/log" 2>&1
	verdict "no means with the fake clock" sh -c \
	    '! grep "^dlscale: run_" "$1"' - "$tmp/log"
	verdict "none with the fake clock" \
	    count collectives_by_size "$tmp/log" 0
fi
"$program" $small --batches-per-epoch 2 --comm-trace >"$tmp/log" 2>&1
verdict "one process has none" sh -c \
    'grep -q "^dlscale: summary" "$1" && ! grep -q collective "$1"' - "$tmp/log"
verdict "nor buckets, but means of its steps" sh -c '
	grep "^dlscale: run_phases steps=2 skipped=0 step_s=[^ ]* data_s=[^ ]*\$" \
	    "$1" && ! grep "^dlscale: run_bucket" "$1"' - "$tmp/log"

if command -v python3 >/dev/null 2>&1; then
	verdict "Horovod's timeline" python3 -c '
import json, sys
events = json.load(open(sys.argv[1]))
buckets = int(sys.argv[2])
open_, done, names = {}, 0, set()
for e in events:
    if e["ph"] == "B":
        open_.setdefault(e["pid"], []).append(e)
        names.add(e["name"])
    elif e["ph"] == "E":
        b = open_[e["pid"]].pop()
        assert b["ts"] <= e["ts"], (b, e)
        if "args" in e:
            assert b["name"] == "ALLREDUCE" and not open_[e["pid"]]
            assert e["args"]["dtype"] == "float32"
            done += 1
assert done == 6 * buckets, done
assert names == {"ALLREDUCE", "QUEUE", "MPI_ALLREDUCE"}, names
assert sum(e["name"] == "CYCLE_START" for e in events if "name" in e) == 6
' "$tmp/h.json" "$buckets"
	$two $small --batches-per-epoch 3 --timeline "$tmp/c.json" \
	    --timeline-format=chrome >"$tmp/log" 2>&1
	verdict "Chrome's trace events" python3 -c '
import json, sys
events = json.load(open(sys.argv[1]))
steps = [e for e in events if e.get("cat") == "step"]
collectives = [e for e in events if e.get("cat") == "collective"]
assert len(steps) == 3 and len(collectives) % 3 == 0 and collectives
for s in steps:
    inside = [e for e in collectives if s["ts"] <= e["ts"] <
        s["ts"] + s["dur"] + 0.01]
    assert len(inside) == len(collectives) // 3, (s, len(inside))
    assert sum(e["args"]["bytes"] for e in inside) == s["args"]["bytes"]
' "$tmp/c.json"
	$two $small --batches-per-epoch 2 --timeline "$tmp/f.json" \
	    --compression=fp16 >"$tmp/log" 2>&1
	verdict "fp16 is reported as such" python3 -c '
import json, sys
n = 0
for e in json.load(open(sys.argv[1])):
    if "dtype" in e.get("args", {}):
        assert e["args"]["dtype"] == "float16"
        n += int(e["args"]["shape"][1:-1])
assert 2 * 11181642 <= n < 2.1 * 11181642, n' "$tmp/f.json"
	$two $small --batches-per-epoch 100000 --timeline "$tmp/k.json" \
	    >"$tmp/log" 2>&1 &
	job=$!
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		sleep 0.5
		if test "$(grep -c '^Epoch' "$tmp/log")" -ge 4; then break; fi
	done
	pkill -KILL -P $job
	wait $job
	verdict "the timeline of a killed run is JSON" python3 -c '
import json, sys
assert any(e.get("name") == "MPI_ALLREDUCE" for e in
    json.load(open(sys.argv[1])))' "$tmp/k.json"
else
	skip "timelines" "no python3"
fi
refuse "a timeline that cannot be written" 3 "train_imagenet: cannot write \
timeline '$tmp/no/such': No such file or directory" \
    "$program" $small --batches-per-epoch 1 --timeline "$tmp/no/such"
refuse "a form of timeline that is not known" 2 "train_imagenet: \
--timeline-format: 'perfetto' is not one of *" \
    "$program" $small --timeline-format=perfetto
finish
