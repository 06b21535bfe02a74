# Ten thousand random bytes of a checkpoint, each changed: refused, every one.
# And 100 writers of one killed by each signal.
DLSCALE_CHECKPOINT_FLIPS=10000 DLSCALE_CHECKPOINT_KILLS=100
export DLSCALE_CHECKPOINT_FLIPS DLSCALE_CHECKPOINT_KILLS
exec "${bindir:-.}/tests/unit/test_checkpoint"
