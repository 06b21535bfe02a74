# run_experiment: every experiment with --quick produces a table, charts, a
# page and a comparison; after a kill it resumes without lost or repeated runs.
# shellcheck disable=SC2154 # bindir, tmp and top_srcdir are from lib.sh
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/processes.sh"

experiment=$bindir/run_experiment
ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}
OMPI_MCA_rmaps_base_oversubscribe=1
export ASAN_OPTIONS OMPI_MCA_rmaps_base_oversubscribe
cd "$tmp" || exit 1
charts=svg
"${GNUPLOT:-gnuplot}" --version >/dev/null 2>&1 || charts=gp
emulates=yes
"$bindir/run_on_nodes" --core-share=0.5 --link=1G -- true >out 2>err ||
    emulates=$(tail -n 1 err)
built_with GLOO || emulates="built without Gloo"

refuse "no name" 2 "run_experiment: missing operand: name the experiment*" \
    "$experiment"
refuse "a name that is none" 2 \
    "run_experiment: unknown experiment 'bandwith'*" \
    "$experiment" bandwith
refuse "two names" 2 "run_experiment: extra operand 'b'*" "$experiment" a b
"$experiment" --list >list
for which in autotune backends bandwidth batch-size compression data fusion \
    hierarchical scaling; do
	verdict "--list names $which" grep -q "^$which  *[^ ]" list
done
mkdir -p own/experiments
echo "# A name of one letter" >own/experiments/a.sweep
touch own/experiments/.sweep own/experiments/b.txt
verdict "--list names the folder's, whatever their names" \
    test "$(DLSCALE_DATADIR=own "$experiment" --list | tr -s ' ')" = \
    "a A name of one letter"

# has FILE TEXT...: true if the file contains every text
has() {
	file=$1
	shift
	for text in "$@"; do
		grep -q -e "$text" "$file" || {
			echo "$file: no $text"
			head -n 50 "$file"
			return 1
		}
	done
}
# repeat NAME TABLE PUBLISHED [OPTION]: run an experiment with --quick; TABLE:
# a pattern of its table; PUBLISHED: number of rows in the comparison
repeat() {
	which=$1 row=$2 published=$3
	shift 3
	if test "$emulates" != yes && test "$which" != backends &&
	    test "$which" != data; then
		skip "$which" "$emulates"
		return
	fi
	verdict "$which: all runs are made" timeout 300 "$experiment" --quick \
	    --device=cpu "$@" "$which"
	verdict "$which: its table" has "result/$which-quick.md" "$row"
	verdict "$which: its charts" test \
	    "$(find result -name "$which-quick_*.$charts" -size +200c | wc -l)" \
	    -ge 1
	verdict "$which: its page" has "result/$which-quick.html" '</html>' '<table'
	verdict "$which: what differs, and why" \
	    has "result/$which-quick_published.md" '^- differs, batch: ' \
	    '^- differs, runs: ' '^- why: '
	verdict "$which: $published published cells have a counterpart" test \
	    "$(grep -c '^| .* | .*resnet18' "result/$which-quick_published.md")" \
	    -eq "$published"
	verdict "$which: no case is measured twice" test \
	    "$(find "logs/$which-quick" -name '*~' | wc -l)" -eq 0
}

if built_with MPI; then
	repeat backends '^| gloo ' 13
	verdict "backends: their own sums" \
	    eval '! grep -rq "dlscale: machine_memory" logs/backends-quick'
else
	skip "backends" "built without MPI"
fi
repeat data '^| data ' 0
repeat bandwidth '^| receiving ' 35
repeat compression '^| sending ' 14
repeat autotune 'autotune=horovod' 8 --only='a*'
repeat fusion '^| (1KB, 1MB' 8
repeat batch-size '^| *1 | *2 ' 6
repeat scaling '^| *1 | *4 ' 3
repeat hierarchical '^| backward ' 0

