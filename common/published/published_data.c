/* Tables written by programs: values separated by commas, tabs or semicolons,
 * quoted as in RFC 4180, with a blank line after each table; JSON of DLPerf's
 * scripts and of extract_logs --compat=dlperf, which contains models, their
 * cases, and numbers of each: one table per model; and tabular environments of
 * LaTeX. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "common/json/json_read.h"
#include "common/json/json_write.h"
#include "common/published/published_parts.h"
#include "common/strbuf.h"
#include "common/units/units.h"

/* --- separated values ----------------------------------------------------- */

int
published_csv(struct published_reader *r)
{
	while (r->at < r->end) {
		char separator;
		struct strbuf sb;

		while (r->at < r->end && (*r->at == '\n' || *r->at == '\r'))
			r->at++;
		separator = text_separator(text_line(r->at, r->end), ",\t;");
		while (r->at < r->end && text_line(r->at, r->end).end > r->at) {
			reader_row(r, r->at);
			do {
				const char *from = r->at, *text;

				strbuf_init(&sb, PUBLISHED_MAX_BYTES);
				r->at =
				    text_csv_cell(from, r->end, separator, &sb);
				text = published_plain(
				    &r->p->arena, sb.buf, sb.buf + sb.len);
				strbuf_release(&sb);
				if (reader_add(r, text, from) == NULL)
					return -1;
			} while (r->at < r->end && *r->at++ != '\n');
		}
		if (reader_finish(r) != 0)
			return -1;
	}
	return 0;
}

/* --- DLPerf's JSON -------------------------------------------------------- */

/* Columns of a case. average_speed is omitted, since no other number depends on
 * it. */
static const char *const members[] = { "batch_size_per_device", "median_speed",
	"speedup" };
enum { N_MEMBERS = sizeof members / sizeof members[0] };

enum { NEAR = 1 << 16 }; /* bytes searched for a key */

/* Find "key" at or after r->at. Returns r->at if it is not within NEAR
 * bytes. */
static const char *
find_key(const struct published_reader *r, const char *key)
{
	const char *quoted = arena_printf(&r->p->arena, "\"%s\"", key), *s;
	const size_t left = (size_t)(r->end - r->at);

	s = memmem(r->at, left < NEAR ? left : NEAR, quoted, strlen(quoted));
	return s != NULL ? s + 1 : r->at;
}

/* Move to the key and start a row with its text. */
static int
start_row(struct published_reader *r, const char *key, const char *text)
{
	r->at = find_key(r, key);
	reader_row(r, r->at);
	return reader_add(r, text, r->at) != NULL ? 0 : -1;
}

static int
read_case(const struct json_value *model, const char *key,
    struct published_reader *r, struct error *e)
{
	struct arena *a = &r->p->arena;
	struct json_value c;

	if (json_read_object(model, key, &c, e) != 0 ||
	    start_row(r, key, arena_strdup(a, key)) != 0)
		return -1;
	/* Members are in any order, so r->at stays at the case. */
	for (size_t i = 0; i < N_MEMBERS; i++) {
		char text[JSON_DOUBLE_SIZE] = "";
		const char *at = r->at;
		double x;

		if (json_read_double(&c, members[i], -1e300, 1e300, &x, e) != 0)
			return -1;
		if (!isnan(x)) {
			at = find_key(r, members[i]);
			json_double(text, x);
		}
		if (reader_add(r, arena_strdup(a, text), at) == NULL)
			return -1;
	}
	return 0;
}

static int
read_model(const struct json_value *top, const char *key,
    struct published_reader *r, struct error *e)
{
	struct json_cursor at = { 0, NULL };
	struct json_value model, member;

	if (json_read_object(top, key, &model, e) != 0 ||
	    start_row(r, key, "case") != 0)
		return -1;
	r->headings[0] = arena_strdup(&r->p->arena, key);
	r->n_headings = 1;
	for (size_t i = 0; i < N_MEMBERS; i++)
		if (reader_add(r, members[i], r->at) == NULL)
			return -1;
	while (json_read_next(&model, &at, &key, &member))
		if (read_case(&model, key, r, e) != 0)
			return -1;
	return reader_finish(r);
}

int
published_dlperf(struct published_reader *r)
{
	struct json_cursor at = { 0, NULL };
	struct json_value member;
	struct json_doc doc;
	const char *key;
	int rc;

	if (json_doc_parse(
		r->name, r->at, (size_t)(r->end - r->at), &doc, r->e) != 0)
		return -1;
	rc = json_read_is_object(&doc.top, r->e);
	while (rc == 0 && json_read_next(&doc.top, &at, &key, &member))
		rc = read_model(&doc.top, key, r, r->e);
	json_doc_release(&doc);
	return rc;
}

int
published_is_dlperf(const char *text, size_t len)
{
	return memmem(text, len, "\"schema\"", 8) == NULL &&
	    memmem(text, len, "\"median_speed\"", 14) != NULL;
}

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

int
published_latex(struct published_reader *r)
{
	/* tabular*, tabularx and tabulary have a width before the columns. */
	static struct published_pattern begin = { .text = PUBLISHED_LATEX
		"\\\\begin\\{(?:(?:tabular|longtable|array)\\}"
		"|tabular[*xy]\\}(?=\\{)(?&group))(?&option)(?&group)?+" };
	static struct published_pattern captions = { .text = PUBLISHED_LATEX
		"\\\\caption(?&option)(?=\\{)(?<text>(?&group))" };
	static struct published_pattern sections = { .text = PUBLISHED_LATEX
		"section(?&option)(?=\\{)(?<text>(?&group))" };
	struct arena *a = &r->p->arena;
	const char *stop, *above = r->at, *section = NULL;
	struct text_span all;

	for (; published_match(&begin, above, r->end, &all, 1); above = stop) {
		const char *caption, *next, *end;
		size_t left;

		stop = memmem(all.end, (size_t)(r->end - all.end), "\\end{", 5);
		stop = stop != NULL ? stop : r->end;
		/* Headings are the last section, and a caption after the
		 * previous table, else below this one in the same
		 * environment. */
		caption = argument_of(a, &captions, above, all.end, 1);
		next = argument_of(a, &sections, above, all.end, 1);
		left = (size_t)(r->end - stop);
		end = memmem(stop,
		    left < MAX_CAPTION_AWAY ? left : MAX_CAPTION_AWAY,
		    "\\end{table", 10);
		section = next != NULL ? next : section;
		if (caption == NULL && end != NULL)
			caption = argument_of(a, &captions, stop, end, 0);
		r->n_headings = 0;
		if (section != NULL)
			r->headings[r->n_headings++] = section;
		if (caption != NULL)
			r->headings[r->n_headings++] = caption;
		if (read_body(r, all.end, stop) != 0 || reader_finish(r) != 0)
			return -1;
	}
	return 0;
}
