/* The table of the environment, from this machine (common/machine_info.h),
 * machine.txt files and results. */
#include <config.h>

#include "report/tables/report_makers.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/alloc.h"
#include "common/arena.h"
#include "common/machine_info.h"
#include "common/result/result.h"
#include "common/series/result_set.h"
#include "common/series/runs_table.h"
#include "common/strbuf.h"
#include "common/text.h"
#include "common/utf8.h"

enum {
	MAX_LINE = 8192,
	MAX_METADATA = 4096, /* different values */
	MAX_ACROSS = 3       /* most sources as columns; more are rows */
};

/* Rows in the order of the table; keys as in machine.txt. */
static const struct environment_item {
	const char *key;
	enum message group;
	enum message shown;
	const char *name; /* instead, the same in all languages; or NULL */
} items[] = {
	{ "host", MESSAGE_HARDWARE, MESSAGE_HOST, NULL },
	{ "servers", MESSAGE_HARDWARE, MESSAGE_SERVERS, NULL },
	{ "processor", MESSAGE_HARDWARE, MESSAGE_CPU, NULL },
	{ "processors", MESSAGE_HARDWARE, MESSAGE_CORES, NULL },
	{ "vectors", MESSAGE_HARDWARE, MESSAGE_VECTORS, NULL },
	{ "memory", MESSAGE_HARDWARE, MESSAGE_MEMORY, NULL },
	{ "nic", MESSAGE_HARDWARE, MESSAGE_NIC, NULL },
	{ "network bandwidth", MESSAGE_HARDWARE, MESSAGE_BANDWIDTH, NULL },
	{ "network packets", MESSAGE_HARDWARE, MESSAGE_PACKET_RATE, NULL },
	{ "gpu", MESSAGE_HARDWARE, MESSAGE_GPU, NULL },
	{ "gpu memory", MESSAGE_HARDWARE, MESSAGE_GPU_MEMORY, NULL },
	{ "gpu link", MESSAGE_HARDWARE, MESSAGE_GPU_LINK, NULL },
	{ "device", MESSAGE_HARDWARE, MESSAGE_DEVICE, NULL },
	{ "largest case", MESSAGE_HARDWARE, MESSAGE_LARGEST_CASE, NULL },
	{ "system", MESSAGE_SOFTWARE, MESSAGE_SYSTEM, NULL },
	{ "kernel", MESSAGE_SOFTWARE, MESSAGE_KERNEL, NULL },
	{ "driver", MESSAGE_SOFTWARE, MESSAGE_GPU_DRIVER, NULL },
	{ "cuda", MESSAGE_SOFTWARE, MESSAGE_OTHER, "CUDA" },
	{ "cudnn", MESSAGE_SOFTWARE, MESSAGE_OTHER, "cuDNN" },
	{ "nccl", MESSAGE_SOFTWARE, MESSAGE_OTHER, "NCCL" },
	{ "onednn", MESSAGE_SOFTWARE, MESSAGE_OTHER, "oneDNN" },
	{ "mpi", MESSAGE_SOFTWARE, MESSAGE_OTHER, "MPI" },
	{ "horovod", MESSAGE_SOFTWARE, MESSAGE_OTHER, "Horovod" },
	{ "dali", MESSAGE_SOFTWARE, MESSAGE_OTHER, "DALI" },
	{ "python", MESSAGE_SOFTWARE, MESSAGE_OTHER, "Python" },
	{ "framework", MESSAGE_SOFTWARE, MESSAGE_FRAMEWORK, NULL },
	{ "dlscale", MESSAGE_SOFTWARE, MESSAGE_OTHER, "dlscale" },
	{ "date", MESSAGE_MADE, MESSAGE_DATE, NULL },
	{ "commit", MESSAGE_MADE, MESSAGE_COMMIT, NULL },
	{ "command", MESSAGE_MADE, MESSAGE_COMMAND, NULL },
};
enum { N_ITEMS = sizeof items / sizeof items[0] };

