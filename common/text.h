/* String functions: numbers, comparison, spelling, quoting.
 *
 * NULL stands for an unknown name, label or date everywhere. */
#ifndef COMMON_TEXT_H
#define COMMON_TEXT_H

#include <stddef.h>
#include <string.h>

#include "common/strbuf.h"

/* Parse an integer.
 *
 * Returns 0 and sets out, or -1 if text is empty, has trailing characters or is
 * outside [min, max]. */
int parse_long(const char *text, long min, long max, long *out);

/* Parse a finite decimal number, like parse_long. */
int parse_double(const char *text, double min, double max, double *out);

/* True if both strings are equal or both NULL. */
static inline int
text_same(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Like strcmp; NULL sorts first. */
static inline int
text_order(const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		return (a != NULL) - (b != NULL);
	return strcmp(a, b);
}

/* Like text_order, for qsort and bsearch on an array of const char *. */
static inline int
text_order_at(const void *a, const void *b)
{
	return text_order(*(const char *const *)a, *(const char *const *)b);
}

/* Levenshtein's distance: number of insertions, deletions and replacements that
 * turn a into b. */
size_t spell_distance(const char *a, const char *b);

/* Returns the first choice with the smallest distance from word, NULL if that
 * exceeds a third of word's length (at least one).
 *
 * choices  NULL-terminated */
const char *spell_nearest(const char *word, const char *const *choices);

/* Add word to sb, in single quotes if the shell needs them. */
void shell_word_add(struct strbuf *sb, const char *word);

/* Bytes [s, end) of a text. */
struct text_span {
	const char *s, *end;
};

/* The line that begins at s, without its terminator; the line after l, empty at
 * the end. */
struct text_span text_line(const char *s, const char *end);
struct text_span text_line_after(struct text_span l, const char *end);

/* l without blanks and tabs at its ends. */
struct text_span span_trim(struct text_span l);

/* The most frequent of some marks in a line; the first of them if there is
 * none. */
char text_separator(struct text_span l, const char *marks);

/* Read a cell of separated values, whose blanks at the start are skipped; it
 * may be quoted, with inner quotes doubled. Returns the end, or the separator
 * or newline after it. */
const char *text_csv_cell(
    const char *s, const char *end, char separator, struct strbuf *sb);

#endif
