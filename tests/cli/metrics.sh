# Figures next to the throughput: read from the last lines of a log, computed from
# tables or options, in the result, as a table.
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/logs.sh"
x=$bindir/extract_logs
cd "$tmp" || exit 1
value() { sed -n "/\"name\": \"$1\"/{n;s/.*: \(.*\),/\1/p}" r.json; }

# near NAME WANT: within 1e-9 of it
near() { value "$1" | awk -v w="$2" '{ d = $1 / w - 1; n++ }
	END { exit !(n == 1 && d < 1e-9 && d > -1e-9) }'; }

mkdir -p 1n8g
{
	echo "device: NVIDIA A100-SXM4-80GB"
	imagenet 130 t=0.5
} >1n8g/resnet50_b256_amp_1.log
verdict "a run of ResNet-50 on A100" "$x" -q --table=metrics -o r.json 1n8g
cp r.json full.json
verdict "its TFLOP/s" near tflops_per_device 12.56448
verdict "its MFU" near mfu 4.027076923076923
verdict "its loss" near final_loss 6.9
verdict "its data time" near data_share 2
verdict "with the lines" grep -q '"source": "log line 131"' r.json
verdict "of the whole file whatever -j" eval '"$x" -q -j1 -o a.json 1n8g &&
    "$x" -q -j4 -o b.json 1n8g && cmp a.json b.json'
if grep -q '^#define HAVE_ZLIB 1' "$bindir/config.h"; then
	gzip -k 1n8g/resnet50_b256_amp_1.log && mkdir -p gz/1n8g &&
	    mv 1n8g/*.gz gz/1n8g
	verdict "packed too" eval \
	    '"$x" -q -o r.json gz && near final_loss 6.9'
else
	skip "packed too" "built without zlib"
fi
verdict "options" "$x" -q -o r.json --flop-per-sample=1e9 --peak-tflops=10 1n8g
verdict "go before tables" near mfu 5.12
verdict "and are in the rule" grep -q '"flop_per_sample": "1000000000"' r.json
refuse "no number" 2 "*--peak-tflops*" "$x" --peak-tflops=x 1n8g
check "as a table" metrics.txt "$x" -q --table=metrics -o r.json 1n8g
check "as CSV" metrics.csv "$x" -q --table=metrics --format=csv -o r.json 1n8g

# A long log: only its last lines are looked at, with their numbers.
awk 'BEGIN { for (i = 1; i <= 20000; i++)
	printf "[titan] 2025-06-16 22:30:50,322 - root - INFO - step: %d  " \
	    "loss:  %.4f  memory: %d.50GiB(52.28%%)  tps: 5,000  tflops: " \
	    "%d.5  mfu: 40.00%%\n", i, 9 - i / 5000, (i == 1 ? 70 : 40), \
	    (i > 10000 ? 100 : 900) }' >titan.log
verdict "a long log" "$x" -q -o r.json --gpus=8 --parameters=1e9 titan.log
verdict "its last loss" near final_loss 5
verdict "its mean TFLOP/s" near tflops_per_device_printed 100.5
verdict "and those of 6 N" near tflops_per_device 30
verdict "its memory" near peak_memory 40.5
verdict "of the last line" grep -q '"source": "log line 20000"' r.json
verdict "the same whatever -j" eval '"$x" -q -j1 -o a.json --gpus=8 titan.log &&
    "$x" -q -j4 -o b.json --gpus=8 titan.log && cmp a.json b.json'
verdict "a result is read back" eval '"$x" -q -o again.json full.json &&
    grep -q "\"name\": \"mfu\"" again.json'
verdict "in parts" eval 'for i in 1 2; do "$x" -q --shard=$i/2 -o p$i.json \
    1n8g titan.log --gpus=8 || exit 1; done
    "$x" -q -o m.json p1.json p2.json &&
    "$x" -q -o w.json --gpus=8 1n8g titan.log && cmp m.json w.json'
finish
