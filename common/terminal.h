/* What programs print: stdout and stderr replace control characters, so that a
 * file name, label or model cannot send escape sequences to the terminal or
 * reverse text, whichever function prints it.
 *
 *	terminal_protect();
 *	printf("wrote %s\n", path);
 *	fputs("\033[1mbold\033[0m\n", terminal_raw());
 */
#ifndef COMMON_TERMINAL_H
#define COMMON_TERMINAL_H

#include <stdio.h>

/* Let stdout and stderr write '?' instead of invalid UTF-8 and of the
 * characters of utf8_is_control, except tabs and line ends. If stdout is a
 * terminal of Open MPI, it passes lines on whole from here on. Called once,
 * before anything is printed. */
void terminal_protect(void);

/* Standard output for text that is clean but for the program's own escape
 * sequences, and for data, whose writers escape texts. What was printed before
 * is flushed; flush it before stdout is used again. stdout itself if
 * terminal_protect was not called. */
FILE *terminal_raw(void);

/* Descriptor of a stream, also of a protected one. */
int terminal_descriptor(FILE *f);

#endif
