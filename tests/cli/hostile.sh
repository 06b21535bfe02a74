# Inputs that no well-behaved program writes. extract_logs reports each case
# with its message and status, and never hangs, crashes or silently drops what
# it cannot use. tests/cli/hostile_long.sh has the large ones.
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/logs.sh"
. "$top_srcdir/tests/medians.sh"

x=$bindir/extract_logs
mkdir "$tmp/w" && cd "$tmp/w" || exit 1
one="--nodes=1 --gpus-per-node=1 --batch-size-per-device=4"
e="extract_logs"

imagenet 130 >a.log

### What stands in the place of a log

mkdir empty no none
: >empty/a.log
refuse "an empty file" 4 "$e: warning: a.log: excluded: the file is empty" \
    "$x" empty
refuse "a folder without logs" 4 "$e: no log found; the folder has no file, \
nor any below it" "$x" no
: >none/readme.md
refuse "a folder of other files" 4 "$e: no log found; 1 \
file is no log by its name" "$x" none
mkdir shut && cp a.log shut/ && chmod 0 shut/a.log
# root can read everything, so the program runs as another user.
if test -r shut/a.log && command -v setpriv >/dev/null 2>&1; then
	chmod 711 "$tmp"
	as="setpriv --reuid=65534 --regid=65534 --clear-groups"
else
	as=
fi
if test -r shut/a.log && ! $as "$x" --version >/dev/null 2>&1; then
	skip "an unreadable file" "this user reads everything"
	skip "an unreadable folder" "this user reads everything"
else
	refuse "an unreadable file" 4 \
	    "$e: warning: a.log: excluded: cannot open: Permission denied" \
	    $as "$x" shut
	chmod 0 shut
	refuse "an unreadable folder" 3 "$e: *shut*Permission denied" $as "$x" \
	    shut
	chmod 700 shut
fi
mkdir links && ln -s /nonexistent/x links/a.log
refuse "a dangling link" 4 \
    "$e: warning: links/a.log: excluded: a dangling link" "$x" links
rm links/a.log && ln -s b links/a && ln -s a links/b
refuse "a loop of links" 4 \
    "$e: warning: links/a and 1 more: excluded: a link that leads to itself" "$x" links
ln -s . links/c
refuse "a link to its own folder" 4 "$e: warning: links/c: excluded: a link \
to a folder above it, not followed" "$x" links
mkdir fifo && mkfifo fifo/a.log
refuse "a FIFO in a folder" 4 \
    "$e: warning: fifo/a.log: excluded: a FIFO, not a file" \
    timeout 20 "$x" fifo
refuse "a FIFO that is named" 3 "$e: 'fifo/a.log' is a FIFO, not a file" \
    timeout 20 "$x" fifo/a.log
mkdir -p dlperf/1n1g && mkfifo dlperf/1n1g/rn50_b128_fp32_1.log
refuse "a FIFO as DLPerf would read it" 4 "$e: *: '*' is no file; excluded" \
    timeout 20 "$x" --compat=dlperf dlperf
refuse "a device" 3 "$e: '/dev/zero' is a device, not a file" \
    timeout 20 "$x" /dev/zero
refuse "a file that is not there" 3 \
    "$e: cannot open 'gone.log': No such file or directory" "$x" gone.log
awk 'BEGIN { for (i = 0; i < 60000; i++)
	printf "%c", (i * 7919 + int(i / 7) * 31) % 256 }' >binary.log
refuse "a binary" 4 "$e: warning: binary.log: excluded: no format matches it; *" \
    "$x" binary.log

# A line with the starts of many objects takes too long to search completely.
awk 'BEGIN {
	print "start"
	for (i = 0; i < 16000; i++) {
		for (k = 0; k < 20; k++)
			printf "DLLL {"
		printf "\"datetime\": \"2020-01-01 10:11:12\", \"step\": "
		printf "[1, 2], \"data\": {\"average_loss\""
	}
}' >costly.log
refuse "a line that takes too long" 4 "$e: warning: costly.log: excluded: no \
format matches the examined part of it: more would take too long*" timeout 20 "$x" costly.log

