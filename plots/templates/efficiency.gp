# Efficiency over the number of GPUs: 100 % is the speed of the baseline's GPUs
# times the number of GPUs.
plot keyentry with lines ls 20 dt 2 lw 1.5 \
        title (N_IDEAL > 0 ? IDEAL_TITLE : ''), \
    for [i=1:N_IDEAL] $ideal index (i-1) using 1:4 with lines \
        ls ideal_style(i) dt 2 lw (N_IDEAL == 1 ? 1.5 : 0.8) notitle, \
    for [i=1:N_BARS] $data index (i-1) using 1:9:(0):($10 - $9) \
        with vectors heads size graph 0.006,90 ls style(i) dt 1 lw 1.2 \
        notitle, \
    for [i=1:N] $data index (i-1) using 1:8 with @MARKS \
        ls style(i) ps POINT dt 1 lw 1.8 title NAME[i], \
    for [i=1:N] $data index (i-1) using 1:8:11 with labels \
        offset 0.8,0 left font NOTE_FONT tc rgb GREY notitle
