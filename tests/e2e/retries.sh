# A killed rank costs a run only the steps since its state was saved: run_sweep
# resumes the run from there, and it ends with the weights of an undisturbed
# run.
# shellcheck disable=SC2154 # bindir and tmp are from lib.sh
. "$top_srcdir/tests/lib.sh"
skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}
built_with GLOO ||
    skip_all "built without Gloo"
cd "$tmp" || exit 1
"$bindir/run_on_nodes" -- true >out 2>err ||
    skip_all "no emulated nodes here: $(tail -n 1 err)"
ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}
export ASAN_OPTIONS

# The trainer, with rank 1 killed once a saved state exists. The killed process
# is the rank itself, so that it ends before the other one.
cat >trainer <<'EOF'
#!/bin/sh
case $RANK,$* in
1,*--resume*|0,*) ;;
*)	rank=$$
	while kill -0 $rank; do
		test -e "$STATE" -a ! -e spared && exec kill -9 $rank
		sleep 0.02
	done >watch 2>&1 &;;
esac
exec "$TRAINER" "$@"
EOF
chmod +x trainer
TRAINER=$bindir/train_imagenet TRAIN_IMAGENET=$tmp/trainer
STATE=logs/x/2n1g/resnet18_b2_fp32_1.log.checkpoint
export TRAINER TRAIN_IMAGENET STATE
cat >two.sweep <<'EOF'
name     x
model    resnet18
batch    2
topology 2n1g
link     none
runs     1
options  --dummy --threads=1 --workers=1 --image-size=32
         --classes=10 --lr=0.001 --epochs=1 --batches-per-epoch=12
         --val-batches=0 --backend=gloo --comm-timeout=60
         --checkpoint={checkpoint} --checkpoint-every=2
EOF
weights() { sed -n 's/^dlscale: weights .* xxh3=\([^ ]*\) .*/\1/p' "$@" | sort -u; }
touch spared
verdict "an undisturbed run" timeout 200 "$bindir/run_sweep" --log-dir=calm \
    two.sweep
rm spared
refuse "without --retries the rank that died is named" 3 \
    "*.log.1~: *" timeout 200 "$bindir/run_sweep" two.sweep
verdict "by its number and node" grep -q \
    '^run_on_nodes: rank 1 (node2) was ended by signal 9' logs/x/2n1g/*.1~
verdict "the state is kept" test -s $STATE
verdict "--retries goes on" timeout 200 "$bindir/run_sweep" --retries=2 \
    two.sweep
log=logs/x/2n1g/resnet18_b2_fp32_1.log
verdict "from the state, not from the start" grep -q \
    '^dlscale: resume epoch=0 batch=[2-9]' $log
verdict "both ranks have the weights of the undisturbed run" test \
    "$(weights $log)" = "$(weights calm/x/2n1g/*.log)" -a -n "$(weights $log)"
verdict "nothing is left to go on from" test ! -e $STATE
finish
