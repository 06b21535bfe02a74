/* Charts with cases down the side: margin for names at the left, numbers and
 * verdicts at the right, diamond of the mean at the bottom. */
#include <config.h>

#include "plots/forest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
wrap_verdicts(const struct chart_data *d, struct forest *f, int columns)
{
	int widest = 0;

	for (size_t i = 0; i < f->n; i++) {
		char *lines = quote_wrap(d->rows[i].verdict, (size_t)columns);

		f->verdicts[i] = arena_strdup(&f->arena, lines);
		widest = larger_of(widest, (int)utf8_columns(lines));
		free(lines);
	}
	return widest * f->metric.letter;
}

/* Place numbers and verdicts at the right. If the plot would get less than a
 * third of the width, break the verdicts into lines; if that is not enough,
 * drop the numbers. */
static void
place_texts(const struct chart_data *d, struct forest *f)
{
	const int least = f->width / 3, margin = f->metric.margin;
	int numbers = 0, verdicts = wrap_verdicts(d, f, f->width);

	for (size_t i = 0; i < f->n; i++)
		numbers = larger_of(numbers,
		    (int)utf8_columns(d->rows[i].number) * f->metric.letter);
	f->right = f->width - 3 * margin - numbers - verdicts;
	if (f->right - f->left < least)
		verdicts = wrap_verdicts(d, f, VERDICT_LEAST);
	f->right = f->width - 3 * margin - numbers - verdicts;
	if (f->right - f->left < least)
		f->right = f->width - 2 * margin - verdicts;
	else
		f->number_at = f->right + margin;
	f->verdict_at = f->width - margin - verdicts;
}

void
forest_lay_out(const struct chart_data *d, int width,
    const struct forest_metric *m, struct forest *out)
{
	int names = 0;

	*out = (struct forest){ .width = width,
		.metric = *m,
		.n = d->n_rows,
		.lines = larger_of(d->x.label_lines, 1) };
	out->verdicts =
	    arena_calloc(&out->arena, out->n + 1, sizeof *out->verdicts);
	for (size_t i = 0; i < out->n; i++)
		names =
		    larger_of(names, (int)utf8_columns(d->x.ticks[i].label));
	out->left = m->margin + names * m->letter + m->tick;
	place_texts(d, out);
	for (size_t i = 0; i < out->n; i++)
		out->lines =
		    larger_of(out->lines, quote_count_lines(out->verdicts[i]));
	if (d->chart->of_steps)
		out->lines = larger_of(out->lines, LINES_OF_DOTS);
	out->height = larger_of(
	    (int)out->n * (out->lines * m->line + m->gap), m->least_height);
	out->min_height = (int)out->n * (out->lines * m->line + m->least_gap);
}

static void
write_text(struct strbuf *out, int tag, const char *text, double x, size_t row,
    void (*quote)(struct strbuf *, const char *))
{
	strbuf_printf(out, "set label %d ", tag);
	quote(out, text);
	strbuf_printf(
	    out, " at screen %.4f, first %zu left tc rgb FOREGROUND\n", x, row);
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
forest_write(struct strbuf *out, const struct chart_data *d,
    const struct forest *f, void (*quote)(struct strbuf *, const char *))
{
	enum { FIRST_TAG = 1000 };
	const double w = f->width;

	strbuf_printf(out,
	    "# Names at the left, numbers and verdicts at the right.\n"
	    "set lmargin at screen %.4f\nset rmargin at screen %.4f\n",
	    f->left / w, f->right / w);
	for (size_t i = 0; i < f->n; i++) {
		const int tag = FIRST_TAG + 2 * (int)i;

		if (f->number_at > 0)
			write_text(out, tag, d->rows[i].number,
			    f->number_at / w, i + 1, quote);
		if (f->verdicts[i][0] != '\0')
			write_text(out, tag + 1, f->verdicts[i],
			    f->verdict_at / w, i + 1, quote);
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

void
forest_release(struct forest *f)
{
	arena_release(&f->arena);
	*f = (struct forest){ .n = 0 };
}
