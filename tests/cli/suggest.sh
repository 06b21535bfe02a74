# --suggest: the format that it proposes passes --check-formats and reads the
# log, for logs made here and for real ones with all built-in formats hidden.
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/logs.sh"
x=$bindir/extract_logs
cd "$tmp" || exit 1
mkdir hidden
# suggest LOG [OPTION]...: propose, save, check, extract
suggest() {
	log=$1
	shift
	rm -rf f && mkdir f
	"$x" --suggest "$log" >proposed || return 1
	cp proposed "f/$(sed -n 's/^name //p' proposed).format"
	DLSCALE_FORMAT_PATH=$tmp/hidden "$x" --format-dir f --check-formats \
	    >checked || return 1
	"$x" --format-dir f --check-formats >checked || return 1
	DLSCALE_FORMAT_PATH=$tmp/hidden "$x" -q --format-dir f --rule=all \
	    --nodes=1 --gpus-per-node=1 "$@" -o r.json "$log" >table
}
has() { grep -q -- "$1" "$2"; }
awk 'BEGIN { print "batch size 16 each"
	for (i = 0; i < 130; i++)
		printf "[worker 0] epoch 0 batch %d of 130 took %.1f ms, " \
		    "loss 6.%d\n", i, 20, i * 7 % 10 }' >mine.log
verdict "a log of times" suggest mine.log --batch-size-per-device=16
verdict "is read right" has '"median_speed": 800,' r.json
verdict "its evidence" has '^# iter: number 3 of the line, 0 to 129 over 130 lines: whole and growing' proposed
verdict "counts from 0" has '^base 0$' proposed
verdict "the total is known" has '(?<iters>' proposed
awk 'BEGIN { for (i = 1; i <= 130; i++)
	printf "2024-01-02 10:00:%02d step %3d/130 | throughput: 125.5 " \
	    "samples/s | loss 1.%d\n", i % 60, i, i }' >rate.log
verdict "a log of rates" suggest rate.log
verdict "is read right too" has '"median_speed": 125.5,' r.json
verdict "counts from 1" has '^base 1$' proposed
verdict "its unit" has '^unit samples/s$' proposed
sed 's/step/\x1b[1;32m&\x1b[0m/; s/loss/\x1b[K&/' rate.log >colours.log
"$x" --suggest colours.log | sed 's/colours/rate/g' >colours
"$x" --suggest rate.log | cmp - colours
verdict "colours do not matter" test $? -eq 0
awk 'BEGIN { for (i = 1; i <= 40; i++)
	printf "iter %d: tok/s: %d, mfu 40.5\n", i, 1000 + i % 3 }' >2nd.log
verdict "a log of tokens" suggest 2nd.log
verdict "has their unit" has '^unit tokens/s$' proposed
verdict "and a name that begins with a letter" has '^name log-2nd$' proposed
awk 'BEGIN { for (i = 0; i < 40; i++)
	printf "2024-01-02 10:%02d:00,123 [rank0] epoch 1 step %d lr 0.1 " \
	    "data 0.1 s %d img/s/gpu\n", i, i * 10, 500 + i % 3 }' >gpu.log
verdict "a log of images of each GPU" suggest gpu.log
verdict "is of a device" has '^scope device$' proposed
verdict "... of images" has '^unit images/s$' proposed
verdict "... counts steps, not minutes" has '(?<iter>' proposed
verdict "... whose lines are means of ten" has '^statistic window-mean$' proposed
verdict "... and is read right" has '"median_speed": 50[01]' r.json
awk 'BEGIN { for (i = 1; i <= 40; i++)
	printf "step:%d/40 loss:nan train_time:%dms\n", i, i * 125 }' >since.log
verdict "a log of the time since the start" suggest since.log --batch-size-per-device=16
verdict "is read as that" has '^kind elapsed$' proposed
verdict "... 8 steps of 16 a second" has '"median_speed": 128,' r.json
awk 'BEGIN { for (i = 1; i <= 40; i++) for (r = 0; r < 2; r++)
	printf "rank %d iter %d | global batch size: 64 | %.3f samples/sec\n", r, i,
	    100 + r + i % 3 }' >ranks.log
verdict "a log of two ranks" suggest ranks.log --gpus-per-node=2
verdict "is their sum" has '"median_speed": 20[23]' r.json
verdict "... and its batch is read" has '(?<batch_size>' proposed
# Launchers put the rank before each line.
awk 'BEGIN { for (i = 1; i <= 40; i++) for (r = 0; r < 2; r++)
	printf "%d: iter %d took 0.20 s, lr 0.1\n", r, i }' >prefixed.log
verdict "a log with the prefixes of srun" \
    suggest prefixed.log --batch-size-per-device=16 --gpus-per-node=2
verdict "does not name the ranks" sh -c '! grep -q "(?<rank>" proposed'
"$x" -q --format-dir f --rule=all --nodes=1 --gpus-per-node=2 \
    --batch-size-per-device=16 -o r.json prefixed.log >table
verdict "and is read by the ranks of the prefixes" \
    has '"median_speed": 160,' r.json
