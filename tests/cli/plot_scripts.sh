# The contents of the scripts of all charts: texts, axes, data, legends. The
# template, which is the same in all, is cut off; every 100th single step is
# kept. plot.sh checks the notes of measured results, since they contain flags.
. "$top_srcdir/tests/lib.sh"
p=$bindir/plot_results
data=$top_srcdir/tests/cli/data

# heads FOLDER: the scripts in FOLDER, sorted by name
heads() {
	for f in "$1"/*.gp; do
		echo "=== ${f##*/}"
		awk '/^TITLE = /, /^# What all charts share/ {
			if (/^[0-9.]+( [-0-9.eNa]+)+ ""/ && ++n > 20 && n % 100)
				next
			print
		}' "$f"
	done
}
# of NAME OPTION... FILE...: all charts
of() {
	drawn=$tmp/$1
	shift
	mkdir "$drawn"
	"$p" -q --format=gp --output-dir="$drawn" --name=x "$@" || return 1
	heads "$drawn"
}
measured() {
	of "$@" >"$tmp/heads" && sed '/^NOTE = /d' "$tmp/heads"
}
# extracted LOGS: a result, and the records of its steps
extracted() {
	"$bindir/extract_logs" -q --log-dir="$top_srcdir/logs/$1" \
	    --records="$tmp/$1.jsonl" -o "$tmp/$1.json" >/dev/null
}

for log in dlscale-cpu scaling; do
	extracted $log
	verdict "$log is read" test -s "$tmp/$log.json"
done
check "all charts" scripts-all.txt measured all --chart=all --allow-mixed \
    --records="$tmp/dlscale-cpu.jsonl" "$tmp/dlscale-cpu.json"
check "charts of collectives" scripts-collectives.txt measured collectives \
    --chart=bandwidth,collectives --allow-mixed "$tmp/scaling.json"
check "in Chinese, linear" scripts-zh.txt measured zh --lang=zh --linear \
    --chart=speedup,efficiency,bars --allow-mixed "$tmp/scaling.json"
check "published series, a key a facet" scripts-facets.txt of facets \
    --chart=throughput,speedup --facet-by=batch "$data/dlperf-resnet50.figures"
check "one baseline for all" scripts-baseline.txt of baseline \
    --common-baseline --chart=speedup --select=batch=128 \
    "$data/dlperf-resnet50.figures"
check "two results" scripts-compare.txt of compare --chart=compare \
    old="$data/compare-old.json" new="$data/compare-new.json"
"$bindir/predict_scaling" --format=json -o "$tmp/prediction.json" \
    --select=batch=128 "$data/dlperf-resnet50.figures" 2>/dev/null
check "a prediction" scripts-prediction.txt of prediction \
    --chart=speedup,throughput --select=batch=128 \
    "$data/dlperf-resnet50.figures" "$tmp/prediction.json"
check "in the terminal" scripts-terminal.txt env COLUMNS=80 LINES=24 "$p" \
    --terminal --chart=throughput,bars,compare \
    old="$data/compare-old.json" new="$data/compare-new.json"
# Cases are named by what the results differ in. Of eight cases of one
# result, six are named; names take a third of the width, at least 9 columns.
grep -v '^| [24]' "$data/compare-part.figures" >"$tmp/part.figures"
narrow() {
	for columns in 40 45; do
		env COLUMNS=$columns LINES=24 "$p" --terminal --chart=compare \
		    old="$data/compare-part.figures" new="$tmp/part.figures"
	done
}
check "cases of one result alone" scripts-part.txt narrow
# Without a baseline there is no speedup to draw beside the times of steps.
printf 'case,gpus,nodes,gpus_per_node,run,value,unit,batch_size_per_device
2n1g,2,2,1,1,50,samples/s,4\n4n1g,4,4,1,1,99,samples/s,4\n' >"$tmp/apart.csv"
verdict "times of steps without a baseline" "$p" -q --chart=step-time \
    --format=gp -o "$tmp/apart.gp" "$tmp/apart.csv"
finish
