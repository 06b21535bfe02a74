# plot_results: pictures, scripts that run alone, the terminal, mistakes.
. "$top_srcdir/tests/lib.sh"

plot=$bindir/plot_results
data=$top_srcdir/tests/cli/data
measured=$data/two-frameworks.json
published=$data/dlperf-resnet50.figures
gnuplot=${GNUPLOT:-gnuplot}
quote="'"
unset COLUMNS NO_COLOR

in_tmp() { (cd "$tmp" && "$@"); }

# --- without gnuplot: scripts, and all that is refused ----------------------

check "the charts there are" plot-list.txt "$plot" --list-charts
check "script of a measured result" plot-measured.gp \
    "$plot" --format=gp -o - "$measured"
check "script of published figures, in Chinese" plot-published.gp \
    "$plot" --format=gp -o - --lang=zh --chart=throughput --select=batch=160 \
    "$published"
verdict "the same script from stdin" \
    sh -c "\"$plot\" --format=gp -o - - <\"$measured\" |
	cmp - \"$golden/plot-measured.gp\""

# A name that would run a program, end a string, or open a pipe.
{
	printf 'model: it%ss `touch pwned` "$(touch pwned)" @m \\\n' "$quote"
	printf '| nodes | GPUs | a_b^2{x} |\n| 1 | 1 | 3 |\n| 1 | 2 | 5 |\n'
} >"$tmp/evil.figures"
check "a hostile name" plot-evil.gp "$plot" --format=gp -o - "$tmp/evil.figures"

printf '| nodes | GPUs | A | B |\n| 1 | 1 | 0.5 | 30 |\n| 1 | 2 | 0.9 | TODO |\n' \
    >"$tmp/slow.figures"
"$plot" --format=gp -o "$tmp/slow.gp" --chart=scaling "$tmp/slow.figures"
verdict "speeds below 1 have a speedup" grep -q "'1.80×, 90 %'" "$tmp/slow.gp"

missing=$tmp/no/such/gnuplot
refuse "no gnuplot: states how to get it" 3 \
    "plot_results: only the scripts were written, not the pictures: cannot find '$missing': install gnuplot*" \
    in_tmp env GNUPLOT="$missing" "$plot" --chart=all "$measured"
verdict "no gnuplot: the scripts are there" \
    test -s "$tmp/result/two-frameworks_scaling.gp" -a \
    -s "$tmp/result/two-frameworks_efficiency.gp"
verdict "no gnuplot: no picture is there" \
    test ! -e "$tmp/result/two-frameworks_scaling.svg"
verdict "the terminal needs no gnuplot" in_tmp \
    env GNUPLOT="$missing" "$plot" --terminal "$measured"

refuse "no operand" 2 "plot_results: missing operand: *; try --help" "$plot"
refuse "no such file" 3 \
    "plot_results: cannot open '$tmp/none.json': No such file or directory" \
    "$plot" "$tmp/none.json"
refuse "no such chart" 2 \
    "plot_results: --chart: unknown chart 'pie'; --list-charts lists all" \
    "$plot" --chart=speedup,pie "$measured"
refuse "one file for two charts" 2 \
    "plot_results: --output names one file for * charts: use --output-dir" \
    "$plot" --chart=all -o "$tmp/x.svg" "$measured"
refuse "file and folder" 2 \
    "plot_results: --output cannot be used with --output-dir" \
    "$plot" -o "$tmp/x.svg" --output-dir "$tmp" "$measured"
refuse "an ending that is silent" 2 \
    "plot_results: --output: the suffix of 'x.gif' is not .svg, .png, .pdf, .eps, .tex or .gp; pass --format" \
    "$plot" -o x.gif "$measured"
refuse "a picture that would be its own script" 2 \
    "plot_results: --output: '$tmp/x.gp' would be both the picture and its script" \
    "$plot" --format=png -o "$tmp/x.gp" "$measured"
for size in 100 axb 800x 800x99999 x800 8e2 1in 3cm columns 800pxx600 '' -800; do
	refuse "size '$size'" 2 "plot_results: --size: '$size' is not W or WxH*" \
	    "$plot" --size="$size" "$measured"
done
refuse "a format that is none" 2 "plot_results: --format: *" \
    "$plot" --format=gif "$measured"
refuse "nothing selected" 4 \
    "plot_results: no case is selected by 'framework=paddle'; its keys are: framework, *" \
    "$plot" --select=framework=paddle "$measured"
refuse "a selection that is none" 2 \
    "plot_results: --select: 'fp32' is not key=value" \
    "$plot" --select=fp32 "$measured"

sed 's/"gpus": 2,/"gpus": null,/; s/"gpus_per_node": 2,/"gpus_per_node": null,/' \
    "$measured" >"$tmp/unknown.json"
"$plot" --terminal "$tmp/unknown.json" >"$tmp/unknown.txt"
verdict "cases of an unknown number of GPUs are counted" grep -q \
    '2 of 8 cases not drawn' "$tmp/unknown.txt"
sed 's/"gpus": [0-9]*,/"gpus": null,/; s/"gpus_per_node": [0-9]*,/"gpus_per_node": null,/' \
    "$measured" >"$tmp/unknown.json"
refuse "no number of GPUs at all" 4 \
    "plot_results: no case has a number for the chart 'throughput': unknown number of GPUs; *" \
    "$plot" --chart=throughput -o "$tmp/x.svg" "$tmp/unknown.json"
refuse "a case twice" 3 \
    "plot_results: $measured: cases\[0\] (1n1g): the same case as $measured: cases\[0\] (1n1g); give their files different labels*" \
    "$plot" -o "$tmp/x.svg" "$measured" "$measured"
sed 's/"warmup_batches": 20/"warmup_batches": 10/; s/resnet50/vgg16/' \
    "$measured" >"$tmp/other.json"
refuse "different rules" 3 "plot_results: different rules: *'window skip 5 warm-up 20 train 120 epoch auto by time'*" \
    "$plot" -o "$tmp/x.svg" "$measured" "$tmp/other.json"
printf '{ "schema": "dlscale-result/1",\n "cases": [ }' >"$tmp/bad.json"
refuse "no JSON" 3 "plot_results: $tmp/bad.json:2:*" "$plot" "$tmp/bad.json"
printf 'batch: x\n' >"$tmp/bad.figures"
refuse "a mistake in figures" 3 \
    "plot_results: $tmp/bad.figures:1:8: 'x' is not a batch size*" \
    "$plot" "$tmp/bad.figures"
printf '| nodes | GPUs | A |\n| 1 | 1 | TODO |\n' >"$tmp/todo.figures"
refuse "nothing to draw" 4 \
    "plot_results: no case has a number for the chart 'scaling'*" \
    "$plot" -o "$tmp/x.svg" "$tmp/todo.figures"
mkdir "$tmp/share" && cp "$plot" "$tmp/plot_elsewhere"
prefix=$(sed -n 's/^prefix = //p' "$bindir/Makefile")
if test -e "$prefix/share/dlscale"; then
	skip "templates that are not there" "they are installed in $prefix"
else
	refuse "templates that are not there" 3 \
	    "*: missing data file '*/style.gp'; install *" \
	    env DLSCALE_DATADIR="$tmp/share" "$tmp/plot_elsewhere" \
	    --format=gp -o - "$measured"
fi
verdict "mistakes leave no file" test ! -e "$tmp/x.svg" -a ! -e "$tmp/x.gp"

# --- with gnuplot -----------------------------------------------------------

if ! "$gnuplot" --version >/dev/null 2>&1; then
	skip "pictures" "no gnuplot"
	finish
	exit 0
