# predict_scaling: the examples of doc/prediction.md, the table in each format,
# JSON, refusals, usage errors, questions.
. "$top_srcdir/tests/lib.sh"
doc=$top_srcdir/doc/prediction.md
p=$bindir/predict_scaling

# The figure files that the tutorial shows.
for f in r50 net; do
	sed -n "/^\$ cat $f.figures/,/^\\$ predict_scaling/p" "$doc" |
	    sed '1d;$d' >"$tmp/$f.figures"
done
cd "$tmp" || exit 1

# --- the tutorial ---
"$p" r50.figures >out
verdict "the first line that the tutorial shows" \
    grep -qxF "$(sed -n 1p out)" "$doc"
"$p" --what-if=bandwidth=x2 --to=2n1g net.figures >out
verdict "twice the bandwidth: both ends" \
    grep -q 'bandwidth=x2 *4n1g *0.50730 *0.29085 *\[0.25365, 0.32805\]' out
"$p" --what-if=bandwidth=5Gbit/s --bandwidth=2.5Gbit/s --to=2n1g \
    --gradient-bytes=102228128 --want=80% net.figures >out
verdict "gradient bytes close the range" \
    grep -q 'bandwidth=5Gbit/s *4n1g *0.50730 *0.25365 *\[0.25365, 0.25365\]' out
verdict "which bandwidth gives 80 %" \
    grep -q '^efficiency 80 % at 4n1g: 6.82 Gbit/s$' out
for u in 80 90; do
	"$p" --until=$u% r50.figures | tr '\n' ' ' | tr -s ' ' |
	    grep -o 'efficiency below.*8 GPUs a node)' >out
	tr '\n' ' ' <"$doc" | grep -qF "$(cat out)"
	verdict "until $u %, as the tutorial shows it" test $? -eq 0 -a -s out
done

if test -n "${DLSCALE_QUICK-}"; then
	skip "make predict-validate" "a quick check"
elif command -v python3 >/dev/null 2>&1; then
	python3 "$top_srcdir/tests/predict_validate.py" "$bindir" \
	    "$top_srcdir/predict/published.figures" | sed 1,2d >out
	verdict "make predict-validate prints a table" \
	    test "$(wc -l <out)" -gt 5
	grep -vxFf "$doc" out >new
	verdict "... that is the one in the tutorial" test ! -s new
else
	skip "make predict-validate" "no python3"
fi

# --- formats ---
for f in text markdown csv latex html json; do
	check "as $f" "predict.$f" "$p" --format=$f --compare --diagnose \
	    --samples=1281167 --price=2 --level=0.8,0.95 --until=90% \
	    --to=4n8g,8n8g,2n4g r50.figures
done
"$p" -o x.json r50.figures
"$p" --format=json r50.figures >y.json
verdict "the output's ending states the format" cmp x.json y.json
"$p" --format=json r50.figures >z.json
verdict "the same bytes again" cmp y.json z.json

check "the picture" predict.svg sh -c \
    "'$p' --to=4n8g,8n8g,64n8g,1n16g --chart=pic.svg r50.figures \
    >/dev/null 2>&1; cat pic.svg"
verdict "refused targets are not in it" \
    test "$(grep -c '64n8g' pic.svg)" -eq 0
sed 's/PyTorch/<c>\&"/' r50.figures >evil.figures
"$p" --chart=evil.svg evil.figures >/dev/null
verdict "names of files stay text" grep -q '&lt;c&gt;&amp;&quot;' evil.svg
if command -v python3 >/dev/null 2>&1; then
	verdict "the picture is XML" python3 -c '
import sys, xml.dom.minidom
for f in sys.argv[1:]:
    xml.dom.minidom.parse(f)' pic.svg evil.svg
else
	skip "the picture is XML" "no python3"
fi
refuse "a picture of another kind" 2 \
    "predict_scaling: --chart: 'x.png' does not end in .svg" \
    "$p" --chart=x.png r50.figures
refuse "more series than colours" 3 \
    'predict_scaling: --chart: 64 series, at most 7 can be distinguished; *' \
    "$p" --chart=x.svg "$top_srcdir/predict/published.figures"
verdict "... and no picture" test ! -e x.svg
refuse "the picture over what is read" 2 'predict_scaling: cannot write *' \
    sh -c "cp r50.figures in.svg; '$p' --chart=in.svg in.svg"

