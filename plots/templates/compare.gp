# Cases down the side: ratios of new over old with their intervals, and the line
# of no change.  Triangles: up, proven to be faster; down, slower; open, flagged.
# Grey circles: no proven change.
set grid noytics
set ylabel ''
set arrow 96 from first 1, graph 0 to first 1, graph 1 nohead ls 100 dt 2 lw 1.5
plot for [i=0:2] $data index 0 using ($10 == i - 3 * (i == 2) ? $3 : NaN):1: \
        ($4 - $3):(0) with vectors heads size screen 0.006,90 \
        ls (i == 0 ? 100 : i) dt 1 lw 1.4, \
    for [i=0:2] $data index 0 using ($10 == i - 3 * (i == 2) ? $2 : NaN):1 \
        with points ls (i == 0 ? 100 : i) pt 7 + 2 * i ps POINT, \
    for [i=0:2] $data index 0 using \
        ($10 == i - 3 * (i == 2) && $9 == 1 ? $2 : NaN):1 \
        with points pt 7 + 2 * i ps 0.55 * POINT lc rgb BACKGROUND
