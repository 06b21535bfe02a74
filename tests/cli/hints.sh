# Reasons and hints are correct: an option is suggested only if the audit does
# not flag what it includes, and a refusal names what is missing.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
x=$(cd "$bindir" && pwd)/extract_logs
cd "$tmp" || exit 1

# steps FROM TO START SECONDS: Swin's lines of each iteration; the first one
# takes START seconds.
steps() {
	awk -v from="$1" -v to="$2" -v start="$3" -v t="$4" 'BEGIN {
		for (i = from; i <= to; i++)
			printf "[2021-04-13 12:39:46 swin](main.py 204): INFO " \
			    "Train: [0/300][%d/1000]\teta 0:10:12 lr 0.000021\t" \
			    "time %.4f (0.1000)\tloss 6.9 (6.9)\tmem 6842MB\n",
			    i, i == from ? start : t + i % 3 / 1000
	}'
}
one="--nodes=1 --gpus-per-node=1 --batch-size-per-device=32"
# reason LOG ARGUMENT...
reason() {
	# shellcheck disable=SC2086 # options
	"$x" -o r.json $one "$@" 2>&1 >/dev/null |
	    sed -n 's/.*: excluded: //p'
}
# says NAME WANT LOG ARGUMENT...: WANT is a shell pattern.
says() {
	name=$1 want=$2
	shift 2
	got=$(reason "$@")
	# shellcheck disable=SC2254 # a pattern
	case $got in
	$want) verdict "$name" true ;;
	*) verdict "$name" eval 'echo "says: $got"; false' ;;
	esac
}
# keeps NAME LOG: with the hint's options the result is 310 to 326 samples/s.
keeps() {
	hint=$(reason "$2" | sed -n 's/.*pass \(.*\) to include it.*/\1/p')
	# shellcheck disable=SC2086 # options
	"$x" -q -o r.json $one $hint "$2" >/dev/null 2>&1
	verdict "$1" eval 'sed -n "s/.*\"value\": \([0-9.]*\),/\1/p" r.json |
	    awk "{ exit !(\$1 > 310 && \$1 < 326) }"'
}

# figure LOG ARGUMENT...: "VALUE FLAG..." of the only measured run.
figure() {
	# shellcheck disable=SC2086 # options
	"$x" -q -o f.json $one "$@" >/dev/null 2>&1 && python3 -c '
import json
run, = json.load(open("f.json"))["cases"][0]["runs"]
print("%.1f" % run["value"], *[f["text"] for f in run["flags"]])'
}
# short NAME WANT LOG ARGUMENT...: WANT is a shell pattern.
short() {
	name=$1 want=$2
	shift 2
	got=$(figure "$@")
	# shellcheck disable=SC2254 # a pattern
	case $got in
	$want) verdict "$name" true ;;
	*) verdict "$name" eval 'echo "is: $got"; false' ;;
	esac
}

steps 0 9 30 0.1 >start.log
says "a first step that compiles is not in the hint" \
    'has 10 of 125 iterations; pass --rule=all --from-iteration=1 to *' start.log
keeps "and what the hint includes is the steady speed" start.log
steps 0 99 0.1 0.1 >clean.log
says "a clean log: as many as there are" \
    'has 100 of 125 iterations; pass --train-batches=95 to include it' clean.log \
    --strict-window
one="$one --strict-window"
keeps "which is right" clean.log
one=${one% *}
short "a short log is measured to its end" \
    '31[0-9].? short log: 75 iterations (25 to 99) were measured, not 100' clean.log
steps 0 49 20 0.1 >fifty.log
short "one of 50 steps" \
    '31[0-9].? short log: 25 iterations (25 to 49) were measured*' fifty.log
steps 0 19 20 0.1 >twenty.log
short "one of 20 steps, from its half on" \
    '31[0-9].? short log: 10 iterations (10 to 19) were measured*' twenty.log
steps 0 18 20 0.1 >few.log
says "but not of fewer than settle" 'has 19 of 125 iterations; *' few.log
awk 'BEGIN { for (i = 0; i < 100; i++)
	printf "[2021-04-13 12:39:46 swin](main.py 204): INFO Train: " \
	    "[0/300][%d/1000]\teta 0:10:12 lr 0.000021\ttime %.4f (0.1000)" \
	    "\tloss 6.9 (6.9)\tmem 6842MB\n", i, 0.1 + i / 1000 }' >rising.log
says "nor one that never settles" \
    'has 100 of 125 iterations; every other choice of iterations is in doubt*' rising.log
