#include <config.h>

#include "common/program/program_main.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/files/outfile.h"
#include "common/terminal.h"
#include "common/text.h"

enum { STACK_KIB = 1024 }; /* buffers in automatic storage, threads */

void
startup(void)
{
	struct rlimit stack;

	signal(SIGXFSZ, SIG_IGN);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		/* open() returns the lowest free descriptor, which is fd. */
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null",
			fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			return;
	terminal_protect();
	if (getrlimit(RLIMIT_STACK, &stack) == 0 &&
	    stack.rlim_cur < STACK_KIB << 10) {
		fprintf(stderr,
		    "%s: the stack is limited to %lu KiB, but %d KiB are "
		    "needed; use 'ulimit -s %d'\n",
		    program_invocation_short_name,
		    (unsigned long)stack.rlim_cur >> 10, STACK_KIB, STACK_KIB);
		exit(EXIT_STATUS_INPUT);
	}
}

int
program_main(const struct program *p, int argc, char **argv, program_work work)
{
	struct error e = ERROR_INIT;
	int first, status;

	startup();
	switch (options_parse(p, argc, argv, &first, &e)) {
	case OPTIONS_FAILED:
		return error_report(p->name, &e);
	case OPTIONS_DONE:
		return EXIT_STATUS_OK;
	case OPTIONS_RUN:
		break;
	}
	status = work(argv + first, (size_t)(argc - first), &e);
	if (status >= 0 && stdout_finish(&e) != 0)
		status = -1;
	return status < 0 ? error_report(p->name, &e) : status;
}

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
