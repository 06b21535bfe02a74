# Records of several lines, total times of windows, and the work of a step:
# samples, tokens, iterations.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
x=$bindir/extract_logs
cd "$tmp" || exit 1

# value JSON: print the unit and the value of the result
value() {
	sed -n 's/^ *"\(unit\|value\)": *//p' "$1" | tr -d ',\n'
}

mkdir own
cat >own/block.format <<'EOF'
name block
description header lines, then values
kind rate
unit samples/s
base 1
context head ^\[epoch (?<epoch>\d+)\]\[batch (?<iter>\d+)/(?<iters>\d+)\]:
step speed ^ +rate (?<samples_per_s>[\d.]+) samples/s
sample [epoch 3][batch 7/50]:
expect head epoch=3 iter=7 iters=50
sample   rate 12.5 samples/s
expect speed samples_per_s=12.5
EOF
i=1
while test $i -le 130; do
	rate=100
	test $i -gt 25 || rate=1
	printf '[1,0]<stdout>:[epoch 1][batch %d/130]:\n' $i
	printf '[1,1]<stdout>:[epoch 1][batch %d/130]:\n' $i
	printf '[1,0]<stdout>:  loss 3\n'
	printf '[1,1]<stdout>:  rate %d samples/s\n' $rate
	printf '[1,0]<stdout>:  rate %d samples/s\n' $((rate + 2))
	i=$((i + 1))
done >block.log
"$x" --format-dir=own -q -o out.json block.log >table 2>err
verdict "a header numbers the lines after it" test $? -eq 0
verdict "so that the slow start is left out" \
    test "$(value out.json)" = '"samples/s"101'
verdict "each rank has headers of its own" grep -q '"ranks_seen": 2' out.json

cat >own/total.format <<'EOF'
name total
description total times of windows, batch and tokens
kind step-time
statistic window-mean
throughput tokens/s
base 1
metadata length ^sequence length (?<sequence_length>[\d,]+)
step line ^iter (?<iter>\d+) took (?<step_s>[\d.]+) s for (?<span>\d+) iters, batch (?<batch_size>\d+)
sample sequence length 1,024
expect length sequence_length=1024
sample iter 20 took 3 s for 10 iters, batch 64
expect line iter=20 span=10 step_s=3 batch_size=64 value=0.3
EOF
# 0.5 s per iteration; 64 samples up to iteration 75, then 128: a mean of 96.
{
	echo "sequence length 1,024"
	i=5
	while test $i -le 125; do
		batch=64
		test $i -le 75 || batch=128
		echo "iter $i took 2.5 s for 5 iters, batch $batch"
		i=$((i + 5))
	done
} >total.log
run() {
	"$x" --format-dir=own -q -o out.json "$@" >table 2>err
}
run total.log
verdict "tokens: length x batch, as the batch grows" \
    test "$(value out.json)" = '"tokens/s"196608'
verdict "the result states who reported the length" \
    grep -q '"sequence_length": "log line 1"' out.json
run --unit=samples/s total.log
verdict "--unit=samples/s" test "$(value out.json)" = '"samples/s"192'
run --unit=iterations/s total.log
verdict "--unit=iterations/s" test "$(value out.json)" = '"iterations/s"2'
run --batch-size=10 total.log
verdict "--batch-size is heard before the log" \
    test "$(value out.json)" = '"tokens/s"20480'
run --sequence-length=10 total.log
verdict "--sequence-length too" test "$(value out.json)" = '"tokens/s"1920'
run --metric=step-time total.log
verdict "--metric=step-time" test "$(value out.json)" = '"s"0.5'
grep -v length total.log >short.log
refuse "no one states the length" 4 \
    "*the tokens of a sample; pass --sequence-length=N to include it*" \
    "$x" --format-dir=own -o out.json short.log
refuse "no such unit" 2 "*--unit*" "$x" --unit=apples/s short.log

cat >own/micro.format <<'EOF'
name micro
description micro batches
kind step-time
base 1
metadata micro ^micro batch (?<micro_batch_size>\d+)
metadata steps ^accumulation (?<accumulation>\d+)
metadata replicas ^replicas (?<data_parallel>\d+)
metadata world ^world (?<world_size>\d+)
step line ^iter (?<iter>\d+): (?<step_ms>[\d.]+) ms
sample micro batch 2
expect micro micro_batch_size=2
sample accumulation 4
expect steps accumulation=4
sample replicas 3
expect replicas data_parallel=3
sample world 6
expect world world_size=6
sample iter 3: 20 ms
expect line iter=3 step_ms=20
EOF
{
	printf 'micro batch 2\naccumulation 4\nworld 6\n'
	i=1
	while test $i -le 125; do
		echo "iter $i: 500 ms"
		i=$((i + 1))
	done
} >micro.log
run micro.log
verdict "as many replicas as devices" \
    test "$(value out.json)" = '"samples/s"96'
