# Repeat the simulations of doc/measurement.md, "Coverage": the same seeds give
# the same numbers, except for the last digit if another C library rounds its
# logarithms differently.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"

COVERAGE_TRIALS=20000 "$bindir/tests/unit/test_coverage" >"$tmp/out"
verdict "every interval holds what it claims" \
    eval '! grep "^not ok" "$tmp/out" && grep -q "^ok 7" "$tmp/out"'
COVERAGE_TRIALS=20000 "$bindir/tests/unit/test_result_comparison" >"$tmp/many"
verdict "tables of ten cases are wrong in 5 % at most" \
    eval '! grep "^not ok" "$tmp/many"'
sed -n 's/^# \(| .*\)/\1/p' "$tmp/out" "$tmp/many" >"$tmp/now"
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

# Clean and disturbed runs whose lines print single steps: few false flags, and
# at most one unflagged case per cell.
if command -v python3 >/dev/null; then
	python3 "$top_srcdir/tests/audit_rates.py" "$bindir" --runs 100 \
	    --only "clean JSON, step time" | grep "^| JSON" >"$tmp/rates"
	verdict "less than 2 % of clean runs are flagged" eval '
	    cat "$tmp/rates"; test -s "$tmp/rates" && ! cut -d"|" -f4-7 "$tmp/rates" |
	    grep -E "(^| )([2-9]|[0-9]{2,})\.[0-9] %"'
	python3 "$top_srcdir/tests/audit_rates.py" "$bindir" --runs 20 \
	    --only "throttled after the window, JSON" | grep "^| throttled" >"$tmp/rates"
	verdict "a throttled run is flagged" eval '
	    cat "$tmp/rates"; test -s "$tmp/rates" &&
	    ! grep -E "(^|[ ,])([2-9]|[0-9]{2,}) of" "$tmp/rates"'
fi

# The coverage of predictions: the rows of both axes and of all series.
p=$top_srcdir/predict
validate() {
	python3 "$top_srcdir/tests/predict_validate.py" "$bindir" --coverage "$@"
}
validate "$p/published.figures" "$p/chosen.figures" "$p/kept.figures" |
    grep '^| both' >"$tmp/coverage"
sed -n '/^| predictions | series/,/^$/p' "$top_srcdir/doc/prediction.md" |
    sed '1,2d;/^$/d' | tr -d ' %' | cut -d'|' -f3-7 >"$tmp/written"
grep -v '| all' "$tmp/coverage" | tr -d ' %' |
    awk -F'|' '{ print $4 "|" $5 "|" $7 "|" $9 "|" $10 }' >"$tmp/now"
verdict "predictions are covered as doc/prediction.md says" \
    cmp "$tmp/written" "$tmp/now"
figures() { # kind of prediction: its series, missed, slower as printed
	awk -F'|' -v kind="$1" 'index($3, kind) {
		printf "%d %.0f %.0f\n", $4, 100 - $7, $9 }' "$tmp/coverage"
}
macros() { # prefix: the same from constants.h
	sed -n "s/^#define K_$1_[A-Z]* \"\([0-9]*\).*/\1/p" \
	    "$p/constants.h" | tr '\n' ' ' | sed 's/ $//'
}
verdict "warnings print how often such predictions missed" eval '
    test "$(macros BEYOND)" = "$(figures more)" &&
    test "$(macros RISING)" = "$(figures rising)"'
validate "$p/kept.figures" >"$tmp/kept"
validate "$p/published.figures" "$p/chosen.figures" >"$tmp/chosen"
verdict "80 % intervals hold 75 to 85 % of both halves" eval '
    test "$(cat "$tmp/chosen" "$tmp/kept" |
	awk -F"|" "/both .* all/ && \$7 + 0 >= 75 && \$7 + 0 <= 85" |
	wc -l)" -eq 2'
finish
