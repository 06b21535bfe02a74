# report_results --compare: two results, case by case. The runs are those of the
# unit test of comparisons, with reference values from R.
. "$top_srcdir/tests/lib.sh"

report=$bindir/report_results
plot=$bindir/plot_results
old=$top_srcdir/tests/cli/data/compare-old.json
new=$top_srcdir/tests/cli/data/compare-new.json

check "comparison" compare.txt "$report" --compare --detect=1% "$old" "$new"
check "comparison, Markdown" compare.md \
    "$report" --compare --format=markdown "$old" "$new"
check "comparison, CSV" compare.csv \
    "$report" --compare --format=csv --detect=0.01 "$old" "$new"
check "comparison, Chinese, labels" compare-zh.txt \
    "$report" --compare --lang=zh "v1=$old" "v2=$new"
check "pairs" compare-paired.txt "$report" --compare --paired "$old" "$new"
check "nothing is faster than itself" compare-same.txt \
    "$report" --compare --select=framework=pytorch "$old" "$old"
check "a chart of it" compare.gp "$plot" --chart=compare --format=gp -o - \
    "$old" "$new"
check "a chart of it in a terminal" compare-terminal.txt \
    env COLUMNS=90 "$plot" --terminal --chart=compare "$old" "$new"
check "a chart of it in a narrow terminal" compare-narrow.txt \
    env COLUMNS=44 "$plot" --terminal --chart=compare --lang=zh --delta=1% \
    "$old" "$new"

# forest OPTION...: print the chart of the comparison
forest() { COLUMNS=120 "$plot" --terminal --chart=compare "$@" "$old" "$new"; }
verdict "the chart has the ratios and verdicts of the table" sh -c \
    '"$1" --compare "$3" "$4" | sed -n "/\]/s/.*\] *\([a-z, ]*[a-z]\)  .*/\1/p" \
	>"$5/table"
     "$2" --terminal --chart=compare "$3" "$4" | sed -n "s/.*\] *\([a-z]\)/\1/p" \
	>"$5/chart"
     test "$(wc -l <"$5/chart")" -eq 3 && cmp "$5/table" "$5/chart"' \
    - "$report" "$plot" "$old" "$new" "$tmp"
forest --delta=5% >"$tmp/forest"
verdict "--delta of the chart" test "$(grep -c equivalent "$tmp/forest")" -eq 3
forest --delta=0 >"$tmp/forest"
verdict "--delta=0: no band" sh -c '! grep -q grey: "$1"' - "$tmp/forest"
forest --confidence=0.995 >"$tmp/forest"
verdict "--confidence of the chart" grep -q '^ *4n8g.*too few' "$tmp/forest"
# intervals FILE: the intervals in brackets, to two decimals: in the chart all
# ratios have the decimals of the most precise one.
intervals() {
	sed -n 's/.*\(\[[0-9., ]*\]\).*/\1/p' "$1" | tr -d ' []' |
	    awk -F, '{ printf "%.2f,%.2f\n", $1, $2 }'
}
"$report" --compare --paired "$old" "$new" >"$tmp/table"
forest --paired >"$tmp/forest"
intervals "$tmp/table" >"$tmp/of-table"
intervals "$tmp/forest" >"$tmp/of-forest"
verdict "--paired of the chart" cmp "$tmp/of-table" "$tmp/of-forest"
forest >"$tmp/forest"
intervals "$tmp/forest" >"$tmp/of-forest"
verdict "--paired changes it" sh -c '! cmp -s "$1" "$2"' - \
    "$tmp/of-table" "$tmp/of-forest"
for option in --delta=1% --paired --confidence=0.9; do
	refuse "$option without a comparison" 2 \
	    "plot_results: ${option%=*}: only with --chart=compare" \
	    "$plot" "$option" -o - "$new"
done
verdict "a picture too low for its title" eval '
    "$plot" --chart=compare --format=gp --size=800x130 -o - \
	--title="$(printf "word %.0s" $(seq 100))" "$old" "$new" >"$tmp/low.gp" &&
	grep -q "^TITLE = ..\$" "$tmp/low.gp" && grep -q "^N = 1\$" "$tmp/low.gp"'

verdict "--delta: within 5 % all are equivalent" sh -c \
    "test \$(\"$report\" --compare --delta=5% --format=csv \"$old\" \"$new\" |
	grep -c ',1,[124]n[18]g') -eq 3"
