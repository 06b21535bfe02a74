/* Reads a log file, at once or as it grows: finds its format, matches its
 * lines, and completes the log. */
#include <config.h>

#include "extract/scan/scan_file.h"

#include <string.h>

#include "common/alloc.h"
#include "extract/scan/scanner_state.h"

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

	if (scanner_find_format(s, &head, e) != 0)
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
		    ? error_set(
			  e, ERROR_INPUT, "the packed data end before any text")
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
	if (scanner_find_format(s, &found, e) != 0)
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
