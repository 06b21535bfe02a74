# Programs under adverse conditions: closed streams, readers that exit, limits
# on files, descriptors and memory, signals at any moment, two writers of one
# file. A file is the old or the new one, never a part of one, and failures are
# reported. KILLS is the number of moments for each signal (10).
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/logs.sh"
x=$bindir/extract_logs r=$bindir/report_results p=$bindir/plot_results
f=$bindir/predict_scaling
kills=${KILLS:-${DLSCALE_QUICK:+3}} kills=${kills:-10}
mkdir "$tmp/w" && cd "$tmp/w" || exit 1
tree t 2 1n1g 1n2g
"$x" -q -o good.json t >table
"$r" --format=html -o good.html good.json
mkdir out # a script holds the name of its picture
"$p" -q --force --format=gp -o out/r.gp good.json && cp out/r.gp good.gp
cp "$top_srcdir/doc/resnet50-v100.figures" .
"$f" -o good.prediction.json resnet50-v100.figures
"$r" --html -o good.page.html good.json
# A table and a chart of two results; a chart of a prediction.
tree u 2 1n1g 1n2g
imagenet 130 t=0.39 >u/1n1g/r18_b4_fp32_1.log
"$x" -q -o new.json u >table
"$r" --compare -o good.compare.md good.json new.json
"$p" -q --force --format=gp --chart=compare -o out/c.gp good.json new.json &&
	cp out/c.gp good.compare.gp
"$f" -o out/q.json -c good.prediction.svg resnet50-v100.figures
compare_table="$r --compare -o out/c.md good.json new.json"
compare_chart="$p -q --force --format=gp --chart=compare -o out/c.gp \
    good.json new.json"
prediction_chart="$f -o /dev/null -c out/p.svg resnet50-v100.figures"

