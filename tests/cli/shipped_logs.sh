# The shipped logs: what extract_logs reads from those of our own trainer, that
# every run counts, and that the logs agree with experiments/.
. "$top_srcdir/tests/lib.sh"

logs=$top_srcdir/logs/dlscale-cpu
cd "$tmp" || exit 1
check "logs/dlscale-cpu" shipped-dlscale-cpu.txt \
    "$bindir/extract_logs" --quiet --output-dir result "$logs"
verdict "no log is left out" test \
    "$(find "$logs" -name '*.log' | wc -l)" -eq 20
verdict "all of them count, and nothing contradicts their paths" sh -c '
	! grep -q "\"excluded\": *\[ *{" "$1" && ! grep -q " says " "$1"
    ' sh result/dlscale-cpu_result.json
unset TRAIN_IMAGENET MPIRUN HOSTFILE SLURM_JOB_ID
"$bindir/run_sweep" -n --set launcher=env --set program=train_imagenet \
    "$top_srcdir/experiments/dlscale-cpu.sweep" |
    sed 's/.*>\(.*\) 2>.*/\1/' | sort >planned
(cd "$top_srcdir" && find logs/dlscale-cpu -name '*.log' | sort) >there
verdict "experiments/dlscale-cpu.sweep makes these" diff planned there
finished() {
	for log in "$logs"/*/*.log; do
		grep -q '^dlscale: summary steps=125 ' "$log" &&
		    grep -q '^real [0-9.]*$' "$log" || {
			echo "$log"
			return 1
		}
	done
}
verdict "each ends with its summary and times" finished
check "logs/dlscale-links, their speeds by link" shipped-dlscale-links.txt \
    "$bindir/extract_logs" --quiet --output-dir result --skip-iterations=2 \
    --warmup-batches=2 --train-batches=16 "$top_srcdir/logs/dlscale-links"
verdict "all of them count too" sh -c '
	! grep -q "\"excluded\": *\[ *{" "$1" &&
	test "$(grep -c "\"used\": true" "$1")" -eq 36
    ' sh result/dlscale-links_result.json
verdict "their machine is described" grep -q '^processors: 2' \
    "$logs/machine.txt"

# The shipped experiments agree with doc/experiments.md.
ln -s "$top_srcdir/logs" logs
for experiment in backends bandwidth scaling fusion; do
	verdict "run_experiment --report-only $experiment reads logs/$experiment" eval \
	    '"$bindir/run_experiment" --device=cpu --report-only $experiment \
		>out 2>err'
	# "fusion" compares on four nodes, and has no run on one.
	verdict "it has nothing to warn of" sh -c \
	    "! grep warning err | grep -v ' 4n1g: the baseline, because '"
	verdict "all its runs count" sh -c '
		test "$(grep -c "\"used\": true" "$1")" -eq "$2"
	    ' sh "result/${experiment}_result.json" \
	    "$(find "$top_srcdir/logs/$experiment" -name '*.log' | wc -l)"
	awk '/^\|/ { print; n = 1; next } n { exit }' "result/$experiment.md" >table
	verdict "doc/experiments.md has its table" test -z "$(
	    grep -vxFf "$top_srcdir/doc/experiments.md" table
	)" -a -s table
done
check "logs/bandwidth, its speeds by link" shipped-bandwidth.txt \
    "$bindir/extract_logs" --quiet --output-dir result --rule=all \
    --from-iteration=6 "$top_srcdir/logs/bandwidth"

# What ./quickstart shows of the logs, in a folder like that of a built clone.
mkdir clone && cd clone || exit 1
ln -s "$(cd "$bindir" && pwd)" build
ln -s "$top_srcdir/logs" logs
{
	echo 'say() { printf "%s\n" "$*"; }'
	sed -n '/^show_logs() {/,/^}/p' "$top_srcdir/quickstart"
	sed -n '/^	show_logs logs/s/;;$//p' "$top_srcdir/quickstart"
} >show.sh
if "${GNUPLOT:-gnuplot}" --version >/dev/null 2>&1; then
	verdict "./quickstart shows its logs" eval 'sh show.sh >shown 2>err'
	page=$(sed -n 's/^Open \(.*\) in a browser: .*/\1/p' shown)
	verdict "and ends by naming the page that it wrote" eval \
	    'test "$page" = "$PWD/result/report.html" && test -s "$page"'
else
	skip "what ./quickstart shows" "no gnuplot"
fi
finish
