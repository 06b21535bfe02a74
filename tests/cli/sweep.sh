# run_sweep with shell scripts in place of train_imagenet and mpirun: commands,
# logs, continuing after a kill, files left alone, mistakes.
. "$top_srcdir/tests/lib.sh"
unset TRAIN_IMAGENET MPIRUN HOSTFILE SLURM_JOB_ID DATA_DIR
sweep=$bindir/run_sweep
cd "$tmp" || exit 1

# --- Stand-ins ---------------------------------------------------------------
# train_imagenet: records its call and runs the file "act" if there is one.
mkdir bin
cat >bin/train_imagenet <<'EOF'
#!/bin/sh
echo "$$ $*" >>calls
echo "=> creating model"
if test -f act; then . ./act; fi
echo "dlscale: summary steps=3 images_per_s=12.5 end=1"
EOF
# mpirun: Open MPI's, or MPICH's if "hydra" exists; runs the program once.
cat >bin/mpirun <<'EOF'
#!/bin/sh
if test "$1" = --version; then
	if test -f hydra; then
		echo "HYDRA build details:"
	else
		echo "mpirun (Open MPI) 4.1.4"
	fi
	exit
fi
while test $# -gt 0; do
	case $1 in
	*train_imagenet) exec "$@";;
	esac
	shift
done
EOF
chmod +x bin/*
PATH=$tmp/bin:$PATH
export PATH

cat >two.sweep <<'EOF'
# Two topologies.
model    resnet18
options  --dummy
         --lr={lr} 'a b'

name     x
batch    4
topology 1n1g 1n2g
runs     2
EOF
calls() { test "$(grep -c . calls 2>/dev/null)" -eq "$1"; }
# Mask what only root sees, times, dates and versions.
mask() {
	sed "s,$tmp,TMP,"'
s/ --allow-run-as-root//
s/[0-9-]*T[0-9:]*Z/TIME/
s/^\(real\|user\|sys\) [0-9]*\.[0-9][0-9]$/\1 SECONDS/
s/done in [0-9.]* [a-z]*/done in TIME/
s/, [0-9.]* [a-z]* left/, TIME left/
s/made in [0-9.]* [a-z]*/made in TIME/' "$@"
}
# Print the masked output of a command: "masked out|err|both COMMAND..."
masked() {
	what=$1
	shift
	"$@" >o 2>e
	rc=$?
	case $what in
	out) mask o;;
	err) mask e;;
	both) mask o e;;
	esac
	return $rc
}

# --- Commands ----------------------------------------------------------------
# A command that starts processes itself is run without mpirun.
own() {
	printf 'name x\nmodel m\nbatch 4\nruns 1\ntopology %s\ncommand %s\n' \
	    "$1" "$2" >own.sweep
	shift 2
	"$sweep" -n own.sweep "$@" | sed 's/ *#.*//; s/ >.*//'
}
for command in "torchrun --nproc-per-node={devices} main.py" \
    "python3 -m torch.distributed.launch main.py" \
    "/usr/bin/mpirun -n {ranks} a.out" "horovodrun -np {ranks} python a.py" \
    "deepspeed a.py"; do
	verdict "no mpirun before ${command%% *}" sh -c '
		! printf "%s\n" "$1" | grep -e "mpirun --" -e "mpirun -n 4 t"
		printf "%s\n" "$1" | grep -e "$2"
	    ' sh "$(own 1n4g "$command")" "${command%% *}"
done
verdict "mpirun before what starts nothing" sh -c '
	printf "%s\n" "$1" | grep "mpirun .* -n 4 python3 main.py"
    ' sh "$(own 1n4g "python3 main.py -m torch.distributed.run")"
verdict "torchrun is started once on each node" sh -c '
	printf "%s\n" "$1" | grep "ppr:1:node -n 2 torchrun"
    ' sh "$(own 2n4g "torchrun a.py" --set hostfile=hosts)"
verdict "a command of one word gets no variables by mpirun" sh -c '
	printf "%s\n" "$1" | grep "ppr:4:node -n 8 a.out$" &&
	    ! printf "%s\n" "$1" | grep -e " -x "
    ' sh "$(own 2n4g a.out --set hostfile=hosts)"
own 2n4g "torchrun a.py" >o 2>e
verdict "torchrun on two nodes without their names" \
    grep -e '2n4g: more than one node needs a hostfile' e
