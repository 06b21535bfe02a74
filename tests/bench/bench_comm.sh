# Sums over a link of 1 and 2.5 Gbit/s between two network namespaces: back ends
# against the link, an overlapped step against the pipeline bound, fp16 against
# fp32.  Skips, saying why, where namespaces or tc are not permitted.
set -u
bindir=${bindir:-.}
bench=$bindir/tests/bench/bench_comm
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
skip() {
	echo "skipped: $1"
	exit 0
}
for command in ip tc unshare; do
	command -v $command >/dev/null 2>&1 || skip "no $command"
done
MPIRUN=$(sed -n 's/^exec timeout "[^"]*" \([^ ]*\) .*/\1/p' \
    "$bindir/tests/run-mpi")
case $("${MPIRUN:-false}" --version 2>&1) in
*"Open MPI"*) ;;
*) MPIRUN=;;
esac

cat >"$tmp/agent" <<'EOS'
#!/bin/sh
while test "${1#-}" != "$1"; do shift; done
host=$1
shift
exec ip netns exec "node${host##*.}" unshare --uts \
    sh -c "hostname node${host##*.}; $*"
EOS
chmod +x "$tmp/agent"
# Inside: two nodes with a link of so many Mbit/s; Gloo, then MPI.
cat >"$tmp/inside" <<'EOS'
rate=$1 bench=$2 agent=$3 mpirun=$4
mount -t tmpfs none /run || exit 99
for n in 1 2; do
	ip netns add node$n && ip -n node$n link set lo up || exit 99
done
ip -n node1 link add eth0 type veth peer name eth0 netns node2 || exit 99
for n in 1 2; do
	ip -n node$n addr add 10.77.0.$n/24 dev eth0 &&
	    ip -n node$n link set eth0 up || exit 99
	ip netns exec node$n tc qdisc add dev eth0 root tbf \
	    rate "${rate}mbit" burst 256kb latency 50ms || exit 99
done
test -n "$bench" || exit 0
status=0
echo "gloo, $rate Mbit/s"
jobs=
for n in 2 1; do
	RANK=$((n - 1)) WORLD_SIZE=2 MASTER_ADDR=10.77.0.1 \
	    ip netns exec node$n unshare --uts sh -c \
	    "hostname node$n; exec $bench gloo $rate" &
	jobs="$jobs $!"
done
for job in $jobs; do wait "$job" || status=1; done
test -n "$mpirun" || exit $status
echo "mpi, $rate Mbit/s"
ip netns exec node1 unshare --uts sh -c 'hostname node1; exec "$@"' sh \
    "$mpirun" --allow-run-as-root --mca plm_rsh_agent "$agent" \
    --mca plm_rsh_no_tree_spawn 1 --mca pml ob1 --mca btl tcp,self \
    --mca btl_tcp_if_include 10.77.0.0/24 \
    --mca oob_tcp_if_include 10.77.0.0/24 \
    --mca btl_tcp_sndbuf 131072 --mca btl_tcp_rcvbuf 131072 --bind-to none \
    --leave-session-attached --mca orte_keep_fqdn_hostnames 1 \
    -np 2 --host 10.77.0.1:1,10.77.0.2:1 \
    "$bench" mpi "$rate" || status=1
exit $status
EOS
inside() {
	flags=-nmpf
	test "$(id -u)" -eq 0 || flags=-Urnmpf
	timeout 170 unshare $flags --kill-child --mount-proc \
	    sh "$tmp/inside" "$@"
}
inside 1000 "" "" "" >"$tmp/out" 2>&1 ||
    skip "no network namespaces with tc here: $(tail -n 1 "$tmp/out")"
bench=$(cd "$(dirname "$bench")" && pwd)/bench_comm
for rate in ${BENCH_RATES:-1000 2500}; do
	inside $rate "$bench" "$tmp/agent" "$MPIRUN" || exit 1
done
