# --follow: runs that are written, restarted and removed while it watches.
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/logs.sh"
x=$bindir/extract_logs
cd "$tmp" || exit 1
mkdir -p live/1n1g
log=live/1n1g/r50_b64_fp32_1.log
imagenet 200 t=0.5 >all
# wait_for FILE TEXT: wait until a line matches TEXT, at most 20 s
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
printf 'torch.cuda.OutOfMemoryError: CUDA out of memory.\n' >>$log
verdict "a run that runs out of memory" wait_for out \
    ', 10 of 200, out of memory at line 11: torch.cuda.OutOfMemoryError'
imagenet 200 t=0.011 | head -50 >live/1n1g/r50_b32_fp32_1.log
verdict "a run that falls silent" wait_for out \
    '50 of 200, silent for more than 10 steps, not in'
imagenet 200 t=0.011 | sed -n 51,55p >>live/1n1g/r50_b32_fp32_1.log
verdict "and goes on" wait_for out '55 of 200, [0-9]* s left, not in'
rm live/1n1g/r50_b32_fp32_1.log
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
# On a terminal, a table that fits its size.
if command -v script >/dev/null 2>&1; then
	mkdir -p "live/1n2g/a folder with a name of some length, as people have"
	head -60 all >"live/1n2g/a folder with a name of some length, as people have\
/r50_b64_fp32_1.log"
	echo starting >live/1n1g/new.log
	script -qec "COLUMNS=78 LINES=9 $x -q --follow --interval=0.1 \
	    --timeout=0.3 -o r2.json live" /dev/null </dev/null |
	    tr -d '\r' | sed 's/.*\[J//' >out
	verdict "a table on a terminal" grep -q \
	    '^1n1g/r50_b64_fp32_2.log  *256.00  from 0  *200  *done  yes$' out
	verdict "a run that goes on" grep -q \
	    '^1n2g/a .*[.]\{3\}.*32_1.log .*  60 of 200  1 min 10 s  no$' out
	verdict "a log without an iteration" grep -q '^1n1g/new.log  *-$' out
	verdict "fits its width" eval 'test "$(wc -L <out)" -le 78'
	script -qec "LINES=7 $x -q --follow --interval=0.1 \
	    --timeout=0.3 -o r2.json live" /dev/null </dev/null | tr -d '\r' >out
	verdict "and its height" grep -q '^2 more runs\.$' out
	# No line states the total number of steps.
	mkdir open
	awk 'BEGIN { for (i = 1; i <= 60; i++)
		printf "[titan] 2025-06-16 22:30:50,322 - root - INFO - " \
		    "step: %d  loss:  9.5  memory: 40.50GiB(52.28%%)  " \
		    "tps: 5,000  tflops: 10.5  mfu: 40.00%%\n", i }' >open/a.log
	script -qec "COLUMNS=78 LINES=9 $x -q --follow --interval=0.1 \
	    --timeout=0.3 --gpus=8 -o r2.json open" /dev/null </dev/null |
	    tr -d '\r' | sed 's/.*\[J//' >out
	verdict "a run of unknown length" grep -q \
	    '^a.log  *[0-9.]*  from 0  *60  *?  *no$' out
	rm -r live/1n2g live/1n1g/new.log
else
	skip "a table on a terminal" "no script"
fi

