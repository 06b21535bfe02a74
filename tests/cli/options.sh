# Check for each program that the option table, --help, the man page and the
# bash completion name the same long options, that the parser accepts each of
# them, and that roff reads the man page without a warning. PROGRAMS names the
# programs, which are in $bindir.
. "$top_srcdir/tests/lib.sh"

long_help() {
	"$bindir/$1" --help |
	    sed -n 's/^  \(-[A-Za-z0-9], \)\{0,1\}--\([a-z0-9-]*\).*/\2/p'
}
long_man() {
	"$bindir/$1" --help=man | sed -n '/^\.TP/{n;s/\\-/-/g
s/^\.B \(-[A-Za-z0-9], \)\{0,1\}--\([a-z0-9-]*\).*/\2/p
}'
}
long_bash() {
	# shellcheck disable=SC2016 # the completion's own text
	"$bindir/$1" --help=bash | grep '^complete ' |
	    grep -o -- '--[a-z0-9-]*' | sed 's/^--//' | grep -v '^$'
}

for program in $PROGRAMS; do
	long_help "$program" | sort >"$tmp/help"
	long_man "$program" | sort >"$tmp/man"
	long_bash "$program" | sort >"$tmp/bash"
	verdict "$program: --help lists options" test -s "$tmp/help"
	verdict "$program: no option twice" \
	    test "$(uniq -d <"$tmp/help" | wc -l)" -eq 0
	verdict "$program: man page agrees with --help" \
	    diff "$tmp/help" "$tmp/man"
	verdict "$program: completion agrees with --help" \
	    diff "$tmp/help" "$tmp/bash"
	: >"$tmp/unknown"
	while read -r option; do
		# "@" is neither a number nor a choice: it may be rejected as
		# the value of an option, but the option must be recognised.
		(cd "$tmp" && "$bindir/$program" "--$option=@" </dev/null 2>&1) |
		    grep -F 'unrecognized option' |
		    sed "s/^/--$option: /" >>"$tmp/unknown"
	done <"$tmp/help"
	verdict "$program: the parser knows every listed option" \
	    test ! -s "$tmp/unknown"
	refuse "$program: an unknown option is wrong usage" 2 \
	    "$program: unrecognized option '--no-such-option'" \
	    "$bindir/$program" --no-such-option
	verdict "$program: and help is named" \
	    grep -qx "$program: try --help" "$tmp/err"
	refuse "$program: a letter that is none" 2 \
	    "$program: invalid option -- 'Z'" "$bindir/$program" -Z
	# The error for a common beginning names all options that have it.
	start=$(sed -n 's/^\(.\).*/\1/p' "$tmp/help" | uniq -d | head -n 1)
	sed -n "s/^$start.*/--&/p" "$tmp/help" | sort >"$tmp/want"
	refuse "$program: --$start is ambiguous" 2 \
	    "$program: option '--$start' is ambiguous; possibilities: '--*" \
	    "$bindir/$program" "--$start"
	tr ' ' '\n' <"$tmp/err" | tr -d "'" | sort >"$tmp/named"
	verdict "$program: and all are named" \
	    test -s "$tmp/want" -a -z "$(comm -23 "$tmp/want" "$tmp/named")"
	verdict "$program: no gate, no status of one" eval '
		"$bindir/$program" --help >"$tmp/out"
		if grep -q -- "^  --gate" "$tmp/out"; then
			tr -s " \n" " " <"$tmp/out" |
				grep -q "1 a gate failed, or a cell of --check does"
		else
			! grep -qi "gate failed" "$tmp/out" &&
			! "$bindir/$program" --help=man | grep -qi "gate failed"
		fi'
	"$bindir/$program" --version >"$tmp/out"
	verdict "$program: --version" grep -q "^$program (dlscale) [0-9]" \
	    "$tmp/out"
	if command -v groff >/dev/null 2>&1; then
		"$bindir/$program" --help=man |
		    groff -man -Tutf8 -ww 2>"$tmp/err" >/dev/null
		verdict "$program: roff takes the man page" \
		    test ! -s "$tmp/err"
	else
		skip "$program: roff takes the man page" "no groff"
	fi
	"$bindir/$program" --help=bash >"$tmp/completion"
	if command -v bash >/dev/null 2>&1; then
		verdict "$program: bash takes the completion" \
		    bash -n "$tmp/completion"
	else
		skip "$program: bash takes the completion" "no bash"
	fi
	"$bindir/$program" --help | awk 'length > 80' >"$tmp/wide"
	verdict "$program: --help fits 80 columns" test ! -s "$tmp/wide"
	"$bindir/$program" -h | sed '/^$/q' >"$tmp/brief"
	verdict "$program: -h begins with three examples" \
	    test "$(grep -c '^  [^ -]' "$tmp/brief")" -eq 3
	first=$(head -n 1 "$tmp/help")
	"$bindir/$program" "--help=$first" >"$tmp/want"
	verdict "$program: --help=--$first is --help=$first" eval '
		grep -q -- "--$first" "$tmp/want" &&
		"$bindir/$program" "--help=--$first" | diff "$tmp/want" -'
	if test -c /dev/full; then
		"$bindir/$program" --help >/dev/full 2>"$tmp/err"
		status=$?
		verdict "$program: --help into a full disk is an error" \
		    test $status -eq 3
	else
		skip "$program: --help into a full disk" "no /dev/full"
	fi
done
finish
