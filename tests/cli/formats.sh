# Formats from the user's view: lists, checks, explanations, own files.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
x=$bindir/extract_logs
cd "$tmp" || exit 1

mkdir own
cat >own/mine.format <<'EOF'
name mine
description our own training loop
kind step-time
base 0
set framework mine

step step worker (?<rank>\d+) \| ep (?<epoch>\d+) step (?<iter>\d+)
    [ ]took (?<step_ms>[\d.]+) ms
detail loss \| loss (?<loss>\S+)
result validation validation ep (?<epoch>\d+) step (?<iter>\d+)
summary rate throughput (?<samples_per_s>[\d.]+) samples/s

sample worker 3 | ep 0 step 17 took 212.5 ms | loss 6.91
expect step rank=3 epoch=0 iter=17 step_ms=212.5 value=0.2125
expect loss loss=6.91
sample validation ep 0 step 17 took 80.1 ms
expect validation epoch=0 iter=17
sample throughput 1204.7 samples/s
expect rate samples_per_s=1204.7
EOF
cat >train.log <<'EOF'
starting
worker 0 | ep 0 step 0 took 500.0 ms | loss 7.01
worker 1 | ep 0 step 0 took 510.0 ms | loss 7.02
worker 0 | ep 0 step 1 to
validation ep 0 step 1 took 80.1 ms
throughput 1204.7 samples/s
EOF

"$x" --check-formats >out 2>err
verdict "the built-in samples hold" test $? -eq 0
verdict "and state so" grep -q 'samples: ok$' out
"$x" --format-dir=own --check-formats >out 2>err
verdict "a file of our own holds" test $? -eq 0
"$x" --list-formats >out
verdict "the list names formats" grep -q '^pytorch-imagenet ' out
"$x" --show-format=pytorch-imagenet >out
verdict "a format is shown with its file" \
    grep -q '^# .*/pytorch-imagenet.format$' out
"$x" --format-dir=own --explain=train.log >explained 2>err
verdict "explain: status" test $? -eq 0
verdict "explain: the choice" grep -q '^train.log: format mine (2 steps' explained
verdict "explain: what was caught" grep -q \
    'step step: rank=1 epoch=0 iter=0 step_ms=510.0' explained
verdict "explain: how far the nearest pattern got" grep -q \
    '\^ step matches up to column 25, then needs' explained
verdict "explain: a result is none of the steps" grep -q \
    'result validation: epoch=0 iter=1' explained

# Mistakes in built-in files are reported like those in a user's files.
mkdir -p parts/formats
sed 's/(?<epoch>/((?<epoch>/' own/mine.format >parts/formats/mine.format
cp "$top_srcdir/extract/formats/pytorch-imagenet.format" parts/formats
with_parts() { DLSCALE_FORMAT_PATH=$tmp/parts/formats "$x" "$@"; }
refuse "a mistake in a built-in format that a log needs" 3 \
    "*mine.format:*: pattern 'step': missing closing parenthesis*" \
    with_parts --rule=all train.log
refuse "in one that is asked for" 3 "*mine.format:*: pattern 'step'*" \
    with_parts --log-format=mine train.log
refuse "in any of them" 3 "*mine.format:*: pattern 'step'*" \
    with_parts --check-formats
seq 9 >numbers.log
refuse "in one that no log needs" 3 "*mine.format:*: pattern 'step'*" \
    with_parts numbers.log

refuse "no such format" 2 "*there is no log format 'pytorch'*imagenet*" \
    "$x" --show-format=pytorch
refuse "no such folder" 3 "*cannot open the folder 'nowhere'*" \
    "$x" --format-dir=nowhere --list-formats
mkdir bad
sed 's/^expect step rank=3/expect step rank=4/' own/mine.format >bad/mine.format
refuse "a wrong expectation, with its place" 3 \
    "*bad/mine.format:*:13: rank is '3' in the sample on line*not '4'" \
    "$x" --format-dir=bad --list-formats
verdict "and a caret" grep -q '^            ^$' err
sed 's/(?<epoch>/(?<epok>/' own/mine.format >bad/mine.format
refuse "an unknown group" 3 \
    "*bad/mine.format:*: group 'epok' is not a known name*" \
    "$x" --format-dir=bad --list-formats

# --- The fields ---------------------------------------------------------------------
"$x" --list-fields --format=csv | tr -d '\r' >fields.csv
verdict "the list of fields states value, unit, patterns and what they are" \
    grep -qxF 'step_ms,number,s,"step, summary",time of an iteration in milliseconds' \
    fields.csv
verdict "and the labels that a path may state" \
    grep -q '^label_NAME,text,,"metadata, layout",' fields.csv
cut -d, -f1 fields.csv | sed 1d | sort >listed
tr -s '` |' '\n' <"$top_srcdir/doc/formats.md" | sort -u >explained
verdict "doc/formats.md explains each of them" test \
    "$(wc -l <listed)" -gt 130 -a -z "$(comm -23 listed explained)"
verdict "each has a description" test -z "$(grep ',$' fields.csv)"

# --- The list, and the page that is made of it ------------------------------------
programs() {
	cat <<'END'
# Programs whose logs are read

`tests/cli/formats.sh` generates this page from the format files (doc/formats.md);
`extract_logs --list-formats=WORD` lists the formats with a word. Column "of": a line's
value is that of the whole job (global), a node or a device. Column "rule": the default
of `--rule`, which selects the iterations to measure.

END
	"$x" --list-formats --format=markdown
}
if programs >programs.md && test "${UPDATE:-0}" = 1; then
	cp programs.md "$top_srcdir/doc/programs.md"
fi
verdict "doc/programs.md is of these formats" \
    cmp programs.md "$top_srcdir/doc/programs.md"
verdict "each format stands in it" test "$(grep -c '^| [a-z0-9]' programs.md)" \
    -eq "$(($(find "$top_srcdir/extract/formats" -name '*.format' | wc -l) + 1))"
verdict "a word finds some" eval '"$x" --list-formats=TorchTitan >out &&
    grep -q "^torchtitan " out && grep -q "^events-torchtitan " out &&
    ! grep -q mxnet out'
verdict "by the program's address" eval '"$x" --list-formats=PrimeIntellect |
    grep -q "^prime-rl "'
refuse "no such word" 4 "*--list-formats: no format has 'nosuch' in its name*" \
    "$x" --list-formats=nosuch
long=$(printf '%064d' 0)
echo any >"$tmp/any.log"
refuse "a name of 64 bytes" 2 "*--log-format: there is no log format '$long' *" \
    "$x" --log-format="$long" "$tmp/any.log"
refuse "a longer one" 2 "*: a format's name has at most 64 bytes" \
    "$x" --log-format="${long}0" "$tmp/any.log"
finish
