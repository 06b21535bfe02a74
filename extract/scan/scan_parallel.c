/* Threads over the parts of one large file.  A part is some lines, taken by a
 * scanner of its own as if nothing were before them, into a log of its own; the
 * logs are joined in the order of the file, in which the parts are hashed, too.
 * Formats in which a line depends on those before it stay with one thread, and
 * so does a file in which something turns up that does. */
#include <config.h>

#include "extract/scan/scanner_state.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/alloc.h"

/* What became of a part. */
struct scan_part_result {
	int64_t begin, end; /* bytes of the file */
	int64_t lines, n_long;
	struct log log;
	struct unread_lines *unread; /* or NULL: they are not asked for */
	int done;                    /* 1: that is what it holds */
};

/* What the threads share. */
struct parallel_scan {
	struct scanner *whole;
	int64_t size;
	/* Of the whole, which goes on with the start of the file meanwhile. */
	const struct format *format;
	const struct meaning *meaning;
	unsigned roles;        /* of lines after the start */
	int watches;           /* 1: lines that no pattern matches are noted */
	pthread_mutex_t lock;  /* guards what follows */
	pthread_cond_t turned; /* hashed or failed has changed */
	int64_t next;          /* the first byte of the part to come */
	int64_t hashed; /* bytes that are in the hash; -1: the thread that
			   scans the start may still put some in */
	struct scan_part_result *
	    *parts; /* [n_parts] each is written by one thread until
	                         all have ended */
	size_t n_parts, alloc_parts;
	size_t start_samples; /* that the whole had of the start */
	int64_t joined_lines; /* -1: the start is still being scanned */
	size_t n_joined;      /* parts whose samples follow the start's */
	int failed;           /* 1: one thread has to do it all */
};

struct parallel_helper {
	struct parallel_scan *shared;
	struct scanner *scanner;
	pthread_t thread;
};

/* Does no line of the format depend on those before it? */
static int
lines_stand_alone(const struct format *f)
{
	if (f->echo != ECHO_NO || f->has_context || f->meaning.has_work ||
	    f->has_intervals || f->events != EVENTS_NONE ||
	    f->rest_roles &
		(FIELD_NAME_IN(ROLE_BEGIN) | FIELD_NAME_IN(ROLE_END)))
		return 0;
	for (size_t i = 0; i < f->n_patterns; i++)
		if (f->patterns[i].csv != NULL)
			return 0; /* its header row */
	return 1;
}

int
scanner_parts_allowed(const struct scanner *s)
{
	return s->parts.threads > 1 && !s->parts_tried &&
	    s->now.format != NULL && !s->options.details &&
	    lines_stand_alone(s->now.format) &&
	    byte_source_has_parts(&s->reader) &&
	    s->reader.size >= 3 * (int64_t)s->parts.part_bytes;
}

/* --- A part ----------------------------------------------------------------*/

/* The first byte after the line in which the byte before `at` is. */
static int64_t
line_start(const struct parallel_scan *m, int64_t at)
{
	char buf[4096];

	if (at >= m->size)
		return m->size;
	for (at--; at < m->size;) {
		const ssize_t n =
		    pread(m->whole->reader.fd, buf, sizeof buf, (off_t)at);
		const char *end;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		end = memchr(buf, '\n', (size_t)n);
		if (end != NULL)
			return at + (end - buf) + 1;
		at += n;
	}
	return m->size;
}

/* Bytes of the next part: fewer towards the end, so that all threads end at the
 * same time, and else as many as are little work to join; where each is hashed
 * as a whole, no more than stay in the cache. */
static int64_t
part_size(const struct parallel_scan *m)
{
	const struct scan_parts *parts = &m->whole->parts;
	const int64_t usual = (int64_t)parts->part_bytes;
	const int64_t most = m->whole->reader.hashing ? usual : 4 * usual;
	const int64_t share =
	    (m->size - m->next) / (4 * (int64_t)parts->threads);

	if (share > most)
		return most;
	return share > usual / 4 ? share : usual / 4;
}

/* The next part for this thread, or NULL. */
static struct scan_part_result *
next_part(struct parallel_scan *m)
{
	struct scan_part_result *part = NULL;

	pthread_mutex_lock(&m->lock);
	if (m->next < m->size && !m->failed) {
		part = xcalloc(1, sizeof *part);
		part->begin = m->next;
		part->end = line_start(m, m->next + part_size(m));
		m->next = part->end;
		m->parts = vec_grow(
		    m->parts, m->n_parts, &m->alloc_parts, sizeof *m->parts);
		m->parts[m->n_parts++] = part;
	}
	pthread_mutex_unlock(&m->lock);
	return part;
}

