# Cases down the side: ratios of new over old with their intervals, and the line
# of no change.  Triangles: up, proven to be faster; down, slower; open, flagged.
# Grey circles: no proven change.  Diamond: mean of all.  Shaded: equivalent.
set grid noytics
set style line 3 lc rgb FOREGROUND
set arrow 96 from first 1, graph 0 to first 1, graph 1 nohead ls 100 dt 2 lw 1.5
if (DELTA > 0) set object 94 rectangle from first 1 / (1 + DELTA), graph 0 \
    to first 1 + DELTA, graph 1 behind fc rgb '#d8808080' fs solid noborder
change(i) = i == 2 ? -1 : i == 3 ? 2 : i
plot for [i=0:3] $data index 0 using ($10 == change(i) ? $3 : NaN):1: \
        ($4 - $3):(0) with vectors heads size screen 0.006,90 \
        ls (i == 0 ? 100 : i) dt 1 lw 1.4, \
    for [i=0:3] $data index 0 using ($10 == change(i) ? $2 : NaN):1 \
        with points ls (i == 0 ? 100 : i) pt 7 + 2 * i \
        ps POINT * (i == 3 ? 1.6 : 1), \
    for [i=0:2] $data index 0 using \
        ($10 == change(i) && $9 == 1 ? $2 : NaN):1 \
        with points pt 7 + 2 * i ps 0.55 * POINT lc rgb BACKGROUND
