# Lines of PyTorch's ImageNet example: they work, or are refused with the line to
# use instead.
. "$top_srcdir/tests/lib.sh"
for name in RANK WORLD_SIZE MASTER_ADDR MASTER_PORT PMI_RANK \
    OMPI_COMM_WORLD_RANK SLURM_PROCID; do
	unset $name
done

program=$bindir/train_imagenet
small="--dummy --device=reference -a resnet18 --threads=1 -j 1 --image-size 32
    --classes 10 --batches-per-epoch 1 --epochs 1 --val-batches 0 --lr 0.01"
has() { grep -q -e "$1" "$2"; }

refuse "a copied line" 2 "train_imagenet: --multiprocessing-distributed: a \
launcher starts the processes: mpirun -n * train_imagenet -a resnet50 \
--dist-backend nccl --total-batch=256 DIR" \
    "$program" -a resnet50 --dist-url tcp://127.0.0.1:7777 \
    --dist-backend nccl --multiprocessing-distributed --world-size 1 --rank 0 \
    -b 256 DIR
refuse "one of two nodes" 2 "train_imagenet: --multiprocessing-distributed: a \
launcher starts the processes: mpirun -n * --hostfile HOSTS train_imagenet \
--total-batch=512 DIR" \
    "$program" --dist_url=tcp://h:7777 --multiprocessing_distributed \
    --world-size=2 --rank=0 --batch-size=256 DIR
refuse "-b under a launcher" 2 "train_imagenet: --multiprocessing-distributed: \
-b is the batch of one device here, not of a node: * --total-batch=8" \
    env RANK=0 WORLD_SIZE=2 "$program" $small --multiprocessing-distributed \
    -b8
refuse "--pretrained" 2 "train_imagenet: --pretrained: there are no weights*" \
    "$program" $small --pretrained
refuse "a URL that is none" 2 "train_imagenet: --dist-url: 'file:///x' is \
neither tcp://HOST:PORT nor env://" "$program" $small --dist-url file:///x
refuse "a port that is none" 2 "train_imagenet: --dist-url: 'tcp://h:99999' is \
neither *" "$program" $small --dist-url tcp://h:99999
refuse "a rank too high" 2 "train_imagenet: --rank: 2 is not below \
--world-size=2" "$program" $small --world-size 2 --rank 2
refuse "a world without rank" 2 "train_imagenet: --world-size without --rank" \
    "$program" $small --world-size 2
refuse "a rank without world" 2 "train_imagenet: --rank without --world-size" \
    "$program" $small --rank 0
refuse "two batch sizes" 2 "train_imagenet: --total-batch cannot be used with \
--batch-size" "$program" $small --total-batch 8 -b 4
verdict "a world of one" "$program" $small --world-size 1 --rank 0 \
    --dist-url tcp://127.0.0.1:7777 -b 2
if grep -q "^#define HAVE_GLOO 1" "$bindir/config.h"; then
	# two TOTAL: both processes by hand, as the example's page has it
	two() {
		port=$((20000 + $$ % 20000))
		for rank in 0 1; do
			timeout 100 "$program" $small --world-size 2 \
			    --rank $rank --dist-url "tcp://127.0.0.1:$port" \
			    --dist-backend gloo --total-batch "$1" \
			    >"$tmp/out.$rank" 2>"$tmp/err.$rank" &
			eval "job$rank=$!"
		done
		wait "$job0"
		first=$?
		wait "$job1" && test $first -eq 0
	}
	verdict "two processes by --rank" two 6
	verdict "share the total batch" \
	    has ' batch_per_device=3 devices=2 .* backend=gloo ' "$tmp/out.0"
	two 7
	verdict "an odd batch is refused" has "^train_imagenet: --total-batch: 2 \
processes cannot share 7 images; they can share 6 or 8" "$tmp/err.0"
	verdict "once" test ! -s "$tmp/err.1"
else
	skip "two processes" "no Gloo"
fi
finish
