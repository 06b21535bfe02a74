/* Reads a log file, at once or as it grows: finds its format, matches its
 * lines, and completes the log. */
#include <config.h>

#include "extract/scan/scan_file.h"

#include <string.h>

#include "common/alloc.h"
#include "extract/scan/scanner_state.h"

/* --- Detection ------------------------------------------------------------*/

static void
look_at_piece(
    struct detector *d, const char *data, size_t len, struct detection *out)
{
	detector_run(
	    d, data, len < SCAN_HEAD_BYTES ? len : SCAN_HEAD_BYTES, out);
}

/* Examine a later piece; best is the piece with the most evidence. Returns 1 if
 * no other piece is needed. */
static int
look_further(struct detector *d, const char *data, struct detection *best)
{
	struct detection x;

	look_at_piece(d, data, SCAN_HEAD_BYTES, &x);
	if (!detection_is_vague(&x) || detection_is_better(&x, best))
		*best = x;
	return !detection_is_vague(&x);
}

static int
is_blank(const struct detection *x)
{
	return x->best.format == NULL;
}

/* Offset of the next piece: all pieces if nothing was found, else a few. */
static int64_t
next_piece(const struct detection *best, int64_t at)
{
	int64_t next = SCAN_AGAIN_BYTES;

	if (is_blank(best) && at < SCAN_SEARCH_BYTES)
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
	int64_t at = 0;
	int64_t next = is_blank(best) ? SCAN_HEAD_BYTES : SCAN_AGAIN_BYTES;

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

/* Detect the format of an open file, and leave the reader at its start.
 *
 * head  out: result for the head
 * best  out: result for the piece with the most evidence
 *
 * Returns 0, or -1 if the file cannot be read. */
static int
detect_file(struct detector *d, struct byte_source *r, struct detection *head,
    struct detection *best, struct error *e)
{
	detector_new_file(d);
	look_at_piece(d, r->data, r->len, head);
	*best = *head;
	if (!detection_is_vague(best) || (r->last && r->len <= SCAN_HEAD_BYTES))
		return 0;
	return search_on(d, r, best, e) != 0 ? -1 : byte_source_rewind(r, e);
}

/* True if the head of the file contains a complete line. */
static int
has_line(const struct byte_source *r)
{
	const int all = r->last && r->len <= SCAN_HEAD_BYTES;
	const size_t len = r->len < SCAN_HEAD_BYTES ? r->len : SCAN_HEAD_BYTES;

	return all || memchr(r->data, '\n', len) != NULL;
}

/* Find s->format for s->reader's file and leave the reader at its start.
 *
 * head  out: result for the head; not set if the format is given
 *
 * Returns 0, or -1 if the file cannot be read. */
static int
find_format(struct scanner *s, struct detection *head, struct error *e)
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

/* --- A complete file ------------------------------------------------------*/

/* Reserve memory for the samples of a large file, estimated from its first
 * bytes. */
static void
reserve_samples(struct scanner *s)
{
	struct sample_store *samples = &s->now.log->samples;
	const double share = (double)s->now.data_at / (double)s->reader.size;

	if (byte_source_is_plain(&s->reader) && share > 0 && share < 0.05)
		samples->items = vec_reserve(samples->items,
		    (size_t)((double)samples->n / share * 1.05),
		    &samples->alloc, sizeof *samples->items);
}

static int
pass_file(struct scanner *s, struct error *e)
{
	struct byte_source *r = &s->reader;
	struct line_walker w;
	size_t at;

	line_walker_init(&w, SCAN_MAX_LINE);
	for (int first = 1;; first = 0) {
		at = scanner_consume(s, &w, r->data, r->len, r->last);
		if (first) {
			scanner_read_settings(s, log_first_step(s->now.log));
			reserve_samples(s);
		}
		if (r->last)
			break;
		if (byte_source_next(r, at, e) < 0)
			return -1;
	}
	s->now.log->lines = line_walker_lines(&w);
	s->now.log->n_long_lines = w.n_long;
	return 0;
}

static int
read_file(struct scanner *s, struct error *e)
{
	struct byte_source *r = &s->reader;
	struct detection head;

	if (find_format(s, &head, e) != 0)
		return -1;
	if (s->now.format != NULL)
		scanner_set_format(s);
	/* The length of a compressed text is known only at its end. */
	if (byte_source_is_plain(r) && r->size > TAIL_VALUES_BYTES)
		s->now.tail_from = r->size - TAIL_VALUES_BYTES;
	if (pass_file(s, e) != 0)
		return -1;
	if (s->now.format == NULL)
		return 0;
	if (s->now.events != NULL)
		horovod_timeline_end(s->now.events, s->now.log);
	tail_values_fill(&s->now.tail, s->now.data_at, s->now.log);
	return 0;
}

static int
scan_open_file(struct scanner *s, struct error *e)
{
	if (s->reader.len == 0 && s->reader.last)
		return s->reader.truncated
		    ? error_set(e, ERROR_INPUT,
			  "the compressed data end before any "
			  "text")
		    : error_set(e, ERROR_EMPTY, "the file is empty");
	if (read_file(s, e) != 0)
		return -1;
	if (s->now.format == NULL)
		return 0;
	if (s->now.format->echo == ECHO_BAR) {
		const struct sample_store kept =
		    sample_store_longest_bar(&s->now.log->samples);

		sample_store_release(&s->now.log->samples);
		s->now.log->samples = kept;
	}
	scanner_add_any_metadata(s);
	scanner_find_other(s, s->now.log);
	return 0;
}

int
scanner_scan(
    struct scanner *s, const char *path, const char *shown, struct log *log)
{
	struct byte_source *r = &s->reader;
	int rc;

	scanner_begin_log(s, path, shown, log);
	rc = byte_source_open(r, path, !s->options.no_hash, &log->problem);
	if (rc == 0) {
		rc = scan_open_file(s, &log->problem);
		if (rc == 0)
			byte_source_hash(r, log->hash);
		byte_source_close(r);
		log->bytes = r->bytes;
		log->truncated = r->truncated != BYTES_ALL;
		log->records_cut = r->truncated == BYTES_OF_RECORDS;
		log->trailing = r->trailing;
	}
	if (rc != 0)
		error_prefix(&log->problem, "%s", shown);
	return rc;
}

/* --- A file that grows ----------------------------------------------------*/

/* True if the state between two lines is entirely in struct scan_memory. */
static int
can_go_on(const struct format *f)
{
	for (size_t i = 0; i < f->n_patterns; i++)
		if (f->patterns[i].csv != NULL)
			return 0; /* the matcher holds the header */
	return f->events == EVENTS_NONE;
}

/* Find the format of the open file, without consuming it. */
static enum scan_begun
begin_file(struct scanner *s, struct error *e)
{
	struct byte_source *r = &s->reader;
	struct detection found;
	int settled;

	if (r->len == 0 && r->last) {
		error_set(e, ERROR_EMPTY, "the file is empty");
		return SCAN_FAILED;
	}
	if (!byte_source_is_plain(r))
		return SCAN_WHOLE;
	settled = r->len >= SCAN_HEAD_BYTES;
	if (find_format(s, &found, e) != 0)
		return SCAN_FAILED;
	s->now.alone = 0; /* the file may grow */
	if (s->now.format != NULL && !can_go_on(s->now.format))
		return SCAN_WHOLE;
	if (s->now.format != NULL)
		scanner_set_format(s);
	scanner_read_settings(s, INT64_MAX);
	return settled &&
		(s->options.forced != NULL || !detection_is_vague(&found))
	    ? SCAN_SETTLED
	    : SCAN_OPEN;
}

enum scan_begun
scanner_begin(
    struct scanner *s, const char *path, const char *shown, struct log *log)
{
	struct byte_source *r = &s->reader;
	enum scan_begun begun = SCAN_FAILED;

	scanner_begin_log(s, path, shown, log);
	if (byte_source_open(r, path, 0, &log->problem) == 0) {
		begun = begin_file(s, &log->problem);
		log->bytes = r->bytes;
		byte_source_close(r);
	}
	if (begun == SCAN_FAILED)
		error_prefix(&log->problem, "%s", shown);
	return begun;
}

size_t
scanner_feed(struct scanner *s, struct line_walker *w, const char *data,
    size_t len, int last)
{
	return scanner_consume(s, w, data, len, last);
}

void
scanner_view(struct scanner *s, const struct line_walker *w, struct log *view)
{
	struct log *log = s->now.log;

	*view = *log;
	view->lines = line_walker_lines(w);
	view->n_long_lines = w->n_long;
	view->borrowed = 1;
	view->alloc_metadata = log->n_metadata;
	view->metadata = xcalloc(log->n_metadata + 1, sizeof *view->metadata);
	if (log->n_metadata > 0)
		memcpy(view->metadata, log->metadata,
		    log->n_metadata * sizeof *view->metadata);
	if (s->now.format == NULL)
		return;
	if (s->now.format->echo == ECHO_BAR) {
		view->samples = sample_store_longest_bar(&log->samples);
		view->borrowed = 2;
	}
	tail_values_fill(&s->now.tail, s->now.data_at, view);
	s->now.log = view;
	scanner_add_any_metadata(s);
	scanner_find_other(s, view);
	s->now.log = log;
}
