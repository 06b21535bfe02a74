#!/bin/sh
# Races training steps of this trainer against PyTorch's, on the same processors
# and in one run: A B C A B C ..., one step each, every program in memory with
# its first steps done. A step is forward, loss, backward and SGD with momentum
# and weight decay; ours also loads the batch. PyTorch takes part in eight
# forms: two precisions, two layouts, eager and with torch.compile, which is
# done when the race begins. A form that fails is excluded with its reason.
#
# usage: bench_train.sh [MODEL [BATCH]]
#
# In the environment: BENCH_SECONDS, how long to race (default 120, without
# start-up; at least BENCH_ROUNDS rounds, default 3); BENCH_THREADS (default all
# processors); PYTHON, which may have PyTorch (default /usr/bin/python3);
# BENCH_FORMS, the forms of PyTorch (default all eight); BENCH_READY, a command
# to run before the race begins.
#
# Ratios compare times of the same round, ours with the form of PyTorch that has
# the best median in that precision. CPU time includes waiting threads.
set -u
top_srcdir=${top_srcdir:-.} bindir=${bindir:-.}
model=${1:-resnet50} batch=${2:-16}
budget=${BENCH_SECONDS:-120} least=${BENCH_ROUNDS:-3}
threads=${BENCH_THREADS:-$(getconf _NPROCESSORS_ONLN)}
python=${PYTHON:-/usr/bin/python3}
forms='fp32 fp32-nhwc fp32-compile fp32-nhwc-compile
    bf16 bf16-nhwc bf16-compile bf16-nhwc-compile'
bench=$bindir/tests/bench/bench_train
torch=$top_srcdir/tests/bench/torch_step.py
OMP_NUM_THREADS=$threads
export OMP_NUM_THREADS

if ! "$bench" -a alexnet -b 1 -n 1 >/dev/null 2>&1; then
	echo "bench_train: skipped: $("$bench" -a alexnet -b 1 -n 1 2>&1)"
	exit 0
fi
# Runners keep their end of their pipes open, so a line tells each to end.
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

# All runners answer in one pipe. This shell keeps it open, so that a runner
# that dies is reported by a line and not by the end of the file.
mkfifo "$tmp/answers" && exec 3<>"$tmp/answers"

# start NAME COMMAND...: run it in the background and wait until it is ready
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
echo "  it has:$(grep -m 1 '^flags' /proc/cpuinfo | tr ' ' '\n' |
    grep -E '^(avx2|avx512f|avx512_bf16|amx_bf16)$' | sort | tr '\n' ' ' |
    sed 's/^/ /')"
start ours-fp32 "$bench" -a "$model" -b "$batch" --threads="$threads" \
    --on-request
start ours-bf16 "$bench" -a "$model" -b "$batch" --threads="$threads" \
    --precision=bf16 --on-request
if why=$("$python" -c 'import torch, torchvision' 2>&1); then
	for mode in ${BENCH_FORMS-$forms}; do
		start "torch-$mode" "$python" "$torch" "$model" "$batch" \
		    "$mode" 0 "$threads" on-request
	done
else
	echo "  PyTorch's part is skipped: $(printf '%s' "$why" | tail -n 1)"
fi

${BENCH_READY:-:}
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
	printf "  %-23s %7.2f img/s (quartiles %.2f to %.2f, best %.2f), " \
	    "%.0f ms of CPU time\n", name, quantile(a, rounds, 0.5),
	    quantile(a, rounds, 0.25), quantile(a, rounds, 0.75), a[rounds],
	    1e3 * median_of(name, cpu)
}
# Ours against the best form of PyTorch.
function ratio(precision, goals,    ours, best, i, k, a, b, goal) {
	ours = "ours-" precision
	best = ""
	for (k = 1; k <= n; k++)
		if (index(names[k], "torch-" precision) == 1 && (best == "" ||
		    median_of(names[k], wall) < median_of(best, wall)))
			best = names[k]
	if (best == "" || !(ours in seen))
		return
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
	if (match(goals, model "=[0-9.]+")) {
		goal = substr(goals, RSTART, RLENGTH)
		sub(/.*=/, "", goal)
		printf "; goal %.1f", goal
	}
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
	ratio("fp32", "resnet50=1.6 vgg16=2")
	ratio("bf16", "resnet50=2.5 vgg16=2")
}' model="$model" "$tmp/times"