check "the commands of a sweep" sweep-dry-run.txt \
    masked out "$sweep" -n two.sweep
verdict "--dry-run runs nothing, makes nothing" test ! -e logs -a ! -e calls
touch hydra
check "MPICH's options" sweep-hydra.txt masked out "$sweep" -n \
    --set hostfile=hosts --set 'topology 2n4g' --set runs=1 two.sweep
rm hydra
check "nodes, options of the launcher, environment" sweep-nodes.txt \
    masked out "$sweep" -n --set hostfile=hosts --set 'nodes 2' \
    --set 'devices 4 8' --set 'program ./bin/../no' --set runs=1 \
    --set 'launcher-options --mca btl_tcp_if_include eth{nodes}' \
    --set 'env A=1 OMP_NUM_THREADS={devices}' --set 'more-options -p 7' \
    two.sweep
check "srun in a job of Slurm" sweep-srun.txt masked out \
    env SLURM_JOB_ID=7 "$sweep" -n --set 'topology 2n8g' --set runs=1 two.sweep
check "a launcher and a command of one's own" sweep-own.txt "$sweep" -n \
    --set 'launcher sh launch.sh {ranks} {nodes} {devices}' --set runs=1 \
    --set 'command main.py {model} {batch} {total_batch} {precision} {run}' \
    --set 'precision fp32 bf16' --set model=any two.sweep
check "the order: first runs first" sweep-order.txt "$sweep" -n \
    --set 'model vgg16 alexnet' --set 'batch 8 16' --set topology=1n1g two.sweep
mkdir away && cp bin/train_imagenet away
verdict "nodes get the program's whole path" sh -c \
    '"$1" -n --set hostfile=h --set nodes=2 two.sweep |
	grep -q " [^ ]*/bin/train_imagenet -a"' sh "$sweep"
verdict '$TRAIN_IMAGENET names the program' sh -c \
    'TRAIN_IMAGENET=away/train_imagenet "$1" -n two.sweep |
	grep -q "^away/train_imagenet -a"' sh "$sweep"
cat >ab.sweep <<'END'
options --dummy
program train_imagenet
model resnet18
batch 4
nodes 1
devices 1
runs 2

name base
batch 4 8

name fused
batch 4 8 16
runs 1
END
"$sweep" -n --interleave ab.sweep | sed 's/.*>logs.//; s/ .*//' >order
verdict "--interleave: groups take turns, what one lacks is skipped" \
    test "$(tr '\n' ' ' <order)" = "base/1n1g/resnet18_b4_fp32_1.log \
fused/1n1g/resnet18_b4_fp32_1.log base/1n1g/resnet18_b8_fp32_1.log \
fused/1n1g/resnet18_b8_fp32_1.log fused/1n1g/resnet18_b16_fp32_1.log \
base/1n1g/resnet18_b4_fp32_2.log base/1n1g/resnet18_b8_fp32_2.log "
"$sweep" -n ab.sweep | sed 's/.*>logs.//; s/ .*//' >order
verdict "else group after group" \
    test "$(sed 's,/.*,,' order | tr '\n' ' ')" = \
    "base base fused fused fused base base "
check "--only" sweep-only.txt "$sweep" -n --only '1n1g' two.sweep
refuse "--only that fits none" 4 "run_sweep: --only: no run of *'zz'" \
    "$sweep" -n --only zz two.sweep

# --- Logs --------------------------------------------------------------------
check "all runs are made, their logs are named" sweep-made.txt \
    masked both "$sweep" two.sweep
verdict "each was called once" calls 4
check "a log" sweep-log.txt mask logs/x/1n2g/resnet18_b4_fp32_2.log
verdict "no other files" test "$(find logs -type f | wc -l)" -eq 5
for key in memory: kernel: "mpi: mpirun (Open MPI) 4.1.4" dlscale: started: \
    "command: run_sweep two.sweep"; do
	verdict "machine.txt states $key" grep -q "^$key" logs/x/machine.txt
done
cksum logs/x/*/*.log logs/x/machine.txt >before
check "again: nothing is left to do" sweep-again.txt \
    masked both "$sweep" two.sweep
verdict "nothing was called" calls 4
cksum logs/x/*/*.log logs/x/machine.txt >after
verdict "no log was touched" cmp before after
check "--dry-run shows finished runs" sweep-finished.txt \
    masked out "$sweep" -n two.sweep
