# Medians side by side, with their intervals.
WIDTH = 0.8 / (LAST - FIRST + 1)
set boxwidth WIDTH
set grid noxtics
place(i) = (i - (FIRST + LAST) / 2.0) * WIDTH
plot for [i=FIRST:LAST] $data index (i-1) using ($1 + place(i)):2 with boxes \
        ls i fs solid 0.85 noborder, \
    for [i=FIRST:LAST] $data index (i-1) using ($1 + place(i)):3:(0):($4 - $3) \
        with vectors heads size first (WIDTH * 0.25),90 ls 100 \
        lc rgb FOREGROUND dt 1 lw 1.2
