# check of tests/lib.sh: UPDATE=1 rewrites a golden file, unless the command
# fails.
. "$top_srcdir/tests/lib.sh"
golden=$tmp/golden
mkdir "$golden"

# Each runs in a subshell with its own numbering.
updated() {
	echo old >"$golden/g"
	(UPDATE=1 && check "inner" g sh -c "$1") >"$tmp/inner"
}
updated 'echo new'
verdict "a command with status 0 updates its golden" eval \
    'grep -q new "$golden/g" && grep -q "^ok" "$tmp/inner"'
updated 'echo new; exit 3'
verdict "a command that fails does not" eval \
    'grep -q old "$golden/g" && grep -q "^not ok" "$tmp/inner"'
(check "inner" g echo new) >"$tmp/inner"
verdict "without UPDATE a difference is a failure" eval \
    'grep -q old "$golden/g" && grep -q "^not ok" "$tmp/inner"'
(check "inner" g sh -c 'echo old; exit 3') >"$tmp/inner"
verdict "and so is the status" grep -q '^not ok' "$tmp/inner"
finish