fi
version=$("$gnuplot" --version)

# --- texts that gnuplot and XML read in their own way ------------------------

text_in_picture() {
	"$plot" -q --title="$1" --force -o "$tmp/title.svg" "$measured" &&
	    grep -qF "$2" "$tmp/title.svg" || return 1
	! command -v xmllint >/dev/null 2>&1 ||
	    xmllint --noout "$tmp/title.svg"
}
two=$quote$quote
verdict "a title that begins with a quote" \
    text_in_picture "${quote}90s GPUs" ">${quote}90s GPUs<"
verdict "a title of quotes" text_in_picture "${two}a$two${two}b" \
    ">${two}a$two${two}b<"
verdict "a title that would end CDATA" text_in_picture 'a ]]> b' '>a ]] > b<'
verdict "a title of marks" text_in_picture '<a> & "b"' '&lt;a'
printf "| nodes | GPUs | ${quote}a]]>b | ${two}c |\n| 1 | 1 | 3 | 4 |\n| 1 | 2 | 5 | 7 |\n" \
    >"$tmp/quoted.figures"
verdict "series with such names" \
    "$plot" -q --force -o "$tmp/quoted.svg" "$tmp/quoted.figures"

# --- scripts that were edited ------------------------------------------------

mkdir "$tmp/edited"
"$plot" -q --output-dir "$tmp/edited" --name x "$measured"
verdict "a script as it was written is replaced" \
    "$plot" -q --output-dir "$tmp/edited" --name x "$measured"
echo '# my colours' >>"$tmp/edited/x_scaling.gp"
refuse "an edited script is kept" 3 \
    "plot_results: '$tmp/edited/x_scaling.gp' was edited after plot_results wrote it; *--force*" \
    "$plot" -q --output-dir "$tmp/edited" --name x "$measured"
verdict "an edited script is kept: it is there" \
    grep -q '# my colours' "$tmp/edited/x_scaling.gp"
sed -i '$d; s/POINT = 0.65/POINT = 0.70/' "$tmp/edited/x_scaling.gp"
refuse "an edited script is kept, whatever the edit" 3 \
    "plot_results: *was edited*" \
    "$plot" -q --format=gp -o "$tmp/edited/x_scaling.gp" "$measured"
verdict "two formats have two scripts" \
    "$plot" -q --format=png --output-dir "$tmp/edited" --name x "$measured"
verdict "two formats have two scripts: both are there" \
    grep -q 'x_scaling.png. again' "$tmp/edited/x_scaling.png.gp"
verdict "--force overwrites" \
    "$plot" -q --force --output-dir "$tmp/edited" --name x "$measured"
verdict "--force overwrites: the edit is gone" \
    sh -c "! grep -q 'POINT = 0.70' \"$tmp/edited/x_scaling.gp\""

check "states what it wrote" plot-written.txt \
    in_tmp "$plot" --chart=all "$measured"
check "is silent when asked" plot-quiet.txt \
    in_tmp "$plot" --quiet "$measured"

# picture NAME GOLDEN: the picture equals GOLDEN byte for byte (with one version
# of gnuplot), and its script alone draws it again. Titles are removed:
# gnuplot's own name its columns, and ours are set after it.
untitled() {
	sed -e 's,<title>[^<]*</title>,,' -e 's,<desc>[^<]*</desc>,,' -e '/^$/d' "$1"
}
picture() {
	(cd "$tmp/result" && untitled "$1.svg" >"$1.first" &&
	    "$gnuplot" -d "$1.gp" && untitled "$1.svg" >"$1.again" &&
	    cmp "$1.first" "$1.again")
}
verdict "a font that any machine has" \
    "$plot" -q --font=serif -o "$tmp/font.pdf" "$measured"
svg=$tmp/result/two-frameworks_scaling.svg
verdict "SVG: a title that says what is drawn" grep -qx \
    '<title>resnet50, fp32, batch 128 per device: speedup (×)</title>' "$svg"
verdict "SVG: a description with the numbers" grep -q \
    '^<desc>x: GPUs; y: speedup (×). pytorch (1: 1.000 … [0-9]*: [0-9.]*). .*error bars: .*</desc>$' \
    "$svg"
verdict "SVG: no titles of columns" test "$(grep -c '<title>' "$svg")" -eq 1
"$plot" -q --title='</title><script>&' -o "$tmp/hostile.svg" "$measured"
verdict "SVG: a hostile title is text" grep -q \
    '^<title>&lt;/title&gt;&lt;script&gt;&amp;: speedup' "$tmp/hostile.svg"
for chart in speedup throughput efficiency; do
	case $version in
	"gnuplot 5.4 patchlevel 4")
		check "$chart: SVG to the byte" "plot-$chart.svg" \
		    cat "$tmp/result/two-frameworks_$chart.svg";;
	*)	skip "$chart: SVG to the byte" "other version: $version";;
	esac
	verdict "$chart: the script draws the same picture" \
	    picture "two-frameworks_$chart"
done
if command -v xmllint >/dev/null 2>&1; then
	verdict "SVG is XML" xmllint --noout \
	    "$tmp/result/two-frameworks_scaling.svg"
else
	skip "SVG is XML" "no xmllint"
fi

starts() { test "$(head -c 4 "$2" | od -An -tx1 | tr -d ' \n')" = "$1"; }
verdict "PNG" "$plot" -q -o "$tmp/a.png" "$measured"
verdict "PNG: is one" starts 89504e47 "$tmp/a.png"
verdict "PDF" "$plot" -q --format=pdf -o "$tmp/a.pdf" "$measured"
verdict "PDF: is one" starts 25504446 "$tmp/a.pdf"
for format in eps tex; do
	verdict "$format" "$plot" -q -o "$tmp/a.$format" "$measured"
done
verdict "EPS: is one" starts 25215053 "$tmp/a.eps"
refuse "pixels of a vector format" 2 "plot_results: --scale: only for PNG; *" \
    "$plot" --scale=2 -o "$tmp/y.svg" "$measured"
refuse "fonts of TeX" 2 "plot_results: --font: not for TeX*" \
    "$plot" --font=Arial -o "$tmp/y.tex" "$measured"
refuse "linear and logarithmic" 2 \
    "plot_results: --linear cannot be used with --log" \
    "$plot" --linear --log -o "$tmp/y.svg" "$measured"
# Title and note move to the caption if they leave no room for the plot.
verdict "a picture too low for its texts" "$plot" -q --size=200x135 \
    --legend=below -o "$tmp/low.svg" "$measured"
verdict "a picture too low for its texts: no title" \
    grep -q "^TITLE = ''\$" "$tmp/low.gp"
verdict "a picture too low for its texts: a caption" \
    grep -q '^resnet50, fp32' "$tmp/low.caption.txt"

# Small charts: one for each batch size, with one legend.
"$plot" -q --facet-by=batch --format=gp -o "$tmp/facets.gp" "$published"
verdict "facets: four" test "$(grep -c '^FIRST = ' "$tmp/facets.gp")" -eq 5
verdict "facets: all series are in one" test \
    "$(grep -c '^LAST = 14$' "$tmp/facets.gp")" -eq 1
verdict "facets: one legend" test \
    "$(grep -c "^set label 1[0-9][0-9] 'PyTorch'" "$tmp/facets.gp")" -eq 1
"$plot" -q --facet-by=framework --format=gp -o "$tmp/facets.gp" \
    "$top_srcdir/tests/cli/data/two-frameworks.json"
verdict "facets: no names at the ends of lines" eval '
    grep -q "^set label 101 .ideal. at screen" "$tmp/facets.gp" &&
	! grep -q "^set label 10[2-9]" "$tmp/facets.gp"'
