# NVIDIA's libraries: the program starts without them, and an error names the
# missing one. Empty files with their names hide them here.
. "$top_srcdir/tests/lib.sh"

if ! built_with CUDNN; then
	skip "NVIDIA's libraries" "the cuda device was not built"
	finish
	exit 0
fi
mkdir "$tmp/lib"
for name in libcudnn.so.9 libnccl.so.2 libcudart.so.12 libcudart.so.13 \
    libcuda.so.1 libcublas.so.12 libcublas.so.13; do
	: >"$tmp/lib/$name"
done
small="--dummy --threads=1 -a resnet18 --image-size 32 -b 2 --epochs 1
    --batches-per-epoch 1 --val-batches 0 --engine-cache="

# hidden LIBRARY_PATH COMMAND...
hidden() {
	path=$1
	shift
	timeout 60 env LD_LIBRARY_PATH="$path" "$@"
}
# shellcheck disable=SC2086 # $small is words
{
	verdict "a program that starts without them" \
	    hidden "$tmp/lib" "$bindir/train_imagenet" --version
	verdict "help without them" \
	    hidden "$tmp/lib" "$bindir/train_imagenet" --help
	verdict "training on the processor without them" \
	    hidden "$tmp/lib" "$bindir/train_imagenet" $small \
	    --device=reference
	refuse "a GPU without a driver" 3 \
	    "train_imagenet: device 'cuda': no NVIDIA driver on this machine" \
	    hidden "$tmp/lib" "$bindir/train_imagenet" $small --device=cuda
	refuse "no cuDNN" 3 "train_imagenet: device 'cuda': libcudnn.so.9: \
cannot be loaded: *file too short*" hidden "$tmp/lib" \
	    "$bindir/tests/train_cuda_faults" $small --device=cuda
	refuse "an old cuDNN" 3 "train_imagenet: device 'cuda': cuDNN 90100 is \
older than 90800" hidden "$bindir/tests/dnn_old" \
	    "$bindir/tests/train_cuda_faults" $small --device=cuda
	refuse "a cuDNN that lacks a function" 3 "train_imagenet: device \
'cuda': libcudnn.so.9: has no 'cudnnGetCudartVersion': wrong version" \
	    hidden "$bindir/tests/dnn_poor" \
	    "$bindir/tests/train_cuda_faults" $small --device=cuda
	refuse "a cuDNN without its cuBLASLt" 3 "train_imagenet: device \
'cuda': cuDNN needs cuBLASLt: libcublasLt.so.99: cannot be loaded: *" \
	    hidden "$bindir/tests/dnn_lone" \
	    "$bindir/tests/train_cuda_faults" $small --device=cuda
	if built_with NCCL; then
		refuse "no NCCL" 3 "train_imagenet: back end 'nccl': \
libnccl.so.2: cannot be loaded: *file too short*" hidden "$tmp/lib" \
		    "$bindir/train_imagenet" $small --device=reference \
		    --backend=nccl
	else
		skip "no NCCL" "NCCL was not built"
	fi
}
finish
