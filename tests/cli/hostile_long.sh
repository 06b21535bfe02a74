# Hostile input for extract_logs that takes too long for make check.
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/logs.sh"

x=$bindir/extract_logs
mkdir "$tmp/w" && cd "$tmp/w" || exit 1
one="--nodes=1 --gpus-per-node=1 --batch-size-per-device=4"

# Peak resident set of a command, in KiB, sampled while it runs.
peak() {
	"$@" >/dev/null 2>&1 &
	pid=$! most=0
	while now=$(awk '/^VmHWM/ { print $2 }' /proc/$pid/status 2>/dev/null)
		test -n "$now"; do
		most=$now
		sleep 0.05
	done
	wait $pid
	echo "$most"
}

if test "$(df -Pk . | awk 'NR == 2 { print $4 }')" -gt 3000000; then
	{
		head -c 1000000000 /dev/zero | tr '\000' x
		echo
		imagenet 130
	} >line.log
	imagenet 130 >plain.log
	median() {
		# shellcheck disable=SC2086 # options
		"$x" -q --no-hash --format=csv -o /dev/null $one "$1" \
		    2>/dev/null | awk -F, 'NR > 1 { print $10 }'
	}
	verdict "a line of 1 GB before a log" \
	    test "$(median line.log)" = "$(median plain.log)" -a \
	    -n "$(median plain.log)"
	# shellcheck disable=SC2086 # options
	verdict "and its memory is below 128 MiB" test \
	    "$(peak "$x" -q --no-hash -o x.json $one line.log)" -lt 131072
	rm -f line.log
else
	skip "a line of 1 GB" "no room"
fi

# 1,000 links, and 99 copies of their folder.
mkdir -p files/0
imagenet 130 >files/0/0.log
i=1
while test $i -lt 1000; do
	ln files/0/0.log files/0/$i.log || cp files/0/0.log files/0/$i.log
	i=$((i + 1))
done
i=1
while test $i -lt 100; do
	cp -Rl files/0 files/$i 2>/dev/null || cp -R files/0 files/$i
	i=$((i + 1))
done
# shellcheck disable=SC2086 # options
verdict "100,000 files" eval '
	"$x" -q --no-hash -o many.json $one files >/dev/null 2>err &&
	test "$(grep -c "\"path\": \"[0-9/]*.log\"" many.json)" -ge 100000'
finish
