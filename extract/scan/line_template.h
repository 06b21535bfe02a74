/* Templates replay the matches of an earlier line for lines that differ from it
 * only in digits. Unless a pattern distinguishes digits, such lines match the
 * same patterns at the same offsets, so PCRE2 is not needed. Internal to
 * extract/.
 *
 * Digits after a letter, '_' or '@' (Acc@1, fp16) must be equal, because
 * patterns may contain them; pattern.digit_insensitive tells which patterns
 * allow templates.
 *
 *	m = line_template_find(all, line, len);
 *	if (m != NULL)
 *		return line_template_emit(m, line, consume, arg);
 *	line_template_begin(all, line, len);
 *	... line_template_add(all, match) for each match ...
 *	m = line_template_end(all);
 */
#ifndef EXTRACT_SCAN_LINE_TEMPLATE_H
#define EXTRACT_SCAN_LINE_TEMPLATE_H

#include <stddef.h>

#include "extract/format/matcher.h"
#include "extract/scan/sample_from_match.h"

struct line_templates;

enum {
	TEMPLATE_MAX_LINE = 1024,
	TEMPLATE_MAX_MATCHES = 8, /* of a line */
	TEMPLATE_MAX_OFFSETS = 128
};

struct line_template {
	size_t len;      /* 0: unused */
	int no_metadata; /* 1: its lines contain no metadata; set by the user */
	int no_sign;     /* 1: its lines are no sign of a failure; the same */
	size_t n_matches, n_offsets;
	char text[TEMPLATE_MAX_LINE]; /* '0' in place of free digits */
	unsigned char
	    most[TEMPLATE_MAX_LINE]; /* 9 for a free digit, else 0: largest XOR
					 of a byte and text */
	struct match
	    matches[TEMPLATE_MAX_MATCHES]; /* text pointers are set per line */
	size_t rank_at[TEMPLATE_MAX_MATCHES],
	    worker_at[TEMPLATE_MAX_MATCHES]; /* offsets of a
								prefix's rank
								and worker */
	size_t offsets[TEMPLATE_MAX_OFFSETS];
	struct captured captured[TEMPLATE_MAX_MATCHES][FORMAT_MAX_GROUPS];
};

/* Create the templates of one scanner; free them. */
struct line_templates *line_templates_new(void);
void line_templates_free(struct line_templates *all);

/* Remove all templates. Required when the format or the roles change. */
void line_templates_clear(struct line_templates *all);

/* Find the template of a line [len] without control and non-ASCII bytes, or
 * NULL; valid until the next line_template_begin. */
struct line_template *line_template_find(
    struct line_templates *all, const char *line, size_t len);

/* Pass the matches of a line with this template to consume, in order. Returns
 * their number. */
size_t line_template_emit(struct line_template *m, const char *line,
    match_consumer *consume, void *arg);

/* Make a template of a line while it is matched. line_template_end returns it,
 * or NULL if the line is too long, too short or has too many matches. */
void line_template_begin(
    struct line_templates *all, const char *line, size_t len);
void line_template_add(struct line_templates *all, const struct match *match);
struct line_template *line_template_end(struct line_templates *all);

#endif
