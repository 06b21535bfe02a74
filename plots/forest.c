/* Charts with cases down the side: margin for names at the left, numbers and
 * verdicts at the right, diamond of the mean at the bottom. */
#include <config.h>

#include "plots/forest.h"

#include <math.h>

#include "common/utf8.h"
#include "plots/style/quote.h"

enum {
	VERDICT_LEAST = 10, /* columns of verdicts that are broken into lines */
	LINES_OF_DOTS = 2   /* lines per row if steps are drawn as dots */
};

const struct forest_metric forest_pixels = { 7, 18, 9, 2, 14, 12, 60 };
const struct forest_metric forest_cells = { 1, 1, 0, 0, 1, 2, 1 };

static int
larger_of(int a, int b)
{
	return a > b ? a : b;
}

/* Break the verdicts into lines of at most `columns`. Returns the width of the
 * widest in pixels (or cells). */
static int
wrap_verdicts(struct chart_data *d, struct forest *f, int letter, int columns)
{
	int widest = 0;

	for (size_t i = 0; i < f->n; i++) {
		f->verdicts[i] =
		    quote_wrap(&d->arena, d->rows[i].verdict, (size_t)columns);
		widest = larger_of(widest, (int)utf8_columns(f->verdicts[i]));
	}
	return widest * letter;
}

void
forest_lay_out(struct chart_data *d, int width, const struct forest_metric *m,
    struct forest *f)
{
	int names = 0, numbers = 0, verdicts, row;

	*f = (struct forest){ .width = width,
		.n = d->n_rows,
		.lines = larger_of(d->x.label_lines, 1) };
	f->verdicts = arena_calloc(&d->arena, f->n, sizeof *f->verdicts);
	for (size_t i = 0; i < f->n; i++) {
		names =
		    larger_of(names, (int)utf8_columns(d->x.ticks[i].label));
		numbers =
		    larger_of(numbers, (int)utf8_columns(d->rows[i].number));
	}
	f->left = m->margin + names * m->letter + m->tick;
	verdicts = wrap_verdicts(d, f, m->letter, width);
	f->right = width - 3 * m->margin - numbers * m->letter - verdicts;
	/* If the plot would get less than a third of the width, break the
	 * verdicts into lines; if that is not enough, drop the numbers. */
	if (f->right - f->left < width / 3)
		verdicts = wrap_verdicts(d, f, m->letter, VERDICT_LEAST);
	f->right = width - 3 * m->margin - numbers * m->letter - verdicts;
	if (f->right - f->left < width / 3)
		f->right = width - 2 * m->margin - verdicts;
	else
		f->number_at = f->right + m->margin;
	f->verdict_at = width - m->margin - verdicts;
	for (size_t i = 0; i < f->n; i++)
		f->lines =
		    larger_of(f->lines, quote_count_lines(f->verdicts[i]));
	if (d->chart->of_steps)
		f->lines = larger_of(f->lines, LINES_OF_DOTS);
	row = f->lines * m->line;
	f->height = larger_of((int)f->n * (row + m->gap), m->least_height);
	f->min_height = (int)f->n * (row + m->least_gap);
}

/* Draw a diamond spanning the interval, below a line.
 *
 * half  of the diamond's height, in rows */
static void
write_mean(
    struct strbuf *out, const struct chart_number *y, size_t row, double half)
{
	const double at = (double)row;
	const double low = isfinite(y->low) ? y->low : y->at,
		     high = isfinite(y->high) ? y->high : y->at;

	strbuf_printf(out,
	    "set arrow 95 from graph 0, first %g to graph 1, first %g nohead "
	    "lc rgb GRID lw 2\n",
	    at - 0.5, at - 0.5);
	strbuf_printf(out,
	    "set object 95 polygon from first %.12g, first %g to "
	    "first %.12g, first %g to first %.12g, first %g to "
	    "first %.12g, first %g to first %.12g, first %g "
	    "fc rgb FOREGROUND fs solid border lc rgb FOREGROUND\n",
	    low, at, y->at, at - half, high, at, y->at, at + half, low, at);
}

void
forest_write(struct strbuf *out, struct chart_data *d, const struct forest *f,
    const char *(*quote)(struct arena *a, const char *text))
{
	static const char text[] =
	    "set label %zu %s at screen %.4f, first %zu left tc rgb "
	    "FOREGROUND\n";
	const double w = f->width;
	size_t tag = 1000;

	strbuf_printf(out,
	    "# Names at the left, numbers and verdicts at the right.\n"
	    "set lmargin at screen %.4f\nset rmargin at screen %.4f\n",
	    f->left / w, f->right / w);
	for (size_t i = 0; i < f->n; i++, tag += 2) {
		if (f->number_at > 0)
			strbuf_printf(out, text, tag,
			    quote(&d->arena, d->rows[i].number),
			    f->number_at / w, i + 1);
		if (f->verdicts[i][0] != '\0')
			strbuf_printf(out, text, tag + 1,
			    quote(&d->arena, f->verdicts[i]), f->verdict_at / w,
			    i + 1);
	}
	if (d->delta > 0)
		strbuf_printf(out,
		    "set object 94 rectangle from first %.12g, graph 0 to "
		    "first %.12g, graph 1 behind fc rgb '#d8808080' fs solid "
		    "noborder\n",
		    1 / (1 + d->delta), 1 + d->delta);
	if (d->mean.at > 0)
		write_mean(out, &d->mean, f->n, 0.32 / f->lines);
	strbuf_addch(out, '\n');
}