rm logs/x/1n1g/resnet18_b4_fp32_1.log
masked both "$sweep" two.sweep >out
verdict "a log that is gone is made again, alone" calls 5
verdict "the time that is left is reported" grep -q ', TIME left$' out

refuse "another command than the logs' is reported" 0 \
    "*resnet18_b4_fp32_2.log: exists, but was made by another command*" \
    "$sweep" --set 'options --dummy' two.sweep
verdict "and its logs are left alone" calls 5
echo foreign >logs/x/1n1g/resnet18_b4_fp32_1.log
refuse "a log that is none of ours is reported, and is a failure" 3 \
    "*resnet18_b4_fp32_1.log: exists, but is not the log of a finished run*" \
    "$sweep" two.sweep
verdict "and is left alone" \
    grep -qx foreign logs/x/1n1g/resnet18_b4_fp32_1.log
rm logs/x/1n1g/resnet18_b4_fp32_1.log
sed 's/^kernel: .*/kernel: other/' logs/x/machine.txt >m
cp m logs/x/machine.txt
refuse "another machine is reported" 0 \
    "*not the machine of logs/x/machine.txt, but that of logs/x/machine.2.txt" \
    "$sweep" two.sweep
verdict "and machine.txt is left alone" cmp m logs/x/machine.txt
check "--show copies the log" sweep-show.txt masked out "$sweep" --show \
    --set name=shown --set 'topology 1n1g' --set runs=1 two.sweep

# --- Failures ----------------------------------------------------------------
rm -rf logs calls
cat >act <<'EOF'
case $* in
*resnet18*) echo "cannot do that" >&2; exit 5;;
esac
EOF
set -- --set 'model resnet18 resnet34' --set topology=1n1g --set runs=1
refuse "a failed run stops the sweep" 3 \
    "*/resnet18_b4_fp32_1.log.1~: exit status 5: cannot do that" \
    "$sweep" "$@" two.sweep
verdict "nothing ran after it" calls 1
refuse "--keep-going goes on" 3 "*: 1 made in *, 0 were there, 1 failed, 0 left" \
    "$sweep" -k "$@" two.sweep
verdict "the failed one and the next ran" calls 3
verdict "outputs of failed runs are kept" \
    grep -q 'cannot do that' logs/x/1n1g/resnet18_b4_fp32_1.log.2~
rm act
verdict "the failed one is made later" "$sweep" "$@" two.sweep
verdict "it alone" calls 4

set -- --set topology=1n1g --set runs=1
echo exit 0 >act
refuse "a log without a summary is not finished" 3 \
    "*: no line begins with 'dlscale: summary '*" \
    "$sweep" "$@" --set name=y two.sweep
verdict "completion-marker asks for another line" "$sweep" "$@" --set name=y \
    --set "completion-marker='=> creating'" two.sweep
verdict "as its older name does" "$sweep" "$@" --set name=y2 \
    --set "end-mark='=> creating'" two.sweep
verdict "a command of one's own needs none" "$sweep" "$@" --set name=z \
    --set 'command train_imagenet' two.sweep
echo 'printf open; kill -9 $$' >act
refuse "a signal is reported" 3 "*~: ended by signal 9: open" \
    "$sweep" "$@" --set name=signal two.sweep
verdict "its log is not one of a finished run" \
    test ! -e logs/signal/1n1g/resnet18_b4_fp32_1.log
rm act
verdict "the run that was killed is made again" \
    "$sweep" "$@" --set name=signal two.sweep
verdict "and is finished then" grep -q '^dlscale: summary ' \
    logs/signal/1n1g/resnet18_b4_fp32_1.log
echo 'sleep 60' >act
refuse "a limit ends a run" 3 "*: not done after * s, which is its limit*" \
    timeout 50 "$sweep" "$@" --set name=limit --set limit=1 two.sweep
refuse "a program that is not there" 3 \
    "run_sweep: cannot find 'no_such'; *" \
    "$sweep" "$@" --set name=n --set 'program no_such' two.sweep
refuse "a launcher that is not there" 3 \
    "run_sweep: cannot run 'no_such': No such file or directory" \
    "$sweep" "$@" --set name=n --set 'launcher no_such' two.sweep
refuse "an mpirun that is none" 3 "*'true --version' names neither *" \
    env MPIRUN=true "$sweep" --set name=n --set topology=1n2g two.sweep
refuse "a folder that cannot be made" 3 "run_sweep: cannot create folder *" \
    "$sweep" --log-dir=/dev/null/x two.sweep
