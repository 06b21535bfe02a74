/* Reads a log file: finds its format, matches its lines by template, else by
 * patterns, and completes the log. */
#include <config.h>

#include "extract/scan/scanner_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/alloc.h"
#include "common/units/units.h"
#include "extract/format/patterns/pattern.h"
#include "extract/log/stated_settings.h"
#include "extract/scan/detect/detect.h"
#include "extract/scan/scan_file.h"

enum {
	MIN_LINE = DIGIT_MASK_MIN,
	N_SETS = 64, /* hashed by line length */
	N_WAYS = 8,
	/* Roles of lines that come again and again. */
	MANY_NUMBERS = FIELD_NAME_IN(ROLE_STEP) | FIELD_NAME_IN(ROLE_DETAIL) |
	    FIELD_NAME_IN(ROLE_RESULT)
};

struct line_templates {
	struct line_template *sets[N_SETS][N_WAYS];
	unsigned turn;             /* next way to replace */
	struct line_template *now; /* under construction, or NULL */
	const char *line;          /* source line of `now` */
};

struct line_templates *
line_templates_new(void)
{
	return xcalloc(1, sizeof(struct line_templates));
}

void
line_templates_free(struct line_templates *all)
{
	if (all == NULL)
		return;
	for (int i = 0; i < N_SETS; i++)
		for (int j = 0; j < N_WAYS; j++)
			free(all->sets[i][j]);
	free(all);
}

/* Remove all templates. Required when the format or the roles change. */
static void
line_templates_clear(struct line_templates *all)
{
	for (int i = 0; i < N_SETS; i++)
		for (int j = 0; j < N_WAYS; j++)
			if (all->sets[i][j] != NULL)
				all->sets[i][j]->len = 0;
	all->now = NULL;
}

struct line_template *
line_template_find(struct line_templates *all, const char *line, size_t len)
{
	struct line_template **set = all->sets[len % N_SETS];

	if (len < MIN_LINE)
		return NULL;
	for (int i = 0; i < N_WAYS; i++) {
		struct line_template *m = set[i];

		if (m == NULL || m->len != len ||
		    !digit_mask_fits(line, m->text, m->most, len))
			continue;
		/* Move frequent templates to the front. */
		if (i > 0) {
			set[i] = set[i - 1];
			set[i - 1] = m;
		}
		return m;
	}
	return NULL;
}

/* Pass the matches of a line with this template to consume, in order. Returns
 * their number. */
static size_t
line_template_emit(struct line_template *m, const char *line,
    match_consumer *consume, void *arg)
{
	for (size_t i = 0; i < m->n_matches; i++) {
		struct match *h = &m->matches[i];

		h->text = line + h->base;
		if (h->rank_text != NULL) {
			h->rank_text = line + m->rank_at[i];
			h->rank = match_rank(h->rank_text, h->rank_len);
		}
		if (h->worker != NULL)
			h->worker = line + m->worker_at[i];
		consume(arg, h);
	}
	return m->n_matches;
}

void
line_template_begin(struct line_templates *all, const char *line, size_t len)
{
	struct line_template **m;

	all->now = NULL;
	if (len < MIN_LINE || len > TEMPLATE_MAX_LINE)
		return;
	m = &all->sets[len % N_SETS][all->turn++ % N_WAYS];
	if (*m == NULL)
		*m = xmalloc(sizeof **m);
	all->now = *m;
	all->line = line;
	all->now->len = len;
	all->now->no_metadata = all->now->no_sign = 0;
	all->now->n_matches = all->now->n_offsets = 0;
}

static void
line_template_add(struct line_templates *all, const struct match *match)
{
	struct line_template *m = all->now;
	const size_t n = 2 * (size_t)match->n_ov;
	struct match *h;

	if (m == NULL)
		return;
	if (m->n_matches == TEMPLATE_MAX_MATCHES ||
	    m->n_offsets + n > TEMPLATE_MAX_OFFSETS) {
		m->len = 0;
		all->now = NULL;
		return;
	}
	h = &m->matches[m->n_matches];
	*h = *match;
	h->base = (size_t)(match->text - all->line);
	if (match->rank_text != NULL)
		m->rank_at[m->n_matches] =
		    (size_t)(match->rank_text - all->line);
	if (match->worker != NULL)
		m->worker_at[m->n_matches] =
		    (size_t)(match->worker - all->line);
	h->ov = m->offsets + m->n_offsets;
	memcpy(m->offsets + m->n_offsets, match->ov, n * sizeof *match->ov);
	m->n_offsets += n;
	if (FIELD_NAME_IN(h->pattern->role) & MANY_NUMBERS) {
		h->captured = m->captured[m->n_matches];
		h->n_captured = captured_find(h, m->captured[m->n_matches]);
	}
	m->n_matches++;
}

