#!/bin/sh
# As tests/cli/growth.sh, with all dimensions, each twice as large.
GROWTH_ROWS=. GROWTH_TIMES=${GROWTH_TIMES:-2}
export GROWTH_ROWS GROWTH_TIMES
exec "${SHELL:-/bin/sh}" "${top_srcdir:-.}/tests/cli/growth.sh"
