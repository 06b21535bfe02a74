/* Lines that were matched before, but for their digits.  Where no pattern
 * distinguishes digits, a line that differs from an earlier one in
 * digits only is matched by the same patterns at the same places; so the
 * places are kept and the patterns are not asked again.  Internal to
 * extract/.
 *
 * Digits that stand after a letter, '_' or '@' (Acc@1, fp16) must be equal,
 * so that patterns may name them.  pattern.digit_insensitive states which
 * patterns play along.
 *
 *	if (line_template_replay(m, line, len, consume, arg))
 *		return;
 *	line_template_begin(m, line, len);
 *	... line_template_add(m, match, line) for each match ...
 *	line_template_end(m);
 */
#ifndef EXTRACT_SCAN_LINE_TEMPLATE_H
#define EXTRACT_SCAN_LINE_TEMPLATE_H

#include <stddef.h>
#include <stdint.h>

#include "extract/format/matcher.h"
#include "extract/scan/detect/unread_lines.h"

struct line_templates;
struct line_template;

struct kind_entry;
struct number_plan_number;

enum { LINE_TEMPLATE_VALUES = 12 };

/* What others keep with a template; all 0 at first. */
struct line_template_notes {
	const void *no_run; /* scanner_state.c's: the format for which its lines
	                       are no sample_run, or NULL */
	uint64_t round;     /* known_file.c's: the file for which kind is set */
	size_t kind; /* place of its lines' kind among those of the file */
	const struct kind_entry *known; /* known_file.c's: what detection knows
	                                   of that kind, or NULL */
	/* tail_values.c's: its own template for such lines, while that has this
	 * serial. */
	struct line_template *tail;
	uint64_t tail_serial;
	/* tail_values.c's: the values of its lines, all of them, and their
	 * places in the log of that round, 0: none yet; n_values is -1 where
	 * they have to be looked for. */
	uint64_t values_round;
	int n_values;
	int shared; /* 1: two of them have one place */
	struct line_template_value {
		const struct number_plan_number *number;
		const char *key;
		double divisor;
		size_t place;
		int all; /* 0: the last one is asked for only */
	} values[LINE_TEMPLATE_VALUES];
};

/* A store for one scanner; and free it. */
struct line_templates *line_templates_new(void);
void line_templates_free(struct line_templates *all);

/* Forget all lines: another format, other roles. */
void line_templates_clear(struct line_templates *all);

/* Is such a line kept?  Then its matches are given to take, in their order.
 *
 * line  [len] without controls and bytes from 0x80 on
 *
 * n  out: how many they are, if so
 *
 * Returns 1 if so, 2 if it is marked, 0 if not. */
int line_template_replay(struct line_templates *all, const char *line,
    size_t len, match_consumer *consume, void *arg, size_t *n);

/* Does the text begin with a line like one of the last two, and its end?
 *
 * text  [len] no end of a line may be before it
 * of    out: the template, for line_template_emit, until another line is kept
 *
 * Returns the length of the line, 0: it does not. */
size_t line_template_again(struct line_templates *all, const char *text,
    size_t len, struct line_template **of);

/* Does the text begin with a line like one of these, whatever the lines before
 * it were?  Nothing is counted.
 *
 * text    [len] of which the last line may have no end
 * recent  templates of the last two lines, or NULL; brought up to date
 * n       out: length of the line, where its template is returned
 *
 * Returns the template, or NULL. */
struct line_template *line_template_peek(
    struct line_template *recent[2], const char *text, size_t len, size_t *n);

/* The same for a line [len] that none of these fits, among all. */
struct line_template *line_template_search(const struct line_templates *all,
    struct line_template *recent[2], const char *line, size_t len);

/* How many lines like m's text begins with, each with its newline and nothing
 * between them; most at most.
 *
 * text  [len] */
size_t line_template_count(
    const struct line_template *m, const char *text, size_t len, size_t most);

/* The current line has this template, as line_template_again found, and so had
 * the n - 1 before it. */
void line_template_take(
    struct line_templates *all, struct line_template *m, size_t n);

/* A number that is no other template's, here or in the place of an earlier
 * one; 0 where there is none any more. */
uint64_t line_template_serial(const struct line_template *m);

struct line_template_notes *line_template_notes(struct line_template *m);

/* Its lines as digit_mask_places gives them; most is [len], too. */
const char *line_template_masked(
    const struct line_template *m, const unsigned char **most, size_t *len);

/* Give such a line's matches to take.  Returns how many there are. */
size_t line_template_emit(struct line_template *m, const char *line,
    match_consumer *consume, void *arg);

/* Its lines' first match, as the line before showed it, where it is the only
 * one but for details of the same step; else NULL. */
const struct match *line_template_only_match(const struct line_template *m);

/* The rank that a line states before that match, or SAMPLE_NONE. */
int32_t line_template_rank(const struct line_template *m, const char *line);

/* Have its lines no match? */
int line_template_is_unread(const struct line_template *m);

/* Another log begins: lines without a match are counted in unread, which is
 * borrowed, from now on. */
void line_templates_new_log(
    struct line_templates *all, struct unread_lines *unread);

/* Count the last line as one more without a match.  Returns 0 where it has no
 * template, or is the first of this log: the caller adds it to the unread
 * lines. */
int line_templates_count_unread(struct line_templates *all);

/* Put what was counted into the unread lines.  Do so before these are read or
 * exchanged; where a template goes that is done. */
void line_templates_flush_unread(struct line_templates *all);

/* Keep a line that is being matched.  line_template_add records each match;
 * one that holds a rank drops the line, because ranks are read from digits. */
void line_template_begin(
    struct line_templates *all, const char *line, size_t len);
void line_template_add(struct line_templates *all, const struct match *match);
void line_template_end(struct line_templates *all);

/* Are the lines left alone for a while, because too few were met again?  None
 * is kept then, whatever line_template_begin is given. */
int line_templates_rest(const struct line_templates *all);

/* The current line has none: it was matched without being looked for. */
void line_templates_pass(struct line_templates *all);

/* Mark the line that was kept or replayed last, if the last one was. */
void line_template_mark(struct line_templates *all);
int line_template_is_marked(const struct line_template *m);

#endif
