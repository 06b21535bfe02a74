# report_results --rows --columns --values --sort, and --select of topologies.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"

report=$bindir/report_results
data=$top_srcdir/tests/cli/data
measured=$data/two-frameworks.json
published=$data/dlperf-resnet50.figures

check "batch sizes next to each other" pivot-batch.txt \
    "$report" --rows=nodes,gpus --columns=framework,batch \
    --select=framework=OneFlow --select=framework=PyTorch \
    --select=batch=160 --select=batch=128 "$published"
check "speedup columns by framework" pivot-speedup.md \
    "$report" --columns=framework --values=median,speedup,efficiency,n \
    --format=markdown "$measured"
check "labels as rows, Chinese" pivot-labels.txt \
    "$report" --rows=backend,device --columns=gpus --lang=zh \
    "$top_srcdir/experiments/report-002.figures"
check "statistics of the runs" pivot-statistics.csv \
    "$report" --rows=case --columns=framework --select=framework=mxnet \
    --values=mean,olympic,cv --format=csv "$measured"
check "the statistics there are" list-statistics.txt \
    "$report" --list-statistics
check "one table for machines" pivot.csv \
    "$report" --rows=batch --columns=framework --values=speedup \
    --select=gpus=8 --format=csv "$published"
refuse "two cases in one cell" 3 \
    "report_results: *dlperf-resnet50.figures:*(1n1g) and *fall into one cell*" \
    "$report" --rows=framework --columns=batch "$published"
refuse "a key that is not there" 2 \
    "report_results: --rows: no such key 'shape'; there are: framework *case" \
    "$report" --rows=shape "$measured"
refuse "a key on both sides" 2 "report_results: --columns: 'gpus' is named *" \
    "$report" --rows=gpus --columns=gpus "$measured"
refuse "a number that is none" 2 "report_results: --values: 'gpus' is not *" \
    "$report" --values=gpus "$measured"

# --- order --------------------------------------------------------------------

order() { # options: the cases of the speedup table, in order
	"$report" --table=speedup --select=framework=mxnet "$@" "$measured" |
	    sed -n 's/^\([0-9]n[0-9]g\) .*/\1/p' | tr '\n' ' '
}
verdict "by GPUs" test "$(order)" = "1n1g 1n2g 1n8g 2n8g "
verdict "downwards by speed" \
    test "$(order --sort=-median)" = "2n8g 1n8g 1n2g 1n1g "
verdict "by efficiency" \
    test "$(order --sort=efficiency)" = "2n8g 1n8g 1n2g 1n1g "
verdict "equal ones stay" test "$(order --sort=n)" = "1n1g 1n2g 1n8g 2n8g "
verdict "equal ones stay, downwards" \
    test "$(order --sort=-n)" = "1n1g 1n2g 1n8g 2n8g "
verdict "by GPUs, downwards" \
    test "$(order --sort=-gpus)" = "2n8g 1n8g 1n2g 1n1g "
verdict "by nodes, downwards" \
    test "$(order --sort=-nodes)" = "2n8g 1n1g 1n2g 1n8g "
sed 's/"speedup": 1.9[0-9]*/"speedup": null/' "$measured" >"$tmp/hole.json"
"$report" --table=speedup --select=framework=mxnet --sort=-speedup \
    "$tmp/hole.json" >"$tmp/out"
verdict "unknown ones last" test \
    "$(sed -n 's/^\([0-9]n[0-9]g\) .*/\1/p' "$tmp/out" | tr '\n' ' ')" = \
    "2n8g 1n8g 1n1g 1n2g "
"$report" --table=speedup --select=framework=mxnet --sort=speedup \
    "$tmp/hole.json" >"$tmp/out"
verdict "unknown ones last, upwards" test \
    "$(sed -n 's/^\([0-9]n[0-9]g\) .*/\1/p' "$tmp/out" | tr '\n' ' ')" = \
    "1n1g 1n8g 2n8g 1n2g "
refuse "a key that does not sort" 2 "report_results: --sort: 'name' is not median*" \
    "$report" --sort=name "$measured"
check "framework alone as rows" pivot-framework.txt \
    "$report" --rows=framework --select=batch=128 "$published"
check "GPUs alone as columns" pivot-framework.txt \
    "$report" --columns=nodes,gpus --select=batch=128 "$published"
# The missing one of --rows and --columns is chosen by all keys given.
verdict "framework as rows of a topology that is named second" \
    "$report" --columns=batch,gpus "$published"
verdict "topologies as columns of a framework that is named second" \
    "$report" --rows=batch,framework "$published"
# An unknown batch size is last, whatever the order of the files.
printf 'model: m\n| nodes | GPUs | A |\n| 1 | 1 | 5 |\n' >"$tmp/unknown.figures"
printf 'model: m\nbatch: 8\n| nodes | GPUs | A |\n| 1 | 1 | 7 |\n' \
    >"$tmp/eight.figures"
