# report_results --history: added rows are stored once and survive failed or
# killed writers; the changes of a known history are found.
. "$top_srcdir/tests/lib.sh"

report=$bindir/report_results
faults=$bindir/tests/faults.so
cd "$tmp" || exit 1

# result_of FILE VALUE [SUFFIX [N]]: write N (default 3) runs of one case,
# within 0.1 % of VALUE
result_of() {
	awk -v v="$2" -v tag="${3:-$1}" -v n="${4:-3}" 'BEGIN {
		printf "{\"schema\": \"dlscale-result/1\", \"rule\": {"
		printf "\"rule\": \"window\", \"skip_iterations\": 5, "
		printf "\"warmup_batches\": 20, \"train_batches\": 120, "
		printf "\"epoch\": \"auto\", \"aggregate\": \"time\", "
		printf "\"metric\": \"throughput\", \"scaling\": \"weak\"}, "
		printf "\"cases\": [{\"case\": \"1n8g\", \"framework\": "
		printf "\"pytorch\", \"model\": \"resnet50\", \"precision\": "
		printf "\"fp32\", \"batch_size_per_device\": 128, \"nodes\": 1, "
		printf "\"gpus_per_node\": 8, \"gpus\": 8, \"unit\": "
		printf "\"samples/s\", \"rule\": \"window\", "
		printf "\"n\": %d, \"median_speed\": %.10g, \"runs\": [", n,
		    v * (1 + ((n + 1) / 2 - 2) / 1000)
		for (k = 1; k <= n; k++)
			printf "%s{\"run\": \"%d\", \"path\": \"1n8g/r_%d_%s\", " \
			    "\"value\": %.10g}", (k > 1 ? ", " : ""), k, k, tag,
			    v * (1 + (k - 2) / 1000)
		printf "]}]}\n"
	}' >"$1"
}
result_of a.json 1000
result_of b.json 1010

if ! built_with SQLITE; then
	for verb in "add a.json" show plot when; do
		# shellcheck disable=SC2086 # words
		refuse "without SQLite: $verb" 3 \
		    "report_results: --history: built without SQLite; *" \
		    "$report" --history=h.db $verb
	done
	verdict "and nothing is made" test ! -e h.db
	finish
	exit
fi

# --- A history whose changes are known ---------------------------------------
# The values of tests/unit/test_change_points.c, each with a day and a commit.
day=0
for v in 1000.2 1003.1 998.7 1001.5 996.9 720 999.4 1004 1000.8 997.6 1001.9 \
    999 970.4 968.9 972.8 966.1 971.5 969.7 973.3 967.8 970.9 968.2 999.8 \
    1001.1 998.3 1003.4 1000.6 997.9 1002 999.1; do
	day=$((day + 1))
	result_of "d$day.json" $v
	"$report" --history=h.db add --host=n1 --commit="c$((day - 1))" \
	    --date="2026-11-$(printf %02d $day)" d$day.json || break
done >added 2>&1
check "what was added is reported" history-add.txt head -n 2 added
verdict "every day was added" test "$(grep -c ' 3 runs added' added)" -eq 30
check "since when is it slower" history-when.txt "$report" --history=h.db when
check "the same as JSON" history-when.json \
    "$report" --history=h.db when --format=json
check "the same in Chinese" history-when-zh.txt \
    "$report" --history=h.db when --lang=zh
for form in text:txt markdown:md csv:csv latex:tex html:html; do
	check "table, ${form%:*}" "history-show.${form#*:}" \
	    "$report" --history=h.db show --format="${form%:*}"
done
check "table in Chinese" history-show-zh.txt \
    "$report" --history=h.db show --lang=zh
check "chart" history.gp "$report" --history=h.db plot -o - --format=gp
for runs in 3 4 5 6 7 8 9; do
	result_of "n$runs.json" 1000 "n$runs" "$runs"
	"$report" --history=counts.db add --commit="n$runs" \
	    --date="2026-01-0$runs" "n$runs.json" >added-counts 2>&1
done
verdict "more levels than are named" sh -c \
    "'$report' --history=counts.db show | tr -s '\n ' ' ' |
	grep -q 'with 8 runs, [.][.][.]'"
