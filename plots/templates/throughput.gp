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
