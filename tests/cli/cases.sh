# Which runs form one case: varied settings, unstated metadata, copies, doubles,
# devices, folders. Runs are never pooled into one median silently.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/logs.sh"
x=$bindir/extract_logs
cd "$tmp" || exit 1

# cases NAME WANT OPERAND...: labels, case and runs of each, in one line
cases() {
	name=$1 want=$2
	shift 2
	got=$("$x" --format=csv -o r.json "$@" 2>err | awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) { key[i] = $i; at[$i] = i } }
	NR > 1 {
		printf "%s", s
		for (i = at["batch_size_per_device"] + 1; i < at["nodes"]; i++)
			if ($i != "") printf "%s=%s/", key[i], $i
		printf "%s:%s", $at["case"], $at["n"]
		s = " "
	}')
	verdict "$name: $want; got $got" test "$got" = "$want"
}
reported() { verdict "$1" grep -q "$2" err; }

# ours DIR CASE RUN BACKEND FUSION T: a log of our own trainer
ours() {
	mkdir -p "$1/$2"
	gpus=$(echo "$2" | awk '{ split($1, a, "n"); print a[1] * (a[2] + 0) }')
	{
		echo "dlscale: run name=$1 model=resnet18 batch_per_device=4 precision=fp32 nodes=${2%%n*} devices_per_node=1 run=$3 started=2026-11-20T23:04:29Z"
		echo "dlscale: config version=0.1.0 model=resnet18 parameters=11689512 image=224 classes=1000 device=cpu precision=fp32 batch_per_device=4 devices=$gpus nodes=${2%%n*} images=dummy train_images=1281167 val_images=50000 batches_per_epoch=125 val_batches=0 epochs=1 start_epoch=0 lr=0.1 lr_step=30 momentum=0.9 weight_decay=0.0001 seed=0 backend=$4 buckets=3 print_freq=1 workers=1"
		echo "dlscale: fusion policy=ddp first_mib=$5 rest_mib=$5 compression=none hierarchical=no"
		imagenet 130 "t=$6" dt=0.001
	} >"$1/$2/resnet18_b4_fp32_$3.log"
}

# --- What was varied -------------------------------------------------------------
ours fuse/001-fusion 4n1g 1 mpi 64 0.4
ours fuse/001-fusion0 4n1g 1 mpi 0 0.5
cases "fusion on and off" \
    "first_bucket_mib=0/4n1g:1 first_bucket_mib=64/4n1g:1" fuse
ours alike/a 4n1g 1 mpi 64 0.4
ours alike/a 4n1g 2 mpi 64 0.41
cases "what all do alike is no label" "4n1g:2" alike
ours back/mpi 1n1g 1 self 1 0.4
ours back/mpi 1n4g 1 mpi 1 0.45
ours back/gloo 1n4g 1 gloo 1 0.5
cases "back ends, over the one run of a single GPU" \
    "1n1g:1 backend=gloo/1n4g:1 backend=mpi/1n4g:1" back
"$x" -q --format=csv -o r.json back 2>/dev/null >out
verdict "which is the baseline of both" test \
    "$(grep -c ',1n1g,window' out)" -eq 3
for i in 1 2; do
	mkdir -p hvd/1n4g
	{
		echo "mpirun -np 4 -x HOROVOD_FUSION_THRESHOLD=$((i * 1024)) python train.py"
		imagenet 130 "t=0.$i"
	} >hvd/1n4g/r50_b4_fp32_$i.log
done
cases "Horovod's variables" \
    "horovod_fusion_bytes=1024/1n4g:1 horovod_fusion_bytes=2048/1n4g:1" hvd

# --- Folders ---------------------------------------------------------------------
imagenet 130 t=0.4 >log1
imagenet 130 t=0.5 >log2
imagenet 130 t=0.6 >log3
mkdir -p groups/a/1n2g groups/b/1n2g
cp log1 groups/a/1n2g/r50_b4_fp32_1.log
cp log2 groups/b/1n2g/r50_b4_fp32_1.log
cases "a number in two folders" "folder=a/1n2g:1 folder=b/1n2g:1" groups
reported "is reported" "of several folders, are kept apart by the label 'folder' (1 conf"
mkdir -p dirA dirB
cp -r groups/a/1n2g dirA
cp -r groups/b/1n2g dirB
cases "two operands without labels" "folder=dirA/1n2g:1 folder=dirB/1n2g:1" \
    dirA dirB
