/* MLflow's store: meta.yaml has run_id; metrics/NAME has a line "time in ms,
 * value, step" per value, params/NAME and tags/NAME hold one text each; a NAME
 * with slashes is a path (MLflow, store/tracking/file_store.py). */
#include <config.h>

#include "extract/input/run_folder.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fts.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/alloc.h"
#include "common/files/files.h"
#include "common/text.h"
#include "extract/input/byte_source.h"
#include "extract/input/encoding/records.h"

/* --- folders -------------------------------------------------------------- */

int
folder_read(struct folder *f, const char *path)
{
	DIR *d = opendir(path);
	size_t alloc = 0;
	struct dirent *entry;

	*f = (struct folder){ NULL, 0, 0 };
	if (d == NULL)
		return -1;
	while ((entry = readdir(d)) != NULL) {
		const char *name = entry->d_name;

		if (name[0] != '.') {
			f->names =
			    vec_grow(f->names, f->n, &alloc, sizeof *f->names);
			f->names[f->n++] = xstrdup(name);
		} else if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
			f->n_hidden++;
		}
	}
	closedir(d);
	if (f->n > 1)
		qsort(f->names, f->n, sizeof *f->names, text_order_at);
	return 0;
}

int
folder_has(const struct folder *f, const char *name)
{
	return f->n > 0 &&
	    bsearch(&name, f->names, f->n, sizeof *f->names, text_order_at) !=
	    NULL;
}

void
folder_release(struct folder *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->names[i]);
	free(f->names);
	*f = (struct folder){ NULL, 0, 0 };
}

/* Read a file of a folder, NULL if there is none. The caller frees it. */
static char *
read_optional(const char *path, const char *name, size_t *len)
{
	char *file = xasprintf("%s/%s", path, name), *text;
	struct error missing = ERROR_INIT;

	text = read_whole_file(file, len, &missing);
	free(file);
	return text;
}

int
run_folder_is(const char *path, const struct folder *f)
{
	char *text;
	size_t len;
	int is;

	if (folder_has(f, "wandb-history.jsonl"))
		return 1;
	if (!folder_has(f, "meta.yaml") || !folder_has(f, "metrics"))
		return 0;
	/* Experiments and models have no run_id. (MLflow before 1.0 wrote
	 * run_uuid.) */
	text = read_optional(path, "meta.yaml", &len);
	is = text != NULL &&
	    (strncmp(text, "run_id:", 7) == 0 ||
		strncmp(text, "run_uuid:", 9) == 0 ||
		strstr(text, "\nrun_id:") != NULL ||
		strstr(text, "\nrun_uuid:") != NULL);
	free(text);
	return is;
}

int
run_folder_is_at(const char *path)
{
	struct folder f;
	const int is = folder_read(&f, path) == 0 && run_folder_is(path, &f);

	folder_release(&f);
	return is;
}

/* --- files of a run ------------------------------------------------------- */

/* State while reading a run. */
struct run_folder {
	struct strbuf *out;
	struct metric_point {
		int64_t ms, step;
		double value;
		size_t metric, order;
	} * points;
	size_t n_points, alloc_points;
	char **metrics; /* names */
	size_t n_metrics, alloc_metrics;
	int *cut;
	struct error *e;
};

/* Callback for a file: its name below the kind's folder and its text. */
typedef int run_file_reader(
    struct run_folder *r, const char *name, const char *text, size_t len);

static int
by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Read all files below a folder of the run, except hidden ones. */
static int
read_kind(struct run_folder *r, const char *path, const char *kind,
    run_file_reader *reader)
{
	char *folder = xasprintf("%s/%s", path, kind);
	char *const roots[] = { folder, NULL };
	FTS *tree = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, by_name);
	int rc = tree != NULL ? 0 : error_errno(r->e, errno, "cannot read");
	size_t n = 0, len;
	char *text;
	FTSENT *f;

	while (rc == 0 && (f = fts_read(tree)) != NULL) {
		const char *name =
		    f->fts_level > 0 ? f->fts_path + strlen(folder) + 1 : kind;

		if (f->fts_level > 0 && f->fts_name[0] == '.')
			fts_set(tree, f, FTS_SKIP);
		else if (f->fts_info == FTS_F || f->fts_info == FTS_DEFAULT) {
			if (n++ == RUN_FOLDER_MAX_FILES)
				rc = error_set(r->e, ERROR_LIMIT,
				    "a run of more than %d files of a kind",
				    RUN_FOLDER_MAX_FILES);
			text = rc == 0
			    ? read_whole_file(f->fts_path, &len, r->e)
			    : NULL;
			rc = text != NULL ? reader(r, name, text, len) : -1;
			free(text);
		} else if (f->fts_info == FTS_DC)
			rc = error_errno(r->e, ELOOP, "cannot read '%s'", name);
		else if (f->fts_errno != 0 &&
		    (f->fts_level > 0 || f->fts_errno != ENOENT))
			rc = error_errno(
			    r->e, f->fts_errno, "cannot read '%s'", name);
	}
	if (tree != NULL)
		fts_close(tree);
	free(folder);
	return rc;
}

