# Programs of RL post-training: lines as they print them, with the rate of each
# recomputed here from the tokens, the time of the step and the GPUs.
. "$top_srcdir/tests/lib.sh"
x=$bindir/extract_logs
cd "$tmp" || exit 1
value() { sed -n 's/^ *"value": \([0-9.e-]*\),$/\1/p' r.json | head -n 1; }

# near WANT: true if the run's value is within 1e-6 of WANT
near() { value | awk -v w="$1" '{ d = $1 / w - 1; n++ }
	END { exit !(n == 1 && d < 1e-6 && d > -1e-6) }'; }

# verl: all tokens / (seconds of the step x GPUs); some values as numpy prints.
{
	echo 'python3 -m verl.trainer.main_ppo trainer.n_gpus_per_node=4 trainer.nnodes=2'
	for i in $(seq 1 40); do
		awk -v i="$i" 'BEGIN { n = 512000 + i % 3 * 1000; s = 50 + i % 3
			printf "(TaskRunner pid=31) step:%d - actor/entropy:0.12 - perf/mfu/actor:np.float64(0.0) - perf/max_memory_reserved_gb:np.float64(25.75) - timing_s/gen:4.5 - timing_s/step:%.4f - perf/total_num_tokens:%d - perf/time_per_step:%.4f - perf/throughput:%.8f\n", i, s, n, s, n / s / 8
			printf "Training Progress:  16%%|##   | %d/435 [1:10:40<6:31:06, 64.47s/it]\n", i }'
	done
} >verl.log
"$x" -q --rule=all -o r.json verl.log
# The steps have three rates in rotation; the mean is over their times.
want=$(awk 'BEGIN { for (i = 1; i <= 40; i++) s += 1 / ((512000 + i % 3 * 1000) / (50 + i % 3))
	printf "%.12g", 40 / s }')
verdict "verl: tokens a second of 8 GPUs, $want" near "$want"
verdict "its memory, in numpy's words" grep -q '"name": "peak_memory"' r.json
verdict "an MFU of 0 is none" eval '! grep -q mfu_printed r.json'

# prime-rl's orchestrator: the time of the step counts, not its tokens/s.
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
verdict "its trainer: steps of 2 s, not tokens/s of the passes" near 0.5

# NeMo-RL: the total time of a step; OpenRLHF if it prints that of a whole step.
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

# slime: a step is the wait for rollouts plus the training.
for i in $(seq 0 39); do
	awk -v i="$i" 'BEGIN { w = 74.75 + i % 2; t = 14.25
		printf "(MegatronTrainRayActor pid=31) perf %d: {'\''perf/train_wait_time'\'': %.2f, '\''perf/train_time'\'': %.2f, '\''perf/step_time'\'': %.2f, '\''perf/wait_time_ratio'\'': %.2f}\n", i, w, t, w + t, w / (w + t) }'
done >slime.log
"$x" -q --rule=all -o r.json --gpus=8 slime.log
verdict "slime: steps of 89.5 s" near "$(awk 'BEGIN { printf "%.12g", 1 / 89.5 }')"

# TRL's trainers print as Transformers does: a bar, and rewards in a dictionary.
for i in $(seq 1 40); do
	printf "\r %2d%%|##        | %d/400 [%02d:%02d<1:00:00,  8.00s/it]" "$((i / 4))" \
	    "$i" "$((i * 8 / 60))" "$((i * 8 % 60))"
	printf "\n{'loss': -0.0684, 'grad_norm': 0.5, 'reward': 0.25, 'epoch': 0.%02d}\n" "$i"
done >trl.log
"$x" -q --rule=all -o r.json --gpus=8 trl.log
verdict "TRL: steps of 8 s" near 0.125

# Figures published with their lines: each follows from other numbers of the
# same log, tokens and seconds or the parts of a step.
tried=0

# follows NAME FORMAT WANT TOLERANCE OPTION...: check the log on stdin
follows() {
	name=$1 format=$2 want=$3 tolerance=$4
	shift 4
	tried=$((tried + 1))
	cat >"$tried.log"
	rm -f "$tried.json"
	"$x" -q --rule=all -o "$tried.json" "$@" "$tried.log" >out 2>err
	got=$(sed -n 's/^ *"median_speed": \(.*\),$/\1/p' "$tried.json")
	is=$(sed -n 's/^ *"format": "\(.*\)",$/\1/p' "$tried.json" | head -n1)
	verdict "$name: $want (read $got by $is)" eval 'test "$is" = "$format" &&
	    awk -v a="$got" -v b="$want" -v t="$tolerance" "BEGIN {
		d = a / b - 1; exit !(d <= t && d >= -t) }"'
}

calc() { awk "BEGIN { printf \"%.10g\", $1 }"; }

# verl prints the tokens of a step / (seconds x GPUs); three published steps, of
# 1, 16 and 8 GPUs.
while read -r step gpus tokens seconds printed; do
	follows "verl, $gpus GPUs" verl "$(calc "$tokens / $seconds")" 1e-9 \
	    --gpus="$gpus" <<END
step:$step - timing_s/step:$seconds - perf/total_num_tokens:$tokens - perf/time_per_step:$seconds - perf/throughput:$printed
END
	printf '{"step":%s,"data":{"timing_s/step":%s,"perf/total_num_tokens":%s,"perf/throughput":%s}}\n' \
	    "$step" "$seconds" "$tokens" "$printed" >verl.jsonl
	follows "verl's file, $gpus GPUs" verl-json \
	    "$(calc "$tokens / $seconds")" 1e-9 --gpus="$gpus" <verl.jsonl