# sound FILE GOOD: FILE is unchanged or equals GOOD; no temporary file is left.
sound() {
	test "$(cat "$1")" = old || cmp "$1" "$2" || return 1
	test "$(find out -name '*.tmp.*' | wc -l)" -eq "${3:-0}" || {
		echo "left over:" out/*
		return 1
	}
}

### Readers that go away

gone() {
	rm -f out/*
	{
		"$@" 2>err
		echo $? >rc
	} | :
	test -s out/r.json -a -z "$(find out -name '*.tmp.*')"
}
verdict "a table that no one reads leaves the result" gone "$x" -q \
    -o out/r.json t
verdict "which is whole" cmp good.json out/r.json
head_first() {
	rm -f out/*
	"$x" -q -o out/r.json t | head -n 1 >line && cmp good.json out/r.json
}
verdict "nor does head" head_first
records_gone() {
	rm -f out/*
	echo old >out/r.json
	"$x" -q -o out/r.json --records=- t | head -n 1 >line
	sound out/r.json good.json
}
verdict "records that no one reads" records_gone

### Standard streams

# closed NAME STATUS FILE GOOD COMMAND...: run it with each stream closed.
closed() {
	program=$1 status=$2 file=$3 good=$4
	shift 4
	echo old >"$file"
	"$@" <&- >o 2>e
	verdict "$program: no standard input" eval \
	    "test $? -eq 0 && cmp $file $good"
	echo old >"$file"
	"$@" 2>&- >o
	verdict "$program: no standard error" eval \
	    "test $? -eq 0 && cmp $file $good"
	echo old >"$file"
	"$@" >&- 2>e
	rc=$?
	# A program that prints nothing succeeds without it.
	verdict "$program: no standard output" eval \
	    "test $rc -eq $status && cmp $file $good"
	echo old >"$file"
	"$@" <&- >&- 2>&-
	verdict "$program: none at all" eval \
	    "test $? -eq $status && cmp $file $good"
}
closed extract_logs 3 out/r.json good.json "$x" -q -o out/r.json t
refuse "and states so" 3 "extract_logs: cannot write to stdout: *" \
    eval '"$x" -q -o out/r.json t >&-'
closed report_results 0 out/r.html good.html "$r" --format=html -o out/r.html \
    good.json
closed plot_results 0 out/r.gp good.gp "$p" -q --force --format=gp \
    -o out/r.gp good.json
closed predict_scaling 0 out/p.json good.prediction.json "$f" -o out/p.json \
    resnet50-v100.figures
# shellcheck disable=SC2086 # commands of several words
{
	closed "a comparison" 0 out/c.md good.compare.md $compare_table
	closed "a chart of ratios" 0 out/c.gp good.compare.gp $compare_chart
	closed "a prediction's chart" 0 out/p.svg good.prediction.svg \
	    $prediction_chart
}
refuse "predict_scaling without standard output" 3 \
    "predict_scaling: cannot write to stdout: *" \
    eval '"$f" resnet50-v100.figures >&-'
refuse "report_results without standard output" 3 \
    "report_results: cannot write to stdout: *" eval '"$r" good.json >&-'
refuse "plot_results without standard output" 3 \
    "plot_results: cannot write to stdout: *" \
    eval '"$p" --format=gp -o - good.json >&-'
refuse "a log from a standard input that is closed" 4 \
    "extract_logs: none of 1 logs is usable" eval '"$x" -o out/r.json - <&-'
for program in $PROGRAMS; do
	refuse "$program --help without standard output" 3 \
	    "$program: cannot write to stdout: *" \
	    eval '"$bindir/$program" --help >&-'
done

### Limits

# File size: a message, no signal. The message goes into a pipe without limit.
full() {
	program=$1 file=$2
	shift 2
	echo old >"$file"
	said=$( (
		ulimit -f 0
		exec "$bindir/$program" -o "$file" "$@" 2>&1 >/dev/null
	) )
	rc=$?
	echo "status $rc: $said"
	test $rc -eq 3 && test "$(cat "$file")" = old || return 1
	case $said in
	*"$program: cannot write "*": File too large") ;;
	*) return 1;;
	esac
	test -z "$(find out -name '*.tmp.*')"
}
verdict "extract_logs: no file may grow" full extract_logs out/r.json -q t
verdict "report_results: no file may grow" full report_results out/r.html \
    --format=html good.json
verdict "plot_results: no file may grow" full plot_results out/r.gp -q --force \
    --format=gp good.json
verdict "predict_scaling: no file may grow" full predict_scaling out/p.json \
    resnet50-v100.figures
verdict "report_results --html: no file may grow" full report_results \
    out/page.html --html good.json
verdict "a comparison: no file may grow" full report_results out/c.md \
    --compare good.json new.json
verdict "a chart of ratios: no file may grow" full plot_results out/c.gp \
    -q --force --format=gp --chart=compare good.json new.json
stdout_full() {
	said=$( (
		ulimit -f 0
		exec "$@" 2>&1 >out/table
	) )
	rc=$?
	echo "status $rc: $said"
	test $rc -eq 3 && case $said in
	*": cannot write to stdout: File too large") ;;
	*) false;;
	esac
}
verdict "a table into a file that may not grow" stdout_full "$r" good.json
verdict "a help text too" stdout_full "$x" --help
verdict "a script too" stdout_full "$p" --format=gp -o - good.json

# Descriptors and memory: success, or a message and the old file.
# tight LIMIT VALUE FILE GOOD COMMAND...
tight() {
	limit=$1 value=$2 file=$3 good=$4
	shift 4
	echo old >"$file"
	(
		ulimit "$limit" "$value" || exit 0
		exec "$@"
	) >o 2>e
	rc=$?
	case $rc in
	0) cmp "$file" "$good";;
	3 | 4) grep -q . e && test "$(cat "$file")" = old;;
	*)
		echo "status $rc with $value"
		cat e
		false
		;;
	esac
}
descriptors() {
	for fds in 20 12 8 7 6 5; do
		tight -n $fds "$@" || return 1
	done
}
verdict "extract_logs with few descriptors" descriptors out/r.json good.json \
    "$x" -q -j2 -o out/r.json t
# A file that cannot be opened because descriptors run out is not bad.
mkdir many
for k in 1 2 3 4 5 6 7 8; do
	mkdir -p many/1n${k}g
	imagenet 3000 t=0.5 >many/1n${k}g/r18_b4_fp32_1.log
done
"$x" -q -o many.json many >/dev/null
threads() {
	for fds in 9 8 7 6 5; do
		tight -n $fds out/r.json many.json "$x" -q -j8 -o out/r.json \
		    many && test $rc -ne 4 || return 1
	done
}
verdict "extract_logs with few descriptors and many threads" threads
verdict "report_results with few descriptors" descriptors out/r.html good.html \
    "$r" --format=html -o out/r.html good.json
verdict "plot_results with few descriptors" descriptors out/r.gp good.gp \
    "$p" -q --force --format=gp -o out/r.gp good.json
verdict "predict_scaling with few descriptors" descriptors out/p.json \
    good.prediction.json "$f" -o out/p.json resnet50-v100.figures
verdict "report_results --html with few descriptors" descriptors out/page.html \
    good.page.html "$r" --html -o out/page.html good.json
# shellcheck disable=SC2086 # commands of several words
{
	verdict "a comparison with few descriptors" descriptors out/c.md \
	    good.compare.md $compare_table
	verdict "a chart of ratios with few descriptors" descriptors \
	    out/c.gp good.compare.gp $compare_chart
	verdict "a prediction's chart with few descriptors" descriptors \
	    out/p.svg good.prediction.svg $prediction_chart
}
# A sanitizer's runtime needs terabytes of addresses.
if (ulimit -v 4000000 && exec "$x" --version) >/dev/null 2>&1; then
	memory() { # COMMAND FILE GOOD ARGUMENT...
		command=$1 file=$2 good=$3
		shift 3
		for kb in 3000000 200000 60000 30000 20000 15000 12000 9000; do
			(
				ulimit -v $kb
				exec "$command" --version >/dev/null 2>&1
			) || return 0 # not even the libraries fit
			tight -v $kb "$file" "$good" "$command" "$@" || return 1
		done
	}
	verdict "extract_logs with little memory" memory "$x" out/r.json \
	    good.json -q -j2 -o out/r.json t
	verdict "report_results with little memory" memory "$r" out/r.html \
	    good.html --format=html -o out/r.html good.json
	verdict "plot_results with little memory" memory "$p" out/r.gp good.gp \
	    -q --force --format=gp -o out/r.gp good.json
	verdict "report_results --html with little memory" memory "$r" \
	    out/page.html good.page.html --html -o out/page.html good.json
	verdict "a comparison with little memory" memory "$r" out/c.md \
	    good.compare.md --compare -o out/c.md good.json new.json
	verdict "a chart of ratios with little memory" memory "$p" out/c.gp \
	    good.compare.gp -q --force --format=gp --chart=compare \
	    -o out/c.gp good.json new.json
	verdict "predict_scaling with little memory" memory "$f" out/p.json \
	    good.prediction.json -o out/p.json resnet50-v100.figures
else
	skip "programs with little memory" "they cannot be limited"
fi

### Signals

# seconds COMMAND...: print the time that it takes.
seconds() {
	start=$(date +%s.%N)
	"$@" >/dev/null 2>&1
	awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN { print b - a }'
}

# killed SIGNAL FILE GOOD COMMAND...: send it at $kills random moments of a run.
shell=$(readlink /proc/$$/exe)
killed() {
	signal=$1 file=$2 good=$3 k=0 ended=0
	shift 3
	span=$(seconds "$@")
	while test $k -lt "$kills"; do
		k=$((k + 1))
		rm -f out/*
		echo old >"$file"
		"$@" >/dev/null 2>&1 &
		pid=$!
		# A signal between fork and exec would run the shell's own trap,
		# which removes this test's folder.
		while test "$(readlink /proc/$pid/exe)" = "$shell"; do :; done
		sleep "$(awk -v k=$k -v seed="$(date +%N)" -v s="$span" \
		    'BEGIN { srand(seed + k); printf "%.4f", 1.1 * s * rand() }')"
		kill -s "$signal" $pid 2>/dev/null
		wait $pid 2>/dev/null || ended=$((ended + 1))
		# Nothing can be tidied up after SIGKILL.
		if test "$signal" = KILL; then rm -f out/*.tmp.*; fi
		sound "$file" "$good" || return 1
	done
	echo "$ended of $k were ended"
}
for signal in TERM KILL; do
	verdict "extract_logs: SIG$signal at any moment" killed $signal \
	    out/r.json good.json "$x" -q -o out/r.json --records=out/records t
	verdict "report_results: SIG$signal at any moment" killed $signal \
	    out/r.html good.html "$r" --format=html -o out/r.html good.json
	verdict "report_results --html: SIG$signal at any moment" killed \
	    $signal out/r.html good.page.html "$r" --html -o out/r.html good.json
	verdict "plot_results: SIG$signal at any moment" killed $signal out/r.gp \
	    good.gp "$p" -q --force --format=gp -o out/r.gp good.json
	verdict "predict_scaling: SIG$signal at any moment" killed $signal \
	    out/p.json good.prediction.json "$f" -o out/p.json \
	    resnet50-v100.figures
	# shellcheck disable=SC2086 # commands of several words
	verdict "a comparison: SIG$signal at any moment" killed $signal \
	    out/c.md good.compare.md $compare_table
	# shellcheck disable=SC2086
	verdict "a chart of ratios: SIG$signal at any moment" killed $signal \
	    out/c.gp good.compare.gp $compare_chart
	# shellcheck disable=SC2086
	verdict "a prediction's chart: SIG$signal at any moment" killed \
	    $signal out/p.svg good.prediction.svg $prediction_chart
done
mkdir drawn # next to a picture its script is written
if "$p" -q -o drawn/r.svg good.json 2>/dev/null; then
	for signal in TERM KILL; do
		verdict "a picture: SIG$signal at any moment" killed $signal \
		    out/r.svg drawn/r.svg "$p" -q -o out/r.svg good.json
	done
else
	skip "a picture: SIGTERM at any moment" "no gnuplot"
	skip "a picture: SIGKILL at any moment" "no gnuplot"
fi
# A slow reader of a pipe makes sure that the temporary file exists.
tidy() {
	rm -f out/*
	echo old >out/r.json
	mkfifo pipe
	# The caller of the tests may ignore the signal, as nohup does.
	env --default-signal="$1" "$x" -q -o out/r.json --records=out/records - <pipe 2>/dev/null &
	pid=$!
	exec 9>pipe
	imagenet 50 >&9
	i=0
	while test $i -lt 100 && ! ls out/records.tmp.* >/dev/null 2>&1; do
		sleep 0.1
		i=$((i + 1))
	done
	kill -s "$1" $pid
	exec 9>&-
	wait $pid
	rc=$?
	rm pipe
	echo "status $rc:" out/*
	test $rc -gt 128 -a "$(ls out)" = r.json -a "$(cat out/r.json)" = old
}
for signal in HUP TERM; do
	verdict "SIG$signal leaves no temporary file" tidy $signal
done

### Two writers

# writers GOOD FILE COMMAND...: run two at once, $kills times.
writers() {
	good=$1 file=$2 k=0
	shift 2
	while test $k -lt "$kills"; do
		k=$((k + 1))
		rm -f out/*
		"$@" >/dev/null &
		one=$!
		"$@" >/dev/null &
		wait $one && wait $! || return 1
		cmp "$file" "$good" || return 1
		test "out/$(ls out)" = "$file" || return 1
	done
}
verdict "two writers of one result" writers good.json out/r.json "$x" -q \
    -o out/r.json t
verdict "two writers of one page" writers good.page.html out/r.html "$r" \
    --html -o out/r.html good.json
verdict "two writers of one script" writers good.gp out/r.gp "$p" -q --force \
    --format=gp -o out/r.gp good.json
verdict "two writers of one prediction" writers good.prediction.json \
    out/p.json "$f" -o out/p.json resnet50-v100.figures
# shellcheck disable=SC2086 # commands of several words
{
	verdict "two writers of one comparison" writers good.compare.md \
	    out/c.md $compare_table
	verdict "two writers of one chart of ratios" writers good.compare.gp \
	    out/c.gp $compare_chart
	verdict "two writers of one chart of a prediction" writers \
	    good.prediction.svg out/p.svg $prediction_chart
}
finish
