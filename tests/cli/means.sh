# If lines print a running mean next to a single step, a window's time is the
# difference of the sums, and every interval includes their rounding: random
# programs, periods, digits and hosts that run ahead of their device. SEED=N
# LOGS=N try others.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/logs.sh"
x=$(cd "$bindir" && pwd)/extract_logs
report=$(cd "$bindir" && pwd)/report_results
top=$(cd "$top_srcdir" && pwd)
cd "$tmp" || exit 1

mkdir random
python3 "$top/tests/cli/means.py" random "${SEED:-1}" "${LOGS:-300}"
"$x" -q --batch-size-per-device=32 -o random.json random >/dev/null
verdict "the truth lies between the ends of each run" \
    python3 "$top/tests/cli/means.py" --check random/truth random.json

# meters FORMAT EVERY PRINTED OTHER: print every EVERY-th of 400 iterations of
# PyTorch's example; these take PRINTED seconds each, the others OTHER.
meters() {
	awk -v f="$1" -v every="$2" -v p="$3" -v q="$4" 'BEGIN {
		for (i = 0; i < 400; i++) {
			t = i % every == 0 ? p : q
			sum += t
			if (i % every == 0)
				printf "Epoch: [0][%4d/400]\tTime " f " (" f \
				    ")\tData  0.000 ( 0.000)\tLoss 6.9e+00 " \
				    "(6.9e+00)\tAcc@1   0.00 (  0.00)\tAcc@5 " \
				    "  0.00 (  0.00)\n", i, t, sum / (i + 1)
		}
	}'
}
# run LOG ARGUMENT...: extract LOG to r.json.
run() {
	log=$1
	shift
	"$x" -q --batch-size-per-device=32 --nodes=1 --gpus-per-node=1 \
	    -o r.json "$log" "$@" >/dev/null
}
# between KEY LOW HIGH: the first number of KEY in r.json is in this range.
between() {
	got=$(sed -n "s/.*\"$1\": \([0-9.e-]*\),*$/\1/p" r.json | head -n 1)
	awk -v x="$got" -v l="$2" -v h="$3" 'BEGIN { exit !(x >= l && x <= h) }' ||
	    {
		echo "'$1' is '$got', not in $2 to $3"
		return 1
	}
}

# The printed steps take 56 ms, the others 25.6 ms.
meters "%6.3f" 10 0.056 0.0256 >ahead.log
run ahead.log
verdict "steps that are printed when the host waits" between value 1050 1180
verdict "the flag states what was taken" grep -q \
    "printed running means are used" r.json
verdict "and what rounding leaves open" grep -q "known to .* %" r.json
verdict "the case of one run has the interval of its rounding" eval \
    'between median_low 1000 1120 && between median_high 1120 1250'
meters "%6.3f" 10 0.0286 0.0286 >alike.log
run alike.log
verdict "steps that the means allow stand for them" grep -q \
    "the printed step times are used, and the running means confirm them" r.json

meters "%6.3f" 100 0.056 0.0285 >hundredth.log
"$x" -o r.json --batch-size-per-device=32 --nodes=1 --gpus-per-node=1 \
    hundredth.log >/dev/null 2>err
verdict "steps that the means around the window contradict are not taken" \
    grep -q "prints 1 of 100 iterations and too few in the window" err

# 0.880 has three decimals.
meters "%.3f" 50 0.88 0.88 >zeros.log
run zeros.log
verdict "trailing zeros are digits" eval \
    'between low 36.2 36.33 && between high 36.4 36.5'

# A job that prints a summary of its own.
mkdir job
{
	meters "%6.3f" 1 0.4 0.4
	echo "{'train_runtime': 80.0, 'train_samples_per_second': 70.5," \
	    "'train_steps_per_second': 2.2, 'epoch': 1.0}"
} >job.log
run job.log
verdict "a job's own figure that contradicts the window" grep -q \
    "the log's figure of the whole job is 70.5 samples/s, the window's" r.json
sed -i 's/70.5,/81.0,/' job.log
run job.log
verdict "and one that does not" eval '! grep -q "whole job" r.json'

