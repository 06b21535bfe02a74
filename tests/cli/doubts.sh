# Flags of runs reach comparisons, gates, speedups over the runs and charts; a
# result that contradicts itself is refused.
. "$top_srcdir/tests/lib.sh"
x=$bindir/extract_logs report=$bindir/report_results
cd "$tmp" || exit 1

# log FILE SEED WARM GPUS: 200 steps of 0.2 s, the first WARM three times as
# slow, with noise of 0.2 %; the case's time grows by 5 % from 1 GPU to 2.
log() {
	mkdir -p "${1%/*}"
	awk -v seed="$2" -v warm="$3" -v gpus="$4" 'BEGIN {
		srand(seed)
		for (i = 0; i < 200; i++) {
			t = (gpus == 1 ? 0.2 : 0.21) * (i < warm ? 3 : 1)
			t *= 1 + 0.002 * rand()
			printf "Epoch: [0][%3d/200]\tTime %9.6f (%9.6f)\tData  0.000 ( 0.001)\tLoss 6.9 (6.9)\n", i, t, t
		}
	}' >"$1"
}
for run in 1 2 3 4 5 6; do
	log "clean/1n1g/resnet50_b32_fp32_$run.log" "$run" 0 1
	log "clean/1n2g/resnet50_b32_fp32_$run.log" "1$run" 0 2
	log "slow/1n1g/resnet50_b32_fp32_$run.log" "2$run" 100 1
	log "slow/1n2g/resnet50_b32_fp32_$run.log" "3$run" 0 2
done
"$x" -q -o clean.json clean >clean.txt && "$x" -q -o slow.json slow >slow.txt
flat() { tr -d '\n' <"$1" | tr -s ' '; }

# --- a speedup over a baseline in doubt ---------------------------------------
verdict "in Chinese the baseline is named as in the table" sh -c "
    '$report' --lang=zh slow.json | grep -q '^.*: 加速比以 1机1卡 为基准'"
verdict "clean runs have no flags" eval '
	! grep -q "flags\|efficiency of" clean.txt &&
	! flat clean.json | grep -q "\"flags\": \[ *{"'
verdict "the table names the doubt of the baseline" eval '
	flat slow.txt | grep -q "the speedup is over 1n1g, of which 6 of 6 runs are in doubt: counts 75 steps of warm-up"'
verdict "and an efficiency above 100 %" eval '
	flat slow.txt | grep -q "an efficiency of [0-9.]* % is above 100 %, by its interval at least"'
verdict "the result has both by code" eval '
	flat slow.json | grep -q "\"code\": \"baseline-doubt\", \"args\": { \"case\": \"1n1g\", \"runs\": 6, \"all\": 6, \"flag\": { \"code\": \"warm-up-in-window\"" &&
	grep -q "\"code\": \"efficiency-too-high\"" slow.json'
verdict "a report, too" eval '
	"$report" slow.json | tr -s " \n" " " |
	    grep -q "the speedup is over 1n1g, of which 6 of 6 runs are in doubt"'
for part in 1n1g 1n2g; do
	"$x" -q -o "slow-$part.json" "slow/$part" >"$tmp/out"
done
verdict "of two results as well" eval '
	"$report" --format=csv slow-1n1g.json slow-1n2g.json |
	    grep -q "^.*1n2g.*the speedup is over 1n1g" ||
	"$report" slow-1n1g.json slow-1n2g.json | tr -s " \n" " " |
	    grep -q "the speedup is over 1n1g, of which 6 of 6"'
# A single run has no interval: up to 5 % above 100 % counts as noise.
single() {
	rm -rf one && mkdir -p one/1n1g one/1n2g &&
	    log one/1n1g/resnet50_b32_fp32_1.log 1 0 1 &&
	    awk -v f="$1" '{ sub(/Time .*Data/, sprintf("Time %9.6f (%9.6f)\tData", f, f)) } 1' \
	    one/1n1g/resnet50_b32_fp32_1.log >one/1n2g/resnet50_b32_fp32_1.log
	"$x" -q -o one.json one | tr -s ' \n' ' ' | grep -c "is above 100 %"
}
verdict "a single run: 4 % above 100 % is noise" test "$(single 0.1925)" -eq 0
verdict "a single run: 7 % is not" test "$(single 0.187)" -eq 1