# --- flagged cases ---
cat >flagged.json <<'EOF'
{"schema": "dlscale-result/1", "rule": {"rule": "window", "scaling": "weak",
  "metric": "throughput"}, "inputs": [], "excluded": [], "cases": [
  {"case": "1n8g", "model": "m", "batch_size_per_device": 32, "nodes": 1,
   "gpus_per_node": 8, "gpus": 8, "unit": "samples/s", "n": 2,
   "median_speed": 800, "runs": [{"path": "a", "value": 800},
   {"path": "b", "value": 800, "flags": ["the clock was wrong"]}]},
  {"case": "2n8g", "model": "m", "batch_size_per_device": 32, "nodes": 2,
   "gpus_per_node": 8, "gpus": 16, "unit": "samples/s", "n": 1,
   "median_speed": 1500, "runs": [{"path": "c", "value": 1500}]}]}
EOF
"$p" --to=4n8g --chart=flagged.svg flagged.json >out
verdict "a prediction from flagged cases says so" eval '
    sed 1q out | grep -q "; rests on flagged cases$" &&
    grep -q "^4n8g .*two-counts; flagged$" out &&
    tr "\n" " " <out | tr -s " " | grep -q "flagged: 1n8g is in doubt, .*: \
the clock was wrong (1 of 2 runs)"'
verdict "... in its chart" eval '
    test "$(grep -c "measured, flagged" flagged.svg)" = 1 &&
    grep -q "dashed edge: flagged" flagged.svg'
for f in html markdown latex; do
	verdict "... as $f" eval '
	    "$p" --to=4n8g --format=$f flagged.json | tr "\n" " " |
	    grep -q "the clock was wrong"'
done
verdict "... as csv" eval '"$p" --to=4n8g --format=csv flagged.json |
    grep -q ",4n8g,4,8,32,.*flagged"'
"$p" --to=4n8g --format=json flagged.json >flagged.out
verdict "... in JSON" eval '
    test "$(grep -c "^ *\"flagged\"" flagged.out)" = 3 &&
    grep -A5 "\"flags\"" flagged.out | grep -q "\"runs\": 1" &&
    test "$(grep -c "\"flags\"" flagged.out)" = 3'
sed 's/, "flags": .*\]}\]},/}]},/' flagged.json >clean.json
verdict "... and not without flags" eval '
    "$p" --to=4n8g clean.json >out && ! grep -q flagged out'

# --- refusals ---
refuse "a measured case" 4 'predict_scaling: 2n8g: 2n8g is measured' \
    "$p" --to=2n8g r50.figures
refuse "too far" 4 \
    'predict_scaling: 32n8g: 32n8g is 16 times the largest measured count; at most 8 times is predicted' \
    "$p" --to=32n8g r50.figures
# Both limits: the time falls by 5 %, the distance is a factor of 8.
rows() { # NODES SPEED ...: of 8 GPUs each
	printf 'unit: samples/s\nmodel: m\n| nodes | GPUs | f |\n|---|---|---|\n'
	while test $# -gt 0; do
		echo "| $1 | $((8 * $1)) | $2 |"
		shift 2
	done
}
rows 1 8 2 16.8421 >at.figures
rows 1 8 2 16.844 >above.figures
rows 1 8 2 15 >near.figures
rows 16 128 32 240 >many.figures
verdict "5 % less time a sample is not refused" "$p" --to=4n8g at.figures
refuse "more is" 4 'predict_scaling: 4n8g: efficiency rises by 5 % from *' \
    "$p" --to=4n8g above.figures
verdict "8 times the largest count, and an eighth of the smallest" sh -c \
    "'$p' --to=16n8g near.figures && '$p' --to=2n8g many.figures"
refuse "more than 8 times" 4 'predict_scaling: 17n8g: *at most 8 times is *' \
    "$p" --to=17n8g near.figures
refuse "less than an eighth" 4 'predict_scaling: 1n8g: 1n8g is too far below *' \
    "$p" --to=1n8g many.figures
refuse "one node count" 4 \
    'predict_scaling: 2n4g: all cases with 4 GPUs a node have 1 node: *' \
    "$p" --to=2n4g r50.figures
refuse "no such row" 4 \
    'predict_scaling: 2n16g: no case has 16 GPUs a node' \
    "$p" --to=2n16g r50.figures
refuse "no nodes in the target" 4 \
    "predict_scaling: 64g: 64g does not *: write 16n4g, 8n8g" \
    "$p" --to=64g r50.figures
refuse "no other batch size" 4 \
    'predict_scaling: 4n8g: no other batch size of this configuration *' \
    "$p" --model=transfer --to=4n8g r50.figures
"$p" --to=2n8g,4n8g r50.figures >out 2>err
verdict "one of two predicted: status 0" test $? -eq 0
verdict "... and the other on stderr" grep -q '2n8g is measured' err
verdict "... not in the table" test "$(grep -c '^2n8g' out)" -eq 1
"$p" --force --to=2n4g r50.figures >out
verdict "--force predicts from one count" \
    grep -q '^2n4g .*doubling, forced' out
