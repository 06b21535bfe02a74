# Communication in training logs and timelines, through extract_logs,
# report_results and plot_results.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
x=$bindir/extract_logs
top=$(cd "$top_srcdir" && pwd)
cd "$tmp" || exit 1
flat() { tr -d ' \n' <"$1" >flat; }

# --- Our trainer's log ---------------------------------------------------------
mkdir -p runs/1n2g
log() { # time of the first bucket
	cat <<EOF
dlscale: config version=0.1.0 model=resnet50 parameters=25557032 image=224 classes=1000 device=cpu precision=fp32 batch_per_device=16 devices=2 nodes=1 images=dummy train_images=1281167
EOF
	for i in 1 2 3 4 5 6 7 8 9 10; do
		printf 'Epoch: [0][ %2d/10]\tTime  0.500 ( 0.500)\tData  0.001 ( 0.001)\tLoss 6.9e+00 (6.9e+00)\tAcc@1   0.00 (  0.00)\tAcc@5   0.00 (  0.00)\n' $i
		for rank in 0 1; do
			echo "dlscale: collective step=$i rank=$rank bucket=0 op=allreduce backend=mpi tensors=2 bytes=8000000 ready_us=1.0 start_us=2.0 duration_us=$1 algorithm_gb_per_s=1 bus_gb_per_s=1"
			echo "dlscale: collective step=$i rank=$rank bucket=1 op=allreduce backend=mpi tensors=9 bytes=30000000 ready_us=9.0 start_us=9000.0 duration_us=15000.0 algorithm_gb_per_s=2 bus_gb_per_s=2"
		done
	done
	cat <<EOF
dlscale: collectives_by_size size=(1MB,10MB] n=10 mean_mib=7.6294 mean_rate_mibit_per_s=9876.5 rate_mibit_per_s=7629.4 total_s=0.08 mean_ms=8 share=0.3478
dlscale: collectives_by_size size=(20MB,30MB] n=10 mean_mib=28.61 mean_rate_mibit_per_s=15258.7890625 rate_mibit_per_s=15258.8 total_s=0.15 mean_ms=15 share=0.6522
EOF
}
log 8000.0 >runs/1n2g/resnet50_b16_fp32_1.log
log 10000.0 >runs/1n2g/resnet50_b16_fp32_2.log
"$x" -q -o r.json --skip-iterations=2 --warmup-batches=0 --train-batches=6 \
    runs >out 2>err
verdict "a run with its collectives" test $? -eq 0
flat r.json
verdict "the sums of the first process are one member a size" grep -qF \
    '{"collective":"allreduce","kind":"traced","bytes":8000000,"count":10,'\
'"time_s":0.008,"algorithm_gb_per_s":1,"bus_gb_per_s":1,"line":3' flat
verdict "and the other size" grep -qF \
    '"kind":"traced","bytes":30000000,"count":10,"time_s":0.015,' flat
verdict "all by size" grep -qE \
    '"kind":"by-size","bytes":80000[.0-9]*,"count":10,"time_s":0.008,'\
'"algorithm_gb_per_s":1\.0000[0-9]*,"bus_gb_per_s":1\.0000[0-9]*,' flat
verdict "the speed is still that of the steps" grep -qF \
    '"median_speed":64' flat
"$x" --explain runs/1n2g/resnet50_b16_fp32_1.log >explained 2>&1
verdict "--explain names them" grep -q 'by-size.*messages=10' explained

