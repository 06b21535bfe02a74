# Every backend with one to four ranks: allreduces of integers are exact, parts
# and places are right, and all ranks end with the same weights. Also errors
# that occur before the ranks meet.
. "$top_srcdir/tests/lib.sh"

comm_test=$bindir/tests/mpi/test_comm.mpi
ring_test=$bindir/tests/mpi/test_ring.mpi
codec_test=$bindir/tests/mpi/test_gradient_codec.mpi
nccl_test=$bindir/tests/mpi/test_nccl.mpi
program=$bindir/train_imagenet
small="--dummy --device=$fast_device --threads=1 --workers=1 --image-size 32
    -b 2 -a resnet18 --classes 10 --batches-per-epoch 2 --epochs 1
    --val-batches 0 --lr 0.01"
has() { grep -q -e "$1" "$2"; }
ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}
export ASAN_OPTIONS

# ranks N COMMAND...: start N ranks as torchrun does, as a job that meets
# without a port. Rank I writes to out.I and err.I. Fails if a rank fails.
ranks() {
	size=$1
	shift
	for i in 0 1 2 3; do
		test $i -lt "$size" || break
		RANK=$i WORLD_SIZE=$size LOCAL_RANK=$i LOCAL_WORLD_SIZE=$size \
		    TORCHELASTIC_RUN_ID="test-$$" timeout 100 "$@" \
		    >"$tmp/out.$i" 2>"$tmp/err.$i" &
		eval "job$i=$!"
	done
	failed=0
	for i in 0 1 2 3; do
		test $i -lt "$size" || break
		eval "wait \$job$i" || failed=1
	done
	cat "$tmp"/err.*
	return $failed
}
# passed FILE: TAP with a plan and no failure
passed() {
	cat "$1"
	has '^1\.\.' "$1" && ! has '^not ok' "$1"
}
# same_weights N FILE...: N ranks printed equal weights
same_weights() {
	want=$1
	shift
	cat "$@"
	sed -n 's/^dlscale: weights rank=\([0-9]*\) .*/\1/p' "$@" | sort -u |
	    wc -l | grep -qx " *$want" &&
	    sed -n 's/^dlscale: weights .*\(xxh3=.*\)/\1/p' "$@" | sort -u |
	    wc -l | grep -qx ' *1'
}

# --- Gloo ---------------------------------------------------------------------
if built_with GLOO; then
	TEST_BACKEND=gloo
	export TEST_BACKEND
	for size in 1 2 3 4; do
		verdict "gloo, $size ranks" ranks $size "$comm_test"
		verdict "gloo, $size ranks: all tests pass" passed "$tmp/out.0"
	done
	DLSCALE_RANKS_PER_NODE=2
	export DLSCALE_RANKS_PER_NODE
	verdict "gloo, two nodes of two ranks" ranks 4 "$comm_test"
	verdict "gloo, two nodes: all tests pass" passed "$tmp/out.0"
	for size in 3 4; do
		verdict "gloo, $size ranks on two nodes: gradients" \
		    ranks $size "$codec_test"
		verdict "gloo, $size ranks: all tests of gradients pass" \
		    passed "$tmp/out.0"
	done
	unset DLSCALE_RANKS_PER_NODE
	find_mpirun=$(sed -n 's/^exec timeout "[^"]*" \([^ ]*\) .*/\1/p' \
	    "$bindir/tests/run-mpi")
	secrets() {
		OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
		    "$find_mpirun" --oversubscribe -n 2 env |
		    grep '^OMPI_MCA_orte_precondition_transports=.' | sort -u
	}
	case $("${find_mpirun:-false}" --version 2>&1) in
	*"Open MPI) 4."*)
		verdict "the ranks of each mpirun share a secret" sh -c '
			test "$(echo "$1" | wc -l)" -eq 1 &&
			test -n "$1" && test "$1" != "$2"
		    ' sh "$(secrets)" "$(secrets)";;
	*) skip "mpirun's secret" "no Open MPI 4";;
	esac
	verdict "gloo trains on three ranks that no mpirun started" \
	    ranks 3 "$program" $small
	verdict "auto chose it" has ' devices=3 nodes=1 .* backend=gloo ' \
	    "$tmp/out.0"
	verdict "its ranks have the same weights" \
	    same_weights 3 "$tmp/out.0" "$tmp/out.1" "$tmp/out.2"
	# over_tcp ADDRESS...: start a rank for each MASTER_ADDR.
	over_tcp() {
		rank=0 size=$# failed=0 jobs=
		for address; do
			RANK=$rank WORLD_SIZE=$size MASTER_ADDR=$address \
			    MASTER_PORT=$((20000 + $$ % 10000)) \
			    DLSCALE_JOB_TOKEN="test-$$" timeout 100 "$program" \
			    $small --backend=gloo >"$tmp/out.$rank" \
			    2>"$tmp/err.$rank" &
			jobs="$jobs $!"
			rank=$((rank + 1))
		done
		for job in $jobs; do
			wait "$job" || failed=1
		done
		cat "$tmp"/err.*
		return $failed
	}
	verdict "gloo over TCP" over_tcp 127.0.0.1 127.0.0.1
	if grep -q '^0*1 ' /proc/net/if_inet6 2>/dev/null; then
		verdict "gloo over IPv6" over_tcp ::1 ::1
		verdict "gloo where one rank comes over IPv4, one over IPv6" \
		    over_tcp ::1 ::1 127.0.0.1
		verdict "their ranks have the same weights" \
		    same_weights 3 "$tmp/out.0" "$tmp/out.1" "$tmp/out.2"
	else
		skip "gloo over IPv6" "no IPv6 here"
	fi
	refuse "ranks that cannot find each other" 2 "train_imagenet: ranks cannot connect: MASTER_ADDR (and MASTER_PORT) must *" \
	    env RANK=0 WORLD_SIZE=2 "$program" $small
	refuse "an address that is none" 3 \
	    "train_imagenet: MASTER_ADDR '/', MASTER_PORT '29500': *" \
	    env RANK=1 WORLD_SIZE=2 MASTER_ADDR=/ "$program" $small
	for port in 99999 65536 0 -1 http 1x; do
		refuse "port $port" 3 "train_imagenet: environment variable \
MASTER_PORT: '$port' is not a port from 1 to 65535" \
		    env RANK=1 WORLD_SIZE=2 MASTER_ADDR=localhost \
		    MASTER_PORT=$port "$program" $small
	done
	refuse "a timeout that is no number" 3 "train_imagenet: environment \
variable HOROVOD_GLOO_TIMEOUT_SECONDS: 'ten' is not a number *" \
	    env RANK=0 WORLD_SIZE=2 HOROVOD_GLOO_TIMEOUT_SECONDS=ten \
	    "$program" $small
	env RANK=1 WORLD_SIZE=3 LOCAL_RANK=1 LOCAL_WORLD_SIZE=3 \
	    TORCHELASTIC_RUN_ID="odd-$$" timeout 30 "$program" $small \
	    >"$tmp/out" 2>"$tmp/err.1" &
	refuse "ranks that do not agree how many they are" 3 "train_imagenet: the \
ranks do not agree: one is rank 1 of 3 (*), and this is rank 0 of 2" \
	    env RANK=0 WORLD_SIZE=2 LOCAL_RANK=0 LOCAL_WORLD_SIZE=2 \
	    TORCHELASTIC_RUN_ID="odd-$$" timeout 30 "$program" $small
	wait
	verdict "the other one reports the same" has \
	    '^train_imagenet: the ranks do not agree: this is rank 1 of 3, and' \
	    "$tmp/err.1"