if test -c /dev/full; then
	refuse "stdout on a full disk" 3 "run_sweep: *No space left*" \
	    sh -c '"$@" >/dev/full' sh "$sweep" -n two.sweep
else
	skip "stdout on a full disk" "no /dev/full"
fi

# --- Attempts ----------------------------------------------------------------
# Each attempt before the third fails after saving its state.
rm -rf logs calls
cat >state.sweep <<'EOF'
model    resnet18
batch    4
topology 1n1g
runs     2
options  --checkpoint={checkpoint}
name     x
EOF
cat >act <<'EOF'
case $* in
*_1.log.checkpoint*) test "$(grep -c '_1.log.checkpoint' calls)" -ge 3 || {
	echo state >"${6#--checkpoint=}"
	echo "rank 1 was ended by signal 9" >&2
	exit 3
    };;
esac
EOF
refuse "one attempt more is not enough" 3 \
    "*/resnet18_b4_fp32_1.log.2~: exit status 3: rank 1 was ended by signal 9" \
    "$sweep" --retries=1 state.sweep
verdict "each attempt was made" calls 2
verdict "the first began at the start" sh -c '! sed -n 1p calls | grep resume'
state=logs/x/1n1g/resnet18_b4_fp32_1.log.checkpoint
verdict "the second went on from what the first had saved" sh -c \
    "sed -n 2p calls | grep -e ' --resume $state\$'"
rm -rf logs calls
"$sweep" --retries=2 state.sweep >o 2>e
verdict "two more are enough" test $? -eq 0
verdict "it states that it tries again" grep -q \
    'x/1n1g/resnet18_b4_fp32_1.log: trying again, 1 more attempts' e
verdict "all attempts and the other run were made" calls 4
verdict "the other run begins at its own start" sh -c \
    '! sed -n 4p calls | grep resume'
verdict "a finished run leaves no state to go on from" test ! -e $state
verdict "the log's command is the sweep's" sh -c \
    '! grep "^dlscale: command .*resume" logs/x/1n1g/resnet18_b4_fp32_1.log'
rm -rf logs calls
echo 'echo state >"${6#--checkpoint=}"; kill -9 $PPID; exit 3' >act
"$sweep" state.sweep >o 2>e
rm act
verdict "a sweep that was killed goes on from the state" \
    "$sweep" state.sweep
verdict "of the run that was killed, and that alone" test \
    "$(grep -c -e ' --resume ' calls)" -eq 1 -a "$(grep -c . calls)" -eq 3
rm -rf logs calls
# A state from which nothing can be trained, such as that of the last step.
cat >act <<'EOF'
echo state >"${6#--checkpoint=}"
case $* in
*resume*) echo "nothing left to train" >&2; exit 2;;
esac
test "$(grep -c . calls)" -ge 3 || exit 3
EOF
verdict "a state from which nothing is left is begun anew" \
    "$sweep" --retries=2 --set runs=1 state.sweep
verdict "by the third attempt" sh -c '! sed -n 3p calls | grep resume'
rm -rf logs calls
# A state that the trainer rejects, with the status of any other failure.
cat >act <<'EOF'
echo state >"${6#--checkpoint=}"
case $* in
*resume*)
	echo "train_imagenet: ${6#--checkpoint=}: damaged: its checksum" >&2
	exit 3;;
esac
test "$(grep -c . calls)" -ge 3 || exit 3
EOF
verdict "a state that is refused is begun anew" \
    "$sweep" --retries=2 --set runs=1 state.sweep
verdict "after it was tried" sh -c \
    'sed -n 2p calls | grep resume && ! sed -n 3p calls | grep resume'
rm -rf logs calls
cat >act <<'EOF'
echo state >"${6#--checkpoint=}"
case $* in
*resume*)
	echo "dlscale: resume epoch=0 batch=2"
	test "$(grep -c . calls)" -ge 3 || {
		echo "train_imagenet: --resume ${6#--checkpoint=} goes on" >&2
		exit 3
	};;
*) exit 3;;
esac
EOF
verdict "a state that was gone on from stays one" \
    "$sweep" --retries=2 --set runs=1 state.sweep
