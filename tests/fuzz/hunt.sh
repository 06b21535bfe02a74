#!/bin/sh
# Runs fuzz targets for FUZZ_SECONDS each (600) and prints a row for each: the
# table of doc/robustness.md. "make fuzz-long" calls it in the build folder.
#
#	hunt.sh SOURCES TARGET...
#
# It can be stopped and called again at any time: fuzz-sums keeps the number of
# executions of each target in all runs that were not interrupted. The last line
# states their share of FUZZ_GOAL (1000000000) over all targets.
# FUZZ_ONLY="image log": these targets only.
#
# With CC=clang --enable-fuzz the targets are libFuzzer programs: new inputs are
# added to fuzz-corpus/TARGET, which is then minimized for its coverage.
# Otherwise the seeds are mutated without coverage, with another random seed
# each time. A crash ends with status 1; its input is fuzz-crash-TARGET*.
set -u
sources=$1 seconds=${FUZZ_SECONDS:-600} status=0
shift
goal=${FUZZ_GOAL:-1000000000}
sums=fuzz-sums
touch "$sums"
DLSCALE_FORMAT_PATH=$sources/extract/formats:$sources/extract/layouts
export DLSCALE_FORMAT_PATH
said=$(mktemp) && trap 'rm -f "$said"' EXIT

# last PATTERN: the number after its last occurrence.
last() { sed -n "s/.*$1 *\\([0-9][0-9]*\\).*/\\1/p" "$said" | tail -n 1; }

# sum NAME: executions so far
sum() {
	awk -v name="$1" '$1 == name { n = $2 } END { printf "%.0f\n", n }' "$sums"
}

# add NAME N: add N to its sum; the file is replaced atomically.
add() {
	awk -v name="$1" -v n="$2" '
		$1 == name { $2 += n; found = 1 }
		{ printf "%s %.0f\n", $1, $2 }
		END { if (!found) printf "%s %.0f\n", name, n }' "$sums" \
	    >"$sums.new" && mv "$sums.new" "$sums"
}

# mutate TARGET NAME SEEDS: fuzz without coverage
mutate() {
	DLSCALE_FUZZ_SECONDS=$seconds \
	    DLSCALE_FUZZ_SEED=$(($(date +%s) % 1000000000)) \
	    DLSCALE_FUZZ_CRASH=fuzz-crash-$2 \
	    "$1" "$3"/* >"$said" 2>&1 || return 1
	executions=$(last ';')
	add "$2" "$executions"
	echo "| $2 | $executions | $(last 'mutations,') | - | - | $(sum "$2") |"
}

# cover TARGET NAME SEEDS: fuzz with libFuzzer
cover() {
	mkdir -p "fuzz-corpus/$2"
	"$1" -max_total_time="$seconds" -print_final_stats=1 -timeout=60 \
	    -artifact_prefix="fuzz-crash-$2-" "fuzz-corpus/$2" \
	    "$3" >"$said" 2>&1 || return 1
	executions=$(last 'number_of_executed_units:') edges=$(last 'cov:')
	add "$2" "$executions"
	rm -rf "fuzz-corpus/$2.small"
	mkdir "fuzz-corpus/$2.small"
	"$1" -merge=1 "fuzz-corpus/$2.small" "fuzz-corpus/$2" "$3" \
	    >"$said" 2>&1 || return 1
	rm -r "fuzz-corpus/$2"
	mv "fuzz-corpus/$2.small" "fuzz-corpus/$2"
	files=$(find "fuzz-corpus/$2" -type f | wc -l)
	echo "| $2 | $executions | - | $edges | $files | $(sum "$2") |"
}

echo "| target | executions | read | edges covered | files that cover them | so far |"
echo "|---|--:|--:|--:|--:|--:|"
for target; do
	name=${target##*/fuzz_}
	case " ${FUZZ_ONLY:-$name} " in
	*" $name "*) ;;
	*) continue ;;
	esac
	if "./$target" -help=1 2>&1 | grep -q libFuzzer; then
		how=cover
	else
		how=mutate
	fi
	if ! $how "./$target" "$name" "$sources/tests/fuzz/corpus/$name"; then
		status=1
		echo "| $name | crashed | | | | |"
		tail -n 30 "$said" >&2
	fi
done
awk -v goal="$goal" '{ n += $2 } END {
	printf "%.0f executions so far, %.2f %% of %.0f\n", n, 100 * n / goal,
	    goal }' "$sums"
exit $status
