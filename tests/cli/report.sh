# report_results: tables in all formats and languages, published figures with
# the same digits, mistakes.
. "$top_srcdir/tests/lib.sh"

report=$bindir/report_results
data=$top_srcdir/tests/cli/data
measured=$data/two-frameworks.json
published=$data/dlperf-resnet50.figures
unset NO_COLOR

for format in text markdown csv latex html; do
	for lang in en zh; do
		check "scaling, $format, $lang" "report-scaling-$lang.$format" \
		    "$report" --format=$format --lang=$lang "$measured"
	done
	check "comparison, $format" "report-comparison.$format" \
	    "$report" --table=comparison --format=$format "$measured"
done
check "comparison, Chinese" report-comparison-zh.txt \
    "$report" --table=comparison --lang=zh "$published"
check "published figures, CSV" report-published.csv \
    "$report" --table=comparison --format=csv "$published"
check "published figures, scaling" report-published-scaling.txt \
    "$report" --select=batch=160 --select=framework=TensorFlow "$published"
check "speedups, CSV" report-speedup.csv \
    "$report" --table=speedup --format=csv "$measured"
check "all tables" report-all.txt "$report" --table=all "$measured"

# --- the seed's tables, to the digit ----------------------------------------

# cells FILE...: the rows of Markdown tables without headers, blanks or rules.
cells() {
	sed 's/\r$//; /^|/!d; /^|[ :|-]*|$/d; s/ *| */|/g' "$@" |
	    grep -E '^\|[0-9]'
}
check "first table: 1机1卡" report-seed-speedup.md \
    "$report" --table=speedup --lang=zh --format=markdown \
    "$data/pytorch-v100.figures"
check "four comparisons: bsz = 160, 128, 64, 32" report-seed-comparison.md \
    "$report" --table=comparison --format=markdown "$published"
cells "$golden/report-seed-comparison.md" >"$tmp/ours"
cells "$published" >"$tmp/theirs"
verdict "comparisons: every cell as in the file" \
    cmp "$tmp/ours" "$tmp/theirs"
verdict "comparisons: 4 tables of 6 rows" \
    test "$(wc -l <"$tmp/ours")" -eq 24
shared=${DLSCALE_SHARED:-$top_srcdir/../shared}
seed=$(find "$shared/seeds" -name '003_*.txt' 2>/dev/null | head -n 1)
if test -n "$seed"; then
	cells "$golden/report-seed-speedup.md" \
	    "$golden/report-seed-comparison.md" >"$tmp/ours"
	cells "$seed" >"$tmp/theirs"
	verdict "the published report itself: every cell" \
	    diff "$tmp/theirs" "$tmp/ours"
else
	skip "the published report itself: every cell" "not here"
fi

# --- our own tables can be pasted back --------------------------------------

{
	echo 'model: resnet50'
	"$report" --table=comparison --format=markdown "$measured" |
	    grep '^|'
} >"$tmp/pasted.figures"
"$report" --table=comparison --format=markdown "$tmp/pasted.figures" |
    grep '^|' >"$tmp/again"
verdict "a Markdown table is read back as it was" \
    sh -c "grep '^|' \"$tmp/pasted.figures\" | cmp - \"$tmp/again\""

# --- many series --------------------------------------------------------------

# series N CASES: figures of N series of up to 10 cases
series() {
	awk -v n="$1" -v cases="$2" 'BEGIN {
		printf "model: m\n| nodes | GPUs |"
		for (i = 1; i <= n; i++) printf " f%d |", i
		for (k = 0; k < cases; k++) {
			gpus = 2 ^ k
			printf "\n| %d | %d |", (gpus > 8 ? gpus / 8 : 1), gpus
			for (i = 1; i <= n; i++) printf " %d |", 100 * gpus - i
		}
		print "" }'
}
series 9 6 >"$tmp/nine.figures"
verdict "more than four series are rows" eval '
    "$report" --table=comparison "$tmp/nine.figures" |
	grep -q "^f9  *91  *191  *391  *791  *1591  *3191$"'
