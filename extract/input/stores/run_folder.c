/* Read folders of run stores as one text.
 *
 * MLflow's store: meta.yaml has run_id; metrics/NAME has a line "time in ms,
 * value, step" per value, params/NAME and tags/NAME hold one text each; a NAME
 * with slashes is a path (MLflow, store/tracking/file_store.py). */
#include <config.h>

#include "extract/input/stores/run_folder.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/alloc.h"
#include "common/files/infile.h"
#include "common/text.h"
#include "extract/input/encoding/json_cursor.h"
#include "extract/input/encoding/records.h"

/* --- names in a folder ---------------------------------------------------- */

char **
folder_names_read(const char *path, size_t *n, int64_t *n_hidden)
{
	DIR *d = opendir(path);
	size_t alloc = 0;
	struct dirent *entry;
	char **names;

	*n = 0;
	if (d == NULL)
		return NULL;
	names = vec_grow(NULL, 0, &alloc, sizeof *names);
	while ((entry = readdir(d)) != NULL) {
		if (entry->d_name[0] == '.') {
			*n_hidden += strcmp(entry->d_name, ".") != 0 &&
			    strcmp(entry->d_name, "..") != 0;
			continue;
		}
		names = vec_grow(names, *n, &alloc, sizeof *names);
		names[(*n)++] = xstrdup(entry->d_name);
	}
	closedir(d);
	if (*n > 1)
		qsort(names, *n, sizeof *names, text_order_at);
	return names;
}

int
folder_names_has(char *const *names, size_t n, const char *name)
{
	return n > 0 &&
	    bsearch(&name, names, n, sizeof *names, text_order_at) != NULL;
}

void
folder_names_free(char **names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

enum { MAX_DEPTH = 16 /* maximum slashes in a name */ };

/* --- which folders -------------------------------------------------------- */

/* True if a line of meta.yaml belongs to a run, not to an experiment or a
 * model. (MLflow before 1.0 wrote run_uuid.) */
static int
states_run(const char *path)
{
	char *file = xasprintf("%s/meta.yaml", path), *text;
	struct error e = ERROR_INIT;
	size_t len;
	int is_run = 0;

	text = read_whole_file(file, &len, &e);
	for (const char *p = text; p != NULL && !is_run;) {
		is_run = strncmp(p, "run_id:", 7) == 0 ||
		    strncmp(p, "run_uuid:", 9) == 0;
		p = strchr(p, '\n');
		p = p != NULL ? p + 1 : NULL;
	}
	free(text);
	free(file);
	return is_run;
}

int
run_folder_is(const char *path, char *const *names, size_t n)
{
	return folder_names_has(names, n, "wandb-history.jsonl") ||
	    (folder_names_has(names, n, "meta.yaml") &&
		folder_names_has(names, n, "metrics") && states_run(path));
}

int
run_folder_is_at(const char *path)
{
	size_t n;
	int64_t n_hidden = 0;
	char **names = folder_names_read(path, &n, &n_hidden);
	int is;

	if (names == NULL)
		return 0;
	is = run_folder_is(path, names, n);
	folder_names_free(names, n);
	return is;
}

/* --- files of a folder, and below ----------------------------------------- */

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
	size_t n_files; /* files of the current kind */
	int *cut;
	struct error *e;
};

/* Callback for a file: its name below the kind's folder and its text. */
typedef int run_file_reader(
    struct run_folder *r, const char *name, const char *text, size_t len);

static int read_files(struct run_folder *r, const char *path, const char *name,
    int depth, run_file_reader *reader);

static int
read_entry(struct run_folder *r, const char *path, const char *name, int depth,
    run_file_reader *reader)
{
	struct stat st;
	size_t len;
	char *text;
	int rc;

	if (stat(path, &st) != 0)
		return error_errno(r->e, errno, "cannot read '%s'", name);
	if (S_ISDIR(st.st_mode))
		return read_files(r, path, name, depth + 1, reader);
	if (r->n_files++ == RUN_FOLDER_MAX_FILES)
		return error_set(r->e, ERROR_LIMIT,
		    "a run of more than %d files of a kind",
		    RUN_FOLDER_MAX_FILES);
	text = read_whole_file(path, &len, r->e);
	if (text == NULL)
		return error_prefix(r->e, "%s", name);
	rc = reader(r, name, text, len);
	free(text);
	return rc;
}

/* Read all files below path. */
static int
read_files(struct run_folder *r, const char *path, const char *name, int depth,
    run_file_reader *reader)
{
	size_t n;
	int64_t n_hidden = 0;
	char **names =
	    depth < MAX_DEPTH ? folder_names_read(path, &n, &n_hidden) : NULL;
	int rc = 0;

	if (names == NULL)
		return depth < MAX_DEPTH && errno == ENOENT
		    ? 0
		    : error_errno(r->e, errno, "cannot read '%s'", name);
	for (size_t i = 0; i < n && rc == 0; i++) {
		char *below = xasprintf("%s/%s", path, names[i]);
		char *full = name[0] == '\0'
		    ? xstrdup(names[i])
		    : xasprintf("%s/%s", name, names[i]);

		rc = read_entry(r, below, full, depth, reader);
		free(below);
		free(full);
	}
	folder_names_free(names, n);
	return rc;
}

