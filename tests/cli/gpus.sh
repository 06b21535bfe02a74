# Options for GPUs and NCCL that are refused, also on a machine without GPUs.
. "$top_srcdir/tests/lib.sh"

small="--dummy --threads=1 -a resnet18 --image-size 32 -b 2 --epochs 1
    --batches-per-epoch 1 --val-batches 0"
train() { timeout 60 "$bindir/train_imagenet" $small "$@"; }

refuse "GPUs for a device that is none" 2 \
    "train_imagenet: --gpus: device 'reference' is not a GPU; pass --device=cuda" \
    train --device=reference --gpus=0
refuse "a list that is none" 2 \
    "train_imagenet: --gpus: '0,' is not a list of GPU numbers such as 0,1" \
    train --device=cuda --gpus=0,
refuse "more GPUs than processes" 2 \
    "train_imagenet: --gpus: '0,2' is 2 GPUs, but 1 process runs on this \
machine; each computes on one" train --device=cuda --gpus=0,2
if NP=2 "$bindir/tests/run-mpi" true >/dev/null 2>&1 &&
    built_with MPI; then
	refuse "fewer GPUs than processes" 2 \
	    "train_imagenet: --gpus: '1' is 1 GPU, but 2 processes run on this \
machine; each computes on one" env NP=2 "$bindir/tests/run-mpi" \
	    "$bindir/train_imagenet" $small --device=cuda --gpus=1
else
	skip "fewer GPUs than processes" "no MPI"
fi
if built_with NCCL; then
	refuse "NCCL sums what GPUs compute" 2 \
	    "train_imagenet: back end 'nccl' needs a GPU; device 'reference' is not one" train --device=reference --backend=nccl
	if NP=2 "$bindir/tests/run-mpi" true >/dev/null 2>&1 &&
	    built_with MPI; then
		refuse "NCCL with a GPU for two processes" 2 \
		    "train_imagenet: --gpus: GPU 0 twice, but back end 'nccl' \
needs one for each process" env NP=2 "$bindir/tests/run-mpi" \
		    "$bindir/train_imagenet" $small --device=cuda \
		    --backend=nccl --gpus=0,0
	else
		skip "NCCL with a GPU for two processes" "no MPI"
	fi
else
	refuse "NCCL that was not built" 2 \
	    "train_imagenet: back end 'nccl': not built: configure found no \
NCCL" train --device=reference --backend=nccl
	skip "NCCL with a GPU for two processes" "NCCL was not built"
fi
finish
