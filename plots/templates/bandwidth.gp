# Bus bandwidth over the size of a message, both axes logarithmic, and what the
# link could carry: medians of nearly equal sizes, in bands of their percentiles.
plot for [i=1:N] $data index (i-1) using 1:3:4 with filledcurves \
        ls i fs transparent solid 0.18 noborder, \
    for [i=1:N_LIMITS] LIMIT with lines ls 100 dt 2 lw 1.5, \
    for [i=1:N] $data index (i-1) using 1:2 with linespoints \
        ls i ps POINT lw LINE_WIDTH