# --- charts -------------------------------------------------------------------
# open_marks CHART RESULT...: print how many cases the note counts as flagged
open_marks() {
	chart=$1
	shift
	"$bindir/plot_results" --chart="$chart" --format=gp -o - "$@" |
	    sed -n 's/.*\([0-9]\) of \([0-9]\) cases flagged.*/\1 of \2/p' |
	    head -n 1
}
verdict "a chart of speeds opens the case in doubt" test \
    "$(open_marks throughput slow.json)" = "1 of 2"
verdict "one of speedups what is over it, too" test \
    "$(open_marks efficiency slow.json)" = "2 of 2"
verdict "one of a comparison counts both sides" test \
    "$(open_marks compare clean.json slow.json)" = "1 of 2"
verdict "and none of clean results" test \
    "$(open_marks compare clean.json clean.json)" = ""

# --- comparison and gates -----------------------------------------------------
"$report" --compare clean.json slow.json >compare.txt
verdict "a comparison names side, flag and share of runs" eval '
	grep -q "^1n1g .* slower .* a" compare.txt &&
	grep -q "^1n2g .*[0-9]$" compare.txt &&
	flat compare.txt | grep -q "a: new: counts 75 steps of warm-up: raise --warmup-batches (6 of 6 runs)"'
verdict "in CSV" eval '
	"$report" --compare --format=csv clean.json slow.json |
	    grep -q "^pytorch.*,1,1,1,samples.*counts 75 steps of warm-up"'
gate() {
	"$report" --compare --gate=slower:3% --select=gpus=1 "$@" clean.json \
	    slow.json >gate.out 2>gate.err
	echo $?
}
verdict "a gate warns by default" eval '
	test "$(gate)" -eq 0 && grep -q "^1n1g .* flagged " gate.out &&
	grep -q "warning: 1 of 1 gates are decided by numbers in doubt" gate.err'
verdict "--gate-flagged=fail" eval '
	test "$(gate --gate-flagged=fail)" -eq 1 &&
	grep -q "^1n1g .* flagged " gate.out'
verdict "--gate-flagged=ignore" eval '
	test "$(gate --gate-flagged=ignore)" -eq 1 &&
	grep -q "^1n1g .* failed " gate.out && test ! -s gate.err'
verdict "a refuted claim is flagged, too" eval '
	"$report" --compare --gate=faster:3% --select=gpus=1 \
	    --gate-flagged=fail clean.json slow.json >gate.out 2>gate.err;
	test $? -eq 1 && grep -q "^1n1g .* flagged " gate.out'
for form in junit:'<skipped message=".*new: counts 75 steps of warm-up' \
    github:'^::warning title=1n1g::.*new: counts 75 steps of warm-up' \
    csv:'flagged,.*new: counts 75 steps of warm-up' \
    json:'new: counts 75 steps of warm-up' \
    markdown:'new: counts 75 steps of warm-up'; do
	verdict "its flags as ${form%%:*}" eval '
		gate --format="${form%%:*}" >/dev/null
		grep -q "${form#*:}" gate.out'
done
# With few lines the gate names the flag, and its test includes the uncertainty.
sampled() { # FOLDER SECONDS
	for run in 1 2 3 4 5 6; do
		mkdir -p "$1/1n1g"
		awk -v seed="$run$2" -v s="$2" 'BEGIN {
			srand(seed)
			for (i = 0; i < 400; i += 10)
				printf "{\"epoch\": 0, \"step\": %d, \"step_time\": %.5f, \"batch_size\": 32}\n", i, s * (1 + 0.02 * rand())
		}' >"$1/1n1g/resnet50_b32_fp32_$run.log"
	done
	"$x" -q -o "$1.json" "$1" >/dev/null
}
sampled few-old 0.2 && sampled few-new 0.22
"$report" --compare --gate=slower:3% few-old.json few-new.json >gate.out 2>gate.err
rc=$?
verdict "runs that print 1 of 10 steps decide a gate" eval '
	test $rc -eq 1 && grep -q "^1n1g .* failed " gate.out &&
	flat gate.out | grep -q "new: prints 1 of 10 iterations (6 of 6 runs)" ||
	{ cat gate.out gate.err; false; }'
