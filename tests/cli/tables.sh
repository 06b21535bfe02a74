# Tables of runs that other programs write, in their documented formats
# (tests/data/tables/README.md), with figures computed by hand; tables of any
# program by their heads; the options that name columns.
# shellcheck disable=SC2154 # bindir, top_srcdir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/logs.sh"
bin=$(cd "$bindir" && pwd)
data=$(cd "$top_srcdir/tests/data/tables" && pwd)
logs=$(cd "$top_srcdir/logs" && pwd)
cd "$tmp" || exit 1
# cases OPERAND [OPTION]...: print model case unit runs median [speedup]
cases() {
	"$bin/report_results" --format=csv "$@" 2>err | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		NF > 3 { printf "%s %s %s %s %.6g %.4g\n", $at["model"],
			$at["case"], $at["unit"], $at["n"], $at["median"],
			$at["speedup"] }' | sed 's/^ //'
}
# the_very_result RESULT TABLE NAME: both files give the same report
the_very_result() {
	for shown in text jsonl; do
		"$bin/report_results" --format=$shown "$1" |
		    sed '/^excluded/,$d' >want.all
		"$bin/report_results" --format=$shown "$2" >got.all
		verdict "$3: the very result, $shown" diff want.all got.all
	done
}
# is NAME WANT OPERAND [OPTION]...: report_results, extract_logs give the cases
is() {
	name=$1
	printf '%s\n' "$2" >want
	shift 2
	cases "$@" >got
	verdict "$name" diff want got
	"$bin/extract_logs" -q -o x.json "$@" >out 2>err || comment err
	# extract_logs gives a single case no baseline.
	cases x.json | sed 's/ [01]$//' >got
	verdict "... by extract_logs" eval "sed 's/ [01]\$//' want | diff - got"
	rm -f x.json
}

# Median of 1500, 1530, 1520 is 1520; 3000 / 1520 = 1.974.
is "JUBE, CSV" "1n4g images/s 3 1520 1
2n4g images/s 1 3000 1.974" "$data/jube.csv"
is "ReFrame, run report" "4g images/s 3 1510 1
8g images/s 1 3000 1.987" "$data/reframe.json"
is "ReFrame, older report" "4g images/s 2 1510 1" "$data/reframe-old.json"
is "ReFrame, perflog" "4g images/s 2 1510 1" "$data/reframe.log"
is "... another metric" "4g s 2 0.084 1" --value=latency "$data/reframe.log"
is "Ramble, JSON" "1n4g images/s 3 1520 1
2n4g images/s 1 3000 1.974" "$data/ramble.json"
is "Ramble, text" "1n images/s 2 1515 0
2n images/s 1 3000 0" "$data/ramble.txt"
# 2883.75 / 384.5 = 7.5
is "Go benchmark format" "resnet50 1n1g images/s 3 384.5 1
resnet50 1n8g images/s 1 2883.75 7.5" "$data/bench.txt"
is "hyperfine" "train --bf16 s 3 1 0
train --fp32 s 3 2 0" "$data/hyperfine.json"
is "Conbench" "resnet50 training images/s 3 1510 0" "$data/conbench.json"
is "github-action-benchmark" "train bert samples/s 1 220 0
train resnet50 samples/s 1 1510.5 0" "$data/github-action-benchmark.json"
is "Bencher" "train_resnet50 samples/s 1 1510.5 0" "$data/bencher.json"
# 9075 / 1210 = 7.5
is "madengine" "pyt_resnet50 1n1g samples/s 2 1210 1
pyt_resnet50 1n8g samples/s 1 9075 7.5" "$data/madengine.csv"
is "nccl-tests" "8g GB/s 1 246.99 0" "$data/nccl-tests.json"
"$bin/report_results" --table=collectives --format=csv \
    "$data/nccl-tests.json" >collectives 2>err
verdict "... its collectives" eval 'test "$(grep -c all_reduce_perf collectives)" = 4 &&
    grep -q "all_reduce_perf,out-of-place,,134217728,,,0.0009,149.13,260.98," collectives'
