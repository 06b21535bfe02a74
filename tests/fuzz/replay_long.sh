#!/bin/sh
# Mutates the fuzz targets' seeds for a minute per target, instead of 200 times
# per file. DLSCALE_FUZZ_SEED: other mutations.
DLSCALE_FUZZ_SECONDS=${DLSCALE_FUZZ_SECONDS:-60}
export DLSCALE_FUZZ_SECONDS
exec "${SHELL:-/bin/sh}" "${top_srcdir:-.}/tests/fuzz/replay.sh"
