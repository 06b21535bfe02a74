# How the steps of each window are spread: a dot a step, and the median between
# the 5th and the 95th percentile.
set grid noytics
jitter(k) = 0.28 * sin(12.9898 * k)
plot for [i=1:N] $data index (i-1) using 2:($1 + jitter(column(0))) \
        with points ls (200 + i) ps 0.4 * POINT, \
    for [i=1:N] $data index (i-1) using 6:1:($7 - $6):(0) \
        with vectors heads size screen 0.006,90 lc rgb FOREGROUND dt 1 lw 1.4, \
    for [i=1:N] $data index (i-1) using 5:1 with points \
        lc rgb FOREGROUND pt 7 ps POINT
