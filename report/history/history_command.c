/* The commands of --history. */
#include <config.h>

#include "report/history/history.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/alloc.h"
#include "common/files/files.h"
#include "common/process.h"
#include "common/result/result.h"
#include "common/series/result_set.h"
#include "common/series/runs_table.h"
#include "common/text.h"
#include "common/units/units.h"
#include "plots/draw.h"
#include "report/tables/report.h"

enum { MAX_LINE = 4096 };

/* --- when and where ------------------------------------------------------- */

/* Seconds since 1970 as "2026-11-13T08:00:00Z". */
static const char *
date_text(struct arena *a, time_t seconds)
{
	char out[UTC_TEXT_SIZE];

	return arena_strdup(a, utc_text(seconds, out));
}

/* Parse a time stamp, or a day (midnight UTC). */
static const char *
read_date(struct arena *a, const char *text)
{
	const char *day = arena_printf(a, "%sT00:00:00Z", text);
	double seconds;

	if (stamp_parse(text, strlen(text), &seconds) != STAMP_DATE &&
	    stamp_parse(day, strlen(day), &seconds) != STAMP_DATE)
		return NULL;
	return date_text(a, (time_t)seconds);
}

/* Fill in unknown metadata from the lines "key: value" of a machine.txt. */
static int
read_machine(struct arena *a, const char *path, struct history_metadata *m,
    struct error *e)
{
	FILE *f = fopen(path, "r");
	char line[MAX_LINE], value[MAX_LINE];

	if (f == NULL)
		return error_errno(e, errno, "cannot open '%s'", path);
	while (fgets(line, sizeof line, f) != NULL) {
		if (m->host == NULL &&
		    sscanf(line, "host: %4095[^\r\n]", value) == 1)
			m->host = arena_strdup(a, value);
		if (m->commit == NULL &&
		    sscanf(line, "commit: %4095[^\r\n]", value) == 1)
			m->commit = arena_strdup(a, value);
		if (m->date == NULL &&
		    sscanf(line, "started: %4095[^\r\n]", value) == 1) {
			m->date = read_date(a, value);
			m->date_from = "machine.txt";
		}
	}
	fclose(f);
	return 0;
}

/* --- add ------------------------------------------------------------------ */

/* A result to add, and its rows, which borrow from it. */
struct history_input {
	const char *path;
	struct result result;
	struct history rows;
	size_t added; /* rows */
};

/* Read a result. Its metadata are from the options, else from a machine.txt;
 * the date else from the file's modification time. */
static int
read_input(
    const struct history_ask *ask, struct history_input *in, struct error *e)
{
	char *machine = environment_machine_next_to(in->path);
	struct history_metadata m = {
		.host = ask->host, .commit = ask->commit, .date_from = "--date"
	};
	struct stat st = { .st_mtime = time(NULL) }; /* of stdin */
	struct arena *a = &in->rows.arena;
	int rc = 0;

	if (ask->date != NULL && (m.date = read_date(a, ask->date)) == NULL)
		rc = error_set(e, ERROR_USAGE,
		    "--date: '%s' is not a date such as 2026-11-13 or "
		    "2026-11-13T08:00:00Z",
		    ask->date);
	else if (machine != NULL)
		rc = read_machine(a, machine, &m, e);
	free(machine);
	if (rc != 0)
		return rc;
	if (m.date == NULL) {
		if (strcmp(in->path, "-") != 0 && stat(in->path, &st) != 0)
			return error_errno(
			    e, errno, "cannot read '%s'", in->path);
		m.date = date_text(a, st.st_mtime);
		m.date_from = "file";
	}
	if (runs_table_or_result_read(in->path, &in->result, e) != 0)
		return -1;
	if (run_metric_find(in->result.rule.metric) != NULL)
		return error_set(e, ERROR_INPUT,
		    "%s: holds the metric %s, but a history holds speeds",
		    in->path, in->result.rule.metric);
	history_rows_of(&in->result, &m, &in->rows);
	return in->rows.n > 0 ? 0
			      : error_set(e, ERROR_EMPTY,
				    "%s: holds no run to be added", in->path);
}

static void
print_added(const struct history_input *in)
{
	const struct history_metadata *m = &in->rows.rows[0].metadata;
	const size_t n = in->rows.n, added = in->added;
	char *line = added == 0
	    ? xasprintf("%s: all %zu runs are already stored", in->path, n)
	    : xasprintf("%s: %zu run%s added, %zu stored already, of %s%s%s%s"
			"%s%s",
		  in->path, added, added == 1 ? "" : "s", n - added, m->date,
		  text_same(m->date_from, "file") ? " (the time of the file)"
						  : "",
		  m->commit != NULL ? ", commit " : "",
		  m->commit != NULL ? m->commit : "",
		  m->host != NULL ? ", host " : "",
		  m->host != NULL ? m->host : "");

	/* Names may contain terminal escape sequences. */
	text_sanitise(line, "");
	puts(line);
	free(line);
}

