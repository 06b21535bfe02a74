#include <config.h>

#include "extract/log/words.h"

#include <strings.h>

static int
match(const char *word, size_t n, int part, const char *s, size_t len)
{
	const int fold = part & WORDS_FOLD;

	part -= fold;
	if (n > len || (part == WORDS_ALL && n != len))
		return 0;
	if (part == WORDS_WITHIN)
		return memmem(s, len, word, n) != NULL;
	if (part == WORDS_END)
		s += len - n;
	return fold ? strncasecmp(s, word, n) == 0 : memcmp(s, word, n) == 0;
}

int
words_match(const char *list, int part, const char *s, size_t len)
{
	for (size_t n;; list += n + 1) {
		n = strcspn(list, "|");
		if (match(list, n, part, s, len))
			return 1;
		if (list[n] == '\0')
			return 0;
	}
}
