# train.sh, run_*.sh and slurm.sbatch, with shell scripts in place of
# train_imagenet, mpirun and srun: command lines, logs, errors.
. "$top_srcdir/tests/lib.sh"
unset TRAIN_IMAGENET MPIRUN MPIRUN_FLAGS HOSTFILE SLURM_JOB_ID DATA_DIR \
    LOG_FOLDER LOG_DIR LOG_NAME TRAIN_FLAGS SRUN_FLAGS SLURM_JOB_NUM_NODES \
    SLURM_NTASKS_PER_NODE RUN_SWEEP CUDA_VISIBLE_DEVICES MASTER_ADDR
launch=$top_srcdir/trainer/launch
cd "$tmp" || exit 1
mkdir bin work
cat >bin/train_imagenet <<'EOF'
#!/bin/sh
echo "gpus $CUDA_VISIBLE_DEVICES: $*"
if test -f fail; then
	echo "train_imagenet: no luck" >&2
	exit 5
fi
echo "dlscale: summary steps=3"
EOF
cat >bin/mpirun <<'EOF'
#!/bin/sh
if test "$1" = --version; then
	echo "mpirun (Open MPI) 4.1.4"
	exit
fi
echo "mpirun $*"
while test $# -gt 0; do
	case $1 in
	*train_imagenet) exec "$@";;
	esac
	shift
