# Common tasks with logs take one command, which -h shows: the programs that
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

# same NAME COMMAND...: COMMAND prints the content of want.
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
    "$report" --gate=slower:3% old new
verdict "the gate fails" test "$(tail -n 1 got)" = 1
same "a folder and a result" \
    "$report" --compare --gate=slower:3% old.json new/
want "$report" a=old.json b=new.json
same "labels of folders" "$report" a=old b=new
# One result of both folders contains the runs of the two results.
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

# Log files are the runs of one result.
mkdir one
cp old/1n1g/*.log one
"$report" one/*.log --extract='--gpus=1' >got 2>/dev/null
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

# Strong scaling is recognised: it is applied if the logs state the global batch
# size; otherwise the option is named, also in the table.
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

# A rate per GPU that a program prints by design is not flagged; the case of one
# GPU is named like the others.
"$extract" -q -o got.json titan[124].log >got
verdict "rates of a GPU without a flag" sh -c '! grep -q flags got &&
	grep -q "the rate of one of 4 ranks, times 4" got.json'
verdict "framework and model" grep -q "^torchtitan llama3 8B" got
verdict "1g, 2g and 4g are named alike" sh -c \
    'grep -q "^1g " got && grep -q "^4g " got && grep -q "^baseline: 1g" got'

# -h fits on a screen and has three examples; --help lists every option.
for program in extract_logs report_results plot_results predict_scaling \
    train_imagenet run_sweep run_experiment run_on_nodes; do
	test -x "$bindir/$program" || continue
	"$bindir/$program" -h >brief
	verdict "-h of $program is a screen" test "$(wc -l <brief)" -le 20
	verdict "-h of $program has ten options at most" \
	    test "$(grep -c '^  -' brief)" -le 11
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

# The locale selects the language, and --lang overrides it; CSV stays English.
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
for program in extract_logs report_results plot_results predict_scaling \
    train_imagenet run_sweep run_experiment run_on_nodes; do
	test -x "$bindir/$program" || continue
	refuse "--lang of $program" 2 \
	    "$program: --lang: 'xx' is not one of en, zh" \
	    "$bindir/$program" --lang=xx
	verdict "--help=lang of $program" \
	    sh -c '"$1" --help=lang | grep -q "LANGUAGE is en or zh"' - \
	    "$bindir/$program"
done
"$extract" --lang=zh -o got.json one >got 2>err
verdict "warnings in Chinese" grep -q "已排除: .*GPU 数" err
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

# Logs that are excluded for the same reason share a row.
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

# Logs of several folders are distinguished.
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

# Reading logs with other settings does not replace a result.
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
# --- the twenty jobs ---------------------------------------------------------
#
# Each takes at most two commands, and -h names every option that they use.
# known PROGRAM OPTION...: check that -h of PROGRAM names the options.
known() {
	"$bindir/$1" -h >brief
	program=$1
	shift
	for option in "$@"; do
		verdict "-h of $program names $option" grep -q -- "$option" brief
	done
}
mkdir jobs
cd jobs || exit 1

# 1. Files with custom names, whose command states the rest.
mkdir own
for r in 1 2 3; do
	{ echo "torchrun --nproc_per_node=4 main.py --batch-size 2048 -a resnet50"
		imagenet 130 "t=0.4$r" dt=0.001; } >"own/exp final-$r.log"
done
"$extract" own >got 2>err
verdict "own names: runs of a case" grep -q "^1n4g  *3 .*19412" got

# 2. A/B; 3. strong scaling (above).
tree old 6 1n1g 1n2g
mkdir new
for f in old/*/*.log; do
	mkdir -p "new/$(basename "$(dirname "$f")")"
	awk '{ gsub(/0[.]4/, "0.5") } 1' "$f" >"new/${f#old/}"
done
known report_results --compare --gate --check --history --html --select
"$report" --compare old new >got 2>err
verdict "A/B: which is faster" grep -q "^1n1g .* slower " got

# 4. Tokens/s and MFU.
titan 6970 8 1 8 >llm.log
known extract_logs --metric --table --follow --suggest --explain --baseline \
    --scaling
"$extract" -q -o llm.json --table=metrics llm.log >got
verdict "tokens/s and MFU: printed" grep -q "mfu_printed" got
"$extract" -q -o llm.json llm.log >got
verdict "and tokens/s" grep -q "^8g .*5578[0-9]" got
sed 's/  mfu: [0-9.]*%//; s/  tflops: [0-9.]*//' llm.log >plain.log
refuse "MFU needs the device's peak, which the message says" 4 \
    "extract_logs: warning: plain.log: *--metric=mfu*--peak-tflops=N*" \
    "$extract" --metric=mfu -o mfu.json plain.log
