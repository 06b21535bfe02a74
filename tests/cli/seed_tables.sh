# Tables of the reports that the project builds on, from their measurements, in
# both languages; compared with the reports' own cells if these are present.
# shellcheck disable=SC2154 # bindir, tmp, golden are from lib.sh
. "$top_srcdir/tests/lib.sh"

report=$bindir/report_results
experiments=$top_srcdir/experiments

for lang in en zh; do
	check "report 000: phases, relative cost, network, $lang" \
	    "seed-000-$lang.md" "$report" --table=phases --format=markdown \
	    --lang=$lang "$experiments/report-000.figures"
	check "report 001: allreduces by size, $lang" "seed-001-$lang.md" \
	    "$report" --table=collectives --format=markdown --lang=$lang \
	    "$experiments/report-001.figures"
	check "report 002: real, user, sys, $lang" "seed-002-$lang.md" \
	    "$report" --table=times --format=markdown --lang=$lang \
	    "$experiments/report-002.figures"
	check "report 004: five columns, $lang" "seed-004-$lang.md" \
	    "$report" --table=dlperf --speedup-decimals=2 --format=markdown \
	    --lang=$lang "$experiments/report-004.figures"
done
for lang in en zh; do
	check "report 003: frameworks with OOM and TODO, $lang" \
	    "seed-003-$lang.md" "$report" --table=comparison --format=markdown \
	    --lang=$lang --select=batch=160 --select=batch=32 \
	    "$top_srcdir/tests/cli/data/dlperf-resnet50.figures"
	check "its batch sizes next to each other, $lang" \
	    "seed-003-batches-$lang.md" "$report" --rows=nodes,gpus \
	    --columns=batch --values=median,speedup --speedup-decimals=2 \
	    --format=markdown --lang=$lang "$experiments/report-003.figures"
done
# Run in the folder, because the table's headings are the operands.
environments() (
	case $report in /*) ;; *) report=$PWD/$report;; esac
	cd "$experiments" && "$report" --environment --format=markdown \
	    --lang="$1" report-001.machine report-002.machine \
	    report-003.machine report-004.machine
)
for lang in en zh; do
	check "environments of the reports, $lang" \
	    "seed-environment-$lang.md" environments $lang
done
check "report 000 for a machine" seed-000.csv \
    "$report" --table=phases --format=csv "$experiments/report-000.figures"
check "report 002 for a machine" seed-002.csv \
    "$report" --table=times --format=csv "$experiments/report-002.figures"
check "report 004 for a machine" seed-004.csv \
    "$report" --table=dlperf --format=csv "$experiments/report-004.figures"

# --- cells of the reports -----------------------------------------------------

shared=${DLSCALE_SHARED:-$top_srcdir/../shared}
# lacks NUMBER FILTER OURS TABLE: print the cells of report NUMBER that our
# table does not have, after filtering both
lacks() {
	find "$shared/seeds" -name "$1_*.txt" -exec cat {} + 2>/dev/null |
	    sed -E "$2" | tr '|' '\n' | sed -E 's/^ +| +$//g' |
	    grep -E '^[0-9].*[0-9a-z%)]$' | grep -v '机' | sort -u >"$tmp/theirs"
	sed -E "$3" "$golden/$4" | tr '|' '\n' | sed -E 's/^ +| +$//g' |
	    sort -u >"$tmp/ours"
	comm -23 "$tmp/theirs" "$tmp/ours" | tr '\n' ' '
}
if find "$shared/seeds" -name '000_*.txt' 2>/dev/null | grep -q .; then
	# Two of its cells are not numbers.
	verdict "report 000: every cell" test "$(lacks 000 \
	    '/^\|/!d; s/ *（/ (/g; s/）/)/g; s/([0-9]s)  *\(/\1 (/g' 's/([0-9.]+s) (\([0-9]+%\))/\1|\1 \2/g' \
	    seed-000-en.md)" = '1359.3.9ms 1476.0,s '
	# The printed digits do not determine 7.455 to 7.465 s of 100.455 to
	# 100.465 s, and 2.415 to 2.425 of 270.56.
	verdict "report 001: every cell that its digits determine" \
	    test "$(lacks 001 '/^\|[(0-9]/!d; s/%//g' '' \
	    seed-001-en.md)" = '0.90 7.42 '
	verdict "report 002: every cell" test -z "$(lacks 002 \
	    '/^ *\| *(MPI|Gloo|NCCL) .*real/!d; s/([0-9]),([0-9])/\1\2/g; s/(real|user|sys)\t//g; s/<br\/>/|/g; s/ images.sec//g; s/\| 1  *\| (MPI)/|/' \
	    '' seed-002-en.md)"
	verdict "report 004: every cell" test -z "$(lacks 004 \
	    '/node_num gpu_num/!d; s/ /|/g' '' seed-004-en.md)"
else
	skip "cells of the reports" "not here"
fi

# --- mistakes -----------------------------------------------------------------

wrong() { # name, message, lines
	printf '%b' "$3" >"$tmp/wrong.figures"
	refuse "$1" 3 "report_results: $tmp/wrong.figures:$2" \
	    "$report" --table=times "$tmp/wrong.figures"
}
printf 'rows: cases\n| nodes | GPUs | real | users |\n| 1 | 1 | 3s | 5s |\n' \
    >"$tmp/wrong.figures"
refuse "a column of no quantity" 0 \
    "report_results: $tmp/wrong.figures:2: not read as speeds: 'users'" \
    "$report" --table=times "$tmp/wrong.figures"
wrong "a cell that is no time" "3:11: '1359.3.9ms' is not a time*" \
    'rows: cases\n| nodes | GPUs | step |\n| 1 | 1 | 1359.3.9ms |\n'
wrong "a cell that is no bit rate" "3:11: '5.0GB' is not a bit rate*" \
    'rows: cases\n| nodes | GPUs | sending |\n| 1 | 1 | 5.0GB |\n'
wrong "cases without GPUs" "2:1: a table needs columns of nodes and GPUs*" \
    'rows: cases\n| nodes | real |\n| 1 | 3s |\n'
wrong "sizes of no case" "2:1: a table of sizes needs a line 'case: 4n1g'*" \
    'rows: sizes\n| count | mean size (MiB) | mean time (ms) |\n| 1 | 1 | 1 |\n'
wrong "rows that are nothing" "1:7: 'lines' is not one of: topologies cases sizes*" \
    'rows: lines\n'

# The last range has no upper end; it is printed as written, and drawn.
printf 'rows: sizes\ncase: 4n1g\n| size | count | mean size (MiB) | mean time (ms) |\n| >1000MB | 2 | 1200 | 90 |\n' \
    >"$tmp/large.figures"
"$report" --table=collectives "$tmp/large.figures" >"$tmp/out"
verdict "sizes above all others" eval \
    'grep -q ">1000MB" "$tmp/out" && ! grep -q inf "$tmp/out"'
"$bindir/plot_results" -q --force --chart=collectives --format=gp -o - \
    "$tmp/large.figures" >"$tmp/out"
verdict "in a chart too" eval \
    'grep -q ">1000MB" "$tmp/out" && ! grep -q "\<inf\>" "$tmp/out"'
finish
