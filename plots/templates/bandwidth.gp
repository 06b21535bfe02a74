# Bus bandwidth over the size of a message, both axes logarithmic.
plot for [i=1:N] $data index (i-1) using 1:2 with @MARKS \
        ls style(i) ps POINT dt 1 lw 1.8 title NAME[i]