static int
read_kind(struct run_folder *r, const char *path, const char *kind,
    run_file_reader *reader)
{
	char *folder = xasprintf("%s/%s", path, kind);
	int rc;

	r->n_files = 0;
	rc = read_files(r, folder, "", 0, reader);
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

static int
read_param(struct run_folder *r, const char *name, const char *text, size_t len)
{
	while (len > 0 && isspace((unsigned char)text[len - 1]))
		len--;
	add_config(r->out, name, strlen(name), text, len);
	return 0;
}

/* MLflow's own tags hold the user and source of the run. */
static int
read_tag(struct run_folder *r, const char *name, const char *text, size_t len)
{
	return strncmp(name, "mlflow.", 7) == 0
	    ? 0
	    : read_param(r, name, text, len);
}

/* A scalar without quotes and comment. Sets its length. */
static const char *
trim_scalar(const char *p, const char *end, size_t *len)
{
	const char *comment = memmem(p, (size_t)(end - p), " #", 2);

	if (comment != NULL)
		end = comment;
	while (p < end && isspace((unsigned char)*p))
		p++;
	while (end > p && isspace((unsigned char)end[-1]))
		end--;
	if (end - p >= 2 && (*p == '"' || *p == '\'') && end[-1] == *p) {
		p++;
		end--;
	}
	*len = (size_t)(end - p);
	return p;
}

/* Read W&B's config.yaml: a key at the margin, its "value:" below it. Values
 * other than scalars are on further lines and are skipped. */
static void
read_config(struct run_folder *r, const char *text)
{
	const char *key = NULL, *p, *end;
	size_t key_len = 0, len;

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
			value = trim_scalar(at + 6, end, &len);
			if (len > 0)
				add_config(r->out, key, key_len, value, len);
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

/* --- all of it ------------------------------------------------------------ */

static int
read_mlflow(struct run_folder *r, const char *path)
{
	if (read_kind(r, path, "params", read_param) != 0 ||
	    read_kind(r, path, "tags", read_tag) != 0 ||
	    read_kind(r, path, "metrics", read_metric) != 0)
		return -1;
	write_rows(r);
	return 0;
}

/* Read an optional file. The caller frees it. */
static char *
read_optional(const char *path, const char *name, size_t *len)
{
	char *file = xasprintf("%s/%s", path, name), *text;
	struct error missing = ERROR_INIT;

	text = read_whole_file(file, len, &missing);
	free(file);
	return text;
}

/* The GPU's name in wandb-metadata.json of any version. */
static void
read_machine(struct run_folder *r, const char *text, size_t len)
{
	struct json_member m;

	if ((json_find_member(text, len, "gpu_type", &m) != 0 &&
		json_find_member(text, len, "gpu", &m) != 0) ||
	    !m.is_string || m.len == 0 || m.len > RUN_FOLDER_MAX_VALUE ||
	    memchr(m.value, '\\', m.len) != NULL)
		return;
	strbuf_addstr(r->out, "{\"gpu_type\":");
	json_add_string(r->out, m.value, m.len);
	strbuf_addstr(r->out, "}\n");
}

/* Copy both: the history is JSON lines, the console output is a log. */
static int
read_wandb(struct run_folder *r, const char *path, const char *history)
{
	char *config, *machine, *console, *text;
	size_t len, machine_len, console_len;

	text = read_whole_file(history, &len, r->e);
	if (text == NULL)
		return error_prefix(r->e, "wandb-history.jsonl");
	config = read_optional(path, "config.yaml", &console_len);
	if (config != NULL)
		read_config(r, config);
	machine = read_optional(path, "wandb-metadata.json", &machine_len);
	if (machine != NULL)
		read_machine(r, machine, machine_len);
	console = read_optional(path, "output.log", &console_len);
	strbuf_add(r->out, text, len);
	if (len > 0 && text[len - 1] != '\n') {
		*r->cut = 1;
		strbuf_addch(r->out, '\n');
	}
	if (console != NULL)
		strbuf_add(r->out, console, console_len);
	free(config);
	free(machine);
	free(console);
	free(text);
	return 0;
}

int
run_folder_read(const char *path, struct strbuf *out, int *cut, struct error *e)
{
	struct run_folder r = { .out = out, .cut = cut, .e = e };
	char *history = xasprintf("%s/wandb-history.jsonl", path);
	struct stat st;
	int rc;

	*cut = 0;
	rc = stat(history, &st) == 0 ? read_wandb(&r, path, history)
				     : read_mlflow(&r, path);
	if (rc == 0 && out->full)
		rc = error_set(e, ERROR_LIMIT, "a run of more than 1 GiB");
	free(history);
	free(r.points);
	folder_names_free(r.metrics, r.n_metrics);
	return rc;
}
