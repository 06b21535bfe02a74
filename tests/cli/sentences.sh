# Tables in Chinese have no English sentences except those printed by a log, and
# do not translate names.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/logs.sh"
report=$(cd "$bindir" && pwd)/report_results
extract=$(cd "$bindir" && pwd)/extract_logs
data=$(cd "$top_srcdir/tests/cli/data" && pwd)
top=$(cd "$top_srcdir" && pwd)
cd "$tmp" || exit 1

# A result with flags of several kinds and excluded runs of several reasons.
for run in 1 2 3 4 5; do
	mkdir -p runs/1n1g runs/1n2g runs/1n4g
	imagenet 130 t=0.3$run >runs/1n1g/resnet50_b32_fp32_$run.log
	imagenet 130 t=0.3$run every=5 dt=0.01 \
	    >runs/1n2g/resnet50_b32_fp32_$run.log
done
{
	imagenet 20
	echo 'RuntimeError: CUDA out of memory. Tried to allocate 392.00 MiB'
} >runs/1n4g/resnet50_b32_fp32_1.log
imagenet 20 >runs/1n2g/resnet50_b32_fp32_6.log
cp runs/1n1g/resnet50_b32_fp32_1.log runs/1n1g/resnet50_b32_fp32_7.log
: >runs/1n1g/resnet50_b32_fp32_8.log
seq 300 >runs/1n1g/resnet50_b32_fp32_9.log
"$extract" -q --no-hash -o r.json runs >out 2>err || comment err

cat >latin.py <<'P'
# Words in a row that are no Chinese table's: names, units and what a log
# printed, which stands in quotes, are left out.
import re, sys
bad = 0
for line in open(sys.argv[1], encoding="utf-8"):
    s = re.sub("“[^”]*”", "", line)
    # Names of the data, a phase's own name, and a sentence made up for a test.
    s = re.sub(r"\S*/\S*|--\S+|batch size|auto log|option autotune|"
               "update gradients|PyTorch framework test|would admit it", "", s)
    for m in re.findall(r"[A-Za-z][a-z]+(?: [a-z]{2,}\b)+", s):
        print("%s: '%s' in: %s" % (sys.argv[1], m, line.strip()))
        bad = 1
sys.exit(bad)
P
: >bad
shown() { # NAME COMMAND...
	name=$1
	shift
	"$@" --lang=zh --format=markdown >"$name.txt" 2>err
	test $? -le 1 || { echo "$name:" && cat err; } >>bad
	python3 latin.py "$name.txt" >>bad
}
shown law "$report" --table=law "$data/two-frameworks.json"
for table in scaling comparison speedup dlperf; do
	shown $table "$report" --table=$table r.json
	shown $table-2 "$report" --table=$table "$data/two-frameworks.json"
	shown $table-3 "$report" --table=$table "$data/dlperf-resnet50.figures"
done
for seed in 000 001 002 003 004; do
	shown seed-$seed "$report" --table=all \
	    "$top/experiments/report-$seed.figures"
done
shown compare "$report" --compare --detect=1% "$data/compare-old.json" \
    "$data/compare-new.json"
shown paired "$report" --compare --paired "$data/compare-old.json" \
    "$data/compare-new.json"
shown gate "$report" --compare --gate=slower:1% "$data/compare-old.json" \
    "$data/compare-new.json"
shown gate-2 "$report" '--gate=speedup<14' "$data/two-frameworks.json"
shown pivot "$report" --columns=framework \
    --values=median,speedup,efficiency,n,mean "$data/two-frameworks.json"
shown check "$report" --check --every-cell "$data/published-check.md"
shown check-2 "$report" --check --every-cell "$data/published-check.md" r.json
cat >heads.md <<'EOF'
| nodes | gpu_num | time  | img/s | speedup  |
|-------|---------|-------|-------|----------|
| 1     | 1       | 100.5 | 12.75 | 1        |
| 2     | 8       | 13.2  | 97.5  | about 30 |
EOF
shown check-3 "$report" --check --every-cell heads.md
verdict "no English in Chinese tables" eval 'cat bad; test ! -s bad'
"$report" --lang=zh --table=scaling r.json >table 2>err
tr -d '\n' <table | tr -s ' ' >line
for text in '太短' '内存不足：“RuntimeError: CUDA out of memory' '空文件' \
    '格式未知' '每 5 次迭代打印 1 次'; do
	verdict "it states $text" grep -q "$text" line
done
comment table
# Sentences of a check do not translate names; its CSV is in English.
verdict "a check states 不是数" grep -q '不是数' check.txt
verdict "a check states how the table was read" grep -q \
    'heads.md:1: “gpu_num”可能是每个节点或全部的 GPU 数' check-3.txt
"$report" --check --lang=zh --format=csv heads.md >heads.csv 2>err
verdict "a check's CSV is English" grep -q 'is neither a number nor a word' \
    heads.csv
comment check-3.txt heads.csv

# Logs and folders whose names are words of sentences.
for word in node time run log step median; do
	mkdir -p "words/$word"
	imagenet 130 t=0.3 >"words/$word/$word"
	cp "words/$word/$word" "words/$word/zz"
	"$extract" -q --nodes=1 --gpus-per-node=1 --batch-size=32 \
	    -o words.json \
	    "words/$word/$word" "words/$word/zz" >out 2>err
	"$report" --lang=zh --table=scaling words.json >table 2>>err
	tr -d '\n ' <table >line
	verdict "a log named $word" grep -q "与$word逐字节相同，只计后者" line
	"$extract" -q --nodes=1 --gpus-per-node=1 --batch-size=32 \
	    -o words.json \
	    words >out 2>err
	"$report" --lang=zh --table=scaling words.json >table 2>>err
	tr -d '\n ' <table >line
	verdict "a folder named $word" \
	    grep -q "$word/zz(重复的日志):与$word/$word逐字节相同" line
	rm -r words
done
comment table err
finish