verdict "facets: drawn" "$plot" -q --force --facet-by=framework \
    -o "$tmp/facets.svg" "$published"
verdict "facets: named" grep -q '>TensorFlow<' "$tmp/facets.svg"
refuse "a key that there is not" 2 \
    "plot_results: --facet-by: there is no key 'link'; *framework, batch" \
    "$plot" --facet-by=link -o "$tmp/y.svg" "$published"
for x in 1 2; do
	printf 'label: x=%s\n| nodes | GPUs | A |\n| 1 | 1 | 3 |\n' $x \
	    >"$tmp/x$x.figures"
done
refuse "... but one of one letter" 2 \
    "plot_results: --facet-by: there is no key 'link'; the series differ in: x" \
    "$plot" --facet-by=link -o "$tmp/y.svg" "$tmp/x1.figures" "$tmp/x2.figures"

# A step of 400 ms: 10 wait for data, 100 communicate, 40 of these without
# computation; so 290 only compute.
sed 's/"ranks_seen": [0-9]*,/&"phases": {"step_s": 0.4, "data_s": 0.01, "busy_s": 0.1, "exposed_s": 0.04, "bytes_per_step": null},/' \
    "$measured" >"$tmp/phases.json"
"$plot" --chart=phases --format=gp -o "$tmp/phases.gp" -q "$tmp/phases.json"
verdict "phases: upper ends of the parts of a step" test \
    "$(awk '/^[$]data/ { on = 1 } /^EOD/ { on = 0 }
	on && $1 == 1 { printf "%s ", $2 }' "$tmp/phases.gp")" = "10 300 360 400 "
# The median of five runs counts, here unchanged by the first three.
awk '/"phases": \{"step_s"/ { n++
	sub(/"data_s": 0.01/, "\"data_s\": " (n % 5 == 1 ? 0.09 : \
	    n % 5 == 2 ? 0.08 : n % 5 == 3 ? 0.005 : 0.01)) } { print }' \
    "$tmp/phases.json" >"$tmp/phases5.json"
"$plot" --chart=phases --format=gp -o "$tmp/phases5.gp" -q \
    "$tmp/phases5.json"
verdict "phases: medians of five runs" test \
    "$(awk '/^[$]data/ { on = 1 } /^EOD/ { on = 0 }
	on && $1 == 1 { printf "%s ", $2; exit }' "$tmp/phases5.gp")" = "10 "
verdict "phases: values and shares in the boxes, the sum beside them" \
    eval 'grep -q "\"290 ms, 72 %\"\$" "$tmp/phases.gp" &&
	grep -q "^set label .* .400 ms. at" "$tmp/phases.gp"'
verdict "phases: the legend has the order of the boxes" test \
    "$(sed -n "s/^set label 1.. '\([a-z].*\)' at.*/\1/p" "$tmp/phases.gp" |
	tr '\n' ';')" = \
    "waiting for data;compute;compute and communication;exposed communication;"
sed 's/"data_s": 0.01/"data_s": 0.0001/' "$tmp/phases.json" >"$tmp/little.json"
"$plot" --chart=phases --format=gp -o "$tmp/little.gp" -q "$tmp/little.json"
verdict "phases: a part near 0 everywhere is left out" eval '
    grep -q "^N = 3\$" "$tmp/little.gp" &&
	! grep -q "waiting" "$tmp/little.gp"'
refuse "phases: a result without any" 4 \
    "plot_results: there are no phases of steps, *" \
    "$plot" --chart=phases -o "$tmp/y.svg" "$measured"
for chart in bars phases; do
	verdict "$chart: drawn" \
	    "$plot" -q --force --chart=$chart -o "$tmp/$chart.svg" \
	    "$tmp/phases.json"
done
verdict "batch: drawn" "$plot" -q --force --chart=batch \
    --select=framework=PyTorch -o "$tmp/batch.svg" "$published"
verdict "in the terminal: bars, batch, phases" sh -c "
    \"$plot\" --terminal --chart=bars,phases \"$tmp/phases.json\" &&
    \"$plot\" --terminal --chart=batch \"$published\""

# Charts of steps: a window of 25 to 124 and a run with known steps.
. "$top_srcdir/tests/logs.sh"
tree "$tmp/t" 1 1n1g 1n2g
"$bindir/extract_logs" -q --records="$tmp/steps.jsonl" -o "$tmp/t.json" \
    "$tmp/t" >/dev/null
refuse "steps without records" 2 \
    "plot_results: --chart=steps draws single steps*--records=steps.jsonl*" \
    "$plot" --chart=steps -o "$tmp/y.svg" "$tmp/t.json"
refuse "records of other runs" 4 \
    "plot_results: there are no records of these runs' steps for *" \
    "$plot" --chart=steps --records="$tmp/steps.jsonl" -o "$tmp/y.svg" \
    "$measured"
refuse "records that are none" 3 "plot_results: $tmp/t.json:1:*" \
    "$plot" --chart=steps --records="$tmp/t.json" -o "$tmp/y.svg" "$tmp/t.json"
"$plot" -q --chart=all --records="$tmp/steps.jsonl" --output-dir "$tmp/steps" \
    --name=t "$tmp/t.json"
check "steps: all charts that there are numbers for" plot-steps.txt \
    sh -c "cd '$tmp/steps' && printf '%s\n' *.svg"
verdict "steps: a dot each, of two runs" test \
    "$(awk '/^[$]data/ { on = 1 } /^EOD/ { on = 0 } on && $2 + 0 > 0 { n++ }
	END { print n }' "$tmp/steps/t_steps.gp")" -eq 260
verdict "steps: one window, shaded" test \
    "$(grep '^set object' "$tmp/steps/t_steps.gp" |
	sed 's/.*from first \([0-9.]*\).*to first \([0-9.]*\),.*/\1 \2/')" = \
    "25.5 125.5"
verdict "spread: the window's steps" test \
    "$(awk '/^[$]data/ { on = 1 } /^EOD/ { on = 0 } on && $2 + 0 > 0 { n++ }
	END { print n }' "$tmp/steps/t_spread.gp")" -eq 200
verdict "spread: percentiles of steps of 0.419 to 0.423 s" grep -q \
    '^1 0.419 NaN NaN 0.421 0.419 0.423 ' \
    "$tmp/steps/t_spread.gp"
# 3 outliers in 100 steps move neither the median nor the percentiles.
awk '/1n1g.*_1[.]log/ && ++n >= 51 && n <= 53 {
	sub(/"value": [0-9.]*/, "\"value\": 9") } { print }' \
    "$tmp/steps.jsonl" >"$tmp/outliers.jsonl"
"$plot" -q --force --chart=spread --records="$tmp/outliers.jsonl" \
    --format=gp -o "$tmp/outliers.gp" "$tmp/t.json"
verdict "spread: three outliers" test "$(awk '/^[$]data/ { on = 1 }
	/^EOD/ { on = 0 } on && $2 == 9 { n++ } END { print n }' \
    "$tmp/outliers.gp")" -eq 3
verdict "spread: percentiles bear outliers" grep -q \
    '^1 0.419 NaN NaN 0.421 0.419 0.423 ' "$tmp/outliers.gp"
# A dotted line in the colour of a run marks where it settled.
sed 's/"settled_at": [0-9a-z]*/"settled_at": 40/' "$tmp/t.json" \
    >"$tmp/settled.json"
"$plot" -q --force --chart=steps --records="$tmp/steps.jsonl" \
    --format=gp -o "$tmp/settled.gp" "$tmp/settled.json"