verdict "--confidence=0.99 takes more runs" sh -c \
    "\"$report\" --compare --confidence=0.995 \"$old\" \"$new\" |
	grep -q '^4n8g.*too few runs'"

# A level equal to the confidence is sufficient; --delta=0 gives no band.
"$report" --compare --paired --confidence=0.9375 "$old" "$new" >"$tmp/reached"
verdict "a level that is just reached takes no more pairs" grep -qx \
    'interval of the ratio: 93.75 % CI with 5 pairs' "$tmp/reached"
"$report" --compare --delta=0 "$old" "$new" >"$tmp/no-band"
verdict "--delta=0 means no equivalence" sh -c \
    'grep -q "^ratio of speeds" "$1" && ! grep -q ^equivalent: "$1"' - \
    "$tmp/no-band"
measured=$top_srcdir/tests/cli/data/two-frameworks.json
"$report" --compare "$measured" "$measured" >"$tmp/groups"
verdict "each framework stands above its cases once" sh -c '
	test "$(grep -cx pytorch "$1")" -eq 1 &&
	test "$(grep -cx mxnet "$1")" -eq 1' - "$tmp/groups"

# A geometric mean needs at least two cases.
"$bindir/extract_logs" -q -o "$tmp/two.json" "$top_srcdir/logs/pytorch-cpu" \
    >"$tmp/out" 2>&1
"$report" --compare "$tmp/two.json" "$tmp/two.json" >"$tmp/of-two"
verdict "p adjusted for two cases" \
    grep -qE '^1n1g .* no evidence +1 +1 +5( |$)' "$tmp/of-two"
verdict "a geometric mean of two cases" grep -q '^geometric mean' "$tmp/of-two"
"$bindir/extract_logs" -q -o "$tmp/one.json" \
    "$top_srcdir/logs/pytorch-cpu/1n1g" >"$tmp/out" 2>&1
"$report" --compare "$tmp/one.json" "$tmp/one.json" >"$tmp/of-one"
verdict "no p adjusted for one case" \
    grep -qE '^1n1g .* no evidence +1 +5( |$)' "$tmp/of-one"
verdict "no geometric mean of one case" sh -c \
    'grep -q ^1n1g "$1" && ! grep -q "geometric mean" "$1"' - "$tmp/of-one"

refuse "one result" 2 \
    "report_results: --compare takes two results, OLD and NEW, not 1*" \
    "$report" --compare "$old"
refuse "one result: chart" 2 \
    "plot_results: --chart=compare takes two results, OLD and NEW, not 1*" \
    "$plot" --chart=compare -o - "$old"
refuse "--delta without --compare" 2 \
    "report_results: --delta is of --compare, not of tables" \
    "$report" --delta=2% "$old"
for bad in 2 -1% x% 100.1% '' 1; do
	refuse "--delta=$bad" 2 \
	    "report_results: --delta: '$bad' is not a share such as 2% or 0.02" \
	    "$report" --compare --delta="$bad" "$old" "$new"
done
refuse "--detect=0" 2 "report_results: --detect: the change must be above 0" \
    "$report" --compare --detect=0% "$old" "$new"
sed 's/"warmup_batches": 20/"warmup_batches": 10/' "$new" >"$tmp/rule.json"
verdict "cases of one result alone are named" \
    grep -q 'not drawn: 8n8g (only in old),' "$golden/compare-terminal.txt"
refuse "different rules" 3 "report_results: different rules: *--allow-mixed" \
    "$report" --compare "$old" "$tmp/rule.json"
sed 's/"batch_size_per_device": 128/"batch_size_per_device": 64/' "$new" \
    >"$tmp/batch.json"
refuse "different batch sizes" 3 \
    "report_results: different batch sizes: *--allow-mixed to compare them" \
    "$report" --compare "$old" "$tmp/batch.json"
verdict "different batch sizes, admitted" \
    "$report" --compare --allow-mixed "$old" "$tmp/batch.json"
sed 's/"flags": \[\]/"flags": [], "device": "A100"/' "$old" >"$tmp/a100.json"
sed 's/"flags": \[\]/"flags": [], "device": "H100"/' "$new" >"$tmp/h100.json"
refuse "different devices" 3 "report_results: different devices: *--allow-mixed*" \
    "$report" --compare "$tmp/a100.json" "$tmp/h100.json"
