# Lines in unexpected forms: encodings, line ends, notations of numbers,
# repeated records. The result is the right figure or a message with its place,
# never a wrong figure without a message.
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/logs.sh"
. "$top_srcdir/tests/medians.sh"

x=$bindir/extract_logs
mkdir "$tmp/w" && cd "$tmp/w" || exit 1
one="--nodes=1 --gpus-per-node=1 --batch-size-per-device=4"
two="--nodes=1 --gpus-per-node=2 --batch-size-per-device=4"
w="extract_logs: warning"

# left_out NAME FILE MESSAGE: status 4 with the message.
# shellcheck disable=SC2086 # options
left_out() {
	refuse "$1" 4 "$w: $3" "$x" $one -o x.json "$2"
}
imagenet 130 dt=0.001 >a.log
esc=$(printf '\033')

### Encodings

awk 'NR == 1 { printf "\357\273\277" } 1' a.log >bom.log
like "a byte order mark of UTF-8" bom.log
# wide FILE LITTLE: print FILE in UTF-16, as PowerShell's tee writes it.
wide() {
	awk -v little="$2" 'BEGIN { printf "%s", little ? "\377\376" : "\376\377" }
	{
		n = length($0)
		for (i = 1; i <= n + 1; i++) {
			c = i > n ? "\n" : substr($0, i, 1)
			printf "%s", little ? c "@" : "@" c
		}
	}' "$1" | LC_ALL=C tr @ '\000'
}
LC_ALL=C wide a.log 1 >utf16le.log
like "UTF-16, low byte first" utf16le.log
LC_ALL=C wide a.log 0 >utf16be.log
like "UTF-16, high byte first" utf16be.log
{
	head -n 60 a.log
	tail -n +61 a.log >rest.txt
	LC_ALL=C wide rest.txt 1
} >mixed.log
like "UTF-16 appended to UTF-8" mixed.log

### Ends of lines and what moves the cursor

awk '{ printf "%s\r\r\n", $0 }' a.log >crcrlf.log
like "lines that end in CR CR LF" crcrlf.log
sed "s/^/$esc[A$esc[2K/" a.log | tr '\n' '\r' >cursor.log
like "bars that move the cursor" cursor.log
awk -v e="$esc" '{ print e "]0;33 %\007" e "[?25l" $0 e "(B" e "[?25h" }' \
    a.log >title.log
like "bars that set the title of the window" title.log

### Numbers

# with TIME: print a.log with TIME as the time of lines 50 to 59.
with() {
	sed "50,59s/Time  0.40./Time  $1/" a.log
}
for odd in nan inf -0.4 4e400; do
	with $odd >odd.log
	# shellcheck disable=SC2086 # options
	verdict "ten times are $odd: reported" eval '
		"$x" -q -o x.json $one odd.log >/dev/null &&
		grep -q "\"90 of 100 iterations printed\"" x.json'
	sed "s/Time  0.40./Time  $odd/" a.log >odd.log
	left_out "all times are $odd" odd.log "odd.log: excluded: no format matches it; *"
done
for odd in 0.000 99999999999999999999999999; do
	with $odd >odd.log
	left_out "a time is $odd" odd.log "odd.log:50: excluded: the time of \
iteration 49 is not a plausible number above 0"
done
sed "50,60s/Time  0.40./Time  nan/" a.log >odd.log
left_out "eleven times are nan" odd.log "odd.log: excluded: lacks the lines \
of 11 of the 100 iterations in the window from 25 to 125; *"
sed 's/0\.4/0,4/g' a.log >odd.log
left_out "decimal commas" odd.log "odd.log: excluded: no format matches it; *"

### Records that come again, and records that are missing

