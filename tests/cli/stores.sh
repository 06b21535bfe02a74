# Run stores: W&B logs and downloaded folders, MLflow and Ray runs, files of
# Hugging Face's trainer. Each run counts once, whatever lies beside it.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
x=$(cd "$bindir" && pwd)/extract_logs
data=$(cd "$top_srcdir" && pwd)/tests/data/stores
cd "$tmp" || exit 1
unset DLSCALE_FORMAT_PATH

flat() { # a result without blanks
	tr -d ' \n' <"$1"
}

figure() { # OPERANDS: format, unit, figure and devices of the one case
	rm -f r.json
	"$x" -v --train-batches=105 -o r.json "$@" >table 2>err
	sed -n 's/^extract_logs: [^:]*: \([a-z0-9-]*\),.*samples.*/\1/p;
	    s/^extract_logs: [^:]*: \([a-z0-9-]*\) (runner.*samples.*/\1/p' err |
	    tr '\n' ' '
	flat r.json | sed 's/.*"gpus":\([^,]*\),.*"unit":"\([^"]*\)".*"median_speed":\([^,]*\),.*/\2 \3 gpus \1\n/'
}

# --- Weights & Biases: every fifth step i has the rate 400 + i % 3. The
# harmonic mean of steps 25, 30 ... 105 is 400.9395715892981. ---
run=wandb/offline-run-20260101_000000-abc
mkdir -p $run/files $run/logs
cp "$data/run.wandb" $run/run-abc.wandb
for i in $(seq 1 200); do
	echo "{\"step\": $i, \"samples_per_s\": 100}"
done >$run/files/output.log
cp $run/files/output.log $run/logs/debug.log
got=$(figure wandb)
verdict "a W&B log: the rate of its history, devices of its configuration" \
    test "$got" = "json-rate samples/s 400.9395715892981 gpus 4"
verdict "... and nothing of what repeats it" \
    test "$(flat r.json | grep -o '"used":true' | wc -l)" -eq 1
verdict "... the batch, too" test -n "$(flat r.json |
    grep '"batch_size_per_device":8')"

head -c 60000 $run/run-abc.wandb >cut.wandb
verdict "a log that is still written to" test "$(figure cut.wandb |
    cut -d' ' -f1,2)" = "json-rate samples/s"
verdict "... is reported to be one" grep -q 'cut.wandb: .*truncated or damaged' err
python3 -c 'import sys
data = bytearray(open(sys.argv[1], "rb").read())
data[40000] ^= 1
open("damaged.wandb", "wb").write(data)' $run/run-abc.wandb 2>/dev/null
if test -e damaged.wandb; then
	figure damaged.wandb >/dev/null
	verdict "a damaged record is reported" \
	    grep -q 'damaged.wandb: .*truncated or damaged' err
else
	skip "a damaged record is reported" "no python3"
fi

# A run's files as W&B's site offers them: without the log.
mkdir -p down
for i in $(seq 0 149); do
	echo "{\"_step\":$i,\"_runtime\":$((i / 4)).$((i % 4 * 25)),\"train/step_time\":0.25,\"loss\":2}"
done >down/wandb-history.jsonl
cat >down/config.yaml <<'END'
wandb_version: 1

_wandb:
  desc: null
  value:
    framework: torch
per_device_train_batch_size:
  desc: null
  value: 16
world_size:
  value: '2'  # of one node
END
echo '{"_step":149}' >down/wandb-summary.json
printf '{\n  "os": "Linux",\n  "gpu": "NVIDIA Made-Up 2",\n  "gpu_count": 8\n}\n' \
    >down/wandb-metadata.json
verdict "a downloaded W&B folder" test "$(figure down)" = \
    "json-step-time samples/s 128 gpus 2"
verdict "... the device" test -n "$(flat r.json |
    grep '"device":"NVIDIAMade-Up2"')"
cp -r down odd
for gpu in null '"A\tB"' "\"$(printf '%05000d' 0)\""; do
	printf '{"gpu": %s}\n' "$gpu" >odd/wandb-metadata.json
	figure odd >/dev/null
	verdict "... none: $(printf %.9s "$gpu")" test -z "$(flat r.json |
	    grep -o '"device":"')"
done
rm -r odd
verdict "... by its path, with a slash at its end" test "$(figure down/)" = \
    "json-step-time samples/s 128 gpus 2"

# --- MLflow: a file a metric ---
run=mlruns/1/0a1b
mkdir -p $run/metrics/train $run/params $run/tags $run/artifacts
echo 'run_id: 0a1b' >$run/meta.yaml
echo 'experiment_id: 1' >mlruns/1/meta.yaml
printf 8 >$run/params/per_device_train_batch_size
printf 4 >$run/params/world_size
printf someone >$run/tags/mlflow.user
for i in $(seq 0 149); do
	ms=$((1700000000000 + i * 250))
	echo "$((ms + 1)) $i.5 $i" >>$run/metrics/train/loss
	echo "$ms 0.25 $i" >>$run/metrics/step_time
	test $((i % 10)) -ne 0 || echo "$((ms + 2)) 3 $i" >>$run/metrics/val_loss
