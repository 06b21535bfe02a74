# Phases, network and times that a log of the trainer states are in the result.
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

# Launch lines in a log of any format. Each row has the expected nodes, GPUs per
# node and GPUs, then the line.
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
2 16 32|srun -N 2 --gres=gpu:a100:16 python main.py
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
verdict "all of them were tried" test "$n_started" -eq 35

# Launches as MLPerf's scripts, Kubernetes and others log them, each between the
# helpers that run before and after the training.
helpers_before="+ echo ':::SYSJSON {\"accelerators_per_node\":\"1\",\"accelerator_model_name\":\"No devices were found\"}'
++ srun -N1 -n1 --container-name=job_1 --no-container-mount-home --container-writable mlperf-sysjson.sh
+ srun --ntasks=2 --container-name=job_1 bash -c 'echo -n Clearing && hostname && sync && sudo /sbin/sysctl vm.drop_caches=3'
+ srun -N1 -n1 --container-name=job_1 python -c ''
+ srun --ntasks=3 --ntasks-per-node=3 --container-remap-root nvidia-smi topo -m
+ mpirun -np 5 -npernode 5 hostname"
helpers_after="+ srun --ntasks=7 --ntasks-per-node=7 python3 -m mlperf_logging.compliance_checker --usage training a.log
+ srun -N1 -n1 bash ./cleanup.sh"
mounts=--container-mounts=$(awk 'BEGIN { for (i = 0; i < 200; i++)
    printf "/data/train_%d:/nodes=2/%d,", i, i; print "/x:/y" }')
n_launched=0
while IFS='|' read -r want line; do
	for where in alone among; do
		{
			test $where = among && echo "$helpers_before"
			printf '%b\n' "$line"
			cat "$tmp/plain.log"
			test $where = among && echo "$helpers_after"
		} | sed "s#@MOUNTS@#$mounts#" >"$tmp/started.log"
		"$extract" -o "$tmp/r.json" --metric=step-time \
		    "$tmp/started.log" >"$tmp/out" 2>"$tmp/err"
		got=$(sed -n 's/^      "\(nodes\|gpus_per_node\|gpus\)": \(.*\),$/\2/p' \
		    "$tmp/r.json" | tr '\n' ' ' | sed 's/null/-/g; s/ $//')
		verdict "$where: $want: $line ($got)" test "$got" = "$want"
		verdict "and nothing contradicts" \
		    test "$(grep -c 'against\|took too long' "$tmp/r.json" \
		    "$tmp/err" | sed 's/.*://' | tr -d '\n')" = 00
	done
	n_launched=$((n_launched + 1))
