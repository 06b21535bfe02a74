# run_on_nodes: emulated nodes, their links, failing ranks, and cleanup however
# it ends.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"

nodes=$bindir/run_on_nodes
# The first process of a PID namespace cannot run LeakSanitizer.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS
refuse "no command" 2 "run_on_nodes: missing operand: name the command*" \
    "$nodes" --nodes=2
refuse "a rate that is none" 2 "run_on_nodes: 'fast' is not a rate*" \
    "$nodes" --link=fast -- true
refuse "a rate of 0" 2 "run_on_nodes: '0G' is not a rate*" \
    "$nodes" --link=0G -- true
refuse "a size that is none" 2 "run_on_nodes: '64' is not a size*" \
    "$nodes" --burst=64 -- true
refuse "a delay that is none" 2 "run_on_nodes: '5' is not a delay*" \
    "$nodes" --delay=5 -- true
refuse "more ranks than there may be" 2 "run_on_nodes: more than 4096 ranks" \
    "$nodes" --nodes=200 --devices=21 -- true

"$nodes" -- true >"$tmp/out" 2>"$tmp/err"
status=$?
if test $status -ne 0; then
	verdict "where nodes are not permitted, the status is 3" \
	    test $status -eq 3
	verdict "and what is needed is reported" grep -e 'needs root' \
	    -e 'iproute2' -e "failed: " -e "cannot mount" "$tmp/err"
	skip "nodes" "$(tail -n 1 "$tmp/err")"
	finish
	exit
fi

# --- What a rank finds ---------------------------------------------------------
cat >"$tmp/look" <<'EOS'
echo "rank $RANK of $WORLD_SIZE, $LOCAL_RANK of $LOCAL_WORLD_SIZE, $(hostname)," \
    "$(ip -o -4 addr show eth0 | sed 's/.*inet \([^ ]*\).*/\1/')," \
    "$MASTER_ADDR:$MASTER_PORT"
EOS
"$nodes" -N 3 -g 2 -- sh "$tmp/look" >"$tmp/out" 2>"$tmp/err"
verdict "the first line states what the nodes are" test "$(head -n 1 "$tmp/out")" \
    = "dlscale: nodes emulated=3 devices_per_node=2 link_mbit_per_s=0 \
burst_bytes=262144 delay_ms=0 core_share=none"
for rank in 0 1 2 3 4 5; do
	node=$((rank / 2 + 1))
	verdict "rank $rank is on node$node" grep -qx "rank $rank of 6, \
$((rank % 2)) of 2, node$node, 10.77.0.$node/24, 10.77.0.1:29500" "$tmp/out"
done
# In the shell of a Slurm job of one task.
if built_with GLOO; then
	verdict "ranks of nodes know each other in a job of Slurm's" sh -c '
	    SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1 "$1" -N 2 -- "$2" --dummy \
		--device=reference --threads=1 --image-size=32 --classes=10 \
		-b 2 --batches-per-epoch=1 --val-batches=0 --epochs=1 |
		grep " devices=2 "' sh "$nodes" "$bindir/train_imagenet"
else
	skip "ranks of nodes in a job of Slurm's" "no Gloo"
