# What tests/unit/test_parity.c holds us against is still what PyTorch computes:
# two of the cases; "parity.py check FILE" goes through all.
. "$top_srcdir/tests/lib.sh"

# The first python3 with torchvision: Debian's may stand after another.
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
	# As given by another program, a network that is not the same.
	sed 's/^\(gradient layer2.0.conv1.weight [0-9.]*\)[0-9]\{11\}/\17777/' \
	    "$top_srcdir/tests/data/parity.txt" >"$tmp/other"
	verdict "and not something else" sh -c '! "$@" >/dev/null' - $python \
	    "$top_srcdir/tests/e2e/parity.py" check "$tmp/other" resnet18-frozen
fi
finish
