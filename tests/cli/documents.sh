# All names in the documents exist: files, functions, structs, folders, pages
# and their parts (build-aux/doc_names), options of programs, targets of make.
# README links to each page of doc/.
. "$top_srcdir/tests/lib.sh"

cd "$top_srcdir" || exit 1
build-aux/doc_names >"$tmp/missing"
comment "$tmp/missing"
verdict "the documents name what is there" test ! -s "$tmp/missing"

# Each kind of mistake is found.
cat >"$tmp/page.md" <<'END'
# Top

See `extract/none.c`, `extract/scan/scan_file.c:nothing`, `none.sh`,
`scan_file.c:nothing`, `struct nothing`, `extract/none/`, [a](none.md),
`plots/none/NAME.gp`, `report/none/NAME.figures`, `common/none/NAME.table`,
`build-aux/none`, `doc/none.json`, `plots/templates/NAME.gp`,
[b](#none), [c](#top), `doc/measurement.md`, "None", and (doc/measurement.md,
"Window"), `extract/scan/scan_file.c:scanner_scan`, `struct sample`.
END
cat >"$tmp/want" <<'END'
no file extract/none.c
no folder extract/none/
extract/scan/scan_file.c has no nothing()
no file none.sh
no file plots/none/NAME.gp
no file report/none/NAME.figures
no file common/none/NAME.table
no file build-aux/none
no file doc/none.json
scan_file.c has no nothing()
no header has struct nothing
doc/measurement.md has no part "None"
no page none.md
page.md has no part #none
END
if build-aux/doc_names "$tmp/page.md" >"$tmp/found"; then rc=0; else rc=$?; fi
sed "s|$tmp/page.md: ||; s|$tmp/||" "$tmp/found" | sort >"$tmp/named"
sort "$tmp/want" >"$tmp/sorted"
verdict "what is not there is named" diff "$tmp/sorted" "$tmp/named"
verdict "and ends with status 1" test $rc -eq 1

# Options of the programs, of their scripts and of configure, or of other
# programs, which are listed here.
find . -name '*.md' ! -path './tests/golden/*' ! -path './tests/fuzz/*' \
    ! -path './tests/cli/data/*' ! -path './build/*' ! -path './_*' \
    >"$tmp/pages"
xargs cat <"$tmp/pages" >"$tmp/text"
{
	for program in $PROGRAMS make_toy_images; do
		"$bindir/$program" --help
	done
	quickstart=$(./quickstart --help) && echo "$quickstart"
	cat trainer/launch/launch.sh tests/gpu/check_and_bench tests/mutate.py
	sed -n 's/.*AC_ARG_ENABLE(\[\([a-z]*\).*/--enable-\1/p' \
	    configure.ac m4/*.m4
} >"$tmp/ours" 2>/dev/null
cat >"$tmp/others" <<'END'
bind-to of mpirun
df-filetype of jpwr
export-json of hyperfine
kill-on-bad-exit of srun
mca of mpirun
mpi of srun
nnodes of torchrun
no-python of torchrun
ntasks-per-node of srun
query-gpu of nvidia-smi
signal of sbatch
style of jube
tool of valgrind
type of nsys
digits of earlier versions, in NEWS.md
law-efficiency of earlier versions, in NEWS.md
list-tables of earlier versions, in NEWS.md
machine of earlier versions, in NEWS.md
speedup-digits of earlier versions, in NEWS.md
with of configure
with- of configure
with-dashes a spelling, not an option
without- of configure
wrap of sbatch
END
grep -oE -- '(^|[^-A-Za-z0-9])--[a-z][a-z0-9-]*' "$tmp/text" |
    sed 's/.*--//' | sort -u >"$tmp/options"
while read -r option; do
	grep -qE -- "--$option([^a-z0-9-]|\$)" "$tmp/ours" ||
	    grep -q -- "^$option " "$tmp/others" && continue
	# Another spelling of an option, which --help does not list.
	for program in $PROGRAMS; do
		(cd "$tmp" && "$bindir/$program" "--$option=@" \
		    </dev/null 2>&1) | grep -qF 'unrecognized option' ||
		    continue 2
	done
	echo "--$option"
done <"$tmp/options" >"$tmp/missing"
comment "$tmp/missing"
verdict "documents name options" test "$(wc -l <"$tmp/options")" -ge 100
verdict "the options that documents name exist" test ! -s "$tmp/missing"

# Targets of make; check-FOLDER is a rule for any folder of the sources.
grep -oE '(`|^    )make [a-z][a-z-]*' "$tmp/text" | sed 's/.*make //' |
    sort -u >"$tmp/targets"
while read -r target; do
	grep -qE "^(\.PHONY:.* )?$target( |:|\$)" "$bindir/Makefile" ||
	    grep -qE "^\.PHONY:.* $target( |\$)" "$bindir/Makefile" ||
	    test -d "./${target#check-}" || echo "make $target"
done <"$tmp/targets" >"$tmp/missing"
comment "$tmp/missing"
verdict "the targets of make that documents name exist" \
    test -s "$tmp/targets" -a ! -s "$tmp/missing"

# Each kind of line that the trainer and its launchers print is explained.
grep -rhoE '"dlscale: [a-z_]+' trainer --include='*.c' |
    sed 's/.*dlscale: //' | sort -u >"$tmp/kinds"
while read -r kind; do
	grep -q "\`$kind\`" doc/trainer.md || echo "$kind"
done <"$tmp/kinds" >"$tmp/missing"
comment "$tmp/missing"
verdict "doc/trainer.md names each kind of line" \
    test "$(wc -l <"$tmp/kinds")" -ge 20 -a ! -s "$tmp/missing"

# Each field and key of format files is explained.
tr -s '` |' '\n' <doc/formats.md | sort -u >"$tmp/explained"
{
	sed -n '/^static const char data_s/,/^};/p' extract/format/patterns/field_names.c |
	    tr -s '\n\t ' ' ' | grep -oE \
	    '([A-Z_]+\( ?|[A-Z_]+\( ?[a-z0-9_]+, |\{ |\[\] = )"[a-z0-9_]+"'
	grep -hoE '^	\{ "[a-z-]+", IN_' extract/format/format_parse.c
} | grep -oE '"[^"]*"' | tr -d '"' | sort -u >"$tmp/fields"
comm -23 "$tmp/fields" "$tmp/explained" >"$tmp/missing"
comment "$tmp/missing"
verdict "doc/formats.md explains each field and key" \
    test "$(wc -l <"$tmp/fields")" -ge 150 -a ! -s "$tmp/missing"

# README links to each page, and states no more formats than there are.
for page in doc/*.md; do
	grep -q "]($page)" README.md || echo "$page"
done >"$tmp/missing"
comment "$tmp/missing"
verdict "README leads to each page of doc/" test ! -s "$tmp/missing"
least=$(sed -n 's/.*more than \([0-9]*\) *formats.*/\1/p' README.md)
verdict "README counts formats that are there" test "${least:-0}" -gt 0 -a \
    "$(find extract/formats -name '*.format' | wc -l)" -gt "${least:-0}"
finish
