# extract_logs: what each option does, what is excluded and why, and every error
# with its status.
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/logs.sh"

x=$bindir/extract_logs
mkdir "$tmp/w" && cd "$tmp/w" || exit 1

# csv COLUMN ARGUMENT...: print a column of the table. Columns: 8 unit 9 runs 10
# median 14 speedup 18 efficiency 20 case 21 baseline 22 rule.
csv() {
	column=$1
	shift
	"$x" -q --format=csv -o /dev/null "$@" 2>/dev/null |
	    awk -F, -v c="$column" 'NR > 1 { print $c }' | tr -d '\r' |
	    tr '\n' ' ' |
	    sed 's/ $//'
}
# is NAME WANT COLUMN ARGUMENT...
is() {
	name=$1 want=$2
	shift 2
	got=$(csv "$@")
	verdict "$name" same "$want" "$got"
}
same() {
	test "$1" = "$2" || {
		echo "'$2', not '$1'"
		return 1
	}
}
# Replace the version.
plain() { sed 's/"version": ".*"/"version": "V"/'; }

### The main way

tree t 5 1n1g 1n4g 2n4g
check "table" extract-table.txt "$x" t
verdict "the result is where it states" test -s result/t_result.json
result_json() { plain <result/t_result.json; }
check "result JSON" extract-result.json result_json
check "table as Markdown" extract-table.md "$x" --format=markdown t
check "table as CSV" extract-table.csv "$x" --format=csv t
refuse "it states where it wrote" 0 "extract_logs: wrote result/t_result.json" \
    "$x" t
json_only() { "$x" -q -o - t | plain; }
check "-o - gives the result alone" extract-result.json json_only
verdict "-o FILE" eval '"$x" -q -o r.json t >/dev/null && test -s r.json'
verdict "--output-dir" eval \
    '"$x" -q --output-dir=o2 t >/dev/null && test -s o2/t_result.json'
verdict "--name" eval \
    '"$x" -q --name=abc t >/dev/null && test -s result/abc_result.json'
verdict "a slash after the folder is no name" eval 'rm -rf result
"$x" -q t/// >/dev/null && test -s result/t_result.json'
verdict "two operands make result_result.json" eval \
    '"$x" -q t/1n1g t/1n4g >/dev/null && test -s result/result_result.json'
verdict "the folder we are in has a name" eval \
    '(cd t && "$x" -q . >/dev/null && test -s result/t_result.json)
	rm -rf t/result'
verdict "DLPerf's spelling of options" eval '"$x" -q --log_dir t \
    --output_dir o3 --warmup_batches 20 --train_batches 120 \
    >/dev/null && test -s o3/t_result.json'
no_hash() { "$x" -q --no-hash -o - t | grep -c '"hash": null'; }
verdict "--no-hash" eval 'test "$(no_hash)" -eq 15'

### Numbers

# 4 samples, 1 GPU; times 0.4 + 0.001 (i % 5): 0.402 on average.
mkdir -p n/1n1g n/1n2g
imagenet 130 dt=0.001 >n/1n1g/a_b4_fp32_1.log
imagenet 130 dt=0.001 ranks=2 dr=0.004 >n/1n2g/a_b4_fp32_1.log
is "speed and ranks" "9.950248756218905 19.8019801980198" 10 n
is "speedup" "1 1.9900990099009899" 14 n
is "efficiency" "1 0.9950495049504949" 18 n
# Positions 5 to 6: 0.400 and 0.401.
is "--skip-iterations, --warmup-batches, --train-batches" \
    "9.987515605493133" 10 --skip-iterations=5 --warmup-batches=0 \
    --train-batches=2 n/1n1g
is "--rule=all" "9.950248756218905" 10 --rule=all n/1n1g
# Iterations 128 and 129: 0.403 and 0.404.
is "--from-iteration" "9.913258983890954" 10 --rule=all \
    --from-iteration=128 n/1n1g
is "--aggregate=median" "9.950248756218905" 10 --aggregate=median n/1n1g
is "--metric=step-time" "0.402 0.4040000000000001" 10 --metric=step-time n
is "its speedup is that of the throughput" "1 1.9900990099009899" 14 \
    --metric=step-time n
is "--batch-size-per-device" "19.90049751243781" 10 \
    --batch-size-per-device=8 n/1n1g
