# doc/convergence.svg of doc/convergence.csv; in this folder:
#	gnuplot convergence.gp
set terminal svg noenhanced size 640,400 font 'sans-serif,13' background '#ffffff'
set output 'convergence.svg'
set datafile separator ','
set key bottom right
set xlabel 'epoch of 960 images'
set ylabel 'top-1 accuracy on 240 other images (%)'
set xrange [0.5:12.5]
set yrange [0:80]
set xtics 1
set ytics 10
set grid ytics lc rgb '#dddddd'
set style line 1 lc rgb '#0072b2' pt 7 ps 0.4 lw 2
set style line 2 lc rgb '#d55e00' pt 9 ps 0.5 lw 2
set style line 3 lc rgb '#009e73' pt 5 ps 0.4 lw 2
of(name) = '< grep ^' . name . ' convergence.csv'
set arrow from 0.5,25 to 12.5,25 nohead dt 3 lc rgb '#666666'
set label 'chance' at 0.7,22 tc rgb '#666666'
plot of('ours') using 3:4 smooth unique with lines ls 1 \
	title 'train_imagenet, mean of the seeds', \
    of('ours') using 3:4 with points ls 1 notitle, \
    of('theirs') using 3:4 smooth unique with lines ls 2 \
	title 'PyTorch, mean of the seeds', \
    of('theirs') using 3:4 with points ls 2 notitle, \
    of('linear') using 3:4 smooth unique with lines ls 3 \
	title 'linear model (PyTorch)'
