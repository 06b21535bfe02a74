# train_imagenet resumes from a saved state: the log and the weights are those
# of a run that was never interrupted.
. "$top_srcdir/tests/lib.sh"

program=$bindir/train_imagenet
state=$tmp/state
ranks() { NP=2 "$bindir/tests/run-mpi" "$@"; }
two="$bindir/tests/run-mpi $program"
if ! command -v pgrep >/dev/null 2>&1; then
	echo "1..0 # SKIP no pgrep"
	exit 0
fi
tiny="--dummy --threads=1 --clock=fake --image-size 32 --classes 10 -b 2
    --lr 0.01"
small="$tiny --device=reference -a resnet18"

# Print the lines that must not change, without times.
course() {
	sed -n 's/Time [^L]*//
/^Epoch: \|^Test: \|^ \*   Acc\|^dlscale: weights/p' "$@" | sort -u
}
value() { sed -n "s/.* $1=\\([^ ]*\\).*/\\1/p" "$2"; }
has() { grep -q -e "$1" "$2"; }
child() { pgrep -P "$1" | head -n 1; }

# until_line PATTERN SIGNAL WHOM COMMAND...: run COMMAND with its log in
# $tmp/part. After the first line that matches PATTERN, send the signal to
# COMMAND (self), to its child or to its first grandchild.
until_line() {
	pattern=$1 signal=$2 whom=$3 sent=0
	shift 3
	rm -f "$tmp/pipe"
	mkfifo "$tmp/pipe"
	timeout 100 "$@" >"$tmp/pipe" 2>"$tmp/err" &
	pid=$!
	while IFS= read -r line; do
		printf '%s\n' "$line"
		# shellcheck disable=SC2254 # a pattern is meant
		case $line in
		$pattern) sent=$((sent + 1));;
		esac
		if test $sent -ne 1; then continue; fi
		sent=2
		# $pid is timeout.
		to=$(child $pid)
		if test $whom != self; then to=$(child "$to"); fi
		if test $whom = grandchild; then to=$(child "$to"); fi
		kill -s $signal "$to"
	done <"$tmp/pipe" >"$tmp/part"
	wait $pid
	status=$?
}

# stopped NAME SIGNAL PLACE: check that the signal stopped the run
stopped() {
	verdict "$1: the status" test $status -eq 3
	verdict "$1: the message" has \
	    "^train_imagenet: stopped by $2 after step $3; --resume '$state' \
continues\$" "$tmp/err"
}

# goes_on NAME COMMAND...: check that $tmp/part, followed by COMMAND with
# --resume, has the course of $tmp/whole.
goes_on() {
	name=$1
	shift
	"$@" --resume "$state" >"$tmp/rest" 2>"$tmp/err"
	course "$tmp/whole" >"$tmp/a"
	course "$tmp/part" "$tmp/rest" >"$tmp/b"
	verdict "$name: the same course" diff "$tmp/a" "$tmp/b"
	verdict "$name: nothing differs" has \
	    '^dlscale: resume .* differs=none$' "$tmp/rest"
	comment "$tmp/err"
}

# --- 6 steps are 3 and 3 ------------------------------------------------------
set -- $small --batches-per-epoch 3 --val-batches 2
"$program" "$@" --epochs 2 >"$tmp/whole"
"$program" "$@" --epochs 1 --checkpoint "$state" >"$tmp/first"
grep -v ' weights ' "$tmp/first" >"$tmp/part"
best=$(sed -n 's/^ \*   Acc@1 \([0-9.]*\) .*/\1/p' "$tmp/part")
verdict "the state is reported" has \
    "^dlscale: checkpoint epoch=1 batch=0 step=3 best_top1=${best%.000}\$" \
    "$tmp/part"
goes_on "3 steps and 3" "$program" "$@" --epochs 2
verdict "where it goes on is reported" has \
    "^=> loaded checkpoint '$state' (epoch 1)\$" "$tmp/rest"
verdict "the summary is of this process" has \
    '^dlscale: summary steps=3 .* images=6 ' "$tmp/rest"
"$program" "$@" -e --resume "$state" >"$tmp/rest"
grep 'Test\|Acc' "$tmp/part" | grep -v Epoch >"$tmp/a"
verdict "what was saved can be validated" test \
    "$(course "$tmp/rest")" = "$(course "$tmp/a")"

# --- Signals ------------------------------------------------------------------
set -- $small --batches-per-epoch 6 --val-batches 1 --epochs 1
"$program" "$@" >"$tmp/whole"
place='[3-5] (epoch 0, batch [3-5] of 6)'
until_line 'Epoch*\[3/6*' TERM self "$program" "$@" --checkpoint "$state"
stopped SIGTERM SIGTERM "$place"
goes_on SIGTERM "$program" "$@"
until_line 'Epoch*\[5/6*' KILL self "$program" "$@" --checkpoint "$state" \
    --checkpoint-every 2
