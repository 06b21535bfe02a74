#!/bin/sh
# Every fuzz target must survive its seed corpus, tests/fuzz/corpus/TARGET/*.
# The input of a crash that fuzzing finds is added there once it is fixed.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "${top_srcdir:-.}/tests/lib.sh"

for target in ${FUZZ_TARGETS-}; do
	name=${target##*/fuzz_}
	corpus=$top_srcdir/tests/fuzz/corpus/$name
	# A target built without its library rejects all inputs.
	case $name in
	history) library=SQLITE ;;
	image) library=JPEG ;;
	packed) library=ZLIB ;;
	*) library= ;;
	esac
	if test -n "$library" && ! built_with "$library"; then
		skip "$name" "built without $library"
		continue
	fi
	set -- "$corpus"/*
	if test ! -e "$1"; then
		result 1 "$name has a seed corpus"
		continue
	fi
	"$bindir/$target" "$@" >"$tmp/out" 2>&1
	rc=$?
	# A corpus tests nothing if the target no longer reads any of it,
	# because its input format has changed.
	if grep -q '^[0-9]* files, 0 read' "$tmp/out"; then rc=1; fi
	result $rc "$name: $# files"
	tail -n 1 "$tmp/out" | comment
	if test $rc -ne 0; then
		{
			echo "status $rc"
			tail -n 40 "$tmp/out"
		} | comment
	fi
done

# "make fuzz-long" continues where its last call ended.
mkdir "$tmp/hunt"
hunt() {
	(cd "$tmp/hunt" && FUZZ_SECONDS=1 FUZZ_GOAL=100 FUZZ_ONLY=$1 sh \
	    "$top_srcdir/tests/fuzz/hunt.sh" "$top_srcdir" \
	    tests/fuzz/fuzz_units tests/fuzz/fuzz_hosts) >"$tmp/table" 2>&1
}
case $top_srcdir in /*) ;; *) top_srcdir=$PWD/$top_srcdir ;; esac
ln -s "$bindir/tests" "$tmp/hunt/tests"
hunt units
verdict "a hunt has a row" grep -q '^| units | [0-9]* |' "$tmp/table"
first=$(sed -n 's/^units //p' "$tmp/hunt/fuzz-sums")
hunt units
second=$(sed -n 's/^units //p' "$tmp/hunt/fuzz-sums")
verdict "executions add up" test "${second:-0}" -gt "${first:-0}"
hunt hosts
verdict "over all targets" grep -q \
    "^$(awk '{ n += $2 } END { printf "%.0f", n }' "$tmp/hunt/fuzz-sums") exec" \
    "$tmp/table"
finish
