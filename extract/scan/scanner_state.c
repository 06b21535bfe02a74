/* The scanner's life, and its inner loop from lines to matches: template
 * first, then patterns.  What a match means is scan_emit.c's business. */
#include <config.h>

#include "extract/scan/scanner_state.h"

#include "common/alloc.h"
#include "common/utf8.h"
#include "extract/log/settings/stated_settings.h"
#include "extract/scan/detect_file.h"
#include "extract/input/line_split.h"

#include <stdlib.h>
#include <string.h>

struct scanner *
scanner_new(const struct format_set *set, const struct scan_options *options)
{
	struct scanner *s = xcalloc(1, sizeof *s);

	s->set = set;
	s->options = *options;
	s->matcher = matcher_new(set);
	s->limits = matcher_limits(s->matcher);
	s->detector = detector_new(set, s->matcher);
	s->templates = line_templates_new();
	s->tail_templates = line_templates_new();
	s->parts =
	    (struct scan_parts){ 1, SCAN_PART_BYTES, SCAN_METADATA_BYTES };
	byte_source_init(&s->reader);
	return s;
}

void
scanner_share(struct scanner *s, const struct scan_parts *parts)
{
	s->parts = *parts;
}

void
scanner_watch(struct scanner *s, scan_watcher *watch, void *arg)
{
	s->watch = watch;
	s->watch_arg = arg;
}

static void
free_helpers(struct scanner *s)
{
	for (size_t i = 0; i < s->n_helpers; i++)
		scanner_free(s->helpers[i]);
	free(s->helpers);
	s->helpers = NULL;
	s->n_helpers = 0;
}

void
scanner_free(struct scanner *s)
{
	if (s == NULL)
		return;
	free_helpers(s);
	detector_free(s->detector);
	matcher_free(s->matcher);
	line_templates_free(s->templates);
	line_templates_free(s->tail_templates);
	byte_source_release(&s->reader);
	free(s->known);
	free(s->clean);
	free(s->now.workers);
	hash_index_release(&s->now.worker_index);
	hash_index_release(&s->now.metadata_index);
	contexts_release(&s->now.contexts);
	interval_pairs_release(&s->now.pairs);
	event_reader_free(s->now.events);
	unread_lines_free(s->now.unread);
	free(s);
}

void
scanner_reset(struct scanner *s)
{
	s->now.seen = 0;
	s->parts_tried = 0;
	s->now.n_workers = s->now.last_worker = 0;
	hash_index_clear(&s->now.worker_index);
	hash_index_clear(&s->now.metadata_index);
	contexts_clear(&s->now.contexts);
	s->now.pairs.n = 0;
	s->now.interval_of = NULL;
	s->now.section = NULL;
	s->now.collective = NULL;
	matcher_new_log(s->matcher);
	s->now.stamps.day_len = 0;
	s->now.details_go = 0;
	if (s->options.details)
		memset(s->now.printed, 0, sizeof s->now.printed);
	event_reader_free(s->now.events);
	s->now.events = NULL;
	unread_lines_free(s->now.unread);
	s->now.unread = NULL;
	s->now.alone = 0;
	line_templates_new_log(s->templates, NULL);
}

void
scanner_watch_unread(struct scanner *s)
{
	/* Who names the format has seen what else is there. */
	if (s->options.forced != NULL || s->now.alone ||
	    s->now.format->events != EVENTS_NONE)
		return;
	unread_lines_free(s->now.unread);
	s->now.unread = unread_lines_new();
	line_templates_new_log(s->templates, s->now.unread);
}

void
scanner_find_other(struct scanner *s, struct log *log)
{
	const struct unread_line *lines;
	struct other_steps x;
	size_t n;

	if (s->now.unread == NULL)
		return;
	line_templates_flush_unread(s->templates);
	lines = unread_lines_all(s->now.unread, &n);
	detector_find_other(s->detector, s->now.format, lines, n, &x);
	log->other_name = x.format != NULL ? x.format->name : NULL;
	log->other_steps = x.steps;
	log->other_line = x.first_line;
	log->other_more = unread_lines_overflowed(s->now.unread);
}

void
scanner_begin_log(
    struct scanner *s, const char *path, const char *shown, struct log *log)
{
	log_init(log);
	log->path = arena_strdup(&log->arena, path);
	log->shown = arena_strdup(&log->arena, shown);
	s->now.log = log;
	s->now.format = NULL;
	scanner_reset(s);
}

void
scanner_force(struct scanner *s, const struct format *format)
{
	s->options.forced = format;
}

