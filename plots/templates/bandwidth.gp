# Bus bandwidth over the size of a message, both axes logarithmic.
plot for [i=1:N] $data index (i-1) using 1:2 with linespoints \
        ls i ps POINT lw LINE_WIDTH
