# Sourced by tests that run the trainer's ranks without a launcher.
#
# ranks N OUT ARGUMENT...
#	run N ranks of $program as torchrun starts them, with all output in OUT.
#	ENV0 is set in the environment of rank 0 only.  The status is 0, or that
#	of a failed rank.  Each rank may take $ranks_seconds.
# one_weight FILE
#	true if all ranks ended with the same weights

ranks_seconds=300

ranks() {
	size=$1 out=$2 i=0 jobs=
	shift 2
	while test $i -lt "$size"; do
		only=
		test $i -ne 0 || only=${ENV0-}
		env RANK=$i WORLD_SIZE="$size" LOCAL_RANK=$i \
		    LOCAL_WORLD_SIZE="$size" TORCHELASTIC_RUN_ID="ranks-$$" \
		    ${only:+"$only"} timeout $ranks_seconds "$program" "$@" \
		    >"$out.$i" 2>&1 &
		jobs="$jobs $!"
		i=$((i + 1))
	done
	status=0
	for job in $jobs; do wait "$job" || status=$?; done
	cat "$out".[0-9] >"$out"
	rm "$out".[0-9]
	return $status
}

weights() { sed -n 's/^dlscale: weights .*xxh3=\([^ ]*\) .*/\1/p' "$1" | sort -u; }
one_weight() { test "$(weights "$1" | wc -l)" -eq 1; }
