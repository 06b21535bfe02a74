# speedup, drawn by plot_results.
reset
QUOTE = sprintf("%c", 39)
OUTPUT = ''
set encoding utf8
set terminal svg size 800,487 noenhanced font 'sans-serif,13' background '#ffffff' name 'speedup'
if (strlen(OUTPUT) > 0) set output OUTPUT

TITLE = 'resnet50, fp32, batch 128 per device'
NOTE = 'baseline: 1n1g, each its own; error bars: 96.83 % CI of the speedup'
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

N = 2
array NAME[2]
NAME[1] = 'pytorch'
NAME[2] = 'mxnet'
$data << EOD
# GPUs, median low high, speedup low high, efficiency low high (%), name
1 347.1 345.9 348 1 NaN NaN 100 NaN NaN ""
2 604.1 598.3 611 1.7404206280610774 1.723710746182656 1.7602996254681647 87.02103140305387 86.1855373091328 88.01498127340824 ""
8 1404.5 1371.2 1420.9 4.046384327283204 3.95044655718813 4.093632958801498 50.579804091040046 49.38058196485163 51.170411985018724 ""
16 2384.3 2301.5 2410 6.869201959089599 6.630653990204552 6.9432440218957066 42.93251224431 41.44158743877845 43.39527513684816 ""


1 362.4 361 363.3 1 NaN NaN 100 NaN NaN ""
2 711.2 708.3 715.5 1.9624724061810157 1.9517773491319923 1.974337748344371 98.12362030905078 97.58886745659962 98.71688741721854 ""
8 2650 2610.4 2671.9 7.312362030905078 7.20309050772627 7.372792494481237 91.40452538631348 90.03863134657838 92.15990618101546 ""
16 5011.6 4950.2 5100.3 13.828918322295808 13.659492273730685 14.073675496688743 86.4307395143488 85.37182671081678 87.96047185430464 ""
EOD

array IDEAL_OF[2]
IDEAL_OF[1] = 1
N_IDEAL = 1
$ideal << EOD
# GPUs, value, speedup, efficiency (%)
0.840336134454 291.680672269 0.840336134454 100
19.04 6608.784 19.04 100
EOD

set logscale x 2
set xrange [0.840336134454:19.04]
set xtics ('1' 1, '2' 2, '8' 8, '16' 16)
set logscale y 2
set yrange [0.895025070928:17.8765942092]
set ytics ('1' 1, '2' 2, '4' 4, '8' 8, '16' 16)

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
# as plot_results wrote it: b515a2604ee83ad9