# Only changed logs are read again: a log of about 500 kB is read at the
# beginning and at the end, one that grows line by line at each scan.
rm live/1n1g/* && imagenet 5000 t=0.5 >all
head -4000 all >live/1n1g/r50_b64_fp32_2.log
head -60 all >$log
"$x" --follow -v --interval=0.05 --timeout=120 -o r.json live >out 2>err &
pid=$!
verdict "a long log" wait_for out ', 4000 of 5000'
for k in 1 2 3 4 5 6 7 8 9 10; do
	sed -n $((60 + k))p all >>$log
	wait_for out ", $((60 + k)) of 5000"
done >waited
verdict "another grows line by line" test ! -s waited
kill -TERM $pid
wait $pid
size=$(cat live/1n1g/* | wc -c)
read=$(sed -n 's/.*: read \([0-9]*\) bytes of logs$/\1/p' err)
verdict "the long one is read twice: $read bytes of $size" \
    test "$read" -ge $((2 * size)) -a "$read" -lt $((3 * size))
"$x" -q -o once.json live >/dev/null
verdict "and the result is the same" cmp once.json r.json

# Logs that grow in pieces, split anywhere, and logs that replace others.
rm $log
corpus=${DLSCALE_CORPUS:-$top_srcdir/../shared/corpus}
if test -f "$corpus/SOURCES.tsv"; then
	mkdir pieces
	for f in excerpts/keras-tf2.log excerpts/hf-trainer-trl-stringvalues.log \
	    excerpts/mmengine-scalars.json excerpts/nanogpt-eval-every-2.log \
	    pytorch-cpu/1n1g/resnet18_b4_fp32_1.log \
	    megatron-lm/bigscience-base/meg_gpt2_base_n8_dp1_tp4_pp8-1809562.out \
	    mlperf-ssd-pytorch/nvidia/8gpu-dgx1_ngc20.06_pytorch/result_0.txt \
	    lightning-csv/metrics.csv; do
		cp "$corpus/$f" pieces
	done
	cp pieces/nanogpt-eval-every-2.log pieces/other.log
	"$x" --follow -v --interval=0.05 --timeout=120 --rule=all --nodes=1 \
	    --gpus-per-node=1 --batch-size-per-device=1 -o r.json live \
	    >out 2>err &
	pid=$!
	for part in 1 2 3 4 5 6 7; do
		for f in pieces/*; do
			len=$(wc -c <"$f")
			head -c $((len * part / 7)) "$f" |
			    tail -c +$((len * (part - 1) / 7 + 1)) \
			    >>"live/1n1g/${f##*/}"
		done
		sleep 0.2
	done
	if built_with ZLIB; then
		gzip -c pieces/resnet18_b4_fp32_1.log \
		    >live/1n1g/packed.log.gz
	fi
	cp pieces/resnet18_b4_fp32_1.log live/1n1g/new
	sleep 0.2
	mv live/1n1g/new live/1n1g/other.log
	if built_with ZLIB; then
		wait_for out packed.log.gz >/dev/null
	else
		sleep 1
	fi
	sleep 0.2
	kill -TERM $pid
	wait $pid
	"$x" -q --rule=all --nodes=1 --gpus-per-node=1 \
	    --batch-size-per-device=1 -o once.json live >/dev/null 2>&1
	verdict "logs in pieces, packed, replaced" cmp once.json r.json
	verdict "there were many" test "$(grep -c '"format": "' r.json)" -ge 9
else
	skip "logs in pieces, packed, replaced" "no corpus of logs"
	skip "there were many" "no corpus of logs"