is "--nodes" "2n1g" 20 --nodes=2 n/1n1g
is "--gpus-per-node" "1n4g" 20 --gpus-per-node=4 n/1n1g
is "--framework" "myown" 1 --framework=myown n/1n1g
is "--model" "resnet99" 2 --model=resnet99 n/1n1g
is "--precision" "bf16" 3 --precision=bf16 n/1n1g
run_name() { "$x" -q -o - --run=seven n/1n1g | grep -c '"run": "seven"'; }
verdict "--run" eval 'test "$(run_name)" -eq 2' # in runs and in the rule
level() { "$x" -q -o - --confidence=0.6 t | grep -c '"median_level": 0.625'; }
verdict "--confidence" eval 'test "$(level)" -eq 3'

mkdir -p e
imagenet 60 epochs=3 >e/1n1g_b4.log
imagenet 60 epoch=1 t=0.5 epochs=2 >e2.log
E1="--nodes=1 --gpus-per-node=1 --batch-size-per-device=4"
# shellcheck disable=SC2086 # options
{
	is "--epoch=auto runs on" "10" 10 $E1 e/1n1g_b4.log
	is "--epoch=N" "8" 10 $E1 --epoch=2 --train-batches=50 e2.log
	is "--epoch=all" "8" 10 $E1 --epoch=all e2.log
}
epochs() {
	# shellcheck disable=SC2086 # options
	"$x" -q -o - $E1 e/1n1g_b4.log |
	    grep -q "$(printf 'epochs 0\342\200\2232')"
}
verdict "epochs are flagged" epochs

### Cases

refuse "a baseline that no one asked for is reported" 0 \
    "*: pytorch r18 fp32 b4 1n4g: the baseline, because there is no comparable \
1n1g; --baseline=CASE chooses another" "$x" t/1n4g
is "--baseline" "0.5446428571428571 1" 14 --baseline=2n4g t/1n4g t/2n4g
refuse "--baseline: no such case" 2 \
    "extract_logs: --baseline: no case is called '9n9g'; there are 1n1g, *" \
    "$x" --baseline=9n9g t
mkdir -p s/1n1g s/1n4g
imagenet 130 >s/1n1g/a_b16_fp32_1.log
imagenet 130 t=0.125 >s/1n4g/a_b4_fp32_1.log
is "weak scaling compares equal batches per GPU: no speedup" " " 14 s
is "--scaling=strong compares equal batches in all" "3.2 1" 14 \
    --scaling=strong s
tree lab1 2 1n1g
tree lab2 2 1n1g
is "labels distinguish trees" "new old" 5 new=lab2 old=lab1
mkdir -p mix/1n1g
imagenet 130 >mix/1n1g/a_b16_fp32_1.log
imagenet 130 >mix/1n1g/a_b32_fp32_1.log
imagenet 130 >mix/1n1g/a_b16_amp_1.log
is "mixed batches and precisions are cases of their own" \
    "amp fp32 fp32" 3 mix
mkdir -p mix2/1n1g
cp mix/1n1g/a_b16_fp32_1.log mix2/1n1g
refuse "a copy does not count" 0 \
    "*: a_b16_fp32_1.log: excluded: has the same bytes as 1n1g/a_b16_fp32_1.l*" \
    "$x" mix mix2/1n1g/a_b16_fp32_1.log
refuse "the same bytes in two cases are reported" 0 \
    "*: 1n1g/a_b32_fp32_1.log: has the same bytes as 1n1g/a_b16_amp_1.log, but *" \
    "$x" mix mix2/1n1g/a_b16_fp32_1.log
refuse "few runs are reported" 0 \
    "*: pytorch r18 fp32 b4 1n1g: 2 runs only, so the interval of the median \
has 50 %; 95 % needs 6 runs" "$x" lab1
tree level 5 1n1g
imagenet 130 t=0.42 dt=0.001 >level/1n1g/r18_b4_fp32_6.log
refuse "a level below the asked one is printed below it" 0 \
    "*: pytorch r18 fp32 b4 1n1g: 6 runs only, so the interval of the median \
has 96.875 %; 96.876 % needs 7 runs" "$x" --confidence=0.96876 level
refuse "who disagrees is reported" 0 \
    "*: 1n1g/r18_b4_fp32_1.log: model: 'r18' from the path differs from \
'z' from the option, which is used (and so for 1 more logs)" "$x" --model=z lab1

