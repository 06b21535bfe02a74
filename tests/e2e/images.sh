# Images as PyTorch sees them: see images.py.
. "$top_srcdir/tests/lib.sh"

# The first python3 with torchvision; Debian's may come after another.
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

# Unusual images, and files that are not images: writing them needs only Pillow.
pillow=
for p in $python python3 /usr/bin/python3; do
	if test -z "$pillow" && $p -c 'import PIL' 2>/dev/null; then
		pillow=$p
	fi
done
# all_named: each bad file has a message with its name, and none is read.
all_named() {
	"$bindir/tests/e2e/dump_images" "$tmp/bad" 64 each >"$tmp/messages" ||
	    return 1
	grep -v "^$tmp/bad/a/.*\.[a-z]*: ." "$tmp/messages" && return 1
	test "$(wc -l <"$tmp/messages")" -eq "$(find "$tmp/bad" -type f |
	    wc -l)"
}
if test -z "$pillow"; then
	skip "images of every kind are torchvision's" "no Pillow for python3"
	skip "what is no image is named" "no Pillow for python3"
	skip "in bounded memory" "no Pillow for python3"
else
	$pillow "$top_srcdir/tests/e2e/odd_images.py" "$tmp/odd" "$tmp/bad" ||
	    exit 1
	if test -n "$python"; then
		verdict "images of every kind are torchvision's" \
		    compare "$tmp/odd" 64
		comment "$tmp/verdict"
	else
		skip "images of every kind are torchvision's" "no torchvision"
	fi
	verdict "what is no image is named" all_named
	# An image of 121 million pixels is within the limit and takes 3 bytes
	# for each while it is read, although the file has none.
	"$bindir/tests/peak" "$bindir/tests/e2e/dump_images" "$tmp/bad" 64 \
	    each >"$tmp/kib"
	verdict "in bounded memory" test "$(cat "$tmp/kib")" -lt 450000
	comment "$tmp/kib"
fi
finish
