# The table of doc/measurement.md, "Coverage", simulated anew: the same seeds
# give the same numbers, but for the last digit where another C library rounds
# its logarithms otherwise.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"

COVERAGE_TRIALS=20000 "$bindir/tests/unit/test_coverage" >"$tmp/out"
verdict "every interval holds what it claims" \
    eval '! grep "^not ok" "$tmp/out" && grep -q "^ok 7" "$tmp/out"'
sed -n 's/^# \(| .*\)/\1/p' "$tmp/out" >"$tmp/now"
sed -n '/^## Coverage/,/^## [^C]/p' "$top_srcdir/doc/measurement.md" |
    sed -n '/^|---/,/^$/p' | sed -n '2,$p' | sed '/^$/d' >"$tmp/written"
awk -F'|' 'NR == FNR { want[NR] = $2 $3; share[NR] = $4; n = NR; next }
	{ if ($2 $3 != want[FNR] || $4 - share[FNR] > 0.15 ||
	      share[FNR] - $4 > 0.15) { bad = 1; print "now: " $0 } }
	END { exit bad || FNR != n || n == 0 }' "$tmp/written" "$tmp/now" \
    >"$tmp/differs"
rc=$?
verdict "the document has these numbers" \
    eval 'cat "$tmp/differs" "$tmp/now"; test $rc -eq 0'

SESSION_TRIALS=4000 "$bindir/tests/unit/test_sessions" >"$tmp/sessions"
sed -n 's/^# \(| .*\)/\1/p' "$tmp/sessions" >"$tmp/now"
sed -n '/^| sessions x runs/,/^$/p' "$top_srcdir/doc/measurement.md" |
    sed -e 1,2d -e '/^$/d' >"$tmp/written"
verdict "intervals of sessions hold as often as the document says" \
    eval '! grep "^not ok" "$tmp/sessions" && test -s "$tmp/now" &&
    diff "$tmp/written" "$tmp/now"'

TREND_TRIALS=2000 "$bindir/tests/unit/test_trend_noise" >"$tmp/trends"
sed -n 's/^# \(| .*\)/\1/p' "$tmp/trends" >"$tmp/now"
sed -n '/^| history | 30 points/,/^$/p' "$top_srcdir/doc/measurement.md" |
    sed -e 1,2d -e '/^$/d' >"$tmp/written"
verdict "changes of histories are proven as often as the document says" \
    eval '! grep "^not ok" "$tmp/trends" && test -s "$tmp/now" &&
    diff "$tmp/written" "$tmp/now"'

AUDIT_TRIALS=2500 "$bindir/tests/unit/test_audit" >"$tmp/audit"
clean() { # CV: how many of 10,000 clean runs are flagged
	sed -n "s/^# clean, cv $1 %: \([0-9]*\) of 10000 flagged/\1/p" "$tmp/audit"
}
verdict "clean runs are flagged as seldom as the document says" eval '
    cat "$tmp/audit"
    test "$(clean 0) $(clean 1) $(clean 3)" = "0 0 0" &&
    grep -q "$(clean 10) of 10,000 at 10 %, $(clean 20) of 10,000 at 20 %" \
	"$top_srcdir/doc/measurement.md"'
finish