# Rows that differ in a key of the case, or in how it was measured, are new,
# even if runs of the same logs are already stored.
result_of same.json 1000
"$report" --history=same.db add same.json >out 2>err
while IFS='|' read -r member value other; do
	sed "s/\"$member\": $value/\"$member\": $other/g" same.json >other.json
	"$report" --history=same.db add other.json >out 2>err
	verdict "another $member is another case" grep -q ' 3 runs added' out
done <<'EOF'
rule|"window"|"all"
skip_iterations|5|6
warmup_batches|20|21
train_batches|120|121
epoch|"auto"|"2"
aggregate|"time"|"speed"
scaling|"weak"|"strong"
case|"1n8g"|"x"
framework|"pytorch"|"mxnet"
model|"resnet50"|"vgg16"
precision|"fp32"|"amp"
batch_size_per_device|128|64
unit|"samples\/s"|"tokens\/s"
EOF
"$report" --history=same.db add same.json >out 2>err
verdict "the same are not added again" \
    grep -q 'all 3 runs are already stored' out
# Two levels of four points each, at the start and the end of the history.
day=0
for v in 1000.2 1003.1 998.7 1001.5 900 901 899 902; do
	day=$((day + 1))
	result_of "f$day.json" $v
	"$report" --history=fall.db add --commit="f$day" \
	    --date="2026-01-0$day" "f$day.json" >added-fall 2>&1
done
"$report" --history=fall.db plot -o - --format=gp >fall.gp
verdict "levels of a chart" test "$(awk '/^EOD/ { exit } on { print $5 }
	/^# x, value/ { on = 1 }' fall.gp | uniq -c | xargs)" = \
    "4 1000.85 4 900.5"
# Several cases get a small chart each, relative to their first level.
for day in 1 2 3; do
	sed "s/r_\([1-5]\)\.log/r_$day\1.log/" \
	    "$top_srcdir/tests/cli/data/compare-old.json" >"case$day.json"
	"$report" --history=cases.db add --commit="k$day" \
	    --date="2026-01-0$day" "case$day.json" >added-cases 2>&1
done
"$report" --history=cases.db plot -o - --format=gp >cases.gp
verdict "chart of several cases: each its own" test \
    "$(grep -c "^set label 3 '[1248]n[18]g'" cases.gp)" -eq 4
verdict "chart of several cases: over the first level" sh -c \
    'grep -q "^Y_TITLE = .over the first level (×).$" cases.gp &&
     grep -q "^1 1\(\.0\)* 0.97" cases.gp'
# Two models of the same case: each line is named by its model.
for model in old net; do
	for day in 1 2; do
		many_runs() { sed "s/r_\([1-5]\)\.log/r_$day\1.log/" "$1"; }
		many_runs "$top_srcdir/tests/cli/data/compare-old.json" |
		    sed "s/\"model\": \"[^\"]*\"/\"model\": \"$model\"/" \
			>"$model$day.json"
		"$report" --history=models.db add --commit="$model$day" \
		    --date="2026-01-0$day" "$model$day.json" >added-models 2>&1
	done
done
"$report" --history=models.db plot -o - --format=gp >models.gp
verdict "two models of a case have their names" test \
    "$(grep -cE "^set label 3 '(old|net) [148]n[18]g'" models.gp)" -eq 8
# An edited script is kept, as by plot_results; --force is only for plot.
"$report" --history=h.db plot -o kept.gp >out 2>err
echo '# by hand' >>kept.gp
cp kept.gp edited.gp
refuse "an edited script is kept" 3 \
    "report_results: 'kept.gp' was edited *--force*" \
    "$report" --history=h.db plot -o kept.gp
verdict "every byte of it" cmp kept.gp edited.gp
verdict "--force overwrites it" sh -c '"$1" --history=h.db plot --force \
    -o kept.gp && ! grep -q "by hand" kept.gp' - "$report"
refuse "--force of a table" 2 \
    "report_results: --force is of --history=FILE plot, not of *" \
    "$report" --history=h.db show --force

