# Each allocation and each writing call fails in a run of its own: the status is
# not 0, there is a message, and the old file remains without any others.
# FAULTS_ALL=1 tries every allocation and size; otherwise the distances grow.
# FAULTS_PART=K/N tries every N-th, beginning with the K-th; N parts cover all.
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/logs.sh"

x=$bindir/extract_logs
faults=$bindir/tests/faults.so
mkdir "$tmp/w" && cd "$tmp/w" || exit 1
tree t 2 1n1g 1n2g
"$x" -q -o good.json t >/dev/null 2>&1

# The old files. A failed run must keep them and not leave others.
mkdir out
prepare() {
	rm -rf out/*
	echo old >out/result
	echo old >out/records
}
# untouched FILE...: true if these are the old files and there are no others.
untouched() {
	for file in "$@"; do
		test "$(cat "out/$file" 2>/dev/null)" = old || {
			echo "out/$file is another"
			return 1
		}
	done
	test "$(find out -type f | wc -l)" -eq 2 || {
		echo "left over:" out/*
		return 1
	}
}

# ends PROGRAM STATUS...: true if rc is one of these, with a message if not 0.
ends() {
	who=$1
	shift
	case " $* " in
	*" $rc "*) ;;
	*)
		echo "status $rc, not $*"
		cat err
		return 1
		;;
	esac
	test $rc -eq 0 || grep -Eq "^($who|dlscale): ." err || {
		echo "no message"
		return 1
	}
}

part=${FAULTS_PART:-1/1}
first=${part%/*}
# Sanitizers check how a run ends, which is the same for most allocations.
spread=12 last=50
test -z "${DLSCALE_QUICK-}" || spread=3 last=10

# next K: the number to try after K.
next() {
	if test "${FAULTS_ALL:-0}" = 1; then
		echo $(($1 + ${part#*/}))
	else
		echo $(($1 + 1 + $1 / spread))
	fi
}

### Memory

# without K COMMAND...: run it with the K-th allocation failing, and check it.
# Sets rc, which is 0 if there are fewer allocations.
without() {
	allocation=$1
	shift
	prepare
	DLSCALE_FAIL_ALLOC=$allocation "$@" >/dev/null 2>err
	rc=$?
	test $rc -eq 0 && return 0
	ends "${1##*/}" 3 && grep -q "^dlscale: out of memory$" err &&
	    untouched result records || {
		echo "allocation $allocation"
		return 1
	}
}

# A failed allocation of the program always ends it. The last ones, where the
# files are written, are tried one by one.
own_memory() {
	k=$first most=0
	while :; do
		without $k "$@" || return 1
		test $rc -eq 0 && break
		most=$k
		k=$(next $k)
	done
	while test $((k - most)) -gt 1; do
		middle=$(((k + most) / 2))
		without $middle "$@" || return 1
		if test $rc -eq 0; then k=$middle; else most=$middle; fi
	done
	echo "$most allocations"
	test $most -gt 20 || return 1
	k=$((most > last ? most - last : 1))
	while test $k -lt $most; do
		without $k "$@" || return 1
		k=$((k + 1))
	done
}
verdict "extract_logs without memory" own_memory "$x" -q -j2 \
    --records=out/records -o out/result t
verdict "extract_logs --explain without memory" own_memory "$x" \
    --explain=t/1n1g/r18_b4_fp32_1.log
verdict "report_results without memory" own_memory \
    "$bindir/report_results" -o out/result good.json
verdict "plot_results without memory" own_memory \
    "$bindir/plot_results" --force --format=gp -o out/result good.json
verdict "report_results --html without memory" own_memory \
    "$bindir/report_results" --html -o out/result good.json
values=$top_srcdir/doc/resnet50-v100.figures
verdict "predict_scaling without memory" own_memory \
    "$bindir/predict_scaling" --format=json -o out/result "$values"

### The rest of the C library

if LD_PRELOAD=$faults "$x" --version >/dev/null 2>&1; then
	preloaded=1
else
	preloaded=0
fi

# Any allocation, of the program or of a library: the run ends or succeeds.
any_memory() {
	k=$first
	while :; do
		prepare
		FAULT_CALL=malloc FAULT_AT=$k FAULT_SAYS=1 \
		    LD_PRELOAD=$faults "$@" >/dev/null 2>err
		rc=$?
		grep -q "^fault$" err || break
		if test $rc -eq 0; then
			test "$(wc -c <out/result)" -gt 100
		else
			ends "${1##*/}" 1 2 3 4 && untouched result records
		fi || {
			echo "allocation $k"
			return 1
		}
		k=$(next $k)
	done
	test $rc -eq 0 && test $k -gt 1000
}

