# speedup, drawn by plot_results.
reset
QUOTE = sprintf("%c", 39)
OUTPUT = ''
set encoding utf8
set terminal svg size 800,495 noenhanced font 'sans-serif,13' background '#ffffff' name 'speedup'
if (strlen(OUTPUT) > 0) set output OUTPUT

TITLE = 'resnet50, fp32, batch 128 per device'
NOTE = 'baseline: 1n1g, each its own; error bars: 96.83 % CI of the speedup'
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
set style line 2 lc rgb '#D55E00' pt 5 dt 1
set style line 202 lc rgb '#50D55E00' pt 7
set style line 100 lc rgb FAINT

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

run_place(x) = x * 0.963246
$runs << EOD
# GPUs, value, speedup, efficiency (%)
1 347.1 1 100
1 346.2 0.9974070872947276 99.74070872947276
1 348 1.0025929127052722 100.25929127052721
1 345.9 0.9965427830596368 99.65427830596369
1 347.6 1.0014405070584846 100.14405070584846
2 604.1 1.7404206280610774 87.02103140305387
2 611 1.7602996254681649 88.01498127340824
2 598.3 1.7237107461826562 86.1855373091328
2 605.2 1.7435897435897438 87.17948717948718
2 602.7 1.7363872082973206 86.81936041486603
8 1404.5 4.046384327283204 50.579804091040046
8 1371.2 3.9504465571881306 49.38058196485163
8 1420.9 4.093632958801498 51.17041198501873
8 1399 4.030538749639874 50.381734370498414
8 1410.3 4.063094209161625 50.78867761452032
16 2384.3 6.869201959089599 42.93251224431
16 2301.5 6.630653990204552 41.44158743877845
16 2410 6.9432440218957066 43.39527513684817
16 2377.7 6.850187265917602 42.813670411985015
16 2390.6 6.887352348026504 43.04595217516566


1 362.4 1 100
1 361 0.9961368653421634 99.61368653421634
1 363.3 1.0024834437086094 100.24834437086095
1 362.9 1.0013796909492274 100.13796909492274
1 361.8 0.9983443708609272 99.83443708609272
2 711.2 1.9624724061810157 98.12362030905078
2 709 1.956401766004415 97.82008830022075
2 715.5 1.974337748344371 98.71688741721854
2 712.4 1.965783664459161 98.28918322295804
2 708.3 1.9544701986754967 97.72350993377482
8 2650 7.312362030905078 91.40452538631348
8 2610.4 7.20309050772627 90.03863134657838
8 2671.9 7.372792494481237 92.15990618101547
8 2644.8 7.298013245033114 91.22516556291393
8 2660.7 7.341887417218544 91.7735927152318
16 5011.6 13.828918322295808 86.4307395143488
16 4950.2 13.659492273730685 85.37182671081678
16 5100.3 14.073675496688743 87.96047185430466
16 5023.4 13.86147902869757 86.63424392935981
16 4998.8 13.793598233995585 86.20998896247241
EOD

N_BANDS = 0
array BAND_OF[1]
BAND_OF[1] = 1
$bands << EOD
# GPUs, median low high, speedup low high, efficiency low high (%)
NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN
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
set yrange [0.870550563296:18.37917368]
set ytics ('' 0.875 1, '1' 1, '' 1.25 1, '' 1.5 1, '' 1.75 1, '2' 2, \
    '' 2.5 1, '' 3 1, '' 3.5 1, '4' 4, '' 5 1, '' 6 1, \
    '' 7 1, '8' 8, '' 10 1, '' 12 1, '' 14 1, '16' 16)

# Names at the ends of the lines.
set rmargin at screen 0.9138
set label 300 'pytorch' at first 16, first 6.86920195909 left offset 1.4,0 tc rgb FOREGROUND
set label 301 'mxnet' at first 16, first 13.8289183223 left offset 1.4,0 tc rgb FOREGROUND

# The legend: a sample and a name each.
set arrow 100 from screen 0.4506,0.0364 to screen 0.4906,0.0364 nohead ls 100 dt 2 lw 1.5
set label 101 'ideal' at screen 0.4981,0.0364 left tc rgb FOREGROUND
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
# as plot_results wrote it: ac6f9362815c5688
