# JSON lines and tables with any names: the usual spellings of a key or a column
# determine its meaning. Rates take precedence over step times, and these over
# the times at which rows were written.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
x=$(cd "$bindir" && pwd)/extract_logs
cd "$tmp" || exit 1
unset DLSCALE_FORMAT_PATH

rows() { # TEXT: 150 rows; @i is its number, @t and @s i / 4
	awk -v text="$1" 'BEGIN {
		for (i = 0; i < 150; i++) {
			row = text
			gsub("@i", i, row)
			gsub("@t", sprintf("%.2f", i / 4), row)
			gsub("@s", sprintf("%05.2f", i / 4), row)
			print row
		}
	}'
}

is() { # FILE FORMAT UNIT FIGURE
	rm -f r.json
	"$x" -v --nodes=1 --gpus-per-node=1 --batch-size=16 --rule=all -o r.json \
	    "$1" >/dev/null 2>err
	got=$(sed -n 's/^extract_logs: [^:]*: \([a-z0-9-]*\)[ ,].*samples.*/\1/p' err |
	    head -n 1)
	got="$got $(tr -d ' \n' <r.json |
	    sed 's/.*"unit":"\([^"]*\)".*"median_speed":\([^,]*\),.*/\1 \2/')"
	verdict "$1: $2" test "$got" = "$2 $3 $4"
	test "$got" = "$2 $3 $4" || echo "# $got"
}

# --- JSON: {"step": i, KEY: VALUE} ---
k=0
while read -r keys format unit figure; do
	k=$((k + 1))
	rows "$keys" >"$k.jsonl"
	is "$k.jsonl" "$format" "$unit" "$figure"
done <<'END'
{"step":@i,"perf/tokens_per_second":400} json-tokens tokens/s 400
{"global_step":@i,"train_tokens_per_second":400} json-tokens tokens/s 400
{"_step":@i,"_runtime":@t,"throughput/tokens_per_sec":400} json-tokens tokens/s 400
{"step":@i,"avg_tokens_per_second":500,"step_tokens_per_second":400} json-tokens tokens/s 400
{"_step":@i,"_runtime":@t,"train/samples_per_second":400} json-rate samples/s 400
{"step":@i,"speed/images_per_sec":400} json-rate samples/s 400
{"step":@i,"perf/steps_per_second":4} json-iterations iterations/s 4
{"step":@i,"perf/step_time":0.25} json-step-time samples/s 64
{"iteration":@i,"step_duration":0.25} json-step-time samples/s 64
{"step":@i,"elapsed":@t} json-wall-time iterations/s 4
{"_step":@i,"_runtime":@t,"train/loss":3} json-wall-time iterations/s 4
END
# A row counter is the last resort: the trainer's own number is preferred.
rows '{"_step":@i,"_timestamp":@t,"train/global_step":@i0}' >hf.jsonl
is hf.jsonl json-wall-time iterations/s 40
rows '{"_step":@i,"_timestamp":@t,"trainer/global_step":@i0}' >pl.jsonl
is pl.jsonl json-wall-time iterations/s 40
rows '{"step":@i,"timestamp":"2025-03-01 10:00:@s"}' >date.jsonl
is date.jsonl json-stamp iterations/s 4
# A rate on every tenth row is preferred to the times of all rows.
rows '{"_step":@i,"_runtime":@t,"loss":3}' |
    sed '1~10s/"loss"/"samples_per_second":400,"loss"/' >some.jsonl
is some.jsonl json-rate samples/s 400
# The rate of an evaluation is not that of the training.
rows '{"_step":@i,"_runtime":@t,"eval/samples_per_second":400}' >eval.jsonl
is eval.jsonl json-wall-time iterations/s 4

# --- tables ---
k=0
while read -r header row format unit figure; do
	k=$((k + 1))
	{
		echo "$header" | sed 's,~, ,'
		rows "$row"
	} >"$k.csv"
	is "$k.csv" "$format" "$unit" "$figure"
done <<'END'
step,tokens_per_second,loss @i,400,3 csv-tokens tokens/s 400
global_step,train_samples_per_second,loss @i,400,3 csv-rate samples/s 400
step,steps_per_second,loss @i,4,3 csv-iterations iterations/s 4
step,elapsed,loss @i,@t,3 csv-wall-time iterations/s 4
_step,_runtime,_timestamp,loss @i,@t,@t,3 csv-wall-time iterations/s 4
Step,Wall~time,Value @i,@t,3 csv-wall-time iterations/s 4
epoch,step,train/device/samples_per_sec 0,@i,100 lightning-csv samples/s 100
epoch,step,train/device/samples_per_sec,train/samples_per_sec 0,@i,100,400 lightning-csv-global samples/s 400
END
# --- figures next to the speed ---
metric() { # FILE NAME FIGURE
	rm -f r.json
	"$x" -q --nodes=1 --gpus-per-node=2 --batch-size=16 --rule=all -o r.json \
	    "$1" >/dev/null 2>&1
	tr -d ' \n' <r.json >flat
	verdict "$1: $2" grep -q "\"name\":\"$2\",\"figure\":$3," flat
}
rows '{"step": @i, "samples_per_sec": 400, "power_w": 350, "mfu_percent": 41.5, "memory_gib": 70.5, "data_s": 0.01}' >power.jsonl
metric power.jsonl power_per_device 350
metric power.jsonl energy_per_sample 1.75
metric power.jsonl mfu_printed 41.5
metric power.jsonl peak_memory 70.5
{
	echo "step,step_time,gpu_power_w,peak_memory_gib,data_s"
	rows '@i,0.25,300,60.25,0.05'
} >power.csv
metric power.csv power_per_device 300
metric power.csv energy_per_sample 9.375
metric power.csv peak_memory 60.25
metric power.csv data_share 19.99999999999995
rows 'step:@i - perf/mfu/actor:0.375 - perf/max_memory_reserved_gb:58.5 - timing_s/step:60.5 - perf/throughput:210.5' >verl.log
metric verl.log mfu_printed 37.5
metric verl.log peak_memory 58.5

# --- a notebook, and what it says of its arguments ---
{
	printf '%s\n' "TrainingArguments(" "_n_gpu=1," "bf16=True," \
	    "gradient_accumulation_steps=4," "per_device_train_batch_size=8," ")"
	awk 'BEGIN { for (i = 1; i <= 300; i++) {
		t = int(1.5 * i)
		printf "   [%3d/300 %02d:%02d < 05:00, 0.67 it/s, Epoch %.2f/3]\n",
		    i, t / 60, t % 60, i / 100
		if (i % 100 == 0) print "   [50/50 00:03]"
	} }'
} >notebook.txt
is notebook.txt hf-notebook iterations/s 0.6666666666666666
verdict "its precision and batch" eval 'tr -d " \n" <r.json |
    grep -q "\"precision\":\"bf16\",\"batch_size_per_device\":16"'
"$x" -q --nodes=1 --gpus-per-node=2 --unit=samples/s --rule=all -o r.json \
    notebook.txt >/dev/null
verdict "... of 8 x 4 samples on each of 2 devices" \
    grep -q '"median_speed": 42.66' r.json
finish
