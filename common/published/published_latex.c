/* LaTeX tables: tabular environments with cells separated by '&' and rows ended
 * by "\\". */
#include <config.h>

#include <ctype.h>
#include <string.h>

#include "common/published/published_parts.h"
#include "common/units/units.h"

enum { MAX_CAPTION_AWAY = 65536 }; /* bytes searched below a table */

/* The end of the group in braces that begins at s; s if none does. */
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

/* The end of the option in brackets that begins at s; s if none does. */
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

	while (s < end) {
		const char *from = s;

		while (s < end && isspace((unsigned char)*s))
			s++;
		if (s < end && *s == '%')
			s = line_at(s, end).end;
		for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
			if (!span_starts(s, end, rules[i]))
				continue;
			s += strlen(rules[i]);
			while (s < end && (*s == '(' || *s == '['))
				while (s < end && *s++ != ')' && s[-1] != ']')
					;
			s = skip_group(s, end);
		}
		if (s == from)
			break;
	}
	return s;
}

/* The end of a cell: the next '&' or "\\", else end. */
static const char *
cell_end(const char *s, const char *end)
{
	while (s < end && *s != '&' && !span_starts(s, end, "\\\\")) {
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

	if (!span_starts(*s, end, command))
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

/* Add the cell [s, stop). */
static int
read_cell(struct published_reader *r, const char *s, const char *stop)
{
	const char *from;
	long n, down;

	while (s < stop && isspace((unsigned char)*s))
		s++;
	from = s;
	n = read_span("\\multicolumn", &s, stop);
	s += s < stop && *s == '{' && n > 1;
	down = read_span("\\multirow", &s, stop);
	return reader_span(
	    r, published_plain_latex(&r->p->arena, s, stop), from, n, down);
}

/* Read the rows [s, stop). */
static int
read_body(struct published_reader *r, const char *s, const char *stop)
{
	while ((s = skip_rules(s, stop)) < stop) {
		int more = 1;

		reader_row(r, s);
		while (more) {
			const char *to = cell_end(s, stop);

			if (read_cell(r, s, to) != 0)
				return -1;
			more = to < stop && *to == '&';
			s = to < stop ? to + (more ? 1 : 2) : to;
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
	/* These with '{' have a width before the columns. */
	static const char *const kinds[] = { "tabular}", "tabular*}{",
		"tabularx}{", "tabulary}{", "longtable}", "array}", NULL };

	while ((s = memmem(s, (size_t)(end - s), "\\begin{", 7)) != NULL) {
		const char *stop;

		s += 7;
		for (int i = 0; kinds[i] != NULL; i++) {
			const size_t n = strlen(kinds[i]);

			if (!span_starts(s, end, kinds[i]))
				continue;
			s += n;
			if (kinds[i][n - 1] == '{')
				s = skip_group(s - 1, end);
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

	while ((found == NULL || last) &&
	    (s = memmem(s, (size_t)(end - s), command, len)) != NULL)
		found = s += len;
	if (found == NULL)
		return NULL;
	found = skip_option(found, end);
	stop = skip_group(found, end);
	return stop - found < 2 ? NULL
				: published_plain_latex(a, found + 1, stop - 1);
}

/* Set the headings of the table [body, stop): the last section, and a caption
 * after the previous table, else below this one in the same environment.
 *
 * section  of the previous table, or NULL; updated
 * above    end of the previous table */
static void
find_headings(struct published_reader *r, const char **section,
    const char *above, const char *body, const char *stop)
{
	struct arena *a = &r->p->arena;
	const size_t left = (size_t)(r->end - stop);
	const char *caption = argument_of(a, "\\caption", above, body, 1);
	const char *next = argument_of(a, "section", above, body, 1);
	const char *end =
	    memmem(stop, left < MAX_CAPTION_AWAY ? left : MAX_CAPTION_AWAY,
		"\\end{table", 10);

	if (next != NULL)
		*section = next;
	if (caption == NULL && end != NULL)
		caption = argument_of(a, "\\caption", stop, end, 0);
	r->n_headings = 0;
	if (*section != NULL)
		r->headings[r->n_headings++] = *section;
	if (caption != NULL)
		r->headings[r->n_headings++] = caption;
}

int
published_latex(struct published_reader *r)
{
	const char *body, *stop, *above = r->at, *section = NULL;

	for (; (stop = find_table(above, r->end, &body)) != NULL;
	     above = stop) {
		find_headings(r, &section, above, body, stop);
		if (read_body(r, body, stop) != 0 || reader_finish(r) != 0)
			return -1;
	}
	return 0;
}
