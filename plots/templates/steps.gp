# Of a case with one run each line of the log a dot and the running median of up
# to 21 dots a line; of several runs the median of these lines in a band.  The
# window that was measured is shaded; from the dotted line on the run has settled.
plot for [i=FIRST:LAST] $data index (i-1) using 1:3:4 with filledcurves \
        ls i fs transparent solid 0.18 noborder, \
    for [i=FIRST:LAST] $data index (i-1) using 1:($3 == $3 ? NaN : $2) \
        with points ls (200 + i) ps 0.35 * POINT, \
    for [i=FIRST:LAST] $data index (i-1) using 1:5 with lines ls i lw LINE_WIDTH