fi
rm live/1n1g/*
# Each operand has its own state of a file that several operands contain.
for r in 1 2 3 4 5 6 7 8; do
	imagenet 200 t=0.5 >live/1n1g/r50_b64_fp32_$r.log
done
cp -r live other
verdict "one folder under two labels" "$x" --follow -j4 --interval=0.05 \
    --timeout=0.5 -o r.json a=live b=live c=other
cp "$tmp/verdict" out
"$x" -q -o once.json a=live b=live c=other >/dev/null
verdict "is two series" cmp once.json r.json
verdict "with a slot for each run" eval '
	test "$(grep -c "=.*in the result" out)" -eq 24 &&
	grep -q "^a=live/1n1g/r50_b64_fp32_1.log: 128.00 samples/s" out &&
	grep -q "^b=live/1n1g/r50_b64_fp32_1.log: 128.00 samples/s" out &&
	! grep gone out'
"$x" -q --follow --interval=0.05 --timeout=0.3 -o r.json live other >out
verdict "two operands without labels" eval '
	test "$(grep -c "in the result" out)" -eq 16 &&
	grep -q "^other/1n1g/r50_b64_fp32_8.log: 128" out && ! grep gone out'
rm -r other live/1n1g/*
imagenet 9 >$log
refuse "nothing that is long enough" 4 \
    "extract_logs: no run was long enough for the result" \
    "$x" -q --follow --interval=0.1 --timeout=0.2 -o r3.json live
# The end of a run is reported with its cause in each kind of log: with a total
# of iterations, without one (nanoGPT, torchtitan), before the first step, and
# in the last attempt; whether the end is written before the first scan, later,
# or between the last two scans.
begin() { # KIND: a log that goes on
	case $1 in
	total) head -60 all ;;
	spaced) imagenet 5000 t=0.001 every=50 | head -40 ;;
	whole) imagenet 130 t=0.05 ;;
	gpt) for i in $(seq 0 60); do
		echo "iter $i: loss 2.5$i, time 50.0$((i % 5))ms, mfu 12.00%"
	     done ;;
	titan) titan 6970 8 1 8 | head -80 ;;
	none) echo "=> creating model" ;;
	again) head -40 all; echo "torch.OutOfMemoryError: CUDA out of memory."
	       head -60 all ;;
	esac
}
ending() { # HOW: its last lines
	case $1 in
	memory) printf '%s\n' 'Traceback (most recent call last):' \
	    '  File "main.py", line 1' \
	    'torch.OutOfMemoryError: CUDA out of memory. Tried' \
	    'srun: error: n1: task 3: Exited with exit code 1' ;;
	killed) echo 'run.sh: line 12: 4711 Killed          python main.py' ;;
	terminated) echo '4711 Terminated              python main.py' ;;
	cancelled) echo 'slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026 ***' ;;
	walltime) echo '=>> PBS: job killed: walltime 3610 exceeded limit 3600' ;;
	raised) printf '%s\n' 'Traceback (most recent call last):' \
	    '  File "main.py", line 1' 'ValueError: no' ;;
	stopped) printf '%s\n' 'Traceback (most recent call last):' \
	    '  File "main.py", line 1' 'KeyboardInterrupt' ;;
	esac
}
kinds="total spaced whole gpt titan none again"
ways="memory killed terminated cancelled walltime raised stopped"
told() { # WHEN: the last line of each run in out
	for kind in $kinds; do
		for way in $ways silent; do
			case $way in
			memory) want='out of memory at line' ;;
			stopped) want='stopped by its user at line' ;;
			silent) want='silent for more than [0-9]* steps' ;;
			*) want='crashed at line' ;;
			esac
			case $kind-$way in
			whole-silent) want='130 done, not in' ;;
			none-silent) want='silent for 60 s' ;;
			again-silent) want='60 of 200, out of memory at line 41' ;;
			esac
			grep "^$kind/$way.log: " out | tail -n 1 |
			    grep -q "$want" || echo "$1: $kind, $way"
		done
	done
}
rm -rf live && mkdir live
imagenet 200 t=0.05 >all
for when in first later last; do
	for kind in $kinds; do
		mkdir -p ends/$kind
		for way in $ways silent; do
			begin $kind >"ends/$kind/$way.log"
			test $when = first && ending $way >>"ends/$kind/$way.log"
			touch -d '-20 min' "ends/$kind/$way.log"
		done
	done
	rm -f out # of the last round: nothing is to be found in it
	"$x" -q --follow --interval=0.1 --timeout=100 --nodes=1 -o ends.json \
	    ends >out 2>err &
	pid=$!
	wait_for out '^whole/silent.log: .*130 done'
	for kind in $kinds; do
		for way in $ways; do
			test $when = first || ending $way >>"ends/$kind/$way.log"
		done
	done
	test $when = later && wait_for out '^whole/stopped.log: .*stopped by'
	kill -TERM $pid
	wait $pid
	told $when
done >untold
verdict "each end of each kind of run is told" test ! -s untold
comment untold
"$x" -q --lang=zh --follow --interval=0.1 --timeout=0.1 --nodes=1 -o ends.json \
    ends >out
verdict "in Chinese" sh -c 'grep -q "^total/memory.log: .*第 63 行内存不足: torch" out &&
	grep -q "^total/silent.log: .*超过 10 步无输出, 未计入" out'

refuse "a folder that is not there" 3 "extract_logs: cannot open 'nowhere': *" \
    "$x" --follow nowhere
finish
