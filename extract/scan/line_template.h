/* Matches of earlier lines, for lines that differ from them in digits only:
 * where no pattern distinguishes digits, such a line is matched by the same
 * patterns at the same offsets, and PCRE2 is not asked again.  Internal to
 * extract/.
 *
 * Digits that stand after a letter, '_' or '@' (Acc@1, fp16) must be equal,
 * because patterns may name them; pattern.digit_insensitive states which
 * patterns allow templates.
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

struct line_templates;

struct line_template;

/* A store for one scanner; and free it. */
struct line_templates *line_templates_new(void);
void line_templates_free(struct line_templates *all);

/* Forget all lines: another format, other roles. */
void line_templates_clear(struct line_templates *all);

/* The template of a line [len] without controls and bytes from 0x80 on, or
 * NULL; good until another line is kept. */
struct line_template *line_template_find(
    struct line_templates *all, const char *line, size_t len);

/* Give the matches of a line that has this template to consume, in their order.
 * Returns how many there are. */
size_t line_template_emit(struct line_template *m, const char *line,
    match_consumer *consume, void *arg);

/* Keep a line that is being matched, with each match; line_template_end returns
 * its template, or NULL where it is too long, too short or has too many
 * matches. */
void line_template_begin(
    struct line_templates *all, const char *line, size_t len);
void line_template_add(struct line_templates *all, const struct match *match);
struct line_template *line_template_end(struct line_templates *all);

/* Mark lines of this template as ones in which no metadata can stand.  m may be
 * NULL, which is not marked. */
void line_template_mark(struct line_template *m);
int line_template_is_marked(const struct line_template *m);

#endif
