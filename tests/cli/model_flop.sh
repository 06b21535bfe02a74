# Every row of the tables of networks follows from the layers and widths in the
# papers; a row with a wrong last digit is reported.
. "$top_srcdir/tests/lib.sh"

if ! command -v python3 >/dev/null 2>&1; then
	skip "the tables of networks" "no python3"
	finish
	exit 0
fi
rows=$top_srcdir/extract/measure/model_flop.c
case ${MUTANT-} in */model_flop.c) rows=$MUTANT ;; esac # of tests/mutate.py
again=$top_srcdir/tests/cli/model_flop.py
verdict "operations and parameters of all rows" python3 "$again" "$rows"
for change in 's/"vgg19", 19.63/"vgg19", 19.36/' \
    's/"vgg13", 11.31/"vgg13", 11.33/' 's/"gpt2", 124439808/"gpt2", 124439809/' \
    's/124439808, 12, 768/124439808, 12, 769/'
do
	sed "$change" "$rows" >"$tmp/rows.c"
	verdict "$change is noticed" eval '! python3 "$again" "$tmp/rows.c" \
	    >"$tmp/out" && test "$(grep -c ": table" "$tmp/out")" = 1'
done
finish
