# --protocol=dlperf: logs with the speeds that DLPerf published for PyTorch give
# its table, digit by digit; its mistakes are reproduced; where its script
# stops, the program continues.
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/logs.sh"

x=$bindir/extract_logs
mkdir "$tmp/w" && cd "$tmp/w" || exit 1

# log_of_sum SUM: a log of 131 iterations; the 100 lines that the script
# averages add up to SUM milliseconds.
log_of_sum() {
	awk -v sum="$1" 'BEGIN {
		for (i = 0; i <= 130; i++) {
			t = i == 0 ? 12.054 : 0.5
			if (i >= 26 && i <= 125)
				t = (int(sum / 100) + (i - 26 < sum % 100)) / 1000
			printf "Epoch: [0][%4d/5004]\tTime %6.3f (%6.3f)\t" \
			    "Data  0.106 ( 0.072)\t" \
			    "Loss 6.9828e+00 (6.9828e+00)\t" \
			    "Acc@1   0.78 (  0.78)\tAcc@5   1.56 (  1.56)\n",
			    i, t, t
		}
	}'
}

# The 30 runs of DLPerf's report on PyTorch (ResNet-50 v1.5, batch 128): case,
# run, samples/s.
cat >speeds <<'S'
4n8g 42 8940.3
4n8g 2 8468.23
4n8g 4 8781.78
4n8g 3 8648.47
4n8g 52 8851.62
4n8g 32 8654.31
4n8g 5 9046.34
4n8g 12 8973.6
4n8g 22 8515.95
4n8g 1 8853.15
1n1g 2 353.62
1n1g 4 354.44
1n1g 3 354.02
1n1g 5 354.47
1n1g 1 354.61
2n8g 2 4484.64
2n8g 4 4401.46
2n8g 3 4347.27
2n8g 5 4372.33
2n8g 1 4038.81
1n8g 2 2277.07
1n8g 4 2311.41
1n8g 3 2244.24
1n8g 5 2243.7
1n8g 1 2185.75
1n4g 2 1367.67
1n4g 4 1336.61
1n4g 3 1367.89
1n4g 5 1340.95
1n4g 1 1369.97
S
mkdir report
while read -r case run speed; do
	mkdir -p "report/$case"
	# Times are whole milliseconds, so their sum can be recovered.
	sum=$(echo "$case $speed" | awk '{
		split($1, a, "n"); g = a[1] * (a[2] + 0)
		printf "%d", g * 128 / $2 * 100000 + 0.5 }')
	log_of_sum "$sum" >"report/$case/r50_b128_fp32_$run.log"
done <speeds

# As in the report: a trailing slash loses the name.
"$x" --protocol=dlperf --log_dir report/ --warmup_batches 20 \
    --train_batches 120 --batch_size_per_device 128 >out 2>err
verdict "status 0" test $? -eq 0
dictionary() { sed -n '/^{/,/}}}$/p' out; }
check "the report's table, to the digit" dlperf-report.txt dictionary
verdict "each run's speed, to the digit" eval '
	sed -n "s,^report/\(....\)/r50_b128_fp32_\([0-9]*\).log {.*\<\2: \([0-9.]*\).*,\1 \2 \3,p" \
	    out | sort >got; sort speeds | diff - got'
verdict "it ends with the name of the result" eval '
	tail -1 out | grep -qx "Saving result to ./result/_result.json"'
verdict "the result is there" test -s result/_result.json
verdict "and no note was needed" test ! -s err
seed=$top_srcdir/../shared/seeds/004_647543eb0f4fd3d8.txt
if test -f "$seed"; then
	verdict "the report itself states so" eval '
	sed "s/^ *//" "$golden/dlperf-report.txt" >want
	sed -n "/^{.r50/,/}}}$/p" "$seed" | diff want -'
else
	skip "the report itself states so" "no report"