const struct format_set *
scanner_formats(const struct scanner *s)
{
	return s->set;
}

void
scanner_read_settings(struct scanner *s, int64_t end)
{
	const struct byte_source *r = &s->reader;

	s->now.log->settings = stated_settings_read(r->data,
	    r->len < SCAN_HEAD_BYTES ? r->len : SCAN_HEAD_BYTES, end,
	    &s->now.log->arena);
}

/* Does a line end in what detection looks at first? */
static int
has_line(const struct byte_source *r)
{
	const int all = r->last && r->len <= SCAN_HEAD_BYTES;
	const size_t len = r->len < SCAN_HEAD_BYTES ? r->len : SCAN_HEAD_BYTES;

	return all || memchr(r->data, '\n', len) != NULL;
}

int
scanner_find_format(struct scanner *s, struct detection *head, struct error *e)
{
	struct detection found;
	const int whole = s->reader.last && s->reader.len <= SCAN_HEAD_BYTES;

	s->now.format = s->options.forced;
	if (s->now.format != NULL)
		return 0;
	if (detect_file(s->detector, &s->reader, head, &found, e) != 0)
		return -1;
	s->now.log->detection_cut = detector_was_cut(s->detector);
	s->now.format = found.best.format;
	s->now.alone = whole && found.alone;
	s->now.log->runner_up = found.runner_up.format;
	s->now.log->long_start = s->now.format == NULL && !has_line(&s->reader);
	return 0;
}

unsigned
scanner_first_roles(const struct scanner *s)
{
	return FIELD_NAME_IN(ROLE_STEP) | FIELD_NAME_IN(ROLE_SECTION) |
	    FIELD_NAME_IN(ROLE_METADATA) | FIELD_NAME_IN(ROLE_SUMMARY) |
	    FIELD_NAME_IN(ROLE_CONTEXT) | FIELD_NAME_IN(ROLE_BEGIN) |
	    FIELD_NAME_IN(ROLE_END) | FIELD_NAME_IN(ROLE_INTERVAL) |
	    FIELD_NAME_IN(ROLE_COLLECTIVE) |
	    (s->options.details
		    ? FIELD_NAME_IN(ROLE_DETAIL) | FIELD_NAME_IN(ROLE_RESULT)
		    : 0);
}

void
scanner_set_format(struct scanner *s)
{
	struct log *log = s->now.log;

	matcher_new_log(s->matcher);
	event_reader_free(s->now.events);
	s->now.events = event_reader_new(s->now.format->events);
	log->format = s->now.format;
	log->meaning = &s->now.format->meaning;
	scanner_set_roles(s, scanner_first_roles(s));
	scanner_watch_unread(s);
	s->now.line = 0;
	s->now.n_any = 0;
	memset(s->now.launches, 0, sizeof s->now.launches);
	s->now.metadata_open = s->set->n_metadata > 0;
	s->now.metadata_work = SCAN_METADATA_WORK;
	for (size_t i = 0; i < s->now.format->n_gives; i++)
		scanner_add_metadata(s, s->now.format->gives[i].key,
		    arena_strdup(&log->arena, s->now.format->gives[i].value));
}

/* --- From lines to matches -------------------------------------------------*/

/* May some pattern match a line?
 *
 * made  what it is made of */
static int
holds_literal(const struct format *f, const char *text, size_t len,
    const struct required_literal_set *made)
{
	for (size_t i = 0; i < f->n_clues; i++) {
		const struct clue *c = &f->clues[i];

		if (required_literal_set_holds(made, &c->need) &&
		    (c->n_literal == 0 ||
			memmem(text, len, c->literal, c->n_literal) != NULL))
			return 1;
	}
	return 0;
}

/* May a pattern that distinguishes digits match a line that differs from this
 * one in free digits?
 *
 * made  what it is made of, all digits as one */
static int
metadata_tell_digits(const struct scanner *s, const char *text, size_t len,
    const struct required_literal_set *made)
{
	for (size_t i = 0; i < s->set->n_metadata; i++) {
		const struct format *f = s->set->metadata[i];

		for (size_t j = 0; j < f->n_clues; j++) {
			const struct clue *c = &f->clues[j];

			if (!c->digit_insensitive &&
			    required_literal_set_holds(made, &c->need) &&
			    (c->n_literal == 0 || c->digits ||
				memmem(text, len, c->literal, c->n_literal) !=
				    NULL))
				return 1;
		}
	}
	return 0;
}