verdict "for the attempt after that" sh -c 'sed -n 3p calls | grep resume'
rm -f act
# Files left by a kill between the end of a run and the removal of its state.
echo half >$state.tmp.1.0
echo state >$state
calls_before=$(grep -c . calls)
verdict "a finished run and its state" "$sweep" --set runs=1 state.sweep
verdict "it is not made again" calls "$calls_before"
verdict "the state and what was half written are gone" test ! -e $state -a \
    ! -e $state.tmp.1.0

# --- Kills -------------------------------------------------------------------
wait_for() {
	i=0
	while test $i -lt 100 && ! test -e "$1"; do
		sleep 0.1
		i=$((i + 1))
	done
	test -e "$1"
}
# True if the process ends within ten seconds.
gone() {
	i=0
	while test $i -lt 100 && kill -0 "$1" 2>/dev/null; do
		sleep 0.1
		i=$((i + 1))
	done
	! kill -0 "$1" 2>/dev/null
}
stopped_by() {
	rm -rf logs calls stuck
	echo 'case $* in *resnet34*) touch stuck; sleep 60;; esac' >act
	"$sweep" --set 'model resnet18 resnet34 resnet50' --set topology=1n1g \
	    --set runs=1 two.sweep >o 2>e &
	pid=$!
	wait_for stuck
	verdict "$1: a second sweep into the same folder is refused" sh -c '
		"$1" two.sweep 2>&1 |
		    grep "logs/x: another run_sweep is writing here"
	    ' sh "$sweep"
	cksum logs/x/1n1g/resnet18_b4_fp32_1.log >before
	kill "-$1" $pid
	wait $pid
	status=$?
	child=$(sed -n '2s/ .*//p' calls)
	verdict "$1: the run ends" gone "$child"
	verdict "$1: its log has no final name" \
	    test ! -e logs/x/1n1g/resnet34_b4_fp32_1.log
	rm act
	verdict "$1: the same command goes on" "$sweep" --set \
	    'model resnet18 resnet34 resnet50' --set topology=1n1g --set runs=1 \
	    two.sweep
	verdict "$1: only what was not finished was run" calls 4
	cksum logs/x/1n1g/resnet18_b4_fp32_1.log >after
	verdict "$1: the finished log was not touched" cmp before after
	verdict "$1: what was unfinished is kept" \
	    test -s logs/x/1n1g/resnet34_b4_fp32_1.log.1~
}
stopped_by TERM
verdict "TERM: the status shows it" test $status -eq 3
verdict "TERM: and how to go on" \
    grep -q 'interrupted; run the same command again to continue' e
stopped_by KILL

# An interrupt while a run is repeated.
rm -rf logs calls
cat >act <<'EOF'
test "$(grep -c . calls)" -ge 2 || exit 3
kill -TERM "$PPID"
sleep 60
EOF
set -- --retries=5 --set topology=1n1g --set runs=1
refuse "an interrupt of a second attempt ends the sweep" 3 \
    "*interrupted; run the same command again to continue" \
    timeout 50 "$sweep" "$@" two.sweep
verdict "there is no third" calls 2
verdict "the logs of both are kept" test \
    -s logs/x/1n1g/resnet18_b4_fp32_1.log.1~ -a \
    -s logs/x/1n1g/resnet18_b4_fp32_1.log.2~
rm act
verdict "the same command makes the run" "$sweep" "$@" two.sweep
verdict "by one attempt" calls 3

# A kill between the last line of a log and its renaming.
rm -rf logs calls
set -- --set topology=1n1g --set runs=1
log=logs/x/1n1g/resnet18_b4_fp32_1.log
"$sweep" "$@" two.sweep >o 2>e
mv $log $log~
cp $log~ whole
echo state >$log.checkpoint
refuse "a run that had finished has its name" 0 \
    "*$log: had finished; renamed" "$sweep" "$@" two.sweep
verdict "and is not made again" calls 1
verdict "its log is as it was" cmp $log whole
verdict "a file that is none of the run's stays" test -e $log.checkpoint
for cut in '$d' 's/ status=0$/ status=0 not-finished/' '/summary/d'; do
	rm -rf logs calls
	mkdir -p logs/x/1n1g
	sed "$cut" whole >$log~
	"$sweep" "$@" two.sweep >o 2>e
	verdict "a log cut by $cut is not taken for one" calls 1
	verdict "a log cut by $cut is kept" test -e $log.1~
done
echo 'trap "exit 0" TERM; sleep 60 & wait' >act
refuse "a run that ends well at its limit is not finished" 3 \
    "*: not done after * s, which is its limit*" \
    timeout 50 "$sweep" "$@" --set name=limit --set timeout=1 two.sweep