# --- Horovod's timeline --------------------------------------------------------
# Tensors 1 and 2 are fused: 3,000 floats in 8 us; tensor 3, in fp16, is not.
cat >timeline.json <<'EOF'
[
{"ph": "i", "name": "CYCLE_START", "ts": 1, "s": "g"},
{"name": "process_name", "ph": "M", "pid": 1, "args": {"name": "grad/a"}},
{"ph": "B", "name": "NEGOTIATE_ALLREDUCE", "ts": 10, "pid": 1},
{"ph": "X", "name": "0", "ts": 10, "pid": 1, "dur": 0},
{"ph": "X", "name": "3", "ts": 11, "pid": 1, "dur": 0},
{"ph": "E", "ts": 12, "pid": 1},
{"ph": "B", "name": "ALLREDUCE", "ts": 20, "pid": 1},
{"ph": "B", "name": "ALLREDUCE", "ts": 21, "pid": 2},
{"ph": "B", "name": "MEMCPY_IN_FUSION_BUFFER", "ts": 22, "pid": 1},
{"ph": "B", "name": "MEMCPY_IN_FUSION_BUFFER", "ts": 23, "pid": 2},
{"ph": "E", "ts": 30, "pid": 1},
{"ph": "E", "ts": 31, "pid": 2},
{"ph": "B", "name": "NCCL_ALLREDUCE", "ts": 32, "pid": 1},
{"ph": "B", "name": "NCCL_ALLREDUCE", "ts": 33, "pid": 2},
{"ph": "E", "ts": 39, "pid": 1},
{"ph": "E", "ts": 40, "pid": 2},
{"ph": "E", "ts": 50, "pid": 1, "args": {"dtype": "float32", "shape": "[2, 1000]"}},
{"ph": "B", "name": "ALLREDUCE", "ts": 51, "pid": 3},
{"ph": "E", "ts": 51, "pid": 2, "args": {"dtype": "float32", "shape": "[1000]"}},
{"ph": "B", "name": "NCCL_ALLREDUCE", "ts": 52, "pid": 3},
{"ph": "E", "ts": 62, "pid": 3},
{"ph": "E", "ts": 63, "pid": 3, "args": {"dtype": "float16", "shape": "[500]"}},
{"ph": "B", "name": "ALLREDUCE", "ts": 70, "pid": 3},
{"ph": "B", "name": "NCCL_ALLREDUCE", "ts": 72, "pid": 3},
{"ph": "E", "ts": 92, "pid": 3},
{"ph": "E", "ts": 93, "pid": 3, "args": {"dtype": "float16", "shape": "[500]"}},
{"ph": "B", "name": "ALLREDUCE", "ts": 99, "pid": 3},
{"ph": "B", "name": "NCCL_ALLREDUCE", "ts": 99,
EOF
"$x" -q --nodes=4 --gpus-per-node=1 -o t.json timeline.json >out 2>err
verdict "Horovod's timeline is usable" test $? -eq 0
flat t.json
# 12,000 bytes in 8 us are 1.5 GB/s; the bus factor of 4 ranks is 1.5.
verdict "what was fused is one response" grep -qF \
    '"kind":"response","bytes":12000,"count":1,"time_s":8e-06,'\
'"algorithm_gb_per_s":1.5,"bus_gb_per_s":2.25,' flat
# 2,000 bytes in 10 and 20 us; the mean of 0.1 and 0.05 GB/s would be 0.075.
verdict "what is alone, twice, in halves" grep -qE \
    '"kind":"response","bytes":1000,"count":2,"time_s":1\.5[0-9e-]*5,'\
'"algorithm_gb_per_s":0\.066666[0-9]*,' flat
# train_imagenet's timeline has no negotiation but states the number of ranks.
{
	echo '['
	echo '{"name": "process_name", "ph": "M", "pid": 0, "args": {"start_time_since_epoch_in_micros":1763689000000000, "framework": "dlscale", "version": "0.1.0", "ranks": 4}},'
	sed 1d timeline.json | grep -v '"ph": "X"'
} >timeline-own.json
"$x" -q -o t.json timeline-own.json >out 2>err
flat t.json
verdict "our own timeline has bus bandwidths" grep -qE \
    '"kind":"response","bytes":12000,"count":1,"time_s":8e-06,'\
'"algorithm_gb_per_s":1.5,"bus_gb_per_s":2.25,' flat

# Five steps of 1 ms: tensors 1 and 2 fused, 3 alone; all fused in the middle
# step. The first and the last are incomplete. 12,000 bytes are ready 841 us
# after the previous step and take 40 us; 1,000 bytes 941 us and 50 us.
begin() { # at tensor name
	echo "{\"ph\": \"B\", \"name\": \"$3\", \"ts\": $(($1)), \"pid\": $2},"
}
end() { # at tensor [shape type]
	if test $# -eq 2; then
		echo "{\"ph\": \"E\", \"ts\": $(($1)), \"pid\": $2},"
	else
		echo "{\"ph\": \"E\", \"ts\": $(($1)), \"pid\": $2, \"args\": {\"dtype\": \"$4\", \"shape\": \"$3\"}},"
	fi
}
tensors() { # base from to tensor...
	base=$1 from=$2 to=$3
	shift 3
	for t; do begin "$base + $from - 10 + $t / 2" "$t" ALLREDUCE; done
	for t; do begin "$base + $from" "$t" NCCL_ALLREDUCE; done
	for t; do end "$base + $to" "$t"; done
	for t; do
		case $t in
		1) end "$base + $to + 1" 1 '[2, 1000]' float32 ;;
		2) end "$base + $to + 1" 2 '[1000]' float32 ;;
		3) end "$base + $to + 1" 3 '[500]' float16 ;;
		esac
	done
}
{
	echo '['
	for step in 0 1 2 3 4; do
		if test $step -eq 2; then
			tensors $((step * 1000)) 170 260 3 1 2
		else
			tensors $((step * 1000)) 110 150 1 2
			tensors $((step * 1000)) 210 260 3
		fi
	done
} >timeline-steps.json
"$x" -q --nodes=2 --gpus-per-node=1 -o t.json timeline-steps.json >out 2>err
flat t.json
verdict "steps between allreduces: phases" grep -qE \
    '"phases":\{"step_s":0\.001,"data_s":null,"busy_s":(9|8\.9{9,})e-05,"exposed_s":null,"bytes_per_step":13000,' \
    flat