/* Returns 0; 1 if some pattern matched; -1 if none can match a line either that
 * differs from this one in free digits. */
static int
look_for_metadata(struct scanner *s, const char *text, size_t len)
{
	struct required_literal_set made;

	memset(&made, 0, sizeof made);
	required_literal_set_add(&made, text, len);
	required_literal_set_add_keys(&made, text, len);
	s->now.metadata_met = 0;
	matcher_share_work(
	    s->matcher, &s->now.metadata_work, SCAN_METADATA_LINE_WORK);
	for (size_t i = 0; i < s->set->n_metadata; i++)
		if (holds_literal(s->set->metadata[i], text, len, &made) &&
		    format_ready(s->set->metadata[i]) == 0) {
			s->now.any_voice = s->set->metadata[i]->voice;
			matcher_line_made(s->matcher, s->set->metadata[i],
			    FIELD_NAME_IN(ROLE_METADATA), text, len, &made,
			    scanner_emit_any_metadata, s);
		}
	matcher_share_work(s->matcher, NULL, FORMAT_LINE_WORK);
	if (scanner_look_for_launch(s, text, len) || s->now.metadata_met)
		return 1;
	return metadata_tell_digits(s, text, len, &made) ? 0 : -1;
}

int
scanner_may_template(const struct scanner *s, unsigned roles)
{
	const unsigned asked =
	    roles | FIELD_NAME_IN(ROLE_STEP) | FIELD_NAME_IN(ROLE_IGNORE);

	return !s->options.no_templates &&
	    !(s->now.format->digit_sensitive_roles & asked) &&
	    s->set->prefixes_digit_insensitive;
}

/* Is an object the format's only step, of which no template is kept, and may a
 * line without a match be asked twice? */
static int
are_objects_first(const struct format *f)
{
	for (size_t i = 0; i < f->n_patterns; i++)
		if (f->patterns[i].csv != NULL)
			return 0; /* which counts lines */
	return f->plain && f->patterns[0].json != NULL &&
	    f->patterns[0].uncacheable;
}

void
scanner_set_roles(struct scanner *s, unsigned roles)
{
	s->now.roles = roles;
	s->now.templated = scanner_may_template(s, roles);
	s->now.runs = s->now.templated && s->now.events == NULL;
	s->now.objects_first = are_objects_first(s->now.format);
	s->now.object_matched = 0;
	if (s->template_format != s->now.format || s->template_roles != roles)
		line_templates_clear(s->templates);
	s->template_format = s->now.format;
	s->template_roles = roles;
}

/* Ask the patterns about a line.
 *
 * consume  scanner_emit_match, or what keeps the match as well
 *
 * Returns how many matches there are. */
static size_t
match_line_text(
    struct scanner *s, const char *text, size_t len, match_consumer *consume)
{
	return matcher_line(
	    s->matcher, s->now.format, s->now.roles, text, len, consume, s);
}

/* No pattern matches the current line.
 *
 * templated  1: it may have a template, which counts it */
static inline void
note_unread(struct scanner *s, const char *text, size_t len, int templated)
{
	if (s->now.unread != NULL &&
	    !(templated && line_templates_count_unread(s->templates)))
		unread_lines_add(s->now.unread, text, len, s->now.line);
}

static void
keep_match(void *arg, const struct match *match)
{
	struct scanner *s = arg;

	line_template_add(s->templates, match);
	scanner_emit_match(s, match);
}

int
scanner_is_uncacheable(const struct scanner *s, const char *text, size_t len)
{
	const struct format *f = s->now.format;

	for (size_t i = 0; f->n_uncacheable > 0 && i < f->n_patterns; i++) {
		const struct pattern *p = &f->patterns[i];

		if (p->uncacheable &&
		    memmem(text, len, p->literal, p->n_literal))
			return 1;
	}
	return 0;
}

/* May any log's metadata stand in the current line?  Not where a step does, be
 * it dropped as a repetition.
 *
 * marked  1: it has a template that rules it out */
static inline int
may_hold_metadata(const struct scanner *s, int marked)
{
	return s->now.metadata_open && !marked && s->now.dropped == 0 &&
	    s->now.log->samples.n == s->now.first_sample;
}

/* Has a pattern given up in the current line?
 *
 * limits  *s->limits before it */
static inline void
note_limits(struct scanner *s, int64_t limits)
{
	if (*s->limits == limits)
		return;
	line_templates_clear(s->templates);
	s->now.log->n_match_limit++;
	if (s->now.log->match_limit_line == 0)
		s->now.log->match_limit_line = s->now.line;
}

