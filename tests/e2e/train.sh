# train_imagenet on one and two processes with the reference device: the log's
# bytes, learning, agreement of the ranks, and every error message.
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/processes.sh"

program=$bindir/train_imagenet
# A small network and small images: a step takes 0.1 s. One thread, because
# threads that wait for each other are slow on a busy machine.
small="--dummy --device=reference --threads=1 --clock=fake -a resnet18
    --image-size 32"
train() { timeout 400 "$program" "$@"; }
ranks() { NP=2 "$bindir/tests/run-mpi" "$@"; }
# One process with MPI, which leaks memory of its own (tests/run-mpi).
alone() {
	ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS} train "$@"
}
two() { ranks "$program" "$@"; }

# Remove what differs between machines: version, hash, last digits.
steady() {
	sed 's/ version=[^ ]*//; s/ xxh3=[0-9a-f]*//
s/\( norm=[0-9.]\{10\}\)[0-9]*/\1/'
}
golden_log() { train "$@" >"$tmp/log" && steady <"$tmp/log"; }
losses() { sed -n 's/.*Loss \([^ ]*\) .*/\1/p' "$1"; }
value() { sed -n "s/.* $1=\\([^ ]*\\).*/\\1/p" "$2"; }
# near A B TOLERANCE
near() {
	awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN {
		d = a - b; if (a == "" || b == "" || d * d > t * t) {
			print "\"" a "\" and \"" b "\" are not within " t
			exit 1
		} }'
}
check_count() { test "$(grep -c -- "$1" "$2")" -eq "$3"; }

# --- The log ----------------------------------------------------------------
# fp64, so that other compilers round the losses to the same digits.
check "the log of two epochs" train/fp64.log golden_log $small --precision=fp64 \
    --image-size 64 -b 2 --epochs 2 --batches-per-epoch 3 --val-batches 2 \
    --lr 0.01 --phases
check "every third step is printed, from the first" train/freq.log golden_log \
    $small --precision=fp64 -b 2 --epochs 1 --batches-per-epoch 10 \
    --val-batches 0 --lr 0.01 -p 3
check "only a validation" train/evaluate.log golden_log $small --precision=fp64 \
    -b 4 -e --val-batches 2
train $small -b 2 --epochs 1 --batches-per-epoch 3 --val-batches 0 \
    --clock=real --phases=sync >"$tmp/log"
verdict "phases add up to the step" awk '
	/^dlscale: phases / {
		for (i = 1; i <= NF; i++) {
			split($i, kv, "=")
			v[kv[1]] = kv[2]
		}
		sum = v["data_ms"] + v["to_device_ms"] + v["forward_ms"] + \
		    v["loss_ms"] + v["backward_ms"] + v["update_ms"] + \
		    v["other_ms"]
		d = v["step_ms"] - sum
		part = v["update_allreduce_ms"] + v["update_step_ms"]
		p = v["update_ms"] - part
		ok = d * d < 1e-4 && p * p < 1e-4 && v["backward_ms"] > 0 && \
		    v["mode"] == "sync"
	}
	END { exit !ok }' "$tmp/log"
verdict "network rates with the phases" \
    grep -q '^dlscale: network epoch=0 receive_mbit_per_s=[0-9.]* send_' \
    "$tmp/log"
train $small -b 2 --epochs 1 --batches-per-epoch 1 --val-batches 0 \
    --verbose >"$tmp/log"
verdict "--verbose prints the plan" grep -q '^dlscale: plan device reference' \
    "$tmp/log"
train $small -b 2 --epochs 1 --batches-per-epoch 2 --val-batches 0 \
    --peak-tflops 2 >"$tmp/log"
verdict "utilisation is operations over the peak" near \
    "$(value mfu "$tmp/log")" "$(value model_tflops_per_s_per_device \
    "$tmp/log" | awk '{ print $1 / 2 }')" 1e-4
