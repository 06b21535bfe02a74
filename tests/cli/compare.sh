# report_results --compare: two results case by case.  The runs are those of the
# unit test of comparisons, whose numbers R gives.
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

# forest OPTION...: the verdicts of the chart
forest() { "$plot" --terminal --chart=compare "$@" "$old" "$new"; }
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
verdict "--delta=0: no band" sh -c '! grep -q band: "$1"' - "$tmp/forest"
forest --confidence=0.995 >"$tmp/forest"
verdict "--confidence of the chart" grep -q '^ *4n8g.*too few' "$tmp/forest"
# intervals: what stands in brackets, without blanks
intervals() { sed -n 's/.*\(\[[0-9., ]*\]\).*/\1/p' "$1" | tr -d ' '; }
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
refuse "a picture too low for its cases" 2 \
    "plot_results: --size: 4 lines of cases * take 2?? pixels in height; *" \
    "$plot" --chart=compare --format=gp --size=800x200 -o - "$old" "$new"

verdict "--delta: within 5 % all are equivalent" sh -c \
    "test \$(\"$report\" --compare --delta=5% --format=csv \"$old\" \"$new\" |
	grep -c ',1,[124]n[18]g') -eq 3"
verdict "--confidence=0.99 takes more runs" sh -c \
    "\"$report\" --compare --confidence=0.995 \"$old\" \"$new\" |
	grep -q '^4n8g.*too few runs'"

# A level that is just what was asked for is reached; no width is no band.
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

# Two cases are the fewest that have a mean; one has none.
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
    "report_results: --compare takes two results, OLD and NEW, not 1" \
    "$report" --compare "$old"
refuse "one result: chart" 2 \
    "plot_results: --chart=compare takes two results, OLD and NEW, not 1" \
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

# Options of digits are those of ratios, in every form.
"$report" --compare --speedup-decimals=2 --digits=1 "$old" "$new" >"$tmp/digits"
verdict "--speedup-decimals and --digits" grep -qE \
    '^4n8g +2457\.8 +2399\.9 +0\.98 +\[0\.96, 0\.98\] +slower' "$tmp/digits"
"$report" --compare --speedup-digits=6 "$old" "$new" >"$tmp/digits"
verdict "--speedup-digits" grep -qE \
    ' 0\.976798 +\[0\.964765, 0\.979668\] +slower' "$tmp/digits"
verdict "of the mean, too" grep -qE '^ +0\.986683 +\[' "$tmp/digits"
"$report" --compare --gate=slower:1% --speedup-digits=6 "$old" "$new" \
    >"$tmp/digits"
verdict "of a gate's value" grep -q '^4n8g  slower:1%  0.976798 ' "$tmp/digits"
"$report" --compare --format=csv --digits=1 --speedup-decimals=2 "$old" \
    "$new" >"$tmp/digits"
verdict "in CSV" grep -q '^pytorch,resnet50,fp32,128,4,8,32,samples/s,5,5,'\
'2457\.8,2399\.9,0\.98,0\.96,0\.98,0\.968' "$tmp/digits"
sed 's/"skip_iterations": 5/"skip_iterations": 10/' "$new" >"$tmp/skip.json"
"$report" --compare --allow-mixed "$old" "new=$tmp/skip.json" | tr '\n' ' ' |
    tr -s ' ' >"$tmp/rules"
verdict "each of two rules is stated" grep -q 'measured: [^:]*: iterations '\
'25–124 .*measured: new: iterations 30–129 ' "$tmp/rules"
finish
