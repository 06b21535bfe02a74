# report_results --check: published tables against their own numbers and against
# results, and published tables as operands of the other tables.
. "$top_srcdir/tests/lib.sh"

report=$bindir/report_results
data=$top_srcdir/tests/cli/data
cp "$data"/published-check.* "$data/dlperf-written.json" "$tmp/"
cd "$tmp" || exit 1
case $report in /*) ;; *) report=$OLDPWD/$report;; esac
case $golden in /*) ;; *) golden=$OLDPWD/$golden;; esac

# any STATUS COMMAND...: print its output, and its status if it is not STATUS
any() {
	expected=$1
	shift
	"$@" 2>&1
	got=$?
	test $got -eq "$expected" || echo "status $got, not $expected"
}

check "cells that do not follow" check-md.txt \
    any 1 "$report" --check published-check.md
check "every cell, in Chinese" check-md-zh.txt \
    any 1 "$report" --check --every-cell --lang=zh published-check.md
check "rates of samples" check-samples.md \
    any 1 "$report" --check --samples=30000 --format=markdown \
    published-check.md
check "as CSV" check-csv.csv \
    any 1 "$report" --check --format=csv published-check.csv
check "as JSON, of LaTeX" check-tex.json \
    any 1 "$report" --check --format=json published-check.tex
check "DLPerf's JSON" check-dlperf.txt \
    any 1 "$report" --check --every-cell dlperf-written.json
check "against results" check-results.csv \
    any 1 "$report" --check --format=csv --select=case=1n8g \
    published-check.md dlperf-written.json
check "all follow" check-good.txt \
    any 0 sh -c "printf '|nodes|GPUs|img/s|speedup|\n|-|-|-|-|\n|1|1|5.0|1|
|1|8|39|7.8|\n' | '$report' --check -"
verdict "a cell at the start of its line has its column" eval '
	printf "speedup,GPUs,img/s\n1,1,100\n7.7,8,760\n" >first.csv
	"$report" --check first.csv >first
	grep -q "^first.csv:3:1 .* 7.7 .* 7.6 " first'
verdict "what was piped in is named stdin" eval '
	printf "|GPUs|img/s|speedup|\n|-|-|-|\n|1|5.00|1|\n|8|39.00|7.9|\n" |
	"$report" --check --format=csv - >piped
	grep -q "^stdin,4,10,8g,speedup,7.9,7.8,differs," piped'
check "nothing to check" check-none.txt \
    any 4 sh -c "printf '|nodes|GPUs|img/s|\n|-|-|-|\n|1|1|5|\n' |
    '$report' --check -"

check "a document as an operand" check-operand.txt \
    any 0 "$report" published-check.md
check "LaTeX as an operand" check-operand-tex.txt \
    any 0 "$report" published-check.tex
check "CSV as an operand" check-operand-csv.txt \
    any 0 "$report" --table=speedup published-check.csv
check "DLPerf's JSON as an operand" check-operand-dlperf.txt \
    any 0 "$report" dlperf-written.json

# A README and the report that it quotes state different speeds of a case.
cat >readme.md <<'EOF'
# ResNet50 V1.5 FP32, batch size = 128
| node_num | gpu_num | [NGC<br>MXNet](x) | [NGC PyTorch](y) |
|----------|---------|-------------------|------------------|
| 1        | 1       | 392.24            | 363.62           |
| 4        | 32      | 11233.92          | 10021.29         |
EOF
cat >ngc.md <<'EOF'
# ResNet50 V1.5 FP32
| node_num | gpu_num_per_node | bsz | samples/s(NGC MXNet) | speedup |
|----------|------------------|-----|----------------------|---------|
| 1        | 1                | 128 | 392.24               | 1       |
| 4        | 8                | 128 | 11331.93             | 28.89   |
EOF
check "a README against the report that it quotes" check-readme.txt \
    any 1 "$report" --check readme.md ngc.md
check "the report alone" check-quoted.txt any 0 "$report" --check ngc.md

# With -o the output is complete and the exit status the same.
"$report" --check -o out.json published-check.md
rc=$?
verdict "status 1 with an output" test $rc -eq 1
verdict "JSON by its ending" grep -q '"table": "check"' out.json
cat >results.figures <<'EOF'
batch: 64
precision: fp32
| node_num | gpu_num | samples/s | speedup |
| -------- | ------- | --------- | ------- |
| 1        | 1       | 210.40    | 1       |
| 1        | 8       | 1,570.11  | 7.54    |
EOF
refuse "a speedup is no framework, and is checked" 0 \
    "report_results: results.figures:6:36: speedup '7.54' does not follow*" \
    "$report" results.figures
sed '5s,| 1       |,| 4       |,' results.figures >four.figures
refuse "... over 4 GPUs as well" 0 \
    "report_results: four.figures:6:36: speedup '7.54' does not follow*" \
    "$report" four.figures

refuse "no table" 4 "report_results: empty.md: it has no table of speeds*" \
    sh -c "echo nothing >empty.md; '$report' --check empty.md"
# A table of more than 256 columns is refused in each form.
cells=$(printf '1,%.0s' $(seq 300))
echo "$cells" >wide.csv
printf '|a|b|\n|-|-|\n|%s\n' "$cells" | tr , '|' >wide.md
printf '\\begin{tabular}{l} a & b \\\\ %s' "$cells" | tr , '&' >wide.tex
for file in wide.csv wide.md wide.tex; do
	refuse "too many columns in $file" 3 \
	    "report_results: $file:*: a table of too many columns or cells" \
	    "$report" --check $file
done
refuse "no such file" 3 "report_results: cannot open 'none.md'*" \
    "$report" --check none.md
refuse "no operand" 2 "report_results: --check takes a published table*" \
    "$report" --check
refuse "not both" 2 "report_results: *exclude each other" \
    "$report" --check --compare published-check.md dlperf-written.json
refuse "samples alone" 2 "report_results: --samples is of --check, not of tables" \
    "$report" --samples=5 dlperf-written.json
refuse "an order of a check" 2 \
    "report_results: --sort is of tables, not of --check" \
    "$report" --check --sort=median published-check.md
refuse "a selection of nothing" 2 \
    "report_results: --select selects among the results to check against, *" \
    "$report" --check --select=gpus=8 published-check.md
# In each mode, each option that --help names is accepted or rejected with a
# message.
"$report" --help >help
modes_known() {
	for option in $(sed -n 's/^[^-]*\(-.,\)* *--\([a-z-]*\).*/\2/p' help); do
		for mode in --check --compare --html --history=none.db; do
			"$report" $mode "--$option=1" show b 2>err >out
			test $? -le 4 || { echo "$mode $option"; cat err; return 1; }
			"$report" $mode "--$option" show b 2>err >out
			test $? -le 4 || { echo "$mode $option"; cat err; return 1; }
		done
	done
	grep -q -- --every-cell help
}
verdict "all options have their modes" modes_known
refuse "junit" 2 "report_results: --format: --check does not write 'junit'" \
    "$report" --check --format=junit published-check.md