# Detection reads the first 256 KiB: objects that end after them are read only
# if their format is named.
awk 'BEGIN {
	for (pad = "0123456789abcdef"; length(pad) < 300000;)
		pad = pad pad
	for (i = 1; i <= 12; i++)
		printf "{\"lr\": 0.1, \"data_time\": 0.01, \"loss\": 2.5, " \
		    "\"time\": 0.5, \"epoch\": 1, \"step\": %d, \"x\": \"%s\"}\n",
		    i, pad
}' >wide.log
refuse "objects of 300 kB" 4 "$e: warning: wide.log: excluded: no format matches \
the examined part of it: *; --log-format=NAME reads all of it*" \
    "$x" wide.log
refuse "with their format" 0 "$e: wrote x.json" "$x" $one --log-format=mmengine-json \
    --rule=all -o x.json wide.log
verdict "all of them" grep -q '"iterations": 12,' x.json

### Lines as they should not be

# shellcheck disable=SC2086 # options
refuse "a plain log" 0 "$e: wrote x.json" "$x" $one -o x.json a.log
sed 's/$/\r/' a.log >crlf.log
like "lines that end in CR LF" crlf.log
tr '\n' '\r' <a.log >cr.log
like "one line of progress bars" cr.log
sed "s/Time/$(printf '\033')[1;32mTime$(printf '\033')[0m/" a.log >ansi.log
like "colours" ansi.log
sed 's/Time/Ti@me/' a.log | tr @ '\000' >nul.log
like "NULs" nul.log
sed "s/\$/ $(printf '\377\376\300')/" a.log >utf.log
like "invalid UTF-8" utf.log
awk '{ printf "%s", $0; if (NR < 130) print "" }' a.log >last.log
like "a last line without its end" last.log
awk 'NR < 130; NR == 130 { printf "%s", substr($0, 1, 30) }' a.log >cut.log
like "a last line that was cut" cut.log
{
	awk 'BEGIN { for (i = 0; i < 20 * 1024; i++)
		printf "%1024s", "x" }'
	echo
	cat a.log
} >long.log
like "a line of 20 MiB" long.log
cat a.log binary.log >tail.log
like "a binary after the log" tail.log
: >many.log
for i in 1 2 3; do
	cat binary.log >>many.log
done
cat a.log >>many.log
like "a log after a binary" many.log

# JSON lines, one of them with an object 10,000 deep before its time.
records() {
	awk -v deep="$1" 'BEGIN { for (i = 1; i < 130; i++) {
		s = ""
		if (i == 60)
			for (k = 0; k < deep; k++) s = s "{\"time\":"
		if (i == 60) {
			s = "\"x\": " s "7"
			for (k = 0; k < deep; k++) s = s "}"
			s = s ", "
		}
		printf "{%s\"lr\": 0.02, \"data_time\": 0.01, \"loss\": 2.5, \
\"time\": %.4f, \"epoch\": 1, \"step\": %d}\n", s, 0.4 + i % 7 / 100, i
	} }'
}
records 0 >flat.json && records 10000 >nested.json
# shellcheck disable=SC2086 # options
verdict "a record nested 10,000 deep" test -n "$(median $one flat.json)" -a \
    "$(median $one nested.json)" = "$(median $one flat.json)"

### Runs as they should not be

mkdir -p restart/1n1g
cat a.log a.log >restart/1n1g/r18_b4_fp32_1.log
verdict "a run that was restarted counts once" eval '
	"$x" -q -o again.json restart >/dev/null &&
	grep -q "\"attempt 2 of 2\"" again.json &&
	grep -q "\"first_line\": 156" again.json'
