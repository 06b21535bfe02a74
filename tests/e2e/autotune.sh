# --autotune: Horovod's search takes the expected samples, in Horovod's order
# and log; the model's plans are tried within ten steps; the ranks agree.
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/torchrun.sh"
skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

program=$bindir/train_imagenet
few="--dummy --device=$fast_device --threads=1 --workers=1 --image-size 32 -b 2
    -a resnet18 --classes 10 --epochs 1 --val-batches 0 --lr 0.01
    --log-ranks=0"
has() { grep -q -e "$1" "$2"; }
if ! built_with GLOO; then
	skip_all "built without Gloo"
fi
ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}
export ASAN_OPTIONS

# --- Horovod's search -----------------------------------------------------------
# Five samples for each of two values of one switch, one step per rate, without
# warm-up: (5 * 2) * 5 = 50 steps.
HOROVOD_AUTOTUNE=1 HOROVOD_AUTOTUNE_STEPS_PER_SAMPLE=1
HOROVOD_AUTOTUNE_WARMUP_SAMPLES=0 HOROVOD_AUTOTUNE_BAYES_OPT_MAX_SAMPLES=4
HOROVOD_AUTOTUNE_LOG=$tmp/log.csv HOROVOD_HIERARCHICAL_ALLREDUCE=0
HOROVOD_HIERARCHICAL_ALLGATHER=0
export HOROVOD_AUTOTUNE HOROVOD_AUTOTUNE_STEPS_PER_SAMPLE \
    HOROVOD_AUTOTUNE_WARMUP_SAMPLES HOROVOD_AUTOTUNE_BAYES_OPT_MAX_SAMPLES \
    HOROVOD_AUTOTUNE_LOG HOROVOD_HIERARCHICAL_ALLREDUCE \
    HOROVOD_HIERARCHICAL_ALLGATHER
verdict "HOROVOD_AUTOTUNE=1 trains" ranks 2 "$tmp/hvd" $few \
    --batches-per-epoch 52
verdict "the ranks agree" one_weight "$tmp/hvd"
verdict "the policy is Horovod's" has \
    '^dlscale: fusion policy=horovod .* autotune=horovod$' "$tmp/hvd"
verdict "samples and steps are announced" has \
    '^dlscale: autotune policy=horovod samples=10 steps=50$' "$tmp/hvd"
verdict "it is done when it should be" has \
    '^dlscale: autotune_done step=50 hierarchical_allreduce=0 ' "$tmp/hvd"
verdict "a run that is long enough has no warning" test \
    "$(grep -c 'the search takes' "$tmp/hvd")" -eq 0
verdict "ten samples and the best one" test "$(wc -l <"$tmp/log.csv")" -eq 12
cat >"$tmp/want" <<-'END'
	hierarchical_allreduce,hierarchical_allgather,cache_enabled,cycle_time_ms,tensor_fusion_threshold
	0,0,0,5,4
	0,0,0,50,32
	0,0,0,25,16
	0,0,0,10,8
END
head -n 5 "$tmp/log.csv" | sed 's/,[^,]*$//' >"$tmp/got"
verdict "Horovod's test points in its order" cmp "$tmp/want" "$tmp/got"
verdict "the switch is on in the second half" test \
    "$(sed -n '7,11p' "$tmp/log.csv" | grep -c '^0,0,1,')" -eq 5
best=$(sed 1d "$tmp/log.csv" | head -n 10 | sort -t, -k6,6 -gr | head -n 1)
verdict "the last row is the best one" test "$(tail -n 1 "$tmp/log.csv")" = \
    "$best"
verdict "extract_logs reads it" "$bindir/extract_logs" --log-format=horovod-autotune -o - \
    "$tmp/log.csv"
# A run that is shorter than the search, as in report 000: 4500 of 8550 steps.
ranks 2 "$tmp/out" $few --batches-per-epoch 6
verdict "a run that is too short is warned" has "^train_imagenet: \
--autotune=horovod: the search takes 50 steps, this run has 6: all of it " \
    "$tmp/out"
verdict "its log has the one score" test "$(wc -l <"$tmp/log.csv")" -eq 2
cp "$tmp/log.csv" "$tmp/earlier.csv"
ranks 2 "$tmp/out" $few --batches-per-epoch 2 --fusion-threshold=3 --cycle-time=2
verdict "what is set is not tuned" has ' samples=2 steps=10$' "$tmp/out"
verdict "a run without a score leaves the log of an earlier one" \
    cmp "$tmp/earlier.csv" "$tmp/log.csv"
