# Ten thousand random bytes of a checkpoint, each changed: refused, every one.
DLSCALE_CHECKPOINT_FLIPS=10000
export DLSCALE_CHECKPOINT_FLIPS
exec "${bindir:-.}/tests/unit/test_checkpoint"