static void
parallel_give_up(struct parallel_scan *m)
{
	pthread_mutex_lock(&m->lock);
	m->failed = 1;
	pthread_cond_broadcast(&m->turned);
	pthread_mutex_unlock(&m->lock);
}

/* --- The hash --------------------------------------------------------------*/

/* Bytes of the hash follow each other: each thread puts those of its part in
 * when the parts before it are, while they are in its cache. */

/* Is it the turn of n bytes from `at` on?
 *
 * wait  1: until it is
 *
 * Returns 1; 2: they are in, as what was read beyond the start is; 0; or -1:
 * one thread has to do it all. */
static int
hash_turn(struct parallel_scan *m, int64_t at, int64_t n, int wait)
{
	int turn;

	pthread_mutex_lock(&m->lock);
	while (wait && m->hashed < at && !m->failed)
		pthread_cond_wait(&m->turned, &m->lock);
	if (m->failed)
		turn = -1;
	else if (m->hashed < at)
		turn = 0;
	else
		turn = m->hashed < at + n ? 1 : 2;
	pthread_mutex_unlock(&m->lock);
	return turn;
}

static void
hash_pass_on(struct parallel_scan *m, int64_t hashed)
{
	pthread_mutex_lock(&m->lock);
	m->hashed = hashed;
	pthread_cond_broadcast(&m->turned);
	pthread_mutex_unlock(&m->lock);
}

/* Put what r, the reader of a part, holds into the hash.  No two threads put
 * bytes in at a time: parts do not overlap, so that the end of what is in the
 * hash lies within one of them.
 *
 * wait  1: until it is its turn
 *
 * Returns 1 if it is in, 0 if not, -1 as hash_turn. */
static int
hash_part(struct parallel_scan *m, const struct byte_source *r, int wait)
{
	int turn;

	if (!m->whole->reader.hashing)
		return 1;
	if (r->truncated)
		return -1;
	turn = hash_turn(m, byte_source_at(r), (int64_t)r->len, wait);
	if (turn == 1)
		hash_pass_on(m, byte_source_hash_part(&m->whole->reader, r));
	return turn == 2 ? 1 : turn;
}

/* --- Scanning a part -------------------------------------------------------*/

/* Is there something in it that depends on the lines before? */
static int
part_depends(const struct scanner *s, const struct scan_part_result *part)
{
	const struct log *log = &part->log;

	/* Numbers of texts that stand for ranks; what was matched before
	 * decides which pattern is asked, so which gives up; means. */
	return s->now.n_workers > 0 || log->n_match_limit > 0 ||
	    log->n_metadata > 0 || log->n_works > 0 || log->n_collectives > 0;
}

/* Scan what the reader holds, and put it into the hash: before, if it is its
 * turn, and if more comes after it.
 *
 * Returns 0; -1: one thread has to do it all. */
static int
scan_piece(struct scanner *s, struct parallel_scan *m, struct line_walker *w,
    size_t *used)
{
	const struct byte_source *r = &s->reader;
	const int hashed = hash_part(m, r, !r->last);

	if (hashed < 0)
		return -1;
	*used = scanner_consume(s, w, r->data, r->len, r->last);
	return hashed == 1 || hash_part(m, r, 1) == 1 ? 0 : -1;
}

/* Bytes of a part that are read before they are scanned.  A piece that does not
 * end its part waits for its turn to be hashed, so then it is all of it; else
 * pieces that stay in the cache. */
static size_t
at_once(const struct parallel_scan *m)
{
	return m->whole->reader.hashing ? 2 * m->whole->parts.part_bytes
					: BYTE_SOURCE_CHUNK;
}

static int
scan_part(struct parallel_helper *h, struct scan_part_result *part)
{
	struct parallel_scan *m = h->shared;
	struct scanner *s = h->scanner;
	struct byte_source *r = &s->reader;
	struct error e = ERROR_INIT;
	struct line_walker w;
	size_t used;
	int rc;

	log_init(&part->log);
	part->log.meaning = m->meaning;
	part->log.format = m->format;
	s->now.log = &part->log;
	s->now.format = m->format;
	scanner_reset(s);
	s->now.metadata_open = 0;
	scanner_set_roles(s, m->roles);
	if (m->watches)
		scanner_watch_unread(s);
	line_walker_init(&w, SCAN_MAX_LINE);
	rc = byte_source_open_part(
	    r, &m->whole->reader, part->begin, part->end, at_once(m), &e);
	while (rc >= 0) {
		rc = scan_piece(s, m, &w, &used);
		if (rc < 0 || r->last)
			break;
		rc = byte_source_next(r, used, &e);
	}
	byte_source_close(r);
	if (s->now.unread != NULL)
		line_templates_flush_unread(s->templates);
	part->unread = s->now.unread;
	s->now.unread = NULL;
	part->lines = line_walker_lines(&w);
	part->n_long = w.n_long;
	return rc < 0 || r->truncated || part_depends(s, part) ? -1 : 0;
}

