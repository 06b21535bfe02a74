/* Canvas of character cells and Braille dots, written as UTF-8. */
#include <config.h>

#include "plots/canvas.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/utf8.h"

void
canvas_init(struct canvas *c, int columns, int lines)
{
	c->columns = columns;
	c->lines = lines;
	c->cells = xcalloc((size_t)columns * (size_t)lines, sizeof *c->cells);
}

void
canvas_release(struct canvas *c)
{
	free(c->cells);
	memset(c, 0, sizeof *c);
}

static struct canvas_cell *
cell_at(struct canvas *c, int column, int line)
{
	if (column < 0 || column >= c->columns || line < 0 || line >= c->lines)
		return NULL;
	return &c->cells[(size_t)line * (size_t)c->columns + (size_t)column];
}

void
canvas_dot(struct canvas *c, int x, int y, int colour)
{
	/* Bits of the two columns of dots, from top to bottom. */
	static const uint8_t bits[CANVAS_DOTS_X][CANVAS_DOTS_Y] = {
		{ 0x01, 0x02, 0x04, 0x40 }, { 0x08, 0x10, 0x20, 0x80 }
	};
	struct canvas_cell *cell;

	if (x < 0 || y < 0)
		return;
	cell = cell_at(c, x / CANVAS_DOTS_X, y / CANVAS_DOTS_Y);
	if (cell == NULL)
		return;
	/* Faint dots do not recolour a cell that has dots. */
	if (cell->dots == 0 || colour != CANVAS_FAINT)
		cell->colour = (uint8_t)colour;
	cell->dots |= bits[x % CANVAS_DOTS_X][y % CANVAS_DOTS_Y];
}

void
canvas_line(
    struct canvas *c, int x0, int y0, int x1, int y1, int every, int colour)
{
	/* Bresenham 1965, IBM Systems Journal 4(1). */
	const int dx = abs(x1 - x0), dy = -abs(y1 - y0);
	const int step_x = x0 < x1 ? 1 : -1, step_y = y0 < y1 ? 1 : -1;
	int off = dx + dy;

	for (long i = 0;; i++) {
		const int twice = 2 * off;

		if (i % every == 0)
			canvas_dot(c, x0, y0, colour);
		if (x0 == x1 && y0 == y1)
			break;
		if (twice >= dy) {
			off += dy;
			x0 += step_x;
		}
		if (twice <= dx) {
			off += dx;
			y0 += step_y;
		}
	}
}

void
canvas_text(
    struct canvas *c, int column, int line, const char *text, int colour)
{
	size_t len = strlen(text), n;

	for (; len > 0; text += n, len -= n) {
		struct canvas_cell *cell = cell_at(c, column, line);
		uint32_t cp;
		int width;

		n = utf8_decode(text, len, &cp);
		if (utf8_is_control(cp))
			cp = UTF8_INVALID;
		width = utf8_char_width(cp);
		if (width == 0 || cell == NULL ||
		    (width == 2 && column + 1 >= c->columns)) {
			column += width;
			continue;
		}
		*cell = (struct canvas_cell){ .colour = (uint8_t)colour };
		if (cp == UTF8_INVALID)
			memcpy(cell->text, "\xef\xbf\xbd", 3);
		else
			memcpy(cell->text, text, n);
		if (width == 2)
			cell[1] = (struct canvas_cell){ .covered = 1 };
		column += width;
	}
}

static void
set_colour(struct strbuf *sb, int colour)
{
	/* Those of the 16 standard terminal colours that are readable on light
	 * and dark backgrounds. */
	static const char *const codes[] = {
		[CANVAS_PLAIN] = "0",
		[CANVAS_FAINT] = "0;2",
		[CANVAS_SERIES] = "0;34",
		[CANVAS_SERIES + 1] = "0;31",
		[CANVAS_SERIES + 2] = "0;32",
		[CANVAS_SERIES + 3] = "0;35",
		[CANVAS_SERIES + 4] = "0;36",
		[CANVAS_SERIES + 5] = "0;33",
	};

	strbuf_printf(sb, "\033[%sm", codes[colour]);
}

static int
is_empty(const struct canvas_cell *cell)
{
	return (cell->text[0] == '\0' || cell->text[0] == ' ') &&
	    cell->dots == 0 && !cell->covered;
}

void
canvas_write(const struct canvas *c, int colour, struct strbuf *sb)
{
	for (int y = 0; y < c->lines; y++) {
		const struct canvas_cell *row =
		    &c->cells[(size_t)y * (size_t)c->columns];
		int end = c->columns, now = CANVAS_PLAIN;

		while (end > 0 && is_empty(&row[end - 1]))
			end--;
		for (int x = 0; x < end; x++) {
			const struct canvas_cell *cell = &row[x];

			if (cell->covered)
				continue;
			if (is_empty(cell)) {
				strbuf_addch(sb, ' ');
				continue;
			}
			if (colour && cell->colour != now) {
				now = cell->colour;
				set_colour(sb, now);
			}
			if (cell->text[0] != '\0')
				strbuf_addstr(sb, cell->text);
			else /* U+2800 plus one bit per dot */
				strbuf_printf(sb, "\xe2%c%c",
				    0xa0 | cell->dots >> 6,
				    0x80 | (cell->dots & 0x3f));
		}
		if (now != CANVAS_PLAIN)
			set_colour(sb, CANVAS_PLAIN);
		strbuf_addch(sb, '\n');
	}
}
