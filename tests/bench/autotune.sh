# Compare --autotune=model with the best plan on six kinds of link: 1 and
# 2.5 Gbit/s, unshaped, 5 Gbit/s in a deep bucket, two nodes of two ranks, and a
# rank that has half a core. On each link, every plan of a grid trains once;
# then the default plan, the model's and the two best of the grid train in
# turns. Only these turns are compared, because the best of many runs is also
# the luckiest. A time is the median of a run's steps after the tenth, a ratio
# is that of two runs of one round: the table has their medians over the rounds,
# and the lowest and highest ratio.
#
#	tests/bench/autotune.sh [--quick] [FOLDER]
#
# All six take 25 minutes on two quiet cores. Runs whose logs are in the folder
# are not repeated. --quick takes two minutes and only shows that the script
# works. LINKS, PLANS (of the grid), ROUNDS, STEPS, GRID_STEPS, MODEL, SIZE and
# BATCH in the environment change what is run:
#
#	LINKS=2.5G PLANS="mgwfbp ddp-4" ROUNDS=4 tests/bench/autotune.sh
#
# The last table shows how well the model ranked the plans of the grid: how many
# of the pairs of plans whose times differ by more than 3 % it puts in the order
# of their times. Skips, with the reason, if namespaces or tc are not permitted.
set -u
quick=
case ${1-} in
--quick)
	quick=yes
	shift
	;;
-*)
	echo "usage: $0 [--quick] [FOLDER]" >&2
	exit 2
	;;
esac
bindir=$(cd "${bindir:-.}" && pwd)
out=${1:-autotune}
if test -n "$quick"; then
	: "${LINKS=2.5G}" "${ROUNDS=1}" "${STEPS=14}" "${SIZE=32}" "${BATCH=2}"
	: "${GRID_STEPS=14}"
fi
settings=${LINKS:-"1G 2.5G none deep 2x2 slow-rank"} rounds=${ROUNDS:-4}
steps=${STEPS:-30} grid_steps=${GRID_STEPS:-20}
model=${MODEL:-resnet18} size=${SIZE:-64} batch=${BATCH:-8}
for command in ip tc taskset; do
	command -v $command >/dev/null 2>&1 || {
		echo "skipped: no $command"
		exit 0
	}
done
"$bindir/run_on_nodes" -N 1 -- true >/dev/null 2>&1 || {
	echo "skipped: no network namespaces"
	exit 0
}
mkdir -p "$out" || exit 3
for setting in $settings; do
	case $setting in
	1G | 2.5G | none | deep | 2x2 | slow-rank) ;;
	*)
		echo "$0: LINKS: no link '$setting'" >&2
		exit 2
		;;
	esac
done

# plans SETTING: print plans of the grid, one per line: name and options
plans() {
	all_plans "$1" | while read -r name options; do
		case " ${PLANS:-$name} default " in
		*" $name "*) echo "$name $options" ;;
		esac
	done
}
all_plans() {
	cat <<-'END'
		default
		ddp-4 --first-bucket=4 --bucket=4
		ddp-64 --first-bucket=1 --bucket=64
		tensor --fusion=tensor
		all --fusion=all
		mgwfbp --fusion=mgwfbp
		horovod-64-5 --fusion=horovod
		horovod-64-1 --fusion=horovod --cycle-time=1
	END
	test "$1" != 2x2 || cat <<-'END'
		default-levels --hierarchical
		ddp-4-levels --first-bucket=4 --bucket=4 --hierarchical
		all-levels --fusion=all --hierarchical
		mgwfbp-levels --fusion=mgwfbp --hierarchical
	END
}
# options SETTING PLAN
options() {
	if test "$2" = model; then
		echo "--autotune=model --verbose"
	else
		all_plans "$1" | sed -n "s/^$2 //p"
	fi
}
# nodes SETTING: options of run_on_nodes
nodes() {
	case $1 in
	1G | 2.5G) echo "-N 2 --link=$1" ;;
	deep) echo "-N 2 --link=5G --burst=64mb" ;;
	2x2) echo "-N 2 -g 2 --link=2.5G" ;;
	slow-rank) echo "-N 2 --link=2.5G" ;;
	*) echo "-N 2" ;;
	esac
}
# Run a rank on a core of its own, which the slow rank shares with a loop.
cat >"$out/rank.sh" <<'END'
if test "$1" = slow-rank && test "$RANK" -eq 1; then
	taskset -c 1 sh -c 'while :; do :; done' &
	trap "kill $!" EXIT