verdict "saved after each second step" has \
    '^dlscale: checkpoint epoch=0 batch=4 step=4 ' "$tmp/part"
goes_on SIGKILL "$program" "$@"
# An interrupted validation is repeated.
set -- $small --batches-per-epoch 2 --val-batches 16 --epochs 2
"$program" "$@" >"$tmp/whole"
until_line 'Test: \[ 3/*' USR1 self "$program" "$@" --checkpoint "$state"
stopped validation SIGUSR1 '2 (epoch 0, batch 2 of 2)'
verdict "the validation was given up" test \
    "$(grep -c '^Test' "$tmp/part")" -lt 16
goes_on validation "$program" "$@"

# --- Images in a new order in each epoch, the cpu device ----------------------
if "$bindir/make_toy_images" --classes=3 --train-per-class=4 \
    --val-per-class=2 --size=40 "$tmp/toy" >"$tmp/out" 2>&1; then
	set -- --device=reference --threads=1 --clock=fake -a resnet18 \
	    --image-size 32 -b 2 --lr 0.01 --epochs 2 "$tmp/toy"
	"$program" "$@" >"$tmp/whole"
	# Without job control, background commands of a shell ignore SIGINT.
	signal=TERM default=
	if env --default-signal=INT true 2>/dev/null; then
		signal=INT default='env --default-signal=INT'
	fi
	until_line 'Epoch: \[1\]\[2/*' $signal self \
	    $default "$program" "$@" --checkpoint "$state"
	stopped images SIG$signal '\(8\|9\|1[01]\) (epoch 1, batch [2-5] of 6)'
	goes_on images "$program" "$@"
	mv "$tmp/toy/train/bars/00001.jpg" "$tmp/toy/train/bars/10001.jpg"
	refuse "other images within an epoch" 3 \
	    "train_imagenet: $state: of another run, in the middle of an \
epoch: image_list is *, not *" "$program" "$@" --resume "$state"
else
	skip "images" "$(tail -n 1 "$tmp/out")"
fi
if "$program" $tiny --device=cpu -a resnet18 -e --val-batches 1 \
    >"$tmp/out" 2>"$tmp/err"; then
	set -- $tiny --device=cpu -a resnet18 -b 4 --batches-per-epoch 16 \
	    --val-batches 1 --epochs 1
	"$program" "$@" >"$tmp/whole"
	until_line 'Epoch*\[ 3/16*' TERM self \
	    "$program" "$@" --checkpoint "$state"
	stopped cpu SIGTERM '[0-9]* (epoch 0, batch [0-9]* of 16)'
	goes_on cpu "$program" "$@"
	# Dropout, no batch normalisation.
	set -- $tiny --device=cpu -a alexnet --image-size 63 \
	    --batches-per-epoch 1 --val-batches 1
	"$program" "$@" --epochs 2 >"$tmp/whole"
	"$program" "$@" --epochs 1 --checkpoint "$state" |
	    grep -v ' weights ' >"$tmp/part"
	goes_on "cpu, dropout" "$program" "$@" --epochs 2
else
	skip "the cpu device" "$(tail -n 1 "$tmp/err")"
fi

# --- Two ranks ----------------------------------------------------------------
if ASAN_OPTIONS=detect_leaks=0 "$program" $small --backend=mpi -e \
    --val-batches 1 >"$tmp/out" 2>&1 &&
    ranks true >/dev/null 2>&1; then
	set -- $small --batches-per-epoch 6 --val-batches 1 --epochs 1
	$two "$@" >"$tmp/whole" 2>"$tmp/err"
	until_line 'Epoch*\[3/6*' TERM grandchild $two "$@" \
	    --checkpoint "$state"
	stopped "one of two ranks" SIGTERM "$place"
	goes_on "two ranks" $two "$@"
	until_line 'Epoch*\[3/6*' USR1 child $two "$@" --checkpoint "$state"
	stopped "the launcher of two ranks" SIGUSR1 "$place"
	refuse "two ranks' state within an epoch for one" 3 \
	    "train_imagenet: $state: of another run, in the middle of an \
epoch: devices is 2, not 1" "$program" "$@" --resume "$state"
	refuse "an old state that only rank 0 can read" 3 \
	    "train_imagenet: rank 0: cannot read checkpoint '$tmp/none': *" \
	    $two "$@" --resume "$tmp/none"
else
	skip "two ranks" "no MPI, or no launcher works"
fi
finish
