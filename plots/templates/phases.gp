# Where the time of a mean step goes: a row a case, its parts after each other.
set grid noytics
plot for [i=1:N] $data index (i-1) \
        using (($3 + $4) / 2):1:(($4 - $3) / 2):(0.36) with boxxyerror \
        ls i fs solid 1.0 border lc rgb BACKGROUND, \
    for [i=1:N] $data index (i-1) using (($3 + $4) / 2):1:11 \
        with labels tc rgb FOREGROUND
