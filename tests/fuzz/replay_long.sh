#!/bin/sh
# The fuzz targets' seeds again, for a minute each instead of 200 mutations of
# each file.  DLSCALE_FUZZ_SEED: other mutations.
DLSCALE_FUZZ_SECONDS=${DLSCALE_FUZZ_SECONDS:-60}
export DLSCALE_FUZZ_SECONDS
exec "${SHELL:-/bin/sh}" "${top_srcdir:-.}/tests/fuzz/replay.sh"