# The only failure after the new file is in place: its folder is not synced.
in_place() {
	grep -q "'out/result' was written, but may not survive a power failure: " \
	    err && test "$(wc -c <out/result)" -gt 100
}

# failing CALL FILES COMMAND...: let each of these calls fail, one per run.
failing() {
	call=$1 files=$2 k=1
	shift 2
	while :; do
		prepare
		FAULT_CALL=$call FAULT_AT=$k LD_PRELOAD=$faults "$@" \
		    >/dev/null 2>err
		rc=$?
		test $rc -eq 0 && test $k -gt 1 && break
		# shellcheck disable=SC2086 # words
		ends "${1##*/}" 3 && { in_place || untouched $files; } || {
			echo "$call $k"
			return 1
		}
		k=$((k + 1))
		test $k -lt 100 || return 1
	done
	echo "$k"
}

# The folder is synced by the second fsync, after that of the file.
syncs() {
	prepare
	FAULT_CALL=fsync FAULT_AT=2 LD_PRELOAD=$faults "$x" -q -o out/result t \
	    >/dev/null 2>err
	test $? -eq 3 && in_place
}

if test $preloaded -eq 1; then
	verdict "the folder of a new file is synced" syncs
	verdict "extract_logs and the libraries without memory" any_memory \
	    "$x" -q -j1 -o out/result t
	for call in fsync rename fdopen; do
		verdict "extract_logs: $call fails" failing $call result \
		    "$x" -q -o out/result t
		verdict "extract_logs --records: $call fails" failing $call \
		    result "$x" -q --records=out/records -o out/result t
		verdict "report_results: $call fails" failing $call \
		    "result records" "$bindir/report_results" -o out/result \
		    good.json
		verdict "plot_results: $call fails" failing $call \
		    "result records" "$bindir/plot_results" --force \
		    --format=gp -o out/result \
		    good.json
		verdict "report_results --html: $call fails" failing $call \
		    "result records" "$bindir/report_results" --html \
		    -o out/result good.json
		verdict "predict_scaling: $call fails" failing $call \
		    "result records" "$bindir/predict_scaling" --format=json \
		    -o out/result "$values"
	done
	prepare
	refuse "a folder cannot be made" 3 \
	    "extract_logs: cannot make folder 'out/a': Read-only file system" \
	    env FAULT_CALL=mkdir FAULT_AT=2 LD_PRELOAD="$faults" \
	    "$x" -q --output-dir=out/a t
else
	skip "the C library fails" "nothing can be preloaded here"
fi

### No room

# room_for K COMMAND...: with a limit of K blocks it writes the whole file or
# keeps the old one. Sets rc.
room_for() {
	blocks=$1
	shift
	prepare
	# The limit would apply to a file for the message, too.
	said=$( (
		ulimit -f "$blocks"
		exec "$@" >/dev/null
	) 2>&1)
	rc=$?
	echo "$said" >err
	test $rc -eq 0 && return 0
	ends "${1##*/}" 3 && untouched result records || {
		echo "room for $blocks"
		return 1
	}
}

# Disks that are full at sizes of growing distances, and at the largest size
# that is too small.
roomless() {
	k=$((first - 1)) most=-1
	while :; do
		room_for $k "$@" || return 1
		test $rc -eq 0 && break
		most=$k
		k=$(next $k)
		test $k -lt 1000 || return 1
	done
	while test $((k - most)) -gt 1; do
		middle=$(((k + most) / 2))
		room_for $middle "$@" || return 1
		if test $rc -eq 0; then k=$middle; else most=$middle; fi
	done
	test $k -gt 0
}
verdict "extract_logs without room" roomless "$x" -q -o out/result t
verdict "extract_logs --records without room" roomless "$x" -q -j2 \
    --records=out/records -o out/result t
verdict "report_results without room" roomless "$bindir/report_results" \
    --format=html -o out/result good.json
verdict "report_results --html without room" roomless \
    "$bindir/report_results" --html -o out/result good.json
verdict "predict_scaling without room" roomless "$bindir/predict_scaling" \
    --format=json -o out/result "$values"
verdict "plot_results without room" roomless "$bindir/plot_results" \
    --force --format=gp -o out/result good.json
finish
