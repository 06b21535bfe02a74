# throughput, drawn by plot_results.
reset
QUOTE = sprintf("%c", 39)
OUTPUT = ''
set encoding utf8
set terminal svg size 800,479 noenhanced linewidth 1 font 'sans-serif,13' background '#ffffff' name 'throughput'
if (strlen(OUTPUT) > 0) set output OUTPUT

TITLE = 'ResNet50 V1.5，每卡批大小160'
NOTE = '7/30 个规模未画出；基线: 1n1g，各自'
X_TITLE = 'GPU 数'
Y_TITLE = '吞吐量 (samples/s)'
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
set style line 2 lc rgb '#D55E00' pt 5 dt 1
set style line 202 lc rgb '#50D55E00' pt 7
set style line 3 lc rgb '#009E73' pt 9 dt 1
set style line 203 lc rgb '#50009E73' pt 7
set style line 4 lc rgb '#CC79A7' pt 13 dt 1
set style line 204 lc rgb '#50CC79A7' pt 7
set style line 100 lc rgb FAINT

N = 4
$data << EOD
# GPUs, median low high, speedup low high, efficiency low high (%), name, per GPU low high, flagged
1 383.76 NaN NaN 1 NaN NaN 100 NaN NaN "" 383.76 NaN NaN 0
2 747.295 NaN NaN 1.947297790285595 NaN NaN 97.36488951427975 NaN NaN "" 373.6475 NaN NaN 0
4 1497.618 NaN NaN 3.902485928705441 NaN NaN 97.56214821763602 NaN NaN "" 374.4045 NaN NaN 0
8 2942.321 NaN NaN 7.667086199708151 NaN NaN 95.83857749635189 NaN NaN "" 367.790125 NaN NaN 0
16 5839.054 NaN NaN 15.215379403794039 NaN NaN 95.09612127371274 NaN NaN "" 364.940875 NaN NaN 0
32 11548.451 NaN NaN 30.09289920783823 NaN NaN 94.04031002449446 NaN NaN "" 360.88909375 NaN NaN 0


1 336.23 NaN NaN 1 NaN NaN 100 NaN NaN "" 336.23 NaN NaN 0
2 585.5 NaN NaN 1.7413675162834963 NaN NaN 87.06837581417481 NaN NaN "" 292.75 NaN NaN 0
4 1142.71 NaN NaN 3.3985961990304254 NaN NaN 84.96490497576063 NaN NaN "" 285.6775 NaN NaN 0
8 2626.03 NaN NaN 7.810219195193766 NaN NaN 97.62773993992208 NaN NaN "" 328.25375 NaN NaN 0
16 NaN NaN NaN NaN NaN NaN NaN NaN NaN "" NaN NaN NaN 0
32 9869.94 NaN NaN 29.354727418731226 NaN NaN 91.73352318353508 NaN NaN "" 308.435625 NaN NaN 0


1 350.63 NaN NaN 1 NaN NaN 100 NaN NaN "" 350.63 NaN NaN 0
2 614.82 NaN NaN 1.753472321250321 NaN NaN 87.67361606251605 NaN NaN "" 307.41 NaN NaN 0
4 928.19 NaN NaN 2.6472064569489206 NaN NaN 66.18016142372302 NaN NaN "" 232.0475 NaN NaN 0
8 1079.27 NaN NaN 3.078088013005162 NaN NaN 38.47610016256453 NaN NaN "" 134.90875 NaN NaN 0
16 2386.48 NaN NaN 6.80626301229216 NaN NaN 42.539143826826 NaN NaN "" 149.155 NaN NaN 0
32 5594.45 NaN NaN 15.95542309557083 NaN NaN 49.86069717365884 NaN NaN "" 174.8265625 NaN NaN 0


1 353.68 NaN NaN 1 NaN NaN 100 NaN NaN "" 353.68 NaN NaN 0
2 687.09 NaN NaN 1.9426883058131645 NaN NaN 97.13441529065823 NaN NaN "" 343.545 NaN NaN 0
4 1065.53 NaN NaN 3.0126950916082333 NaN NaN 75.31737729020584 NaN NaN "" 266.3825 NaN NaN 0
8 1442.32 NaN NaN 4.078036643293372 NaN NaN 50.97545804116715 NaN NaN "" 180.29 NaN NaN 0
16 5128.92 NaN NaN 14.501583352182765 NaN NaN 90.63489595114228 NaN NaN "" 320.5575 NaN NaN 0
32 10087.09 NaN NaN 28.52038565935309 NaN NaN 89.1262051854784 NaN NaN "" 315.2215625 NaN NaN 0
EOD

dodge(x, i) = x * exp(0 * (i - (FIRST + LAST) / 2.0))
$runs << EOD
# GPUs, value, speedup, efficiency (%), per GPU
NaN NaN NaN NaN NaN


NaN NaN NaN NaN NaN


NaN NaN NaN NaN NaN


NaN NaN NaN NaN NaN
EOD

RIGHT_FROM = 12.129
COLUMN = 2
RUN_COLUMN = 2
N_IDEAL = 4
array IDEAL_AT[4]
array IDEAL_POWER[4]
IDEAL_AT[1] = 383.76
IDEAL_POWER[1] = 1
IDEAL_AT[2] = 336.23
IDEAL_POWER[2] = 1
IDEAL_AT[3] = 350.63
IDEAL_POWER[3] = 1
IDEAL_AT[4] = 353.68
IDEAL_POWER[4] = 1
N_BANDS = 0
array BAND_OF[1]
BAND_OF[1] = 1
$bands << EOD
# GPUs, median low high, speedup low high, efficiency low high (%), name, per GPU low high, flagged
NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN "" NaN NaN NaN 0
EOD

set logscale x 2
set xrange [0.840336134454:38.08]
set xtics ('1' 1, '2' 2, '4' 4, '8' 8, '16' 16, '32' 32)
set logscale y 10
set yrange [280.87158137:14700.7111701]
set ytics ('' 300 1, '' 400 1, '500' 500, '' 600 1, '' 700 1, '' 800 1, \
    '' 900 1, '1000' 1000, '2000' 2000, '' 3000 1, '' 4000 1, '5000' 5000, \
    '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '10000' 10000)

# Names of series.
set label 300 '理想' at screen 0.8850,0.7986 left tc ls 100
set label 301 'OneFlow' at screen 0.8850,0.7631 left tc ls 1
set label 302 'Paddle' at screen 0.8850,0.7277 left tc ls 4
set label 303 'TensorFlow' at screen 0.8850,0.6922 left tc ls 2
set label 304 'PyTorch' at screen 0.8850,0.6567 left tc ls 3

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

set lmargin at screen 0.0825
set rmargin at screen 0.8750
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
unset output
# as plot_results wrote it: 14e194fd835ee078
