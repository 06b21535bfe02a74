/* Tables of LaTeX: what stands between \begin{tabular} and its end, rows ended
 * by "\\", cells parted by '&'.  Called by published_read. */
#include <config.h>

#include <ctype.h>
#include <string.h>

#include "common/published/published_parts.h"
#include "common/units/units.h"

struct latex {
	struct published *p;
	const char *at, *end;
	const char *counted; /* lines up to here are in line */
	long line;
	const char *line_start;
};

/* Where s stands, for a cell. */
static void
latex_place(struct latex *l, const char *s)
{
	for (; l->counted < s; l->counted++)
		if (*l->counted == '\n') {
			l->line++;
			l->line_start = l->counted + 1;
		}
}

static int
latex_starts(const char *s, const char *end, const char *word)
{
	const size_t n = strlen(word);

	return (size_t)(end - s) >= n && memcmp(s, word, n) == 0;
}

/* After the group in braces that begins at s, or s. */
static const char *
skip_group(const char *s, const char *end)
{
	int depth = 0;

	if (s >= end || *s != '{')
		return s;
	for (; s < end; s++) {
		if (*s == '\\' && s + 1 < end) {
			s++;
			continue;
		}
		depth += *s == '{';
		depth -= *s == '}';
		if (depth == 0)
			return s + 1;
	}
	return end;
}

/* Blanks, rules and comments between rows. */
static const char *
skip_rules(const char *s, const char *end)
{
	static const char *const rules[] = { "\\hline", "\\toprule",
		"\\midrule", "\\bottomrule", "\\cmidrule", "\\cline",
		"\\addlinespace" };

	for (;;) {
		const char *from = s;

		while (s < end && isspace((unsigned char)*s))
			s++;
		if (s < end && *s == '%')
			while (s < end && *s != '\n')
				s++;
		for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
			if (latex_starts(s, end, rules[i])) {
				s += strlen(rules[i]);
				while (s < end && (*s == '(' || *s == '['))
					while (s < end && *s++ != ')' &&
					    s[-1] != ']')
						;
				s = skip_group(s, end);
			}
		if (s == from)
			return s;
	}
}

/* The end of a cell: '&', "\\" or the end. */
static const char *
cell_end(const char *s, const char *end)
{
	while (s < end) {
		if (*s == '&' || latex_starts(s, end, "\\\\"))
			return s;
		if (*s == '{')
			s = skip_group(s, end);
		else
			s += *s == '\\' && s + 1 < end ? 2 : 1;
	}
	return end;
}

/* "\multicolumn{2}{c}{text}" is the text and empty cells. */
static long
read_multicolumn(const char **s, const char *end)
{
	const char *first, *second;
	long n;

	if (!latex_starts(*s, end, "\\multicolumn"))
		return 1;
	first = *s + strlen("\\multicolumn");
	second = skip_group(first, end);
	if (second - first < 3 ||
	    whole_parse(first + 1, (size_t)(second - first - 2), 1,
		PUBLISHED_MAX_COLUMNS, &n) != UNITS_OK)
		return 1;
	*s = skip_group(second, end);
	return n;
}

static int
read_cell(struct latex *l, struct grid *g, const char *stop)
{
	const char *s = l->at, *to = stop;
	long n, col;

	while (s < to && isspace((unsigned char)*s))
		s++;
	latex_place(l, s);
	col = (long)(s - l->line_start) + 1;
	n = read_multicolumn(&s, to);
	for (long i = 0; i < n; i++)
		if (grid_add_cell(g,
			i > 0 ? ""
			      : published_plain_latex(
				    &l->p->arena, s, (size_t)(to - s)),
			l->line, col) != 0)
			return -1;
	return 0;
}

/* Rows up to stop. */
static int
read_body(struct latex *l, struct grid *g, const char *stop)
{
	l->at = skip_rules(l->at, stop);
	while (l->at < stop) {
		latex_place(l, l->at);
		grid_add_row(g, l->line);
		for (;;) {
			const char *to = cell_end(l->at, stop);
			const int more = to < stop && *to == '&';

			if (read_cell(l, g, to) != 0)
				return -1;
			l->at = to;
			if (to < stop)
				l->at += more ? 1 : 2;
			if (!more)
				break;
		}
		l->at = skip_rules(l->at, stop);
	}
	return 0;
}

/* The end of what begins with one of those names, or NULL if there is none. */
static const char *
find_table(const char *s, const char *end, const char **body)
{
	static const char *const names[] = { "tabular}", "tabular*}",
		"tabularx}", "longtable}" };

	while (s < end &&
	    (s = memmem(s, (size_t)(end - s), "\\begin{", 7)) != NULL) {
		s += 7;
		for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
			if (!latex_starts(s, end, names[i]))
				continue;
			*body = s + strlen(names[i]);
			if (strchr(names[i], '*') != NULL ||
			    strchr(names[i], 'x') != NULL)
				*body = skip_group(*body, end);
			if (*body < end && **body == '[')
				while (*body < end && *(*body)++ != ']')
					;
			*body = skip_group(*body, end);
			s = memmem(*body, (size_t)(end - *body), "\\end{", 5);
			return s != NULL ? s : end;
		}
	}
	return NULL;
}

int
published_latex(struct published *p, const char *name, const char *text,
    size_t len, struct error *e)
{
	struct latex l = { p, text, text + len, text, 1, text };
	const char *body, *stop;

	while ((stop = find_table(l.at, l.end, &body)) != NULL) {
		struct grid g = { 0 };
		int rc;

		l.at = body;
		rc = read_body(&l, &g, stop);
		if (rc == 0)
			rc = published_add(p, name, &g, NULL, 0, e);
		else
			error_at(e, ERROR_LIMIT, name, l.line, 0,
			    "a table of too many columns or cells");
		grid_release(&g);
		if (rc != 0)
			return -1;
		l.at = stop;
	}
	return 0;
}