verdict "and its log states so" grep -q \
    '^dlscale: run ended=.* status=0 not-finished$' \
    logs/limit/1n1g/resnet18_b4_fp32_1.log.1~
rm act

# Another sweep makes all runs between the check of the logs and the lock.
rm -rf logs calls
"$sweep" two.sweep >o 2>e
mv logs made
rm calls
cat >bin/other_mpirun <<'EOF'
#!/bin/sh
if test -e asked; then mkdir -p logs && cp -r made/. logs; fi
: >asked
echo "mpirun (Open MPI) 4.1.4"
EOF
chmod +x bin/other_mpirun
refuse "runs that another sweep made meanwhile are there" 0 \
    "*: 0 made in *, 4 were there, 0 failed, 0 left" \
    env MPIRUN="$tmp/bin/other_mpirun" "$sweep" two.sweep
verdict "none is made twice" test -e asked -a ! -e calls

# --- Mistakes ----------------------------------------------------------------
refuse "no file" 2 "run_sweep: missing operand: name the sweep file; try --help" "$sweep"
refuse "two files" 2 "run_sweep: extra operand 'b'; try --help" "$sweep" a b
refuse "a file that is not there" 3 "run_sweep: cannot open 'none'*" \
    "$sweep" none
refuse "a folder" 3 "run_sweep: cannot read *" "$sweep" bin
bad() {
	name=$1 message=$2
	cat >bad.sweep
	refuse "$name" 3 "run_sweep: bad.sweep:$message" "$sweep" -n bad.sweep
}
bad "no name" "3: no 'name'*" <<'EOF'
model resnet18
batch 4
EOF
bad "an unknown key" \
    "2:1: 'modle' is no key (see --help)*" <<'EOF'
name x
modle resnet18
EOF
bad "a colon after a key" "2:1: 'model:': a key and its values are separated \
by spaces: write 'model VALUE', without ':'" <<'EOF'
name x
model: resnet18
EOF
bad "an equals sign after a key" "2:1: 'batch=': a key and its values are \
separated by spaces: write 'batch ...', without '='" <<'EOF'
name x
batch=4
EOF
bad "a comma after a value" "2:7: '4,': values are separated by spaces, \
without ','" <<'EOF'
name x
batch 4, 8
EOF
bad "a colon between blanks" "2:9: a key and its values are separated by \
spaces, without ':'" <<'EOF'
name x
options : --dummy
EOF
bad "a line that goes on with nothing" "1:3: a line that begins*" <<'EOF'
  model resnet18
EOF
bad "a key twice" "3:1: 'batch' is given twice, first in line 2" <<'EOF'
name x
batch 4
batch 8
EOF
bad "a topology in two ways" "3:1: 'topology' cannot be used with 'devices'*" <<'EOF'
name x
devices 4
topology 1n1g
EOF
bad "a key without value" "2:1: 'model' has no value" <<'EOF'
name x
model
batch 4
EOF
bad "two values where one can be" "1:8: 'name' has one value only" <<'EOF'
name x y
EOF
bad "an empty value" "2:7: model: a value is empty*" <<'EOF'
name x
model ''
EOF
bad "a value twice" "3:4: batch: '4' is there twice" <<'EOF'
name x
batch 4 8
   4
EOF
bad "a batch that is no number" "2:9: batch: '0' is not a whole number*" <<'EOF'
name x
batch 1 0
EOF
bad "a topology that is none" "2:10: topology: '1g2n' is not a topology*" <<'EOF'
name x
topology 1g2n
EOF
bad "the same by its older name" "2:7: topology: '1g2n' is not a topology*" <<'EOF'
name x
shape 1g2n
EOF
bad "a topology by both names" \
    "3:1: 'topology' is given twice, first in line 2" <<'EOF'
name x
shape 1n1g
topology 1n2g
EOF
bad "a precision that is none" "2:11: precision: 'fp-32' is not a precision*" <<'EOF'
name x
precision fp-32
EOF
bad "a name with a slash" "1:6: name: '../x' is not a name*" <<'EOF'
name ../x
EOF
bad "an environment without =" "2:5: env: 'A' is not NAME=VALUE" <<'EOF'
name x
env A
EOF
bad "a timeout that is none" "2:9: timeout: '-1' is not a number of seconds*" \
    <<'EOF'