train $small -b 2 --epochs 1 --batches-per-epoch 1 --val-batches 0 >"$tmp/log"
verdict "and not reported where no peak was given" sh -c '
	grep -q "^dlscale: summary" "$1" && ! grep -q "mfu\|peak" "$1"' - \
    "$tmp/log"

# A pipe in packet mode keeps writes apart: each one is a line, so that lines of
# several processes do not mix.
if command -v python3 >/dev/null 2>&1; then
	verdict "each line is one write" python3 -c '
import os, subprocess, sys
read, write = os.pipe2(os.O_DIRECT)
process = subprocess.Popen(sys.argv[1:], stdout=write)
os.close(write)
lines = 0
while packet := os.read(read, 65536):
    if packet.count(b"\n") != 1 or packet[-1:] != b"\n":
        sys.exit("no line: %r" % packet)
    lines += 1
if process.wait() != 0 or lines < 10:
    sys.exit("%d lines" % lines)' "$program" $small -b 2 --epochs 1 \
	    --batches-per-epoch 3 --val-batches 1 --phases --verbose
else
	skip "each line is one write" "no python3"
fi

# --- DLPerf's script reads it ---------------------------------------------
if command -v python3 >/dev/null 2>&1; then
	mkdir -p "$tmp/logs/1n1g"
	train $small --device=$fast_device --classes 10 -b 2 --epochs 1 \
	    --batches-per-epoch 40 --val-batches 1 --phases --verbose \
	    >"$tmp/logs/1n1g/resnet18_b2_fp32_1.log"
	# Steps 26 to 35 take 8 ms each on the fake clock.
	verdict "DLPerf's reading of the log" python3 \
	    "$top_srcdir/tests/e2e/dlperf_reading.py" \
	    "$tmp/logs/1n1g/resnet18_b2_fp32_1.log" 20 30 250.0
else
	skip "DLPerf's reading of the log" "no python3"
fi

# --- extract_logs reads it --------------------------------------------------
mkdir -p "$tmp/runs/1n1g" "$tmp/runs/1n2g"
few="$small --device=$fast_device --classes 10 -b 2 --epochs 1 --batches-per-epoch 9 --val-batches 1"
for run in 1 2; do
	train $few >"$tmp/runs/1n1g/resnet18_b2_fp32_$run.log"
done
window="--skip-iterations=1 --warmup-batches=2 --train-batches=8 --quiet"
check "extract_logs reads steps, model, batch and framework" \
    train/extract.txt "$bindir/extract_logs" $window "$tmp/runs" \
    --output="$tmp/runs.json"
verdict "nothing that it states of itself contradicts the path" \
    sh -c '! grep -q " says " "$1" && grep -q "\"dlscale\"" "$1"' - \
    "$tmp/runs.json"

# --- Learning ---------------------------------------------------------------
train $small -b 16 --epochs 1 --batches-per-epoch 1 --val-batches 0 \
    >"$tmp/log"
verdict "the first loss is about ln 1000" near \
    "$(losses "$tmp/log")" 6.9078 0.5
train $small -b 2 --epochs 10 --batches-per-epoch 1 --val-batches 0 \
    --lr 0.02 >"$tmp/log"
verdict "one batch is learned by heart" near \
    "$(losses "$tmp/log" | tail -n 1)" 0 0.05
same="$small -b 3 --epochs 1 --batches-per-epoch 2 --val-batches 1"
train $same >"$tmp/a"
train $same -j 0 --threads 2 | sed 's/ workers=0/ workers=4/' >"$tmp/b"
verdict "same seed, same bytes, with any number of threads" \
    cmp "$tmp/a" "$tmp/b"
train $same --seed 1 >"$tmp/b"
verdict "another seed, other weights" test \
    "$(value xxh3 "$tmp/a")" != "$(value xxh3 "$tmp/b")"
