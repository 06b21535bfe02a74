# Every table in every form states the number of runs, the rule and the window
# of the measurement, the baseline and the level of the intervals, or why one
# of these does not apply.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/logs.sh"
report=$(cd "$bindir" && pwd)/report_results
extract=$(cd "$bindir" && pwd)/extract_logs
data=$(cd "$top_srcdir/tests/cli/data" && pwd)
measured=$data/two-frameworks.json
cd "$tmp" || exit 1

# Runs of two sizes, whose logs state times, phases, collectives and metrics
# besides the throughput.
for case in 1n1g 1n2g; do
	for run in 1 2 3; do
		mkdir -p runs/$case
		{
			echo "device: NVIDIA A100-SXM4-80GB"
			imagenet 130 t=0.4$run
			echo "dlscale: collectives_by_size size=(1MB,10MB] n=10" \
			    "mean_mib=7.6294 mean_rate_mibit_per_s=9876.5" \
			    "rate_mibit_per_s=7629.4 total_s=0.08 mean_ms=8" \
			    "share=1"
			echo "real	2m53.3${run}1s"
			echo "user	2m50.806s"
			echo "sys	0m3.649s"
		} >runs/$case/resnet50_b32_fp32_$run.log
	done
done
"$extract" -q --no-hash -o own.json runs 2>err || comment err
grep -q '"real_s": 1' own.json && grep -q '"kind": "by-size"' own.json
verdict "a result with times and collectives" test $? -eq 0

cat >metadata.py <<'P'
import csv, html, json, re, sys

# What must stand somewhere in a table's text.
RULE = r"iterations 25–124 of the first epoch, by time"
N = r"(with|和|and) [0-9]+ (and [0-9]+ )?(runs|pairs)|runs: [0-9]+"
LEVEL = r"[0-9] % CI with|none with 1 run|at least 95 % where"
BASE = r"baseline: (old|1n1g)|\bnew over old"
NO_WINDOW = r"no window|not of the window alone"
NO_INTERVAL = r"(no|without|window,)( window,)? interval"
NO_BASE = r"no baseline|or baseline|the speed of one is free|" \
    r"in parentheses: time over GPUs"
PROOF = r"proof: p at most [0-9.]+ by Holm \(confidence 95 %\)"
WANTED = {
    "scaling": [RULE, N, LEVEL, BASE], "speedup": [RULE, N, LEVEL, BASE],
    "dlperf": [RULE, N, LEVEL, BASE], "times": [RULE, N, LEVEL, BASE],
    "pivot": [RULE, N, LEVEL, BASE],
    # No speedups, so no baseline.
    "comparison": [RULE, N, LEVEL],
    "law": [RULE, N, LEVEL, NO_BASE, "95 % CI by Student"],
    "phases": [RULE, N, LEVEL, NO_BASE],
    "collectives": [N, NO_WINDOW, NO_INTERVAL, NO_BASE],
    "metrics": [NO_WINDOW, NO_INTERVAL, NO_BASE, "Medians over the runs"],
    "runs": [RULE],
    "extract": [RULE, N, LEVEL, BASE],
    "compare": [RULE, N, LEVEL, BASE],
    "gate": [RULE, PROOF, BASE, r"\bruns\b"],
    "show": [RULE, N, LEVEL],
    "published": ["published, measured by an unknown rule"],
}
HEADS = {
    "*": ["n", "median_level", "baseline", "speedup_level", "confidence",
        "rule", "measured"],
    "compare": ["old_n", "new_n", "ratio_level", "baseline", "confidence",
        "rule", "measured"],
    "gate": ["n", "n_other", "p_holm", "baseline", "confidence", "rule",
        "measured"],
    "show": ["n", "median_level", "confidence", "rule", "measured"],
    "runs": ["measured", "rule", "first_iteration", "last_iteration"],
}
failed = False
for line in open(sys.argv[1], encoding="utf-8"):
    name, form, path = line.split()
    text = open(path, encoding="utf-8", newline="").read()
    bad = []
    if form in ("csv", "json"):
        rows = list(csv.reader(text.splitlines()))
        if form == "json":
            rows = [t["rows"] for t in json.loads(text)["tables"]
                if t["table"] == name or len(json.loads(text)["tables"]) == 1][0]
            rows = [list(rows[0])] + [
                ["" if x is None else x for x in row.values()] for row in rows]
        heads = rows[0]
        bad = [h for h in HEADS.get(name, HEADS["*"]) if h not in heads]
        bad += ["twice: " + h for h in set(heads) if heads.count(h) > 1]
        if not bad:
            k = heads.index("measured")
            want = WANTED["published"][0] if name == "published" else RULE
            bad = ["measured: " + row[k] for row in rows[1:] if row[k] != want]
            n = "old_n" if name == "compare" else "n" if "n" in heads else "measured"
            if name != "published":
                bad += ["no n"] * all(row[heads.index(n)] == "" for row in rows[1:])
    else:
        flat = html.unescape(re.sub(r"<[^>]*>", " ", text)) \
            if form.startswith("html") else html.unescape(text)
        flat = flat.replace("\\allowbreak{}", "").replace("\\%", "%")
        flat = flat.replace("%25", "%")
        flat = re.sub(r"\s+", " ", flat)
        bad = [w for w in WANTED[name] if not re.search(w, flat)]
    for b in bad:
        print("%s as %s lacks %s" % (name, form, b))
    failed |= len(bad) > 0
