# Throughput over the batch size of a device, both axes logarithmic.
plot for [i=FIRST:LAST] $data index (i-1) using 1:2 with linespoints \
        ls i ps POINT lw LINE_WIDTH, \
    for [i=FIRST:LAST] $data index (i-1) using 1:3:(0):($4 - $3) \
        with vectors heads size screen 0.009,90 ls i dt 1 lw 1.2
