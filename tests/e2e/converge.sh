# A network learns from images: ResNet-18 distinguishes two shapes in images
# that it has not seen. converge_long.sh compares it with PyTorch.
. "$top_srcdir/tests/lib.sh"

train="$bindir/train_imagenet --threads=1 --workers=1 -a resnet18
    --image-size 40 -b 16"
top1() { sed -n 's/^ \*   Acc@1 \([0-9.]*\) .*/\1/p' "$1" | tail -n 1; }
between() { awk "BEGIN { exit !($1 <= ${2:--1} && ${2:--1} <= $3) }"; }

if ! "$bindir/make_toy_images" --plain --classes=2 --train-per-class=160 \
    --val-per-class=50 --size=48 "$tmp/toy" >"$tmp/out" 2>&1; then
	skip "learns from images" "$(tail -n 1 "$tmp/out")"
elif ! $train --device=cpu -e "$tmp/toy" >"$tmp/none" 2>"$tmp/err" &&
    grep -q 'not built' "$tmp/err"; then
	skip "learns from images" "$(tail -n 1 "$tmp/err")"
else
	verdict "a network that has learned nothing guesses" \
	    between 35 "$(top1 "$tmp/none")" 65
	# Seeds 0 and 1 reached 94 and 89 %.
	timeout 900 $train --device=cpu --epochs 6 --lr 0.01 --lr-step 5 -p 20 \
	    "$tmp/toy" >"$tmp/log" 2>&1
	verdict "after six epochs it is right four times of five" \
	    between 80 "$(top1 "$tmp/log")" 100
	comment "$tmp/log"
fi
finish
