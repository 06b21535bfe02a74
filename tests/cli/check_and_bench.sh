# tests/gpu/check_and_bench without a GPU: parts that fail, hang, print rubbish
# or are not reached, on a machine whose nvidia-smi, train_imagenet and PyTorch
# are the scripts below.
. "$top_srcdir/tests/lib.sh"

if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 8))' \
    >/dev/null 2>&1; then
	echo "1..0 # SKIP no python3"
	exit 0
fi
script=$top_srcdir/tests/gpu/check_and_bench
mkdir -p "$tmp/bin" "$tmp/bundle/tests/unit" "$tmp/mode"
# fake FILE: make a shell script of standard input
fake() { { echo '#!/bin/sh'; cat; } >"$1" && chmod +x "$1"; }
# mode NAME...: select the failures from now on
mode() { rm -f "$tmp/mode"/*; for m; do : >"$tmp/mode/$m"; done; }
FAKE=$tmp/mode
export FAKE

fake "$tmp/bin/nvidia-smi" <<'END'
test -e "$FAKE/no-driver" && {
	echo "NVIDIA-SMI has failed because it couldn't communicate with the driver"
	exit 9
}
case $* in
*memory.used*)
	while echo "5120, 1980, 3201, 650.5, 55, 99"; do sleep 0.2; done;;
*)	test -e "$FAKE/other-gpu" && echo "NVIDIA L4, 580.159, 23034, 8.9, 2040, 6251, 72.00" && exit
	echo "NVIDIA H200, 580.159, 143771, 9.0, 1980, 3201, 700.00";;
esac
END
fake "$tmp/bundle/train_imagenet" <<'END'
case " $* " in
*" --version "*) echo "train_imagenet (dlscale) 0.1.0"; exit;;
*" --profile "*)
	test -e "$FAKE/hang-profile" && sleep 100
	echo "dlscale: call index=0 kind=conv node=stem us=80.5 flop=1e9 bytes=4e8"
	echo "dlscale: call index=1 kind=bias node=fc us=10 flop=0 bytes=1e6"
	exit;;
*" --checkpoint "*) exit;;
*" --lr 0.02 "*)
	awk 'BEGIN { for (i = 0; i < 50; i++)
		printf "Epoch: [0][  1/2]\tTime  1\tLoss %.4e (1)\n", \
		    7 * exp(-i / 10) }'
	exit;;
*" --backend mpi "*)
	echo "back end 'mpi' is not built: configure found no MPI"
	exit 3;;
*" --backend "*)
	echo "step captured as a graph"
	echo "dlscale: weights rank=${RANK:-0} xxh3=$(test -e "$FAKE/apart" && echo $$ || echo 5) norm=1"
	echo "dlscale: summary steps=9 images_per_s=7000 step_ms_median=32.0"
	exit;;
*" -b 400 "*) test -e "$FAKE/memory" && {
	echo "a line before"
	echo "train_imagenet: device 'cuda': not enough memory" >&2
	exit 3
	};;
esac
sleep 0.3 # for nvidia-smi to be heard
echo "dlscale: phases epoch=0 steps=9 mode=async step_ms=32.0 data_ms=0.1"
echo "dlscale: summary steps=9 images_per_s=8000 step_ms_median=32.0"
END
fake "$tmp/bundle/make_toy_images" </dev/null
# Makes one finished log and one that is not finished.
fake "$tmp/bundle/run_sweep" <<'END'
for last; do :; done
mkdir -p "$3/h200/1n1g" && : >"$3/h200/1n1g/resnet50_b256_fp16_1.log~"
cp "$last" "$3/h200/1n1g/resnet50_b32_fp16_1.log"
END
fake "$tmp/bin/compute-sanitizer" <<'END'
test -e "$FAKE/race" && test $2 = racecheck && {
	echo "========= RACECHECK SUMMARY: 1 hazard"
	exit 9
}
echo "========= ERROR SUMMARY: 0 errors"
test -e "$FAKE/no-engine" && {
	echo "train_imagenet: no engine"
	exit 3
}
:
END
fake "$tmp/bin/mpirun" <<'END'
while [ "${1#-}" != "$1" ] || [ "$1" = 2 ]; do shift; done
exec "$@"
END
fake "$tmp/bundle/tests/unit/test_cuda_device" <<'END'
echo "1..2"
echo "ok 1 - test_refusal # SKIP there is a GPU"
test -e "$FAKE/wrong-kernel" && { echo "not ok 2 - test_fp16"; exit; }
test -e "$FAKE/crash" && { echo "ok 2 - test_fp16"; kill -SEGV $$; }
test -e "$FAKE/blind" && { echo "ok 2 - test_fp16 # SKIP no GPU"; exit; }
test -e "$FAKE/mute" && { echo "ok 2 - test_fp16"; echo "ok 3 - a # SKIP"; exit; }
test -e "$FAKE/none" && { echo "1..0 # skip no device"; exit; }
echo "ok 2 - test_fp16"
END
fake "$tmp/bin/torch" <<'END'
test -e "$FAKE/rubbish" && { echo "Segmentation fault"; exit; }
case $1 in
versions)
	test -e "$FAKE/old" && { echo '{"torch": "1.13.0a0"}'; exit; }
	echo '{"torch": "2.11.0"}';;
roofs)	echo "a warning"
	echo '{"fp16_tflops": 800, "copy_gb_per_s": 4300}';;
throughput)
	test -e "$FAKE/hang-$6" && sleep 100
	test -e "$FAKE/nan" && { echo "the loss is nan" >&2; exit 1; }
	echo '{"images_per_s": 5000, "step_ms": 51.2}';;
curve)	test -e "$FAKE/nan" && {
		echo '{"curves": {"fp32": [7, NaN]}}'
		exit
	}
	awk -v off="$(test -e "$FAKE/off" && echo 2 || echo 1)" 'BEGIN {
	printf "{\"curves\": {"
	for (k = 0; k < 11; k++) {
		printf "%s\"fp%d%s\": [", k ? ", " : "", (k > 5) ? 16 : 32, \
		    k ? ":" (k - 1) % 5 + 1 : ""
		for (i = 0; i < 50; i++)
			printf "%s%.9g", i ? ", " : "", \
			    off * 7 * exp(-i / 10) * (1 + k / 500)
		printf "]"
	}
	print "}}"
	}';;
esac
END

run() {
	PATH=$tmp/bin:$PATH python3 "$script" -o "$tmp/r.json" \
	    --bundle "$tmp/bundle" --torch "$tmp/bin/torch" "$@" \
	    >"$tmp/out" 2>"$tmp/err"
	rc=$?
	cat "$tmp/err" >>"$tmp/out"
	return $rc
}
# expect NAME STATUS EXPRESSION OPTION...: check the status of a run, and an
# expression about its result r
expect() {
	name=$1 status=$2 expression=$3
	shift 3
	run "$@"
	rc=$?
	echo "status $rc, not $status" >>"$tmp/out"
	verdict "$name" sh -c 'test "$1" -eq "$2" && python3 -c "
import json, sys
r = json.load(open(sys.argv[1]))
p = {k: v[\"status\"] for k, v in r[\"parts\"].items()}
why = \" \".join(sum((v.get(\"problems\", []) for v in r[\"parts\"].values()),
                    []))
if not eval(\"(\" + sys.argv[2] + \")\"):
    sys.exit(json.dumps(r, indent=1))" "$3" "$4" || { cat "$5"; exit 1; }' - \
	    "$rc" "$status" "$tmp/r.json" "$expression" "$tmp/out"
}

# --- No GPU -----------------------------------------------------------------
mode
refuse "a machine without NVIDIA's driver" 77 \
    "check_and_bench: no GPU: nvidia-smi: not found" \
    env PATH=/nowhere "$(python3 -c 'import sys; print(sys.executable)')" "$script" -o "$tmp/r.json"
mode no-driver
refuse "a driver that does not answer" 77 \
    "check_and_bench: no GPU: nvidia-smi: NVIDIA-SMI has failed *" \
    env PATH="$tmp/bin:$PATH" python3 "$script" -o "$tmp/r.json"
verdict "no result is written then" test ! -e "$tmp/r.json"

# --- Usage ------------------------------------------------------------------
mode
bare() { env PATH="$tmp/bin:$PATH" python3 "$script" -o "$tmp/r.json" "$@"; }
refuse "a part that is none" 2 "check_and_bench: no part 'testz'; *" \
    bare --only testz
refuse "batches that are no numbers" 2 \
    "check_and_bench: --batches: 'many' is no list of numbers" \
    bare --batches many
refuse "a bundle without programs" 3 \
    "check_and_bench: no train_imagenet in '$tmp/bin'" \
    bare --bundle "$tmp/bin"
refuse "a result that cannot be written" 3 \
    "check_and_bench: /nowhere/r.json.log: No such file or directory" \
    env PATH="$tmp/bin:$PATH" python3 "$script" -o /nowhere/r.json \
    --bundle "$tmp/bundle"

# --- All well ---------------------------------------------------------------
expect "all parts" 0 'r["complete"] and r["exit_status"] == 0 and
set(p.values()) == {"ok"} and list(p) == ["build", "tests", "ours", "profile",
"graphs", "others", "roofs", "curve", "vgg", "bf16", "images", "sanitize",
"nccl", "ranks", "logs", "eager", "compile", "engines", "forms"]'
verdict "a table is printed last" sh -c '
	tail -n 25 "$1" | sed -n 1p | grep -q "^NVIDIA H200 driver 580.159, PyTorch 2.11.0, commit " &&
	grep -q "^ranks  *ok .* gloo 7000 img/s, mpi: skipped, not built" "$1" &&
	tail -n 25 "$1" | grep -q "^resnet50 b400 fp16: 1.60 x PyTorch: dlscale 8000, torch-compile 5000"' - \
    "$tmp/out"
verdict "logs come as one archive, without unfinished ones" sh -c '
	tar -tzf "$1/r.json.logs.tar.gz" >"$1/names" &&
	grep -q "h200/1n1g/resnet50_b32_fp16_1.log$" "$1/names" &&
	! grep -q "~" "$1/names" &&
	grep -q "^batch 32 64 128 256 400" "$1/r.json.logs/h200.sweep"' - "$tmp"
expect "what was measured, and on what" 0 'len(r["throughput"]) == 13 and
r["machine"]["gpus"][0]["name"] == "NVIDIA H200" and
r["machine"]["gpus"][0]["driver_version"] == "580.159" and
r["machine"]["python"]["torch"] == "2.11.0" and
r["throughput"][0]["clock_sm_mhz"] == 1980 and
r["throughput"][0]["gpu_memory_used_mib"] == 5120 and
abs(r["throughput"][0]["mfu"] - 8 * 24.30 / 989) < 1e-9 and
r["table"]["resnet50 b400 fp16"]["ratio"] == 1.6 and
r["tests"]["test_cuda_device"]["ok"] == 1' \
    --skip profile,engines
# 1e9 operations at 800 TFLOP/s take 1.25 us, 4e8 bytes at 4,300 GB/s 93 us; at
# the assumed roofs 94.5 us.
expect "calls next to their roofs" 0 'len(r["profile"]["calls"]) == 2 and
abs(r["profile"]["calls"][1]["roof_us"] - 93.02) < 0.01 and
not r["profile"]["roofs_assumed"]' --only build,roofs,profile
expect "next to assumed ones" 0 'r["profile"]["roofs_assumed"] and
abs(r["profile"]["calls"][1]["roof_us"] - 94.45) < 0.01' --only build,profile
expect "more cases with --full" 0 'len(p) == 20 and
{(x["model"], x["batch"], x["precision"]) for x in r["throughput"]} >=
{("vgg16", 256, "fp16"), ("resnet50", 64, "fp16"), ("resnet50", 256, "fp32")}
and {x["who"] for x in r["throughput"]} == {"dlscale", "dlscale-jpeg",
"dlscale-heuristic", "torch-eager", "torch-compile", "torch-graphs", "torch-autotune"}' \
    --full --skip tests

# The parts that the comparison relies on have time before the others begin.
cat >"$tmp/limits.py" <<'END'
import re, sys
text = open(sys.argv[1]).read()
parts = {k: int(v) for k, v in re.findall(r'"(\w+)": \((\d+),', text)}
total = int(re.search(r'TOTAL = \((\d+)', text).group(1))
first = [parts[k] for k in ("tests", "ours", "profile", "graphs", "others",
                            "roofs")]
sys.exit("%s are more than %d" % (first, total) if sum(first) > total else 0)
END
verdict "the parts most wanted fit into one command" \
    python3 "$tmp/limits.py" "$script"

# --- In several commands ----------------------------------------------------
mode memory
expect "a first command" 1 'p["others"] == "failed" and
len(r["throughput"]) == 2' --only build,ours,others
mode
expect "a second one adds what was missing" 0 'set(p.values()) == {"ok"} and
len(r["throughput"]) == 4 and "failures" not in r and
r["table"]["resnet50 b400 fp16"]["ratio"] == 1.6 and
[open(sys.argv[1] + ".log").read().count("-b %d --precision fp16" % b)
for b in (256, 400)] == [1, 2]' --resume --only build,ours,others,eager
mode other-gpu
refuse "and not on another GPU" 3 "check_and_bench: --resume: $tmp/r.json was \
measured on another machine" bare --bundle "$tmp/bundle" --resume
mode
echo '[1' >"$tmp/cut.json"
refuse "a result that is cut" 3 "check_and_bench: --resume: $tmp/cut.json: *" \
    bare --bundle "$tmp/bundle" --resume -o "$tmp/cut.json"
echo '{"schema": "other"}' >"$tmp/cut.json"
refuse "another program's result" 3 "check_and_bench: --resume: \
$tmp/cut.json is no result of this program" \
    bare --bundle "$tmp/bundle" --resume -o "$tmp/cut.json"

# --- What goes wrong --------------------------------------------------------
mode wrong-kernel
expect "a test that fails" 1 'p["tests"] == "failed" and p["ours"] == "ok" and
"not ok 2 - test_fp16" in why and r["complete"]' --only build,tests,ours
mode crash
expect "a test that crashes" 1 'p["tests"] == "failed" and "status -11" in why' \
    --only build,tests
mode blind
expect "tests that were all skipped" 1 'p["tests"] == "failed" and
"SKIP no GPU" in why' --only build,tests
mode mute
expect "one that was skipped without a reason" 1 'p["tests"] == "failed" and
"ok 3 - a # SKIP" in why' --only build,tests
mode none
expect "a whole program that was skipped" 1 'p["tests"] == "failed" and
"1..0 # skip no device" in why' --only build,tests
mode memory
expect "one case without memory" 1 'p["others"] == "failed" and
"not enough memory" in why and r["throughput"][0]["images_per_s"] == 8000 and
"problem" in r["throughput"][1] and len(r["failures"]) == 1 and
"-b 400" in r["failures"][0]["command"] and
r["failures"][0]["tail"].startswith("a line before")' \
    --only build,ours,others
mode rubbish
expect "PyTorch that does not work" 1 'p["eager"] == "failed" and
p["ours"] == "ok" and "no JSON" in why' --only build,ours,eager
mode old
expect "PyTorch without torch.compile" 0 'set(p.values()) == {"ok"} and
"torch-graphs: skipped, PyTorch 1.13.0a0" in r["parts"]["vgg"]["note"] and
{x["who"] for x in r["throughput"]} == {"dlscale", "torch-eager"}' \
    --only build,vgg,eager,compile
mode off
expect "losses that are not PyTorch's" 1 'p["curve"] == "failed" and
"only 0 % of the steps are in" in why and "first steps differ" in why' \
    --only build,curve
mode nan
expect "losses of PyTorch that are no numbers" 1 'p["graphs"] == "failed" and
"the loss is nan" in why and p["curve"] == "failed" and
"a number of PyTorch\x27s is NaN" in why and "problem" in r["throughput"][0]' \
    --only build,graphs,curve
mode race
expect "a race" 1 'p["sanitize"] == "failed" and
"racecheck: ========= RACECHECK SUMMARY: 1 hazard" in why' \
    --only build,sanitize
mode no-engine
expect "a program that ends under compute-sanitizer" 1 \
    'p["sanitize"] == "failed" and "memcheck: train_imagenet: no engine; " in why' \
    --only build,sanitize
mode apart
expect "ranks whose weights differ" 1 'p["ranks"] == "failed" and
"gloo: the weights are" in why and p["nccl"] == "failed" and
"weights differ from those without NCCL" in why' --only build,nccl,ranks
mode hang-profile
expect "a part that hangs" 1 'p["ours"] == "ok" and p["profile"] == "failed"
and "not done after" in why and p["curve"] == "not reached" and
r["seconds"] < 9' --only build,ours,profile,curve --seconds 4
verdict "leaves no process" sh -c '
	! pgrep -f "$1/bundle/[t]rain_imagenet" >/dev/null' - "$tmp"
mode hang-compile
run --only build,ours,compile --batches 256 &
job=$!
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	grep -q '"who": "dlscale"' "$tmp/r.json" 2>/dev/null &&
	    grep -A 1 '"compile"' "$tmp/r.json" | grep -q running && break
	sleep 0.5
done
# The job is a shell, and the script is its child.
kill -TERM "$(pgrep -P $job)"
wait $job
rc=$?
verdict "ended from outside, it keeps what it measured" sh -c '
	test "$1" -eq 1 && python3 -c "
import json, sys
r = json.load(open(sys.argv[1]))
sys.exit(not (r[\"throughput\"][0][\"images_per_s\"] == 8000 and
    r[\"parts\"][\"compile\"][\"status\"] == \"interrupted\" and
    not r[\"complete\"] and r[\"ended_by_signal\"] == 15))" "$2"' - \
    $rc "$tmp/r.json"
mode
rm "$tmp/bundle/tests/unit/test_cuda_device"
expect "no test at all" 1 'p["tests"] == "failed" and why == "no tests"' \
    --only build,tests
fake "$tmp/bundle/train_imagenet" <<'END'
echo "libcudnn.so.9: cannot open shared object file" >&2
exit 127
END
expect "a program that does not start" 3 'p["build"] == "failed" and
p["ours"] == "not reached" and "libcudnn.so.9" in why and not r["complete"]' \
    --only build,ours
expect "PyTorch is measured without it" 3 'p["build"] == "failed" and
p["ours"] == p["curve"] == "not reached" and p["roofs"] == p["eager"] == "ok"
and r["throughput"][0]["images_per_s"] == 5000 and not r["complete"]' \
    --only build,roofs,ours,eager,curve

# --- Engines that are known ---------------------------------------------------
printf '%s\n' "dlscale-engines 1" "cudnn 91900" "gpu 9.0 132 NVIDIA H200" \
    "end 0" >"$tmp/engines"
run --only build --engines "$tmp/engines"
verdict "engines are put where the trainer looks, and come back" sh -c '
	cmp "$1/engines" "$1/r.json.cache/dlscale/engines-91900-nvidia-h200-132" &&
	cmp "$1/engines" "$1/r.json.engines"' - "$tmp"
refuse "a file that has none" 2 "check_and_bench: --engines: $tmp/cut.json is \
no file of engines" bare --bundle "$tmp/bundle" --engines "$tmp/cut.json"

# --- The commit ------------------------------------------------------------------
# A source tree inside another repository does not have its commit.
mkdir -p "$tmp/away/tests/gpu" "$tmp/away/tests/unit"
cp "$top_srcdir"/tests/gpu/* "$tmp/away/tests/gpu"
cp "$tmp/bundle/make_toy_images" "$tmp/away/train_imagenet"
commit() {
	env PATH="$tmp/bin:$PATH" python3 "$tmp/away/tests/gpu/check_and_bench" \
	    -o "$tmp/r.json" --torch "$tmp/bin/torch" --only build >/dev/null 2>&1
	python3 -c "
import json, sys
found = json.load(open(sys.argv[1]))['machine']['commit']
sys.exit(repr(found) if str(found) != sys.argv[2] else 0)" "$tmp/r.json" "$1"
}
if command -v git >/dev/null; then
	(cd "$tmp" && git init -q . &&
	    git -c user.name=a -c user.email=a@b commit -q --allow-empty -m a)
	verdict "not another repository's commit" commit None
fi
echo 0123abc >"$tmp/away/commit"
verdict "a bundle's own commit" commit 0123abc

# --- Libraries in Python's packages -------------------------------------------
nvidia=$tmp/site/nvidia
mkdir -p "$nvidia/cudnn/lib" "$nvidia/cudnn/include" "$nvidia/nccl/lib"
: >"$nvidia/cudnn/lib/libcudnn.so.9"
: >"$nvidia/cudnn/lib/libcudnn_graph.so.9"
: >"$nvidia/cudnn/include/cudnn.h"
verdict "folders of the packages' libraries are found" sh -c '
	PYTHONPATH="$1" python3 -c "
import sys
sys.path.insert(0, sys.argv[1])
import runner
want = [sys.argv[2] + \"/cudnn/lib\", sys.argv[2] + \"/nccl/lib\"]
found = runner.python_libraries([sys.executable])
sys.exit(0 if want == [f for f in found if f in want] else str(found))" \
	    "$2" "$3"' - "$tmp/site" "$top_srcdir/tests/gpu" "$nvidia"
verdict "a library is found in them, or not at all" sh -c '
	python3 -c "
import sys
sys.path.insert(0, sys.argv[1])
import runner
folders = [sys.argv[2] + \"/nccl/lib\", sys.argv[2] + \"/cudnn/lib\"]
found = runner.find_library(\"libcudnn.so.9\", folders)
assert found == sys.argv[2] + \"/cudnn/lib/libcudnn.so.9\", found
assert runner.find_library(\"libnowhere.so.\", folders) is None
assert runner.find_library(\"libc.so.\", []).startswith(\"/\")
" "$1" "$2"' - "$top_srcdir/tests/gpu" "$nvidia"
verdict "versions are numbers" sh -c '
	python3 -c "
import sys
sys.path.insert(0, sys.argv[1])
from runner import version_of
assert version_of(\"2.11.0+cu130\") >= (2, 2) > version_of(\"2.1.2\")
assert version_of(\"2.2.0a0+git\") >= (2, 2) > version_of(\"1.13.1\")
" "$1"' - "$top_srcdir/tests/gpu"
verdict "a package becomes a prefix with the linker's name" sh -c '
	python3 -c "
import sys
sys.path.insert(0, sys.argv[1])
import runner
f = [sys.argv[2] + \"/nccl/lib\", sys.argv[2] + \"/cudnn/lib\"]
assert runner.link_package(f, \"cudnn.h\", \"libcudnn\", sys.argv[3])
assert not runner.link_package(f, \"nccl.h\", \"libnccl\", sys.argv[3] + 2 * \"x\")
" "$1" "$2" "$3" && test "$3/lib/libcudnn.so" -ef "$2/cudnn/lib/libcudnn.so.9" &&
	test -e "$3/include/cudnn.h" -a -e "$3/lib/libcudnn_graph.so.9"' - \
    "$top_srcdir/tests/gpu" "$nvidia" "$tmp/prefix"
finish
