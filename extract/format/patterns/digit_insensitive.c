/* Reads a pattern's text and finds out whether it can distinguish one digit
 * from another.  Called once a pattern as formats are compiled; it never sees a
 * log. */
#include <config.h>

#include "extract/format/patterns/digit_insensitive.h"

#include <string.h>

/* After an escape at p, or NULL if it may distinguish digits. */
static const char *
skip_escape(const char *p)
{
	const char c = p[1];

	if (c == '\0' || ((unsigned char)c & 0x80) != 0)
		return NULL;
	if (text_is_digit(c) ||
	    (text_holds_digits(c) && c != '_' && c != '@' &&
		strchr("dDsSwWbBhHvVtrnAzZK", c) == NULL))
		return NULL;
	return p + 2;
}

/* After a character class at p, or NULL. */
static const char *
skip_class(const char *p)
{
	p++;
	if (*p == '^')
		p++;
	if (*p == ']')
		p++;
	while (*p != ']') {
		if (*p == '\0' || (*p == '[' && strchr(":.=", p[1]) != NULL))
			return NULL;
		if (strncmp(p, "0-9", 3) == 0)
			p += 3;
		else if (text_is_digit(*p))
			return NULL;
		else if (*p == '\\')
			p = skip_escape(p);
		else
			p++;
		if (p == NULL)
			return NULL;
	}
	return p + 1;
}

/* After what opens a group at p, or NULL. */
static const char *
skip_group(const char *p)
{
	static const char *const known[] = { "(?:", "(?=", "(?!",
		"(?<=", "(?<!", "(?>", "(?|", "(?i)", "(?i:", "(?J)" };

	if (strncmp(p, "(*MARK:", 7) == 0) {
		p = strchr(p, ')');
		return p != NULL ? p + 1 : NULL;
	}
	if (p[1] == '*')
		return NULL;
	if (p[1] != '?')
		return p + 1;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strncmp(p, known[i], strlen(known[i])) == 0)
			return p + strlen(known[i]);
	if (strncmp(p, "(?<", 3) == 0) {
		p = strchr(p, '>');
		return p != NULL ? p + 1 : NULL;
	}
	return NULL;
}

/* After a quantifier {2,3} at p, or after the brace where it is none. */
static const char *
skip_count(const char *p)
{
	const size_t n = strspn(p + 1, "0123456789,");

	return p[1 + n] == '}' ? p + n + 2 : p + 1;
}

int
digit_insensitive(const char *pattern)
{
	const char *p = pattern;
	int held = 0; /* p stands after what holds digits */

	while (p != NULL && *p != '\0') {
		const char c = *p;

		if (text_is_digit(c)) {
			if (!held)
				return 0;
			p++;
			continue;
		}
		held = text_holds_digits(c);
		if (c == '\\')
			p = skip_escape(p);
		else if (c == '[')
			p = skip_class(p);
		else if (c == '(')
			p = skip_group(p);
		else if (c == '{')
			p = skip_count(p);
		else
			p++;
	}
	return p != NULL;
}

int
text_has_free_digit(const char *text, size_t len)
{
	int held = 0;

	for (size_t i = 0; i < len; i++) {
		if (text_is_digit(text[i]) && !held)
			return 1;
		if (!text_is_digit(text[i]))
			held = text_holds_digits(text[i]);
	}
	return 0;
}
