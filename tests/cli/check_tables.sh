# report_results --check on tables made at random in the forms, layouts and
# words of publications: all cells of true ones follow, one wrong cell is named.
. "$top_srcdir/tests/lib.sh"

if ! command -v python3 >/dev/null 2>&1; then
	skip "tables made at random" "no python3"
	finish
	exit 0
fi
report=$bindir/report_results
tables=$top_srcdir/tests/cli/check_tables.py
data=$top_srcdir/tests/cli/data
case $report in /*) ;; *) report=$PWD/$report;; esac
case $tables in /*) ;; *) tables=$PWD/$tables;; esac
case $data in /*) ;; *) data=$PWD/$data;; esac
cd "$tmp" || exit 1
made=300
test -z "${DLSCALE_QUICK-}" || made=60
verdict "tables made at random" python3 "$tables" "$report" \
    "${DLSCALE_CHECK_TABLES_FROM-1}" "${DLSCALE_CHECK_TABLES-$made}"
wrong=0 follow=0 tables=0
# The tables that the program writes itself follow from their own numbers.
for result in "$data"/*.json; do
	for form in markdown csv latex text; do
		for lang in en zh; do
			"$report" --format=$form --lang=$lang --allow-mixed \
			    -o own.$form "$result" 2>/dev/null || continue
			"$report" --check own.$form >found 2>&1
			case $? in 0) follow=1;; 4) ;; *)
				echo "# $result $form $lang"
				sed 's/^/# /' found
				wrong=1;;
			esac
			tables=$((tables + 1))
		done
	done
done
verdict "our own tables follow" test "$wrong $follow" = "0 1"
verdict "and there are some" test $tables -ge 24

# Step times of an even number of runs: speedups are of rates, and the mean of
# two rates is not the inverse of the mean of two times.
step_times() { # FILE SEED SPREAD
	awk -v k="$2" -v s="$3" 'BEGIN {
		t = 0.4 * (1 + s * sin(5 * k) ^ 2)
		print "step,step_time"
		for (i = 0; i < 130; i++) printf "%d,%.7f\n", i, t
	}' >"$1"
}
even_runs() { # SPREAD FORM...
	spread=$1
	shift
	for k in 1 2 3; do
		rm -rf even && mkdir -p even/1n1g even/1n4g
		for run in 1 2 3 4; do
			step_times even/1n1g/net_b4_fp32_$run.log $((k + run)) \
			    "$spread"
			test $run -gt 2 || step_times even/1n4g/net_b4_fp32_$run.log \
			    $((k - run)) "$spread"
		done
		"$bindir/extract_logs" -q --metric=step-time -o even.json even \
		    >printed || return 1
		for form; do
			"$report" --format="$form" -o "even.$form" even.json &&
				"$report" --check "even.$form" || return 1
		done
	done
}
verdict "even runs" even_runs 10 csv markdown latex html text
# What stands on the terminal: cells with spaces in them, heads of two lines,
# titles of groups, wide characters, prose below.
printed_tables() {
	"$bindir/extract_logs" -q --rule=all -o own.json \
	    "$data/../../../logs/backends" >own.txt &&
	    "$report" --check own.txt | tail -n 1 >said &&
	    grep -qx 'follows: 12' said || return 1
	for lang in en zh; do
		"$report" --table=scaling --lang=$lang own.json >own.txt &&
		    "$report" --check own.txt | tail -n 1 >said &&
		    grep -qx 'follows: 12' said || return 1
	done
	"$report" --table=times own.json >own.txt &&
	    "$report" --table=times --format=markdown own.json >own.md &&
	    "$report" --check own.md | tail -n 1 >wanted &&
	    "$report" --check own.txt | tail -n 1 | cmp - wanted
}
verdict "tables as they are printed" printed_tables
one_off() {
	"$report" --table=scaling own.json |
	    sed '/^1n4g/{ s/  1\.\([0-9]*\) /  2.\1 /; }' >off.txt
	"$report" --check off.txt >said
	test $? = 1 && grep -q '^off.txt:9:42 .* 2\.[0-9]* ' said &&
	    grep -qx 'does not follow: 2' said
}
verdict "a wrong speedup in them does not" one_off
verdict "a blank line ends them, whatever follows" sh -c '
	"$1" own.json --table=scaling >own.txt &&
	    { cat own.txt; echo; echo "1n9g  5  1  [1, 1]  9  [1, 1]  1"; } |
	    "$1" --check - | tail -n 1 | grep -qx "follows: 12"' sh "$report"

# A caption is no head; a group of one row below a blank line is of the table.
verdict "captions, rows below blank lines" sh -c 'printf "%s\n" \
    "Results:" "case  GPUs  images/s  speedup" "----  ----  --------  -------" \
    "1n1g     1       100        1" "" "1n8g     8       790      7.5" |
    "$1" --check - | grep -q "1n8g .* 7.5 .* 7.9 .* does not follow"' sh "$report"

# Cases of other global batches are each their own baseline.
own_baselines() {
	cat >own.csv <<-\EOF
	framework,model,global_batch_size,nodes,gpus_per_node,gpus,unit,n,median,speedup,efficiency,case,baseline
	pytorch,net,64,1,2,2,samples/s,1,2117.8216,1,1,1n2g,1n2g
	pytorch,net,256,1,8,8,samples/s,1,1265.4473554127533,1,1,1n8g,1n8g
	pytorch,net,512,2,8,16,samples/s,1,1527.4463007159904,1,1,2n8g,2n8g
	EOF
	"$report" --check own.csv
}
verdict "cases that are their own baselines" own_baselines

# A row of another group that prints 1 is none of this group's baseline.
stated_baseline() {
	cat >own.csv <<-\EOF
	framework,model,precision,batch_size_per_device,nodes,gpus_per_node,gpus,unit,n,median,speedup,efficiency,case,baseline
	mxnet,net,fp32,256,1,1,1,s,1,0.15,1,1,1n1g,1n1g
	mxnet,net,fp32,256,1,2,2,s,1,0.36,0.8333333333333334,0.4166666666666667,1n2g,1n1g
	pytorch,net,fp32,256,1,2,2,s,1,45.5,1,1,1n2g,1n2g
	EOF
	"$report" --check own.csv
}
verdict "a baseline that a column states" stated_baseline
finish
