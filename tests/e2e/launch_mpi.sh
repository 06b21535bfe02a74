# run_sweep and the launch scripts with the real train_imagenet and mpirun, on
# one rank and on two.
. "$top_srcdir/tests/lib.sh"
unset TRAIN_IMAGENET MPIRUN MPIRUN_FLAGS HOSTFILE SLURM_JOB_ID DATA_DIR \
    LOG_FOLDER RUN_SWEEP
launch=$top_srcdir/trainer/launch
if ! built_with MPI; then
	echo "1..0 # SKIP built without MPI"
	exit 0
fi
MPIRUN=$(sed -n 's/^exec timeout "[^"]*" \([^ ]*\) .*/\1/p' \
    "$bindir/tests/run-mpi")
if ! command -v "$MPIRUN" >/dev/null 2>&1; then
	echo "1..0 # SKIP no mpirun"
	exit 0
fi
# No leak detection: MPI's own modules leak.
ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}
PATH=$bindir:$PATH
export MPIRUN PATH ASAN_OPTIONS
cd "$tmp" || exit 1

cat >two.sweep <<'EOF'
name     two
model    resnet18
batch    2
topology 1n1g 1n2g
runs     1
limit    200
options  --dummy --device=reference --threads=1 --workers=1 --image-size=32
         --classes=10 --epochs=1 --batches-per-epoch=3 --val-batches=0 --lr={lr}
EOF
verdict "a sweep over one rank and two" run_sweep two.sweep
one=logs/two/1n1g/resnet18_b2_fp32_1.log
two=logs/two/1n2g/resnet18_b2_fp32_1.log
has() { grep -q -- "$1" "$2"; }
count() { test "$(grep -c -- "$1" "$2")" -eq "$3"; }
verdict "one rank: one process" has ' devices=1 .* backend=self ' $one
verdict "one rank: a line a step" count '^Epoch: ' $one 3
verdict "two ranks: two processes on one node" \
    has ' devices=2 nodes=1 .* backend=mpi ' $two
verdict "two ranks: a line a step and rank" count '^Epoch: ' $two 6
verdict "one rank: learning rate" has ' lr=0.002 ' $one
verdict "two ranks: learning rate" has ' lr=0.004 ' $two
verdict "the ranks have the same weights" test \
    "$(sed -n 's/.*weights rank=[01] xxh3=\([^ ]*\).*/\1/p' $two | sort | uniq -c |
	sed 's/^ *\([0-9]*\) .*/\1/')" -eq 2
verdict "the time of both ranks is the processors'" awk '
	/^real / { real = $2 }
	/^user / { user = $2 }
	/^sys / { if (real > 0 && user > 0.5) good = 1 }
	END { if (!good) print real, user; exit !good }' $two
verdict "again: nothing to do" sh -c \
    'run_sweep two.sweep 2>&1 | grep -q " 0 made in .* 2 were there"'

set -- --device=reference --threads=1 --image-size=32 --classes=10 --epochs=1 \
    --batches-per-epoch=2 --val-batches=0
verdict "run_single_node.sh" timeout 200 "$launch/run_single_node.sh" -g 2 \
    resnet18 2 -- "$@"
verdict "its log" has ' devices=2 ' logs/dlscale/1n2g/resnet18_b2_fp32_1.log
LOG_FOLDER=here timeout 200 "$launch/train.sh" resnet18 0,1 2 -- "$@" >out 2>&1
verdict "train.sh" has ' devices=2 .* lr=0.004 ' here/1n2c_dummy.log

refuse "an error of the ranks comes through" 3 \
    "*: exit status 2: *" run_sweep --set name=wrong \
    --set more-options=--no-such two.sweep

# An interrupt ends mpirun and its ranks.
many=$((1000000 + $$)) # no other test's number
run_sweep --set name=killed --set topology=1n2g \
    --set "more-options=--batches-per-epoch=$many" two.sweep >out 2>&1 &
pid=$!
log=logs/killed/1n2g/resnet18_b2_fp32_1.log
for i in 1 2 3 4 5 6 7 8 9 10; do
	sleep 1
	if test -f $log~ && has '^Epoch' $log~; then break; fi
done
# [1]: so that grep does not find itself
ranks=$(grep -la "per-epoch=[1]${many#1}" /proc/[0-9]*/cmdline 2>/dev/null |
    tr -dc '0-9\n')
verdict "two ranks are running" test "$(echo "$ranks" | wc -w)" -ge 3
kill $pid
wait $pid
status=$?
verdict "interrupted: the status" test $status -eq 3
for i in 1 2 3 4 5 6 7 8 9 10; do
	alive=
	for p in $ranks; do
		# A zombie has ended.
		if grep -qs '^State:	[^Z]' "/proc/$p/status"; then
			alive="$alive $p"
		fi
	done
	if test -z "$alive"; then break; fi
	sleep 1
done
verdict "interrupted: no process is left" test -z "$alive"
verdict "interrupted: the log is kept under another name" \
    test -s "$log.1~" -a ! -e "$log"
finish
