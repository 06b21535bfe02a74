# Throughput over the batch size of a device, both axes logarithmic; each run a
# dot where they are few.
plot for [i=FIRST:LAST] $runs index (i-1) using (dodge($1, i)):2 \
        with points ls (200 + i) ps 0.7 * POINT, \
    for [i=FIRST:LAST] $data index (i-1) using (dodge($1, i)):2 with linespoints \
        ls i ps POINT lw LINE_WIDTH, \
    for [i=FIRST:LAST] $data index (i-1) using (dodge($1, i)):3:(0):($4 - $3) \
        with vectors heads size screen 0.009,90 ls i dt 1 lw 1.2
