# Ranks on one machine that share their weights and access each other's
# gradients (trainer/comm/machine_memory.h) train like ranks that do not: the
# same log, the same weights, the same checkpoint.
. "$top_srcdir/tests/lib.sh"

program=$bindir/train_imagenet
has() { grep -q -e "$1" "$2"; }
# ranks N ARG...: print the logs of N ranks one after the other, since a
# launcher may mix their lines.
ranks() {
	NP=$1 LOGS=$tmp/rank
	shift
	export NP LOGS
	rm -f "$LOGS".*
	# shellcheck disable=SC2016 # each rank is to expand it
	"$bindir/tests/run-mpi" sh -c \
	    'exec "$0" "$@" >"$LOGS.${OMPI_COMM_WORLD_RANK-$PMI_RANK}"' \
	    "$program" "$@" || return
	cat "$LOGS".*
}
set -- --dummy --device=cpu --threads=1 --clock=fake -a resnet18 \
    --image-size 32 --classes 10 -b 2 --lr 0.01 --batches-per-epoch 3 \
    --epochs 1 --val-batches 1 -j 1
if ! built_with MPI || ! ranks 2 "$@" >"$tmp/out" 2>&1; then
	echo "1..0 # SKIP no MPI or no cpu device: $(tail -n 1 "$tmp/out")"
	exit 0
fi
course() {
	sed -n 's/Time [^L]*//
/^Epoch: \|^Test: \|^ \*   Acc\|^dlscale: weights/p' "$@" | sort
}
# same NAME RANKS SUMS ARG...: compare runs with and without shared memory.
same() {
	what=$1 size=$2 sums=$3
	shift 3
	ranks $size "$@" --checkpoint "$tmp/shared" >"$tmp/out" 2>"$tmp/err"
	course "$tmp/out" >"$tmp/a"
	verdict "$what: it is used" has \
	    "^dlscale: machine_memory ranks=[24] sums=$sums\$" "$tmp/out"
	DLSCALE_MACHINE_MEMORY=0 ranks $size "$@" --checkpoint "$tmp/alone" \
	    >"$tmp/out" 2>"$tmp/err"
	course "$tmp/out" >"$tmp/b"
	verdict "$what: it can be refused" eval \
	    "! has machine_memory '$tmp/out'"
	verdict "$what: the weights of $size ranks" test \
	    "$(grep -c '^dlscale: weights' "$tmp/a")" -eq $size
	verdict "$what: the same course" diff "$tmp/b" "$tmp/a"
	verdict "$what: the same checkpoint" cmp "$tmp/alone" "$tmp/shared"
	comment "$tmp/err"
}
# With two ranks there is only one order of addition.
same "two ranks" 2 yes "$@"
if grep -q avx512_bf16 /proc/cpuinfo; then
	same "two ranks, bf16" 2 yes "$@" --precision=bf16
else
	skip "bf16" "this CPU computes it in fp32"
fi
same "compressed" 2 yes "$@" --compression=fp16
same "one allreduce a gradient" 2 yes "$@" --fusion=tensor
same "cycles" 2 yes "$@" --fusion=horovod
DLSCALE_RANKS_PER_NODE=2
export DLSCALE_RANKS_PER_NODE
same "two machines" 4 no "$@"
same "two machines, level by level" 4 no "$@" --hierarchical
unset DLSCALE_RANKS_PER_NODE
if built_with GLOO; then same "gloo" 2 no "$@" --backend=gloo; fi

ranks 3 "$@" >"$tmp/out"
verdict "three ranks: all have the same weights" test \
    "$(sed -n 's/.* weights rank=. //p' "$tmp/out" | sort -u | wc -l)" -eq 1
verdict "three ranks: sums are made in memory" has \
    '^dlscale: machine_memory ranks=3 sums=yes$' "$tmp/out"

# --- The profile is of what this process does ---------------------------------
value() {
	sed -n "s/^dlscale: call .* kind=$1 .* bytes=\([^ ]*\) .*/\1/p" "$2"
}
ranks 2 "$@" --profile=2 >"$tmp/a"
DLSCALE_MACHINE_MEMORY=0 ranks 2 "$@" --profile=2 >"$tmp/b"
verdict "half of the update" awk "BEGIN { x = $(value update "$tmp/a") / \
$(value update "$tmp/b"); exit !(x > 0.499 && x < 0.501) }"
copies() { value weight-copy "$1" | wc -l; }
verdict "some of the copies" test "$(copies "$tmp/a")" -gt 0 -a \
    "$(copies "$tmp/a")" -lt "$(copies "$tmp/b")"

# --- Momenta are whole in a checkpoint, and go on in either way ---------------
shift 2
set -- --dummy --device=cpu "$@" --epochs 2
ranks 2 "$@" >"$tmp/out"
course "$tmp/out" >"$tmp/whole"
for first in 1 0; do
	DLSCALE_MACHINE_MEMORY=$first
	export DLSCALE_MACHINE_MEMORY
	ranks 2 "$@" --epochs 1 --checkpoint "$tmp/state" >"$tmp/part"
	DLSCALE_MACHINE_MEMORY=$((1 - first))
	ranks 2 "$@" --resume "$tmp/state" >"$tmp/rest"
	grep -v '^dlscale: weights' "$tmp/part" >"$tmp/both"
	cat "$tmp/rest" >>"$tmp/both"
	course "$tmp/both" >"$tmp/a"
	verdict "saved with $first, resumed with $DLSCALE_MACHINE_MEMORY" \
	    diff "$tmp/whole" "$tmp/a"
done
unset DLSCALE_MACHINE_MEMORY
ranks 2 "$@" -e --resume "$tmp/state" >"$tmp/out"
verdict "a validation shares nothing" eval "! has machine_memory '$tmp/out'"
finish
