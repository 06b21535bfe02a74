# Progress bars and whole-run figures: what counts and what does not.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
x=$bindir/extract_logs
cd "$tmp" || exit 1

speed() { # options and logs: unit and median
	"$x" -q -o r.json "$@" >out 2>err
	tr -d ' \n' <r.json | sed 's/.*"unit":"\([^"]*\)".*"median_speed":\([^,]*\),.*/\1 \2\n/'
	rm -f r.json
}

# A bar that is redrawn, with a bar of an evaluation in between.
{
	i=0
	while test $i -lt 40; do
		printf '\r %d%%|#   | %d/40 [00:%02d<01:00,  1.00s/it]' \
		    $((i * 2)) $i $i
		printf '\r %d%%|#   | %d/40 [00:%02d<01:00,  1.00s/it, l=1]' \
		    $((i * 2)) $i $i
		if test $i -eq 20; then
			for k in 1 2 3 4; do
				printf '\r 10%%|#   | %d/4 [00:0%d<00:01,  1.0it/s]' $k $k
			done
		fi
		i=$((i + 1))
	done
	printf '\n'
} >bar.log
speed --rule=all bar.log >got
echo 'iterations/s 1' >want
verdict "a bar's states count once, evaluation does not" cmp -s want got
"$x" --explain bar.log >explained 2>err
verdict "the generic format of bars" grep -q tqdm explained

# The dictionary at the end overrides the bars, even far after the head.
{
	cat bar.log
	awk 'BEGIN { for (i = 0; i < 9000; i++)
		print "a line of forty bytes without a number" }'
	echo "{'train_runtime': 40.0, 'train_samples_per_second': 16.5," \
	    "'train_steps_per_second': 1.0, 'epoch': 1.0}"
} >hf.log
speed hf.log >got
echo 'samples/s 16.5' >want
verdict "Hugging Face's own figure" cmp -s want got
speed --metric=time-to-train hf.log >got
verdict "and its time" grep -q '^min 0.6666' got
echo "{'train_runtime': 40.0, 'train_samples_per_second': 2.5}" >old.log
speed old.log --unit=iterations/s >got
echo 'iterations/s 2.5' >want
verdict "which was steps a second in old versions" cmp -s want got

printf '%s\n' 'Epoch 1/2' '  1/500 [....] - ETA: 9s - loss: 2' \
    '500/500 [====] - 200s 399ms/step - loss: 1' 'Epoch 2/2' \
    '500/500 [====] - 150s 301ms/step - loss: 1' >keras.log
speed --rule=all --unit=iterations/s keras.log >got
verdict "Keras: the total, where it is finer" grep -q \
    '^iterations/s 2.857142' got
printf 'x\n\nreal\t1m30.000s\nuser\t0m1.0s\n' >time.log
speed --metric=time-to-train time.log >got
echo 'min 1.5' >want
verdict "bash's time" cmp -s want got
printf 'epoch,step,train_loss,val_loss\n0,49,2.62,\n' >metrics.csv
"$x" -o r.json metrics.csv >out 2>err
verdict "a log without times is known, but gives nothing" grep -q \
    'no-steps\|lacks the figure\|no step with a time' err
finish
