# Every table in every form states the runs, how they were measured in plain
# words, the baseline and the level of the intervals.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
report=$bindir/report_results
data=$top_srcdir/tests/cli/data
measured=$data/two-frameworks.json

check "JSON" table-notes.json "$report" --format=json --table=speedup \
    --select=framework=mxnet "$measured"
check "a fragment of HTML" table-notes.html "$report" --format=html-fragment \
    --table=speedup --select=framework=mxnet "$measured"
"$report" --table=all -o "$tmp/all.json" "$measured" 2>"$tmp/err"
verdict "by the name of the file; all tables are one document" \
    python3 -c 'import json, sys
all = json.load(open(sys.argv[1]))["tables"]
assert len(all) > 4
for t in all:
    for row in t["rows"]:
        assert row.keys() == t["rows"][0].keys(), t["table"]
' "$tmp/all.json"

# lacks FILE TEXT...: report the texts that are not in the file.
lacks() {
	file=$1
	shift
	sed 's/\\allowbreak{}//g; s/\\%/%/g' "$file" | tr '\n' ' ' |
	    tr -s ' ' >"$tmp/one-line"
	for text; do
		grep -qF "$text" "$tmp/one-line" || echo "$file lacks '$text'"
	done
}
rule='iterations 25–124 of the first epoch, by time'
for format in text markdown latex html html-fragment; do
	: >"$tmp/lacking"
	for table in scaling speedup dlperf; do
		"$report" --table=$table --format=$format \
		    --select=framework=mxnet "$measured" >"$tmp/$table" 2>&1
		lacks "$tmp/$table" "$rule" "93.75 % CI with 5 runs" \
		    "96.83 % CI with 5 and 5 runs" "baseline: 1n1g"
	done >>"$tmp/lacking"
	for table in comparison law; do
		"$report" --table=$table --format=$format \
		    --select=framework=mxnet "$measured" >"$tmp/$table" 2>&1
		lacks "$tmp/$table" "$rule" "93.75 % CI with 5 runs"
	done >>"$tmp/lacking"
	"$report" --columns=framework --values=median,speedup \
	    --format=$format "$measured" >"$tmp/pivot" 2>&1
	lacks "$tmp/pivot" "$rule" "93.75 % CI with 5 runs" \
	    "baseline: 1n1g" >>"$tmp/lacking"
	"$report" --compare --gate=slower:1% --format=$format \
	    "$data/compare-old.json" "$data/compare-new.json" >"$tmp/gate" 2>&1
	lacks "$tmp/gate" "$rule" "96.83 % CI with 5 and 5 runs" \
	    "proof: p at most 0.025 by Holm (confidence 95 %)" >>"$tmp/lacking"
	verdict "$format" eval 'cat "$tmp/lacking"; test ! -s "$tmp/lacking"'
done
: >"$tmp/lacking"
for table in scaling speedup dlperf; do
	"$report" --table=$table --format=csv "$measured" >"$tmp/csv"
	head -1 "$tmp/csv" | tr -d '\r' | tr ',' '\n' >"$tmp/heads"
	for head in n median_level baseline speedup_level rule; do
		grep -qx $head "$tmp/heads" || echo "$table lacks $head"
	done >>"$tmp/lacking"
	grep -q 'window skip 5 warm-up 20 train 120' "$tmp/csv" ||
	    echo "$table has no rule" >>"$tmp/lacking"
done
verdict "csv" eval 'cat "$tmp/lacking"; test ! -s "$tmp/lacking"'
# The first and the last of three series share a rule, which is stated once.
sed 's/"skip_iterations": 5/"skip_iterations": 10/' "$measured" >"$tmp/skip.json"
"$report" --table=comparison --allow-mixed --format=markdown \
    --select=framework=mxnet "a=$measured" "b=$tmp/skip.json" "c=$measured" >"$tmp/rules"
verdict "a rule is stated once, with all that have it" sh -c '
	test "$(grep -c "^- measured: " "$1")" -eq 2 &&
	grep -q "^- measured: a, c: iterations 25" "$1" &&
	grep -q "^- measured: b: iterations 30" "$1"' - "$tmp/rules"
# The origin of the figures is below the last of the tables.
"$report" --table=dlperf "$data/dlperf-resnet50.figures" >"$tmp/origins"
verdict "the origin of the figures stands once, at the end" sh -c '
	test "$(grep -c "^published: DLPerf" "$1")" -eq 1 &&
	tail -n 1 "$1" | grep -q "^published: DLPerf"' - "$tmp/origins"
refuse "JSON is no form of a chart of a history's" 2 "report_results: *svg*" \
    "$report" --format=svg "$measured"
finish
