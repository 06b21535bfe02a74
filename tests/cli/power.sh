# Power records next to a log: the run that gets their mean, the time that the
# mean covers, and records that are rejected.
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/logs.sh"
x=$bindir/extract_logs
cd "$tmp" || exit 1
# measure OPTION... LOG...: write r.json if there is a result, and out and err
measure() {
	rm -f r.json
	"$x" -o r.json "$@" >out 2>err
}
none() { test -s r.json && ! grep -q '"power_per_device"' r.json; }

# One step per second from 12:00:01, 256 samples each.
dated() {
	awk 'BEGIN { for (i = 1; i <= 200; i++)
		printf "[2024-05-01 12:%02d:%02d] iteration %d/ 200 | " \
		    "consumed samples: %d | elapsed time per iteration (ms): " \
		    "1000.0 | learning rate: 1.0E-04 | global batch size: 256 " \
		    "| lm loss: 1.0E+00 |\n", i / 60, i % 60, i, 256 * i }'
}

# smi HOUR UNIT: two GPUs of 300 and 310 W in the window, from 12:00:26 to
# 12:02:05, and of 60 W before and after it.
smi() {
	awk -v hour="$1" -v unit="$2" 'BEGIN {
		print "timestamp, index, power.draw [W], utilization.gpu [%]"
		for (s = -60; s < 260; s++)
			for (g = 0; g < 2; g++) {
				w = (s < 26 || s > 125) ? 60 : 300 + 10 * g
				printf "2024/05/01 %02d:%02d:%02d.000, %d, %.2f%s, 98 %%\n",
				    (s < 0 ? hour - 1 : hour), (s + 3600) / 60 % 60,
				    (s + 60) % 60, g, w, unit } }'
}
mkdir a
dated >a/train.log
smi 12 ' W' >a/nvidia-smi.csv
verdict "nvidia-smi's record" measure -q --gpus=2 a
verdict "its mean while the run was measured" near power_per_device 305
verdict "energy: 2 devices, 256 samples/s" near energy_per_sample 2.3828125
verdict "with the lines of both" grep -q '"nvidia-smi.csv lines 174-373, of 2 devices, while log lines 26-125 were printed"' r.json
verdict "as what is measured" eval '"$x" -q --gpus=2 --metric=power_per_device \
    -o m.json a && grep -q "\"median_speed\": 305," m.json'
measure -q --gpus=2 a/train.log
verdict "of a log that is named" near power_per_device 305
smi 12 '' >a/nvidia-smi.csv
echo "2024/05/01 12:01:00.500, 1, [N/A], 98 %" >>a/nvidia-smi.csv
printf '2024/05/01 12:01:00.500, 1, 9' >>a/nvidia-smi.csv
measure -q --gpus=2 a
verdict "without units, N/A, cut short" near power_per_device 305
{ echo; echo '#'; smi 12 ' W'; } | sed 's/power.draw \[W\]/power.draw.instant [W]/' >a/nvidia-smi.csv
measure -q --gpus=2 a
verdict "the instant power" near power_per_device 305

smi 14 ' W' >a/nvidia-smi.csv
measure --gpus=2 a
verdict "another clock: no figure" none
verdict "and why" grep -q 'train.log: nvidia-smi.csv: does not cover the time in which the run was measured (another clock or time zone?)' err
smi 12 ' W' | head -n 300 >a/nvidia-smi.csv
measure --gpus=2 a
verdict "a record that ends early" eval 'none && grep -q "does not cover" err'
smi 12 ' W' >a/nvidia-smi.csv
measure --gpus=1 a
verdict "devices that are not the run's" eval 'none &&
    grep -q "nvidia-smi.csv: records 2 devices, but the run has 1" err'
for text in 'step,loss' 'timestamp, power.draw [W]' "$(printf 'a\001,b')"; do
	echo "$text" >a/nvidia-smi.csv
	measure --gpus=2 a
	verdict "no record: $text" eval 'none && grep -q "\"counts\": true\|median_speed" r.json &&
	    grep -q "nvidia-smi.csv: \(not a power record\|states no power\)" err'
done

# Other monitors: 300, 310, 302 and 312 W in the window, 60 W outside.
data=$top_srcdir/tests/data/tables
rm a/nvidia-smi.csv
for file in dmon.txt dcgm.prom jpwr.csv; do
	cp "$data/$file" "a/${file%jpwr.csv}$(test $file = jpwr.csv && echo power.csv)"
	measure -q --gpus=2 a
	verdict "$file" near power_per_device 306
	rm -f a/dmon.txt a/dcgm.prom a/power.csv
done
sed 's/#Date       Time/#/; s/#YYYYMMDD   HH:MM:SS/#/; s/ 20240501   12:..:../ /' "$data/dmon.txt" \
    >a/train.dmon.txt
measure -q --gpus=2 a
verdict "dmon without times: the whole record" near power_per_device 183
rm a/train.dmon.txt

# A log without times in its lines that states when it started.
mkdir week
{
	echo "dlscale: run name=001 model=m run=1 started=2024-05-01T12:00:00Z"
	imagenet 130
} >week/train.log
smi 12 ' W' >week/train.power.csv
measure -q --gpus=2 --batch-size-per-device=4 week
verdict "a record of the day of the run" near power_per_device 136.5625
sed -i 's#2024/05/01#2024/04/24#' week/train.power.csv
measure --gpus=2 --batch-size-per-device=4 week
verdict "a record of a week before is refused" eval 'none &&
    grep -q "power.csv: does not cover the time in which the run" err'

