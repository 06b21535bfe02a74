# Top-1 accuracy of the training batches over steps or time: of a case with one
# run a dot a line of the log and the running median of up to 21 dots a line; of
# several runs the median of these lines in a band.
plot for [i=FIRST:LAST] $data index (i-1) using 1:3:4 with filledcurves \
        ls i fs transparent solid 0.18 noborder, \
    for [i=FIRST:LAST] $data index (i-1) using 1:($3 == $3 ? NaN : $2) \
        with points ls (200 + i) ps 0.35 * POINT, \
    for [i=FIRST:LAST] $data index (i-1) using 1:5 with lines ls i lw LINE_WIDTH
