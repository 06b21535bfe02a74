#!/bin/sh
# Extraction against its rivals, in one run; see bench_extract.py.
python=${PYTHON:-python3}
"$python" -c '' 2>/dev/null || {
	echo "bench_extract: skipped: no Python"
	exit 0
}
if test -z "${DLSCALE_FORMAT_PATH-}"; then
	extract=$(cd "${top_srcdir:-.}/extract" && pwd)
	DLSCALE_FORMAT_PATH=$extract/formats:$extract/layouts
	export DLSCALE_FORMAT_PATH
fi
exec "$python" "${top_srcdir:-.}/tests/bench/bench_extract.py" \
    "${bindir:-.}" "${top_srcdir:-.}"
