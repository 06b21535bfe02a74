# speedup, drawn by plot_results.
reset
QUOTE = sprintf("%c", 39)
OUTPUT = ''
set encoding utf8
set terminal svg size 800,495 noenhanced font 'sans-serif,13' background '#ffffff' name 'speedup'
if (strlen(OUTPUT) > 0) set output OUTPUT

TITLE = 'it'.QUOTE.'s `touch pwned` "$(touch pwned)" @m \, a_b^2{x}'
NOTE = 'baseline: 1n1g = 3.0000 samples/s'
X_TITLE = 'GPUs'
Y_TITLE = 'speedup (×)'
TITLE_FONT = ',16'
NOTE_FONT = ',11.5'
POINT = 0.65
TOP = 0.8808
BOTTOM = 0.2061
X_DOWN = 0
TITLE_X = 0.5
TITLE_Y = 0.9616
NOTE_Y = 0.9222

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
# GPUs, median low high, speedup low high, efficiency low high (%), name
1 3 NaN NaN 1 NaN NaN 100 NaN NaN ""
2 5 NaN NaN 1.6666666666666667 NaN NaN 83.33333333333334 NaN NaN ""
EOD

run_place(x) = x * 0.987585
$runs << EOD
# GPUs, value, speedup, efficiency (%)
NaN NaN NaN NaN
EOD

N_BANDS = 0
array BAND_OF[1]
BAND_OF[1] = 1
$bands << EOD
# GPUs, median low high, speedup low high, efficiency low high (%)
NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN
EOD

array IDEAL_OF[1]
IDEAL_OF[1] = 1
N_IDEAL = 1
$ideal << EOD
# GPUs, value, speedup, efficiency (%)
0.840336134454 2.52100840336 0.840336134454 100
2.38 7.14 2.38 100
EOD

set logscale x 2
set xrange [0.840336134454:2.38]
set xtics ('1' 1, '2' 2)
set logscale y 2
set yrange [0.965936328925:2.07052984768]
set ytics ('1' 1, '' 1.1 1, '1.2' 1.2, '' 1.3 1, '1.4' 1.4, '' 1.5 1, \
    '1.6' 1.6, '' 1.7 1, '1.8' 1.8, '' 1.9 1, '2' 2)

# The legend: a sample and a name each.
set arrow 100 from screen 0.3550,0.0364 to screen 0.3950,0.0364 nohead ls 100 dt 2 lw 1.5
set label 101 'ideal' at screen 0.4025,0.0364 left tc rgb FOREGROUND
set arrow 102 from screen 0.5112,0.0364 to screen 0.5513,0.0364 nohead ls 1 lw 1.8
set label 102 '' at screen 0.5312,0.0364 point ls 1 ps POINT
set label 103 'published' at screen 0.5587,0.0364 left tc rgb FOREGROUND
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
set tmargin at screen TOP
set bmargin at screen BOTTOM
set label 1 TITLE at screen TITLE_X, screen TITLE_Y center font TITLE_FONT \
    tc rgb FOREGROUND
set label 2 NOTE at screen TITLE_X, screen NOTE_Y center font NOTE_FONT \
    tc rgb FAINT

# Speedup over the number of GPUs, with the ideal line through the baseline.
plot for [i=1:N_BANDS] $bands index (i-1) using (shows_band(i)):6:7 \
        with filledcurves ls BAND_OF[i] fs transparent solid 0.18 noborder, \
    for [i=1:N_IDEAL] $ideal index (i-1) using (shows_ideal(i)):3 with lines \
        ls ideal_style(i) dt 2 lw (N_IDEAL == 1 ? 1.5 : 0.8), \
    for [i=1:N_BANDS] $bands index (i-1) using (shows_band(i)):5 \
        with linespoints ls BAND_OF[i] dt 3 pt 6 ps POINT lw LINE_WIDTH, \
    for [i=FIRST:LAST] $runs index (i-1) using (run_place($1)):3 \
        with points ls (200 + i) ps 0.7 * POINT, \
    for [i=FIRST:LAST] $data index (i-1) using 1:5 with linespoints \
        ls i ps POINT lw LINE_WIDTH, \
    for [i=FIRST:LAST] $data index (i-1) using 1:6:(0):($7 - $6) \
        with vectors heads size screen 0.009,90 ls i dt 1 lw 1.2, \
    for [i=FIRST:LAST] $data index (i-1) using 1:5:11 with labels \
        offset 0.8,0 left font NOTE_FONT tc rgb FAINT
unset output
# as plot_results wrote it: 1f358c01c5c0c4a8
