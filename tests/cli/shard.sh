# --shard and merging: whatever the tree and the options, the parts of a tree
# make the very bytes that one extract_logs writes; parts that do not make one
# tree are refused by name.
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/logs.sh"
x=$bindir/extract_logs
script=$top_srcdir/extract/launch/extract_array.sbatch
unset OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE PMI_RANK PMI_SIZE SLURM_PROCID \
    SLURM_NTASKS SLURM_ARRAY_TASK_ID SLURM_ARRAY_TASK_COUNT \
    SLURM_ARRAY_TASK_MIN SLURM_JOB_ID PARTS EXTRACT_LOGS MERGE_FLAGS \
    SBATCH_FLAGS
cp -r "$top_srcdir/logs/pytorch-cpu" "$tmp/real"
cd "$tmp" || exit 1

# A tree in which much happens: several cases, models, batch sizes, a file a
# rank, short, empty, unknown and restarted logs, copies, links, odd names.
tree t 3 1n1g 1n2g 2n4g
tree t/other 2 1n8g
for r in 0 1 2; do
	mkdir -p t/ranks/1n3g
	imagenet 130 t=0.5 dr=0.1 >"t/ranks/1n3g/r50_b8_fp16_1_rank_$r.log"
done
imagenet 60 t=0.3 >t/1n1g/r18_b4_fp32_8.log
: >t/1n1g/r18_b4_fp32_9.log
echo 'no format knows this' >'t/an odd "name".log'
imagenet 130 t=0.3 >t/1n2g/r18_b4_fp32_again.log
imagenet 130 t=0.3 >>t/1n2g/r18_b4_fp32_again.log
cp t/1n1g/r18_b4_fp32_1.log t/1n1g/r18_b4_fp32_7.log
ln -s nowhere t/1n1g/dangling.log
echo 'not,a,log' >t/1n1g/table.csv

