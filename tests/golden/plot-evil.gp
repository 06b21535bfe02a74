# scaling, drawn by plot_results.
reset
QUOTE = sprintf("%c", 39)
OUTPUT = ''
set encoding utf8
set terminal svg size 800,457 noenhanced font 'sans-serif,13' background '#ffffff' name 'scaling'
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
TITLE_Y = 0.9584
NOTE_Y = 0.9158

FOREGROUND = '#404040'
BACKGROUND = '#ffffff'
GRID = '#e4e4e4'
FAINT = '#707070'
LINE_WIDTH = 1.8
set style line 1 lc rgb '#0072B2' pt 7 dt 1
set style line 201 lc rgb '#500072B2' pt 7
set style line 100 lc rgb FAINT

N = 1
array NAME[1]
NAME[1] = 'published'
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
N_BANDS = 0
array BAND_OF[1]
BAND_OF[1] = 1
$bands << EOD
# GPUs, median low high, speedup low high, efficiency low high (%), name, per GPU low high, flagged
NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN "" NaN NaN NaN 0
EOD

array IDEAL_OF[1]
IDEAL_OF[1] = 1
N_IDEAL = 1
$ideal << EOD
# GPUs, value, speedup, efficiency (%), per GPU
0.0328125 0.0984375 0.0328125 100 3
0.065625 0.196875 0.065625 100 3
0.0984375 0.2953125 0.0984375 100 3
0.13125 0.39375 0.13125 100 3
0.1640625 0.4921875 0.1640625 100 3
0.196875 0.590625 0.196875 100 3
0.2296875 0.6890625 0.2296875 100 3
0.2625 0.7875 0.2625 100 3
0.2953125 0.8859375 0.2953125 100 3
0.328125 0.984375 0.328125 100 3
0.3609375 1.0828125 0.3609375 100 3
0.39375 1.18125 0.39375 100 3
0.4265625 1.2796875 0.4265625 100 3
0.459375 1.378125 0.459375 100 3
0.4921875 1.4765625 0.4921875 100 3
0.525 1.575 0.525 100 3
0.5578125 1.6734375 0.5578125 100 3
0.590625 1.771875 0.590625 100 3
0.6234375 1.8703125 0.6234375 100 3
0.65625 1.96875 0.65625 100 3
0.6890625 2.0671875 0.6890625 100 3
0.721875 2.165625 0.721875 100 3
0.7546875 2.2640625 0.7546875 100 3
0.7875 2.3625 0.7875 100 3
0.8203125 2.4609375 0.8203125 100 3
0.853125 2.559375 0.853125 100 3
0.8859375 2.6578125 0.8859375 100 3
0.91875 2.75625 0.91875 100 3
0.9515625 2.8546875 0.9515625 100 3
0.984375 2.953125 0.984375 100 3
1.0171875 3.0515625 1.0171875 100 3
1.05 3.15 1.05 100 3
1.0828125 3.2484375 1.0828125 100 3
1.115625 3.346875 1.115625 100 3
1.1484375 3.4453125 1.1484375 100 3
1.18125 3.54375 1.18125 100 3
1.2140625 3.6421875 1.2140625 100 3
1.246875 3.740625 1.246875 100 3
1.2796875 3.8390625 1.2796875 100 3
1.3125 3.9375 1.3125 100 3
1.3453125 4.0359375 1.3453125 100 3
1.378125 4.134375 1.378125 100 3
1.4109375 4.2328125 1.4109375 100 3
1.44375 4.33125 1.44375 100 3
1.4765625 4.4296875 1.4765625 100 3
1.509375 4.528125 1.509375 100 3
1.5421875 4.6265625 1.5421875 100 3
1.575 4.725 1.575 100 3
1.6078125 4.8234375 1.6078125 100 3
1.640625 4.921875 1.640625 100 3
1.6734375 5.0203125 1.6734375 100 3
1.70625 5.11875 1.70625 100 3
1.7390625 5.2171875 1.7390625 100 3
1.771875 5.315625 1.771875 100 3
1.8046875 5.4140625 1.8046875 100 3
1.8375 5.5125 1.8375 100 3
1.8703125 5.6109375 1.8703125 100 3
1.903125 5.709375 1.903125 100 3
1.9359375 5.8078125 1.9359375 100 3
1.96875 5.90625 1.96875 100 3
2.0015625 6.0046875 2.0015625 100 3
2.034375 6.103125 2.034375 100 3
2.0671875 6.2015625 2.0671875 100 3
2.1 6.3 2.1 100 3
EOD