verdict "steps: settled at the 41st" test "$(grep -c \
    '^set arrow 50[01] from first 40.5, graph 0 to first 40.5, .* ls [12] dt 3' \
    "$tmp/settled.gp")" -eq 2
verdict "steps in the terminal" sh -c "\"$plot\" --terminal --chart=steps \
    --records=\"$tmp/steps.jsonl\" \"$tmp/t.json\" >/dev/null"

# points FILE CONDITION: number of data rows that meet the condition
points() {
	awk '/^[$]data/ { on = 1 } /^EOD/ { on = 0 } on && '"$2"' { n++ }
	END { print n + 0 }' "$1"
}
steps_of() {
	"$plot" -q --force --format=gp -o "$tmp/s.gp" --records="$1" \
	    --chart="$2" ${3+"$3"} "$tmp/t.json"
}
# A running median ends before its window shrinks to one point, which may be a
# spike: it omits five points at each end, fewer in a short run, none of four.
verdict "steps: no median near the ends" test "$(points \
    "$tmp/steps/t_steps.gp" '$2 + 0 > 0 && $5 == "NaN"')" -eq 20
for ends in "4 0" "5 4" "9 8" "20 16" "21 20"; do
	awk -v most="${ends% *}" 'match($0, /"path": *"[^"]*"/) {
		k = substr($0, RSTART, RLENGTH) }
		n[k]++ < most' "$tmp/steps.jsonl" >"$tmp/few.jsonl"
	verdict "steps: runs of ${ends% *}" steps_of "$tmp/few.jsonl" loss
	verdict "steps: runs of ${ends% *} have their medians" test "$(points \
	    "$tmp/s.gp" '$2 + 0 > 0 && $5 == "NaN"')" -eq "${ends#* }"
done
# The axis of accuracies starts at 0, even if all of them are 0.
sed 's/"top1": [0-9.]*/"top1": 0/' "$tmp/steps.jsonl" >"$tmp/zero.jsonl"
verdict "accuracies of 0" steps_of "$tmp/zero.jsonl" accuracy
verdict "accuracies of 0 are points" \
    test "$(points "$tmp/s.gp" '$2 == "0"')" -eq 260
verdict "accuracies of 0 have an axis" grep -q '^set yrange \[0:105\]' \
    "$tmp/s.gp"
awk 'match($0, /"path": *"[^"]*"/) { k = substr($0, RSTART, RLENGTH) }
    n[k]++ < 5' "$tmp/zero.jsonl" >"$tmp/zeros.jsonl"
"$plot" --terminal --chart=accuracy --records="$tmp/zeros.jsonl" \
    "$tmp/t.json" >"$tmp/zeros"
verdict "accuracies of 0 are dots in the terminal" \
    grep -q '^ *0 ┤ *[^ ][^ ]*  *[^ ][^ ]*  *B$' "$tmp/zeros"
verdict "accuracies of 0, --linear" steps_of "$tmp/zero.jsonl" accuracy --linear
refuse "accuracies of 0, --log" 3 \
    "plot_results: --log: the chart 'accuracy' has the value 0, which *" \
    steps_of "$tmp/zero.jsonl" accuracy --log
sed '2s/"loss": [0-9.]*/"loss": -1.5/' "$tmp/steps.jsonl" >"$tmp/below.jsonl"
verdict "a loss below 0" steps_of "$tmp/below.jsonl" loss
verdict "a loss below 0 is a point" \
    test "$(points "$tmp/s.gp" '$2 == "-1.5"')" -eq 1
verdict "a loss below 0 has an axis" grep -q '^set yrange \[-1.92:7.32\]' \
    "$tmp/s.gp"
# If a quarter of the steps is printed, the time is that of all steps.
imagenet 120 every=4 t=0.5 >"$tmp/q.log"
"$bindir/extract_logs" -q --gpus=1 --batch-size-per-device=4 --rule=all \
    --records="$tmp/q.jsonl" \
    -o "$tmp/q.json" "$tmp/q.log" >/dev/null
"$plot" -q --format=gp -o "$tmp/q.gp" --chart=loss-time \
    --records="$tmp/q.jsonl" "$tmp/q.json"
verdict "loss over the time of all steps, in parts of seconds" test \
    "$(awk '/^[$]data/ { on = 1 } /^EOD/ { on = 0 }
	on && $1 > 0 { print $1 }' "$tmp/q.gp" | sed -n '1p;2p;$p' |
	tr '\n' ' ')" = "0.5 2.5 58.5 "
imagenet 120 t=0.005 >"$tmp/q.log"
"$bindir/extract_logs" -q --gpus=1 --batch-size-per-device=4 --rule=all \
    --records="$tmp/q.jsonl" \
    -o "$tmp/q.json" "$tmp/q.log" >/dev/null
"$plot" -q --format=gp -o "$tmp/q.gp" --chart=loss-time \
    --records="$tmp/q.jsonl" "$tmp/q.json"
verdict "times below a second have an axis of their own" \
    grep -q '^set xrange \[0:0\.6' "$tmp/q.gp"
# Runs of several units.
sed '/1n2g/s/"unit": "s"/"unit": "iterations\/s"/' "$tmp/steps.jsonl" \
    >"$tmp/mixed.jsonl"
refuse "steps of two units" 3 \
    "plot_results: --chart=spread: the records of '*1n2g*' are in iterations/s *" \
    steps_of "$tmp/mixed.jsonl" spread
verdict "losses have no such unit" steps_of "$tmp/mixed.jsonl" loss
cp "$tmp/steps.jsonl" "$tmp/r.svg"
refuse "the records are not written over" 2 \
    "plot_results: cannot write '$tmp/r.svg': it is also an input" \
    "$plot" --chart=steps --records="$tmp/r.svg" -o "$tmp/r.svg" "$tmp/t.json"
# The runs of a case form one line with a band, or one row.
tree "$tmp/many" 5 1n1g 1n2g 1n4g 1n8g 2n8g 4n8g
"$bindir/extract_logs" -q --records="$tmp/many.jsonl" -o "$tmp/many.json" \
    "$tmp/many" >/dev/null
"$plot" -q --format=gp -o "$tmp/many.gp" --chart=spread \
    --records="$tmp/many.jsonl" "$tmp/many.json"
verdict "spread: the cases are down the side" \
    grep -q "^set ytics ('1n1g' 1, '1n2g' 2, '1n4g' 3" "$tmp/many.gp"
verdict "spread: all runs are in their rows" test "$(points "$tmp/many.gp" \
    '$2 + 0 > 0')" -eq 3000
"$plot" -q --format=gp -o "$tmp/band.gp" --chart=loss --force \
    --records="$tmp/many.jsonl" "$tmp/many.json"
verdict "loss: a line a case" grep -q '^N = 6$' "$tmp/band.gp"
verdict "loss: a band, and no dots" test "$(points "$tmp/band.gp" \
    '$2 + 0 > 0 && !($3 <= $2 && $2 <= $4 && $2 == $5)')" -eq 0
verdict "loss: the band is explained" grep -q \
    "^NOTE = '.*band: 5th to 95th percentile of runs" "$tmp/band.gp"
# Three runs with constant losses of 1, 2 and 4.
for run in 1 2 4; do
	awk -v run=$run '/1n1g.*_1[.]log/ {
		sub(/_1[.]log/, "_" (run == 4 ? 3 : run) ".log")
		sub(/"loss": [0-9.]*/, "\"loss\": " run); print }' \
	    "$tmp/many.jsonl"