cases "and with them" "label=x/1n2g:1 label=y/1n2g:1" x=dirA y=dirB
mkdir -p numbered/a/1n2g numbered/b/1n2g
cp log1 numbered/a/1n2g/r50_b4_fp32_1.log
cp log2 numbered/b/1n2g/r50_b4_fp32_2.log
cases "runs that are numbered on" "folder=a/1n2g:1 folder=b/1n2g:1" numbered
cases "of one label they are one case" "label=x/1n2g:2" x=numbered/a x=numbered/b
mkdir -p parts/run1/1n2g parts/run2/1n2g
cp log1 parts/run1/1n2g/train.log
cp log2 parts/run2/1n2g/train.log
cases "folders that only number the run" "1n2g:2" parts \
    --model=m --precision=fp32 --batch-size-per-device=4

# --- What no one states ----------------------------------------------------------
mkdir -p unknown/N1 unknown/N8
cp log1 unknown/N1/train.log
cp log2 unknown/N8/train.log
cases "an unknown number of GPUs" "folder=N1/unknown:1 folder=N8/unknown:1" \
    --metric=step-time unknown
mkdir files
cp log1 files/seg_sgd.log
cp log2 files/seg_adam.log
cases "in one folder" "file=seg_adam/unknown:1 file=seg_sgd/unknown:1" \
    --metric=step-time files
reported "the option is named" "the label 'file' (1 configuration); x=FILE1 x=FILE2 would"
mkdir known
cp log1 known/lr0.1.log
cp log2 known/lr0.2.log
cases "though all metadata is known" "file=lr0.1/1n1g:1 file=lr0.2/1n1g:1" \
    --precision=fp32 --nodes=1 --gpus-per-node=1 --batch-size-per-device=4 \
    --model=m known
cases "a label of both pools them" "label=x/1n1g:2" --precision=fp32 \
    --nodes=1 --gpus-per-node=1 --batch-size-per-device=4 --model=m \
    x=known/lr0.1.log x=known/lr0.2.log
mkdir series
cp log1 series/seg_1.log
cp log2 series/seg_2.log
cases "numbered files of one name" "unknown:2" --metric=step-time series

mkdir -p sizes
cp log1 sizes/seg_16.log
cp log2 sizes/seg_128.log
cases "but not sizes" "file=seg_16/unknown:1 file=seg_128/unknown:1" \
    --metric=step-time sizes
for i in 1 2; do
	mkdir -p again/run$i/1n1g
	cp log$i again/run$i/1n1g/r50_b4_fp32_1.log
done
cases "numbered folders of numbered files" "1n1g:2" again
verdict "whose runs are named by both" grep -q '"run": "run2/1"' r.json
cp r.json again.json
cp log3 again/run2/1n1g/r50_b4_fp32_2.log
cases "which add up to an earlier result" "1n1g:3" again again.json
for i in 1 2; do
	mkdir -p stamped/2023040${i}_123000/1n1g
	cp log$i stamped/2023040${i}_123000/1n1g/r50_b4_fp32_1.log
	cp log$i stamped/slurm-47$i$i$i.out
done
cases "times and jobs" "unknown:2 1n1g:2" --metric=step-time stamped
mkdir -p wandb/run-20260101_120000-x7k2p9qa/files \
    wandb/run-20260102_130000-3dea820b/files
cp log1 wandb/run-20260101_120000-x7k2p9qa/files/output.log
cp log2 wandb/run-20260102_130000-3dea820b/files/output.log
cases "folders of W&B's runs" "unknown:2" --metric=step-time wandb
mkdir -p ids/x7k2p9qa/files ids/b81kq0zz/files ids/3dea820b/files
cp log1 ids/x7k2p9qa/files/o.log
cp log2 ids/b81kq0zz/files/o.log
cp log3 ids/3dea820b/files/o.log
cases "folders of random letters and digits" "unknown:3" --metric=step-time ids
mkdir -p ids2/x7k2p9qa ids2/b81kq0zz ids2/3dea820b
cp log1 ids2/x7k2p9qa/o.log
cp log2 ids2/b81kq0zz/o.log
cp log3 ids2/3dea820b/o.log
cases "without a folder in them" "unknown:3" --metric=step-time ids2
mkdir -p chosen/b64fp16 chosen/b64fp32 chosen2/resnet50 chosen2/resnet34
cp log1 chosen/b64fp16/o.log
cp log2 chosen/b64fp32/o.log
cp log1 chosen2/resnet50/o.log
cp log2 chosen2/resnet34/o.log
cases "but not of chosen ones" \
    "folder=b64fp16/unknown:1 folder=b64fp32/unknown:1" --metric=step-time \
    chosen
