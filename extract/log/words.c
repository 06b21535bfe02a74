#include <config.h>

#include "extract/log/words.h"

#include <ctype.h>
#include <strings.h>

int
words_match(const char *list, int part, const char *s, size_t len)
{
	const int fold = part & WORDS_FOLD;

	part -= fold;
	for (size_t n;; list += n + 1) {
		const char *own = s;

		for (n = 0; list[n] != '|' && list[n] != '\0'; n++)
			; /* words are short */
		if (n <= len && part == WORDS_END)
			own += len - n;
		if (n > len || (part == WORDS_ALL && n != len))
			; /* does not fit */
		else if (part == WORDS_WITHIN ? memmem(s, len, list, n) != NULL
			: fold                ? strncasecmp(own, list, n) == 0
					      : memcmp(own, list, n) == 0)
			return 1;
		if (list[n] == '\0')
			return 0;
	}
}

int
words_changes(const char *s, size_t len)
{
	int n = 0;

	for (size_t i = 0; i < len; i++) {
		if (!isalnum((unsigned char)s[i]))
			return -1;
		n += i > 0 &&
		    !isdigit((unsigned char)s[i]) !=
			!isdigit((unsigned char)s[i - 1]);
	}
	return n;
}

/* --- Natural order: run 10 comes after run 9 ------------------------------*/

int
natural_compare(const char *a, const char *b)
{
	const char *x = a, *y = b;

	if (a == NULL || b == NULL)
		return (a != NULL) - (b != NULL);
	while (*x != '\0' && *y != '\0') {
		size_t n, m;
		int d;

		if (!isdigit((unsigned char)*x) ||
		    !isdigit((unsigned char)*y)) {
			if (*x != *y)
				break;
			x++;
			y++;
			continue;
		}
		x += strspn(x, "0");
		y += strspn(y, "0");
		n = strspn(x, "0123456789");
		m = strspn(y, "0123456789");
		d = n != m ? (n > m) - (n < m) : memcmp(x, y, n);
		if (d != 0)
			return d;
		x += n;
		y += m;
	}
	if (*x != *y)
		return (unsigned char)*x < (unsigned char)*y ? -1 : 1;
	return strcmp(a, b);
}