struct line_template *
line_template_end(struct line_templates *all)
{
	struct line_template *m = all->now;

	if (m != NULL)
		digit_mask_places(all->line, m->len, m->text, m->most);
	all->now = NULL;
	return m;
}

/* One file of one operand. */
struct followed_file {
	char *path;
	size_t operand;
	int used;       /* 1: scanned since the last sweep */
	int read;       /* 1: log was read from the file with status st */
	struct stat st; /* before reading */
	struct log log;
};

struct file_follow *
file_follow_new(void)
{
	struct file_follow *all = xcalloc(1, sizeof *all);

	pthread_mutex_init(&all->lock, NULL);
	return all;
}

void
file_follow_sweep(struct file_follow *all)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++) {
		struct followed_file *t = all->items[i];

		if (t->used) {
			t->used = 0;
			all->items[n++] = t;
			continue;
		}
		log_release(&t->log);
		free(t->path);
		free(t);
	}
	all->n = n;
}

void
file_follow_free(struct file_follow *all)
{
	if (all == NULL)
		return;
	for (size_t i = 0; i < all->n; i++)
		all->items[i]->used = 0;
	file_follow_sweep(all);
	free(all->items);
	pthread_mutex_destroy(&all->lock);
	free(all);
}

int
file_follow_scan(struct file_follow *all, struct scanner *s, const char *path,
    size_t operand, const char *shown, struct log *log)
{
	struct followed_file *t = NULL;
	struct stat was;
	int there, rc = 0;

	pthread_mutex_lock(&all->lock);
	for (size_t i = 0; t == NULL && i < all->n; i++)
		if (all->items[i]->operand == operand &&
		    strcmp(all->items[i]->path, path) == 0)
			t = all->items[i];
	if (t == NULL) {
		t = xcalloc(1, sizeof *t);
		t->path = xstrdup(path);
		t->operand = operand;
		all->items = vec_grow(
		    all->items, all->n, &all->alloc, sizeof *all->items);
		all->items[all->n++] = t;
	}
	t->used = 1;
	pthread_mutex_unlock(&all->lock);
	was = t->st;
	there = stat(path, &t->st) == 0 && S_ISREG(t->st.st_mode);
	if (!there || all->end || !t->read || was.st_dev != t->st.st_dev ||
	    was.st_ino != t->st.st_ino || was.st_size != t->st.st_size ||
	    was.st_mtim.tv_sec != t->st.st_mtim.tv_sec ||
	    was.st_mtim.tv_nsec != t->st.st_mtim.tv_nsec) {
		log_release(&t->log);
		s->skip_incomplete = !all->end;
		rc = scanner_scan(s, path, shown, &t->log);
		t->read = rc == 0 && S_ISREG(t->st.st_mode);
		pthread_mutex_lock(&all->lock);
		all->bytes += t->log.bytes;
		pthread_mutex_unlock(&all->lock);
	}
	*log = t->log;
	log->borrowed = 1;
	return rc;
}

enum {
	STAMP_LINES = 400,  /* of the head that may state when the run began */
	STAMP_COLUMNS = 120 /* of such a line */
};

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
	    literal_index_new(set->metadata.items, set->metadata.n);
	s->templates = line_templates_new();
	byte_source_init(&s->reader);
	return s;
}

void
scanner_allow_unpacked(struct scanner *s, long mib)
{
	s->reader.max_unpacked = (int64_t)mib << 20;
}

/* Free the state of the current log. */
static void
release_state(struct scan_state *m)
{
	free(m->workers);
	hash_index_release(&m->worker_index);
	hash_index_release(&m->metadata_index);
	free(m->contexts);
	free(m->pairs);
	horovod_timeline_free(m->events);
	unread_lines_release(&m->unread);
	free(m->tail);
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
	release_state(&s->now);
	free(s);
}

