# One file per rank: missing ranks are reported.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/logs.sh"
x=$(cd "$bindir" && pwd)/extract_logs
cd "$tmp" || exit 1
ranks() { # ranks: a folder of their files
	rm -rf r
	mkdir r
	for i in "$@"; do
		imagenet 131 t=0.5 >"r/03-10-13-resnet50-e20-b20-fusion0_rank_$i"
	done
}
run() {
	"$x" -o r.json --batch-size-per-device=8 "$@" r >out 2>err
	tr -d '\n' <r.json | tr -s ' ' >flat
}
ranks 0 2 3
run
verdict "a gap among the ranks is reported, even where nothing can be reckoned" \
    grep -q 'warning: .*3 files of ranks, but rank 1 is missing' err
run --metric=step-time
verdict "a gap among the ranks is reported" \
    grep -q 'warning: .*3 files of ranks, but rank 1 is missing' err
verdict "and stored" grep -q '"flags": \[[^]]*"3 files of ranks, but rank 1 is missing"' flat
ranks 2 3
run --metric=step-time
verdict "the first ones can be missing too" \
    grep -q '2 files of ranks, but rank 0 is missing' err
ranks 0 1 2
run --metric=step-time
verdict "no one states how many there are" grep -q \
    '3 files of ranks; the log does not state whether these are all' flat
run --nodes=1 --gpus-per-node=3
verdict "nothing is reported where all are there" test "$(grep -c 'of ranks' err)" -eq 0
ranks 1 2 3
run --nodes=1 --gpus-per-node=3
verdict "ranks may count from 1" test "$(grep -c 'of ranks' err)" -eq 0

### The ways of naming such files
# joined NAME FILE...: check that the files are one run.
joined() {
	rm -rf r
	name=$1
	shift
	for i in "$@"; do
		mkdir -p "r/$(dirname "$i")"
		imagenet 131 t=0.5 >"r/$i"
	done
	run --nodes=1 --gpus-per-node=2
	verdict "$name" grep -q "joined from $# files" out
}
joined "rank in a name" train_rank0.log train_rank1.log
joined "rank after a run's number" 1n2g/r18_b8_fp32_1_rank_0.log \
    1n2g/r18_b8_fp32_1_rank_1.log
verdict "whose metadata is read" grep -q 'r18 fp32' out
joined "rank in a folder" rank_0/train.log rank_1/train.log
joined "torchrun's folders" none_x/attempt_0/0/stdout.log \
    none_x/attempt_0/1/stdout.log
rm -rf r && mkdir r
imagenet 131 t=0.5 >r/lora_rank_0.log
imagenet 131 t=0.6 >r/lora_rank_1.log
run --nodes=1 --gpus-per-node=2
verdict "the rank of a LoRA is none" grep -q '1n2g  *2 ' out
### If the number of GPUs is not stated, the ranks that print are counted
tagged() { # TAG...: 150 steps of each, as mpirun tags them
	rm -rf r && mkdir r
	imagenet 150 t=0.5 | awk -v tags="$*" 'BEGIN { n = split(tags, tag) }
		/^Epoch/ { for (i = 1; i <= n; i++) print tag[i] $0 }' >r/a.log
}
tagged '[1,0]<stdout>:' '[1,1]<stdout>:' '[1,2]<stdout>:'
run
verdict "ranks of one log" grep -q '"gpus": 3,' flat
verdict "are reported" grep -q \
    'number of GPUs not stated: counted from the 3 ranks that print' flat
verdict "as the source" grep -q '"gpus": "ranks seen"' flat
verdict "and make its speed" grep -q '"median_speed": 48,' flat
run --gpus=6
verdict "an option goes before" grep -q '"gpus": 6,' flat
awk '!(/^.1,2/ && NR % 2)' r/a.log >b.log && mv b.log r/a.log
run --gpus=3
verdict "one of them prints half as often: they are ranks all the same" \
    grep -q 'a: ranks printed unequal numbers of iterations' out
tagged '[1,0]<stdout>:' '[1,2]<stdout>:'
run --metric=step-time
verdict "those with a gap are none" grep -q '"gpus": null' flat
tagged '[1,0]<stdout>:'
run --metric=step-time
verdict "nor is one alone" grep -q '"gpus": null' flat
tagged 'node-a: ' 'node-b: '
run --metric=step-time
verdict "nor are hosts" eval '! grep -q "\"gpus\": 2" flat'
ranks 0 1 2
run
verdict "files of ranks are counted too" grep -q '"gpus": 3,' flat
finish