/* A value of a source, and how often it states it. */
struct environment_metadata {
	const char *key, *value;
	int source;
	size_t n;
};

struct environment {
	struct arena arena;
	struct environment_metadata *metadata;
	size_t n;
};

/* --- reading -------------------------------------------------------------- */

/* Add a value unless it is NULL or empty.
 *
 * once  1: no count of equal ones is kept */
static void
add_metadata(struct environment *x, int source, const char *key,
    const char *value, int once)
{
	struct environment_metadata *m = x->metadata;

	if (value == NULL || value[0] == '\0')
		return;
	for (size_t i = 0; i < x->n; i++, m++)
		if (m->source == source && strcmp(m->key, key) == 0 &&
		    strcmp(m->value, value) == 0) {
			m->n += !once;
			return;
		}
	x->metadata =
	    arena_grow(&x->arena, x->metadata, x->n, sizeof *x->metadata);
	x->metadata[x->n++] =
	    (struct environment_metadata){ arena_strdup(&x->arena, key),
		    arena_strdup(&x->arena, value), source, 1 };
}

/* "0, NVIDIA H200, 143771 MiB, 580.159": the index is dropped, and the driver
 * is an item of its own. */
static const char *
gpu_text(struct arena *a, const char *value)
{
	const char *from = value + strspn(value, "0123456789");
	const char *to = strrchr(value, ',');

	if (from == value || *from != ',' || to <= from)
		return value;
	from += 1 + strspn(from + 1, " ");
	return arena_strndup(a, from, to > from ? (size_t)(to - from) : 0);
}

/* Read a line "key: value"; "started" of a sweep is the date. Returns 0, or -1
 * for other lines. */
static int
add_line(struct environment *x, int source, char *line)
{
	char *colon = strchr(line, ':'), *value;
	size_t len;

	if (colon == NULL || colon == line)
		return -1;
	for (const char *p = line; p < colon; p++)
		if (iscntrl((unsigned char)*p))
			return -1;
	*colon = '\0';
	value = colon + 1 + strspn(colon + 1, " \t");
	len = strcspn(value, "\r\n");
	while (len > 0 && (value[len - 1] == ' ' || value[len - 1] == '\t'))
		len--;
	value[len] = '\0';
	add_metadata(x, source, strcmp(line, "started") == 0 ? "date" : line,
	    strcmp(line, "gpu") == 0 ? gpu_text(&x->arena, value) : value, 0);
	return 0;
}

static int
read_lines(struct environment *x, int source, const char *path, struct error *e)
{
	FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
	char line[MAX_LINE];
	long at = 0;
	int rc = 0, bad;

	if (f == NULL)
		return error_errno(e, errno, "cannot open '%s'", path);
	while (rc == 0 && fgets(line, sizeof line, f) != NULL) {
		const size_t len = strlen(line);

		at++;
		if (strspn(line, " \t\r\n") == len || line[0] == '#')
			continue;
		if (x->n == MAX_METADATA)
			rc = error_at(e, ERROR_LIMIT, path, at, 0,
			    "more than %d lines \"key: value\" in all",
			    MAX_METADATA);
		else if (!utf8_valid(line, len) ||
		    (len + 1 == sizeof line && line[len - 1] != '\n') ||
		    add_line(x, source, line) != 0)
			rc = error_at(e, ERROR_INPUT, path, at, 0,
			    "neither a result nor lines \"key: value\" such as "
			    "those of run_sweep's machine.txt");
	}
	bad = ferror(f);
	if (rc == 0 && bad)
		rc = error_errno(e, errno, "cannot read '%s'", path);
	if (f != stdin)
		fclose(f);
	return rc;
}