"$p" --to=4n4g --network=25Gbit/s --gradient-bytes=102228128 r50.figures >out
verdict "a rate predicts from one node" grep -q '^4n4g .*from the link' out

# --- what a file states ---
sed 's/5193.09/9000.00/' r50.figures >rise.figures
refuse "efficiency rises" 4 \
    'predict_scaling: 4n8g: efficiency rises by 66 % from 1 to 2 nodes: *' \
    "$p" --to=4n8g rise.figures
{
	echo 'model: r'
	echo 'unit: min'
	printf '| nodes | GPUs | x |\n| --- | --- | --- |\n'
	printf '| 1 | 8 | 60 |\n| 2 | 16 | 31 |\n'
} >train.figures
refuse "minutes to train" 4 'predict_scaling: 4n8g: time-to-train is not predicted*' \
    "$p" --to=4n8g train.figures

# --- the schema: all that any question adds ---
"$p" --format=json --until=80% --what-if=bandwidth=x2 --what-if=batch=32 \
    --diagnose --bandwidth=2.5Gbit/s --want=90% --to=4n1g,64n1g,2n1g \
    --samples=1e6 net.figures >s1.json 2>/dev/null
"$p" --format=json --compare --force --to=4n16g,2n4g,2n6g --level=0.5,0.95 \
    --samples=1e6 --price=3 r50.figures >s2.json 2>/dev/null
"$p" --format=json --to=4n4g --network=25Gbit/s --gradient-bytes=1e8 \
    r50.figures >s3.json 2>/dev/null
"$p" --format=json "$top_srcdir/predict/published.figures" >s4.json 2>/dev/null
"$p" --format=json train.figures >s5.json 2>/dev/null
if command -v python3 >/dev/null 2>&1; then
	verdict "JSON is as its schema states" python3 \
	    "$top_srcdir/tests/check_schema.py" \
	    "$top_srcdir/doc/prediction-schema.json" y.json s1.json s2.json \
	    s3.json s4.json s5.json
	sed 's/"level": 0.8/"level": 80/' y.json >bad.json
	python3 "$top_srcdir/tests/check_schema.py" \
	    "$top_srcdir/doc/prediction-schema.json" bad.json >/dev/null 2>&1
	verdict "... and the check can fail" test $? -ne 0
else
	skip "JSON is as its schema states" "no python3"
fi

# --- more GPUs a node than any row has ---
# 1n16g has 5382.5 by the column; 2n8g shows the loss to the network: 32 / (16 /
# 5382.5 + 16 / 5193.09 - 8 / 2707.42)
"$p" --force --to=2n16g,1n16g r50.figures >out
verdict "--force: the column's step and the row's network" \
    grep -q '^2n16g *32 *10327 .*doubling, forced' out
verdict "... which is reported in words" grep -q '^forced: a rule refuses' out
refuse "without --force" 4 \
    'predict_scaling: 2n16g: no case has 16 GPUs a node' \
    "$p" --to=2n16g r50.figures
refuse "fewer than some row has" 4 \
    'predict_scaling: 2n6g: no case has 6 GPUs a node; with --force *' \
    "$p" --force --to=2n6g r50.figures
{
	sed -n 1,5p r50.figures
	echo '| 2 | 2 | 600 |'
	echo '| 4 | 4 | 1100 |'
} >row.figures
refuse "no case of one node" 4 \
    'predict_scaling: 2n4g: *' "$p" --force --to=2n4g row.figures

# --- a section of the page of report_results ---
report=$bindir/report_results
"$report" --html -o page.html r50.figures y.json
verdict "the page has a section of predictions" \
    grep -q '<h2 id="predictions">Predictions</h2>' page.html
verdict "... with the first line" \
    grep -q '<caption>.*4n8g: 10,167 samples/s, 80 % interval' page.html
verdict "... with measured cases as they are" \
    grep -q '<td>1n4g</td>.*>1306<.*<td>measured</td>' page.html
sed 's/"speed": 1306.49/"speed": 512.615138166/' y.json >digits.json
"$report" --html -o digits.html r50.figures digits.json
verdict "... with the digits of other tables" grep -q '>512.6<' digits.html
verdict "... and warnings in words" grep -q 'two-counts: the row has two' page.html
verdict "... and no text after the last of them" eval '
	! sed -n "/id=\"predictions\"/,/<\/section>/p" page.html |
	    grep -q "<p><bdi>unknown"'
"$report" --html -o plain.html r50.figures
verdict "no prediction, no section" test "$(grep -c Predictions plain.html)" -eq 0
sed 's/"title": "4n8g/"title": "<script>4n8g/' y.json >evil.json
"$report" --html -o evil.html r50.figures evil.json
verdict "its texts stay text" grep -q '&lt;script&gt;4n8g' evil.html
sed 's/"title": "[^"]*"/"title": null/; s,"unit": "samples/s","unit": "s",' \
    y.json >untitled.json
