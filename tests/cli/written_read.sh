# report_results and plot_results read every result that extract_logs writes
# with status 0 or 1: of the samples of every format as logs, of logs of odd
# values, and of a corpus of real logs if present.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
x=$bindir/extract_logs
formats=$(cd "$top_srcdir/extract/formats" && pwd)
cd "$tmp" || exit 1
written=0
# gnuplot draws the inputs that differ most; with a sanitizer only our programs
# are tested.
script="--format=gp -o r.gp" picture="-o r.svg"
trees=15 every=1 full=yes all_gpus="1 2 4" all_worlds="1 2 3 4 8"
if test -n "${DLSCALE_QUICK-}"; then
	picture=$script trees=5 every=4 full="" all_gpus="1 4" all_worlds="1 3 8"
fi
drawn=$picture

# both NAME OPERAND...: write a result and let both programs read it; print a
# line for each that fails. Charts over GPUs need the number of GPUs.
both() {
	name=$1
	shift
	timeout 60 "$x" -q --no-hash -o r.json "$@" >out 2>err
	rc=$?
	if test $rc -gt 4; then echo "$name: extract_logs ends with $rc"; fi
	if test $rc -gt 1; then return; fi
	written=$((written + 1))
	"$bindir/report_results" -t all --allow-mixed r.json >out 2>err ||
	    echo "$name: $(head -1 err)"
	# shellcheck disable=SC2086 # options
	timeout 60 "$bindir/plot_results" --force --allow-mixed $drawn \
	    r.json >out 2>err || grep -q 'no number of GPUs is known' err ||
	    echo "$name: $(head -1 err)" # nothing has a place in a chart
}

