# --protocol=dlperf:SCRIPT: each of DLPerf's 30 scripts against an independent
# second implementation, or against tables computed by hand.
. "$top_srcdir/tests/lib.sh"
x=$bindir/extract_logs
cd "$tmp" || exit 1

# --- One number a file -------------------------------------------------------
py=$top_srcdir/tests/e2e/dlperf_scripts.py
# as_python NUMBER SEED W T [OPTION]...
as_python() {
	number=$1 w=$3 t=$4
	rm -rf tree ours
	python3 "$py" logs "$number" tree "$2" || return 1
	shift 4
	"$x" -q --protocol=dlperf:"$number" --output_dir=ours "$@" tree >out 2>err
	got=$?
	if python3 "$py" answer "$number" tree "$w" "$t" >want 2>stopped; then
		test $got -eq 0 && python3 -c 'import json, sys
print(json.dumps(json.load(open(sys.argv[1])), sort_keys=True))' \
		    ours/tree_result.json >got && diff want got
	else
		grep -q '^stops' stopped && test $got -ge 3
	fi
}
numbers="3 4 5 6 7 8 9 10 11 12 13 14 15 16 23 24 25 26 27 28 29 30"
if command -v python3 >/dev/null 2>&1; then
	for k in $numbers; do
		w=20 t=120
		case $k in
		5) w=100 t=200;;
		11) t=110;;
		29|30) w=100 t=600;;
		esac
		verdict "script $k, its own window" eval \
		    'as_python $k 1 $w $t'
		w=40 t=120
		case $k in
		5) w=120 t=200;;
		29|30) w=200 t=500;;
		esac
		verdict "script $k, another window" as_python "$k" 3 $w $t \
		    --warmup_batches=$w --train_batches=$t
	done
	verdict "script 15 begins no earlier than at its third line" \
	    as_python 15 3 10 120 --warmup_batches=10 --train_batches=120
	# Without a name the script is inferred from the format of the logs.
	named() {
		"$x" -q --protocol=dlperf:"$1" --output_dir=ours "by$k" 2>&1
	}
	for k in 4 5 8 9 11 12 13 15 23 24 25 27 28 29; do
		python3 "$py" logs $k "by$k" 1
		path=$("$x" --protocol=dlperf:list | sed -n "s/^ *$k .* //p")
		verdict "script $k, inferred" eval '"$x" -v --protocol=dlperf \
		    --output_dir=ours by$k 2>&1 >/dev/null | grep -q ": as DLPerf.s $path"'
		# The path of script 12 ends with the whole path of script 27.
		verdict "script $k, by its path" eval 'named $k >want; test -s want &&
		    named "$path" | cmp want - && named "${path%.py}" | cmp want -'
	done
else
	skip "scripts of one number a file" "no python3"
fi

# --- The survey's examples of what they get wrong ------------------------------
speed_of() {
	grep -o '"average_speed": [-0-9.Na]*' "$1" | sed '1!d;s/.* //'
}
# wrong NAME NUMBER CASE SPEED [OPTION]...: check the speed from the file log
wrong() {
	name=$1 number=$2 speed=$4
	rm -rf w ours
	mkdir -p "w/$3"
	cp log "w/$3/bert_b32_fp32_1.log"
	shift 4
	"$x" -q --protocol=dlperf:"$number" --output_dir=ours "$@" w >out 2>err
	verdict "$name" eval 'test "$(speed_of ours/w_result.json)" = "$speed"'
}
# 100 steps of 285.7 ms from rank 0 only: 8 GPUs x 32 give 896.04 samples/s.
awk 'BEGIN { for (k = 1; k <= 130; k++) {
	print "epoch: " k ", step: " k ", outputs are"
	print "epoch time: 285.700 ms, per step time: 285.700 ms" } }' >log
wrong "3: one rank is reported eight times over" 3 1n8g 7168.36
# 2 steps/s on 4 nodes of 8: 2 x 32 x 32 = 2048; without the nodes 512.
awk 'BEGIN { for (k = 1; k <= 130; k++)
	print "step: " k ", loss: 1.2, speed: 2.000000 steps/s, file: x" }' >log