series 9 10 >"$tmp/large.figures"
verdict "of many cases, tables of four series" eval '
    "$report" --table=comparison "$tmp/large.figures" >"$tmp/out"
    test "$(grep -c "^nodes  GPUs  *f[159]" "$tmp/out")" -eq 3 &&
	test "$(awk "{ print length }" "$tmp/out" | sort -n | tail -n 1)" -lt 80'
{
	echo 'model: m'
	echo '| nodes | GPUs | A | B | C |'
	echo '| 1 | 1 | 10 | 9 | - |'
	echo '| 1 | 2 | 19 | 17 | 7 |'
	echo '| 1 | 4 | 36 | 33 | 13 |'
} >"$tmp/bases.figures"
verdict "baselines name their series" eval '
    "$report" "$tmp/bases.figures" >"$tmp/out"
    grep -qx "baseline (A, B): 1n1g" "$tmp/out" &&
	grep -qx "baseline (C): 1n2g (1n1g is missing)" "$tmp/out"'
sed 's/"labels": {}/"labels": {"folder": "1gbit"}/' "$measured" \
    >"$tmp/folder.json"
verdict "the only label needs no key" eval '
    "$report" --select=framework=mxnet "$tmp/folder.json" |
	grep -qx "resnet50, mxnet, fp32, batch 128 per device, 1gbit"'
sed 's/"labels": {}/"labels": {"folder": "a", "level": "2"}/' "$measured" \
    >"$tmp/folder.json"
verdict "one of two labels has its key" eval '
    "$report" --select=framework=mxnet "$tmp/folder.json" |
	grep -q "folder=a, level=2"'
sed 's/"labels": {}/"labels": {"level": "2"}/' "$measured" >"$tmp/folder.json"
verdict "a number has its key" eval '
    "$report" --select=framework=mxnet "$tmp/folder.json" | grep -q "level=2"'

# --- next to each other ------------------------------------------------------

cat >"$tmp/mixed.figures" <<'EOF'
source: a paper
model: resnet50
precision: fp32
batch: 128
| nodes | GPUs | OneFlow | pytorch |
| ----- | ---- | ------- | ------- |
| 1     | 1    | 383.760 | OOM     |
| 1     | 4    |         | TODO    |
| 4     | 32   | 11548.451 | n/a   |
EOF
check "measured and published" report-mixed.txt \
    "$report" --table=comparison "$measured" "$tmp/mixed.figures"
check "measured and published, one table for machines" report-mixed.csv \
    "$report" --table=comparison --format=csv "$measured" "$tmp/mixed.figures"
check "two files with labels" report-labels.txt \
    "$report" --select=framework=mxnet "before=$measured" "after=$measured"
sed 's/"warmup_batches": 20/"warmup_batches": 10/' "$measured" \
    >"$tmp/ten.json"
refuse "different rules" 3 \
    "report_results: different rules: $measured: cases\[0\] (1n1g) has 'window skip 5 warm-up 20 *--allow-mixed" \
    "$report" "$measured" "$tmp/ten.json"
check "different rules side by side" report-unlike.txt \
    "$report" --allow-mixed --table=comparison --select=framework=mxnet \
    "$measured" "20=$tmp/ten.json"
sed 's,samples/s",tokens/s",; s/"pytorch"/"torch"/; s/"mxnet"/"mx"/' \
    "$measured" >"$tmp/tokens.json"
refuse "different units" 3 "report_results: different units: *" \
    "$report" "$measured" "$tmp/tokens.json"
check "different units side by side" report-units.txt \
    "$report" --allow-mixed --table=all "$measured" "$tmp/tokens.json"

# --- one series from several files -------------------------------------------

# only CASES FILE: write the measured result with these cases only, each its own
# baseline, as extract_logs does for one folder.
only() {
	python3 - "$measured" "$1" >"$2" <<'EOF'
import json, sys
r = json.load(open(sys.argv[1]))
r["cases"] = [c for c in r["cases"]
              if c["framework"] == "pytorch" and c["case"] in sys.argv[2]]
for c in r["cases"]:
    c.update(baseline=c["case"], speedup=1.0, efficiency=1.0, speedup_low=None,
             speedup_high=None, speedup_level=None)
json.dump(r, sys.stdout)
EOF
}
if command -v python3 >/dev/null 2>&1; then
	for c in 1n1g 1n2g 1n8g 2n8g; do only $c "$tmp/one-$c.json"; done
	"$report" --format=csv --select=framework=pytorch "$measured" \
	    >"$tmp/whole.csv"
	"$report" --format=csv "$tmp/one-2n8g.json" "$tmp/one-1n1g.json" \
	    "$tmp/one-1n8g.json" "$tmp/one-1n2g.json" >"$tmp/merged.csv"
	verdict "speedups over a series of four files" \
	    cmp "$tmp/whole.csv" "$tmp/merged.csv"
