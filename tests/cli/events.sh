# TensorBoard's event files: a rate by its tag, the wall-clock time of records
# where there is none, files that are cut or damaged.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
x=$(cd "$bindir" && pwd)/extract_logs
data=$(cd "$top_srcdir" && pwd)/tests/data/events
cd "$tmp" || exit 1
unset DLSCALE_FORMAT_PATH

figure() { # a log: format, unit, figure
	"$x" -v --nodes=1 --gpus-per-node=1 -o r.json "$@" >table 2>err
	sed -n 's/^extract_logs: [^:]*: \([a-z0-9-]*\),.*samples.*/\1/p;
	    s/^extract_logs: [^:]*: \([a-z0-9-]*\) (runner.*samples.*/\1/p' err |
	    tr '\n' ' '
	tr -d ' \n' <r.json | sed 's/.*"unit":"\([^"]*\)".*"median_speed":\([^,]*\),.*/\1 \2\n/'
	rm -f r.json
}

mkdir run
cp "$data/steps.tfevents" run/events.out.tfevents.1700000000.host.1.0
verdict "tokens per second by their tag" \
    test "$(figure run)" = "events-torchtitan tokens/s 16384"

# The records of the losses alone: 0.25 s a step.
cat >only.py <<'END'
import struct
import sys
data = sys.stdin.buffer.read()
at = 0
while at < len(data):
    end = at + 16 + struct.unpack("<Q", data[at:at + 8])[0]
    if at == 0 or b"train/loss" in data[at:end]:
        sys.stdout.buffer.write(data[at:end])
    at = end
END
python3 only.py <"$data/steps.tfevents" >loss.tfevents
verdict "wall-clock time between records" \
    test "$(figure loss.tfevents)" = "events-wall-time iterations/s 4"

head -c 30000 "$data/steps.tfevents" >cut.tfevents
verdict "what came before a cut is read" \
    test "$(figure cut.tfevents)" = "events-torchtitan tokens/s 16384"
verdict "a cut is reported" grep -q 'cut.tfevents: .*end early' err
python3 -c 'import sys
data = bytearray(open(sys.argv[1], "rb").read())
data[20000] ^= 1
open("damaged.tfevents", "wb").write(data)' "$data/steps.tfevents"
verdict "records after a damaged one are read" \
    test "$(figure damaged.tfevents)" = "events-torchtitan tokens/s 16384"
verdict "a damaged record is reported" \
    grep -q 'damaged.tfevents: .*end early' err

# --- a job that was started again ---
# Its second file begins at step 60, as a writer with purge_step=60 writes it; the
# first one went on to step 149.
cat >part.py <<'END'
import struct
import sys
data = open(sys.argv[1], "rb").read()
first, last = int(sys.argv[2]), int(sys.argv[3])
at = n = 0
while at < len(data):
    end = at + 16 + struct.unpack("<Q", data[at:at + 8])[0]
    if n == 0 or first <= (n - 1) // 3 < last:
        sys.stdout.buffer.write(data[at:end])
    at, n = end, n + 1
END
mkdir again
base=again/events.out.tfevents
python3 part.py "$data/steps.tfevents" 0 150 >$base.1700000000.host.1.0
python3 part.py "$data/steps.tfevents" 60 200 >$base.1700003600.host.2.0
verdict "two files of one run: the one that has the window" \
    test "$(figure again | sed 's/events-torchtitan //')" = \
    "events-torchtitan tokens/s 16384"
verdict "... counts, once" test \
    "$(grep -c 'host.2.0: excluded: lacks the lines of 34 of the 100 iterations' err)" -eq 1
cat $base.* >joined.tfevents
verdict "joined: an attempt" test "$(figure joined.tfevents)" = \
    "events-torchtitan tokens/s 16384"
"$x" --nodes=1 --gpus-per-node=1 -o j.json joined.tfevents >/dev/null 2>&1
verdict "... and reported to be one of two" grep -q 'attempt 1 of 2' j.json
finish
