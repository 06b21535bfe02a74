# --protocol=NAME: published conventions, their arithmetic on synthetic logs,
# and their authors' figures; different ones are not compared.
. "$top_srcdir/tests/lib.sh"

x=$bindir/extract_logs
r=$bindir/report_results
mkdir "$tmp/w" && cd "$tmp/w" || exit 1

# median OPTION... OPERAND: print the median of the only case
median() {
	"$x" -q -o r.json "$@" >out &&
	    sed -n 's/.*"median_speed": \([0-9.]*\).*/\1/p' r.json |
	    awk '{ printf "%.8g\n", $1 }'
}
is() {
	verdict "$1" test "$(shift 2 && median "$@")" = "$2"
}

# 50 iterations of 1000 + k milliseconds, numbered from 1 as by Megatron.
mkdir megatron nemo
for k in $(seq 50); do
	printf ' iteration %8d/      50 | consumed samples: %12d | ' $k $((k * 8))
	printf 'elapsed time per iteration (ms): %d.0 | ' $((1000 + k))
	echo 'learning rate: 1.0E-04 | global batch size:     8 | lm loss: 2E+00 |'
done >megatron/a.log
# The same as NeMo 2 prints them: numbered from 0, so 35 is the 36th iteration.
for k in $(seq 0 49); do
	printf 'Training epoch 0, iteration %d/49 | lr: 0.0001 | ' $k
	printf 'global_batch_size: 8 | global_step: %d | reduced_train_loss: 0.6 | ' $k
	echo "train_step_timing in s: 1.0$(printf %02d $k) | consumed_samples: $((8 * k))"
done >nemo/a.log
# mean of 35 ... 44 is 39.5, of 10 ... 30 it is 20
for log in megatron nemo; do
	is "$log: dgxc" 1.0395 --protocol=dgxc --metric=step-time $log
	verdict "$log: of the lines 35 to 44" grep -q \
	    '"first_iteration": 35' r.json
	is "$log: gpu-recipes" 1.02 --protocol=gpu-recipes --metric=step-time $log
	is "$log: nanotron" 1.004 --protocol=nanotron --metric=step-time $log
done
verdict "its name is in the result" grep -q '"protocol": "nanotron"' r.json
verdict "and below the table" grep -q 'protocol nanotron$' out
verdict "and in the table of report_results" \
    eval '"$r" r.json | grep -q "protocol nanotron"'
head -40 megatron/a.log >short.log
refuse "a log that ends before" 4 \
    "*excluded: has 40 of 44 iterations" "$x" --protocol=dgxc short.log

# --- Unlike protocols --------------------------------------------------------
"$x" -q --protocol=dgxc -o dgxc.json megatron >/dev/null
"$x" -q --protocol=gpu-recipes -o recipes.json megatron >/dev/null
refuse "unlike protocols" 3 "*rule*" "$r" dgxc.json recipes.json
refuse "nor compared" 3 "*" "$r" --compare dgxc.json recipes.json
verdict "unless --allow-mixed is given" "$r" --allow-mixed dgxc.json recipes.json
refuse "nor added to" 3 "*dgxc*" "$x" --protocol=gpu-recipes -o - dgxc.json megatron

# --- The default has a name --------------------------------------------------
for k in $(seq 0 130); do
	printf 'Epoch: [0][%4d/5004]\tTime %6.3f (%6.3f)\tData 0.1 (0.1)\t' $k \
	    "0.$((400 + k))" 0.5
	echo 'Loss 6.9e+00 (6.9e+00)'
done >plain.log
plain="--nodes=1 --gpus-per-node=1 --batch-size-per-device=8 plain.log"
"$x" -q -o plain.json $plain >/dev/null
is "this: iterations 25 to 124" "$(median $plain)" --protocol=this $plain
verdict "and compares with results without a name" "$r" --compare plain.json r.json

# --- Horovod's synthetic benchmark -------------------------------------------
{
	echo 'Model: resnet50'
	echo 'Batch size: 32'
	echo 'Number of GPUs: 4'
	for k in 0 1 2 3 4 5 6 7 8 9; do
		echo "Iter #$k: 30$k.0 img/sec per GPU"
	done
	echo 'Img/sec per GPU: 304.5 +-5.6'
	echo 'Total img/sec on 4 GPU(s): 1218.0 +-22.4'
} >horovod.log
is "horovod-synthetic" 1218 --protocol=horovod-synthetic horovod.log

