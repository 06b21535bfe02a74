/* Quoting of text for gnuplot scripts. gnuplot executes backquoted text even
 * inside double quotes, and a newline ends a command. So untrusted text is put
 * in single quotes, where only the quote itself is special; it is replaced by a
 * variable. */
#ifndef PLOTS_STYLE_QUOTE_H
#define PLOTS_STYLE_QUOTE_H

#include "common/strbuf.h"

/* Variable that holds a quote, and the command that sets it, which must come
 * before any text in a script. */
#define QUOTE_NAME "QUOTE"
#define QUOTE_SET QUOTE_NAME " = sprintf(\"%c\", 39)\n"

/* The texts that these functions return live in the arena. */

/* Text as a gnuplot string expression: 'it'.QUOTE.'s'. A newline starts a new
 * line of the label ('a'."\n".'b'); other control characters become spaces,
 * invalid UTF-8 becomes U+FFFD. */
const char *quote_string(struct arena *a, const char *text);

/* Same as quote_string for text set by TeX: escape TeX's special characters. */
const char *quote_tex_string(struct arena *a, const char *text);

/* Append text with TeX's special characters escaped. */
void quote_tex(struct strbuf *sb, const char *text);

/* Append the first character of text, or a space for a control character and
 * U+FFFD for an invalid one. Returns its length in text. */
size_t quote_char(struct strbuf *sb, const char *text);

/* Text as one line that is safe in a comment: without control characters and
 * backslashes. */
const char *quote_comment(struct arena *a, const char *text);

/* Break text into lines of at most `width` terminal columns: at the last comma
 * or semicolon in the line's second half, else at the last blank or between
 * wide characters. Words longer than a line, such as paths, are cut.
 *
 * width  >= 2 */
const char *quote_wrap(struct arena *a, const char *text, size_t width);

/* Number of lines of a text, 0 for an empty one. */
int quote_count_lines(const char *text);

#endif