/* --- configuration -------------------------------------------------------- */

static void
add_config(struct strbuf *out, const char *key, size_t key_len,
    const char *value, size_t len)
{
	if (len > RUN_FOLDER_MAX_VALUE)
		len = RUN_FOLDER_MAX_VALUE;
	strbuf_addstr(out, "{\"config\":");
	json_add_string(out, key, key_len);
	strbuf_addstr(out, ",\"value\":");
	json_add_string(out, value, len);
	strbuf_addstr(out, "}\n");
}

/* MLflow's own tags hold the user and source of the run. */
static int
read_param(struct run_folder *r, const char *name, const char *text, size_t len)
{
	if (strncmp(name, "mlflow.", 7) == 0)
		return 0;
	while (len > 0 && isspace((unsigned char)text[len - 1]))
		len--;
	add_config(r->out, name, strlen(name), text, len);
	return 0;
}

/* Read W&B's config.yaml: a key at the margin, its "value:" below it. Values
 * other than scalars are on further lines and are skipped. */
static void
read_config(struct run_folder *r, const char *text)
{
	const char *key = NULL, *p, *end;
	size_t key_len = 0;

	for (p = text; *p != '\0'; p = *end == '\0' ? end : end + 1) {
		const char *at = p + strspn(p, " "), *value;

		end = p + strcspn(p, "\n");
		if (at == p && isalnum((unsigned char)*p)) {
			const char *colon = memchr(p, ':', (size_t)(end - p));

			key = p;
			key_len = colon != NULL ? (size_t)(colon - p) : 0;
		} else if (at == p) {
			key_len = 0;
		} else if (key_len > 0 && strncmp(at, "value:", 6) == 0) {
			const char *to =
			    memmem(at + 6, (size_t)(end - at) - 6, " #", 2);

			/* A scalar without comment and quotes. */
			to = to != NULL ? to : end;
			value = at + 6;
			while (value < to && isspace((unsigned char)*value))
				value++;
			while (to > value && isspace((unsigned char)to[-1]))
				to--;
			if (to - value >= 2 && strchr("\"'", *value) != NULL &&
			    to[-1] == *value) {
				value++;
				to--;
			}
			if (to > value)
				add_config(r->out, key, key_len, value,
				    (size_t)(to - value));
			key_len = 0;
		}
	}
}

/* --- metrics -------------------------------------------------------------- */

/* Read an integer; move *p past it and the following space. */
static int
read_whole(const char **p, int64_t *out)
{
	char *end;

	/* strtoll would skip spaces and line ends. */
	if (!isdigit((unsigned char)**p) && **p != '-')
		return -1;
	errno = 0;
	*out = strtoll(*p, &end, 10);
	if (end == *p || errno != 0)
		return -1;
	*p = end + strspn(end, " \t");
	return 0;
}

/* Read "TIME VALUE [STEP ...]"; MLflow before 1.0 wrote no step. */
static int
read_point(struct run_folder *r, const char *line)
{
	struct metric_point x = { .metric = r->n_metrics - 1,
		.order = r->n_points };
	char *end;

	if (read_whole(&line, &x.ms) != 0 || isspace((unsigned char)*line))
		return -1;
	x.value = strtod(line, &end);
	if (end == line || (*end != ' ' && *end != '\n'))
		return -1;
	line = end + strspn(end, " ");
	if (*line != '\n' && read_whole(&line, &x.step) != 0)
		return -1;
	r->points = vec_grow(
	    r->points, r->n_points, &r->alloc_points, sizeof *r->points);
	r->points[r->n_points++] = x;
	return 0;
}

static int
read_metric(
    struct run_folder *r, const char *name, const char *text, size_t len)
{
	const char *end = text + len, *nl;

	/* MLflow's system metrics have their own step numbers. */
	if (strncmp(name, "system/", 7) == 0)
		return 0;
	r->metrics = vec_grow(
	    r->metrics, r->n_metrics, &r->alloc_metrics, sizeof *r->metrics);
	r->metrics[r->n_metrics++] = xstrdup(name);
	for (; text < end; text = nl + 1) {
		nl = memchr(text, '\n', (size_t)(end - text));
		if (nl == NULL || read_point(r, text) != 0)
			*r->cut = 1;
		if (nl == NULL)
			break;
		if (r->n_points > RUN_FOLDER_MAX_POINTS)
			return error_set(r->e, ERROR_LIMIT,
			    "a run of more than %d values",
			    RUN_FOLDER_MAX_POINTS);
	}
	return 0;
}

