# Cases down the side, from the best down: medians with their intervals; circles
# of flagged cases are open.
set grid noytics
plot $data index 0 using 3:1:($4 - $3):(0) \
        with vectors heads size screen 0.006,90 ls 1 dt 1 lw 1.4, \
    $data index 0 using 2:1 with points ls 1 pt 7 ps POINT, \
    $data index 0 using ($9 == 1 ? $2 : NaN):1 with points pt 7 \
        ps 0.55 * POINT lc rgb BACKGROUND
