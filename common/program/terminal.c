#include <config.h>

#include "common/program/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/program/options.h"

static int
clamp_size(long x, int low, int high)
{
	return x < low ? low : x > high ? high : (int)x;
}

void
terminal_size(int *columns, int *lines)
{
	const char *text = getenv("COLUMNS");
	struct winsize size;
	long width = 0;

	if (text == NULL || parse_long(text, 1, 100000, &width) != 0)
		width = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0
		    ? size.ws_col
		    : 0;
	if (width <= 0)
		width = TERMINAL_COLUMNS;
	*columns =
	    clamp_size(width, TERMINAL_MIN_COLUMNS, TERMINAL_MAX_COLUMNS);
	*lines =
	    clamp_size(*columns * 3L / 10, TERMINAL_LINES, TERMINAL_MAX_LINES);
}

int
terminal_colour(void)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (no_color != NULL && no_color[0] != '\0')
		return 0;
	if (term == NULL || strcmp(term, "dumb") == 0)
		return 0;
	return isatty(STDOUT_FILENO);
}
