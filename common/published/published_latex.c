/* LaTeX tables: tabular environments with cells separated by '&' and rows ended
 * by "\\". */
#include <config.h>

#include <ctype.h>
#include <string.h>

#include "common/published/published_parts.h"
#include "common/units/units.h"

static int
latex_starts(const char *s, const char *end, const char *word)
{
	const size_t n = strlen(word);

	return (size_t)(end - s) >= n && memcmp(s, word, n) == 0;
}

/* The end of the group in braces that begins at s, or s. */
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
		depth += (*s == '{') - (*s == '}');
		if (depth == 0)
			return s + 1;
	}
	return end;
}

/* The end of the option in brackets that begins at s, or s. */
static const char *
skip_option(const char *s, const char *end)
{
	if (s < end && *s == '[')
		while (s < end && *s++ != ']')
			;
	return s;
}

/* Skip blanks, rules and comments between rows. */
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

/* The end of a cell: the next '&' or "\\", else end. */
static const char *
cell_end(const char *s, const char *end)
{
	while (s < end && *s != '&' && !latex_starts(s, end, "\\\\")) {
		if (*s == '{')
			s = skip_group(s, end);
		else
			s += *s == '\\' && s + 1 < end ? 2 : 1;
	}
	return s;
}

/* Read "\multicolumn{2}{c}{text}" or "\multirow{2}{*}{text}" and move s to the
 * text. Returns the count; 1 for other text. */
static long
read_span(const char *command, const char **s, const char *end)
{
	const char *first, *second;
	long n;

	if (!latex_starts(*s, end, command))
		return 1;
	first = skip_option(*s + strlen(command), end);
	second = skip_group(first, end);
	if (second - first < 3 ||
	    whole_parse(first + 1, (size_t)(second - first - 2), 1,
		PUBLISHED_MAX_COLUMNS, &n) != UNITS_OK)
		return 1;
	*s = skip_group(second, end);
	return n;
}

/* Add the cell [r->at, stop) and empty ones for further columns that it
 * spans. */
static int
read_cell(struct published_reader *r, const char *stop)
{
	const char *s = r->at, *from;
	long n, down;

	while (s < stop && isspace((unsigned char)*s))
		s++;
	from = s;
	n = read_span("\\multicolumn", &s, stop);
	s += s < stop && *s == '{' && n > 1;
	down = read_span("\\multirow", &s, stop);
	return reader_span(r,
	    published_plain_latex(&r->p->arena, s, (size_t)(stop - s)), from, n,
	    down);
}

/* Read the rows up to stop. */
static int
read_body(struct published_reader *r, const char *stop)
{
	for (r->at = skip_rules(r->at, stop); r->at < stop;
	     r->at = skip_rules(r->at, stop)) {
		int more = 1;

		reader_row_at(r, r->at);
		while (more) {
			const char *to = cell_end(r->at, stop);

			more = to < stop && *to == '&';
			if (read_cell(r, to) != 0)
				return -1;
			r->at = to < stop ? to + (more ? 1 : 2) : to;
		}
	}
	return 0;
}

/* The end of the next table at or after s, or NULL.
 *
 * body  set to the start of its rows */
static const char *
find_table(const char *s, const char *end, const char **body)
{
	static const struct {
		const char *name;
		int has_width; /* in braces before the columns */
	} kinds[] = { { "tabular}", 0 }, { "tabular*}", 1 }, { "tabularx}", 1 },
		{ "longtable}", 0 }, { "tabulary}", 1 }, { "array}", 0 } };

	while (s < end &&
	    (s = memmem(s, (size_t)(end - s), "\\begin{", 7)) != NULL) {
		s += 7;
		for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
			const char *stop;

			if (!latex_starts(s, end, kinds[i].name))
				continue;
			s += strlen(kinds[i].name);
			if (kinds[i].has_width)
				s = skip_group(s, end);
			*body = skip_group(skip_option(s, end), end);
			stop =
			    memmem(*body, (size_t)(end - *body), "\\end{", 5);
			return stop != NULL ? stop : end;
		}
	}
	return NULL;
}

/* The argument of the first or last occurrence of a command in [s, end), or
 * NULL. */
static const char *
argument_of(struct arena *a, const char *command, const char *s,
    const char *end, int last)
{
	const size_t len = strlen(command);
	const char *found = NULL, *stop;

	while (s < end && (found == NULL || last) &&
	    (s = memmem(s, (size_t)(end - s), command, len)) != NULL)
		found = s++ + len;
	if (found == NULL)
		return NULL;
	found = skip_option(found, end);
	stop = skip_group(found, end);
	return stop - found < 2
	    ? NULL
	    : published_plain_latex(a, found + 1, (size_t)(stop - found - 2));
}

enum { MAX_CAPTION_AWAY = 65536 }; /* bytes searched below a table */

/* Find section and caption of a table. The caption is between the previous
 * table and this one, else below it in the same environment. */
static void
find_headings(struct published_reader *r, const char **section,
    const char *above, const char *body, const char *stop)
{
	struct arena *a = &r->p->arena;
	const char *away =
	    r->end - stop > MAX_CAPTION_AWAY ? stop + MAX_CAPTION_AWAY : r->end;
	const char *end =
	    memmem(stop, (size_t)(away - stop), "\\end{table", 10);
	const char *caption = argument_of(a, "\\caption", above, body, 1);
	const char *next = argument_of(a, "section", above, body, 1);

	r->n_headings = 0;
	if (next != NULL)
		*section = next;
	if (caption == NULL && end != NULL)
		caption = argument_of(a, "\\caption", stop, end, 0);
	if (*section != NULL)
		r->headings[r->n_headings++] = *section;
	if (caption != NULL)
		r->headings[r->n_headings++] = caption;
}

int
published_latex(struct published_reader *r)
{
	const char *body, *stop, *above = r->at, *section = NULL;

	while ((stop = find_table(r->at, r->end, &body)) != NULL) {
		find_headings(r, &section, above, body, stop);
		r->at = body;
		if (read_body(r, stop) != 0 || reader_finish(r) != 0)
			return -1;
		r->at = above = stop;
	}
	return 0;
}
