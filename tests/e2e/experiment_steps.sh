# One step of each network, batch and image size of all experiments on CPU ranks
# can be trained. --quick uses smaller sizes and so does not find errors such as
# one image of 32 pixels, which batch normalisation refuses.
# shellcheck disable=SC2154 # bindir, tmp and top_srcdir are from lib.sh
. "$top_srcdir/tests/lib.sh"

if ! built_with DNNL || ! built_with GLOO; then
	skip "a step of each experiment" "built without oneDNN or Gloo"
	finish
	exit 0
fi
cd "$tmp" || exit 1
for file in "$top_srcdir"/experiments/*.sweep; do
	"$bindir/run_experiment" -n --device=cpu --log-dir=logs "$file" \
	    2>err >"commands.$(basename "$file")" || cat err
done
# One line for each different network, batch and image size.
cat commands.* | awk '
	/train_imagenet / {
		what = ""
		for (i = 1; i <= NF; i++)
			if ($i == "-a" || $i == "-b")
				what = what " " $i " " $(i + 1)
			else if ($i ~ /^--image-size=/)
				what = what " " $i
		print what
	}' | sort -u >steps
verdict "each experiment has commands" sh -c '
	for file in commands.*; do
		grep -q "train_imagenet .*-b [0-9]" "$file" || {
			echo "$file"
			exit 1
		}
	done'
while read -r step; do
	# shellcheck disable=SC2086 # words are meant
	verdict "a step of $step" timeout 120 "$bindir/train_imagenet" --dummy \
	    --device=cpu --threads=1 --epochs=1 --batches-per-epoch=1 \
	    --val-batches=0 --lr=0.001 $step
done <steps
finish