done
EOF
sed 's/mpirun/srun/' bin/mpirun >bin/srun
cat >bin/nvidia-smi <<'EOF'
#!/bin/sh
test -f ../gpus && cat ../gpus
EOF
chmod +x bin/*
PATH=$tmp/bin:$bindir:$PATH
export PATH
cd work || exit 1
mask() {
	sed "s,$tmp,TMP,g"'
s/ --allow-run-as-root//
s/[0-9-]*T[0-9:]*Z/TIME/
s/ in [0-9.]* [a-z]*s\(,\{0,1\}\)/ in TIME\1/' "$@"
}
# stdout, then stderr
both() {
	"$@" >../o 2>../e
	rc=$?
	mask ../o ../e
	return $rc
}

# --- train.sh ----------------------------------------------------------------
logs=../logs/benchmark_log/cnns
check "train.sh as it is" launch-train.txt both "$launch/train.sh"
verdict "its log" grep -qx "dlscale: summary steps=3" \
    $logs/resnet50_1node_bz128/1n1c_dummy.log
mkdir images
DATA_DIR=images
export DATA_DIR
check "model, devices, batch, images, words" launch-train-4.txt \
    both "$launch/train.sh" vgg16 0,1,10,11 32 -- --epochs 2 --seed 7
verdict "two digits are one device; the log states real" test -s \
    $logs/vgg16_1node_bz32/1n4c_real.log
check "what is on the screen is in the log" launch-train-log.txt \
    mask $logs/vgg16_1node_bz32/1n4c_real.log
MPIRUN_FLAGS="-x A --mca b c" both "$launch/train.sh" vgg16 0,1 32 >out
verdict "flags for mpirun" \
    grep -q ' -n 2 -x A --mca b c train_imagenet images --arch vgg16' out
mv ../bin/train_imagenet ../bin/kept
printf '#!/bin/sh\necho "token=$DLSCALE_JOB_TOKEN"\n' >../bin/train_imagenet
chmod +x ../bin/train_imagenet
"$launch/train.sh" vgg16 0,1 32 2>&1 | sed -n 's/^token=//p' >token
verdict "the ranks share a secret" grep -qxE '[0-9a-f]{32}' token
mv ../bin/kept ../bin/train_imagenet
LOG_FOLDER=here "$launch/train.sh" resnet18 0 4 >out 2>&1
verdict "LOG_FOLDER" grep -q 'summary' here/1n1c_real.log
LOG_FOLDER=here "$launch/train.sh" resnet18 0 5 >out 2>&1
verdict "an older log is kept" grep -q -e '--batch-size 4 ' here/1n1c_real.log.1~
verdict "the new one has the name" \
    grep -q -e '--batch-size 5 ' here/1n1c_real.log
touch fail
refuse "the training's status is the script's" 5 \
    "train.sh: the training failed, see here/1n1c_real.log.2~" \
    env LOG_FOLDER=here "$launch/train.sh" resnet18 0 6
rm fail
verdict "the last good log stays" \
    grep -q -e '--batch-size 5 ' here/1n1c_real.log
verdict "errors are in the log" grep -q 'no luck' here/1n1c_real.log.2~
verdict "--help" sh -c '"$1" --help | grep -q "^Usage: train.sh "' sh \
    "$launch/train.sh"
refuse "a model that is no name" 2 "train.sh: MODEL: '../x' is no name*" \
    "$launch/train.sh" ../x
for gpus in '' ',' '0,' ',1' '0,,1' a '0 1'; do
	refuse "GPUS '$gpus'" 2 "train.sh: GPUS: '$gpus' is not a list *" \
	    "$launch/train.sh" resnet18 "$gpus"
done
for batch in '' 0 x 4x 1e3; do
	refuse "BATCH '$batch'" 2 "train.sh: BATCH: '$batch' is not a number *" \
	    "$launch/train.sh" resnet18 0 "$batch"
done
refuse "an option" 2 "train.sh: unrecognised option: --lr; *" \
    "$launch/train.sh" --lr
refuse "one operand too many" 2 "train.sh: 'x' is one operand too many" \
    "$launch/train.sh" resnet18 0 4 x
refuse "images that are not there" 3 "train.sh: DATA_DIR: no folder 'none'" \
    env DATA_DIR=none "$launch/train.sh"
refuse "a program that is not there" 3 "train.sh: cannot find 'none'; *" \
    env TRAIN_IMAGENET=none "$launch/train.sh"
refuse "a launcher that is not there" 3 "train.sh: cannot run 'none'; *" \
    env MPIRUN=none "$launch/train.sh" resnet18 0,1
refuse "a folder that cannot be made" 3 "train.sh: cannot make folder *" \
    env LOG_FOLDER=/dev/null/x "$launch/train.sh"
unset DATA_DIR

# --- run_*.sh ----------------------------------------------------------------
cat >hosts <<'EOF'
# four nodes
10.11.0.2 slots=8
10.11.0.3 slots=8

10.11.0.4 slots=8
10.11.0.5 slots=8
EOF
check "a run on this machine" launch-single.txt \
    both "$launch/run_single_node.sh" resnet18 4 bf16 -- --seed=1 "it's a b"
verdict "its log" test -s logs/dlscale/1n1g/resnet18_b4_bf16_1.log
check "the next run, two devices" launch-single-2.txt \
    both "$launch/run_single_node.sh" -g 2 resnet18 4 bf16
check "a run by number, as usual" launch-single-5.txt \
    both "$launch/run_single_node.sh" --name=n --log-dir l -d images \
    resnet50 128 fp32 5
verdict "its log has the number" test -s l/n/1n1g/resnet50_b128_fp32_5.log
"$launch/run_single_node.sh" resnet18 4 bf16 >out 2>&1
verdict "a run without number takes the next one" \
    test -s logs/dlscale/1n1g/resnet18_b4_bf16_2.log
printf 'GPU 0: V100\nGPU 1: V100\n' >../gpus
check "as many devices as GPUs; two nodes of four" launch-two.txt \
    both "$launch/run_two_nodes.sh" --hostfile=hosts --dry-run
LOG_FOLDER=gpu "$launch/train.sh" resnet18 0,1 4 -- --seed=1 >out 2>&1
verdict "train.sh takes the GPUs that there are" grep -q \
    "^gpus 0,1: .* --device=cuda --seed=1$" gpu/1n2c_dummy.log
rm ../gpus
check "all nodes" launch-multi.txt env HOSTFILE=hosts MPIRUN_FLAGS="-x A" sh -c \
    '"$1" -g 8 --dry-run -- --seed=1 | sed "s/ --allow-run-as-root//
s, /[^ ]*/train_imagenet , train_imagenet ,"' sh "$launch/run_multi_nodes.sh"
check "three nodes" launch-three.txt both "$launch/run_multi_nodes.sh" \
    -H hosts -N 3 -g 8 --dry-run vgg16 64 fp32 2