else
	skip "speedups over a series of four files" "no python3"
fi

# --- what stands below the table ----------------------------------------------

# shape FILE PYTHON: write the measured result with PYTHON applied to its
# pytorch cases. fit(): n and median of the runs, other numbers unknown.
shape() {
	python3 - "$measured" "$2" >"$1" <<'EOF'
import json, statistics, sys
def fit(c, **numbers):
    for key in ("average_speed", "harmonic_speed", "olympic_speed",
                "median_low", "median_high", "median_level", "speedup",
                "speedup_low", "speedup_high", "speedup_level", "efficiency"):
        c[key] = None
    c.update(n=len(c["runs"]), median_speed=statistics.median(
        run["value"] for run in c["runs"]), **numbers)
r = json.load(open(sys.argv[1]))
r["cases"] = [c for c in r["cases"] if c["framework"] == "pytorch"]
cases = {c["case"]: c for c in r["cases"]}
exec(sys.argv[2])
json.dump(r, sys.stdout)
EOF
}
if command -v python3 >/dev/null 2>&1; then
	# Two batch sizes, each with its own 1n1g: one of 5 runs and one of 3.
	shape "$tmp/base.json" '
import copy
small = copy.deepcopy([cases["1n1g"], cases["1n8g"]])
for c in small:
    c["batch_size_per_device"] = 64
small[0]["runs"] = small[0]["runs"][:3]
fit(small[0], median_level=0.75)
small[1]["runs"].append(dict(small[1]["runs"][0], run="6"))
fit(small[1], median_level=0.96875, speedup_level=0.9524)
r["cases"] += small'
	"$report" "$tmp/base.json" >"$tmp/base.txt"
	verdict "levels name the runs of the case's own baseline" \
	    grep -q '^interval of the speedup: 95.24 % CI with 6 and 3 runs$' \
	    "$tmp/base.txt"
	verdict "levels are named one by one, in lines of 80 columns" grep -q \
	    '^interval of the median: 75.00 % CI with 3 runs, 96.88 % CI with 6 runs; 95 %$' \
	    "$tmp/base.txt"
	verdict "levels are named one by one: the rest" grep -q \
	    '^    takes 6 runs$' "$tmp/base.txt"
	shape "$tmp/sure.json" 'r["rule"]["confidence"] = 0.999
for c in r["cases"]:
    fit(c, median_level=0.9375, speedup_level=0.99206)
cases["1n1g"]["speedup_level"] = None'
	"$report" "$tmp/sure.json" >"$tmp/sure.txt"
	verdict "5 runs cannot reach 99.9 %" grep -q \
	    '^interval of the median: 93.75 % CI with 5 runs; 99.9 % takes 11 runs$' \
	    "$tmp/sure.txt"
	verdict "5 runs cannot reach 99.9 %: of a ratio" grep -q \
	    '^interval of the speedup: 99.21 % CI with 5 and 5 runs; 99.9 % takes 7 runs of$' \
	    "$tmp/sure.txt"
	shape "$tmp/just.json" 'r["rule"]["confidence"] = 0.9375
for c in r["cases"]:
    fit(c, median_level=0.9375)'
	"$report" "$tmp/just.json" >"$tmp/just.txt"
	verdict "5 runs just reach 93.75 %" grep -qx \
	    'interval of the median: 93.75 % CI with 5 runs' "$tmp/just.txt"
	shape "$tmp/flags.json" '
for c in r["cases"][1:3]:
    for run in c["runs"][:3]:
        run["flags"] = ["sampled 1 of 10"]