verdict "one without a title has a section" \
    "$report" --html -o untitled.html r50.figures untitled.json
verdict "... called by its file" \
    grep -q '<caption>untitled.json</caption>' untitled.html
verdict "... whose times are no throughput" \
    grep -q '>step time <span class="unit">(s)' untitled.html
sed 's/"audit": null/"device": "AMD EPYC", &/' \
    "$top_srcdir/tests/cli/data/two-frameworks.json" >cpu.json
"$report" --html -o cpu.html cpu.json y.json
verdict "a section of CPU processes" test -s cpu.html -a \
    "$(grep -c '>GPUs<' cpu.html)" -eq 0
refuse "a prediction without --html" 2 \
    "report_results: 'y.json' is a prediction, which --html shows *" \
    "$report" r50.figures y.json
refuse "nothing but a prediction" 2 'report_results: only predictions given: *' \
    "$report" --html y.json
refuse "the page over the prediction" 2 'report_results: cannot write *' \
    "$report" --html -o y.json r50.figures y.json
for damage in 's|prediction/1|prediction/2|' 's/"speed": [0-9.]*/"speed": -1/' \
    's/"gpus": 8/"gpus": "8"/' 's/"cases": \[/"cases": [7,/' \
    's/"notes": \[/"notes": [null,/' 's/"series"/"serie"/' '5q'; do
	sed "$damage" y.json >broken.json
	refuse "a prediction that is none: $damage" 3 \
	    'report_results: broken.json:*' \
	    "$report" --html -o broken.html r50.figures broken.json
done
verdict "... and no page" test ! -e broken.html

# --- what is not reported in numbers ---
sed 's/5193.09/OOM/' r50.figures >oom.figures
"$p" --force --to=2n4g oom.figures >out
verdict "a case without a speed is named" \
    grep -qx 'without a speed, not used: 2n8g (OOM)' out
"$p" --until=50% r50.figures >out
verdict "until: not within what is looked at" grep -q \
    '^efficiency below 50 %: not within 16 nodes, 8 times the largest *' out
sed 's/^unit: .*/&/; s/^batch: 32/batch: 8/' net.figures >step.figures
echo '| 2 | 2 | 0.3000 |' >>step.figures
"$p" --chart=step.svg step.figures >out
verdict "seconds are called a step, not a speed" \
    grep -q '^case *GPUs *step *80 % interval' out
verdict "... in the picture, too" grep -q '>step (s)<' step.svg
verdict "... which has three ticks at least" \
    test "$(grep -c 'text-anchor="end"' step.svg)" -ge 3

# --- series of many kinds, to the last digit ---
data=$top_srcdir/tests/cli/data
check "siblings, transfer, saturation, forced cases" predict-series.csv \
    "$p" --format=csv --compare --force --level=0.9 --samples=1e7 \
    --price=1.5 --to=2n8g,4n8g,8n8g,16n8g,4n4g,2n16g,1n16g,3n8g,32g \
    "$data/predict-series.figures"
check "... each by itself" predict-alone.csv \
    "$p" --format=csv --no-pool --model=doubling "$data/predict-series.figures"
check "... from another batch size only" predict-transfer.txt sh -c \
    "'$p' --model=transfer --to=4n8g,2n8g '$data/predict-series.figures' 2>&1"
# The anchor is 1n1g if no case of the row is common, not another row's case.
printf 'model: m\nbatch: %s\n| nodes | GPUs | f |\n|---|---|---|\n%s\n\n' \
    64 '| 1 | 1 | 50 |
| 1 | 4 | 190 |' 128 '| 1 | 1 | 60 |
| 1 | 4 | 230 |
| 2 | 16 | 850 |' >anchor.figures
verdict "... from 1n1g" sh -c "'$p' --model=transfer --to=2n8g anchor.figures |
    grep -q '^2n8g .*batch 128, from 1n1g'"
check "... in words, with what is refused" predict-series.txt sh -c \
    "'$p' --until=85% --level=0.95 '$data/predict-series.figures' 2>&1"
check "... over another case" predict-baseline.json sh -c \
    "'$p' --format=json --baseline=1n8g --select=model=short --level=0.5,0.8 \
    --until=90% '$data/predict-series.figures' 2>&1"
# The time of a step is the reciprocal of the rate of steps.
for unit in s iterations/s; do
	printf 'scaling: strong\nunit: %s\n| nodes | GPUs | A |\n' $unit
	printf '8 4 2.5' | awk -v RS=' ' -v unit=$unit '{
		print "| 1 |", 2 ^ (NR - 1), "|", unit == "s" ? $1 : 1 / $1, "|"
	}'
