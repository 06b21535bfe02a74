#!/bin/sh
# As tests/e2e/chain.sh, with 500 trees instead of 30.
DLSCALE_CHAIN_TREES=${DLSCALE_CHAIN_TREES:-500}
export DLSCALE_CHAIN_TREES
exec "${SHELL:-/bin/sh}" "${top_srcdir:-.}/tests/e2e/chain.sh"
