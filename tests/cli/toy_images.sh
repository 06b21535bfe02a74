# make_toy_images: its output, which is the same each time, and the options that
# it rejects.
. "$top_srcdir/tests/lib.sh"

toy() { "$bindir/make_toy_images" "$@"; }
small() {
	toy --classes=3 --train-per-class=2 --val-per-class=1 --size=16 "$@"
}
tree() { (cd "$1" && find . -type f | sort); }
sums() { (cd "$1" && find . -type f | sort | xargs cksum); }

if small "$tmp/probe" 2>"$tmp/err"; then
	small --seed=4 "$tmp/a" >"$tmp/said"
	verdict "states what it wrote" grep -qx \
	    "$tmp/a: 3 classes, 6 images for training, 3 for validation" \
	    "$tmp/said"
	cat >"$tmp/want" <<-'END'
	./train/arrow/00000.jpg
	./train/arrow/00001.jpg
	./train/bars/00000.jpg
	./train/bars/00001.jpg
	./train/cross/00000.jpg
	./train/cross/00001.jpg
	./val/arrow/00000.jpg
	./val/bars/00000.jpg
	./val/cross/00000.jpg
	END
	tree "$tmp/a" >"$tmp/got"
	verdict "writes a folder for each class" diff "$tmp/want" "$tmp/got"
	mkdir "$tmp/b"
	small --seed=4 "$tmp/b" >/dev/null
	sums "$tmp/a" >"$tmp/1"
	sums "$tmp/b" >"$tmp/2"
	verdict "same options, same bytes" diff "$tmp/1" "$tmp/2"
	verdict "pictures differ" \
	    test "$(awk '{ print $1 }' "$tmp/1" | sort -u | wc -l)" -eq 9
	small --seed=5 "$tmp/c" >/dev/null
	sums "$tmp/c" >"$tmp/3"
	verdict "another seed, other pictures" \
	    test "$(cat "$tmp/1" "$tmp/3" | sort -u | wc -l)" -eq 18
	small --quality=30 --seed=4 "$tmp/d" >/dev/null
	size() { find "$1" -type f -exec cat '{}' + | wc -c; }
	verdict "less quality, fewer bytes" \
	    test "$(size "$tmp/d")" -lt "$(size "$tmp/a")"
	refuse "a folder that holds something" 3 \
	    "make_toy_images: folder '$tmp/a' is not empty" small "$tmp/a"
	touch "$tmp/file"
	refuse "a file in place of the folder" 3 \
	    "make_toy_images: cannot read folder '$tmp/file': Not a directory" \
	    small "$tmp/file"
	# shellcheck disable=SC2016 # the inner shell's
	refuse "a disk without room" 3 \
	    "make_toy_images: cannot write '$tmp/e/train/arrow/00000.jpg': *" \
	    sh -c 'trap "" XFSZ; ulimit -f 2
	exec "$0" --size=256 "$1"' "$bindir/make_toy_images" "$tmp/e"
else
	verdict "states that libjpeg is missing" grep -q \
	    'built without libjpeg' "$tmp/err"
	skip "JPEG files" "built without libjpeg"
fi
if small --format=png "$tmp/png" >/dev/null 2>"$tmp/err"; then
	verdict "writes PNG, too" test -s "$tmp/png/val/cross/00000.png"
else
	verdict "states that libpng is missing" grep -q \
	    'built without libpng' "$tmp/err"
fi
refuse "no folder" 2 "make_toy_images: give one folder to write to" toy
refuse "two folders" 2 "make_toy_images: give one folder to write to" \
    toy "$tmp/x" "$tmp/y"
refuse "too many classes" 2 "make_toy_images: --classes: *" \
    toy --classes=17 "$tmp/x"
refuse "an unknown format" 2 "make_toy_images: --format: *" \
    toy --format=gif "$tmp/x"
verdict "--help names its options" sh -c "'$bindir/make_toy_images' --help |
    grep -q -- --train-per-class"
finish