cases "nor of names of models" \
    "folder=resnet34/unknown:1 folder=resnet50/unknown:1" \
    --metric=step-time chosen2

# --- Copies and doubles ----------------------------------------------------------
mkdir -p copies/1n1g
cp log1 copies/1n1g/r50_b4_fp32_1.log
cp log1 copies/1n1g/r50_b4_fp32_1.log.bak
for i in 2 3 4 5; do cp log1 copies/1n1g/r50_b4_fp32_$i.log; done
cases "copies count once" "1n1g:1" copies
reported "and are reported" " and [34] more: excluded: has the same bytes as .*_1.log, which cou"
verdict "in the result too" test "$(grep -c '"reason": "copy"' r.json)" -ge 4
mkdir -p packed/1n1g
cp log1 packed/1n1g/r50_b4_fp32_1.log
if built_with ZLIB; then
	gzip -c log1 >packed/1n1g/r50_b4_fp32_1.log.gz
	cases "packed ones too" "1n1g:1" packed
else
	skip "packed ones too" "built without zlib"
fi
mkdir -p double/1n1g
cp log1 double/1n1g/r50_b4_fp32_1.log
cp log2 double/1n1g/r50_b4_fp32_1.txt
cp log3 double/1n1g/r50_b4_fp32_2.log
cases "two of one number in one folder: neither counts" "1n1g:1" double
reported "and both are reported" "_1.txt: excluded: is of the same case and run as .*_1.log"
reported "the other as well" "_1.log: excluded: is of the same case and run as .*_1.txt"

# --- Devices ---------------------------------------------------------------------
for d in "Tesla V100-SXM2-16GB" "NVIDIA A100-SXM4-40GB"; do
	i=$((${i:-0} + 1))
	mkdir -p devices/1n1g
	{
		echo "GPU 0: $d (UUID: GPU-1)"
		imagenet 130 "t=0.$i"
	} >devices/1n1g/r50_b4_fp32_$i.log
done
cases "two devices" "device=A100-SXM4-40GB/1n1g:1 device=Tesla V100-SXM2-16GB/1n1g:1" \
    devices

# --- Units that count samples -----------------------------------------------------
# speed DIR CASE UNIT RATE: a log of rates
speed() {
	mkdir -p "$1/$2"
	awk -v u="$3" -v r="$4" 'BEGIN { print "step," u
		for (i = 0; i < 130; i++) print i "," r }' >"$1/$2/m_b4_fp32_1.log"
}
speed images 1n1g images_per_s 100
speed samples 1n1g samples_per_s 80
for i in images samples; do "$x" -q -o $i.json $i >/dev/null 2>&1; done
sed 's|"samples/s"|"images/s"|' images.json >i.json && mv i.json images.json
verdict "one result counts images" grep -q '"unit": "images/s"' images.json
verdict "and is compared with samples of the same model" \
    "$bindir/report_results" --table=comparison a=images.json b=samples.json
cp "$tmp/verdict" out
verdict "as samples" grep -q 'samples/s' out
verdict "and drawn with them" "$bindir/plot_results" -o x.svg a=images.json \
    b=samples.json
mkdir -p mx/1n1g
for i in $(seq 0 20 400); do
	echo "INFO:root:Epoch[0] Batch [$i]	Speed: 100.00 samples/sec	accuracy=0.1"