# Two printed steps in the window are 8.5 % longer than the clock of their lines
# shows: noise if the other steps vary as much, otherwise a contradiction.
noisy() { # CV
	rm -rf two && mkdir -p two/1n1g
	awk -v cv="$1" 'BEGIN {
		split("0.3 0 0 -1.2 0.4 -0.7 1.3 -0.2 -1.0 0.6 -0.5 0.9", s, " ")
		for (i = 0; i < 12; i++)
			printf "{\"epoch\": 0, \"step\": %d, \"step_time\": %.5f, \"timestamp\": %.3f, \"batch_size\": 32}\n", 50 * i, 0.2 * (1 + 0.085 * (i == 1 || i == 2) + cv * s[i + 1]), 1600000000.25 + 10 * i
	}' >two/1n1g/resnet50_b32_fp32_1.log
	"$x" -q -o two.json two >two.txt
}
noisy 0.001
verdict "steps that contradict their clock are flagged" eval '
	grep -q "\"code\": \"clock-contradicts\"" two.json || { cat two.txt; false; }'
noisy 0.1
verdict "unless they vary as much: an interval says so" eval '
	! grep -q "clock-contradicts\|window-off" two.json &&
	grep -q "\"half_width\": 0.[12]" two.json && grep -q "within ±[12]" two.txt ||
	{ cat two.txt; grep half_width two.json; false; }'
verdict "a gate of speedups names the baseline" eval '
	"$report" --gate="efficiency<0.5" slow.json 2>gate.err |
	    tr -s " \n" " " |
	    grep -q "1n2g efficiency<0.5 .* flagged .*over 1n1g, of which"'

# --- utilization --------------------------------------------------------------
mkdir -p mfu/1n1g && cp clean/1n1g/resnet50_b32_fp32_1.log mfu/1n1g
"$x" -q --peak-tflops=1 --table=metrics -o mfu.json mfu >mfu.txt
verdict "an MFU above 100 % is a flag" eval '
	flat mfu.txt | grep -q "mfu of [0-9.]* % is impossible" &&
	grep -q "\"code\": \"utilization-too-high\"" mfu.json &&
	"$report" mfu.json | tr -s " \n" " " | grep -q "% is impossible"'
"$x" -q --peak-tflops=100 -o mfu.json mfu >mfu.txt
verdict "one below is none" eval '! grep -q utilization mfu.json'

# --- numbers that do not follow -----------------------------------------------
# wrong KEY FACTOR: multiply the first number of KEY that is not null by FACTOR
wrong() {
	awk -v key="\"$1\":" -v by="$2" '$1 == key && $2 ~ /^[0-9]/ &&
	    (key != "\"speedup\":" || $2 + 0 != 1) && !n++ {
		$0 = "      " key " " sprintf("%.17g", $2 * by) ","
	} { print }' clean.json >wrong.json
}
for key in median_speed average_speed harmonic_speed olympic_speed median_low \
    median_high median_level speedup speedup_low speedup_high speedup_level \
    n gpus samples_per_s; do
	wrong "$key" 2
	for program in "$report" "$bindir/plot_results" "$x -o y.json"; do
		# shellcheck disable=SC2086 # words
		refuse "twice the $key: ${program##*/}" 3 \
		    "*: wrong.json: cases\[[01]\].*: *" $program wrong.json
	done
done
wrong efficiency 1.001
refuse "the number and what follows" 3 \
    "report_results: wrong.json: cases\[0\].efficiency: 1.001*, but its runs and those of '1n1g' give 1" \
    "$report" wrong.json
awk '/"([a-z]*_speed|speedup[a-z_]*)": [0-9]/ {
	$2 = sprintf("%.5g,", $2) } { print }' clean.json >cut.json
verdict "numbers with few digits are rounded ones" "$report" -o "$tmp/out" \
    cut.json
sed 's/"case": "1n2g"/"case": "2n2g"/' clean.json >wrong.json
refuse "a case of another name" 3 \
    "report_results: wrong.json: cases\[1\].case: '2n2g', but it has 1 nodes with 2 GPUs each" \
    "$report" wrong.json

finish