# gnuplot treats tick labels as formats.
for day in 1 2 3; do
	"$report" --history=percent.db add --commit="a_$day%g 50%" \
	    --date="2026-01-0$day" "case$day.json" >added-percent 2>&1
done
if command -v gnuplot >/dev/null 2>&1; then
	verdict "a commit named by a format is text" sh -c \
	    '"$1" --history=percent.db plot --select=gpus=8 -o percent.svg &&
		grep -q "a_2%g 50%" percent.svg' - "$report"
	"$report" --history=percent.db plot --select=gpus=8 -o percent.tex >tex
	verdict "its underscores are escaped for TeX" \
	    grep -qF 'a\_2\%%g 50\%%' percent.tex.gp
	verdict "chart as SVG" sh -c '"$1" --history=h.db plot -o h.svg &&
		grep -q "</svg>" h.svg' - "$report"
	verdict "chart of the size of a column" eval '
	    "$report" --history=h.db plot --size=column -o column.svg >out &&
	    grep -q column.caption.txt out &&
	    grep -q "viewBox=\"0 0 325 " column.svg'
else
	skip "chart of the size of a column" "no gnuplot"
	skip "a commit named by a format is text" "no gnuplot"
	skip "its underscores are escaped for TeX" "no gnuplot"
	skip "chart as SVG" "no gnuplot"
fi
"$report" --history=h.db when -o when.json
verdict "an output .json is JSON" cmp when.json "$golden/history-when.json"
"$report" --history=h.db show -o show.md
verdict "an output .md is Markdown" cmp show.md "$golden/history-show.md"

# --- Once ---------------------------------------------------------------------
rows() { "$report" --history="$1" show --format=csv | awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) if ($i == "n") c = i }
	NR > 1 { n += $c } END { print n + 0 }'; }
cp h.db before.db
check "a result twice adds nothing" history-twice.txt \
    "$report" --history=h.db add d3.json
verdict "and changes nothing" test "$(rows h.db)" -eq 90
refuse "as another commit's" 3 \
    "report_results: d3.json: *already stored with another number, commit or host" \
    "$report" --history=h.db add --commit=c3 d3.json
"$report" --history=h.db add --commit=c2 a.json a.json d3.json >out
verdict "several at once, one of them twice" sh -c '
	test "$(grep -c " 3 runs added" out)" -eq 1 &&
	    test "$(grep -c "all 3 runs are already stored" out)" -eq 2 &&
	    test "$1" -eq 93
' - "$(rows h.db)"
# One bad result prevents the addition of all others.
echo '{"schema": 1' >bad.json
refuse "a bad result among good ones" 3 "report_results: bad.json:*" \
    "$report" --history=h.db add b.json bad.json
verdict "adds none of them" test "$(rows h.db)" -eq 93
sed 's/"cases": .*/"cases": []}/' a.json >none.json
refuse "a result without runs" 4 "report_results: none.json: holds no run*" \
    "$report" --history=h.db add none.json

# --- Metadata --------------------------------------------------------------------
mkdir m
result_of m/r.json 50
printf 'memory: 1 GiB\nhost: node7\nstarted: 2026-01-02T03:04:05Z\ncommit: 9f8\n' \
    >m/machine.txt
"$report" --history=metadata.db add m/r.json >out
verdict "date, host, commit of machine.txt next to it" grep -q \
    'of 2026-01-02T03:04:05Z, commit 9f8, host node7$' out
"$report" --history=metadata2.db add --commit=x m/r.json >out
verdict "options come first" grep -q \
    ' 2026-01-02T03:04:05Z, commit x, host node7$' out
(cd m && "$report" --history=stdin.db add --date=2026-01-03 - <r.json) >out
verdict "but not for a result by stdin" grep -qx -e \
    '-: 3 runs added, 0 stored already, of 2026-01-03T00:00:00Z' out
(cd m && "$report" --history=stdin.db add --date=2026-01-04 \
    --host="$(printf 'a\033[2Jb\nc')" --commit="$(printf 'x\302\2332J')" \
    ../b.json) >out