else
	refuse "gloo was not built" 2 \
	    "train_imagenet: back end 'gloo': not built: *" \
	    "$program" $small --backend=gloo
fi
refuse "a rank that is no number" 3 "train_imagenet: environment variable RANK: \
'x' is not a number from 0 on" env RANK=x WORLD_SIZE=2 "$program" $small
refuse "a rank too high" 3 \
    "train_imagenet: environment variable RANK: rank 2 of 2 ranks" \
    env RANK=2 WORLD_SIZE=2 "$program" $small

# --- MPI ----------------------------------------------------------------------
two="$bindir/tests/run-mpi"
if built_with MPI && NP=1 "$two" "$comm_test" >"$tmp/out" 2>"$tmp/err"; then
	for size in 1 3 4; do
		NP=$size TEST_BACKEND=mpi "$two" "$comm_test" \
		    >"$tmp/out" 2>&1
		verdict "mpi, $size ranks" passed "$tmp/out"
		DLSCALE_RANKS_PER_NODE=2 NP=$size TEST_BACKEND=mpi \
		    "$two" "$codec_test" >"$tmp/out" 2>&1
		verdict "mpi, $size ranks on nodes of two: gradients" \
		    passed "$tmp/out"
		if built_with NCCL && built_with CUDA; then
			DLSCALE_RANKS_PER_NODE=2 NP=$size "$two" "$nccl_test" \
			    >"$tmp/out" 2>&1
			verdict "nccl, $size ranks on nodes of two: gradients" \
			    passed "$tmp/out"
		fi
		NP=$size TEST_BACKEND=mpi "$two" "$ring_test" >"$tmp/out" 2>&1
		verdict "mpi, $size ranks: a ring" passed "$tmp/out"
		DLSCALE_MPI_RING=1 NP=$size TEST_BACKEND=mpi "$two" \
		    "$comm_test" >"$tmp/out" 2>&1
		verdict "mpi, $size ranks: long allreduces round it" passed "$tmp/out"
	done
	for backend in mpi gloo; do
		if test $backend = gloo && ! built_with GLOO; then continue; fi
		NP=3 "$two" "$program" $small --backend=$backend \
		    >"$tmp/out" 2>&1
		verdict "$backend under mpirun: the ranks have the same weights" \
		    same_weights 3 "$tmp/out"
	done
else
	skip "mpi" "no MPI, or no launcher works"
fi
finish
