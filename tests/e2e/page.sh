# The page of report_results: its content, and its use in a browser. PAGE_DIR,
# if set, keeps the page and the screenshots.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
bin=$(cd "$bindir" && pwd)
top=$(cd "$top_srcdir" && pwd)
out=${PAGE_DIR:-$tmp/page}
mkdir -p "$out"
cd "$tmp" || exit 1

"$bin/extract_logs" --log-dir "$top/logs/pytorch-cpu" -o plain.json \
    >table 2>err
# Names that contain markup, a script, or a mark that reverses text.
sed -e 's/"framework": "pytorch"/"framework": "<script>hostile=1<\/script>"/' \
    -e 's/"model": "resnet18"/"model": "\\u202ex\\" onload=\\"hostile=1"/' \
    plain.json >hostile.json
sed -e 's/"framework": "pytorch"/"framework": "other"/' plain.json >other.json
"$bin/report_results" --html -o "$out/page.html" plain.json hostile.json \
    other.json 2>err
verdict "a page is written" test -s "$out/page.html"
"$bin/report_results" --html -o again.html plain.json hostile.json other.json \
    2>err
verdict "twice the same bytes" cmp "$out/page.html" again.html
# shellcheck disable=SC2016 # $ of grep
verdict "it names no other file and no network" \
    test "$(grep -cE '(src|href)="[^#]|@import|url\(' "$out/page.html")" = 0
verdict "its script has at most 40 KB" \
    test "$(wc -c <"$top/report/page/page.js")" -le 40960
verdict "hostile names are text" test \
    "$(grep -c '<script>hostile\|onload="hostile' "$out/page.html")" = 0
verdict "no mark turns the text around" test \
    "$(grep -c "$(printf '\342\200\256')" "$out/page.html")" = 0
verdict "no number that is none" \
    test "$(grep -ciwE 'nan|-?inf' "$out/page.html")" = 0
verdict "each run names its log's lines" grep -q \
    '1n2g/resnet18_b4_fp32_1.log' "$out/page.html"
verdict "and which iterations do not count" grep -q \
    'its first <bdi>25</bdi> iterations (<bdi>5</bdi> skipped, <bdi>20</bdi> of' \
    "$out/page.html"
"$bin/report_results" --html -o "$out/plain.html" plain.json 2>err
# Doubts that are not flags of a run: too few runs, wide intervals.
mkdir -p one/1n1g
cp "$top/logs/pytorch-cpu/1n1g/resnet18_b4_fp32_1.log" one/1n1g/
"$bin/extract_logs" -q -o one.json one >table 2>err
"$bin/report_results" --html -o "$out/one.html" one.json 2>err
mkdir -p three/1n1g
cp "$top"/logs/pytorch-cpu/1n1g/resnet18_b4_fp32_[123].log three/1n1g/
"$bin/extract_logs" -q -o three.json three >table 2>err
"$bin/report_results" --html -o "$out/three.html" three.json 2>err
# doubtful PAGE CASE DOUBT: check that the page lists DOUBT for the case
doubtful() {
	verdict "doubtful: $3" grep -q "<li><bdi>$3.*href=\"#case-$2\"" \
	    "$out/$1.html"
}
doubtful three 0 "too few runs: 3 give an interval of the median at only 75 %"
doubtful page 1 "wide interval: the median may be off by more than 5 %"
doubtful one 0 "only one run"
verdict "five runs, which the report asks for, are not too few" test \
    "$(grep -c 'too few runs' "$out/page.html")" = 0
verdict "an interval of 4 % is not wide" test "$(grep -c \
    '<li><bdi>wide.*href="#case-0"' "$out/page.html")" = 0
status=0
"$bin/report_results" --html -o /dev/full plain.json 2>err || status=$?
verdict "a full disk is an error" test $status = 3

# Pages of other kinds: a case that ran out of memory, phases and collectives,
# predictions, Chinese, 1,000 cases.
cp -R "$top/logs/pytorch-cpu" failed && mkdir failed/1n4g
echo 'RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB' \
    >failed/1n4g/resnet18_b4_fp32_1.log
"$bin/extract_logs" -q -o failed.json failed >table 2>err
"$bin/report_results" --html -o "$out/failed.html" failed.json 2>err
verdict "doubtful: a case that ran out of memory" \
    grep -q '<li><bdi>OOM: 1n4g/.*href="#case-2"' "$out/failed.html"
verdict "and how many logs were excluded, and why" grep -q \
    '<li><bdi>failed</bdi>: excluded logs: <bdi>1</bdi>: .*memory' \
    "$out/failed.html"
"$bin/extract_logs" -q -o links.json --skip-iterations=2 --warmup-batches=2 \
    --train-batches=16 "$top/logs/dlscale-links/1gbit" >table 2>err
"$bin/report_results" --html -o "$out/links.html" links.json 2>err
"$bin/predict_scaling" --format=json -o prediction.json \
    "$top/doc/resnet50-v100.figures" 2>err
"$bin/report_results" --html -o "$out/figures.html" \
    "$top/doc/resnet50-v100.figures" prediction.json 2>err
"$bin/report_results" --html --lang=zh -o "$out/zh.html" plain.json 2>err

# Strong scaling extracted with --scaling=weak.
mkdir -p strong/1n1g strong/1n2g
cp "$top/logs/pytorch-cpu/1n1g/resnet18_b4_fp32_1.log" \
    strong/1n1g/resnet18_b8_fp32_1.log
cp "$top/logs/pytorch-cpu/1n2g/resnet18_b4_fp32_1.log" strong/1n2g/
"$bin/extract_logs" -q --scaling=weak -o strong.json strong >table 2>err
"$bin/report_results" --html -o "$out/strong.html" strong.json 2>err
verdict "doubtful: what looks like strong scaling" grep -q \
    '<li><bdi>strong</bdi>: <bdi>looks like strong scaling' "$out/strong.html"

# The pages of a comparison and of a history.
data=$top/tests/cli/data
"$bin/report_results" --compare --html -o "$out/compare.html" \
    "old=$data/compare-old.json" \
    '"><script>hostile()='"$data/compare-new.json" 2>err
# text FILE: print the text of the first screen
text() {
	sed -n '/class="lead"/,/<\/section>/p' "$1" | sed 's/<[^>]*>//g'
}
verdict "a comparison's page states the verdict" eval '
	text "$out/compare.html" | grep -q "is proven to be slower in 1 of 3 .*4n8g"'
verdict "and has its table with ratio, interval, p and verdict" eval '
	sed -n "/id=.compare/,/<.table>/p" "$out/compare.html" >cells
	grep -q "class=.bad.>slower<" cells && grep -q ">p</th>" cells &&
	grep -q ">ratio</th>" cells'
verdict "hostile labels of a comparison are text" eval '
	grep -q "&lt;script&gt;hostile" "$out/compare.html" &&
	! grep -q "<script>hostile" "$out/compare.html"'
refuse "a comparison's page has no other format" 2 \
    "report_results: --html cannot be used with --format" \
    "$bin/report_results" --compare --html --format=csv plain.json other.json
browsed="$out/compare.html"
if built_with SQLITE; then
	i=0
	for speed in 100 101 99 100 100.5 99.5 94 93.5 94.5 94 93 94.2; do
		printf '{"schema": "dlscale-result/1", "rule": {"rule": "all",
		"metric": "throughput"}, "cases": [{"case": "1n8g", "model": "m",
		"nodes": 1, "gpus_per_node": 8, "gpus": 8, "unit": "samples/s",
		"rule": "all", "n": 1, "median_speed": %s, "runs":
		[{"run": "1", "path": "1n8g/r_%d", "value": %s}]}]}' \
		    $speed $i $speed >point.json
		"$bin/report_results" --history=speed.db add \
		    --date=2026-01-$((10 + i)) "--commit=<b>c$i" point.json \
		    >table 2>err || cat err
		i=$((i + 1))
	done
	"$bin/report_results" --history=speed.db show --html \
	    -o "$out/history.html" 2>err
	verdict "a history's page states since when" eval '
		text "$out/history.html" | grep -q "slower by .* since &lt;b&gt;c6"'
	verdict "and marks it on the chart" eval '
		grep -q "class=.p m1. " "$out/history.html" &&
		grep -q "class=.change" "$out/history.html"'
	refuse "a history's page has no other format" 2 \
	    "report_results: --html cannot be used with --format" \
	    "$bin/report_results" --history=speed.db show --html --format=csv
	refuse "of a history only show is a page" 2 \
	    "report_results: --html is of *, not of --history=FILE when" \
	    "$bin/report_results" --history=speed.db when --html
	browsed="$browsed $out/history.html"
