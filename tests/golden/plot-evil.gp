# scaling, drawn by plot_results.
reset
QUOTE = sprintf("%c", 39)
OUTPUT = ''
set encoding utf8
set terminal svg size 800,479 noenhanced linewidth 1 font 'sans-serif,13' background '#ffffff' name 'scaling'
if (strlen(OUTPUT) > 0) set output OUTPUT

TITLE = 'it'.QUOTE.'s `touch pwned` "$(touch pwned)" @m \, a_b^2{x}'
NOTE = 'baseline: 1n1g = 3.0000 samples/s'
X_TITLE = 'GPUs'
Y_TITLE = 'speedup (×)'
TITLE_FONT = ',16'
NOTE_FONT = ',11.5'
POINT = 0.65
X_DOWN = 0.6
TITLE_X = 0.5
TITLE_Y = 0.9603
NOTE_Y = 0.9196

FOREGROUND = '#404040'
BACKGROUND = '#ffffff'
GRID = '#e4e4e4'
FAINT = '#707070'
LINE_WIDTH = 1.8
set style line 1 lc rgb '#0072B2' pt 7 dt 1
set style line 201 lc rgb '#500072B2' pt 7
set style line 100 lc rgb FAINT

N = 1
$data << EOD
# GPUs, median low high, speedup low high, efficiency low high (%), name, per GPU low high, flagged
1 3 NaN NaN 1 NaN NaN 100 NaN NaN "" 3 NaN NaN 0
2 5 NaN NaN 1.6666666666666667 NaN NaN 83.33333333333334 NaN NaN "" 2.5 NaN NaN 0
EOD

dodge(x, i) = x + 0 * (i - (FIRST + LAST) / 2.0)
$runs << EOD
# GPUs, value, speedup, efficiency (%), per GPU
NaN NaN NaN NaN NaN
EOD

RIGHT_FROM = 1.47
COLUMN = 5
RUN_COLUMN = 3
N_IDEAL = 1
array IDEAL_AT[1]
array IDEAL_POWER[1]
IDEAL_AT[1] = 1
IDEAL_POWER[1] = 1
N_BANDS = 0
array BAND_OF[1]
BAND_OF[1] = 1
$bands << EOD
# GPUs, median low high, speedup low high, efficiency low high (%), name, per GPU low high, flagged
NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN "" NaN NaN NaN 0
EOD

set xrange [0:2.1]
set xtics ('1' 1, '2' 2)
set yrange [0:2.1]
set ytics ('0' 0, '' 0.1 1, '0.2' 0.2, '' 0.3 1, '0.4' 0.4, '' 0.5 1, \
    '0.6' 0.6, '' 0.7 1, '0.8' 0.8, '' 0.9 1, '1' 1, '' 1.1 1, \
    '1.2' 1.2, '' 1.3 1, '1.4' 1.4, '' 1.5 1, '1.6' 1.6, '' 1.7 1, \
    '1.8' 1.8, '' 1.9 1, '2' 2, '' 2.1 1)

# Names of series.
set label 300 'ideal' at screen 0.8800,0.7971 left tc ls 100
set label 301 '1.67×, 83 %' at screen 0.8800,0.6844 left tc ls 1

FIRST = 1
LAST = N
# What all charts share.  Series have the line styles 1 to N, the ideal line 100.
# One ideal line is grey, several have the colour of their series.
ideal_style(i) = N_IDEAL == 1 ? 100 : i
# Of several charts side by side each shows the ideal lines of its own series.
shows_ideal(i) = N_IDEAL == 1 || (i >= FIRST && i <= LAST) ? 1 : NaN
# The same of the bands of predictions, whose style is that of their series.
shows_band(i) = BAND_OF[i] >= FIRST && BAND_OF[i] <= LAST ? column(1) : NaN

set border 3 lc rgb FOREGROUND
set tics nomirror out scale 0.6 tc rgb FOREGROUND
set grid xtics ytics lt 1 lw 1 lc rgb GRID
# Ideal lines may leave the picture at both ends.
set clip two
unset key
set xlabel X_TITLE offset 0,X_DOWN tc rgb FOREGROUND
set label 1 TITLE at screen TITLE_X, screen TITLE_Y center font TITLE_FONT \
    tc rgb FOREGROUND
set label 2 NOTE at screen TITLE_X, screen NOTE_Y center font NOTE_FONT \
    tc rgb FAINT

set multiplot
set lmargin at screen 0.0587
set rmargin at screen 0.4331
set tmargin at screen 0.8309
set bmargin at screen 0.1211
set label 4 Y_TITLE at screen 0.0100,0.8580 left tc rgb FOREGROUND
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

unset label
unset arrow
unset object
set lmargin at screen 0.4956
set rmargin at screen 0.8700
set tmargin at screen 0.8309
set bmargin at screen 0.1211
set label 4 'efficiency (%)' at screen 0.4469,0.8580 left tc rgb FOREGROUND
unset logscale y
COLUMN = 8
RUN_COLUMN = 4
N_IDEAL = 1
array IDEAL_AT[1]
array IDEAL_POWER[1]
IDEAL_AT[1] = 100
IDEAL_POWER[1] = 0
set yrange [0:105]
set ytics ('0' 0, '' 5 1, '10' 10, '' 15 1, '20' 20, '' 25 1, \
    '30' 30, '' 35 1, '40' 40, '' 45 1, '50' 50, '' 55 1, \
    '60' 60, '' 65 1, '70' 70, '' 75 1, '80' 80, '' 85 1, \
    '90' 90, '' 95 1, '100' 100, '' 105 1)
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
unset multiplot
unset output
# as plot_results wrote it: 92561fff91b45654
