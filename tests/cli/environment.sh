# Data on the machine in the log of any program: environment.metadata.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
x=$(cd "$bindir" && pwd)/extract_logs
cd "$tmp" || exit 1
unset DLSCALE_FORMAT_PATH

steps() {
	i=0
	while test $i -le 125; do
		printf 'Epoch: [0][%d/200]\tTime  0.500 ( 0.500)\tData  0.010 ( 0.010)\tLoss 6.9e+00 (6.9e+00)\tAcc@1   0.39 (  0.12)\tAcc@5   1.17 (  0.61)\n' $i
		i=$((i + 1))
	done
}
run() {
	"$x" -q -o out.json --nodes=1 --gpus-per-node=1 \
	    --batch-size-per-device=8 "$@" >table 2>err
}
has() { grep -q "^ *\"$1\": \"$2\",*\$" out.json; }

{
	echo 'import torch # wants PyTorch 1.0'
	echo 'TensorFlow version: 2.9.1'
	echo '+---+'
	printf '\033[32mCollecting environment\033[0m\n'
	echo '[rank0]: PyTorch version: 2.3.1+cu121'
	echo 'PyTorch version: 9.9'
	echo '|   0  NVIDIA H100 80GB HBM3          On  |   00000000:61:00.0 Off |                    0 |'
	echo '|   1  NVIDIA T4                      On  |   00000000:62:00.0 Off |                    0 |'
	steps
} >a.log
run a.log
verdict "the device by nvidia-smi's table" has device 'NVIDIA H100 80GB HBM3'
verdict "from its line" has device 'log line 7'
verdict "the version of the format's framework, not of another" \
    has framework_version '2.3.1+cu121'
verdict "from its line, after a launcher's prefix" \
    has framework_version 'log line 5'
verdict "the framework itself is the format's word" has framework format
verdict "options are named as such" has nodes option
"$x" --explain a.log >shown 2>err
verdict "--explain shows them" \
    grep -q 'metadata smi: device="*NVIDIA H100 80GB HBM3' shown
verdict "after a step nothing is looked for" test "$(grep -c 'metadata smi' shown)" -eq 2

# A line similar to one of the previous log gives its metadata, whether the
# previous log reported that line or had reported enough before it.
mkdir many
for i in 1 2 3 4; do
	{
		test $i -gt 1 || echo 'GPU: NVIDIA H100'
		echo "torch version: 2.$i.0+cu121"
		steps
		echo "torch version: 9.$i.0+cu121"
	} >many/b8_$i.log
done
run --rule=all many
verdict "each log shows its version, like the one before or not" eval '
    test "$(grep -c "framework_version\": \"2.[1-4].0+cu121" out.json)" -eq 4'

# Source code printed before the steps gives no metadata.
{
	echo "=> creating model '%s'"
	echo "=> creating model '{}'"
	echo "=> creating model 'resnet18'"
	steps
} >source.log
run source.log
verdict "a placeholder in printed source is no model" has model resnet18

# Cases on different devices are separate and not compared.
mkdir -p mixed/1n1g mixed/1n2g
for card in V100 H100; do
	{
		echo "|   0  NVIDIA $card          On  |   00000000:61:00.0 Off |                    0 |"
		steps
	} >$card.log
done
cp V100.log mixed/1n1g/r18_b8_fp32_1.log
cp H100.log mixed/1n2g/r18_b8_fp32_1.log
baselines() {
	"$x" -q --format=csv -o m.json "$@" mixed |
	    awk -F, 'NR > 1 { print $21 }' | tr '\n' ' '
}
verdict "another device is no baseline" test "$(baselines)" = "1n1g 1n2g "
verdict "but with --allow-mixed" test "$(baselines --allow-mixed)" = \
    "1n1g 1n1g "
cp V100.log mixed/1n2g/r18_b8_fp32_2.log
"$x" -q -o m.json mixed >/dev/null 2>&1
verdict "runs on different devices are no case" test \
    "$(grep -o '"n": *[0-9]*' m.json | tr -d ' ' | tr '\n' ' ')" = \
    '"n":1 "n":1 "n":1 '
