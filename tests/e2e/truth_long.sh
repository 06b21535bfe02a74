#!/bin/sh
# Like tests/e2e/truth.sh, with 500 trees instead of 30.
DLSCALE_TRUTH_TREES=${DLSCALE_TRUTH_TREES:-500}
export DLSCALE_TRUTH_TREES
exec "${SHELL:-/bin/sh}" "${top_srcdir:-.}/tests/e2e/truth.sh"
