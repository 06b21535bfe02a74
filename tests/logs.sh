# Sourced by tests that need training logs: makes logs with known times.
#
# imagenet N [NAME=VALUE]...
#	a log of PyTorch's ImageNet example on stdout: N iterations of each
#	epoch.  Names: base=0 (number of the first), t=0.4 (seconds of an
#	iteration), dt=0 (adds dt * (i % 5) to iteration i), dr=0 (adds dr * r
#	to rank r), ranks=1, epochs=1, every=1, first=0 (iteration), epoch=0.
# tree DIR RUNS CASE...
#	DIR/CASE/r18_b4_fp32_RUN.log for each case such as 1n2g, with times that
#	differ from run to run and grow a little with the GPUs.
# titan TPS GPUS LOCAL GLOBAL
#	a log of torchtitan on stdout: 200 steps of rank 0 on GPUS devices with
#	TPS tokens/s each, batch size LOCAL of a device and GLOBAL of all.
# value NAME
#	print the figure NAME of the only run in r.json, besides throughput.
# near NAME WANT
#	succeeds if that figure is WANT within a relative 1e-9.
imagenet() {
	awk -v n="$1" 'BEGIN {
		base = 0; t = 0.4; dt = 0; dr = 0; ranks = 1; epochs = 1
		every = 1; first = 0; epoch = 0
		for (k = 1; k < ARGC; k++) {
			split(ARGV[k], a, "=")
			v = a[2] + 0
			if (a[1] == "base") base = v
			else if (a[1] == "t") t = v
			else if (a[1] == "dt") dt = v
			else if (a[1] == "dr") dr = v
			else if (a[1] == "ranks") ranks = v
			else if (a[1] == "epochs") epochs = v
			else if (a[1] == "every") every = v
			else if (a[1] == "first") first = v
			else if (a[1] == "epoch") epoch = v
		}
		for (e = epoch; e < epoch + epochs; e++)
			for (i = first; i < n; i += every)
				for (r = 0; r < ranks; r++) {
					x = t + dt * (i % 5) + dr * r
					printf "Epoch: [%d][%4d/%d]\t" \
					    "Time %6.3f (%6.3f)\t" \
					    "Data  0.010 ( 0.011)\t" \
					    "Loss 6.9000e+00 (6.9000e+00)\t" \
					    "Acc@1   0.39 (  0.40)\t" \
					    "Acc@5   1.17 (  1.18)\n",
					    e, i + base, n, x, x
				}
	}' "$@"
}

tree() {
	tree_dir=$1 tree_runs=$2
	shift 2
	for tree_case in "$@"; do
		mkdir -p "$tree_dir/$tree_case"
		tree_run=1
		while test "$tree_run" -le "$tree_runs"; do
			tree_t=$(echo "$tree_case $tree_run" | awk '{
				split($1, a, "n"); g = a[1] * (a[2] + 0)
				printf "%.3f", 0.4 + 0.010 * g + 0.003 * ($2 * 3 % 5)
			}')
			imagenet 130 "t=$tree_t" dt=0.001 \
			    >"$tree_dir/$tree_case/r18_b4_fp32_$tree_run.log"
			tree_run=$((tree_run + 1))
		done
	done
}

titan() {
	awk -v tps="$1" -v gpus="$2" -v each="$3" -v all="$4" 'BEGIN {
		p = "[rank0]:[titan] 2025-06-16 22:20:50,322 - root - INFO - "
		print p "Building 1-D device mesh with [\047dp_shard\047], [" \
		    gpus "]"
		print p "CUDA capacity: NVIDIA H100 80GB HBM3 with 79.10GiB " \
		    "memory"
		print p "Building llama3 8B with TransformerModelArgs(dim=4096)"
		print p "Training starts at step 1, with local batch size " \
		    each ", global batch size " all ", sequence length 8192, " \
		    "total steps 1000 (warmup 200)"
		for (i = 1; i <= 200; i++) {
			t = i * 8192 * each / tps
			printf "[rank0]:[titan] 2025-06-16 %02d:%02d:%02d,%03d " \
			    "- root - INFO - step: %2d  loss:  6.2384  " \
			    "grad_norm:  0.8419  memory: 49.66GiB(52.28%%)  " \
			    "tps: %d  tflops: 380.10  mfu: 38.43%%\n",
			    1 + int(t / 3600), int(t / 60) % 60, int(t) % 60,
			    int(t * 1000) % 1000, i, tps + i % 7
		}
	}'
}

value() { sed -n "/\"name\": \"$1\"/{n;s/.*: \(.*\),/\1/p}" r.json; }
near() {
	value "$1" | awk -v w="$2" '{ d = $1 / w - 1; n++ }
		END { exit !(n == 1 && d < 1e-9 && d > -1e-9) }'
}