set xrange [0:2.1]
set xtics ('1' 1, '2' 2)
set yrange [0:2.1]
set ytics ('0' 0, '' 0.1 1, '0.2' 0.2, '' 0.3 1, '0.4' 0.4, '' 0.5 1, \
    '0.6' 0.6, '' 0.7 1, '0.8' 0.8, '' 0.9 1, '1' 1, '' 1.1 1, \
    '1.2' 1.2, '' 1.3 1, '1.4' 1.4, '' 1.5 1, '1.6' 1.6, '' 1.7 1, \
    '1.8' 1.8, '' 1.9 1, '2' 2, '' 2.1 1)

# Names at the ends of the lines.
set label 300 'ideal' at screen 0.8800,0.8355 left tc ls 100
set label 301 '1.67×, 83 %' at screen 0.8800,0.7174 left tc ls 1

FIRST = 1
LAST = N
# What all charts share.  Series have the line styles 1 to N, the ideal line 100.
# One ideal line is grey, several have the colour of their series.
ideal_style(i) = N_IDEAL == 1 ? 100 : IDEAL_OF[i]
# Of several charts side by side each shows the ideal lines of its own series.
shows_ideal(i) = N_IDEAL == 1 || \
    (IDEAL_OF[i] >= FIRST && IDEAL_OF[i] <= LAST) ? column(1) : NaN
# The same of the bands of predictions, whose style is that of their series.
shows_band(i) = BAND_OF[i] >= FIRST && BAND_OF[i] <= LAST ? column(1) : NaN

set border 3 lc rgb FOREGROUND
set tics nomirror out scale 0.6 tc rgb FOREGROUND
set grid xtics ytics lt 1 lw 1 lc rgb GRID
# Ideal lines may leave the picture at both ends.
set clip two
unset key
set xlabel X_TITLE offset 0,X_DOWN tc rgb FOREGROUND
set ylabel Y_TITLE tc rgb FOREGROUND
set label 1 TITLE at screen TITLE_X, screen TITLE_Y center font TITLE_FONT \
    tc rgb FOREGROUND
set label 2 NOTE at screen TITLE_X, screen NOTE_Y center font NOTE_FONT \
    tc rgb FAINT

set multiplot
set lmargin at screen 0.0825
set rmargin at screen 0.4331
set tmargin at screen 0.8709
set bmargin at screen 0.1269
# A quantity over the number of GPUs, with the ideal lines through the baselines
# and the bands of predictions; runs are dots, intervals have whiskers,
# marks of flagged cases are open. gnuplot 5.4 crashes if all labels of a plot
# are at NaN: those without a value are empty and at 1.
plot for [i=1:N_BANDS] $bands index (i-1) \
        using (shows_band(i)):(column(COLUMN + 1)):(column(COLUMN + 2)) \
        with filledcurves ls BAND_OF[i] fs transparent solid 0.18 noborder, \
    for [i=1:N_IDEAL] $ideal index (i-1) \
        using (shows_ideal(i)):(column(RUN_COLUMN)) with lines \
        ls ideal_style(i) dt 2 lw (N_IDEAL == 1 ? 1.5 : 0.8), \
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
set lmargin at screen 0.5194
set rmargin at screen 0.8700
set tmargin at screen 0.8709
set bmargin at screen 0.1269
unset logscale y
set ylabel 'efficiency (%)'
COLUMN = 8
RUN_COLUMN = 4
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
    for [i=1:N_IDEAL] $ideal index (i-1) \
        using (shows_ideal(i)):(column(RUN_COLUMN)) with lines \
        ls ideal_style(i) dt 2 lw (N_IDEAL == 1 ? 1.5 : 0.8), \
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
# as plot_results wrote it: 4cee2422debb79dd