/* Add what the logs of a result state. */
static void
add_result(struct environment *x, int source, const struct result *r)
{
	const struct result_case *largest = NULL;

	for (size_t i = 0; i < r->n_cases; i++) {
		const struct result_case *c = &r->cases[i];

		if (c->gpus != RESULT_UNKNOWN &&
		    (largest == NULL || c->gpus > largest->gpus))
			largest = c;
		if (c->framework != NULL && c->n_runs == 0)
			add_metadata(x, source, "framework", c->framework, 1);
		for (size_t k = 0; k < c->n_runs; k++) {
			const struct result_run *run = &c->runs[k];

			add_metadata(x, source, "device", run->device, 1);
			if (c->framework == NULL)
				continue;
			add_metadata(x, source, "framework",
			    run->framework_version == NULL
				? c->framework
				: arena_printf(&x->arena, "%s %s", c->framework,
				      run->framework_version),
			    1);
		}
	}
	if (largest != NULL)
		add_metadata(x, source, "largest case", largest->name, 0);
	add_metadata(x, source, "dlscale", r->tool_version, 1);
}

/* --- showing -------------------------------------------------------------- */

/* Values of a key in a source, with counts of equal ones: "8 × NVIDIA H200,
 * 143771 MiB; eth0, 10 Gbit/s"; "" for none. Lives in x's arena. */
static const char *
values_text(struct environment *x, int source, const char *key)
{
	const char *text = "";

	for (size_t i = 0; i < x->n; i++) {
		const struct environment_metadata *m = &x->metadata[i];

		if (m->source != source || strcmp(m->key, key) != 0)
			continue;
		text = arena_join(&x->arena, text, "; ",
		    m->n == 1
			? m->value
			: arena_printf(&x->arena, "%zu × %s", m->n, m->value));
	}
	return text;
}

/* True if the first n values have one of the key. */
static int
has_key(const struct environment *x, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(x->metadata[i].key, key) == 0)
			return 1;
	return 0;
}

static void
add_row(struct environment *x, struct table *t, int n_sources, const char *head,
    const char *key)
{
	table_row(t);
	table_cell(t, head);
	for (int i = 0; i < n_sources; i++)
		table_cell(t, values_text(x, i, key));
}

static const char *
item_head(const struct environment_item *item, const struct report_how *how)
{
	if (how->flat)
		return item->key;
	return item->name != NULL ? item->name
				  : message(item->shown, how->lang);
}

/* One row per item; unknown keys of a file are shown after all others. */
static void
fill_environment(struct environment *x, char *const *paths, size_t n,
    const struct report_how *how, struct table *t)
{
	const int n_sources = n > 0 ? (int)n : 1;
	enum message group = MESSAGE_OTHER;
	int first = 1;

	t->name = how->flat ? "environment" : NULL;
	table_title(t, "%s", message(MESSAGE_ENVIRONMENT, how->lang));
	table_column(t, how->flat ? "item" : message(MESSAGE_ITEM, how->lang),
	    NULL, TABLE_LEFT);
	for (int i = 0; i < n_sources; i++)
		table_column(t,
		    n > 0 ? paths[i] : message(MESSAGE_THIS_MACHINE, how->lang),
		    NULL, TABLE_LEFT);
	for (int i = 0; i < N_ITEMS; i++) {
		if (!has_key(x, x->n, items[i].key))
			continue;
		if (items[i].group != group)
			table_group(t, message(items[i].group, how->lang));
		group = items[i].group;
		add_row(
		    x, t, n_sources, item_head(&items[i], how), items[i].key);
	}
	for (size_t i = 0; i < x->n; i++) {
		const char *key = x->metadata[i].key;
		int k = 0;

		while (k < N_ITEMS && strcmp(items[k].key, key) != 0)
			k++;
		if (k < N_ITEMS || has_key(x, i, key))
			continue;
		if (first)
			table_group(t, message(MESSAGE_OTHER, how->lang));
		first = 0;
		add_row(x, t, n_sources, key, key);
	}
}

