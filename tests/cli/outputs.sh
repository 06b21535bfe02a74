# Outputs replace only their own previous content, never an input or the target
# of another user's link; temporary files of killed processes are removed.
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/logs.sh"
x=$bindir/extract_logs
mkdir "$tmp/w" && cd "$tmp/w" || exit 1
tree t 2 1n1g 1n2g 1n4g 1n8g
mkdir out
"$x" -q -o good.json t >table

### Links in folders of all users, such as /tmp

if test "$(id -u)" -eq 0; then
	mkdir sticky theirs own && chmod 1777 sticky && echo keep >theirs/file
	ln -s ../theirs/file sticky/foreign.json
	ln -s ../theirs/file sticky/own.json
	ln -s ../sticky/foreign.json own/link.json
	ln -s ../theirs/pipe sticky/pipe.json
	mkfifo theirs/pipe
	chown -h 12345 sticky/foreign.json sticky/pipe.json
	for file in sticky/foreign.json own/link.json sticky/pipe.json; do
		refuse "a link of another user: $file" 3 \
		    "*cannot write 'own/../*sticky/*': it is a link of another user*" \
		    "$x" -q -o "own/../$file" t
		verdict "is not followed" grep -q keep theirs/file
	done
	verdict "one's own is" eval '"$x" -q -o sticky/own.json t >table &&
	    cmp theirs/file good.json && test -L sticky/own.json'
	chown 12345 sticky
	verdict "so is one of the owner of the folder" eval '
	    rm theirs/file && echo old >theirs/file &&
	    "$x" -q -o sticky/foreign.json t >table && cmp theirs/file good.json'
	chmod 755 sticky
	chown -h 12346 sticky/foreign.json
	verdict "and any where only one may write" \
	    "$x" -q -o sticky/foreign.json t
else
	skip "a link of another user" "not root"
fi

### Temporary files of killed processes