done >"$tmp/three.jsonl"
"$plot" -q --format=gp -o "$tmp/three.gp" --chart=loss --select=gpus=1 \
    --records="$tmp/three.jsonl" "$tmp/many.json"
verdict "loss: the median of three runs" test "$(points "$tmp/three.gp" \
    '$5 == 2 && $3 > 1 && $3 < 1.2 && $4 > 3.7 && $4 < 4')" -ge 170
# The last of them ends after four steps.
awk '!(/_3[.]log/ && ++n > 4)' "$tmp/three.jsonl" >"$tmp/two.jsonl"
"$plot" -q --format=gp -o "$tmp/two.gp" --chart=loss --select=gpus=1 \
    --records="$tmp/two.jsonl" "$tmp/many.json"
verdict "loss: a run that has ended is in no median" test "$(points \
    "$tmp/two.gp" '$1 > 5 && $4 <= 2')" -ge 150 -a "$(points "$tmp/two.gp" \
    '$1 > 5 && $4 > 2')" -eq 0
"$plot" -q --format=gp -o "$tmp/half.gp" --chart=time-to-accuracy \
    --records="$tmp/many.jsonl" "$tmp/many.json"
verdict "accuracy over time: a line a case" grep -q '^N = 6$' "$tmp/half.gp"
# shellcheck disable=SC2046 # 50 names
tree "$tmp/wide" 1 $(seq -f %gn1g 50)
"$bindir/extract_logs" -q --records="$tmp/wide.jsonl" -o "$tmp/wide.json" \
    "$tmp/wide" >/dev/null
"$plot" -q --format=gp -o "$tmp/wide.gp" --chart=loss --force \
    --records="$tmp/wide.jsonl" "$tmp/wide.json"
verdict "of many cases 48 are drawn, and all are counted" \
    grep -q '48 of 50 shown' "$tmp/wide.gp"
rm -rf "$tmp/wide"
check "bars in the terminal end in their intervals" plot-terminal-intervals.txt \
    env COLUMNS=70 "$plot" --terminal --chart=bars "$tmp/many.json"
# The chart has room for 8 of 25 slower frameworks, and for their mean.
for pair in old:200 new:100; do
	echo "model: m"
	printf 'f%s\n' $(seq 25) | awk -v speed="${pair#*:}" '
		{ head = head " | " $1; row = row " | " speed * (1 + NR / 99) }
		END { print "| nodes | GPUs" head " |\n| 1 | 8" row " |" }'
done | awk -v to="$tmp/slower" '/model/ { n++ } { print >(to n ".figures") }'
"$plot" -q --chart=compare --size=5x3.5cm -o "$tmp/slower.svg" \
    "$tmp/slower1.figures" "$tmp/slower2.figures"
verdict "rows of a mean below 1 are counted" \
    grep -q '^8 of 25 shown; ' "$tmp/slower.caption.txt"
# Few runs are drawn as dots in charts of bars and of batch sizes.
"$plot" -q --chart=bars --format=gp -o "$tmp/bars.gp" "$tmp/many.json"
verdict "bars: each run is a dot" test "$(sed -n '/^[$]runs/,/^EOD/p' \
    "$tmp/bars.gp" | grep -c '^[1-6] [0-9]')" -eq 30
"$plot" -q --chart=steps --format=gp -o "$tmp/nodots.gp" \
    --records="$tmp/many.jsonl" "$tmp/many.json"
verdict "steps: runs are no dots" sh -c '! grep -q "^[$]runs" "$1"' - \
    "$tmp/nodots.gp"
# Each small chart of steps has the windows of its own runs.
for precision in fp32 amp; do
	tree "$tmp/wide" 2 1n1g
	mkdir -p "$tmp/both/$precision"
	sed "s/Time  */&${#precision}/" "$tmp/wide/1n1g/r18_b4_fp32_1.log" \
	    >"$tmp/both/$precision/r18_b4_${precision}_1.log"
