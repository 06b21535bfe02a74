/* Reads a small file by the templates of the files before it.  Called by
 * scan_file.c, which does without wherever a line is new.
 *
 * First each line's template is found; nothing of the log is touched.  What
 * formats found on lines of these kinds gives the file's format, without the
 * lines.  If it is that of the templates, they give the lines' matches. */
#include <config.h>

#include "extract/scan/known_file.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "extract/input/line_split.h"
#include "extract/scan/detect/digit_mask.h"
#include "extract/scan/tail_values.h"

enum {
	MAX_LINES = 2048,
	MAX_KINDS = 32,  /* of lines without a template */
	MAX_LINE = 1024, /* bytes of such a line */
	/* After so many files that held something new so many are not tried. */
	MISSES = 4,
	LEFT_ALONE = 12
};

/* A kind of lines without a template. */
struct known_kind {
	char masked[MAX_LINE];
	size_t len, kind; /* its place among those of the file */
};

/* A walk over the file. */
struct known_walk {
	struct scanner *s;
	const char *text; /* [len] */
	size_t len;
	size_t n;
	struct line_template *recent[2];
	uint64_t round; /* of this file */
	unsigned misses, left_alone;
	struct line_walker w;
	size_t n_kinds;
	struct known_line lines[MAX_LINES];
	struct known_kind kinds[MAX_KINDS];
};

/* Could the file be read so? */
static int
may_be_known(const struct scanner *s)
{
	const struct byte_source *r = &s->reader;
	const struct format *f = s->template_format;

	return s->options.forced == NULL && !s->options.no_templates &&
	    s->watch == NULL && s->parts.threads <= 1 && f != NULL &&
	    s->template_roles == scanner_first_roles(s) &&
	    f->events == EVENTS_NONE && r->last && r->len > 0 &&
	    r->len <= TAIL_VALUES_BYTES && !line_templates_rest(s->templates);
}

/* Where the line ends that begins at text, and what it holds. */
static size_t
line_length(const char *text, size_t len, unsigned *flags)
{
	*flags = 0;
	for (size_t at = 0; at < len; at += LINE_GROUP) {
		char tail[LINE_GROUP];
		const size_t n = len - at;
		struct line_group g;

		if (n < LINE_GROUP) {
			memset(tail, ' ', sizeof tail);
			memcpy(tail, text + at, n);
		}
		g = line_look_at(n < LINE_GROUP ? tail : text + at);
		*flags |= g.flags;
		if (g.ends != 0)
			return at + line_lowest_bit(g.ends);
	}
	return len;
}

/* Give detection a line of a template whose kind it has not seen in the file.
 * Returns 0 if the kind is new. */
static int
know_template(struct known_walk *k, struct line_template *m, size_t at)
{
	struct line_template_notes *notes = line_template_notes(m);
	const unsigned char *most;
	size_t len;
	const char *masked = line_template_masked(m, &most, &len);

	if (notes->known == NULL)
		notes->known = detector_find_kind(k->s->detector, masked, len);
	notes->round = k->round;
	return notes->known != NULL &&
	    detector_know_kind(k->s->detector, notes->known, at, len, masked,
		most, &notes->kind);
}

/* Give detection lines that have a template.  Returns as know_template. */
static inline int
know_templated(struct known_walk *k, const struct known_line *x, size_t at)
{
	const struct line_template_notes *notes = line_template_notes(x->m);
	size_t known = 0;

	if (notes->round != k->round) {
		if (!know_template(k, x->m, at))
			return 0;
		known = 1;
	}
	if (known < x->n)
		detector_know_lines(k->s->detector, notes->kind,
		    at + known * x->stride, x->len, x->stride, x->n - known);
	return 1;
}

/* The same of one that has none. */
static int
know_other(struct known_walk *k, size_t at, size_t len)
{
	unsigned char most[MAX_LINE];
	const struct kind_entry *known;
	struct known_kind *x;

	if (len > MAX_LINE || k->n_kinds == MAX_KINDS)
		return 0;
	x = &k->kinds[k->n_kinds];
	digit_mask_places(k->text + at, len, x->masked, most);
	for (size_t i = 0; i < k->n_kinds; i++) {
		if (k->kinds[i].len != len ||
		    memcmp(k->kinds[i].masked, x->masked, len) != 0)
			continue;
		detector_know_lines(
		    k->s->detector, k->kinds[i].kind, at, len, 0, 1);
		return 1;
	}
	x->len = len;
	k->n_kinds++;
	known = detector_find_kind(k->s->detector, x->masked, len);
	return known != NULL &&
	    detector_know_kind(
		k->s->detector, known, at, len, x->masked, most, &x->kind);
}

