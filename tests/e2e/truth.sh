# Random trees of logs with known results, through extract_logs, report_results
# and plot_results; see tests/e2e/truth.py.
. "$top_srcdir/tests/lib.sh"
trees=${DLSCALE_TRUTH_TREES:-30}
if ! command -v python3 >/dev/null 2>&1; then
	echo "1..0 # SKIP no python3"
	exit 0
fi
python3 "$top_srcdir/tests/e2e/truth.py" "$bindir" "$tmp" "$trees" dlscale \
    >"$tmp/shown" 2>&1
status=$?
comment "$tmp/shown"
verdict "$trees trees of logs" test $status -eq 0
finish