done | awk '/scaling/ { n++ } { print >("strong" n ".figures") }'
for figures in strong1 strong2; do
	"$p" --to=1n8g --format=csv $figures.figures | awk -F, -v OFS=, '
		$10 == "s" { $11 = 1 / $11 }
		{ print $6, sprintf("%.6g", $11), $15, $16 }' >$figures
done
verdict "one batch on all GPUs, by times" sh -c '
    grep -q "^1n4g,0.4,3.2,0.8$" strong1 && test "$(wc -l <strong1)" = 5 &&
    diff strong1 strong2'
# More runs with the same differences narrow the interval.
for runs in 4 36; do
	seq $runs | awk '{
		for (gpus = 1; gpus < 9; gpus *= 2)
			print 1, gpus, NR, (NR % 2 ? 97 : 103) * gpus ^ 0.97
	} BEGIN { print "nodes gpus_per_node seed samples/s" }' |
	    tr ' ' ',' >runs.csv
	"$p" --run=seed --to=1n16g --format=csv runs.csv
done | awk -F, '$7 == "1n16g" { print $14 / $13 }' >widths
verdict "more runs, a narrower interval" sh -c '
    test "$(wc -l <widths)" = 2 && sort -cgr widths'
check "one batch on all GPUs" predict-strong.txt \
    "$p" --compare --diagnose --until=60% --samples=1e6 --force --to=4n4g,2n8g \
    --what-if=compute=x2 "$data/predict-strong.figures"
check "seconds of steps, and what would change them" predict-steps.txt \
    "$p" --diagnose --bandwidth=10Gbit/s --gradient-bytes=1e8 --want=85% \
    --what-if=compute=x1.5 --what-if=batch=32 --what-if=bandwidth=40Gbit/s \
    --what-if=bandwidth=x4,compression=fp16,buckets=161:4 --latency=1e-4 \
    --what-if=precision=fp16 "$data/predict-steps.figures"
check "an overlap that is not known" predict-overlap.json \
    "$p" --format=json --bandwidth=10Gbit/s --want=85% --samples=1e6 \
    --what-if=bandwidth=x4 --what-if=compute=x0.5 --to=8n4g \
    "$data/predict-steps.figures"
check "from one node over a rate" predict-link.txt sh -c \
    "'$p' --network=25Gbit/s --gradient-bytes=1e8 --algorithm=tree \
    --to=2n4g,2n8g --select=model=column '$data/predict-series.figures' 2>&1"
check "... with a known overlap" predict-hidden.txt sh -c \
    "'$p' --network=2Gbit/s --gradient-bytes=1e8 --overlap=0.25 \
    --algorithm=hierarchical --to=2n4g,4n8g --select=model=column \
    '$data/predict-series.figures' 2>&1"
check "the picture of steps" predict-steps.svg sh -c \
    "'$p' --chart=steps.svg '$data/predict-steps.figures' >/dev/null && \
    cat steps.svg"
check "the picture of series" predict-series.svg sh -c \
    "'$p' --chart=series.svg --select=model=short \
    '$data/predict-series.figures' >/dev/null && cat series.svg"

# --- usage ---
refuse "no operand" 2 'predict_scaling: missing operand: *; try --help' "$p"
refuse "an output of another kind" 2 \
    "predict_scaling: --output: the suffix of 'x.xlsx' is that of another kind of file; *" \
    "$p" -o x.xlsx "$top_srcdir/doc/resnet50-v100.figures"
refuse "no case" 2 "predict_scaling: --to: '4x8' is not a case; *" \
    "$p" --to=4x8 r50.figures
refuse "0n8g" 2 "predict_scaling: --to: '0n8g' is not a case; *" \
    "$p" --to=0n8g r50.figures
refuse "a level of 1" 2 "predict_scaling: --level: '1' is not *" \
    "$p" --level=1 r50.figures
refuse "a percentage" 2 "predict_scaling: --until: '0.8' is not a percentage *" \
    "$p" --until=0.8 r50.figures
refuse "a rate without a unit" 2 \
    "predict_scaling: --bandwidth: '25' is not a rate with a unit, *" \
    "$p" --bandwidth=25 r50.figures
refuse "no rate and no file" 2 "predict_scaling: --network: '25' is neither *" \
    "$p" --network=25 --gradient-bytes=1 r50.figures
sed 's/^model: .*/model: other/' r50.figures >other.figures
refuse "a network without bytes" 4 \
    'predict_scaling: 4n4g: the gradients of other are of unknown size: --gradient-bytes=N *' \
    "$p" --to=4n4g --network=25Gbit/s other.figures