/* Count the lines at that byte that are like the one before it, which has a
 * newline at its end.  Returns the first byte after them. */
static size_t
walk_alike(struct known_walk *k, struct known_line *x, size_t at)
{
	const size_t n =
	    line_template_count(x->m, k->text + at, k->len - at, k->len);

	x->stride = x->len + 1;
	x->n += n;
	k->w.number += (int64_t)n;
	return at + n * x->stride;
}

/* Find the length of the line at that byte, and its template.  Returns 0 if it
 * cannot be known. */
static int
find_line(struct known_walk *k, struct known_line *x, size_t at)
{
	const char *text = k->text + at;
	const size_t left = k->len - at;

	*x = (struct known_line){ .text = text, .n = 1, .number = k->w.number };
	x->m = line_template_peek(k->recent, text, left, &x->len);
	if (x->m == NULL) {
		x->len = line_length(text, left, &x->flags);
		if (x->flags & LINE_CONTROL)
			return 0;
		if (x->flags == 0)
			x->m = line_template_search(
			    k->s->templates, k->recent, text, x->len);
	}
	if (x->m != NULL)
		x->serial = line_template_serial(x->m);
	return 1;
}

/* Take the line at that byte, and those like it.  Returns the first byte after
 * them and their end; 0 if it is not known. */
static size_t
walk_line(struct known_walk *k, size_t at)
{
	struct known_line *x = &k->lines[k->n];
	size_t end;

	if (k->n == MAX_LINES || !find_line(k, x, at))
		return 0;
	end = at + x->len;
	if (end < k->len) {
		const int alike = x->m != NULL && k->text[end] == '\n';

		end = line_run_end(&k->w, k->text, k->len, end);
		if (alike)
			end = walk_alike(k, x, end);
	}
	if (x->len == 0)
		return end;
	k->n++;
	return (x->m != NULL ? know_templated(k, x, at)
			     : know_other(k, at, x->len))
	    ? end
	    : 0;
}

/* Find the kinds of all lines.  Returns 0 where one is new. */
static int
walk_file(struct known_walk *k)
{
	size_t at = 0;
	int ended = 1;

	detector_begin_known(k->s->detector, k->text, k->len);
	line_walker_init(&k->w, SCAN_MAX_LINE);
	while (at < k->len) {
		at = walk_line(k, at);
		if (at == 0)
			return 0;
		ended = k->text[at - 1] == '\n';
	}
	/* A last line without its end is a line too. */
	k->w.number += !ended;
	return k->n > 0;
}

/* Is the file's format that of the templates?  Then it is set. */
static int
recall_format(struct scanner *s)
{
	struct detection found;

	if (!detector_recall(s->detector, &found) ||
	    found.best.format != s->template_format)
		return 0;
	s->now.format = found.best.format;
	s->now.alone = found.alone;
	s->now.log->runner_up = found.runner_up.format;
	s->now.log->detection_cut = detector_was_cut(s->detector);
	scanner_set_format(s);
	return 1;
}

static int
read_known(struct known_walk *k)
{
	struct scanner *s = k->s;

	if (!walk_file(k) || !recall_format(s))
		return 0;
	scanner_take_known(s, k->lines, k->n);
	s->now.log->lines = line_walker_lines(&k->w);
	tail_values_of_known(s, k->lines, k->n, s->now.log);
	return 1;
}

/* Were the last files all new in some line? */
static int
is_left_alone(struct known_walk *k)
{
	if (k->misses < MISSES)
		return 0;
	if (++k->left_alone <= LEFT_ALONE)
		return 1;
	k->misses = k->left_alone = 0;
	return 0;
}

int
known_file_read(struct scanner *s)
{
	struct known_walk *k = s->known;

	if (!may_be_known(s))
		return 0;
	if (k == NULL)
		k = s->known = xcalloc(1, sizeof *k);
	if (is_left_alone(k))
		return 0;
	k->s = s;
	k->text = s->reader.data;
	k->len = s->reader.len;
	k->n = k->n_kinds = 0;
	memset(k->recent, 0, sizeof k->recent);
	k->round++;
	if (!read_known(k)) {
		k->misses++;
		return 0;
	}
	k->misses = 0;
	s->n_known++;
	return 1;
}
