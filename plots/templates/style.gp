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
