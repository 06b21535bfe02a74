/* LaTeX tables: tabular environments with cells separated by '&' and rows ended
 * by "\\". */
#include <config.h>

#include <string.h>

#include "common/published/published_parts.h"
#include "common/units/units.h"

enum { MAX_CAPTION_AWAY = 65536 }; /* bytes searched below a table */

static long
span_of(struct text_span digits)
{
	long n = 1;

	if (digits.s != NULL)
		(void)whole_parse(digits.s, (size_t)(digits.end - digits.s), 1,
		    PUBLISHED_MAX_COLUMNS, &n);
	return n;
}

/* Read the rows [s, stop). */
static int
read_body(struct published_reader *r, const char *s, const char *stop)
{
	/* Blanks, rules and comments between rows. */
	static struct published_pattern rules = { .text = PUBLISHED_LATEX
		"\\A(?:\\s|%[^\\n]*+|\\\\(?:hline|toprule|midrule|bottomrule"
		"|cmidrule|cline|addlinespace)(?:[([][^])]*+[])])*+"
		"(?&group)?+)++" };
	static struct published_pattern cell = { .text = PUBLISHED_LATEX
		"\\A\\s*+(?<at>)(?:\\\\multicolumn(?&option)\\{(?<across>"
		"\\d+)\\}(?&group))?(?=\\{?\\\\multirow(?&option)\\{"
		"(?<down>\\d+)\\}|)"
		"(?<text>(?:[^&\\\\{]++|(?&group)|\\\\[^\\\\])*+)"
		"(?:(?<next>&)|\\\\\\\\|\\\\?\\z)" };
	struct text_span part[8];

	for (;;) {
		if (published_match(&rules, s, stop, part, 1))
			s = part[0].end;
		if (s >= stop)
			return 0;
		reader_row(r, s);
		do {
			const char *text;

			if (!published_match(&cell, s, stop, part, 8))
				return 0;
			s = part[0].end;
			text = published_plain_latex(
			    &r->p->arena, part[6].s, part[6].end);
			if (reader_span(r, text, part[3].s, span_of(part[4]),
				span_of(part[5])) != 0)
				return -1;
		} while (part[7].s != NULL);
	}
}

/* The argument of the first or last command of a pattern in [s, end), or
 * NULL. */
static const char *
argument_of(struct arena *a, struct published_pattern *command, const char *s,
    const char *end, int last)
{
	const char *text = NULL;
	struct text_span part[4];

	while ((text == NULL || last) &&
	    published_match(command, s, end, part, 4)) {
		text = published_plain_latex(a, part[3].s, part[3].end);
		s = part[0].end;
	}
	return text;
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
	static struct published_pattern captions = { .text = PUBLISHED_LATEX
		"\\\\caption(?&option)(?=\\{)(?<text>(?&group))" };
	static struct published_pattern sections = { .text = PUBLISHED_LATEX
		"section(?&option)(?=\\{)(?<text>(?&group))" };
	struct arena *a = &r->p->arena;
	const size_t left = (size_t)(r->end - stop);
	const char *caption = argument_of(a, &captions, above, body, 1);
	const char *next = argument_of(a, &sections, above, body, 1);
	const char *end =
	    memmem(stop, left < MAX_CAPTION_AWAY ? left : MAX_CAPTION_AWAY,
		"\\end{table", 10);

	if (next != NULL)
		*section = next;
	if (caption == NULL && end != NULL)
		caption = argument_of(a, &captions, stop, end, 0);
	r->n_headings = 0;
	if (*section != NULL)
		r->headings[r->n_headings++] = *section;
	if (caption != NULL)
		r->headings[r->n_headings++] = caption;
}

int
published_latex(struct published_reader *r)
{
	/* tabular*, tabularx and tabulary have a width before the columns. */
	static struct published_pattern begin = { .text = PUBLISHED_LATEX
		"\\\\begin\\{(?:(?:tabular|longtable|array)\\}"
		"|tabular[*xy]\\}(?=\\{)(?&group))(?&option)(?&group)?+" };
	const char *stop, *above = r->at, *section = NULL;
	struct text_span all;

	for (; published_match(&begin, above, r->end, &all, 1); above = stop) {
		stop = memmem(all.end, (size_t)(r->end - all.end), "\\end{", 5);
		stop = stop != NULL ? stop : r->end;
		find_headings(r, &section, above, all.end, stop);
		if (read_body(r, all.end, stop) != 0 || reader_finish(r) != 0)
			return -1;
	}
	return 0;
}
