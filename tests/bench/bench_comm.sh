# Allreduces over a link of 1 and 2.5 Gbit/s between two network namespaces:
# back ends against the link, an overlapped step against the pipeline bound,
# fp16 against fp32. Skipped if namespaces or tc are not permitted.
set -u
bindir=${bindir:-.}
bench=$bindir/tests/bench/bench_comm
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
. "$(dirname "$0")/../namespaces.sh"
skip() {
	echo "skipped: $1"
	exit 0
}
for command in ip tc unshare; do
	command -v $command >/dev/null 2>&1 || skip "no $command"
done
make_nodes "$tmp"
LINK_MBIT=1000 on_nodes 20 true >"$tmp/out" 2>&1 ||
    skip "no network namespaces with tc here: $(tail -n 1 "$tmp/out")"

# On the first node: Gloo, then MPI.
cat >"$tmp/race" <<'EOS'
nodes=${0%/*} bench=$1
shift
status=0
echo "gloo, $LINK_MBIT Mbit/s"
jobs=
for n in 2 1; do
	RANK=$((n - 1)) WORLD_SIZE=2 MASTER_ADDR=10.77.0.1 \
	    "$nodes/on" $n "$bench" gloo "$LINK_MBIT" &
	jobs="$jobs $!"
done
for job in $jobs; do wait "$job" || status=1; done
test $# -gt 0 || exit $status
echo "mpi, $LINK_MBIT Mbit/s"
"$@" "$bench" mpi "$LINK_MBIT" || status=1
exit $status
EOS
mpirun=$(find_open_mpi)
# Without --leave-session-attached the daemon of the second node has its own
# session, and thus another share of the processors.
if test -n "$mpirun"; then
	mpirun="$mpirun $nodes_mpi 
	    --bind-to none --leave-session-attached
	    -np 2 --host 10.77.0.1:1,10.77.0.2:1"
fi
bench=$(cd "$(dirname "$bench")" && pwd)/bench_comm
for rate in ${BENCH_RATES:-1000 2500}; do
	LINK_MBIT=$rate on_nodes 170 sh "$tmp/race" "$bench" $mpirun || exit 1
done
