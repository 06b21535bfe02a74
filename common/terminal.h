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

/* Make stdout and stderr write '?' instead of invalid UTF-8 and of characters
 * for which utf8_is_control is true, except tabs and line ends. If stdout is a
 * terminal set up by Open MPI, also make it pass lines on whole, so that the
 * lines of two ranks do not mix. Call once, before anything is printed. */
void terminal_protect(void);

/* Unprotected standard output, for text with no escape sequences but the
 * program's own, and for data whose writers escape texts. The call flushes
 * stdout; flush the result before using stdout again. Returns stdout itself if
 * terminal_protect was not called. */
FILE *terminal_raw(void);

/* Descriptor of a stream, also of a protected one. */
int terminal_descriptor(FILE *f);

#endif
