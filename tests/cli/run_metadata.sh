# What a log of the trainer states of its phases, network and times reaches the
# result.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/logs.sh"

extract=$bindir/extract_logs
mkdir -p "$tmp/logs/1n2g"
{
	echo "=> creating model 'resnet18'"
	echo 'dlscale: config version=0.1.0 model=resnet18 parameters=11689512 image=224 classes=1000 device=cpu precision=fp32 batch_per_device=4 devices=2 nodes=1 images=dummy train_images=1281167'
	awk 'BEGIN { for (i = 1; i <= 130; i++)
	    printf "Epoch: [0][%d/130]\tTime 0.200 (0.200)\tData 0.001 (0.001)\tLoss 6.9 (6.9)\tAcc@1 0.00 (0.00)\tAcc@5 0.00 (0.00)\n", i }'
	echo 'dlscale: phases epoch=0 steps=130 mode=sync step_ms=200.000 data_ms=1.500 to_device_ms=0.250 forward_ms=60.000 loss_ms=1.000 backward_ms=100.000 update_ms=37.000 other_ms=0.250 update_allreduce_ms=30.000 update_step_ms=7.000'
	echo 'dlscale: device epoch=0 steps=130 mode=sync copy_ms=0.100 to_device_ms=0.125 forward_ms=59.000 loss_ms=0.500 backward_ms=99.000 allreduce_ms=20.000 update_ms=6.000'
	echo 'dlscale: reductions epoch=0 per_step=3 bytes_per_step=46758048 busy_ms=40.000 exposed_ms=10.000 overlap=0.7500'
	echo 'dlscale: run_network receive_mbit_per_s=2610.000 send_mbit_per_s=2500.000 loopback_mbit_per_s=0.000 interfaces=eth0'
	echo 'dlscale: run_times real_s=21.38 user_s=33.63 sys_s=4.14 processes=2'
	echo 'real 23.00'
	echo 'user 34.00'
	echo 'sys 5.00'
} >"$tmp/logs/1n2g/r18_b4_fp32_1.log"
"$extract" -q -o "$tmp/r.json" "$tmp/logs" >"$tmp/out" 2>&1
for line in '"step_s": 0.2,' '"data_s": 0.0015,' '"allreduces": 3,' \
    '"to_device_s": 0.000125,' '"forward_s": 0.059,' '"loss_s": 0.0005,' \
    '"backward_s": 0.099,' '"update_s": 0.006' '"busy_s": 0.04,' \
    '"real_s": 21.38,' '"user_s": 33.63,' '"sys_s": 4.14' \
    '"received_gb_per_s": 0.32625,' '"sent_gb_per_s": 0.3125'; do
	verdict "the result has $line" grep -qF -- "$line" "$tmp/r.json"
done

# Without the device's own clock and the trainer's own times.
sed -i '/^dlscale: device/d; /^dlscale: run_times/d; s/^real 23.00/real\t1m53.525s/' \
    "$tmp/logs/1n2g/r18_b4_fp32_1.log"
"$extract" -q -o "$tmp/r.json" "$tmp/logs" >"$tmp/out" 2>&1
for line in '"forward_s": 0.06,' '"update_s": 0.037' '"real_s": 113.525,' \
    '"user_s": 34,'; do
	verdict "from the host and the shell: $line" \
	    grep -qF -- "$line" "$tmp/r.json"
done

# How the run was started, in a log of any format; a line, then what it makes
# known: nodes, GPUs per node, GPUs.
imagenet 130 >"$tmp/plain.log"
n_started=0
while IFS='|' read -r want line; do
	{
		echo "$line"
		cat "$tmp/plain.log"
	} >"$tmp/started.log"
	"$extract" -q -o "$tmp/r.json" --metric=step-time \
	    "$tmp/started.log" >"$tmp/out" 2>&1
	got=$(sed -n 's/^      "\(nodes\|gpus_per_node\|gpus\)": \(.*\),$/\2/p' \
	    "$tmp/r.json" | tr '\n' ' ' | sed 's/null/-/g; s/ $//')
	n_started=$((n_started + 1))
	verdict "$want: $line ($got)" test "$got" = "$want"