wrong "24: the nodes are missing" 24 4n8g 512.0
# From 60 s before midnight to 64 s after it; the clock has no date.
awk 'BEGIN { for (k = 1; k <= 130; k++) {
	s = 86400 - 60 + k; s = s % 86400
	printf "I0820 %02d:%02d:%02d.000000 1 x.py:463] Train Step: %d/9\n",
	    s / 3600, s / 60 % 60, s % 60, k } }' >log
wrong "28: midnight" 28 1n1g -0.04
awk 'BEGIN { for (k = 1; k <= 130; k++)
	printf "I0820 10:%02d:%02d.250000 1 x.py:463] Train Step: %d/9\n",
	    k / 60, k % 60, k }' >log
wrong "28: a shorter warm-up is divided by, not left out" 28 1n1g 35.2 \
    --warmup_batches=10
# Runs over 12 hours and one back over 6 have a mean of 0, which is false in
# Python: the cases after it get a speedup of 1 and their last run's speed.
clocks() { # HOUR HOUR
	awk -v a="$1" -v b="$2" 'BEGIN { for (k = 1; k <= 130; k++)
		printf "I0820 %02d:00:00.000000 1 x.py:463] Train Step: %d/9\n",
		    (k > 60 ? b : a), k }'
}
rm -rf w ours
mkdir -p w/1n1g w/1n8g
clocks 1 13 >w/1n1g/bert_b32_fp32_1.log
clocks 1 13 >w/1n1g/bert_b32_fp32_2.log
clocks 20 14 >w/1n1g/bert_b32_fp32_3.log
clocks 1 2 >w/1n8g/bert_b32_fp32_1.log
clocks 1 2 >w/1n8g/bert_b32_fp32_2.log
"$x" -q --protocol=dlperf:28 --output_dir=ours w >out 2>err
verdict "28: a mean of 0" grep -q '"1n8g": {[^}]*"speedup": 1.0}' ours/w_result.json
# One iteration a second is 32 samples/s, but 200 to 209 are taken for 20.
awk 'BEGIN { for (k = 10; k <= 1000; k += 10)
	printf "DLL 2020-08-26 18:%02d:%02d.000000 - Iteration: %d  " \
	    "throughput_train : 1.5 seq/s\n", k / 60, k % 60, k }' >log
wrong "16: 200 holds 20" 16 1n1g 39.2 --train_batches=1000
awk 'BEGIN { for (k = 1; k <= 10; k++)
	print "x elapse 0.5 sec" }' >log
wrong "25: the mean of nothing" 25 1n1g NaN
mkdir -p w/1n1g && printf 'throughput=1K latency=2.5 ms/batch\n' \
    >w/1n1g/bert_b32_fp32_1.log
refuse "5: lines that do not fill the rows" 4 "*DLPerf's script fails: \
the lines are not T for each rank; excluded" "$x" --protocol=dlperf:5 w

mkdir -p unknown/1n1g && echo nothing >unknown/1n1g/bert_b32_fp32_1.log
verdict "a guess is reported" eval '"$x" --protocol=dlperf unknown 2>&1 >/dev/null |
    grep -q "the format of no log shows which of DLPerf.s scripts reads it"'

