# How the steps of each window are spread: a dot a step, and the median between
# the 5th and the 95th percentile.
set grid noxtics
jitter(k) = 0.28 * sin(12.9898 * k)
plot for [i=1:N] $data index (i-1) using ($1 + jitter(column(0))):2 \
        with points ls (200 + i) ps 0.4 * POINT, \
    for [i=1:N] $data index (i-1) using 1:6:(0):($7 - $6) \
        with vectors heads size graph 0.012,90 ls i dt 1 lw 1.6, \
    for [i=1:N] $data index (i-1) using 1:5 with points \
        ls i ps 1.3 * POINT