static int
compare_points(const void *pa, const void *pb)
{
	const struct metric_point *a = pa, *b = pb;

	if (a->ms != b->ms)
		return a->ms < b->ms ? -1 : 1;
	if (a->step != b->step)
		return a->step < b->step ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

/* Write the points in order of time as rows. A row ends at a new step or when a
 * metric repeats. Its time is that of its last value. */
static void
write_rows(struct run_folder *r)
{
	size_t *seen = xcalloc(r->n_metrics + 1, sizeof *seen), row = 0, i, end;

	if (r->n_points > 1)
		qsort(
		    r->points, r->n_points, sizeof *r->points, compare_points);
	for (i = 0; i < r->n_points; i = end) {
		const struct metric_point *first = &r->points[i];

		row++;
		for (end = i; end < r->n_points; end++) {
			const struct metric_point *x = &r->points[end];

			if (x->step != first->step || seen[x->metric] == row)
				break;
			seen[x->metric] = row;
		}
		strbuf_printf(r->out,
		    "{\"_step\":%" PRId64 ",\"_timestamp\":%.3f", first->step,
		    (double)r->points[end - 1].ms / 1e3);
		for (size_t k = i; k < end; k++) {
			const char *name = r->metrics[r->points[k].metric];

			strbuf_addch(r->out, ',');
			json_add_string(r->out, name, strlen(name));
			strbuf_addch(r->out, ':');
			json_add_number(r->out, r->points[k].value, 17);
		}
		strbuf_addstr(r->out, "}\n");
	}
	free(seen);
}

/* --- W&B ------------------------------------------------------------------ */

/* Copy settings, the history (JSON lines) and the console output (a log). */
static int
read_wandb(struct run_folder *r, const char *path, const char *history)
{
	struct json_member m;
	size_t len, n;
	char *text = read_whole_file(history, &len, r->e), *other;

	if (text == NULL)
		return -1;
	other = read_optional(path, "config.yaml", &n);
	if (other != NULL)
		read_config(r, other);
	free(other);
	other = read_optional(path, "wandb-metadata.json", &n);
	/* The key of the GPU's name depends on W&B's version. */
	if (other != NULL &&
	    (json_find_member(other, n, "gpu_type", &m) == 0 ||
		json_find_member(other, n, "gpu", &m) == 0) &&
	    m.is_string && m.len > 0 && m.len <= RUN_FOLDER_MAX_VALUE &&
	    memchr(m.value, '\\', m.len) == NULL) {
		strbuf_addstr(r->out, "{\"gpu_type\":");
		json_add_string(r->out, m.value, m.len);
		strbuf_addstr(r->out, "}\n");
	}
	free(other);
	strbuf_add(r->out, text, len);
	if (len > 0 && text[len - 1] != '\n') {
		*r->cut = 1;
		strbuf_addch(r->out, '\n');
	}
	free(text);
	other = read_optional(path, "output.log", &n);
	if (other != NULL)
		strbuf_add(r->out, other, n);
	free(other);
	return 0;
}

/* --- event runs ----------------------------------------------------------- */

enum { MAX_PARTS = 4096 /* maximum files per run */ };

/* An event file, and the range of its records with numbers at steps above 0.
 * Step 0 holds the configuration, which is written again at every start. */
struct event_part {
	char *path, *lines;
	int any; /* 1: has at least one such record */
	double first_time, last_time;
	long long first_step;
};

struct event_parts {
	struct event_part *items; /* by the time of their first record */
	size_t n;
};

int
event_run_has(const char *name)
{
	static const char empty[] = ".profile-empty";
	const size_t len = strlen(name), n = sizeof empty - 1;

	/* Written by the profiler plugin; never contains scalars. */
	return (len <= n || strcmp(name + len - n, empty) != 0) &&
	    strstr(name, "tfevents") != NULL;
}

/* Folder of a path that ends in EVENT_RUN_NAME, else NULL. To be freed. */
static char *
event_folder(const char *path)
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
	for (size_t i = 0; i < p->n; i++) {
		free(p->items[i].path);
		free(p->items[i].lines);
	}
	free(p->items);
}

/* Read a line's time and step. Returns the rest, from the comma after them. */
static char *
event_values(const char *line, double *time, long long *step)
{
	char *p;

	*time = strtod(line + strlen("{\"wall_time\":"), &p);
	*step = strtoll(p + strlen(",\"step\":"), &p, 10);
	return p;
}

static void
note_range(struct event_part *p)
{
	const char *end;

	for (const char *line = p->lines; *line != '\0'; line = end + 1) {
		double time;
		long long step;
		const char *at = event_values(line, &time, &step);
		int number = 0;

		end = strchr(line, '\n');
		for (; at + 2 < end && !number; at++)
			number = at[0] == '"' && at[1] == ':' &&
			    (isdigit((unsigned char)at[2]) || at[2] == '-');
		if (!number || step <= 0)
			continue;
		if (!p->any) {
			p->first_time = time;
			p->first_step = step;
		}
		p->any = 1;
		p->last_time = time;
	}
}

