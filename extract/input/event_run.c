#include <config.h>

#include "extract/input/event_run.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "extract/input/byte_source.h"
#include "extract/input/stores/run_folder.h"

enum { MAX_PARTS = 4096 /* maximum files per run */ };

/* Range of a file's records with numbers at steps above 0. Step 0 holds the
 * configuration, which is written again at every start. */
struct event_part {
	char *path;
	int any; /* 1: has at least one such record */
	double first_time, last_time;
	long long first_step;
};

struct event_parts {
	struct event_part *items; /* by the time of their first record */
	size_t n;
};

/* --- names ---------------------------------------------------------------- */

int
event_run_has(const char *name)
{
	static const char empty[] = ".profile-empty";
	const size_t len = strlen(name), n = sizeof empty - 1;

	/* Written by the profiler plugin; never contains scalars. */
	if (len > n && strcmp(name + len - n, empty) == 0)
		return 0;
	return strstr(name, "tfevents") != NULL;
}

/* Folder of a path that ends in EVENT_RUN_NAME, else NULL. To be freed. */
static char *
run_folder_of(const char *path)
{
	const size_t len = strlen(path), n = strlen(EVENT_RUN_NAME);

	if (len < n || strcmp(path + len - n, EVENT_RUN_NAME) != 0 ||
	    (len > n && path[len - n - 1] != '/'))
		return NULL;
	return len == n ? xstrdup(".") : xstrndup(path, len - n);
}

static void
parts_release(struct event_parts *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->items[i].path);
	free(p->items);
}

/* --- what is in a file ---------------------------------------------------- */

/* True if a tag after time and step has a number. */
static int
has_number(const char *at, const char *end)
{
	for (; at + 2 < end; at++)
		if (at[0] == '"' && at[1] == ':' &&
		    (isdigit((unsigned char)at[2]) || at[2] == '-'))
			return 1;
	return 0;
}

/* Callback of event_text for each line. context is the struct event_part. */
static void
note_line(void *context, const char *line, const char *end)
{
	struct event_part *p = context;
	char head[128]; /* copied, since sscanf scans to the NUL */
	double time;
	long long step;
	int at = 0;

	snprintf(head, sizeof head, "%.*s", (int)(end - line), line);
	if (sscanf(head, "{\"wall_time\":%lf,\"step\":%lld%n", &time, &step,
		&at) != 2 ||
	    step <= 0 || !has_number(line + at, end))
		return;
	if (!p->any) {
		p->first_time = time;
		p->first_step = step;
	}
	p->any = 1;
	p->last_time = time;
}

/* Output of a file's lines and the file's number in the run. */
struct numbered_lines {
	struct strbuf *out;
	size_t number;
};

/* Append a line with the file's number after time and step. Files are like
 * epochs: the time between two files belongs to no step. */
static void
add_line(void *context, const char *line, const char *end)
{
	const struct numbered_lines *to = context;
	const char *comma = memchr(line, ',', (size_t)(end - line));

	if (comma != NULL)
		comma = memchr(comma + 1, ',', (size_t)(end - comma - 1));
	if (comma == NULL)
		return; /* no value */
	strbuf_add(to->out, line, (size_t)(comma - line));
	strbuf_printf(to->out, ",\"event_file\":%zu", to->number);
	strbuf_add(to->out, comma, (size_t)(end - comma));
	strbuf_addch(to->out, '\n');
}

/* --- which are one run ---------------------------------------------------- */

static int
by_time(const void *a, const void *b)
{
	const struct event_part *x = a, *y = b;

	if (x->first_time != y->first_time)
		return x->first_time < y->first_time ? -1 : 1;
	return strcmp(x->path, y->path);
}

/* Read the event files among the names, except files without records. Returns
 * 0; -1: a file cannot be read or is not an event file. */
static int
parts_read(struct event_parts *p, const char *folder, char *const *names,
    size_t n, int *cut, struct error *e)
{
	*p = (struct event_parts){ xcalloc(n + 1, sizeof *p->items), 0 };
	for (size_t i = 0; i < n; i++) {
		struct event_part *part = &p->items[p->n];

		if (!event_run_has(names[i]))
			continue;
		part->path = xasprintf("%s/%s", folder, names[i]);
		p->n++;
		if (p->n > MAX_PARTS ||
		    byte_source_each_line(
			part->path, note_line, part, cut, e) != 0)
			return -1;
		if (!part->any) {
			free(part->path);
			memset(part, 0, sizeof *part);
			p->n--;
		}
	}
	if (p->n > 1)
		qsort(p->items, p->n, sizeof *p->items, by_time);
	return 0;
}

/* True if each file continues the previous one. */
static int
parts_are_one(const struct event_parts *p)
{
	for (size_t i = 1; i < p->n; i++)
		if (p->items[i].first_time < p->items[i - 1].last_time ||
		    p->items[i].first_step <= p->items[0].first_step)
			return 0;
	return p->n > 1;
}

int
event_run_is(const char *path, char *const *names, size_t n)
{
	struct error ignored = ERROR_INIT;
	struct event_parts p;
	size_t n_events = 0;
	int cut = 0, is;

	for (size_t i = 0; i < n; i++)
		n_events += (size_t)event_run_has(names[i]);
	if (n_events < 2)
		return 0;
	is = parts_read(&p, path, names, n, &cut, &ignored) == 0 &&
	    parts_are_one(&p);
	parts_release(&p);
	return is;
}

/* --- the folder by its path ----------------------------------------------- */

int
event_run_is_at(const char *path)
{
	char *folder = run_folder_of(path), **names;
	int64_t n_hidden = 0;
	size_t n;
	int is;

	if (folder == NULL)
		return 0;
	names = folder_names_read(folder, &n, &n_hidden);
	is = names != NULL && event_run_is(folder, names, n);
	folder_names_free(names, n);
	free(folder);
	return is;
}

int
event_run_read(const char *path, struct strbuf *out, int *cut, struct error *e)
{
	struct event_parts p = { NULL, 0 };
	char *folder = run_folder_of(path), **names;
	int64_t n_hidden = 0;
	size_t n;
	int rc;

	names = folder_names_read(folder, &n, &n_hidden);
	rc = names == NULL ? error_errno(e, errno, "cannot open")
			   : parts_read(&p, folder, names, n, cut, e);
	if (rc == 0 && !parts_are_one(&p))
		rc = error_set(e, ERROR_INPUT,
		    "the event files of the folder are not one run");
	for (size_t i = 0; rc == 0 && i < p.n; i++) {
		struct numbered_lines to = { out, i + 1 };

		rc = byte_source_each_line(
		    p.items[i].path, add_line, &to, cut, e);
	}
	if (rc == 0 && out->full)
		rc = error_set(e, ERROR_LIMIT,
		    "the event files become more than 1 GiB of lines");
	parts_release(&p);
	folder_names_free(names, n);
	free(folder);
	return rc;
}
