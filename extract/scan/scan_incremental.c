/* A log file piece by piece, for file_follow.c: the same as scan_file.c,
 * with what is known of the file kept outside of the scanner meanwhile. */
#include <config.h>

#include "extract/scan/scanner_state.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"

/* Is all that is known between two lines in the scanner's memory? */
static int
can_go_on(const struct format *f)
{
	for (size_t i = 0; i < f->n_patterns; i++)
		if (f->patterns[i].csv != NULL)
			return 0; /* the matcher knows the header */
	return f->events == EVENTS_NONE;
}

/* Find the format of the file that is open; leave all of it to be read. */
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
	if (r->codec != NULL)
		return SCAN_WHOLE;
	settled = r->len >= SCAN_HEAD_BYTES;
	if (scanner_find_format(s, &found, e) != 0)
		return SCAN_FAILED;
	s->now.alone = 0; /* more may come */
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
	s->now.log = view;
	scanner_add_any_metadata(s);
	scanner_find_other(s, view);
	s->now.log = log;
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

	if (s->now.unread != NULL)
		line_templates_flush_unread(s->templates);
	*m = s->now;
	s->now = other;
	line_templates_new_log(s->templates, s->now.unread);
	/* The templates are perhaps another format's. */
	if (s->now.format != NULL)
		scanner_set_roles(s, s->now.roles);
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
	event_reader_free(m->events);
	unread_lines_free(m->unread);
}
