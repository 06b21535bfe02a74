/* The terminal that stdout is: how large, and whether it shows colours. */
#ifndef COMMON_PROGRAM_TERMINAL_H
#define COMMON_PROGRAM_TERMINAL_H

enum {
	TERMINAL_COLUMNS = 80, /* where none is given */
	TERMINAL_LINES = 24,
	TERMINAL_MIN_COLUMNS = 40,
	TERMINAL_MAX_COLUMNS = 400,
	TERMINAL_MAX_LINES = 60
};

/* Columns and lines to draw in: $COLUMNS, else the terminal's own size, else
 * the defaults; kept within the limits.  Lines grow with the columns so that
 * the chart keeps its shape. */
void terminal_size(int *columns, int *lines);

/* Is stdout a terminal that shows colours, and NO_COLOR not set? */
int terminal_colour(void);

#endif