sys.exit(failed)
P

# states TABLE FORMAT COMMAND...: write the table and list it for all_stated.
made=0
: >to_judge
states() {
	table=$1 format=$2
	shift 2
	made=$((made + 1))
	"$@" --format="$format" >table.$made 2>err
	if test $? -gt 1; then
		echo "$table as $format:" && cat err && return
	fi
	echo "$table $format table.$made" >>to_judge
}
# all_stated: true if the tables since the last call state everything
all_stated() {
	python3 metadata.py to_judge >>lacking 2>&1
	test -s to_judge || echo "nothing was written" >>lacking
	: >to_judge
	cat lacking
	test ! -s lacking
}
one=$data/compare-old.json two=$data/compare-new.json
for format in text markdown csv latex html html-fragment json; do
	for table in scaling comparison speedup law dlperf; do
		states $table $format "$report" --table=$table "$measured"
	done >lacking
	for table in collectives times; do
		states $table $format "$report" --table=$table own.json
	done >>lacking
	for table in comparison times phases; do
		states published $format "$report" --table=$table \
		    "$top_srcdir/experiments/report-000.figures"
	done >>lacking
	{
		states pivot $format "$report" --columns=framework \
		    --values=median,speedup "$measured"
		states compare $format "$report" --compare "$one" "$two"
		states gate $format "$report" --compare --gate=slower:1% \
		    "$one" "$two"
		states gate $format "$report" '--gate=speedup<14' "$measured"
	} >>lacking
	verdict "report_results, $format" all_stated
done
for format in junit github; do
	{
		states gate $format "$report" --compare --gate=slower:1% \
		    "$one" "$two"
		states gate $format "$report" '--gate=speedup<14' "$measured"
	} >lacking
	verdict "gates, $format" all_stated
done
# extract_logs writes a table to stdout.
for format in text markdown csv json latex html; do
	{
		states extract $format "$extract" -q -o x.json runs
		states runs $format "$extract" -q --table=runs -o x.json runs
		states metrics $format "$extract" -q --table=metrics -o x.json \
		    runs
	} >lacking
	verdict "extract_logs, $format" all_stated
done
if built_with SQLITE; then
	"$report" --history=h.db add --date=2026-11-13 "$one" >out 2>err
	"$report" --history=h.db add --date=2026-11-14 "$two" >out 2>err
	for format in text markdown csv json latex html; do
		states show $format "$report" --history=h.db show
	done >lacking
	verdict "histories" all_stated
else
	skip "histories" "built without SQLite"
fi
finish
