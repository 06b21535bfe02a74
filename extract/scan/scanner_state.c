/* State and inner loop of the scanner: matches lines by template, else by
 * patterns. */
#include <config.h>

#include "extract/scan/scanner_state.h"

#include "common/alloc.h"
#include "common/utf8.h"
#include "extract/log/stated_settings.h"
#include "extract/format/matcher.h"

#include <stdlib.h>
#include <string.h>

/* Roles to look for; metadata and sections occur only near the start of a
 * log. */
enum {
	LATER_ROLES = FIELD_NAME_IN(ROLE_STEP) | FIELD_NAME_IN(ROLE_SUMMARY) |
	    FIELD_NAME_IN(ROLE_CONTEXT) | FIELD_NAME_IN(ROLE_BEGIN) |
	    FIELD_NAME_IN(ROLE_END) | FIELD_NAME_IN(ROLE_INTERVAL) |
	    FIELD_NAME_IN(ROLE_COLLECTIVE) | FIELD_NAME_IN(ROLE_DETAIL) |
	    FIELD_NAME_IN(ROLE_RESULT),
	ALL_ROLES = LATER_ROLES | FIELD_NAME_IN(ROLE_METADATA) |
	    FIELD_NAME_IN(ROLE_SECTION)
};

struct scanner *
scanner_new(const struct format_set *set, const struct scan_options *options)
{
	struct scanner *s = xcalloc(1, sizeof *s);

	s->set = set;
	s->options = *options;
	s->matcher = matcher_new(set);
	s->limits = matcher_limits(s->matcher);
	s->detector = detector_new(set, s->matcher);
	s->metadata_literals =
	    literal_index_new(set->metadata, set->n_metadata);
	s->templates = line_templates_new();
	byte_source_init(&s->reader);
	return s;
}

void
scanner_forget(void *memory)
{
	struct scan_memory *m = memory;

	free(m->workers);
	hash_index_release(&m->worker_index);
	hash_index_release(&m->metadata_index);
	contexts_release(&m->contexts);
	interval_pairs_release(&m->pairs);
	horovod_timeline_free(m->events);
	unread_lines_free(m->unread);
	tail_values_release(&m->tail);
}

void
scanner_free(struct scanner *s)
{
	if (s == NULL)
		return;
	detector_free(s->detector);
	literal_index_free(s->metadata_literals);
	matcher_free(s->matcher);
	line_templates_free(s->templates);
	byte_source_release(&s->reader);
	free(s->clean);
	scanner_forget(&s->now);
	free(s);
}

void
scanner_reset(struct scanner *s)
{
	s->now.seen = s->now.data_at = s->now.tail_line = 0;
	s->now.tail_from = -1;
	s->now.tail.n = 0;
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
	horovod_timeline_free(s->now.events);
	s->now.events = NULL;
	unread_lines_free(s->now.unread);
	s->now.unread = NULL;
	s->now.alone = 0;
}

void
scanner_watch_unread(struct scanner *s)
{
	/* Trust --log-format. */
	if (s->options.forced != NULL || s->now.alone ||
	    s->now.format->events != EVENTS_NONE)
		return;
	unread_lines_free(s->now.unread);
	s->now.unread = unread_lines_new();
}

