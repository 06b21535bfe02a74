# Compare predictions with those of a second implementation: see
# tests/e2e/predict_oracles.py. Their file is $DLSCALE_ORACLES, or else next to
# the sources.
oracles=${DLSCALE_ORACLES:-$top_srcdir/../shared/reference/prediction-oracles.json}
if ! test -f "$oracles"; then
	echo "1..0 # SKIP no oracles of predictions"
elif ! command -v python3 >/dev/null 2>&1; then
	echo "1..0 # SKIP no python3"
else
	exec python3 "$top_srcdir/tests/e2e/predict_oracles.py" "$oracles" \
	    "$bindir/predict_scaling"
fi
