#!/bin/sh
# Races training steps of ours against PyTorch's, on the same processors, in
# one run: A B C A B C ..., one step each, every program in memory with its
# first two steps done.  A step is forward, loss, backward and SGD with momentum
# and weight decay; ours also loads the batch.
#
# usage: bench_train.sh [MODEL [BATCH]]
#
# In the environment: BENCH_SECONDS, how long to race (default 120, start-up
# not counted; BENCH_ROUNDS rounds at least, default 3); BENCH_THREADS (default
# all processors); PYTHON, which may have PyTorch (default /usr/bin/python3).
#
# Ratios are of the times of the same round, ours to PyTorch's layout whose
# median is the better one.  CPU time counts waiting threads too.
set -u
top_srcdir=${top_srcdir:-.} bindir=${bindir:-.}
model=${1:-resnet50} batch=${2:-16}
budget=${BENCH_SECONDS:-120} least=${BENCH_ROUNDS:-3}
threads=${BENCH_THREADS:-$(getconf _NPROCESSORS_ONLN)}
python=${PYTHON:-/usr/bin/python3}
bench=$bindir/tests/bench/bench_train
torch=$top_srcdir/tests/bench/torch_step.py
OMP_NUM_THREADS=$threads
export OMP_NUM_THREADS

if ! "$bench" -a alexnet -b 1 -n 1 >/dev/null 2>&1; then
	echo "bench_train: skipped: $("$bench" -a alexnet -b 1 -n 1 2>&1)"
	exit 0
fi
# Runners hold their own end of their pipes open, so each gets a line to end.
leave() {
	for pipe in "$tmp"/*.in; do
		test -p "$pipe" && echo end 1<>"$pipe"
	done
	wait
	rm -rf "$tmp"
}
tmp=$(mktemp -d) && trap leave EXIT
trap 'exit 1' HUP INT TERM
runners=

# All runners answer in one pipe; this shell keeps it open, so that a runner
# that has died is a line and no end of file.
mkfifo "$tmp/answers" && exec 3<>"$tmp/answers"

# start NAME COMMAND...: wait until it is ready; it runs on in the background
start() {
	name=$1
	shift
	mkfifo "$tmp/$name.in"
	{
		"$@" <>"$tmp/$name.in" 2>"$tmp/$name.err"
		echo "died $?"
	} >&3 &
	read -r word rest <&3
	if test "$word" != ready; then
		echo "bench_train: $name excluded: $(tail -n 1 "$tmp/$name.err")"
		return
	fi
	echo "  $name: $rest"
	runners="$runners $name"
}

echo "Training step, $model, batch $batch, 224 x 224 pixels"
echo "  machine: $(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo |
    sort | uniq -c | sed 's/^ *\([0-9]*\) /\1 x /'), $threads threads," \
    "load $(cut -d' ' -f1 /proc/loadavg)"
start ours-fp32 "$bench" -a "$model" -b "$batch" --threads="$threads" \
    --on-request
start ours-bf16 "$bench" -a "$model" -b "$batch" --threads="$threads" \
    --precision=bf16 --on-request
if why=$("$python" -c 'import torch, torchvision' 2>&1); then
	for mode in fp32 fp32-nhwc bf16 bf16-nhwc; do
		start "torch-$mode" "$python" "$torch" "$model" "$batch" \
		    "$mode" 0 "$threads" on-request
	done
else
	echo "  PyTorch's part is skipped: $(printf '%s' "$why" | tail -n 1)"
fi

begin=$(date +%s) round=0
while test $round -lt "$least" ||
    test $(($(date +%s) - begin)) -lt "$budget"; do
	round=$((round + 1))
	for name in $runners; do
		echo step >"$tmp/$name.in"
		read -r word wall cpu <&3
		if test "$word" != step; then
			echo "bench_train: $name: $(tail -n 1 "$tmp/$name.err")"
			exit 1
		fi
		echo "$round $name $wall $cpu"
	done
done >"$tmp/times"

awk -v batch="$batch" '
function sorted(a, n,    i, j, t) {
	for (i = 2; i <= n; i++) {
		t = a[i]
		for (j = i - 1; j >= 1 && a[j] > t; j--)
			a[j + 1] = a[j]
		a[j + 1] = t
	}
}
# The q-quantile of a[1..n], sorted, interpolated.
function quantile(a, n, q,    h, i) {
	h = 1 + (n - 1) * q
	i = int(h)
	return i < n ? a[i] + (h - i) * (a[i + 1] - a[i]) : a[n]
}
function median_of(name, times,    i, a) {
	for (i = 1; i <= rounds; i++)
		a[i] = times[name, i]
	sorted(a, rounds)
	return quantile(a, rounds, 0.5)
}
function rate(name,    i, a) {
	for (i = 1; i <= rounds; i++)
		a[i] = batch / wall[name, i]
	sorted(a, rounds)
	printf "  %-16s %7.2f img/s (quartiles %.2f to %.2f, best %.2f), " \
	    "%.0f ms of CPU time\n", name, quantile(a, rounds, 0.5),
	    quantile(a, rounds, 0.25), quantile(a, rounds, 0.75), a[rounds],
	    1e3 * median_of(name, cpu)
}
# PyTorch in the layout whose median is the better one.
function ratio(precision, must, goal,    ours, best, i, a, b) {
	ours = "ours-" precision
	best = "torch-" precision
	if (!((best "-nhwc") in seen) && !(best in seen))
		return
	if (!(best in seen) || (best "-nhwc") in seen &&
	    median_of(best "-nhwc", wall) < median_of(best, wall))
		best = best "-nhwc"
	for (i = 1; i <= rounds; i++) {
		a[i] = wall[best, i] / wall[ours, i]
		b[i] = cpu[best, i] / cpu[ours, i]
	}
	sorted(a, rounds)
	sorted(b, rounds)
	printf "  %s: %.2f x %s (quartiles %.2f to %.2f; CPU time " \
	    "%.2f x)", ours, quantile(a, rounds, 0.5), best,
	    quantile(a, rounds, 0.25), quantile(a, rounds, 0.75),
	    quantile(b, rounds, 0.5)
	if (model == "resnet50")
		printf "; must be %.1f, goal %.1f", must, goal
	print ""
}
{
	rounds = $1
	if (!($2 in seen))
		names[++n] = $2
	seen[$2] = 1
	wall[$2, $1] = $3
	cpu[$2, $1] = $4
}
END {
	printf "  %d rounds, medians:\n", rounds
	for (k = 1; k <= n; k++)
		rate(names[k])
	ratio("fp32", 1.2, 1.4)
	ratio("bf16", 1.5, 2.4)
}' model="$model" "$tmp/times"
