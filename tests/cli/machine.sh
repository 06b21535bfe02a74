# CSV, JSON and JSON Lines of cases, runs, metrics, comparisons, histories and
# predictions have one set of columns, join by the same keys, and hold the
# numbers of the result to the last digit.
# shellcheck disable=SC2154 # bindir, top_srcdir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/logs.sh"
if ! command -v python3 >/dev/null 2>&1; then
	skip "machine output" "no python3"
	finish
fi
bin=$(cd "$bindir" && pwd)
here=$(cd "$top_srcdir/tests" && pwd)
cd "$tmp" || exit 1
tree old 5 1n1g 1n2g 2n2g 4n2g
tree two 3 1n1g 1n2g
sed -i 's/0\.4/0.5/g' two/*/*
tree new 5 1n1g 1n2g 2n2g
sed -i 's/0\.4/0.3/g' new/*/*
x() { "$bin/extract_logs" -q --force "$@" one=old two=two 2>err; }
x -o old.json >out || comment err
"$bin/extract_logs" -q -o new.json one=new >out 2>err || comment err
report() { "$bin/report_results" "$@"; }
# write NAME COMMAND...: write NAME.csv, NAME.json and NAME.jsonl
write() {
	name=$1
	shift
	for format in csv json jsonl; do
		"$@" --format=$format >"$name.$format" 2>err ||
		    test $? -eq 4 || comment err
	done
}
for name in cases runs metrics; do
	write $name x -o x.json --table=$name
done
for name in scaling comparison speedup dlperf; do
	write $name report --table=$name old.json
done
write compare report --compare old.json new.json
write gate report --gate='speedup>1.5' old.json
printf 'case,speed,speedup\n1n1g,100,1.00\n1n4g,360,3.40\n' >published.csv
check() { report --check published.csv "$@" || test $? -eq 1; }
write check check
mv published.csv published.txt
write pivot report --columns=framework old.json
write prediction "$bin/predict_scaling" --to=8n2g old.json
if built_with SQLITE; then
	report --history=h.db add --date=2026-11-13 old.json >/dev/null
	report --history=h.db add --date=2026-11-14 --host=h new.json >/dev/null
	write history report --history=h.db show
	for day in 1 2 3 4 5 6 7 8; do
		tree day$day 3 1n1g
		sed -i "s/Loss 6/Loss $day/" day$day/*/*
		test $day -lt 5 || sed -i 's/0\.4/0.5/g' day$day/*/*
		"$bin/extract_logs" -q -o day.json one=day$day >out
		report --history=days.db add --date=2026-11-0$day \
		    --commit=c$day day.json >/dev/null
	done
	write changes report --history=days.db when
	verdict "the change is found" sh -c '
	    grep -q "\"verdict\": \"slower\"" changes.json &&
	    grep -q "\"commit\": \"c5\"" changes.json &&
	    grep -q "\"commit_before\": \"c4\"" changes.json'
fi
for name in *.csv; do
	verdict "$name, and JSON" python3 "$here/cli/machine.py" same \
	    "${name%.csv}"
done
for name in *.csv; do
	name=${name%.csv}
	python3 "$here/cli/machine.py" document $name >schema.in
	verdict "$name is as the schema states" python3 \
	    "$here/check_schema.py" "$here/../doc/tables-schema.json" schema.in
done
verdict "one set of columns" python3 "$here/cli/machine.py" columns \
    "$here/../doc/tables-schema.json"
verdict "all tables join by case, with the numbers of the result" \
    python3 "$here/cli/machine.py" join
report --table=all --format=json old.json >all.json
verdict "all tables are one document" python3 -c 'import json
tables = json.load(open("all.json"))["tables"]
assert {"scaling", "comparison", "speedup"} < {t["table"] for t in tables}'
refuse "CSV holds one table" 2 "report_results: --format=csv holds one table*" \
    report --table=all --format=csv old.json
# A label with the name of a column is renamed, so that both are present.
sed 's/"label": "one"/"median": "one"/' old.json >labelled.json
report --format=json labelled.json >labelled.out
verdict "a label that is named as a column" python3 -c 'import json
row = json.load(open("labelled.out"))["tables"][0]["rows"][0]
assert row["label_median"] == "one" and row["median"] > 1'
finish
