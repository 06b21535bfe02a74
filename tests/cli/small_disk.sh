# Full disks: each kind of file that the programs write, on a real file system
# of 256 KiB with room for 0, 1, 2 ... pages. Either the old file stays or the
# new one is complete, a failure is reported, and no other file is left.
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/logs.sh"
x=$bindir/extract_logs r=$bindir/report_results p=$bindir/plot_results
f=$bindir/predict_scaling
mkdir "$tmp/w" && cd "$tmp/w" || exit 1
if ! unshare -rm mount -t tmpfs none "$tmp/w" 2>"$tmp/err"; then
	echo "1..0 # SKIP no file system may be mounted"
	exit 0
fi
tree t 2 1n1g 1n2g
values=$top_srcdir/doc/resnet50-v100.figures
"$x" -q -o good.json --records=good.records t >table
"$r" --format=html -o good.html good.json
"$r" --html -o good.page good.json
"$f" -o prediction.json "$values"
mkdir disk

cat >full.sh <<'END'
# full.sh FILE GOOD COMMAND...: with room for 0, 1, 2 ... pages until it is done.
# GOOD: what FILE is then; "-": anything but the old one.
file=$1 good=$2
shift 2
program=$(basename "$1")
mount -t tmpfs -o size=256k,nr_inodes=32 none disk || exit 99
for pages in 0 1 2 3 4 6 8 10 12 16 20 24 32 40 48 56 60; do
	rm -rf disk/* && echo old >"$file" && cp "$file" disk/neighbour
	test -z "$before" || cp "$before" "$file"
	was=$(cksum <"$file")
	used=$(du -sk disk | cut -f 1)
	head -c $(((256 - used - 4 * pages) * 1024)) /dev/zero >disk/filler \
	    2>/dev/null
	"$@" >out 2>err
	rc=$?
	case $rc in
	0)
		if test "$good" = -; then
			test "$(cksum <"$file")" != "$was"
		else
			cmp "$file" "$good"
		fi && echo "done with $pages pages" && exit
		exit 1
		;;
	3) grep -q "^$program: .*\(No space left on device\|disk is full\)" err || {
		echo "no message with $pages pages:"; cat err; exit 1; } ;;
	*) echo "status $rc with $pages pages:"; cat err; exit 1 ;;
	esac
	test "$(cksum <"$file")" = "$was" || {
		echo "another file with $pages pages"; exit 1; }
	# Next to a picture its script is written first.
	rm -f disk/filler disk/neighbour
	test "$file" = disk/r.svg && rm -f disk/r.gp
	test "$(find disk -type f)" = "$file" || {
		echo "left over with $pages pages:"; ls disk; exit 1; }
done
echo "never done"
exit 1
END
# full NAME FILE GOOD COMMAND...
full() {
	name=$1
	shift
	verdict "$name" unshare -rm sh full.sh "$@"
}
before=
export before
full "a result" disk/r.json good.json "$x" -q -o disk/r.json t
full "records" disk/records good.records "$x" -q -o x.json \
    --records=disk/records t
full "a table" disk/r.html good.html "$r" --format=html -o disk/r.html good.json
full "a page" disk/r.page good.page "$r" --html -o disk/r.page good.json
full "a prediction" disk/p.json prediction.json "$f" -o disk/p.json "$values"
full "a prediction's chart" disk/p.svg - "$f" -o /dev/null -c disk/p.svg \
    "$values"
full "a comparison" disk/c.html - "$r" --compare --format=html \
    -o disk/c.html good.json good.json
full "a chart of ratios" disk/c.gp - "$p" -q --force --format=gp \
    --chart=compare -o disk/c.gp good.json good.json
full "a script of gnuplot" disk/r.gp - "$p" -q --force --format=gp \
    -o disk/r.gp good.json
if built_with SQLITE; then
	"$r" --history=one.db add --host=h --commit=c --date=2026-11-20 \
	    good.json >/dev/null 2>&1
	mkdir -p u/1n1g && imagenet 130 t=0.7 >u/1n1g/r18_b4_fp32_1.log
	"$x" -q -o other.json u >table
	before=one.db
	full "a history" disk/h.db - "$r" --history=disk/h.db add --host=h \
	    --commit=d --date=2026-11-21 other.json
	before=
else
	skip "a history" "built without SQLite"
fi
if "$p" -q -o good.svg good.json 2>/dev/null; then
	full "a picture" disk/r.svg - "$p" -q -o disk/r.svg good.json
else
	skip "a picture" "no gnuplot"
fi
# A table to a file that the shell opened: a part is written, status 3.
stdout_full() {
	unshare -rm sh -c 'mount -t tmpfs -o size=4k none disk &&
	    head -c 4096 /dev/zero >disk/filler
	"$1" --format=csv good.json >disk/out 2>err
	rc=$?
	cat err
	test $rc -eq 3 && grep -q "cannot write to stdout: No space" err' - "$r"
}
verdict "a table to a full disk" stdout_full
finish