/* --- Joining ---------------------------------------------------------------*/

/* The samples of all parts that follow each other are put after those of the
 * start as soon as they are there, by the thread that makes them so: a log of
 * 1 GB has 116,000 blocks of them. */
static void
join_samples(struct parallel_scan *m)
{
	struct sample_store *all = &m->whole->now.log->samples;

	while (m->joined_lines >= 0 && !m->failed && m->n_joined < m->n_parts &&
	    m->parts[m->n_joined]->done) {
		struct scan_part_result *part = m->parts[m->n_joined++];

		sample_store_join(all, &part->log.samples, m->joined_lines);
		m->joined_lines += part->lines;
	}
}

static void
end_part(struct parallel_scan *m, struct scan_part_result *part)
{
	pthread_mutex_lock(&m->lock);
	part->done = 1;
	join_samples(m);
	pthread_mutex_unlock(&m->lock);
}

/* The start has so many lines; from now on its log grows by joining. */
static void
end_start(struct parallel_scan *m, int64_t lines)
{
	pthread_mutex_lock(&m->lock);
	m->start_samples = m->whole->now.log->samples.n;
	m->joined_lines = lines;
	join_samples(m);
	pthread_mutex_unlock(&m->lock);
}

/* --- All of them -----------------------------------------------------------*/

static void *
parallel_work(void *arg)
{
	struct parallel_helper *h = arg;
	struct parallel_scan *m = h->shared;
	struct scan_part_result *part;

	while ((part = next_part(m)) != NULL) {
		const int rc = scan_part(h, part);

		if (rc == 0)
			end_part(m, part);
		else
			parallel_give_up(m);
	}
	return NULL;
}

static void
make_helpers(struct scanner *s, size_t n)
{
	s->helpers = xreallocarray(s->helpers, n, sizeof *s->helpers);
	while (s->n_helpers < n)
		s->helpers[s->n_helpers++] = scanner_new(s->set, &s->options);
}

/* Scan the start of the file, up to the byte `to`, where a line begins.
 *
 * Returns 0; 1 where what is asked of the start only is still asked; or -1. */
static int
scan_start(struct parallel_scan *m, struct line_walker *w, size_t *at,
    int64_t to, struct error *e)
{
	struct scanner *s = m->whole;
	struct byte_source *r = &s->reader;

	for (;;) {
		const int64_t left = to - byte_source_at(r);
		const size_t end =
		    left < (int64_t)r->len ? (size_t)left : r->len;

		*at += scanner_consume(s, w, r->data + *at, end - *at, 0);
		if (left <= (int64_t)r->len || r->last)
			break;
		if (byte_source_next(r, *at, e) < 0)
			return -1;
		*at = 0;
	}
	return s->now.roles != m->roles || w->open || w->cut;
}

/* Is all of the start available, so that the reader of the whole puts no more
 * into the hash? */
static int
start_is_read(const struct parallel_scan *m, int64_t to)
{
	const struct byte_source *r = &m->whole->reader;

	return byte_source_at(r) + (int64_t)r->len >= to;
}

/* What this thread does while the others take parts: the start, then parts
 * too.  Returns as scan_start. */
static int
parallel_lead(struct parallel_helper *h, struct line_walker *w, size_t *at,
    int64_t to, struct error *e)
{
	struct parallel_scan *m = h->shared;
	const int early = start_is_read(m, to);
	const int rc = scan_start(m, w, at, to, e);

	if (rc != 0) {
		parallel_give_up(m);
		return rc;
	}
	end_start(m, line_walker_lines(w));
	if (!early)
		hash_pass_on(m, m->whole->reader.hashed);
	parallel_work(h);
	return 0;
}

