# In pictures of all kinds and sizes, no text leaves the picture or overlaps
# another, and all labels are present.
. "$top_srcdir/tests/lib.sh"

if ! "${GNUPLOT:-gnuplot}" --version >/dev/null 2>&1; then
	skip "texts of pictures" "no gnuplot"
	finish
	exit 0
fi
if ! built_with SQLITE; then
	skip "texts of pictures" "built without SQLite"
	finish
	exit 0
fi
# The situations of make gallery-all, with every kind of chart.
verdict "all situations are drawn" python3 "$top_srcdir/build-aux/gallery-all" \
    "$bindir" "$top_srcdir" "$tmp/all" svg
for size in column two-column page slide 800 11x8cm 5x3.5cm; do
	verdict "$size: texts are whole and apart" \
	    python3 "$top_srcdir/tests/cli/text_boxes.py" "$tmp/all"/*/$size.svg
done
verdict "notes are one line" sh -c "! grep -l '^NOTE = .*\\\\n' $tmp/all/*/*.gp"
verdict "... that counts what is flagged and what is not drawn" grep -q \
    "3 of 6 cases flagged (.*), see report_results; 2 of 8 cases not drawn'$" \
    "$tmp/all/phases/800.gp"
verdict "... that keeps both in a terminal" grep -q \
    "  3 of 6 cases flagged, see report_results; 2 of 8 cases not drawn$" \
    "$tmp/all/phases/terminal.txt"
verdict "... that explains 25 times no evidence" grep -q \
    "^NOTE = 'speed of new over old; no change provable in 25 of 25 cases: takes 7" \
    "$tmp/all/compare25/page.gp"
# named SITUATION NAME...: each name is in the situation's pictures
named() {
	situation=$1
	shift
	for text; do
		grep -L ">$text" "$tmp/all/$situation"/*.svg | sed "s/^/$text: /"
	done >"$tmp/unnamed"
	cat "$tmp/unnamed"
	test ! -s "$tmp/unnamed"
}
verdict "names of lines" named series4 OneFlow MXNet TensorFlow PaddlePaddle
verdict "names of rows" named one-count framework1 framework9
verdict "names of series, and all numbers of GPUs" \
    named series25 framework1 framework9 1 2 4 8 16 32
small=5x3.5cm.caption.txt
# The caption counts or explains what does not fit; nothing is refused.
verdict "rows that are left out are counted" \
    grep -q "9 of 25 shown" "$tmp/all/series25/$small"
verdict "so are small charts" grep -q "2 of 4 shown; baseline" \
    "$tmp/all/facets/$small"
verdict "of ratios the first are left, and their mean" eval '
    grep -q "of 25 shown" "$tmp/all/compare25/$small" &&
	grep -q ">geometric mean<" "$tmp/all/compare25/5x3.5cm.svg" &&
	grep -q ">framework1<" "$tmp/all/compare25/5x3.5cm.svg" &&
	! grep -q ">framework25<" "$tmp/all/compare25/5x3.5cm.svg"'
verdict "long names are letters" eval '
    grep -q "; A: OneFlow nightly build" "$tmp/all/long-names/$small" &&
	grep -q ">A [0-9.]*×" "$tmp/all/long-names/5x3.5cm.svg"'
verdict "parts of a step are letters" \
    grep -q "A: compute; B: compute and comm" "$tmp/all/phases/$small"
verdict "times below a second are in ms, bandwidths in MB/s" eval '
    grep -q ">step time (ms)<" "$tmp/all/spread/column.svg" &&
	grep -q ">bus bandwidth (MB/s)<" "$tmp/all/bandwidth/column.svg"'
verdict "a series of one number of GPUs" eval '
    grep -q ">MXNet, baseline" "$tmp/all/single/column.svg" &&
	grep -q "; B: MXNet, baseline" "$tmp/all/single/$small"'
verdict "sizes of texts: 8 points in a column, 24 on a slide" eval '
    grep -q "font-size=.10.67." "$tmp/all/series4/column.svg" &&
    grep -q "font-size=.32.00." "$tmp/all/series4/slide.svg"'
# wide SITUATION...: their pictures are wider than high
wide() {
	for situation; do
		sed -n 's/.*viewBox="0 0 \([0-9]* [0-9]*\)".*/\1/p' \
		    "$tmp/all/$situation"/*.svg
	done | awk '{ n++ } $1 <= $2 { print; bad = 1 } END { exit bad || !n }'
}
verdict "landscape" wide series1 series4 throughput history30 loss24 bars
verdict "names of phases" named phases "804 ms"
verdict "changes of a history" named history300 "-6.0 %"
"$bindir/plot_results" --list-charts | while read -r chart rest; do
	cat "$tmp/all"/*/page.gp | grep -q "^# $chart, drawn by" ||
	    echo "$chart: $rest"
done >"$tmp/missing"
verdict "every kind of chart is among them" eval '
    cat "$tmp/missing"; test ! -s "$tmp/missing"'
# Series without a labelled case at the left or at the right end.
"$bindir/extract_logs" -q -o "$tmp/links.json" "$top_srcdir/logs/bandwidth" \
    >/dev/null
verdict "cases with one number of GPUs beside others" \
    "$bindir/plot_results" -q --allow-mixed --chart=scaling,throughput \
    --output-dir="$tmp/links" "$tmp/links.json"
# The check finds a text that leaves the picture, and one that covers another.
sed 's/translate([0-9.]*,/translate(670.00,/' "$tmp/all/series4/page.svg" \
    >"$tmp/broken.svg"
verdict "the check finds faults" sh -c "
    ! python3 '$top_srcdir/tests/cli/text_boxes.py' '$tmp/broken.svg' >'$tmp/f' &&
    grep -q leaves '$tmp/f' && grep -q covers '$tmp/f'"
finish
