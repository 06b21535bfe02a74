# compare, drawn by plot_results.
reset
QUOTE = sprintf("%c", 39)
OUTPUT = ''
set encoding utf8
set terminal svg size 800,225 noenhanced linewidth 1 font 'sans-serif,13' background '#ffffff' name 'compare'
if (strlen(OUTPUT) > 0) set output OUTPUT

TITLE = 'resnet50, pytorch, fp32, batch 128 per device'
NOTE = 'speed of new over old; not drawn: 8n8g (only in old), 2n8g (only in new); grey: within 2 %'
X_TITLE = 'ratio (×)'
Y_TITLE = 'ratio (×)'
TITLE_FONT = ',16'
NOTE_FONT = ',11.5'
POINT = 0.65
X_DOWN = 0.6
TITLE_X = 0.5
TITLE_Y = 0.9156
NOTE_Y = 0.8289

FOREGROUND = '#404040'
BACKGROUND = '#ffffff'
GRID = '#e4e4e4'
FAINT = '#707070'
LINE_WIDTH = 1.8
set style line 1 lc rgb '#0072B2' pt 7 dt 1
set style line 201 lc rgb '#500072B2' pt 7
set style line 2 lc rgb '#D55E00'
set style line 100 lc rgb FAINT

N = 1
$data << EOD
# x, value low high, nothing, name

1 0.9840000000000001 0.9452449567723344 1.0271356783919598 NaN NaN NaN NaN 1 0 ""

2 0.9993865783339467 0.9956965449403664 1.0027080256031513 NaN NaN NaN NaN 1 0 ""

3 0.9767984931021997 0.9647652372040034 0.9796681124353791 NaN NaN NaN NaN NaN -1 ""

4 0.9866834961550952 0.9739817605673898 0.9995508755910447 NaN NaN NaN NaN NaN 2 ""
EOD

N_LIMITS = 0
LIMIT = 0
set logscale x 2
set xrange [0.926710741934:1.04767839196]
set xtics ('' 0.93 1, '' 0.94 1, '0.95' 0.95, '' 0.96 1, '' 0.97 1, '' 0.98 1, \
    '' 0.99 1, '1' 1, '' 1.01 1, '' 1.02 1, '' 1.03 1, '' 1.04 1)
set yrange [0.5:4.5]
set ytics ('1n1g' 1, '1n8g' 2, '4n8g' 3, 'geometric mean' 4)
set yrange [4.5:0.5]

DELTA = 0.02
# Texts at the right.
set label 1000 '0.9840 [0.9452, 1.0271] no evidence' at screen 0.6737, first 1 left tc rgb FOREGROUND
set label 1001 '0.9994 [0.9957, 1.0027] equivalent' at screen 0.6737, first 2 left tc rgb FOREGROUND
set label 1002 '0.9768 [0.9648, 0.9797] slower' at screen 0.6737, first 3 left tc rgb FOREGROUND
set label 1003 '0.9867 [0.9740, 0.9996]' at screen 0.6737, first 4 left tc rgb FOREGROUND


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

set lmargin at screen 0.1675
set rmargin at screen 0.6562
set tmargin at screen 0.7378
set bmargin at screen 0.2578
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
unset output
# as plot_results wrote it: f96cb6daf68fdcf8
