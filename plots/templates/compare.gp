# Ratios of new over old with their intervals, and the line of no change.
plot 1 with lines ls 20 dt 2 lw 1.5 notitle, \
    $data index 0 using 1:3:(0):($4 - $3) \
        with vectors heads size graph 0.006,90 ls style(1) dt 1 lw 1.4 \
        notitle, \
    $data index 0 using 1:2 with points ls style(1) ps POINT lw 1.8 \
        title NAME[1]