done >mx/1n1g/m_b4_fp32_1.log
"$x" -q -o u.json --unit=samples/s mx >/dev/null
# Runs of one case whose logs name the unit differently stay one case: readers
# of the result could not tell two apart.
mkdir -p both/1n1g
cp mx/1n1g/m_b4_fp32_1.log both/1n1g/m_b4_fp32_1.log
for i in $(seq 0 130); do
	echo "DLL 2023-08-04 05:48:00.67 - Epoch: 0 Iteration: $i  train.loss : 9.4 \
None train.compute_ips : 1.0 images/s train.total_ips : 90.00 images/s \
train.lr : 0.1"
done >both/1n1g/m_b4_fp32_2.log
cases "samples and images a second" "1n1g:2" --framework=x both
verdict "are samples" grep -q '"unit": "samples/s"' r.json
verdict "which others read" "$bindir/report_results" r.json
"$x" -q --framework=x -o one.json both/1n1g/m_b4_fp32_2.log >/dev/null
verdict "one name alone is kept" grep -q '"unit": "images/s"' one.json
verdict "--unit=samples/s is honoured" grep -q '"unit": "samples/s"' u.json

# --- Metadata that contradicts each other ----------------------------------------------
mkdir metadata
{
	echo "SLURM_NNODES=2"
	echo "SLURM_GPUS_ON_NODE=4"
	imagenet 130 t=0.4
} >metadata/r50_b4_fp32_1.log
cases "no path states the topology" "2n4g:1" metadata
{
	echo "=> creating model 'resnet50'"
	echo "=> creating model 'resnet18'"
	imagenet 130 t=0.4
} >metadata/x.log
"$x" -o r.json --nodes=1 --gpus-per-node=1 --batch-size-per-device=4 \
    --precision=fp32 metadata/x.log >out 2>err
reported "two lines of a log: both places" \
    "x.log:2: model: 'resnet18' differs from 'resnet50' on log line 1, which"
verdict "in the result too" grep -q \
    '"model": "log line 1; log line 2 says resnet18"' r.json
"$x" -o r.json --nodes=1 --gpus-per-node=1 --batch-size-per-device=4 \
    --model=z --precision=fp32 metadata/x.log >out 2>err
reported "an option and a line" "x.log:1: model: 'resnet50' from the log differs from 'z' from"
{
	echo '<14>template: 1xSUBMISSION_PLATFORM_PLACEHOLDER'
	sed 's/^/ /' log1
	echo ':::MLLOG {"namespace": "", "time_ms": 1592669895198, "event_type": "POINT_IN_TIME", "key": "submission_platform", "value": "1xSUBMISSION_PLATFORM_PLACEHOLDER", "metadata": {"lineno": 34}}'
	echo ':::MLLOG {"namespace": "", "time_ms": 1592947508859, "event_type": "INTERVAL_START", "key": "run_start", "value": null, "metadata": {"lineno": 214}}'
	echo ':::MLLOG {"namespace": "", "time_ms": 1592947518859, "event_type": "INTERVAL_END", "key": "run_stop", "value": null, "metadata": {"lineno": 214, "status": "success"}}'
} >place.log
"$x" -q -o r.json --log-format=mlperf-mllog --metric=time-to-train --nodes=1 \
    --gpus-per-node=1 place.log >out 2>err
verdict "a place holder is no device" test \
    "$(grep -c '"device": null' r.json)" -ge 1 -a "$(grep -c PLACEH r.json)" -eq 0
for line in 'compare with: mpirun -np 64 python train.py' \
    'usage: srun -N 16 --ntasks-per-node=8 python train.py' \
    'mpirun --bind-to none ./bench -n 100'; do
	{
		echo "$line"
		imagenet 130 t=0.4
	} >quoted.log
	cases "no command of this run: $line" "1n1g:1" --nodes=1 \
	    --gpus-per-node=1 --batch-size-per-device=4 quoted.log
	verdict "and no conflict" test "$(grep -c 'is taken' err)" -eq 0
done

# --- Many warnings ---------------------------------------------------------------
mkdir -p many/1n1g
for i in $(seq 1 60); do
	{
		echo "=> creating model 'net$i'"
		imagenet 130 t=0.4 dt=0.00$((i % 9))
	} >many/1n1g/r50_b4_fp32_$i.log
done
"$x" -o r.json many >out 2>err
verdict "warnings are capped" test "$(wc -l <err)" -le 40
reported "and summed up" "more warnings of .* kinds; --verbose prints them"
finish