# A file for each rank, paths without GPUs and batch.
mkdir -p ranks
for r in 0 1; do
	imagenet 130 "t=0.$((4 + r))" \
	    >"ranks/03-10-13-resnet50-e20-b20-fusion0_rank_$r"
	imagenet 130 "t=0.$((6 + r))" \
	    >"ranks/03-11-13-resnet50-e20-b20-fusion0_rank_$r"
done
R="--batch-size-per-device=9 --nodes=1 --gpus-per-node=2"
# shellcheck disable=SC2086 # options
{
	is "files of ranks are one run" "2" 10 $R ranks
	is "of their mean" "33.84615384615385" 11 $R ranks
}
joined() {
	# shellcheck disable=SC2086 # options
	"$x" -q -o - $R ranks | grep -c 'joined from 2 files'
}
verdict "joined files are flagged" eval 'test "$(joined)" -eq 2'

# Rates and figures of the whole run.
mkdir -p r/1n1g r/1n2g
rates() {
	awk -v rate="$1" -v whole="$2" 'BEGIN {
		for (i = 1; i <= 130; i++)
			printf "DLL 2023-08-04 05:48:00.5 - Epoch: 0 " \
			    "Iteration: %d  train.loss : 9.5 None " \
			    "train.compute_ips : %s images/s " \
			    "train.total_ips : %s images/s train.lr : 0.1\n",
			    i, rate + 1, i % 4 ? rate : rate / 2
		printf "DLL 2023-08-04 05:49:00.5 - Summary: " \
		    "train.loss : 9.5 None train.compute_ips : 1 images/s " \
		    "train.total_ips : %s images/s train.lr : 0.1\n", whole
	}'
}
rates 100 70 >r/1n1g/m_b50_amp_1.log
rates 190 130 >r/1n2g/m_b50_amp_1.log
is "a rate is total work over total time" "80 152.00000000000003" 10 r
is "--aggregate=mean" "87.5 166.25" 10 --aggregate=mean r
is "--rule=summary" "70 130" 10 --rule=summary r
rule() { "$x" -q -o - --rule=summary r | sed -n '/"rule": {/,/}/p'; }
check "the rule stands in the result" extract-rule.json rule
is "--rate-scope: the one rank that prints is scaled up" "80 304.00000000000006" 10 \
    --rate-scope=device r
"$x" -q --rate-scope=device -o scaled.json r >scaled.txt
verdict "and the result says so" \
    grep -q "the rate of one of 2 ranks, times 2" scaled.json
verdict "which is no doubt" sh -c '! grep -q "times 2" scaled.txt'
is "--metric=step-time of rates" "0.625 0.6578947368421051" 10 \
    --metric=step-time r
is "--log-format" "101" 10 --log-format=dllogger-resnet50-compute r/1n1g

# A user's format, next to the built-in ones.
mkdir -p own toys/1n1g toys/1n4g
cat >own/toy.format <<'F'
name toy
description what toys print
kind step-time
statistic instant
base 0
set framework toys

step step ^toy step (?<iter>\d+): (?<step_ms>[\d.]+) ms
summary total ^toy took (?<elapsed>[\d.:]+)

sample toy step 3: 12.5 ms
expect step iter=3 step_ms=12.5
sample toy took 1:30
expect total elapsed=1:30
F
toy() {
	awk -v ms="$1" 'BEGIN {
		for (i = 0; i < 130; i++) printf "toy step %d: %s ms\n", i, ms
	}'
}
toy 10 >toys/1n1g/t_b2_fp32_1.log
toy 20 >toys/1n4g/t_b2_fp32_1.log
echo "toy took 1:30" >>toys/1n1g/t_b2_fp32_1.log
echo "toy took 30" >>toys/1n4g/t_b2_fp32_1.log
is "a user's format" "200 400" 10 --format-dir=own toys
is "--metric=time-to-train" "1.5 0.5" 10 --format-dir=own \
    --metric=time-to-train toys
is "its speedup" "1 3" 14 --format-dir=own --metric=time-to-train toys
# MLPerf's score: the mean without the best and the worst.
mkdir -p scored/1n1g
for seconds in 60 66 90 75 300; do
	{
		toy 10
		echo "toy took $seconds"
	} >scored/1n1g/t_b2_fp32_$seconds.log