verdict "names command no terminal" grep -qx -e \
    '.* 2026-01-04T00:00:00Z, commit x??2J, host a?\[2Jb?c' out
touch -d 2025-05-06T07:08:09Z b.json
"$report" --history=metadata.db add b.json >out
verdict "the file's time where nothing is reported" grep -q \
    ' 2025-05-06T07:08:09Z (the time of the file)$' out
verdict "--host chooses" test "$("$report" --history=metadata.db show \
    --host=node7 --format=csv | grep -c ,node7,)" -eq 1
refuse "a host that nothing is of" 4 \
    "report_results: metadata.db: holds no run of host other" \
    "$report" --history=metadata.db show --host=other
refuse "a selection of nothing" 4 "report_results: no case is selected by *" \
    "$report" --history=metadata.db show --select=model=vgg16
# Flags that put a run in doubt mark its point.
for day in 13 14; do
	sed -e 's/result\/1/result\/2/' -e 's/"path": "1n8g\/r_[12]/"flags": [{"code": '\
'"outlier", "args": {"percent": 28}, "text": "x"}, {"code": "joined", '\
'"args": {"files": 2}, "text": "y"}], &/g' "d$day.json" >"f$day.json"
done
for day in $(seq 1 30); do
	from=d$day.json
	test ! -e "f$day.json" || from=f$day.json
	"$report" --history=flags.db add --host=n1 --commit="c$((day - 1))" \
	    --date="2026-11-$(printf %02d "$day")" "$from" >/dev/null
done
"$report" --history=flags.db show >out
verdict "flagged points are marked, by doubts only" sh -c '
    test "$(grep -c "^2026-11-1[34].* a  *\[" out)" -eq 2 &&
    test "$(grep -c " a  *\[" out)" -eq 2 && ! grep -q "joined" out &&
    grep -q "^a: outlier: +28.0 % off the median of the runs (4 of 6 runs)" out'
"$report" --history=flags.db when >out
verdict "a change of flagged points says so" sh -c '
    grep -q "; flagged: 2 of these [0-9]* points" out'
"$report" --history=flags.db when --format=json >out
verdict "in JSON, too" sh -c '
    grep -q "\"points_flagged\": 2," out &&
    grep -q "; flagged: 2 of these" out'
"$report" --history=flags.db show --format=csv >out
verdict "in CSV, too" sh -c '
    test "$(grep -c ",outlier: +28.0 % off the median of the runs (2 of 3 runs)," \
	out)" -eq 2 && head -n 1 out | grep -q ",change_proven,flags,case,"'
"$report" --history=flags.db plot -o flagged.gp
verdict "their marks in the chart are open" sh -c '
    test "$(sed -n "/^.data <</,/^EOD/p" flagged.gp |
	grep -c " 1 NaN \"")" -eq 2 &&
    grep -q "open: 2 of [0-9]* points flagged" flagged.gp'
# Two hosts alternate: their difference is not a change of the program if the
# host is known.
for day in $(seq 10 39); do
	case $day in 2?) host=b speed=$((1030 + day * 7 % 11)) ;;
	*) host=a speed=$((1000 + day * 7 % 11)) ;; esac
	result_of "t$day.json" $speed
	"$report" --history=turns.db add --host=$host --commit="c$day" \
	    --date="2026-11-01T00:$day:00Z" "t$day.json"
	"$report" --history=unknown.db add --commit="c$day" \
	    --date="2026-11-01T00:$day:00Z" "t$day.json"
done >out 2>&1
"$report" --history=turns.db when >out
verdict "hosts that take turns are no change" sh -c '
    ! grep -qv "; not proven; hosts take turns" out && grep -q c20 out'
"$report" --history=turns.db show >out
verdict "a note says so" grep -q "^hosts take turns: their differences" out
"$report" --history=unknown.db when >out
verdict "unless the hosts are unknown" sh -c '
    grep "since c20" out | grep -vq "not proven"'
verdict "few points are no change" sh -c '"$1" --history=metadata.db when |
	grep -q "1n8g: too few points to show a change: 2, it takes 6"' - \
    "$report"