/* Where objects are steps, and no template stands for such a line, it is
 * matched before any are looked for, as long as they match.  One that does not
 * is asked again as any other, which changes nothing.
 *
 * Returns how many matches there are; 0: the line is still to be taken. */
static inline size_t
match_object_first(struct scanner *s, const char *text, size_t len)
{
	size_t n;

	if (text[0] != '{' || !s->now.object_matched || !s->now.objects_first)
		return 0;
	n = match_line_text(s, text, len, scanner_emit_match);
	if (n > 0)
		line_templates_pass(s->templates);
	return n;
}

/* templated  1: the text may be looked for among those that were matched */
static inline void
scan_text(struct scanner *s, const char *text, size_t len, int templated)
{
	const int64_t limits = *s->limits;
	int known = 0; /* 2: no metadata field is in such a line */
	size_t n = 0;

	s->now.first_sample = s->now.log->samples.n;
	s->now.dropped = 0;
	if (s->now.events != NULL)
		event_reader_line(
		    s->now.events, s->now.log, text, len, s->now.line);
	if (!templated) {
		n = match_line_text(s, text, len, scanner_emit_match);
	} else if ((n = match_object_first(s, text, len)) == 0) {
		known = line_template_replay(
		    s->templates, text, len, scanner_emit_match, s, &n);
		if (known != 0) {
			/* Its matches are taken. */
		} else if (!line_templates_rest(s->templates) &&
		    scanner_is_uncacheable(s, text, len)) {
			n = match_line_text(s, text, len, scanner_emit_match);
		} else {
			line_template_begin(s->templates, text, len);
			n = match_line_text(s, text, len, keep_match);
			line_template_end(s->templates);
		}
		if (text[0] == '{')
			s->now.object_matched = n > 0;
	}
	if (n == 0)
		note_unread(s, text, len, templated);
	if (may_hold_metadata(s, known == 2) &&
	    look_for_metadata(s, text, len) < 0 && templated)
		line_template_mark(s->templates);
	note_limits(s, limits);
}

/* A line with controls or bytes from 0x80 on. */
static void
scan_odd_line(struct scanner *s, const char *text, size_t len, unsigned flags)
{
	size_t n, at = 0;

	if (flags & LINE_HIGH)
		s->now.log->n_invalid_utf8 += !utf8_valid(text, len);
	if (!(flags & LINE_CONTROL)) {
		scan_text(s, text, len, 0);
		return;
	}
	if (s->alloc_clean < len + 1) {
		s->alloc_clean = len + len / 2 + 1;
		s->clean = xreallocarray(s->clean, s->alloc_clean, 1);
	}
	n = line_clean(text, len, s->clean, &s->now.log->n_nul);
	while (at < n) {
		size_t piece = strlen(s->clean + at);

		scan_text(s, s->clean + at, piece, 0);
		at += piece + 1;
	}
}

unsigned
scanner_later_roles(const struct scanner *s)
{
	return s->now.roles &
	    ~(FIELD_NAME_IN(ROLE_METADATA) | FIELD_NAME_IN(ROLE_SECTION));
}

/* Metadata stands near the start of a file. */
static void
stop_metadata(struct scanner *s)
{
	s->now.metadata_open = 0;
	scanner_set_roles(s, scanner_later_roles(s));
}

static inline void
done_line(struct scanner *s, size_t len)
{
	s->now.seen += (int64_t)len;
	if (s->now.seen > s->parts.metadata_bytes &&
	    (s->now.roles & FIELD_NAME_IN(ROLE_METADATA)))
		stop_metadata(s);
}

static inline void
scan_line(
    void *arg, const char *text, size_t len, unsigned flags, int64_t number)
{
	struct scanner *s = arg;

	s->now.line = number;
	if (flags == 0)
		scan_text(s, text, len, s->now.templated);
	else
		scan_odd_line(s, text, len, flags);
	done_line(s, len);
}

/* A line that has a template. */
static inline void
scan_templated_line(
    struct scanner *s, struct line_template *m, const char *text, size_t len)
{
	s->now.first_sample = s->now.log->samples.n;
	s->now.dropped = 0;
	if (line_template_emit(m, text, scanner_emit_match, s) == 0)
		note_unread(s, text, len, 1);
	if (may_hold_metadata(s, line_template_is_marked(m))) {
		const int64_t limits = *s->limits;

		if (look_for_metadata(s, text, len) < 0)
			line_template_mark(s->templates);
		note_limits(s, limits);
	}
	done_line(s, len);
}

