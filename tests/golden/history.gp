# history, drawn by plot_results.
reset
QUOTE = sprintf("%c", 39)
OUTPUT = ''
set encoding utf8
set terminal svg size 800,479 noenhanced linewidth 1 font 'sans-serif,13' background '#ffffff' name 'history'
if (strlen(OUTPUT) > 0) set output OUTPUT

TITLE = 'resnet50, pytorch, fp32, batch 128 per device, 1n8g'
NOTE = 'error bars: 75 % CI of the median; line: level between changes'
X_TITLE = 'commit or date, by time'
Y_TITLE = 'throughput (samples/s)'
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
# x, value low high, nothing, name
1 1000.2 999.1998 1001.2002 999.8 NaN NaN NaN NaN NaN ""
2 1003.1 1002.0969 1004.1031 999.8 NaN NaN NaN NaN NaN ""
3 998.7 997.7013 999.6987 999.8 NaN NaN NaN NaN NaN ""
4 1001.5 1000.4985 1002.5015 999.8 NaN NaN NaN NaN NaN ""
5 996.9 995.9031 997.8969 999.8 NaN NaN NaN NaN NaN ""
6 720 719.28 720.72 999.8 NaN NaN NaN NaN NaN ""
7 999.4 998.4006 1000.3994 999.8 NaN NaN NaN NaN NaN ""
8 1004 1002.996 1005.004 999.8 NaN NaN NaN NaN NaN ""
9 1000.8 999.7992 1001.8008 999.8 NaN NaN NaN NaN NaN ""
10 997.6 996.6024 998.5976 999.8 NaN NaN NaN NaN NaN ""
11 1001.9 1000.8981 1002.9019 999.8 NaN NaN NaN NaN NaN ""
12 999 998.001 999.999 999.8 NaN NaN NaN NaN NaN ""
13 970.4 969.4296 971.3704 970.05 NaN NaN NaN NaN NaN ""
14 968.9 967.9311 969.8689 970.05 NaN NaN NaN NaN NaN ""
15 972.8 971.8272 973.7728 970.05 NaN NaN NaN NaN NaN ""
16 966.1 965.1339 967.0661 970.05 NaN NaN NaN NaN NaN ""
17 971.5 970.5285 972.4715 970.05 NaN NaN NaN NaN NaN ""
18 969.7 968.7303 970.6697 970.05 NaN NaN NaN NaN NaN ""
19 973.3 972.3267 974.2733 970.05 NaN NaN NaN NaN NaN ""
20 967.8 966.8322 968.7678 970.05 NaN NaN NaN NaN NaN ""
21 970.9 969.9291 971.8709 970.05 NaN NaN NaN NaN NaN ""
22 968.2 967.2318 969.1682 970.05 NaN NaN NaN NaN NaN ""
23 999.8 998.8002 1000.7998 1000.2 NaN NaN NaN NaN NaN ""
24 1001.1 1000.0989 1002.1011 1000.2 NaN NaN NaN NaN NaN ""
25 998.3 997.3017 999.2983 1000.2 NaN NaN NaN NaN NaN ""
26 1003.4 1002.3966 1004.4034 1000.2 NaN NaN NaN NaN NaN ""
27 1000.6 999.5994 1001.6006 1000.2 NaN NaN NaN NaN NaN ""
28 997.9 996.9021 998.8979 1000.2 NaN NaN NaN NaN NaN ""
29 1002 1000.998 1003.002 1000.2 NaN NaN NaN NaN NaN ""
30 999.1 998.1009 1000.0991 1000.2 NaN NaN NaN NaN NaN ""
EOD

N_LIMITS = 0
LIMIT = 0
set xrange [0.5:30.5]
set xtics ('c0' 1, '' 2 1, 'c2' 3, '' 4 1, 'c4' 5, '' 6 1, \
    'c6' 7, '' 8 1, 'c8' 9, '' 10 1, 'c10' 11, '' 12 1, \
    'c12' 13, '' 14 1, 'c14' 15, '' 16 1, 'c16' 17, '' 18 1, \
    'c18' 19, '' 20 1, 'c20' 21, '' 22 1, 'c22' 23, '' 24 1, \
    'c24' 25, '' 26 1, 'c26' 27, '' 28 1, 'c28' 29, '' 30 1)
set logscale y 10
set yrange [653.890909091:1134.54691554]
set ytics ('700' 700, '' 750 1, '800' 800, '' 850 1, '900' 900, '' 950 1, \
    '1000' 1000, '' 1050 1, '1100' 1100)


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

set lmargin at screen 0.0725
set rmargin at screen 0.9725
set tmargin at screen 0.8309
set bmargin at screen 0.1211
set label 4 Y_TITLE at screen 0.0100,0.8580 left tc rgb FOREGROUND
set label 600 '-3.0 % since c12' at first 13, graph 0.9765 left offset 0.5,0 font NOTE_FONT tc rgb FOREGROUND
set arrow 600 from first 13, graph 0 to first 13, graph 0.9765 nohead lc rgb FAINT dt 3
set label 601 '+3.1 % since c22' at first 23, graph 0.9765 left offset 0.5,0 font NOTE_FONT tc rgb FOREGROUND
set arrow 601 from first 23, graph 0 to first 23, graph 0.9765 nohead lc rgb FAINT dt 3
# Medians over time with their intervals, open where flagged, and a line at the
# median of each level.
plot for [i=FIRST:LAST] $data index (i-1) using 1:3:(0):($4 - $3) \
        with vectors heads size screen 0.005,90 ls i dt 1 lw 1, \
    for [i=FIRST:LAST] $data index (i-1) using 1:5 with steps ls i dt 1 \
        lw LINE_WIDTH, \
    for [i=FIRST:LAST] $data index (i-1) using 1:2 with points ls i \
        ps (LAST > FIRST || |$data| < 60 ? 1 : 0.6) * POINT, \
    for [i=FIRST:LAST] $data index (i-1) using 1:($9 == 1 ? $2 : NaN) \
        with points pt 7 ps 0.5 * POINT lc rgb BACKGROUND
unset output
# as plot_results wrote it: 3e40c1691ebfa8ef