mkdir -p odd/1n4g odd/2n8g odd/10n8g
cp a.log odd/1n4g/r18_b4_fp32_1.log
sed 's/0.4/0.5/' a.log >odd/2n8g/r18_b4_fp32_1.log
cp a.log odd/10n8g/r18_b4_fp32_1.log
refuse "no 1n1g to compare with" 0 "*: the baseline, because there is no \
comparable 1n1g; --baseline=CASE chooses another" "$x" odd
refuse "identical files under different names" 0 "*: 1n4g/r18_b4_fp32_1.log: \
has the same bytes as 10n8g/r18_b4_fp32_1.log, but belongs to another case; *" "$x" odd
cases() {
	"$x" -q --format=csv -o /dev/null "$@" | awk -F, '
	    NR == 1 { for (i = 1; $i != "case"; i++); }
	    NR > 1 { print $i }' | tr '\n' ' '
}
verdict "10n8g comes after 2n8g" test "$(cases odd)" = "1n4g 2n8g 10n8g "
mkdir -p twice/1n1g/a twice/1n1g/b
cp a.log twice/1n1g/a/r18_b4_fp32_1.log
sed 's/0.4/0.5/' a.log >twice/1n1g/b/r18_b4_fp32_1.log
refuse "a run's number twice" 0 "*: runs of one configuration, but of several \
folders, are kept apart by the label 'folder' (1 configuration); *" "$x" twice
verdict "and no median of both" test "$(cases twice)" = "1n1g 1n1g "
mkdir -p mixed/1n1g mixed/1n2g
cp a.log mixed/1n1g/r18_b4_fp32_1.log
sed 's/0.4/0.5/' a.log >mixed/1n1g/r18_b8_fp16_1.log
sed 's/0.4/0.6/' a.log >mixed/1n2g/r18_b4_fp32_1.log
rows() {
	"$x" -q --format=csv -o /dev/null mixed |
	    awk -F, 'NR > 1 { print $3 ":" $4 ":" $20 ":" $21 }' | sort |
	    tr '\n' ' '
}
verdict "batches and precisions are kept apart" \
    test "$(rows)" = "fp16:8:1n1g:1n1g fp32:4:1n1g:1n1g fp32:4:1n2g:1n1g "

# A log named twice is one run; with two labels it is compared with itself.
# shellcheck disable=SC2086 # options
refuse "a log that is named twice" 0 "$e: warning: ./a.log: excluded: named twice; counted once" "$x" $one -o x.json a.log ./a.log
verdict "counts once" test "$(grep -c '"step_s"' x.json)" -eq 1
mkdir again && cp a.log again/ && ln again/a.log again/b.log
# shellcheck disable=SC2086 # options
refuse "a folder and a log in it" 0 "$e: warning: again/a.log: excluded: named twice; counted once" "$x" $one -o x.json again again/a.log
verdict "a hard link has the same bytes and does not count" \
    test "$(grep -c '"step_s"' x.json)" -eq 1
# shellcheck disable=SC2086 # options
verdict "with two labels it is two" eval '
	"$x" -q $one -o x.json old=a.log new=a.log >/dev/null &&
	test "$(grep -c "\"step_s\"" x.json)" -eq 2'

### Packed files that are damaged

if built_with ZLIB && gzip -c a.log >a.log.gz 2>/dev/null; then
	size=$(wc -c <a.log.gz)
	head -c $((size - 40)) a.log.gz >early.log.gz
	# shellcheck disable=SC2086 # options
	refuse "gzip that ends early" 0 "$e: warning: early.log.gz: its data are truncated or damaged; what can be read was used" "$x" $one \
	    --train-batches=60 early.log.gz
	verdict "the result and the table show it" eval '
	"$x" -q $one --train-batches=60 -o x.json early.log.gz >table &&
	grep -q "\"incomplete: its data end early or " x.json &&
	grep -q "incomplete: its data end early" table'
	# shellcheck disable=SC2086 # options
	"$x" -q --strict $one --train-batches=60 -o x.json early.log.gz \
	    >table 2>err
	verdict "--strict refuses it" \
	    test "$? $(grep -c 'not read completely' err)" = "3 1"
	{
		cat a.log.gz
		head -n 3 a.log
	} >plain.log.gz
	verdict "text after the packed data is reported" eval '
	"$x" -q $one -o x.json plain.log.gz >table &&
	grep -q "incomplete: the bytes after its compressed data" x.json'
	{
		head -c 100 a.log.gz
		head -c 300 binary.log
	} >bad.log.gz
	# shellcheck disable=SC2086 # options
	refuse "gzip that is damaged" 4 "$e: warning: bad.log.gz: excluded: \
the gzip data is damaged" "$x" $one bad.log.gz
else
	skip "gzip that ends early" "built without zlib, or no gzip here"
	skip "the result and the table show it" "built without zlib, or no gzip here"
	skip "--strict refuses it" "built without zlib, or no gzip here"
	skip "text after the packed data is reported" "built without zlib, or no gzip here"
	skip "gzip that is damaged" "built without zlib, or no gzip here"