# StepLR: the rates 1e-3 at epoch 29, 1e-2 at 59 and 1e-1 at 60 are equal if the
# rate falls tenfold after each 30 epochs.
still="$small -b 2 --momentum 0 --wd 0 --batches-per-epoch 1 --val-batches 0"
train $still --lr 1e-3 --start-epoch 29 --epochs 30 >"$tmp/a"
train $still --lr 1e-2 --start-epoch 59 --epochs 60 >"$tmp/b"
train $still --lr 1e-1 --start-epoch 60 --epochs 61 >"$tmp/c"
verdict "the learning rate decays by 10x after 30 epochs" test \
    "$(value xxh3 "$tmp/a")" = "$(value xxh3 "$tmp/b")"
verdict "and by 100x after 60" test \
    "$(value xxh3 "$tmp/a")" = "$(value xxh3 "$tmp/c")"
train $still --lr 1e-1 --lr-step 7 --start-epoch 14 --epochs 15 >"$tmp/c"
verdict "or after as many as --lr-step states" test \
    "$(value xxh3 "$tmp/a")" = "$(value xxh3 "$tmp/c")"

# --- Folders of images ------------------------------------------------------
if "$bindir/make_toy_images" --classes=3 --train-per-class=4 \
    --val-per-class=2 --size=40 "$tmp/toy" >"$tmp/out" 2>&1; then
	toy="--device=$fast_device --threads=1 --clock=fake -a resnet18
	    --image-size 32 -b 4 --epochs 2"
	train $toy "$tmp/toy" >"$tmp/log"
	verdict "classes are the folder's" grep -q \
	    '^dlscale: config .* classes=3 .* images=folder ' "$tmp/log"
	verdict "and so are images" grep -q \
	    ' train_images=12 val_images=6 batches_per_epoch=3 val_batches=2 ' \
	    "$tmp/log"
	verdict "12 images are three steps of 4" \
	    check_count '^Epoch: \[1\]\[[1-3]/3\]' "$tmp/log" 3
	train $toy -j 1 "$tmp/toy" | sed 's/ workers=1/ workers=4/' >"$tmp/b"
	verdict "same images, same bytes" cmp "$tmp/log" "$tmp/b"
	echo none >"$tmp/toy/train/bars/00001.jpg"
	train $toy "$tmp/toy" >"$tmp/log" 2>"$tmp/err"
	verdict "a bad image is named once" check_count \
	    "^train_imagenet: image excluded: $tmp/toy/train/bars/00001.jpg: " \
	    "$tmp/err" 1
	verdict "and counted" grep -q '^dlscale: summary .* unusable_images=1$' \
	    "$tmp/log"
	refuse "fewer classes than the folder has" 2 \
	    "train_imagenet: --classes: 2 is less than the 3 of '$tmp/toy'" \
	    train $toy --classes 2 "$tmp/toy"
	rm -r "$tmp/toy/val/bars"
	refuse "other classes to validate on" 3 \
	    "train_imagenet: *bars*" train $toy "$tmp/toy"
else
	skip "folders of images" "$(tail -n 1 "$tmp/out")"
fi

