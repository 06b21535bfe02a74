# Check predictions of our own trainer: 1, 2, 3 and 4 ranks, each in its own
# network namespace, over links of 1, 2.5 and 10 Gbit/s. Predictions from 1 and
# 2 ranks, from 2.5 Gbit/s to the other rates, to gradients in fp16 and to a
# message for each tensor are compared with measurements.
#
# All ranks share this machine's cores. Where control groups can be made (by
# root), each rank has the same share of a core in all cases; otherwise a case
# of many ranks computes more slowly than predicted from few. The table states
# which applied and how busy the machine was; use a quiet one.
#
#	tests/bench/predict_trainer.sh [--quick] [FOLDER]
#
# --quick takes a few minutes and only shows that the script works. Runs that
# the folder already contains are not repeated. RATES, RANKS, RUNS, MODEL,
# BATCH, STEPS, BACKEND, SIZE in the environment change what is run. Skipped,
# with the reason, where namespaces or tc are not permitted.
set -u
usage() {
	echo "usage: $0 [--quick] [FOLDER]" >&2
	exit 2
}
quick=
case ${1-} in
--quick)
	quick=yes
	shift
	;;
-*) usage ;;
esac
test $# -le 1 || usage
here=$(cd "$(dirname "$0")" && pwd)
bindir=$(cd "${bindir:-.}" && pwd)
out=${1:-predict-trainer}
if test -n "$quick"; then
	: "${RATES=1000 2500}" "${RANKS=1 2 3}" "${RUNS=1}" "${STEPS=12}" \
	    "${SIZE=64}" "${BATCH=4}"
fi
rates=${RATES:-"1000 2500 10000"} ranks=${RANKS:-"1 2 3 4"} runs=${RUNS:-3}
model=${MODEL:-resnet18} batch=${BATCH:-8} steps=${STEPS:-30}
backend=${BACKEND:-gloo} size=${SIZE:-112} base=2500
skip() {
	echo "skipped: $1"
	exit 0
}
for command in ip tc unshare python3 timeout; do
	command -v $command >/dev/null 2>&1 || skip "no $command"
done
for program in train_imagenet extract_logs predict_scaling; do
	test -x "$bindir/$program" || {
		echo "$0: no $bindir/$program; make it, or set bindir" >&2
		exit 3
	}
