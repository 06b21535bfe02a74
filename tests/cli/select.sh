# --select reads only the logs with the selected values in their names.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/logs.sh"
x=$(cd "$bindir" && pwd)/extract_logs
cd "$tmp" || exit 1

for shape in 1n1g 1n8g 2n8g; do
	mkdir -p runs/$shape
	for b in 64 128; do
		for r in 1 2; do
			imagenet 130 t=0.5$r >runs/$shape/resnet50_b${b}_fp32_$r.log
		done
	done
done
echo "not a log" >runs/1n1g/vgg16_b64_fp32_1.log
cases() { sed -n 's/^ *"case": "\(.*\)",$/\1/p' r.json | sort | tr '\n' ' '; }
inputs() { grep -c '"bytes"' r.json; }
ask() { "$x" -o r.json "$@" runs >table 2>err; }

ask --select=gpus=16
verdict "of a number of GPUs" test "$(cases)" = "2n8g 2n8g "
verdict "... no other log is read" test "$(inputs)" -eq 4
verdict "... nor excluded" eval '! grep -q excluded err'
verdict "... and the result states it" grep -q '"select": "gpus=16"' r.json
ask --select=gpus=16 --select=batch=64
verdict "keys narrow it" test "$(cases)" = "2n8g "
ask --select=nodes=2 --select=nodes=1 --select=batch=128 --select=model=resnet50
verdict "values of one key are alternatives" test "$(cases)" = "1n1g 1n8g 2n8g "
ask --select=run=2 --select=gpus_per_node=1
verdict "of runs" test "$(inputs)" -eq 2
refuse "none" 4 "*--select=model=bert matches none of 13 runs*" \
    "$x" -o r.json --select=model=bert runs
refuse "no pair" 2 "*--select: 'gpus' is not KEY=VALUE*" \
    "$x" -o r.json --select=gpus runs
refuse "no value" 2 "*--select: 'gpus=' is not KEY=VALUE*" \
    "$x" -o r.json --select=gpus= runs
printf 'file,label_link\nruns/1n8g/*,ib\n' >map.csv
ask --map=map.csv --select=link=ib
verdict "of a label of the map" test "$(cases)" = "1n8g 1n8g "
ask --select=batch=64 --select=model=resnet50
finish
