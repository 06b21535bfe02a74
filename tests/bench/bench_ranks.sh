#!/bin/sh
# Two ranks of one thread against one rank of two threads: ResNet-50 on
# synthetic data, the same total of images, free and bound to cores, in turns.
#
# usage: bench_ranks.sh [BATCH [STEPS]]
#
# BATCH (16) images in all, STEPS (10) steps a run, of which the first three do
# not count. Environment: BENCH_ROUNDS (5); BENCH_MODEL (resnet50);
# BENCH_PRECISIONS ("fp32 bf16"); BENCH_ALONE, a command that runs each round,
# such as one that waits until the machine is quiet. Prints medians over the
# rounds of a run's median step, and of the ratios within a round.
set -u
top_srcdir=${top_srcdir:-.} bindir=${bindir:-.}
batch=${1:-16} steps=${2:-10}
model=${BENCH_MODEL:-resnet50}
. "$top_srcdir/tests/namespaces.sh"
mpirun=$(find_open_mpi)
test -n "$mpirun" || {
	echo "bench_ranks: skipped: no mpirun of Open MPI"
	exit 0
}
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM

# one NAME RANKS PRECISION OPTION...: train; print the median step in ms
one() {
	name=$1 ranks=$2 precision=$3
	shift 3
	"$mpirun" -n "$ranks" "$@" "$bindir/train_imagenet" --dummy \
	    -a "$model" -b $((batch / ranks)) --threads=$((2 / ranks)) \
	    -j 1 --precision="$precision" --epochs 1 \
	    --batches-per-epoch "$steps" --val-batches 0 >"$tmp/log" \
	    2>"$tmp/err" || {
		echo "bench_ranks: $name: $(tail -n 1 "$tmp/err")" >&2
		exit 1
	}
	sed -n 's/^Epoch: .*Time *\([0-9.]*\).*/\1/p' "$tmp/log" | tail -n +4 |
	    sort -n | awk -v name="$name" '{ t[NR] = $1 } END {
		print name, 500 * (t[int((NR + 1) / 2)] + t[int(NR / 2) + 1]) }'
}
if test "${1-}" = round; then
	batch=$2 steps=$3 tmp=$4 precision=$5
	one threads-free 1 "$precision" --bind-to none
	one ranks-free 2 "$precision" --bind-to none
	one threads-bound 1 "$precision" --map-by slot:PE=2 --bind-to core
	one ranks-bound 2 "$precision" --bind-to core
	exit 0
fi

tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
echo "$model, $batch images in all, median step in ms; ratio: two ranks of a"
echo "thread over one rank of two threads, medians and range of the rounds"
for precision in ${BENCH_PRECISIONS:-fp32 bf16}; do
	round=0
	while test $round -lt "${BENCH_ROUNDS:-5}"; do
		round=$((round + 1))
		${BENCH_ALONE-} sh "$0" round "$batch" "$steps" "$tmp" \
		    "$precision" >"$tmp/round" || exit 1
		sed "s/^/$round /" "$tmp/round"
	done >"$tmp/times"
	awk -v precision="$precision" '
	function sort_values(a, n,    i, j, t) {
		for (i = 2; i <= n; i++) {
			t = a[i]
			for (j = i - 1; j >= 1 && a[j] > t; j--)
				a[j + 1] = a[j]
			a[j + 1] = t
		}
	}
	function median(a, n) {
		sort_values(a, n)
		return (a[int((n + 1) / 2)] + a[int(n / 2) + 1]) / 2
	}
	function form(how,    i, a, b, r) {
		for (i = 1; i <= n; i++) {
			a[i] = ms["threads-" how, i]
			b[i] = ms["ranks-" how, i]
			r[i] = b[i] / a[i]
		}
		printf "  %s %-5s threads %7.1f  ranks %7.1f  ", precision,
		    how, median(a, n), median(b, n)
		printf "ratio %.3f (", median(r, n)
		printf "%.3f to %.3f)\n", r[1], r[n]
	}
	{ ms[$2, $1] = $3; n = $1 }
	END { form("free"); form("bound") }' "$tmp/times"
done
