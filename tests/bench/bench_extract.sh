#!/bin/sh
# Extraction against its rivals, in one run; see bench_extract.py.
python=${PYTHON:-python3}
"$python" -c '' 2>/dev/null || {
	echo "bench_extract: skipped: no Python"
	exit 0
}
exec "$python" "${top_srcdir:-.}/tests/bench/bench_extract.py" \
    "${bindir:-.}" "${top_srcdir:-.}"
