/* Layout of a legend in pixels, and the gnuplot labels and arrows that draw
 * it. */
#include <config.h>

#include "plots/style/legend.h"

#include <stdlib.h>
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

/* Width of the widest line in pixels. */
static int
text_width(const char *text)
{
	return (int)utf8_columns(text) * LETTER;
}

static const char *
wrap_name(struct arena *a, const char *name, size_t width)
{
	char *lines = quote_wrap(name, width);
	const char *kept = arena_strdup(a, lines);

	free(lines);
	return kept;
}

/* Lines of the tallest entry in the row that starts at entry `first`. */
static int
row_lines(const struct legend *l, size_t first)
{
	int most = 1;

	for (size_t i = first; i < l->n && i < first + (size_t)l->columns;
	     i++) {
		const int lines = quote_count_lines(l->entries[i].name);

		most = lines > most ? lines : most;
	}
	return most;
}

static int
row_height(const struct legend *l, size_t first)
{
	return ROW + (row_lines(l, first) - 1) * LINE;
}

void
legend_lay_out(const struct legend_entry *entries, size_t n, int width,
    int max_columns, struct legend *out)
{
	const int room = width - 2 * MARGIN;
	int widest = 0;

	*out = (struct legend){ .n = n, .columns = 1 };
	out->entries = arena_calloc(&out->arena, n, sizeof *out->entries);
	for (size_t i = 0; i < n; i++) {
		const int most =
		    room - SAMPLE > 10 * LETTER ? room - SAMPLE : 10 * LETTER;

		out->entries[i] = entries[i];
		out->entries[i].name = wrap_name(
		    &out->arena, entries[i].name, (size_t)most / LETTER);
		if (text_width(out->entries[i].name) > widest)
			widest = text_width(out->entries[i].name);
	}
	out->column_width = SAMPLE + widest + GAP;
	out->columns = room / out->column_width;
	if (out->columns > (int)n)
		out->columns = (int)n;
	if (max_columns > 0 && out->columns > max_columns)
		out->columns = max_columns;
	if (out->columns < 1)
		out->columns = 1;
	for (size_t i = 0; i < n; i += (size_t)out->columns)
		out->height += row_height(out, i);
	out->height += n > 0 ? BELOW : 0;
}

int
legend_sample_is_line(enum legend_sample sample)
{
	return sample == LEGEND_LINE || sample == LEGEND_STROKE;
}

static void
write_sample(struct strbuf *out, const struct legend_entry *e, int tag,
    double x, double y, int width)
{
	const double from = x / width, to = (x + SAMPLE - 12) / width;
	const double middle = (from + to) / 2;

	if (e->sample == LEGEND_IDEAL)
		strbuf_printf(out,
		    "set arrow %d from screen %.4f,%.4f to screen %.4f,%.4f "
		    "nohead ls 100 dt 2 lw 1.5\n",
		    tag, from, y, to, y);
	if (legend_sample_is_line(e->sample))
		strbuf_printf(out,
		    "set arrow %d from screen %.4f,%.4f to screen %.4f,%.4f "
		    "nohead ls %d lw 1.8\n",
		    tag, from, y, to, y, e->style);
	if (e->sample == LEGEND_LINE || e->sample == LEGEND_POINT)
		strbuf_printf(out,
		    "set label %d '' at screen %.4f,%.4f point ls %d ps "
		    "POINT\n",
		    tag, middle, y, e->style);
	if (e->sample == LEGEND_BOX)
		strbuf_printf(out,
		    "set label %d '' at screen %.4f,%.4f point ls %d pt 5 ps "
		    "1.6 * POINT\n",
		    tag, middle, y, e->style);
}

void
legend_write(struct strbuf *out, const struct legend *l, double left, double y,
    int width, int height, void (*quote)(struct strbuf *, const char *))
{
	const double used = (double)l->columns * l->column_width - GAP;

	if (left < 0)
		left = used < width ? (width - used) / 2 : MARGIN;

	strbuf_addstr(out, "# The legend: a sample and a name each.\n");
	for (size_t i = 0; i < l->n; i++) {
		const size_t column = i % (size_t)l->columns;
		const double x = left + (double)column * l->column_width;
		const double middle = (y - ROW / 2.0) / height;

		write_sample(out, &l->entries[i], FIRST_TAG + 2 * (int)i, x,
		    middle, width);
		strbuf_printf(out, "set label %d ", FIRST_TAG + 2 * (int)i + 1);
		quote(out, l->entries[i].name);
		strbuf_printf(out,
		    " at screen %.4f,%.4f left tc rgb FOREGROUND\n",
		    (x + SAMPLE - 6) / width, middle);
		if (column + 1 == (size_t)l->columns)
			y -= row_height(l, i + 1 - (size_t)l->columns);
	}
}

void
legend_release(struct legend *l)
{
	arena_release(&l->arena);
	*l = (struct legend){ .n = 0 };
}