/* Add all results in one transaction, after all were read. */
static int
add_all(const struct history_ask *ask, char *const *paths, size_t n,
    struct error *e)
{
	struct history_input *in = xcalloc(n, sizeof *in);
	struct history_file f = { .db = NULL };
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		result_init(&in[i].result);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		in[i].path = paths[i];
		rc = read_input(ask, &in[i], e);
	}
	if (rc == 0)
		rc = history_file_open(ask->path, HISTORY_WRITE, &f, e);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = history_file_add(
		    &f, &in[i].rows, in[i].path, &in[i].added, e);
	if (rc == 0)
		rc = history_file_commit(&f, e);
	history_file_close(&f);
	for (size_t i = 0; i < n; i++) {
		if (rc == 0)
			print_added(&in[i]);
		history_release(&in[i].rows);
		result_release(&in[i].result);
	}
	free(in);
	return rc;
}

/* --- show, plot, when ----------------------------------------------------- */

static int
draw_trends(
    const struct history_ask *ask, struct series_set *points, struct error *e)
{
	const char *items[] = { "history" };
	const struct opt_list asked = { items, 1, 1 };
	char *name = result_file_name(ask->path);
	struct draw_how how = { .charts = &asked,
		.inputs = &ask->path,
		.n_inputs = 1,
		.chart = { .lang = ask->how->lang },
		.script = { .scale = 1,
		    .palette = palette_find(NULL),
		    .theme = theme_find(NULL) },
		.output = ask->output,
		.output_dir = "result",
		.name = name,
		.format = ask->format,
		.force = ask->force };
	int rc = draw_parse_size(ask->size, NAN, &how, e);

	if (rc == 0)
		rc = draw_all(points, &how, e);
	free(name);
	return rc;
}

static int
answer_trends(const struct history_ask *ask, const char *verb, struct error *e)
{
	struct history rows = HISTORY_INIT;
	struct trend_set set = { .n = 0 };
	struct history_file f;
	struct outfile o;
	int rc;

	if (history_file_open(ask->path, HISTORY_READ, &f, e) != 0)
		return -1;
	rc = history_file_read(&f, ask->host, &rows, e);
	history_file_close(&f);
	if (rc == 0 && rows.n == 0)
		rc = error_set(e, ERROR_EMPTY, "%s: holds no run%s%s",
		    ask->path, ask->host != NULL ? " of host " : "",
		    ask->host != NULL ? ask->host : "");
	if (rc == 0)
		rc =
		    trend_collect(&rows, ask->select, ask->confidence, &set, e);
	if (rc == 0 && strcmp(verb, "plot") == 0) {
		rc = draw_trends(ask, &set.points, e);
	} else if (rc == 0 &&
	    (rc = outfile_open(
		 &o, ask->output != NULL ? ask->output : "-", e)) == 0) {
		if (ask->html)
			rc = history_page_write(&set, ask->how, o.f, e);
		else
			history_write(
			    &set, strcmp(verb, "when") == 0, ask->how, o.f);
		if (rc == 0)
			rc = outfile_commit(&o, e);
		else
			outfile_abort(&o);
	}
	trend_release(&set);
	history_release(&rows);
	return rc;
}

/* --- the commands --------------------------------------------------------- */

/* The commands and their output formats. */
static const struct history_verb {
	const char *name;
	const char *formats;  /* of --format, separated by spaces */
	const char *suffixes; /* of --output; NULL: checked by draw_all */
} verbs[] = {
	{ "add", "", "" },
	{ "show", "text markdown csv json jsonl latex html", TABLE_SUFFIXES },
	{ "plot", "svg png pdf gp", NULL },
	{ "when", "text csv json jsonl", "txt csv json jsonl" },
};

int
history_command(const struct history_ask *ask, char *const *operands, size_t n,
    struct error *e)
{
	const struct history_verb *end = verbs + sizeof verbs / sizeof verbs[0];
	const char *name = n > 0 ? operands[0] : "";
	const struct history_verb *v = verbs;
	int takes_results;

	while (v < end && strcmp(v->name, name) != 0)
		v++;
	if (v == end)
		return error_set(e, ERROR_USAGE,
		    "--history: '%s' is not add RESULT|LOGS..., show, plot or "
		    "when",
		    name);
	takes_results = v->formats[0] == '\0';
	if (takes_results != (n > 1))
		return error_set(e, ERROR_USAGE, "--history: %s: %s", name,
		    takes_results ? "missing operand: a result"
				  : "takes no operand; add takes results");
	if (ask->format != NULL && ask->html)
		return error_set(
		    e, ERROR_USAGE, "--html cannot be used with --format");
	if (ask->format != NULL && strstr(v->formats, ask->format) == NULL)
		return error_set(e, ERROR_USAGE,
		    "--format: --history=FILE %s does not write '%s'", name,
		    ask->format);
	if (v->suffixes != NULL &&
	    outfile_check_suffix("--output", ask->output, v->suffixes, e) != 0)
		return -1;
	if (outfile_spare(ask->output, &ask->path, 1, e) != 0)
		return -1;
	return takes_results ? add_all(ask, operands + 1, n - 1, e)
			     : answer_trends(ask, name, e);
}