verdict "... and the buckets that most steps have" grep -qF \
    '"buckets":[{"bytes":12000,"ready_s":0.000841,"start_s":0.00085,"duration_s":4e-05},{"bytes":1000,"ready_s":0.000941,"start_s":0.00095,"duration_s":5e-05}]' \
    flat
"$x" -q --nodes=4 --gpus-per-node=1 -o t.json timeline.json >out 2>err
flat t.json
verdict "two steps are none that is whole" grep -qv '"phases"' flat

# The corpus: the responses have the total bytes of the tensors, and each
# tensor is in one response.
corpus=${DLSCALE_CORPUS:-$top/../shared/corpus}/horovod-timeline
if test -d "$corpus" && command -v python3 >/dev/null 2>&1; then
	"$x" -q --nodes=1 --gpus-per-node=2 -o h.json "$corpus" >out 2>err
	verdict "a real timeline, added up another way" python3 -c '
import json, math, sys
want = 0
for line in open(sys.argv[1]):
    line = line.strip().rstrip(",")
    if "dtype" in line:
        shape = json.loads(json.loads(line)["args"]["shape"])
        want += 4 * math.prod(shape)
got = json.load(open(sys.argv[2]))["cases"][0]["runs"][0]["collectives"]
total = sum(c["bytes"] * c["count"] for c in got)
assert total == want, (total, want)
assert len(got) > 3
# A step has each tensor once.
names = {}
for line in open(sys.argv[1]):
    line = line.strip().rstrip(",")
    if "dtype" in line:
        event = json.loads(line)
        names[event["pid"]] = 4 * math.prod(json.loads(event["args"]["shape"]))
run = json.load(open(sys.argv[2]))["cases"][0]["runs"][0]
assert run["phases"]["bytes_per_step"] == sum(names.values())
assert sum(b["bytes"] for b in run["buckets"]) == sum(names.values())' "$corpus/horovod_timeline.json" h.json
else
	skip "a real timeline" "no corpus or no python3"
fi

# --- Chrome's form -------------------------------------------------------------
{
	echo '['
	echo '{"name": "process_name", "ph": "M", "pid": 0, "args": {"name": "rank 0", "ranks": 2, "version": "0.1.0"}}'
	for i in 1 2 3 4 5 6 7 8 9; do
		cat <<EOF
,{"name": "allreduce", "cat": "collective", "ph": "X", "ts": ${i}2000.000, "dur": 4000.000, "pid": 0, "tid": 2, "args": {"step": $i, "bucket": 0, "backend": "mpi", "tensors": 2, "dtype": "float32", "bytes": 4000000, "ranks": 2, "algorithm_gb_per_s": 1, "bus_gb_per_s": 1}}
,{"name": "step $i", "cat": "step", "ph": "X", "ts": ${i}0000.000, "dur": 10000.000, "pid": 0, "tid": 0, "args": {"step": $i, "bytes": 4000000, "busy_us": 4000.000, "exposed_us": 1.000}}
EOF
	done
	echo ']'
} >chrome.trace.json
"$x" -q -o c.json --skip-iterations=1 --warmup-batches=0 --train-batches=6 \
    chrome.trace.json >out 2>err
