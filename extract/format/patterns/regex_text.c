/* Walks over the text of a regular expression.  Called by what reads patterns
 * before they are compiled (required_literal.c, work_meter.c); it never sees a
 * log. */
#include <config.h>

#include "extract/format/patterns/regex_text.h"

#include <stddef.h>
#include <string.h>

const char *
regex_skip_escape(const char *p)
{
	const char *end;

	if (p[1] == '\0')
		return p + 1;
	if (p[2] == '{' && strchr("xpPogNk", p[1]) != NULL) {
		end = strchr(p, '}');
		return end != NULL ? end + 1 : p + strlen(p);
	}
	/* A group by its name: \k<name>, \g'name'. */
	if ((p[1] == 'k' || p[1] == 'g') && (p[2] == '<' || p[2] == '\'')) {
		end = strchr(p + 3, p[2] == '<' ? '>' : '\'');
		return end != NULL ? end + 1 : p + strlen(p);
	}
	if (p[1] == 'x') {
		size_t n = strspn(p + 2, "0123456789abcdefABCDEF");

		return p + 2 + (n < 2 ? n : 2);
	}
	if (p[1] == 'g' || (p[1] >= '0' && p[1] <= '9'))
		return p + 2 + strspn(p + 2, "0123456789");
	return p + 2;
}

const char *
regex_skip_class(const char *p)
{
	p++;
	if (*p == '^')
		p++;
	if (*p == ']')
		p++;
	while (*p != '\0' && *p != ']') {
		if (*p == '[' && p[1] == ':' && strstr(p, ":]") != NULL)
			p = strstr(p, ":]") + 2;
		else
			p = *p == '\\' ? regex_skip_escape(p) : p + 1;
	}
	return *p == ']' ? p + 1 : p;
}

const char *
regex_skip_group(const char *p, int *choice)
{
	/* All that is no byte of its own here. */
	static const unsigned char meant[256] = { ['\0'] = 1,
		['\\'] = 1,
		['['] = 1,
		['('] = 1,
		[')'] = 1,
		['|'] = 1 };
	int depth = 0;

	*choice = 0;
	for (;;) {
		while (!meant[(unsigned char)*p])
			p++;
		if (*p == '\0')
			break;
		if (*p == '\\') {
			p = regex_skip_escape(p);
			continue;
		}
		if (*p == '[') {
			p = regex_skip_class(p);
			continue;
		}
		depth += *p == '(';
		depth -= *p == ')';
		*choice |= *p == '|' && depth == 1;
		p++;
		if (depth == 0)
			break;
	}
	return p;
}

/* Alternatives that are in no group. */
int
regex_has_choice(const char *p)
{
	int choice;

	if (strchr(p, '|') == NULL)
		return 0;
	while (*p != '\0') {
		if (*p == '|')
			return 1;
		if (*p == '\\')
			p = regex_skip_escape(p);
		else if (*p == '[')
			p = regex_skip_class(p);
		else if (*p == '(')
			p = regex_skip_group(p, &choice);
		else
			p++;
	}
	return 0;
}

int
regex_is_anchored(const char *p)
{
	return p[0] == '^' && p[1] != '\0' && strchr("?*+{", p[1]) == NULL &&
	    !regex_has_choice(p);
}

const char *
regex_skip_quantifier(const char *p, int *least)
{
	const char *end;

	*least = 1;
	if (*p == '?' || *p == '*') {
		*least = 0;
		p++;
	} else if (*p == '+') {
		*least = 2;
		p++;
	} else if (*p == '{') {
		end = p + 1 + strspn(p + 1, "0123456789,");
		if (*end != '}' || end == p + 1)
			return p; /* a brace */
		*least = p[1] == '0' || p[1] == ',' ? 0 : 2;
		p = end + 1;
	} else {
		return p;
	}
	return *p == '?' || *p == '+' ? p + 1 : p;
}