fi
verdict "the ranks of a run share a secret of its own" sh -c '
	run() { "$1" -N 2 -- sh -c "echo token=\$DLSCALE_JOB_TOKEN" |
	    sed -n "s/^token=//p" | sort -u; }
	a=$(run "$1") b=$(run "$1")
	test ${#a} -eq 32 && test ${#b} -eq 32 && test "$a" != "$b" &&
	test "$(DLSCALE_JOB_TOKEN=mine run "$1")" = mine' sh "$nodes"
verdict "the machine's own network has no such node" sh -c \
    '! ip netns list 2>/dev/null | grep node'
refuse "a command that is not there" 3 \
    "run_on_nodes: rank *: cannot run 'no_such': No such file*" \
    "$nodes" -- no_such

# --- Links ---------------------------------------------------------------------
# node1 sends N bytes to node2, which prints the seconds until all have arrived.
cat >"$tmp/send.py" <<'EOS'
import os, socket, sys, time
n = int(sys.argv[1])
if os.environ["RANK"] == "1":
    with socket.create_server(("10.77.0.2", 4711)) as s:
        c, _ = s.accept()
        start, got = time.monotonic(), 0
        while got < n:
            got += len(c.recv(1 << 20))
        print("seconds", time.monotonic() - start, flush=True)
else:
    for i in range(100):
        try:
            c = socket.create_connection(("10.77.0.2", 4711), 5)
            break
        except OSError:
            time.sleep(0.05)
    c.sendall(bytes(n))
    c.shutdown(socket.SHUT_WR)
    c.recv(1)
EOS
if command -v python3 >/dev/null 2>&1; then
	# 25 MB at 100 Mbit/s take 2 s, less the burst that the bucket allows.
	seconds() {
		"$nodes" "$@" -- python3 "$tmp/send.py" 25000000 |
		    sed -n 's/^seconds //p'
	}
	slow=$(seconds --link=100mbit)
	verdict "a link is as slow as it was asked to be ($slow s)" \
	    awk -v s="$slow" 'BEGIN { exit !(s > 1.9) }'
	deep=$(seconds --link=100mbit --burst=64mb)
	verdict "a deep bucket lets a burst pass ($deep s)" \
	    awk -v s="$deep" -v t="$slow" 'BEGIN { exit !(s > 0 && s < t / 2) }'
else
	skip "links" "no python3"
fi
"$nodes" --delay=1ms -- true >"$tmp/out" 2>"$tmp/err"
status=$?
if test $status -eq 0; then
	verdict "a delay is made" sh -c '"$1" --delay=20ms --link=1G -- \
	    sh -c "test \$RANK = 1 || ping -c 1 10.77.0.2" |
	    sed -n "s/.*time=\([0-9.]*\).*/\1/p" |
	    awk "{ exit !(\$1 >= 20) }"' sh "$nodes"
else
	verdict "a kernel without delays states so" grep -q 'sch_netem' "$tmp/err"
fi

# --- Ends ----------------------------------------------------------------------
start=$(date +%s)
refuse "a rank that is killed is named" 137 \
    "run_on_nodes: rank 2 (node3) was ended by signal 9 (Killed)" \
    "$nodes" -N 4 -- sh -c 'test $RANK -ne 2 || kill -9 $$; exec sleep 100'
verdict "and the others end within ten seconds" \
    test $(($(date +%s) - start)) -le 10
refuse "a rank that fails is named, once" 7 \
    "run_on_nodes: rank 1 (node1) ended with status 7" \
    "$nodes" -g 2 -N 1 -- sh -c 'test $RANK -eq 0 || exit 7; sleep 1; exit 8'
verdict "what followed from it is not" \
    test "$(grep -c 'ended with' "$tmp/err")" -eq 1
refuse "a rank that is killed is named where others gave up first" 137 \
    "run_on_nodes: rank 1 (node1) was ended by signal 9 (Killed)" \
    "$nodes" -g 3 -N 1 -- sh -c 'case $RANK in
	0) exit 7;; 1) sleep 0.5; kill -9 $$;; *) sleep 1; kill -11 $$;; esac'
verdict "so is the first that gave up" grep -q "rank 0 .*with status 7" \
    "$tmp/err"
verdict "and no third one" \
    test "$(grep -c '^run_on_nodes: rank' "$tmp/err")" -eq 2
start=$(date +%s)
refuse "ranks that ignore being asked are ended" 5 "*rank 0 (node1) ended*" \
    "$nodes" -- sh -c 'trap "" TERM; test $RANK -ne 0 || exit 5
	while :; do sleep 100; done'
verdict "within ten seconds, too" test $(($(date +%s) - start)) -le 10

# Find the ranks' processes by a unique argument.
mark=98765.$$
left() { pgrep -f "sleep $mark" >/dev/null; }
settle() { # until CONDITION does not hold any more, ten seconds
	i=0
	while test $i -lt 100 && "$@"; do
		sleep 0.1
		i=$((i + 1))
	done
	! "$@"
}
not_left() { ! left; }
for signal in TERM HUP KILL; do
	"$nodes" -N 2 --core-share=0.5 -- sleep $mark >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	settle not_left
	verdict "$signal: ranks run" left
	kill -$signal $pid
	wait $pid 2>/dev/null
	verdict "$signal: no rank stays" settle left
done
"$nodes" --core-share=0.5 -- true >"$tmp/out" 2>"$tmp/err"
verdict "nor do control groups, after the next call" sh -c \
    '! find /sys/fs/cgroup -maxdepth 2 -name "dlscale-nodes-*" | while read -r g
	do kill -0 "${g##*-}" 2>/dev/null || echo "$g"; done | grep .'
if grep -q 'core_share=0.5$' "$tmp/out"; then
	verdict "a rank has its share of a core" sh -c '
		{ time -p "$1" -N 1 --core-share=0.25 -- sh -c "i=0
		    while test \$i -lt 400000; do i=\$((i + 1)); done"; } \
		    2>&1 | awk "/^real/ { r = \$2 } /^(user|sys)/ { c += \$2 }
		    END { print r, c; exit !(r > 0 && c / r < 0.35) }"
	    ' sh "$nodes"
else
	verdict "without control groups it states so" \
	    grep -q 'ranks share the cores as they can' "$tmp/err"
fi
verdict "it works without them, too" "$nodes" -- true

# --- Without rights ------------------------------------------------------------
if test "$(id -u)" -eq 0 && command -v setpriv >/dev/null 2>&1; then
	mkdir "$tmp/bin" && cp "$nodes" "$tmp/bin" && chmod -R a+rX "$tmp"
	setpriv --reuid=65534 --regid=65534 --clear-groups \
	    "$tmp/bin/run_on_nodes" -- hostname >"$tmp/out" 2>"$tmp/err"
	status=$?
	if test $status -eq 0; then
		verdict "a user may make nodes where the kernel lets users" \
		    grep -qx node2 "$tmp/out"
	else
		verdict "a user who may not is reported what it needs" \
		    grep -q 'needs root, or a kernel that lets users' "$tmp/err"
	fi
else
	skip "users" "not root here, or no setpriv"
fi
finish
