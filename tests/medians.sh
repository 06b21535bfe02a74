# Sourced by tests that compare the figures of logs: $x is extract_logs, $one
# the options that a single log needs.

# median ARGUMENT...: print the median of the only case.
median() {
	"$x" -q --format=csv -o /dev/null "$@" 2>/dev/null |
	    awk -F, 'NR > 1 { print $10 }' | tr '\n' ' '
}
# like NAME FILE: FILE must have the same median as a.log.
# shellcheck disable=SC2086 # options
like() {
	want=$(median $one a.log) got=$(median $one "$2")
	verdict "$1" test -n "$want" -a "$want" = "$got"
}