char *
environment_machine_next_to(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct stat st;
	char *name;

	/* The origin of stdin is unknown. */
	if (strcmp(path, "-") == 0)
		return NULL;
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		name = xasprintf("%s/machine.txt", path);
	else
		name = xasprintf("%.*smachine.txt",
		    slash != NULL ? (int)(slash - path + 1) : 0, path);
	if (stat(name, &st) == 0 && S_ISREG(st.st_mode))
		return name;
	free(name);
	return NULL;
}

/* The transposed table: one row per source, one column per item. */
static void
fill_across(struct environment *x, char *const *paths, size_t n,
    const struct report_how *how, struct table *t)
{
	table_column(t, message(MESSAGE_SOURCE, how->lang), NULL, TABLE_LEFT);
	for (int k = 0; k < N_ITEMS; k++)
		if (has_key(x, x->n, items[k].key))
			table_column(
			    t, item_head(&items[k], how), NULL, TABLE_LEFT);
	for (size_t i = 0; i < n; i++) {
		table_row(t);
		table_cell(t, paths[i]);
		for (int k = 0; k < N_ITEMS; k++)
			if (has_key(x, x->n, items[k].key))
				table_cell(
				    t, values_text(x, (int)i, items[k].key));
	}
}

int
environment_of_set(const struct series_set *set, const struct report_how *how,
    struct table *t, struct error *e)
{
	struct environment x = { .arena = ARENA_INIT };
	const struct result_file *s = NULL;
	char **paths = NULL, *found;
	size_t n = 0, before;
	int rc = 0;

	while (rc == 0 && (s = series_next_source(set, s)) != NULL) {
		paths = arena_grow(&x.arena, paths, n, sizeof *paths);
		paths[n] = arena_strdup(&x.arena, s->path);
		/* --machine must be readable, a machine.txt found next to the
		 * result may be unreadable. */
		before = x.n;
		found = how->machine == NULL && strcmp(s->path, "stdin") != 0
		    ? environment_machine_next_to(s->path)
		    : NULL;
		if (how->machine != NULL)
			rc = read_lines(&x, (int)n, how->machine, e);
		else if (found != NULL && read_lines(&x, (int)n, found, e) != 0)
			x.n = before;
		free(found);
		add_result(&x, (int)n++, &s->result);
	}
	if (rc == 0 && x.n > 0 && n > MAX_ACROSS)
		fill_across(&x, paths, n, how, t);
	else if (rc == 0 && x.n > 0)
		fill_environment(&x, paths, n, how, t);
	arena_release(&x.arena);
	return rc;
}

int
environment_make(char *const *paths, size_t n, const struct report_how *how,
    struct table *t, struct error *e)
{
	struct environment x = { .arena = ARENA_INIT };
	struct strbuf sb = STRBUF_INIT(MACHINE_INFO_SIZE);
	int rc = 0;

	if (n == 0) {
		machine_info_describe("mpirun", &sb);
		machine_info_date(&sb);
		machine_info_commit(&sb);
	}
	for (char *rest = sb.buf, *line; (line = strsep(&rest, "\n")) != NULL;)
		add_line(&x, 0, line);
	strbuf_release(&sb);
	for (size_t i = 0; i < n && rc == 0; i++) {
		const int of_logs = log_operand_result(paths[i]) != NULL;
		char *lines = of_logs ? environment_machine_next_to(paths[i])
		    : result_is_file(paths[i]) ? NULL
					       : xstrdup(paths[i]);
		struct result r;

		/* The lines come first: what logs state completes them. */
		if (lines != NULL)
			rc = read_lines(&x, (int)i, lines, e);
		if (rc == 0 && (of_logs || lines == NULL))
			rc = runs_table_or_result_read(paths[i], &r, e);
		if (rc == 0 && (of_logs || lines == NULL)) {
			add_result(&x, (int)i, &r);
			result_release(&r);
		}
		free(lines);
	}
	if (rc == 0 && x.n == 0)
		rc = error_set(
		    e, ERROR_EMPTY, "%s: no metadata in it", paths[0]);
	if (rc == 0)
		fill_environment(&x, paths, n, how, t);
	arena_release(&x.arena);
	return rc;
}
