# speedup, drawn by plot_results.
reset
QUOTE = sprintf("%c", 39)
OUTPUT = ''
set encoding utf8
set terminal svg size 800,487 noenhanced font 'sans-serif,13' background '#ffffff' name 'speedup'
if (strlen(OUTPUT) > 0) set output OUTPUT

TITLE = 'it'.QUOTE.'s `touch pwned` "$(touch pwned)" @m \, a_b^2{x}'
NOTE = 'baseline: 1n1g = 3.0000 samples/s'
X_TITLE = 'GPUs'
Y_TITLE = 'speedup (×)'
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
NAME[1] = 'published'
$data << EOD
# GPUs, median low high, speedup low high, efficiency low high (%), name
1 3 NaN NaN 1 NaN NaN 100 NaN NaN ""
2 5 NaN NaN 1.6666666666666667 NaN NaN 83.33333333333334 NaN NaN ""
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
set yrange [0.909090909091:2.2]
set ytics ('1' 1, '1.2' 1.2, '1.4' 1.4, '1.6' 1.6, '1.8' 1.8, '2' 2, \
    '2.2' 2.2)

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

# Speedup over the number of GPUs, both axes logarithmic, with the ideal line
# through the baseline.
plot keyentry with lines ls 20 dt 2 lw 1.5 \
        title (N_IDEAL > 0 ? IDEAL_TITLE : ''), \
    for [i=1:N_IDEAL] $ideal index (i-1) using 1:3 with lines \
        ls ideal_style(i) dt 2 lw (N_IDEAL == 1 ? 1.5 : 0.8) notitle, \
    for [i=1:N_BARS] $data index (i-1) using 1:6:(0):($7 - $6) \
        with vectors heads size graph 0.006,90 ls style(i) dt 1 lw 1.2 \
        notitle, \
    for [i=1:N] $data index (i-1) using 1:5 with @MARKS \
        ls style(i) ps POINT dt 1 lw 1.8 title NAME[i], \
    for [i=1:N] $data index (i-1) using 1:5:11 with labels \
        offset 0.8,0 left font NOTE_FONT tc rgb GREY notitle
unset output
# as plot_results wrote it: fe92a3b39afcfccf
