# Runs that ended early: the log gives the reason, and the table shows it.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
bin=$(cd "$bindir" && pwd)
golden=$(cd "$golden" && pwd)
cd "$tmp" || exit 1

steps() { # FIRST LAST SECONDS: lines of PyTorch's example
	awk -v first="$1" -v last="$2" -v s="$3" 'BEGIN {
		for (i = first; i <= last; i++)
			printf "Epoch: [0][%d/200]\tTime  %.3f ( %.3f)\tData  0.010 ( 0.010)\tLoss 6.9e+00 (6.9e+00)\tAcc@1   0.39 (  0.12)\tAcc@5   1.17 (  0.61)\n", i, s, s }'
}
log() { # PATH: stdin into it
	mkdir -p "$(dirname "$1")" && cat >"$1"
}
for run in 1 2 3; do
	steps 0 130 "0.30$run" | log "runs/1n1g/resnet50_b128_fp32_$run.log"
	steps 0 130 "0.31$run" | log "runs/1n8g/resnet50_b128_fp32_$run.log"
done

# Each expectation: a file, the reason, and the line that states it.
expect=
oom() { expect="$expect$1 out-of-memory $2
"; }
crash() { expect="$expect$1 crashed $2
"; }
other() { expect="$expect$1 $2 -
"; }

{
	steps 0 9 0.3
	cat <<'END'
Traceback (most recent call last):
  File "main.py", line 400, in <module>
    main()
  File "main.py", line 295, in train
    loss.backward()
RuntimeError: CUDA out of memory. Tried to allocate 392.00 MiB (GPU 0; 15.78 GiB total capacity)
END
} | log runs/2n8g/resnet50_b128_fp32_1.log
oom 2n8g/resnet50_b128_fp32_1.log 16
{
	steps 0 40 0.3
	echo '[rank3]: Traceback (most recent call last):'
	echo '[rank3]:   File "main.py", line 12, in <module>'
	echo '[rank3]: ValueError: could not broadcast'
	echo 'srun: error: node7: task 3: Exited with exit code 1'
} | log runs/4n8g/resnet50_b128_fp32_1.log
crash 4n8g/resnet50_b128_fp32_1.log 44
# Messages of other programs, each in its own log.
i=0
while IFS='|' read -r kind line; do
	i=$((i + 1))
	{ steps 0 20 0.3; echo "$line"; } |
	    log "runs/8n8g/resnet50_b128_fp32_$i.log"
	$kind "8n8g/resnet50_b128_fp32_$i.log" 22
done <<'END'
oom|torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2.00 GiB
oom|  (0) Resource exhausted: OOM when allocating tensor with shape[256,64]
oom|XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate
oom|mxnet.base.MXNetError: cudaMalloc failed: out of memory
oom|ResourceExhaustedError: Out of memory error on GPU 0. Cannot allocate 2MB
oom|slurmstepd: error: Detected 1 oom-kill event(s) in StepId=7.0
oom|[12.3] Out of memory: Killed process 4242 (python3)
oom|RuntimeError: [enforce fail at alloc_cpu.cpp:75] . DefaultCPUAllocator: can't allocate memory: you tried to allocate 4096 bytes
oom|MemoryError
oom|terminate called after throwing an instance of 'std::bad_alloc'
crash|RuntimeError: NCCL error in: ProcessGroupNCCL.cpp:825, unhandled system error
crash|[rank1]:[E] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=12)
crash|run.sh: line 12: 4711 Killed                  python main.py
crash|Killed
crash|mpirun noticed that process rank 3 with PID 0 on node b exited on signal 9 (Killed).
crash|Segmentation fault (core dumped)
crash|MPI_ABORT was invoked on rank 0 in communicator MPI_COMM_WORLD
crash|slurmstepd: error: *** STEP 7.0 ON n1 CANCELLED AT 2026-01-01T00:00:00 DUE TO TIME LIMIT ***
END
# No format matches a log without a step; its path and options state the case.
{
	echo "=> creating model 'resnet50'"
	echo 'tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM'
} | log runs/16n8g/resnet50_b128_fp32_1.log
oom 16n8g/resnet50_b128_fp32_1.log 2
# Not failures: an interrupt by hand; such words in a log that continues.
{
	steps 0 30 0.3
	printf 'Traceback (most recent call last):\n  File "x"\n'
	echo KeyboardInterrupt
} | log runs/32n8g/resnet50_b128_fp32_1.log
other 32n8g/resnet50_b128_fp32_1.log short
steps 0 30 0.3 | log runs/32n8g/resnet50_b128_fp32_2.log
other 32n8g/resnet50_b128_fp32_2.log short
{
	echo 'KilledWorkers: 0, signals: none, error rate 0'
	steps 0 30 0.3
} | log runs/32n8g/resnet50_b128_fp32_3.log
other 32n8g/resnet50_b128_fp32_3.log short
{
	echo 'WARNING: ran out of memory, CUDA out of memory, batch skipped'
	steps 0 130 0.33
} | log runs/1n2g/resnet50_b128_fp32_1.log
# A failed run of a case in which other runs count.
{ steps 0 3 0.3; echo 'CUDA out of memory'; } |
    log runs/1n8g/resnet50_b128_fp32_9.log
oom 1n8g/resnet50_b128_fp32_9.log 5

"$bin/extract_logs" --strict-window -o r.json runs >table 2>err
rc=$?
verdict "runs that count are counted" test $rc -eq 0
reason() { # FILE: reason and line of it in the result
	awk -v want="\"path\": \"$1\"," '
		index($0, "\"excluded\"") { in_them = 1 }
		!in_them { next }
		index($0, "\"path\":") { on = index($0, want) > 0 }
		on && /^      "reason"/ { gsub(/[",]/, ""); r = $2 }
		on && /"line"/ { gsub(/[",]/, ""); l = $2 }
		END { print r, l == "" ? "-" : l }' r.json
}
echo "$expect" | while read -r file want line; do
	test -n "$file" || continue
	got=$(reason "$file")
	test "$got" = "$want $line" || echo "$file: $got, not $want $line"
done >wrong
verdict "each reason, and its line" eval 'cat wrong; ! test -s wrong'
verdict "a log with such words that was run to its end counts" \
    grep -q '"case": "1n2g"' r.json
verdict "stderr names place and reason" grep -q \
    "^extract_logs: warning: 2n8g/resnet50_b128_fp32_1.log:16: excluded: out of memory: RuntimeError: CUDA out of memory.*(short: has " err
cp runs/2n8g/resnet50_b128_fp32_1.log again.log
gzip -c again.log >again.log.gz 2>/dev/null
"$bin/extract_logs" -o z.json --nodes=2 --gpus-per-node=8 again.log.gz \
    >/dev/null 2>err
if built_with ZLIB; then
	verdict "a packed log's, too" grep -q \
	    '^extract_logs: warning: again.log.gz:16: ' err
else
	skip "a packed log's, too" "built without zlib"
fi

# --- tables -------------------------------------------------------------------

# Mask the number of excluded runs, which depends on the signs above.
table() {
	"$bin/report_results" "$@" r.json >counted &&
	    sed 's/^excluded: +[1-9][0-9]*$/excluded: +N/' counted
}
for table in scaling comparison speedup dlperf; do
	check "the $table table" "failed-$table.txt" \
	    table --table=$table --select=gpus=1 \
	    --select=gpus=8 --select=gpus=16 --select=gpus=32
done
check "in Chinese" failed-zh.md "$bin/report_results" --lang=zh \
    --format=markdown --table=speedup --select=gpus=1 --select=gpus=16 \
    --select=gpus=32 r.json
check "for a program" failed.csv "$bin/report_results" --format=csv \
    --select=gpus=8 --select=gpus=16 --select=gpus=32 r.json
check "as a pivot" failed-pivot.md "$bin/report_results" --format=markdown \
    --columns=framework --select=gpus=8 --select=gpus=16 r.json
"$bin/report_results" --html -o page.html r.json 2>err
verdict "the page has the cell" grep -q '>OOM<' page.html
sed 's/"samples_per_s": /&1/' r.json >new.json
"$bin/report_results" --compare --gate=slower:3% r.json new.json >out 2>err
verdict "a comparison has no cells for them" eval '! grep -q OOM out'

# Standard input is read once.
"$bin/extract_logs" -o m.json - <runs/2n8g/resnet50_b128_fp32_1.log >out 2>err
verdict "standard input has signs as well" grep -q \
    'excluded: .*CUDA out of memory' err
{ steps 0 20 0.3; echo '   std::bad_alloc'; } >blanks.log
"$bin/extract_logs" --nodes=1 --gpus-per-node=1 --batch-size-per-device=8 \
    -o m.json blanks.log >out 2>err
verdict "a sign is shown without leading blanks" grep -q \
    'excluded: out of memory: std::bad_alloc ' err

# Ten logs per reason are named and the others counted; equal messages are
# merged.
mkdir many
for run in 01 02 03 04 05 06 07 08 09 10 11 12; do
	steps 0 "$run" "0.3$run" >many/r_b8_fp32_$run.log
	steps 0 "$run" "0.4$run" >many/s_b8_fp32_$run.log
done
"$bin/extract_logs" --nodes=1 --gpus-per-node=1 -o m.json many >out 2>err
verdict "more than ten logs of a reason are counted" grep -q \
    '4 more logs are excluded as short$' err

# A loss that is not a number, with and without line templates.
losses() { # FIRST_NAN LAST_NAN
	steps 0 130 0.300 | awk -v first="$1" -v last="$2" '
		NR >= first && NR <= last { sub(/6.9e\+00/, "nan") } { print }'
}
losses 100 131 >nan.log
"$bin/extract_logs" -q --nodes=1 --gpus-per-node=1 \
    --batch-size-per-device=8 -o n.json nan.log >out 2>err
verdict "a loss that is NaN at the end is reported" \
    grep -q '"its loss is not a number from line 100 on"' n.json
losses 1 131 >nan.log
"$bin/extract_logs" -q --nodes=1 --gpus-per-node=1 \
    --batch-size-per-device=8 -o n.json nan.log >out 2>err
verdict "from the first line on too" \
    grep -q '"its loss is not a number from line 1 on"' n.json
losses 100 100 >nan.log
"$bin/extract_logs" -q --nodes=1 --gpus-per-node=1 \
    --batch-size-per-device=8 -o n.json nan.log >out 2>err
verdict "one that was NaN once is not" sh -c '! grep -q "not a number" n.json'
if built_with ZLIB; then
	printf '\037\213\010\000' >cut.log.gz
	"$bin/extract_logs" -q --nodes=1 --gpus-per-node=1 \
	    --batch-size-per-device=8 -o n.json nan.log cut.log.gz >out 2>err
	verdict "the reason of an unreadable log does not repeat its path" \
	    grep -q '"error": "the compressed data end before any text"' n.json
else
	skip "the reason of an unreadable log" "built without zlib"
fi
finish
