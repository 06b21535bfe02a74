# compare, drawn by plot_results.
reset
QUOTE = sprintf("%c", 39)
OUTPUT = ''
set encoding utf8
set terminal svg size 800,487 noenhanced font 'sans-serif,13' background '#ffffff' name 'compare'
if (strlen(OUTPUT) > 0) set output OUTPUT

TITLE = 'resnet50, pytorch, fp32, batch 128 per device'
NOTE = 'error bars: 96.83 % CI of the ratio'
X_TITLE = 'case'
Y_TITLE = 'ratio (×)'
IDEAL_TITLE = 'ideal'
TITLE_FONT = ',16'
NOTE_FONT = ',11.5'
POINT = 0.65
KEY_SPACING = 1.05
KEY_ROWS = 1
TOP = 0.8789
BOTTOM = 0.2094
KEY_Y = 0.0164
TITLE_Y = 0.9610
NOTE_Y = 0.9209

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
EOD

set xrange [0.5:3.5]
set xtics ('1n1g' 1, '1n8g' 2, '4n8g' 3)
set logscale y 10
set yrange [0.859313597066:1.12984924623]
set ytics ('0.9' 0.9, '0.95' 0.95, '1' 1, '1.05' 1.05, '1.1' 1.1)

# What all charts share: Okabe and Ito's colours, which colour-blind readers
# tell apart, with a shape of its own for each series.
set style line 1 lc rgb '#0072B2' pt 7
set style line 2 lc rgb '#D55E00' pt 5
set style line 3 lc rgb '#009E73' pt 9
set style line 4 lc rgb '#CC79A7' pt 13
set style line 5 lc rgb '#E69F00' pt 11
set style line 6 lc rgb '#56B4E9' pt 15
set style line 7 lc rgb '#000000' pt 6
set style line 8 lc rgb '#0072B2' pt 4
set style line 9 lc rgb '#D55E00' pt 8
set style line 10 lc rgb '#009E73' pt 12
set style line 11 lc rgb '#CC79A7' pt 10
set style line 12 lc rgb '#E69F00' pt 14
style(i) = (i - 1) % 12 + 1
GREY = '#707070'
# One ideal line is grey, several have the colour of their series.
set style line 20 lc rgb GREY
ideal_style(i) = N_IDEAL == 1 ? 20 : style(IDEAL_OF[i])

# What the templates draw a series with, and for how many they draw bars.
MARKS = 'linespoints'
BOXES = 'fs solid 0.85 noborder'
N_BARS = N

set border 3 lc rgb '#404040'
set tics nomirror out scale 0.6
set grid xtics ytics lt 1 lw 1 lc rgb '#e4e4e4'
# Ideal lines may leave the picture at both ends.
set clip two
set key at graph 0.5, screen KEY_Y center bottom vertical Left reverse \
    samplen 2.5 spacing KEY_SPACING maxrows KEY_ROWS
set xlabel X_TITLE
set ylabel Y_TITLE
set tmargin at screen TOP
set bmargin at screen BOTTOM
set label 1 TITLE at graph 0.5, screen TITLE_Y center font TITLE_FONT
set label 2 NOTE at graph 0.5, screen NOTE_Y center font NOTE_FONT \
    tc rgb GREY

# Ratios of new over old with their intervals, and the line of no change.
plot 1 with lines ls 20 dt 2 lw 1.5 notitle, \
    $data index 0 using 1:3:(0):($4 - $3) \
        with vectors heads size graph 0.006,90 ls style(1) dt 1 lw 1.4 \
        notitle, \
    $data index 0 using 1:2 with points ls style(1) ps POINT lw 1.8 \
        title NAME[1]
unset output
# as plot_results wrote it: 350f7815c98c287b