else
	skip "a history's page" "built without SQLite"
fi
# A doubt of the old result only, and one of both.
"$bin/extract_logs" -q -o faster.json --skip-iterations=2 --warmup-batches=2 \
    --train-batches=16 "$top/logs/dlscale-links/10gbit" >table 2>err
"$bin/report_results" --compare faster.json links.json >table 2>err
verdict "flags of one side stand alone" eval '
	grep -q "^4n1g .* a$" table && ! grep -q null table'
# 24 cases: four series on six counts.
{
	echo "model: m"
	echo "| nodes | GPUs | A | B | C | D |"
	for gpus in 1 2 4 8 16 32; do
		echo "| 1 | $gpus | $((gpus * 180)) |" \
		    "$((gpus * (160 - gpus))) | $((gpus * (140 - gpus))) |" \
		    "$((gpus * (120 - 2 * gpus))) |"
	done
} >cases24.figures
"$bin/report_results" --html -o "$out/cases24.html" cases24.figures 2>err
browsed="$browsed $out/cases24.html"
verdict "a Chinese page" grep -q '<html lang="zh">' "$out/zh.html"
verdict "all its sentences are Chinese" test "$(sed -n \
    '/<main/,/<\/main>/p' "$out/zh.html" | sed 's/<[^>]*>//g' |
    grep -cE 'warm-up|drifts|median|excluded|of the first|runs')" = 0