done
scored() {
	"$x" -q --format-dir=own --metric=time-to-train -o scored.json scored \
	    >text &&
	    grep -q 'interval  *olympic mean' text &&
	    grep -q '1n1g *5 *1.2 *.* 1.3 ' text &&
	    "$bindir/report_results" scored.json >text &&
	    grep -q 'interval  *olympic mean' text &&
	    grep -q '1.2 .* 1.3 ' text
}
verdict "the olympic mean of times to train" scored
# A format with only a rate at the end of the log has another rule.
cat >own/whole.format <<'F'
name whole
description what toys print at their end
kind rate
statistic instant
unit samples/s
rule summary
set framework toys

summary total ^toys made (?<samples_per_s>[\d.]+) a second

sample toys made 5 a second
expect total samples_per_s=5
F
mkdir -p toys/1n8g
echo "toys made 600 a second" >toys/1n8g/t_b2_fp32_1.log
is "the rule is part of a case" "window window summary" 22 --format-dir=own toys
rule() {
	"$x" -q -o - --format-dir=own --log-dir=toys/1n8g |
	    grep -c '"rule": "summary"'
}
verdict "the rule of all cases is that of the result" eval \
    'test "$(rule)" -eq 2'
is "different rules are not compared" "1n1g 1n1g 1n8g" 21 --format-dir=own toys
is "--allow-mixed" "1n1g 1n1g 1n1g" 21 --format-dir=own --allow-mixed toys

### Runs

runs() { "$x" -q --table=runs "$@" -o runs.json t; }
verdict "a row for each run" same "$(runs | grep -c "fp32_.*log$")" \
    "$("$x" -q -o - t | grep -c '"first_line"')"
verdict "which fits 80 columns" test "$(runs | wc -L)" -le 80
runs --format=csv >runs.csv
verdict "CSV of runs" eval 'head -n 1 runs.csv | grep -q "^framework,model,\
precision,batch_size_per_device,nodes,gpus_per_node,gpus,case,run,unit,value,"'
verdict "has the figures of the result" same \
    "$(sed 1d runs.csv | cut -d , -f 11 | sort)" \
    "$("$x" -q -o - t | sed -n "s/^ *\"value\": \(.*\),/\1/p" | sort)"
verdict "and a column for a label" eval '"$x" -q --table=runs --format=csv \
    -o runs.json old=t | sed -n 2p | grep -q "^pytorch,r18,fp32,4,old,"'
refuse "rows of what is not there" 2 \
    "extract_logs: --table: 'run' is not one of cases, runs, metrics" \
    "$x" --table=run t

### What is excluded

mkdir -p bad/1n1g
imagenet 104 >bad/1n1g/a_b4_fp32_1.log
imagenet 130 | awk '{ print; print }' >bad/1n1g/a_b4_fp32_2.log
imagenet 130 >bad/1n1g/a_b4_fp32_3.log
imagenet 130 | sed 's/Time  0.400 (\(.*\[  70\)/&/; 71s/Time  0.400/Time  0.000/' \
    >bad/1n1g/a_b4_fp32_4.log
: >bad/1n1g/a_b4_fp32_5.log
echo nothing of interest >bad/1n1g/a_b4_fp32_6.log
imagenet 130 >bad/nobatch.log
check "the table states what is excluded" extract-excluded.txt "$x" bad
refuse "short" 0 "extract_logs: warning: 1n1g/a_b4_fp32_1.log: excluded: \
has 104 of 125 iterations; pass --train-batches=99 to include it" "$x" bad
is "and so it does" "10" 10 --train-batches=99 bad/1n1g/a_b4_fp32_1.log \
    --nodes=1 --gpus-per-node=1
refuse "restart" 0 "*a_b4_fp32_2.log:2: excluded: iteration 0 is \
printed again, and there is 1 rank: *" "$x" bad
refuse "bad value" 0 "*a_b4_fp32_4.log:71: excluded: the time of iteration \
70 is not a plausible number above 0" "$x" bad
refuse "empty" 0 "*a_b4_fp32_5.log: excluded: the file is empty" "$x" bad
refuse "no format" 0 "*a_b4_fp32_6.log: excluded: no format matches it; \
--explain shows *" "$x" bad
refuse "no batch size" 0 "*nobatch.log: excluded: neither an option nor the \
path nor the log states the batch size per device and the number of GPUs; \
pass --batch-size-per-device=N --nodes=N --gpus-per-node=N to include it \
(logs that differ: --map=FILE or --path=TEMPLATE)" \
    "$x" bad
