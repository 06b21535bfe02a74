# --follow: runs that are being written, restarted and removed while it looks.
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/logs.sh"
x=$bindir/extract_logs
cd "$tmp" || exit 1
mkdir -p live/1n1g
log=live/1n1g/r50_b64_fp32_1.log
imagenet 200 t=0.5 >all
# wait_for FILE TEXT: at most 20 s
wait_for() {
	i=0
	while test $i -lt 200; do
		if grep -q -- "$2" "$1" 2>/dev/null; then return 0; fi
		sleep 0.1
		i=$((i + 1))
	done
	cat "$1"
	return 1
}
head -3 all >$log
"$x" -q --follow --interval=0.1 --timeout=120 -o r.json live >out 2>err &
pid=$!
trap 'kill $pid 2>/dev/null; rm -rf "$tmp"' EXIT
verdict "a run that begins" wait_for out \
    '^1n1g/r50_b64_fp32_1.log: 128.00 samples/s, not settled, 3 of 200, 98 s left'
verdict "is not in the result yet" test ! -e r.json
sed -n 4,60p all >>$log
verdict "it goes on and is settled" wait_for out \
    'settled from 0 on, 60 of 200, 70 s left, not in the result yet'
printf 'Epoch: [0][  60/200]\tTi' >>$log
sed -n 61,130p all >half
printf 'me  0.500 ( 0.500)\tData  0.010 ( 0.011)\tLoss 6.9 (6.9)\n' >>$log
tail -n +2 half >>$log
verdict "it is long enough" wait_for out '130 of 200.*, in the result'
verdict "the result is there" wait_for r.json '"median_speed": 128'
imagenet 200 t=0.25 >live/1n1g/r50_b64_fp32_2.log
verdict "a new run appears" wait_for out \
    '_2.log: 256.00 samples/s, settled from 0 on, 200 done, in the result'
verdict "and enters the result" wait_for r.json '"n": 2'
head -10 all >$log
verdict "a log that is begun anew" wait_for out ', 10 of 200, 95 s left, not in'
verdict "leaves the result" wait_for r.json '"n": 1'
rm $log
verdict "a log that vanishes" wait_for out '^1n1g/r50_b64_fp32_1.log: gone'
verdict "a line for each change only" eval 'test "$(sort out | uniq -d)" = ""'
kill -TERM $pid
wait $pid
verdict "SIGTERM ends it with the result" test $? -eq 0
verdict "which is as extract_logs writes it" eval '
	"$x" -q -o once.json live >/dev/null && cmp once.json r.json'
"$x" -q --follow --interval=0.1 --timeout=0.3 -o r2.json live >out
verdict "a time limit" eval 'test $? -eq 0 && cmp once.json r2.json'
rm live/1n1g/* && imagenet 9 >$log
refuse "nothing that is long enough" 4 \
    "extract_logs: no run was long enough to enter the result" \
    "$x" -q --follow --interval=0.1 --timeout=0.2 -o r3.json live
refuse "a folder that is not there" 3 "extract_logs: cannot open 'nowhere': *" \
    "$x" --follow nowhere
refuse "with --shard" 2 "extract_logs: --follow: does not go with --shard" \
    "$x" --follow --shard=1/2 live
finish
