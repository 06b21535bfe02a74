# PyTorch still computes the values of tests/unit/test_parity.c: checks two of
# the cases; "parity.py check FILE" checks all.
. "$top_srcdir/tests/lib.sh"

# The first python3 with torchvision, as Debian's may be second in PATH.
python=
for p in python3 /usr/bin/python3; do
	if test -z "$python" && $p -c 'import torchvision' 2>/dev/null; then
		python=$p
	fi
done
again() {
	file=$1
	shift
	verdict "PyTorch still computes $file" \
	    $python "$top_srcdir/tests/e2e/parity.py" check \
	    "$top_srcdir/tests/data/$file" "$@"
}

if test -z "$python"; then
	skip "PyTorch still computes the same" "no torchvision for python3"
else
	again parity.txt resnet18-frozen alexnet
	# Values of a different network.
	sed 's/^\(gradient layer2.0.conv1.weight [0-9.]*\)[0-9]\{11\}/\17777/' \
	    "$top_srcdir/tests/data/parity.txt" >"$tmp/other"
	verdict "and not something else" sh -c '! "$@" >/dev/null' - $python \
	    "$top_srcdir/tests/e2e/parity.py" check "$tmp/other" resnet18-frozen
fi
finish