/* This thread and others, until no part is left.  Returns as scan_start. */
static int
parallel_run(struct parallel_scan *m, size_t n, struct line_walker *w,
    size_t *at, struct error *e)
{
	struct parallel_helper *helpers = xcalloc(n, sizeof *helpers);
	const int64_t to = m->next;
	size_t started = 1;
	int rc;

	m->hashed = start_is_read(m, to) ? m->whole->reader.hashed : -1;
	make_helpers(m->whole, n);
	for (size_t i = 0; i < n; i++)
		helpers[i] =
		    (struct parallel_helper){ m, m->whole->helpers[i], 0 };
	for (; started < n; started++)
		if (pthread_create(&helpers[started].thread, NULL,
			parallel_work, &helpers[started]) != 0)
			break; /* fewer do it too */
	rc = parallel_lead(&helpers[0], w, at, to, e);
	for (size_t i = 1; i < started; i++)
		pthread_join(helpers[i].thread, NULL);
	free(helpers);
	return rc;
}

static void
join_summaries(struct log *log, const struct log *more, int64_t lines)
{
	for (size_t i = 0; i < more->n_summaries; i++) {
		struct log_summary x = more->summaries[i];

		x.line += lines;
		if (x.text != NULL)
			x.text = arena_strdup(&log->arena, x.text);
		log->summaries = vec_grow(log->summaries, log->n_summaries,
		    &log->alloc_summaries, sizeof *log->summaries);
		log->summaries[log->n_summaries++] = x;
	}
}

static void
parallel_join(
    struct scanner *s, struct parallel_scan *m, const struct line_walker *w)
{
	struct log *log = s->now.log;

	log->lines = line_walker_lines(w);
	log->n_long_lines = w->n_long;
	for (size_t i = 0; i < m->n_parts; i++) {
		struct scan_part_result *part = m->parts[i];

		join_summaries(log, &part->log, log->lines);
		log_units_join(&log->units, &part->log.units);
		log->n_nul += part->log.n_nul;
		log->named_ranks |= part->log.named_ranks;
		log->n_invalid_utf8 += part->log.n_invalid_utf8;
		log->n_bad_values += part->log.n_bad_values;
		log->n_untimed += part->log.n_untimed;
		if (part->unread != NULL)
			unread_lines_join(
			    s->now.unread, part->unread, log->lines);
		log->lines += part->lines;
		log->n_long_lines += part->n_long;
	}
}

/* More summaries than are kept: which of them is for one thread to state. */
static int
too_many(const struct scanner *s, const struct parallel_scan *m)
{
	size_t n = s->now.log->n_summaries;

	for (size_t i = 0; i < m->n_parts; i++)
		n += m->parts[i]->log.n_summaries;
	return n >= SCANNER_MAX_SUMMARIES;
}

/* The first byte that no thread needs to know the start for: lines so far hold
 * as many bytes as metadata is looked for in, unless they are very short. */
static int64_t
start_end(const struct parallel_scan *m, size_t at)
{
	const struct scanner *s = m->whole;
	const int64_t here = byte_source_at(&s->reader) + (int64_t)at;
	const int64_t asked = s->parts.metadata_bytes;

	if (!(s->now.roles & FIELD_NAME_IN(ROLE_METADATA)))
		return line_start(m, here + 1);
	return line_start(m, here + asked + asked / 4 + 1);
}

static void
parallel_release(struct parallel_scan *m)
{
	for (size_t i = 0; i < m->n_parts; i++) {
		log_release(&m->parts[i]->log);
		unread_lines_free(m->parts[i]->unread);
		free(m->parts[i]);
	}
	free(m->parts);
	pthread_cond_destroy(&m->turned);
	pthread_mutex_destroy(&m->lock);
}

int
scanner_scan_parts(
    struct scanner *s, struct line_walker *w, size_t *at, struct error *e)
{
	struct byte_source *r = &s->reader;
	struct parallel_scan m = { .whole = s,
		.size = r->size,
		.format = s->now.format,
		.meaning = s->now.log->meaning,
		.roles = scanner_later_roles(s),
		.joined_lines = -1,
		.watches = s->now.unread != NULL };
	int64_t to;
	int rc;

	s->parts_tried = 1; /* not again in this file */
	m.next = to = start_end(&m, *at);
	if (to >= m.size)
		return 0;
	pthread_mutex_init(&m.lock, NULL);
	pthread_cond_init(&m.turned, NULL);
	rc = parallel_run(&m, s->parts.threads, w, at, e);
	if (rc == 0 && !m.failed && !too_many(s, &m)) {
		parallel_join(s, &m, w);
		byte_source_finish(r);
		rc = 1;
	} else {
		if (m.joined_lines >= 0)
			s->now.log->samples.n = m.start_samples;
		rc = rc > 0 ? 0 : rc;
	}
	parallel_release(&m);
	return rc;
}