fi

### Files that change meanwhile

# A log that grows while it is read: the first part is measured.
cp a.log grows.log
(
	while test ! -e stop; do
		imagenet 130 | sed -n 100,130p >>grows.log
	done
) &
grower=$!
# shellcheck disable=SC2086 # options
verdict "a log that grows" eval 'sleep 0.3
	"$x" -q -o grows.json $one grows.log >/dev/null &&
	grep -q "\"attempt 1 of" grows.json'
: >stop
wait $grower
# Files that vanish while the reader works: each is used or named.
mkdir vanish
vanishing() {
	i=0
	while test $i -lt 300; do
		cp a.log vanish/r_b4_$i.log
		i=$((i + 1))
	done
	(rm -f vanish/r_b4_2*.log) &
	# shellcheck disable=SC2086 # options
	"$x" -q -o v.json $one vanish >/dev/null 2>err
	rc=$?
	wait
	test $rc -eq 0 && test "$(grep -c '"path": ' v.json)" -gt 180
}
verdict "files that vanish" vanishing

### Formats that are enemies

mkdir formats
cat >formats/evil.format <<'F'
name evil
description a pattern that takes for ever
kind step-time
statistic instant
base 0
step step ^((a+)+)+b iter=(?<iter>\d+) t=(?<step_s>[\d.]+)
sample aab iter=1 t=0.5
expect step iter=1 step_s=0.5
F
awk 'BEGIN { for (i = 0; i < 130; i++) {
	print "aab iter=" i " t=0.5"
	print "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac b iter=1 t=x"
} }' >evil.log
# shellcheck disable=SC2086 # options
refuse "a pattern that takes for ever" 0 "$e: warning: evil.log: a pattern \
took too long on 130 lines (first: line 2) and was given up there" \
    timeout 60 "$x" $one --format-dir=formats evil.log
awk 'NR == 2 || !/c b iter/' evil.log >once.log
# shellcheck disable=SC2086 # options
refuse "and once" 0 "$e: warning: once.log: a pattern \
took too long on 1 line (first: line 2) and was given up there" \
    timeout 60 "$x" $one --format-dir=formats once.log
rm formats/evil.format once.log
awk 'BEGIN { for (i = 0; i < 10 * 1024 * 16; i++)
	print "# a comment of just 64 bytes, so that 16 of them are a KiB    " }' \
    >formats/large.format
refuse "a format file of 10 MB" 3 "$e: formats/large.format: the file has * bytes (at most 1048576)" \
    timeout 20 "$x" --format-dir=formats a.log

### Results that are enemies

awk 'BEGIN { for (i = 0; i < 10000; i++) printf "["
	for (i = 0; i < 10000; i++) printf "]" }' >deep.json
