# The committed gallery equals the output of its commands.
. "$top_srcdir/tests/lib.sh"

gnuplot=${GNUPLOT:-gnuplot}
if ! "$gnuplot" --version >/dev/null 2>&1; then
	skip "the gallery" "no gnuplot"
	finish
	exit 0
fi
if ! built_with SQLITE; then
	skip "the gallery" "built without SQLite"
	finish
	exit 0
fi
unset NO_COLOR
verdict "all charts are drawn" \
    "$top_srcdir/build-aux/gallery" "$bindir" "$top_srcdir" "$tmp/out"
verdict "the page is the one that is committed" \
    diff "$tmp/out/gallery.md" "$top_srcdir/doc/gallery.md"
for picture in "$top_srcdir"/doc/gallery/*.svg; do
	name=${picture##*/}
	case $("$gnuplot" --version) in
	"gnuplot 5.4 patchlevel 4")
		verdict "$name" cmp "$tmp/out/gallery/$name" "$picture";;
	*)	skip "$name" "other version of gnuplot";;
	esac
done
verdict "no picture too few" test \
    "$(find "$tmp/out/gallery" -name '*.svg' | wc -l)" -eq \
    "$(find "$top_srcdir/doc/gallery" -name '*.svg' | wc -l)"
# Every chart is on the page.
"$bindir/plot_results" --list-charts | while read -r chart rest; do
	grep -q -e "--chart=\([a-z,-]*,\)\{0,1\}$chart\([^a-z-]\|\$\)" \
	    "$top_srcdir/doc/gallery.md" || echo "$chart: $rest"
done >"$tmp/missing"
verdict "every chart is named on it" test ! -s "$tmp/missing"
finish
