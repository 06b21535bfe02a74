/* A whole log file at once: find its format, read it through, in parts where
 * that is allowed.  Called by the job; what becomes of matches is in
 * scan_emit.c. */
#include <config.h>

#include "extract/scan/known_file.h"
#include "extract/scan/tail_values.h"
#include "extract/scan/scan_file.h"

#include "extract/scan/scanner_state.h"

/* Bytes that are done but stay available: what was unpacked cannot be read
 * again for its last lines' values.  One more than these are, so that a line
 * that begins before them is seen to be cut.
 *
 * at  bytes that are done */
static size_t
bytes_to_keep(const struct byte_source *r, size_t at)
{
	const size_t most = TAIL_VALUES_BYTES + 1;

	if (byte_source_has_parts(r))
		return 0;
	return at < most ? at : most;
}

/* Does someone ask for lines before all are read, and do samples stay what they
 * are? */
static int
is_watched(const struct scanner *s)
{
	const struct format *f = s->now.format;

	return s->watch != NULL && f != NULL && f->echo != ECHO_BAR &&
	    !f->has_intervals && f->events == EVENTS_NONE;
}

/* Take the lines of what the reader has available from the byte at on.  Returns
 * the bytes that are done. */
static size_t
take_available(struct scanner *s, struct line_walker *w, size_t at)
{
	const struct byte_source *r = &s->reader;
	size_t most = SCAN_WATCH_BYTES;

	if (!is_watched(s))
		return at +
		    scanner_consume(s, w, r->data + at, r->len - at, r->last);
	for (;;) {
		const size_t left = r->len - at, n = left < most ? left : most;
		const size_t used = scanner_consume(
		    s, w, r->data + at, n, r->last && n == left);

		at += used;
		s->now.details_go = s->watch(s->watch_arg, s->now.log);
		if (n == left)
			return at;
		most = used > 0 ? SCAN_WATCH_BYTES : 2 * most;
	}
}

/* Cut the whole file into lines and take each. */
static int
pass_file(struct scanner *s, struct error *e)
{
	struct byte_source *r = &s->reader;
	struct line_walker w;
	size_t at = 0, keep;

	line_walker_init(&w, SCAN_MAX_LINE);
	for (;;) {
		if (scanner_parts_allowed(s)) {
			const int rc = scanner_scan_parts(s, &w, &at, e);

			if (rc != 0)
				return rc < 0 ? -1 : 0;
		}
		at = take_available(s, &w, at);
		if (r->last)
			break;
		keep = bytes_to_keep(r, at);
		if (byte_source_next(r, at - keep, e) < 0)
			return -1;
		at = keep;
	}
	s->now.log->lines = line_walker_lines(&w);
	s->now.log->n_long_lines = w.n_long;
	return 0;
}

/* Find the file's format and take its lines. */
static int
read_file(struct scanner *s, struct error *e)
{
	struct detection head;

	if (scanner_find_format(s, &head, e) != 0)
		return -1;
	if (s->now.format != NULL)
		scanner_set_format(s);
	if (pass_file(s, e) != 0)
		return -1;
	if (s->now.format == NULL)
		return 0;
	event_reader_end(s->now.events, s->now.log);
	if (byte_source_has_parts(&s->reader) && byte_source_at(&s->reader) > 0)
		tail_values_of_file(
		    s, s->reader.fd, s->reader.bytes, s->now.log);
	else
		tail_values_of_text(
		    s, s->reader.data, s->reader.len, s->now.log);
	return 0;
}

static int
scan_open_file(struct scanner *s, struct error *e)
{
	const int whole = s->reader.last;

	if (s->reader.len == 0 && s->reader.last)
		return s->reader.truncated
		    ? error_set(
			  e, ERROR_INPUT, "the packed data end before any text")
		    : error_set(e, ERROR_EMPTY, "the file is empty");
	/* A file that is there as a whole is read up to its first step. */
	if (!whole)
		scanner_read_settings(s, INT64_MAX);
	if (!known_file_read(s) && read_file(s, e) != 0)
		return -1;
	if (s->now.format == NULL)
		return 0;
	if (whole)
		scanner_read_settings(s, log_first_step(s->now.log));
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