# --- Use ----------------------------------------------------------------------
refuse "no command" 2 \
    "report_results: --history: '' is not add RESULT|LOGS..., *" \
    "$report" --history=h.db
refuse "another command" 2 "report_results: --history: 'list' is not add*" \
    "$report" --history=h.db list
refuse "add nothing" 2 "report_results: --history: add: missing operand: a result" \
    "$report" --history=h.db add
refuse "show something" 2 "report_results: --history: show: takes no operand*" \
    "$report" --history=h.db show a.json
refuse "a date that is none" 2 \
    "report_results: --date: 'monday' is not a date such as *" \
    "$report" --history=h.db add --date=monday a.json
refuse "a date of show" 2 "report_results: --date is of --history=FILE add, not of --history=FILE show" \
    "$report" --history=h.db show --date=2026-01-01
refuse "with --compare" 2 "report_results: *exclude each other" \
    "$report" --history=h.db --compare show
refuse "--commit without it" 2 "report_results: --commit is of --history=FILE add, not of tables" \
    "$report" --commit=x a.json
refuse "an order of a history" 2 \
    "report_results: --sort is of tables, not of --history=FILE show" \
    "$report" --history=h.db show --sort=median
refuse "a table as GitHub's annotations" 2 \
    "report_results: --format: --history=FILE show does not write 'github'" \
    "$report" --history=h.db show --format=github
refuse "over the history itself" 2 "report_results: cannot write 'h.db': *" \
    "$report" --history=h.db plot --format=gp -o h.db
refuse "a history that is not there" 3 \
    "report_results: cannot open 'none.db': *" "$report" --history=none.db show
refuse "no database" 3 "report_results: a.json: not a history: not a SQLite *" \
    "$report" --history=a.json add a.json
refuse "a folder" 3 "report_results: m: not a regular file" \
    "$report" --history=m add a.json
refuse "stdout" 2 "report_results: --history: '-' is no file" \
    "$report" --history=- add a.json
head -c 9000 before.db >short.db
refuse "half a history" 3 "report_results: short.db: damaged history: *" \
    "$report" --history=short.db show
verdict "a result by stdin" sh -c '"$1" --history=stdin.db add - <a.json' - \
    "$report"

# Run as an unprivileged user if possible.
chmod 755 "$tmp"
if test "$(id -u)" = 0 && command -v setpriv >/dev/null 2>&1 &&
    setpriv --reuid=65534 --clear-groups test -x "$report" -a -r before.db \
	2>/dev/null; then
	as="setpriv --reuid=65534 --clear-groups"
elif test "$(id -u)" != 0; then
	as=
else
	as=none
fi
cp before.db readonly.db
chmod 444 readonly.db
if test "$as" != none && $as test -r "$tmp/readonly.db"; then
	verdict "a file that may only be read is shown" sh -c \
	    "$as \"$report\" --history=readonly.db when >o &&
	    cmp o \"$golden/history-when.txt\""
	# shellcheck disable=SC2086 # words
	refuse "and not added to" 3 \
	    "report_results: readonly.db: attempt to write a readonly database" \
	    $as "$report" --history=readonly.db add a.json
else
	skip "a file that may only be read is shown" "all may be read by root"
	skip "and not added to" "all may be read by root"
fi

# --- Two at once --------------------------------------------------------------
# Sixteen concurrent writers create the file.
i=0
while test $i -lt 16; do
	i=$((i + 1))
	result_of "w$i.json" $((100 + i))
	"$report" --history=many.db add --date=2026-11-01T00:00:$((i + 10))Z \
	    w$i.json >/dev/null 2>"writer$i.err" &
done
wait
verdict "sixteen writers at once lose nothing" sh -c '
	cat writer*.err
	test "$1" -eq 48 && test -z "$(cat writer*.err)"' - "$(rows many.db)"