done
(cd "$tmp/both" && mkdir 1n1g && mv fp32/*.log amp/*.log 1n1g &&
    "$bindir/extract_logs" -q --records=steps.jsonl -o r.json 1n1g >/dev/null)
"$plot" -q --chart=steps --facet-by=precision --format=gp \
    --records="$tmp/both/steps.jsonl" -o "$tmp/both/s.gp" "$tmp/both/r.json"
verdict "facets of steps: a window each" test \
    "$(sed -n '/^FIRST = [12]/,$p' "$tmp/both/s.gp" |
	grep -c '^set object 40[01] rectangle')" -eq 2
verdict "facets of steps: none before them" test \
    "$(grep -c '^set object' "$tmp/both/s.gp")" -eq 2
verdict "facets of steps: drawn" env "$plot" -q --force --chart=steps \
    --facet-by=precision --records="$tmp/both/steps.jsonl" \
    -o "$tmp/both/s.svg" "$tmp/both/r.json"

# With one number of GPUs the default chart is bars.
printf '| nodes | GPUs | A | B |\n| 1 | 8 | 3 | 4 |\n' >"$tmp/one.figures"
"$plot" -q --format=gp --output-dir "$tmp/one" "$tmp/one.figures"
verdict "cases of one number of GPUs are bars" test \
    "$(cd "$tmp/one" && echo *)" = "one_bars.gp"
# default NAME OPTION...: the chart of plot_results without --chart
default() {
	rm -rf "$tmp/default"
	"$plot" -q --format=gp --output-dir "$tmp/default" --name=x "$@" &&
	    (cd "$tmp/default" && echo *)
}
# series N ROW...: print figures of N series for these rows of nodes and GPUs
series() {
	awk -v n="$1" 'BEGIN { printf "| nodes | GPUs |"
		for (i = 1; i <= n; i++) printf " f%d |", i
		print ""
		for (k = 2; k < ARGC; k++) {
			printf "| 1 | %d |", ARGV[k]
			for (i = 1; i <= n; i++) printf " %d |", 100 * ARGV[k] + i
			print "" } }' "$@"
}
series 5 8 >"$tmp/five.figures"
verdict "many cases of one number of GPUs are dots" test \
    "$(default "$tmp/five.figures")" = x_dots.gp
series 9 1 2 >"$tmp/nine.figures"
verdict "nine series are a heat map" test \
    "$(default "$tmp/nine.figures")" = x_heatmap.gp
verdict "unless an option is of lines" test \
    "$(default --common-baseline "$tmp/nine.figures")" = x_scaling.gp
{
	printf 'scaling: strong\nbatch: 64\n'
	series 2 1 2
} >"$tmp/strong.figures"
verdict "strong scaling is the time of a step" test \
    "$(default "$tmp/strong.figures")" = x_step-time.gp
for batch in 32 64 128; do
	printf 'batch: %d\n' $batch
	series 1 1 2
done >"$tmp/batches.figures"
verdict "batch sizes are the x axis" test \
    "$(default "$tmp/batches.figures")" = x_batch.gp
refuse "a cost without a price" 2 \
    "plot_results: --chart=cost needs --price=P, *" \
    "$plot" --chart=cost "$tmp/nine.figures"
verdict "unless they are to be drawn over it" "$plot" -q --chart=throughput \
    --format=gp -o "$tmp/one.gp" "$tmp/one.figures"

# Options without effect on the chart are refused.
meaningless() {
	refuse "$2 of $1" 2 "plot_results: $2* has no effect on the chart '$1'*" \
	    "$plot" --chart="$1" "$2${3-}" -o "$tmp/y.svg" "$published"
}
meaningless phases --facet-by =batch
meaningless batch --facet-by =batch
meaningless bars --dash-by =batch
meaningless bars --common-baseline
meaningless bars --log
meaningless batch --color-by =batch
meaningless phases --common-baseline
"$plot" -q --chart=all --facet-by=batch --output-dir "$tmp/all" --name=f \
    --format=gp "$published"
verdict "all charts are those that heed the options" test \
    "$(cd "$tmp/all" && echo *.gp)" = \
    "f_bars.gp f_efficiency.gp f_per-gpu.gp f_scaling.gp f_speedup.gp f_step-time.gp f_throughput.gp"
verdict "the batch chart on linear axes" "$plot" -q --force --chart=batch \
    --linear --format=gp -o "$tmp/b.gp" --select=framework=PyTorch "$published"
verdict "the batch chart on linear axes: both" test \
    "$(grep -c '^set [xy]range \[0:' "$tmp/b.gp")" -eq 2
"$plot" --terminal --facet-by=framework "$published" >"$tmp/facets.txt"
verdict "facets in the terminal: one after the other" test \
    "$(grep -c '^speedup' "$tmp/facets.txt")" -gt 2
verdict "facets in the terminal: named" grep -q '^ *PyTorch$' "$tmp/facets.txt"

# The output of predict_scaling continues the series that it predicts.
v100=$top_srcdir/doc/resnet50-v100.figures
"$bindir/predict_scaling" --format=json -o "$tmp/p.json" "$v100" 2>/dev/null
bands() {
	"$plot" -q --force --format=gp -o "$tmp/p.gp" "$@" "$v100" "$tmp/p.json"
}
# band FILE COLUMN: rows of the first band: GPUs and three rounded numbers
band() {
	awk -v c="$2" '/^[$]bands/ { on = 1 } /^EOD/ || /^$/ { on = 0 }
	on && $1 + 0 > 0 { printf "%d %.4g %.4g %.4g;", $1, $c, $(c + 1),
		$(c + 2) }' "$1"
}
verdict "a prediction" bands --chart=throughput --select=framework=OneFlow
verdict "a prediction: from the last measured case on" test \
    "$(band "$tmp/p.gp" 2)" = \
    "32 1.241e+04 1.241e+04 1.241e+04;64 2.455e+04 2.308e+04 2.5e+04;128 4.855e+04 4.316e+04 5.027e+04;"
verdict "a prediction: as speedup of the same baseline" test \
    "$(band "$tmp/p.gp" 5)" = \
    "32 31.21 31.21 31.21;64 61.75 58.05 62.86;128 122.1 108.5 126.4;"
verdict "a prediction: as efficiency" test "$(band "$tmp/p.gp" 8)" = \
    "32 97.54 97.54 97.54;64 96.48 90.7 98.23;128 95.38 84.79 98.78;"
verdict "a prediction: the axes reach as far" grep -q \
    "^    .*'128' 128)" "$tmp/p.gp"
verdict "a prediction: the note states what it is" grep -q \
    'dotted: predicted, with 80 % prediction intervals' "$tmp/p.gp"
"$bindir/predict_scaling" --level=0.995 --format=json -o "$tmp/level.json" \
    "$v100" 2>/dev/null
"$plot" -q --format=gp -o "$tmp/level.gp" --chart=throughput "$v100" \
    "$tmp/level.json"
verdict "a prediction: the note states its level" grep -q \
    'dotted: predicted, with 99.5 % prediction intervals' "$tmp/level.gp"
bands --chart=speedup
verdict "predictions: each has its series" grep -q '^BAND_OF\[4\] = 4$' \
    "$tmp/p.gp"
verdict "predictions: drawn" "$plot" -q --force -o "$tmp/p.png" "$v100" \
    "$tmp/p.json"
verdict "predictions: in the terminal" sh -c \
    "\"$plot\" --terminal \"$v100\" \"$tmp/p.json\" | grep -q predicted"
bands --chart=speedup --common-baseline
verdict "predictions: over the common baseline" grep -q \
    '^128 44117[.][0-9]* [0-9.]* [0-9.]* 110[.]94[0-9]* 96[.]95[0-9]* 114[.]9' \
    "$tmp/p.gp"
refuse "a prediction of something else" 3 \
    "plot_results: '$tmp/p.json' predicts none of the *" \
    "$plot" --chart=speedup -o "$tmp/y.svg" "$measured" "$tmp/p.json"
refuse "a prediction alone" 2 "plot_results: only predictions given: *" \
    "$plot" -o "$tmp/y.svg" "$tmp/p.json"
refuse "a prediction of bars" 2 \
    "plot_results: a prediction has no effect on the chart 'bars'*" \
    bands --chart=bars
refuse "a prediction to be written over" 2 "plot_results: cannot write *" \
    "$plot" --format=svg -o "$tmp/p.json" "$v100" "$tmp/p.json"

# --link adds the bandwidth of the link.
cat >"$tmp/nccl.log" <<'END'
# nThread 1 nGpus 2 minBytes 1048576 maxBytes 4194304 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
#
# Using devices
#  Rank  0 Group  0 Pid  100 on    node1 device  0 [0x07] NVIDIA H100
#  Rank  1 Group  0 Pid  100 on    node1 device  1 [0x0b] NVIDIA H100
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
     1048576        262144     float     sum      -1   100.00   10.49   10.49      0   100.00   10.49   10.49      0
     4194304       1048576     float     sum      -1   200.00   20.97   20.97      0   200.00   20.97   20.97      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 15.73
END
"$bindir/extract_logs" -q --nodes=1 -o "$tmp/nccl.json" "$tmp/nccl.log" \
    >/dev/null
verdict "the link's rate" "$plot" -q --chart=bandwidth --link=400Gbit/s \
    --format=gp -o "$tmp/nccl.gp" "$tmp/nccl.json"
verdict "the link's rate: a line that the axis reaches" sh -c \
    "grep -q '^LIMIT = 50\$' '$tmp/nccl.gp' &&
	grep -q \"^set label .* 'link: 50 GB/s'\" '$tmp/nccl.gp' &&
	grep -q '^set yrange .*:5[0-9.]*\]' '$tmp/nccl.gp'"
verdict "the link's rate: drawn" "$plot" -q --chart=bandwidth --link=50GB/s \
    -o "$tmp/nccl.png" "$tmp/nccl.json"
verdict "no link, no line" sh -c "\"$plot\" -q --chart=bandwidth \
    --format=gp -o - \"$tmp/nccl.json\" | grep -q '^N_LIMITS = 0\$'"
refuse "a rate without a unit" 2 "plot_results: --link: '400' is not a rate *" \
    "$plot" --chart=bandwidth --link=400 -o "$tmp/y.svg" "$tmp/nccl.json"
refuse "the link's rate in another chart" 2 \
    "plot_results: --link has no effect on the chart 'scaling'*" \
    "$plot" --link=1GB/s -o "$tmp/y.svg" "$measured"

# width_of FILE: width of a PNG in pixels
width_of() { od -An -tu1 -j16 -N4 "$1" | awk '{ print $3 * 256 + $4 }'; }
wide() {
	want=$1
	shift
	"$plot" -q --force -o "$tmp/w.png" "$@" "$measured" &&
	    test "$(width_of "$tmp/w.png")" -eq "$want"
}
verdict "width: pixels" wide 800
verdict "width: twice as many" wide 1600 --scale=2
verdict "width: inches" wide 576 --size=6in
verdict "width: centimetres, with a height" wide 605 --size=16x10cm
verdict "width: a column" wide 325 --size=column
verdict "width: a page, four times" wide 2692 --size=page --scale=4

# Equal numbers give equal bytes at any time.
sleep 1
for format in pdf eps tex; do
	"$plot" -q -o "$tmp/again.$format" "$measured"
	verdict "$format: the same bytes a second later" \
	    cmp "$tmp/a.$format" "$tmp/again.$format"
done
# A zone's offset would make the date longer.
for zone in UTC0 ABC-8 XYZ5:30; do
	env TZ=$zone "$plot" -q --force -o "$tmp/zone.pdf" "$measured"
	verdict "PDF: the same bytes in $zone" cmp "$tmp/a.pdf" "$tmp/zone.pdf"
done
# compiles TITLE: LaTeX sets the chart with this title.
compiles() (
	cd "$tmp" && "$plot" -q --force --title="$1" -o l.tex "$measured" &&
	    pdflatex -interaction=nonstopmode l.tex >l.out 2>&1 &&
	    test -s l.pdf && ! grep -q '^!' l.out
)
if command -v pdflatex >/dev/null && kpsewhich preview.sty >/dev/null; then
	verdict "LaTeX: compiles" compiles "resnet50"
	verdict "LaTeX: all its characters" \
	    compiles '100% of {x}_y & $5 #1 <~^\|">'
	verdict "LaTeX: a prediction and its band" sh -c "cd '$tmp' &&
	    '$bindir/predict_scaling' --format=json -o lp.json '$published' \
		2>/dev/null
	    '$plot' -q --force -o lp.tex --select=batch=128 '$published' lp.json &&
	    pdflatex -interaction=nonstopmode lp.tex >lp.out 2>&1 &&
	    test -s lp.pdf && ! grep -q '^!' lp.out"
else
	skip "LaTeX: compiles" "no pdflatex, or no preview.sty"
fi
script_has() {
	pattern=$1
	shift
	"$plot" --format=gp -o - "$@" "$measured" >"$tmp/has" &&
	    grep -q "$pattern" "$tmp/has"
}
verdict "a dark theme" script_has "background '#1b1e23'" --theme=dark
verdict "another palette" script_has "lc rgb '#440154'" --palette=viridis
verdict "another font" script_has "font 'DejaVu Serif,13'" \
    --font='DejaVu Serif'
verdict "a font that would be a command" script_has "it'.QUOTE.'s,13" \
    --font="it${quote}s"
sed 's,samples/s",tokens/s",; s/"pytorch"/"torch"/; s/"mxnet"/"mx"/' \
    "$measured" >"$tmp/tokens.json"
refuse "one baseline for all: not for other units" 3 \
    "plot_results: --common-baseline: * have different units" \
    "$plot" --format=gp -o - --common-baseline --allow-mixed "$measured" \
    "$tmp/tokens.json"
verdict "the baseline has the unit of its line" sh -c "
    \"$plot\" --format=gp -o - --allow-mixed '$tmp/nccl.json' \
	'$data/pytorch-v100.figures' |
	grep -q \"^NOTE = '.*baseline: 1n1g = 347.12 samples/s\""
verdict "linear axes" script_has '^set yrange \[0:' --linear
verdict "ideal lines: speed grows with GPUs" \
    script_has '^IDEAL_POWER.1. = 1$' --chart=throughput
verdict "ideal lines: efficiency is level" eval '
    script_has "^IDEAL_POWER.1. = 0\$" --chart=efficiency &&
	script_has "^IDEAL_AT.1. = 100\$" --chart=efficiency'
verdict "ideal lines: times of strong scaling fall" sh -c "
    \"$plot\" --format=gp -o - '$tmp/strong.figures' |
	grep -q '^IDEAL_POWER.1. = -1\$'"
script_has x --linear
verdict "linear axes have no logarithm" sh -c "! grep -q '^set logscale' '$tmp/has'"
verdict "efficiency with a logarithm" script_has '^set logscale y' \
    --log -c efficiency
# Names are at the ends of lines, with the last speedup and efficiency.
verdict "names stand at their lines" \
    script_has "^set label 30[0-9] 'mxnet 13.8×, 86 %' at screen"
verdict "names stand at their lines: without efficiency if narrow" \
    script_has "^set label 30[0-9] 'mxnet 1[0-9.]*×' at screen" --size=400
verdict "names stand below" script_has "^set label 1[0-9]* 'mxnet' at screen" \
    --legend=below
verdict "names stand nowhere" sh -c "! '$plot' --format=gp -o - \
    --legend=none '$measured' | grep -q \"^set label.*'mxnet\""
# at PLACE: x of the legend's first name, share of the width
at() {
	"$plot" --format=gp -o - --legend="$1" "$measured" |
	    sed -n "s/^set label 10[0-9]* 'pytorch' at screen \([0-9.]*\),.*/\1/p"
}
verdict "names stand to the right" test \
    "$(at right | sed 's/^0[.]\([0-9]\).*/\1/')" -ge 8
