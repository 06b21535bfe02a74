# The example in doc/formats.md works as printed: the format file is accepted,
# its samples match, a log of that trainer is read correctly, and a mistake in
# the file is shown at its position with a caret.
. "$top_srcdir/tests/lib.sh"

mkdir "$tmp/formats"
sed -n '/^```format$/,/^```$/p' "$top_srcdir/doc/formats.md" | sed '1d;$d' \
    >"$tmp/formats/mytrainer.format"
verdict "the document shows a format" test -s "$tmp/formats/mytrainer.format"
verdict "its samples hold" \
    "$bindir/extract_logs" --format-dir "$tmp/formats" --check-formats

# 130 steps of 20 ms, the first 5 slow: 16 samples per step, 800 per second.
{
	echo "batch size 16 each"
	i=0
	while test $i -lt 130; do
		took=20.0
		test $i -ge 5 || took=900.0
		echo "[worker 0] epoch 0 batch $i of 130 took $took ms, loss 6.9"
		i=$((i + 1))
	done
} >"$tmp/run.log"
(cd "$tmp" && "$bindir/extract_logs" --format-dir formats --nodes=1 \
    --gpus-per-node=1 -o out.json run.log >"$tmp/out" 2>"$tmp/err")
verdict "a log of it is read" grep -q '"median_speed": 800' "$tmp/out.json"
verdict "and states which format it was" \
    grep -q '"format": "mytrainer"' "$tmp/out.json"
"$bindir/extract_logs" --format-dir "$tmp/formats" --explain "$tmp/run.log" \
    >"$tmp/out" 2>&1
verdict "--explain names the format" grep -q mytrainer "$tmp/out"

sed 's/(?<iter>/(?<iteration>/' "$tmp/formats/mytrainer.format" >"$tmp/x" &&
    mv "$tmp/x" "$tmp/formats/mytrainer.format"
column=$(awk '/iteration/ { print index($0, "iteration") }' \
    "$tmp/formats/mytrainer.format")
line=$(grep -n iteration "$tmp/formats/mytrainer.format" | cut -d: -f1)
refuse "a group that is no field is shown at its place" 3 \
    "extract_logs: *mytrainer.format:$line:$column: group 'iteration' *" \
    "$bindir/extract_logs" --format-dir "$tmp/formats" "$tmp/run.log"
verdict "with a caret below" grep -q '^ *	*[ 	]*^$' "$tmp/err"
finish