# same NAME N OPERAND OPTION...: the result, the table and the warnings
same() {
	name=$1 parts=$2 dir=$3
	shift 3
	rm -rf p one.* many.*
	touch one.json many.json # left alone on failure
	"$x" "$@" -o one.json "$dir" >one.out 2>one.err
	one=$?
	i=1
	while test $i -le "$parts"; do
		"$x" "$@" --shard=$i/"$parts" -o "p/$i.json" "$dir" \
		    >>many.quiet 2>&1 || break
		i=$((i + 1))
	done
	# Not in order: it must not matter.
	"$x" -o many.json $(ls p/*.json | sort -r) >many.out 2>many.err
	many=$?
	sed -i 's/wrote .*/wrote/' one.err many.err
	verdict "$name" eval 'test $one -eq $many && cmp one.json many.json &&
	    diff one.out many.out && diff one.err many.err'
}
same "ten real runs, two parts" 2 real
same "ten real runs, ten parts" 10 real
same "ten real runs, more parts than runs" 23 real
for many in 1 2 3 7; do
	same "a tree of much, $many parts" "$many" t
done
mkdir paths
for i in 1 2 3; do
	cp t/1n1g/r18_b4_fp32_$i.log paths/x-n1-g$i-bs4.log
	cp t/1n2g/r18_b4_fp32_$i.log paths/y_n1_g$((i + 3))_bs4.log
done
# An option that is said twice is carried twice.
same "two layouts of names" 2 paths \
    "--path={model}-n{nodes}-g{gpus_per_node}-bs{batch}.log" \
    "--path={model}_n{nodes}_g{gpus_per_node}_bs{batch}.log"
same "all iterations" 3 t --rule=all --from-iteration=10
same "one epoch" 3 t --epoch=0 --train-batches=60
same "all epochs" 3 real --epoch=all
same "a window of its own" 3 t --skip-iterations=2 --warmup-batches=3 \
    --train-batches=40
same "plain mean" 3 t --rule=all --aggregate=mean
same "median" 3 t --aggregate=median
same "step time" 3 t --metric=step-time
same "a baseline" 3 t --baseline=1n2g
same "a baseline that is not there" 3 t --baseline=9n9g
same "strong scaling" 3 t --scaling=strong --allow-mixed
same "confidence" 3 t --confidence=0.81
same "what the logs do not say" 3 t --framework=mine --model=m --precision=p \
    --batch-size-per-device=3 --nodes=2 --gpus-per-node=5 --run=r
# More of them than the rule of a result once had room for.
same "fourteen of them at once" 2 real/1n1g --framework=f --model=m \
    --precision=p --batch-size-per-device=3 --sequence-length=7 --nodes=1 \
    --gpus-per-node=1 --gpus=1 --log-format=pytorch-imagenet --allow-mixed \
    --rate-scope=device --flop-per-sample=1e9 --parameters=1e6 --peak-tflops=10
verdict "the rule has them all" eval '
	for pair in framework:f model:m precision:p batch_size_per_device:3 \
	    sequence_length:7 nodes:1 gpus_per_node:1 gpus:1 \
	    log_format:pytorch-imagenet allow_mixed:true rate_scope:device \
	    flop_per_sample:1000000000 parameters:1000000 peak_tflops:10; do
		sed -n "/\"rule\": {/,/}/p" one.json |
		    grep -q "\"${pair%%:*}\": \"${pair#*:}\"" || exit 1
	done'
same "a format by name" 3 t --log-format=pytorch-imagenet
same "a rate's scope" 3 t --rate-scope=device
same "no hashes" 3 t --no-hash
same "nothing usable" 3 t --rule=summary
same "a label" 3 old=t
same "one file" 2 t/1n1g/r18_b4_fp32_1.log
mkdir many && cd many || exit 1
tree deep 4 1n1g 1n2g 1n4g 1n8g 2n8g 4n8g 8n8g 16n8g
cd ..
same "32 runs in 8 cases, 5 parts" 5 many/deep
if test -d "${DLSCALE_CORPUS:-$top_srcdir/../shared/corpus}/excerpts"; then
	same "logs of many programs" 4 \
	    "${DLSCALE_CORPUS:-$top_srcdir/../shared/corpus}/excerpts" \
	    --rule=all
else
	skip "logs of many programs" "no corpus of logs"
fi

# What is reported when the parts are merged.
rm -rf p && mkdir p
for i in 1 2 3; do
	"$x" -q --shard=$i/3 -o p/$i.json t
done
late() {
	"$x" -q "$@" -o one.json t >one.out 2>one.err
	"$x" -q "$@" -o many.json p/*.json >many.out 2>many.err
	cmp one.json many.json && cmp one.out many.out
}
verdict "a baseline may be chosen late" late --baseline=1n2g --confidence=0.9
verdict "a table's format too" late --format=csv
"$x" -q -v -o /dev/null p/*.json >/dev/null 2>verbose
verdict "the name of the result" eval '(cd p && "$x" -q [123].json >/dev/null &&
    cmp result/t_result.json ../one.json; test -s result/t_result.json)'
"$x" --strict -o many.json p/*.json >/dev/null 2>&1
verdict "--strict" test $? -eq 3
verdict "records of the parts are put together by cat" eval '
	"$x" -q --records=one.jsonl -o /dev/null t >/dev/null
	for i in 1 2 3; do
		"$x" -q --records=r$i.jsonl --shard=$i/3 -o /dev/null t
	done
	cat r1.jsonl r2.jsonl r3.jsonl | cmp one.jsonl - && test -s r2.jsonl'
verdict "a part has a name of its own" eval '
	"$x" --shard=2/3 t 2>said && test -s result/t_part2of3.json &&
	grep -q "wrote result/t_part2of3.json: [0-9]* of [0-9]* runs" said'

# Parts that do not belong together.
refuse "one is missing" 3 "extract_logs: part 2 of 3 is missing; 2 were given" \
    "$x" p/1.json p/3.json
refuse "the last is missing" 3 "extract_logs: part 3 of 3 is missing; 2 were *" \
    "$x" p/1.json p/2.json
cp p/2.json p/copy.json
refuse "one is there twice" 3 \
    "extract_logs: p/*.json: part 2 of 3 was already given by p/*.json" \
    "$x" p/1.json p/2.json p/copy.json p/3.json
rm p/copy.json
"$x" -q --shard=1/2 -o other.json t
refuse "one of another number of parts" 3 \
    "extract_logs: other.json: is one of 2 parts, but p/1.json is one of 3" \
    "$x" p/1.json other.json
"$x" -q --shard=3/3 -o other.json real
refuse "one of another tree" 3 "extract_logs: other.json: was made from another tree than p/1.json: operands, files or file sizes differ" \
    "$x" p/1.json p/2.json other.json
"$x" -q --shard=3/3 --rule=all -o other.json t
refuse "one with another option" 3 \
    "extract_logs: other.json: was made with --rule=all, but p/1.json without*" \
    "$x" p/1.json p/2.json other.json
refuse "the other way round" 3 \
    "extract_logs: p/1.json: was made without --rule=all, but other.json *" \
    "$x" other.json p/1.json p/2.json
mkdir f && sed 's/^description.*/description another/' \
    "$top_srcdir/extract/formats/timm.format" >f/timm.format
"$x" -q --shard=3/3 --format-dir=f -o other.json t
refuse "one with other formats" 3 "extract_logs: other.json: was read with \
other formats or layouts than p/1.json" "$x" p/1.json p/2.json other.json
sed 's/"version": "[^"]*"/"version": "0.0"/' p/3.json >other.json
refuse "one of another version" 3 \
    "extract_logs: other.json: was made by version 0.0, but p/1.json by *" \
    "$x" p/1.json p/2.json other.json
sed 's/"first_run": [0-9]*/"first_run": 1/' p/2.json >other.json
refuse "one that does not follow" 3 \
    "extract_logs: other.json: begins with run 1, not *" \
    "$x" p/1.json other.json p/3.json
sed 's/"first_run": 0/"first_run": 99/' p/1.json >other.json
refuse "one of more runs than there are" 3 \
    "extract_logs: other.json: first_run: 99 and *" \
    "$x" other.json p/2.json p/3.json
sed 's/"part": 3/"part": 4/' p/3.json >other.json
refuse "a part beyond the last" 3 "extract_logs: other.json: part: 4 of 3" \
    "$x" p/1.json p/2.json other.json
sed 's/"warnings": /"warnings": ["x"], "others": /' p/3.json >other.json
refuse "one with a warning that is none" 3 \
    "extract_logs: other.json: jobs?0?.warnings?0?: *" \
    "$x" p/1.json p/2.json other.json
head -c 900 p/3.json >other.json
refuse "one that was cut" 3 "extract_logs: other.json:*" \
    "$x" p/1.json p/2.json other.json
# A part comes from anywhere: it chooses neither what is written nor where.
for option in --output=stolen --output-dir=stolen --records=stolen --strict \
    --help --rule stolen; do
	sed "s/\"options\": \[\]/\"options\": [\"$option\"]/" p/1.json >p1.json
	refuse "a part that states $option" 3 "extract_logs: p1.json: \
options?0?: '$option' is not an option that selects what is measured" \
	    "$x" -q p1.json p1.json
done
"$x" -q --shard=1/1 -o whole.json t
sed 's/"name": "t"/"name": "..\/stolen"/' whole.json >p1.json
refuse "a part whose name is a path" 3 \
    "extract_logs: p1.json: name: '../stolen' cannot be a file name" \
    "$x" -q p1.json
sed 's/"rule": "window"/"rule": "some"/' whole.json >p1.json
refuse "a part with a rule of its own" 3 \
    "extract_logs: p1.json: jobs*runs: 'some' is no rule" "$x" -q p1.json
verdict "nothing was written" test ! -e stolen -a ! -e ../stolen
sed 's/"run": {/"walk": {/' whole.json >p1.json
refuse "a part with a run that is not there" 3 \
    "extract_logs: p1.json: jobs?0?.runs?0?.run: missing" "$x" -q p1.json
refuse "a log among them" 3 \
    "extract_logs: t/1n1g/r18_b4_fp32_1.log: not a part of a result, *" \
    "$x" p/1.json t/1n1g/r18_b4_fp32_1.log
refuse "an option that comes too late" 2 "extract_logs: --rule must be given when the parts are made" "$x" --rule=all p/1.json
refuse "a shard that is none" 2 \
    "extract_logs: --shard: '4/3' is not auto or I/N with 1 <= I <= N" \
    "$x" --shard=4/3 t
for bad in 0/3 1/0 1 /3 1/ a/b 1/3x 00000000000000000001/3; do
	refuse "a shard $bad" 2 "extract_logs: --shard: '$bad' is not *" \
	    "$x" --shard=$bad t
done
refuse "a place that no one gave" 2 \
    "extract_logs: --shard=auto: not started by mpirun, srun *" \
    "$x" --shard=auto t
refuse "a place that is none" 2 "extract_logs: --shard=auto: PMI_RANK is 2 and \
PMI_SIZE is 2, which is out of range" \
    env PMI_RANK=2 PMI_SIZE=2 "$x" --shard=auto t
refuse "with --compat" 2 \
    "extract_logs: --compat=dlperf cannot be used with --shard" \
    "$x" --compat=dlperf --shard=1/2 t
mkdir hollow
refuse "a shard of nothing" 4 "extract_logs: no log found; *" \
    "$x" --shard=1/2 hollow

# Launchers.
place() {
	want=$1
	shift
	rm -rf result
	env "$@" "$x" -q --shard=auto t && test -s "result/t_part$want.json"
}
verdict "Open MPI's place" place 2of3 OMPI_COMM_WORLD_RANK=1 \
    OMPI_COMM_WORLD_SIZE=3
verdict "MPICH's" place 3of3 PMI_RANK=2 PMI_SIZE=3
verdict "srun's" place 1of2 SLURM_PROCID=0 SLURM_NTASKS=2
verdict "an array's, within a job of one task" place 2of4 SLURM_PROCID=0 \
    SLURM_NTASKS=1 SLURM_ARRAY_TASK_ID=11 SLURM_ARRAY_TASK_MIN=10 \
    SLURM_ARRAY_TASK_COUNT=4

mpirun=$(sed -n 's/^exec timeout "[^"]*" \([^ ]*\) .*/\1/p' \
    "$bindir/tests/run-mpi" 2>/dev/null)
if test -n "$mpirun" && command -v "$mpirun" >/dev/null 2>&1; then
	rm -rf result
	ln -s "$x" extract_logs
	PATH=$tmp:$PATH "$bindir/tests/run-mpi" "$x" -q --shard=auto real
	verdict "two ranks of mpirun" eval '
		"$x" -q result/real_part*of2.json >many.out &&
		"$x" -q -o one.json real >one.out &&
		cmp one.json result/real_result.json && cmp one.out many.out'
else
	skip "two ranks of mpirun" "no mpirun"
fi

# The script for Slurm, with an sbatch that runs the jobs at once.
mkdir bin && cat >bin/sbatch <<'S'
#!/bin/sh
echo "$*" >>sbatch.log
array=
for a in "$@"; do
	case $a in
	--array=1-*) array=${a#--array=1-};;
	--dependency=*) echo "$a" >dependency;;
	esac
	case $a in
	-*) shift;;
	*) break;;
	esac
