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
awk 'BEGIN { for (i = 1; i <= 40; i++)
	printf "iter %d: tok/s: %d, mfu 40.5\n", i, 1000 + i % 3 }' >2nd.log
verdict "a log of tokens" suggest 2nd.log
verdict "has their unit" has '^unit tokens/s$' proposed
verdict "and a name that begins with a letter" has '^name log-2nd$' proposed
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
echo 'one line 1' >short.log
refuse "nothing to propose" 4 "extract_logs: short.log: fewer than 3 lines of one *" \
    "$x" --suggest short.log
refuse "no such log" 3 "extract_logs: nowhere: cannot open it: *" \
    "$x" --suggest nowhere
finish