void
scanner_force(struct scanner *s, const struct format *format)
{
	s->options.forced = format;
}

/* Set the roles to look for. */
static void
set_roles(struct scanner *s, unsigned roles)
{
	const unsigned asked =
	    roles | FIELD_NAME_IN(ROLE_STEP) | FIELD_NAME_IN(ROLE_IGNORE);

	s->now.roles = roles;
	/* Lines that differ only in digits match alike, except those of
	 * is_uncacheable. */
	s->now.templated = !s->options.no_templates &&
	    !(s->now.format->digit_sensitive_roles & asked) &&
	    s->set->prefixes_digit_insensitive;
	if (s->template_format != s->now.format || s->template_roles != roles)
		line_templates_clear(s->templates);
	s->template_format = s->now.format;
	s->template_roles = roles;
}

/* --- From lines to matches -------------------------------------------------*/

static void
take_match(void *arg, const struct match *match)
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

/* Look for a sign of a failure, unless the lines of the template have none.
 *
 * m  template of the line, or NULL */
static void
look_for_signs(
    struct scanner *s, const char *text, size_t len, struct line_template *m)
{
	if (m != NULL && m->no_sign && !s->now.search.in_traceback)
		return;
	s->now.search.step = log_last_step(s->now.log);
	if (!log_signs_look(&s->now.search, text, len, s->now.line, 0,
		&s->now.log->arena) &&
	    m != NULL)
		m->no_sign = 1;
}

/* Match a line by its template, else by patterns, and then make a template if
 * possible.
 *
 * m          its template, or NULL
 * templated  1: a template may be made */
static void
scan_text(struct scanner *s, const char *text, size_t len,
    struct line_template *m, int templated)
{
	struct log *log = s->now.log;
	const int64_t limits = *s->limits;
	size_t n;

	if (s->now.format == NULL) {
		log_signs_look(
		    &s->now.search, text, len, s->now.line, 1, &log->arena);
		return;
	}
	s->now.first_sample = log->samples.n;
	s->now.dropped = 0;
	if (s->now.events != NULL)
		horovod_timeline_line(
		    s->now.events, log, text, len, s->now.line);
	if (m != NULL)
		n = line_template_emit(m, text, scanner_emit_match, s);
	else {
		if (templated && !is_uncacheable(s, text, len))
			line_template_begin(s->templates, text, len);
		n = matcher_line(s->matcher, s->now.format, s->now.roles, text,
		    len, take_match, s);
		m = line_template_end(s->templates);
	}
	if (n == 0 && s->now.collects)
		unread_lines_add(&s->now.unread, text, len, s->now.line);
	look_for_signs(s, text, len, m);
	/* Step lines have no metadata of other programs. */
	if (s->now.metadata_open && (m == NULL || !m->no_metadata) &&
	    s->now.dropped == 0 && log->samples.n == s->now.first_sample &&
	    scanner_look_for_metadata(s, text, len) < 0 && m != NULL)
		m->no_metadata = 1;
	if (*s->limits == limits)
		return;
	/* A pattern reached a limit. */
	line_templates_clear(s->templates);
	log->n_match_limit++;
	if (log->match_limit_line == 0)
		log->match_limit_line = s->now.line;
}

/* Match a piece of a line with control or non-ASCII bytes. */
static void
scan_piece(void *arg, const char *text, size_t len)
{
	scan_text(arg, text, len, NULL, 0);
}

static void
scan_line(
    void *arg, const char *text, size_t len, unsigned flags, int64_t number)
{
	struct scanner *s = arg;
	struct line_template *m = NULL;

	s->now.line = number;
	if (number != s->now.tail_line) {
		s->now.tail_line = number;
		s->now.tail_at = s->now.data_at + (text - s->reader.data);
		s->now.in_tail = s->now.tail_at > s->now.tail_from;
	}
	/* No line of a template has bytes that need a flag. */
	if (s->now.templated && (flags == 0 || (flags & LINE_UNTESTED)))
		m = line_template_find(s->templates, text, len);
	if (m == NULL && (flags & LINE_UNTESTED))
		flags = line_flags(text, len);
	if (m != NULL || flags == 0) {
		scan_text(s, text, len, m, s->now.templated);
	} else {
		s->clean = vec_grow(s->clean, len, &s->alloc_clean, 1);
		line_each_piece(text, len, flags, s->clean, scan_piece, s);
	}
	s->now.seen += (int64_t)len;
	if (s->now.seen > SCAN_METADATA_BYTES && s->now.roles != LATER_ROLES &&
	    s->now.format != NULL) {
		/* Metadata are near the start of a file. */
		s->now.metadata_open = 0;
		set_roles(s, LATER_ROLES);
	}
}

