#!/bin/sh
# The fuzz targets' seeds again, each in 10,000 mutations instead of 200.
DLSCALE_FUZZ_RUNS=${DLSCALE_FUZZ_RUNS:-10000}
export DLSCALE_FUZZ_RUNS
exec "${SHELL:-/bin/sh}" "${top_srcdir:-.}/tests/fuzz/replay.sh"
