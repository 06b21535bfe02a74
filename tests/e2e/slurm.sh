# Start a Slurm cluster of two nodes on this machine. It runs slurm.sbatch (one
# run on two ranks, a sweep, a cancelled job) and run_experiment, on one node
# and on two.
. "$top_srcdir/tests/lib.sh"
unset TRAIN_IMAGENET MPIRUN HOSTFILE DATA_DIR TRAIN_FLAGS SRUN_FLAGS LOG_DIR \
    LOG_NAME
skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}
if ! built_with MPI; then
	skip_all "built without MPI"
fi
PATH=$PATH:/usr/sbin:/sbin
for command in slurmctld slurmd munged srun sbatch scancel; do
	command -v $command >/dev/null 2>&1 || skip_all "no $command"
done
cd "$tmp" || exit 1

# --- A Slurm -----------------------------------------------------------------
# Daemons run in the foreground with a time limit, so none outlives the test.
daemons=
daemon() {
	timeout -k 5 880 "$@" >"$1.out" 2>&1 &
	daemons="$! $daemons"
}
stop() {
	for pid in $daemons; do
		kill "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
	done
	daemons=
}
trap 'stop; rm -rf "$tmp"' EXIT

# Print the nodes' state by the controller, or "none" without a controller.
state() {
	timeout 10 sinfo -h -o %T 2>/dev/null | grep . || echo none
}
wait_for_state() {
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		# shellcheck disable=SC2254 # a pattern is meant
		case $(state) in
		$1) return 0;;
		esac
		sleep 1
	done
	return 1
}
# The second node is a slurmd with another host name in its UTS namespace.
# Nodes have names of this machine that can be resolved.
second=
if unshare --uts hostname second 2>/dev/null; then second=localhost; fi
# start_slurm PORT: the controller at PORT, the nodes at PORT + 1 and PORT + 2
start_slurm() {
	node=$(uname -n)
	node=${node%%.*}
	mkdir -p state spool "tmp.$node" "spool/$node"
	test -z "$second" || mkdir -p "tmp.$second" "spool/$second"
	cat >slurm.conf <<EOF
ClusterName=test
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$1
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$tmp/munge.socket
CredType=cred/munge
StateSaveLocation=$tmp/state
SlurmdSpoolDir=$tmp/spool/%n
TmpFS=$tmp/tmp.%n
SlurmctldPidFile=$tmp/slurmctld.pid
SlurmdPidFile=$tmp/slurmd.%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
KillWait=10
SlurmdParameters=config_overrides
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MailProg=/bin/true
NodeName=$node NodeAddr=127.0.0.1 Port=$(($1 + 1)) CPUs=2 State=UNKNOWN
PartitionName=one Nodes=$node Default=YES MaxTime=INFINITE State=UP
EOF
	test -z "$second" || cat >>slurm.conf <<EOF
NodeName=$second NodeAddr=127.0.0.1 Port=$(($1 + 2)) CPUs=2 State=UNKNOWN
PartitionName=two Nodes=$node,$second MaxTime=INFINITE State=UP
EOF
	SLURM_CONF=$tmp/slurm.conf
	export SLURM_CONF
	head -c 1024 /dev/urandom >munge.key
	chmod 600 munge.key
	# --force, because other users cannot access this folder.
	daemon munged --foreground --force --key-file="$tmp/munge.key" \
	    --socket="$tmp/munge.socket" --pid-file="$tmp/munge.pid" \
	    --log-file="$tmp/munge.log" --seed-file="$tmp/munge.seed"
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		if test -S munge.socket; then break; fi
		sleep 0.3
	done
	daemon slurmctld -D -f "$tmp/slurm.conf"
	wait_for_state '[!n]*' || return 1
	daemon slurmd -D -f "$tmp/slurm.conf" -N "$node"
	test -z "$second" || daemon unshare --uts sh -c "hostname second
	    exec slurmd -D -f '$tmp/slurm.conf' -N $second"
	wait_for_state idle
}
started=1
for try in 0 1 2; do
	if start_slurm $((20000 + 3 * ($$ + 7919 * try) % 20000)); then
		started=0
		break
	fi
	stop
