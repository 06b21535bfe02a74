# Files in a folder of images that are not images or too large are named,
# counted and left out, on one rank and on two; the ranks stay in step and get
# the same weights every time.
. "$top_srcdir/tests/lib.sh"
program=$bindir/train_imagenet
cd "$tmp" || exit 1
for size in 40 400; do
	if ! "$bindir/make_toy_images" --classes=3 --train-per-class=4 \
	    --val-per-class=2 --size=$size toy$size >out 2>&1; then
		echo "1..0 # SKIP $(tail -n 1 out)"
		exit 0
	fi
done
ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}
export ASAN_OPTIONS

# Spoil four of the twelve training images, one of them by its size, and one of
# the six validation images.
set -- toy40/train/*/*.jpg
first=$1 second=$2 last=${12}
: >"$first"
head -c "$(($(wc -c <"$second") / 2))" "$second" >cut && mv cut "$second"
echo "no image" >"$last"
cp "toy400/${6#toy40/}" "$6"
set -- toy40/val/*/*.jpg
printf '\211PNG\r\n\032\n' >"$2"

# train RANKS BATCH OPTION...: out.I and err.I of rank I; fails if a rank fails.
train() {
	size=$1 batch=$2 failed=0 jobs=
	shift 2
	rm -f out.* err.*
	for i in 0 1; do
		test $i -lt "$size" || break
		RANK=$i WORLD_SIZE=$size LOCAL_RANK=$i LOCAL_WORLD_SIZE=$size \
		    TORCHELASTIC_RUN_ID="bad-$$" timeout 100 "$program" \
		    --device=$fast_device --threads=1 --clock=fake -a resnet18 \
		    --image-size=32 --epochs=3 --max-pixels=20000 -b "$batch" \
		    "$@" >out.$i 2>err.$i &
		jobs="$jobs $!"
	done
	for job in $jobs; do
		wait "$job" || failed=$?
	done
	cat err.*
	return $failed
}
weights() { sed -n 's/^dlscale: weights .*xxh3=\([^ ]*\).*/\1/p' "$@" | sort -u; }
named() {
	sed -n 's/^train_imagenet: image excluded: \([^:]*\): .*/\1/p' err.* |
	    sort -u
}
check() {
	verdict "$ranks ranks: bad images end nothing" train "$@" toy40
	verdict "$ranks ranks: all steps are made" test \
	    "$(cat out.* | grep -c "^Epoch: \[2\]\[[1-3]/3\]")" -eq $((3 * ranks))
	named >named.$ranks
	verdict "$ranks ranks: five are named" test "$(wc -l <named.$ranks)" -eq 5
	verdict "$ranks ranks: with what is wrong" eval '
		cat err.* | grep -q "$first: is empty\$" &&
		cat err.* | grep -q "$second: is truncated" &&
		cat err.* | grep -q "$last: is neither JPEG nor PNG\$" &&
		cat err.* | grep -q "[0-9]* x [0-9]* pixels are more than --max-pixels=20000\$"'
	verdict "$ranks ranks: counted once each" grep -q \
	    '^dlscale: summary .* unusable_images=5$' out.0
	weights out.* >weights.$ranks
	verdict "$ranks ranks: the same weights" test \
	    "$(wc -l <weights.$ranks)" -eq 1
}
ranks=1
check 1 4
if built_with GLOO; then
	ranks=2
	check 2 2
	verdict "both name the same" cmp named.1 named.2
	verdict "no rank names one twice" test \
	    "$(cat err.0 | sort | uniq -d | wc -l)" -eq 0
	train 2 2 -j 1 toy40 >/dev/null
	verdict "and the same again, with one thread" test \
	    "$(weights out.*)" = "$(cat weights.2)"
	for file in toy40/train/*/*.jpg; do
		echo "no image" >"$file"
	done
	train 2 2 toy40 >said
	verdict "where no image can be used, it ends" test $? -eq 4
	verdict "and states so" grep -q "^train_imagenet: 12 consecutive images cannot be used, the last one: toy40/train/.*: is neither" said
else
	skip "two ranks" "built without Gloo"
fi
finish
