# Nothing that a program prints can control a terminal: escape sequences, C1
# controls, invalid bytes and marks that reverse text in names of files, models
# and labels, through every option that prints.
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/logs.sh"
x=$bindir/extract_logs r=$bindir/report_results
mkdir "$tmp/w" && cd "$tmp/w" || exit 1
# ESC ] 0 ; BEL, U+009B, byte 9B, U+202E, CR
bad=$(printf 'a\033]0;x\007\302\233\233\342\200\256\rb')
tree t 2 1n1g 1n2g 1n4g
mkdir "$bad" && cp -R t "$bad/t"
log=$bad/t/1n1g/r18_b4_fp32_1.log
cp "$log" "$bad.log" && cp "$log" "$bad/1.log"
printf 'epoch %s loss=0.3 speed=%s\n' "$bad" "$bad" >>"$bad.log"
"$x" -q -o good.json t >table
# Names in JSON are valid UTF-8.
named=$(printf 'a\\\\u001b]0;x\\\\u0007\\\\u009b\\\\u202eb')
sed -e "s/\"r18\"/\"$named\"/; s/\"fp32\"/\"$named\"/; s/r18_b4/$named/" \
    -e "s/\"pytorch\"/\"$named\"/" good.json >bad.json
verdict "the names are in a result" eval '"$r" bad.json >table &&
    grep -q "a.*\]0;x" table'
cp bad.json "$bad.json"
mkdir -p "$bad.d" && cp "$bad.json" "$bad.d/b.json"
printf '| %s | GPUs | speed |\n|---|---|---|\n| r18 | 1 | 10 |\n| %s | 2 | 21 |\n' \
    "$bad" "$bad" >bad.md
printf 'host: %s\ncommit: %s\ncpu: %s\n' "$bad" "$bad" "$bad" >bad.txt

# clean NAME COMMAND...: keep stdout and stderr, which clean.py checks below.
outs=$tmp/outs made=0
mkdir "$outs"
clean() {
	printf '%s\n' "$1" >"$outs/name.$made"
	shift
	"$@" >"$outs/out.$made" 2>&1 </dev/null
	echo $? >"$outs/status.$made"
	made=$((made + 1))
}

for options in "" -v --strict --format=csv --format=markdown --format=latex \
    --format=html "--table=all" "--records=-" "--output=-" "--explain-paths" \
    "--follow --timeout=0.1" "--compat=dlperf --compat-script=list" \
    "--compat=dlperf" "--nodes=7" "--select=model=none"; do
	# shellcheck disable=SC2086 # several words
	case $options in
	*-o* | *-c*=dlp*) clean "extract_logs $options" "$x" $options "$bad" ;;
	*) clean "extract_logs $options" "$x" -o "$bad.out" $options "$bad" ;;
	esac
done
for option in explain suggest log-format show-format list-formats map \
    format-dir path output records output-dir name log-dir sort; do
	clean "extract_logs --$option=NAME" "$x" "--$option=$bad" "$bad"
	clean "extract_logs --$option=NAME.log" "$x" "--$option=$bad.log" "$bad"
done
clean "an unknown option" "$x" "--$bad"
clean "a file that is not there" "$x" "none$bad"
for options in "" "--table=all" --compare --html --environment --check \
    "--table=all --format=markdown" "--table=all --format=csv" \
    "--table=all --format=latex" "--table=all --format=html" \
    "--table=all --format=json" "--compare --gate=slower:1%" \
    "--compare --format=junit" "--compare --format=github" \
    "--rows=model --columns=label"; do
	for names in "$bad.json" "$bad=bad.json" "$bad.d/b.json" "$bad" bad.md \
	    bad.txt; do
		# shellcheck disable=SC2086
		clean "report_results $options" "$r" $options "$names" bad.json
	done
done
if built_with SQLITE; then
	for verb in add "add --date=2026-01-01 --host=$bad --commit=$bad" show \
	    list plot remove check; do
		# shellcheck disable=SC2086
		clean "report_results --history $verb" "$r" --history="$bad.db" \
		    $verb bad.json
	done
fi
for option in select rows columns values metric machine table output format \
    sort gate; do
	clean "report_results --$option=NAME" "$r" "--$option=$bad" bad.json
