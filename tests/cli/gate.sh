# report_results --gate: exit status, adjusted p, and output for JUnit readers
# and GitHub's runner. The p of 4n8g are R's for the runs of the unit test of
# comparisons: 0.00396825 at 1 %, 0.01587302 at 2 %, 0.21031746 at 2.2 %.
. "$top_srcdir/tests/lib.sh"

report=$bindir/report_results
old=$top_srcdir/tests/cli/data/compare-old.json
new=$top_srcdir/tests/cli/data/compare-new.json
measured=$top_srcdir/tests/cli/data/two-frameworks.json

# statuses OPTION...: print the program's status and those of the gate's rows.
statuses() {
	"$report" --format=csv "$@" 2>"$tmp/err" >"$tmp/rows"
	echo "$? $(tail -n +2 "$tmp/rows" | tr -d '\r' | sed 's/.*,\([a-z ]*\),[0-9]*,[0-9]*,[^,]*,0[0-9.]*,.*/\1/' |
	    tr '\n' ',')"
}
# is NAME WANT OPTION...
is() {
	name=$1 want=$2
	shift 2
	got=$(statuses "$@")
	if test "$got" = "$want"; then
		result 0 "$name"
	else
		result 1 "$name"
		echo "'$got', not '$want'" | comment
		comment "$tmp/err"
	fi
}

# The same cases on both sides: nothing is missing.
python3 - "$old" "$new" "$tmp" <<'EOF'
import json, statistics, sys
old, new = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
names = {c["case"] for c in old["cases"]} & {c["case"] for c in new["cases"]}
def write(name, r, keep, runs=5, copies=1):
    r = json.loads(json.dumps(r))
    cases = [c for c in r["cases"] if c["case"] in keep]
    r["cases"] = []
    for i in range(copies):
        for c in cases:
            c = json.loads(json.dumps(c))
            c["runs"] = c["runs"][:runs]
            c.update(n=runs, median_speed=statistics.median(
                run["value"] for run in c["runs"]))
            if copies > 1:
                c["labels"] = {"copy": str(i)}
            r["cases"].append(c)
    json.dump(r, open(sys.argv[3] + "/" + name, "w"))
for side, r, value in ("old", old, 100), ("new", new, 97.02):
    r["cases"].append(json.loads(json.dumps(r["cases"][0])))
    c = r["cases"][-1]
    c.update(case="1n4g", gpus_per_node=4, gpus=4, median_speed=value,
             median_low=None, median_high=None, median_level=None)
    for run in c["runs"]:
        run["value"] = run["samples_per_s"] = value
    write(side + "-level.json", r, {"1n4g"})
    del r["cases"][-1]
    write(side + ".json", r, names)
    write(side + "-one.json", r, {"4n8g"})
    write(side + "-three.json", r, {"4n8g"}, runs=3)
    write(side + "-single.json", r, {"4n8g"}, runs=1)
    write(side + "-six.json", r, {"4n8g"}, copies=6)
    write(side + "-seven.json", r, {"4n8g"}, copies=7)
EOF
if test ! -s "$tmp/new-seven.json"; then
	skip "gates" "no python3"
	finish
	exit 0
