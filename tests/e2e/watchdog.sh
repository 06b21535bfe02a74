# If a rank is stopped or killed in the middle of a step, the run ends within
# --comm-timeout, states what waited for which rank, and keeps its checkpoint.
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/processes.sh"

program=$bindir/train_imagenet
state=$tmp/state/file
two="$bindir/tests/run-mpi $program"
small="--dummy --device=reference --threads=1 --image-size 32 -b 2 -a resnet18
    --classes 10 --epochs 1 --lr 0.01"
# Seconds that only a hang exceeds, even on a busy machine.
soon=60
has() { grep -q -e "$1" "$2"; }
# hit SIGNAL: start two ranks, send rank 1 the signal after some steps, wait.
hit() {
	$two $small --val-batches 0 --batches-per-epoch 100000 \
	    --comm-timeout 4 --checkpoint "$state" --checkpoint-every 2 \
	    >"$tmp/log" 2>"$tmp/err" &
	job=$!
	wait_for_lines 6 "$tmp/log"
	all=$(family $job)
	victim=$(find_rank 1 $all)
	start=$(date +%s)
	kill "-$1" "$victim"
	wait $job
	status=$?
	seconds=$(($(date +%s) - start))
}
# whole NAME: the checkpoint can be used.
whole() {
	verdict "$1: the checkpoint can be used" "$program" $small \
	    --resume "$state" -e --val-batches 1
}

if ASAN_OPTIONS=detect_leaks=0 "$program" $small --backend=mpi -e \
    --val-batches 1 >"$tmp/out" 2>&1 &&
    $two $small --val-batches 0 --batches-per-epoch 3 --comm-timeout 0 \
	>"$tmp/out" 2>"$tmp/err"; then :; else
	skip "two ranks" "no MPI, or no launcher works"
	finish
	exit
fi
verdict "without a timeout nothing is reported" test "$(grep -c \
    '^train_imagenet' "$tmp/err")" -eq 0
verdict "a run with one that is not reached" $two $small --val-batches 0 \
    --batches-per-epoch 3 --comm-timeout 60

hit STOP
verdict "a stopped rank ends the run" test $status -eq 3
verdict "within the timeout and some seconds" test $seconds -le $soon
verdict "the error names the collective and the rank" has "^train_imagenet: \
rank 0: allreduce .*([0-9]* bytes) in step [0-9]* has not ended within 4 s; \
last heard from rank 1 ([^ ]*, process $victim) [1-9][0-9.]* s ago" "$tmp/err"
verdict "no process is left of it" none_alive $all
whole "a stopped rank"

hit KILL
verdict "a killed rank ends the run" test $status -ne 0
verdict "at once or with the timeout" test $seconds -le $soon
verdict "no process is left of that" none_alive $all
whole "a killed rank"

# --- Gloo: whoever reads from a rank that is gone fails at once -----------------
# gloo_hit SIGNAL N: the same with N ranks started without a launcher.
gloo_hit() {
	i=0
	while test $i -lt "$2"; do
		RANK=$i WORLD_SIZE=$2 LOCAL_RANK=$i LOCAL_WORLD_SIZE=$2 \
		    TORCHELASTIC_RUN_ID="watch-$$" "$program" $small \
		    --backend=gloo --val-batches 0 --batches-per-epoch 100000 \
		    --comm-timeout 4 --checkpoint "$state" \
		    --checkpoint-every 2 >"$tmp/log.$i" 2>"$tmp/err.$i" &
		eval "job$i=$!"
		i=$((i + 1))
	done
	wait_for_lines 6 "$tmp/log.0"
	start=$(date +%s)
	kill "-$1" "$job1"
	wait "$job0"
	status=$?
	seconds=$(($(date +%s) - start))
	kill -KILL "$job1" 2>/dev/null
	wait 2>/dev/null
}
if built_with GLOO; then
	gloo_hit STOP 2
	verdict "gloo: a stopped rank ends the other" test $status -eq 3
	verdict "gloo: within the timeout and some seconds" test $seconds -le $soon
	verdict "gloo: the error names who waited for whom" has "^train_imagenet: \
rank 0: allreduce .*has not ended within 4 s; last heard from rank 1 ([^ ]*, \
process $job1) [1-9][0-9.]* s ago" "$tmp/err.0"
	whole "gloo: a stopped rank"
	gloo_hit KILL 2
	verdict "gloo: a killed rank ends the other" test $status -eq 3
	verdict "gloo: at once, not by the timeout" \
	    test "$(grep -c "has not ended within" "$tmp/err.0")" -eq 0
	verdict "gloo: the error names the collective" has "^train_imagenet: \
\(rank 0: \)*allreduce .*: gloo: .*; last heard \
from rank 1 ([^ ]*, process $job1) " "$tmp/err.0"
	whole "gloo: a killed rank"
	gloo_hit KILL 3
	verdict "gloo: of three, the killed one ends both others" \
	    test $status -eq 3
	for i in 0 2; do
		verdict "gloo: rank $i names it, and none that lives" sh -c \
		    "grep -q 'last heard from rank 1 (' '$tmp/err.$i' &&
		    ! grep -q '; rank [02] (' '$tmp/err.$i'"
	done
else
	skip "gloo's ranks" "built without Gloo"
fi

refuse "a timeout that is none" 2 \
    "train_imagenet: --comm-timeout: -1 is outside of 0 to 10000000 s" \
    "$program" --dummy --comm-timeout=-1
finish
