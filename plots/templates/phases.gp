# Where the time of a mean step goes.  The boxes of a part reach from 0 to its
# upper end, so the last part is drawn first.
set boxwidth 0.6
set grid noxtics
plot for [i=N:1:-1] $data index (i-1) using 1:2 with boxes \
        ls i fs solid 1.0 border lc rgb GRID
