# CSV of runs gives the numbers of the result when read back; identities of runs
# are not labels; bad tables are rejected with the line.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/logs.sh"
bin=$(cd "$bindir" && pwd)
cd "$tmp" || exit 1
report() { "$bin/report_results" "$@"; }
tree one 5 1n1g 1n2g 2n2g
tree two 3 1n1g 1n2g
sed -i 's/0\.4/0.5/g' two/*/*
"$bin/extract_logs" -q --table=runs --format=csv -o result.json one=one \
    'a, "b" \c=two' >runs.csv 2>err || comment err
# numbers FILE: print keys, median, interval, speedup, its interval, efficiency
numbers() {
	report --format=jsonl "$1" 2>err | sort
}
numbers result.json >want
numbers runs.csv >got
verdict "there are five cases" test "$(wc -l <want)" -eq 5
verdict "all numbers are those of the result" diff want got
grep -v ',"a' runs.csv | sed 's/"iterations.*"/x/' | tr ',' '\t' >runs.tsv
numbers runs.tsv >got
verdict "separated by tabs" eval 'grep "label.: .one" want | diff - got'
report --format=csv - <runs.csv >piped 2>err
verdict "piped" eval 'report --format=csv runs.csv | diff - piped'
report --compare --format=csv result.json runs.csv >compared 2>err
verdict "it compares with the result" grep -q ',1,[^,]*,[^,]*,0.968' compared
cat >jobs.csv <<'EOF'
JobID,case,run,value,unit,host,seed
101,1n1g,1,50,samples/s,a,x
102,1n1g,2,51,samples/s,b,x
103,1n1g,3,52,samples/s,c,x
104,1n2g,1,99,samples/s,c,x
EOF
report --format=csv jobs.csv >jobs.out 2>err
printf '%s\n' 'gpus,throughput,run,disk' '1,100,1,5" disk' '1,101,2,5" disk' \
    >inch.csv
report --format=csv inch.csv >inch.out 2>err
verdict "a quote inside a cell is text" grep -q '5"" disk.*,2,100.5,' inch.out
verdict "jobs and hosts are runs of a case" grep -q ',3,51,' jobs.out
verdict "... the seed is a label" grep -q '^framework,.*,seed,' jobs.out
# bad NAME STATUS MESSAGE SCRIPT: reject jobs.csv as changed by the sed SCRIPT
bad() {
	sed "$4" jobs.csv >bad.csv
	refuse "$1" "$2" "report_results: bad.csv$3" report bad.csv
}
bad "a value that is no number" 3 ":2: value: 'fast' is not a number above 0" \
    '2s/,50,/,fast,/'
bad "a value of 0" 3 ":2: value: '0' is not a number above 0" '2s/,50,/,0,/'
bad "a missing cell" 3 ":3: 6 cells, not 7 as in the head" '3s/,x$//'
for empty in 1n1g ',3' ',52' samples.s; do
	bad "an empty case, run, value, unit: $empty" 3 \
	    ":4: case, run, value or unit is empty" \
	    "4s/$empty/$(expr "$empty" : '\(,\)')/"
done
bad "no row" 4 ": holds no run" 1q
finish