# --- Tables of their own -----------------------------------------------------
oneflow() {
	printf 'batch_size_per_device = %d\ngpu_num_per_node = %d\n' "$3" "$2"
	printf 'num_nodes = %d\n' "$1"
	printf 'train: epoch 0, iter 20, loss: 7.0, top_1: 0.0, top_k: 0.0, samples/s: 1.0 1000.5\n'
	for k in 40 60 80 100; do
		echo "train: epoch 0, iter $k, loss: 7.0, top_1: 0.0, top_k: 0.0, samples/s: 1.0 10$k.5"
	done
	printf 'train: epoch 0, iter 120, loss: 7.0, top_1: 0.0, top_k: 0.0, samples/s: 1.0 %s\n' "$4"
}
mkdir -p cnn/a cnn/b
oneflow 1 1 64 1020.5 >cnn/a/1.log # 64 x 100 / 20 = 320
oneflow 1 1 64 1030.5 >cnn/a/2.log # 213.33
oneflow 1 1 64 1040.5 >cnn/a/3.log # 160
oneflow 2 4 64 1025.5 >cnn/b/1.log # 8 x 64 x 100 / 25 = 2048
oneflow 1 8 128 1064.5 >cnn/b/2.log # 1600, without a case to compare with
cat >want <<'S'
## All Results
| num_nodes | gpu_num_per_node | batch_size_per_device | throughput |
| -------- | -------- | -------- | -------- |
| 1 | 1 | 64 | 320.00 |
| 1 | 1 | 64 | 213.33 |
| 1 | 1 | 64 | 160.00 |
| 2 | 4 | 64 | 2048.00 |
| 1 | 8 | 128 | 1600.00 |

## Filtered Result `median value`
| num_nodes | gpu_num_per_node | batch_size_per_device | throughput | speedup |
| -------- | -------- | -------- | -------- | -------- |
| 1 | 8 | 128 | 1600.00 | 0.00 |
| 1 | 1 | 64 | 213.33 | 1.00 |
| 2 | 4 | 64 | 2048.00 | 9.60 |
S
verdict "17: OneFlow's CNN" eval '"$x" --protocol=dlperf:17 cnn | diff want -'
verdict "18: by its part" eval '"$x" --protocol=dlperf:18 cnn | diff want -'
verdict "inferred" eval '"$x" --protocol=dlperf cnn | diff want -'
verdict "and reported" eval '"$x" -v --protocol=dlperf cnn 2>&1 >/dev/null |
    grep -q "as DLPerf.s OneFlow/Classification/.*extract_cnn_result.py"'
printf 'num_nodes = 1\ntrain: epoch 0, iter 20, loss: 7\n' >cnn/a/4.log
refuse "a log without the last iteration is named" 3 "extract_logs: \
cnn/a/4.log: DLPerf's script fails: there is no iteration after it; excluded" \
    "$x" --protocol=dlperf:oneflow-cnn cnn
mkdir -p bert/a
for f in 1 2; do # 24 x 100 / 10 = 240, / 20 = 120
	{
		printf 'batch_size_per_device = 24\ngpu_num_per_node = 1\n'
		printf 'num_nodes = 1\n'
		printf 'step: 19, total_loss: 9.7, throughput: 54.9 1000.5\n'
		printf 'step: 119, total_loss: 8.0, throughput: 1.8 10%d0.5\n' $f
	} >bert/a/$f.log
done
verdict "21: OneFlow's BERT" eval '"$x" --protocol=dlperf:oneflow-bert bert |
    grep -qx "| 1 | 1 | 24 | 180.00 | 1.00 |"'
verdict "22: by its part" eval '"$x" --protocol=dlperf:22 bert |
    grep -qx "| 1 | 1 | 24 | 180.00 | 1.00 |"'

mkdir hc wdl models
{
	printf 'batch_size = 16384\nhidden_units_num = 7\n'
	printf 'deep_embedding_vec_size = 16\n'
	printf 'wide_workspace_size_per_gpu_in_mb = 8\n'
	for k in 100 200 300 400; do
		echo "[HUGECTR][02:51:59][INFO][RANK0]: Iter: $k Time(100" \
		    "iters): 0.${k}s Loss: 0.$k lr:0.001000"
		echo "[HUGECTR][02:51:59][INFO][RANK0]: Evaluation, AUC: 0.7$k"
	done
	printf 'loss_print_every_n_iter = 100\ngpu_num_per_node = 8\n'
	printf 'num_nodes = 2\n'
} >hc/a.log
echo 'max 1 2 3 5368709120' >hc/a.mem
# (0.2 + 0.3 + 0.4) / 3 s in 100 iterations: 3 ms; 8 MiB / 4 in millions; 5 GiB.
"$x" --protocol=dlperf:1 hc >out
verdict "1: HugeCTR's latency" eval '
    grep -qx "|a|n2g8|16384|2,000,000|16|7|3.000|5,120|" hc_latency_report.md'