for files in "$tmp/eight.figures $tmp/unknown.figures" \
    "$tmp/unknown.figures $tmp/eight.figures"; do
	# shellcheck disable=SC2086 # two files
	"$report" --rows=batch --columns=framework --format=csv $files |
	    tail -n +2 | cut -d, -f1 | tr '\n' ' ' >"$tmp/out"
	verdict "an unknown batch comes last" grep -qx '8  ' "$tmp/out"
done
# Numeric labels are sorted by value, starting at 0.
for workers in 0 4; do
	printf 'model: m\nlabel: workers=%s\n| nodes | GPUs | A |\n| 1 | 1 | 7 |\n' \
	    $workers >"$tmp/workers$workers.figures"
done
"$report" --rows=workers --columns=framework --format=csv \
    "$tmp/workers4.figures" "$tmp/workers0.figures" | tail -n +2 |
    cut -d, -f1 | tr '\n' ' ' >"$tmp/out"
verdict "a label of 0 comes first" grep -qx '0 4 ' "$tmp/out"
# Words are grouped in the order of their first appearance; numbers precede
# words.
values() { # number, framework, batch, label
	printf 'model: m\nbatch: %s\nlabel: workers=%s\n' "$3" "$4"
	printf '| nodes | GPUs | %s |\n| 1 | 1 | 7 |\n' "$2"
} >"$tmp/values$1.figures"
values 1 B 128 auto
values 2 A 64 8
values 3 B 64 4
values 4 B 64 08
order_of() { # keys
	"$report" --rows="$1" --columns=nodes --format=csv \
	    "$tmp"/values[1-4].figures | tail -n +2 |
	    cut -d, -f"1-$(echo "$1" | tr , ' ' | wc -w)" | tr '\n' ' '
}
verdict "the batches of a framework stand together" test \
    "$(order_of framework,batch,workers)" = "B,64,4 B,64,08 B,128,auto A,64,8 "
verdict "numbers stand before words" test \
    "$(order_of workers,framework)" = "4,B 8,A 08,B auto,B "

# --- selection ----------------------------------------------------------------

verdict "by GPUs, alternatives" \
    test "$(order --select=gpus=2 --select=gpus=16)" = "1n2g 2n8g "
verdict "by nodes" test "$(order --select=nodes=2)" = "2n8g "
verdict "nodes and GPUs of each" \
    test "$(order --select=nodes=1 --select=gpus_per_node=8)" = "1n8g "
verdict "by case" test "$(order --select=case=1n2g)" = "1n2g "
"$report" --select=case=1n2g "$measured" >"$tmp/out"
verdict "a baseline outside of the table is named" \
    grep -q '^baseline: 1n1g$' "$tmp/out"
refuse "no such case" 4 \
    "report_results: no case is selected by 'nodes=7'; its keys are: *" \
    "$report" --select=nodes=7 "$measured"
refuse "a count that is none" 4 "report_results: no case is selected by *" \
    "$report" --select=gpus=many "$measured"

# --- laws ---------------------------------------------------------------------

cat >"$tmp/law.figures" <<'EOF'
| nodes | GPUs | A |
| 1 | 1 | 100.3 |
| 1 | 2 | 197.1 |
| 1 | 4 | 382.6 |
| 1 | 8 | 729.4 |
| 2 | 16 | 1301.8 |
| 4 | 32 | 2088.5 |
EOF
"$report" --table=law "$tmp/law.figures" >"$tmp/out"
# R 4.2.2, nls: 0.01705179 -+ qt(0.975, 4) * 0.0006451521
verdict "interval of a parameter" \
    grep -q '^Amdahl .*\[ 0\.0153, 0\.0188\]' "$tmp/out"
check "laws, Chinese" law-zh.txt "$report" --table=law --lang=zh \
    "$tmp/law.figures"
# 6000 rows take seconds: keys are compared as numbers, not as texts.
{
	printf 'model: a\nbatch: 32\n| nodes | GPUs | A |\n|-|-|-|\n'
	awk 'BEGIN { for (i = 6000; i > 0; i--) printf "| 1 | %d | 7 |\n", i }'
} >"$tmp/many.figures"
verdict "6000 rows in seconds" sh -c '
	ulimit -t 8 && "$1" --rows=nodes,gpus --format=csv "$2" >"$2.csv" &&
	test "$(wc -l <"$2.csv")" -eq 6001 &&
	cut -d, -f2 "$2.csv" | sed 1d | sort -nc' sh "$report" "$tmp/many.figures"
# The title names the keys that no row or column names.
"$bindir/extract_logs" -q -o "$tmp/titled.json" "$top_srcdir/logs/pytorch-cpu" \
    >"$tmp/out" 2>&1
"$report" --rows=case --columns=precision "$tmp/titled.json" >"$tmp/out"
verdict "a title without the column's key" grep -qx \
    "resnet18, pytorch, batch 4 per device" "$tmp/out"
finish