/* --- Detection ------------------------------------------------------------*/

/* Length of the head of the data. */
static size_t
head_len(const struct byte_source *r)
{
	return r->len < SCAN_HEAD_BYTES ? r->len : SCAN_HEAD_BYTES;
}

/* Examine a later piece; best is the piece with the most evidence. Returns 1 if
 * no other piece is needed. */
static int
look_further(struct detector *d, const char *data, struct detection *best)
{
	struct detection x;

	detector_run(d, data, SCAN_HEAD_BYTES, &x);
	if (!detection_is_vague(&x) || detection_is_better(&x, best))
		*best = x;
	return !detection_is_vague(&x);
}

/* Offset of the next piece: all pieces if nothing was found, else a few. */
static int64_t
next_piece(const struct detection *best, int64_t at)
{
	int64_t next = SCAN_AGAIN_BYTES;

	if (best->best.format == NULL && at < SCAN_SEARCH_BYTES)
		return at + SCAN_HEAD_BYTES;
	while (next <= at)
		next *= 4;
	return next;
}

/* Examine later pieces and the end, after a head with little evidence. Returns
 * 0 or -1. */
static int
search_on(struct detector *d, struct byte_source *r, struct detection *best,
    struct error *e)
{
	/* Offsets in the uncompressed text. */
	int64_t at = 0, next = next_piece(best, 0);

	for (;;) {
		int64_t end = at + (int64_t)r->len, keep;

		for (; next + SCAN_HEAD_BYTES <= end;
		     next = next_piece(best, next))
			if (detector_may_look(d, next) &&
			    look_further(d, r->data + (next - at), best))
				return 0;
		if (r->last)
			break;
		keep = end > SCAN_HEAD_BYTES ? end - SCAN_HEAD_BYTES : 0;
		if (keep > next)
			keep = next;
		if (keep < at)
			keep = at;
		if (byte_source_next(r, (size_t)(keep - at), e) < 0)
			return -1;
		at = keep;
	}
	if (at + (int64_t)r->len > SCAN_HEAD_BYTES)
		look_further(d, r->data + r->len - SCAN_HEAD_BYTES, best);
	return 0;
}

/* Find s->now.format for s->reader's file and leave the reader at its start.
 * Returns 0, or -1 if the file cannot be read. */
static int
find_format(struct scanner *s, struct error *e)
{
	struct byte_source *r = &s->reader;
	struct log *log = s->now.log;
	const int whole = r->last && r->len <= SCAN_HEAD_BYTES;
	struct detection found;

	s->now.format = s->options.forced;
	if (s->now.format != NULL)
		return 0;
	detector_new_file(s->detector);
	detector_run(s->detector, r->data, head_len(r), &found);
	if (detection_is_vague(&found) && !whole &&
	    (search_on(s->detector, r, &found, e) != 0 ||
		byte_source_rewind(r, e) != 0))
		return -1;
	log->runner_up = found.runner_up.format;
	s->now.format = found.best.format;
	s->now.alone = whole && found.alone;
	log->detection_cut = detector_was_cut(s->detector) ||
	    (s->now.format == NULL && !whole &&
		memchr(r->data, '\n', head_len(r)) == NULL);
	return 0;
}

/* --- A file ---------------------------------------------------------------*/

const char *
stamp_find(const char *s, size_t len, size_t *size)
{
	enum { DATE = sizeof "2020-10-13T" - 1, LEAST = DATE + 8 };
	const char *end = s + len, *colon = s + DATE + 2;
	double seconds;

	if (len < LEAST)
		return NULL;
	for (; (colon = memchr(colon, ':', (size_t)(end - colon))) != NULL;
	     colon++) {
		const char *at = colon - (DATE + 2);
		size_t n = DATE;

		if (end - at < LEAST || (at[4] != '-' && at[4] != '/') ||
		    at[DATE + 5] != ':' ||
		    (at > s && at[-1] >= '0' && at[-1] <= '9'))
			continue;
		while (at + n < end && at[n] != '\0' &&
		    strchr("0123456789:.,+-Z", at[n]) != NULL)
			n++;
		for (; n >= LEAST; n--)
			if (stamp_parse(at, n, &seconds) == STAMP_DATE) {
				*size = n;
				return at;
			}
	}
	return NULL;
}