cases["1n8g"]["runs"][4]["flags"] = ["stalls: 31.5 % of the time"]'
	check "flags: marks in cells, words below" report-flags.txt \
	    "$report" --table=all "$tmp/flags.json"
	"$bindir/plot_results" --format=gp -o - "$tmp/flags.json" \
	    >"$tmp/flags.gp"
	verdict "flags: in the chart too" grep -q \
	    'cases flagged\|flagged (open' "$tmp/flags.gp"
	shape "$tmp/bandwidth.json" '
for c in r["cases"]:
    c.update(unit="GB/s", baseline=None, speedup=None, speedup_low=None,
             speedup_high=None, speedup_level=None, efficiency=None)'
	verdict "bandwidth has no speedup chart" sh -c \
	    "\"$bindir/plot_results\" --format=gp -o - \"$tmp/bandwidth.json\" |
		grep -q '^# throughput, drawn'"
	refuse "bandwidth has no speedup chart, also when asked" 4 \
	    "plot_results: no case has a number for the chart 'speedup'*" \
	    "$bindir/plot_results" --chart=speedup -o - "$tmp/bandwidth.json"
fi

# --- numbers that are not there ---------------------------------------------

sed 's/"speedup": [0-9.]*/"speedup": null/; s/"efficiency": [0-9.]*/"efficiency": null/
s/"nodes": 2/"nodes": null/; s/"baseline": "1n1g"/"baseline": null/
s/"gpus": 16/"gpus": null/; s/"gpus_per_node": 8/"gpus_per_node": null/' \
    "$measured" >"$tmp/holes.json"
check "unknown numbers" report-holes.txt "$report" --table=all "$tmp/holes.json"
check "unknown numbers, CSV" report-holes.csv \
    "$report" --format=csv "$tmp/holes.json"

# --- no number that is none ---------------------------------------------------

sed 's/"value": [0-9.]*/"value": 9e99/
s/"\(samples_per_s\|median_[a-z]*\|[a-z]*_speed\|speedup[a-z_]*\)": [0-9.][0-9.]*/"\1": null/' \
    "$measured" >"$tmp/far.json"
sed 's/"value": [0-9.]*/"value": 2e-100/' "$tmp/far.json" >"$tmp/near.json"
for file in "$tmp/holes.json" "$tmp/far.json"; do
	for format in text markdown csv latex html; do
		for table in scaling comparison speedup law; do
			"$report" --table=$table --format=$format "$file"
		done
		"$report" --compare --detect=1% --format=$format "$file" \
		    "$tmp/near.json"
	done
	"$report" --compare --gate=slower:1% --format=junit "$file" \
	    "$tmp/holes.json"
	"$report" --compare --gate=slower:1% --format=github "$file" \
	    "$tmp/holes.json"
done >"$tmp/extreme" 2>&1
verdict "nothing shows nan or inf" \
    sh -c "test -s \"$tmp/extreme\" && ! grep -iwE 'nan|-?inf' \"$tmp/extreme\""

sed 's/"average_speed": [0-9.]*/"average_speed": 1e101/' "$measured" \
    >"$tmp/beyond.json"
refuse "a number that no program could measure" 3 \
    "report_results: $tmp/beyond.json: *.average_speed: 1e101 is above 1e+100" \
    "$report" "$tmp/beyond.json"
sed 's/"value": [0-9.]*/"value": 1e-101/' "$measured" >"$tmp/beyond.json"
refuse "a speed that is as good as none" 3 \
    "report_results: $tmp/beyond.json: *.value: 1e-101 is below 1e-100" \
    "$report" "$tmp/beyond.json"
for word in nan inf Infinity; do
	printf '| nodes | GPUs | A |\n| 1 | 1 | 5 |\n| 1 | 2 | %s |\n' $word \
	    >"$tmp/word.figures"
	"$report" --format=csv "$tmp/word.figures" >"$tmp/out"
	verdict "a reference value of $word is none" test \
	    "$(grep -ciwE 'nan|inf|infinity' "$tmp/out")" = 0 -a \
	    "$(grep -c ',n/a,' "$tmp/out")" = 1
