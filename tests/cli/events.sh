# TensorBoard event files: a rate by its tag, else the wall-clock time of
# records; files that are cut or damaged.
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

# Only the records of the losses: 0.25 s per step.
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
verdict "is flagged, with its resolution" \
    eval "tr -s '\n ' ' ' <table | grep -q 'records were written, to 0.01 s: '"

head -c 30000 "$data/steps.tfevents" >cut.tfevents
verdict "what came before a cut is read" \
    test "$(figure cut.tfevents)" = "events-torchtitan tokens/s 16384"
verdict "a cut is reported" grep -q 'cut.tfevents: its data are truncated' err
python3 -c 'import sys
data = bytearray(open(sys.argv[1], "rb").read())
data[20000] ^= 1
open("damaged.tfevents", "wb").write(data)' "$data/steps.tfevents"
verdict "records after a damaged one are read" \
    test "$(figure damaged.tfevents)" = "events-torchtitan tokens/s 16384"
verdict "a damaged record is reported" \
    grep -q 'damaged.tfevents: .*truncated or damaged' err

# --- a job that was started again ---
# Written by TensorBoard's own writer: steps 0 to 149 and, an hour later, 60 and
# later after a session start, as a writer with purge_step=60 does.
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
field() { # NAME: of the run
	sed -n "s/^ *\"$1\": \([^,]*\),\{0,1\}$/\1/p" j.json | head -n 1
}
measure() { # OPERANDS: j.json, if there is something to measure
	rm -f j.json
	"$x" --nodes=1 --gpus-per-node=1 -o j.json "$@" >table 2>err
}

mkdir again
cp "$data/before.tfevents" again/events.out.tfevents.1700000000.host.1.0
cp "$data/again.tfevents" again/events.out.tfevents.1700003600.host.2.0
verdict "two files of one run" test "$(figure again)" = \
    "events-torchtitan tokens/s 16384"
measure again
verdict "... are one run" test "$(grep -c '"path":' table j.json | tr '\n' ' ')" = \
    "table:0 j.json:2 "
verdict "... called by the pattern of their names" \
    grep -q '"path": "events.out.tfevents.\*"' j.json
verdict "... whose window is the first file's" test \
    "$(field first_iteration) $(field last_iteration) $(field iterations)" = \
    "25 124 100"
measure --epoch=2 again
verdict "... or the second's" test \
    "$(field first_iteration) $(field last_iteration)" = "85 184"
measure 'again/events.out.tfevents.*'
verdict "their pattern is an operand" test "$(field iterations)" = 100
"$x" --explain='again/events.out.tfevents.*' >explained 2>&1
verdict "... and explained" grep -q '"event_file":2' explained
measure again/events.out.tfevents.1700003600.host.2.0
verdict "one of them alone is itself" \
    grep -q 'excluded: .*lacks the lines of 35 of the 100 iterations\|1700003600.host.2.0: excluded' err

# Cut at step 60: the window spans both files; the hour between is in no step.
mkdir cut cut/losses
python3 part.py "$data/before.tfevents" 0 60 >cut/events.out.tfevents.1.h
cp "$data/again.tfevents" cut/events.out.tfevents.2.h
for i in 1 2; do
	python3 only.py <cut/events.out.tfevents.$i.h \
	    >cut/losses/events.out.tfevents.$i.h
done
measure cut/losses
verdict "the time between two files is no step's" \
    awk 'BEGIN { x = ARGV[1]; exit !(x > 2.5 && x < 4) }' "$(field median_speed)"
verdict "... and that there are two is reported" grep -q 'epochs 1–2' j.json
if built_with ZLIB; then
	before=$(field median_speed)
	gzip cut/losses/events.out.tfevents.1.h
	measure cut/losses
	verdict "packed ones too" test "$(field median_speed)" = "$before"
	gzip -c "$data/steps.tfevents" >steps.tfevents.gz
	verdict "a packed file alone" test "$(figure steps.tfevents.gz)" = \
	    "events-torchtitan tokens/s 16384"
else
	skip "packed ones too" "built without zlib"
	skip "a packed file alone" "built without zlib"
fi
head -c 9000 "$data/before.tfevents" >again/events.out.tfevents.1700000000.host.1.0
measure again
verdict "a file that was cut is reported of the run" \
    grep -q 'truncated or damaged' err
python3 -c 'import sys
data = bytearray(open(sys.argv[1], "rb").read())
data[9000] ^= 1
open(sys.argv[2], "wb").write(data)' "$data/before.tfevents" \
    again/events.out.tfevents.1700000000.host.1.0
measure again
verdict "so is a damaged one" grep -q 'truncated or damaged' err

# Files that merely share a folder are not one run.
mkdir apart
cp "$data/before.tfevents" apart/events.out.tfevents.1.h
cp "$data/steps.tfevents" apart/events.out.tfevents.2.h
measure apart
verdict "two runs from the start are two" test "$(grep -c '"run":' j.json)" -eq 2
mkdir at_once
python3 part.py "$data/steps.tfevents" 1 200 >at_once/events.out.tfevents.2.h
cp "$data/before.tfevents" at_once/events.out.tfevents.1.h
measure at_once
verdict "so are files that were written at once" \
    test "$(grep -c '"path": "events.out.tfevents.[12].h"' j.json)" -ge 2
mkdir alone
cp "$data/before.tfevents" alone/events.out.tfevents.1.h
: >alone/events.out.tfevents.2.h.profile-empty
measure alone
verdict "a profiler's empty file is none" test "$(field path)" = \
    '"events.out.tfevents.1.h"'
finish