refuse "over its input" 2 "report_results: *published-check.md*" \
    "$report" --check -o published-check.md published-check.md

# The 131 tables of DLPerf whose speedups can be computed again: all speedups
# follow except the three that the file names.
shared=${DLSCALE_SHARED-$OLDPWD/$top_srcdir/../shared}
case $top_srcdir in /*) shared=${DLSCALE_SHARED-$top_srcdir/../shared};; esac
published=$shared/reference/dlperf-published.json
if test ! -r "$published" || ! command -v python3 >/dev/null 2>&1; then
	skip "published tables" "no ../shared/reference or no python3"
	skip "reports" "no ../shared/seeds"
	finish
	exit 0
fi
cat >published.py <<'EOF'
import json, subprocess, sys
tables = json.load(open(sys.argv[1]))["tables"]
known = json.load(open(sys.argv[1]))["summary"]
known = {tuple(k[2]) for k in known["table_rows_with_inconsistent_speedup"]}
cells, wrong = 0, set()
for t in tables:
    lines = ["| " + " | ".join(t["header"]) + " |", "|" + "---|" * len(t["header"])]
    lines += ["| " + " | ".join(r["cells"]) + " |" for r in t["rows"]]
    p = subprocess.run([sys.argv[2], "--check", "--format=json", "-"],
                       input="\n".join(lines) + "\n", text=True, capture_output=True)
    found = json.loads(p.stdout)
    for f in found["tables"][0]["rows"]:
        if f["verdict"] in ("follows", "cut"):
            cells += 1
        else:
            wrong.add(tuple(t["rows"][f["line"] - 3]["cells"]))
assert wrong == known, (wrong, known)
assert cells == 577, cells
EOF
verdict "published tables: three cells do not follow" \
    python3 published.py "$published" "$report"
seed=$(ls "$shared"/seeds/002_*.txt)
"$report" --check --format=json --samples=60000 "$seed" >002.json
rc=$?
verdict "a report's rates follow from 60000 images" test $rc -eq 0
verdict "all of its five" sh -c "grep -c 'samples / ' 002.json | grep -qx 5"
# With a time close to 0, the expected speedup exceeds the range of doubles.
printf '| GPUs | time (s) | speedup |\n|--|--|--|\n| 1 | 1 | 1 |\n| 2 | 1e-310 | 2 |\n' \
    >tiny.md
"$report" --check --every-cell tiny.md >tiny 2>&1
verdict "no cell should be inf" eval '! grep -w inf tiny && grep -q 1e-310 tiny'
finish
