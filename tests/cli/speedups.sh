# Speedup and efficiency compare work per second, so they are equal for every
# metric and unit that the logs allow. The trees are random; SEED=N TREES=N try
# others.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
x=$bindir/extract_logs
cd "$tmp" || exit 1

# random_tree SEED: make tree/ and print the options that it needs, if any. Its
# cases have 1 to 32 GPUs and 1 to 4 runs of one dialect and one batch size.
random_tree() {
	rm -rf tree
	mkdir tree
	awk -v seed="$1" 'function pick(n) { return int(rand() * n) }
	function head() {
		if (dialect == 2) print "step,samples_per_s" >f
		if (dialect == 3) print "step,tokens_per_s" >f
		if (dialect == 4) print "step,step_time_ms" >f
	}
	function line(i, t) {
		if (dialect == 0)
			printf "Epoch: [0][%4d/130]\tTime %6.3f (%6.3f)\tData  0.010 ( 0.011)\tLoss 6.9000e+00 (6.9000e+00)\tAcc@1   0.39 (  0.40)\tAcc@5   1.17 (  1.18)\n", i, t, t >f
		if (dialect == 1)
			printf "epoch: 0, progress: 1/1, step: %d, loss: 11.200911, ppl: 70513.382812, next_sent_acc: 0.520833, speed: %.6f steps/s, file: a.gz\n", i + 1, 1 / t >f
		if (dialect == 2)
			printf "%d,%.9g\n", i, batch * gpus / t >f
		if (dialect == 3)
			printf "%d,%.9g\n", i, 128 * batch * gpus / t >f
		if (dialect == 4)
			printf "%d,%.9g\n", i, 1000 * t >f
	}
	BEGIN {
		srand(seed)
		dialect = pick(5)
		batch = 2 ^ pick(9)
		split("1n1g 1n2g 1n4g 1n8g 2n8g 4n8g", names, " ")
		n_cases = 2 + pick(4)
		if (dialect == 3) print "--sequence-length=128"
		else print "-q"
		for (c = 1 + pick(2); c <= n_cases + 1; c++) {
			split(names[c], a, "n")
			gpus = a[1] * (a[2] + 0)
			dir = "tree/" names[c]
			system("mkdir -p " dir)
			n_runs = 1 + pick(4)
			for (r = 1; r <= n_runs; r++) {
				f = dir "/m_b" batch "_fp32_" r ".log"
				head()
				base = 0.2 + 0.3 * rand()
				for (i = 0; i < 130; i++)
					line(i, base * (1 + 0.01 * rand()))
				close(f)
			}
		}
	}'
}

# ratios OPTION...: print case, speedup, its interval and efficiency, one row
# per case; nothing if the logs do not allow it
ratios() {
	"$x" -q --format=csv -o /dev/null "$@" tree 2>>errors |
	    sed 's|"[^"]*"||g' | awk -F, 'NR > 1 { print $20, $14, $15, $16, $18 }'
}

# agree FILE FILE: true if the numbers are equal up to rounding in the last
# place that the log prints
agree() {
	paste -d' ' "$1" "$2" | awk '
	function near(a, b) {
		return a == b || (a - b) ^ 2 <= (1e-5 * a) ^ 2
	}
	NF != 10 && NF != 6 { bad = 1 }
	{ for (i = 2; i <= NF / 2; i++)
		if (!near($i, $(i + NF / 2))) bad = 1 }
	END { exit bad || NR == 0 }'
}

seed=${SEED:-1} last=$((${SEED:-1} + ${TREES:-20}))
bad=0 compared=0
while test "$seed" -lt "$last"; do
	options=$(random_tree "$seed")
	ratios "$options" >want
	test -s want || { bad=$((bad + 1)); echo "seed $seed: no case"; }
	for way in --metric=step-time --unit=samples/s --unit=iterations/s \
	    "--unit=tokens/s --sequence-length=128"; do
		# shellcheck disable=SC2086 # options
		ratios "$options" $way >got
		test -s got || continue
		compared=$((compared + 1))
		agree want got && continue
		bad=$((bad + 1))
		echo "seed $seed, $way:"
		paste want got
	done
	seed=$((seed + 1))
done >found 2>&1
verdict "every metric of 20 random trees gives one speedup" test "$bad" -eq 0
test "$bad" -eq 0 || comment found
verdict "and at least three metrics for each tree" \
    test "$compared" -ge $((3 * ${TREES:-20}))

# --- The example that was wrong, and its table ----------------------------------
rm -rf tree
mkdir -p tree/1n1g tree/1n8g
steps() {
	awk -v t="$1" 'BEGIN { print "step,step_time"
		for (i = 0; i < 130; i++) print i "," t }'
}
steps 0.359 >tree/1n1g/m_b128_fp32_1.log
steps 0.384 >tree/1n8g/m_b128_fp32_1.log
check "8 GPUs at 0.384 s a step against 0.359 s" speedups-steps.txt \
    "$x" -q --metric=step-time -o steps.json tree
"$bindir/report_results" --format=csv steps.json >out 2>err
verdict "report_results shows what the result states" grep -q '^,m,fp32,128,1,8,8,s,1,0.384,.*,7.479[0-9]*,.*,0.934[0-9]*,' out
finish
