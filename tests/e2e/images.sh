# Images as PyTorch sees them: see images.py.
. "$top_srcdir/tests/lib.sh"

# The first python3 with torchvision: Debian's may stand after another.
python=
for p in python3 /usr/bin/python3; do
	if test -z "$python" && $p -c 'import torchvision' 2>/dev/null; then
		python=$p
	fi
done

compare() {
	"$bindir/tests/e2e/dump_images" "$1" "$2" >"$tmp/dump" &&
	    $python "$top_srcdir/tests/e2e/images.py" "$tmp/dump" "$1" "$2"
}

if test -z "$python"; then
	skip "images are torchvision's" "no torchvision for python3"
elif ! "$bindir/make_toy_images" --classes=4 --train-per-class=1 \
    --val-per-class=5 --size=250 "$tmp/jpeg" >"$tmp/out" 2>&1; then
	skip "images are torchvision's" "$(tail -n 1 "$tmp/out")"
else
	verdict "224 x 224 of JPEG files" compare "$tmp/jpeg/val" 224
	comment "$tmp/verdict"
	verdict "64 x 64 of JPEG files" compare "$tmp/jpeg/val" 64
	comment "$tmp/verdict"
	if "$bindir/make_toy_images" --format=png --classes=3 \
	    --train-per-class=2 --val-per-class=3 --size=40 "$tmp/png" \
	    >"$tmp/out" 2>&1; then
		verdict "64 x 64 of smaller PNG files" \
		    compare "$tmp/png/val" 64
		comment "$tmp/verdict"
	else
		skip "PNG files" "$(tail -n 1 "$tmp/out")"
	fi
fi
finish