i=0
for format in "$formats"/*.format; do
	i=$((i + 1))
	test $((i % every)) -eq 0 || continue
	drawn=$script
	test $((i % 4)) -ne 0 || drawn=$picture
	name=$(basename "$format" .format)
	sed -n 's/^sample //p' "$format" >a.log
	both "$name" --log-format="$name" --rule=all --nodes=1 \
	    --gpus-per-node=4 --batch-size-per-device=8 a.log
done >found
verdict "the samples of every format" test ! -s found
test ! -s found || comment found
verdict "of which most make a result" test $written -ge $((100 / every))

# odd SEED: make logs of 1 and 4 GPUs. Steps begin at any number, also below 0;
# values are of any magnitude, sometimes 0.
odd() {
	rm -rf odd
	mkdir -p odd/1n1g odd/1n4g
	awk -v seed="$1" 'function pick(n) { return int(rand() * n) }
	BEGIN {
		srand(seed)
		n = 1 + pick(200)
		low = -12 + pick(20)
		high = low + pick(8)
		split("step_time samples_per_s tokens_per_s step_time_ms", h)
		for (c = 1; c < 5; c += 3)
			for (r = 1; r <= 3; r++) {
				f = "odd/1n" c "g/m_b4_fp32_" r ".log"
				print "step," h[1 + pick(4)] >f
				step = pick(3) * pick(1000000) - pick(2) * 50
				by = 1 + pick(3) * pick(10)
				for (i = 0; i < n; i++)
					printf "%d,%.9g\n", step + i * by, \
					    rand() < 0.02 ? 0 : \
					    exp(log(10) * (low + \
					    rand() * (high - low))) >f
				close(f)
			}
	}'
}
drawn=$picture written=0 seed=${SEED:-1} last=$((${SEED:-1} + ${TREES:-$trees}))
while test "$seed" -lt "$last"; do
	odd "$seed"
	both "seed $seed" odd
	both "seed $seed, all steps" --rule=all odd
	both "seed $seed, step time" --rule=all --metric=step-time odd
	seed=$((seed + 1))
done >found
verdict "logs of odd values" test ! -s found
test ! -s found || comment found
verdict "of which some make a result" test $written -ge $((${TREES:-$trees} / 3))

# A case without a baseline has no ideal line to draw.
sed -n 's/^sample //p' "$formats/nccl-tests.format" >nccl.log
"$x" -q --log-format=nccl-tests --nodes=1 --gpus-per-node=8 -o n.json nccl.log \
    >/dev/null 2>&1
verdict "a chart of bandwidths, which have no speedup" \
    "$bindir/plot_results" -c throughput -o n.svg n.json
# Two trainings in one log, of which the second has fewer epochs.
sed -n 's/^sample //p' "$formats/pytorch-imagenet.format" >two.log
verdict "two trainings in one log" \
    "$x" -q --log-format=pytorch-imagenet --rule=all -o t.json two.log

# Counts that contradict each other, and incomplete counts.
rm -rf odd
mkdir odd
steps() { # of BasicSR
	awk 'BEGIN {
		for (i = 0; i < 130; i++)
			printf "INFO: [SAFMN..][epoch:  0, iter:   %d, " \
			    "lr:(1.000e-03,)] [eta: 8 days, 22:51:35, time " \
			    "(data): 0.7%02d (0.021)] l_pix: 3.1e-02\n", i, i % 50
	}'
}
written=0 drawn=$script
for gpus in $all_gpus; do
	for world in $all_worlds; do
		{
			echo "  num_gpu: $gpus"
			echo "  world_size: $world"
			echo "      batch_size_per_gpu: 8"
			steps
		} >odd/basicsr.log
		for options in "" --gpus-per-node=4 --gpus-per-node=3 \
		    --nodes=2 --nodes=3 --gpus=4; do
			# shellcheck disable=SC2086 # options
			both "$gpus GPUs, world $world, $options" --rule=all \
			    $options odd/basicsr.log
		done
	done
done >found
verdict "counts that contradict each other" test ! -s found
test ! -s found || comment found
tried=$(($(echo "$all_gpus" | wc -w) * $(echo "$all_worlds" | wc -w) * 6))
verdict "of which most make a result" test $written -ge $((tried * 2 / 3))
for gpus in 4 8; do
	sed -e 1d -e "2s/-g 8/-g $gpus/" nccl.log >odd/$gpus.log
done
rm odd/basicsr.log
written=0
both "GPUs of a node, on unknown nodes" --log-format=nccl-tests odd >found
for options in "--scaling=strong --batch-size-per-device=4" \
    "--scaling=weak --batch-size-per-device=4"; do
	# shellcheck disable=SC2086 # options
	both "two sizes, $options" --log-format=nccl-tests $options odd
done >>found
verdict "cases of which some counts are known" test ! -s found -a $written -eq 3
test ! -s found || comment found
# Flags of more than 64 MiB in total.
awk 'BEGIN {
	for (flag = "d"; length(flag) < 30000;)
		flag = flag flag
	printf "{\"schema\": \"dlscale-result/1\", \"rule\": {\"rule\": "
	printf "\"all\", \"epoch\": \"auto\", \"aggregate\": \"time\", "
	printf "\"metric\": \"throughput\", \"scaling\": \"weak\"}, "
	printf "\"cases\": [{\"case\": \"1n1g\", \"nodes\": 1, "
	printf "\"gpus_per_node\": 1, \"gpus\": 1, \"unit\": "
	printf "\"samples/s\", \"rule\": \"all\", \"n\": 1250, "
	printf "\"median_speed\": 625.5, "
	printf "\"runs\": ["
	for (k = 1; k <= 1250; k++)
		print (k > 1 ? "," : "") "{\"run\": \"" k "\", \"path\": " \
		    "\"run_" k ".log\", \"value\": " k \
		    ", \"flags\": [\"" flag "\"]}"
	print "]}]}"
}' >runs.json
"$x" -q -o many.json runs.json >out 2>err
verdict "a result of more than 64 MiB" test $? -eq 0 -a "$(wc -c <many.json)" -gt 67108864
verdict "is read" "$bindir/report_results" many.json

corpus=${DLSCALE_CORPUS:-$top_srcdir/../shared/corpus}
if test -d "$corpus"; then
	for dir in "$corpus"/*/; do
		i=$((i + 1))
		test $((i % every)) -eq 0 || continue
		drawn=$picture
		both "$dir" "$dir"
		drawn=$script
		for rule in ${full:+window} all; do
			both "$dir $rule" --rule="$rule" "$dir"
		done
	done >found
	verdict "a corpus of real logs" test ! -s found
	test ! -s found || comment found
else
	skip "a corpus of real logs" "there is none"
fi
finish
