# How the time of all collectives is shared out over their sizes; above each box
# how many there are.
WIDTH = 0.8 / N
set boxwidth WIDTH
set grid noxtics
place(i) = (i - (N + 1) / 2.0) * WIDTH
plot for [i=1:N] $data index (i-1) using ($1 + place(i)):2 with boxes \
        ls i fs solid 0.85 noborder, \
    for [i=1:N] $data index (i-1) \
        using ($1 + place(i)):2:(LABELS_SHOWN ? strcol(11) : "") with labels \
        left rotate by 90 offset 0,0.4 font NOTE_FONT tc rgb FAINT