done <<'END'
8 8 64|+ srun -l --mpi=pmix --ntasks=64 --ntasks-per-node=8 --time=50 --container-name=job_1 @MOUNTS@ --container-workdir=/w slurm2pytorch ./run_and_time.sh
2 4 8|+ srun -l --mpi=pmix -N 2 --ntasks-per-node=4 --no-container-mount-home --container-remap-root --container-writable @MOUNTS@ ./run_and_time.sh
16 8 128|:::DLPAL /data/x 4711 16 node-[01-16] 'unknown' DGX_16x8x4\n+ srun --mpi=none --ntasks-per-node=8 @MOUNTS@ bash ./run_and_time.sh
4 - -|+ srun --nodes=4 --ntasks=4 --ntasks-per-node=1 ./run_and_time.sh
4 8 32|+ srun --nodes=4 --ntasks-per-node=1 @MOUNTS@ ./run_and_time.sh\n 0: + torchrun --nproc_per_node=8 --nnodes=4 train.py
4 8 32|+ srun --nodes=4 --ntasks=4 bash -c 'torchrun --nproc_per_node=8 --nnodes=4 --node_rank $SLURM_PROCID train.py'
4 8 32|+ srun -N4 --gpus-per-node=8 --ntasks-per-node=1 --export=ALL,A=b,C=d bash -lc "cd /w && python train.py -n 3"
2 8 16|+ srun -n 16 --gpus-per-task=1 -N 2 bindpcie --cpu=exclusive --ib=single -- python3 -u train.py --batch 4
- - 24|+ srun -n 24 bindpcie --cpu=node -- ./run_and_time.sh
2 8 16|+ mpirun --allow-run-as-root -np 16 --bind-to none -x NCCL_DEBUG=INFO -mca btl_tcp_if_include eth0 --map-by ppr:8:node --tag-output bindpcie --cpu=node ./run_and_time.sh
4 8 32|+ mpirun -np 32 -H a:8,b:8,c:8,d:8 -x PATH -x LD_LIBRARY_PATH=/a:/b --mca pml ob1 python train_imagenet.py
- - 32|+ mpiexec.hydra -n 32 -genv OMP_NUM_THREADS 4 -hostfile ./hosts numactl -l python train.py -N 5
4 8 32|+ mpirun -np 4 --map-by ppr:1:node ./run_and_time.sh\n+ python3 -m torch.distributed.run --nnodes=4 --nproc_per_node 8 train.py
2 8 16|kubectl exec job-launcher-x7 -- mpirun --allow-run-as-root -np 16 -npernode 8 --hostfile /etc/mpi/hostfile -x NCCL_IB_DISABLE=0 python /w/train.py
2 8 16|PET_NNODES=2\nPET_NPROC_PER_NODE=8\nWORLD_SIZE=2\n+ torchrun train.py
2 8 16|RANK=1\nWORLD_SIZE=2\n+ torchrun --nnodes=2 --nproc_per_node=8 --rdzv_backend=c10d --rdzv_endpoint=job-0:29400 train.py
2 8 16|python -u -m bind_launch --nnodes 2 --nproc_per_node 8 --nsockets_per_node=2 train.py
1 8 8|+ python -u -m bind_pyt --nsockets_per_node 2 --ncores_per_socket 24 --nproc_per_node 8 train.py -n 4
2 8 16|['accelerate', 'launch', '--num_machines', '2', '--num_processes=16', '--mixed_precision', 'bf16', 'train.py']
2 6 12|+ docker exec -it job_1 jsrun --smpiargs=-gpu -n 4 -a 3 -g 3 -r 2 ./bind.sh python train.py
2 4 8|+ singularity exec --nv a.sif deepspeed --num_nodes=2 --num_gpus=4 --master_port 29500 train.py --deepspeed ds.json
1 4 4|+ exec env A=b python -m paddle.distributed.launch --nnodes 1 --gpus 0,1,2,3 train.py
2 8 16|+ msrun --worker_num=16 --local_worker_num=8 --master_addr=a train.py
2 8 16|#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=8\n+ srun python resnet.py
2 8 16|+ srun -N2 -n16 sh -c 'exec numactl -N0 python3 resnet.py --epochs 64'
2 8 16|+ srun -N2 -n16 python resnet.py --checkpoint-dir /data/cache
2 8 16|+ srun -N 2 --gres=gpu:h100:8 --ntasks-per-node 8 train.sh
8 8 64|61: num_gpus=8 num_sockets = 2 num_nodes=2 cores_per_socket=56\n60: RANK 60: LOCAL_RANK 4, MASTER_ADDR a, WORLD_SIZE 64, SLURM_NTASKS 64
1 4 4|+ CUDA_VISIBLE_DEVICES=0,1,2,3 python train.py --data /x
1 8 8|+ exec numactl --physcpubind=0-15 -- python train_imagenet.py --gpus 0,1,2,3,4,5,6,7 --kv-store horovod
1 8 8|+ docker exec -it --env=A job_1 sh -c './run_and_time.sh "   python -u -m bind_pyt --nsockets_per_node=2 --nproc_per_node=8 run_pretraining.py"'
1 8 8|++ export DGXNNODES=1\n++ export DGXNGPU=8\n+ bash run.sh
2 8 16|Initializing distributed: GLOBAL_RANK: 6, MEMBER: 7/16\nSLURM_NNODES=2
END
verdict "all launches were tried" test "$n_launched" -eq 33

# Batch sizes on launch lines.
while IFS='|' read -r want line; do
	{
		echo "$line"
		cat "$tmp/plain.log"
	} >"$tmp/started.log"
	"$extract" -q -o "$tmp/r.json" "$tmp/started.log" >"$tmp/out" 2>&1
	got=$(sed -n 's/^      "\(batch_size_per_device\|gpus\)": \(.*\),$/\2/p' \
	    "$tmp/r.json" | tr '\n' ' ')$(grep -c 'of the configuration' "$tmp/r.json")
	verdict "batch $want: $line ($got)" test "$got" = "$want"
