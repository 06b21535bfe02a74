# Sourced by run_single_node.sh, run_two_nodes.sh and run_multi_nodes.sh: read
# their options, describe one run to run_sweep and let it make the run.
# $nodes is the number of nodes, or empty if it is an option; $summary is a line
# of --help.
# shellcheck shell=sh
program=${0##*/} summary=${summary-}
folder=$(dirname "$0")

die() {
	status=$1
	shift
	echo "$program: $*" >&2
	exit "$status"
}

usage() {
	cat <<EOF
Usage: $program [OPTION]... [MODEL [BATCH [PRECISION [RUN]]]] [-- WORD...]
$summary

MODEL is resnet50, BATCH 128 images a step on each device, PRECISION fp32 and
RUN the first number without a log, unless given.  The log is
LOGDIR/NAME/<nodes>n<devices>g/MODEL_bBATCH_PRECISION_RUN.log; it is copied to
stdout while it grows, and a log that is there is left alone.  With --runs the
first N runs are made, those of each number of devices in turn, as far as their
logs are not there: the single-node figures of published reports are
"$program --devices=1,4,8 --runs=5".  The learning rate
is all devices' images of a step / 1000.  Where there are GPUs, the devices are
GPUs.  What follows -- is passed on to train_imagenet and wins over that, as
--device=cpu; if nothing does, it makes 150 steps, of which 25 are warm-up and
100 measured.

Options:
  -g, --devices=N    devices of each node (default: its GPUs, or 1 if none);
                     with --runs several with commas
  -r, --runs=N       make the runs 1 to N
  -d, --data=DIR     images, in the same folder on each node (default: synthetic data)
  -n, --name=NAME    folder of the logs (default: dlscale)
  -l, --log-dir=DIR  where that is (default: logs)
$node_options      --dry-run      show the command, do not run it
  -h, --help         print this

Environment: TRAIN_IMAGENET and RUN_SWEEP name the programs, MPIRUN the
launcher, MPIRUN_FLAGS its further options.

Exit status: 0 done; 2 wrong usage; 3 the run failed or cannot be made.
EOF
}

# Find run_sweep: $RUN_SWEEP if set, else in $PATH, in the installation, in a
# tree that was built in place or in "build", or in the current folder.
find_run_sweep() {
	for candidate in "${RUN_SWEEP:-run_sweep}" \
	    "$folder/../../../bin/run_sweep" "$folder/../../run_sweep" \
	    "$folder/../../build/run_sweep" ./run_sweep; do
		if command -v "$candidate" >/dev/null 2>&1; then
			printf '%s\n' "$candidate"
			return
		fi
		if test -n "${RUN_SWEEP-}"; then break; fi
	done
	die 3 "cannot find '${RUN_SWEEP:-run_sweep}'; is it in \$PATH?"
}

# Print words as run_sweep reads them: each in quotes, after a space.
quote() {
	for word in "$@"; do
		printf " '%s'" "$(printf %s "$word" | sed "s/'/'\"'\"'/g")"
	done
}

is_count() {
	case $1 in
	''|*[!0-9]*|0*) return 1;;
	esac
}

need_count() { is_count "$2" || die 2 "$1: '$2' is not a number from 1 on"; }

devices='' runs='' data=${DATA_DIR-} name=dlscale log_dir=logs dry_run=''
hostfile=${HOSTFILE-} asked_nodes=$nodes node_options=
if test "$nodes" != 1; then
	node_options="  -H, --hostfile=FILE
                     the nodes, one a line (default: \$HOSTFILE)
"
fi
if test -z "$nodes"; then
	node_options="  -N, --nodes=N      how many of them (default: all)
$node_options"
fi

while test $# -gt 0; do
	option=$1 value=
	case $1 in
	--) break;;
	-h|--help)
		usage
		exit 0;;
	--dry-run)
		dry_run=--dry-run
		shift
		continue;;
	--*=*)
		option=${1%%=*} value=${1#*=}
		shift;;
	-?*)
		if test $# -lt 2; then die 2 "$1: an argument is missing"; fi
		value=$2
		shift 2;;
	*) break;;
	esac
	case $option in
	-g|--devices) devices=$value;;
	-r|--runs) runs=$value;;
	-d|--data) data=$value;;
	-n|--name) name=$value;;
	-l|--log-dir) log_dir=$value;;
	-H|--hostfile)
		test "$asked_nodes" != 1 || die 2 "unrecognised option: $option"
		hostfile=$value;;
	-N|--nodes)
		test -z "$asked_nodes" || die 2 "unrecognised option: $option"
		nodes=$value;;
	*) die 2 "unrecognised option: $option";;
	esac
done

model=resnet50 batch=128 precision=fp32 run=
for setting in model batch precision run; do
	if test $# -eq 0 || test "$1" = --; then break; fi
	case $setting in
	model) model=$1;;
	batch) batch=$1;;
	precision) precision=$1;;
	run) run=$1;;
	esac
	shift
done
if test $# -gt 0; then
	test "$1" = -- || die 2 "'$1' is one operand too many"
	shift
fi
if test $# -eq 0; then
	set -- --epochs=1 --batches-per-epoch=150 --val-batches=0 -p 1
fi
set -- '--lr={lr}' "$@"

if test "$asked_nodes" != 1; then
	test -n "$hostfile" || die 2 "no --hostfile: which nodes?"
	test -r "$hostfile" || die 3 "cannot read '$hostfile'"
	there=$(grep -c '^[[:blank:]]*[^#[:blank:]]' "$hostfile")
	nodes=${nodes:-$there}
	need_count --nodes "$nodes"
	test "$there" -ge "$nodes" ||
	    die 3 "$hostfile: $there nodes, not $nodes"
fi
gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU ')
if test "$gpus" -gt 0; then set -- --device=cuda "$@"; fi
if test -z "$devices"; then
	devices=$gpus
	test "$devices" -gt 0 || devices=1
fi
if test -n "$runs"; then
	need_count --runs "$runs"
	test -z "$run" || die 2 "RUN '$run' and --runs exclude each other"
	case $devices in
	,*|*,|*,,*) die 2 "--devices: '$devices' is not a list such as 1,4,8";;
	esac
	layouts=$(printf %s "$devices" | tr , ' ')
else
	layouts=$devices
fi
topology=
for each in $layouts; do
	need_count --devices "$each"
	topology="$topology ${nodes}n${each}g"
done
need_count BATCH "$batch"
if test -n "$data"; then
	test -d "$data" || die 3 "$data: no such folder"
	set -- "$data" "$@"
else
	set -- --dummy "$@"
fi
if test -n "$runs"; then
	run=$runs
elif test -z "$run"; then
	run=1
	stem=$log_dir/$name/${nodes}n${devices}g/${model}_b${batch}_${precision}
	while test -e "${stem}_$run.log"; do run=$((run + 1)); done
fi
need_count RUN "$run"

only="*_$run.log"
test -z "$runs" || only='*'

run_sweep=$(find_run_sweep) || exit 3
{
	echo "name$(quote "$name")"
	echo "model$(quote "$model")"
	echo "batch $batch"
	echo "precision$(quote "$precision")"
	echo "topology$topology"
	echo "runs $run"
	echo "options$(quote "$@")"
	if test "$asked_nodes" != 1; then echo "hostfile$(quote "$hostfile")"; fi
	if test -n "${MPIRUN_FLAGS-}"; then
		echo "launcher-options $MPIRUN_FLAGS"
	fi
} | "$run_sweep" --log-dir="$log_dir" --only="$only" ${dry_run:---show} -
