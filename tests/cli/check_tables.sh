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
verdict "tables made at random" python3 "$tables" "$report" \
    "${DLSCALE_CHECK_TABLES_FROM-1}" "${DLSCALE_CHECK_TABLES-300}"
wrong=0 follow=0 tables=0
# The tables that the program writes itself follow from their own numbers.
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
finish