static int
by_time(const void *a, const void *b)
{
	const struct event_part *x = a, *y = b;

	if (x->first_time != y->first_time)
		return x->first_time < y->first_time ? -1 : 1;
	return strcmp(x->path, y->path);
}

/* Read the event files of a folder, except files without records. Returns 0;
 * -1: a file cannot be read. */
static int
parts_read(struct event_parts *p, const char *path, const struct folder *f,
    int *cut, struct error *e)
{
	struct byte_source r;
	int rc = 0;

	*p = (struct event_parts){ xcalloc(f->n + 1, sizeof *p->items), 0 };
	byte_source_init(&r);
	for (size_t i = 0; rc == 0 && i < f->n; i++) {
		struct event_part x = { .any = 0 };

		if (!event_run_has(f->names[i]))
			continue;
		x.path = xasprintf("%s/%s", path, f->names[i]);
		rc =
		    p->n == MAX_PARTS ? -1 : byte_source_open(&r, x.path, 0, e);
		if (rc == 0 && r.is_store) {
			*cut |= r.truncated;
			x.lines = strbuf_detach(&r.made);
			note_range(&x);
		}
		p->items[p->n++] = x;
		if (x.any)
			continue;
		p->n--;
		free(x.path);
		free(x.lines);
	}
	byte_source_release(&r);
	if (p->n > 1)
		qsort(p->items, p->n, sizeof *p->items, by_time);
	return rc;
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
event_run_is(const char *path, const struct folder *f)
{
	struct error ignored = ERROR_INIT;
	struct event_parts p;
	size_t n_events = 0;
	int cut = 0, is;

	for (size_t i = 0; i < f->n; i++)
		n_events += (size_t)event_run_has(f->names[i]);
	if (n_events < 2)
		return 0;
	is = parts_read(&p, path, f, &cut, &ignored) == 0 && parts_are_one(&p);
	parts_release(&p);
	return is;
}

int
event_run_is_at(const char *path)
{
	char *folder = event_folder(path);
	struct folder f = { NULL, 0, 0 };
	const int is = folder != NULL && folder_read(&f, folder) == 0 &&
	    event_run_is(folder, &f);

	folder_release(&f);
	free(folder);
	return is;
}

/* Append all lines with the file's number after time and step. Files are like
 * epochs: the time between two files belongs to no step. */
static int
read_event_run(struct run_folder *r, const char *path)
{
	struct event_parts p = { NULL, 0 };
	struct folder f;
	double time;
	long long step;
	int rc;

	rc = folder_read(&f, path) != 0
	    ? error_errno(r->e, errno, "cannot open")
	    : parts_read(&p, path, &f, r->cut, r->e);
	if (rc == 0 && !parts_are_one(&p))
		rc = error_set(r->e, ERROR_INPUT,
		    "the event files of the folder do not belong to one run");
	for (size_t i = 0; rc == 0 && i < p.n; i++)
		for (const char *line = p.items[i].lines; *line != '\0';) {
			const char *at = event_values(line, &time, &step);
			const size_t rest = strcspn(at, "\n") + 1;

			strbuf_add(r->out, line, (size_t)(at - line));
			strbuf_printf(r->out, ",\"event_file\":%zu", i + 1);
			strbuf_add(r->out, at, rest);
			line = at + rest;
		}
	parts_release(&p);
	folder_release(&f);
	return rc;
}

/* --- all of it ------------------------------------------------------------ */

int
run_folder_read(const char *path, struct strbuf *out, int *cut, struct error *e)
{
	struct run_folder r = { .out = out, .cut = cut, .e = e };
	char *history = xasprintf("%s/wandb-history.jsonl", path);
	char *events = event_folder(path);
	struct stat st;
	int rc = 0;

	*cut = 0;
	if (events != NULL) {
		rc = read_event_run(&r, events);
	} else if (stat(history, &st) == 0) {
		rc = read_wandb(&r, path, history);
	} else if (read_kind(&r, path, "params", read_param) != 0 ||
	    read_kind(&r, path, "tags", read_param) != 0 ||
	    read_kind(&r, path, "metrics", read_metric) != 0) {
		rc = -1;
	} else {
		write_rows(&r);
	}
	if (rc == 0 && out->full)
		rc = error_set(e, ERROR_LIMIT, "a run of more than 1 GiB");
	free(history);
	free(events);
	free(r.points);
	for (size_t i = 0; i < r.n_metrics; i++)
		free(r.metrics[i]);
	free(r.metrics);
	return rc;
}
