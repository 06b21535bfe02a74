# report_results: details that tables and the page have only in certain cases:
# colours, counts of items not named, columns of some metrics, programs, levels.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
report=$bindir/report_results

# many N FACTOR [METRIC [RUNS]]: print a result of N cases; odd cases are faster
# by FACTOR, even ones slower by FACTOR.
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
# Five runs of each cannot prove a change in one of twelve cases.
"$report" --compare --format=html-fragment old12.json new12.json >marked
verdict "five runs are too few for twelve cases" eval '
	test "$(grep -c "<td>no evidence<" marked)" -eq 12 &&
	tr "\n" " " <marked | grep -q "no change provable in 12 of 12 cases: takes 6 runs"'
many 12 1 throughput 6 >old-six.json
many 12 1.1 throughput 6 >new-six.json
"$report" --compare --format=html-fragment old-six.json new-six.json >marked
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

many 1 1.1 throughput 4 >four-new.json
"$report" --compare --paired --confidence=0.9375 four.json four-new.json |
    tr '\n' ' ' | tr -s ' ' >pairs
verdict "the pairs that just reach a level" \
    grep -q '87.50 % CI with 4 pairs; 93.75 % takes 5 pairs' pairs
many 2 1 | sed '/1n2g", "framework"/s,samples/s,tokens/s,' >units.json
"$report" --compare --allow-mixed units.json units.json >units
verdict "of two units neither is in the heads" eval '
	grep -q "^1n2g" units && ! head -n 6 units | grep -q "([a-z]*/s)"'

# --- tables -------------------------------------------------------------------
many 2 1 time-to-train >trained.json
"$report" trained.json >table
verdict "times to train have the olympic mean" grep -q 'olympic mean' table
"$report" old12.json >table
verdict "speeds have not" eval 'grep -q median table && ! grep -q olympic table'

# --- the page -----------------------------------------------------------------
verdict "what cases stand on is folded away" eval '
	"$report" --html old13.json |
	    grep -q "^<details class=.origins.><summary>Where the numbers come from<"'
# environment FILE ROW: print how often ROW is in the table of sources
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
} { sub(/"value": 99.8,/, "\"value\": 99,")
	sub(/"value": 100.2,/, "\"value\": 101,") } { print }' old12.json >level.json
verdict "an interval has its level" eval '
	"$report" --html level.json | tr "\n" " " |
	grep -q "true median is in .*93.75 %.* confidence"'
sed 's/"median_level": 0.9375,//' level.json >without.json
verdict "without a level there is none on the page" eval '
	"$report" --html without.json >page &&
	grep -q "^<p>Median of <bdi>5</bdi> runs, without" page &&
	! grep -q "true median is in" page'
# wide LOW HIGH: print 1 if the page calls the interval wide, else 0
wide() {
	sed "s/\"median_low\": 99, \"median_high\": 101/\"median_low\": $1, \"median_high\": $2/
	    s/\"value\": 99,/\"value\": $1,/; s/\"value\": 101,/\"value\": $2,/" \
	    level.json >wide.json
	"$report" --html wide.json |
	    grep -c '^<li><bdi>wide interval: the median .*>1n1g<'
}
verdict "an interval that reaches 5 % is narrow" test "$(wide 95 105)" = 0
verdict "one that reaches 6 % down is wide" test "$(wide 94 101)" = 1
verdict "one that reaches 6 % up is wide" test "$(wide 99 106)" = 1
sed 's/"median_high": 101, //' level.json >half.json
refuse "half an interval" 3 \
    "*half.json: cases\[0\].median_speed: its interval has one end, *" \
    "$report" half.json
# asked LEVEL: print 1 if the page reports too few runs for LEVEL, else 0
asked() {
	sed "s/\"scaling\": \"weak\"/&, \"confidence\": $1/" level.json >asked.json
	"$report" --html asked.json | grep -c '^<li><bdi>too few runs: 5 give'
}
verdict "runs that just reach a level are enough" test "$(asked 0.9375)" -eq 0
verdict "five are, for 95 %, too" test "$(asked 0.95)" -eq 0
verdict "and not for a higher one" test "$(asked 0.96)" -eq 1
# The sentence of a speedup is consistent: its first number is the quotient of
# the next two, times the work of a step if that is stated.
speedup_sentences() {
	"$report" --html "$1" | sed -n 's/<[^>]*>//g
		s/^Speedup \([0-9.]*\): \([0-9.]*\) over \([0-9.]*\)\(, times \([0-9.]*\)\)*[.;,].*/\1 \2 \3 \5/p'
}
# Each row: unit, values on 1 and on 8 GPUs, speedup
while read -r unit one eight speedup; do
	printf 'model: m\nbatch: 32\nunit: %s\n| nodes | GPUs | A |\n| 1 | 1 | %s |\n| 1 | 8 | %s |\n' \
	    "$unit" "$one" "$eight" >speeds.figures
	verdict "a speedup in $unit is explained by its quotient" eval '
		speedup_sentences speeds.figures | awk -v want="$speedup" "
			{ n++; d = \$2 / \$3 * (NF > 3 ? \$4 : 1) / \$1 - 1 }
			END { exit !(n == 1 && d < 1e-3 && d > -1e-3 &&
			    \$1 / want < 1.001 && \$1 / want > 0.999) }"'