# Iterations take 800 us, two of them 10 us more; in process 5, 1.25 times that.
verdict "... their iterations and stragglers" eval '
    grep -q "out-of-place,,134217728,.*,0.000975,0.0010125,0.0010125,5,1.25," collectives &&
    "$bin/report_results" "$data/nccl-tests.json" |
    grep -q "operations of process 5 take 1.25 times those of the others: 134217728 B"'
# One process of 8 GPUs.
python3 - "$data/nccl-tests.json" >one.json <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
d["config"]["ngpus"] = 8
del d["config"]["devices"][1:]
json.dump(d, sys.stdout)
END
is "... of one process" "8g GB/s 1 246.99 0" one.json
"$bin/report_results" "$data/primus.csv" >parallel 2>err
verdict "Primus, a table over parallelism" eval '
    grep -q "^DP=8,TP=1,PP=1,EP=1,ETP=1,FSDP=False  *2  *12050 " parallel &&
    grep -q "^DP=4,TP=2,PP=1,EP=1,ETP=1,FSDP=True  *2  *10150 " parallel'
"$bin/extract_logs" -q -o - "$data/primus.csv" >x.json 2>err
verdict "... by extract_logs" eval '"$bin/report_results" x.json |
    diff parallel -'

cat >fsdp.csv <<'END'
model,TP,PP,FSDP,MBS,tokens/s/GPU,run
llama,1,1,8,4,12000,1
llama,1,1,8,4,12100,2
llama,2,1,4,4,10000,1
llama,2,1,4,4,10300,2
END
"$bin/report_results" fsdp.csv >any 2>err
verdict "... of any program" eval 'grep -q "^TP=1,PP=1,FSDP=8  *2  *12050 " any &&
    grep -q "^TP=2,PP=1,FSDP=4  *2  *10150 " any'

# Trees with the configuration next to the logs: batch 32 on one node and 64 on
# two are two cases.
cp -r "$data/jube" "$data/llmb" .
for work in 000000_run 000001_run 000010_run 000022_run; do
	mkdir -p jube/000000/$work/work
	imagenet 130 t=0.4 >jube/000000/$work/work/stdout
done
"$bin/extract_logs" -q --format=csv -o x.json jube >out 2>err
# 8 GPUs with 32 and 64 samples in 0.4 s, 4 with 32, and 16 with 16. The number
# of the last is also that of the step two levels above.
verdict "JUBE, work tree" eval 'test "$(grep -c ^pytorch, out)" = 4 &&
    grep -q "^pytorch,,,16,4,4,16,samples/s,1,640," out &&
    grep -q "^pytorch,,,32,1,4,4,samples/s,1,320," out &&
    grep -q "^pytorch,,,32,2,4,8,samples/s,1,640," out &&
    grep -q "^pytorch,,,64,2,4,8,samples/s,1,1280," out'
imagenet 130 t=0.4 >llmb/log-account.llama_1234567_0.out
imagenet 130 t=0.4 >llmb/log-account.llama_7654321_0.out
"$bin/extract_logs" -q --format=csv -o x.json --batch-size=256 llmb/*_1234567_0.out >out 2>err
verdict "llmb-run, job" eval 'grep -q "^pytorch,llama3.1,fp8,16,,,16,samples/s,1,640," out'
"$bin/extract_logs" -q --format=csv -o x.json --batch-size=256 llmb/*_7654321_0.out >out 2>err
verdict "... of its number" eval '! grep -q llama3.1 out'
"$bin/extract_logs" -q --metric=time-to-train --format=csv -o x.json \
    "$data/mlperf" >out 2>err
# 10, 11 and 10.5 minutes
verdict "MLPerf, systems" eval 'grep -q ",bert,,64,2,8,16,min,3,10.5,10,11," out &&
    grep -q "NVIDIA H100-SXM5-80GB" x.json'

for size in 1 2; do
	mkdir -p tree/job$size
	cp llmb/log-account.llama_1234567_0.out "tree/job$size/log_${size}23_0.out"
	sed "s/scale:.*/scale: '$((8 * size))'/" llmb/llmb-config_1234567.yaml \
	    >"tree/job$size/llmb-config_${size}23.yaml"
