# Tables whose columns are found by their header row.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
x=$(cd "$bindir" && pwd)/extract_logs
cd "$tmp" || exit 1
unset DLSCALE_FORMAT_PATH

figure() { # a log and options: format, unit, figure
	"$x" -v -o r.json "$@" >table 2>err
	sed -n 's/^extract_logs: [^:]*: \([a-z0-9-]*\),.*samples.*/\1/p;
	    s/^extract_logs: [^:]*: \([a-z0-9-]*\) (runner.*samples.*/\1/p' err |
	    tr '\n' ' '
	tr -d ' \n' <r.json | sed 's/.*"unit":"\([^"]*\)".*"median_speed":\([^,]*\),.*/\1 \2\n/'
	rm -f r.json
}
rows() { # a printf format of iteration and rate
	i=0
	while test $i -le 130; do
		# shellcheck disable=SC2059 # a format is meant
		printf "$1\n" $i $((1000 + i % 2))
		i=$((i + 1))
	done
}

{ echo 'step,loss,throughput'; rows '%d,2.5,%d'; } >a.csv
{
	echo 'throughput,note,step'
	i=0
	while test $i -le 130; do
		echo "$((1000 + i % 2)),\"a, b\",$i"
		i=$((i + 1))
	done
} >b.csv
verdict "a rate by its column's name" \
    test "$(figure a.csv)" = "csv-rate samples/s 1000.4997501249375"
verdict "in another order, among quoted cells" \
    test "$(figure b.csv)" = "csv-rate samples/s 1000.4997501249375"
{ printf ' "step" ;\t"img/s"\n'; rows ' %d ; %d'; } >c.csv
verdict "semicolons, blanks, quotes, another name" \
    test "$(figure c.csv)" = "csv-rate samples/s 1000.4997501249375"
{ printf 'iteration\tstep_time_ms\n'; rows '%d\t%d'; } >d.csv
verdict "milliseconds, divided by tabs" \
    test "$(figure --unit=iterations/s d.csv)" = \
    "csv-step-time iterations/s 0.9995002498750625"
{ echo 'tok/s,it'; rows '%d,%d'; } >e.csv
{ sed -n 1p e.csv; sed 1d e.csv | sed 's/\(.*\),\(.*\)/\2,\1/'; } >f.csv
verdict "tokens" test "$(figure f.csv)" = "csv-tokens tokens/s 1000.4997501249375"

# A restarted program prints another header, which changes the columns.
{
	echo 'step,throughput,loss'
	i=0
	while test $i -le 130; do
		test $i -ne 70 || echo 'loss,step,throughput'
		if test $i -lt 70; then
			echo "$i,800,1"
		else
			echo "1,$i,800"
		fi
		i=$((i + 1))
	done
} >g.csv
verdict "the latest header counts" \
    test "$(figure g.csv)" = "csv-rate samples/s 800"
sed 's/^5[0-9],.*/&,9/' a.csv >h.csv
"$x" --explain h.csv >shown 2>err
verdict "a row with other cells than the header is none" \
    test "$(grep -c 'step row: iter=5[0-9] ' shown) $(grep -c 'step row' shown)" = \
    '0 121'
sed '1s/throughput/speed/' a.csv >i.csv
refuse "a table without such a column is not known" 4 '*no format matches it*' \
    "$x" -o r.json i.csv
{ seq -f 'line %g' 120; cat a.csv; } >late.csv
refuse "a header after the first 100 lines is not looked for" 4 \
    '*no format matches it*' "$x" -o r.json late.csv
{ seq -f 'line %g' 90; cat a.csv; } >early.csv
verdict "one among them is" \
    test "$(figure early.csv)" = "csv-rate samples/s 1000.4997501249375"

# Lightning leaves cells empty for metrics that a row does not have.
mkdir -p run/version_0
{
	echo 'epoch,lr,step,train/device/samples_per_sec,train_loss,val_loss'
	i=9
	while test $i -le 149; do
		echo "0,,$i,50.5,2.5,"
		echo "0,0.1,$i,,,"
		i=$((i + 10))
	done
	echo '0,,149,,,2.25'
} >run/version_0/metrics.csv
verdict "Lightning's metrics.csv, of each device" test "$(figure \
    --nodes=1 --gpus-per-node=4 run)" = "lightning-csv samples/s 202"
{
	echo 'epoch,time,train/box_loss,lr/pg0'
	i=1
	while test $i -le 20; do
		echo "$i,$((i * 12)),1.5,0.01"
		i=$((i + 1))
	done
} >run/results.csv
rm -r run/version_0
verdict "Ultralytics' results.csv: seconds of epochs" test "$(figure \
    --metric=step-time run)" = "ultralytics-csv s 12"

# Mistakes in a format.
wrong() {
	mkdir -p own && printf 'name own\ndescription d\nkind rate\n%s\n' \
	    "$1" >own/own.format
	shift
	refuse "$@" "$x" --format-dir=own a.csv
}
wrong 'csv step row iter=step samples_per_s=' "a selector without a column" 3 \
    '*own.format:4:38: a name is missing here'
wrong 'csv step row iter=step speedy=x' "a word that is none" 3 \
    "*own.format:4:24: group 'speedy' is not a known name*"
wrong 'csv step row iter=step throughput' "no selector" 3 \
    '*own.format:4:24: not a selector: FIELD=NAME*'
wrong 'csv cold row iter=step' "no role" 3 '*own.format:4:5: *'
wrong 'csv step row iter=step samples_per_s=v +' "a lone plus" 3 \
    '*own.format:4:41: a name is missing here'
# shellcheck disable=SC2046 # words are meant
wrong "csv step row samples_per_s=v $(seq -s " " -f "+c%g" 70)" \
    "too many selectors" 3 '*own.format:4:* more than 64 selectors'
cat >own/own.format <<'E'
name own
description our table
kind rate
csv step row iter=n samples_per_s=the~2rate phase==train|fit !eval
csv metadata card device=gpu~4name +driver
sample n,the rate,phase
expect nothing
sample 5,10.5,fit
expect row iter=5 samples_per_s=10.5
sample 6,10.5,test
expect nothing
sample n,the rate,phase,eval
expect nothing
sample driver,gpu=name
expect nothing
sample 535.1,H100
expect card device=H100
E
verdict "equal texts, escapes, metadata, absent columns" \
    "$x" --format-dir=own --check-formats
finish