verdict "names stand inside" test \
    "$(at inside | sed 's/^0[.]\([0-9]\).*/\1/')" -le 2

# Figures of papers: 8 points, title and note in a file for the caption.
verdict "a column" "$plot" -q --size=column -o "$tmp/col.pdf" "$measured"
verdict "a column: 8 of 9.75 points" grep -q 'fontscale 0.54' "$tmp/col.pdf.gp"
verdict "a column: wider than high" awk '/^set terminal/ {
	split($5, side, /in,?/); exit !(side[1] > side[2]) }' "$tmp/col.pdf.gp"
verdict "a column: no title" grep -q "^TITLE = ''\$" "$tmp/col.pdf.gp"
verdict "a column: its caption" grep -q '^resnet50, fp32, batch 128 per device: speedup' \
    "$tmp/col.caption.tex"
verdict "a column: its caption is TeX" grep -q '96.83 \\% CI' \
    "$tmp/col.caption.tex"
verdict "a caption in a file" sh -c "
    '$plot' -q --caption='$tmp/cap.txt' -o '$tmp/c.svg' '$measured' &&
    grep -q '96.83 % CI' '$tmp/cap.txt' && ! grep -q 96.83 '$tmp/c.gp'"
verdict "no caption" sh -c "'$plot' -q --caption=none --size=column \
    -o '$tmp/d.svg' '$measured' && test ! -e '$tmp/d.caption.txt'"
refuse "a caption over its picture" 2 \
    "plot_results: --caption: '$tmp/c.svg' is also the picture or its script" \
    "$plot" -q --force --caption="$tmp/c.svg" -o "$tmp/c.svg" "$measured"
refuse "a caption over its script" 2 "plot_results: --caption: '$tmp/c.gp' *" \
    "$plot" -q --force --format=gp --caption="$tmp/c.gp" -o "$tmp/c.gp" \
    "$measured"
cp "$measured" "$tmp/own.json"
refuse "a caption over a result" 2 "plot_results: cannot write '$tmp/own.json': *" \
    "$plot" -q --force --caption="$tmp/own.json" -o "$tmp/c.svg" "$tmp/own.json"
verdict "the smallest size" "$plot" -q --size=5x3.5cm -o "$tmp/small.svg" \
    "$measured"
verdict "a slide: 24 points" script_has \
    "svg size 19[12][0-9],10[78][0-9] noenhanced .*sans-serif,32" --size=slide
refuse "a font size above 100 points" 2 "*--font-size*" \
    "$plot" --font-size=100.5 -o "$tmp/y.svg" "$measured"
verdict "a font size" script_has 'sans-serif,13.3' --size=800 --font-size=10

# Speedups are on linear axes up to 64 GPUs.
verdict "speedups on linear axes" script_has '^set xrange \[0:'
verdict "speedups on logarithmic axes" script_has '^set logscale x 2' --log
verdict "a range of y" script_has '^set yrange \[5:20\]' --y-range=5:20
verdict "a range of x" script_has '^set xrange \[0:8\]' --x-range=:8
verdict "y from the data" script_has '^set yrange \[3' --y-from=data \
    --chart=efficiency
