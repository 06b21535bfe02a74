# The instruction count of each program is linear in the size of its input.
# GROWTH_ROWS: a pattern of the dimensions; GROWTH_TIMES: multiple of the sizes.
. "$top_srcdir/tests/lib.sh"
few="extract_logs: (batch|models|rows of an)|results: models"
if ! command -v valgrind >/dev/null 2>&1 ||
    ! python3 -c 'import sqlite3' >/dev/null 2>&1; then
	skip "growth" "no valgrind, or no python3 with sqlite3"
	finish
	exit
fi
if grep -q '__[at]san_' "$bindir/extract_logs" || ! built_with SQLITE; then
	skip "growth" "a build with sanitizers, or without SQLite"
	finish
	exit
fi
python3 "$top_srcdir/tests/growth.py" "$(cd "$bindir" && pwd)" \
    "${GROWTH_ROWS:-$few}"
