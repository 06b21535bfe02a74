#!/bin/sh
# Decoding and cropping of images against other loaders; see bench_loaders.py.
python3 -c '' 2>/dev/null || {
	echo "bench_loaders: skipped: no Python"
	exit 0
}
BENCH_PYTHONS=${BENCH_PYTHONS:-${PYTHON:-/usr/bin/python3}}
export BENCH_PYTHONS
exec python3 "${top_srcdir:-.}/tests/bench/bench_loaders.py" \
    "${bindir:-.}" "${top_srcdir:-.}"
