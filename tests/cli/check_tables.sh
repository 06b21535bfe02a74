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
case $report in /*) ;; *) report=$PWD/$report;; esac
case $tables in /*) ;; *) tables=$PWD/$tables;; esac
cd "$tmp" || exit 1
verdict "tables made at random" python3 "$tables" "$report" \
    "${DLSCALE_CHECK_TABLES_FROM-1}" "${DLSCALE_CHECK_TABLES-300}"
finish
