# Predictions of our own trainer, checked: 1, 2, 3 and 4 ranks, each a network
# namespace of its own, behind links of 1, 2.5 and 10 Gbit/s.  Predicted from 1
# and 2 ranks, and from 2.5 Gbit/s to the other rates, then compared with what
# was measured.  Quiet machines only: all ranks share its cores, so a case of
# four ranks computes more slowly than one rank, and the column "compute" says
# by how much.
#
#	tests/bench/predict_trainer.sh [FOLDER]
#
# RATES, RANKS, RUNS, MODEL, BATCH, STEPS, BACKEND, SIZE in the environment change
# what is run.  Skips, saying why, where namespaces or tc are not permitted.
set -u
bindir=$(cd "${bindir:-.}" && pwd)
out=${1:-predict-trainer}
rates=${RATES:-"1000 2500 10000"} ranks=${RANKS:-"1 2 3 4"} runs=${RUNS:-3}
model=${MODEL:-resnet18} batch=${BATCH:-8} steps=${STEPS:-40}
backend=${BACKEND:-gloo} size=${SIZE:-224}
skip() {
	echo "skipped: $1"
	exit 0
}
for command in ip tc unshare python3; do
	command -v $command >/dev/null 2>&1 || skip "no $command"
done
mkdir -p "$out/logs" && out=$(cd "$out" && pwd) || exit 3
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT

# As many nodes as ranks, a switch between them; the links are shaped on the
# nodes' side, as a cloud does it.
cat >"$tmp/make" <<'MAKE'
tmp=${0%/*} n_nodes=$1 mbit=$2
shift 2
mount -t tmpfs none /run || exit 99
ip netns add switch && ip -n switch link add br0 type bridge &&
    ip -n switch link set br0 up || exit 99
i=1
while test $i -le "$n_nodes"; do
	ip netns add node$i && ip -n node$i link set lo up &&
	    ip -n node$i link add eth0 type veth peer name p$i \
	    netns switch &&
	    ip -n node$i addr add 10.77.0.$i/24 dev eth0 &&
	    ip -n node$i link set eth0 up &&
	    ip -n switch link set p$i master br0 &&
	    ip -n switch link set p$i up || exit 99
	ip netns exec node$i tc qdisc add dev eth0 root tbf \
	    rate "${mbit}mbit" burst 256kb latency 50ms || exit 99
	i=$((i + 1))
done
exec sh "$tmp/ranks" "$n_nodes" "$@"
MAKE
# One rank a node; the first one's output is the log.
cat >"$tmp/ranks" <<'RANKS'
n_nodes=$1 log=$2
shift 2
jobs='' i=$n_nodes
while test $i -ge 1; do
	file=/dev/null
	test $i -gt 1 || file=$log
	RANK=$((i - 1)) WORLD_SIZE=$n_nodes LOCAL_RANK=0 LOCAL_WORLD_SIZE=1 \
	    MASTER_ADDR=10.77.0.1 MASTER_PORT=29500 \
	    ip netns exec node$i unshare --uts sh -c \
	    "hostname node$i; exec \"\$@\"" sh "$@" >"$file" 2>&1 &
	jobs="$jobs $!"
	i=$((i - 1))
done
status=0
for job in $jobs; do wait "$job" || status=1; done
exit $status
RANKS
inside() { # seconds ranks mbit log command...
	seconds=$1 flags=-nmpf
	shift
	test "$(id -u)" -eq 0 || flags=-Urnmpf
	timeout "$seconds" unshare $flags --kill-child --mount-proc \
	    sh "$tmp/make" "$@"
}
inside 20 2 1000 "$tmp/try" true >"$tmp/err" 2>&1 ||
    skip "no network namespaces with tc here: $(tail -n 1 "$tmp/err")"

for rate in $rates; do
	for n in $ranks; do
		folder=$out/logs/$rate/${n}n1g
		mkdir -p "$folder"
		r=1
		while test $r -le "$runs"; do
			log=$folder/${model}_b${batch}_fp32_$r.log
			r=$((r + 1))
			test ! -s "$log" || continue
			echo "$rate Mbit/s, $n ranks" >&2
			back=$backend
			test "$n" -gt 1 || back=auto
			inside 900 "$n" "$rate" "$tmp/log" \
			    "$bindir/train_imagenet" --dummy -a "$model" \
			    -b "$batch" --threads=1 --workers=1 --epochs=1 \
			    --batches-per-epoch="$steps" --val-batches=0 \
			    --image-size="$size" \
			    --backend="$back" --phases=async --comm-trace=5 \
			    --seed=1 || {
				tail -n 3 "$tmp/log" >&2
				exit 1
			}
			mv "$tmp/log" "$log"
		done
	done
	"$bindir/extract_logs" --name="$rate" --output-dir="$out" \
	    --warmup-batches=5 --skip-iterations=5 \
	    --train-batches=$((steps - 5)) "$out/logs/$rate" >/dev/null || exit
done
exec python3 "$(dirname "$0")/predict_trainer.py" "$bindir/predict_scaling" \
    "$out" $rates