/* The first date with a time near the start of a line of the log's head. */
static const char *
first_stamp(const char *text, size_t len, struct arena *a)
{
	for (size_t n = 0; len > 0 && n < STAMP_LINES; n++) {
		const char *end = memchr(text, '\n', len);
		const size_t line = end != NULL ? (size_t)(end - text) : len;
		size_t size;
		const char *stamp = stamp_find(
		    text, line < STAMP_COLUMNS ? line : STAMP_COLUMNS, &size);

		if (stamp != NULL)
			return arena_strndup(a, stamp, size);
		len -= end != NULL ? line + 1 : len;
		text += line + 1;
	}
	return NULL;
}

static int
read_lines(struct scanner *s, struct error *e)
{
	struct byte_source *r = &s->reader;
	struct log *log = s->now.log;
	struct sample_store *samples = &log->samples;
	struct line_walker w;
	double share;
	size_t used;

	/* The length of a compressed text is known only at its end. */
	if (byte_source_is_plain(r) && r->size > TAIL_VALUES_BYTES)
		s->now.tail_from = r->size - TAIL_VALUES_BYTES;
	line_walker_init(&w, SCAN_MAX_LINE);
	w.lazy = 1;
	for (int first = 1;; first = 0) {
		used = line_walker_consume(&w, r->data, r->len,
		    r->last && !s->skip_incomplete, scan_line, s);
		s->now.data_at += (int64_t)used;
		if (first) {
			log->settings = stated_settings_read(r->data,
			    head_len(r), log_first_step(log), &log->arena);
			log->first_stamp =
			    first_stamp(r->data, head_len(r), &log->arena);
		}
		share = (double)s->now.data_at / (double)r->size;
		/* Reserve memory for the samples of a large file, estimated
		 * from its first bytes: growing the array step by step would
		 * copy all samples again and again. */
		if (first && byte_source_is_plain(r) && share > 0 &&
		    share < 0.05)
			samples->items = vec_grow(samples->items,
			    (size_t)((double)samples->n / share * 1.05),
			    &samples->alloc, sizeof *samples->items);
		if (r->last)
			break;
		if (byte_source_next(r, used, e) < 0)
			return -1;
	}
	log->lines = line_walker_lines(&w);
	log->n_long_lines = w.n_long;
	return 0;
}

/* Keep only the samples of the training's progress bars: those with the same
 * number of iterations as the bar that took longest. Evaluation bars otherwise
 * look the same. */
static void
keep_longest_bar(struct sample_store *all)
{
	int32_t iters = SAMPLE_NONE;
	double most = 0;
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct sample *x = &all->items[i];

		if (x->value * x->iter > most) {
			most = x->value * x->iter;
			iters = x->iters;
		}
	}
	for (size_t i = 0; i < all->n; i++)
		if (all->items[i].iters == iters)
			all->items[n++] = all->items[i];
	all->n = n;
}

static int
scan_open_file(struct scanner *s, struct error *e)
{
	struct log *log = s->now.log;
	struct other_steps other = { .format = NULL };
	const struct format *f;

	if (s->reader.len == 0 && s->reader.last)
		return s->reader.truncated
		    ? error_set(e, ERROR_INPUT,
			  "the compressed data end before any text")
		    : error_set(e, ERROR_EMPTY, "the file is empty");
	if (find_format(s, e) != 0)
		return -1;
	f = s->now.format;
	if (f != NULL) {
		matcher_new_log(s->matcher);
		if (f->timeline)
			s->now.events = horovod_timeline_new();
		log->format = f;
		log->meaning = &f->meaning;
		set_roles(s, ALL_ROLES);
		/* Trust --log-format. */
		s->now.collects =
		    s->options.forced == NULL && !s->now.alone && !f->timeline;
		s->now.metadata_open = s->set->metadata.n > 0;
		s->now.metadata_work = SCAN_METADATA_WORK;
		for (size_t i = 0; i < f->n_gives; i++)
			scanner_add_metadata(s, f->gives[i].key,
			    arena_strdup(&log->arena, f->gives[i].value));
	}
	if (read_lines(s, e) != 0)
		return -1;
	if (f == NULL)
		return 0;
	if (s->now.events != NULL)
		horovod_timeline_end(s->now.events, log);
	scanner_fill_tail(s);
	if (f->echo == ECHO_BAR)
		keep_longest_bar(&log->samples);
	scanner_look_beside(s);
	scanner_add_any_metadata(s);
	if (s->now.collects)
		detector_find_other(
		    s->detector, f, &s->now.unread.types, &other);
	log->other_name = other.format != NULL ? other.format->name : NULL;
	log->other_steps = other.steps;
	log->other_line = other.first_line;
	log->other_more = s->now.unread.overflowed;
	return 0;
}