fi
"$x" --protocol=dlperf report --output_dir=named >out 2>&1
verdict "a name without a slash" test -s named/report_result.json
speedups() {
	tr '{}' '\n\n' <result/_result.json | sed -n 's/.*"speedup": //p' |
	    sort -n | tr '\n' ' '
}
verdict "the result's speedups" eval \
    'test "$(speedups)" = "1.0 3.86 6.33 12.34 24.88 "'

### Its mistakes

mkdir -p wrong/1n1g wrong/1n2g wrong/1n4g wrong/1n8g
for r in 1 2 3; do
	imagenet 131 t=0.4 >"wrong/1n1g/r50_b64_fp32_$r.log"
done
imagenet 131 t=12.054 >wrong/1n1g/r50_b64_fp32_4.log
imagenet 131 t=0.4 ranks=2 dr=0.1 dt=0.01 | sed 70d \
    >wrong/1n2g/r50_b64_fp32_1.log
imagenet 90 t=0.4 >wrong/1n4g/r50_b64_fp32_1.log
imagenet 131 t=0.5 >wrong/1n4g/r50_b64_fp32_2.log
imagenet 131 t=0.4 >wrong/1n8g/r50_b64_fp32_1.log
imagenet 131 t=0.2 >wrong/1n8g/r50_b64_amp_1.log
imagenet 131 t=0.2 >wrong/1n8g/r50_b32_fp32_2.log
"$x" --protocol=dlperf wrong 2>err >/dev/null
# Which of the two comes first depends on the file system.
twice="note: wrong/1n8g/r50_b64_[a-z0-9]*_1.log: has the model, folder and run \
number of wrong/1n8g/r50_b64_[a-z0-9]*_1.log; DLPerf counts only this one"
notes() { grep -v "$twice" err | sort; }
check "what is wrong is reported" dlperf-notes.txt notes
verdict "a run that takes another one's place is reported" grep -q "$twice" err
verdict "--quiet does not show" eval \
    'test -z "$("$x" -q --protocol=dlperf wrong 2>&1 >/dev/null)"'
misread() { "$x" -q --protocol=dlperf wrong | grep -o '\<4: [0-9.]*' | head -1; }
verdict "12.054 is read as 2.054" eval 'test "$(misread)" = "4: 31.16"'
zero() { "$x" -q --protocol=dlperf wrong | grep -c '1n4g.*\<1: 0[,}]'; }
verdict "a short log counts as 0" eval 'test "$(zero)" -ge 1'
mkdir -p nobase/1n4g nobase/2n8g
cp wrong/1n4g/r50_b64_fp32_2.log nobase/1n4g/
cp wrong/1n4g/r50_b64_fp32_1.log nobase/2n8g/
check "without 1n1g" dlperf-nobase.txt eval \
    '"$x" -q --protocol=dlperf nobase | sed "/^nobase/d"'
refuse "is reported" 0 "extract_logs: note: r50: there is no 1n1g, \
so DLPerf prints a speedup of 1.0 for all, *" \
    "$x" --protocol=dlperf nobase

### The same rule written a second time

