# The page of report_results: its bytes, and what a person does with it in a
# browser.  PAGE_DIR keeps the page and the screenshots.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
bin=$(cd "$bindir" && pwd)
top=$(cd "$top_srcdir" && pwd)
out=${PAGE_DIR:-$tmp/page}
mkdir -p "$out"
cd "$tmp" || exit 1

"$bin/extract_logs" --log-dir "$top/logs/pytorch-cpu" -o plain.json \
    >table 2>err
# Names that would be markup, a script, or turn the text around.
sed -e 's/"framework": "pytorch"/"framework": "<script>hostile=1<\/script>"/' \
    -e 's/"model": "resnet18"/"model": "\\u202ex\\" onload=\\"hostile=1"/' \
    plain.json >hostile.json
"$bin/report_results" --html -o "$out/page.html" plain.json hostile.json \
    2>err
verdict "a page is written" test -s "$out/page.html"
"$bin/report_results" --html -o again.html plain.json hostile.json 2>err
verdict "twice the same bytes" cmp "$out/page.html" again.html
# shellcheck disable=SC2016 # $ of grep
verdict "it names no other file and no network" \
    test "$(grep -cE '(src|href)="[^#]|@import|url\(' "$out/page.html")" = 0
verdict "hostile names are text" test \
    "$(grep -c '<script>hostile\|onload="hostile' "$out/page.html")" = 0
verdict "no mark turns the text around" test \
    "$(grep -c "$(printf '\342\200\256')" "$out/page.html")" = 0
verdict "no number that is none" \
    test "$(grep -ciwE 'nan|-?inf' "$out/page.html")" = 0
verdict "each run names its log's lines" grep -q \
    '1n2g/resnet18_b4_fp32_1.log' "$out/page.html"
verdict "and which iterations do not count" grep -q \
    'its first 25 iterations (5 skipped, 20 of warm-up) and all after the first 125,' \
    "$out/page.html"
status=0
"$bin/report_results" --html -o /dev/full plain.json 2>err || status=$?
verdict "a full disk is an error" test $status = 3

if ! python3 -c 'import selenium' 2>/dev/null ||
    ! test -x /usr/bin/chromedriver; then
	# Debian's Selenium is for Debian's Python.
	python=/usr/bin/python3
else
	python=python3
fi
if $python -c 'import selenium' 2>/dev/null && test -x /usr/bin/chromedriver
then
	timeout 300 $python "$top/tests/e2e/page.py" "$out/page.html" "$out" \
	    >tap 2>err
	grep -E '^(not )?ok ' tap >lines
	while read -r line; do
		name=${line#* - }
		case $line in
		not*) verdict "browser: $name" false;;
		*) verdict "browser: $name" true;;
		esac
	done <lines
	verdict "browser: all was tried" grep -q '^1\.\.' tap ||
	    sed 's/^/# /' err
else
	skip "the page in a browser" "no python3-selenium or chromium-driver"
fi
finish
