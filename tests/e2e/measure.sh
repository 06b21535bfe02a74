# Compares results of the shipped logs, and of generated ones, with an
# independent implementation in Python (tests/e2e/measure.py).
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/logs.sh"

agree() {
	name=$1 tree=$2
	"$bindir/extract_logs" -q -o "$tmp/result.json" "$tree" \
	    >"$tmp/table" 2>"$tmp/err"
	python3 "$top_srcdir/tests/e2e/measure.py" "$tree" \
	    "$tmp/result.json" >"$tmp/shown" 2>&1
	status=$?
	comment "$tmp/shown"
	verdict "$name" test $status -eq 0
}

if ! command -v python3 >/dev/null 2>&1; then
	echo "1..0 # SKIP no python3"
	exit 0
fi
agree "shipped logs of PyTorch" "$top_srcdir/logs/pytorch-cpu"
corpus=${DLSCALE_CORPUS:-$top_srcdir/../shared/corpus}
if test -d "$corpus/pytorch-cpu"; then
	agree "the same logs in the corpus" "$corpus/pytorch-cpu"
else
	skip "the same logs in the corpus" "no corpus of logs"
fi
tree "$tmp/t" 3 1n1g 1n2g 1n8g
imagenet 150 ranks=8 dr=0.002 dt=0.01 base=1 >"$tmp/t/1n8g/r18_b4_fp32_4.log"
imagenet 300 epochs=2 dt=0.05 >"$tmp/t/1n2g/r18_b4_fp32_4.log"
agree "made logs" "$tmp/t"
finish
