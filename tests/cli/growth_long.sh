#!/bin/sh
# Run tests/cli/growth.sh with all dimensions.
GROWTH_ROWS=.
export GROWTH_ROWS
exec "${SHELL:-/bin/sh}" "${top_srcdir:-.}/tests/cli/growth.sh"