fi
one="$tmp/old-one.json $tmp/new-one.json"
# shellcheck disable=SC2086 # two files
{
is "slower:1% is proven" "1 failed," --compare --gate=slower:1% $one
is "slower:2% is proven" "1 failed," --compare --gate=slower:2% $one
is "a share of 3 % is 3 hundredths" "0 passed," --compare --gate=slower:3% \
    "$tmp/old-level.json" "$tmp/new-level.json"
is "slower:2.9% is proven of 2.98 %" "1 failed," --compare --gate=slower:2.9% \
    "$tmp/old-level.json" "$tmp/new-level.json"
is "slower:2.2% is not proven" "0 not proven," --compare --gate=slower:2.2% $one
is "a share is a number too" "1 failed," --compare --gate=slower:0.02 $one
is "slower:4% is refuted" "0 passed," --compare --gate=slower:4% $one
is "faster:1% is refuted" "0 passed," --compare --gate=faster:1% $one
is "the other way round it is proven" "1 failed," --compare \
    --gate=faster:1% "$tmp/new-one.json" "$tmp/old-one.json"
is "several gates: one that fails is enough" "1 not proven,failed," \
    --compare --gate=slower:2.2% --gate=slower:1% $one
is "--gate-unproven=fail" "1 not proven," --compare --gate=slower:2.2% \
    --gate-unproven=fail $one
is "--gate-unproven=fail lets pass what is refuted" "0 passed," --compare \
    --gate=slower:4% --gate-unproven=fail $one
is "equal runs are proof of nothing" "0 not proven," --compare \
    --gate=slower:0% "$tmp/old-one.json" "$tmp/old-one.json"
is "--confidence=0.99: 0.0040 is below 0.005" "1 failed," --compare \
    --confidence=0.99 --gate=slower:1% $one
is "--confidence=0.99: 0.0159 is not" "0 not proven," --compare \
    --confidence=0.99 --gate=slower:2% $one
}
is "three runs prove nothing" "0 too few runs," --compare --gate=slower:1% \
    "$tmp/old-three.json" "$tmp/new-three.json"
is "three runs prove nothing, and the strict fail" "1 too few runs," \
    --compare --gate=slower:1% --gate-unproven=fail "$tmp/old-three.json" \
    "$tmp/new-three.json"
"$report" --compare --gate=slower:1% "$tmp/old-three.json" \
    "$tmp/new-three.json" >"$tmp/text"
sentence() { tr '\n' ' ' <"$tmp/text" | tr -s ' ' | grep -qF "$1"; }
verdict "it states how many it takes" sentence \
    'slower:1% cannot fail: it takes at least 4 runs of each '
"$report" --compare --gate=slower:1% --lang=zh "$tmp/old-three.json" \
    "$tmp/new-three.json" >"$tmp/text"
verdict "in Chinese" sentence \
    'slower:1% 不可能失败：各需至少 4 次 '
"$report" --compare --gate=slower:1% --format=junit --lang=zh \
    "$tmp/old-one.json" "$tmp/new-one.json" >"$tmp/text"
verdict "JUnit in Chinese" sentence '<failure message="slower:1% 已证明：'
# The least p of two runs each is 1 / C(4, 2) = 1 / 6, which is less than 0.2.
"$report" --compare --gate=slower:1% --confidence=0.6 "$tmp/old-single.json" \
    "$tmp/new-single.json" >"$tmp/text"
verdict "two runs are named where they are enough" sentence \
    'slower:1% cannot fail: it takes at least 2 runs of each '
# The least p of five pairs is 1 / 32, of six pairs 1 / 64.
# shellcheck disable=SC2086 # two files
{
is "five pairs prove nothing at 95 %" "0 too few runs," --compare --paired \
    --gate=slower:1% $one
is "five pairs are proof at 90 %" "1 failed," --compare --paired \
    --confidence=0.9 --gate=slower:1% $one
"$report" --compare --paired --gate=slower:1% $one >"$tmp/text"
}
verdict "it states how many pairs it takes" sentence \
    'slower:1% cannot fail: it takes at least 6 pairs '

# Reference values have no runs, on either side.
printf '%s\n' 'model: resnet50' 'precision: fp32' 'batch: 128' \
    '| nodes | GPUs | pytorch |' '| 4 | 32 | 400 |' >"$tmp/no-runs.figures"
for pair in "no-runs.figures new-one.json" "new-one.json no-runs.figures" \
    "no-runs.figures no-runs.figures"; do
	is "no run to prove it: $pair" "0 too few runs," --compare \
	    --allow-mixed --gate=slower:1% "$tmp/${pair% *}" "$tmp/${pair#* }"
done
"$report" --compare --allow-mixed --gate=slower:1% "$tmp/no-runs.figures" \
    "$tmp/new-one.json" >"$tmp/text"
verdict "a case that was not tested counts as one" sentence \
    'slower:1% cannot fail: it takes at least 4 runs of each '
# The least p is 1 / C(10, 5) = 1 / 252. Adjusted for six cases it is 6 / 252 =
# 0.0238, for seven more than 0.025.
is "six cases of five runs can fail" \
    "1 failed,failed,failed,failed,failed,failed," --compare \
    --gate=slower:1% "$tmp/old-six.json" "$tmp/new-six.json"
