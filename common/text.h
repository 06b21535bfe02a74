/* Functions of texts: numbers in options, comparison, spelling, quoting.
 *
 * A name, label or date that a log does not state is NULL everywhere. */
#ifndef COMMON_TEXT_H
#define COMMON_TEXT_H

#include <stddef.h>
#include <string.h>

#include "common/strbuf.h"

/* A whole number with nothing after it.
 *
 * Returns 0 and sets out, or -1 if text is empty, has a tail or is outside of
 * min..max. */
int parse_long(const char *text, long min, long max, long *out);

/* A finite decimal number with nothing after it; as parse_long. */
int parse_double(const char *text, double min, double max, double *out);

/* True if both are the same text, or both NULL. */
static inline int
text_same(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* As strcmp; NULL is before all texts. */
static inline int
text_order(const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		return (a != NULL) - (b != NULL);
	return strcmp(a, b);
}

/* The same for qsort and bsearch of an array of texts, const char *. */
static inline int
text_order_at(const void *a, const void *b)
{
	return text_order(*(const char *const *)a, *(const char *const *)b);
}

/* Damerau's distance: the number of letters to insert, omit, replace or swap
 * with their neighbour to turn a into b, each letter changed once. */
size_t spell_distance(const char *a, const char *b);

/* The choice with the smallest distance from word, the first of several
 * (Damerau, "A technique for computer detection and correction of spelling
 * errors", CACM 1964).
 *
 * choices  ends with NULL
 *
 * Returns NULL if more than a third of word's letters (at least one) would have
 * to change, or if word has more than 63. */
const char *spell_nearest(const char *word, const char *const *choices);

/* Add word to sb, in single quotes if a shell would not take it as it is. */
void shell_word_add(struct strbuf *sb, const char *word);

#endif