# Eight writers, each killed at some moment and restarted until it is done.
i=0
while test $i -lt 8; do
	i=$((i + 1))
	(
		k=0
		while test $k -lt 6; do
			k=$((k + 1))
			"$report" --history=killed.db add \
			    --date=2026-11-01T00:00:$((i + 10))Z w$i.json \
			    >/dev/null 2>&1 &
			pid=$!
			sleep 0.0$((k * 7 % 10))
			kill -9 $pid 2>/dev/null
			wait $pid
		done
		"$report" --history=killed.db add \
		    --date=2026-11-01T00:00:$((i + 10))Z w$i.json >/dev/null
	) 2>/dev/null &
done
wait
verdict "writers that are killed at any moment lose nothing" sh -c '
	test "$1" -eq 24' - "$(rows killed.db)"

# --- Kills and full disks, at each write ---------------------------------------
# at_each HOW FILE WANT COMMAND...: run COMMAND on a copy of FILE (none: no
# file), where the k-th change of the disk kills it or fails, for all k. The
# history must then hold its old rows or all new ones, and accept additions.
# Some failures do no harm; the loop ends after three of these in a row.
at_each() {
	how=$1 from=$2 want=$3 k=0 fine=0 hurt=0
	shift 3
	while test $fine -lt 3; do
		k=$((k + 1)) fine=$((fine + 1))
		rm -f x.db x.db-journal
		test "$from" = none || cp "$from" x.db
		(
			env "$how" FAULT_CALL=disk FAULT_AT=$k \
			    LD_PRELOAD="$faults" "$@" >o 2>run.err
		) 2>/dev/null
		rc=$?
		case $rc in
		0) after=${want##* };;
		137) after=$want fine=0 hurt=$((hurt + 1));;
		3) after=$want fine=0 hurt=$((hurt + 1)) &&
		    grep -q "x.db: " run.err && ! grep -q damaged run.err;;
		*) false;;
		esac || {
			echo "$k: status $rc"
			cat run.err
			return 1
		}
		held=0
		test ! -s x.db || held=$(rows x.db 2>rows.err)
		case " $after " in
		*" $held "*) ;;
		*)
			echo "$k: $held rows, not one of $after"
			cat rows.err
			return 1
			;;
		esac
		"$@" >/dev/null 2>run.err && test "$(rows x.db)" -eq \
		    "${want##* }" || {
			echo "$k: not to be added afterwards"
			cat run.err
			return 1
		}
	done
	echo "$hurt of $k"
	test $hurt -gt 3
}
if LD_PRELOAD=$faults "$report" --version >/dev/null 2>&1; then
	add() { verdict "$1" at_each "$2" "$3" "$4" "$report" --history=x.db \
	    add --date=2026-12-01 a.json b.json; }
	"$report" --history=two.db add --date=2026-11-01 w1.json w2.json >/dev/null
	add "killed at each write of a new history" FAULT_KILL=1 none "0 6"
	add "killed at each write to an old one" FAULT_KILL=1 two.db "6 12"
	add "a full disk at each write of a new history" FAULTS=1 none "0 6"
	add "a full disk at each write to an old one" FAULTS=1 two.db "6 12"
	if command -v python3 >/dev/null 2>&1 &&
	    python3 -c 'import sqlite3' 2>/dev/null; then
		# Make a version 1 file by dropping the columns of later
		# versions.
		cp two.db one.db
		python3 - one.db <<'EOF'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
for c in (("result", "date_from"), ("run", "device"),
          ("run", "framework_version"), ("run", "flags"),
          ("result", "protocol"), ("run", "score")):
    db.execute("ALTER TABLE %s DROP COLUMN %s" % c)
db.execute("PRAGMA user_version = 1")
db.commit()
EOF
		add "killed at each write while it is upgraded" FAULT_KILL=1 \
		    one.db "6 12"
		cp one.db up.db
		chmod 444 up.db
		if test "$as" != none && $as test -r "$tmp/up.db"; then
			# shellcheck disable=SC2086 # words
			refuse "no upgrade of what may not be written" 3 \
			    "report_results: up.db: attempt to write a readonly database" \
			    $as "$report" --history=up.db show
		else
			skip "no upgrade of what may not be written" "root"
		fi
	else
		skip "killed while it is upgraded" "no python3 with sqlite3"
	fi
else
	skip "killed at each write" "nothing can be preloaded here"
fi
finish