int
scanner_scan(
    struct scanner *s, const char *path, const char *shown, struct log *log)
{
	struct byte_source *r = &s->reader;
	int rc;

	log_init(log);
	log->path = arena_strdup(&log->arena, path);
	log->shown = arena_strdup(&log->arena, shown);
	release_state(&s->now);
	s->now = (struct scan_state){
		.log = log, .search.signs = &log->signs, .tail_from = -1
	};
	matcher_new_log(s->matcher);
	rc = byte_source_open(r, path, !s->options.no_hash, &log->problem);
	if (rc == 0) {
		rc = scan_open_file(s, &log->problem);
		if (rc == 0)
			byte_source_hash(r, log->hash);
		byte_source_close(r);
		log->bytes = r->bytes;
		log->truncated = r->truncated;
		log->trailing = r->trailing;
	}
	if (rc != 0)
		error_prefix(&log->problem, "%s", shown);
	return rc;
}

/* --- Samples of formats, matched like lines of a log -----------------------*/

enum { EVERY_ROLE = FIELD_NAME_IN(N_ROLES) - 1 };

/* State of comparing a sample with its expectations. */
struct check {
	const struct format *f;
	const struct format_sample *sample;
	size_t next; /* next expectation */
	int on_step; /* 1: a step pattern matched */
	int failed;  /* -1: e is set */
	struct error *e;
};

/* The value of key in a match, in buf or in the line, or NULL. */
static const char *
match_value(const struct check *c, const struct match *match, const char *key,
    char buf[64], size_t *len)
{
	const struct capture *capture = pattern_capture(match->pattern, key);
	const int is_value = strcmp(key, "value") == 0;
	struct log_units units;
	struct sample s = { .line = 0 };
	const char *text =
	    capture != NULL ? match_text(match, capture, len) : NULL;

	/* The rank may come from the pattern or from the prefix. */
	if (text != NULL)
		return text;
	for (size_t i = 0; i < match->pattern->n_gives; i++) {
		if (strcmp(match->pattern->gives[i].key, key) == 0) {
			*len = strlen(match->pattern->gives[i].value);
			return match->pattern->gives[i].value;
		}
	}
	if (strcmp(key, "rank") == 0 && match->rank != SAMPLE_NONE) {
		*len = (size_t)snprintf(buf, 64, "%d", (int)match->rank);
		return buf;
	}
	if (strcmp(key, "worker") == 0 && match->worker != NULL) {
		*len = match->worker_len;
		return match->worker;
	}
	if ((!is_value && strcmp(key, "seconds") != 0) ||
	    match->pattern->role != ROLE_STEP ||
	    sample_from_match(&s, &units, 0, &c->f->meaning, match) != 0)
		return NULL;
	*len = (size_t)snprintf(buf, 64, "%.17g", is_value ? s.value : s.stamp);
	return buf;
}

static void
check_pairs(
    struct check *c, const struct expectation *x, const struct match *match)
{
	for (size_t i = 0; i < x->n_pairs && !c->failed; i++) {
		const struct expected_pair *pair = &x->pairs[i];
		const char *want = pair->value;
		char buf[64];
		size_t len = 0;
		const char *got = match_value(c, match, pair->key, buf, &len);
		double a, b;

		if (got == NULL)
			c->failed = source_error(c->e, &c->f->src, pair->at,
			    "the match of pattern '%s' has no '%s'", x->name,
			    pair->key);
		/* Compare as numbers if both are numbers, else as texts. */
		else if ((strlen(want) != len || memcmp(want, got, len) != 0) &&
		    (number_parse(want, strlen(want), &a) != UNITS_OK ||
			number_parse(got, len, &b) != UNITS_OK || a < b ||
			a > b))
			c->failed = source_error(c->e, &c->f->src, pair->at,
			    "%s is '%.*s' in the sample on line %ld, not '%s'",
			    pair->key, (int)len, got,
			    source_line(&c->f->src, c->sample->text), want);
	}
}