done
i=1
while test "$i" -le "${array:-0}"; do
	SLURM_JOB_ID=7 SLURM_ARRAY_TASK_ID=$i sh "$@" || exit 1
	i=$((i + 1))
done
test -n "$array" || SLURM_JOB_ID=8 sh "$@" >merged || exit 1
echo 7
S
chmod +x bin/sbatch
slurm() {
	EXTRACT_LOGS=$x PATH=$tmp/bin:$PATH sh "$script" "$@"
}
rm -rf result
MERGE_FLAGS="-q --output-dir=here" verdict "an array of Slurm" eval '
	slurm 3 -q --rule=all t >/dev/null &&
	"$x" -q --rule=all -o one.json t >one.out &&
	cmp one.json here/t_result.json && diff one.out merged'
verdict "the last job waits for the others" grep -qx \
    -- '--dependency=afterok:7' dependency
refuse "no number of parts" 2 \
    "extract_array.sbatch: 't' is not a number of parts" slurm t
refuse "no folder" 2 "extract_array.sbatch: no folder of logs is named" slurm 3
refuse "no program" 3 "extract_array.sbatch: cannot find 'nowhere'; *" \
    env EXTRACT_LOGS=nowhere sh "$script" 3 t
verdict "its --help" eval 'slurm --help | grep -q "N .OPTION.*DIR"'
finish