# flag NAME FLAG OPTIONS FILE: status 0, and the table and the result have FLAG.
flagged() {
	# shellcheck disable=SC2086 # options
	"$x" -q -o x.json $2 "$3" >table && grep -q "$1" table &&
	    grep -q "\"$1" x.json
}
flag() { verdict "$1" flagged "$2" "$3" "$4"; }
cat a.log a.log >again.log
flag "two runs in one log" "attempt 2 of 2" "$one" again.log
flag "two runs in one log, and two GPUs" "iterations are printed again from \
the start" "$two" again.log
awk '{ print; print }' a.log >tee.log
left_out "each line twice" tee.log "tee.log:2: excluded: iteration 0 is \
printed again, and there is 1 rank: *"
tail -n +61 a.log >a.log.2
left_out "the first part of a log was rotated away" a.log.2 "a.log.2: exclu\
ded: has the iterations from 59 on, not the window from 25 to 125; pass --rule=all to include it"
imagenet 130 ranks=2 >two.log
# shellcheck disable=SC2086 # options
verdict "ranks next to each other are fine" eval '
	"$x" -q -o x.json $two two.log >/dev/null &&
	grep -q "\"ranks_seen\": 2" x.json && grep -q "\"flags\": \[\]" x.json'
head -n 8 a.log >warm.log
left_out "nothing but warm-up" warm.log "warm.log: excluded: has 8 of 125 \
iterations; *"
sed 's/^Epoch: [[]0[]]/Test: /' a.log >test.log
left_out "nothing but validation" test.log "test.log: excluded: no step with \
a time or a rate was found in it*"

### Names

# The name of a log cannot send control characters or new lines to the terminal.
mkdir "names" && cp a.log "names/$(printf 'a\033[31m\nb\302\233c').log"
cp a.log "names/-q.log"
# shellcheck disable=SC2086 # options
refuse "a name that commands the terminal" 0 \
    "$w: a??31m?b??c.log: excluded: has the same bytes as -q.log, *" \
    "$x" $one -o x.json names
# shellcheck disable=SC2086 # options
refuse "and in an error" 3 "extract_logs: cannot open 'n?[[]0m': No such file*" \
    "$x" $one "n$esc[0m"
long=$(awk 'BEGIN { for (i = 0; i < 3000; i++) printf "y/" }')
# shellcheck disable=SC2086 # options
refuse "a path that is too long" 3 "extract_logs: cannot open '*...: File name \
too long" "$x" $one "$long"

### Cut numbers

# A format that matches only the start of a number.
# lines TIME: print lines as MMCV writes them.
lines() {
	awk -v t="$1" 'BEGIN { for (i = 1; i <= 130; i++)
		printf "2018-10-23 10:51:07,015 - INFO - Epoch [1][%d/2500]\tlr: \
0.02000, time: %s, data_time: 0.025, loss: 1.5\n", i, t }'
}
lines 0.125 >plain.log
lines 1.25e-01 >power.log
# shellcheck disable=SC2086 # options
verdict "a power of ten after what a pattern catches" test \
    "$(median $one plain.log)" = "32 " -a \
    "$(median $one power.log)" = "32 "
# A pattern that tests no single digit, so that lines are read by their shape.
mkdir formats
cat >formats/own.format <<'F'
name own
description a pattern that catches the front of a number
kind step-time
statistic instant
base 1
step step ^step (?<iter>\d+) takes (?<step_s>[\d.]+)
sample step 12 takes 0.25
expect step iter=12 step_s=0.25
F
own() {
	awk -v t="$1" 'BEGIN { for (i = 1; i <= 130; i++)
		printf "step %d takes %s seconds of time\n", i, t }'
}
own 1.25e-01 >own.log
# shellcheck disable=SC2086 # options
verdict "and the same by the shape of the line" test \
    "$(median $one --format-dir=formats own.log)" = "32 "
own 1,125 >own.log
# shellcheck disable=SC2086 # options
refuse "a comma in the shape of the line" 4 "$w: own.log:26: excluded: the \
time of iteration 26 is not a plausible number above 0" \
    "$x" --format-dir=formats $one -o x.json own.log
lines 1,125 >comma.log
left_out "a comma in a number" comma.log "comma.log:26: excluded: the time of \
iteration 26 is not a plausible number above 0"
finish
