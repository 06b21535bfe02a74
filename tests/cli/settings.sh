# Settings stated anywhere in a log split runs into cases; ids, dates and paths
# do not; a sweep with one run per value is flagged (tests/cli/settings.py).
. "$top_srcdir/tests/lib.sh"

if ! command -v python3 >/dev/null 2>&1; then
	skip "trees of settings" "no python3"
	finish
	exit 0
fi
verdict "300 trees of settings" python3 \
    "$top_srcdir/tests/cli/settings.py" "$bindir/extract_logs" "$tmp" 300
finish
