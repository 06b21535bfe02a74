# Sourced by every tests/**/*.sh: TAP numbering, a scratch folder, goldens.
#
# check NAME GOLDEN COMMAND...
#	run COMMAND; its status must be 0 and its stdout tests/golden/GOLDEN.
#	With UPDATE=1 in the environment GOLDEN is rewritten if the status is 0.
# refuse NAME STATUS MESSAGE COMMAND...
#	run COMMAND; its status must be STATUS and a line of its stderr must
#	match MESSAGE (a shell pattern such as *text*).
# verdict NAME COMMAND...
#	ok if COMMAND succeeds.
# skip NAME REASON
# built_with LIBRARY
#	succeeds if the programs are built with LIBRARY, named as in config.h:
#	ZLIB, SQLITE, GLOO, ...
# $fast_device
#	a device of train_imagenet for tests that can use any device.
# finish
#	at the end: print the plan.
#
# $tmp is a scratch folder; $bindir holds the programs, $top_srcdir the sources.
set -u
top_srcdir=${top_srcdir:-.} bindir=${bindir:-.} n=0
golden=$top_srcdir/tests/golden
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

result() {
	n=$((n + 1))
	if test "$1" -eq 0; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
	fi
}

comment() { sed 's/^/# /' "$@"; }

check() {
	name=$1 want=$golden/$2
	shift 2
	"$@" >"$tmp/out" 2>"$tmp/err"
	rc=$?
	if test $rc -eq 0 && test "${UPDATE:-0}" = 1; then cp "$tmp/out" "$want"; fi
	if test $rc -eq 0 && cmp -s "$want" "$tmp/out"; then
		result 0 "$name"
	else
		result 1 "$name"
		{
			echo "status $rc"
			diff -u "$want" "$tmp/out"
			cat "$tmp/err"
		} 2>&1 | comment
	fi
}

refuse() {
	name=$1 status=$2 message=$3
	shift 3
	"$@" >"$tmp/out" 2>"$tmp/err"
	rc=$?
	found=1
	while IFS= read -r line; do
		# shellcheck disable=SC2254 # a pattern is meant
		case $line in
		$message) found=0;;
		esac
	done <"$tmp/err"
	if test $rc -eq "$status" && test $found -eq 0; then
		result 0 "$name"
	else
		result 1 "$name"
		{
			echo "status $rc, not $status, or no line $message"
			cat "$tmp/err"
		} | comment
	fi
}

verdict() {
	name=$1
	shift
	if "$@" >"$tmp/verdict" 2>&1; then
		result 0 "$name"
	else
		result 1 "$name"
		comment "$tmp/verdict"
	fi
}

skip() {
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}

built_with() { grep -q "^#define HAVE_$1 1" "$bindir/config.h"; }
fast_device=reference
if built_with DNNL; then fast_device=cpu; fi

finish() { echo "1..$n"; }