says "an option's own window stays" 'has 50 of 200 iterations; *' fifty.log \
    --train-batches=195
{
	steps 0 49 20 0.1
	echo "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB"
} >memory.log
says "a run that failed is not short" 'out of memory: *' memory.log
mkdir runs other
steps 0 49 20 0.1 >runs/run1.log
steps 0 199 20 0.1 >runs/run2.log
steps 0 49 19 0.1 >other/run1.log
says "next to a whole run a short one does not count" \
    'has 50 of 125 iterations; pass --train-batches=45 to include it' runs
# shellcheck disable=SC2086 # options
verdict "in another folder it is a case of its own" eval '
    "$x" -q -o f.json $one runs other >f.txt && grep -c "short-log" f.json |
    grep -qx 1 && grep -q "^folder=other .* a$" f.txt'
{
	steps 0 59 0.3 0.3
	steps 60 99 0.1 0.1
} >warm.log
says "no hint that the audit would flag" \
    'has 100 of 125 iterations; every other choice of iterations is in doubt: *' \
    warm.log --strict-window
short "a late start is measured from where it settles" \
    '31[0-9].? short log: 40 iterations (60 to 99) were measured*' warm.log
steps 0 0 30 0.1 >single.log
says "nor one of one iteration" '*iterations is in doubt: it is one iteration' single.log
echo "| Training Device=xla:0/0 Epoch=1 Step=2000 Loss=0.1 Rate=1765.00" \
    "GlobalRate=343.75 Time=07:31:43" >mean.log
says "nor a single mean since the start" \
    '*iterations is in doubt: it is one record, with the start' mean.log
awk 'BEGIN { for (i = 0; i < 30; i += 10)
	printf "Epoch: [0][%3d/150]\tTime  0.056 ( 0.029)\tData  0.000 " \
	    "( 0.000)\tLoss 6.9e+00 (6.9e+00)\tAcc@1   0.00 (  0.00)\tAcc@5   " \
	    "0.00 (  0.00)\n", i }' >ahead.log
says "nor one that takes steps for all which are not" \
    '*iterations is in doubt: its running means differ' ahead.log
steps 500 700 0.1 0.1 >late.log
says "a log that starts after the window" \
    'has the iterations from 500 on, not the window from 25 to 125; pass --rule=all *' \
    late.log
keeps "and its hint" late.log
steps 100 300 0.1 0.1 >inside.log
says "one that starts inside it" \
    'has the iterations from 100 on, not the window from 25 to 125; *' inside.log
steps 60 110 0.1 0.1 >middle.log
says "one that has a part of it" \
    'has the iterations from 60 to 111 only, not the window from 25 to 125; *' \
    middle.log --strict-window

awk 'BEGIN { for (i = 1; i < 300; i += 7)
	printf "\rTraining: %d%%|# | %d/300 [00:00<00:00, 1234.5it/s]", i / 3, i
}' >bars.log
says "bars that show no time yet" \
    'its 43 progress bars show no time yet (00:00)' bars.log
awk 'BEGIN { for (i = 0; i < 40; i++)
	printf "{\"loss\": 2.1, \"learning_rate\": 1e-05, \"epoch\": %.2f}\n",
	    i / 100 }' | tr '"' "'" >dictionaries.log
says "a log without its end" 'lacks the figure of the whole run*' \
    dictionaries.log
says "steps without a time" 'no step with a time or a rate was found in it' \
    dictionaries.log --rule=all

# Two ranks of a job in an excerpt of its log, which begins and ends inside an
# iteration.
steps 400 560 0.1 0.1 | awk '{ print; print }' | sed '1d; $d' >ranks.log
one=--unit=iterations/s
says "ranks of a part of a log are no second run" \
    'has the iterations from 400 *' ranks.log

awk 'BEGIN { for (i = 0; i < 400; i += 10)
	printf "it %d of 400: loss %.3f, 512.%d img/s/gpu\n", i, 1 / (i + 1),
	    i % 7 }' >unknown.log
says "an unknown log: --suggest is named" '*--suggest proposes one' unknown.log
"$x" --suggest unknown.log >unknown.format
verdict "a rate of each GPU has the scope of a device" grep -qx \
    'scope device' unknown.format
sed 's|img/s/gpu|tokens/s per device|' unknown.log >tokens.log
"$x" --suggest tokens.log >tokens.format
verdict "also of tokens" eval 'grep -qx "scope device" tokens.format &&
    grep -qx "unit tokens/s" tokens.format'
sed 's|img/s/gpu|img/s|' unknown.log >job.log
"$x" --suggest job.log >job.format
verdict "one of the job has not" grep -qx 'scope global' job.format
finish
