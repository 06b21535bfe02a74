#!/bin/sh
# Run tests/cli/resources.sh with 100 moments of each signal instead of 10.
KILLS=${KILLS:-100}
export KILLS
exec "${SHELL:-/bin/sh}" "${top_srcdir:-.}/tests/cli/resources.sh"
