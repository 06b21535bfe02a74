# Medians side by side, with their intervals; each run a dot where they are few.
WIDTH = 0.8 / (LAST - FIRST + 1)
set boxwidth WIDTH
set grid noxtics
place(i) = (i - (FIRST + LAST) / 2.0) * WIDTH
plot for [i=FIRST:LAST] $data index (i-1) using ($1 + place(i)):2 with boxes \
        ls i fs solid 0.85 noborder, \
    for [i=FIRST:LAST] $runs index (i-1) \
        using ($1 + place(i) - 0.3 * WIDTH):2 with points pt 7 \
        ps (WIDTH > 0.1 ? 0.35 : 0.2) * POINT lc rgb FOREGROUND, \
    for [i=FIRST:LAST] $data index (i-1) using ($1 + place(i)):3:(0):($4 - $3) \
        with vectors heads size first (WIDTH * 0.25),90 ls 100 \
        lc rgb FOREGROUND dt 1 lw 1.2
