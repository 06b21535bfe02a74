# --protocol=NAME: published conventions, their arithmetic on made logs, figures
# that their authors published, and that unlike ones are not compared.
. "$top_srcdir/tests/lib.sh"

x=$bindir/extract_logs
r=$bindir/report_results
mkdir "$tmp/w" && cd "$tmp/w" || exit 1

# The median of the one case: median OPTION... OPERAND
median() {
	"$x" -q -o r.json "$@" >out &&
	    sed -n 's/.*"median_speed": \([0-9.]*\).*/\1/p' r.json |
	    awk '{ printf "%.8g\n", $1 }'
}
is() {
	verdict "$1" test "$(shift 2 && median "$@")" = "$2"
}

# 50 iterations of k milliseconds, as Megatron prints them: from 1.
mkdir megatron nemo
for k in $(seq 50); do
	printf ' iteration %8d/      50 | consumed samples: %12d | ' $k $((k * 8))
	printf 'elapsed time per iteration (ms): %d.0 | ' $((1000 + k))
	echo 'learning rate: 1.0E-04 | global batch size:     8 | lm loss: 2E+00 |'
done >megatron/a.log
# The same, as NeMo 2 prints them: from 0, and iteration 35 is called so.
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

# --- Published figures: MLPerf Training v0.7, DGX A100, minutes ---------------
corpus=${DLSCALE_CORPUS:-$top_srcdir/../shared/corpus}
score() {
	"$x" -q --protocol=mlperf -o r.json "$corpus/$1" >/dev/null &&
	    sed -n 's/.*"olympic_speed": \([0-9.]*\).*/\1/p' r.json |
	    awk '{ printf "%.2f\n", $1 }'
}
published() {
	if test -d "$corpus/$2"; then
		verdict "MLPerf's $1: $3" test "$(score "$2")" = "$3"
	else
		skip "MLPerf's $1" "no corpus"
	fi
}
published SSD mlperf-ssd-pytorch/nvidia/8gpu-dgxa100_ngc20.06_pytorch 10.21
published ResNet-50 \
    mxnet-speedometer/mlperf07-nvidia-resnet/8gpu-dgxa100_ngc20.06_mxnet 39.78
published DLRM mlperf-mllog/nvidia-hugectr-dlrm-8gpu 3.33
finish