# --- Two processes ----------------------------------------------------------
if alone $small -b 1 --backend=mpi -e --val-batches 1 >"$tmp/log" 2>&1 &&
    ranks true >/dev/null 2>&1; then
	two $small -b 2 --epochs 1 --batches-per-epoch 4 --val-batches 2 \
	    --phases >"$tmp/log"
	verdict "both ranks print their steps" \
	    check_count '^Epoch: \[0\]\[[1-4]/4\]	Time' "$tmp/log" 8
	# A terminal with output processing passes lines on in pieces.
	ranks sh -c '"$0" --version && exec 0<&1 && stty -a' "$program" \
	    >"$tmp/tty" 2>&1
	if grep -q onlcr "$tmp/tty"; then
		verdict "the launcher's terminals pass lines whole" \
		    check_count ' *-opost' "$tmp/tty" 2
	else
		skip "the launcher's terminals" "it has none"
	fi
	verdict "both ranks print the accuracy" \
	    check_count '^ \*   Acc@1' "$tmp/log" 2
	verdict "configuration once, of two devices" \
	    check_count '^dlscale: config .* devices=2 ' "$tmp/log" 1
	verdict "weights of both ranks are equal bytes" test \
	    "$(value xxh3 "$tmp/log" | sort | uniq -c | awk '{print $1}')" = 2
	two $small -b 2 --epochs 1 --batches-per-epoch 4 --val-batches 2 \
	    --log-ranks=0 >"$tmp/log"
	verdict "--log-ranks=0: only one rank prints" \
	    check_count '^Epoch: ' "$tmp/log" 4
	two $small -b 2 --epochs 1 --batches-per-epoch 3 --val-batches 0 \
	    --clock=real --phases >"$tmp/log"
	verdict "allreduces are counted" grep -q \
	    '^dlscale: reductions epoch=0 per_step=3 bytes_per_step=46[0-9]*' \
	    "$tmp/log"

	two $few >"$tmp/runs/1n2g/resnet18_b2_fp32_1.log"
	check "extract_logs doubles the images of two ranks" \
	    train/extract-two.txt "$bindir/extract_logs" $window "$tmp/runs" \
	    --output="$tmp/runs.json"

	# AlexNet has no batch statistics, and dropout by number of the image:
	# two ranks with two images equal one with four. Only last bits differ.
	alex="--dummy --device=reference --threads=1 --clock=fake -a alexnet
	    --image-size 63 --classes 100 --epochs 1 --batches-per-epoch 2
	    --val-batches 1"
	train $alex -b 4 >"$tmp/one" && two $alex -b 2 >"$tmp/two"
	losses "$tmp/one" >"$tmp/a"
	# Lines of both ranks are in any order: average those of one step.
	awk '/^(Epoch|Test): / {
		key = $1 " " substr($0, index($0, "["), 12)
		sub(/.*Loss /, "")
		if (!(key in sum)) order[++n] = key
		sum[key] += $1
	} END {
		for (i = 1; i <= n; i++) printf "%.4e\n", sum[order[i]] / 2
	}' "$tmp/two" >"$tmp/b"
	verdict "2 ranks x 2 images lose what 1 x 4 loses" sh -c '
		paste "$1" "$2" | awk "{ d = \$1 - \$2
		    if (d * d > 1.1e-7) { print; bad = 1 } }
		    END { exit bad || NR != 3 }"' - "$tmp/a" "$tmp/b"
	# Rounding moves the norm by 1e-10, a learning rate twice as large by
	# 3e-4.
	verdict "and come to the same weights" near \
	    "$(value norm "$tmp/one")" \
	    "$(value norm "$tmp/two" | head -n 1)" 1e-7
	verdict "which are equal bytes on both" test \
	    "$(value xxh3 "$tmp/two" | sort -u | wc -l)" -eq 1
	verdict "the first loss of alexnet is ln 100" near \
	    "$(losses "$tmp/one" | head -n 1)" 4.6052 0.05

	refuse "a loss that is no number, on both ranks" 3 \
	    "train_imagenet: the loss is not a number in step 2 (epoch 0, batch 2) on rank *" \
	    two $small -b 2 --batches-per-epoch 4 --lr 1e30
	verdict "is reported once" \
	    check_count '^train_imagenet: ' "$tmp/err" 1
	refuse "ranks with other options" 3 \
	    "train_imagenet: the ranks differ in their options" \
	    ranks sh -c 'exec "$0" "$@" --seed $((OMPI_COMM_WORLD_RANK+PMI_RANK))' \
	    "$program" $small -b 2 --batches-per-epoch 4
	refuse "an error of all ranks has no rank in it" 2 \
	    "train_imagenet: device 'reference' does not support bf16" \
	    two $small --precision=bf16
	refuse "a launcher that is not this MPI's" 3 \
	    "train_imagenet: back end 'mpi' has 1 process but the launcher started 3: *" env SLURM_STEP_NUM_TASKS=3 PMIX_RANK=0 \
	    ASAN_OPTIONS=detect_leaks=0 \
	    "$program" $small --batches-per-epoch 1
	if command -v pgrep >/dev/null 2>&1; then
		two $small -b 2 --clock=real --batches-per-epoch 10000 \
		    >"$tmp/out" 2>"$tmp/err" &
		job=$!
		wait_for_lines 1 "$tmp/out"
		# The job is timeout, its child is mpirun; the ranks are
		# children of mpirun.
		rank=$(pgrep -P "$(pgrep -P $job | head -n 1)" | tail -n 1)
		kill -9 "$rank"
		start=$(date +%s)
		wait $job
		status=$?
		verdict "a killed rank ends all soon" test $status -ne 0 \
		    -a $(($(date +%s) - start)) -le 60
	else
		skip "a killed rank ends all soon" "no pgrep"
	fi