refuse "different devices: chart" 3 "plot_results: different devices: *" \
    "$plot" --chart=compare -o - "$tmp/a100.json" "$tmp/h100.json"
sed 's/"framework": "pytorch"/"framework": "mxnet"/' "$new" >"$tmp/other.json"
refuse "nothing in common" 4 "report_results: no case is in both results*" \
    "$report" --compare "$old" "$tmp/other.json"

# --speedup-decimals applies to ratios in every format.
"$report" --compare --speedup-decimals=6 "$old" "$new" >"$tmp/digits"
verdict "--speedup-decimals" grep -qE \
    ' 0\.976798 +\[0\.964765, 0\.979668\] +slower' "$tmp/digits"
verdict "of the mean, too" grep -qE '^ +0\.986683 +\[' "$tmp/digits"
"$report" --compare --gate=slower:1% --speedup-decimals=6 "$old" "$new" \
    >"$tmp/digits"
verdict "of a gate's value" grep -q '^4n8g  slower:1%  0.976798 ' "$tmp/digits"
"$report" --compare --format=csv --speedup-decimals=2 "$old" "$new" \
    >"$tmp/digits"
verdict "in CSV" grep -q ',0\.98,0\.96,0\.98,0\.968' "$tmp/digits"
sed 's/"skip_iterations": 5/"skip_iterations": 10/' "$new" >"$tmp/skip.json"
"$report" --compare --allow-mixed "$old" "new=$tmp/skip.json" | tr '\n' ' ' |
    tr -s ' ' >"$tmp/rules"
verdict "each of two rules is stated" grep -q 'measured: [^:]*: iterations '\
'25–124 .*measured: new: iterations 30–129 ' "$tmp/rules"

# Sessions. log FILE STAMP HOST MS: write a log with this start and host
log() {
	mkdir -p "${1%/*}"
	awk -v stamp="$2" -v host="$3" -v ms="$4" -v salt="$1" 'BEGIN {
		if (stamp != "") print stamp " INFO start"
		if (host != "") print "HOSTNAME=" host
		for (i = 1; i <= 140; i++) {
			step = ms + (i + length(salt)) % 3
			sum += step
			printf "Epoch: [0][%d/400]\tTime %.3f (%.3f)\tData 0.001" \
			    " (0.001)\tLoss 6.9e+00 (6.9e+00)\tAcc@1 0.00 " \
			    "(0.00)\tAcc@5 0.00 (0.00)\n", i, step / 1000,
			    sum / i / 1000
		} }' >"$1"
}
# extract NAME: write NAME.json from the logs in NAME
extract() {
	"$bindir/extract_logs" -q --model=resnet50 --precision=fp32 --nodes=1 \
	    --gpus-per-node=1 --batch-size-per-device=32 -o "$1.json" "$1" \
	    >/dev/null
}
cd "$tmp" || exit 1
for i in 1 2 3 4 5 6; do
	log "first/$i.log" "2026-11-01 08:0$i:00,5" "" $((250 + i))
	log "second/$i.log" "2026-11-02 08:0$i:00,5" "" $((260 + i))
	log "a/$i.log" "2026-11-0${i}T08:00:00Z" "" $((240 + 3 * i))
	log "b/$i.log" "2026-11-0${i}T08:30:00Z" "" $((246 + 3 * i))
	log "host/$i.log" "2026-11-0${i}T08:15:00Z" "n2" $((260 + 3 * i))
	log "own/$i.log" "2026-11-0${i}T08:45:00Z" "n1" $((240 + 3 * i))
	log "none/$i.log" "" "" $((250 + i))
done
for i in first second a b host own none; do
	extract "$i"
done
verdict "a run has its start" sh -c 'grep -q \
    "\"started\": \"2026-11-01 08:01:00,5\"" first.json &&
    grep -q "\"host\": \"n2\"" host.json && ! grep -q session none.json'
blocks="all old runs before all new ones: a drift of the machine counts as a"
"$report" --compare --gate=slower:1% first.json second.json >out
verdict "blocks: next to the verdict, and of the gate" sh -c '
    grep -q "slower \* " out && test "$(grep -c "^\*: $1" out)" -eq 2' - "$blocks"