echo "replicas 3" | cat - micro.log >model.log
run model.log
verdict "fewer where a model takes several" \
    test "$(value out.json)" = '"samples/s"48'

cat >own/mean.format <<'EOF'
name mean
description running means
kind rate
unit samples/s
statistic cumulative-mean
base 1
step line ^iter (?<iter>\d+): mean (?<samples_per_s>[\d.]+)
sample iter 3: mean 20
expect line iter=3 samples_per_s=20
EOF
printf 'iter 1: mean 10\niter 2: mean 15\niter 3: mean 20\n' >mean.log
run --rule=all --aggregate=mean mean.log
verdict "the mean of running means is of what was printed" \
    test "$(value out.json)" = '"samples/s"15'
run --rule=all mean.log
verdict "their differences give work over time" \
    test "$(value out.json)" = '"samples/s"20'

# The time of one sample is independent of the batch: 2 ms are 500 samples/s.
cat >own/one.format <<'EOF'
name one
description times of single samples
kind step-time
step sample
base 1
step line ^batch (?<iter>\d+): (?<step_ms>[\d.]+) ms a sample
sample batch 3: 20 ms a sample
expect line iter=3 step_ms=20
EOF
i=1
while test $i -le 125; do
	echo "batch $i: 2 ms a sample"
	i=$((i + 1))
done >one.log
run --log-format=one one.log
verdict "a time of one sample needs no batch" \
    test "$(value out.json)" = '"samples/s"500'
run --log-format=one --batch-size=64 one.log
verdict "nor does a batch change it" \
    test "$(value out.json)" = '"samples/s"500'
run --log-format=one --batch-size=64 --metric=step-time one.log
verdict "but that of the step" test "$(value out.json)" = '"s"0.128'

# A signature decides between two formats with the same lines, even next to a
# log of the other format, and despite the priority.
for name in plain signed; do
	cat >own/$name.format <<'EOF'
description step times
kind step-time
base 1
step line ^turn (?<iter>\d+): (?<step_ms>[\d.]+) ms$
sample turn 3: 20 ms
expect line iter=3 step_ms=20
EOF
	echo "name $name" >>own/$name.format
done
echo 'priority 90' >>own/plain.format
cat >>own/signed.format <<'EOF'
signature one ^one sample a turn$
step sample
sample one sample a turn
expect one
EOF
i=1
while test $i -le 125; do
	echo "turn $i: 2 ms"
	i=$((i + 1))
done >a.turns
{ echo 'one sample a turn' && cat a.turns; } >b.turns
"$x" --format-dir=own -v -o out.json --batch-size=64 a.turns b.turns \
    2>err >table
verdict "without a signature the higher priority" grep -q 'a.turns: plain ' err
verdict "with one that format" grep -q 'b.turns: signed ' err

# The previous log does not affect how a log is read: the lines of the second
# log also match a format of higher priority.
mkdir near
for name in narrow wide; do
	cat >near/$name.format <<EOF
name $name
description steps of another program, with their unit or without
kind step-time
priority $(test $name = narrow && echo 40 || echo 60)
step one ^go (?<iter>\\d+) (?<step_ms>\\d+)$(test $name = narrow || echo ' ms')\\b
sample go 7 2 ms
expect one
EOF
done
awk 'BEGIN { for (i = 1; i <= 125; i++) print "go", i, 2 }' >a.go
awk 'BEGIN { for (i = 1; i <= 125; i++) print "go", i, 2, "ms" }' >b.go
"$x" --format-dir=near -v -o out.json --batch-size=64 a.go b.go 2>err >table
verdict "a log is read by its own format" grep -q 'a.go: narrow,' err
verdict "not by that of the log before" grep -q 'b.go: wide ' err

# A table with results only, whose rows do not contain the names of its header.
{
	echo epoch,step,train_loss,val_loss
	awk 'BEGIN { for (i = 1; i <= 12; i++) print "0," i * 50 "," 4 / i "," }'
	echo 0,600,,2.5
} >metrics.csv
"$x" -v -o out.json --nodes=1 --gpus-per-node=1 metrics.csv 2>err >table
verdict "a table of results is one of its format" \
    grep -q 'metrics.csv: lightning-csv ' err
finish