verdict "Chrome's trace events are usable" test $? -eq 0
flat c.json
verdict "steps and sums of it" grep -qE \
    '"median_speed":100,.*"kind":"traced","bytes":4000000,"count":9,'\
'"time_s":0\.004,' flat

# --- Tables and charts ---------------------------------------------------------
# Published for VGG-16 with fusion: 400 responses of 392 MiB took 197.31 s, 400
# of 64 MiB 32.27 s, at 9537.35 and 9536.13 Mibit/s.
{
	sed '/collective/d' runs/1n2g/resnet50_b16_fp32_1.log
	cat <<'EOF'
dlscale: collectives_by_size size=(60MB,70MB] n=400 mean_mib=64 mean_rate_mibit_per_s=9536.13 rate_mibit_per_s=9536.1 total_s=32.27 mean_ms=80.67 share=0.1406
dlscale: collectives_by_size size=(350MB,400MB] n=400 mean_mib=392 mean_rate_mibit_per_s=9537.35 rate_mibit_per_s=9537.3 total_s=197.31 mean_ms=493.28 share=0.8594
EOF
} >vgg.log
"$x" -q -o v.json --run=1 --skip-iterations=2 --warmup-batches=0 \
    --train-batches=6 vgg.log >out 2>err
"$bindir/report_results" --table=collectives v.json >table 2>&1
verdict "the published columns" grep -qE '^\(350MB, 400MB\] +400 +392\.00 +'\
'9537\.[34][0-9]* +197\.31 +493\.28 +85\.94' table
verdict "and the other size" \
    grep -qE '^\(60MB, 70MB\] +400 +64\.00 +9536\.10 +32\.27 +80\.67 +14\.06' table
"$bindir/report_results" --table=collectives --lang=zh v.json >table 2>&1
verdict "in the words of the published table" \
    grep -qE '个数.*平均大小.*总时间.*平均时间.*时间占比' table
"$bindir/report_results" --table=collectives t.json >table 2>&1
verdict "responses of a timeline" grep -qE '^\(1KB, 1MB\] +1 ' table
"$bindir/report_results" --table=collectives v.json >want 2>&1
"$bindir/report_results" --table=collectives --metric=final_loss v.json \
    >table 2>&1
verdict "with another metric of the runs" cmp want table
sed 's/"collectives"/"others"/' v.json >none.json
refuse "a table without collectives" 4 "report_results: no case to show" \
    "$bindir/report_results" --table=collectives none.json
"$bindir/plot_results" -q --format=gp --chart=bandwidth -o bandwidth.gp r.json
verdict "bandwidth over size: medians of the runs, exact sizes" \
    grep -qE '^8000000 1 1 1 NaN ' bandwidth.gp
verdict "not the rough ones" sh -c '! grep -q by-size bandwidth.gp'
"$bindir/plot_results" -q --format=gp --chart=collectives -o sizes.gp v.json
verdict "shares of time by size, with their number" sh -c '
	grep -qE "^1 14\.055[0-9]* .*\"400\"$" sizes.gp &&
	    grep -qE "^2 85\.9[0-9]* .*\"400\"$" sizes.gp &&
	    grep -q "400MB. 2" sizes.gp &&
	    grep -q "^NOTE = .numbers above bars: operations of a run" sizes.gp'
refuse "a chart without collectives" 4 "plot_results: there are no \
bandwidths of collectives for the chart 'bandwidth'" \
    "$bindir/plot_results" --format=gp --chart=bandwidth -o x.gp none.json
"$bindir/plot_results" -q --format=gp --chart=all --output-dir=all none.json
verdict "all charts are those that there are figures for" sh -c \
    'test -e all/none_bars.gp && ! test -e all/none_bandwidth.gp'
if command -v gnuplot >/dev/null 2>&1; then
	for chart in bandwidth collectives; do
		"$bindir/plot_results" -q --chart=$chart -o $chart.svg r.json
		verdict "gnuplot draws $chart" grep -q '</svg>' $chart.svg
	done
else
	skip "pictures" "no gnuplot"
fi
finish
