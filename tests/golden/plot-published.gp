# throughput, drawn by plot_results.
reset
QUOTE = sprintf("%c", 39)
OUTPUT = ''
set encoding utf8
set terminal svg size 800,487 noenhanced font 'sans-serif,13' background '#ffffff' name 'throughput'
if (strlen(OUTPUT) > 0) set output OUTPUT

TITLE = 'ResNet50 V1.5，每卡批大小160'
NOTE = '基线: 1n1g，各自；未画出: TensorFlow 2n8g (OOM)，MxNet (TODO)'
X_TITLE = 'GPU 数'
Y_TITLE = '吞吐量 (samples/s)'
IDEAL_TITLE = '理想'
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

N = 4
array NAME[4]
NAME[1] = 'OneFlow'
NAME[2] = 'TensorFlow'
NAME[3] = 'PyTorch'
NAME[4] = 'Paddle'
$data << EOD
# GPUs, median low high, speedup low high, efficiency low high (%), name
1 383.76 NaN NaN 1 NaN NaN 100 NaN NaN ""
2 747.295 NaN NaN 1.947297790285595 NaN NaN 97.36488951427975 NaN NaN ""
4 1497.618 NaN NaN 3.902485928705441 NaN NaN 97.56214821763602 NaN NaN ""
8 2942.321 NaN NaN 7.667086199708151 NaN NaN 95.83857749635189 NaN NaN ""
16 5839.054 NaN NaN 15.215379403794039 NaN NaN 95.09612127371274 NaN NaN ""
32 11548.451 NaN NaN 30.09289920783823 NaN NaN 94.04031002449446 NaN NaN ""


1 336.23 NaN NaN 1 NaN NaN 100 NaN NaN ""
2 585.5 NaN NaN 1.7413675162834963 NaN NaN 87.06837581417481 NaN NaN ""
4 1142.71 NaN NaN 3.3985961990304254 NaN NaN 84.96490497576063 NaN NaN ""
8 2626.03 NaN NaN 7.810219195193766 NaN NaN 97.62773993992208 NaN NaN ""
16 NaN NaN NaN NaN NaN NaN NaN NaN NaN ""
32 9869.94 NaN NaN 29.354727418731226 NaN NaN 91.73352318353508 NaN NaN ""


1 350.63 NaN NaN 1 NaN NaN 100 NaN NaN ""
2 614.82 NaN NaN 1.753472321250321 NaN NaN 87.67361606251605 NaN NaN ""
4 928.19 NaN NaN 2.6472064569489206 NaN NaN 66.18016142372302 NaN NaN ""
8 1079.27 NaN NaN 3.078088013005162 NaN NaN 38.47610016256453 NaN NaN ""
16 2386.48 NaN NaN 6.80626301229216 NaN NaN 42.539143826826 NaN NaN ""
32 5594.45 NaN NaN 15.95542309557083 NaN NaN 49.86069717365884 NaN NaN ""


1 353.68 NaN NaN 1 NaN NaN 100 NaN NaN ""
2 687.09 NaN NaN 1.9426883058131645 NaN NaN 97.13441529065823 NaN NaN ""
4 1065.53 NaN NaN 3.0126950916082333 NaN NaN 75.31737729020584 NaN NaN ""
8 1442.32 NaN NaN 4.078036643293372 NaN NaN 50.97545804116715 NaN NaN ""
16 5128.92 NaN NaN 14.501583352182765 NaN NaN 90.63489595114228 NaN NaN ""
32 10087.09 NaN NaN 28.52038565935309 NaN NaN 89.1262051854784 NaN NaN ""
EOD

array IDEAL_OF[4]
IDEAL_OF[1] = 1
IDEAL_OF[2] = 2
IDEAL_OF[3] = 3
IDEAL_OF[4] = 4
N_IDEAL = 4
$ideal << EOD
# GPUs, value, speedup, efficiency (%)
0.840336134454 322.487394958 0.840336134454 100
38.08 14613.5808 38.08 100


0.840336134454 282.546218487 0.840336134454 100
38.08 12803.6384 38.08 100


0.840336134454 294.647058824 0.840336134454 100
38.08 13351.9904 38.08 100


0.840336134454 297.210084034 0.840336134454 100
38.08 13468.1344 38.08 100
EOD

set logscale x 2
set xrange [0.840336134454:38.08]
set xtics ('1' 1, '2' 2, '4' 4, '8' 8, '16' 16, '32' 32)
set logscale y 10
set yrange [280.87158137:14700.7111701]
set ytics ('500' 500, '1000' 1000, '2000' 2000, '5000' 5000, '10000' 10000)

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

# Throughput (or time) over the number of GPUs, both axes logarithmic, with an
# ideal line through each baseline.
plot keyentry with lines ls 20 dt 2 lw 1.5 \
        title (N_IDEAL > 0 ? IDEAL_TITLE : ''), \
    for [i=1:N_IDEAL] $ideal index (i-1) using 1:2 with lines \
        ls ideal_style(i) dt 2 lw (N_IDEAL == 1 ? 1.5 : 0.8) notitle, \
    for [i=1:N_BARS] $data index (i-1) using 1:3:(0):($4 - $3) \
        with vectors heads size graph 0.006,90 ls style(i) dt 1 lw 1.2 \
        notitle, \
    for [i=1:N] $data index (i-1) using 1:2 with @MARKS \
        ls style(i) ps POINT dt 1 lw 1.8 title NAME[i], \
    for [i=1:N] $data index (i-1) using 1:2:11 with labels \
        offset 0.8,0 left font NOTE_FONT tc rgb GREY notitle
unset output
# as plot_results wrote it: 5ff541470407430b
