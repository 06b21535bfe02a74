/* Layout of a legend in pixels, and the gnuplot labels and arrows that draw
 * it. */
#include <config.h>

#include "plots/style/legend.h"

#include <string.h>

#include "common/utf8.h"
#include "plots/style/quote.h"

enum {
	LETTER = 7,  /* width of an average character, pixels */
	SAMPLE = 44, /* sample before a name, including the gap */
	GAP = 18,    /* between columns */
	MARGIN = 20, /* left and right */
	ROW = 20,    /* height of an entry of one line */
	LINE = 16,   /* more for each further line */
	BELOW = 8,   /* space below the last row */
	FIRST_TAG = 100
};

static int
larger_of(int a, int b)
{
	return a > b ? a : b;
}

/* Height of the row that starts at entry `first`, for its tallest entry. */
static int
row_height(const struct legend *l, size_t first)
{
	int lines = 1;

	for (size_t i = first; i < l->n && i < first + (size_t)l->columns; i++)
		lines = larger_of(lines, quote_count_lines(l->entries[i].name));
	return ROW + (lines - 1) * LINE;
}

void
legend_lay_out(struct arena *a, const struct legend_entry *entries, size_t n,
    int width, int max_columns, struct legend *out)
{
	const int room = width - 2 * MARGIN;
	const int most = larger_of((room - SAMPLE) / LETTER, 10);
	int widest = 0;

	*out = (struct legend){ .n = n };
	out->entries = arena_calloc(a, n, sizeof *out->entries);
	for (size_t i = 0; i < n; i++) {
		struct legend_entry *e = &out->entries[i];

		*e = entries[i];
		e->name = quote_wrap(a, e->name, (size_t)most);
		widest = larger_of(widest, (int)utf8_columns(e->name) * LETTER);
	}
	out->column_width = SAMPLE + widest + GAP;
	out->columns = room / out->column_width;
	if (out->columns > (int)n)
		out->columns = (int)n;
	if (max_columns > 0 && out->columns > max_columns)
		out->columns = max_columns;
	out->columns = larger_of(out->columns, 1);
	for (size_t i = 0; i < n; i += (size_t)out->columns)
		out->height += row_height(out, i);
	out->height += n > 0 ? BELOW : 0;
}

int
legend_sample_is_line(enum legend_sample sample)
{
	return sample == LEGEND_LINE || sample == LEGEND_STROKE;
}

void
legend_write(struct strbuf *out, struct arena *a, const struct legend *l,
    double left, double y, int width, int height,
    const char *(*quote)(struct arena *a, const char *text))
{
	const double used = (double)l->columns * l->column_width - GAP;
	int tag = FIRST_TAG;

	if (left < 0)
		left = used < width ? (width - used) / 2 : MARGIN;
	strbuf_addstr(out, "# The legend: a sample and a name each.\n");
	for (size_t i = 0; i < l->n; i++, tag += 2) {
		const struct legend_entry *e = &l->entries[i];
		const size_t column = i % (size_t)l->columns;
		const double x = left + (double)column * l->column_width;
		const double from = x / width, to = (x + SAMPLE - 12) / width;
		const double middle = (y - ROW / 2.0) / height;

		if (e->sample == LEGEND_IDEAL ||
		    legend_sample_is_line(e->sample))
			strbuf_printf(out,
			    "set arrow %d from screen %.4f,%.4f to screen "
			    "%.4f,%.4f nohead ls %d %s\n",
			    tag, from, middle, to, middle, e->style,
			    e->sample == LEGEND_IDEAL ? "dt 2 lw 1.5"
						      : "lw 1.8");
		if (e->sample != LEGEND_IDEAL && e->sample != LEGEND_STROKE)
			strbuf_printf(out,
			    "set label %d '' at screen %.4f,%.4f point ls %d "
			    "%s\n",
			    tag, (from + to) / 2, middle, e->style,
			    e->sample == LEGEND_BOX ? "pt 5 ps 1.6 * POINT"
						    : "ps POINT");
		strbuf_printf(out,
		    "set label %d %s at screen %.4f,%.4f left tc rgb "
		    "FOREGROUND\n",
		    tag + 1, quote(a, e->name), (x + SAMPLE - 6) / width,
		    middle);
		if (column + 1 == (size_t)l->columns)
			y -= row_height(l, i + 1 - (size_t)l->columns);
	}
}
