#!/bin/sh
# Fuzz targets at length, FUZZ_SECONDS each (600), and a row of what each did:
# the table of doc/fuzzing.md.  "make fuzz-long" calls it in the build folder.
#
#	hunt.sh SOURCES TARGET...
#
# With CC=clang --enable-fuzz the targets are libFuzzer programs: what they find
# joins fuzz-corpus/TARGET, which is then made as small as its coverage allows.
# Else the seeds are mutated without coverage, from another random seed each
# time.  A crash ends with status 1; its input is fuzz-crash-TARGET*.
set -u
sources=$1 seconds=${FUZZ_SECONDS:-600} status=0
shift
DLSCALE_FORMAT_PATH=$sources/extract/formats:$sources/extract/layouts
export DLSCALE_FORMAT_PATH
said=$(mktemp) && trap 'rm -f "$said"' EXIT

# last PATTERN: the number after it, where it stood last.
last() { sed -n "s/.*$1 *\\([0-9][0-9]*\\).*/\\1/p" "$said" | tail -n 1; }

# hunt TARGET: a row of the table.
hunt() {
	name=${1##*/fuzz_}
	seeds=$sources/tests/fuzz/corpus/$name
	if ! "$1" -help=1 2>&1 | grep -q libFuzzer; then
		DLSCALE_FUZZ_SECONDS=$seconds \
		    DLSCALE_FUZZ_SEED=$(($(date +%s) % 1000000000)) \
		    DLSCALE_FUZZ_CRASH=fuzz-crash-$name \
		    "$1" "$seeds"/* >"$said" 2>&1 || return 1
		echo "| $name | $(last ';') | $(last 'mutations,') | - | - |"
		return
	fi
	mkdir -p "fuzz-corpus/$name"
	"$1" -max_total_time="$seconds" -print_final_stats=1 -timeout=60 \
	    -artifact_prefix="fuzz-crash-$name-" "fuzz-corpus/$name" \
	    "$seeds" >"$said" 2>&1 || return 1
	executions=$(last 'number_of_executed_units:') edges=$(last 'cov:')
	rm -rf "fuzz-corpus/$name.small"
	mkdir "fuzz-corpus/$name.small"
	"$1" -merge=1 "fuzz-corpus/$name.small" "fuzz-corpus/$name" "$seeds" \
	    >"$said" 2>&1 || return 1
	rm -r "fuzz-corpus/$name"
	mv "fuzz-corpus/$name.small" "fuzz-corpus/$name"
	files=$(find "fuzz-corpus/$name" -type f | wc -l)
	echo "| $name | $executions | - | $edges | $files |"
}

echo "| target | executions | read | edges covered | files that cover them |"
echo "|---|--:|--:|--:|--:|"
for target; do
	if ! hunt "./$target"; then
		status=1
		echo "| ${target##*/fuzz_} | crashed | | | |"
		tail -n 30 "$said" >&2
	fi
done
exit $status