/* Would the line end the part of the file where metadata stands? */
static inline int
ends_metadata(const struct scanner *s, size_t len)
{
	return s->now.seen + (int64_t)len > s->parts.metadata_bytes &&
	    (s->now.roles & FIELD_NAME_IN(ROLE_METADATA));
}

/* Begin a run of such lines.  Returns 0 where they are none. */
static int
begin_run(struct scanner *s, struct line_template *m)
{
	struct line_template_notes *notes = line_template_notes(m);

	if (notes->no_run == s->now.format)
		return 0;
	if (sample_run_begin(s, &s->run, m))
		return 1;
	notes->no_run = s->now.format;
	return 0;
}

/* Does nothing of such lines go into the log? */
static inline int
is_quiet(const struct scanner *s, const struct line_template *m)
{
	return line_template_is_unread(m) &&
	    !(s->now.metadata_open && !line_template_is_marked(m));
}

/* Lines that have a template, after those of the run.
 *
 * text    [len] the first, with that number
 * stride  from one to the next */
static void
take_templated_lines(struct scanner *s, struct line_template *m,
    const char *text, size_t len, size_t stride, size_t n, int64_t number)
{
	for (size_t i = 0; i < n;) {
		const char *line = text + i * stride;
		const int64_t at = number + (int64_t)i;

		if (!ends_metadata(s, (n - i) * len) &&
		    (sample_run_has_room(&s->run, m) || begin_run(s, m))) {
			const size_t added = number_lines_add(
			    &s->run.lines, line, stride, n - i, at);

			i += added;
			s->now.line = number + (int64_t)i - 1;
			s->now.seen += (int64_t)(added * len);
			continue;
		}
		if (!is_quiet(s, m))
			sample_run_end(s, &s->run);
		s->now.line = at;
		scan_templated_line(s, m, line, len);
		i++;
	}
}

/* So many lines that follow can be taken together, if they are like those of
 * the run. */
static inline size_t
run_ahead(const struct scanner *s, const struct line_template *m, size_t len)
{
	size_t most = NUMBER_COLUMN;

	if (s->run.m != m)
		return 0;
	while (most > 0 && ends_metadata(s, most * len))
		most /= 2;
	return most;
}

/* Take lines that have the template of one of the last two: that shows where
 * they end.  A line_runner. */
static size_t
run_lines(void *arg, struct line_walker *w, const char *data, size_t len)
{
	struct scanner *s = arg;
	struct line_template *m;
	size_t at = 0, n;

	while (s->now.runs &&
	    (n = line_template_again(s->templates, data + at, len - at, &m)) >
		0) {
		const int ended = data[at + n] == '\n';
		size_t most;

		take_templated_lines(s, m, data + at, n, 0, 1, w->number);
		at = line_run_end(w, data, len, at + n);
		while (ended && (most = run_ahead(s, m, n)) > 0) {
			const size_t more =
			    line_template_count(m, data + at, len - at, most);

			take_templated_lines(
			    s, m, data + at, n, n + 1, more, w->number);
			line_template_take(s->templates, m, more);
			w->number += (int64_t)more;
			at += more * (n + 1);
			if (more < most)
				break;
		}
	}
	sample_run_end(s, &s->run);
	return at;
}

void
scanner_take_known(struct scanner *s, const struct known_line *lines, size_t n)
{
	for (const struct known_line *l = lines; l < lines + n; l++) {
		/* A line without one may take its place. */
		if (l->m == NULL || !s->now.runs ||
		    line_template_serial(l->m) != l->serial) {
			sample_run_end(s, &s->run);
			for (size_t i = 0; i < l->n; i++)
				scan_line(s, l->text + i * l->stride, l->len,
				    l->flags, l->number + (int64_t)i);
			continue;
		}
		line_template_take(s->templates, l->m, l->n);
		take_templated_lines(
		    s, l->m, l->text, l->len, l->stride, l->n, l->number);
	}
	sample_run_end(s, &s->run);
}

static void
skip_line(
    void *arg, const char *text, size_t len, unsigned flags, int64_t number)
{
	(void)arg, (void)text, (void)len, (void)flags, (void)number;
}

size_t
scanner_consume(struct scanner *s, struct line_walker *w, const char *data,
    size_t len, int last)
{
	if (s->now.format == NULL)
		return line_walker_consume(w, data, len, last, skip_line, s);
	return line_split(w, data, len, last, scan_line, run_lines, s);
}