"$extract" -q --metric=mfu --peak-tflops=989 -o mfu.json plain.log >got
verdict "with which it is computed" grep -q "^8g .*43[.]0" got

# 5. One or two runs: neither an interval nor its absence is claimed.
mkdir few
cp -r old/1n1g few
rm few/1n1g/r18_b4_fp32_[3-6].log
"$extract" few >got 2>err
verdict "two runs: the level that they reach" grep -q "50.00 % CI with 2 runs" got
rm few/1n1g/r18_b4_fp32_2.log
"$extract" few >got 2>err
verdict "one run: within its steps" sh -c 'grep -q "within ±" got &&
	grep -q "1 run only: how much runs differ is unknown" err &&
	! grep -q "so no" got err'
cp -r few few2
"$report" --compare --gate=slower:3% few few2 >got 2>err
verdict "a gate that cannot fail" sh -c '
	grep -q "cannot fail: it takes at least 4 runs of each" got &&
	grep -q "warning: 1 of 1 gates cannot fail: too few runs" err'
verdict "warnings name their folder" sh -c '
	grep -q "^extract_logs: warning: few: pytorch .*1 run only" err &&
	grep -q "^extract_logs: warning: few2: pytorch .*1 run only" err'
refuse "a claim without a share, before anything is read" 2 \
    "report_results: --gate: 'slower' is not slower:SHARE, *" \
    "$report" --gate=slower nowhere nowhere

# 6. Frameworks side by side, which name samples differently.
mkdir -p f/pytorch/1n1g f/mxnet/1n1g f/paddle/1n1g
imagenet 130 t=0.4 dt=0.001 >f/pytorch/1n1g/resnet50_b128_fp32_1.log
for i in $(seq 0 20 2600); do
	echo "INFO:root:Epoch[0] Batch [$i]	Speed: 171$((i % 7)).30 samples/sec	accuracy=0.002"
done >f/mxnet/1n1g/resnet50_b128_fp32_1.log
for i in $(seq 0 150); do
	echo "2020-11-04 17:25:52 INFO: epoch:0  , train step:$i  , loss: 6.9, top1: 0.0, top5: 0.0, lr: 0.1, batch_cost: 0.2851$((i % 7)) s, reader_cost: 0.00056 s, ips: 225.1 images/sec."
done >f/paddle/1n1g/resnet50_b128_fp32_1.log
known report_results --table --rows --columns
"$report" --rows=nodes --columns=framework f >got 2>err
verdict "frameworks: one table" grep -q "^nodes  *mxnet  *paddle  *pytorch" got
verdict "samples and images are one, which is said" \
    sh -c 'for f in got err; do
	grep -q "samples/s, images/s are counted as one: samples/s" $f ||
	    exit 1; done'

# 7. Two clusters.
"$extract" -q -o clusters.json a100=old h100=new >got
"$report" --compare --by=label clusters.json >got
verdict "two clusters" grep -q "^ratio of speeds: h100 over a100" got

# 8. A gate in a pipeline, with JUnit.
known report_results --output
"$report" --compare --gate=slower:3% -o gate.xml old new >got 2>err
verdict "a pipeline: status 1" test $? -eq 1
verdict "and JUnit" grep -q '<failure' gate.xml

# 9. pandas: CSV that joins on case.
"$report" -o cases.csv old >got 2>err
"$extract" -q -o old.json --table=metrics --format=csv old >metrics.csv
verdict "CSV with unrounded numbers" grep -q "^framework,.*median" cases.csv
verdict "and the same keys" grep -q "case" metrics.csv

# 10. A column of a paper, a slide, a terminal over ssh.
known plot_results --size --output --terminal --chart column slide svg png pdf
if "${GNUPLOT:-gnuplot}" --version >/dev/null 2>&1; then
	"$plot" --size=column -o column.pdf old >got 2>err
	verdict "a column's PDF" sh -c 'head -c 5 column.pdf | grep -q %PDF'
	"$plot" --size=slide -o slide.png old >got 2>err
	verdict "a slide's PNG" sh -c 'head -c 4 slide.png | grep -q PNG'
