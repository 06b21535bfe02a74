/* Reads a log file: finds its format, matches its lines, and completes the
 * log. */
#include <config.h>

#include "extract/scan/scan_file.h"

#include <string.h>

#include "common/alloc.h"
#include "extract/log/stated_settings.h"
#include "extract/scan/scanner_state.h"

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
	log->detection_cut = detector_was_cut(s->detector);
	log->runner_up = found.runner_up.format;
	s->now.format = found.best.format;
	s->now.alone = whole && found.alone;
	log->long_start = s->now.format == NULL && !whole &&
	    memchr(r->data, '\n', head_len(r)) == NULL;
	return 0;
}

/* --- Lines ----------------------------------------------------------------*/

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
read_lines(struct scanner *s, struct error *e)
{
	struct byte_source *r = &s->reader;
	struct log *log = s->now.log;
	struct line_walker w;
	size_t used;

	/* The length of a compressed text is known only at its end. */
	if (byte_source_is_plain(r) && r->size > TAIL_VALUES_BYTES)
		s->now.tail_from = r->size - TAIL_VALUES_BYTES;
	line_walker_init(&w, SCAN_MAX_LINE);
	for (int first = 1;; first = 0) {
		used = scanner_consume(
		    s, &w, r->data, r->len, r->last && !s->skip_incomplete);
		if (first) {
			log->settings = stated_settings_read(r->data,
			    head_len(r), log_first_step(log), &log->arena);
			reserve_samples(s);
		}
		if (r->last)
			break;
		if (byte_source_next(r, used, e) < 0)
			return -1;
	}
	log->lines = line_walker_lines(&w);
	log->n_long_lines = w.n_long;
	return 0;
}

static int
scan_open_file(struct scanner *s, struct error *e)
{
	struct log *log = s->now.log;

	if (s->reader.len == 0 && s->reader.last)
		return s->reader.truncated
		    ? error_set(e, ERROR_INPUT,
			  "the compressed data end before any text")
		    : error_set(e, ERROR_EMPTY, "the file is empty");
	if (find_format(s, e) != 0)
		return -1;
	if (s->now.format != NULL)
		scanner_set_format(s);
	if (read_lines(s, e) != 0)
		return -1;
	if (s->now.format == NULL)
		return 0;
	if (s->now.events != NULL)
		horovod_timeline_end(s->now.events, log);
	scanner_fill_tail(s);
	if (s->now.format->echo == ECHO_BAR) {
		const struct sample_store kept =
		    sample_store_longest_bar(&log->samples);

		sample_store_release(&log->samples);
		log->samples = kept;
	}
	scanner_add_any_metadata(s);
	scanner_find_other(s);
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
