# Cases down the side: ratios of new over old with their intervals, and the line
# of no change.  Filled circles are proven to be faster or slower.
set grid noytics
set ylabel ''
set arrow 96 from first 1, graph 0 to first 1, graph 1 nohead ls 100 dt 2 lw 1.5
plot $data index 0 using 3:1:($4 - $3):(0) \
        with vectors heads size screen 0.006,90 ls 1 dt 1 lw 1.4, \
    $data index 0 using 2:1 with points ls 1 pt 7 ps POINT, \
    $data index 0 using ($8 == 2 ? $2 : NaN):1 with points pt 7 \
        ps 0.55 * POINT lc rgb BACKGROUND