# mpirun does not pass on the ranks' meeting place, the first host.
meet() {
	"$@" "$launch/run_multi_nodes.sh" -H hosts --dry-run 2>/dev/null |
	    grep -oE 'MASTER_(ADDR|PORT)([= ][0-9][^ ]*)?' | tr '\n' ' '
}
verdict "ranks of several nodes meet on the first host" \
    test "$(meet env)" = "MASTER_ADDR=10.11.0.2 "
verdict "or where the user states, on all of them" \
    test "$(meet env MASTER_ADDR=10.11.0.5 MASTER_PORT=4711)" = \
    "MASTER_ADDR MASTER_PORT "
verdict "at the user's port" test "$(meet env MASTER_PORT=4711)" = \
    "MASTER_PORT MASTER_ADDR=10.11.0.2 "
touch fail
refuse "a run that fails" 3 "*: exit status 5: train_imagenet: no luck" \
    "$launch/run_single_node.sh" resnet18 8
rm fail
for script in single_node two_nodes multi_nodes; do
	verdict "run_$script.sh --help" sh -c '"$1" --help |
	    grep -q "^Usage: run_'$script'.sh "' sh "$launch/run_$script.sh"
	refuse "run_$script.sh: an unknown option" 2 \
	    "run_$script.sh: unrecognised option: --gpus" \
	    "$launch/run_$script.sh" --gpus=3
done
verdict "--help of one node has no hostfile" sh -c \
    '! "$1" --help | grep -q hostfile' sh "$launch/run_single_node.sh"
set -- "$launch/run_multi_nodes.sh" -H hosts
refuse "one node takes no hostfile" 2 "*: unrecognised option: --hostfile" \
    "$launch/run_single_node.sh" --hostfile=hosts
refuse "two nodes take no number" 2 "*: unrecognised option: --nodes" \
    "$launch/run_two_nodes.sh" --nodes=3
refuse "no hostfile" 2 "*: no --hostfile: which nodes?" \
    "$launch/run_two_nodes.sh"
refuse "a hostfile that is not there" 3 "*: cannot read 'none'" \
    "$launch/run_two_nodes.sh" --hostfile none
refuse "more nodes than there are" 3 "*: hosts: 4 nodes, not 5" "$@" -N 5
refuse "nodes that are no number" 2 "*: --nodes: '0' is not *" "$@" -N 0
refuse "devices that are no number" 2 "*: --devices: 'x' is not *" "$@" -g x
refuse "a batch that is no number" 2 "*: BATCH: '1e3' is not *" "$@" m 1e3
refuse "a run that is no number" 2 "*: RUN: '-1' is not *" "$@" m 1 fp32 -1
refuse "one operand too many" 2 "*: 'x' is one operand too many" \
    "$@" m 1 fp32 1 x
refuse "an option without argument" 2 "*: -g: an argument is missing" "$@" -g
refuse "images that are not there" 3 "*: none: no such folder" "$@" -d none
refuse "run_sweep is not there" 3 "*: cannot find 'none'; *" \
    env RUN_SWEEP=none "$@"
refuse "run_sweep's errors come through" 3 "*no model 'resnet51'*" \
    "$launch/run_single_node.sh" resnet51

