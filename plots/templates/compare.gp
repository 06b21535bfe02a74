# Ratios of new over old with their intervals, and the line of no change.
plot 1 with lines ls 100 dt 2 lw 1.5, \
    $data index 0 using 1:2 with points ls 1 ps POINT lw LINE_WIDTH, \
    $data index 0 using 1:3:(0):($4 - $3) \
        with vectors heads size graph 0.011,90 ls 1 dt 1 lw 1.4
