# Efficiency over the number of GPUs: 100 % is the speed of the baseline's GPUs
# times the number of GPUs.
plot for [i=1:N_BANDS] $bands index (i-1) using (shows_band(i)):9:10 \
        with filledcurves ls BAND_OF[i] fs transparent solid 0.18 noborder, \
    for [i=1:N_IDEAL] $ideal index (i-1) using (shows_ideal(i)):4 with lines \
        ls ideal_style(i) dt 2 lw (N_IDEAL == 1 ? 1.5 : 0.8), \
    for [i=1:N_BANDS] $bands index (i-1) using (shows_band(i)):8 \
        with linespoints ls BAND_OF[i] dt 3 pt 6 ps POINT lw LINE_WIDTH, \
    for [i=FIRST:LAST] $runs index (i-1) using (run_place($1)):4 \
        with points ls (200 + i) ps 0.7 * POINT, \
    for [i=FIRST:LAST] $data index (i-1) using 1:8 with linespoints \
        ls i ps POINT lw LINE_WIDTH, \
    for [i=FIRST:LAST] $data index (i-1) using 1:9:(0):($10 - $9) \
        with vectors heads size screen 0.009,90 ls i dt 1 lw 1.2, \
    for [i=FIRST:LAST] $data index (i-1) using 1:8:11 with labels \
        offset 0.8,0 left font NOTE_FONT tc rgb FAINT