fi
shift
taskset -c $((RANK % 2)) "$@"
END
# train SETTING PLAN ROUND STEPS: train, unless the log exists
train() {
	log=$out/$1-$2-$3.log
	test ! -s "$log" || return 0
	"$bindir/run_on_nodes" $(nodes "$1") -- sh "$out/rank.sh" \
	    "$1" "$bindir/train_imagenet" --dummy --device=cpu \
	    --backend=gloo --threads=1 --workers=1 -a "$model" -b "$batch" \
	    --image-size="$size" --epochs=1 --batches-per-epoch="$4" \
	    --val-batches=0 --lr=0.001 --log-ranks=0 $(options "$1" "$2") \
	    </dev/null >"$log.part" 2>&1 && mv "$log.part" "$log" ||
	    echo "failed: $log.part" >&2
}
median() { # LOG...: ms of the steps after the tenth
	sed -n 's/^Epoch: \[0\]\[ *\([0-9]*\)\/.*Time *\([0-9.]*\) .*/\1 \2/p' \
	    "$@" | awk '$1 > 10 { print 1000 * $2 }' | sort -g |
	    awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'
}
# in_turns SETTING: print the plans that train in turns
in_turns() {
	plans "$1" | while read -r name _; do
		echo "$(median "$out/$1-$name-grid.log") $name"
	done | sort -g | awk '$2 != "default" && n++ < 2 { print $2 }' |
	    cat - "$out/both.txt"
}
printf 'default\nmodel\n' >"$out/both.txt"
run_setting() {
	plans "$1" | while read -r name _; do
		train "$1" "$name" grid "$grid_steps"
	done
	in_turns "$1" >"$out/$1.turns"
	for round in $(seq "$rounds"); do
		# Each round starts with another plan.
		awk -v first="$round" '{ x[NR] = $0 }
		    END {
			for (i = 0; i < NR; i++)
				print x[(i + first) % NR + 1]
		    }' "$out/$1.turns" | while read -r name; do
			train "$1" "$name" "$round" "$steps"
		done
	done
}
# row SETTING: print its line of the table
row() {
	kept=$(sed -n 's/^dlscale: autotune_done .* plan=\([^ ]*\) route=\([^ ]*\).*/\1 \2/p' \
	    "$out/$1-model-"[0-9]*.log | sort | uniq -c | sort -rn |
	    awk '{ printf "%s%s x %s %s", n++ ? "; " : "", $1, $2, $3 }')
	decided=$(grep -h -m 1 '^dlscale: autotune_done' \
	    "$out/$1-model-"[0-9]*.log | sed 's/.* step=\([0-9]*\) .*/\1/' |
	    sort -n | tail -n 1)
	while read -r name; do
		for round in $(seq "$rounds"); do
			log=$out/$1-$name-$round.log
			test ! -s "$log" ||
			    echo "$round $name $(median "$log")"
		done
	done <"$out/$1.turns" | awk -v setting="$1" -v kept="$kept" \
	    -v decided="$decided" '
	    function median(x, n, i, k, t) {
		for (i = 2; i <= n; i++)
			for (k = i; k > 1 && x[k - 1] > x[k]; k--) {
				t = x[k]; x[k] = x[k - 1]; x[k - 1] = t
			}
		return n % 2 ? x[(n + 1) / 2] : (x[n / 2] + x[n / 2 + 1]) / 2
	    }
	    function of_plan(name, i, n, x) {
		for (i = 1; i <= rounds; i++)
			if ((i, name) in ms)
				x[++n] = ms[i, name]
		return n ? median(x, n) : 0
	    }
	    function ratio(a, b, i, n, x) {
		for (i = 1; i <= rounds; i++)
			if ((i, a) in ms && (i, b) in ms)
				x[++n] = ms[i, a] / ms[i, b]
		if (n == 0)
			return "-"
		median(x, n)
		return sprintf("%.3f (%.3f to %.3f)", median(x, n), x[1], x[n])
	    }
	    {
		ms[$1, $2] = $3
		names[$2] = 1
		rounds = $1 > rounds ? $1 : rounds
	    }
	    END {
		for (name in names) {
			t = of_plan(name)
			if (name != "model" && (best == "" || t < least)) {
				best = name
				least = t
			}
		}
		printf "| %s | %.1f | %.1f | %s | %.1f | %s | %s | %s | %s |\n",
		    setting, of_plan("default"), least, best,
		    of_plan("model"), kept, decided,
		    ratio("model", "default"), ratio("model", best)
	    }'
}
for setting in $settings; do
	run_setting "$setting"
done
echo "| link | default (ms) | best of the grid (ms) | plan | model (ms)" \
    "| plan it kept | after step | model / default | model / best |"
echo "|---|---:|---:|---|---:|---|---:|---:|---:|"
for setting in $settings; do
	row "$setting"
	plans "$setting" | while read -r name _; do
		echo "$name $(median "$out/$setting-$name-"*.log)"
	done >"$out/$setting.txt"
done
# ranked SETTING: print how many pairs of plans the model orders correctly
ranked() {
	cat "$out/$1.txt" "$out/$1-model-"[0-9]*.log | awk -v setting="$1" '
	    BEGIN {
		plan["default"] = "ddp-first1-rest25"
		plan["ddp-4"] = "ddp-first4-rest4"
		plan["ddp-64"] = "ddp-first1-rest64"
		plan["tensor"] = "tensor"; plan["all"] = "all"
		plan["mgwfbp"] = "mgwfbp"
		plan["horovod-64-5"] = "horovod-threshold64-cycle5"
		plan["horovod-64-1"] = "horovod-threshold64-cycle1"
	    }
	    NF == 2 && $1 != "model" { name[++n] = $1; ms[n] = $2 }
	    /^dlscale: autotune_ranked/ {
		key = substr($3, 6) " " substr($4, 7)
		sub(/.*added_ms=/, ""); added[key] += $0; times[key]++
	    }
	    function predicted(i, base, route) {
		base = name[i]
		route = sub(/-levels$/, "", base) ? " hierarchical" : " flat"
		route = plan[base] route
		return times[route] ? added[route] / times[route] : -1
	    }
	    END {
		for (i = 1; i <= n; i++)
			for (k = 1; k < i; k++) {
				a = predicted(i); b = predicted(k)
				if (a < 0 || b < 0 || (ms[i] < 1.03 * ms[k] &&
				    ms[k] < 1.03 * ms[i]))
					continue
				pairs++
				right += (a < b) == (ms[i] < ms[k])
			}
		printf "| %s | %d | %d |\n", setting, pairs, right
	    }'
}
echo
echo "| link | pairs of plans | in the model's order |"
echo "|---|---:|---:|"
for setting in $settings; do
	ranked "$setting"
done
echo
echo "$model, batch $batch, $size x $size, $rounds rounds of $steps steps," \
    "the grid once of $grid_steps; load $(cut -d ' ' -f 1-3 /proc/loadavg)"