void
scanner_find_other(struct scanner *s, struct log *log)
{
	const struct unread_line *lines;
	struct other_steps x;
	size_t n;

	if (s->now.unread == NULL)
		return;
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

void
scanner_set_format(struct scanner *s)
{
	struct log *log = s->now.log;

	matcher_new_log(s->matcher);
	if (s->now.format->events == EVENTS_HOROVOD)
		s->now.events = horovod_timeline_new();
	log->format = s->now.format;
	log->meaning = &s->now.format->meaning;
	scanner_set_roles(s, ALL_ROLES);
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

size_t
scanner_memory_size(void)
{
	return sizeof(struct scan_memory);
}

void
scanner_swap(struct scanner *s, void *memory)
{
	struct scan_memory *m = memory;
	const struct scan_memory other = *m;

	*m = s->now;
	s->now = other;
	/* The templates may belong to another format. */
	if (s->now.format != NULL)
		scanner_set_roles(s, s->now.roles);
}

/* --- From lines to matches -------------------------------------------------*/

/* Metadata files that may match a line. */
struct metadata_look {
	unsigned char asked[FORMAT_MAX_FORMATS]; /* 1: by index in the set */
	int digits; /* 1: a candidate pattern distinguishes digits */
};

static void
note_metadata(void *arg, size_t format, const struct pattern *p)
{
	struct metadata_look *look = arg;

	look->asked[format] = 1;
	look->digits |= !p->digit_insensitive;
}

/* Search a line for metadata. Returns 1 if a pattern matched, 0 if not, -1 if
 * none can match even if free digits change. */
static int
look_for_metadata(struct scanner *s, const char *text, size_t len)
{
	struct metadata_look look;

	memset(look.asked, 0, s->set->n_metadata);
	look.digits = 0;
	literal_index_find(
	    s->metadata_literals, text, len, note_metadata, &look);
	s->now.metadata_met = 0;
	matcher_share_work(
	    s->matcher, &s->now.metadata_work, SCAN_METADATA_LINE_WORK);
	for (size_t i = 0; i < s->set->n_metadata; i++)
		if (look.asked[i]) {
			s->now.any_voice = s->set->metadata[i]->voice;
			matcher_line(s->matcher, s->set->metadata[i],
			    FIELD_NAME_IN(ROLE_METADATA), text, len,
			    scanner_emit_any_metadata, s);
		}
	matcher_share_work(s->matcher, NULL, FORMAT_LINE_WORK);
	if (scanner_look_for_launch(s, text, len) || s->now.metadata_met)
		return 1;
	return look.digits ? 0 : -1;
}

/* True if lines that differ only in digits match alike, except those of
 * is_uncacheable. */
static int
may_template(const struct scanner *s, unsigned roles)
{
	const unsigned asked =
	    roles | FIELD_NAME_IN(ROLE_STEP) | FIELD_NAME_IN(ROLE_IGNORE);

	return !s->options.no_templates &&
	    !(s->now.format->digit_sensitive_roles & asked) &&
	    s->set->prefixes_digit_insensitive;
}

void
scanner_set_roles(struct scanner *s, unsigned roles)
{
	s->now.roles = roles;
	s->now.templated = may_template(s, roles);
	if (s->template_format != s->now.format || s->template_roles != roles)
		line_templates_clear(s->templates);
	s->template_format = s->now.format;
	s->template_roles = roles;
}

/* Match a line by patterns.
 *
 * consume  scanner_emit_match or keep_match
 *
 * Returns the number of matches. */
static size_t
match_line_text(
    struct scanner *s, const char *text, size_t len, match_consumer *consume)
{
	return matcher_line(
	    s->matcher, s->now.format, s->now.roles, text, len, consume, s);
}

static void
keep_match(void *arg, const struct match *match)
{
	struct scanner *s = arg;

	line_template_add(s->templates, match);
	scanner_emit_match(s, match);
}

/* True if no template can be made of this line [len]. */
static int
is_uncacheable(const struct scanner *s, const char *text, size_t len)
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

/* True if the current line may contain metadata of any format; step lines do
 * not.
 *
 * m  template of the line, or NULL */
static inline int
may_hold_metadata(const struct scanner *s, const struct line_template *m)
{
	return s->now.metadata_open && !line_template_is_marked(m) &&
	    s->now.dropped == 0 && s->now.log->samples.n == s->now.first_sample;
}

/* Count the current line if a pattern reached a limit.
 *
 * limits  *s->limits before the line */
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

/* Match a line by its template, else by patterns, and then make a template if
 * possible.
 *
 * n  out: number of matches
 *
 * Returns the template, or NULL. */
static struct line_template *
match_templated(struct scanner *s, const char *text, size_t len, size_t *n)
{
	struct line_template *m = line_template_find(s->templates, text, len);

	if (m != NULL) {
		*n = line_template_emit(m, text, scanner_emit_match, s);
		return m;
	}
	if (is_uncacheable(s, text, len)) {
		*n = match_line_text(s, text, len, scanner_emit_match);
		return NULL;
	}
	line_template_begin(s->templates, text, len);
	*n = match_line_text(s, text, len, keep_match);
	return line_template_end(s->templates);
}

/* templated 1: templates may be used */
static void
scan_text(struct scanner *s, const char *text, size_t len, int templated)
{
	const int64_t limits = *s->limits;
	struct line_template *m = NULL;
	size_t n;

	s->now.first_sample = s->now.log->samples.n;
	s->now.dropped = 0;
	if (s->now.events != NULL)
		horovod_timeline_line(
		    s->now.events, s->now.log, text, len, s->now.line);
	if (templated)
		m = match_templated(s, text, len, &n);
	else
		n = match_line_text(s, text, len, scanner_emit_match);
	if (n == 0 && s->now.unread != NULL)
		unread_lines_add(s->now.unread, text, len, s->now.line);
	if (may_hold_metadata(s, m) && look_for_metadata(s, text, len) < 0)
		line_template_mark(m);
	note_limits(s, limits);
}

/* Match a line with control or non-ASCII bytes. */
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

/* Stop searching for metadata, which is near the start of a file. */
static void
stop_metadata(struct scanner *s)
{
	s->now.metadata_open = 0;
	scanner_set_roles(s, LATER_ROLES);
}

/* Set the offset of the line and whether it is in the tail. */
static void
note_place(struct scanner *s, const char *text)
{
	s->now.tail_line = s->now.line;
	s->now.tail_at = s->now.data_at + (text - s->now.data);
	s->now.in_tail = s->now.tail_at > s->now.tail_from;
}

static void
scan_line(
    void *arg, const char *text, size_t len, unsigned flags, int64_t number)
{
	struct scanner *s = arg;

	s->now.line = number;
	if (number != s->now.tail_line)
		note_place(s, text);
	if (flags == 0)
		scan_text(s, text, len, s->now.templated);
	else
		scan_odd_line(s, text, len, flags);
	s->now.seen += (int64_t)len;
	if (s->now.seen > SCAN_METADATA_BYTES && s->now.roles != LATER_ROLES)
		stop_metadata(s);
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
	size_t used;

	s->now.data = data;
	used = line_walker_consume(w, data, len, last,
	    s->now.format != NULL ? scan_line : skip_line, s);
	s->now.data_at += (int64_t)used;
	return used;
}