is "seven cannot" "0 $(for i in 1 2 3 4 5 6 7; do
	printf 'too few runs,'; done)" --compare --gate=slower:1% \
    "$tmp/old-seven.json" "$tmp/new-seven.json"
"$report" --compare --gate=slower:1% "$tmp/old-seven.json" \
    "$tmp/new-seven.json" >"$tmp/text"
verdict "seven take six runs" sentence \
    'for 7 at once it takes at least 6 runs of each '
is "a missing case is status 4" "4 not proven,passed,not proven,missing," \
    --compare --gate=slower:3% "$old" "$new"
is "a proven one is status 1, missing or not" \
    "1 not proven,passed,failed,missing," --compare --gate=slower:1% \
    "$old" "$new"

is "efficiency<0.6" "1 passed,failed,failed,passed,passed,passed," \
    --gate='efficiency<0.6' "$measured"
is "speedup<14" "1 failed,failed,failed,failed,failed,not proven," \
    --gate='speedup<14' "$measured"
is "speedup>14" "0 passed,passed,passed,passed,passed,not proven," \
    --gate='speedup>14' "$measured"
# Six times 1 / 252 is more than 0.005.
sed 's/"confidence": 0.95/"confidence": 0.99/
s/"\(speedup_[a-z]*\)": [0-9.][0-9.]*/"\1": null/' "$measured" >"$tmp/sure.json"
is "the confidence of the results" "0 $(for i in 1 2 3 4 5 6; do
	printf 'too few runs,'; done)" --gate='speedup<14' "$tmp/sure.json"
is "--confidence goes before it" \
    "1 failed,failed,failed,failed,failed,not proven," --confidence=0.95 \
    --gate='speedup<14' "$tmp/sure.json"

sh -c "\"$report\" --compare --gate=slower:1% \"$old\" \"$new\" >\"$tmp/out.txt\""
"$report" --compare --gate=slower:1% -o "$tmp/gate.md" "$old" "$new"
"$report" --compare --gate=slower:1% -o "$tmp/gate.xml" "$old" "$new"
"$report" --compare --gate=slower:1% --format=github "$old" "$new" \
    >"$tmp/gate.github"
check "with the comparison, as text" gate.txt cat "$tmp/out.txt"
check "for a merge request" gate.md cat "$tmp/gate.md"
check "JUnit" gate.xml cat "$tmp/gate.xml"
check "GitHub" gate.github cat "$tmp/gate.github"
for side in old new; do
	sed 's/"case": "4n8g"/"case": "<a>\&\\"]]>%0A::error::,"/' \
	    "$top_srcdir/tests/cli/data/compare-$side.json" \
	    >"$tmp/hostile-$side.json"
done
"$report" --compare --gate=slower:1% --format=github "$tmp/hostile-old.json" \
    "$tmp/hostile-new.json" >"$tmp/hostile.github"
verdict "a hostile name is no command" sh -c \
    "grep -q '%250A%3A%3Aerror' \"$tmp/hostile.github\" &&
	! grep -v -e '^::[a-z]* title=[^:,]*::' \
	    -e '^::notice::[a-z]*: [a-z]' \"$tmp/hostile.github\""
# JUnit's schema: counts equal the numbers of elements, and no other elements
# occur.
cat >"$tmp/shape.py" <<'P'
import sys
import xml.etree.ElementTree as tree
suite = tree.parse(sys.argv[1]).getroot()
cases = suite.findall("testcase")
assert suite.tag == "testsuite" and suite.get("name")
assert int(suite.get("tests")) == len(cases) > 0
for count, name in (("failures", "failure"), ("errors", "error"),
                    ("skipped", "skipped")):
    assert int(suite.get(count)) == len(suite.findall("testcase/" + name))
assert {x.tag for x in suite} <= {"testcase", "system-out"}
for case in cases:
    assert case.get("classname") and case.get("name")
    assert len(case) == 1 and case[0].tag in (
        "skipped", "failure", "error", "system-out")
    assert case[0].tag == "system-out" or case[0].get("message")