# --- What it stands on ---------------------------------------------------------
cells() { # QUANTITY CASE NAME: what was published, and the value here in ms
	awk -F '|' -v quantity="$1" -v case="$2" '
	    function trim(x) { gsub(/^ +| +$/, "", x); return x }
	    trim($4) == quantity && trim($2) ~ (", " case "$") {
		split(trim($6), x, " ")
		print trim($5) ";" x[1] * (x[2] == "s" ? 1000 : 1)
	    }' "result/$3-quick_published.md"
}
if test "$emulates" = yes; then
	verdict "the published value is the report's" test \
	    "$(cells step '4n1g, 2.5G' bandwidth | sed 's/;.*//')" = '507 ms'
	# The value here is that of the log.
	step=$(sed -n 's/.*summary .* step_ms_mean=\([0-9.]*\) .*/\1/p' \
	    logs/bandwidth-quick/2.5G/4n1g/*.log)
	here=$(cells step '4n1g, 2.5G' bandwidth | sed 's/.*;//')
	verdict "the value here is the log's ($step ms)" \
	    awk -v a="$here" -v b="$step" 'BEGIN {
		exit !(b > 0 && a / b > 0.99 && a / b < 1.01) }'
	verdict "links are in the logs" grep -q \
	    '^dlscale: nodes emulated=4 .*link_mbit_per_s=2500 burst_bytes=67108864' \
	    logs/bandwidth-quick/2.5G/4n1g/*.log
	verdict "and are labels" grep -q '2.5G' result/bandwidth-quick.md
	timeout 300 "$experiment" --quick --device=cpu bandwidth >out 2>err
	verdict "again: nothing is run" grep -q ' 0 made in .*, 4 were there' err
	timeout 300 "$experiment" --quick --device=cpu --report-only bandwidth \
	    >out 2>err
	verdict "--report-only runs nothing" sh -c '! grep -q "made in" err'
fi
verdict "groups that need GPUs are excluded and listed" grep -q \
    '^- excluded: nccl-gpu 1n1g: needs GPUs' result/backends-quick_published.md
refuse "links of hosts have to be set" 4 \
    "*nothing can be run here: *: links between hosts are not shaped*" \
    "$experiment" -n --set hostfile=hosts --device=gpu --only '5G' bandwidth
verdict "runs of the link that was set are made on hosts" sh -c '
	"$1" -n --set hostfile=hosts --device=gpu --set hosts-link=5G bandwidth \
	    >plan 2>err
	grep -q "mpirun.*hosts.*>logs/bandwidth/5G/4n1g/" plan &&
	    ! grep -q "/2.5G/" plan && grep -q "excluded: 2.5G 4n1g" err
    ' sh "$experiment"
mkdir -p mine && sed 's/^compare .*/compare sped/' \
    "$top_srcdir/experiments/scaling.sweep" >mine/own.sweep
refuse "a quantity that is none" 3 \
    "run_experiment: mine/own.sweep:*: compare: 'sped' is neither a quantity*" \
    "$experiment" --quick mine/own.sweep

mkdir -p empty
refuse "without ip it says what is missing" 3 \
    "*: exit status 3: run_on_nodes: cannot *" env PATH="$tmp/empty" \
    "$experiment" --quick --device=cpu --log-dir=without hierarchical

# --- Failures ------------------------------------------------------------------
# A trainer that fails once.
cat >fails-once <<'EOF'
#!/bin/sh
test -e failed || { : >failed; echo "no such luck" >&2; exit 3; }
exec "$TRAINER" "$@"
EOF
chmod +x fails-once
TRAINER=$bindir/train_imagenet
export TRAINER
once() {
	TRAIN_IMAGENET=$tmp/fails-once timeout 300 "$experiment" --quick \
	    --device=cpu --log-dir=retried data
}
refuse "a run that failed ends it" 3 "*no such luck*" once
verdict "again, it goes on" once
verdict "the machine's file has the command as it was given" grep -qx \
    'command: run_experiment --quick --device=cpu --log-dir=retried data' \
    retried/data-quick/dummy/machine.txt
verdict "a log of each run" test "$(find retried -name '*.log' | wc -l)" -eq 3

# --- Kills ---------------------------------------------------------------------
if test "$emulates" = yes; then
	timeout 200 "$experiment" --quick --device=cpu --log-dir=killed \
	    --set runs=2 --set 'topology 1n1g 2n1g' scaling >out 2>err &
	pid=$!
	i=0
	while test $i -lt 600 && test "$(find killed -name '*.log' 2>/dev/null |
	    wc -l)" -lt 1; do
		sleep 0.1
		i=$((i + 1))
	done
	sleep 0.5
	everybody=$(family $pid)
	# shellcheck disable=SC2086 # one word a process
	kill -KILL $(pgrep -P $pid) $pid
	wait $pid 2>/dev/null
	i=0
	while test $i -lt 20 && test -n "$(alive $everybody)"; do
		sleep 0.5
		i=$((i + 1))
	done
	verdict "killed: no process stays" test -z "$(alive $everybody)"
	find killed -name '*.log' -exec cksum {} + | sort >before
	verdict "killed: the same command goes on" timeout 300 "$experiment" \
	    --quick --device=cpu --log-dir=killed --set runs=2 \
	    --set 'topology 1n1g 2n1g' scaling
	verdict "killed: four runs, none lost or doubled" \
	    test "$(find killed -name '*.log' | wc -l)" -eq 4
	find killed -name '*.log' -exec cksum {} + | sort >after
	verdict "killed: finished logs were not touched" \
	    test -z "$(comm -23 before after)"
fi
finish
