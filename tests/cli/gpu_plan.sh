# train_imagenet --plan: each call of a step on a GPU with its operations, bytes
# and minimum time. Needs neither a GPU nor CUDA.
. "$top_srcdir/tests/lib.sh"

program=$bindir/train_imagenet
sum() { awk '$2 == "all" { print '"$1"' }' "$tmp/plan"; }
plan() { "$program" --plan="$1" -a "$2" -b "$3" --precision="$4" >"$tmp/plan"; }

# The convolutions of ResNet-50 have 4.09e9 multiply-adds per image
# (torchvision). The first has 3 channels, padded to 4 here: 118e6 * 4 / 3. With
# the forward pass, gradients of weights, and gradients of inputs except for the
# first, a step of 256 images has 6.26e12 operations.
verdict "a plan" plan h200 resnet50 256 fp16
verdict "282 calls, the images, the loss and the update" test "$(sum '$1')" = 285
verdict "6.26e12 operations" awk -v x="$(sum '$3')" \
    'BEGIN { exit !(x > 6255 && x < 6265) }'
verdict "some 77 GB" awk -v x="$(sum '$4')" \
    'BEGIN { exit !(x > 76000 && x < 78000) }'
# The sums by kind equal those of the lines.
verdict "the sums add up" awk '
    $1 == "calls" { sums = 1; next }
    $2 == "all" { all_flop = $3; all_mb = $4; all_us = $5; next }
    /%$/ && sums { us += $(NF - 2); next }
    /(memory|compute)$/ { flop += $(NF - 3); mb += $(NF - 2); line_us += $(NF - 1)
	n++ }
    END {
	exit !(n == 285 && flop / all_flop > 0.999 && flop / all_flop < 1.001 &&
	    mb / all_mb > 0.999 && mb / all_mb < 1.001 &&
	    us / all_us > 0.999 && us / all_us < 1.001 &&
	    line_us / all_us > 0.999 && line_us / all_us < 1.001)
    }' "$tmp/plan"
# A call that is bound by memory takes its bytes / 4.8e12 seconds, one bound by
# computing its operations / 989.5e12.
verdict "roofs" awk '/memory$/ { x = $(NF - 2) / 4.8 - $(NF - 1) }
    /compute$/ { x = $(NF - 3) / 989.5e-3 - $(NF - 1) }
    /(memory|compute)$/ && (x > 0.02 || x < -0.02) { print; bad = 1 }
    END { exit bad }' "$tmp/plan"
verdict "images a second follow from the step" awk '/^at least/ {
	x = 256e3 / $3; y = $9; sub(/,/, "", y); exit !(x / y > 0.999 && x / y < 1.001)
    }' "$tmp/plan"
h200=$(sum '$5')
plan h100 resnet50 256 fp16
verdict "less memory bandwidth takes longer" awk -v a="$(sum '$5')" -v b="$h200" \
    'BEGIN { exit !(a > 1.2 * b) }'
verdict "fp16 has fused convolutions" awk '
    /^ *[0-9].* yes .*(memory|compute)$/ { n++ } END { exit n < 90 }' "$tmp/plan"
verdict "fp32 has none" sh -c "'$program' --plan -b 8 -a resnet18 |
    awk '/^ *[0-9].* yes .*(memory|compute)\$/ { n++ } END { exit n > 0 }'"
verdict "all models, all types" sh -c "for m in alexnet vgg16 resnet101; do
    for t in fp32 tf32 fp16 bf16; do
	'$program' --plan=a100 -a \$m -b 3 --precision=\$t >/dev/null || exit 1
    done; done"

# --- What check_and_bench measured ------------------------------------------
# measure ROOFS CALLS: write a result for a step of two images
measure() {
	cat >"$tmp/r.json" <<END
{"schema": "dlscale-gpu-1", "machine": {"gpus": [{"name": "NVIDIA H200"}]},
 "roofs": {$1}, "profile": {"model": "resnet18", "batch": 2,
 "precision": "fp16", "calls": [$2]}}
END
}
rates='"fp16_tflops": 661, "copy_gb_per_s": 4235'
call='{"index": 0, "kind": "conv", "node": "conv1", "fused": 0, "us": 400.5,
 "flop": 6.61e10, "bytes": 4.235e8},
 {"index": 1, "kind": "norm-apply", "node": "bn1", "us": 20, "flop": 0,
 "bytes": 4.235e7},
 {"index": 2, "kind": "conv", "node": "conv2", "us": 200, "flop": 6.61e9,
 "bytes": 4.235e8}'
measure "$rates" "$call"
verdict "measured peaks" plan "$tmp/r.json" resnet18 2 fp16
verdict "stand in its first line" grep -q \
    '^resnet18, batch 2, fp16 on NVIDIA H200: 661 TFLOP/s, 4.235 TB/s as measured$' \
    "$tmp/plan"
verdict "and are those of the roofs" awk '/memory$/ && !/ms/ && NF < 9 {
	x = $(NF - 2) / 4.235 - $(NF - 1); n++ }
    x > 0.02 || x < -0.02 { print; bad = 1 } END { exit bad || n < 10 }' "$tmp/plan"
# The roofs are 100, 10 and 100 us: the first call exceeds its own by 300.5.
verdict "the call that is furthest from its roof is first" sh -c '
	sed -n "/^measured, each call by itself/,\$p" "$1" >"$1.2" &&
	sed -n 4p "$1.2" | grep -q "^ *1  conv  *conv1  *0.400 .* 0.2[45]0  *0.30[01]  memory" &&
	grep -q "^ *2  conv  *0.601 " "$1.2"' - "$tmp/plan"
verdict "times stand next to what was predicted" grep -q \
    '^measured 0.62 ms, at least 0.21 ms for these calls, [0-9.]* ms as planned$' \
    "$tmp/plan"
plan "$tmp/r.json" resnet18 4 fp16
verdict "not of another step" sh -c "! grep -q '^measured' '$tmp/plan' &&
	grep -q 'as measured$' '$tmp/plan'"
refuse "a type that was not measured" 3 \
    "train_imagenet: $tmp/r.json: roofs.bf16_tflops: missing" \
    "$program" --plan="$tmp/r.json" --precision=bf16
measure "$rates" '{"kind": "conv", "node": "conv1", "flop": 1, "bytes": 1}'
refuse "a call without its time" 3 \
    "train_imagenet: $tmp/r.json: profile.calls\[0].us: missing" \
    "$program" --plan="$tmp/r.json" -a resnet18 -b 2 --precision=fp16
measure '"fp16_tflops": 0, "copy_gb_per_s": 1' ''
refuse "a peak of nothing" 3 \
    "train_imagenet: $tmp/r.json: roofs.fp16_tflops: *" \
    "$program" --plan="$tmp/r.json" -a resnet18 -b 2 --precision=fp16
echo '{"machine": {"gpus": []}}' >"$tmp/r.json"
refuse "a result without a GPU" 3 \
    "train_imagenet: $tmp/r.json: machine.gpus: missing" \
    "$program" --plan="$tmp/r.json" --precision=fp16
refuse "a GPU that is not known" 2 "train_imagenet: --plan: 'gtx' is not one of \
h200, h100, a100, a100-40g, v100, l40s, t4, nor a result of check_and_bench" \
    "$program" --plan=gtx
refuse "a type that it has not" 2 "train_imagenet: --plan: V100 SXM2 has no bf16" \
    "$program" --plan=v100 --precision=bf16
refuse "a device that is no GPU" 2 \
    "train_imagenet: --plan: only with --device=cuda" \
    "$program" --plan --device=reference
finish
