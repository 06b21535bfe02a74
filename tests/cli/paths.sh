# Metadata in file names: key-values of any name, --path, --map,
# --explain-paths, and names that contradict other metadata.
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/logs.sh"
x=$bindir/extract_logs
cd "$tmp" || exit 1
has() { grep -q -- "$1" "$2"; }

# steps NAME T: write a log that contains only step times, 0.T s each
steps() {
	mkdir -p "$(dirname "$1")"
	imagenet 130 "t=0.$2" >"$1"
}
# cases FILE: print case, batch, GPUs and median speed, one line per case
cases() {
	awk -F'[:,]' '/^      "case":/ { c = $2 }
		/^      "batch_size_per_device":/ { b = $2 }
		/^      "gpus":/ { g = $2 }
		/^      "median_speed":/ { print c b g " " int($2) }' "$1"
}

steps any/resnet50-n1-g8-bs256-amp-r1.log 500
steps any/resnet50-n1-g8-bs256-amp-r2.log 501
steps any/resnet50-n2-g8-bs256-amp-r11.log 250
verdict "key-values of any name" "$x" -q -o r.json any
verdict "are a case" test "$(cases r.json)" = ' "1n8g" 256 8 4091
 "2n8g" 256 16 16384'
verdict "with its model and precision" has '"model": "resnet50"' r.json
verdict "and two runs" has '"n": 2' r.json
mkdir -p ten
for i in 8 9 10 11; do steps ten/m-n1-g2-bs4-r$i.log $((100 + i)); done
verdict "runs above r9 are runs" "$x" -q -o r.json ten
verdict "of one case" has '"n": 4' r.json
verdict "without a label" test "$(grep -c '"file":' r.json)" = 0

steps own/a17_4x8-64.out 100
steps own/b17_4x8-64.out 200
steps own/other.out 200
verdict "--path" eval '"$x" -o r.json \
    --path="{label_link}17_{nodes}x{gpus_per_node}-{batch}.out" own 2>err'
verdict "finds the metadata" test "$(cases r.json)" = ' "4n8g" 64 32 20480
 "4n8g" 64 32 10240'
verdict "and shows the names that do not fit" \
    has 'other.out: --path does not fit its name (1 of 3 logs)' err
verdict "an option goes before it" eval '"$x" -o r.json --nodes=2 \
    --path="*_{nodes}x{gpus_per_node}-{batch}.out" own/a17_4x8-64.out 2>err'
verdict "and is reported" has "'4' from the path differs from '2' from the option, which is used" err
verdict "two of them" eval '"$x" -q -o r.json --path="{run}17_4x{gpus}-*.out" \
    --path="*_{nodes}x*-{batch}.out" own/b17_4x8-64.out'
verdict "add up" test "$(cases r.json)" = ' "4n2g" 64 8 2560'
refuse "a word of no vocabulary" 2 "*--path: '{gpu}.log': '{gpu}' is not a known field (did you mean '{gpus}'?)*" "$x" --path='{gpu}.log' own

cat >map.csv <<'E2'
file,nodes,gpus_per_node,batch_size_per_device,label_link
own/other.out,1,8,16,nv
[ab]17*,4,8,64,ib
gone.log,1,1,1,
E2
verdict "--map" eval '"$x" -o r.json --map=map.csv --gpus-per-node=4 own 2>err'
verdict "knows every file" test "$(cases r.json)" = ' "1n8g" 16 8 640
 "4n8g" 64 32 20480
 "4n8g" 64 32 10240'
verdict "states where it is from" has '"gpus_per_node": "map line 3; option says 4"' r.json
verdict "and which row fits no log" has "map.csv:4: no log fits 'gone.log'" err
verdict "and that an option states otherwise" has "'4' from the option differs from '8' from the map, which is used" err
printf 'file,gpus\na,0\n' >bad.csv
refuse "a bad count" 3 "*bad.csv:2: gpus: '0' is not a whole number above 0" \
    "$x" --map=bad.csv own
refuse "no such map" 3 "*none.csv*No such file*" "$x" --map=none.csv own

check "--explain-paths" paths-explain.txt "$x" --explain-paths \
    --path='{run}17_*' --map=map.csv any own
"$x" --explain-paths --path='{run}17_*' own/other.out own/a17* >explained
verdict "a name that does not fit" grep -q '^1 of 2 names do not fit' explained
refuse "--explain-paths needs logs" 2 "*missing*" "$x" --explain-paths
refuse "the hint of a log that lacks metadata" 4 "*pass \
--batch-size-per-device=N --nodes=N --gpus-per-node=N to include it (logs that \
differ: --map=FILE or --path=TEMPLATE)" "$x" own/other.out

# A number of GPUs that the path contradicts.
steps tree/2n4g/r50_b8_fp32_1.log 100
verdict "--gpus against the path" eval '"$x" -o r.json --gpus=4 tree 2>err'
verdict "is reported" has "gpus: '2 nodes of 4' from the path differs from '4' from the option, which is used" err
verdict "--gpus=1 against the path" eval '"$x" -o r.json --gpus=1 tree 2>err'
verdict "is reported, too" has "gpus: '2 nodes of 4' from the path differs from '1' from the option, which is used" err
steps n/N1_FP16/a.log 100
steps n/N8_FP16/a.log 200
verdict "names of another topology" eval '"$x" -o r.json --gpus=8 \
    --batch-size-per-device=4 n 2>err'
verdict "keep their whole labels" test "$(sed -n 's/.*"folder": //p' r.json | \
    sort)" = '"N1_FP16"
"N8_FP16"'
verdict "and are reported" has "N1_FP16/a.log: 'N1' in its path contradicts the 8 GPUs that are used" err

# {gpus} in a template is the total, although layouts read g8 as GPUs per node.
mkdir total
imagenet 130 t=0.5 >total/resnet50-n2-g8-bs256-amp-r3.log
"$x" --path='{model}-n{nodes}-g{gpus}-bs{batch}-{precision}-r{run}.log' \
    -o total.json total >/dev/null 2>total.err
verdict "GPUs of a template are those of all nodes" eval \
    'tr -d " \n" <total.json |
    grep -q "\"nodes\":2,\"gpus_per_node\":4,\"gpus\":8,"'
verdict "... without another reading" eval '! grep -q "of the path" total.err'
finish