done
for value in 1e101 1e-101; do
	printf '| nodes | GPUs | A |\n| 1 | 1 | %s |\n' $value \
	    >"$tmp/word.figures"
	refuse "a reference value of $value" 3 \
	    "report_results: $tmp/word.figures:2:*'$value' is beyond what a \
program could measure" "$report" "$tmp/word.figures"
done
printf '| nodes | GPUs | A |\n| 1 | 1 | 1e100 |\n' >"$tmp/word.figures"
verdict "a reference value of 1e100 is read" \
    "$report" -o "$tmp/word.csv" --format=csv "$tmp/word.figures"

# --- scaling laws -------------------------------------------------------------

printf '| nodes | GPUs | A |\n| 1 | 1 | 100.3 |\n| 1 | 2 | 197.1 |\n| 1 | 4 | 382.6 |\n| 1 | 8 | 729.4 |\n| 2 | 16 | 1301.8 |\n| 4 | 32 | 2088.5 |\n' \
    >"$tmp/law.figures"
check "laws" report-law.txt "$report" --table=law "$tmp/law.figures"
check "laws, CSV" report-law.csv \
    "$report" --table=law --format=csv "$tmp/law.figures"
# Less than one sample per second is a speed; one size has no fraction.
printf '| nodes | GPUs | A |\n| 1 | 1 | 0.1003 |\n| 1 | 2 | 0.1971 |\n| 1 | 4 | 0.3826 |\n| 1 | 8 | 0.7294 |\n| 2 | 16 | 1.3018 |\n| 4 | 32 | 2.0885 |\n' \
    >"$tmp/slow.figures"
"$report" --table=law "$tmp/slow.figures" >"$tmp/slow.txt"
verdict "a speed below one a second is a speed" \
    grep -qE '^Amdahl +0\.10084 ± 0\.00065 +0\.0171 ' "$tmp/slow.txt"
refuse "too few sizes for a law" 4 \
    "report_results: no case to show: Amdahl takes 4 sizes, there are 2" \
    sh -c "head -n 3 \"$tmp/law.figures\" >\"$tmp/short.figures\"
	\"$report\" --table=law \"$tmp/short.figures\""

# --- digits, files ----------------------------------------------------------

for pair in md:markdown tex:latex csv:csv html:html txt:text; do
	suffix=${pair%:*}
	"$report" -o "$tmp/out.$suffix" "$measured"
	verdict "the ending .$suffix states the format" \
	    cmp "$tmp/out.$suffix" "$golden/report-scaling-en.${pair#*:}"
done
verdict "from stdin to stdout" sh -c "\"$report\" -o - - <\"$measured\" |
	cmp - \"$golden/report-scaling-en.text\""
if command -v xmllint >/dev/null 2>&1; then
	verdict "HTML is well formed" \
	    sh -c "xmllint --html --noout \"$tmp/out.html\" 2>&1 |
		(! grep -q error)"
else
	skip "HTML is well formed" "no xmllint"
fi

# --- mistakes ---------------------------------------------------------------

refuse "no operand" 2 "report_results: missing operand: name logs, results of extract_logs, or files of reference values; try --help" "$report"
refuse "no such file" 3 \
    "report_results: cannot open '$tmp/none': No such file or directory" \
    "$report" "$tmp/none"
mkdir "$tmp/no-logs"
refuse "a folder without logs" 4 \
    "report_results: $tmp/no-logs: extract_logs cannot extract it" \
    "$report" "$tmp/no-logs"
refuse "no such table" 2 \
    "report_results: --table: unknown table 'pie'; --help lists all" \
    "$report" --table=scaling,pie "$measured"
refuse "two tables in CSV" 2 \
    "report_results: --format=csv holds one table, 2 were asked for" \
    "$report" --table=scaling,speedup --format=csv "$measured"
printf 'Epoch: [0][1/20] Time 0.3\n' >"$tmp/raw.log"
refuse "a raw log" 3 \
    "report_results: $tmp/raw.log: neither a result nor reference values nor a log that extract_logs can read" \
    "$report" "$tmp/raw.log"
printf '{"step": 1, "time": 0.3}\n' >"$tmp/raw.json"
refuse "a raw log of JSON lines" 3 "*: neither a result *extract_logs can read" \
    "$report" "$tmp/raw.json"
