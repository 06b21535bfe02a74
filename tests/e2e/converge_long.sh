# ResNet-18 on toy images, trained by train_imagenet and by PyTorch on the same
# files with the same settings and a few seeds each: the accuracies of both may
# differ by no more than those of seeds. A run takes some minutes on one core.
#
# SEEDS           which; default "1 2 3"
# CONVERGE_DIR keep images and logs there; existing ones are reused
#
# doc/convergence.md has more details, and the results.
. "$top_srcdir/tests/lib.sh"

seeds=${SEEDS:-1 2 3}
dir=${CONVERGE_DIR:-$tmp}
# One thread, because the threads of two programs that run at once would wait
# for each other.
OMP_NUM_THREADS=1
export OMP_NUM_THREADS
python=
for p in python3 /usr/bin/python3; do
	if test -z "$python" && $p -c 'import torchvision' 2>/dev/null; then
		python=$p
	fi
done

ours() {
	"$bindir/train_imagenet" --device=cpu --threads=1 -j 1 -a resnet18 \
	    --image-size 40 -b 20 --epochs 12 --lr 0.01 --lr-step 9 \
	    --seed "$1" "$dir/toy"
}
theirs() {
	$python "$top_srcdir/tests/e2e/torch_train.py" "$dir/toy" resnet18 \
	    40 20 12 0.01 9 "$1"
}
linear() {
	$python "$top_srcdir/tests/e2e/torch_train.py" "$dir/toy" linear \
	    40 20 12 0.0005 9 "$1"
}
# all PROGRAM: a log for each seed
all() {
	for seed in $seeds; do
		log=$dir/$1_$seed.log
		if test -s "$log"; then continue; fi
		"$1" "$seed" >"$log~" 2>&1 || {
			cat "$log~"
			return 1
		}
		mv "$log~" "$log"
	done
}
# Accuracies of all epochs, as in doc/convergence.csv.
table() {
	for seed in $seeds; do
		sed -n 's/^ \*   Acc@1 \([0-9.]*\) .*/\1/p' \
		    "$dir/$1_$seed.log" | awk -v name="$1" -v seed="$seed" \
		    '{ printf "%s,%d,%d,%s\n", name, seed, NR, $1 }'
	done
}
# Mean and deviation of the final accuracies of all seeds.
last() {
	awk -F, -v name="$1" '$1 == name { top[$2] = $4 } END {
		for (seed in top) { n++; sum += top[seed] }
		for (seed in top) squares += (top[seed] - sum / n) ^ 2
		printf "%.4f %.4f %d\n", sum / n, sqrt(squares / (n - 1)), n
	}' "$dir/convergence.csv"
}
# Welch's t of the two means. A seed's deviation is taken as at least one of 240
# images, so that a few seeds that agree by chance do not decide.
alike() {
	awk -v a="$(last ours)" -v b="$(last theirs)" 'BEGIN {
		split(a, x); split(b, y)
		image = 100 / 240
		t = (x[1] - y[1]) / sqrt((x[2] ^ 2 + image ^ 2) / x[3] + \
		    (y[2] ^ 2 + image ^ 2) / y[3])
		print "ours", a, "PyTorch", b, "t", t
		exit !(t >= -3 && t <= 3)
	}'
}
mean_at_least() { awk -v a="$(last "$1")" -v b="$2" 'BEGIN {
	split(a, x); print a; exit !(x[1] >= b) }'; }
mean_at_most() { ! mean_at_least "$@"; }

mkdir -p "$dir"
if ! test -d "$dir/toy" && ! "$bindir/make_toy_images" --plain --classes=4 \
    --train-per-class=240 --val-per-class=60 --size=48 "$dir/toy" \
    >"$tmp/out" 2>&1; then
	echo "1..0 # SKIP $(tail -n 1 "$tmp/out")"
	exit 0
elif "$bindir/train_imagenet" --dummy --device=cpu -e --val-batches 1 \
    -b 1 2>&1 | grep -q 'not built'; then
	echo "1..0 # SKIP device cpu was not built"
	exit 0
fi
verdict "train_imagenet trains with each seed" all ours
table ours >"$dir/convergence.csv"
if test -n "$python"; then
	verdict "PyTorch trains with each seed" all theirs
	verdict "PyTorch trains a linear model" all linear
	table theirs >>"$dir/convergence.csv"
	table linear >>"$dir/convergence.csv"
	verdict "both reach the same, but for the spread of the seeds" alike
	comment "$tmp/verdict"
	verdict "a linear model learns next to nothing" \
	    mean_at_most linear 40
else
	skip "as PyTorch does" "no torchvision for python3"
fi
verdict "60 % of four classes are reached" mean_at_least ours 60
comment "$tmp/verdict"
finish