# --- The report's runs, and a tree that was built ----------------------------
"$launch/run_single_node.sh" -g 1,4,8 --runs=5 -n five >out 2>&1
for count in 1 4 8; do
	verdict "five runs on $count devices" test \
	    "$(find logs/five/1n${count}g -name 'resnet50_b128_fp32_[1-5].log' |
	    wc -l)" -eq 5
done
rm logs/five/1n4g/resnet50_b128_fp32_3.log
"$launch/run_single_node.sh" -g 1,4,8 --runs=5 -n five --dry-run >out 2>&1
verdict "again: only what is not there" test "$(grep -vc '^# finished' out)" \
    -eq 1
refuse "a list without --runs" 2 "*: --devices: '1,4' is not a number*" \
    "$launch/run_single_node.sh" -g 1,4
refuse "a list with a hole" 2 "*: --devices: '1,,4' is not a list*" \
    "$launch/run_single_node.sh" -g 1,,4 --runs=2
refuse "runs and a run" 2 "*: RUN '3' and --runs exclude each other" \
    "$launch/run_single_node.sh" --runs=2 resnet50 128 fp32 3
refuse "runs that are no number" 2 "*: --runs: '0' is not *" \
    "$launch/run_single_node.sh" --runs=0
mkdir -p tree/trainer/launch tree/build
cp "$launch"/*.sh tree/trainer/launch
cp ../bin/train_imagenet tree/build
cp "$bindir/run_sweep" tree/build
# The part of $PATH without our programs, installed ones included.
plain=$(printf '%s\n' "$PATH" | tr : '\n' | while IFS= read -r dir; do
	test -x "$dir/train_imagenet" || test -x "$dir/run_sweep" ||
	    printf %s: "$dir"
done)
verdict "train.sh finds the program of a build" env PATH="$plain" \
    LOG_FOLDER=found tree/trainer/launch/train.sh resnet18 0 4
verdict "run_single_node.sh, too" env PATH="$plain" \
    tree/trainer/launch/run_single_node.sh -n found resnet18 4
verdict "and its run_sweep the trainer" test -s \
    logs/found/1n1g/resnet18_b4_fp32_1.log

# --- slurm.sbatch ------------------------------------------------------------
job() {
	env SLURM_JOB_ID=1 SLURM_JOB_NUM_NODES=2 SLURM_NTASKS_PER_NODE=4 "$@"
}
check "a run under Slurm" launch-slurm.txt both job \
    env SRUN_FLAGS="--cpus-per-task=2" "$launch/slurm.sbatch" resnet18 4
verdict "its log" test -s logs/slurm/2n4g/resnet18_b4_fp32_1.log
printf 'GPU 0: V100\n' >../gpus
job "$launch/slurm.sbatch" resnet18 8 >out 2>&1
verdict "on GPUs where there are any" grep -q \
    "^gpus : .* --device=cuda --dummy " logs/slurm/2n4g/resnet18_b8_fp32_1.log
rm ../gpus
printf 'name s\nmodel resnet18\nbatch 4\ntopology 2n1g\n' >s.sweep
check "a sweep under Slurm" launch-slurm-sweep.txt both job \
    env LOG_DIR=l "$launch/slurm.sbatch" s.sweep -n --set runs=1
verdict "slurm.sbatch --help" sh -c '"$1" --help | grep -q "sbatch -N 2"' sh \
    "$launch/slurm.sbatch"
refuse "outside of Slurm" 3 "slurm.sbatch: this is not a job of Slurm; *" \
    "$launch/slurm.sbatch"
refuse "an option" 2 "slurm.sbatch: unrecognised option: -x" \
    "$launch/slurm.sbatch" -x
refuse "one operand too many" 2 "slurm.sbatch: 'x' is one operand too many" \
    job "$launch/slurm.sbatch" a 1 fp32 1 x
refuse "run_sweep is not there" 3 "slurm.sbatch: cannot find 'none'; *" \
    job env RUN_SWEEP=none "$launch/slurm.sbatch"
finish