ranks 2 "$tmp/out" $few --batches-per-epoch 2 --fusion=tensor
verdict "HOROVOD_AUTOTUNE does not count before --fusion" has \
    "^train_imagenet: environment variable HOROVOD_AUTOTUNE: not used with \
--fusion=tensor$" "$tmp/out"
HOROVOD_AUTOTUNE_LOG=$tmp/no/such/log.csv
ranks 2 "$tmp/out" $few --batches-per-epoch 2
verdict "a log that cannot be written is refused" has "cannot write \
--autotune-log '$tmp/no/such/log.csv': No such file" "$tmp/out"
unset HOROVOD_AUTOTUNE HOROVOD_AUTOTUNE_STEPS_PER_SAMPLE \
    HOROVOD_AUTOTUNE_WARMUP_SAMPLES HOROVOD_AUTOTUNE_BAYES_OPT_MAX_SAMPLES \
    HOROVOD_AUTOTUNE_LOG HOROVOD_HIERARCHICAL_ALLREDUCE \
    HOROVOD_HIERARCHICAL_ALLGATHER
# 64 MiB is the default anyway, but rank 0 would not tune it.
ENV0=HOROVOD_FUSION_THRESHOLD=67108864
ranks 2 "$tmp/out" $few --batches-per-epoch 1 --autotune
verdict "what is fixed on one rank alone is refused" has "^train_imagenet: the \
ranks differ in their plan of gradient allreduces$" "$tmp/out"
unset ENV0
ranks 2 "$tmp/out" $few --batches-per-epoch 1 --autotune
verdict "nothing fixed: all of Horovod's 8550 steps" has \
    '^dlscale: autotune policy=horovod samples=168 steps=8550$' "$tmp/out"

# --- Two nodes of two ranks: levels are one of the switches ---------------------
DLSCALE_RANKS_PER_NODE=2
export DLSCALE_RANKS_PER_NODE
HOROVOD_HIERARCHICAL_ALLGATHER=0 HOROVOD_CACHE_CAPACITY=1024
export HOROVOD_HIERARCHICAL_ALLGATHER HOROVOD_CACHE_CAPACITY
verdict "levels are switched on and off" ranks 4 "$tmp/levels" $few \
    --batches-per-epoch 12 --autotune --fusion-threshold=8 --cycle-time=1 \
    --autotune-steps-per-sample=1 --autotune-warmup-samples=0 --comm-trace=1
verdict "the ranks agree" one_weight "$tmp/levels"
verdict "first without levels" has ' step=4 rank=0 bucket=0 op=allreduce ' \
    "$tmp/levels"
verdict "then with them" has ' step=7 rank=0 bucket=0 op=reduce_scatter ' \
    "$tmp/levels"
verdict "two samples" has '^dlscale: autotune_done step=10 ' "$tmp/levels"
unset HOROVOD_HIERARCHICAL_ALLGATHER HOROVOD_CACHE_CAPACITY

# --- The model ------------------------------------------------------------------
verdict "--autotune=model trains" ranks 4 "$tmp/model" $few \
    --batches-per-epoch 14 --autotune=model --verbose
verdict "the ranks agree" one_weight "$tmp/model"
verdict "both routes are probed" test \
    "$(grep -c '^dlscale: autotune_route name=.* gb_per_s=' "$tmp/model")" -eq 2
verdict "plans of both are ranked" test "$(grep -c \
    '^dlscale: autotune_ranked .* route=hierarchical ' "$tmp/model")" -gt 10
verdict "decided after ten steps" has \
    '^dlscale: autotune_done step=10 plan=.* route=' "$tmp/model"
verdict "the first plan and three others were tried" test \
    "$(grep -c '^dlscale: autotune_try .* step_ms=' "$tmp/model")" -eq 4
