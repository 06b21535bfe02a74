# Formats of other programs: read back by prometheus_client, benchadapt and
# benchstat if installed, and by the grammars of their documentation, with the
# result's numbers to the last digit.
# shellcheck disable=SC2154 # bindir, top_srcdir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/logs.sh"
if ! command -v python3 >/dev/null 2>&1; then
	skip "formats of other programs" "no python3"
	finish
fi
bin=$(cd "$bindir" && pwd)
read=$(cd "$top_srcdir/tests/cli" && pwd)/exports.py
cd "$tmp" || exit 1
report() { "$bin/report_results" "$@"; }
tree one 5 1n1g 1n2g
tree two 3 1n1g
sed -i 's/0\.4/0.5/g' two/*/*
"$bin/extract_logs" -q -o measured.json 'a "b" \c'=one two=two >out 2>err ||
    comment err
"$bin/extract_logs" -q --metric=step-time -o times.json one >out 2>err ||
    comment err
for format in $(python3 "$read"); do
	for result in measured times; do
		report --format=$format $result.json >$result.$format
		verdict "$format of $result" python3 "$read" $format \
		    $result.json $result.$format
	done
done
report --format=openmetrics -o out.txt measured.json
verdict "to a file" cmp out.txt measured.openmetrics
"$bin/report_results" --format=benchfmt two >logs.out 2>err
verdict "of logs" grep -q '^BenchmarkTraining/.*/case=1n1g 100 ' logs.out
if python3 -c 'import prometheus_client.openmetrics.parser' 2>/dev/null; then
	verdict "prometheus_client reads OpenMetrics" python3 "$read" \
	    prometheus measured.json measured.openmetrics
else
	skip "prometheus_client reads OpenMetrics" "no prometheus_client"
fi
# Conbench's class for results, which its server reads.
if python3 -c 'import benchadapt' 2>/dev/null; then
	verdict "benchadapt reads Conbench's results" python3 "$read" \
	    benchadapt measured.json measured.conbench
else
	skip "benchadapt reads Conbench's results" "no benchadapt"
fi
# benchstat of Go, from Debian's golang-golang-x-perf or built by the user.
if command -v benchstat >/dev/null 2>&1; then
	benchstat measured.benchfmt >stat.out 2>err
	verdict "benchstat reads the Go benchmark format" eval \
	    'grep -q "case=1n1g" stat.out && ! grep -q "." err'
else
	skip "benchstat reads the Go benchmark format" "no benchstat"
fi
for format in benchfmt bmf github-action-benchmark conbench openmetrics; do
	refuse "no comparison as $format" 2 \
	    "report_results: this --format holds the cases *" \
	    report --format=$format --compare measured.json measured.json
done
refuse "no other table" 2 "report_results: this --format holds the cases *" \
    report --format=conbench --table=law measured.json
refuse "no check" 2 "report_results: --format: --check does not write 'bmf'" \
    report --check --format=bmf measured.json
refuse "no environment" 2 "report_results: --format: --environment does not write 'bmf'" \
    report --environment --format=bmf measured.json
refuse "no number" 4 "report_results: no case to show*" \
    report --format=bmf --select=framework=MxNet --allow-mixed \
    "${read%/*}/data/dlperf-resnet50.figures"
finish