done <<'END'
samples/s 100 700 7
iterations/s 10 9 7.2
s 0.36 0.384 7.5
min 80 16 5
END
# left_out SED: print what the details state about excluded iterations after SED
# changed the rule
left_out() {
	sed "$1" "$data/two-frameworks.json" >rule.json
	"$report" --html rule.json | sed 's/<[^>]*>//g' | grep -e "^Excluded of" -e "^Excluded," |
	    sort -u
}
data=$top_srcdir/tests/cli/data
left_out 's/"warmup_batches": 20/"warmup_batches": 0/' >left
verdict "no warm-up is one of 0" grep -q \
    'its first 5 iterations (5 skipped, 0 of warm-up), not yet steady' left
left_out 's/"skip_iterations": 5/"skip_iterations": 0/' >left
verdict "nothing skipped is 0" grep -q \
    'its first 20 iterations (0 skipped, 20 of warm-up), not yet steady' left
left_out 's/"rule": "window"/"rule": "all"/' >left
verdict "of all iterations none is excluded" test ! -s left
sed 's/"rule": "window"/"rule": "all", "from_iteration": 7/' \
    "$data/two-frameworks.json" >rule.json
verdict "but the window states from which iteration on" eval '
	"$report" --html rule.json | sed "s/<[^>]*>//g" |
	    grep -q "^Window: all iterations from 7 on"'
# A metric that the first run does not have is in the list of the runs' metrics.
many 1 1 | sed 's|"path": "1n1g/r_[25]", |&"metrics": [{"name": "mfu", "figure": 41.25, "unit": "%", "source": "a log"}], |g' >metrics.json
verdict "metrics that the first run lacks, with source and unit" eval '
	"$report" --html metrics.json >page &&
	test "$(grep -o "<td[^>]*>41.250* (a log)</td>" page | wc -l)" -eq 2 &&
	grep -q ">mfu <span class=\"unit\">(%)</span></th>" page'
# A result of another program with many metrics.
metrics() {
	many 1 1 | awk -v n="$1" '{
	list = ""
	for (i = 1; i <= n; i++)
		list = list sprintf("%s{\"name\": \"m%d\", \"figure\": %d}",
		    i > 1 ? ", " : "", i, i)
	gsub(/"path": "1n1g\/r_2",/, "& \"metrics\": [" list "],")
	print
}'
}
# shown N: each of N metrics is a column
shown() { test "$(grep -o ">m[0-9]*</th>" page | sort -u | wc -l)" -eq "$1"; }
for count in 30 256 257; do
	metrics $count >metrics.json
	"$report" --html metrics.json >page
	verdict "$count metrics: up to 256 are shown" \
	    shown "$(test $count -lt 256 && echo $count || echo 256)"
	verdict "$count metrics: where there are more, it says so" \
	    test "$(grep -c "The result has more metrics" page)" -eq \
	    "$(test $count -gt 256 && echo 1 || echo 0)"
done
many 1 1 throughput 1 >single.json
verdict "one run is no runs" eval '
	"$report" --html single.json | grep -q "^<p>Median of <bdi>1</bdi> runs, without"'

lead() { "$report" --html "$1" | sed -n '/class="lead"/,/<\/section>/p'; }
verdict "it is counted" eval 'lead single.json | grep -q " · runs: 1 ·"'
printf '| nodes | GPUs | A |\n| 1 | 1 | 5 |\n' >published.figures
verdict "published figures have no runs" eval '
	lead published.figures >page && grep -q "cases: 1" page &&
	! grep -q "runs: " page'
if built_with SQLITE; then
	"$report" --history=one.db add --date=2026-01-01 single.json >added
	"$report" --history=one.db show >shown
	verdict "a history of one run has no interval" eval '
		grep -q 1n1g shown && ! grep -q "^interval of the median" shown'
else
	skip "a history of one run has no interval" "built without SQLite"
fi

# --- what it was measured on --------------------------------------------------
"$report" --environment single.json >shown
verdict "a result of one case has its metadata" eval '
	grep -q "^largest case  *1n1g$" shown &&
	grep -q "^device  *D$" shown && grep -q "^framework  *pytorch 2.1$" shown'
# Of two cases with the same number of GPUs the first is named.
many 3 1 | sed 's/"case": "1n3g"/"case": "2n1g"/
    s/"nodes": 1, "gpus_per_node": 3, "gpus": 3/"nodes": 2, "gpus_per_node": 1, "gpus": 2/' \
    >equal.json
"$report" --environment equal.json >shown
verdict "the first of the largest cases" grep -q '^largest case  *1n2g$' shown
printf 'host: n7\nprocessor: P\n' >machine.txt
sources() { "$report" --html "$@" |
    sed -n '/id="sources"/,/<\/section>/p'; }
sources a=single.json b=single.json c=single.json >three
verdict "of three files each has a column" \
    grep -q '<tr><td>host</td><td>n7</td><td>n7</td><td>n7</td></tr>' three
# Speeds of five digits and more are grouped by thousands.
many 3 124.42 >fast.json
"$report" --html fast.json >page
verdict "a page has commas in large speeds" eval '
    grep -q ">37,326\.00</strong>" page'
"$report" --html "$top_srcdir/tests/cli/data/two-frameworks.json" >page
verdict "how far the fastest is ahead: 5011.6 of 2384.3" \
    grep -q ">110 %</bdi> ahead of <bdi>pytorch<" page
finish