sed 's|dlscale-result/.|dlscale-result/3|' "$measured" >"$tmp/newer.json"
refuse "a newer schema" 3 \
    "report_results: $tmp/newer.json: schema: 'dlscale-result/3' is newer than 'dlscale-result/2', which this version reads: upgrade dlscale" \
    "$report" "$tmp/newer.json"
refuse "an empty file" 4 "report_results: $tmp/empty: it has no table of reference values" \
    sh -c ": >\"$tmp/empty\"; \"$report\" \"$tmp/empty\""
sed '/"cases": \[/,/^  \],/c "cases": [],' "$measured" >"$tmp/nocases.json"
refuse "a result without cases" 4 \
    "report_results: $tmp/nocases.json: no cases in it" \
    "$report" "$tmp/nocases.json"
refuse "nothing selected" 4 "report_results: no case is selected by *" \
    "$report" --select=model=vgg16 "$measured"
sed 's/"n": 5/"n": -1/' "$measured" >"$tmp/negative.json"
refuse "a wrong number in JSON" 3 \
    "report_results: $tmp/negative.json: cases\[0\].n: *" \
    "$report" "$tmp/negative.json"
printf 'model: a\n| nodes | GPUs | A |\n| 1 | one | 5 |\n' >"$tmp/one.figures"
refuse "a mistake in figures" 3 \
    "report_results: $tmp/one.figures:3:7: 'one' is not a count" \
    "$report" "$tmp/one.figures"
refuse "a mistake in figures: shown" 3 "      ^" "$report" "$tmp/one.figures"
refuse "a case twice" 3 "report_results: *the same case as*" \
    "$report" "$measured" "$measured"
refuse "digits that are none" 2 "report_results: --speedup-decimals: *" \
    "$report" --speedup-decimals=many "$measured"
refuse "a full disk" 3 "report_results: cannot write to stdout*" \
    sh -c "\"$report\" \"$measured\" >/dev/full"
mkdir "$tmp/locked.md"
refuse "a folder in the way" 3 \
    "report_results: cannot write '$tmp/locked.md'*" \
    "$report" -o "$tmp/locked.md" "$measured"
"$report" -o "$tmp/kept.md" --table=pie "$measured" 2>/dev/null
verdict "mistakes leave no file" test ! -e "$tmp/kept.md"
refuse "a table called x.xlsx" 2 \
    "report_results: --output: the suffix of '*x.xlsx' is that of another kind of file; *" \
    "$report" -o "$tmp/x.xlsx" "$measured"
# --- the page, but for its style and its script -------------------------------

# bare FILE...: the page without its style and script.
# shellcheck disable=SC2317 # called by check
bare() {
	"$report" --html "$@" | sed '/^<style>/,/<\/style>$/d
/^<script /,/<\/script>$/d; /http-equiv/d; s,'"$tmp"'/,,g'
}
if test -s "$tmp/flags.json"; then
	check "the page of runs with flags" report-page.html \
	    bare "$tmp/flags.json"
	"$report" --table=comparison "$tmp/flags.json" "$tmp/mixed.figures" \
	    >"$tmp/one-measured.txt"
	verdict "a rule that is unknown, next to one series with a rule" grep -q \
	    '^OneFlow, pytorch: published, measured by an unknown rule' \
	    "$tmp/one-measured.txt"
fi
# Axes over 1, 3 and 12 doublings; more series than colours; a series of one
# point and a count without a number, which give no line.
{
	printf 'model: m\n| nodes | GPUs | A | B | one |\n'
	printf '| 1 | 1 | 100 | 90 | 95 |\n| 1 | 2 | 190 | OOM | |\n'
	printf 'model: wide\n| nodes | GPUs |'
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do
		printf ' s%d |' $i
	done
	for gpus in 1 8; do
		printf '\n| 1 | %d |' $gpus
		for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do
			printf ' %d |' $((gpus * (90 + i)))
		done
	done
	printf '\nmodel: long\n| nodes | GPUs | A |\n'
	for gpus in 1 2 4 8 16 32 64 128 256 512 1024 2048 4096; do
		printf '| 1 | %d | %d |\n' $gpus $((gpus * 1000))
	done
} >"$tmp/page.figures"
# shellcheck disable=SC2317 # called by check
charts() {
	bare "$@" | sed -n '/^<svg/,/^<\/svg>/p'
}
check "the page's axes" report-page-axes.html charts "$tmp/page.figures"

