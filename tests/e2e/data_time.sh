# Data on a line is the part of Time in which training waited for images: much
# of the step if images are slow to read, almost nothing if they are small.
. "$top_srcdir/tests/lib.sh"

toy() {
	# PNG first: no part of it can be skipped.
	for format in png jpeg; do
		"$bindir/make_toy_images" --format=$format --classes=2 \
		    --train-per-class=2 --val-per-class=1 --size="$1" "$2" \
		    >"$tmp/out" 2>&1 && return
		rm -rf "$2"
	done
	return 1
}
# run WORKERS DIR: train with two images per step
run() {
	timeout 600 "$bindir/train_imagenet" --device=reference --threads=1 \
	    -a resnet18 --image-size 32 -b 2 --epochs 1 \
	    --batches-per-epoch 8 --val-batches 0 -j "$1" "$2"
}
# The last line's means: "time data"
means() {
	sed -n 's/^Epoch.*Time *[0-9.]* ( *\([0-9.]*\)).*Data *[0-9.]* ( *\([0-9.]*\)).*/\1 \2/p' \
	    "$1" | tail -n 1
}
# share FROM LOG TO: Data's share of Time
share() {
	means "$2" | awk -v from="$1" -v to="$3" '{ print "time", $1, "data", $2 }
	    END { s = $1 > 0 ? $2 / $1 : -1; exit !(s >= from && s <= to) }'
}

if ! toy 32 "$tmp/small" || ! toy 1800 "$tmp/large"; then
	echo "1..0 # SKIP $(tail -n 1 "$tmp/out")"
	exit 0
fi
run 0 "$tmp/small" >"$tmp/quick"
run 0 "$tmp/large" >"$tmp/slow"
verdict "small images: hardly any Data" share 0 "$tmp/quick" 0.02
comment "$tmp/verdict"
# Sanitizers slow training down, but not libpng.
verdict "large images: Data is much of Time" share 0.08 "$tmp/slow" 1
comment "$tmp/verdict"
verdict "small images: the device is the slower side" grep -q \
    '^dlscale: input bottleneck=device wait_share=0\.0[01]' "$tmp/quick"
verdict "large images: images are" grep -q \
    '^dlscale: input bottleneck=images wait_share=0\.[0-9]* wait_ms=[0-9.]* workers=0$' "$tmp/slow"
finish