static void
check_match(void *arg, const struct match *match)
{
	struct check *c = arg;
	const struct expectation *x = &c->sample->expects[c->next];
	const char *at = c->sample->text + match->base + match->ov[0];

	c->on_step |= match->pattern->role == ROLE_STEP;
	if (c->failed)
		return;
	if (c->next == c->sample->n_expects || x->pattern == NULL) {
		c->failed = source_error(c->e, &c->f->src, at,
		    "pattern '%s' matches here, but no 'expect' names it",
		    match->pattern->name);
		return;
	}
	c->next++;
	if (strcmp(match->pattern->name, x->name) != 0) {
		c->failed = source_error(c->e, &c->f->src, at,
		    "pattern '%s' matches here, where line %ld expects '%s'",
		    match->pattern->name, source_line(&c->f->src, x->at),
		    x->name);
		return;
	}
	check_pairs(c, x, match);
}

/* Report a missing match, with how far its pattern matched. */
static void
report_missing(struct check *c, const struct expectation *x)
{
	const struct pattern *p = x->pattern;
	struct nearest_pattern n;

	c->failed = -1;
	if (p->role == ROLE_DETAIL && !c->on_step)
		source_error(c->e, &c->f->src, x->at,
		    "detail '%s' counts only on the line of a step; use "
		    "'result' for lines of their own",
		    x->name);
	else if (p->role == ROLE_RESULT && c->on_step)
		source_error(c->e, &c->f->src, x->at,
		    "result '%s' counts only on lines without a step; use "
		    "'detail' for lines of a step",
		    x->name);
	else if (c->next == 0 &&
	    nearest_pattern_find(
		&c->f, 1, EVERY_ROLE, c->sample->text, c->sample->len, &n))
		source_error(c->e, &c->f->src, c->sample->text + n.end,
		    "the sample does not match: "
		    "'%s' matches up to here, then needs '%.40s'",
		    n.pattern->name, n.rest);
	else
		source_error(c->e, &c->f->src, x->at,
		    "pattern '%s' does not match%s the sample on line %ld",
		    x->name, c->next > 0 ? " again in" : "",
		    source_line(&c->f->src, c->sample->text));
}

int
format_self_test(
    const struct format_set *set, const struct format *f, struct error *e)
{
	struct check c = { .f = f, .e = e };
	struct matcher *m = matcher_new(set);

	for (size_t i = 0; !c.failed && i < f->n_samples; i++) {
		const struct format_sample *s = &f->samples[i];
		const int lines =
		    f->file == FORMAT_FILE || f->file == FORMAT_FILE_METADATA;
		struct match match;

		c.sample = s;
		c.next = 0;
		c.on_step = 0;
		if (lines)
			matcher_line(
			    m, f, EVERY_ROLE, s->text, s->len, check_match, &c);
		/* Paths and prefixes match each pattern at most once. */
		for (size_t k = 0; !lines && k < f->n_patterns; k++)
			if (matcher_one(m, &f->patterns[k], s->text, s->len, 0,
				&match) &&
			    (match.pattern->role != ROLE_PREFIX ||
				match.ov[0] == 0))
				check_match(&c, &match);
		if (!c.failed && c.next < s->n_expects &&
		    s->expects[c.next].pattern != NULL)
			report_missing(&c, &s->expects[c.next]);
	}
	if (!c.failed && *matcher_limits(m) > 0)
		c.failed = source_error(e, &f->src, f->src.text,
		    "a pattern reaches the match limit of %d on a sample",
		    FORMAT_MATCH_LIMIT);
	matcher_free(m);
	return c.failed;
}

int
format_self_test_users(const struct format_set *set, struct error *e)
{
	for (int k = 0; k < N_FORMAT_FILES; k++)
		for (size_t i = 0; i < set->kinds[k].n; i++) {
			const struct format *f = set->kinds[k].items[i];

			if (f->user && format_self_test(set, f, e) != 0)
				return -1;
		}
	return 0;
}
