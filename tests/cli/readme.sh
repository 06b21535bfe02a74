# What README.md shows is what the programs print: the table of the shipped
# logs, and the picture below it.
. "$top_srcdir/tests/lib.sh"

readme=$top_srcdir/README.md
# The block behind the command, up to the next command, without its indent.
sed -n '/^    \$ build\/extract_logs --log-dir/,/^    \$ build\/plot_results/p' \
    "$readme" | sed '1d;$d;s/^    //' >"$tmp/shown"
(cd "$tmp" && "$bindir/extract_logs" --log-dir "$top_srcdir/logs/pytorch-cpu" \
    >"$tmp/printed" 2>"$tmp/err")
verdict "README shows a table" test -s "$tmp/shown"
verdict "README shows what extract_logs prints" diff "$tmp/shown" "$tmp/printed"

if command -v gnuplot >/dev/null 2>&1; then
	(cd "$tmp" && "$bindir/plot_results" result/pytorch-cpu_result.json \
	    >"$tmp/out" 2>&1)
	verdict "README shows the picture that plot_results draws" cmp \
	    "$top_srcdir/doc/pytorch-cpu_speedup.svg" \
	    "$tmp/result/pytorch-cpu_speedup.svg"
else
	skip "README shows the picture that plot_results draws" "no gnuplot"
fi

# Every word that README gives to quickstart is one that it takes.
sed -n 's/^    \.\/quickstart  *\([a-z]\{1,\}\) .*/\1/p' "$readme" >"$tmp/words"
verdict "README names quickstart train" grep -qx train "$tmp/words"
"$top_srcdir/quickstart" --help >"$tmp/usage"
while read -r word; do
	verdict "quickstart says what $word does" grep -q "$word: " "$tmp/usage"
done <"$tmp/words"

# Every program and every document that README names is there.
for program in $PROGRAMS; do
	verdict "README names $program" grep -q "\`$program" "$readme"
done
grep -o '](\([^)]*\))' "$readme" | tr -d '()]' | while read -r file; do
	test -e "$top_srcdir/$file" || echo "$file"
done >"$tmp/missing"
verdict "what README links is there" test ! -s "$tmp/missing"
finish
