# Sourced by tests that run on two "nodes": network namespaces with an address
# each and a link between them. Everything is inside namespaces of its own,
# including process ids, and disappears with the caller, however that ends.
#
# make_nodes FOLDER
#	Write the required scripts to a folder.
# LINK_MBIT=1000 on_nodes SECONDS COMMAND...
#	Make the nodes and run COMMAND on the first one, for at most SECONDS.
#	Status 99: not permitted. The nodes are 10.77.0.1 and 10.77.0.2, named
#	node1 and node2. Without LINK_MBIT the speed of the link is not limited.
#	FOLDER/node1.bytes and node2.bytes contain the bytes that each node has
#	sent, FOLDER/agent.calls the hosts that mpirun has called.
# FOLDER/on N COMMAND...
#	On a node: run COMMAND on node N.
# $nodes_mpi
#	Options for Open MPI's mpirun, to be run on a node.

make_nodes() {
	nodes=$1
	cat >"$nodes/on" <<'ON'
#!/bin/sh
n=$1
shift
exec ip netns exec "node$n" unshare --uts \
    sh -c "hostname node$n"'; exec "$@"' sh "$@"
ON
	# In place of ssh: run a shell command on the node with that address.
	cat >"$nodes/agent" <<'AGENT'
#!/bin/sh
while test "${1#-}" != "$1"; do shift; done
host=$1
shift
echo "$host" >>"${0%/*}/agent.calls"
exec "${0%/*}/on" "${host##*.}" sh -c "$*"
AGENT
	cat >"$nodes/make" <<'MAKE'
nodes=${0%/*}
mount -t tmpfs none /run || exit 99
for n in 1 2; do
	ip netns add node$n && ip -n node$n link set lo up || exit 99
done
ip -n node1 link add eth0 type veth peer name eth0 netns node2 || exit 99
for n in 1 2; do
	ip -n node$n addr add 10.77.0.$n/24 dev eth0 &&
	    ip -n node$n link set eth0 up || exit 99
	test -z "${LINK_MBIT:-}" || ip netns exec node$n tc qdisc add dev eth0 \
	    root tbf rate "${LINK_MBIT}mbit" burst 256kb latency 50ms || exit 99
done
"$nodes/on" 1 "$@"
status=$?
for n in 1 2; do
	ip netns exec node$n cat /sys/class/net/eth0/statistics/tx_bytes \
	    >"$nodes/node$n.bytes"
done
exit $status
MAKE
	chmod +x "$nodes/on" "$nodes/agent"
	nodes_mpi="--allow-run-as-root --mca plm_rsh_agent $nodes/agent
	    --mca plm_rsh_no_tree_spawn 1 --mca pml ob1 --mca btl tcp,self
	    --mca btl_tcp_if_include 10.77.0.0/24
	    --mca oob_tcp_if_include 10.77.0.0/24
	    --mca orte_keep_fqdn_hostnames 1"
}

on_nodes() {
	seconds=$1 flags=-nmpf
	shift
	test "$(id -u)" -eq 0 || flags=-Urnmpf
	timeout "$seconds" unshare $flags --kill-child --mount-proc \
	    sh "$nodes/make" "$@"
}

# Print the mpirun that configure found if it is Open MPI's, to which the
# options above belong; else print nothing.
find_open_mpi() {
	find_open_mpi=$(sed -n 's/^exec timeout "[^"]*" \([^ ]*\) .*/\1/p' \
	    "$bindir/tests/run-mpi")
	case $("${find_open_mpi:-false}" --version 2>&1) in
	*"Open MPI"*) echo "$find_open_mpi";;
	esac
}