"$report" --compare second.json first.json >out
verdict "the other way round" grep -q "all new runs before all old ones" out
"$report" --compare --format=csv first.json second.json >out
verdict "blocks in CSV" grep -q ",runs-in-blocks," out
"$report" --compare --lang=zh first.json second.json >out
verdict "blocks in Chinese" grep -q "old 的所有次运行都先于 new" out
for format in junit github; do
	"$report" --compare --gate=slower:1% --format=$format first.json \
	    second.json >out
	verdict "blocks in $format" grep -q "$blocks change" out
done
for pair in "a b" "none first" "first none" "own a" "first a"; do
	# shellcheck disable=SC2086 # two words
	"$report" --compare ${pair% *}.json ${pair#* }.json >out
	verdict "nothing is claimed: $pair" sh -c '! grep -q "\*" out'
done
"$report" --compare own.json host.json >out
verdict "hosts" grep -q "^\*: old and new ran on different hosts: a" out
"$report" --compare --sessions --gate=slower:1% first.json second.json >out
verdict "one session proves nothing" test "$(grep -c "too few sessions" out)" -eq 2
"$report" --compare --sessions a.json b.json >out
verdict "sessions as units" sh -c 'grep -q "no evidence *0.* 6$" out &&
    grep -q "95.89 % CI with 6 and 6 runs" out &&
    grep -q "each run stands for a session" out'
"$report" --compare --sessions --paired a.json b.json >out
verdict "sessions as pairs" grep -q "slower.* 0.031  *6$" out
"$report" --sessions a.json >out
verdict "sessions of a table" grep -q "each run stands for a session" out
refuse "a run of unknown session" 3 \
    "report_results: none.json: 1n1g: --sessions: the log of run 1 (1.log) states neither*" \
    "$report" --sessions none.json
# Labels that only name the results do not separate their cases.
sed 's/"labels": {}/"labels": {"label": "old"}/' "$old" >"$tmp/labelled-old.json"
sed 's/"labels": {}/"labels": {"label": "new", "fusion": "64"}/' "$new" \
    >"$tmp/labelled-new.json"
"$report" --compare "$old" "$new" >"$tmp/want"
"$report" --compare "$tmp/labelled-old.json" "$tmp/labelled-new.json" \
    >"$tmp/got" 2>"$tmp/err"
verdict "labels that differ are named" sh -c \
    'grep -qx "label: old (old) against new (new)" "$1/got" &&
	grep -qx "fusion: - (old) against 64 (new)" "$1/got"' - "$tmp"
verdict "all else is as without them" sh -c \
    'grep -v " against " "$1/got" | cmp - "$1/want"' - "$tmp"
sed 's/"labels": {}/"labels": {"label": "x"}/;t' "$new" |
    awk '/"label": "x"/ && ++n > 1 { sub("x", "y") } { print }' \
    >"$tmp/two.json"
"$report" --compare --by=framework "$old" "$tmp/other.json" >"$tmp/got"
verdict "results are compared that differ in framework" \
    grep -q "^framework: pytorch (old) against mxnet (new)" "$tmp/got"
refuse "which the message names" 4 \
    "report_results: no case is in both results: they differ in framework; \
--by=framework ignores it" \
    "$report" --compare "$old" "$tmp/other.json"
refuse "--by of an unknown key" 2 "report_results: --by: 'x' is neither *" \
    "$report" --compare --by=x "$old" "$new"
refuse "--by of one value" 2 \
    "report_results: --by=model: all cases have the value *" \
    "$report" --compare --by=model "$old"
refuse "labels with two values in a result are of its cases" 4 \
    "report_results: no case is in both results: *" \
    "$report" --compare "$tmp/labelled-old.json" "$tmp/two.json"
# Each log operand is a separate result, not a run of one result.
for i in 1 2; do
	log "pair/1n1g_resnet50_b32_fp32_$i.log" "" "" $((200 * i))
done
"$report" --compare pair/*.log >out 2>err
verdict "two logs are compared" grep -q "^1n1g .* 0\.50[0-9]* .* 1  *1$" out
mv pair/1n1g_resnet50_b32_fp32_2.log pair/1n1g_resnet50_b32_fp16_2.log
"$report" --compare --by=precision pair/* >out 2>err
verdict "two logs of one result are its two values" \
    grep -q "^1n1g .* [12]\.[09][0-9]* .* 1  *1$" out
finish
