# Sourced by tests that stop and kill the processes of a run.

# family PROCESS...: print the processes and all their descendants.
family() {
	for p in "$@"; do
		echo "$p"
		# shellcheck disable=SC2046 # one word a process
		family $(pgrep -P "$p")
	done
}
# find_rank RANK PROCESS...: print the process of an MPI rank.
find_rank() {
	find_rank=$1
	shift
	grep -alE "(OMPI_COMM_WORLD|PMI)_RANK=$find_rank" \
	    $(printf '/proc/%s/environ ' "$@") 2>/dev/null |
	    tr -dc '0-9\n' | tail -n 1
}
# alive PROCESS...: print those that still run, without zombies.
alive() {
	for p in "$@"; do
		if grep -qs '^State:	[^Z]' "/proc/$p/status"; then
			echo "$p"
		fi
	done
}
# none_alive PROCESS...: true if all end within 5 seconds.
none_alive() {
	for i in 1 2 3 4 5 6 7 8 9 10; do
		if test -z "$(alive "$@")"; then return 0; fi
		sleep 0.5
	done
	alive "$@"
	return 1
}
# wait_for_lines N FILE: wait until a log has N lines of steps, up to a minute.
wait_for_lines() {
	i=0
	while test $((i += 1)) -le 300; do
		sleep 0.2
		if test "$(grep -c '^Epoch' "$2")" -ge "$1"; then break; fi
	done
}