# ticks FILE: the sizes below the first chart, in order
ticks() { "$report" --html "$1" | sed '/^<\/svg>/q' |
    sed -n 's/.*y="307" text-anchor="middle">\([0-9]*\)<.*/\1/p' | tr '\n' ' '; }
# drawn FILE: the number of charts
drawn() { "$report" --html "$1" | grep -c '^<svg viewBox="0 0 560 340"'; }
printf 'model: m\n| nodes | GPUs | A | B |\n| 1 | 1 | 10 | |\n| 1 | 2 | | 19 |\n| 1 | 4 | | 36 |\n| 1 | 8 | 70 | |\n' \
    >"$tmp/between.figures"
verdict "sizes of a second series stand between those of the first" \
    test "$(ticks "$tmp/between.figures")" = "1 2 4 8 "
printf 'model: lone\n| nodes | GPUs | A |\n| 1 | 1 | 90 |\n| 1 | 2 | OOM |\n' \
    >"$tmp/lone.figures"
printf 'model: same\n| nodes | GPUs | A |\n| 1 | 8 | 100 |\n| 8 | 8 | 90 |\n' \
    >"$tmp/same.figures"
verdict "one point is no line" test "$(drawn "$tmp/lone.figures")" -eq 0
verdict "two of one size are no line" test "$(drawn "$tmp/same.figures")" -eq 0
lead() { "$report" --html "$1" | sed -n '/class="lead"/,/<\/section>/p'; }
verdict "the finding is of the largest case with a number" sh -c '
	echo "$1" | grep -q "<strong>90" && ! echo "$1" | grep -q "<strong>OOM"
' - "$(lead "$tmp/lone.figures")"
# series N: a table of N series of two sizes
series() { awk -v n="$1" 'BEGIN {
	printf "model: m\n| nodes | GPUs |"
	for (i = 1; i <= n; i++) printf " s%d |", i
	for (g = 1; g <= 2; g++) {
		printf "\n| 1 | %d |", g
		for (i = 1; i <= n; i++) printf " %d |", 90 * g + i
	}
	print ""
}'; }
for k in 8 9; do series $k >"$tmp/series$k.figures"; done
verdict "a chart holds eight lines" eval '
	test "$(drawn "$tmp/series8.figures")" -gt 0 &&
	"$report" --html "$tmp/series9.figures" >"$tmp/many.html" &&
	grep -q "^<p>The charts show the <bdi>8</bdi> fastest of <bdi>9</bdi>" \
	    "$tmp/many.html"'
# models N: a table for each of N models
models() {
	awk -v n="$1" 'BEGIN { for (i = 1; i <= n; i++)
		printf "model: m%d\n| nodes | GPUs | A |\n| 1 | 1 | 9 |\n", i }'
}
for k in 1 4; do models $k >"$tmp/models$k.figures"; done
verdict "one finding is shown" test \
    "$(lead "$tmp/models1.figures" | grep -c '<details>')" -eq 0
verdict "others are folded away" test \
    "$(lead "$tmp/models4.figures" | grep -c '<details><summary>and <bdi>3</bdi> more')" -eq 1
{
	printf 'model: m\n| nodes | GPUs | A | B | C |\n'
	printf '| 1 | 1 | 100 | 120 | |\n| 1 | 8 | 720 | 792 | |\n| 2 | 16 | | | 5 |\n'
} >"$tmp/race.figures"
verdict "the finding: the fastest, its lead, the one that scales best" test \
    "$(lead "$tmp/race.figures" | sed -n 's/<[^>]*>//g
	s/&#160;/ /g; s/ is the fastest/&/p')" = \
    "B is the fastest on 8 GPUs: 792.00 samples/s, 10 % ahead of A (not proven: the intervals are not apart); A scales best: 90.0 %."
