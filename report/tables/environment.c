/* The table of the environment, from this machine, machine.txt files and
 * results. */
#include <config.h>

#include "report/tables/report.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/alloc.h"
#include "common/process.h"
#include "common/result/result.h"
#include "common/series/result_set.h"
#include "common/series/runs_table.h"
#include "common/text.h"
#include "trainer/base/machine_info.h"

enum {
	MAX_LINE = 8192,
	MAX_VALUES = 4096 /* different ones */
};

/* Rows in the order of the table; keys as in machine.txt. */
static const struct environment_item {
	const char *key;
	enum message group;
	enum message shown;
	const char *name; /* replaces shown in all languages; or NULL */
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

/* A value that a source states, and how often. */
struct environment_value {
	const char *key, *value;
	size_t source, n;
	size_t row; /* index in items; unknown keys come after all */
	size_t order;
};

struct environment {
	struct table *t; /* its arena holds all texts */
	struct environment_value *values;
	size_t n;
};

/* --- reading -------------------------------------------------------------- */

/* Add a value unless it is NULL or empty.
 *
 * once  1: do not count equal values */
static void
add_value(struct environment *x, size_t source, const char *key,
    const char *value, int once)
{
	struct arena *a = &x->t->arena;
	size_t row = 0;

	if (value == NULL || value[0] == '\0')
		return;
	while (row < N_ITEMS && strcmp(items[row].key, key) != 0)
		row++;
	if (row == N_ITEMS)
		row += x->n;
	for (size_t i = 0; i < x->n; i++) {
		struct environment_value *v = &x->values[i];

		if (strcmp(v->key, key) != 0)
			continue;
		row = v->row;
		if (v->source == source && strcmp(v->value, value) == 0) {
			v->n += !once;
			return;
		}
	}
	x->values = arena_grow(a, x->values, x->n, sizeof *x->values);
	x->values[x->n] = (struct environment_value){ arena_strdup(a, key),
		arena_strdup(a, value), source, 1, row, x->n };
	x->n++;
}

/* Read a line "key: value"; the key "started" of run_sweep becomes "date".
 * Returns 0, or -1 for other lines. */
static int
add_line(struct environment *x, size_t source, char *line)
{
	char *colon = strchr(line, ':'), *value, *end, *comma;
	size_t digits;

	if (colon == NULL || colon == line)
		return -1;
	for (const char *p = line; p < colon; p++)
		if (iscntrl((unsigned char)*p))
			return -1;
	*colon = '\0';
	value = colon + 1 + strspn(colon + 1, " \t");
	end = value + strcspn(value, "\r\n");
	while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	*end = '\0';
	/* "0, NVIDIA H200, 143771 MiB, 580.159": the index is dropped, and the
	 * driver is an item of its own. */
	digits = strspn(value, "0123456789");
	comma = strrchr(value, ',');
	if (strcmp(line, "gpu") == 0 && digits > 0 && value[digits] == ',' &&
	    comma > value + digits) {
		*comma = '\0';
		value += digits + 1;
		value += strspn(value, " ");
	}
	add_value(
	    x, source, strcmp(line, "started") == 0 ? "date" : line, value, 0);
	return 0;
}

static int
read_lines(
    struct environment *x, size_t source, const char *path, struct error *e)
{
	FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
	char line[MAX_LINE];
	long at = 0;
	int rc = 0;

	if (f == NULL)
		return error_errno(e, errno, "cannot open '%s'", path);
	while (rc == 0 && fgets(line, sizeof line, f) != NULL) {
		const size_t len = strlen(line);

		at++;
		if (strspn(line, " \t\r\n") == len || line[0] == '#')
			continue;
		if (x->n == MAX_VALUES)
			rc = error_at(e, ERROR_LIMIT, path, at, 0,
			    "more than %d lines \"key: value\" in all",
			    MAX_VALUES);
		else if (!utf8_valid(line, len) ||
		    (len + 1 == sizeof line && line[len - 1] != '\n') ||
		    add_line(x, source, line) != 0)
			rc = error_at(e, ERROR_INPUT, path, at, 0,
			    "neither a result nor lines \"key: value\" such as "
			    "those of run_sweep's machine.txt");
	}
	if (rc == 0 && ferror(f))
		rc = error_errno(e, errno, "cannot read '%s'", path);
	if (f != stdin)
		fclose(f);
	return rc;
}

/* Add what the logs of a result state. */
static void
add_result(struct environment *x, size_t source, const struct result *r)
{
	const struct result_case *largest = NULL;

	for (size_t i = 0; i < r->n_cases; i++) {
		const struct result_case *c = &r->cases[i];

		if (c->gpus != RESULT_UNKNOWN &&
		    (largest == NULL || c->gpus > largest->gpus))
			largest = c;
		if (c->n_runs == 0)
			add_value(x, source, "framework", c->framework, 1);
		for (size_t k = 0; k < c->n_runs; k++) {
			const char *version = c->runs[k].framework_version;

			add_value(x, source, "device", c->runs[k].device, 1);
			if (c->framework != NULL)
				add_value(x, source, "framework",
				    arena_join(&x->t->arena, c->framework, " ",
					version),
				    1);
		}
	}
	if (largest != NULL)
		add_value(x, source, "largest case", largest->name, 0);
	add_value(x, source, "dlscale", r->tool_version, 1);
}

/* --- showing -------------------------------------------------------------- */

static int
compare_values(const void *pa, const void *pb)
{
	const struct environment_value *a = pa, *b = pb;
	const int d = (a->row > b->row) - (a->row < b->row);

	return d != 0 ? d : (a->order > b->order) - (a->order < b->order);
}

/* One row per item and one column per source, with counts of equal values:
 * "8 × NVIDIA H200, 143771 MiB; eth0, 10 Gbit/s". */
static void
fill(struct environment *x, const char *const *names, size_t n,
    const struct report_how *how)
{
	struct table *t = x->t;
	enum message group = N_MESSAGES;

	t->name = how->flat ? "environment" : NULL;
	table_title(t, "%s", message(MESSAGE_ENVIRONMENT, how->lang));
	table_column(t, how->flat ? "item" : message(MESSAGE_ITEM, how->lang),
	    NULL, TABLE_LEFT);
	for (size_t i = 0; i < n; i++)
		table_column(t, names[i], NULL, TABLE_LEFT);
	qsort(x->values, x->n, sizeof *x->values, compare_values);
	for (size_t i = 0, end; i < x->n; i = end) {
		const struct environment_value *first = &x->values[i];
		struct environment_item item = { first->key, MESSAGE_OTHER,
			MESSAGE_OTHER, first->key };

		if (first->row < N_ITEMS)
			item = items[first->row];
		if (item.group != group)
			table_group(t, message(item.group, how->lang));
		group = item.group;
		table_row(t);
		table_cell(t,
		    how->flat               ? item.key
			: item.name != NULL ? item.name
					    : message(item.shown, how->lang));
		for (end = i; end < x->n && x->values[end].row == first->row;)
			end++;
		for (size_t k = 0; k < n; k++) {
			const char *text = "";

			for (size_t j = i; j < end; j++) {
				const struct environment_value *v =
				    &x->values[j];
				const char *value = v->value;

				if (v->n > 1)
					value = arena_printf(
					    &t->arena, "%zu × %s", v->n, value);
				if (v->source == k)
					text = arena_join(
					    &t->arena, text, "; ", value);
			}
			table_cell(t, text);
		}
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

void
environment_of_set(
    const struct series_set *set, const struct report_how *how, struct table *t)
{
	struct environment x = { .t = t };
	const struct result_file *s = NULL;
	const char **names = NULL;
	size_t n = 0;

	while ((s = series_next_source(set, s)) != NULL) {
		const size_t before = x.n;
		char *found = strcmp(s->path, "stdin") != 0
		    ? environment_machine_next_to(s->path)
		    : NULL;

		/* Ignore a file of that name from another program. */
		if (found != NULL && read_lines(&x, n, found, NULL) != 0)
			x.n = before;
		free(found);
		add_result(&x, n, &s->result);
		names = arena_grow(&t->arena, names, n, sizeof *names);
		names[n++] = s->path;
	}
	if (x.n > 0)
		fill(&x, names, n, how);
}

int
environment_make(char *const *paths, size_t n, const struct report_how *how,
    struct table *t, struct error *e)
{
	struct environment x = { .t = t };
	struct strbuf sb = STRBUF_INIT(MACHINE_INFO_SIZE);
	const char *here = message(MESSAGE_THIS_MACHINE, how->lang);
	char now[UTC_TEXT_SIZE];
	int rc = 0;

	if (n == 0) {
		machine_info_describe("mpirun", &sb);
		strbuf_printf(&sb, "date: %s\n", utc_text(time(NULL), now));
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
		const int is_result = of_logs || lines == NULL;
		struct result r;

		/* Read the lines first; what logs state completes them. */
		if (lines != NULL)
			rc = read_lines(&x, i, lines, e);
		if (rc == 0 && is_result)
			rc = runs_table_or_result_read(paths[i], &r, e);
		if (rc == 0 && is_result) {
			add_result(&x, i, &r);
			result_release(&r);
		}
		free(lines);
	}
	if (rc == 0 && x.n == 0)
		rc = error_set(
		    e, ERROR_EMPTY, "%s: no metadata in it", paths[0]);
	else if (rc == 0 && n == 0)
		fill(&x, &here, 1, how);
	else if (rc == 0)
		fill(&x, (const char *const *)paths, n, how);
	return rc;
}
