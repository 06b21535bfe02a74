# Series down the side, numbers of GPUs along x; each cell has its efficiency in
# per cent, and more colour for more.
set grid noxtics noytics
unset colorbox
set palette defined (0 BACKGROUND, 1 CELL)
set cbrange [*<80:100<*]
set style fill solid noborder
plot for [i=1:N] $data index (i-1) using 2:1:(0.49):(0.46):5 \
        with boxxyerror lc palette, \
    for [i=1:N] $data index (i-1) using 2:1:11 with labels tc rgb FOREGROUND