for range in 5 5:5 9:1 : a:b 1:2x; do
	refuse "range '$range'" 2 "plot_results: --y-range: '$range' is not *" \
	    "$plot" --y-range="$range" -o "$tmp/y.svg" "$measured"
done
refuse "a range of names" 2 "plot_results: --x-range has no effect *" \
    "$plot" --chart=bars --x-range=1:2 -o "$tmp/y.svg" "$measured"
refuse "a range that a logarithmic axis lacks" 2 \
    "plot_results: --y-range: 0:10 is not a range of this logarithmic axis" \
    "$plot" --chart=throughput --y-range=0:10 -o "$tmp/y.svg" "$measured"

# Only runs outside the mark of their median are drawn.
verdict "runs are dots" script_has '^[$]runs'
runs_drawn() {
	"$plot" --chart="$1" --format=gp -o - "$measured" |
	    awk '/^\$runs/ { on = 1 } /^EOD/ { on = 0 } on && $1 ~ /^[0-9]/ { n++ }
		END { print n + 0 }'
}
verdict "runs are dots: five of each case" test "$(runs_drawn bars)" -eq 40
verdict "runs are dots: none inside the marks" test "$(runs_drawn speedup)" -eq 0
verdict "one baseline for all" script_has \
    "baseline: pytorch 1n1g = " --common-baseline
# mxnet's 1n1g is relative to pytorch's 1n1g, so its speedup is not 1.
over_common() {
	"$plot" --format=gp -o - --common-baseline "$measured" |
	    awk '/^\$data/ { on = 1 } /^EOD/ { on = 0 }
		on && $1 == 1 && ++n == 2 { exit !($5 > 1.01 || $5 < 0.99) }'
}
verdict "one baseline for all: another's first point is not 1" over_common
"$plot" -q -o "$tmp/b.png" "$measured"
verdict "PNG: the same bytes again" cmp "$tmp/a.png" "$tmp/b.png"
"$plot" -o - --format=png "$measured" >"$tmp/c.png"
verdict "PNG on stdout" cmp "$tmp/a.png" "$tmp/c.png"
verdict "no temporary file is left" \
    test -z "$(find "$tmp" -name '*.tmp.*')"

check "in the terminal" plot-terminal.txt "$plot" --terminal "$measured"
env NO_COLOR= TERM=xterm "$plot" --terminal "$measured" >"$tmp/piped"
verdict "no colour into a pipe" test -z "$(tr -cd '\033' <"$tmp/piped")"
# A colour for each series, in its line, letters and legend.
if command -v script >/dev/null 2>&1 && script -qec true /dev/null </dev/null
then
	TERM=xterm COLUMNS=80 script -qec "stty cols 80 rows 24; $plot --terminal \
	    --chart=throughput $published" /dev/null </dev/null >"$tmp/coloured"
	for colour in 34 31 32; do
		verdict "colour $colour: line and legend" test "$(grep -c \
		    "$(printf '\033')\[0;${colour}m" "$tmp/coloured")" -gt 4
	done
else
	skip "colours in a terminal" "no script(1)"
fi
check "bars in the terminal: lengths, side by side" plot-terminal-bars.txt \
    "$plot" --terminal --chart=bars --select=batch=160 "$published"
check "phases in the terminal: on top of each other" plot-terminal-phases.txt \
    "$plot" --terminal --chart=phases "$tmp/phases.json"
check "steps in the terminal: dots and medians" plot-terminal-steps.txt \
    "$plot" --terminal --chart=steps,spread --records="$tmp/outliers.jsonl" \
    "$tmp/t.json"
check "in a wide terminal" plot-terminal-wide.txt \
    env COLUMNS=120 "$plot" --terminal --chart=efficiency --lang=zh "$measured"

verdict "of 80 columns where their number is unknown" eval '
	"$plot" --terminal --chart=efficiency "$measured" >"$tmp/unknown" &&
	COLUMNS=80 LINES=24 "$plot" --terminal --chart=efficiency "$measured" |
		diff "$tmp/unknown" -'

# The hostile name is text in the picture, and nothing was run.
verdict "a hostile name: drawn" \
    in_tmp "$plot" -q -o evil.svg evil.figures
verdict "a hostile name: is text" grep -qF \
    "it${quote}s \`touch pwned\` \"\$(touch pwned)\" @m \\, a_b^2{x}" \
    "$tmp/evil.svg"
verdict "a hostile name: nothing ran" test ! -e "$tmp/pwned"
verdict "a file name that looks like a pipe" \
    in_tmp "$plot" -q -o '|touch pwned.svg' evil.figures
verdict "a file name that looks like a pipe: its script" \
    in_tmp sh -c "rm -f './|touch pwned.svg' && $gnuplot './|touch pwned.gp' &&
	test -s './|touch pwned.svg'"

refuse "a full disk" 3 "plot_results: cannot write to stdout*" \
    sh -c "\"$plot\" -o - \"$measured\" >/dev/full"
mkdir "$tmp/locked.svg"
refuse "a folder in the way" 3 "plot_results: cannot write '$tmp/locked.svg'*" \
    "$plot" -o "$tmp/locked.svg" "$measured"

# In place of gnuplot: a silent program, a failing one, one with warnings.
printf '#!/bin/sh\nexit 0\n' >"$tmp/silent"
printf '#!/bin/sh\necho "line 7:" >&2\necho "no such font" >&2\nexit 5\n' >"$tmp/failing"
printf '#!/bin/sh\necho "font is ugly" >&2\nexec %s "$@"\n' \
    "$(command -v "$gnuplot")" >"$tmp/warning"
printf '#!/bin/sh\n%s "$@" | head -c 2000\n' \
    "$(command -v "$gnuplot")" >"$tmp/cutting"
chmod +x "$tmp/silent" "$tmp/failing" "$tmp/warning" "$tmp/cutting"
refuse "gnuplot that draws nothing" 3 \
    "plot_results: $tmp/silent wrote an incomplete svg picture" \
    env GNUPLOT="$tmp/silent" "$plot" -o "$tmp/y.svg" "$measured"
refuse "gnuplot that is cut off" 3 \
    "plot_results: $tmp/cutting wrote an incomplete svg picture" \
    env GNUPLOT="$tmp/cutting" "$plot" -o "$tmp/y.svg" "$measured"
refuse "gnuplot that fails" 3 \
    "plot_results: $tmp/failing failed with status 5: line 7: no such font" \
    env GNUPLOT="$tmp/failing" "$plot" -o "$tmp/y.svg" "$measured"
verdict "a failure leaves no picture" test ! -e "$tmp/y.svg"
verdict "gnuplot that warns" \
    env GNUPLOT="$tmp/warning" "$plot" -q -o "$tmp/y.svg" "$measured"
verdict "a warning leaves the picture" test -s "$tmp/y.svg"

printf 'model: 飞桨\n| nodes | GPUs | A |\n| 1 | 1 | 3 |\n' >"$tmp/zh.figures"
"$plot" -q -o "$tmp/zh.tex" "$tmp/zh.figures"
verdict "TikZ loads ctex for Chinese, and names xelatex" eval '
    grep -q "^[\\]usepackage{ctex}% .* xelatex or lualatex" "$tmp/zh.tex" &&
	"$plot" -q --force -o "$tmp/en.tex" "$measured" &&
	! grep -q ctex "$tmp/en.tex"'
finish
