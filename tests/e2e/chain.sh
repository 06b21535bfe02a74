# Damaged and mixed logs through all programs in sequence: tests/e2e/chain.py.
# DLSCALE_CHAIN_TREES: number of trees, or "FIRST-LAST".
. "$top_srcdir/tests/lib.sh"
trees=${DLSCALE_CHAIN_TREES:-30}
if ! command -v python3 >/dev/null 2>&1; then
	echo "1..0 # SKIP no python3"
	exit 0
fi
python3 "$top_srcdir/tests/e2e/chain.py" "$bindir" "$top_srcdir" "$tmp" \
    "$trees" "${DLSCALE_CHAIN_SEED:-dlscale}" >"$tmp/printed" 2>&1
status=$?
comment "$tmp/printed"
verdict "$trees trees of damaged logs through all programs" test $status -eq 0
finish