done
p=$bindir/plot_results
for chart in scaling throughput bars efficiency speedup steps compare; do
	clean "plot_results --terminal $chart" "$p" --terminal \
	    --chart=$chart "$bad=bad.json" "b=$bad.json"
done
clean "plot_results, paths" "$p" -o "$bad.svg" "$bad.json"
clean "plot_results --output-dir" "$p" --output-dir="$bad" --chart=all \
    "$bad.json"
clean "plot_results, a script" "$p" --format=gp -o - "$bad.json"
clean "plot_results, a picture" "$p" --format=svg -o - "$bad.json"
for option in chart title caption select records link font palette size; do
	clean "plot_results --$option=NAME" "$p" --terminal "--$option=$bad" \
	    bad.json
done
for format in text markdown csv latex html json; do
	clean "predict_scaling --format=$format" "$bindir/predict_scaling" \
	    --to=1n16g --format=$format "$bad=bad.json" "$bad.json"
done
for option in to select output chart network what-if; do
	clean "predict_scaling --$option=NAME" "$bindir/predict_scaling" \
	    "--$option=$bad" bad.json
done
for option in data model resume checkpoint output backend; do
	if test -x "$bindir/train_imagenet"; then
		clean "train_imagenet --$option=NAME" "$bindir/train_imagenet" \
		    "--$option=$bad"
	fi
done
clean "make_toy_images" "$bindir/make_toy_images" "$bad/none/$bad"
for program in run_sweep run_on_nodes run_experiment; do
	if test -x "$bindir/$program"; then
		clean "$program" "$bindir/$program" "$bad"
		clean "$program, an option" "$bindir/$program" "--plan=$bad" \
		    "--hosts=$bad" "$bad"
	fi
done
cat >clean.py <<'END'
import sys, unicodedata

def fault(status, data):
    try:
        text = data.decode()
    except UnicodeDecodeError as e:
        return f'invalid bytes: {data[max(e.start - 40, 0):e.end + 20]}'
    text = text.replace('\r\n', '\n')
    found = [i for i, c in enumerate(text) if c not in '\n\t' and
             (unicodedata.category(c) in ('Cc', 'Zl', 'Zp') or
              unicodedata.bidirectional(c) in
              ('LRE', 'RLE', 'LRO', 'RLO', 'PDF', 'LRI', 'RLI', 'FSI', 'PDI'))]
    if found:
        return ascii(text[max(found[0] - 60, 0):found[0] + 20])
    if status >= 5:
        return f'status {status}'
    return '' if text.strip() else 'nothing was printed'

outs, made = sys.argv[1], int(sys.argv[2])
for k in range(made):
    read = {x: open(f'{outs}/{x}.{k}', 'rb').read()
            for x in ('name', 'status', 'out')}
    bad = fault(int(read['status']), read['out'])
    name = read['name'].decode(errors='replace').strip()
    print('not ok' if bad else 'ok', ascii(name), bad)
END
python3 clean.py "$outs" $made >judged
while read -r verdict line; do
	case $verdict in
	ok) result 0 "$line";;
	*) result 1 "$line";;
	esac
done <judged
verdict "all were judged" test "$(wc -l <judged)" -eq $made -a $made -gt 150

# The programs' own colours reach the terminal, those of a name do not.
cat >on_terminal.py <<'END'
import os, pty, sys
got = b''
def read(fd):
    global got
    data = os.read(fd, 4096)
    got += data
    return data
os.environ.update(TERM='xterm', COLUMNS='100')
os.environ.pop('NO_COLOR', None)
pty.spawn(sys.argv[1:], read)
sys.exit(not (b'\x1b[' in got and b'\x1b]' not in got and
              b'\xc2\x9b' not in got and b'\xe2\x80\xae' not in got))
END
for command in "$r --table=all $bad=bad.json" \
    "$x --follow --timeout=0.1 -o f.json $bad" \
    "$p --terminal $bad=bad.json b=bad.json"; do
	# shellcheck disable=SC2086
	verdict "on a terminal: ${command##*/}" python3 on_terminal.py $command
done
finish