done <<'END'
128 8 0|+ torchrun --nproc_per_node=8 train.py --global-batch-size 1024
2048 8 1|+ torchrun --nproc_per_node=8 train.py --batch-size 2048
256 4 1|+ mpirun -np 4 python main.py -a resnet50 -b 256 /data
64 4 0|+ mpirun -np 4 python main.py --batch-size-per-gpu 64
256 8 1|Namespace(arch='resnet50', batch_size=256, world_size=8)
null null 1|Namespace(arch='resnet50', batch_size=2048)
2048 1 0|+ torchrun --nproc_per_node=1 train.py --batch-size=2048
8 8 0|torchrun --nproc_per_node=8 train.py --per_device_train_batch_size 4 --gradient_accumulation_steps 2
null null 0|+ python train.py --global_batch_size=32 --micro_batch_size=4
8 4 0|+ python train.py --global_batch_size=32 --micro_batch_size=4 --gradient_accumulation_steps 2
END

# Lines that differ only in digits are distinguished where digits matter.
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
verdict "the program knows better than its launcher" \
    grep -q '"gpus": 12,' "$tmp/r.json"
verdict "who is named" grep -q \
    '"gpus": "log line 132; log line 1 says 2 nodes of 8' "$tmp/r.json"
{
	echo "world_size: 16"
	cat "$tmp/plain.log"
	echo "world_size: 12"
} >"$tmp/started.log"
"$extract" -o "$tmp/r.json" --metric=step-time "$tmp/started.log" \
    >"$tmp/out" 2>"$tmp/err"
verdict "a contradiction is reported with both places" grep -q "started.log:132: \
gpus: '12' differs from '16' on log line 1, which is used" "$tmp/err"
verdict "and is in the result" \
    grep -q '"gpus": "log line 1; log line 132 says 12"' "$tmp/r.json"
verdict "two of one kind are flagged" grep -q \
    'gpus: 16 (log line 1) is taken, against 12 (log line 132)' "$tmp/out"
verdict "in the result too" grep -q \
    '"gpus: 16 (log line 1) is taken, against 12 (log line 132)"' "$tmp/r.json"
"$extract" -q -o "$tmp/r.json" --metric=step-time --format=csv \
    "$tmp/started.log" >"$tmp/out.csv" 2>&1
verdict "and in CSV" grep -q 'is taken, against 12' "$tmp/out.csv"
{
	echo "+ srun -N 2 --ntasks-per-node=8 ./train.sh"
	echo "+ srun -N 4 --ntasks-per-node=8 ./train.sh"
	cat "$tmp/plain.log"
} >"$tmp/started.log"
"$extract" -q -o "$tmp/r.json" --metric=step-time "$tmp/started.log" \
    >"$tmp/out" 2>&1
verdict "of two launches the last before the steps" \
    grep -q '"case": "4n8g"' "$tmp/r.json"
verdict "flagged with the other" grep -q \
    'nodes: 4 (log line 2) is taken, against 2 (log line 1)' "$tmp/out"
mkdir -p "$tmp/exp_n4_lr8"
{
	echo "+ srun -N 2 --ntasks-per-node=8 train.sh"
	cat "$tmp/plain.log"
} >"$tmp/exp_n4_lr8/exp_n4-g8.log"
"$extract" -q -o "$tmp/r.json" --metric=step-time "$tmp/exp_n4_lr8" \
    >"$tmp/out" 2>&1
verdict "a log holds against a name" grep -q '"case": "2n8g"' "$tmp/r.json"
verdict "and that is flagged" grep -q \
    'nodes: 2 (log line 1) is taken, against 4 (path)' "$tmp/out"
"$extract" -q -o "$tmp/r.json" --metric=step-time --path='exp_n{nodes}-g8.log' \
    "$tmp/exp_n4_lr8" >"$tmp/out" 2>&1
verdict "but a template of the user's holds" \
    grep -q '"case": "4n8g"' "$tmp/r.json"

# Whole-program times of a run that resumed from a checkpoint cover only a part
# of the run: they are flagged if present.
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
