# Benchmarks of collectives: rows by size, in the result and as a table.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
x=$bindir/extract_logs
cd "$tmp" || exit 1

nccl() { # test time bus mean
	cat <<EOF
# Collective test starting: $1_perf
#       size         count      type   redop    root     time   algbw   busbw
     1048576        262144     float     sum      -1    50.00   20.97   36.70      0    40.00   26.21   45.87      0
    16777216       4194304     float     sum      -1    $2   83.89   $3      0   180.00   93.21  163.11    N/A
# Avg bus bandwidth    : $4
EOF
}
mkdir runs
nccl all_reduce 200.00 146.80 98.125 >runs/nccl_N1_G8_1.log
nccl all_reduce 210.00 139.81 96.375 >runs/nccl_N1_G8_2.log
"$x" -q -o r.json runs >out 2>err
verdict "a run of nccl-tests is usable" test $? -eq 0
tr -d ' \n' <r.json >flat
verdict "the headline is the mean bus bandwidth" \
    grep -qF '"n":2,"median_speed":97.25' flat
verdict "a row of the result" grep -qF '{"collective":"all_reduce_perf",'\
'"kind":"out-of-place","bytes":16777216,"count":null,"time_s":0.0002,'\
'"algorithm_gb_per_s":83.89,"bus_gb_per_s":146.8,"line":4,"test":1}' flat
verdict "in place too" grep -qF '"kind":"in-place","bytes":16777216,"count":null,'\
'"time_s":0.00018,"algorithm_gb_per_s":93.21,"bus_gb_per_s":163.11' flat
verdict "samples/s are none" grep -qF '"samples_per_s":null' flat
nccl all_reduce 300.00 97.87 64.1 >nccl_N2_G8_1.log
mkdir sizes && cp runs/* sizes && mv nccl_N2_G8_1.log sizes
"$x" -q -o s.json sizes >out2 2>err2
tr -d ' \n' <s.json >flat2
verdict "a bandwidth has no speedup, on any number of GPUs" test \
    "$(grep -o '"baseline":null,"baseline_flag":false,"speedup":null' flat2 |
	wc -l)" -eq 2
verdict "and none is missed" eval '! grep -q "no speedup\|baseline" err2'
"$bindir/report_results" -t collectives r.json >table 2>err2
verdict "report_results shows its rows" grep -qE \
    '^all_reduce_perf +out-of-place +16777216 +205 us +83.89 +143.3 +2$' table

# --- Horovod's autotuning: the best trial, not the mean of all --------------------
{
	echo hierarchical_allreduce,hierarchical_allgather,cache_enabled,cycle_time_ms,tensor_fusion_threshold,score
	echo 0,0,1,17.5,19.6,500
	echo 0,0,1,5,64,2000
	echo 1,0,1,25,0,250
} >autotune.csv
for rows in autotune.csv headless.csv; do
	sed 1d autotune.csv >headless.csv
	"$x" -q -o a.json --log-format=horovod-autotune $rows >out2 2>err2
	tr -d '\n' <a.json | tr -s ' ' >flat2
	verdict "the best trial of $rows" grep -qF '"median_speed": 2,' flat2
	verdict "and its parameters" grep -qF \
	    '"best of 3 trials: 0,0,1,5,64,2000"' flat2
done
"$x" -q -o a.json --rule=all autotune.csv >out2 2>err2
verdict "the mean of all is there when asked for" grep -q '"rule": "all"' a.json

{
	nccl all_reduce 200.00 146.80 98.125
	nccl alltoall 200.00 146.80 48.5
} >two.log
"$x" -q -o r.json two.log >out 2>err
# noted SENTENCE: true if it is below the table, where lines are wrapped
noted() { tr -s ' \n' ' ' <out | grep -qF "$1"; }
verdict "two benchmarks in a log are reported" noted \
    '2 benchmarks in it: that of alltoall_perf (before: all_reduce_perf 98.125 GB/s)'
tr -d ' \n' <r.json >flat
verdict "the figure is that of the last" grep -qF '"median_speed":48.5' flat
verdict "their rows are distinguished" test \
    "$(grep -o '"line":4,"test":1' flat | wc -l) $(grep -o '"test":2' flat | wc -l)" = '2 4'
"$bindir/report_results" -t collectives r.json >table 2>err2
verdict "in the table too" \
    grep -qE '^ *2 +alltoall_perf +out-of-place +1048576' table
# Flags of runs that differ only in numbers are combined.
mkdir alike
cp two.log alike/run_1.log
sed 's/98[.]125/97.5/' two.log >alike/run_2.log
"$x" -q -o r.json --nodes=1 --gpus-per-node=8 alike >out 2>err
verdict "flags that differ in numbers are reported once" noted \
    '2 benchmarks in it: that of alltoall_perf (before: all_reduce_perf 97.5–98.125 GB/s)'
"$x" -q -o r.json --nodes=1 --gpus-per-node=8 --format=csv alike >out 2>err
verdict "in CSV, too" grep -q "97.5–98.125 GB/s" out
# The same test twice, without a title.
{
	nccl all_reduce 200.00 146.80 98.125
	nccl all_reduce 100.00 293.60 150.5
} | grep -v starting >twice.log
"$x" -q -o r.json twice.log >out 2>err
tr -d ' \n' <r.json >flat
verdict "the same benchmark twice is two" noted \
    '2 benchmarks in it: that of one without a name (before: one without a name 98.125 GB/s)'
verdict "and not mixed" test "$(grep -o '"test":[12]' flat | sort | uniq -c | tr -s ' \n' ' ')" = ' 4 "test":1 4 "test":2 '
printf '%s\n' '# OSU MPI Allreduce Latency Test v7.0' '# Size  Avg Latency(us)' \
    '4 2.5' '1048576 100.00' '# OSU MPI Allreduce Latency Test v7.0' \
    '# Size  Avg Latency(us)' '4 3.5' '1024 10.24' >osu2.log
"$x" -q -o r.json osu2.log >out 2>err
tr -d ' \n' <r.json >flat
verdict "OSU: the last one's largest message" grep -qF '"median_speed":0.1' flat

printf '%s\n' '# OSU MPI Allreduce Latency Test v7.0' '# Size  Avg Latency(us)' \
    '4 2.5' '1048576 100.00' >osu.log
"$x" -q -o r.json osu.log >out 2>err
tr -d ' \n' <r.json >flat
verdict "OSU's headline is bytes over time at the largest size" \
    grep -qF '"median_speed":10.48576' flat
printf '4 2.5\n1048576 100.00\n' >rows.log
refuse "rows without a title are no benchmark" 4 \
    "*none of 1 logs is usable*" "$x" -o r.json rows.log
cat >t.format <<'EOF'
name t
description d
kind rate
unit GB/s
collective c size (\d+) (?<message_us>\d+)
sample size 3 4
expect c message_us=4
EOF
refuse "a row without a size" 3 \
    "*t.format:5:1: pattern 'c' needs a group message_bytes*" \
    "$x" --format-dir=. --check-formats
finish
