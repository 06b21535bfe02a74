# Two "nodes", which are network namespaces with one address each, and
# run_two_nodes.sh over a hostfile: the bytes sent between them are counted;
# run_experiment over the hostfile, from its runs to its table.
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/namespaces.sh"
skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}
if ! built_with MPI; then
	skip_all "built without MPI"
fi
MPIRUN=$(find_open_mpi)
test -n "$MPIRUN" || skip_all "the launch agent is for Open MPI"
for command in ip unshare pgrep; do
	command -v $command >/dev/null 2>&1 || skip_all "no $command"
done
make_nodes "$tmp"
inside() { on_nodes 300 "$@"; }
cd "$tmp" || exit 1
inside true >out 2>&1 ||
    skip_all "no network namespaces here: $(tail -n 1 out)"

# --- The run -----------------------------------------------------------------
cat >hosts <<'EOF'
10.77.0.1 slots=1
10.77.0.2 slots=1
EOF
RUN_SWEEP=$bindir/run_sweep TRAIN_IMAGENET=$bindir/train_imagenet
MPIRUN_FLAGS=$(echo $nodes_mpi)
ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}
export RUN_SWEEP TRAIN_IMAGENET MPIRUN MPIRUN_FLAGS ASAN_OPTIONS
verdict "run_two_nodes.sh over a hostfile" inside \
    "$top_srcdir/trainer/launch/run_two_nodes.sh" -H hosts -g 1 -n net \
    resnet18 2 -- --device=$fast_device --threads=1 --workers=1 --image-size=32 \
    --classes=10 --epochs=1 --batches-per-epoch=3 --val-batches=0
log=logs/net/2n1g/resnet18_b2_fp32_1.log
has() { grep -q -- "$1" "$2"; }
verdict "the second node was asked for" has '^10.77.0.2$' agent.calls
verdict "two nodes with one process each" \
    has ' devices=2 nodes=2 .* backend=mpi ' "$log"
verdict "a line a step and node" test "$(grep -c '^Epoch: ' "$log")" -eq 6
verdict "the nodes have the same weights" test \
    "$(sed -n 's/.*weights rank=[01] xxh3=\([^ ]*\).*/\1/p' "$log" | sort -u |
	wc -l)" -eq 1
# 11,181,642 weights of 4 bytes: each of two nodes sends half of their sum and
# half of the result, so at least that much a step; 3 steps.
for node in 1 2; do
	verdict "node $node sent the gradients of three steps" \
	    test "$(cat node$node.bytes)" -gt $((3 * 4 * 11181642))
done
verdict "and not twice as much" \
    test "$(cat node2.bytes)" -lt $((2 * 3 * 4 * 11181642))

# --- An experiment, from its runs to its table ----------------------------------
# On CPU cores the ranks use Gloo and meet on the first host of the file.
if built_with GLOO && built_with DNNL; then
	experiment() {
		inside "$bindir/run_experiment" --quick --set hostfile=hosts \
		    --device=cpu --set hosts-link=10G --set runs=2 \
		    --set 'topology 1n1g 2n1g' \
		    --set "launcher-options $MPIRUN_FLAGS" scaling
	}
	verdict "run_experiment over a hostfile" experiment
	verdict "two runs on a host, two on two" test \
	    "$(find logs/scaling-quick -name '*.log' | wc -l)" -eq 4
	verdict "ranks on two hosts use Gloo" has \
	    ' devices=2 nodes=2 .* backend=gloo ' \
	    logs/scaling-quick/scaling/2n1g/resnet18_b2_fp32_2.log
	verdict "its table has both layouts" sh -c \
	    'grep -q "^| *1 " "$1" && grep -q "^| *2 " "$1"' sh \
	    result/scaling-quick.md
	experiment >out 2>&1
	verdict "again: nothing is run" grep -q ' 0 made in .*, 4 were there' out
else
	skip "run_experiment over a hostfile" "built without Gloo or oneDNN"
fi

# --- A link that goes down in the middle of a step ---------------------------
# The ranks of both nodes must end by themselves, as nothing reaches them.
cat >cut <<'EOF'
# Run "$@" on both nodes, take the link down after some steps, and print after
# how many seconds no rank was left.
"$@" >cut.log 2>cut.err &
i=0
while test $((i += 1)) -le 200; do
	sleep 0.2
	if test "$(grep -c '^Epoch' cut.log)" -ge 6; then break; fi
done
ip link set eth0 down || exit 99
start=$(date +%s)
i=0
while test $((i += 1)) -le 60; do
	sleep 0.5
	if ! pgrep -x train_imagenet >/dev/null; then break; fi
done
echo $(($(date +%s) - start)) >cut.seconds
EOF
cat >rank <<'EOF'
#!/bin/sh
# A rank whose words and status outlive the link.
"$@" 2>"rank$OMPI_COMM_WORLD_RANK.err"
status=$?
echo $status >"rank$OMPI_COMM_WORLD_RANK.status"
exit $status
EOF
chmod +x rank
few="--dummy -a resnet18 -b 2 --device=$fast_device --threads=1 --image-size=32
    --classes=10 --backend=mpi"
inside sh cut "$MPIRUN" $MPIRUN_FLAGS -np 2 \
    --host 10.77.0.1:1,10.77.0.2:1 "$tmp/rank" "$TRAIN_IMAGENET" $few \
    --epochs=1 --val-batches=0 --checkpoint="$tmp/state" \
    --checkpoint-every=2 --comm-timeout=5 >out 2>&1
verdict "steps were made before the link went down" \
    test "$(grep -c '^Epoch' cut.log)" -ge 6
verdict "no rank is left after --comm-timeout and some seconds" \
    test "$(cat cut.seconds)" -le 60
for rank in 0 1; do
	peer=$((1 - rank))
	verdict "rank $rank states what it waited for and whom it last heard" \
	    grep -q "^train_imagenet: rank $rank: [a-z]* .*has not ended \
within 5 s; last heard from rank $peer (node$((peer + 1)), process [0-9]*) \
[0-9.]* s ago" "rank$rank.err"
	verdict "rank $rank's status" test "$(cat rank$rank.status)" -eq 3
done
verdict "the checkpoint is whole" "$TRAIN_IMAGENET" $few --resume=state -e \
    --val-batches=1
finish
