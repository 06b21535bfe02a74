# Errors around train_imagenet: it reports each, exits with the documented
# status and keeps the existing checkpoint.
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/processes.sh"

program=$bindir/train_imagenet
two="$bindir/tests/run-mpi $program"
state=$tmp/state/file
few="--device=reference --threads=1 --clock=fake --image-size 32 -b 2
    --epochs 3 --val-batches 0"
small="--dummy $few -a resnet18 --classes 10 --batches-per-epoch 1 --lr 0.01"
train() { timeout 100 "$program" "$@"; }
has() { grep -q -e "$1" "$2"; }
# kept NAME: check that the state is unchanged and alone in its folder
kept() {
	verdict "$1: the old checkpoint is kept" cmp "$state" "$tmp/good"
	verdict "$1: nothing else is left" test "$(ls "$tmp/state")" = file
}

# --- Options ------------------------------------------------------------------
refuse "a model that nearly exists" 2 \
    "train_imagenet: --arch: 'resnt50' is not one of *resnet50*" train --dummy -a resnt50
refuse "a batch too large for memory" 3 "train_imagenet: 1000000 images a step \
take *.[0-9] MiB of memory, but *.[0-9] MiB are available to each device; a \
smaller --batch-size takes less" train $small --image-size 224 -b 1000000
if train --dummy --device=cpu --threads=1 --image-size 32 -b 1 -e \
    --val-batches 1 >"$tmp/out" 2>&1; then
	refuse "a batch too large for memory, on the cpu device" 3 \
	    "train_imagenet: 1000000 images a step take * MiB of memory*" \
	    train --dummy --device=cpu --threads=1 -b 1000000
else
	skip "a batch too large for the cpu device" "it was not built"
fi
limited() {
	(
		ulimit -v 2000000 || exit
		"$program" "$@"
	)
}
if limited --version >"$tmp/out" 2>&1; then
	refuse "a batch too large for ulimit -v" 3 "train_imagenet: 100 images \
a step take * MiB of memory, but 1[0-9]*.[0-9] MiB are available *" \
	    limited $small --image-size 224 -b 100
else
	skip "a batch too large for ulimit -v" "the program needs more itself"
fi
refuse "two beginnings" 2 "train_imagenet: --start-epoch cannot be used \
with --resume" \
    train $small --resume "$state" --start-epoch 1
refuse "nothing to save" 2 "train_imagenet: --checkpoint cannot be used \
with --evaluate" \
    train $small -e --val-batches 1 --checkpoint "$state"
refuse "nowhere to save" 2 \
    "train_imagenet: --checkpoint-every without --checkpoint" \
    train $small --checkpoint-every 5

# --- Checkpoints --------------------------------------------------------------
train $small --epochs 1 --checkpoint "$state" >"$tmp/out" 2>&1
verdict "a folder is made for the checkpoint" test -s "$state"
cp "$state" "$tmp/good"
resume() { train $small --checkpoint "$state" --resume "$@"; }
refuse "no checkpoint" 3 \
    "train_imagenet: cannot read checkpoint '$tmp/none': No such file *" \
    resume "$tmp/none"
refuse "a folder" 3 "train_imagenet: $tmp: not a file" resume "$tmp"
printf 'PK\003\004 a file of PyTorch, as zip begins so' >"$tmp/foreign"
refuse "a foreign file" 3 \
    "train_imagenet: $tmp/foreign: not a checkpoint of train_imagenet" \
    resume "$tmp/foreign"
: >"$tmp/empty"
refuse "an empty file" 3 \
    "train_imagenet: $tmp/empty: not a checkpoint of train_imagenet" \
    resume "$tmp/empty"
head -c 100000 "$state" >"$tmp/short"
refuse "a checkpoint cut short" 3 "train_imagenet: $tmp/short: truncated: it has 100000 of [0-9]* bytes" resume "$tmp/short"
{
	head -c 5000000 "$state"
	printf x
	tail -c +5000002 "$state"
} >"$tmp/short"
refuse "a byte that was changed" 3 \
    "train_imagenet: $tmp/short: damaged: its checksum does not match" \
    resume "$tmp/short"
refuse "another model" 3 "train_imagenet: $state: of another run: model is \
resnet18, not resnet34" resume "$state" -a resnet34
refuse "another number of classes, also to validate" 3 \
    "train_imagenet: $state: of another run: classes is 10, not 12" \
    train $small --resume "$state" --classes 12 -e --val-batches 1
refuse "nothing left to train" 2 "train_imagenet: --epochs: '$state' has been \
trained for 1 epochs already" resume "$state" --epochs 1
kept "resumptions that failed"
refuse "another learning rate" 0 "train_imagenet: $state: another run \
than the one that saved it: lr is 0.01, not 0.5; batch_per_device is 2, not 3" \
    train $small --epochs 2 --resume "$state" --lr 0.5 -b 3
