# One file a rank: are they all there?
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
verdict "a gap among the ranks is said, even where nothing can be reckoned" \
    grep -q 'warning: .*3 files of ranks, but none of rank 1' err
run --metric=step-time
verdict "a gap among the ranks is said" \
    grep -q 'warning: .*3 files of ranks, but none of rank 1' err
verdict "and stored" grep -q '"flags": \[[^]]*"3 files of ranks, but none of rank 1"' flat
ranks 2 3
run --metric=step-time
verdict "the first ones can be missing too" \
    grep -q '2 files of ranks, but none of rank 0' err
ranks 0 1 2
run --metric=step-time
verdict "nobody says how many there are" grep -q \
    '3 files of ranks; nobody says whether these are all' flat
run --nodes=1 --gpus-per-node=3
verdict "nothing is said where all are there" test "$(grep -c 'of ranks' err)" -eq 0
ranks 1 2 3
run --nodes=1 --gpus-per-node=3
verdict "ranks may count from 1" test "$(grep -c 'of ranks' err)" -eq 0
finish
