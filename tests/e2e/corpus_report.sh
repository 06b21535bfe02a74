# make corpus-report with a corpus made here, with logs that agree, differ, are
# unrecognised or have no figure.
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/logs.sh"
if ! command -v python3 >/dev/null 2>&1; then
	echo "1..0 # SKIP no python3"
	exit 0
fi
report() {
	python3 "$top_srcdir/tests/e2e/corpus_report.py" "$1" \
	    "$bindir/extract_logs" "$tmp/report.md"
}
mkdir -p "$tmp/c/a/1n1g" "$tmp/c/b" && cd "$tmp" || exit 1
for r in 1 2 3; do
	imagenet 131 t=0.5 >"c/a/1n1g/r50_b64_fp32_$r.log"
done
imagenet 15 t=0.5 >c/a/1n1g/r50_b64_fp32_4.log
echo 'no format knows this line' >c/b/odd.log
echo 'model,speed' >c/b/table.csv
: >c/b/empty.log
echo 'torch.distributed.elastic.multiprocessing.errors.ChildFailedError' \
    >c/b/failed.log
{
	printf 'file\trepo\tpath\tcommit\tbytes\tlicense\tpublished\n'
	for r in 1 2 3; do
		printf 'a/1n1g/r50_b64_fp32_%s.log\t-\t-\t-\t0\tMIT\tx|y\n' $r
	done
	printf 'a/1n1g/r50_b64_fp32_4.log\t-\t-\t-\t0\tMIT\t\n'
	printf 'b/odd.log\t-\t-\t-\t0\tMIT\tnot in published table\n'
	printf 'b/empty.log\t-\t-\t-\t0\tMIT\t\n'
	printf 'b/failed.log\t-\t-\t-\t0\tMIT\t\n'
	printf 'b/table.csv\t-\t-\t-\t0\tMIT\tpublished result table\n'
} >c/SOURCES.tsv
cat >c/expected.json <<'S'
{"sets": [{"set": "a", "options": "--train-batches=120", "configs": [
  {"label": "1n1g", "median": 128, "runs": {
    "a/1n1g/r50_b64_fp32_1.log": 128, "a/1n1g/r50_b64_fp32_2.log": 128}},
  {"label": "wrong", "median": 130, "runs": {
    "a/1n1g/r50_b64_fp32_3.log": 130}}]}]}
S
verdict "it is written" eval 'report c >said'
verdict "and its totals are reported" grep -qx '.*/report.md: 2 agrees, .*' said
has() { grep -qxF -- "$1" report.md; }
row() {
	has "| a/1n1g/r50_b64_fp32_$1.log | pytorch-imagenet |  | $2 |"
}
verdict "one that agrees" row 1 \
    "--train-batches=120 | 128 reckoned | 128 samples/s | agrees: +0 %"
verdict "one that differs" row 3 \
    "--train-batches=120 | 130 reckoned | 128 samples/s | differs: -1.5 %"
verdict "one that is short states so" eval 'grep -q \
    "_4.log | pytorch-imagenet .* | no figure: has 15 of 125" report.md'
verdict "one that no one knows is counted" has '## Unrecognised: 1'
verdict "and named" has '- b/odd.log'
verdict "an empty one is not counted among them" eval 'grep -q \
    "b/empty.log .* nothing in it: the file is empty" report.md'
verdict "nor one that failed" eval 'grep -q \
    "b/failed.log .* nothing in it: the program ended with an error" report.md'
verdict "tables are no logs" eval '! grep -q table.csv report.md'
verdict "totals" has '| all | 7 |'
verdict "a set that agrees" \
    has '| a | 1n1g | --train-batches=120 | 128 | 128 | agrees |'
verdict "a set that differs" \
    has '| a | wrong | --train-batches=120 | 130 | 128 | differs |'
verdict "no corpus is an error" eval '! report nowhere 2>/dev/null'

corpus=${DLSCALE_CORPUS:-$top_srcdir/../shared/corpus}
if test -f "$corpus/SOURCES.tsv"; then
	verdict "the real corpus" report "$corpus"
	verdict "has a row for every log" eval 'test "$(grep -c \
	    "^| [^|]*/[^|]* | [^|]*| [^|]*| [^|]*| [^|]*| [^|]*| [a-z]" \
	    report.md)" -gt 500'
	verdict "in which nothing differs or is unrecognised" eval \
	    'has "| differs | 0 |" && has "| unrecognised | 0 |"'
	sed -n '1,/^## Unrecognised/p' report.md | comment
else
	skip "the real corpus" "no corpus of logs"
	skip "has a row for every log" "no corpus of logs"
	skip "in which nothing differs or is unrecognised" "no corpus of logs"
fi
finish
