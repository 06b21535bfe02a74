# Replay report 000 on four nodes with emulated links of 2.5 and 5 Gbit/s, with
# a deep token bucket as in clouds and with a shallow one. Computing is a sleep
# of the time that the report's four V100 of one machine took; the allreduces
# have the real gradients. Prints each step next to the report's. Needs a quiet
# machine with at least two cores.
set -u
bindir=${bindir:-.}
"$bindir/run_on_nodes" --link=1G -- true >/dev/null || exit 0
replay() { # MODEL COMPUTE_MS LINK PUBLISHED_MS STEPS
	for burst in 64mb 256kb; do
		"$bindir/run_on_nodes" -N 4 --link="$3" --burst=$burst -- \
		    "$bindir/tests/bench/bench_replay" gloo "$1" "$2" "$5" |
		    awk -v link="$3" -v burst=$burst -v published="$4" '
			/mean/ { printf "%s link %s, bucket %s: %s ms here, " \
			    "%s ms published, ratio %.3f\n", $1, link, burst,
			    $(NF - 1), published, $(NF - 1) / published }'
	done
}
replay resnet50 148.8 2.5G 507.3 "${STEPS:-40}"
replay resnet50 148.8 5G 254.0 "${STEPS:-40}"
replay vgg16 218.7 2.5G 2717.3 "${STEPS:-20}"
replay vgg16 218.7 5G 1359.3 "${STEPS:-20}"