"$p" --to=4n4g --network=25Gbit/s --gradient-bytes=102228128 r50.figures |
    grep -v "^gradients" >want
"$p" --to=4n4g --network=25Gbit/s r50.figures >out
verdict "the gradients of a known model" eval '
	grep -q "^gradients of a step: 102228128 bytes" out &&
	grep -v "^gradients\|^    --gradient-bytes=N" out | cmp - want'
"$p" --lang=zh --to=8n8g,2n4g --until=80% r50.figures >out 2>err
verdict "a prediction in Chinese" eval '
	! grep -q "[a-z]\{4,\} [a-z]\{3,\} [a-z]\{2,\}" out &&
	grep -q "倍增" out && grep -q "效率低于 80 %" out'
for form in csv json; do
	LANG=zh_CN.UTF-8 "$p" --to=8n8g,2n4g --format=$form r50.figures >out 2>&1
	"$p" --to=8n8g,2n4g --format=$form r50.figures >want 2>&1
	verdict "$form is in English" cmp out want
done
refuse "a bandwidth wanted of an unknown one" 2 \
    'predict_scaling: --want needs --bandwidth, *' "$p" --want=80% r50.figures
refuse "a price of nothing" 2 'predict_scaling: --price needs --samples' \
    "$p" --price=2 r50.figures
refuse "a baseline that is no case" 2 \
    "predict_scaling: --baseline: '3n3g' is not a case of r50.figures" \
    "$p" --baseline=3n3g r50.figures
verdict "a batch of 1" sh -c \
    '"$1" --what-if=batch=1 --to=8n8g r50.figures >out' - "$p"
for w in magic=1 bandwidth=fast compression=zip buckets=3 compute=2 batch=0 \
    precision=; do
	refuse "--what-if=$w" 2 "predict_scaling: --what-if: '$w'*" \
	    "$p" --what-if=$w r50.figures
done
refuse "precision with others" 2 \
    'predict_scaling: --what-if: *: precision= cannot be combined' \
    "$p" --what-if=precision=fp16,compute=x2 r50.figures
refuse "the output is the input" 2 "predict_scaling: cannot write *" \
    "$p" -o r50.figures r50.figures
"$p" r50.figures -o keep.txt && cp keep.txt kept.txt
"$p" --bandwidth=25 r50.figures -o keep.txt 2>/dev/null
verdict "an error leaves the old output" cmp keep.txt kept.txt
refuse "a benchmark without an allreduce" 3 \
    'predict_scaling: r50.figures: cases: no run has an allreduce *' \
    "$p" --network=r50.figures --gradient-bytes=1 r50.figures

# --- a result with runs, units and a benchmark ---
case_json() { # nodes gpus_per_node speed device
	gpus=$(($1 * $2))
	printf '{"case":"%dn%dg","framework":"f","model":"m",' "$1" "$2"
	printf '"batch_size_per_device":64,"nodes":%d,"gpus_per_node":%d,' \
	    "$1" "$2"
	printf '"gpus":%d,"unit":"samples/s","n":1,"median_speed":%s,' \
	    "$gpus" "$3"
	printf '"runs":[{"path":"a.log","value":%s,"device":"%s"}]}' "$3" "$4"
}
result_json() { # cases
	printf '{"schema":"dlscale-result/1","rule":{"rule":"all"},'
	printf '"inputs":[],"cases":[%s],"excluded":[]}\n' "$1"
}
result_json "$(case_json 1 8 800 V100),$(case_json 2 8 1500 A100)" >dev.json
refuse "different devices" 3 \
    "predict_scaling: different devices in one series: *'V100'*'A100'*" \
    "$p" dev.json
result_json "$(case_json 1 8 800 V100),$(case_json 2 8 1500 V100)" >ok.json
sed 's/"median_speed":1500/"median_speed":-1/' ok.json >minus.json
refuse "a speed below 0" 3 'predict_scaling: minus.json: *' "$p" minus.json
sed 's/"rule":"all"/"rule":"summary"/' ok.json >rule.json
refuse "different rules, without advice that cannot be taken" 3 \
    "predict_scaling: different rules: *; choose by --select" \
    "$p" ok.json rule.json
"$p" --to=4n8g ok.json >out
verdict "a result predicts" grep -q '^4n8g .*doubling' out
result_json "$(case_json 1 8 999.125 V100),$(case_json 2 8 1000.125 V100)" \
    >near.json
check "measured speeds have five digits, or two decimals" predict-near.txt \
    "$p" --force --to=4n8g near.json