done <<'END'
1 1 159906 48.7025266494602 3283.320414789452
5 16 4388173 93.52434759191237 2932.5070910595373
60 8 38357151 7725.570919440128 620.6200065984855
END

# slime: a step is the wait for rollouts plus the training on them.
follows "slime" slime "$(calc "2 / (4.8 + 2.9 + 3.0 + 2.9)")" 1e-9 <<'END'
perf 0: {'perf/train_wait_time': 4.8, 'perf/train_time': 2.9, 'perf/step_time': 7.7}
perf 1: {'perf/train_wait_time': 3.0, 'perf/train_time': 2.9, 'perf/step_time': 5.9}
END
follows "slime, its timers" slime "$(calc "1 / 138.49948954582214")" 1e-9 <<'END'
perf 0: {'perf/ref_log_probs_time': 62.21775937080383, 'perf/actor_train_time': 65.66773915290833, 'perf/train_time': 128.96854257583618, 'perf/step_time': 138.49948954582214}
END

# NeMo-RL's guide: 16 prompts x 64 samples in 35.70 s are the 28.68 samples/s that
# it prints (8 GPUs, 3.59 each).
cat >nemo.log <<'END'
========================= Step 1/1 =========================
  • Total step time: 35.70s
  • policy_training: 10.97s (30.7%)
    - E2E (Samples/sec/gpu): 3.59
  • Throughputs (per Group):
    - E2E (Samples/sec): 28.68
    - E2E (Tokens/sec): 8588.75
END
follows "NeMo-RL" nemo-rl "$(calc "28.68 / (16 * 64)")" 2e-4 <nemo.log
follows "NeMo-RL in samples" nemo-rl 28.68 2e-4 --gpus=8 --unit=samples/s \
    --batch-size=1024 <nemo.log

# OpenRLHF: a step is the sum of its parts.
follows "OpenRLHF" openrlhf "$(calc "1 / (2.5 + 1.5 + 5.25 + 0.75)")" 1e-9 <<'END'
(PPOTrainer pid=311) Global step 7: {'timing/generation': 2.5, 'timing/make_experience': 1.5, 'timing/ppo_train': 5.25, 'timing/broadcast': 0.75, 'timing/step_total': 10.0}
END

# TRL: 0.168 steps/s x 1575 s are 264.6 steps, 2100 samples / 1575 s; three epochs
# of a published run.
follows "TRL" hf-trainer "$(calc "2100 / 1575")" 3e-4 --rule=summary <<'END'
{'loss': '0.1328', 'learning_rate': '3.937e-06', 'num_tokens': '5.089e+05', 'epoch': '2.96'}
{'train_runtime': '1575', 'train_samples_per_second': '1.333', 'train_steps_per_second': '0.168', 'train_loss': '0.2854', 'epoch': '3'}
END

# prime-rl's SFT: 2048 tokens per step, a sliding mean; published lines.
cat >prime.log <<'END'
02:40:52 SUCCESS Step 0 | Time: 5.13s | Loss: 12.2500 | Grad. Norm: 28.2032 | LR: 1.00e-06 | Throughput: 0 tokens/s | MFU: 0.0% | Peak Mem.: 5.1/23.7 GiB (21.4%)
02:40:53 SUCCESS Step 1 | Time: 0.60s | Loss: 12.3125 | Grad. Norm: 28.4812 | LR: 1.00e-06 | Throughput: 3324 tokens/s | MFU: 1.0% | Peak Mem.: 5.2/23.7 GiB (22.1%)
02:40:53 SUCCESS Step 2 | Time: 0.35s | Loss: 12.4375 | Grad. Norm: 25.8257 | LR: 1.00e-06 | Throughput: 4175 tokens/s | MFU: 1.2% | Peak Mem.: 5.2/23.7 GiB (22.1%)
02:40:54 SUCCESS Step 3 | Time: 0.36s | Loss: 12.2188 | Grad. Norm: 25.4577 | LR: 1.00e-06 | Throughput: 4547 tokens/s | MFU: 1.3% | Peak Mem.: 5.2/23.7 GiB (22.1%)
02:40:54 SUCCESS Step 4 | Time: 0.36s | Loss: 12.2812 | Grad. Norm: 27.4523 | LR: 1.00e-06 | Throughput: 4771 tokens/s | MFU: 1.4% | Peak Mem.: 5.2/23.7 GiB (22.1%)
END
follows "prime-rl, SFT: its last mean is of its four steps" prime-rl \
    "$(calc "4 * 2048 / (2048 / 3324 + 0.35 + 0.36 + 0.36)")" 0.03 \
    --from-iteration=4 <prime.log
# The RL trainer's throughput covers only the passes; the whole step counts.
follows "prime-rl, RL: the whole step" prime-rl-trainer \
    "$(calc "2 / (61.25 + 58.75)")" 1e-9 <<'END'
12:01:07 SUCCESS Step 8 | Time: 61.25s | Loss: -0.0125 | Entropy: 0.5125 | Mismatch KL: 0.0025 | Grad. Norm: 0.0625 | LR: 1.00e-06 | Throughput: 9876 tokens/s | MFU: 21.5% | Peak Mem.: 55.5 GiB
12:02:06 SUCCESS Step 9 | Time: 58.75s | Loss: 0.0125 | Entropy: 0.5025 | Grad. Norm: 0.0525 | LR: 1.00e-06 | Throughput: 9976 tokens/s | MFU: 21.6% | Peak Mem.: 55.5 GiB
END
verdict "all were tried" test "$tried" -eq 14
finish
