# Metrics next to the throughput: read from the last lines of a log or computed
# from tables or options; in the result and in a table.
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/logs.sh"
x=$bindir/extract_logs
cd "$tmp" || exit 1

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
if built_with ZLIB; then
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

# Only the last lines of a long log are read, with their line numbers.
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

# Every value that a metric uses: the vocabulary defines what is kept of it from
# the last lines, so that a value without a definition would be lost here.
mkdir -p own
cat >own/all.format <<'F'
name all
description a line that prints whatever a metric is made of
kind step-time
statistic instant
base 0
set framework own

step step ^s (?<iter>\d+) (?<step_s>[\d.]+) loss (?<loss>[\d.]+) (?<val_loss>[\d.]+) top1 (?<top1>[\d.]+) (?<val_top1>[\d.]+) of (?<tflops_per_device>[\d.]+) (?<mfu>[\d.]+) (?<hfu>[\d.]+) gib (?<memory_gib>[\d.]+) w (?<power_w>[\d.]+) data (?<data_s>[\d.]+)

sample s 3 0.5 loss 2 3 top1 4 5 of 6 7 8 gib 9 w 10 data 0.1
expect step iter=3 step_s=0.5 loss=2 val_loss=3 top1=4 val_top1=5 tflops_per_device=6 mfu=7 hfu=8 memory_gib=9 power_w=10 data_s=0.1
F
awk 'BEGIN { for (i = 0; i < 130; i++)
	printf "s %d 0.5 loss %d 3.%d top1 4.%d 5.%d of 6.5 7.5 8.5 gib 9.5 " \
	    "w 10.5 data 0.%d\n", i, i, i, i, i, 1 + i % 2 }' >all.log
verdict "a line with all of them" "$x" -q --format-dir=own --gpus=1 \
    --batch-size-per-device=4 -o r.json all.log
for metric in final_loss=129 final_val_loss=3.129 final_top1=4.129 \
    final_val_top1=5.129 tflops_per_device_printed=6.5 mfu_printed=7.5 \
    hfu_printed=8.5 peak_memory=9.5 power_per_device=10.5 data_share=30; do
	verdict "${metric%=*}" near "${metric%=*}" "${metric#*=}"
done

# A metric instead of the throughput, chosen when measuring or when showing.
report=$bindir/report_results
plot=$bindir/plot_results
mkdir -p runs/1n1g runs/1n8g
for r in 1 2 3 4 5; do
	for shape in 1n1g 1n8g; do
		{
			echo "device: NVIDIA A100-SXM4-80GB"
			imagenet 130 t=0.5$r
		} >runs/$shape/resnet50_b256_amp_$r.log
	done
done
check "measured by MFU" metrics_mfu.txt \
    "$x" -q --metric=mfu -o mfu.json runs
verdict "its figure is the MFU" grep -q '"median_speed": 3.79' mfu.json
verdict "in per cent" grep -q '"unit": "%"' mfu.json
verdict "it has no speedup" eval '! grep -q "\"speedup\": [0-9]" mfu.json'
verdict "a result of throughputs" "$x" -q -o speed.json runs
verdict "shown by MFU is the same" eval '"$report" --metric=mfu speed.json >a &&
    "$report" mfu.json >b && cmp a b'
verdict "which is the table 'scaling'" eval \
    '"$report" --metric=mfu --table=scaling speed.json >b && cmp a b'
check "as CSV" metrics_mfu.csv "$report" --metric=mfu --format=csv speed.json
check "in Chinese" metrics_loss_zh.txt \
    "$report" --metric=final_loss --lang=zh speed.json
verdict "in a table of rows and columns" eval \
    '"$report" --metric=mfu --rows=nodes --columns=gpus speed.json |
    grep -q "3\.7"'
refuse "what no run has" 4 "*hfu_printed*not stated by any run" \
    "$report" --metric=hfu_printed speed.json
refuse "what was not measured" 3 "*holds the metric throughput, not step-time*" \
    "$report" --metric=step-time speed.json
refuse "another than was measured" 3 "*holds the metric mfu, not final_loss*" \
    "$report" --metric=final_loss mfu.json
refuse "a comparison of shares" 3 "*comparison needs speeds*" \
    "$report" --compare mfu.json mfu.json
refuse "a gate" 3 "*--gate needs speeds*" \
    "$report" --gate="efficiency<0.8" mfu.json
refuse "a page" 3 "*the page needs speeds*" "$report" --html mfu.json
refuse "a table of speedups" 3 "*--table=speedup needs speeds*" \
    "$report" -t speedup mfu.json
verdict "all tables are those that go with it" eval \
    '"$report" -t all mfu.json >a && ! grep -q n/a a'
refuse "a prediction" 4 "*only speeds of training are predicted*" \
    "$bindir/predict_scaling" mfu.json
refuse "logs that do not state it" 4 "*none of 10 logs*" \
    "$x" -q --metric=peak_memory -o x.json runs
verdict "and say what they state" eval \
    '"$x" --metric=peak_memory -o x.json runs 2>&1 |
    grep -q "next to its throughput there is tflops_per_device, mfu, "'
refuse "a result of another metric" 3 "*measured with --metric=mfu*" \
    "$x" -q -o x.json mfu.json
verdict "one of the same is read back" eval '"$x" -q --metric=mfu -o again.json \
    mfu.json && grep -q "\"median_speed\": 3.79" again.json'
verdict "a chart has its name and unit on the axis" eval \
    '"$plot" -q --metric=mfu --format=gp -o mfu.gp speed.json &&
    grep -q "^Y_TITLE = .MFU (%).$" mfu.gp'
verdict "and begins at 0" grep -q "^set yrange \[0:" mfu.gp
verdict "a loss has no unit" eval \
    '"$plot" -q --metric=final_loss --format=gp -o loss.gp speed.json &&
    grep -q "^Y_TITLE = .loss at the end.$" loss.gp'
for f in runs/1n1g/*.log; do break; done
cp "$f" kept
sed -E "s/(Data +)[0-9.]+ +\([ 0-9.]+\)/\10.000 (0.000)/" kept >"$f"
"$x" -q -o zero.json runs
verdict "a run whose figure is 0 is left out" eval \
    '"$report" --metric=data_share zero.json 2>&1 |
    grep -q ": runs without data_share left out: 1"'
cp kept "$f"
# Ratios of 0 % are undefined.
for f in runs/1n1g/*.log; do sed -E \
    "s/(Data +)[0-9.]+ +\\([ 0-9.]+\\)/\\10.000 (0.000)/" "$f" >t && mv t "$f"; done
verdict "a figure of 0 is excluded" eval '"$x" --metric=data_share -o x.json \
    runs 2>&1 | grep -q "is not a plausible number above 0"'
finish
