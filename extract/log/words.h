/* Lists of words as one text, "run|rep|trial", and natural order of names. */
#ifndef EXTRACT_LOG_WORDS_H
#define EXTRACT_LOG_WORDS_H

#include <stddef.h>
#include <string.h>

/* Part of the text that must be a word of the list. */
enum words_part {
	WORDS_ALL,
	WORDS_START,
	WORDS_END,
	WORDS_WITHIN,  /* any part; always case-sensitive */
	WORDS_FOLD = 4 /* flag: ignore case */
};

/* True if the text s [len], or a part of it, is a word of the list. */
int words_match(const char *list, int part, const char *s, size_t len);

/* The same for a string. */
static inline int
words_fit(const char *list, int part, const char *s)
{
	return words_match(list, part, s, strlen(s));
}

/* Number of changes between letters and digits in s [len], of which random
 * names have many; -1 if s has other characters. */
int words_changes(const char *s, size_t len);

/* Compare like strcmp, but sequences of digits as numbers of any length ("r9"
 * before "r10"). Equal numbers compare by bytes ("r9" before "r09"), so that
 * only equal strings give 0. NULL comes first. */
int natural_compare(const char *a, const char *b);

#endif
