# Sourced by every tests/cli/*.sh: TAP numbering, a scratch folder, golden files.
# check NAME GOLDEN COMMAND...: run COMMAND, compare stdout with tests/golden/GOLDEN.
# With UPDATE=1 in the environment, write GOLDEN instead.
set -u
srcdir=${srcdir:-.} n=0
golden=`cd "$srcdir/tests/golden" && pwd`
tmp=`mktemp -d` && trap 'rm -rf "$tmp"' EXIT
check() {
	name=$1 want=$golden/$2; shift 2; n=$((n + 1))
	"$@" >"$tmp/out" 2>"$tmp/err"; rc=$?
	if test "${UPDATE:-0}" = 1; then cp "$tmp/out" "$want"; fi
	if test $rc -eq 0 && cmp -s "$want" "$tmp/out"; then
		echo "ok $n - $name"
	else
		echo "not ok $n - $name"
		{ echo "status $rc"; diff -u "$want" "$tmp/out"; cat "$tmp/err"; } | sed 's/^/# /'
	fi
}
finish() { echo "1..$n"; }