for i in 0 1 2 3 4 5 6 7 8 9; do
	echo "iter $i: loss 4.2512, time 100.00ms, mfu 10.00%"
done >tokens.log
refuse "short, and no tokens" 4 "*tokens.log: excluded: has 10 of 125 \
iterations; pass --rule=all to include it, with --batch-size=N --sequence-length=N" \
    "$x" tokens.log
verdict "these admit it" "$x" -q -o /dev/null --rule=all --batch-size=8 \
    --sequence-length=64 tokens.log
refuse "no GPUs" 4 "*nobatch.log: excluded: neither an option nor the path \
nor the log states the number of GPUs; pass --nodes=N --gpus-per-node=N *" \
    "$x" --batch-size-per-device=4 bad/nobatch.log
refuse "no such epoch" 4 "*: e2.log: excluded: has no epoch 9, only 1 to 2" \
    "$x" --epoch=9 e2.log
refuse "no summary" 4 "*: e2.log: excluded: lacks the figure of the whole \
run, which its program prints at its end; pass --rule=window to include it" \
    "$x" --rule=summary --epoch=all e2.log
refuse "nothing usable" 4 "extract_logs: none of 1 logs is usable" \
    "$x" bad/nobatch.log
verdict "and then no result is written" eval '
	rm -rf none; "$x" -q --output-dir=none bad/nobatch.log
	test ! -e none'
mkdir -p hollow
refuse "no log" 4 "extract_logs: no log found; *" \
    "$x" hollow
refuse "--strict" 3 "extract_logs: 6 logs were excluded, and --strict was \
given" "$x" --strict bad
mkdir -p single/1n1g
imagenet 130 >single/1n1g/a_b4_fp32_1.log
: >single/1n1g/a_b4_fp32_2.log
refuse "one of them" 3 "extract_logs: 1 log was excluded, and --strict was \
given" "$x" --strict single
rm single/1n1g/a_b4_fp32_2.log
sed -n '28,$p' single/1n1g/a_b4_fp32_1.log >late
mv late single/1n1g/a_b4_fp32_1.log
verdict "one iteration is not \"iterations\"" eval '
	"$x" -o single.json single >/dev/null 2>&1
	grep "begins 1 iteration inside the window" single.json'
verdict "--strict with all logs used" "$x" -q --strict t
refuse "a dangling link is named" 0 "*: excluded: *" eval '
	mkdir -p dangle; cp t/1n1g/r18_b4_fp32_1.log dangle/
	ln -sf nowhere dangle/x.log; "$x" $E1 dangle'

### Errors

refuse "no operand" 2 "extract_logs: missing operand: name logs or folders of logs; try --help" \
    "$x"
refuse "no such folder" 3 "extract_logs: *nowhere*No such file or directory" \
    "$x" nowhere
refuse "--epoch" 2 "extract_logs: --epoch: 'x' is not auto, all or a number" \
    "$x" --epoch=x t
refuse "an empty window" 2 "extract_logs: --train-batches: 20 is not more \
than --warmup-batches, 20: the window would be empty" \
    "$x" --train-batches=20 t
refuse "--from-iteration without its rule" 2 \
    "extract_logs: --from-iteration: only with --rule=all" \
    "$x" --from-iteration=3 t
refuse "--metric=time-to-train with a window" 2 \
    "extract_logs: --metric=time-to-train: only with --rule=summary*" \
    "$x" --metric=time-to-train --rule=window t
refuse "--name with a slash" 2 \
    "extract_logs: --name: 'a/b' cannot be a file name" "$x" --name=a/b t
refuse "--output and --output-dir" 2 \
    "extract_logs: --output-dir cannot be used with --output" \
    "$x" -o x --output-dir=y t
refuse "--records into the result" 2 \
    "extract_logs: --records: 'x' is already used by --output" "$x" -o x --records=x t
for name in x.xlsx a/b.csv r.json.gz X.HTML; do
	refuse "a result called $name" 2 "extract_logs: --output: the \
suffix of '$name' is that of another kind of file; what is written is json" "$x" -o $name t
done
refuse "records called x.csv" 2 "extract_logs: --records: the suffix of 'x.csv' is *" \
    "$x" --records=x.csv t
refuse "a baseline that is none is one error" 2 \
    "extract_logs: --baseline: no case is called 'foo'; there are *" \
    "$x" --baseline=foo t
