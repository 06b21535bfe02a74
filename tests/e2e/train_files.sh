# What a run may write and read; a loss or weight that is not a number.
. "$top_srcdir/tests/lib.sh"

program=$bindir/train_imagenet
small="--dummy --device=$fast_device -a resnet18 --threads=1 --workers=1
    --image-size 32 --classes 10 -b 2 --batches-per-epoch 1 --epochs 1
    --val-batches 0 --lr 0.01 --clock=fake"
state=$tmp/state
is_old() { cmp "$state" "$tmp/copy"; }

# --- Files --------------------------------------------------------------------
$program $small --checkpoint "$state" >/dev/null
cp "$state" "$tmp/copy"
ln -s state "$tmp/link"
mkdir -p "$tmp/dir"
cp "$state" "$tmp/log"

# spared NAME MESSAGE ARGUMENT...: refused, and the checkpoint is unchanged.
spared() {
	name=$1 message=$2
	shift 2
	refuse "$name" 2 "train_imagenet: $message" "$program" $small "$@"
	verdict "$name: the checkpoint is as it was" is_old
}
again="--epochs 2 --resume"
spared "a timeline over what is resumed" \
    "--timeline: cannot write '$state': --resume reads it" \
    $again "$state" --timeline "$state"
spared "a timeline over a link to it" \
    "--timeline: cannot write '$tmp/link': --resume reads it" \
    $again "$state" --timeline "$tmp/link"
spared "cuDNN's engines over it" \
    "--engine-cache: cannot write '$state': --resume reads it" \
    $again "$state" --engine-cache "$state"
spared "a timeline over the checkpoint" \
    "--checkpoint: cannot write '$state': --timeline writes it, too" \
    --checkpoint "$state" --timeline "$tmp/dir/../state"
spared "both in a file that is not there yet" \
    "--checkpoint: cannot write '$tmp/new': --timeline writes it, too" \
    --checkpoint "$tmp/new" --timeline "$tmp/dir/../new"
spared "both in a folder that is not there yet" \
    "--checkpoint: cannot write '$tmp/no/new': --timeline writes it, too" \
    --checkpoint "$tmp/no/new" --timeline "$tmp/no/new"
refuse_log() { "$@" >>"$tmp/log"; }
refuse "a checkpoint over the log" 2 "train_imagenet: --checkpoint: cannot \
write '$tmp/log': standard output writes it, too" \
    refuse_log "$program" $small --checkpoint "$tmp/log"
HOROVOD_TIMELINE=$state
export HOROVOD_TIMELINE
spared "Horovod's timeline over what is resumed" \
    "--timeline: cannot write '$state': --resume reads it" $again "$state"
unset HOROVOD_TIMELINE
mkdir -p "$tmp/images/train/a" "$tmp/images/val/a"
cp "$state" "$tmp/images/train/a/0.jpg"
refuse "a timeline over an image" 2 "train_imagenet: --timeline: cannot write \
'$tmp/images/train/a/0.jpg': it is one of the images" \
    "$program" --timeline "$tmp/images/train/a/0.jpg" "$tmp/images"
verdict "saving where it went on from" \
    "$program" $small $again "$state" --checkpoint "$state"
verdict "outputs to /dev/null" "$program" $small --timeline /dev/null
ok_streams() { "$@" >"$tmp/both" 2>&1; }
verdict "both streams in one file" ok_streams "$program" $small

# --- Numbers that are none ----------------------------------------------------
refuse "a loss that is no number" 3 "train_imagenet: the loss is * in step 2 \
(epoch 0, batch 2) on rank 0; a smaller --lr may help" "$program" $small --batches-per-epoch 3 --lr 1e30
# Here the last loss is still a number.
refuse "a weight that is no number after the last step" 3 "train_imagenet: a \
weight is * after step 2 on rank 0; a smaller --lr may help" \
    "$program" $small -a alexnet --image-size 64 --batches-per-epoch 2 \
    --lr 2.5e5
for lr in 1e9 1e30; do
	# Status 0 means that all numbers are finite, whatever happens.
	"$program" $small --batches-per-epoch 4 --epochs 2 --val-batches 1 \
	    --lr $lr >"$tmp/out" 2>"$tmp/err"
	rc=$?
	no_nan() { ! grep -i -e '[ =(]nan' -e '[ =(]inf' "$tmp/out"; }
	if test $rc -eq 0; then
		verdict "--lr $lr ends well: with numbers" no_nan
	else
		verdict "--lr $lr: the status" test $rc -eq 3
		verdict "--lr $lr: the message has step and rank" \
		    grep -e ' step [0-9].* on rank 0' "$tmp/err"
		verdict "--lr $lr: no line of weights" sh -c \
		    "! grep '^dlscale: weights' $tmp/out"
	fi
done

# --- The longest run that the options allow -----------------------------------
# The reader of the log stops after the first step.
long_run() {
	timeout 60 "$program" $small --epochs 1000000 \
	    --batches-per-epoch 1000000000 2>"$tmp/err" |
	    sed '/^Epoch: /q' >"$tmp/out"
	cat "$tmp/err"
	grep '^Epoch: \[0\]\[ *1/1000000000\]' "$tmp/out"
}
verdict "a million epochs of 1e9 steps begin" long_run
finish
