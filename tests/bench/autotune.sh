# Does --autotune=model find the best plan?  On six kinds of link each plan of a
# grid trains in turn with the model's, and the table has both: a link of 1 and
# 2.5 Gbit/s, none shaped, 5 Gbit/s in a deep bucket, two nodes of two ranks, and
# a rank that has half a core.  A time is the median of the steps after the
# tenth, of all rounds.
#
#	tests/bench/autotune.sh [--quick] [FOLDER]
#
# --quick takes two minutes and shows that it works, no more.  What was run before
# in the same folder is not run again.  LINKS, PLANS, ROUNDS, STEPS, MODEL, SIZE and
# BATCH in the environment change what is run:
#
#	LINKS=2.5G PLANS="default model mgwfbp" ROUNDS=4 tests/bench/autotune.sh
#
# The next table has how well the model ranked the plans of the grid: of all
# pairs of plans whose times differ by more than 3 %, how many it puts in the
# order of their times.  Skips, saying why, where namespaces or tc are not
# permitted.
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
fi
settings=${LINKS:-"1G 2.5G none deep 2x2 slow-rank"} rounds=${ROUNDS:-2}
steps=${STEPS:-40} model=${MODEL:-resnet18} size=${SIZE:-64} batch=${BATCH:-8}
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

# plans SETTING: a line each, name and options
plans() {
	all_plans "$1" | while read -r name options; do
		case " ${PLANS:-$name} " in
		*" $name "*) echo "$name $options" ;;
		esac
	done
}
all_plans() {
	cat <<-'END'
		default
		model --autotune=model --verbose
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
		all-levels --fusion=all --hierarchical
		mgwfbp-levels --fusion=mgwfbp --hierarchical
	END
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
# What a rank runs: on a core of its own, which the slow one shares.
cat >"$out/rank.sh" <<'END'
if test "$1" = slow-rank && test "$RANK" -eq 1; then
	taskset -c 1 sh -c 'while :; do :; done' &
	trap "kill $!" EXIT
fi
shift
taskset -c $((RANK % 2)) "$@"
END
train() { # SETTING LOG OPTION...
	setting=$1 log=$2
	shift 2
	"$bindir/run_on_nodes" $(nodes "$setting") -- sh "$out/rank.sh" \
	    "$setting" "$bindir/train_imagenet" --dummy --device=cpu \
	    --backend=gloo --threads=1 --workers=1 -a "$model" -b "$batch" \
	    --image-size="$size" --epochs=1 --batches-per-epoch="$steps" \
	    --val-batches=0 --lr=0.001 --log-ranks=0 "$@" >"$log.part" 2>&1 &&
	    mv "$log.part" "$log"
}
median() { # LOG...: ms of the steps after the tenth
	sed -n 's/^Epoch: \[0\]\[ *\([0-9]*\)\/.*Time *\([0-9.]*\) .*/\1 \2/p' \
	    "$@" | awk '$1 > 10 { print 1000 * $2 }' | sort -g |
	    awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'
}
for round in $(seq "$rounds"); do
	for setting in $settings; do
		plans "$setting" | while read -r name options; do
			log=$out/$setting-$name-$round.log
			test -s "$log" || train "$setting" "$log" $options \
			    </dev/null || echo "failed: $log.part" >&2
		done
	done
done
echo "| link | default (ms) | best of the grid (ms) | plan | model (ms)" \
    "| plan it kept | model / default | model / best |"
echo "|---|---:|---:|---|---:|---|---:|---:|"
for setting in $settings; do
	plans "$setting" | while read -r name options; do
		echo "$name $(median "$out/$setting-$name-"[0-9]*.log)"
	done >"$out/$setting.txt"
	kept=$(sed -n 's/^dlscale: autotune_done .* plan=\([^ ]*\) route=\([^ ]*\).*/\1 \2/p' \
	    "$out/$setting-model-"[0-9]*.log | sort -u | paste -sd '; ')
	awk -v setting="$setting" -v kept="$kept" '
	    $1 == "default" { first = $2 }
	    $1 == "model" { model = $2; next }
	    best == "" || $2 < best { best = $2; plan = $1 }
	    END {
		printf "| %s | %.1f | %.1f | %s | %.1f | %s | %.3f | %.3f |\n",
		    setting, first, best, plan, model, kept, model / first,
		    model / best
	    }' "$out/$setting.txt"
done
# ranked SETTING: of how many pairs of plans the model has the order
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
echo "$model, batch $batch, $size x $size, $rounds rounds of $steps steps;" \
    "load $(cut -d ' ' -f 1-3 /proc/loadavg)"
