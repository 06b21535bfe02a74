# The program that wrote a log: for every file of the corpus, alone, and with
# source code in front and other programs' lines between and after.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
x=$bindir/extract_logs
cd "$tmp" || exit 1
corpus=${DLSCALE_CORPUS:-$top_srcdir/../shared/corpus}
# choices PATH: print each file below PATH that has a choice, and the choice
choices() {
	"$x" -v -j1 --no-hash -o choices.json --nodes=1 --gpus-per-node=1 \
	    "$1" 2>&1 >/dev/null |
	    sed -n 's|^extract_logs: \(.*\): \([^ ,]*\)\( (runner-up.*)\)*, [0-9]* samples, .*|\1 \2|p'
}
# format_of FILE: print the detected format, or "none"
format_of() { choices "$1" | sed '1!d;s/.* //' | grep . || echo none; }
# as_stated LIST FOLDER: each line of LIST is a format and a name. Print the
# files in FOLDER/1, FOLDER/2, ... whose detected format differs. Each file is
# in its own folder, so that none is read with another. One run of the program
# reads all of them; one in 25 is read alone as well.
as_stated() {
	choices "$2" >chosen
	awk '{
		if (FILENAME == "chosen") {
			chosen[$1 + 0] = $NF # FOLDER/FILE
			next
		}
		found = FNR in chosen ? chosen[FNR] : "none"
		if (found != $1)
			print $2 ": " found ", not " $1
	}' chosen "$1"
	i=0
	while read -r want name; do
		i=$((i + 1))
		test $((i % 25)) -eq 1 || continue
		found=$(format_of "$2/$i"/*)
		test "$found" = "$want" || echo "$name, alone: $found, not $want"
	done <"$1"
}
if ! test -f "$corpus/SOURCES.tsv"; then
	echo "1..0 # SKIP no corpus of logs"
	exit 0
fi
# The format of a file, by SOURCES.tsv, or none if it is not a log.
truth() {
	case $1 in
	*.para | *.md | */summary.txt | */stdout | *summary.csv | \
	    */sys_pytorch.txt | */pytorch-train-*.csv) echo none;;
	*/tf-train-*.csv | */PyTorch_transformerxl*) echo none;;
	all-reduce-bench/*) echo all-reduce-bench;;
	deepspeed-chat/step3*) echo deepspeed-chat;;
	deepspeed-chat/*) echo deepspeed;;
	detectron2-metrics-json/*) echo detectron2-json;;
	excerpts/composer*) echo composer-tokens;;
	excerpts/fairseq-json*) echo fairseq-json;;
	excerpts/fairseq-tqdm*) echo fairseq-tqdm;;
	excerpts/fairseq-v05*) echo fairseq-old;;
	excerpts/mindformers*) echo mindformers-rate;;
	excerpts/mindspore-yolo*) echo mindspore-models;;
	excerpts/mllog-tracked*) echo mlperf-throughput;;
	excerpts/mllog*) echo mlperf-mllog;;
	excerpts/mmcv-log.json) echo mmcv-json;;
	excerpts/mmdet*) echo mmcv;;
	excerpts/mmengine-scalars.json) echo mmengine-json;;
	excerpts/openrec*) echo paddleocr;;
	excerpts/osu-allreduce*) echo osu-latency;;
	excerpts/torchvision*) echo torchvision-references;;
	excerpts/yolov5*) echo ultralytics;;
	excerpts/*)
		name=${1#excerpts/}
		for f in "$top_srcdir"/extract/formats/*.format; do
			f=${f##*/} f=${f%.format}
			case $name in
			"$f"[-.]*) best=$f;;
			esac
		done
		echo "$best";;
	fairseq-nvidia/*) echo fairseq-nvidia;;
	hf-trainer/*) echo hf-trainer;;
	horovod-timeline/*) echo horovod-timeline;;
	lightning-csv/*) echo lightning-csv;;
	maskrcnn-benchmark/*) echo maskrcnn-benchmark;;
	megatron-lm/*) echo megatron;;
	mlperf-mllog/nvidia-hugectr*) echo hugectr;;
	mlperf-mllog/*) echo mlperf-mllog;;
	mlperf-ssd-pytorch/*) echo mlperf-ssd;;
	mmseg-text/*) echo mmcv;;
	modded-nanogpt/*_AdamW--* | modded-nanogpt/*_llmc--*) echo llmc;;
	modded-nanogpt/*) echo modded-nanogpt;;
	mxnet-speedometer/*) echo mxnet-speedometer;;
	nccl-tests/*) echo nccl-tests;;
	nvidia-bert-dict/*) echo nvidia-bert-dict;;
	nvidia-dle-mxnet/*) echo dllogger-resnet50-mxnet;;
	nvidia-dle-pytorch/*/PyTorch_ncf*) echo dllogger-ncf;;
	nvidia-dle-pytorch/*/PyTorch_resnet50*) echo dllogger-resnet50-pytorch;;
	nvidia-dle-pytorch/*squad*) echo dllogger-squad-pytorch;;
	nvidia-dle-pytorch/*/PyTorch_SSD*) echo dllogger-ssd-pytorch;;
	nvidia-dle-pytorch/*tacotron2* | nvidia-dle-pytorch/*waveglow*)
		echo dllogger-tacotron2;;
	nvidia-dle-pytorch/*gnmt*) echo gnmt-pytorch;;
	nvidia-dle-pytorch/perf-resnet50/*) echo dllogger-resnet50-pytorch;;
	nvidia-dle-tensorflow/*) echo dllogger-resnet50-tensorflow;;
	nvidia-dlrm-pytorch/*) echo dlrm-nvidia;;
	paddleclas/*) echo paddleclas;;
	paddlenlp/perf-bert/*) echo paddlenlp-bert;;
	paddlenlp/*) echo paddlenlp-transformer;;
	pytorch-cpu/*) echo pytorch-imagenet;;
	tf-official-timehistory/resnet_imagenet_1gpu.log)
		echo tf-benchmarkmetric;;
	tf-official-timehistory/*) echo tf-timehistory;;
	tf_cnn_benchmarks/*) echo tf-cnn-benchmarks;;
	time/*) echo wall-clock;;
	*) echo unknown;;
	esac
}
sed 1d "$corpus/SOURCES.tsv" | cut -f1 >files
i=0
while read -r f; do
	i=$((i + 1))
	mkdir -p "files.d/$i" && ln -s "$corpus/$f" "files.d/$i"
	echo "$(truth "$f") $f"
done <files >stated
as_stated stated files.d >wrong
verdict "each of $(wc -l <files) files is of the program that wrote it" \
    eval 'cat wrong; test $(wc -l <files) -gt 600 && ! test -s wrong'

# 600 kB of source code with lines that look like those of logs; the first piece
# has some that are.
for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
	cat "$top_srcdir"/tests/e2e/*.py "$top_srcdir/extract/scan/detect/detect.c"
done | head -c 600000 >code.py
{
	printf '| %d | 8 | 16 | 24.5 | 101.5 |\n' 1 2 3 4 5 6 7 8
	cat code.py
} >source.py
i=0
for f in "$corpus"/excerpts/*.log; do
	case $f in
	*/hf-trainer-alpaca.log) continue;; # prints no times
	esac
	i=$((i + 1))
	mkdir -p "mixed.d/$i"
	{
		cat source.py
		for _ in 1 2 3 4 5 6 7 8 9 10; do
			cat "$f" "$f" "$f"
		done
		echo "[1,0]<stderr>: NCCL INFO Launch mode Parallel"
		printf '\nreal\t0m0.455s\nuser\t0m0.135s\nsys\t0m0.038s\n'
	} >"mixed.d/$i/mixed.log"
	echo "$(truth "excerpts/${f##*/}") ${f##*/}"
done >stated
as_stated stated mixed.d >wrong
verdict "source in front, other programs' lines after" \
    eval 'cat wrong; test -s stated && ! test -s wrong'
yes 'print(f"iter {i}: loss {loss}, time {dt:.2f}ms")' | head -n 30000 >only.log
verdict "source alone is no log" test "$(format_of only.log)" = none
cat "$corpus/pytorch-cpu/1n1g/resnet18_b4_fp32_1.log" \
    "$corpus/time/gnu-time-verbose.log" >timed.log
verdict "a run that was timed is of its program" \
    test "$(format_of timed.log)" = pytorch-imagenet
finish