verdict "also in the log" has \
    '^dlscale: resume epoch=1 .* differs=lr,batch_per_device$' "$tmp/out"

refuse "a loss that is no number" 3 "train_imagenet: the loss is not a number \
in step * (epoch 1, batch 2) on rank 0; a smaller --lr may help" \
    train $small --lr 1e30 --batches-per-epoch 4 --resume "$state" \
    --checkpoint "$state"
kept "a loss that is no number"
full() {
	(
		ulimit -f 1000 # blocks of 512 or 1024 bytes
		"$program" $small --resume "$state" --checkpoint "$state"
	) </dev/null
}
refuse "a checkpoint larger than files may be" 3 \
    "train_imagenet: cannot write '$state': File too large" full
kept "a file too large"
if unshare -rm mount -t tmpfs none "$tmp/state" 2>"$tmp/err"; then
	cat >"$tmp/small-disk" <<-'SCRIPT'
	mount -t tmpfs -o size=120m none "$1" && cp "$2" "$1/file" || exit
	shift 2
	"$@"
	status=$?
	cmp "$state" "$good" && test "$(ls "${state%/file}")" = file &&
	    echo "all is as it was" >&2
	exit $status
	SCRIPT
	export state good="$tmp/good"
	small_disk() {
		unshare -rm sh "$tmp/small-disk" "$tmp/state" "$tmp/good" \
		    "$program" $small --resume "$state" --checkpoint "$state"
	}
	refuse "a full disk" 3 "train_imagenet: cannot write '$state': No \
space left on device" small_disk
	verdict "a full disk: the old checkpoint is kept, alone" \
	    has '^all is as it was$' "$tmp/err"
else
	skip "a full disk" "no file system may be mounted"
fi
if test -c /dev/full; then
	refuse "a checkpoint to a full device" 3 "train_imagenet: cannot \
write '/dev/full': No space left on device" train $small --checkpoint /dev/full
fi

# --- Images -------------------------------------------------------------------
if "$bindir/make_toy_images" --classes=2 --train-per-class=2 \
    --val-per-class=1 --size=40 "$tmp/toy" >"$tmp/out" 2>&1; then
	images="$few -a resnet18 --epochs 1 --val-batches 1"
	mkdir "$tmp/toy/val/bowls"
	refuse "a class folder without images" 4 \
	    "train_imagenet: class folder '$tmp/toy/val/bowls' has no \
images *" \
	    train $images "$tmp/toy"
	rmdir "$tmp/toy/val/bowls"
	for image in "$tmp"/toy/val/*/*; do echo no >"$image"; done
	refuse "nothing to validate on" 4 \
	    "train_imagenet: no image to validate on" \
	    train $images "$tmp/toy"
	verdict "each image is named" test \
	    "$(grep -c "image excluded: $tmp/toy/val/" "$tmp/err")" -eq 2
	for image in "$tmp"/toy/train/*/*; do echo no >"$image"; done
	refuse "nothing to train on" 4 "train_imagenet: 4 consecutive images cannot be used, the last one: $tmp/toy/train/*" \
	    train $images "$tmp/toy"
else
	skip "images" "$(tail -n 1 "$tmp/out")"
fi

# --- Two ranks ----------------------------------------------------------------
if ASAN_OPTIONS=detect_leaks=0 "$program" $small --backend=mpi -e \
    --val-batches 1 >"$tmp/out" 2>&1 &&
    $two $small --backend=mpi -e --val-batches 1 >"$tmp/out" 2>&1; then
	refuse "two ranks and a batch too large for memory" 3 \
	    "train_imagenet: 1000000 images a step take *" \
	    $two $small --image-size 224 -b 1000000
	if test -c /dev/full; then
		refuse "two ranks and a full disk" 3 "train_imagenet: rank 0: \
cannot write '/dev/full': No space left on device" \
		    $two $small --checkpoint /dev/full
		verdict "it is reported once" test \
		    "$(grep -c '^train_imagenet: ' "$tmp/err")" -eq 1
	fi
	$two $small --batches-per-epoch 100000 >"$tmp/out" 2>"$tmp/err" &
	job=$!
	wait_for_lines 1 "$tmp/out"
	all=$(family $job)
	victim=$(find_rank 1 $all)
	kill -9 "$victim"
	start=$(date +%s)
	wait $job
	status=$?
	verdict "a killed rank ends the run soon" test $status -ne 0 \
	    -a $(($(date +%s) - start)) -le 60
	verdict "the rank is named" grep -qi 'rank 1.*signal 9\|EXIT CODE: 9' \
	    "$tmp/err"
	verdict "no process is left" none_alive $all
else
	skip "two ranks" "no MPI, or no launcher works"
fi
finish
