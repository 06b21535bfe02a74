# report_results --reproduce: a published figure against own runs, and the
# settings that differ.
. "$top_srcdir/tests/lib.sh"

r=$bindir/report_results
mkdir "$tmp/w" && cd "$tmp/w" || exit 1

# A run of 125 million parameters that its user took for one of 7 billion, as in
# https://github.com/mosaicml/llm-foundry/issues/1706.
{
	cat <<'L'
max_seq_len: 2048
model:
  name: mpt_causal_lm
  d_model: 768
  n_heads: 12
  n_layers: 12
  attn_config:
    attn_impl: flash
global_train_batch_size: 256
num_nodes: 1
num_gpus_per_node: 8
precision: amp_bf16
L
	for k in $(seq 150); do
		printf '[batch=%d/150]:\n' "$k"
		printf '\t Train throughput/samples_per_sec: %d.5\n' \
		    $((330 + k % 3))
		printf '\t Train throughput/device/mfu: 0.1353\n'
	done
} >mpt.log
table() { "$r" "$@" 2>"$tmp/err" || cat "$tmp/err"; }
check "another model is named" reproduce-mfu.txt table --reproduce \
    --published="mpt-7b bf16 8xH100 sequence_length=2048 46.44% MFU" mpt.log
check "in Chinese, with an interval" reproduce-zh.txt table --lang=zh \
    --published="mpt-7b fp16 8xH100 d_model=4096 900 samples/s" mpt.log
verdict "a figure within" eval 'table --published="332 samples/s" mpt.log |
    grep -q "^within the published figure: 100.2 % of it \[99"'
verdict "slower and faster" eval '
    table --published="400 samples/s" mpt.log | grep -q "^slower .* 83.1 %" &&
    table --published="300 samples/s" mpt.log | grep -q "^faster .* 110.8 %"'

# In a file of published tables, the row with the same GPUs and batch is used.
cat >own.figures <<'F'
model: mpt-7b
precision: bf16
label: hidden_size=4096
label: layers=32
label: sequence_length=2048
unit: samples/s

batch: 32
| nodes | GPUs | pytorch |
| 1     | 8    | 12.2    |
| 2     | 16   | 24.1    |
F
check "a row of a file" reproduce-row.txt table --reproduce own.figures mpt.log

verdict "as JSON" eval 'table --format=json --reproduce own.figures mpt.log |
    python3 -c "import json, sys
rows = json.load(sys.stdin)[\"tables\"][0][\"rows\"]
assert [x for x in rows if \"768\" in x.values()], rows"'
refuse "no operand" 2 "*--reproduce takes a published table and runs*" \
    "$r" --reproduce
refuse "another model than the known" 4 "*no figure of the model and unit of the runs is known*" \
    "$r" --reproduce mpt.log

# Known figures of the package and of the user are found by the model.
cat >rn50.csv <<'F'
model,framework,precision,nodes,gpus_per_node,batch_size_per_device,images/s,run
resnet50,pytorch,fp32,4,8,128,5400,1
resnet50,pytorch,fp32,4,8,128,5410,2
F
table --reproduce rn50.csv >known.out
verdict "a known figure" eval '
    grep -q "^published 5552.77 images/s, here 5405 images/s" known.out &&
    grep -q "^published: .*/published/dlperf.figures:[0-9]*$" known.out &&
    grep -q "^slower .* 97.3 %" known.out'
mkdir -p config/dlscale/published
cp own.figures config/dlscale/published/mine.figures
XDG_CONFIG_HOME=$PWD/config table --reproduce --extract=--model=mpt-7b \
    mpt.log >known.out
verdict "... of the user" grep -q "^published: .*/mine.figures:[0-9]*$" known.out
XDG_CONFIG_HOME=$PWD/config table --reproduce rn50.csv >known.out
verdict "whose samples/s are no unit of others" \
    grep -q "^published 5552.77 images/s, here 5405 images/s" known.out
refuse "no figure" 2 "*--published: 'resnet50 fp16' has no figure" \
    "$r" --published="resnet50 fp16" mpt.log
refuse "two figures" 2 "*--published: cannot read '8'*" \
    "$r" --published="resnet50 7 8" mpt.log
refuse "another unit" 4 "*no case of the runs is in tokens/s*" \
    "$r" --published="mpt-7b 900 tokens/s" mpt.log
refuse "another mode" 2 "*exclude each other" \
    "$r" --compare --published="7950" mpt.log mpt.log
finish
