/* Natural order: run 10 comes after run 9. */
#include <config.h>

#include "extract/log/natural.h"

#include <stddef.h>
#include <string.h>

static int
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The digits at the start of s, without leading zeros. */
static const char *
leading_digits(const char *s, size_t *len, const char **end)
{
	while (*s == '0' && is_digit(s[1]))
		s++;
	for (*len = 0; is_digit(s[*len]); (*len)++)
		;
	*end = s + *len;
	return s;
}

int
natural_compare(const char *a, const char *b)
{
	const char *x = a, *y = b;

	if (a == NULL || b == NULL)
		return (a != NULL) - (b != NULL);
	while (*x != '\0' && *y != '\0') {
		size_t n, m;
		const char *p, *q;
		int d;

		if (!is_digit(*x) || !is_digit(*y)) {
			if (*x != *y)
				break;
			x++;
			y++;
			continue;
		}
		p = leading_digits(x, &n, &x);
		q = leading_digits(y, &m, &y);
		if (n != m)
			return n < m ? -1 : 1;
		d = memcmp(p, q, n);
		if (d != 0)
			return d;
	}
	if (*x != *y)
		return (unsigned char)*x < (unsigned char)*y ? -1 : 1;
	return strcmp(a, b);
}