name x
timeout -1
EOF
bad "the same by its older name" \
    "2:7: timeout: '-1' is not a number of seconds*" <<'EOF'
name x
limit -1
EOF
bad "an unknown field" "2:9: '{gpus}' is not one of {model}*" <<'EOF'
name x
options {gpus}
EOF
bad "a brace that stays open" "2:9: '{' is not one of {model}*" <<'EOF'
name x
options {model
EOF
bad "a quote that stays open" "2:9: no ' ends this quote" <<'EOF'
name x
options 'a b
EOF
bad "no model" "1:6: no 'model' is given for these runs" <<'EOF'
name x
batch 4
EOF
bad "a model that the trainer has not" "2:16: *resnet51*" <<'EOF'
name x
model resnet18 resnet51
batch 4
EOF
bad "the same log twice" "4:6: two runs would write 'x/1n1g/*_1.log'" <<'EOF'
model resnet18
batch 4
name x
name x
EOF
bad "nodes without a hostfile" "1:6: 2n1g: more than one node needs*" <<'EOF'
name x
model resnet18
batch 4
nodes 2
EOF
bad "devices without a launcher" "1:6: 1n2g: more than one device needs*" <<'EOF'
name x
model resnet18
batch 4
devices 2
launcher none
EOF
bad "too many runs" " more than 100000 runs" <<'EOF'
name x
model resnet18
batch 1 2 3
runs 100000
EOF
bad "too many devices" "1:6: *: more than 1048576 devices" <<'EOF'
name x
model resnet18
batch 1
topology 2n1000000g
EOF
printf 'name x\0' >bad.sweep
refuse "bytes that are no text" 3 "run_sweep: bad.sweep: not a text file" \
    "$sweep" bad.sweep
refuse "--set with an unknown key" 2 "run_sweep: --set: 'x' is no key*" \
    "$sweep" --set x=1 two.sweep
refuse "--set with a colon" 2 "run_sweep: --set: 'batch:': a key and its \
values are separated by spaces*" "$sweep" --set 'batch: 1' two.sweep
refuse "--set with a wrong value" 2 "run_sweep: --set: batch: 'x' is not*" \
    "$sweep" --set batch=x two.sweep
"$sweep" -n --set 'shape 1n2g' --set runs=1 two.sweep >older
"$sweep" -n --set 'topology 1n2g' --set runs=1 two.sweep >now
verdict "a topology by its older name" cmp older now
verdict "is used" grep -q logs/x/1n2g/ older
verdict "--set without a value is the default" sh -c '
	"$1" -n --set topology= --set runs=1 two.sweep | grep -q logs/x/1n1g/
    ' sh "$sweep"

# --- The ranks' secret ---
echo 'echo "token=$DLSCALE_JOB_TOKEN"' >act
"$sweep" --log-dir=secret --only=1n1g two.sweep >out 2>&1
verdict "each run has a secret of its own" sh -c '
	test "$(sed -n "s/^token=//p" secret/x/1n1g/*.log | sort -u |
	    grep -cE "^[0-9a-f]{32}\$")" -eq 2'
DLSCALE_JOB_TOKEN=mine "$sweep" --log-dir=mine --only=1n1g two.sweep >out 2>&1
verdict "unless the user has set one" sh -c '
	test "$(cat mine/x/1n1g/*.log | grep -cx token=mine)" -eq 2'
rm act

# --- What ships --------------------------------------------------------------
# Each sweep can be planned, and the trainer accepts its commands' options.
accepted() {
	"$sweep" -n --set launcher=env --set "program=$bindir/train_imagenet" \
	    "$1" >plan || return 1
	test -s plan || return 1
	while read -r command; do
		if ! sh -c "${command%% >*} --help" >/dev/null; then
			echo "$command"
			return 1
		fi
	done <plan
}
for file in "$top_srcdir"/experiments/*.sweep; do
	verdict "${file##*/} can be planned" \
	    "$sweep" -n --set hostfile=hosts "$file"
	verdict "${file##*/}: the trainer takes its options" accepted "$file"
done
"$sweep" --log-dir=quoted --set "more-options 'a b'" --only=1n1g two.sweep \
    >out 2>&1
verdict "machine.txt has the command so that a shell reads it back" grep -qFx \
    "command: run_sweep --log-dir=quoted --set 'more-options '\\''a b'\\''' --only=1n1g two.sweep" \
    quoted/x/machine.txt
finish