done
"$bin/extract_logs" -q --format=csv -o x.json --batch-size=256 tree >out 2>err
verdict "llmb-run, work tree" eval 'grep -q "fp8,32,,,8,samples/s" out &&
    grep -q "fp8,16,,,16,samples/s" out'
mkdir folder
cp "$data/jube.csv" "$data/nccl-tests.json" folder
imagenet 130 t=0.4 >folder/train.log
"$bin/extract_logs" -q -o x.json --batch-size=256 folder >out 2>err
verdict "a folder of logs: tables are none of them" eval '! grep -q 246.99 x.json &&
    grep -q train.log x.json'

# All programs read tables.
"$bin/plot_results" -c speedup -o chart.svg "$data/madengine.csv" >out 2>err
verdict "plot_results" test -s chart.svg
cat >sizes.csv <<'END'
JobID,gpus,throughput (img/s)
1,1,100
2,2,196
3,4,380
4,8,720
END
"$bin/predict_scaling" sizes.csv --until=80 >out 2>err
verdict "predict_scaling" grep -q '16' out
sed 's/720/648/' sizes.csv >slow.csv
"$bin/report_results" --compare --format=csv sizes.csv slow.csv >out 2>err
verdict "--compare" grep -q ',0.9,' out
if built_with SQLITE; then
	for i in 1 2; do
		"$bin/report_results" --history=h.db add --date=2026-03-0$i \
		    sizes.csv >out 2>err
	done
	"$bin/report_results" --history=h.db show >out 2>err
	verdict "--history add" grep -q '8g' out
else
	skip "--history add" "no SQLite"
fi

# Tables of any program.
cat >any.csv <<'END'
host,gpus,batch_size_per_device,step_time_ms,commit,loss
a,1,32,100,abc,2.1
b,1,32,102,abc,2.2
a,1,32,101,abd,2.3
b,4,32,110,abd,2.4
END
# 4 * 101 / 110 = 3.673
is "units in heads, identities" "1g s 3 0.101 1
4g s 1 0.11 3.673" any.csv
tr , '\t' <any.csv >any.tsv
is "TSV" "1g s 3 0.101 1
4g s 1 0.11 3.673" any.tsv
cat >any.json <<'END'
[{"job": "a", "nodes": 1, "gpus": 4, "throughput": {"tokens/s": 1000}},
 {"job": "b", "nodes": 1, "gpus": 4, "throughput": {"tokens/s": 1100}}]
END
is "an array of objects" "1n4g tokens/s 2 1050 1" any.json \
    --value=throughput.tokens/s
cat >any.jsonl <<'END'
{"run": 1, "nodes": 1, "gpus_per_node": 4, "model": "bert", "tokens_per_second": 1000}
{"run": 2, "nodes": 1, "gpus_per_node": 4, "model": "bert", "tokens_per_second": 1010}
{"run": 1, "nodes": 2, "gpus_per_node": 4, "model": "bert", "tokens_per_second": 1990}
END
is "JSON lines" "bert 1n4g tokens/s 2 1005 1
bert 2n4g tokens/s 1 1990 1.98" any.jsonl
cat >long.csv <<'END'
id,gpus,name,value,unit
1,8,throughput,1000,img/s
1,8,latency,80,ms
2,8,throughput,1020,img/s
2,8,latency,78,ms
END
is "long form" "8g images/s 2 1010 1" long.csv
is "... another metric" "8g s 2 0.079 1" --value=latency long.csv
sed 's/ms$/min/' long.csv >minutes.csv
is "... in minutes" "8g min 2 79 1" --value=latency minutes.csv
cat >named.csv <<'END'
gpus,score,seed,note
8,10,1,x
8,12,2,y
END
is "--value, --ignore" "8g  2 11 0" --value=score --ignore=seed,note named.csv
is "--run" "8g  2 11 0" --value=score --ignore=note --run=seed named.csv
cat >times.csv <<'END'
job,nodes,gpus_per_node,runtime_s
1,1,4,1200
2,1,4,1260
3,2,4,660
END
# The time of a whole training: (20 + 21) / 2 / 11 = 1.864
is "a duration, by --value" "1n4g min 2 20.5 1
2n4g min 1 11 1.864" --value=runtime_s times.csv
refuse "no value" 3 "*:2: case, run, value or unit is empty" "$bin/report_results" \
    --value=note --run=seed - <<'END'
