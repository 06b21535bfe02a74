# Each file of make install is in one Debian package, and each line of
# debian/*.install names some, so that no new program is forgotten. make
# uninstall removes the files again.
. "$top_srcdir/tests/lib.sh"

top_srcdir=$(cd "$top_srcdir" && pwd)
unset MAKEFLAGS MFLAGS MAKELEVEL
# Another prefix would relink the programs while other tests run them.
if ! make -C "$bindir" install DESTDIR="$tmp/inst" >"$tmp/out" 2>&1; then
	comment "$tmp/out"
	verdict "make install" false
	finish
	exit 0
fi
bin=$(find "$tmp/inst" -path '*/bin/extract_logs')
usr=${bin%/bin/extract_logs}
(cd "$usr" && find . -type f | sed 's,^\./,usr/,' | sort) >"$tmp/files"

# matched: print the files named by the lines of all packages, once for each
# line that names them; fail if a line names none
matched() {
	cd "$usr" || return 1
	for line in $(cat "$top_srcdir"/debian/*.install); do
		# shellcheck disable=SC2086 # a line may be a pattern
		find ${line#usr/} -type f 2>/dev/null | sed 's,^,usr/,' |
		    grep . || {
			echo "$line names no file" >&2
			return 1
		}
	done
}

verdict "files are installed" test "$(wc -l <"$tmp/files")" -gt 100
verdict "each line of debian/*.install names some" \
    eval 'matched | sort >"$tmp/in_packages"; matched >/dev/null'
verdict "each file is in one package" \
    diff "$tmp/files" "$tmp/in_packages"

# make uninstall removes the installed files and the folders that held only
# them, but no files of others.
uninstall() {
	make -C "$bindir" uninstall DESTDIR="$tmp/inst" >"$tmp/out" 2>&1
}
data=$(find "$usr" -path '*/share/dlscale' -type d)
find "$usr" -mindepth 1 -type d -name dlscale >"$tmp/folders"
verdict "folders of our name are installed" \
    test "$(wc -l <"$tmp/folders")" -ge 2 -a -d "$data/formats"
echo mine >"$data/formats/mine.format"
verdict "make uninstall" uninstall
find "$tmp/inst" -type f -o -type l >"$tmp/left"
comment "$tmp/left"
verdict "of files it leaves that of another" \
    test "$(cat "$tmp/left")" = "$data/formats/mine.format"
find "$usr" -mindepth 1 -type d -name dlscale >"$tmp/folders"
verdict "of folders those that hold it" \
    test "$(cat "$tmp/folders")" = "$data"
rm "$data/formats/mine.format"
verdict "and once more" uninstall
find "$usr" -mindepth 1 -name '*dlscale*' >"$tmp/left"
comment "$tmp/left"
verdict "nothing of our name is left" test ! -s "$tmp/left"
finish
