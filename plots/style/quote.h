/* Text for gnuplot scripts.  gnuplot runs what stands between backquotes, even
 * inside double quotes, and a newline ends a command: so foreign text goes in
 * single quotes only, where just the quote itself means something: it becomes a
 * string of its own. */
#ifndef PLOTS_STYLE_QUOTE_H
#define PLOTS_STYLE_QUOTE_H

#include "common/strbuf.h"

/* The variable that stands for a quote, and the command that sets it; the
 * script's head has it before any text. */
#define QUOTE_NAME "QUOTE"
#define QUOTE_SET QUOTE_NAME " = sprintf(\"%c\", 39)\n"

/* Add text to sb as a gnuplot string expression: 'it'.QUOTE.'s'.  A newline in
 * it becomes a new line of the label ('a'."\n".'b'); other control characters
 * become spaces, invalid UTF-8 becomes U+FFFD. */
void quote_add(struct strbuf *sb, const char *text);

/* The same where TeX sets the text: its special characters stand for
 * themselves. */
void quote_add_tex(struct strbuf *sb, const char *text);

/* Add text as one line that is safe in a comment: no control characters, no
 * backslash at its end. */
void quote_comment(struct strbuf *sb, const char *text);

/* Break text into lines of at most width columns of a terminal: at the last
 * comma or semicolon of the line's second half, else at the last blank or
 * between wide characters; a word longer than a line, as a path may be, is cut.
 *
 * width  >= 2
 *
 * Free with free(). */
char *quote_wrap(const char *text, size_t width);

/* The lines of a text; an empty one has none. */
int quote_count_lines(const char *text);

#endif