same_as_rule() {
	rm -rf rule ours
	mkdir rule
	python3 "$top_srcdir/tests/e2e/dlperf_rule.py" "$1" rule "$2" "$3" \
	    >rule.out || return 1
	"$x" -q --protocol=dlperf "$1" --output_dir=ours --warmup_batches "$2" \
	    --train_batches "$3" >ours.out || return 1
	sed 's/ to ours/ to rule/' ours.out | diff rule.out - &&
	    cmp rule/*_result.json ours/*_result.json
}
if command -v python3 >/dev/null 2>&1; then
	mkdir -p glued/1n1g glued/1n16g
	for r in 1 2; do
		imagenet 60 epochs=3 ranks=2 dr=0.01 dt=0.003 |
		    awk 'NR % 9 == 0 { printf "%s", $0; next } { print }' \
		        >"glued/1n16g/vgg_b8_amp_$r.log"
		imagenet 140 base=1 dt=0.003 | sed 's/$/\r/' \
		    >"glued/1n1g/vgg_b8_amp_$r.log"
		imagenet 140 t=9.98 dt=0.01 >"glued/1n1g/r50_b8_amp_$r.log"
	done
	for tree in report report/ wrong nobase glued; do
		verdict "$tree as Python does it" same_as_rule "$tree" 20 120
		verdict "$tree with another window" same_as_rule "$tree" 3 61
	done
else
	skip "as Python does it" "no python3"
fi

### Where its script stops

mkdir -p stop/10n8g stop/1n1g stop/1n128g
cp wrong/1n1g/r50_b64_fp32_1.log stop/10n8g/
cp wrong/1n1g/r50_b64_fp32_1.log stop/1n128g/
cp wrong/1n1g/r50_b64_fp32_1.log stop/1n1g/
cp wrong/1n1g/r50_b64_fp32_1.log stop/1n1g/resnet_50_b64_fp32_1.log
cp wrong/1n1g/r50_b64_fp32_1.log stop/1n1g/r50_b64.log
printf 'Epoch: [0] no iteration\n' >stop/1n1g/r50_b64_fp32_2.log
printf '\377Epoch: [0][ 1/5]\n' >stop/1n1g/r50_b64_fp32_3.log
imagenet 131 t=0 >stop/1n1g/r50_b64_fp32_4.log
stops() { "$x" --protocol=dlperf stop 2>&1 >stop.out | sort; }
check "where it stops is reported" dlperf-stops.txt stops
"$x" -q --protocol=dlperf stop >/dev/null 2>&1
verdict "with status 3" test $? -eq 3
verdict "and the rest is done" grep -q "{1: 160.0}" stop.out
mkdir -p zeros/1n1g
for r in 1 2 3; do
	imagenet 50 >"zeros/1n1g/r50_b64_fp32_$r.log"
done
imagenet 131 >zeros/1n1g/r50_b64_fp32_4.log
# The median is 0; whether the script divides by it depends on which log is
# read last, so there are two right outcomes.
zeros() {
	"$x" --protocol=dlperf zeros >zeros.out 2>zeros.err
	case $? in
	3)	grep -q 'the median of 1n1g is 0' zeros.err;;
	0)	grep -q 'the last log of 1n1g counts as 0' zeros.err;;
	*)	return 1;;
	esac
}
verdict "a median of 0" zeros

### Two schemas under one name

tree both 2 1n1g 1n2g
"$x" -q both >/dev/null && cp result/both_result.json first.json
refuse "a result of ours is not replaced" 3 "extract_logs: cannot write \
'./result/both_result.json': it is a result of extract_logs, *" \
    "$x" -q --protocol=dlperf both
verdict "it stays" cmp first.json result/both_result.json
verdict "under another name it is written" "$x" -q --protocol=dlperf -o theirs both
cp theirs result/both_result.json
refuse "nor is one of DLPerf's" 3 "extract_logs: cannot write \
'result/both_result.json': it is JSON of another program; *" "$x" -q both
verdict "it stays too" cmp theirs result/both_result.json
rm -r result both

### Errors

refuse "no such folder" 3 "extract_logs: nowhere: cannot read the folder: *" \
    "$x" --protocol=dlperf nowhere
mkdir hollow
refuse "no log" 4 "extract_logs: hollow: there is no log such as *" \
    "$x" --protocol=dlperf hollow
mkdir -p none/1n1g && : >none/1n1g/a.log
refuse "no usable log" 4 "extract_logs: none: no log in it is usable" \
    "$x" --protocol=dlperf none
refuse "two folders" 2 "extract_logs: --protocol=dlperf: takes one folder, not 2" \
    "$x" --protocol=dlperf report wrong
refuse "an option that the script does not have" 2 \
    "extract_logs: --protocol=dlperf cannot be used with --rule" \
    "$x" --protocol=dlperf --rule=all report
finish
