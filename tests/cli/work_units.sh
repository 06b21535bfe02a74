# No speedup, efficiency, ratio or prediction combines steps of tokens with
# steps of samples, for any metric. Random pairs of logs, metrics and scalings
# go through all programs. SEED=N PAIRS=N try others.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
x=$bindir/extract_logs report=$bindir/report_results
cd "$tmp" || exit 1

# a_log KIND STEP_S WORK: steps as rates, as steps per second or as times.
a_log() {
	awk -v kind="$1" -v t="$2" -v work="$3" 'BEGIN {
		split("samples tokens steps times", names, " ")
		split("samples_per_s tokens_per_s steps_per_second step_time",
		    heads, " ")
		for (k = 1; names[k] != kind; k++) {}
		print "step," heads[k]
		rate = kind == "tokens" ? 128 * work / t : work / t
		if (kind == "steps") rate = 1 / t
		if (kind == "times") rate = t
		for (i = 0; i < 130; i++)
			printf "%d,%.9g\n", i, rate * (1 + i % 7 / 1000)
	}'
}

# pair SEED: make random trees "one" (1n1g) and "other" (1n8g).
pair() {
	rm -rf one other both
	mkdir -p one/1n1g other/1n8g
	# shellcheck disable=SC2046 # words
	set -- $(awk -v seed="$1" 'function of(n) { return int(rand() * n) + 1 }
	BEGIN {
		srand(seed * 7919) # near seeds begin alike
		for (i = 0; i < 9; i++) rand()
		split("samples tokens steps times", kinds, " ")
		split("--metric=throughput --metric=step-time " \
		    "--unit=iterations/s", ways, " ")
		a = kinds[of(4)]
		b = rand() < 0.2 ? a : kinds[of(4)]
		print a, b, ways[of(3)], rand() < 0.5 ? "weak" : "strong",
		    rand() < 0.9 ? "b" : "known", 2 ^ of(6)
	}')
	a=$1 b=$2 way=$3 scaling=$4
	one=$6
	if test "$scaling" = strong; then one=$((8 * $6)); fi
	# A batch size that is not in the name is unknown.
	in_a=_b$one in_b=_b$6
	if test "$5" != b; then in_a='' in_b=''; fi
	for r in 1 2 3; do
		a_log "$a" 0.3$r "$one" >"one/1n1g/m${in_a}_fp32_$r.log"
		a_log "$b" 0.4$r $((8 * $6)) >"other/1n8g/m${in_b}_fp32_$r.log"
	done
	mkdir both
	cp -r one/1n1g other/1n8g both
	said="$a $b $way $scaling ${in_a:-unknown}"
}

# of_tokens KIND
of_tokens() { test "$1" = tokens; }

# joined CSV: true if it has a speedup over another case.
joined() {
	awk -F, 'NR == 1 {
		for (i = 1; i <= NF; i++) at[$i] = i
		next
	}
	{
		s = $at["speedup"]
		if (s != "" && s != 1) found = 1
	}
	END { exit !found }' "$1"
}

pairs=${PAIRS:-${DLSCALE_QUICK:+30}} pairs=${pairs:-60}
seed=${SEED:-1} last=$((${SEED:-1} + pairs))
wrong=0 alike=0 unlike=0
blame() {
	wrong=$((wrong + 1))
	echo "seed $seed ($said): $1"
}
while test "$seed" -lt "$last"; do
	pair "$seed"
	seed=$((seed + 1))
	options="-q --sequence-length=128 $way --scaling=$scaling"
	rm -f ./*.json ./*.csv ./*.gp
	# shellcheck disable=SC2086 # options
	{
		"$x" $options -o both.json both || continue
		"$x" $options -o one.json one || continue
		"$x" $options -o other.json other || continue
		"$x" $options -o again.json one.json other.json
	} >said 2>&1
	"$report" --format=csv --allow-mixed both.json >both.csv 2>>said ||
	    blame "no table"
	"$report" --format=csv --allow-mixed one.json other.json >two.csv \
	    2>>said || blame "no table of two"
	"$report" --format=csv --allow-mixed again.json >again.csv 2>>said ||
	    blame "no table of an earlier result"
	"$bindir/predict_scaling" --format=csv both.json \
	    >measured.csv 2>>said
	if of_tokens "$a" && ! of_tokens "$b" ||
	    of_tokens "$b" && ! of_tokens "$a"; then
		unlike=$((unlike + 1))
		for table in both two again; do
			! joined $table.csv || blame "$table has a speedup"
		done
		"$bindir/plot_results" --chart=speedup --format=gp -o s.gp \
		    --allow-mixed --common-baseline both.json >>said 2>&1 &&
		    blame "a common baseline"
		! joined measured.csv || blame "predicted from both"
	elif test "$a" = "$b" && test "$in_a" != ''; then
		alike=$((alike + 1))
		for table in both two again; do
			joined $table.csv || blame "$table has no speedup"
		done
		joined measured.csv || blame "nothing to predict from"
	fi
done >found
verdict "$pairs random pairs of units, metrics and scalings" test "$wrong" -eq 0
test "$wrong" -eq 0 || comment found
echo "# $unlike unlike, $alike alike"
verdict "pairs of unlike work, and of like" \
    test "$unlike" -ge $((pairs / 12)) -a "$alike" -ge $((pairs / 12))

# --- The same case in two results -------------------------------------------
rm -rf ./*.json old new
mkdir -p old/1n8g new/1n8g
for r in 1 2 3 4 5; do
	a_log tokens 0.3$r 256 >old/1n8g/m_b32_fp32_$r.log
	a_log samples 0.6$r 256 >new/1n8g/m_b32_fp32_$r.log
done
for t in old new; do
	"$x" -q --metric=step-time --sequence-length=128 -o $t.json $t >out
	sed 's/"batch_size_per_device": 32/"batch_size_per_device": null/' \
	    $t.json >unknown-$t.json
done
verdict "steps of one global batch are compared" sh -c \
    '"$1" --compare --format=csv "$2" "$3" | grep -q ",slower,"' - "$report" \
    old.json new.json
for mixed in "" --allow-mixed; do
	# shellcheck disable=SC2086 # no option or one
	refuse "not of tokens and of samples, of unknown batch $mixed" 4 \
	    "report_results: no case is in both results: *" "$report" \
	    --compare $mixed unknown-old.json unknown-new.json
done

# --- Runs of one case ---------------------------------------------------------
cp old/1n8g/m_b32_fp32_1.log new/1n8g/m_b32_fp32_9.log
"$x" -q --metric=step-time --sequence-length=128 -o mixed.json new >out
verdict "runs of unlike work are two cases" \
    test "$(grep -c '"case": "1n8g"' mixed.json)" -eq 2
verdict "of which one counts tokens" \
    test "$(grep -c '"work_unit": "tokens"' mixed.json)" -eq 1
verdict "which report_results shows both" sh -c \
    'test "$("$1" mixed.json | tee shown | grep -c "^1n8g")" -ge 1 && grep -q "iterations of tokens" shown' \
    - "$report"
finish
