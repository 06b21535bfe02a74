#include <config.h>

#include "common/text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"

int
parse_long(const char *text, long min, long max, long *out)
{
	char *end;
	long v;

	errno = 0;
	v = strtol(text, &end, 10);
	if (end == text || *end != '\0' || errno != 0 || v < min || v > max ||
	    text[0] == ' ')
		return -1;
	*out = v;
	return 0;
}

int
parse_double(const char *text, double min, double max, double *out)
{
	char *end;
	double v = strtod(text, &end);

	if (end == text || *end != '\0' || !isfinite(v) || v < min || v > max ||
	    text[0] == ' ')
		return -1;
	*out = v;
	return 0;
}

/* --- spelling ------------------------------------------------------------- */

enum { MAX_WORD = 64 };

static size_t
least_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t
spell_distance(const char *a, const char *b)
{
	const size_t m = strlen(b);
	/* Rows for the first i - 2, i - 1 and i letters of a; columns for b. */
	size_t *rows = xcalloc(3 * (m + 1), sizeof *rows);
	size_t *before = rows, *last = rows + m + 1, *row = last + m + 1;
	size_t result;

	for (size_t j = 0; j <= m; j++)
		last[j] = j;
	for (size_t i = 1; a[i - 1] != '\0'; i++) {
		size_t *const oldest = before;

		row[0] = i;
		for (size_t j = 1; j <= m; j++) {
			const size_t change = a[i - 1] != b[j - 1];

			row[j] = least_size(least_size(last[j], row[j - 1]) + 1,
			    last[j - 1] + change);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				row[j] =
				    least_size(row[j], before[j - 2] + change);
		}
		before = last;
		last = row;
		row = oldest;
	}
	result = last[m];
	free(rows);
	return result;
}

const char *
spell_nearest(const char *word, const char *const *choices)
{
	const size_t n = strlen(word);
	const char *best = NULL;
	size_t limit = n >= 6 ? n / 3 : 1;

	if (n >= MAX_WORD)
		return NULL;
	for (size_t i = 0; choices[i] != NULL; i++) {
		size_t d;

		if (strlen(choices[i]) >= MAX_WORD)
			continue;
		d = spell_distance(word, choices[i]);
		if (d > limit)
			continue;
		best = choices[i];
		if (d == 0)
			break;
		limit = d - 1;
	}
	return best;
}

/* --- quoting -------------------------------------------------------------- */

void
shell_word_add(struct strbuf *sb, const char *word)
{
	const size_t plain = strspn(word,
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "0123456789-_./=:,+@%");

	if (word[0] != '\0' && word[plain] == '\0') {
		strbuf_addstr(sb, word);
		return;
	}
	strbuf_addch(sb, '\'');
	for (; *word != '\0'; word++) {
		if (*word == '\'')
			strbuf_addstr(sb, "'\\''");
		else
			strbuf_addch(sb, *word);
	}
	strbuf_addch(sb, '\'');
}

struct text_span
text_line(const char *s, const char *end)
{
	const char *nl = s < end ? memchr(s, '\n', (size_t)(end - s)) : NULL;

	nl = nl != NULL ? nl : end;
	return (struct text_span){ s, nl > s && nl[-1] == '\r' ? nl - 1 : nl };
}

struct text_span
text_line_after(struct text_span l, const char *end)
{
	const char *nl =
	    l.end < end ? memchr(l.end, '\n', (size_t)(end - l.end)) : NULL;

	return text_line(nl != NULL ? nl + 1 : end, end);
}

struct text_span
span_trim(struct text_span l)
{
	while (l.s < l.end && (*l.s == ' ' || *l.s == '\t'))
		l.s++;
	while (l.end > l.s && (l.end[-1] == ' ' || l.end[-1] == '\t'))
		l.end--;
	return l;
}

char
text_separator(struct text_span l, const char *marks)
{
	char best = *marks;
	size_t most = 0;

	for (const char *mark = marks; *mark != '\0'; mark++) {
		size_t n = 0;

		for (const char *s = l.s; s < l.end; s++)
			n += *s == *mark;
		if (n > most) {
			most = n;
			best = *mark;
		}
	}
	return best;
}

const char *
text_csv_cell(const char *s, const char *end, char separator, struct strbuf *sb)
{
	int quoted;

	while (s < end && *s == ' ')
		s++;
	quoted = s < end && *s == '"';
	for (s += quoted; s < end; s++) {
		if (quoted && *s == '"') {
			quoted = s + 1 < end && s[1] == '"';
			s += quoted;
			if (!quoted)
				continue;
		} else if (!quoted && (*s == separator || *s == '\n')) {
			break;
		}
		if (quoted || *s != '\r')
			strbuf_addch(sb, *s);
	}
	return s;
}