# The tutorial's log.
log_of_doc() {
	sed -n '/^```log$/,/^```$/p' "$top_srcdir/doc/formats.md" | sed '1d;$d'
}
log_of_doc >run.log
verdict "the tutorial's log" suggest run.log --batch-size-per-device=16
verdict "is read as it states" has '"median_speed": 800,' r.json
corpus=${DLSCALE_CORPUS:-$top_srcdir/../shared/corpus}
for log in \
    excerpts/pytorch-imagenet-tabs.log \
    deepspeed-chat/step1_supervised_finetuning--opt-1.3b-globalBatchSize128.log \
    mxnet-speedometer/mlperf07-nvidia-resnet/8gpu-dgx1_ngc20.06_mxnet/result_1.txt \
    paddleclas/perf-resnet50/V100/PaddleClas_ResNet50_bs256_fp32_DP_N1C1_log; do
	if test -f "$corpus/$log"; then
		verdict "$log" suggest "$corpus/$log" --batch-size-per-device=8
	else
		skip "$log" "no corpus of logs"
	fi
done
# reads LOG KIND REGEX [OPTION]...: the figure is within 1 % of that of the
# numbers that REGEX, written by hand, finds in the log: for KIND rate the mean
# by time, for s and ms the batch of 8 over the mean time. For KIND figure,
# REGEX is the figure.
reads() {
	name=$1 kind=$2 regex=$3
	shift 3
	if test ! -f "$shared/$name"; then
		skip "$name" "no such log"
		return
	fi
	suggest "$shared/$name" --batch-size-per-device=8 "$@" >out 2>err ||
	    cat out err
	if test $kind = figure; then
		echo "$regex" >want
	else
		tr '\r' '\n' <"$shared/$name" |
		    sed -nE "s@.*$regex.*@\\1@p" | awk -v kind=$kind '
		{ sum += kind == "rate" ? 1 / $1 : $1; n++ }
		END { if (kind == "rate") print n / sum
			else print 8 * n / sum * (kind == "ms" ? 1000 : 1) }' \
		    >want
	fi
	sed -n 's/.*"median_speed": \([0-9.e+]*\),.*/\1/p' r.json >got
	verdict "$name" eval 'paste got want | awk "{ d = \$1 / \$2; print
		exit !(d > 0.99 && d < 1.01) }"'
}
shared=$top_srcdir/../shared
number='([0-9.]+(e[-+]?[0-9]+)?)'
reads cases/public/alcf-cerebras.log rate " Rate=$number samples"
reads cases/public/aws-fsdp-slurm.log rate "Speed: $number samples"
reads cases/public/mlperf5-bert-numa.log rate "\"throughput\": $number"
# Its first record is of the warm-up: 2331 iterations of 1536 in 63.47 s.
reads cases/public/mlperf5-sd-nemo.log figure 56400
reads cases/public/msswift-k8s-1node.log rate \
    "'train_speed\(iter/s\)': $number"
reads cases/public/nersc-dl.log rate "avg $number samples/sec"
reads cases/public/peer-axolotl-3362.log rate "per_sec_per_gpu': $number"
reads cases/public/tinygrad-fsdp-2xT4.log rate "ms, *$number tok/s"
# Four devices of 1776 samples/s.
reads cases/public/xla-v4-4dev.log figure 7106 --gpus-per-node=4
c=corpus
reads $c/deepspeed-chat/step1_supervised_finetuning--opt-1.3b-globalBatchSize128.log \
    rate "CurrSamplesPerSec=$number"
reads $c/excerpts/bigdl-distrioptimizer.log rate \
    "Throughput is $number records"
reads $c/excerpts/gluonnlp.log rate "Throughput=$number samples"
reads $c/excerpts/horovod-synthetic-pytorch-8gpu.log rate \
    "Iter #[0-9]+: $number img"
reads $c/excerpts/litgpt-keys-values.log s "iter time: $number s"
reads $c/excerpts/megatron-core-tflops.log ms "\\(ms\\): $number"
reads $c/excerpts/nanogpt-eval-every-2.log ms "time ${number}ms"
reads $c/excerpts/nemo2-llama3-8gpu.log rate "sec_per_gpu: $number"
reads $c/excerpts/openrec.log rate "ips: $number samples"
p=perf-resnet50/A100
reads $c/fairseq-nvidia/perf-transformer/A100/transformer_pytorch_bs5120_fp16_gpu1 \
    rate "[|]tokens/s *$number"
reads $c/mxnet-speedometer/mlperf07-nvidia-resnet/8gpu-dgx1_ngc20.06_mxnet/result_0.txt \
    rate "Speed: $number samples"
reads $c/nvidia-dle-mxnet/$p/mxnet_gpu1_amp_bs256.txt rate \
    "[ .]ips : $number"
reads $c/nvidia-dle-pytorch/$p/pytorch_gpu1_amp_bs256.txt rate \
    "compute_ips : $number"
reads $c/paddleclas/$p/PaddleClas_ResNet50_bs256_fp32_DP_N1C1_log rate \
    "ips: $number"
reads $c/mmseg-text/perf-deeplabv3p/deeplabv3p_c1_fp16.log s ", time: $number"
reads $c/pytorch-cpu/1n1g/resnet18_b4_fp32_1.log s "Epoch.*Time +$number"
reads $c/excerpts/mmengine-2gpu-fsdp.log s ' time: ([0-9.]+)'
echo 'one line 1' >short.log
refuse "nothing to propose" 4 "extract_logs: short.log: fewer than 3 lines of one *" \
    "$x" --suggest short.log
refuse "no such log" 3 "extract_logs: cannot open 'nowhere': *" \
    "$x" --suggest nowhere
finish
