# Command lines of PyTorch's ImageNet example work, or are rejected with the
# line to use instead.
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/torchrun.sh"
for name in RANK WORLD_SIZE MASTER_ADDR MASTER_PORT PMI_RANK \
    OMPI_COMM_WORLD_RANK SLURM_PROCID TORCHELASTIC_RUN_ID; do
	unset $name
done

program=$bindir/train_imagenet
small="--dummy --device=$fast_device -a resnet18 --threads=1 -j 1 --image-size 32
    --classes 10 --batches-per-epoch 1 --epochs 1 --val-batches 0 --lr 0.01"
has() { grep -q -e "$1" "$2"; }

refuse "a copied line" 2 "train_imagenet: --multiprocessing-distributed: a \
launcher starts the processes: mpirun -n * train_imagenet*-a resnet50 \
--dist-backend nccl --total-batch=256 'my images'" \
    "$program" -a resnet50 --dist-url tcp://127.0.0.1:7777 \
    --dist-backend nccl --multiprocessing-distributed --world-size 1 --rank 0 \
    -b 256 "my images"
refuse "one of two nodes" 2 "train_imagenet: --multiprocessing-distributed: a \
launcher starts the processes: mpirun -n * --hostfile HOSTS train_imagenet*\
--total-batch=512 DIR" \
    "$program" --dist_url=tcp://h:7777 --multiprocessing_distributed \
    --world-size=2 --rank=0 --batch-size=256 DIR
refuse "-b under a launcher" 2 "train_imagenet: --multiprocessing-distributed: \
-b is the batch of one device here, not of a node: * --total-batch=8" \
    env RANK=0 WORLD_SIZE=2 "$program" $small --multiprocessing-distributed \
    -b8
refuse "--pretrained" 2 "train_imagenet: --pretrained: no pre-trained weights*: \
train_imagenet -a resnet18 -b 4 'my images'" \
    "$program" -a resnet18 --pretrained -b 4 "my images"
refuse "a copied line with --pretrained" 2 "train_imagenet: --pretrained: \
no pre-trained weights*: mpirun -n * train_imagenet*-a resnet18 \
--dist-backend nccl --total-batch=256 DIR" \
    "$program" -a resnet18 --pretrained --dist-url tcp://127.0.0.1:7777 \
    --dist-backend nccl --multiprocessing-distributed --world-size 1 --rank 0 \
    -b 256 DIR
refuse "a URL that is none" 2 "train_imagenet: --dist-url: 'file:///x' is \
neither tcp://HOST:PORT nor env://" "$program" $small --dist-url file:///x
refuse "a port that is none" 2 "train_imagenet: --dist-url: 'tcp://h:99999' is \
neither *" "$program" $small --dist-url tcp://h:99999
refuse "a rank too high" 2 "train_imagenet: --rank: 2 is not below \
--world-size=2" "$program" $small --world-size 2 --rank 2
refuse "a rank above a world of one" 2 "train_imagenet: --rank: 1 is not below \
--world-size=1" "$program" $small --world-size 1 --rank 1
refuse "a URL of nothing" 2 "train_imagenet: --dist-url: 'tcp://*:7777' is \
neither *" "$program" $small --dist-url 'tcp://[]:7777'
verdict "the learning rate by its other name" "$program" $small \
    --learning-rate 0.01 -b 2
refuse "a world without rank" 2 "train_imagenet: --world-size without --rank" \
    "$program" $small --world-size 2
refuse "a rank without world" 2 "train_imagenet: --rank without --world-size" \
    "$program" $small --rank 0
for total in 8 1; do
	refuse "two batch sizes: $total" 2 "train_imagenet: --total-batch cannot \
be used with --batch-size" "$program" $small --total-batch $total -b 4
done
verdict "a world of one" "$program" $small --world-size 1 --rank 0 \
    --dist-url tcp://127.0.0.1:7777 -b 2
if built_with GLOO; then
	# pair FIRST SECOND: start both processes by hand, as on the example's
	# page, each with its own options, at $host and $at_port
	host=127.0.0.1 at_port=$((20000 + $$ % 20000))
	pair() {
		for rank in 0 1; do
			words=$1
			test $rank -eq 0 || words=$2
			timeout 100 "$program" $small --world-size 2 \
			    --rank $rank --dist-url "tcp://$host:$at_port" \
			    --dist-backend gloo $words \
			    >"$tmp/out.$rank" 2>"$tmp/err.$rank" &
			eval "job$rank=$!"
		done
		wait "$job0"
		first=$?
		wait "$job1" && test $first -eq 0
	}
	two() { pair "--total-batch $1" "--total-batch $1"; }
	verdict "two processes by --rank" two 6
	verdict "share the total batch" \
	    has ' batch_per_device=3 devices=2 .* backend=gloo ' "$tmp/out.0"
	two 7
	verdict "an odd batch is refused" has "^train_imagenet: --total-batch: 2 \
processes cannot share 7 images; they can share 6 or 8" "$tmp/err.0"
	verdict "once" test ! -s "$tmp/err.1"
	# The shell of a Slurm job, or mpirun -n 1, launches one process.
	in_job() {
		(
			SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1
			OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1
			export SLURM_PROCID SLURM_STEP_NUM_TASKS \
			    OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE
			"$@"
		)
	}
	verdict "two processes in a job of one task" in_job two 6
	verdict "know each other" has ' devices=2 ' "$tmp/out.0"
	verdict "torchrun's ranks in such a job" in_job ranks 2 "$tmp/torchrun" \
	    $small -b 2
	verdict "know each other, too" has ' devices=2 ' "$tmp/torchrun"
	if grep -q '^0\{31\}1 ' /proc/net/if_inet6 2>/dev/null; then
		host='[::1]'
		verdict "an IPv6 address as in a URL" two 6
		host=127.0.0.1
	else
		skip "an IPv6 address as in a URL" "no IPv6"
	fi
	# differ NAME WHAT FIRST SECOND: both end at once, and one prints why
	differ() {
		pair "$3 -b 2" "$4 -b 2"
		verdict "$1 on one rank alone is refused" has \
		    "^train_imagenet: the ranks differ in $2\$" "$tmp/err.0"
	}
	differ --checkpoint "their options" "--checkpoint $tmp/state" ""
	differ --checkpoint-every "their options" "--checkpoint $tmp/state" \
	    "--checkpoint $tmp/state --checkpoint-every 1"
	differ --comm-timeout=0 "--total-batch, or whether --comm-timeout is 0" \
	    "" "--comm-timeout 0"
	pair "-b 2" "--total-batch 7"
	verdict "--total-batch on one rank alone is refused" has \
	    "^train_imagenet: the ranks differ in --total-batch, or" "$tmp/err.0"
else
	skip "two processes" "no Gloo"
fi
finish
