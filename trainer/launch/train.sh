#!/bin/sh
# train.sh: train one model on the devices of this machine; see --help.
set -u
program=${0##*/}

die() {
	status=$1
	shift
	echo "$program: $*" >&2
	exit "$status"
}

usage() {
	cat <<EOF
Usage: $program [MODEL [GPUS [BATCH]]] [-- WORD...]
Train MODEL (resnet50) for an epoch on the devices GPUS, numbers with commas
between them (0), with BATCH (128) images a step on each, and keep the log.

One process is started for each of GPUS, by mpirun if there are more than one;
without GPUs they are processes on the CPU.  The learning rate is all
devices' images of a step / 1000.  Words after -- are passed on to
train_imagenet, and win over what is said here.

Environment:
  DATA_DIR        folder of the images.  Where it is not set and
                  /datasets/ImageNet/imagenet_1k is not there, synthetic data is
                  trained on, and the log's name says _dummy, not _real
  LOG_FOLDER      where the log goes; default
                  ../logs/benchmark_log/cnns/MODEL_1node_bzBATCH
  TRAIN_IMAGENET  the program, if not train_imagenet in \$PATH or in the tree
                  that this script lies in
  MPIRUN          the launcher, if not mpirun
  MPIRUN_FLAGS    its further options

The log is LOG_FOLDER/1n<devices>c_real.log.  An older one is kept as
1n<devices>c_real.log.1~ and so on; while the new one grows its name ends in ~.

Exit status: 0 done; 2 wrong usage; 3 the environment lacks something; else
what the training ended with.
EOF
}

case ${1-} in
-h|--help)
	usage
	exit 0;;
esac
model=resnet50 gpus=0 batch=128
for setting in model gpus batch; do
	if test $# -eq 0 || test "$1" = --; then break; fi
	case $1 in
	-*) die 2 "unrecognised option: $1; words for train_imagenet follow --";;
	esac
	case $setting in
	model) model=$1;;
	gpus) gpus=$1;;
	batch) batch=$1;;
	esac
	shift
done
if test $# -gt 0; then
	test "$1" = -- || die 2 "'$1' is one operand too many"
	shift
fi

case $model in
''|*[!A-Za-z0-9_.+-]*) die 2 "MODEL: '$model' is no name of a model";;
esac
case $gpus in
''|,*|*,|*,,*|*[!0-9,]*)
	die 2 "GPUS: '$gpus' is not a list of numbers such as 0,1,2,3";;
esac
case $batch in
''|*[!0-9]*|0*) die 2 "BATCH: '$batch' is not a number from 1 on";;
esac
commas=$(printf %s "$gpus" | tr -d 0-9)
devices=$((${#commas} + 1))
total=$((batch * devices))
lr=$(awk -v total="$total" 'BEGIN { print total / 1000 }')

usual=/datasets/ImageNet/imagenet_1k
if test -n "${DATA_DIR-}"; then
	test -d "$DATA_DIR" || die 3 "DATA_DIR: no folder '$DATA_DIR'"
elif test -d "$usual"; then
	DATA_DIR=$usual
fi
if test -n "${DATA_DIR-}"; then
	images=$DATA_DIR kind=real
else
	echo "$program: no \$DATA_DIR and no $usual: training on synthetic data" >&2
	images=--dummy kind=dummy
fi

# Find the program: as given, in $PATH, where it is installed, in a tree that
# was built in its own folder or in "build", or in the current folder.
train=
here=$(dirname "$0")
for candidate in "${TRAIN_IMAGENET:-train_imagenet}" \
    "$here/../../../bin/train_imagenet" "$here/../../train_imagenet" \
    "$here/../../build/train_imagenet" ./train_imagenet; do
	if command -v "$candidate" >/dev/null 2>&1; then
		train=$candidate
		break
	fi
	if test -n "${TRAIN_IMAGENET-}"; then break; fi
done
test -n "$train" ||
    die 3 "cannot find '${TRAIN_IMAGENET:-train_imagenet}'; \$TRAIN_IMAGENET may name it"
if nvidia-smi -L 2>/dev/null | grep -q '^GPU '; then
	set -- --device=cuda "$@"
fi
set -- "$train" "$images" --arch "$model" --epochs 1 --batch-size "$batch" \
    --lr "$lr" --momentum 0.9 --print-freq 1 "$@"
if test "$devices" -gt 1; then
	mpirun=${MPIRUN:-mpirun}
	flavour=$("$mpirun" --version 2>&1) ||
	    die 3 "cannot run '$mpirun'; more than one device needs it"
	# shellcheck disable=SC2086 # flags are words
	set -- ${MPIRUN_FLAGS-} "$@"
	case $flavour in
	*"Open MPI"*|*OpenRTE*)
		set -- --bind-to none --host "localhost:$devices" \
		    -n "$devices" "$@"
		if test "$(id -u)" -eq 0; then
			set -- --allow-run-as-root "$@"
		fi;;
	*)	set -- -n "$devices" "$@";;
	esac
	set -- "$mpirun" "$@"
fi
export CUDA_VISIBLE_DEVICES="$gpus"
# The secret by which the ranks of a job recognize each other.
DLSCALE_JOB_TOKEN=${DLSCALE_JOB_TOKEN:-$(od -An -N16 -tx1 /dev/urandom |
    tr -d ' \n')}
export DLSCALE_JOB_TOKEN

folder=${LOG_FOLDER:-../logs/benchmark_log/cnns/${model}_1node_bz$batch}
log=$folder/1n${devices}c_$kind.log
mkdir -p "$folder" || die 3 "cannot make folder '$folder'"
aside() {
	if test -e "$1"; then
		n=1
		while test -e "$log.$n~"; do n=$((n + 1)); done
		mv "$1" "$log.$n~" || die 3 "cannot rename '$1'"
	fi
}
aside "$log~"
: >"$log~" || die 3 "cannot write to '$log~'"

echo "Use gpus: $gpus"
echo "Batch size : $batch"
echo "Learning rate: $lr"
# Take the status of the training, not of tee.
status=$({ { "$@" 2>&1; echo $? >&3; } | tee "$log~" >&4; } 3>&1) 4>&1
if test "${status:-1}" -ne 0; then
	aside "$log~"
	die "${status:-3}" "the training failed, see $log.$n~"
fi
aside "$log"
mv "$log~" "$log" || die 3 "cannot rename '$log~'"
echo "Writing log to $log"