verdict "a strip of per cent for each of them" test \
    "$(lead "$tmp/race.figures" | grep -c '<td class="num bar">')" -eq 2
# The times of two frameworks have the framework in their first column.
"$bindir/extract_logs" -q -o "$tmp/times1.json" \
    "$top_srcdir/logs/dlscale-cpu" >"$tmp/out" 2>&1
sed 's/"framework": "dlscale"/"framework": "other"/' "$tmp/times1.json" \
    >"$tmp/times2.json"
verdict "times of two frameworks" eval '
	"$report" --table=times "$tmp/times1.json" "$tmp/times2.json" |
	    tr -s " " | grep "^other 1 2 0m21.420s"'

# 40 doubts about one file each, and one about all files: a drift.
"$bindir/extract_logs" -q -o "$tmp/doubt.json" \
    "$top_srcdir/logs/pytorch-cpu/1n1g" >"$tmp/out" 2>&1
i=0 doubts=
while test $((i += 1)) -le 40; do
	flag=$(echo $i | tr 0-9 a-j)
	sed "s/warm-up-in-window/flag-$flag/; s/of warm-up/flag $flag/" \
	    "$tmp/doubt.json" >"$tmp/doubt$i.json"
	doubts="$doubts $tmp/doubt$i.json"
done
# shellcheck disable=SC2086 # a list of files
"$report" --html $doubts >"$tmp/doubts.html"
verdict "the page names all doubts" test \
    "$(grep -c '^<li><bdi>.*<a href=.#case-' "$tmp/doubts.html")" = 41
verdict "of 40 cases of a doubt it names eight" eval '
	grep "^<li><bdi>steps take" "$tmp/doubts.html" |
	    grep -q "and <bdi>32</bdi> more" &&
	test "$(grep "^<li><bdi>steps take" "$tmp/doubts.html" |
	    grep -o "#case-" | wc -l)" = 8'

# An interval of zero width has no whisker.
awk -F: '/"median_speed"/ { m = $2 }
/"(median_(low|high)|value|samples_per_s|[a-z]*_speed)"/ { sub(/:.*/, ":" m) }
/"speedup"/ { s = $2 }
/"speedup_(low|high)": [0-9]/ { sub(/:.*/, ":" s) }
{ print }' "$tmp/times1.json" >"$tmp/exact.json"
whiskers() { "$report" --html "$1" | grep -c "h8m-4 0"; }
verdict "no whisker without an interval" test \
    "$(whiskers "$tmp/exact.json")" -eq 0 -a \
    "$(whiskers "$tmp/times1.json")" -gt 0

# The page lists what was excluded from the only result, with the reason.
mkdir -p "$tmp/odd" && cp -R "$top_srcdir/logs/pytorch-cpu/1n1g" "$tmp/odd/" &&
    echo "no log of anything" >"$tmp/odd/1n1g/resnet18_b4_fp32_9.log"
"$bindir/extract_logs" -q -o "$tmp/odd.json" "$tmp/odd" >"$tmp/out" 2>&1
"$bindir/report_results" --html -o "$tmp/odd.html" "$tmp/odd.json" 2>"$tmp/err"
verdict "the page lists what was excluded" \
    grep -q 'resnet18_b4_fp32_9\.log' "$tmp/odd.html"
# The time grows with the rows, not with their square: at most 8 s of CPU time.
{
	printf 'model: a\nbatch: 32\n| nodes | GPUs | A |\n|-|-|-|\n'
	awk 'BEGIN { for (i = 1; i <= 60000; i++) printf "| 1 | %d | 7 |\n", i }'
} >"$tmp/rows.figures"
verdict "a table of 60000 rows in seconds" sh -c \
    'ulimit -t 8 && "$1" "$2" >"$2.txt"' sh "$report" "$tmp/rows.figures"
# Only one of these can be requested.
ways="--environment --check --reproduce --published=1 --history=h.db --compare"
for one in $ways; do
	for other in ${ways#*"$one"}; do
		case $one$other in --reproduce--published=1) continue;; esac
		refuse "$one with $other" 2 "report_results: *exclude each other" \
		    "$report" "$one" "$other" "$tmp/none.json"
	done
done
finish