done
if test $started -ne 0; then
	comment ./*.out
	skip_all "Slurm does not start here"
fi
timeout 20 srun --mpi=list 2>&1 | grep -qw pmix ||
    skip_all "srun has no pmix"

# --- Jobs --------------------------------------------------------------------
RUN_SWEEP=$bindir/run_sweep TRAIN_IMAGENET=$bindir/train_imagenet
TRAIN_FLAGS="--dummy --device=reference --threads=1 --workers=1 --image-size=32
    --classes=10 --epochs=1 --val-batches=0"
TRAIN_FLAGS=$(echo $TRAIN_FLAGS)
ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}
export RUN_SWEEP TRAIN_IMAGENET ASAN_OPTIONS
script=$top_srcdir/trainer/launch/slurm.sbatch
has() { grep -q -- "$1" "$2"; }

TRAIN_FLAGS="$TRAIN_FLAGS --batches-per-epoch=3"
export TRAIN_FLAGS
verdict "a job of two ranks" timeout 240 sbatch --wait --ntasks-per-node=2 \
    "$script" resnet18 2
log=logs/slurm/1n2g/resnet18_b2_fp32_1.log
verdict "srun with pmix made the run" \
    has '^dlscale: command srun --mpi=pmix .* --ntasks=2 ' "$log"
verdict "two processes on one node" \
    has ' devices=2 nodes=1 .* backend=mpi ' "$log"
verdict "a line a step and rank" test "$(grep -c '^Epoch: ' "$log")" -eq 6
verdict "the job's output has it too" has '^Epoch: ' slurm-1.out

cat >s.sweep <<EOF
name s
model resnet18
batch 2
topology 1n1g 1n2g
runs 1
options $TRAIN_FLAGS
EOF
verdict "a job with a sweep" timeout 240 sbatch --wait --ntasks-per-node=2 \
    "$script" s.sweep
verdict "its run on one rank" has ' devices=1 ' \
    logs/s/1n1g/resnet18_b2_fp32_1.log
test -e logs/s/1n2g/resnet18_b2_fp32_1.log || comment slurm-2.out logs/s/1n2g/*
verdict "its run on two" has ' devices=2 ' logs/s/1n2g/resnet18_b2_fp32_1.log
verdict "a job that fails" sh -c '! timeout 240 sbatch --wait "$1" resnet51' \
    sh "$script"

TRAIN_FLAGS="$TRAIN_FLAGS --batches-per-epoch=100000"
job=$(LOG_NAME=cancelled timeout 20 sbatch --parsable --ntasks-per-node=2 \
    "$script" resnet18 2)
log=logs/cancelled/1n2g/resnet18_b2_fp32_1.log
tries=0
while test $tries -lt 90; do
	if test -f $log~ && has '^Epoch' $log~; then break; fi
	tries=$((tries + 1))
	sleep 1
done
verdict "a long job runs" has '^Epoch' $log~
scancel "$job"
wait_for_state idle
verdict "cancelled: the node is free" test "$(state)" = idle
verdict "cancelled: the log has no final name" test ! -e $log
verdict "cancelled: its output is kept" sh -c \
    'cat "$1"* | grep -q "^Epoch"' sh $log

# --- An experiment, from its runs to its tables -------------------------------
# On CPU cores the ranks use Gloo, which takes the meeting place from Slurm.
cat >experiment.sbatch <<'EOF'
#!/bin/sh
exec "$EXPERIMENT" --quick --device=cpu --set hosts-link=10G --set runs=1 \
    --set "topology $TOPOLOGY" --log-dir="$NAME" --output-dir="$NAME" scaling
EOF
EXPERIMENT=$bindir/run_experiment NAME=one TOPOLOGY="1n1g 1n2g"
export EXPERIMENT NAME TOPOLOGY
# runs FOLDER N: true if there are N logs and no failed runs
runs() {
	test "$(find "$1" -name '*.log' | wc -l)" -eq "$2" &&
	    test "$(find "$1" -name '*~' | wc -l)" -eq 0
}
if built_with GLOO && built_with DNNL; then
	verdict "an experiment is a job" timeout 240 sbatch --wait \
	    -o experiment.out --ntasks-per-node=2 experiment.sbatch
	verdict "a run on a rank, one on two ranks" runs one 2
	verdict "srun started them, Gloo is what they use" \
	    has ' devices=2 nodes=1 .* backend=gloo ' \
	    one/scaling-quick/scaling/1n2g/*.log
	verdict "its table has both" \
	    has '^| *1 | *2 ' one/scaling-quick.md
	comment experiment.out
else
	skip "an experiment on a node" "built without Gloo or oneDNN"
fi
if test -n "$second" && built_with GLOO && built_with DNNL; then
	NAME=two TOPOLOGY="2n1g 2n2g 3n1g"
	export NAME TOPOLOGY
	verdict "an experiment on two nodes" timeout 240 sbatch --wait -p two \
	    -N 2 -o experiment.out --ntasks-per-node=2 experiment.sbatch
	verdict "a run of each of two layouts" runs two 2
	verdict "two ranks are on two nodes" \
	    has ' devices=2 nodes=2 .* backend=gloo ' \
	    two/scaling-quick/scaling/2n1g/*.log
	verdict "and four" has ' devices=4 nodes=2 ' \
	    two/scaling-quick/scaling/2n2g/*.log
	verdict "what the job has no nodes for is excluded and listed" \
	    has "excluded: scaling 3n1g: 3 nodes; Slurm's job has 2" \
	    experiment.out
	verdict "its table has both" has '^| *2 | *2 ' two/scaling-quick.md
	comment experiment.out
else
	skip "an experiment on two nodes" "no second node here"
fi

stop
finish