else
	skip "a column's PDF" "no gnuplot"
	skip "a slide's PNG" "no gnuplot"
fi
"$plot" --terminal old >got 2>err
verdict "a terminal's" test -s got
cp -r old warm
for case in 1n1g 1n2g; do
	{ imagenet 60 t=0.9 && imagenet 150 t=0.4 dt=0.001 first=60; } \
	    >warm/$case/vgg16_b4_fp32_1.log
done
for chart in speedup bars; do
	"$plot" -c $chart --format=gp -o warm.gp warm >got 2>err
	verdict "$chart: the flagged series are named" \
	    grep -q "2 of 4 cases flagged (vgg16), see" warm.gp
done

# 11. A page.
"$report" --html -o page.html old >got 2>err
verdict "a page" grep -q "</html>" page.html

"$report" --compare --html -o compare.html old new >got 2>err
verdict "a page of a comparison" sh -c \
    'grep -q "</html>" compare.html && grep -q slower compare.html'

# 12. A history of 30.
if built_with SQLITE; then
	for i in $(seq 30); do
		tree "day$i" 3 1n1g
		touch -d "2026-10-$(printf %02d "$i") 08:00" "day$i"/*/*
		sed -i "s/0[.]0[0-9]*$/&/;s/Loss 6.9/Loss 6.$i/" "day$i"/*/*.log
		touch -d "2026-10-$(printf %02d "$i") 08:00" "day$i"
	done
	"$report" --history=speed.db add day* >got 2>err
	"$report" --history=speed.db show >got
	verdict "a history of 30" test "$(grep -c '^2026-10-' got)" -eq 30
else
	skip "a history of 30" "built without SQLite"
fi

# 13. Predict 64 GPUs.
for nodes in 1 2 4; do
	mkdir -p "cluster/${nodes}n8g"
	for r in 1 2 3; do
		imagenet 130 "t=0.4$nodes$r" dt=0.001 \
		    >"cluster/${nodes}n8g/resnet50_b4_fp32_$r.log"
	done
done
known predict_scaling --to --network --until
"$predict" --to=64g cluster >got 2>err
verdict "64 GPUs are 8n8g" grep -q "^8n8g  *64 .* doubling" got
rm -r cluster/2n8g cluster/4n8g
"$predict" --to=64g --network=100Gbit/s cluster >got 2>err
verdict "over a network, by the gradients of ResNet-50" \
    sh -c 'grep -q "^8n8g  *64 .*from the link" got &&
	grep -q "102228128 bytes" got'

# 14. A published table with an error.
printf 'case,throughput,speedup,efficiency\n1n1g,100,1.00,100 %%\n1n4g,360,3.60,12 %%\n' \
    >table.csv
"$report" --check table.csv >got
verdict "a wrong 12 %" test $? -eq 1
verdict "and what it should be" grep -q "12 %  *90%" got
printf 'name,images per sec,gain\nbase,100,\nnew,112,15 %%\n' >gain.csv
"$report" --check gain.csv >got
verdict "a column that is not understood is named" \
    grep -q "nothing could be checked: .*; not understood: 'gain'" got

# 15. Out of memory, and a restart.
mkdir -p oom/1n1g
{ imagenet 60 t=0.4
	echo 'torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB'
} >oom/1n1g/resnet50_b32_fp32_1.log
{ imagenet 60 t=0.4 dt=0.001 && imagenet 220 t=0.4 dt=0.001 first=60; } \
    >oom/1n1g/resnet50_b32_fp32_2.log
"$extract" -q -o oom.json oom >got
verdict "out of memory and restart" sh -c \
    'grep -q "^1n1g  *1 " got && grep -q "out of memory" got'
{ imagenet 90 t=0.4 dt=0.001 && imagenet 220 t=0.4 dt=0.001 first=60; } \
    >oom/1n1g/resnet50_b32_fp32_2.log
"$extract" -o oom.json oom >got 2>err
verdict "an attempt from iteration 60 on is excluded, with the option" \
    grep -q "_2.log: excluded: .*--skip-iterations" err
"$extract" -o oom.json --skip-iterations=65 --train-batches=100 oom >got 2>err
verdict "which measures it" grep -q "^1n1g  *1 " got
printf 'nothing\n' >oom/1n1g/no_b4_fp32_1.log
cp oom/1n1g/no_b4_fp32_1.log oom/1n1g/no_b4_fp32_2.log
echo >>oom/1n1g/no_b4_fp32_2.log
"$extract" -o oom.json oom >got 2>err
verdict "equal warnings are one" grep -q "_1.log and 1 more: excluded: no format" err

