# Loss over the steps: a dot a line of the log, the running median
# of up to 21 dots a line.
plot for [i=FIRST:LAST] $data index (i-1) using 1:2 with points \
        ls (200 + i) ps 0.35 * POINT, \
    for [i=FIRST:LAST] $data index (i-1) using 1:5 with lines ls i lw LINE_WIDTH