# DeepSpeed: every tenth step stalls, but is not printed; the running mean
# continues across epochs and excludes the first two steps.
awk 'BEGIN {
	for (n = 1; n <= 260; n++) {
		t = n % 10 == 5 ? 1.1 : 0.1
		if (n > 2) sum += t
		if (n % 10 == 0)
			printf "[2023-04-18 01:46:59,171] [INFO] [timer.py:199:" \
			    "stop] epoch=%d/micro_step=%d/global_step=%d, " \
			    "RunningAvgSamplesPerSec=%.10f, " \
			    "CurrSamplesPerSec=320.0, MemAllocated=3.96GB\n",
			    (n > 60), n, n, 32 * (n - 2) / sum
	}
}' >deepspeed.log
run deepspeed.log
verdict "DeepSpeed's average next to its current rate" \
    between value 159.999 160.001
run deepspeed.log --epoch=1
verdict "which runs on through the epochs" between value 159.999 160.001

# bars T: write 5 runs of T seconds an iteration whose bars count whole seconds.
bars() {
	for r in 1 2 3 4 5; do
		awk -v t="$1" -v r="$r" 'BEGIN {
			for (n = 50; n <= 400; n += 50) {
				s = n * t + r / 10
				printf "\rTraining: %d%%|###| %d/400 [00:%02d<" \
				    "00:1%d, 4.88it/s]", n / 4, n, s, r
			}
		}' >"a_b32_fp32_$r.log"
	done
}
mkdir -p whole/1n1g whole/1n2g
(cd whole/1n1g && bars 0.205)
(cd whole/1n2g && bars 0.215)
"$x" -q --unit=iterations/s -o whole.json whole >/dev/null
cp whole.json r.json
verdict "a clock of whole seconds: the interval holds 4.88" eval \
    'between median_low 4 4.87 && between median_high 4.88 6'
verdict "and that of the speedup 1.907" eval '
got=$(sed -n "s/.*\"speedup_\(low\|high\)\": \([0-9.]*\),/\2/p" r.json |
    tr "\n" " ")
echo "$got" | awk "{ exit !(\$1 < 1.9 && \$2 > 1.91) }"'
"$x" -q --unit=iterations/s -o old.json --name=c whole/1n1g >/dev/null
mkdir -p slower && cp -r whole/1n2g slower/1n1g
"$x" -q --unit=iterations/s -o new.json --name=c slower/1n1g >/dev/null
"$report" --compare old.json new.json >compared
verdict "a comparison claims nothing inside the rounding" eval \
    'grep -q "no evidence" compared && ! grep -q slower compared'
"$report" --compare old.json new.json --gate=slower:3% >gated
verdict "and a gate proves nothing inside it" grep -q "not proven" gated
"$report" --compare old.json new.json --paired >paired
verdict "nor do pairs" eval '! grep -q slower paired'

# Steps of 5.6 ms, each printed as 0.006: their rounding does not average out.
mkdir -p coarse/1n1g
for r in 1 2 3; do
	awk 'BEGIN { for (i = 1; i <= 150; i++)
		printf "Epoch: [0][%3d/150]\tTime  0.006 ( 0.006)\t" \
		    "Data  0.000 ( 0.000)\tLoss 1.0 (1.0)\n", i
	}' >"coarse/1n1g/a_b32_fp32_$r.log"
done
"$x" -q -o r.json coarse >table
verdict "steps printed as one coarse number: the interval holds 5,714" eval \
    'between median_low 4900 5333 && between median_high 5714 5820'
verdict "and a flag says how coarse" grep -q "known to 8.3 %" table

# The first mean of a log that starts late covers more than its own line.
awk 'BEGIN {
	for (i = 2000; i <= 2100; i += 20)
		printf "| Training Device=xla:0/0 Epoch=1 Step=%d Loss=0.1 Rate=" \
		    "100.00 GlobalRate=%.2f Time=07:31:43\n", i,
		    100 * (i + 1) / (i + 1 + 2000)
}' >late.log
run late.log --rule=all
verdict "a first line that starts late does not count its own" \
    between value 99 101
finish