# A log without times: the whole record is used, if it belongs to this run.
mkdir b
imagenet 130 >b/train.log
awk 'BEGIN { print "# Entity      POWER   GPUTL"; print "      ID        W"
	for (i = 0; i < 9; i++) { print "GPU 0    200.5   90"; print "GPU 1   100.5  90" } }' \
    >b/dcgm.txt
measure -q --gpus=2 --batch-size-per-device=4 b
verdict "dcgmi's record of a run without times" near power_per_device 150.5
verdict "is of all of it" grep -q '"dcgm.txt lines 3-20, of 2 devices, start and end of the run included"' r.json
verdict "and is no log" eval '! grep -q "\"path\": \"dcgm.txt\"" r.json'
cp b/train.log b/other.log
measure --gpus=2 --batch-size-per-device=4 --run=1 b
verdict "of two logs: whose?" eval 'none &&
    grep -q "dcgm.txt: not used: it states no times, so its log among those of the folder is unknown" err'
sed -i 's/0.400/0.500/g' b/other.log
mv b/dcgm.txt b/other.dcgm.txt
measure -q --gpus=2 --batch-size-per-device=4 b
verdict "called like one of them" test "$(value power_per_device)" = 150.5

# MLPerf: one file per node and switch; their sum is the power of the run.
bert=mlperf/results/two/bert
mkdir -p $bert/power/result_0 mlperf/systems
echo '{"number_of_nodes": "2", "accelerators_per_node": "8"}' >mlperf/systems/two.json
event() {
	echo ":::MLLOG {\"namespace\": \"\", \"time_ms\": $1, \"event_type\": \"POINT_IN_TIME\", \"key\": \"$2\", \"value\": $3, \"metadata\": {\"status\": \"success\"}}"
}
{
	event 1700000000000 run_start null
	event 1700000600000 run_stop null
} >$bert/result_0.txt
for node in 0 1; do
	{
		event 1699999999000 conversion_eff "{\"value\": $node.9}"
		event 1699999999000 power_measurement_start null
		for k in 0 1 2 3 4 5 6; do
			event 1700000${k}00000 power_reading '{"value": 8000.0}'
		done
		event 1700000601000 power_measurement_stop null
	} >$bert/power/result_0/node_$node.txt
done
sed -i 's/1.9}/1.0}/' $bert/power/result_0/node_1.txt
event 1700000000000 interconnect_power_est '{"value": 800.0}' \
    >$bert/power/result_0/sw_0.txt
# (0.9 * 8000 + 8000 + 800) / 16
verdict "MLPerf, power of nodes and switches" eval 'measure -q \
    --metric=time-to-train mlperf && near power_per_device 1000 &&
    grep -q "node_0.txt lines .*, of 2 nodes" r.json && ! grep -q "node_1.txt" out'
sed -i 's/"time_ms": 17/"time_ms": 16/' $bert/power/result_0/node_?.txt
measure --metric=time-to-train mlperf
verdict "... of another time" eval 'none && grep -q "does not cover" err'

# A device that dcgmi lists without a power does not belong to the run.
mkdir f
cp b/train.log f
awk '{ print } /^GPU 0/ { print "GPU 7    N/A     N/A" }' b/other.dcgm.txt |
    sed '/^GPU 1/d' >f/dcgm.txt
"$x" -q --gpus=1 --batch-size-per-device=4 -o r.json f
verdict "a device without a figure" test "$(value power_per_device)" = 200.5

# Without its last part, the name of a record is that of its log.
mkdir e
imagenet 130 >e/r50.fp16.log
sed 's/0.400/0.500/g' e/r50.fp16.log >e/r50.fp32.log
cp b/other.dcgm.txt e/r50.fp16.dcgm.txt
"$x" -q --gpus=2 --batch-size-per-device=4 -o r.json e
verdict "called like a log with two dots" test "$(value power_per_device)" = 150.5
if built_with ZLIB; then
	gzip e/r50.fp16.log
	"$x" -q --gpus=2 --batch-size-per-device=4 -o r.json e
	verdict "which is packed" test "$(value power_per_device)" = 150.5
else
	skip "which is packed" "built without zlib"
fi
mv e/r50.fp16.dcgm.txt e/r50.dcgm.txt
"$x" --gpus=2 --batch-size-per-device=4 -o r.json e >out 2>err
verdict "called like the beginning of both" eval 'none &&
    grep -q "r50.dcgm.txt: not used: it states no times, so its log among those of the folder" err'

# codecarbon: 0.1 kWh in an hour, two devices.
mkdir c
imagenet 130 >c/train.log
cat >c/emissions.csv <<'END'
timestamp,project_name,run_id,duration,emissions,cpu_power,gpu_power,cpu_energy,gpu_energy,ram_energy,gpu_count,gpu_model
2024-05-01T12:00:00,codecarbon,1,3600.0,0.01,42.5,90.0,0.05,0.1,0.01,2,2 x Made Up
END
measure -q --gpus=2 --batch-size-per-device=4 c
verdict "codecarbon's emissions.csv" near power_per_device 50
refuse "a record alone" 4 '*emissions.csv: excluded: a record of power by its name*' \
    "$x" -o x.json c/emissions.csv

# Power that the log prints takes precedence.
mkdir d
awk 'BEGIN { print "step,samples_per_second,power_w"
	for (i = 1; i <= 150; i++) print i ",100,350" }' >d/run_metrics.csv
cp b/other.dcgm.txt d/dcgm.txt
measure -q --gpus=2 d/run_metrics.csv
verdict "the log's own power" near power_per_device 350
finish