# --- Rows of users -----------------------------------------------------------
mkdir own
echo 'ours | iterations=2-3 | the second and the third' >own/known.protocols
is "a row of the user" 1.0025 --format-dir=own --protocol=ours \
    --metric=step-time megatron
refuse "all are listed" 2 "  ours  *the second and the third" \
    "$x" --format-dir=own --protocol
refuse "an unknown name" 2 "  dgxc  *iterations 35 to 44*" \
    "$x" --protocol=dgx megatron
refuse "an option that it sets" 2 \
    "extract_logs: --protocol=dgxc: cannot be used with --rule, which it sets" \
    "$x" --protocol=dgxc --rule=all megatron
refuse "scripts of others" 2 "extract_logs: --protocol=dgxc: it has no scripts" \
    "$x" --protocol=dgxc:1 megatron
echo 'ours | iterations=2-3' >own/known.protocols
refuse "a row without meaning" 3 "extract_logs: own/known.protocols:1: *" \
    "$x" --format-dir=own --protocol=ours megatron
echo 'ours | iterations=3-2 | backwards' >own/known.protocols
refuse "no iterations" 3 "*iterations '3-2' are not A-B" \
    "$x" --format-dir=own --protocol=ours megatron
echo 'ours | rules=2 | an option that is none' >own/known.protocols
refuse "no option" 2 "*--protocol=ours: there is no option --rules" \
    "$x" --format-dir=own --protocol=ours megatron
verdict "--compat is its older name" eval \
    'test "$("$x" --compat=dlperf:list | wc -l)" -eq 30'

# --- A history -----------------------------------------------------------------
if built_with SQLITE; then
	"$r" --history=h.db add --date=2026-03-01 dgxc.json >/dev/null
	"$r" --history=h.db add --date=2026-03-02 recipes.json >/dev/null
	"$r" --history=h.db show >out
	verdict "a history shows their names, apart" eval 'grep -q "protocol dgxc" out &&
	    grep -q "protocol gpu-recipes" out && ! grep -q Change out'
else
	skip "a history shows their names, apart" "no SQLite"
fi

# --- MLPerf: the score is the headline -----------------------------------------
# trained SECONDS FILE: write the log of a run that reached its target quality
trained() {
	stamp() {
		echo ":::MLLOG {\"namespace\": \"\", \"time_ms\": $1, \"event_type\": \"INTERVAL_START\", \"key\": \"$2\", \"value\": null, \"metadata\": {\"status\": \"${3:-success}\"}}"
	}
	{
		echo ':::MLLOG {"namespace": "", "time_ms": 1, "event_type": "POINT_IN_TIME", "key": "submission_benchmark", "value": "bert", "metadata": {}}'
		stamp 1000000 run_start
		stamp $((1000000 + 1000 * $1)) run_stop "$3"
	} >"$2"
}
mkdir -p submitter/results/eight/bert submitter/systems
i=0
for s in 600 900 630 660 690; do
	trained $s submitter/results/eight/bert/result_$i.txt success
	i=$((i + 1))
done
echo '{"number_of_nodes": "1", "accelerators_per_node": "8"}' \
    >submitter/systems/eight.json
# Without 10 and 15 minutes: (10.5 + 11 + 11.5) / 3; half the interval is
# t(0.975, 2) * sqrt(5 * var(10.5, 10.5, 11, 11.5, 11.5)) / 3 = 1.6034
is "mlperf: the mean without best and worst" 11 --protocol=mlperf submitter
verdict "its head and interval" eval 'grep -q "olympic mean  *interval" out &&
    grep -q "  11.0  *\[9.4, 12.6\]" out && ! grep -q "time to train" out &&
    grep -q "interval of the olympic mean: 95.00 % CI with 5 runs" out'
verdict "of all programs" eval '"$r" r.json | grep -q "^1n8g  *5  *11.0  *\[" &&
    "$r" --format=csv r.json | grep -q ",bert,,,1,8,8,min,5,11,"'