# 16. Follow (follow.sh tests how runs end).
"$extract" -q --follow --interval=0.1 --timeout=1 -o follow.json own >got 2>err
verdict "follow" grep -q "exp final-1.log: .*, in the result" got

# 17. A custom format.
for i in $(seq 60); do
	echo "iter $i took 0.$((200 + i % 5)) s, 512 samples"
done >mine.log
refuse "an unknown log" 4 \
    "extract_logs: warning: mine.log: *--suggest proposes one" "$extract" mine.log
"$extract" --suggest=mine.log >mine.format 2>err
verdict "a format is proposed" grep -q "^step" mine.format

# 18. Train, run a sweep, extract the logs.
if test -x "$bindir/train_imagenet"; then
	known run_sweep --set --log-dir --dry-run
	known train_imagenet --dummy --arch --batch-size --batches-per-epoch
	bin=$(cd "$bindir" && pwd)
	cat >toy.sweep <<'END'
name     toy
model    resnet18
batch    2
topology 1n1g
runs     2
launcher env
options  --dummy --image-size=32 --classes=10 --epochs=1
         --batches-per-epoch=13 --val-batches=0 --threads=1 --workers=1
END
	"$bin/run_sweep" --set "program=$bin/train_imagenet" toy.sweep \
	    >got 2>err || comment err
	"$extract" --rule=all logs/toy >got 2>err
	verdict "a sweep of two runs" grep -q "^1n1g  *2 " got
	"$bin/train_imagenet" --dummy -a resnet18 -b 2 --image-size=32 \
	    --classes=10 --epochs=1 --batches-per-epoch=13 --val-batches=0 \
	    --threads=1 --workers=1 >trained.log 2>err || comment err
	refuse "a folder that is not there: what to do" 3 \
	    "train_imagenet: cannot read folder 'none/train': *--dummy *" \
	    "$bin/train_imagenet" none
	"$extract" --rule=all trained.log >got 2>err
	verdict "a training" sh -c 'grep -q "dlscale resnet18 fp32" got &&
	    grep -q "wrote result/trained_result.json" err'
else
	skip "a sweep of two runs" "no trainer"
	skip "a training" "no trainer"
fi

# 19. Runs of W&B, MLflow, TensorBoard, CSV and JSON Lines.
data=$top_srcdir/tests/data
"$extract" -q --rule=all --gpus=1 -o wandb.json "$data/stores/run.wandb" \
    >got 2>err
verdict "W&B" grep -q "^1n1g\|^1g" got
run=mlruns/1/0a1b
mkdir -p $run/metrics $run/params
echo 'run_id: 0a1b' >$run/meta.yaml
printf 8 >$run/params/per_device_train_batch_size
printf 4 >$run/params/world_size
for i in $(seq 0 149); do
	echo "$((1700000000000 + i * 250)) 0.25 $i" >>$run/metrics/step_time
done
"$extract" -q mlruns >got 2>err
verdict "MLflow" grep -q "^1n4g\|^4g.* 128[.]0" got
mkdir -p board
cp "$data/events/steps.tfevents" board/events.out.tfevents.1700000000.host.1.0
"$extract" -q board --gpus=8 >got 2>err
verdict "TensorBoard" grep -q "^1n8g\|^8g" got
{
	echo 'step,loss,throughput'
	awk 'BEGIN { for (i = 1; i <= 150; i++) print i ",2.5," 999 + i % 3 }'
} >metrics.csv
"$extract" --gpus=1 --batch-size=8 metrics.csv >got 2>err
verdict "CSV" sh -c 'grep -q "^1g.* 1000\|^1n1g.* 1000" got &&
	grep -q "wrote result/metrics_result.json" err'
awk 'BEGIN { for (i = 1; i <= 150; i++)
	print "{\"step\": " i ", \"loss\": 2.5, \"step_time\": 0.25}" }' \
    >metrics.jsonl
"$extract" -q --gpus=1 --batch-size=8 metrics.jsonl >got 2>err
verdict "JSON Lines" grep -q "^1g.* 32[.]0\|^1n1g.* 32[.]0" got

# 20. Explain one number.
"$extract" --explain="own/exp final-1.log" >got
verdict "explain: which lines count" grep -qi "line" got
cd .. || exit 1
cd "$here" || exit 1
finish
