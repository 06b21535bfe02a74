# What people do with logs takes one command, found in -h: the programs that
# read results also read logs and folders of logs.
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/logs.sh"
extract=$bindir/extract_logs report=$bindir/report_results
plot=$bindir/plot_results predict=$bindir/predict_scaling
cd "$tmp" || exit 1
here=$PWD

tree old 5 1n1g 1n2g 1n4g
mkdir new
for f in old/*/*.log; do
	mkdir -p "new/$(basename "$(dirname "$f")")"
	awk '{ sub("0[.]4", "0.5"); print }' "$f" \
	    >"new/$(basename "$(dirname "$f")")/$(basename "$f")"
done
"$extract" -q -o old.json old >/dev/null
"$extract" -q -o new.json new >/dev/null

# same NAME COMMAND...: COMMAND prints what is in want.
same() {
	name=$1
	shift
	"$@" >got 2>err
	echo "$?" >>got
	if cmp -s want got; then
		result 0 "$name"
	else
		result 1 "$name"
		diff want got | comment
		comment err
	fi
}
# want COMMAND...: write its output and status to want.
want() {
	"$@" >want 2>/dev/null
	echo "$?" >>want
}

want "$report" old.json
same "a table of a folder" "$report" old
same "a table of a folder with a slash" "$report" old/
(cd old && "$report" . >../got 2>/dev/null; echo "$?" >>../got)
verdict "a table of the current folder" cmp want got
want "$report" --compare --gate=slower:3% old.json new.json
same "old and new, with a gate: folders" \
    "$report" --compare --gate=slower:3% old new
verdict "the gate fails" test "$(tail -n 1 got)" = 1
same "a folder and a result" \
    "$report" --compare --gate=slower:3% old.json new/
want "$report" a=old.json b=new.json
same "labels of folders" "$report" a=old b=new
"$report" --html old.json | sed 's/>old[.]json</>old</' >want
"$report" --html old >got 2>/dev/null
verdict "a page of a folder" cmp want got
want "$predict" --to=8n4g,1n8g old.json
same "a prediction from a folder" "$predict" --to=8n4g,1n8g old
"$plot" --format=gp -o - old.json >want.gp
"$plot" --format=gp -o - old >got.gp 2>/dev/null
verdict "a chart of a folder" cmp want.gp got.gp

# Files of logs are the runs of one result.
mkdir one
cp old/1n1g/*.log one
"$report" --digits=6 one/*.log --extract='--gpus=1' >got 2>/dev/null
verdict "logs are runs of one case" grep -q '^1n1g *5 ' got
"$report" --compare one/r18_b4_fp32_1.log one/r18_b4_fp32_2.log \
    --extract='--gpus=1 --run=1' >got 2>/dev/null
verdict "two logs are compared" grep -q '1n1g' got
if built_with ZLIB; then
	gzip -k one/r18_b4_fp32_1.log
	"$report" --extract=--gpus=1 one/r18_b4_fp32_1.log.gz >got 2>/dev/null
	verdict "a compressed log" grep -q '^1n1g *1 ' got
else
	skip "a compressed log" "built without zlib"
fi
"$extract" -q --rule=all -o all.json old >/dev/null
want "$report" all.json
same "options of extract_logs" "$report" --extract=--rule=all old
printf '| GPUs | speed |\n| 1 | 10.0 |\n| 4 | 39.0 |\n' >published.md
want "$report" --check published.md old.json
same "a published table against a folder" "$report" --check published.md old

refuse "a wrong option of extract_logs" 2 \
    "report_results: old: extract_logs cannot extract it" \
    "$report" --extract=--rul=x old
mkdir none
refuse "a folder without logs" 4 \
    "plot_results: none: extract_logs cannot extract it" "$plot" none
verdict "nothing is written" test ! -e result

# -h is one screen with three examples; --help has every option.
for program in extract_logs report_results plot_results predict_scaling \
    train_imagenet run_sweep run_experiment; do
	test -x "$bindir/$program" || continue
	"$bindir/$program" -h >brief
	verdict "-h of $program is a screen" test "$(wc -l <brief)" -le 25
	verdict "-h of $program has examples" \
	    test "$(grep -c "^  $program\|^  mpirun" brief)" -eq 3
	verdict "--help of $program names more options" test \
	    "$("$bindir/$program" --help | grep -c '^  -')" -gt \
	    "$(grep -c '^  -' brief)"
done
"$report" --help=pipeline >got
verdict "--help of a heading" grep -q '^  --gate=CLAIM' got
verdict "and of nothing else" test "$(grep -c '^  --compare' got)" -eq 0
verdict "--help of an option" \
    test "$("$report" --help=gate | grep -c '^  -')" -eq 1
"$report" --help gate >want
"$report" --help=gate >got
verdict "--help TOPIC without =" cmp want got
refuse "--help of what is not there" 2 \
    "report_results: --help: no option, heading or description contains 'xyzzy'" \
    "$report" --help=xyzzy

# The locale selects the language, --lang another; CSV keeps its English heads.
"$report" --lang=zh old.json >want
for set in LC_ALL=zh_CN.UTF-8 'LC_ALL= LANG=zh_CN.UTF-8' \
    'LC_ALL= LC_MESSAGES=zh_TW LANG=C'; do
	# shellcheck disable=SC2086 # words
	env $set "$report" old.json >got
	verdict "$set: Chinese" cmp want got
done
LC_ALL=zh_CN.UTF-8 "$report" --lang=en old.json >got
"$report" old.json >want
verdict "--lang wins over the locale" cmp want got
LC_ALL=zh_CN.UTF-8 "$report" --format=csv old.json >got
"$report" --format=csv old.json >want
verdict "CSV is in English" cmp want got
for table in cases runs metrics; do
	LC_ALL=zh_CN.UTF-8 "$extract" -q -o got.json --table=$table old >got
	LC_ALL=C "$extract" -q -o want.json --lang=zh --table=$table old >want
	verdict "extract_logs --table=$table in Chinese" \
	    sh -c 'cmp want got && grep -q "次数\|实测\|运行" got'
	verdict "and the same result" cmp want.json got.json
done

# Logs that are excluded for the same reason are one row.
for i in 1 2 3 4; do
	imagenet 20 t=0.$i >"old/1n1g/short_b4_fp32_$i.log"
done
printf 'nothing\n' >old/1n1g/no_b4_fp32_1.log
"$extract" -q --strict-window --format=markdown -o short.json old >got
verdict "equal exclusions are one row with a count" sh -c \
    'grep -q "^| 1n1g/short_b4_fp32_1.log and 3 more *| short *|" got &&
	test "$(grep -c "short_b4" got)" -eq 1'
verdict "another reason is a row of its own" \
    grep -q '^| 1n1g/no_b4_fp32_1.log *| no-format *|' got
cd "$here" || exit 1
finish
