# Each line of the log a dot, the running median of up to 21 dots a line.  The window
# that was measured is shaded; from the dotted line on the run has settled.
plot for [i=FIRST:LAST] $data index (i-1) using 1:2 with points \
        ls (200 + i) ps 0.35 * POINT, \
    for [i=FIRST:LAST] $data index (i-1) using 1:5 with lines ls i lw LINE_WIDTH