trained 720 submitter/results/eight/bert/result_5.txt aborted
is "a run that failed is the worst" 12 --protocol=mlperf submitter
rm submitter/results/eight/bert/result_5.txt
echo '{"scaling_factor": 1.02}' >submitter/results/eight/bert/scaling.json
is "its factor of fast convergence" 11.22 --protocol=mlperf submitter
verdict "... is named" grep -q "the time times 1.02, as scaling.json" out
is "... and is none of other medians" 11 --metric=time-to-train submitter
"$x" -q --protocol=mlperf -o r.json submitter >/dev/null
sed 's/"olympic"/"mode"/' r.json >bad.json
refuse "an unknown score" 3 "*bad.json: cases\[0\].score: 'mode' is not known" \
    "$r" bad.json

# --- Published figures ---------------------------------------------------------
# published TREE NAME SCORE FOLDER: compare to the digits of SCORE
published() {
	if ! test -d "$1/$4"; then
		skip "$2: $3" "no $1"
		return
	fi
	digits=$(expr "$3" : '[0-9]*\.\([0-9]*\)$')
	got=$(median --protocol=mlperf "$1/$4")
	verdict "$2: $3" test "$(printf "%.${#digits}f" "$got")" = "$3"
}
# MLPerf Training v0.7, DGX A100, minutes
corpus=${DLSCALE_CORPUS:-$top_srcdir/../shared/corpus}
while read -r name score folder; do
	published "$corpus" "MLPerf 0.7, $name" "$score" "$folder"
done <<'END'
SSD 10.21 mlperf-ssd-pytorch/nvidia/8gpu-dgxa100_ngc20.06_pytorch
ResNet-50 39.78 mxnet-speedometer/mlperf07-nvidia-resnet/8gpu-dgxa100_ngc20.06_mxnet
DLRM 3.33 mlperf-mllog/nvidia-hugectr-dlrm-8gpu
END
# MLPerf Training v5.1, as mlcommons.org, NVIDIA and AMD published them in November
# 2025; the tree is https://github.com/mlcommons/training_results_v5.1
mlperf=${DLSCALE_MLPERF:-$corpus/training_results_v5.1}
while read -r score folder; do
	published "$mlperf" "MLPerf 5.1, $folder" "$score" "$folder"
done <<'END'
122.929 AMD/results/MI350X_EPYC_9575F_pytorch/llama31_8b
99.709 AMD/results/MI355X_EPYC_9575F_pytorch/llama31_8b
84.379 Supermicro/results/SYS-422GS-NBRT-LCC/llama31_8b
79.325 NVIDIA/results/tyche_ngpu8_ngc25.09_nemo/llama31_8b
75.841 Nebius/results/nebius_b300_n1/llama31_8b
67.373 NVIDIA/results/theia_ngpu8_ngc25.09_nemo/llama31_8b
10.18 AMD/results/MI355X_EPYC_9575F_pytorch/llama2_70b_lora
6.0 NVIDIA/results/theia_ngpu8_ngc25.09_nemo/llama2_70b_lora
8.5 Nebius/results/nebius_b300_n1/llama2_70b_lora
9.0 NVIDIA/results/tyche_ngpu8_ngc25.09_nemo/llama2_70b_lora
8.9 Dell/results/1xXE9680Lx8B200-SXM-180GB/llama2_70b_lora
22.3 NVIDIA/results/tyche_ngpu8_ngc25.04_pytorch/retinanet
21.5 Supermicro/results/AS-A126GS-TNBR/retinanet
10 NVIDIA/results/hsg_ngpu5120_ngc25.09_nemo/llama31_405b
18.79 NVIDIA/results/hsg_ngpu2560_ngc25.09_nemo/llama31_405b
0.40 NVIDIA/results/theia_ngpu512_ngc25.09_nemo/llama2_70b_lora
5.2 NVIDIA/results/theia_ngpu512_ngc25.09_nemo/llama31_8b
12.5 NVIDIA/results/hsg_ngpu1152_ngc25.09_nemo/flux1
0.84 NVIDIA/results/tyche_ngpu256_ngc25.03_dgl/rgat
1.4 NVIDIA/results/tyche_ngpu512_ngc25.04_pytorch/retinanet
END

finish
