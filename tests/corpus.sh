# Real logs with known numbers (tests/e2e/expected.py), in $DLSCALE_CORPUS or
# else in ../shared/corpus next to the sources.
corpus=${DLSCALE_CORPUS:-$top_srcdir/../shared/corpus}
if ! test -f "$corpus/expected.json"; then
	echo "1..0 # SKIP no corpus of logs"
elif ! command -v python3 >/dev/null 2>&1; then
	echo "1..0 # SKIP no python3"
else
	exec python3 "$top_srcdir/tests/e2e/expected.py" "$corpus" \
	    "$bindir/extract_logs"
fi
