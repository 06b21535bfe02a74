# report_results --environment for this machine, machine.txt and results.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
report=$(cd "$bindir" && pwd)/report_results
data=$(cd "$top_srcdir/tests/cli/data" && pwd)
golden=$(cd "$golden" && pwd)
cd "$tmp" || exit 1

cat >machine.txt <<'END'
host: node7
processor: AMD EPYC 9654
processors: 192, 192 usable
memory: 1511.5 GiB
kernel: Linux 6.1.0 x86_64
system: Debian GNU/Linux 12 (bookworm)
nic: eth0, ixgbe, 10 Gbit/s
nic: mlx5_0:1, 400 Gbit/s (4X NDR)
gpu: 0, NVIDIA H200, 143771 MiB, 580.159
gpu: 1, NVIDIA H200, 143771 MiB, 580.159
driver: 580.159
gpu link: NV18
mpi: mpirun (Open MPI) 4.1.4
cuda: 12.9
nccl: 2.27.3
dlscale: 0.1.0
commit: 3f2a1b0c9d8e
started: 2026-11-13T08:00:00Z
command: run_sweep a.sweep
END
# A machine described by hand: that of report 002.
cat >given.txt <<'END'
# typed from a report

host: G4dn.12xlarge
gpu: 4 × T4
nic: ENA
GPU memory: 16 GB | each
END
cp "$data/two-frameworks.json" result.json
check "files of lines, and a result" environment.txt \
    "$report" --environment machine.txt given.txt result.json
check "in Chinese, as Markdown" environment-zh.md \
    "$report" --environment --lang=zh --format=markdown machine.txt given.txt
check "for a program" environment.csv \
    "$report" --environment --format=csv machine.txt given.txt
# A page shows the machine.txt next to a result, in this or another folder.
for place in . apart; do
	sed "s/node7/machine of $place/" machine.txt >found.txt
	mkdir -p "in $place/$place"
	cp result.json found.txt "in $place/$place"
	mv "in $place/$place/found.txt" "in $place/$place/machine.txt"
done
(cd "in ./." && "$report" --html result.json) >page.html 2>err
verdict "the machine of a result in this folder" \
    grep -q 'machine of \.' page.html
(cd "in apart" && "$report" --html apart/result.json) >page.html 2>err
verdict "the machine of a result in another" \
    grep -q 'machine of apart' page.html
# A GPU without a driver version is valid, as is a line of maximum length.
printf 'host: a\ngpu: 0, NVIDIA H200\n' >one-comma.txt
"$report" --environment one-comma.txt >shown
verdict "a GPU without its driver" grep -q '^GPUs  *0, NVIDIA H200$' shown
long() { awk -v n="$1" 'BEGIN { s = "note: "
	while (length(s) < n) s = s "x"
	print s }'; }
long 8190 >fits.txt
long 8191 >too-long.txt
verdict "the longest line" "$report" --environment fits.txt
refuse "a longer one" 3 \
    "report_results: too-long.txt:1: neither a result nor lines *" \
    "$report" --environment too-long.txt

# --- this machine -------------------------------------------------------------

mkdir bin code
cat >bin/nvidia-smi <<'END'
#!/bin/sh
case $1 in
topo) printf '\tGPU0\tGPU1\tNIC0\nGPU0\t X \tNV18\tPIX\nGPU1\tNV18\t X \tSYS\n';;
*) printf '0, NVIDIA H200, 143771 MiB, 580.159\n1, NVIDIA H200, 143771 MiB, 580.159\n';;
esac
END
cat >bin/mpirun <<'END'
#!/bin/sh
echo "mpirun (Some MPI) 9.9"; echo more
END
chmod +x bin/nvidia-smi bin/mpirun
PATH=$tmp/bin:$PATH
(cd code && git init -q && git -c user.name=a -c user.email=a@b.c commit -q \
    --allow-empty -m x) >/dev/null 2>&1
(cd code && "$report" --environment) >mine 2>err
verdict "this machine has one column" test \
    "$(cd code && "$report" --environment --format=csv 2>err | head -n 1 |
	tr -cd , | wc -c)" -eq 1
has() { grep -q "^ *$1  *$2\$" mine || { cat mine err; false; }; }
verdict "this machine: its name" has host "$(uname -n)"
verdict "its kernel" has kernel "$(uname -srm)"
verdict "its GPUs, counted" has GPUs '2 × NVIDIA H200, 143771 MiB'
verdict "its driver" has "GPU driver" '580.159'
verdict "the links of its GPUs, not those to cards" has "GPU link" NV18
verdict "its MPI, a line" has MPI 'mpirun (Some MPI) 9.9'
verdict "the date" has date '20[0-9-]*T[0-9:]*Z'
if command -v git >/dev/null 2>&1; then
	verdict "the commit of the folder" \
	    has commit "$(git -C code rev-parse --short=12 HEAD)"
else
	skip "the commit of the folder" "no git"
fi
cat >bin/nvidia-smi <<'END'
#!/bin/sh
echo "driver mismatch"; exit 9
END
"$report" --environment >mine 2>err
verdict "a tool that fails is silent" eval '! grep -q mismatch mine'
cat >bin/mpirun <<'END'
#!/bin/sh
echo half; sleep 60
END
verdict "nor one that hangs, which is ended" eval '
    timeout 20 "$report" --environment >mine 2>err && ! grep -q half mine'

# --- what is refused ----------------------------------------------------------

printf 'host: a\nno colon here\n' >bad.txt
refuse "a line that is none" 3 \
    "report_results: bad.txt:2: neither a result nor lines *" \
    "$report" --environment bad.txt
refuse "a file that is not there" 3 "report_results: cannot open 'none'*" \
    "$report" --environment machine.txt none
: >empty.txt
refuse "a file without metadata" 4 "report_results: empty.txt: no metadata in it" \
    "$report" --environment empty.txt
# 4096 lines give a row each within seconds; more are refused, not dropped.
awk 'BEGIN { for (i = 1; i <= 4097; i++) print "key " i ": v" i }' >many.txt
head -n 4096 many.txt >most.txt
verdict "4096 lines of different keys in seconds" sh -c '
	ulimit -t 8 && "$1" --environment --format=csv most.txt >most.csv &&
	test "$(grep -c "^key [0-9]*,v[0-9]*" most.csv)" -eq 4096' sh "$report"
refuse "and one more" 3 \
    "report_results: many.txt:4097: more than 4096 lines *" \
    "$report" --environment many.txt
refuse "with a table of results" 2 \
    "report_results: --table is of tables, --compare, not of --environment" \
    "$report" --environment --table=law machine.txt
refuse "a format of gates" 2 \
    "report_results: --format: --environment does not write 'junit'" \
    "$report" --environment --format=junit machine.txt
refuse "onto its own input" 2 "report_results: cannot write 'machine.txt'*" \
    "$report" --environment -o machine.txt machine.txt
finish