# The first plan and the fastest of the others are tried three times. The latter
# is kept if it is faster by more than 1 % and by more than the noise.
kept_is_best() {
	awk '/^dlscale: autotune_try/ {
		plan = $3 " " $4; steps = ms = $0
		sub(/.* steps=/, "", steps); sub(/.*step_ms=/, "", ms); n++
		if (n == 1) { first = plan; first_ms = ms + 0 }
		else if (steps + 0 == 3) { best = plan; best_ms = ms + 0 }
		times = times " " steps + 0
	}
	/^dlscale: autotune_done/ && !done {
		done = 1; kept = $4 " " $5; noise = $0
		sub(/.* noise_ms=/, "", noise)
	}
	END {
		gain = first_ms - best_ms
		want = gain > 0.01 * first_ms && gain > noise + 0 ? best : first
		split(times, t)
		exit !(kept == want && t[1] == 3 && t[2] + t[3] + t[4] == 5)
	}' "$1"
}
verdict "the fastest is kept" kept_is_best "$tmp/model"
# The times of allreduces at rest and under load, and their CPU time.
verdict "a route is not faster under load" awk '
    /^dlscale: autotune_route/ {
	for (i = 4; i <= NF; i++) { split($i, x, "="); v[x[1]] = x[2] }
	bad += !(v["loaded_alpha_us"] >= v["alpha_us"] && v["alpha_us"] > 0 &&
	    v["loaded_gb_per_s"] <= v["gb_per_s"])
	n++
    }
    END { exit n != 2 || bad }' "$tmp/model"
# The four ranks share the cores, and each computes with one thread, so up to
# four cores leave none for the allreduces.
if test "$(nproc)" -lt 5; then
	verdict "allreduces take CPU time from the backward pass" awk '
	    /^dlscale: autotune_route/ { sub(/.*cpu_alpha_us=/, ""); n += $0 > 0 }
	    END { exit n == 0 }' "$tmp/model"
fi
verdict "with compression=auto there are four routes" ranks 4 "$tmp/half" $few \
    --batches-per-epoch 11 --autotune=model --compression=auto
verdict "four" has '^dlscale: autotune policy=model routes=4$' "$tmp/half"
verdict "the ranks agree" one_weight "$tmp/half"
unset DLSCALE_RANKS_PER_NODE
for policy in tensor mgwfbp horovod; do
	verdict "--fusion=$policy to begin with" ranks 2 "$tmp/out" $few \
	    --batches-per-epoch 11 --autotune=model --fusion=$policy
	verdict "--fusion=$policy: the ranks agree" one_weight "$tmp/out"
	verdict "--fusion=$policy is the first that was tried" sh -c \
	    "grep -m 1 autotune_try '$tmp/out' | grep -q ' plan=$policy'"
done

mkdir "$tmp/both"
cp "$tmp/hvd" "$tmp/both/a.log"
cp "$tmp/out" "$tmp/both/b.log"
verdict "extract_logs distinguishes the two" sh -c "'$bindir/extract_logs' \
    --rule=all -o - '$tmp/both' 2>&1 | grep -q '\"autotune\": \"horovod\"'"

# --- What does not go together --------------------------------------------------
refuse "Horovod's search with another policy" 2 "train_imagenet: \
--autotune=horovod: only with --fusion=horovod, not with --fusion=ddp" \
    "$program" $few --autotune --fusion=ddp
refuse "--compression=auto alone" 2 \
    "train_imagenet: --compression=auto: only with --autotune=model" \
    "$program" $few --compression=auto
refuse "the log of no search" 2 \
    "train_imagenet: --autotune-log: only with --autotune=horovod" \
    "$program" $few --autotune=model --autotune-log="$tmp/x"
refuse "two files that are one" 2 "train_imagenet: --timeline: cannot \
write '$tmp/x': --autotune-log writes it, too" \
    "$program" $few --autotune --autotune-log="$tmp/x" --timeline="$tmp/x"
refuse "a setting that is too small" 2 "train_imagenet: environment variable \
HOROVOD_AUTOTUNE_STEPS_PER_SAMPLE: '0' is not a number from 1 to 1e+06" \
    env HOROVOD_AUTOTUNE_STEPS_PER_SAMPLE=0 "$program" $few
refuse "one that is too large" 2 "train_imagenet: environment variable \
HOROVOD_AUTOTUNE_STEPS_PER_SAMPLE: '4294967296' is not a number from 1 to \
1e+06" env HOROVOD_AUTOTUNE_STEPS_PER_SAMPLE=4294967296 "$program" $few
refuse "a threshold that is too large" 2 "train_imagenet: environment variable \
HOROVOD_FUSION_THRESHOLD: '2e12' is not a number from 0 to 1.04858e+12" \
    env HOROVOD_FUSION_THRESHOLD=2e12 "$program" $few
"$program" $few --batches-per-epoch 1 --autotune=model >"$tmp/out" 2>&1
verdict "one process has nothing to tune" has \
    '^train_imagenet: --autotune: one process has nothing to tune$' "$tmp/out"
finish