"$x" -q -o whole.json twice >/dev/null
awk 'NR == 1 { printf "\357\273\277" } 1' whole.json >mark.json
head -c 700 whole.json >cut.json
sed 's#dlscale-result/2#dlscale-result/3#' whole.json >other.json
sed 's/\("median_speed": \)[0-9.]*/\1NaN/' whole.json >nan.json
sed 's/\("median_speed": \)[0-9.]*/\11e400/' whole.json >huge.json
sed 's/\("median_speed": \)[0-9.]*/\1"fast"/' whole.json >text.json
cat whole.json whole.json >double.json
# bad PROGRAM FILE MESSAGE
bad() {
	refuse "$2: $1" 3 "$1: $2$3" "$bindir/$1" "$2"
}
for program in report_results plot_results; do
	bad $program cut.json ":*: the text ends early"
	bad $program other.json ": schema: 'dlscale-result/3' is newer than \
'dlscale-result/2', which this version reads: upgrade dlscale"
	bad $program nan.json ": cases[[]0].median_speed: NaN is not a finite \
number"
	bad $program huge.json ": cases[[]0].median_speed: 1e400 is not a finite \
number"
	bad $program text.json ": cases[[]0].median_speed: 'fast' is not a number"
	bad $program double.json ":*:1: unexpected character"
	bad $program a.log ": neither a result nor reference values nor a log that extract_logs can read"
	verdict "a byte order mark: $program" \
	    "$bindir/$program" --format=$(test $program = plot_results &&
	    echo gp || echo csv) -o mark.$program mark.json
	refuse "JSON nested 10,000 deep: $program" 3 \
	    "$program: deep.json:1:66: nested deeper than 64 levels" \
	    "$bindir/$program" deep.json
done

### Outputs that are inputs

# kept FILE PROGRAM ARGUMENT...: status 2, and the file still equals safe.
kept() {
	victim=$1 program=$2
	shift 2
	refuse "$program: $victim" 2 \
	    "$program: cannot write '$victim': it is also an input" \
	    "$bindir/$program" "$@"
	verdict "and it is as it was" cmp "$victim" safe
}
cp a.log safe
cp a.log in.log && ln -s in.log link.log
# shellcheck disable=SC2086 # options
kept in.log extract_logs -q $one -o in.log in.log
# shellcheck disable=SC2086 # options
kept link.log extract_logs -q $one --records=link.log -o x.json in.log
"$x" -q -o in.json twice >/dev/null && cp in.json safe
kept in.json report_results -o in.json new=in.json
kept in.json plot_results -o in.json --format=gp in.json

### Kills and full disks

old() {
	echo old >keep.json
	"$@"
	test "$(cat keep.json)" = old && test "$(find . -name '*keep*' |
	    wc -l)" -eq 1
}
# A kill at any time leaves either the old result or the whole new one.
killed() {
	for delay in 0 0.002 0.005 0.01 0.02; do
		echo old >kill.json
		# shellcheck disable=SC2086 # options
		"$x" -q -o kill.json $one vanish >/dev/null 2>&1 &
		pid=$!
		sleep $delay
		kill -9 $pid 2>/dev/null
		wait $pid 2>/dev/null
		test "$(cat kill.json)" = old ||
		    tail -n 1 kill.json | grep -q '^}' || return 1
	done
}
verdict "a kill leaves the old result or the new" killed
# shellcheck disable=SC2086 # options
limited() {
	(ulimit -f 1; trap '' XFSZ; "$x" -q -o keep.json $one vanish) \
	    >/dev/null 2>err
	test $? -eq 3 && grep -q "^$e: .*File too large" err
}
verdict "no room for the result: status 3, the old one stays" old limited
# Compressed data that expand without end.
for packer in "gzip ZLIB" "zstd ZSTD" "xz LZMA"; do
	command=${packer% *}
	if ! built_with "${packer#* }" ||
	    ! command -v "$command" >/dev/null 2>&1; then
		skip "zeros of $command" "no $command"
		continue
	fi
	head -c 100000000 /dev/zero | "$command" -c >zeros.log
	refuse "zeros of $command" 4 "*zeros.log: excluded: the $command data \
expand to more than 1000 times their size; --max-unpacked=MIB reads more" \
	    "$x" -o x.json zeros.log
	refuse "which may be read" 4 "*zeros.log: excluded: *format*" \
	    "$x" --max-unpacked=100 -o x.json zeros.log
done
finish
