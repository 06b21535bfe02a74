# Lines made of all samples of all formats, at more sizes than make check has
# time for: none exceeds its limit.
. "$top_srcdir/tests/lib.sh"

verdict "each hostile line within 20 times a plain log" \
    env LINE_TIME_ALL=1 "$bindir/tests/unit/test_line_time"
finish
