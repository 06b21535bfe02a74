# A quantity over the number of GPUs, with the ideal lines through the baselines
# and the bands of predictions; runs are dots, intervals have whiskers,
# marks of flagged cases are open. gnuplot 5.4 crashes if all labels of a plot
# are at NaN: those without a value are empty and at 1.
plot for [i=1:N_BANDS] $bands index (i-1) \
        using (shows_band(i)):(column(COLUMN + 1)):(column(COLUMN + 2)) \
        with filledcurves ls BAND_OF[i] fs transparent solid 0.18 noborder, \
    for [i=1:N_IDEAL] shows_ideal(i) * IDEAL_AT[i] * x**IDEAL_POWER[i] \
        with lines ls ideal_style(i) dt 2 lw (N_IDEAL == 1 ? 1.5 : 0.8), \
    for [i=1:N_BANDS] $bands index (i-1) \
        using (shows_band(i)):(column(COLUMN)) \
        with linespoints ls BAND_OF[i] dt 3 pt 6 ps POINT lw LINE_WIDTH, \
    for [i=FIRST:LAST] $runs index (i-1) \
        using (dodge($1, i)):(column(RUN_COLUMN)) \
        with points ls (200 + i) ps 0.7 * POINT, \
    for [i=FIRST:LAST] $data index (i-1) \
        using (dodge($1, i)):(column(COLUMN)) with linespoints \
        ls i ps POINT lw LINE_WIDTH, \
    for [i=FIRST:LAST] $data index (i-1) \
        using ($15 == 1 ? dodge($1, i) : NaN):(column(COLUMN)) \
        with points pt 7 ps 0.5 * POINT lc rgb BACKGROUND, \
    for [i=FIRST:LAST] $data index (i-1) \
        using (dodge($1, i)):(column(COLUMN + 1)):(0): \
        (column(COLUMN + 2) - column(COLUMN + 1)) \
        with vectors heads size screen 0.009,90 ls i dt 1 lw 1.2, \
    for [i=FIRST:LAST] $data index (i-1) \
        using (dodge($1, i)):(valid(COLUMN) ? column(COLUMN) : 1): \
        (valid(COLUMN) && $1 <= RIGHT_FROM ? strcol(11) : "") \
        with labels offset 0.8,0 left font NOTE_FONT tc rgb FAINT, \
    for [i=FIRST:LAST] $data index (i-1) \
        using (dodge($1, i)):(valid(COLUMN) ? column(COLUMN) : 1): \
        (valid(COLUMN) && $1 > RIGHT_FROM ? strcol(11) : "") \
        with labels offset -0.8,0 right font NOTE_FONT tc rgb FAINT