cat >bench.json <<'EOF'
{"schema": "dlscale-result/1", "rule": {"rule": "all"}, "inputs": [],
 "cases": [{"case": "2n1g", "nodes": 2, "gpus_per_node": 1, "gpus": 2,
  "unit": "GB/s", "n": 1, "median_speed": 0.1, "runs": [{"path": "a",
  "value": 0.1, "collectives": [
  {"collective": "all_reduce_perf", "bytes": 4096, "time_s": 2.1e-05},
  {"collective": "ncclAllReduce", "bytes": 1048576, "time_s": 0.007851},
  {"collective": "all_reduce_perf", "bytes": 33554432, "time_s": 0.267112}]}]}],
 "excluded": []}
EOF
result_json "$(case_json 1 1 100 V100)" >one.json
"$p" --to=2n1g --network=bench.json --gradient-bytes=102228128 one.json >out
verdict "a benchmark predicts two nodes from one" \
    grep -q '^2n1g .*from the link' out
verdict "... with buckets that were assumed" \
    grep -q '^2n1g .*from the link *wide; assumed' out
# A step takes 0.64 s. 4 buckets of 25 MiB, ready at equal intervals from
# 0.2133 s, take 0.2087 s each and wait for one another.
if command -v python3 >/dev/null 2>&1; then
	"$p" --format=json --to=2n1g --network=bench.json --gradient-bytes=104857600 \
	    one.json >out
	verdict "... one after the other" python3 -c '
import json
c = json.load(open("out"))["series"][0]["cases"][1]
t = 26214400 / 33554432 * 0.267112
assert abs(c["step_s"] - (0.64 * (1 / 3 + 2 / 3 / 4) + 4 * t)) < 2e-3, c
low, high = c["intervals"][0]["low"], c["intervals"][0]["high"]
assert low < c["speed"] < high, c
assert c["intervals"][0]["level"] is None'
else
	skip "... one after the other" "no python3"
fi
refuse "a bandwidth is no speed of training" 4 \
    'predict_scaling: *only speeds of training are predicted*' "$p" --to=4n1g bench.json

# --- phases and buckets, from our trainer's lines to a diagnosis ---
trainer_log() { # devices nodes step_s busy_ms exposed_ms
	echo "dlscale: config version=1 model=resnet50 parameters=1 image=224" \
	    "classes=10 device=cpu precision=fp32 batch_per_device=32" \
	    "devices=$1 nodes=$2 images=dummy train_images=100"
	k=0
	while test $k -lt 130; do
		echo "Epoch: [0][$k/130]	Time  $3 ( $3)	Data  0.010" \
		    "( 0.010)	Loss 1.0e+00 (1.0e+00)	Acc@1   0.00" \
		    "(  0.00)	Acc@5   0.00 (  0.00)"
		k=$((k + 1))
	done | sed 's/Data  0.010 (/Data  0.010 (/'
	test "$1" -gt 1 || return 0
	for step in 10 20 30; do
		for b in 0 1; do
			echo "dlscale: collective step=$step rank=0" \
			    "bucket=$b op=allreduce backend=mpi tensors=5" \
			    "bytes=$((26214400 - b * 4096))" \
			    "ready_us=$((b * 1000 + step)).0" \
			    "start_us=$((b * 2000 + step)).5" \
			    "duration_us=20000.0 algorithm_gb_per_s=1.3" \
			    "bus_gb_per_s=1.3"
		done
	done
	for epoch in 0 1 2; do
		echo "dlscale: phases epoch=$epoch steps=130 mode=async" \
		    "step_ms=$((400 + epoch)).000 data_ms=20.000" \
		    "to_device_ms=0.1"
		echo "dlscale: reductions epoch=$epoch per_step=2" \
		    "bytes_per_step=52424704 busy_ms=$4 exposed_ms=$5" \
		    "overlap=0.5"
	done
}
mkdir -p t/1n1g t/4n1g
trainer_log 1 1 0.300 >t/1n1g/rn50_b32_fp32_1.log
trainer_log 4 4 0.400 200.000 80.000 >t/4n1g/rn50_b32_fp32_1.log
"$bindir/extract_logs" --name=t --output-dir=. t >out 2>err
tr -d ' \n' <t_result.json >flat
verdict "phases of a run: the median epoch" grep -qF \
    '"phases":{"step_s":0.401,"data_s":0.02,"busy_s":0.2,"exposed_s":0.08,"bytes_per_step":52424704' \
    flat
verdict "buckets of a run: the median step, by start" grep -qF \
    '"buckets":[{"bytes":26214400,"ready_s":2e-05,"start_s":2.05e-05,"duration_s":0.02},{"bytes":26210304,"ready_s":0.00102,"start_s":0.0020205,"duration_s":0.02}]' \
    flat
verdict "a run without them has no such keys" \
    test "$(grep -c '"phases": {' t_result.json)" -eq 1
