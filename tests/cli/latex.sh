# Every table as LaTeX compiles, fits a page with margins of 2 cm, and has a
# unique label.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
report=$(cd "$bindir" && pwd)/report_results
extract=$(cd "$bindir" && pwd)/extract_logs
data=$(cd "$top_srcdir/tests/cli/data" && pwd)
experiments=$(cd "$top_srcdir/experiments" && pwd)
cd "$tmp" || exit 1

log() { # PATH SECONDS LAST
	mkdir -p "$(dirname "$1")"
	awk -v s="$2" -v last="$3" 'BEGIN {
		for (i = 0; i <= last; i++)
			printf "Epoch: [0][%d/200]\tTime  %.3f ( %.3f)\tData  0.010 ( 0.010)\tLoss 6.9e+00 (6.9e+00)\tAcc@1   0.39 (  0.12)\tAcc@5   1.17 (  0.61)\n", i, s, s }' >"$1"
}
for run in 1 2 3 4 5; do
	log "runs/1n1g/resnet50_b128_fp32_$run.log" "0.30$run" 130
	log "runs/1n8g/resnet50_b128_fp32_$run.log" "0.31$run" 130
done
long=a_folder_with_quite_a_long_name/and_another-one_below.it/2n8g
log "runs/$long/resnet50_b128_fp32_1.log" 0.3 20
echo 'RuntimeError: CUDA out of memory. Tried to allocate 392.00 MiB' \
    >>"runs/$long/resnet50_b128_fp32_1.log"
"$extract" -q -o r.json runs >/dev/null 2>&1
mkdir -p sums/1n8g
{
	cat runs/1n8g/resnet50_b128_fp32_1.log
	echo "dlscale: collectives_by_size size=(1MB,10MB] n=10" \
	    "mean_mib=7.6294 mean_rate_mibit_per_s=9876.5" \
	    "rate_mibit_per_s=7629.4 total_s=0.08 mean_ms=8 share=1"
} >sums/1n8g/resnet50_b128_fp32_1.log
"$extract" -q -o c.json sums >/dev/null 2>&1
printf 'host: a\ncommand: run_sweep --only=%s/%s --set "options --dummy" x.sweep\n' \
    "$long" "$long" >machine.txt

awk 'BEGIN { printf "model: m\n| nodes | GPUs |"
	for (i = 1; i <= 25; i++) printf " framework%d |", i
	for (k = 0; k < 10; k++) {
		printf "\n| %d | %d |", (k > 3 ? 2 ^ k / 8 : 1), 2 ^ k
		for (i = 1; i <= 25; i++) printf " %.1f |", 1000.5 * 2 ^ k - i
	}
	print "" }' >many.figures

k=0
write() { # OPTION...
	k=$((k + 1))
	"$report" --format=latex -o "t$k.tex" "$@" 2>err || {
		cat err && echo "status of $*"
		return 1
	}
	printf '\\input{t%d}\n\\clearpage\n' $k >>all
}
verdict "tables are written" eval '
    write --table=all "$data/two-frameworks.json" &&
    write --table=scaling,speedup,dlperf,comparison r.json &&
    write --table=times "$experiments/report-002.figures" &&
    write --table=comparison "$data/dlperf-resnet50.figures" &&
    write --rows=nodes,gpus --columns=framework,batch \
	"$data/dlperf-resnet50.figures" &&
    write --compare "$data/compare-old.json" \
	"$data/compare-new.json" &&
    write --columns=framework --values=median,speedup,efficiency,n,mean,sd \
	"$data/two-frameworks.json" &&
    write --environment machine.txt r.json &&
    write --compare --gate=slower:1% "$data/compare-old.json" \
	"$data/compare-old.json" &&
    write --table=collectives c.json &&
    write --table=comparison many.figures'
verdict "each table has a label" eval '
    test "$(cat t*.tex | grep -c "begin{table}")" -eq \
	"$(cat t*.tex | grep -c "label{tab:")"'
verdict "units stand in a second line of the heads" \
    grep -q '^ *&  & (samples/s) & (samples/s) &  &  & (' t2.tex
verdict "the packages are named" eval '
    head -n 1 t1.tex | grep -q "% needs .usepackage{booktabs,graphicx}"'
for i in 1 2 3 4 5 6 7 8 9 10 11; do
	grep '\\label' t$i.tex | sort | uniq -d
done >twice
verdict "no two tables of a file have one" test ! -s twice
if command -v pdflatex >/dev/null && kpsewhich booktabs.sty >/dev/null &&
    kpsewhich geometry.sty >/dev/null && kpsewhich graphicx.sty >/dev/null; then
	{
		printf '\\documentclass[a4paper]{article}\n'
		printf '\\usepackage[margin=2cm]{geometry}\n'
		printf '\\usepackage{booktabs,graphicx}\n\\begin{document}\n'
		cat all
		printf '\\end{document}\n'
	} >doc.tex
	timeout 120 pdflatex -interaction=nonstopmode doc.tex >out 2>&1
	rc=$?
	verdict "they compile" eval 'test $rc -eq 0 || { tail -30 out; false; }'
	grep -A3 'Overfull .hbox' doc.log >over
	verdict "they fit a page with 2 cm margins" \
	    eval 'cat over; test ! -s over'
	grep 'Float too large' doc.log >over
	verdict "and its height" eval 'cat over; test ! -s over'
else
	skip "they compile and fit" "no pdflatex with booktabs, geometry, graphicx"
fi
finish
