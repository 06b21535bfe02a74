# train_imagenet --profile on the CPU: every kernel call of a step with its
# time, operations and bytes, and the limits of this machine.
. "$top_srcdir/tests/lib.sh"

program=$bindir/train_imagenet
if ! built_with DNNL; then
	skip "profiles of the CPU" "built without oneDNN"
	finish
	exit 0
fi
# One thread, because threads that wait for each other are slow on a busy machine.
profile() {
	"$program" --dummy --device=cpu --threads=1 -j 1 --epochs 1 \
	    --val-batches 0 "$@" >"$tmp/log"
}
calls() { sed -n 's/^dlscale: call //p' "$tmp/log"; }
# Which weights are copied depends on the CPU.
kinds() {
	calls | sed 's/.*kind=\([^ ]*\) .*/\1/' | grep -v '^weight-' |
	    sort -u | tr '\n' ' '
}
sum() {
	calls | tr ' ' '\n' | awk -F= -v key="$1" '$1 == key { x += $2 }
	    END { printf "%.0f\n", x }'
}
# A roof is the best of many runs, but too low if other work used the machine
# all that time. If so, it is measured again.
shares_hold() {
	for try in 1 2 3; do
		profile "$@" && calls | tr ' ' '\n' | awk -F= '
		    $1 == "node" { node = $2 }
		    $1 == "kind" { kind = $2 }
		    $1 == "share" { n++ }
		    $1 == "share" && !($2 > 0 && $2 <= 1.2) {
			print kind, node, $2
			bad = 1
		    }
		    END { exit bad || n == 0 }' && return 0
		echo "try $try"
	done
	return 1
}
# All calls are within the step: medians of five steps may add up to a little
# more than their median.
adds_up() {
	sed -n 's/^dlscale: calls //p' "$tmp/log" | tr ' ' '\n' | awk -F= '
	    { v[$1] = $2 }
	    END { exit !(v["us"] > 0.3 * v["step_us"] &&
		v["us"] < 1.1 * v["step_us"] && v["steps"] == 5) }'
}

# ResNet-50 takes 4,089,184,256 multiply-adds per image (torchvision's layers),
# its first convolution 118,013,952. A step has three passes, except
# that the first convolution computes no gradient of its input.
verdict "ResNet-50" profile -a resnet50 -b 2 --batches-per-epoch 3 --profile=2
verdict "the operations of its calls" test "$(sum flop | awk '{
	x = 2 * 2 * (3 * 4089184256 - 118013952) / $1
	print (x > 0.99999 && x < 1.00001) }')" = 1
verdict "the sum of all states the same" sh -c "
    grep -q '^dlscale: calls steps=2 .* flop=48598155264 ' '$tmp/log'"
verdict "each convolution forward, and two ways back but for the first" \
    sh -c "test \"\$(grep -c '^dlscale: call .* kind=conv ' '$tmp/log') \
\$(grep -c ' kind=conv-weight ' '$tmp/log') \
\$(grep -c ' kind=conv-data ' '$tmp/log')\" = '53 53 52'"
verdict "the row furthest from its roof is the first" awk '
    / of the time$/ { exit }
    /^dlscale: profile  / {
	if (n++ > 0 && $(NF - 1) > last) { print; bad = 1; exit }
	last = $(NF - 1)
    }
    END { exit bad || n < 20 }' "$tmp/log"

small="--classes 10 -b 2 --batches-per-epoch 6 --profile=5"
for precision in fp32 bf16; do
	if test $precision = bf16 && ! grep -q avx512dq /proc/cpuinfo; then
		skip "bf16" "this CPU has no AVX-512"
		continue
	fi
	verdict "$precision: shares of the roofs" shares_hold $small \
	    -a resnet18 --image-size 64 --precision=$precision
	verdict "$precision: calls add up to the step" adds_up
	verdict "$precision: kinds of a network with normalisations" test \
	    "$(kinds)" = "avgpool avgpool-back conv conv-data conv-weight \
flatten flatten-back join linear linear-data linear-weight loss maxpool \
maxpool-back norm norm-back take update "
done
profile $small -a alexnet --image-size 64
verdict "kinds of one without" test "$(kinds)" = "avgpool avgpool-back conv \
conv-data conv-weight dropout dropout-back flatten flatten-back linear \
linear-data linear-weight loss maxpool maxpool-back relu-back take update "
verdict "one step is enough" profile -a resnet18 --image-size 32 -b 2 \
    --classes 10 --batches-per-epoch 1 --call-times=4
verdict "and is the one that is reported" \
    grep -q '^dlscale: calls steps=1 ' "$tmp/log"
verdict "no profile unless it is asked for" sh -c "'$program' --dummy \
    --device=cpu --threads=1 -a resnet18 --image-size 32 -b 2 --classes 10 \
    --epochs 1 --batches-per-epoch 1 --val-batches 0 >'$tmp/log' &&
    ! grep '^dlscale: \(call\|profile\)' '$tmp/log'"
refuse "a device that cannot" 2 "train_imagenet: device 'reference' cannot time its calls" "$program" --dummy --device=reference --profile=2
finish
