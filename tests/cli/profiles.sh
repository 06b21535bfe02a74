# Traces of PyTorch's profiler: step times, busy and exposed communication,
# collectives and buckets, packed and not; errors that name the rejected file.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
x=$(cd "$bindir" && pwd)/extract_logs
p=$(cd "$bindir" && pwd)/predict_scaling
make=$(cd "$top_srcdir" && pwd)/tests/data/profiles/make_profile.py
cd "$tmp" || exit 1
unset DLSCALE_FORMAT_PATH
if ! command -v python3 >/dev/null 2>&1; then
	skip "profiles" "no python3"
	finish
	exit
fi

flat() { # a result without blanks
	tr -d ' \n' <"$1"
}

python3 "$make" job.pt.trace.json rank=2
"$x" -o r.json job.pt.trace.json >table 2>err
verdict "a profile is read" test $? -eq 0
verdict "steps of the device, phases" test -n "$(flat r.json | grep -F \
    '"phases":{"step_s":0.1,"data_s":null,"busy_s":0.035,"exposed_s":0.015,"bytes_per_step":28311552')"
verdict "device and ranks" test -n "$(flat r.json |
    grep '"gpus":4,.*"iterations":3,.*"device":"NVIDIAMade-Up1"')"
verdict "buckets in the order of their kernels" test -n "$(flat r.json | grep -F \
    '"buckets":[{"bytes":26214400,"ready_s":null,"start_s":0.04,"duration_s":0.03},{"bytes":2097152,"ready_s":null,"start_s":0.07,"duration_s":0.005}]')"
"${x%extract_logs}report_results" -t collectives r.json | grep '^(' |
    tr -s ' ' >collectives
cat >want <<'END'
(1MB, 10MB] 3 2.00 4800.00 0.0150 5.00 14.29
(20MB, 30MB] 3 25.00 10000.00 0.0900 30.00 85.71
END
verdict "collectives by size" cmp want collectives

flat r.json | sed 's/.*"cases"//; s/"run":"[^"]*"//' >a
if built_with ZLIB; then
	gzip -k job.pt.trace.json
	"$x" -o z.json job.pt.trace.json.gz >/dev/null 2>&1
	flat z.json |
	    sed 's/.*"cases"//; s/"run":"[^"]*"//; s/json\.gz/json/g' >b
	verdict "packed: the same" cmp a b
else
	skip "packed: the same" "built without zlib"
fi
if built_with LZMA && command -v xz >/dev/null 2>&1; then
	xz -k --check=none job.pt.trace.json
	"$x" -o z.json job.pt.trace.json.xz >/dev/null 2>&1
	flat z.json |
	    sed 's/.*"cases"//; s/"run":"[^"]*"//; s/json\.xz/json/g' >b
	verdict "packed by xz without a check sum: the same" cmp a b
else
	skip "packed by xz: the same" "no xz, or built without it"
fi
python3 "$make" line.trace.json one_line=1 rank=2
"$x" -o l.json line.trace.json >/dev/null 2>&1
flat l.json | sed 's/.*"cases"//; s/"run":"[^"]*"//; s/line\.trace/job.pt.trace/' >b
verdict "on one line: the same" cmp a b

mkdir folder
cp job.pt.trace.json folder/
"$x" -o f.json folder >/dev/null 2>&1
verdict "found in a folder by its name" test "$(flat f.json |
    sed 's/.*"used":\([a-z]*\).*/\1/')" = true

python3 "$make" cpu.trace.json cpu_only=1 steps=3
"$x" -o c.json cpu.trace.json >/dev/null 2>&1
verdict "without a device: the CPU's steps, nothing about communication" \
    test -n "$(flat c.json | grep '"phases":{"step_s":0.09999,"data_s":null,"busy_s":null,"exposed_s":null,')"

# Of the parts of a step, the profile states only communication.
"$p" --diagnose --force r.json >out 2>/dev/null
verdict "... goes into the diagnosis" grep -q '^4g .* 15.0' out

# --- refused, by name ---
printf '{"traceEvents":[{"ph":"X","cat":"kernel","name":"k","ts":1,"dur":2}]}' \
    >serve.trace.json
refuse "no steps" 4 '*serve.trace.json: excluded: a trace without profiler steps *' \
    "$x" -o x.json serve.trace.json
head -c 3000 job.pt.trace.json >cut.trace.json
refuse "cut short" 4 '*cut.trace.json: excluded: the profile is truncated: *' \
    "$x" -o x.json cut.trace.json
if built_with ZLIB; then
	gzip -c job.pt.trace.json | head -c 900 >cut2.trace.json.gz
	refuse "cut short, packed" 4 \
	    '*cut2.trace.json.gz: *the profile is truncated*' \
	    "$x" -o x.json cut2.trace.json.gz
else
	skip "cut short, packed" "built without zlib"
fi
verdict "no result of them" test ! -e x.json

# --- a large one in little memory ---
python3 "$make" large.trace.json steps=40 kernels=2000
# The first bytes do not show the type of the file.
{
	printf '%40s\n' ''
	cat large.trace.json
} >spaced.trace.json
"$x" -o s.json spaced.trace.json >/dev/null 2>&1
verdict "a large one after many spaces" test -n "$(flat s.json | grep -F \
    '"step_s":0.1,"data_s":null,"busy_s":0.035,"exposed_s":0.015')"
# The file alone takes 30 MB. A program with a sanitizer cannot start here.
if (ulimit -v 200000 && exec "$x" --version) >/dev/null 2>&1; then
	(ulimit -v 200000 && exec "$x" -j1 -o g.json large.trace.json) \
	    >/dev/null 2>&1
	verdict "80,000 kernels in little memory" test $? -eq 0
	verdict "... the same answer" test -n "$(flat g.json | grep -F \
	    '"step_s":0.1,"data_s":null,"busy_s":0.035,"exposed_s":0.015')"
else
	skip "80,000 kernels in little memory" "a sanitizer takes its own"
fi
finish
