# Medians over time with their intervals, open where flagged, and a line at the
# median of each level.
plot for [i=FIRST:LAST] $data index (i-1) using 1:3:(0):($4 - $3) \
        with vectors heads size screen 0.005,90 ls i dt 1 lw 1, \
    for [i=FIRST:LAST] $data index (i-1) using 1:5 with steps ls i dt 1 \
        lw LINE_WIDTH, \
    for [i=FIRST:LAST] $data index (i-1) using 1:2 with points ls i \
        ps (LAST > FIRST || |$data| < 60 ? 1 : 0.6) * POINT, \
    for [i=FIRST:LAST] $data index (i-1) using 1:($9 == 1 ? $2 : NaN) \
        with points pt 7 ps 0.5 * POINT lc rgb BACKGROUND
