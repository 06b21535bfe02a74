# Gradient allreduce with its options: all fusion policies give the same
# weights, fp16 and bf16 halve the bytes, --hierarchical uses levels, Horovod's
# environment variables are used, and ranks with different plans are refused.
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/torchrun.sh"
skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

program=$bindir/train_imagenet
few="--dummy --device=$fast_device --threads=1 --workers=1 --image-size 32 -b 2
    -a resnet18 --classes 10 --epochs 1 --val-batches 0 --lr 0.01"
# mgwfbp has its plan after two steps; checks of the log's head need one step.
small="$few --batches-per-epoch 3 --phases"
one="$few --batches-per-epoch 1"
has() { grep -q -e "$1" "$2"; }
if ! built_with GLOO; then
	skip_all "built without Gloo"
fi
ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}
export ASAN_OPTIONS
ranks_seconds=100
bytes() { sed -n 's/.* bytes_per_step=\([0-9.]*\) .*/\1/p' "$1" | head -n 1; }
allreduces() { sed -n 's/.* per_step=\([0-9.]*\) .*/\1/p' "$1" | head -n 1; }

# --- Fusion -------------------------------------------------------------------
# With two ranks, sums do not depend on the buckets.
for policy in ddp tensor all horovod mgwfbp; do
	verdict "--fusion=$policy trains" ranks 2 "$tmp/$policy" $small \
	    --fusion=$policy
	verdict "--fusion=$policy: the ranks agree" one_weight "$tmp/$policy"
	verdict "--fusion=$policy: as with ddp" test \
	    "$(weights "$tmp/$policy")" = "$(weights "$tmp/ddp")"
	verdict "--fusion=$policy is reported" \
	    has "^dlscale: fusion policy=$policy .*compression=none" \
	    "$tmp/$policy"
done
verdict "ddp: three allreduces a step" test "$(allreduces "$tmp/ddp")" = 3
verdict "tensor: 62 allreduces a step" test "$(allreduces "$tmp/tensor")" = 62
verdict "all: one allreduce a step" test "$(allreduces "$tmp/all")" = 1
verdict "mgwfbp: a plan after two steps" has \
    '^dlscale: fusion_plan step=2 buckets=[1-9][0-9]* ' "$tmp/mgwfbp"
# 42.65 MiB in few cycles, whose number depends on when gradients are ready.
few_allreduces() { awk "BEGIN { exit !(3 <= $1 && $1 < 20) }"; }
verdict "horovod, long cycles: up to 16 MiB" ranks 2 "$tmp/long" $small \
    --fusion=horovod --cycle-time 500 --fusion-threshold 16
verdict "horovod, long cycles: few allreduces" few_allreduces \
    "$(allreduces "$tmp/long")"
verdict "horovod, no cache: by name" ranks 2 "$tmp/names" $small \
    --fusion=horovod --cycle-time 500 --fusion-threshold 16 --cache-capacity 61
verdict "horovod, no cache: few allreduces" few_allreduces \
    "$(allreduces "$tmp/names")"
verdict "horovod, no cache: the same weights" test \
    "$(weights "$tmp/names")" = "$(weights "$tmp/ddp")"
verdict "horovod, no threshold: each alone" ranks 2 "$tmp/each" $small \
    --fusion=horovod --cycle-time 0 --fusion-threshold 0
verdict "horovod, no threshold: 62 allreduces" test \
    "$(allreduces "$tmp/each")" = 62
verdict "all policies give the same bytes" test "$(bytes "$tmp/all")" -eq \
    "$(bytes "$tmp/tensor")"

# --- fp16 and bf16 ------------------------------------------------------------
for type in fp16 bf16; do
	verdict "--compression=$type trains" ranks 2 "$tmp/$type" $small \
	    --compression=$type
	verdict "--compression=$type: the ranks agree" one_weight "$tmp/$type"
	verdict "--compression=$type: other weights than without" test \
	    "$(weights "$tmp/$type")" != "$(weights "$tmp/ddp")"
	verdict "--compression=$type: half of the bytes" test \
	    $((2 * $(bytes "$tmp/$type"))) -eq "$(bytes "$tmp/ddp")"
done
ranks 2 "$tmp/out" $one --device=reference --precision=fp64 --compression=fp16
verdict "gradients in fp64 are not compressed" has \
    '^train_imagenet: --compression needs gradients in fp32, not fp64$' \
    "$tmp/out"

# --- Levels -------------------------------------------------------------------
DLSCALE_RANKS_PER_NODE=2
export DLSCALE_RANKS_PER_NODE
verdict "--hierarchical trains on two nodes of two ranks" ranks 4 \
    "$tmp/levels" $small --hierarchical --comm-trace=1 \
    --timeline="$tmp/levels.json"
verdict "--hierarchical: the ranks agree" one_weight "$tmp/levels"
verdict "--hierarchical has levels" has ' hierarchical=yes$' "$tmp/levels"
# Bandwidths are in 1e9 bytes/s. The bus factor of two ranks is 0.5 for
# reduce_scatter and allgather, and 1 for allreduce.
bus_is() {
	sed -n "s/.* rank=0 bucket=0 op=$1 .* algorithm_gb_per_s=\([^ ]*\) \
bus_gb_per_s=\([^ ]*\) ranks=2$/\1 \2/p" "$tmp/levels" |
	    awk -v "factor=$2" '{
		if ($2 < 0.999 * factor * $1 || $2 > 1.001 * factor * $1)
			exit wrong = 1
		n++
	} END { exit wrong || n == 0 }'
}
verdict "--hierarchical: what is scattered" bus_is reduce_scatter 0.5
verdict "--hierarchical: what is summed across" bus_is allreduce 1
verdict "--hierarchical: what is gathered" bus_is allgather 0.5
verdict "--hierarchical: the timeline has its parts" has \
    '"name": "GLOO_REDUCESCATTER"' "$tmp/levels.json"