done
mkdir -p "$out/logs" && out=$(cd "$out" && pwd) || exit 3
tmp=$(mktemp -d) || exit 3
group=/sys/fs/cgroup/cpu
test -d $group || group=/sys/fs/cgroup
group=$group/dlscale-predict-$$
most=$(for n in $ranks; do echo "$n"; done | sort -n | tail -n 1)
cleanup() {
	rmdir "$group"/rank* "$group" 2>/dev/null
	rm -rf "$tmp"
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

# Make a group for each rank, with the same share of a core in all cases: that
# of the largest case. Periods are short, so that a rank is not kept from its
# network for long.
make_groups() {
	period=10000
	quota=$((period * $(nproc) / most))
	test $quota -le $period || quota=$period
	mkdir "$group" 2>/dev/null || return 1
	if test -e "${group%/*}/cgroup.subtree_control"; then
		echo +cpu >"${group%/*}/cgroup.subtree_control" &&
		    echo +cpu >"$group/cgroup.subtree_control" || return 1
	fi 2>/dev/null
	i=1
	while test $i -le "$most"; do
		mkdir "$group/rank$i" && if test -e "$group/rank$i/cpu.max"; then
			echo "$quota $period" >"$group/rank$i/cpu.max"
		else
			echo $period >"$group/rank$i/cpu.cfs_period_us" &&
			    echo $quota >"$group/rank$i/cpu.cfs_quota_us"
		fi || return 1
		i=$((i + 1))
	done 2>/dev/null
	share=$((100 * quota / period))
}
share=
make_groups || {
	rmdir "$group"/rank* "$group" 2>/dev/null
	group=/nowhere
	echo "no control groups here: ranks share the cores as they can" >&2
}

# Make a node per rank and a switch between them. Links are shaped on the nodes'
# side, as in a cloud.
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
# Run one rank per node; the output of the first is the log.
cat >"$tmp/ranks" <<'RANKS'
n_nodes=$1 log=$2
shift 2
jobs='' i=$n_nodes group=$GROUP
while test $i -ge 1; do
	file=/dev/null
	test $i -gt 1 || file=$log
	# "ip netns exec" hides the control groups: enter them before it.
	{
		test ! -d $group || echo 0 >$group/rank$i/cgroup.procs || exit 99
		RANK=$((i - 1)) WORLD_SIZE=$n_nodes LOCAL_RANK=0 \
		    LOCAL_WORLD_SIZE=1 MASTER_ADDR=10.77.0.1 \
		    MASTER_PORT=29500 exec ip netns exec node$i \
		    unshare --uts sh -c 'hostname $1; shift; exec "$@"' \
		    sh node$i "$@"
	} >"$file" 2>&1 &
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
GROUP=$group
export GROUP
inside 20 2 1000 "$tmp/try" cat /proc/self/cgroup >"$tmp/err" 2>&1 ||
    skip "no network namespaces with tc here: $(tail -n 1 "$tmp/err")"
if test -n "$share" && ! grep -q "${group##*/}/rank1\$" "$tmp/try"; then
	echo "$0: a rank did not enter its control group" >&2
	exit 3
fi

# Run all counts of a rate, with options of the trainer, and extract them.
run_rate() { # name mbit counts option...
	name=$1 rate=$2 counts=$3
	shift 3
	for n in $counts; do
		folder=$out/logs/$name/${n}n1g
		mkdir -p "$folder" || exit 3
		r=1
		while test $r -le "$runs"; do
			log=$folder/${model}_b${batch}_fp32_$r.log
			r=$((r + 1))
			test ! -s "$log" || continue
			echo "$name: $n ranks, run $((r - 1)) of $runs" >&2
			back=$backend
			test "$n" -gt 1 || back=auto
			inside 900 "$n" "$rate" "$tmp/log" \
			    "$bindir/train_imagenet" --dummy -a "$model" \
			    -b "$batch" --threads=1 --workers=1 --epochs=1 \
			    --batches-per-epoch="$steps" --val-batches=0 \
			    --image-size="$size" \
			    --backend="$back" --phases=async --comm-trace=5 \
			    --seed=1 "$@" || {
				tail -n 3 "$tmp/log" >&2
				echo "$0: $name: $n ranks failed" >&2
				exit 1
			}
			mv "$tmp/log" "$log"
		done
	done
	"$bindir/extract_logs" --name="$name" --output-dir="$out" \
	    --warmup-batches=2 --skip-iterations=2 \
	    --train-batches=$((steps - 4)) "$out/logs/$name" >"$tmp/table" \
	    2>"$tmp/err" || {
		cat "$tmp/err" >&2
		exit 1
	}
}

loads=$(cut -d ' ' -f 1 /proc/loadavg)
for rate in $rates; do
	run_rate "$rate" "$rate" "$ranks"
done
more=$(for n in $ranks; do test "$n" -le 1 || echo "$n"; done)
case " $rates " in
*" $base "*)
	run_rate $base-fp16 $base "$more" --compression=fp16
	run_rate $base-tensor $base "$more" --fusion=tensor
	;;
esac
loads="$loads before, $(cut -d ' ' -f 1 /proc/loadavg) after"
echo "$model, $batch images of $size x $size a rank, $steps steps, $runs" \
    "run(s) a case, $backend; $(nproc) cores, load $loads;" \
    "$(test -n "$share" && echo "each rank has $share % of a core" ||
	echo "ranks share the cores")"
echo
python3 "$here/predict_trainer.py" "$bindir/predict_scaling" "$out" $rates
