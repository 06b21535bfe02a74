# Two processes learn from images with gradients in fp16. check-long sets
# TYPES="none fp16 bf16" to test fp32 and bf16 as well.
. "$top_srcdir/tests/lib.sh"

train="$bindir/train_imagenet --device=cpu --threads=1 --workers=1 -a resnet18
    --image-size 40 -b 8 --epochs 4 --lr 0.01 --lr-step 3 -p 20
    --log-ranks=0"
top1() { sed -n 's/^ \*   Acc@1 \([0-9.]*\) .*/\1/p' "$1" | tail -n 1; }
between() { awk "BEGIN { exit !($1 <= ${2:--1} && ${2:--1} <= $3) }"; }
# pair ARGUMENT...: two ranks, started as by torchrun
pair() {
	for rank in 1 0; do
		RANK=$rank WORLD_SIZE=2 LOCAL_RANK=$rank LOCAL_WORLD_SIZE=2 \
		    TORCHELASTIC_RUN_ID="fp16-$$" timeout 600 $train "$@" \
		    >"$tmp/log.$rank" 2>"$tmp/err" &
	done
	wait
}

if ! "$bindir/make_toy_images" --plain --classes=2 --train-per-class=160 \
    --val-per-class=50 --size=48 "$tmp/toy" >"$tmp/out" 2>&1; then
	skip "learns in halves" "$(tail -n 1 "$tmp/out")"
elif ! built_with GLOO; then
	skip "learns in halves" "built without Gloo"
elif ! $train -e "$tmp/toy" >"$tmp/none" 2>"$tmp/err" &&
    grep -q 'not built' "$tmp/err"; then
	skip "learns in halves" "$(tail -n 1 "$tmp/err")"
else
	# Measured: none 93, fp16 89, bf16 92 %; a guess gives 50 %.
	for type in ${TYPES:-fp16}; do
		pair --compression="$type" "$tmp/toy"
		verdict "with --compression=$type it is right three times of \
four" between 75 "$(top1 "$tmp/log.0")" 100
		comment "$tmp/log.0"
	done
fi
finish
