# The whole trainer on an emulated GPU (tests/cuda_emulator.h).
. "$top_srcdir/tests/lib.sh"

x=$bindir/tests/train_cuda_emulated
if ! test -x "$x"; then
	skip "an emulated GPU" "the cuda device was not built"
	finish
	exit 0
fi
if grep -q '__asan_' "$x"; then
	skip "an emulated GPU" "the sanitizer takes fibers for overflows"
	finish
	exit 0
fi

# Convolutions give zeros, for speed; test_cuda_emulated checks numbers.
EMULATED_FAST=1 TMPDIR=$tmp
export EMULATED_FAST TMPDIR
# train [NAME=VALUE...] [OPTION...]: two steps, the second one captured.
train() {
	timeout 300 env "$@" --device=cuda --dummy -a resnet18 \
	    --image-size=32 --classes=10 -b 2 -j 1 --threads=1 --epochs=1 \
	    --batches-per-epoch=2 --val-batches=0
}
weights() { grep 'dlscale: weights' "$1"; }

# 2 images of 3 x 32 x 32 bytes go in; 256 losses come out, 6152 bytes.  Before
# a step's loss is read, the next step's images are on their way.
verdict "each step's loss is printed" eval 'train CUDA_TRACE=1 "$x" \
    --engine-cache=heuristic --seed=1 -p 1 >"$tmp/each" 2>"$tmp/trace"'
verdict "only the first's" eval 'train "$x" \
    --engine-cache=heuristic --seed=1 -p 2 >"$tmp/first"'
verdict "when losses are read changes no weight" eval '
    test "$(weights "$tmp/each" | wc -l)" -eq 1 &&
    test "$(weights "$tmp/each")" = "$(weights "$tmp/first")"'
verdict "images come before the losses of the step before are read" awk '
    $0 == "in 6144" { images++ }
    $0 == "out 6152" { reads++; bad += images != 2 }
    END { exit images != 2 || reads != 2 || bad }' "$tmp/trace"

# The device is slower than the host, which queues steps ahead: a step's Time is
# the time between the ends of two steps on the device, also in the summary.
verdict "the host runs ahead" eval 'EMULATED_FUSED=50 timeout 300 "$x" \
    --device=cuda --dummy -a resnet18 --image-size=32 --classes=10 -b 2 -j 1 \
    --threads=1 --epochs=1 --batches-per-epoch=3 --val-batches=0 \
    --precision=fp16 --engine-cache=heuristic -p 2 >"$tmp/ahead"'
verdict "a step takes what it takes on the device" awk -F"[\t (),]+" '
    /^Epoch/ { lines++; bad += $4 != $5 || $4 < 1; first = first ? first : $4
	bad += $4 != first }
    /^dlscale: summary/ { match($0, /step_ms_mean=[0-9.]+/)
	mean = substr($0, RSTART + 13, RLENGTH - 13) / 1000 }
    END { exit lines != 2 || bad || mean != first }' "$tmp/ahead"
comment "$tmp/ahead"

# Each call of a step is timed, as are its start, loss and update.
verdict "--profile times each call" eval 'train "$x" \
    --engine-cache=heuristic -p 4 --profile=1 >"$tmp/out"'
verdict "all of them" awk '
    /^dlscale: call / { n[$4]++ }
    END {
	exit n["kind=conv"] != 21 || n["kind=conv-weight"] != 21 ||
	    n["kind=take"] != 1 || n["kind=loss"] != 1 || n["kind=update"] != 1
    }' "$tmp/out"

# Engines are measured once, and kept.
verdict "engines are measured" eval 'train "$x" \
    --engine-cache="$tmp/engines" -p 4 >"$tmp/out" 2>"$tmp/err"'
comment "$tmp/err"
verdict "a note, and one of how much was measured" eval '
    test "$(grep -c "measuring cuDNN.s engines; this takes up to 20 s$" \
	"$tmp/err")" -eq 1 &&
    test "$(grep -c "engines: [0-9]* convolutions measured in [0-9]* of up to 20 s$" \
	"$tmp/err")" -eq 1'
verdict "all are kept" eval \
    'test "$(grep -c "^engine .* eng" "$tmp/engines")" -gt 20'
verdict "the next run measures nothing" eval '
    train "$x" --engine-cache="$tmp/engines" -p 4 >"$tmp/out" 2>"$tmp/err" &&
    ! test -s "$tmp/err"'
finish
