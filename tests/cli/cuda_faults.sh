# Faults of a GPU (tests/cuda_faults.c): each ends the run quickly, with a
# message that names the cause.
. "$top_srcdir/tests/lib.sh"

faults=$bindir/tests/train_cuda_faults
if ! test -x "$faults"; then
	skip "faults of a GPU" "the cuda device was not built"
	finish
	exit 0
fi

# train [NAME=VALUE...] COMMAND...: run with the GPU that NAME=VALUE describes.
train() { timeout 60 env "$@"; }
run="$faults --device=cuda --dummy --image-size=64 -b 8 \
    --batches-per-epoch=1 --epochs=1 --val-batches=0 --engine-cache="

# shellcheck disable=SC2086 # $run is words
{
	refuse "no driver" 3 "train_imagenet: device 'cuda': no NVIDIA driver \
on this machine" train CUDA_FAULT=cudaDriverGetVersion:3 $run
	refuse "an old driver" 3 "train_imagenet: device 'cuda': the NVIDIA \
driver is too old: it is for CUDA 13.0, this program for CUDA *" \
	    train CUDA_FAULT=cudaGetDeviceCount:35 $run
	refuse "no GPU" 3 "train_imagenet: device 'cuda': no GPU (driver for \
CUDA 13.0): no CUDA-capable device is detected" \
	    train CUDA_FAULT=cudaGetDeviceCount:100 $run
	refuse "a GPU that is taken" 3 "train_imagenet: CUDA: GPU: *: another process uses the GPU exclusively, or its compute mode is prohibited (error 46)" \
	    train CUDA_FAULT=cudaSetDevice:46 $run
	refuse "a driver that was half replaced" 3 "*: the driver's library and kernel module differ; reboot the machine (error 803)" \
	    train CUDA_FAULT=cudaSetDevice:803 $run
	refuse "a GPU this program was not compiled for" 3 "*device 'cuda': \
this program was not compiled for GPU 'Pretended GPU' (compute capability \
9.0); configure --with-cuda-arch=90 does that" \
	    train CUDA_FAULT=cudaFuncGetAttributes:209 $run
	refuse "a GPU without bf16" 2 "train_imagenet: GPU 'Pretended GPU' \
(compute capability 7.0) does not compute in bf16, which takes 8.0" \
	    train CUDA_CAPABILITY=7 $run --precision=bf16
	refuse "a GPU without TF32" 2 "*does not compute in tf32, which takes \
8.0" train CUDA_CAPABILITY=7 $run --precision=tf32
	refuse "cuDNN that does not start" 3 "train_imagenet: cuDNN: start: \
CUDNN_STATUS_NOT_INITIALIZED*" train CUDA_FAULT=cudnnCreate:1001 $run
	refuse "memory that is not there" 3 "train_imagenet: not enough memory \
on the GPU: 64 images per step take * MiB, but 220 of its 1024 MiB are free; \
--batch-size=[1-9]* fits" \
	    train CUDA_FREE=220 $run -b 64
	refuse "no memory at all" 3 "*; not even one image fits" \
	    train CUDA_FREE=100 $run
	refuse "memory that another process took" 3 "train_imagenet: not \
enough memory on the GPU for weights: * bytes are needed, * of its 1073741824 \
are free; a smaller batch needs less" \
	    train CUDA_FAULT=cudaMalloc:2 $run
	refuse "a GPU that disappears" 3 "train_imagenet: CUDA: weights: *: \
the GPU does not answer any more; dmesg may show why (Xid) (error 999)" \
	    train CUDA_FAULT=cudaMemsetAsync:999 $run
	refuse "a GPU whose memory breaks" 3 "*: the GPU's memory is broken; \
nvidia-smi -q shows more (error 214)" \
	    train CUDA_FAULT=cudaMemsetAsync:214 $run
}
finish