gpus,seed,note
8,1,
END
printf 'gpus,speed (img/s),note\n8,10,x\n8,fast,x\n8,11,x\n' >bad.csv
refuse "a value that is no number" 3 \
    "*bad.csv:3: speed (img/s): 'fast' is not a number above 0" \
    "$bin/report_results" --ignore=note bad.csv
refuse "an unknown metric" 4 "*long.csv: holds no run" \
    "$bin/report_results" --value=energy long.csv
verdict "a log is no table" eval '! "$bin/report_results" --format=csv \
    llmb/log-account.llama_1234567_0.out --extract=--batch-size=256 |
    grep -q summary'
mkdir -p share/tables
echo '# x' >share/tables/x.table
echo 'forme csv' >>share/tables/x.table
DLSCALE_DATADIR=$tmp/share "$bin/report_results" sizes.csv >out 2>err
verdict "a bad declaration is named" grep -q \
    "x.table:2: 'forme' is no key" err
echo 'has (' >share/tables/x.table
DLSCALE_DATADIR=$tmp/share "$bin/report_results" sizes.csv >out 2>err
verdict "... and a bad pattern" grep -q "x.table:1: bad 'has'" err
printf '%s\n' 'has ^empty:' 'row (?<value>x*)' >share/tables/x.table
echo 'empty: 1' >empty.txt
DLSCALE_DATADIR=$tmp/share timeout 60 "$bin/report_results" empty.txt \
    >out 2>err
verdict "... and one that matches nothing ends" test $? -ne 124

# Our own table under strong scaling.
for gpus in 1 2 4; do
	mkdir -p "strong/1n${gpus}g"
	for i in 1 2 3; do
		imagenet 130 "t=0.$((7 - gpus))" \
		    >"strong/1n${gpus}g/r_b$((64 / gpus))_fp32_$i.log"
	done
done
"$bin/extract_logs" -q --scaling=strong --table=runs --format=csv \
    -o strong.json strong >strong.csv 2>err
cases strong.json >want
cases strong.csv >got
"$bin/extract_logs" -q --protocol=mlperf --confidence=0.9 -o trained.json \
    "$data/mlperf" >out 2>err
for result in strong trained; do
	for format in csv jsonl; do
		case $result in
		strong) options="--scaling=strong strong" ;;
		*) options="--protocol=mlperf --confidence=0.9 $data/mlperf" ;;
		esac
		# shellcheck disable=SC2086 # words
		"$bin/extract_logs" -q --table=runs --format=$format -o x.json \
		    $options >our.runs 2>err
		the_very_result $result.json our.runs \
		    "$result, our runs as $format"
	done
done
# Flags, labels and baselines of real runs.
for tree in "$logs"/*/; do
	"$bin/extract_logs" -q -o all.json --table=runs --format=csv \
	    "$tree" >tree.runs 2>err || continue
	the_very_result all.json tree.runs "runs of $(basename "$tree")"
	if grep -q '""code""' tree.runs; then cp tree.runs flagged.runs; fi
done
sed 's/""flags""/""x""/' flagged.runs >damaged.runs
refuse "damaged codes of flags" 3 "*damaged.runs*flags*" \
    "$bin/report_results" damaged.runs
"$bin/extract_logs" -q -o plain.json --metric=time-to-train "$data/mlperf" >out 2>err
refuse "... and of its protocol" 3 "*rule*" "$bin/report_results" \
    our.runs plain.json
# Outputs for other programs, read back.
"$bin/extract_logs" -q --scaling=strong -o labelled.json a=strong b=strong \
    >out 2>err
for format in benchfmt bmf github-action-benchmark conbench; do
	for result in strong labelled; do
		"$bin/report_results" --format=$format $result.json >x.$format
		cases $result.json | cut -d' ' -f1-3,5 >want
		cases x.$format | cut -d' ' -f1-3,5 >got
		verdict "our $format of $result, read back" eval \
		    'test -s want && diff want got'
	done
done
cases strong.json >want
cases strong.csv >got
verdict "strong scaling" eval 'test "$(wc -l <want)" = 3 && diff want got'
finish