P
verdict "JUnit's shape" python3 "$tmp/shape.py" "$tmp/gate.xml"
"$report" --compare --gate=slower:1% --gate=slower:4% --gate-unproven=fail \
    -o "$tmp/strict.xml" "$old" "$new"
verdict "JUnit's shape, two gates, strict" python3 "$tmp/shape.py" \
    "$tmp/strict.xml"
if command -v xmllint >/dev/null 2>&1; then
	"$report" --compare --gate=slower:1% --format=junit \
	    "$tmp/hostile-old.json" "$tmp/hostile-new.json" >"$tmp/hostile.xml"
	verdict "JUnit is XML" xmllint --noout "$tmp/gate.xml" "$tmp/hostile.xml"
else
	skip "JUnit is XML" "no xmllint"
fi

# Of two sides, only the new one's speedups are checked.
"$bindir/extract_logs" -q -o "$tmp/side.json" "$top_srcdir/logs/pytorch-cpu" \
    >"$tmp/out" 2>&1
is "speedup<1.3 of the new side" "0 passed," --compare --gate='speedup<1.3' \
    --gate-flagged=ignore "$tmp/side.json" "$tmp/side.json"

for bad in slower slower:x% slower:3%x faster:100% efficiency efficiency:3% \
    'speedup<' 'speedup<-1' 'speedup<0' 'efficiency<0' 'speed<3' slower: \
    slower:% ''; do
	refuse "--gate=$bad" 2 "report_results: --gate: '$bad' is not *" \
	    "$report" --compare --gate="$bad" "$old" "$new"
done
# A value close to a bound is printed on its own side of the bound.
cat >"$tmp/near.py" <<'EOF'
import csv, io, re, subprocess, sys
report, measured = sys.argv[1:]
def out(*options):
    return subprocess.run([report, *options, measured],
                          capture_output=True, text=True).stdout
n = bad = 0
rows = csv.DictReader(io.StringIO(out("--format=csv", "--gate=speedup<14")))
for i, row in enumerate(rows):
    for factor in 1 - 3e-6, 1 + 3e-6:
        value = float(row["value"])
        bound = value * factor
        text = out("--gate=speedup<%.9g" % bound)
        shown = re.findall(r"speedup<%.9g +([0-9.]+)" % bound, text)
        n += 1
        if (float(shown[i]) < bound) != (value < bound):
            bad += 1
            print("%.9g, bound %.9g: %s" % (value, bound, shown[i]))
sys.exit(bad > 0 or n < 4)
EOF
verdict "a value is printed on its side of the bound" \
    python3 "$tmp/near.py" "$report" "$measured"
refuse "slower compares two results" 2 \
    "report_results: --compare takes two results, OLD and NEW, not 1*" \
    "$report" --gate=slower:3% "$old"
refuse "junit without a gate" 2 "report_results: --format=junit, *" \
    "$report" --format=junit "$old"
refuse "a gate of the page" 2 \
    "report_results: --gate is of tables, --compare, not of --html" \
    "$report" --html --gate='speedup<14' "$new"
refuse "--gate-unproven without a gate" 2 "*only with --gate=CLAIM" \
    "$report" --gate-unproven=fail "$old"
is "a gate of nothing hides no proven one" "1 failed,missing," \
    --compare --gate='slower:1%' --gate='speedup<14' \
    "$tmp/old-one.json" "$tmp/new-one.json"
is "nor in another order" "1 missing,failed," \
    --compare --gate='speedup<14' --gate='slower:1%' \
    "$tmp/old-one.json" "$tmp/new-one.json"
is "and is status 4 where none is proven" "4 missing,passed," \
    --compare --gate='efficiency<0.8' --gate='slower:50%' \
    "$tmp/old-one.json" "$tmp/new-one.json"
"$report" --compare --gate='speedup<14' --gate=slower:1% --format=junit \
    "$tmp/old-one.json" "$tmp/new-one.json" >"$tmp/text"
verdict "it is an error of JUnit" sentence 'failures="1" errors="1"'
verdict "with its own sentence" sentence \
    'error message="speedup&lt;14: no case has a speedup over another"'
refuse "no speedup to gate" 4 \
    "report_results: --gate=speedup<14: no case has a speedup over another" \
    "$report" --gate='speedup<14' "$old"
finish