done <<'END'
2 8 16|+ torchrun --nnodes=2 --nproc_per_node=8 main.py
1 4 4|python -m torch.distributed.launch --nproc_per_node 4 train.py
2 8 16|accelerate launch --num_processes 16 --num_machines 2 train.py
4 8 32|deepspeed --num_gpus 8 --num_nodes 4 train.py --deepspeed
4 4 16|horovodrun -np 16 -H a:4,b:4,c:4,d:4 python train.py
4 8 32|mpirun -np 32 -ppn 8 python train.py
4 8 32|srun --nodes=4 --ntasks=32 --ntasks-per-node=8 python main.py
2 8 16|srun -N 2 --gres=gpu:8 python main.py
4 6 24|jsrun -n 24 -a 1 -g 1 -r 6 python train.py
8 6 48|jsrun -n 8 -r 1 -g 6 ./train
- - 24|jsrun -n 4 -g 6 -a 6 python train.py
4 6 24|jsrun -n 8 -r 2 -g 3 -a 3 ./train
2 8 16|SLURM_NNODES=2 SLURM_NTASKS_PER_NODE=8 SLURM_NTASKS=16
2 - -|SLURM_NNODES=2 SLURM_NTASKS_PER_NODE=1 SLURM_NTASKS=2
2 8 16|declare -x SLURM_TASKS_PER_NODE="8(x2)"
- - -|SLURM_TASKS_PER_NODE=8(x2),4
2 8 16|PMI_LOCAL_SIZE=8 PMI_SIZE=16
4 8 32|srun --gres=gpu:8 -N 4 python train.py
4 8 32|srun -N4 -n32 --gpus-per-task=1 python train.py
- 8 -|srun -N 2-4 --gres=gpu:8 python train.py
2 8 16|mpirun -np 16 --map-by ppr:8:node ./train
2 8 16|mpiexec -n 16 -npernode 8 ./train
2 4 8|horovodrun -np 8 -H a:4,b:4 python train.py
- - 6|mpirun -np 6 -H a:4,b:2 python train.py
1 4 4|deepspeed --include localhost:0,1,2,3 train.py
- 8 -|torchrun --nnodes=2:4 --nproc_per_node=8 train.py
2 8 16|torchrun --nnodes 2:2 --nproc_per_node 8 train.py
- - 128|PMI_SIZE=128
- - 16|declare -x OMPI_COMM_WORLD_SIZE="16"
- - 64|using world size: 64 and model-parallel size: 4
- - 16|Namespace(arch='resnet50', lr=0.1, world_size=16, rank=0)
2 8 16|nnodes=2, num_local_procs=8, node_rank=0
2 8 16|trainer.nnodes=2 trainer.n_gpus_per_node=8
- - 24|Rank 0: Completed store-based barrier for key:store_based_barrier_key:1 with 24 nodes.
END
verdict "all of them were tried" test "$n_started" -eq 34

# Lines alike but for their digits are distinguished where digits matter.
{
	echo "world_size: 1"
	echo "world_size: 1"
	echo "world_size: 12"
	cat "$tmp/plain.log"
} >"$tmp/started.log"
"$extract" -o "$tmp/r.json" --metric=step-time "$tmp/started.log" \
    >"$tmp/out" 2>"$tmp/err"
verdict "a later line of the same shape" grep -q '"gpus": 12,' "$tmp/r.json"
verdict "with its place" grep -q '"gpus": "log line 3"' "$tmp/r.json"
{
	echo "torchrun --nnodes=2 --nproc_per_node=8 main.py"
	cat "$tmp/plain.log"
	echo "world_size: 12"
} >"$tmp/started.log"
"$extract" -o "$tmp/r.json" --metric=step-time "$tmp/started.log" \
    >"$tmp/out" 2>"$tmp/err"
verdict "a contradiction is reported with both places" grep -q "started.log:132: \
gpus: '12' differs from '16' on log line 1, which is taken" "$tmp/err"
verdict "and is in the result" \
    grep -q '"gpus": "log line 1; log line 132 says 12"' "$tmp/r.json"

# The times of a whole program that went on with another's state are of a part of
# the run: flagged, where there are such times.
for step in 0 60; do
	for end in 'real 70.50' 'done'; do
		{
			echo "dlscale: resume epoch=0 batch=$step step=$step \
best_top1=-1 differs=none"
			cat "$tmp/plain.log"
			echo "$end"
		} >"$tmp/resumed.log"
		"$extract" -o "$tmp/r.json" --metric=step-time --gpus=1 \
		    "$tmp/resumed.log" >"$tmp/out" 2>"$tmp/err"
		echo "$step $end: $(grep -c \
		    'resumed after step 60: its wall-clock and CPU times' \
		    "$tmp/r.json")"
	done
done >"$tmp/flags"
verdict "whole-program times of a resumed run are flagged" test \
    "$(tr '\n' ';' <"$tmp/flags")" = \
    "0 real 70.50: 0;0 done: 0;60 real 70.50: 1;60 done: 0;"
comment "$tmp/flags"
finish
