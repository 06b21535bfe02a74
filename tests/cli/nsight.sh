# Exports of Nsight Systems: steps by their NVTX ranges, busy and exposed
# communication, and files that are rejected by name.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
x=$(cd "$bindir" && pwd)/extract_logs
make=$(cd "$top_srcdir" && pwd)/tests/data/profiles/make_nsight.py
cd "$tmp" || exit 1
unset DLSCALE_FORMAT_PATH
if ! python3 -c 'import sqlite3' >/dev/null 2>&1; then
	skip "exports" "no python3 with sqlite3"
	finish
	exit
fi
python3 "$make" run.sqlite
if ! built_with SQLITE; then
	refuse "without SQLite" 4 \
	    '*run.sqlite: excluded: a SQLite file, which this build cannot read *' \
	    "$x" -o x.json run.sqlite
	finish
	exit
fi

flat() { # a result without blanks
	tr -d ' \n' <"$1"
}

phases() { # FILE: step, busy and exposed time of its run
	rm -f p.json
	"$x" --nodes=1 --gpus-per-node=1 -o p.json "$1" >/dev/null 2>err
	flat p.json | sed 's/.*"phases":{"step_s":\([^,]*\),"data_s":null,"busy_s":\([^,]*\),"exposed_s":\([^,]*\),.*/\1 \2 \3\n/'
}

"$x" --nodes=1 --gpus-per-node=1 -o r.json run.sqlite >table 2>err
verdict "an export is read" test $? -eq 0
verdict "... by its format, three whole steps" test -n "$(flat r.json |
    grep '"iterations":3,.*"device":"NVIDIAMade-Up1"' | grep '"nsight"')"
verdict "steps of the device, phases" test "$(phases run.sqlite)" = \
    "0.1 0.035 0.015"
"$x" --explain run.sqlite >explained 2>/dev/null
verdict "steps have their numbers" \
    grep -q '"step":3,"from":"nsight","step_us":100000.000' explained
verdict "collectives by kernel" test \
    "$(grep -c '"kernel":"allreduce","of_step":4,"us":\(30000\|5000\).000' explained)" -eq 2

for words in 'iteration %d' 'train_step' 'Iter: %d' 'ProfilerStep#%d' \
    'global_step=%d'; do
	rm -f named.sqlite
	python3 "$make" named.sqlite words="$words"
	verdict "steps are called '$words'" \
	    test "$(phases named.sqlite)" = "0.1 0.035 0.015"
done
python3 "$make" old.sqlite old=1
verdict "an older export, without textId and globalPid" \
    test "$(phases old.sqlite)" = "0.1 0.035 0.015"
python3 "$make" two.sqlite processes=2
verdict "two processes: the steps and kernels of one" \
    test "$(phases two.sqlite)" = "0.1 0.035 0.015"
cp run.sqlite reversed.sqlite
python3 - <<'END'
import sqlite3
d = sqlite3.connect("reversed.sqlite")
rows = d.execute("SELECT * FROM NVTX_EVENTS WHERE start IN "
                 "(5100000000, 5200000000) ORDER BY start DESC").fetchall()
d.execute("DELETE FROM NVTX_EVENTS")
d.executemany(f"INSERT INTO NVTX_EVENTS VALUES ({'?,' * 10}?)", rows)
d.commit()
END
verdict "two ranges, the later one first" \
    test "$(phases reversed.sqlite)" = "0.1 0.035 0.015"
# Times that the export does not have for the device are the CPU's.
python3 "$make" calls.sqlite no_calls=1
verdict "without calls: steps as long as their ranges" \
    test "$(phases calls.sqlite | cut -d' ' -f1)" = 0.099
python3 "$make" cpu.sqlite cpu_only=1
verdict "without a device: nothing about communication" \
    test "$(phases cpu.sqlite)" = "0.099 null null"
mkdir folder
cp run.sqlite folder/
"$x" --nodes=1 --gpus-per-node=1 -o f.json folder >/dev/null 2>&1
verdict "found in a folder by its name" test -n "$(flat f.json |
    grep '"used":true')"

# --- refused, by name ---
if command -v gzip >/dev/null &&
    built_with ZLIB; then
	gzip -kc run.sqlite >packed.sqlite.gz
	refuse "packed" 4 \
	    '*packed.sqlite.gz: excluded: a SQLite file compressed with gzip; decompress it first*' \
	    "$x" -o x.json packed.sqlite.gz
else
	skip "packed" "no gzip"
fi
for suffix in nsys-rep qdrep qdstrm; do
	head -c 3000 run.sqlite | tr 'a-z' 'b-za' >report.$suffix
	refuse "a report, .$suffix" 4 \
	    "*report.$suffix: excluded: *Nsight Systems*nsys export --type sqlite*" \
	    "$x" -o x.json report.$suffix
done
mkdir reports
cp report.nsys-rep reports/
refuse "a report in a folder" 4 \
    "*report.nsys-rep: excluded: *nsys export --type sqlite*" \
    "$x" -o x.json reports
python3 "$make" other.sqlite words=forward_backward
refuse "no steps" 4 \
    '*other.sqlite: excluded: no NVTX range of the export is named after a step *' \
    "$x" -o x.json other.sqlite
python3 -c 'import sqlite3
d = sqlite3.connect("any.sqlite")
d.execute("CREATE TABLE t (x INT)")
d.commit()'
refuse "another data base" 4 \
    '*any.sqlite: excluded: a SQLite file without the tables NVTX_EVENTS *' \
    "$x" -o x.json any.sqlite
# A view runs a query from the file, which may never end.
python3 -c 'import sqlite3
d = sqlite3.connect("view.sqlite")
d.execute("CREATE TABLE StringIds (id INT, value TEXT)")
d.execute("CREATE VIEW NVTX_EVENTS AS WITH RECURSIVE n(start) AS (SELECT 1 "
          "UNION ALL SELECT start + 1 FROM n) SELECT start, start + 1 AS end, "
          "1 AS globalTid, 1 AS textId, \"step\" AS text FROM n")
d.commit()'
refuse "a view in a table's place" 4 \
    '*view.sqlite: excluded: a SQLite file without the tables NVTX_EVENTS *' \
    timeout 20 "$x" -o x.json view.sqlite
head -c 5000 run.sqlite >cut.sqlite
refuse "cut short" 4 \
    '*cut.sqlite: excluded: cannot read the SQLite file: *' \
    "$x" -o x.json cut.sqlite
refuse "by the standard input" 4 \
    '*excluded: a SQLite file cannot be read from a stream; pass its name*' \
    sh -c '"$1" -o x.json - <run.sqlite' sh "$x"
finish
