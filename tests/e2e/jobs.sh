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
# One result of both, whose runs are those of the two.
"$extract" -q -o both.json old=old new=new >/dev/null
"$report" --compare old.json new.json >want
"$report" --compare --by=label both.json >got
echo "label: old (old) against new (new)" >>want
verdict "one result compares with itself by a label" \
    sh -c 'sort want >sorted && sort got | cmp sorted'
sed 's/"new"/"1"/; s/"old"/"2"/' both.json >numbered.json
"$report" --compare --by=label numbered.json >got
verdict "else the first value is the old one" \
    grep -qx "label: 1 (1) against 2 (2)" got
refuse "one operand needs --by" 2 \
    "report_results: --compare takes two results, OLD and NEW, not 1; --by=KEY *" \
    "$report" --compare both.json
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

# Strong scaling is recognised: done where the logs state the global batch,
# else the option is named, in the table too.
for g in 1 2 4; do
	mkdir -p "strong/1n${g}g"
	imagenet 150 "t=0.$((8 / g))" dt=0.001 \
	    >"strong/1n${g}g/r18_b$((64 / g))_fp32_1.log"
	mkdir -p titans
	titan $((7000 - 30 * g)) $g $((8 / g)) 8 >"titans/$g.log"
	titan $((7000 - 30 * g)) $g 1 $g >"titan$g.log"
done
"$extract" -o got.json strong >got 2>err
verdict "strong scaling is recognised" sh -c '
	grep -q "warning: looks like strong scaling.*add --scaling=strong" err &&
	grep -q "^looks like strong scaling" got && ! grep -q "no comparable" err'
"$report" strong >got 2>err
verdict "by report_results, too" sh -c \
    'grep -q "^looks like strong scaling" got && grep -q "looks like" err'
"$report" --extract=--scaling=strong strong >got 2>err
verdict "its option gives the speedups" sh -c '! grep -q "looks like" got err &&
	grep -q "^strong scaling: speedups are" got && grep -q "^1n4g .* 3[.]9" got'
"$report" --lang=zh strong >got 2>err
verdict "in Chinese" grep -q "像是强扩展" got
"$extract" -o got.json titans >got 2>err
verdict "logs that state the global batch need no option" sh -c \
    'grep -q "^strong scaling" got && grep -q "4g .*3[.]9" got &&
	grep -q "\"scaling\": \"strong\"" got.json'
"$extract" -q -o got.json --scaling=weak titans >got
verdict "--scaling=weak" grep -q '"scaling": "weak"' got.json

# A program that prints the rate of a GPU by design is not in doubt; the one of
# one GPU is named as the others.
"$extract" -q -o got.json titan[124].log >got
verdict "rates of a GPU without a flag" sh -c '! grep -q flags got &&
	grep -q "the rate of one of 4 ranks, times 4" got.json'
verdict "framework and model" grep -q "^torchtitan llama3 8B" got
verdict "1g, 2g and 4g are named alike" sh -c \
    'grep -q "^1g " got && grep -q "^4g " got && grep -q "^baseline: 1g" got'

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

# Logs of several folders are told apart.
mkdir -p x/1n1g y/1n1g deep/x/1n1g
imagenet 200 t=0.3 >x/1n1g/r18_b4_fp32_1.log
cp x/1n1g/r18_b4_fp32_1.log y/1n1g
imagenet 200 t=0.2 >deep/x/1n1g/r18_b4_fp32_1.log
"$extract" -q -o got.json x y/ >got 2>&1
verdict "the folder of a copy is named" \
    grep -q '"y/1n1g/r18_b4_fp32_1.log' got.json
verdict "and that of its twin" \
    grep -q '"path": "x/1n1g/r18_b4_fp32_1.log"' got.json
"$extract" -q -o got.json x deep/x >got 2>&1
verdict "folders of one name are told apart by their paths" \
    grep -q '"path": "deep/x/1n1g/r18_b4_fp32_1.log"' got.json
"$extract" -q -o got.json x >got 2>&1
verdict "paths of one folder start in it" \
    grep -q '"path": "1n1g/r18_b4_fp32_1.log"' got.json

# Looking at logs with other settings replaces no result.
rm -rf result
"$extract" old >want 2>err
verdict "the result is named" grep -qx "extract_logs: wrote result/old_result.json" err
cp result/old_result.json want.json
for view in --rule=all --metric=step-time --scaling=strong --confidence=0.9 \
    --select=nodes=1 --skip-iterations=10; do
	"$extract" $view old >got 2>err
	verdict "$view prints its table" test -s got -a $? -eq 0
	verdict "$view keeps the result" cmp want.json result/old_result.json
	verdict "$view says so" grep -q "^extract_logs: kept result/old_result.json, \
a result of other settings; --force replaces it, -o FILE writes another" err
done
"$extract" -q --table=runs old >got
verdict "--table=runs is of the same result" cmp want.json result/old_result.json
"$extract" -q --metric=step-time --force old >got
verdict "--force replaces it" sh -c '! cmp -s want.json result/old_result.json'
"$extract" -q --rule=all -o view.json old >got
verdict "-o writes another" test -s view.json
refuse "-o into a folder that is not there" 3 \
    "extract_logs: cannot write 'reslt/x.json': No such file or directory" \
    "$extract" -o reslt/x.json old
verdict "the folder is not made" test ! -e reslt
refuse "the same for charts" 3 \
    "plot_results: cannot write 'reslt/x.gp': No such file or directory" \
    "$plot" -o reslt/x.gp want.json
verdict "--output-dir is made" sh -c \
    '"$1" -q --output-dir=a/b old >got && test -s a/b/old_result.json' - "$extract"
if test "$(id -u)" -eq 0 && ! command -v setpriv >/dev/null 2>&1; then
	skip "a folder without write permission" "no setpriv"
	skip "its table is printed" "no setpriv"
else
	mkdir locked
	cp -r old locked/old
	chmod -R a+rX . && chmod a-w locked
	as=
	test "$(id -u)" -eq 0 && as='setpriv --reuid=65534 --clear-groups'
	chmod a+x "$tmp"
	cd locked || exit 1
	# shellcheck disable=SC2086 # words
	refuse "a folder without write permission" 3 \
	    "extract_logs: cannot make folder 'result': Permission denied" \
	    $as "$extract" old
	cd .. || exit 1
	verdict "its table is printed" cmp want out
	chmod u+w locked
fi
cd "$here" || exit 1
finish
