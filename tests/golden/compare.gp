# compare, drawn by plot_results.
reset
QUOTE = sprintf("%c", 39)
OUTPUT = ''
set encoding utf8
set terminal svg size 800,467 noenhanced font 'sans-serif,13' background '#ffffff' name 'compare'
if (strlen(OUTPUT) > 0) set output OUTPUT

TITLE = 'resnet50, pytorch, fp32, batch 128 per device'
NOTE = 'ratio of speeds: new over old; above 1 is faster; error bars: 96.83 % CI of the ratio'
X_TITLE = 'case'
Y_TITLE = 'ratio (×)'
TITLE_FONT = ',16'
NOTE_FONT = ',11.5'
POINT = 0.65
TOP = 0.8737
BOTTOM = 0.1585
X_DOWN = 0
TITLE_X = 0.5
TITLE_Y = 0.9593
NOTE_Y = 0.9176

FOREGROUND = '#404040'
GRID = '#e4e4e4'
FAINT = '#707070'
LINE_WIDTH = 1.8
set style line 1 lc rgb '#0072B2' pt 7 dt 1
set style line 201 lc rgb '#500072B2' pt 7
set style line 100 lc rgb FAINT

N = 1
array NAME[1]
NAME[1] = 'ratio'
$data << EOD
# x, value low high, nothing, name

1 0.9840000000000001 0.9452449567723344 1.0271356783919598 NaN NaN NaN NaN NaN NaN "1n1g"

2 0.9993865783339467 0.9956965449403664 1.0027080256031513 NaN NaN NaN NaN NaN NaN "1n8g"

3 0.9767984931021997 0.9647652372040034 0.9796681124353791 NaN NaN NaN NaN NaN NaN "4n8g"
EOD

array IDEAL_OF[1]
IDEAL_OF[1] = 1
N_IDEAL = 0
$ideal << EOD
# GPUs, value, speedup, efficiency (%)
NaN NaN NaN NaN
EOD

N_LIMITS = 0
LIMIT = 0
set xrange [0.5:3.5]
set xtics ('1n1g' 1, '1n8g' 2, '4n8g' 3)
set logscale y 10
set yrange [0.859313597066:1.12984924623]
set ytics ('' 0.86 1, '' 0.87 1, '' 0.88 1, '' 0.89 1, '0.9' 0.9, '' 0.91 1, \
    '' 0.92 1, '' 0.93 1, '' 0.94 1, '0.95' 0.95, '' 0.96 1, '' 0.97 1, \
    '' 0.98 1, '' 0.99 1, '1' 1, '' 1.01 1, '' 1.02 1, '' 1.03 1, \
    '' 1.04 1, '1.05' 1.05, '' 1.06 1, '' 1.07 1, '' 1.08 1, '' 1.09 1, \
    '1.1' 1.1, '' 1.11 1, '' 1.12 1)

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

# Ratios of new over old with their intervals, and the line of no change.
plot 1 with lines ls 100 dt 2 lw 1.5, \
    $data index 0 using 1:2 with points ls 1 ps POINT lw LINE_WIDTH, \
    $data index 0 using 1:3:(0):($4 - $3) \
        with vectors heads size graph 0.011,90 ls 1 dt 1 lw 1.4
unset output
# as plot_results wrote it: ccd9b8198ca8ea21