done
verdict "a run of MLflow" test "$(figure mlruns)" = \
    "json-step-time samples/s 128 gpus 4"
"$x" --explain $run >explained 2>/dev/null
verdict "... a row a step, of metrics logged one by one" \
    grep -qF '"_step":10,"_timestamp":1700000002.502,"step_time":0.25,"train/loss":10.5,"val_loss":3}' explained
verdict "... no one's name" sh -c '! grep -q someone explained'
printf '\n' >$run/params/empty
"$x" --explain $run >explained 2>/dev/null
verdict "... a parameter without a value" \
    grep -qF '{"config":"empty","value":""}' explained
mkfifo $run/params/pipe
"$x" -o r.json mlruns >out 2>err
verdict "... a parameter that is no file" \
    grep -q "excluded: '.*pipe' is no file" err
rm $run/params/pipe
# A copy that is a tenth slower: two runs of one case, whatever their ids.
mkdir twins
cp -r $run twins/3dea820bab0943dd986b8bd2f353d8fa
cp -r $run twins/0123456789abcdef0123456789abcdef
sed -i 's/ 0\.25 / 0.275 /' twins/0*/metrics/step_time
figure twins >/dev/null
verdict "two runs of one configuration are one case" test -n "$(flat r.json |
    grep '"n":2,' | grep -v '"n":1,')"
rm $run/metrics/step_time
verdict "... the time of its rows, where no metric is one" \
    test "$(figure mlruns)" = "json-wall-time iterations/s 4 gpus 4"
cp -r mlruns odd
echo "1700000040000 0.25-150" >>odd/1/0a1b/metrics/train/loss
figure odd >/dev/null
verdict "a value that is no number is reported" \
    grep -q '0a1b: .*truncated or damaged' err
printf '17000000' >>$run/metrics/train/loss
figure mlruns >/dev/null
verdict "a value that is not complete is reported" \
    grep -q '0a1b: .*truncated or damaged' err
mkdir -p other/metrics
echo 'name: bench' >other/meta.yaml
echo x >other/metrics/notes.txt
"$x" -o o.json other >/dev/null 2>err
verdict "an experiment is no run" grep -q 'notes.txt: excluded' err

# --- Ray, Hugging Face: the same in several files ---
mkdir ray
echo 'training_iteration,time_this_iter_s,time_total_s' >ray/progress.csv
for i in $(seq 1 130); do
	echo "{\"training_iteration\": $i, \"time_this_iter_s\": 0.5, \"done\": false}"
done >ray/result.json
seq 1 130 | sed 's/.*/&,0.5,1/' >>ray/progress.csv
set -- --nodes=1 --gpus-per-node=1
verdict "Ray's result.json, once" test "$(figure "$@" ray)" = \
    "ray-train iterations/s 2 gpus 1"
rm ray/result.json
verdict "... else its progress.csv" test "$(figure "$@" ray)" = \
    "ray-train iterations/s 2 gpus 1"

mkdir -p hf/checkpoint-500
cat >hf/trainer_state.json <<'END'
{
  "epoch": 3.0,
  "global_step": 500,
  "log_history": [
    {
      "epoch": 0.5,
      "loss": 2.5,
      "step": 100
    },
    {
      "epoch": 3.0,
      "step": 500,
      "train_runtime": 100.0,
      "train_samples_per_second": 40.0,
      "train_steps_per_second": 5.0
    }
  ],
  "max_steps": 500,
  "train_batch_size": 8
}
END
printf '{\n    "train_runtime": 100.0,\n    "train_samples_per_second": 40.0,\n    "train_steps_per_second": 5.0\n}\n' \
    >hf/train_results.json
cp hf/train_results.json hf/all_results.json
cp hf/trainer_state.json hf/checkpoint-500/
verdict "trainer_state.json, once" test "$(figure "$@" hf)" = \
    "hf-trainer samples/s 40 gpus 1"
verdict "... with its batch" test -n "$(flat r.json |
    grep '"batch_size_per_device":8')"
verdict "... one run" test \
    "$(flat r.json | grep -o '"used":true' | wc -l)" -eq 1

# LLaMA-Factory writes all of these and a log with the time of each step.
awk 'BEGIN { for (i = 1; i <= 30; i++) printf "{\"current_steps\": %d, " \
    "\"total_steps\": 300, \"loss\": 2.0, \"lr\": 1e-05, \"epoch\": 1.0, " \
    "\"percentage\": 3.3, \"elapsed_time\": \"0:%02d:%02d\", " \
    "\"remaining_time\": \"0:00:00\"}\n", 10 * i, i * 25 / 60, i * 25 % 60 }' \
    >hf/trainer_log.jsonl
verdict "LLaMA-Factory's log, once" test "$(figure "$@" hf)" = \
    "llama-factory iterations/s 0.4 gpus 1"
verdict "... one case of one run" test \
    "$(flat r.json | grep -o '"used":true' | wc -l)" -eq 1
finish
