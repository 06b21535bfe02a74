/* Equality and order of texts that may be unknown.  A name, label or date that
 * a log did not state is NULL everywhere: equal to another unknown one, and
 * before all that are known. */
#ifndef COMMON_TEXT_ORDER_H
#define COMMON_TEXT_ORDER_H

#include <stddef.h>
#include <string.h>

/* Are both the same text, or both NULL? */
static inline int
text_same(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Below, at or above 0 as a stands before, at or after b, by bytes; NULL is
 * before all texts. */
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

#endif
