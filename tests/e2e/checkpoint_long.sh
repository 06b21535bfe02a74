# Change ten thousand random bytes of a checkpoint, one at a time: every file is
# refused. Kill 100 writers of a checkpoint with each signal.
DLSCALE_CHECKPOINT_FLIPS=10000 DLSCALE_CHECKPOINT_KILLS=100
export DLSCALE_CHECKPOINT_FLIPS DLSCALE_CHECKPOINT_KILLS
exec "${bindir:-.}/tests/unit/test_checkpoint"
