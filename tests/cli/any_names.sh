# Lines of JSON and tables of any names: what a key or a column is called states what
# it is, in the usual spellings; rates go before times of steps, those before
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
# What counts rows is the last resort: the trainer's own number goes before.
rows '{"_step":@i,"_timestamp":@t,"train/global_step":@i0}' >hf.jsonl
is hf.jsonl json-wall-time iterations/s 40
rows '{"_step":@i,"_timestamp":@t,"trainer/global_step":@i0}' >pl.jsonl
is pl.jsonl json-wall-time iterations/s 40
rows '{"step":@i,"timestamp":"2025-03-01 10:00:@s"}' >date.jsonl
is date.jsonl json-stamp iterations/s 4
# A rate on every tenth row goes before the times of all.
rows '{"_step":@i,"_runtime":@t,"loss":3}' |
    sed '1~10s/"loss"/"samples_per_second":400,"loss"/' >some.jsonl
is some.jsonl json-rate samples/s 400
# That of an evaluation is none of the training.
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
finish