# shellcheck disable=SC2016 # $ is awk's
awk '/^  "cases": \[/ { print; take = 1; next }
take && /^  \]/ {
	for (i = 0; i < 500; i++) {
		text = cases
		gsub(/"framework": "pytorch"/, "\"framework\": \"f" i "\"", text)
		printf "%s%s", text, i < 499 ? ",\n" : "\n"
	}
	take = 0
}
take { cases = cases (cases == "" ? "" : "\n") $0; next }
{ print }' plain.json >many.json
"$bin/report_results" --html -o "$out/many.html" many.json 2>err
verdict "a page of 1,000 cases" test \
    "$(grep -c '<details id="case-' "$out/many.html")" = 1000

# machine.txt next to a result describes the machine.
mkdir near && cp plain.json near/
echo 'processor: Deep Thought' >near/machine.txt
"$bin/report_results" --html -o near.html near/plain.json 2>err
verdict "the machine next to a result" grep -q 'Deep Thought' near.html
echo 'no machine' >near/machine.txt
"$bin/report_results" --html -o far.html near/plain.json 2>err
verdict "another file of that name is none" eval 'test -s far.html &&
    ! grep -q "no machine" far.html'

if ! python3 -c 'import selenium' 2>/dev/null ||
    ! test -x /usr/bin/chromedriver; then
	# Debian's Selenium is for Debian's Python.
	python=/usr/bin/python3
else
	python=python3
fi
if $python -c 'import selenium' 2>/dev/null && test -x /usr/bin/chromedriver
then
	# shellcheck disable=SC2086 # a list of files
	timeout 600 $python "$top/tests/e2e/page.py" "$out" "$out/page.html" \
	    $browsed \
	    "$out/one.html" "$out/failed.html" "$out/links.html" \
	    "$out/figures.html" "$out/zh.html" "$out/many.html" >tap 2>err
	grep -E '^(not )?ok ' tap >lines
	while read -r line; do
		name=${line#* - }
		case $line in
		not*) verdict "browser: $name" false;;
		*) verdict "browser: $name" true;;
		esac
	done <lines
	grep "^# " tap || :
	# Each sheet with rows of cases repeats the heads of their table.
	heads_are_repeated() {
		for sheet in 1 2 3 4 5 6; do
			pdftotext -layout -f $sheet -l $sheet "$1" text 2>err ||
			    break
			grep -q '^ *[A-D] *[0-9]* *[0-9]n[0-9]*g *[0-9]' text || continue
			grep -q '^ *configuration *GPUs *case' text || return 1
		done
		test $sheet -gt 2
	}
	if command -v pdftotext >/dev/null; then
		verdict "heads are repeated on each sheet" \
		    heads_are_repeated "$out/paper.pdf"
	else
		skip "heads are repeated on each sheet" "no pdftotext"
	fi
	"$top/build-aux/page_picture" "$bin" "$top" pictures 2>err
	# Bytes 17 to 24 of a PNG are its size.
	size() { od -A n -t u1 -j 16 -N 8 "$1"; }
	for picture in page.png gallery/page-phone.png gallery/page-paper.png \
	    gallery/page-compare.png gallery/page-history.png; do
		verdict "the picture doc/$picture is shot" test \
		    "$(size pictures/$picture)" = "$(size "$top/doc/$picture")"
	done
	verdict "browser: all was tried" grep -q '^1\.\.' tap ||
	    sed 's/^/# /' err
else
	skip "the page in a browser" "no python3-selenium or chromium-driver"
fi
finish
