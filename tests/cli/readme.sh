# README.md shows what the programs print, in the table of the shipped logs and
# the picture at its top; and its commands work.
. "$top_srcdir/tests/lib.sh"

readme=$top_srcdir/README.md
# The block from the command to the next command, without indentation.
sed -n '/^    \$ build\/extract_logs --log-dir/,/^    \$ build\/plot_results/p' \
    "$readme" | sed '1d;$d;s/^    //;s/ *$//' >"$tmp/shown"
(cd "$tmp" && "$bindir/extract_logs" --log-dir "$top_srcdir/logs/pytorch-cpu" \
    2>"$tmp/err" | sed 's/ *$//' >"$tmp/printed")
verdict "README shows a table" test -s "$tmp/shown"
verdict "README shows what extract_logs prints" diff "$tmp/shown" "$tmp/printed"

if command -v gnuplot >/dev/null 2>&1; then
	"$bindir/plot_results" --chart=efficiency -o "$tmp/efficiency.svg" \
	    "$top_srcdir/doc/resnet50-v100.figures" >"$tmp/out" 2>&1
	verdict "README shows the picture that plot_results draws" cmp \
	    "$top_srcdir/doc/resnet50-v100_efficiency.svg" \
	    "$tmp/efficiency.svg"
else
	skip "README shows the picture that plot_results draws" "no gnuplot"
fi

# Every command of the table "I want to" works, in a folder that resembles the
# sources.
mkdir "$tmp/top" && for f in doc experiments logs; do
	ln -s "$(cd "$top_srcdir" && pwd)/$f" "$tmp/top/$f"
done
ln -s "$bindir" "$tmp/top/build"
(cd "$tmp/top" && build/extract_logs -q logs/pytorch-cpu >/dev/null)
sed -n 's/^| .* | `\(build\/.*\)` |$/\1/p' "$readme" >"$tmp/wanted"
verdict "README has a table of commands" \
    test "$(wc -l <"$tmp/wanted")" -ge 8
while read -r command; do
	case $command in
	*--chart=all*)
		command -v gnuplot >/dev/null 2>&1 || {
			skip "$command" "no gnuplot"
			continue
		};;
	esac
	case $command in
	*--history=*)
		built_with SQLITE || {
			skip "$command" "built without SQLite"
			continue
		};;
	esac
	(cd "$tmp/top" && timeout 300 sh -c "$command" >"$tmp/printed" \
	    2>"$tmp/err" </dev/null)
	rc=$?
	comment "$tmp/err"
	wrote=$tmp/printed
	case $command in
	*--output=*) wrote=$tmp/top/$(echo "$command" |
		    sed 's/^.*--output=\([^ ]*\).*/\1/');;
	esac
	verdict "$command" test $rc -eq 0 -a -s "$wrote"
done <"$tmp/wanted"

# quickstart accepts every word that README gives it.
sed -n 's/^    \.\/quickstart  *\([a-z-]\{1,\}\) .*/\1/p' "$readme" >"$tmp/words"
for word in train check check-long; do
	verdict "README names quickstart $word" grep -qx -- "$word" "$tmp/words"
done
"$top_srcdir/quickstart" --help >"$tmp/usage"
while read -r word; do
	verdict "quickstart names what $word does" grep -q "$word: " "$tmp/usage"
done <"$tmp/words"

# README names every program, and every document that it links exists.
for program in $PROGRAMS; do
	verdict "README names $program" grep -q "\`$program" "$readme"
done
grep -o '](\([^)]*\))' "$readme" | tr -d '()]' | while read -r file; do
	test -e "$top_srcdir/$file" || echo "$file"
done >"$tmp/missing"
verdict "what README links is there" test ! -s "$tmp/missing"
finish
