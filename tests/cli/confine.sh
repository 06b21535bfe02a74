# A log that takes over its reader (HOSTILE of tests/faults.c) can write only
# the outputs: the kernel denies everything else.
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/logs.sh"
x=$bindir/extract_logs
mkdir "$tmp/w" && cd "$tmp/w" || exit 1
tree t 2 1n1g 1n2g
mkdir out elsewhere
one="--nodes=1 --gpus-per-node=1 --batch-size-per-device=4"

# hostile FILE COMMAND...: run with each log trying to create FILE
hostile() {
	file=$1
	shift
	rm -rf out/* elsewhere/* result
	HOSTILE=$file LD_PRELOAD=$bindir/tests/faults.so "$@" >table 2>err
}
"$x" -q -o good.json t >good
tree more 2 1n1g 1n2g 1n4g 1n8g
"$x" -q -o more.json more >/dev/null
if ! LD_PRELOAD=$bindir/tests/faults.so "$x" --version >/dev/null 2>&1; then
	skip "a hostile log" "nothing can be preloaded here"
	finish
	exit
fi
# unconfined COMMAND...: true if the attack works at all without confinement
unconfined() {
	(DLSCALE_CONFINE=off && export DLSCALE_CONFINE &&
	    hostile elsewhere/file "$@")
	test -s elsewhere/file
}
verdict "unconfined, a hostile log writes where it likes" \
    unconfined "$x" -q -o out/r.json t
verdict "a hostile result too, in report_results" \
    unconfined "$bindir/report_results" -o out/t.md good.json
verdict "and in predict_scaling" \
    unconfined "$bindir/predict_scaling" --to=1n16g -o out/p.json more.json

# Ask the kernel for its features, not the program under test.
has_landlock() {
	python3 -c 'import ctypes, sys
sys.exit(ctypes.CDLL(None).syscall(444, None, 0, 1) < 1)' 2>/dev/null
}
has_seccomp() {
	grep -q '^Seccomp:' /proc/self/status &&
	    grep -q '^SANITIZE_FLAGS = *$' "$bindir/Makefile" &&
	    case $(uname -m) in x86_64 | aarch64) ;; *) false ;; esac
}

hostile elsewhere/file "$x" -q -o out/r.json t
if test -e elsewhere/file && ! has_landlock; then
	skip "a hostile log" "no Landlock here"
else
	verdict "confined, it does not" test ! -e elsewhere/file
	verdict "and the result is as always" cmp out/r.json good.json
	for file in t/1n1g/new.log "$tmp/new" /dev/shm/dlscale.$$ new; do
		hostile "$file" "$x" -q -o out/r.json --records=out/records t
		verdict "nor $(basename "$file" .$$)" eval \
		    "test ! -e '$file' && cmp out/r.json good.json"
	done
	mkdir kept && echo keep >kept/note
	hostile kept/note "$x" -q -o out/r.json t
	verdict "nor over a file that is there" grep -q keep kept/note
	hostile elsewhere/file "$bindir/report_results" -o out/t.md good.json
	verdict "nor report_results" eval \
	    'test ! -e elsewhere/file && test -s out/t.md'
	hostile elsewhere/file "$bindir/report_results" --html \
	    -o out/page.html good.json
	verdict "nor its page" eval \
	    'test ! -e elsewhere/file && test -s out/page.html'
	hostile elsewhere/file "$bindir/predict_scaling" --to=1n16g -o out/p.json \
	    -c out/p.svg more.json >said 2>&1
	verdict "nor predict_scaling" eval \
	    'test ! -e elsewhere/file && test -s out/p.json && test -s out/p.svg'
	hostile out/file "$x" -q -o out/r.json t
	verdict "where the result goes, it can" test -s out/file
	log=t/1n1g/r18_b4_fp32_1.log
	for ask in "--explain=$log" "--suggest=$log" "--explain-paths t"; do
		# shellcheck disable=SC2086 # an option and an operand
		hostile out/file "$x" $ask
		verdict "with ${ask%%[= ]*} nowhere" eval \
		    'test -s table && test ! -e out/file'
	done
	hostile elsewhere/file "$x" -q --follow --timeout=0.1 -o out/r.json t
	verdict "nor with --follow" eval \
	    'cmp out/r.json good.json && test ! -e elsewhere/file'
	# No Landlock rule can name a pipe, and a pipe needs none.
	hostile elsewhere/file sh -c '"$1" -q -o /dev/stdout t | cat' x "$x"
	verdict "nor with a pipe as output" eval \
	    'grep -q median_speed table && test ! -e elsewhere/file'
	if bash -c : 2>err; then
		hostile elsewhere/file \
		    bash -c '"$1" -q -o >(cat >out/copy) t; wait' x "$x"
		# cat may end after the shell.
		verdict "nor with >(cmd)" eval '
		    for i in 1 2 3 4 5 6 7 8 9; do
			cmp out/copy good.json && break
			sleep 0.2
		    done; cmp out/copy good.json && test ! -e elsewhere/file'
	else
		skip "nor with >(cmd)" "no bash"
	fi
fi

# A filter refuses the system calls that no output needs, whatever they write.
# by CALL COMMAND...: true if CALL creates out/file
by() {
	call=$1
	shift
	HOSTILE_BY=$call hostile out/file "$@"
	test -e out/file || test -L out/file
}
# reads PROGRAM: run it with input that is hostile by $call
reads() {
	case $1 in
	extract_logs) by "$call" "$x" -q -o out/r.json t ;;
	report_results) by "$call" "$bindir/report_results" good.json ;;
	predict_scaling)
		by "$call" "$bindir/predict_scaling" --to=1n16g \
		    -o out/p.json more.json
		;;
	esac
}
"$bindir/predict_scaling" --to=1n16g -o good_p.json more.json >/dev/null
"$bindir/report_results" good.json >good_t
if by socket "$x" -q -o out/r.json t && ! has_seccomp; then
	skip "calls that readers never make" "no seccomp here"
else
	for call in exec fork link socket connect ptrace ioctl fcntl chmod \
	    chown utimes setxattr set-user-id mknod kill tgkill prlimit \
	    setpriority io_uring openat2 fsopen open_tree mount unshare bpf \
	    sethostname reboot swapon clock_settime syslog; do
		verdict "unconfined: $call" eval '
		    (DLSCALE_CONFINE=off && export DLSCALE_CONFINE &&
		    reads report_results)'
		verdict "confined: no $call" eval \
		    '! reads extract_logs && cmp out/r.json good.json'
		verdict "nor with --suggest, --explain" eval \
		    '! by $call "$x" --suggest=t/1n1g/r18_b4_fp32_1.log &&
		    ! by $call "$x" --explain=t/1n1g/r18_b4_fp32_1.log'
		verdict "nor in report_results" eval \
		    '! reads report_results && cmp table good_t'
		verdict "nor in predict_scaling" eval \
		    '! reads predict_scaling && cmp out/p.json good_p.json'
	done
fi

# Calls that the programs need are allowed. clone3 is refused, because its flags
# are in memory, where the filter cannot read them.
refused_calls() {
	for run in "$x -q -j2 -o out/r.json --records=out/records t" \
	    "$x --explain=t/1n1g/r18_b4_fp32_1.log" \
	    "$bindir/report_results -t all --html -o out/p.html good.json" \
	    "$bindir/report_results -o out/t.md good.json" \
	    "$bindir/predict_scaling --to=1n16g -o out/p.json more.json"; do
		# shellcheck disable=SC2086 # several words
		strace -f -o calls $run >table 2>&1
		grep ENOSYS calls | grep -v clone3
	done
}
if has_seccomp && strace -o calls true 2>err; then
	verdict "no call of ordinary runs is refused" \
	    test -z "$(refused_calls | tee refused | head -n 3)"
else
	skip "no call of ordinary runs is refused" "no strace here"
fi

# A failed step of the confinement is fatal; a missing kernel feature is not.
# fault CALL COMMAND...: let the first CALL fail
fault() {
	(FAULT_CALL=$1 FAULT_AT=1 LD_PRELOAD=$bindir/tests/faults.so &&
	    export FAULT_CALL FAULT_AT LD_PRELOAD && shift && "$@")
}
for call in landlock_rule landlock_restrict seccomp; do
	if test $call = seccomp && ! has_seccomp ||
	    test $call != seccomp && ! has_landlock; then
		skip "$call fails" "this kernel has none"
		continue
	fi
	rm -rf out/*
	for program in extract report predict; do
		case $program in
		extract) set -- "$x" -q -o out/r t ;;
		report) set -- "$bindir/report_results" -o out/r good.json ;;
		predict) set -- "$bindir/predict_scaling" --to=1n16g -o out/r \
		    more.json ;;
		esac
		refuse "$call fails: $1 stops" 3 \
		    '*: cannot give up * keeps it): Cannot allocate memory' \
		    fault $call "$@"
		verdict "and writes nothing" test ! -e out/r
	done
	DLSCALE_CONFINE=off fault $call "$x" -q -o out/r.json t >table
	verdict "DLSCALE_CONFINE=off goes on" cmp out/r.json good.json
done
for call in no_landlock no_seccomp; do
	fault $call "$x" -q -o out/r.json t >table
	verdict "$call: it goes on" cmp out/r.json good.json
done

# Every ordinary output works.
written() {
	name=$1
	shift
	verdict "$name" eval "$*"
}
written "a folder that is made" \
    '"$x" -q --output-dir=new/a --name=b t >table &&
	cmp new/a/b_result.json good.json'
written "the default folder" '"$x" -q t >table && test -s result/*.json'
written "a link to another folder" 'mkdir far && ln -s ../far/r.json out/l.json &&
	echo old >far/r.json && "$x" -q -o out/l.json t >table &&
	cmp far/r.json good.json && test -L out/l.json'
written "standard output" '"$x" -q -o - t >r.json && cmp r.json good.json'
written "/dev/stdout" '"$x" -q -o /dev/stdout t | grep -q median_speed'
written "/dev/null" '"$x" -q -o /dev/null t >table && cmp table good'
written "a pipe" 'mkfifo p && { cat p >r.json & } &&
	"$x" -q -o p t >table && wait && cmp r.json good.json'
# shellcheck disable=SC2016 # eval
written "/dev/fd of a pipe" \
    '{ "$x" -q -o /dev/fd/3 t 3>&1 >table; } | cat >r.json &&
	cmp r.json good.json'
written "records in another folder" '"$x" -q -o out/r.json \
	--records=elsewhere/records t >table && test -s elsewhere/records'
if shm=$(mktemp -d /dev/shm/confine.XXXXXX 2>err); then
	for time in first second; do
		written "in memory, the $time time" '"$x" -q -o "$shm/r.json" t \
			>table && cmp "$shm/r.json" good.json'
	done
	rm -r "$shm"
else
	skip "in memory" "$(tail -n 1 err)"
fi
# shellcheck disable=SC2016 # eval
written "a log from standard input" 'imagenet 130 | "$x" -q -o out/r.json \
	$one - >table && grep -q median_speed out/r.json'
finish