verdict "and no warning" test "$(grep -c "no speedup" "$tmp/err")" -eq 0
refuse "percent" 2 \
    "extract_logs: --confidence: 95 is outside of 0.01 to 0.9999" \
    "$x" --confidence=95 t
refuse "percent with its sign" 2 \
    "extract_logs: --confidence: '99%' is not a number" \
    "$x" --confidence=99% t
refuse "--quiet and --verbose" 2 \
    "extract_logs: --quiet cannot be used with --verbose" "$x" -q -v t
refuse "--log-format: no such format" 2 "extract_logs: --log-format: *" \
    "$x" --log-format=nonsense t
refuse "--format: no such format" 2 "extract_logs: --format: 'word' is not \
one of text, *" "$x" --format=word t
: >file
refuse "a folder that cannot be made" 3 "extract_logs: cannot create folder *file*" \
    "$x" --output-dir=file/x t
if test -c /dev/full; then
	refuse "a full disk under the table" 3 "extract_logs: *" \
	    eval '"$x" --output-dir=full t >/dev/full'
	verdict "leaves the whole result" eval '
		"$x" -q -o t.json t >/dev/null && cmp t.json full/t_result.json'
	refuse "a full disk under the result" 3 "extract_logs: *" \
	    "$x" -o /dev/full t
	refuse "a full disk under the records" 3 "extract_logs: *" \
	    "$x" --records=/dev/full t
else
	skip "a full disk" "no /dev/full"
fi
mkdir -p formats
cat >formats/broken.format <<'F'
name broken
description a format with a mistake
kind step-time
step train (?<iter>\d+ (?<step_s>[\d.]+)
F
refuse "a mistake in a user's format has its place" 3 \
    "extract_logs: formats/broken.format:4:*" "$x" --format-dir=formats t

### Other output

verbose() { "$x" -v t 2>&1 >/dev/null | head -1; }
verdict "--verbose states how a log was read" same \
    "extract_logs: 1n1g/r18_b4_fp32_1.log: pytorch-imagenet, 130 samples, \
130 lines" "$(verbose)"
quiet() { "$x" -q bad 2>&1 >/dev/null; }
verdict "--quiet is silent" same "" "$(quiet)"
records() { "$x" -q --records=- n/1n2g | head -3; }
check "--records" extract-records.jsonl records
verdict "--records into a file next to the table" eval '
	"$x" -q --records=rec.jsonl n/1n2g | grep -q 1n2g &&
	test "$(wc -l <rec.jsonl)" -eq 260'
cat >formats/means.format <<'F'
name means
description running means
kind step-time
statistic cumulative-mean
base 1
step line ^iter (?<iter>\d+): mean (?<step_s>[\d.]+)
sample iter 3: mean 2
expect line iter=3 step_s=2
F
rm formats/broken.format
mkdir -p means
printf 'iter %d: mean %s\n' 1 2 2 3 3 2.5 >means/m.log
step() {
	"$x" -q --format-dir=formats --log-format=means --records=- means |
		sed 's/.*"step": \([^,]*\),.*/\1/' | tr '\n' ' '
}
verdict "--records states the steps behind running means" same "2 4 1.5 " \
    "$(step)"
verdict "a log on standard input" same "10" \
    "$("$x" -q --format=csv -o /dev/null $E1 - <s/1n1g/a_b16_fp32_1.log |
        awk -F, 'NR == 2 { print $10 }')"
verdict "--explain" eval '"$x" --explain=n/1n1g/a_b4_fp32_1.log |
    grep -q pytorch-imagenet'
verdict "--list-formats" eval '"$x" --list-formats | grep -q mxnet-speedometer'
verdict "--show-format" eval '"$x" --show-format=pytorch-imagenet |
    grep -q "^name pytorch-imagenet"'
refuse "--show-format: no such format" 2 "extract_logs: --show-format: *" \
    "$x" --show-format=nonsense
verdict "--check-formats" "$x" --check-formats
refuse "--explain of nothing" 3 "extract_logs: *nowhere*" \
    "$x" --explain=nowhere

### On a terminal