elif grep -q 'not built' "$tmp/log"; then
	refuse "MPI that was not built" 2 \
	    "train_imagenet: back end 'mpi': not built: configure found no MPI" \
	    train $small --backend=mpi
	refuse "two processes without MPI" 2 \
	    "train_imagenet: back end '[gm]*': not built: *" \
	    env OMPI_COMM_WORLD_SIZE=2 "$program" $small
	skip "two processes" "MPI was not built"
else
	skip "two processes" "no MPI launcher works"
fi

# --- Errors -----------------------------------------------------------------
refuse "an unknown model" 2 \
    "train_imagenet: --arch: 'lenet' is not one of resnet18, *alexnet" \
    train --dummy -a lenet
refuse "an unknown device" 2 \
    "train_imagenet: --device: 'tpu' is not one of *" \
    train --dummy --device=tpu
refuse "a precision that the device lacks" 2 \
    "train_imagenet: device 'reference' does not support fp16" \
    train $small --precision=fp16
refuse "a precision that is none" 2 \
    "train_imagenet: --precision: 'fp8' is not one of fp32, *" \
    train $small --precision=fp8
refuse "no image in a batch" 2 \
    "train_imagenet: --batch-size: 0 is outside of 1 to 1048576 images" \
    train $small -b 0
refuse "images too small for the network" 2 \
    "train_imagenet: images of 8 pixels are too small for *" \
    train $small -a alexnet --image-size 8
refuse "no images" 2 \
    "train_imagenet: missing operand: *; try --help" \
    train
refuse "a folder that is not there" 3 \
    "train_imagenet: cannot read folder '$tmp/none/train': *" \
    train "$tmp/none"
refuse "a folder and dummy images" 2 \
    "train_imagenet: '$tmp' cannot be used with --dummy" train --dummy "$tmp"
refuse "two folders" 2 \
    "train_imagenet: extra operand 'b'; try --help" train a b
refuse "no epoch left" 2 \
    "train_imagenet: --start-epoch: 90 leaves nothing of 90 epochs" \
    train $small --start-epoch 90
refuse "nothing to evaluate" 2 \
    "train_imagenet: --val-batches: 0 leaves nothing to --evaluate" \
    train $small -e --val-batches 0
refuse "a loss that is no number" 3 \
    "train_imagenet: the loss is not a number in step 2 (epoch 0, batch 2) on rank *" \
    train $small -b 2 --batches-per-epoch 4 --lr 1e30
if test -c /dev/full; then
	full() { train $small -b 2 --batches-per-epoch 2 "$@" >/dev/full; }
	refuse "a full disk" 3 \
	    "train_imagenet: cannot write the log: No space left on device" \
	    full
else
	skip "a full disk" "no /dev/full"
fi
finish