"$p" --diagnose --to=8n1g --what-if=bandwidth=x2 t_result.json >out
verdict "exposed and waiting shares are those of the phases" \
    grep -q '^4n1g .* 20.0  *5.0 ' out
# gamma = (200 / 401 of the step - 100 ms) / 300 ms
verdict "the overlap is that of the phases" \
    grep -q '^bandwidth=x2 *4n1g .* 0.33$' out
check "... and what follows from them" predict-phases.json \
    "$p" --format=json --diagnose --to=8n1g,2n1g --bandwidth=5Gbit/s \
    --what-if=bandwidth=x2 --what-if=batch=16 --want=90% t_result.json
sed 's/"nodes":4,"gpus_per_node":1/"nodes":1,"gpus_per_node":4/g; s/4n1g/1n4g/g' \
    flat >node.json
check "measured buckets over a benchmark" predict-buckets.json \
    "$p" --format=json --to=2n4g,4n4g --network=bench.json \
    --gradient-bytes=104857600 node.json
# The link needs 1.045 * 8 * 1.5 * 52424704 / rate: at 4.9 Gbit/s 0.134 s of the
# 0.2 s, at 5 Gbit/s less than two thirds.
bound() { # RATE CHANGE
	"$p" --format=json --to=8n1g --what-if="$2" --bandwidth="$1" \
	    t_result.json | tr -d ' \n' | grep -o '"busy_s".*"bound":[a-z]*' |
	    cut -d '}' -f 1
}
verdict "all that was busy is the link's" test "$(bound 4.9Gbit/s \
    bandwidth=x2 | sed 's/.*bound/bound/')" = 'bound":false'
verdict "much of it is not: the answer is a bound" sh -c 'echo "$1" | grep -q \
    "^.busy_s.:0.1995012[0-9]*,.link_s.:0.1314811[0-9]*,.bound.:true$"' - \
    "$(bound 5Gbit/s bandwidth=x2)"
verdict "not of what leaves the link alone" test "$(bound 5Gbit/s \
    compute=x2 | sed 's/.*bound/bound/')" = 'bound":false'
"$p" --to=8n1g --what-if=bandwidth=x2 --bandwidth=5Gbit/s t_result.json >out
verdict "and states so" sh -c 'tr "\n" " " <out | tr -s " " | grep -q "x2, 4n1g: \
a bound: communication was busy for 0.20 s a step, of which the link needs \
0.13 s; "'
sed 's/op=allreduce/op=reduce_scatter/' t/4n1g/rn50_b32_fp32_1.log >x &&
    mv x t/4n1g/rn50_b32_fp32_1.log
"$bindir/extract_logs" --name=t --output-dir=. t >out 2>err
verdict "buckets of several operations are left out" \
    test "$(grep -c '"buckets"' t_result.json)" -eq 0

# --- small numbers, other models, axes ---
cost() { # PRICE: of a million samples on one GPU
	"$p" --samples=1e6 --price="$1" --format=csv r50.figures 2>err |
	    awk -F, '$6 == "1n1g" { printf "%.6f\n", $19 }'
}
verdict "a price below 1" test "$(cost 0.5)" = 0.396079
verdict "a price of 0" test "$(cost 0)" = 0.000000
# Numbers of parameters of torchvision's models and of the model cards.
while read -r model parameters; do
	sed "s/^model: .*/model: $model/" r50.figures >known.figures
	"$p" --to=4n4g --network=25Gbit/s known.figures >out 2>&1
	verdict "the gradients of $model" grep -q \
	    "^gradients of a step: $((4 * parameters)) bytes" out
done <<'EOF'
ResNet-18 11689512
resnet34 21797672
resnet50_v1.5 25557032
resnet101 44549160
resnet152 60192808
vgg11 132863336
vgg13 133047848
VGG16 138357544
vgg19 143667240
alexnet 61100840
mobilenet_v2 3504872
densenet121 7978856
BERT-Base 109482240
bert_large 335141888
gpt2 124439808
EOF
# One series has a count between those of the other.
cat >axis.figures <<'EOF'
model: m
batch: 64
precision: fp32

| nodes | GPUs | f     | g     |
| ----- | ---- | ----- | ----- |
| 1     | 1    | 55.5  | 50.1  |
| 1     | 4    | -     | 190.3 |
| 1     | 8    | 401.8 | 350.6 |
| 2     | 16   | 751.9 | 640.3 |
EOF
"$p" --chart=axis.svg axis.figures >out
verdict "the axis of a picture has the counts of all series" test "$(sed -n \
    's/.*text-anchor="middle".*>\([0-9]*\)<.*/\1/p' axis.svg | tr '\n' ' ')" \
    = "1 4 8 16 32 64 "
finish
