# In pictures of all sizes no text leaves the picture or covers another.
. "$top_srcdir/tests/lib.sh"
plot=$bindir/plot_results

if ! "${GNUPLOT:-gnuplot}" --version >/dev/null 2>&1; then
	skip "texts of pictures" "no gnuplot"
	finish
	exit 0
fi
"$bindir/extract_logs" -q --records="$tmp/steps.jsonl" -o "$tmp/cpu.json" \
    "$top_srcdir/logs/dlscale-cpu" >/dev/null
"$bindir/extract_logs" -q -o "$tmp/scaling.json" "$top_srcdir/logs/scaling" \
    >/dev/null

# The chart spread has too many lines for pictures of a fixed height.
charts=scaling,speedup,efficiency,throughput,per-gpu,bars,steps,loss,loss-time,accuracy
# draw SIZE: charts of three inputs, in a folder of that name
draw() {
	mkdir "$tmp/$1" &&
	    "$plot" -q --chart=all --size="$1" --output-dir="$tmp/$1" \
		"$top_srcdir/doc/resnet50-v100.figures" &&
	    "$plot" -q --chart=$charts --size="$1" --output-dir="$tmp/$1" \
		--allow-mixed --records="$tmp/steps.jsonl" "$tmp/cpu.json" &&
	    "$plot" -q --chart=all --size="$1" --output-dir="$tmp/$1" \
		--allow-mixed "$tmp/scaling.json"
}
for size in 800 column page 11x8cm slide; do
	verdict "$size: drawn" draw $size
	verdict "$size: texts are whole and apart" \
	    python3 "$top_srcdir/tests/cli/text_boxes.py" "$tmp/$size"/*.svg
done
# Series of which no case is labelled at the left, or none at the right.
"$bindir/extract_logs" -q -o "$tmp/links.json" "$top_srcdir/logs/bandwidth" \
    >/dev/null
verdict "cases with one number of GPUs beside others" "$plot" -q --allow-mixed \
    --chart=scaling,throughput --output-dir="$tmp/links" "$tmp/links.json"
# The check finds a text that leaves the picture, and one that covers another.
sed 's/translate([0-9.]*,/translate(795.00,/' "$tmp/800/cpu_scaling.svg" \
    >"$tmp/broken.svg"
verdict "the check finds faults" sh -c "
    ! python3 '$top_srcdir/tests/cli/text_boxes.py' '$tmp/broken.svg' >'$tmp/f' &&
    grep -q leaves '$tmp/f' && grep -q covers '$tmp/f'"
finish
