# DLSCALE_MAX_ISA: train_imagenet on the CPU with a subset of the machine's
# instructions, for our kernels and oneDNN's, in fp32 and bf16.
. "$top_srcdir/tests/lib.sh"

# With AVX2, oneDNN has only its reference kernels for the weights of 2x2
# planes, which images of 64 lead to.
train() {
	timeout 400 "$bindir/train_imagenet" --dummy --device=cpu --threads=1 \
	    --clock=fake -a resnet18 --image-size 96 -b 4 --epochs 1 \
	    --batches-per-epoch 2 --val-batches 0 --verbose "$@"
}
limited() (
	DLSCALE_MAX_ISA=$1
	export DLSCALE_MAX_ISA
	shift
	train "$@"
)
has() { grep -qw "$1" /proc/cpuinfo; }
loss() { sed -n 's/.*Loss \([^ ]*\) .*/\1/p' "$1" | head -n 1; }
near() {
	awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN {
		d = a - b; exit !(a != "" && b != "" && d * d <= t * t) }'
}

if ! built_with DNNL; then
	skip "instructions of the CPU" "built without oneDNN"
	finish
	exit 0
fi
refuse "a set of instructions that is none" 2 \
    "*DLSCALE_MAX_ISA: 'sse' is not plain, avx2, avx512, avx512_bf16 or amx" \
    limited sse
train >"$tmp/most"
limits= # plain, oneDNN's loops, takes minutes: tests/unit/test_cpu_kernels
has avx2 && limits="$limits avx2"
has avx512bw && limits="$limits avx512"
has avx512_bf16 && limits="$limits avx512_bf16"
for isa in $limits; do
	for type in fp32 bf16; do
		test $type = fp32 && far=0.002 || far=0.03
		limited $isa --precision=$type >"$tmp/log"
		verdict "$type with $isa at most: the loss" near \
		    "$(loss "$tmp/log")" "$(loss "$tmp/most")" $far
		verdict "$type with $isa at most: no reference kernels" \
		    eval '! grep -q "layer[12].*ref:" "$tmp/log"'
		case $isa in
		avx2) kernels=AVX2 ;;
		*) kernels=AVX-512 ;;
		esac
		verdict "$type with $isa at most: own kernels" grep -q \
		    "^dlscale: plan device cpu, $type, .*own kernels $kernels\$" \
		    "$tmp/log"
	done
	test $isa = avx512_bf16 ||
		verdict "bf16 with $isa at most: products in fp32, and says so" \
		    grep -q '^dlscale: plan products in fp32' "$tmp/log"
done

# Our Winograd kernels compute 3x3 convolutions in fp32 in all three passes if
# there are enough tiles.
tiles() { # tiles ISA SIZE IMAGES
	limited $1 --image-size $2 -b $3 --batches-per-epoch 1 --threads=2
}
if has avx512bw; then
	tiles avx512 96 16 >"$tmp/log"
	tiles avx2 96 16 >"$tmp/avx2"
	verdict "own Winograd kernels: the loss" near \
	    "$(loss "$tmp/log")" "$(loss "$tmp/avx2")" 0.001
	tiles avx512 64 16 >"$tmp/log"
	tiles avx512 64 7 >"$tmp/few"
	own=own_wino:avx512
	verdict "own Winograd kernels: 64 channels of 16x16" grep -q \
	    "plan .* conv  *layer1.0.conv1 .*$own | $own | $own" "$tmp/log"
	verdict "... 16 times 512 of 2x2" grep -q \
	    "plan .* conv  *layer4.1.conv1 .*$own | $own | $own" "$tmp/log"
	verdict "... not 7 times" eval \
	    '! grep "plan .* conv  *layer4.1.conv1 " "$tmp/few" | grep -q $own'
	verdict "own linear layer for 16 images" grep -q \
	    'plan .* linear .* own, weights as they are' "$tmp/log"
	tiles avx512 64 17 >"$tmp/more"
	verdict "... not for 17" eval \
	    'grep "plan .* linear " "$tmp/more" | grep -q -v own,'
fi

# With bf16 products but without AMX tiles, large planes of many channels are
# convolved in fp32, others in bf16; a batch of 5 takes several calls.
large() {
	limited avx512_bf16 --image-size 448 -b 5 --batches-per-epoch 1 "$@"
}
of() { grep "plan .* conv  *$1 " "$tmp/log"; }
# On Intel CPUs all convolutions are in fp32.
if has avx512_bf16 && ! grep -q GenuineIntel /proc/cpuinfo; then
	large --precision=fp32 >"$tmp/fp32"
	large --precision=bf16 >"$tmp/log"
	verdict "Winograd in fp32: the loss" near \
	    "$(loss "$tmp/log")" "$(loss "$tmp/fp32")" 0.05
	verdict "Winograd in fp32: 256 channels of 28x28" eval \
	    'of layer3.1.conv1 | grep -q "wino.*wino.*wino.*, in fp32"'
	verdict "... not 128 of 56x56" eval \
	    'of layer2.1.conv1 | grep -q bf16 &&
	    ! of layer2.1.conv1 | grep -q "in fp32"'
	verdict "... not 512 of 14x14" eval \
	    'of layer4.1.conv1 | grep -q bf16 &&
	    ! of layer4.1.conv1 | grep -q "in fp32"'
	verdict "... not with a stride" eval \
	    '! of layer3.0.conv1 | grep -q "in fp32"'
	verdict "own weight gradients in bf16" eval \
	    'of layer4.1.conv1 | grep -q "| own:avx512_bf16" &&
	    of layer2.0.downsample.0 | grep -q "| own:avx512_bf16"'
	verdict "... not where products are in fp32" eval \
	    '! of layer3.1.conv1 | grep -q own:'
	limited avx512_bf16 --image-size 32 -b 17 --batches-per-epoch 1 \
	    --precision=bf16 >"$tmp/log"
	verdict "weights of a linear layer are copied once" grep -q \
	    'plan .* linear .*weights copied once for forward, backward' \
	    "$tmp/log"
else
	skip "Winograd in fp32" "needs avx512_bf16, and not Intel's"
fi
finish
