# extract_logs OLD.json NEWDIR: a result and logs form one series. Splitting a
# tree into an earlier result and new logs does not change its figures.
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/logs.sh"
x=$bindir/extract_logs
mkdir "$tmp/w" && cd "$tmp/w" || exit 1
tree all 6 1n1g 1n2g 2n4g
echo 'no format knows this' >all/odd.log
"$x" -q --format=csv -o whole.json all >whole.csv 2>/dev/null

cut_at() { # K: runs up to K in old/, the others in new/
	rm -rf old new
	cp -r all old && cp -r all new
	rm new/odd.log
	for k in 1 2 3 4 5 6; do
		if test $k -le "$1"; then
			rm new/*/*_$k.log
		else
			rm old/*/*_$k.log
		fi
	done
}
added() {
	cut_at "$1"
	"$x" -q -o old.json old >/dev/null 2>&1 &&
	    "$x" -q --format=csv -o both.json old.json new >both.csv &&
	    diff whole.csv both.csv
}
for k in 1 3 5; do
	verdict "$k earlier runs and $((6 - k)) new ones" added $k
done
verdict "the inputs of both" test \
    "$(grep -c '"hash"' both.json)" -eq "$(grep -c '"hash"' whole.json)"
verdict "and what the earlier one excluded" grep -q '"path": "odd.log"' both.json
verdict "all is read again" eval '
	"$bindir/report_results" --format=csv both.json >r.csv &&
	"$bindir/report_results" --format=csv whole.json | diff - r.csv'
verdict "a result onto itself" eval '
	"$x" -q --format=csv -o both.json both.json >again.csv &&
	diff whole.csv again.csv'
verdict "three results" eval '
	for k in 1 2 3; do
		mkdir -p third$k && cp -r all/. third$k && rm -f third$k/odd.log
		for j in 1 2 3 4 5 6; do
			test $(((j + 1) / 2)) -eq $k || rm third$k/*/*_$j.log
		done
		"$x" -q -o third$k.json third$k >/dev/null 2>&1 || return 1
	done
	"$x" -q --format=csv -o x.json third*.json >thirds.csv &&
	diff whole.csv thirds.csv'
verdict "logs that the result has already count once" eval '
	"$x" -q --format=csv -o x.json whole.json all >twice.csv 2>/dev/null &&
	diff whole.csv twice.csv'
verdict "a label sets it apart" eval '
	"$x" -q --format=csv -o x.json old=old.json new=new |
	    cut -d , -f 5 | sort | uniq -c | tr -s " \n" " " >labels &&
	grep -qx " 1 label 3 new 3 old " labels'
# A file for each rank.
mkdir -p ranks/1n2g more/1n2g
for k in 1 2; do
	for r in 0 1; do
		imagenet 130 t=0.5 "dr=0.0$k" \
		    >"ranks/1n2g/r50_b8_fp16_${k}_rank_$r.log"
	done
done
cp -r ranks/. several
"$x" -q --format=csv -o several.json several >several.csv 2>/dev/null
mv ranks/1n2g/*_2_rank* more/1n2g
"$x" -q -o ranks.json ranks >/dev/null 2>&1
verdict "files of ranks" eval '
	"$x" -q --format=csv -o x.json ranks.json more >x.csv 2>/dev/null &&
	diff several.csv x.csv'
verdict "and once more" eval '
	"$x" -q --format=csv -o x.json several.json several >x.csv 2>/dev/null &&
	diff several.csv x.csv'

# Runs with equal numbers are labelled by their operands, also if these share a
# name.
mkdir -p whole/1n1g
for k in 1 2 3; do
	imagenet 130 t=0.6 "dr=0.0$k" \
	    >"whole/1n1g/$(cd all/1n1g && ls | sed -n "${k}p")"
done
for result in whole.json ./whole.json; do
	verdict "$result and a folder of its name" eval '
	    "$x" -q -o x.json "$result" whole/ >/dev/null 2>&1 &&
	    ! grep -q double-run x.json &&
	    grep -q "\"folder\": \"$result\"" x.json &&
	    grep -q "\"folder\": \"whole\"" x.json'
done

"$x" -q --train-batches=60 -o short.json old >/dev/null 2>&1
refuse "another window" 3 "extract_logs: short.json: was measured with \
--train-batches=60, but now it is 120; pass the same to add to it" \
    "$x" short.json new
verdict "unless it is reported" "$x" -q --train-batches=60 -o x.json short.json new
refuse "another metric" 3 \
    "extract_logs: old.json: was measured with --metric=throughput, but now *" \
    "$x" --metric=step-time old.json new
sed '/"runs": \[/,/^      \]/d; s/"efficiency": \(.*\),$/"efficiency": \1/' \
    old.json >bare.json
refuse "cases without runs" 3 "extract_logs: bare.json: *" "$x" bare.json new
head -c 500 old.json >torn.json
refuse "a result that was cut" 3 "extract_logs: torn.json:*" "$x" torn.json new
refuse "--follow" 2 "extract_logs: --follow cannot be used with a result *" \
    "$x" --follow old.json new
verdict "its name" eval '"$x" -q whole.json >/dev/null &&
    test -s result/whole_result.json &&
    "$x" -q result/whole_result.json >/dev/null &&
    test "$(ls result)" = whole_result.json'
finish
