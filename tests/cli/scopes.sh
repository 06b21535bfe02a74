# A rate of one worker is scaled up to the job and flagged, or its run is
# excluded; it is never printed as the job's.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
x=$bindir/extract_logs
cd "$tmp" || exit 1

# median OPTION... FILE: that of the only case; flagged TEXT: a flag of its run.
median() {
	"$x" -q -o one.json "$@" >out 2>err &&
	    tr -d '\n' <one.json | sed 's/.*"median_speed": *\([^,]*\),.*/\1/'
}
flagged() { tr -d '\n' <one.json | grep -q "\"flags\": *\[[^]]*$1"; }
is() {
	want=$2
	name=$1
	shift 2
	got=$(median "$@")
	verdict "$name: $want, got $got" test "$got" = "$want"
}

# --- Paddle's parameter server: one worker's rate ------------------------------
epochs() {
	for e in 0 1; do
		echo "2021-02-20 14:30:1$e,760 - INFO - Epoch: $e, using time 88.3355970383 second, ips 1000.$e example/sec."
	done
}
batches() {
	for i in $(seq 0 100 14000); do
		echo "2021-02-20 14:39:07,881 - INFO - Epoch: 0, Batch: $i, auc: [0.66544927], cost: [0.49590692],  avg_batch_cost: 1.03059 sec, avg_samples: 1000.00000, ips: 512.0 example/sec"
	done
}
trainers() { echo "I0220 14:28:38.123456  1234 communicator.h:252] trainers: $1"; }
epochs >alone.log
{ trainers 32 && epochs; } >of32.log
refuse "a worker's summary alone" 4 \
    "extract_logs: warning: alone.log: excluded: prints the rate of one device*" \
    "$x" -o x.json alone.log
is "32 workers" 32003.2 of32.log
verdict "and that is reported" flagged '"the rate of one of 32 ranks, times 32"'
is "by an option" 8000.8 --nodes=1 --gpus-per-node=8 alone.log
is "the rate of all, by an option" 1000.1 --rate-scope=global alone.log
is "of a node, by an option" 2000.2 --rate-scope=node --nodes=2 alone.log
trainers 1 | cat - alone.log >of1.log
is "one worker is the job" 1000.1 of1.log
verdict "and nothing is scaled" eval '! flagged times'
batches >alone2.log
{ trainers 4 && batches; } >of4.log
refuse "a worker's batches alone" 4 \
    "extract_logs: warning: alone2.log: excluded: prints the rate of one device*" \
    "$x" --rule=all -o x.json alone2.log
is "4 workers" 2048 --rule=all of4.log
verdict "and that is reported too" flagged '"the rate of one of 4 ranks, times 4"'
{ trainers 4
	echo "2021-02-20 14:30:17,760 - INFO - Epoch: 0, using time 189.5 second, ips 1000.0 word/sec."; } >words.log
is "their words" 4000 words.log

# --- tf_cnn_benchmarks: each rank under Horovod prints its own rate --------------
cnn() { # RANKS
	for i in 1 10 20 30 40 50 60 70 80 90 100; do
		for r in $(seq "$1"); do
			printf '%s\timages/sec: 50.0 +/- 0.1 (jitter = 0.4)\t7.%s\n' \
			    "$i" "$i$r"
		done
	done
}
cnn 1 >cnn1.log
is "all devices of one worker" 50 --rule=all cnn1.log
cnn 4 >cnn4.log
is "the ranks of Horovod" 200 --rule=all cnn4.log

# --- PaddleSeg: metadata of its environment ---------------------------------------
seg() {
	cat <<EOF
------------Environment Information-------------
Python: 3.7.0 (default, Oct  9 2018, 10:31:47) [GCC 7.3.0]
Paddle compiled with cuda: True
GPUs used: 8
CUDA_VISIBLE_DEVICES: 0,1,2,3,4,5,6,7
GPU: ['GPU 0: Tesla V100-SXM2-16GB', 'GPU 1: Tesla V100-SXM2-16GB']
GCC: gcc (GCC) 8.2.0
PaddlePaddle: 2.2.1
------------------------------------------------
batch_size: 2
2022-02-05 04:33:40 [INFO]	$1
EOF
	for i in $(seq 5 5 200); do
		echo "2022-02-05 04:33:43 [INFO]	[TRAIN] epoch: 1, iter: $i/200, loss: 1.6842, lr: 0.009520, batch_cost: 0.3496, reader_cost: 0.00261, ips: 11.5 samples/sec | ETA 00:08:17"
	done
}
seg "use AMP to train. AMP level = O1" >seg.log
is "PaddleSeg on 8" 92 seg.log
for field in '"precision": *"amp"' '"gpus": *8' \
    '"device": *"Tesla V100-SXM2-16GB"' '"framework_version": *"2.2.1"'; do
	verdict "it states $field" grep -q "$field" one.json
done
grep -v "GPUs used" seg.log >seg1.log
refuse "and of an unknown number" 4 "*excluded: prints the rate of one device*" \
    "$x" -o x.json seg1.log

# --- Axolotl: the rate of a device or of all, by its version -----------------
axolotl() { # PROCESSES
	echo "torchrun --nproc_per_node=$1 --nnodes=1 train.py"
	for i in $(seq 1 130); do
		echo "{'loss': 1.2, 'learning_rate': 1e-05, 'tokens/train_per_sec_per_gpu': 8000.0, 'tokens/total': ${i}000, 'epoch': 0.01}"
	done
}
axolotl 8 >axolotl.log
refuse "a rate of which it is not known whose it is" 4 \
    "*excluded: the rate on its lines is that of one device or of all, *pass --rule=all --rate-scope=global (or *" \
    "$x" -o x.json axolotl.log
is "Axolotl's, of all" 8000 --rule=all --rate-scope=global axolotl.log
is "Axolotl's, of each" 64000 --rule=all --rate-scope=device axolotl.log
axolotl 1 >axolotl1.log
is "of one device they are the same" 8000 --rule=all axolotl1.log
echo "{'train_runtime': 100.0, 'train_samples_per_second': 16.5, 'train_steps_per_second': 0.5}" >>axolotl.log
is "the figure at the end is sure" 16.5 axolotl.log
finish