dead=$(sh -c 'echo $$')
leave() {
	rm -f out/*
	for left in "r.json.tmp.$dead.0" "r.json.tmp.$dead.12" \
	    "r.json.tmp.$$.0" "s.json.tmp.$dead.0" "r.json.tmp.$dead.0.txt" \
	    "r.json.tmp.$dead"; do
		echo half >"out/$left"
	done
}
leave
"$x" -q -o out/r.json t >table
verdict "temporary files of ended processes are removed" eval '
    test -z "$(ls out/r.json.tmp.$dead.0 out/r.json.tmp.$dead.12 2>&-)" &&
    cmp out/r.json good.json'
verdict "those of running ones and other files are not" test \
    -f "out/r.json.tmp.$$.0" -a -f "out/s.json.tmp.$dead.0" \
    -a -f "out/r.json.tmp.$dead.0.txt" -a -f "out/r.json.tmp.$dead"
leave
verdict "nor those that a process on another machine has locked" eval '
    flock "out/r.json.tmp.$dead.0" "$x" -q -o out/r.json t >table &&
    test -f "out/r.json.tmp.$dead.0" -a ! -e "out/r.json.tmp.$dead.12"'

### Inputs

cat >figures.csv <<-'END'
	model,precision,batch,nodes,gpus_per_node,speed
	resnet50,fp32,32,1,1,300
	resnet50,fp32,32,1,2,590
END
predict="$bindir/predict_scaling --to=1n16g"
spared() {
	name=$1 file=$2
	shift 2
	cp "$file" kept
	refuse "$name: $file" 2 "*cannot write '*': it is also an input" "$@"
	verdict "$name: is kept" cmp "$file" kept
}
if "$bindir/plot_results" --version >table 2>&1; then
	cp good.json a.gp
	spared "the script of --output" a.gp \
	    "$bindir/plot_results" -q --force -o a.svg a.gp
	spared "with a label" a.gp \
	    "$bindir/plot_results" -q --force -o a.svg x=a.gp
	spared "the caption" a.gp "$bindir/plot_results" -q --force \
	    --size=column --caption=a.gp -o b.svg a.gp
	mkdir named && cp good.json named/a_speedup.gp
	spared "the script of --output-dir" named/a_speedup.gp \
	    "$bindir/plot_results" -q --force --output-dir=named --name=a \
	    --chart=speedup named/a_speedup.gp
fi
spared "the result" good.json "$bindir/report_results" -o good.json good.json
spared "a log" t/1n1g/r18_b4_fp32_1.log \
    "$x" -q -o t/1n1g/r18_b4_fp32_1.log t
echo 'file,nodes' >map
spared "--map" map "$x" -q --map=map -o map t
spared "--map" map "$x" -q --map=map -o out/r.json --records=map t
cp good.json net.html
spared "--network" net.html $predict --network=net.html \
    --gradient-bytes=1e8 -o net.html good.json
mkdir formats && cp "$top_srcdir/extract/formats/pytorch_examples.format" \
    formats/mine.format 2>table
for file in formats/mine.format formats/x.layout x.prefix x.metadata; do
	refuse "a format: $file" 2 "*suffix of '$file' is that of another kind*" \
	    "$x" -q --format-dir=formats -o "$file" t
done

### A script and its picture

if command -v gnuplot >table 2>&1; then
	hash_of() {
		python3 -c 'import base64, hashlib, sys
print("sha256-" + base64.b64encode(hashlib.sha256(
    open(sys.argv[1], "rb").read()).digest()).decode())' "$1"
	}
	"$bindir/plot_results" -q -o out/p.svg good.json
	verdict "a script names the hash of its picture" \
	    grep -qxF "# p.svg: $(hash_of out/p.svg)" out/p.gp
	if grep -q '__asan_' "$bindir/plot_results"; then
		skip "so that one of another run is noticed" \
		    "a sanitizer must be loaded first"
	else
		FAULT_CALL=rename FAULT_AT=2 \
		    LD_PRELOAD=$bindir/tests/faults.so \
		    "$bindir/plot_results" -q --title=other -o out/p.svg \
		    good.json 2>err
		verdict "so that one of another run is noticed" eval '
		    grep -q other out/p.gp && ! grep -q other out/p.svg &&
		    ! grep -qF "$(hash_of out/p.svg)" out/p.gp'
	fi
	verdict "and drawn again" eval '"$bindir/plot_results" -q --title=other \
	    -o out/p.svg good.json && grep -qF "$(hash_of out/p.svg)" out/p.gp'
else
	skip "a script names the hash of its picture" "no gnuplot"
fi

### Limits of the stack

# shellcheck disable=SC2016 # of the inner shell
small_stack() { bash -c 'ulimit -s "$1" && shift && exec "$@"' x "$@"; }
if grep -q '__asan_' "$x"; then
	skip "limits of the stack" "a sanitizer takes its own"
elif small_stack 4096 true 2>err; then
	for size in 64 80 96 512; do
		for program in extract_logs report_results plot_results \
		    predict_scaling; do
			test -x "$bindir/$program" || continue
			refuse "$program: a stack of $size kB" 3 \
			    "$program: the stack is limited to $size KiB, but *" \
			    small_stack $size "$bindir/$program" good.json
		done
	done
	verdict "what is asked for suffices" eval '
	    small_stack 1024 "$x" -q -j4 -o out/r.json t >table &&
	    cmp out/r.json good.json &&
	    cat t/1n1g/r18_b4_fp32_1.log | small_stack 1024 "$x" -q \
		--nodes=1 --gpus-per-node=1 --batch-size-per-device=4 \
		-o out/r.json - >table &&
	    small_stack 1024 "$bindir/report_results" -t all t >table &&
	    small_stack 1024 "$bindir/predict_scaling" --to=1n16g t >table &&
	    small_stack 1024 "$bindir/plot_results" --terminal \
		-c all t >table'
else
	skip "limits of the stack" "no bash"
fi

### Formulas after invisible characters

hidden=$(printf '\357\273\277')
for start in "$hidden" "$(printf '\342\200\213')" " $hidden " \
    "$(printf '\302\255')" ""; do
	for sign in = + - @ "$(printf '\357\274\235')"; do
		sed "s/\"model\": \"r18\"/\"model\": \"$start${sign}cmd()\"/" \
		    good.json >formula.json
		"$bindir/report_results" --format=csv formula.json >table
		verdict "a formula after '$start': $sign" eval '
		    grep -q "cmd()" table && ! grep -qF ",$start$sign" table'
	done
done
finish