verdict "--hierarchical with bf16" ranks 4 "$tmp/out" $small \
    --hierarchical --compression=bf16
verdict "--hierarchical with bf16: the ranks agree" one_weight "$tmp/out"
ranks 3 "$tmp/out" $one --hierarchical
verdict "nodes of different sizes are refused" has "^train_imagenet: \
--hierarchical needs as many processes on each machine, but one has 2 and \
another 1$" "$tmp/out"
unset DLSCALE_RANKS_PER_NODE
ranks 2 "$tmp/out" $one --hierarchical
verdict "one machine has one level" has ' hierarchical=one-level$' "$tmp/out"

# --- Horovod's environment, ranks that differ ------------------------------------
HOROVOD_FUSION_THRESHOLD=2097152 HOROVOD_CYCLE_TIME=3.5
HOROVOD_CACHE_CAPACITY=0 HOROVOD_HIERARCHICAL_ALLREDUCE=1
export HOROVOD_FUSION_THRESHOLD HOROVOD_CYCLE_TIME HOROVOD_CACHE_CAPACITY \
    HOROVOD_HIERARCHICAL_ALLREDUCE
ranks 2 "$tmp/out" $one --fusion=horovod
verdict "HOROVOD_* stand for options" has "threshold_mib=2 cycle_ms=3.5 \
cache_capacity=0 compression=none hierarchical=one-level$" "$tmp/out"
ranks 2 "$tmp/out" $one --fusion=horovod --cycle-time 2 --cache-capacity 7 \
    --fusion-threshold 1
verdict "options count before HOROVOD_*" has \
    "threshold_mib=1 cycle_ms=2 cache_capacity=7 " "$tmp/out"
unset HOROVOD_FUSION_THRESHOLD HOROVOD_CACHE_CAPACITY \
    HOROVOD_HIERARCHICAL_ALLREDUCE
refuse "a setting that is no number" 2 "train_imagenet: environment variable \
HOROVOD_CYCLE_TIME: 'fast' is not a number from 0 to 1e+06" \
    env HOROVOD_CYCLE_TIME=fast "$program" $one
unset HOROVOD_CYCLE_TIME
HOROVOD_TIMELINE=$tmp/horovod.json
export HOROVOD_TIMELINE
ranks 2 "$tmp/out" $one
verdict "HOROVOD_TIMELINE is --timeline" has '"name": "CYCLE_START"' \
    "$tmp/horovod.json"
HOROVOD_TIMELINE=$tmp/no/such
ranks 2 "$tmp/out" $one --timeline "$tmp/given.json"
verdict "--timeline counts before HOROVOD_TIMELINE" test -s "$tmp/given.json"
unset HOROVOD_TIMELINE

# --- Which policy an option means ---------------------------------------------
for option in --fusion-threshold=2 --cycle-time=2 --cache-capacity=9; do
	ranks 2 "$tmp/out" $one $option
	verdict "$option implies horovod" has \
	    '^dlscale: fusion policy=horovod ' "$tmp/out"
	refuse "$option with another policy" 2 "train_imagenet: ${option%=*}: \
only with --fusion=horovod, not with --fusion=tensor" \
	    "$program" $one $option --fusion=tensor
	refuse "$option and --bucket" 2 "train_imagenet: ${option%=*} belongs to \
--fusion=horovod and --bucket to --fusion=ddp" \
	    "$program" $one $option --bucket=2
done
for option in --first-bucket=2 --bucket=2; do
	refuse "$option with another policy" 2 "train_imagenet: ${option%=*}: \
only with --fusion=ddp, not with --fusion=all" \
	    "$program" $one $option --fusion=all
done
for setting in FUSION_THRESHOLD CYCLE_TIME CACHE_CAPACITY; do
	eval "HOROVOD_$setting=9"
	export HOROVOD_$setting
	ranks 2 "$tmp/out" $one
	verdict "HOROVOD_$setting implies horovod" has \
	    '^dlscale: fusion policy=horovod ' "$tmp/out"
	ranks 2 "$tmp/out" $one --fusion=tensor
	verdict "HOROVOD_$setting does not count before --fusion" has \
	    '^dlscale: fusion policy=tensor ' "$tmp/out"
	verdict "and it is reported" has "^train_imagenet: environment variable \
HOROVOD_$setting: not used with --fusion=tensor$" "$tmp/out"
	unset HOROVOD_$setting
done
refuse "a form of no timeline" 2 \
    "train_imagenet: --timeline-format without --timeline" \
    "$program" $one --timeline-format=chrome
ENV0=HOROVOD_FUSION_THRESHOLD=4194304
echo "an earlier run's" >"$tmp/kept.json"
ranks 2 "$tmp/out" $one --fusion=horovod --timeline="$tmp/kept.json"
verdict "a plan that differs between ranks is refused" has "^train_imagenet: \
the ranks differ in their plan of gradient allreduces$" "$tmp/out"
verdict "and nothing was trained" test "$(grep -c '^Epoch' "$tmp/out")" -eq 0
verdict "nor was the timeline replaced" has "an earlier run's" "$tmp/kept.json"
ENV0=
ranks 2 "$tmp/out" $one --fusion=horovod --timeline="$tmp/kept.json"
verdict "a run that trains replaces it" test "$(head -c 1 "$tmp/kept.json")$(
    grep -c "an earlier run's" "$tmp/kept.json")" = '[0'
finish
