# Programs of RL post-training: lines in the form in which they are printed, the
# rate of each recomputed here from the tokens, the step's time and the GPUs.
. "$top_srcdir/tests/lib.sh"
x=$bindir/extract_logs
cd "$tmp" || exit 1
value() { sed -n 's/^ *"value": \([0-9.e-]*\),$/\1/p' r.json | head -n 1; }

# near WANT: within 1e-6 of the run's value
near() { value | awk -v w="$1" '{ d = $1 / w - 1; n++ }
	END { exit !(n == 1 && d < 1e-6 && d > -1e-6) }'; }

# verl: tokens of all / (seconds of the step x GPUs); numpy's words around some.
{
	echo 'python3 -m verl.trainer.main_ppo trainer.n_gpus_per_node=4 trainer.nnodes=2'
	for i in $(seq 1 40); do
		awk -v i="$i" 'BEGIN { n = 512000 + i % 3 * 1000; s = 50 + i % 3
			printf "(TaskRunner pid=31) step:%d - actor/entropy:0.12 - perf/mfu/actor:np.float64(0.0) - perf/max_memory_reserved_gb:np.float64(25.75) - timing_s/gen:4.5 - timing_s/step:%.4f - perf/total_num_tokens:%d - perf/time_per_step:%.4f - perf/throughput:%.8f\n", i, s, n, s, n / s / 8
			printf "Training Progress:  16%%|##   | %d/435 [1:10:40<6:31:06, 64.47s/it]\n", i }'
	done
} >verl.log
"$x" -q --rule=all -o r.json verl.log
# Each third of the steps has its own rate; the mean over the time between steps.
want=$(awk 'BEGIN { for (i = 1; i <= 40; i++) s += 1 / ((512000 + i % 3 * 1000) / (50 + i % 3))
	printf "%.12g", 40 / s }')
verdict "verl: tokens a second of 8 GPUs, $want" near "$want"
verdict "its memory, in numpy's words" grep -q '"name": "peak_memory"' r.json
verdict "an MFU of 0 is none" eval '! grep -q mfu_printed r.json'

# prime-rl's orchestrator: the step's time, not tokens/s of the time it waited.
for i in $(seq 0 39); do
	echo "02:33:26 SUCCESS Step $i | Time: $((70 + i % 2)).00s | Reward: 0.3887 | Throughput: 2408.9 tokens/s | Seq. Length: 345.6 tokens/sample | Async Level: 1 | Max. Off-Policy Level: 0"
done >orchestrator.log
"$x" -q --rule=all -o r.json --gpus=8 orchestrator.log
verdict "prime-rl's orchestrator: steps of 70.5 s" near "$(awk 'BEGIN { printf "%.12g", 1 / 70.5 }')"
verdict "in steps a second" grep -q 'iterations/s' r.json
for i in $(seq 1 40); do
	echo "02:40:53 SUCCESS Step $i | Time: 2.00s | Loss: 0.3125 | Entropy: 0.25 | Grad. Norm: 0.5 | LR: 1.00e-06 | Throughput: 3456 tokens/s | MFU: 1.5% | Peak Mem.: 5.5/23.7 GiB (23.2%)"
done >trainer.log
"$x" -q --rule=all -o r.json --gpus=8 trainer.log
verdict "its trainer: tokens/s" near 3456

# NeMo-RL: the total time of a step; OpenRLHF where it states the whole step.
for i in $(seq 1 40); do
	printf '========================= Step %d/500 =========================\n' "$i"
	printf '  • Total step time: %d.50s\n' "$((60 + i % 2))"
done >nemo.log
"$x" -q --rule=all -o r.json --gpus=8 nemo.log
verdict "NeMo-RL: steps of 61 s" near "$(awk 'BEGIN { printf "%.12g", 1 / 61 }')"
for i in $(seq 1 40); do
	echo "(PPOTrainer pid=311) Global step $i: {'reward': 0.4499, 'policy_loss': -2.37e-07, 'timing/generation': 2.97, 'timing/step_total': 12.$((i % 2))}"
done >openrlhf.log
"$x" -q --rule=all -o r.json --gpus=8 openrlhf.log
verdict "OpenRLHF: steps of 12.05 s" near "$(awk 'BEGIN { printf "%.12g", 1 / 12.05 }')"

# slime: waiting for rollouts and training are the step.
for i in $(seq 0 39); do
	awk -v i="$i" 'BEGIN { w = 74.75 + i % 2; t = 14.25
		printf "(MegatronTrainRayActor pid=31) perf %d: {'\''perf/train_wait_time'\'': %.2f, '\''perf/train_time'\'': %.2f, '\''perf/step_time'\'': %.2f, '\''perf/wait_time_ratio'\'': %.2f}\n", i, w, t, w + t, w / (w + t) }'
done >slime.log
"$x" -q --rule=all -o r.json --gpus=8 slime.log
verdict "slime: steps of 89.5 s" near "$(awk 'BEGIN { printf "%.12g", 1 / 89.5 }')"

# TRL's trainers print as Transformers does: a bar, and rewards in the dictionary.
for i in $(seq 1 40); do
	printf "\r %2d%%|##        | %d/400 [%02d:%02d<1:00:00,  8.00s/it]" "$((i / 4))" \
	    "$i" "$((i * 8 / 60))" "$((i * 8 % 60))"
	printf "\n{'loss': -0.0684, 'grad_norm': 0.5, 'reward': 0.25, 'epoch': 0.%02d}\n" "$i"
done >trl.log
"$x" -q --rule=all -o r.json --gpus=8 trl.log
verdict "TRL: steps of 8 s" near 0.125
finish