# terminal COMMAND: run COMMAND on a terminal
terminal() { script -qec "$1" /dev/null </dev/null; }
if command -v script >/dev/null 2>&1 && terminal true >/dev/null 2>&1; then
	escape=$(printf '\033')
	verdict "colours" eval 'terminal "TERM=xterm $x -q -o /dev/null t" |
	    grep -q "$escape"'
	verdict "NO_COLOR" eval '! terminal \
	    "NO_COLOR=1 TERM=xterm $x -q -o /dev/null t" | grep -q "$escape"'
	verdict "no colours elsewhere" eval '! "$x" -q -o /dev/null t |
	    grep -q "$escape"'
	slow="(sleep 3; cat s/1n1g/a_b16_fp32_1.log) | $x -o /dev/null \
	    --gpus-per-node=1 --nodes=1 --batch-size-per-device=1"
	verdict "progress" eval 'terminal "$slow s/1n1g/a_b16_fp32_1.log -" |
	    grep -q "1 of 2 logs read"'
	verdict "no progress with --quiet" eval '! terminal \
	    "$slow -q s/1n1g/a_b16_fp32_1.log -" | grep -q "logs read"'
else
	skip "colours and progress" "no script(1)"
fi

### The rule of the result records any number of options

mkdir more
imagenet 130 t=0.5 >more/r.log
"$x" -q -o more.json --log-format=pytorch-imagenet --allow-mixed --framework=f \
    --model=m --precision=fp32 --run=1 --batch-size-per-device=32 --nodes=1 \
    --gpus-per-node=1 --gpus=1 --select=framework=f --select=model=m \
    --select=precision=fp32 --select=nodes=1 --select=gpus=1 \
    --flop-per-sample=1e9 --parameters=1e6 --peak-tflops=10 more/r.log >more.out 2>more.err || comment more.err
sed -n '/"rule": {/,/}/s/^    "\([a-z_0-9]*\)": "\(.*\)",*$/\1=\2/p' more.json |
    sed '1,/^scaling/d' >options
verdict "18 options stand in the rule, in their order" test "$(tr '\n' ' ' <options)" = \
    "log_format=pytorch-imagenet allow_mixed=true framework=f model=m precision=fp32 \
run=1 batch_size_per_device=32 nodes=1 gpus_per_node=1 gpus=1 select=framework=f \
select_2=model=m select_3=precision=fp32 select_4=nodes=1 select_5=gpus=1 \
flop_per_sample=1000000000 parameters=1000000 peak_tflops=10 "
verdict "and are read again" "$bindir/report_results" -o more.txt more.json

### The number of threads changes nothing

tree many 7 1n1g 1n2g 1n4g
cp bad/1n1g/*.log many/1n2g/
echo noise >many/0.log
for j in 1 2 5; do
	"$x" -j "$j" --records="j$j.rec" -o "j$j.json" many >"j$j.out" 2>"j$j.err"
	sed -i "s/j$j.json/J/" "j$j.err"
done
for j in 2 5; do
	verdict "-j $j: same table" cmp j1.out "j$j.out"
	verdict "-j $j: same result" cmp j1.json "j$j.json"
	verdict "-j $j: same records" cmp j1.rec "j$j.rec"
	verdict "-j $j: same warnings" cmp j1.err "j$j.err"
done
verdict "the records are there" test -s j1.rec

### Records written while a log is read, and records kept in memory

mkdir -p long/1n1g
awk 'BEGIN { for (i = 0; i < 30000; i++) {
	step = sprintf("Epoch: [%d][%4d/5005]\tTime %6.3f (%6.3f)\tData  0.001 (" \
	    " 0.012)\tLoss %.4e (6.9500e+00)\tAcc@1   0.78 (  0.12)\tAcc@5   " \
	    "1.56 (  0.61)", i / 5005, i % 5005, .3 + i % 50 / 1000, .325, i / 7)
	printf "%s%s", step, i % 7 ? "\n" : i % 3 ? "\r\n" : " " step "\n"
	if (i % 11 == 0) print " * Acc@1 " i / 1000 " Acc@5 7.25"
	if (i % 13 == 0) print "noise", i
} }' >long/1n1g/a.log
of="--nodes=1 --gpus=1 --batch-size-per-device=32"
"$x" -q $of --records=- -o long.json long >kept.rec
for j in 1 2; do
	"$x" -q -j "$j" $of --records=long.rec -o long2.json long >long.out
	verdict "-j $j: records of a long log" cmp kept.rec long.rec
	verdict "-j $j: its result" cmp long.json long2.json
done
verdict "they are as many" test "$(wc -l <long.rec)" -gt 29000
finish
