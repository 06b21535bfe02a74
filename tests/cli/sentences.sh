# Tables in Chinese: no English sentence is in them but names and what a log
# prints; each sentence that extract_logs makes about a run has a translation.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/logs.sh"
report=$(cd "$bindir" && pwd)/report_results
extract=$(cd "$bindir" && pwd)/extract_logs
data=$(cd "$top_srcdir/tests/cli/data" && pwd)
top=$(cd "$top_srcdir" && pwd)
cd "$tmp" || exit 1

cat >sources.py <<'P'
# The sentences of flags, exclusions and checks in the sources, '@' for what
# varies, that no row of sentence_text.c is for.
import glob, re, sys

def literal(text):
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', text))

def rows(path):
    text = open(path, encoding="utf-8").read()
    text = text[text.index("sentences[] = {"):text.index("reasons[] = {")]
    found = re.findall(r'\{ \{\s*((?:"(?:[^"\\]|\\.)*"\s*)+),', text)
    return {literal(x) for x in found}

of_runs = r"\b(measuring_flag|builder_flag|add_flag_text|result_run_flag|add_flag|" \
          r"exclude)\(|r->flag = "
of_tables = r"\b(check_remark|check_add|check_add_text|check_cell|" \
            r"published_remark|published_row_refuse|refuse_cell)\(|" \
            r"problem = |\bwhy = "

def calls(text, makers):
    for m in re.finditer(makers, text):
        i, depth = m.end(), m.group().endswith("(")
        while i < len(text) and (depth > 0 if m.group().endswith("(")
                                 else text[i] != ";"):
            depth += (text[i] == "(") - (text[i] == ")")
            if text[i] == '"':
                i += 1
                while text[i] != '"':
                    i += 1 + (text[i] == "\\")
            i += 1
        yield text[m.end():i]

def log_flags(text):
    # What flag_of_log returns, a case after the other.
    body = text[text.index("\nflag_of_log("):text.index("\nlog_flag_text(")]
    return body.replace("LOG_INCOMPLETE", "").split("case LOG_FLAG_")[1:]

known = rows(sys.argv[1] + "/common/texts/sentence_text.c")
bad = n = n_tables = 0
tables = glob.glob(sys.argv[1] + "/report/check/*.c") + \
    glob.glob(sys.argv[1] + "/common/published/*.c")
for path in tables + glob.glob(
        sys.argv[1] + "/extract/measure/**/*.c", recursive=True) + \
        glob.glob(sys.argv[1] + "/extract/job/*.c") + \
        [sys.argv[1] + "/extract/log/log_flags.c"]:
    text = open(path, encoding="utf-8").read()
    text = text.replace("MAP_HINT", '"@"').replace("%%", "%\0")
    for call in log_flags(text) if "log_flags" in path else \
            calls(text, of_tables if path in tables else of_runs):
        # The first run of literals that holds a sentence.
        for run in re.findall(r'(?:"(?:[^"\\]|\\.)*"\s*)+', call):
            s = literal(run)
            if " " not in s or not re.search("[a-z]{2}", s):
                continue
            s = s.replace("\\xe2\\x80\\x93", "–")
            s = re.sub(r"%[-+#0-9.*]*(?:lld|ld|zu|d|s|g|f)", "@", s)
            s = s.replace("%\0", "%").replace("@:@: ", "@: ")
            if not re.search("[a-z]{2}", s):
                continue
            n += 1
            n_tables += path in tables
            fits = [k for k in known if re.fullmatch(
                re.escape(k).replace("@", ".*"), s, re.S) or re.fullmatch(
                re.escape(s).replace("@", ".*"), k)]
            if not fits:
                bad += 1
                print("%s: no translation of '%s'" % (path, s))
            if "log_flags" not in path:
                break
print(n, "sentences,", n_tables, "of tables")
sys.exit(bad > 0 or n - n_tables < 40 or n_tables < 35)
P
verdict "each sentence of the sources has a row" python3 sources.py "$top"

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
| nodes | GPUs | time  | img/s | speedup  |
|-------|------|-------|-------|----------|
| 1     | 1    | 100,5 | 12,75 | 1        |
| 1     | 8    | 13,2  | 97,5  | about 30 |
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
# Sentences of a check, in which names stay as they are; CSV stays English.
for text in '总计 5 中的 0.50' '不是数'; do
	verdict "a check states $text" grep -q "$text" check.txt
done
verdict "a check states how the table was read" grep -q \
    'heads.md:1: 逗号按小数点理解，如“100,5”' check-3.txt
"$report" --check --lang=zh --format=csv heads.md >heads.csv 2>err
verdict "a check's CSV is English" grep -q 'is neither a number nor a word' \
    heads.csv
comment check-3.txt heads.csv
finish