verdict "and what it prints" grep -q "'latency(ms)': 3.0.*, 'memory_usage(MB)': \
5120}" out
"$x" --protocol=dlperf:2 hc/a.log >out
printf '0.%d\t0.7%d\n' 100 100 200 200 300 300 400 400 >want
verdict "2: losses and AUCs" diff want hc/a.log.losses_aucs
refuse "2: a folder" 2 "extract_logs: --protocol=dlperf: hc is a folder, and \
this script reads one log: give the path of the log instead" \
    "$x" --protocol=dlperf:2 hc
{
	printf 'num_nodes = 1\ngpu_num_per_node = 8\nbatch_size = 512\n'
	printf 'deep_vocab_size = 9\nhidden_units_num = 7\n'
	printf 'deep_embedding_vec_size = 16\n'
	printf '100 time 1602836839.5 loss 0.5 \n200 time 1602836840.5 loss 1 \n'
	printf '1100 time 1602836842.0 loss 0.5 \n'
} >wdl/a.log
sed '/^1100/d' wdl/a.log >wdl/b.log
"$x" --protocol=dlperf:19 wdl >out
verdict "19: OneFlow's wide and deep" \
    grep -qx '|a|n1g8|512|9|16|7|2.500|NA|' wdl_latency_report.md
verdict "a log that ends within 1000 iterations" \
    grep -qx '|b|n1g8|512|9|16|7|0|NA|' wdl_latency_report.md
{
	printf 'batch_size = 512\nbatch_size_per_proc = 64\n'
	printf 'deep_vocab_size = 9\nhidden_units_num = 7\n'
	printf 'deep_embedding_vec_size = 16\n'
	for k in 90 2 3 4 80; do
		echo "[rank:0] iter: 1/5, loss: 0.083, latency(ms): $k | 2021"
	done
} >models/a.log
"$x" --protocol=dlperf:20 models >out
verdict "20: the models of it, without the first and last" \
    grep -qx '|a|n1g8|512|9|16|7|3.000|NA|' models_latency_report.md

# --- Names -------------------------------------------------------------------
verdict "a list of all" eval 'test "$("$x" --protocol=dlperf:list | wc -l)" -eq 30'
names() { "$x" -v --protocol="dlperf:$1" nowhere 2>&1; }
verdict "a path" eval 'names PaddlePaddle/bert/extract_paddle_logs.py |
    grep -q "nowhere: cannot read"'
verdict "the end of a path" eval 'names bert/extract_paddle_logs |
    grep -q "nowhere: cannot read"'
refuse "a name that is none" 2 "extract_logs: --protocol=dlperf: there is no \
script 'pytorch-bert'; nearest: paddle-bert; *" "$x" --protocol=dlperf:pytorch-bert .
refuse "a path of several" 2 "extract_logs: --protocol=dlperf: 5 scripts are \
called 'extract_mxnet_logs'; *" "$x" --protocol=dlperf:extract_mxnet_logs .
refuse "an unknown protocol" 2 \
    "extract_logs: --protocol: 'other' is not known; known are*" \
    "$x" --protocol=other .
refuse "a warm-up that the script refuses" 2 "extract_logs: --warmup-batches: \
DLPerf's script tensorflow-resnet50 insists on a multiple of 100, not 30" \
    "$x" --protocol=dlperf:29 --warmup_batches=30 .
refuse "one that is too short for it" 2 "extract_logs: --warmup-batches: \
DLPerf's script nvidia-tensorflow-resnet50 insists on 20 or more, not 10" \
    "$x" --protocol=dlperf:13 --warmup_batches=10 .
finish
