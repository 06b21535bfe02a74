# Charts made of characters: a letter a series, a dotted ideal line, no bars.
# It defines what style.gp defines.
set style line 1 lt 1 pt 'A'
set style line 2 lt 2 pt 'B'
set style line 3 lt 3 pt 'C'
set style line 4 lt 4 pt 'D'
set style line 5 lt 5 pt 'E'
set style line 6 lt 6 pt 'F'
set style line 7 lt 7 pt 'G'
set style line 8 lt 8 pt 'H'
set style line 9 lt 9 pt 'J'
set style line 10 lt 10 pt 'K'
set style line 11 lt 11 pt 'L'
set style line 12 lt 12 pt 'M'
style(i) = (i - 1) % 12 + 1
GREY = '#707070'
set style line 20 lt 0
ideal_style(i) = 20
MARKS = 'points'
BOXES = ''
N_BARS = 0

set border 3
set tics nomirror out
set clip two
set key at graph 0.5, screen KEY_Y center bottom vertical Left reverse \
    samplen 2.5 maxrows KEY_ROWS
set xlabel X_TITLE
set ylabel Y_TITLE
set tmargin at screen TOP
set bmargin at screen BOTTOM
set label 1 TITLE at graph 0.5, screen TITLE_Y center
set label 2 NOTE at graph 0.5, screen NOTE_Y center
