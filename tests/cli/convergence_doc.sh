# doc/convergence.md agrees with doc/convergence.csv, and its picture is drawn
# from that file.
. "$top_srcdir/tests/lib.sh"

doc=$top_srcdir/doc
# One line per program: mean and deviation of the last epoch over the seeds.
awk -F, '
	{ top[$1, $2] = $4; seeds[$1] = seeds[$1] " " $2 }
	END {
		label["ours"] = "`train_imagenet`"
		label["theirs"] = "PyTorch"
		label["linear"] = "linear model (PyTorch)"
		n = split("ours theirs linear", order, " ")
		print "| after 12 epochs | seeds | top-1, mean (%) | " \
		    "standard deviation (%) | of each seed (%) |"
		print "|---|---|---|---|---|"
		for (i = 1; i <= n; i++) {
			name = order[i]
			count = 0
			sum = squares = 0
			all = ""
			for (s = 1; (name, s) in top; s++) {
				count++
				sum += top[name, s]
				all = all (s > 1 ? ", " : "") sprintf("%.1f", top[name, s])
			}
			for (s = 1; s <= count; s++)
				squares += (top[name, s] - sum / count) ^ 2
			printf "| %s | %d | %.1f | %.1f | %s |\n", label[name],
			    count, sum / count, sqrt(squares / (count - 1)), all
		}
	}' "$doc/convergence.csv" >"$tmp/table"
sed -n '/^| after/,/^$/p' "$doc/convergence.md" | sed '$d' >"$tmp/shown"
verdict "the table is the data's" diff "$tmp/shown" "$tmp/table"
if command -v gnuplot >/dev/null 2>&1; then
	cp "$doc/convergence.gp" "$doc/convergence.csv" "$tmp"
	verdict "gnuplot draws it" \
	    sh -c 'cd "$1" && gnuplot convergence.gp' sh "$tmp"
	verdict "the picture is the data's" \
	    cmp "$doc/convergence.svg" "$tmp/convergence.svg"
else
	skip "the picture is the data's" "no gnuplot"
fi
finish
