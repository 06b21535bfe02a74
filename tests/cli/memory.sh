# extract_logs uses at most 64 MiB and one byte for each byte of the largest
# log.
. "$top_srcdir/tests/lib.sh"

x=$bindir/extract_logs
peak=${peak:-./tests/peak}
mkdir "$tmp/w" || exit 1
one="-q --nodes=1 --gpus-per-node=1 --batch-size-per-device=4"

# log N [RANKS [SEED]]: print a log of N iterations with random times and
# stalls, one line per rank.
log() {
	awk -v n="$1" -v ranks="${2:-1}" -v s="${3:-1}" 'BEGIN {
		srand(s)
		for (i = 0; i < n; i++)
			for (r = 0; r < ranks; r++) {
				k = r == 0 ? i : i % 2 ? i - 1 : i + 1
				t = 0.3 + rand() / 9
				if (rand() < 0.01) t += 1
				printf "Epoch: [0][%d/%d]\tTime %.3f (0.35)\t" \
				    "Data 0.010 (0.011)\tLoss 6.9 (6.9)\t" \
				    "Acc@1 0.39 (0.40)\tAcc@5 1.17 (1.18)\n",
				    k, n, t
			}
	}'
}

# within NAME OPTION...: check the limit; a.log must be the largest log.
within() {
	what=$1
	shift
	# shellcheck disable=SC2086 # options
	most=$("$peak" "$x" $one -o "$tmp/w/x.json" "$@" 2>"$tmp/err")
	rc=$?
	limit=$((64 * 1024 + $(wc -c <"$tmp/w/a.log") / 1024))
	echo "# $most of $limit KiB: $what"
	verdict "$what" test $rc -eq 0 -a "${most:-$limit}" -lt $limit || cat "$tmp/err"
}

if grep -q '__[at]san_' "$x"; then
	skip "memory" "a sanitizer takes its own"
	finish
	exit
fi
log 600000 >"$tmp/w/a.log"
within "one log" "$tmp/w/a.log"
within "each iteration counts" --rule=all --aggregate=median "$tmp/w/a.log"
for j in 1 2 3; do
	# shellcheck disable=SC2086 # options
	"$x" $one -j$j -o "$tmp/w/j$j" "$tmp/w/a.log" >/dev/null 2>&1
done
verdict "two threads share a log" cmp "$tmp/w/j1" "$tmp/w/j2"
verdict "and three do" cmp "$tmp/w/j1" "$tmp/w/j3"
log 600000 1 2 >"$tmp/w/b.log"
within "two logs, two threads" -j2 "$tmp/w/a.log" "$tmp/w/b.log"
rm "$tmp/w/b.log"
# A loss and two accuracies of each record are kept too.
within "with each record" --records="$tmp/w/r.jsonl" "$tmp/w/a.log"
verdict "all of them" test "$(wc -l <"$tmp/w/r.jsonl")" -eq 600000
rm "$tmp/w/r.jsonl"
log 500000 2 >"$tmp/w/a.log"
within "ranks that overtake each other" --gpus-per-node=2 "$tmp/w/a.log"

# Records are written in the order of the jobs while other jobs run.
mkdir "$tmp/w/many"
for size in 9000 5000 30 7000 4000; do
	log $size 1 $size >"$tmp/w/many/$size.log"
done
for j in 1 2 3; do
	# shellcheck disable=SC2086 # options
	"$x" $one -j$j --records="$tmp/w/r$j" -o /dev/null "$tmp/w/many" \
	    >/dev/null 2>&1
done
verdict "records in order" test "$(wc -l <"$tmp/w/r1")" -eq 25030
verdict "with two threads" cmp "$tmp/w/r1" "$tmp/w/r2"
verdict "with three threads" cmp "$tmp/w/r1" "$tmp/w/r3"
finish
