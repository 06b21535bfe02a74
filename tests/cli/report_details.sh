# report_results: the small things that stand on tables and on the page only
# where something is so: colours, counts of what is not named, columns of some
# metrics, programs, levels.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
report=$bindir/report_results

# many N FACTOR [METRIC [RUNS]]: a result of N cases, the odd ones FACTOR times
# as fast, the even ones as much slower.
many() {
	awk -v n="$1" -v f="$2" -v metric="${3:-throughput}" -v runs="${4:-5}" \
	    'BEGIN {
		printf "{\"schema\": \"dlscale-result/1\", \"rule\": {"
		printf "\"rule\": \"window\", \"skip_iterations\": 5, "
		printf "\"warmup_batches\": 20, \"train_batches\": 120, "
		printf "\"epoch\": \"auto\", \"aggregate\": \"time\", "
		printf "\"metric\": \"%s\", \"scaling\": \"weak\"}, ", metric
		printf "\"cases\": ["
		for (k = 1; k <= n; k++) {
			v = 100 * k * (k % 2 ? f : 1 / f)
			printf "%s{\"case\": \"1n%dg\", \"framework\": " \
			    "\"pytorch\", \"model\": \"resnet50\", " \
			    "\"precision\": \"fp32\", " \
			    "\"batch_size_per_device\": 128, \"nodes\": 1, " \
			    "\"gpus_per_node\": %d, \"gpus\": %d, " \
			    "\"unit\": \"samples/s\", \"rule\": \"window\", " \
			    "\"n\": %d, \"median_speed\": %.10g,\n" \
			    "\"runs\": [", (k > 1 ? ", " : ""), k, k, k, runs, v
			for (r = 1; r <= runs; r++)
				printf "%s{\"run\": \"%d\", \"path\": " \
				    "\"1n%dg/r_%d\", \"value\": %.10g, " \
				    "\"device\": \"D\", " \
				    "\"framework_version\": \"2.1\"}",
				    (r > 1 ? ", " : ""), r, k, r,
				    v * (1 + (r - (runs + 1) / 2) / 1000)
			printf "]}\n"
		}
		printf "]}\n"
	}'
}
cd "$tmp" || exit 1
case $report in /*) ;; *) report=$OLDPWD/$report;; esac
many 12 1 >old12.json
many 12 1.1 >new12.json
many 13 1 >old13.json
many 13 1.1 >new13.json

# --- comparisons --------------------------------------------------------------
"$report" --compare --format=html-fragment old12.json new12.json >marked
verdict "faster is good, slower is bad" eval '
	test "$(grep -c "<td class=\"good\">faster<" marked)" -eq 6 &&
	test "$(grep -c "<td class=\"bad\">slower<" marked)" -eq 6'
"$report" --compare --format=html-fragment old12.json old12.json >marked
verdict "neither is neither" eval '
	grep -q "<td>equivalent<" marked && ! grep -q "class=\"good\"" marked &&
	! grep -q "class=\"bad\"" marked'
"$report" --compare old12.json new12.json | tr '\n' ' ' | tr -s ' ' >twelve
"$report" --compare old13.json new13.json | tr '\n' ' ' | tr -s ' ' >thirteen
verdict "twelve smallest changes are all named" eval '
	grep -q "1n11g 0.37 %, 1n12g 0.37 % measured" twelve'
verdict "of thirteen one is counted" eval '
	grep -q "1n12g 0.37 %, +1 measured" thirteen'
many 1 1 throughput 4 >four.json
"$report" --compare four.json old12.json >counts
verdict "numbers of runs that differ" grep -q '^1n1g .* 4, 5$' counts
"$report" --compare old12.json old12.json >counts
verdict "and one that does not" grep -q '^1n1g .* 5$' counts

# --- tables -------------------------------------------------------------------
many 2 1 time-to-train >trained.json
"$report" trained.json >table
verdict "times to train have the olympic mean" grep -q 'olympic mean' table
"$report" old12.json >table
verdict "speeds have not" eval 'grep -q median table && ! grep -q olympic table'

# --- the page -----------------------------------------------------------------
# environment FILE ROW: how many rows of what it was measured on are ROW
environment() {
	"$report" --html "$1" | sed -n '/id="sources"/,/<\/section>/p' |
	    grep -c "<tr><td>$2</td></tr>"
}
verdict "a program is named once" test \
    "$(environment old12.json 'framework</td><td>pytorch 2.1')" -eq 1
verdict "and its device" test "$(environment old12.json 'device</td><td>D')" \
    -eq 1
sed 's/, "device": "D"//g' old12.json >unknown.json
verdict "without its device" test \
    "$(environment unknown.json 'device</td><td>D')" -eq 0
verdict "the program is there" test \
    "$(environment unknown.json 'framework</td><td>pytorch 2.1')" -eq 1

awk '/"n": 5/ && !n++ {
	sub(/"median_speed": 100,/, "&\"median_low\": 99, " \
	    "\"median_high\": 101, \"median_level\": 0.9375,")
} { print }' old12.json >level.json
verdict "an interval has its level" eval '
	"$report" --html level.json | tr "\n" " " |
	grep -q "true median is in .*93.75 %.* confidence"'
sed 's/"median_level": 0.9375,//' level.json >without.json
verdict "without a level there is none on the page" eval '
	"$report" --html without.json >page &&
	grep -q "^<p>Median of <bdi>5</bdi> runs, without" page &&
	! grep -q "true median is in" page'
many 1 1 throughput 1 >single.json
verdict "one run is no runs" eval '
	"$report" --html single.json | grep -q "^<p>The value of one run;"'
finish