verdict "but have a label" grep -q '"device": "H100"' m.json
verdict "each is compared with its own" test \
    "$(grep -o '"baseline": "[^"]*"' m.json | cut -d'"' -f4 | tr '\n' ' ')" = \
    "1n2g 1n1g 1n1g "

# A format's own metadata takes precedence.
mkdir own
sed 's/^name pytorch-imagenet/name own/' "$top_srcdir/extract/formats/pytorch-imagenet.format" >own/own.format 2>/dev/null ||
    "$x" --show-format pytorch-imagenet | sed 's/^name pytorch-imagenet/name own/' >own/own.format
cat >>own/own.format <<'END'
metadata card ^our card is (?<device>.+)
sample our card is X1
expect card device=X1
END
{ cat a.log; echo 'our card is X2'; } >b.log
run --format-dir=own --log-format=own b.log
verdict "what the format states goes before" has device X2

# A user's metadata file, and mistakes in it.
cat >own/site.metadata <<'END'
name site
description our site
metadata node ^booted on (?<device>\S+)
only pytorch
sample booted on N9
expect node device=N9
END
{ echo 'booted on N7'; steps; } >c.log
run --format-dir=own c.log
verdict "a user's own metadata file" has device N7
verdict "--show-format shows it" grep -q 'our site' own/site.metadata
sed 's/^metadata /fact /' own/site.metadata >own/site.facts && rm own/site.metadata
run --format-dir=own c.log
verdict "of the name and the key that older files have" has device N7
refuse "a step pattern has no place there" 3 '*site.metadata:3:1: *is not allowed*' \
    sh -c 'mkdir h && printf "name site\ndescription d\nstep x (?<step_s>.)\n" >h/site.metadata && "$1" --format-dir=h c.log' - "$x"
refuse "'only' needs metadata above" 3 "*site.metadata:3:6: 'only' without a metadata pattern*" \
    sh -c 'printf "name site\ndescription d\nonly pytorch\n" >h/site.metadata && "$1" --format-dir=h c.log' - "$x"
refuse "a metadata file without a pattern" 3 '*site.metadata:1:1: the file has no metadata pattern' \
    sh -c 'printf "name site\ndescription d\n" >h/site.metadata && "$1" --format-dir=h c.log' - "$x"
refuse "'only' is of metadata files" 3 '*x.format:4:1: *is not allowed*' \
    sh -c 'rm h/*; printf "name x\ndescription d\nkind rate\nonly pytorch\n" >h/x.format && "$1" --format-dir=h c.log' - "$x"
# --- How a run was started ---------------------------------------------------------
steps() {
	awk 'BEGIN { for (i = 0; i < 130; i++)
		printf "Epoch: [0][%4d/130]\tTime  0.400 ( 0.400)\tData  0.010 ( 0.011)\tLoss 6.9000e+00 (6.9000e+00)\tAcc@1   0.39 (  0.40)\tAcc@5   1.17 (  1.18)\n", i }'
}
# started NAME CASE COMMAND OPTION...
started() {
	name=$1 want=$2
	{ echo "$3"; steps; } >started.log
	shift 3
	"$x" -q --batch-size-per-device=4 -o s.json "$@" started.log >out 2>err
	verdict "$name" grep -q "\"case\": \"$want\"" s.json
}
started "torchrun" 2n8g "+ torchrun --nnodes=2 --nproc_per_node=8 main.py"
started "torchrun on one node" 1n4g \
    "python -m torch.distributed.launch --nproc_per_node=4 main.py"
started "mpirun" 4n8g "mpirun -np 32 -ppn 8 --host a,b,c,d python main.py -n 5"
started "not the program's own options" unknown \
    "mpirun --hostfile h python m.py -n 5" --metric=step-time
started "srun that starts torchrun" 2n4g \
    "srun -N 2 --ntasks=2 --ntasks-per-node=1 torchrun --nnodes=2 --nproc_per_node=4 m.py"
started "deepspeed" 4n8g "deepspeed --num_gpus 8 --num_nodes 4 train.py"
started "accelerate" 2n8g "accelerate launch --num_processes 16 --num_machines 2 m.py"
started "Slurm's variables" 4n8g "SLURM_NNODES=4 SLURM_GPUS_ON_NODE=8"
started "an option goes before" 1n2g "torchrun --nnodes=2 --nproc_per_node=8 m.py" \
    --nodes=1 --gpus-per-node=2
started "--gpus is the total" 16g "nothing is said" --gpus=16
started "--gpus and --gpus-per-node" 2n8g "nothing is said" --gpus=16 \
    --gpus-per-node=8
{
	echo "mpirun -np 64 python main.py"
	echo "dlscale: config version=0.1.0 model=resnet18 parameters=1 image=224 classes=10 device=cpu precision=fp32 batch_per_device=4 devices=4 nodes=1 images=dummy train_images=1"
	steps
} >own.log
"$x" -q -o s.json own.log >out 2>err
verdict "what the program states of its own goes before" grep -q \
    '"case": "1n4g"' s.json
finish
