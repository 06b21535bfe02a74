# report_results --check on random tables in the forms, layouts and words of
# publications: all cells of correct tables follow, and a wrong cell is named.
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
# Tables written by the program follow from their own numbers.
for result in "$data"/*.json; do
	for form in markdown csv latex; do
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

# Step times of an even number of runs: speedups are ratios of rates, and the
# mean of two rates is not the inverse of the mean of two times.
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
verdict "even runs" even_runs 10 csv markdown latex
# Columns separated only by blanks are not read.
plain_text() {
	"$report" --table=scaling own.json >own.txt || return 1
	"$report" --check own.txt >said
	test $? = 4 && ! grep -q '^follows' said
}
"$bindir/extract_logs" -q --rule=all -o own.json \
    "$data/../../../logs/backends" >made
verdict "plain text has no table" plain_text

# Cases with different global batches are their own baselines.
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

# A row of another group with a speedup of 1 is not the baseline of this group.
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
