/* The commands of --history. */
#include <config.h>

#include "report/history/trend.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "common/alloc.h"
#include "common/files/outfile.h"
#include "common/result/result.h"
#include "common/series/result_set.h"
#include "common/series/runs_table.h"
#include "common/strbuf.h"
#include "common/text.h"
#include "common/units/units.h"
#include "plots/draw.h"
#include "report/history/history_file.h"
#include "report/tables/report_makers.h"

enum { MAX_REPORT = 1 << 24, MAX_LINE = 4096, DATE_SIZE = 32 };

/* --- when and where ------------------------------------------------------- */

/* Seconds since 1970 as "2026-11-13T08:00:00Z"; NULL for years that have not
 * four digits. */
static const char *
date_text(struct arena *a, double seconds)
{
	const time_t t = (time_t)seconds;
	char out[DATE_SIZE];
	struct tm tm;

	if (!(seconds >= -62135596800.0 && seconds < 253402300800.0) ||
	    gmtime_r(&t, &tm) == NULL ||
	    strftime(out, DATE_SIZE, "%Y-%m-%dT%H:%M:%SZ", &tm) != 20)
		return NULL;
	return arena_strdup(a, out);
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
	return date_text(a, seconds);
}

/* Fill in unknown metadata from the lines "key: value" of a machine.txt. */
static int
read_machine(struct arena *a, const char *path,
    struct history_metadata *metadata, struct error *e)
{
	FILE *f = fopen(path, "r");
	char line[MAX_LINE];

	if (f == NULL)
		return error_errno(e, errno, "cannot open '%s'", path);
	while (fgets(line, sizeof line, f) != NULL) {
		char *value = strchr(line, ':');

		if (value == NULL)
			continue;
		*value++ = '\0';
		value += strspn(value, " \t");
		value[strcspn(value, "\r\n")] = '\0';
		if (strcmp(line, "host") == 0 && metadata->host == NULL)
			metadata->host = arena_strdup(a, value);
		if (strcmp(line, "commit") == 0 && metadata->commit == NULL)
			metadata->commit = arena_strdup(a, value);
		if (strcmp(line, "started") == 0 && metadata->date == NULL) {
			metadata->date = read_date(a, value);
			metadata->date_from = "machine.txt";
		}
	}
	fclose(f);
	return 0;
}

static int
find_metadata(const struct history_ask *ask, const char *path, struct arena *a,
    struct history_metadata *metadata, struct error *e)
{
	char *found =
	    ask->machine == NULL ? environment_machine_next_to(path) : NULL;
	const char *machine = ask->machine != NULL ? ask->machine : found;
	struct stat st = { .st_mtime = time(NULL) }; /* of stdin */
	int rc = 0;

	*metadata = (struct history_metadata){ .host = ask->host,
		.commit = ask->commit };
	if (ask->date != NULL) {
		metadata->date = read_date(a, ask->date);
		metadata->date_from = "--date";
		if (metadata->date == NULL)
			rc = error_set(e, ERROR_USAGE,
			    "--date: '%s' is not a date such as 2026-11-13 or "
			    "2026-11-13T08:00:00Z",
			    ask->date);
	}
	if (rc == 0 && machine != NULL)
		rc = read_machine(a, machine, metadata, e);
	free(found);
	if (rc != 0 || metadata->date != NULL)
		return rc;
	/* The file's modification time. */
	if (strcmp(path, "-") != 0 && stat(path, &st) != 0)
		return error_errno(e, errno, "cannot read '%s'", path);
	metadata->date = date_text(a, (double)st.st_mtime);
	metadata->date_from = "file";
	if (metadata->date == NULL)
		rc = error_set(e, ERROR_INPUT,
		    "%s: no date with a four-digit year; set it with --date",
		    path);
	return rc;
}

/* --- add, remove ---------------------------------------------------------- */

/* A result to add or remove, and its rows, which borrow from it. */
struct history_input {
	const char *path;
	struct result result;
	struct history rows;
};

static const char *
plural_ending(size_t n)
{
	return n == 1 ? "" : "s";
}

static void
print_added(struct strbuf *sb, const struct history_input *in,
    const struct history_counts *counts)
{
	const struct history_metadata *metadata =
	    counts->added > 0 ? &in->rows.rows[0].metadata : &counts->known;
	size_t n_cases = 0;

	for (size_t i = 0; i < in->result.n_cases; i++)
		n_cases += in->result.cases[i].n_runs > 0;
	strbuf_printf(sb, "%s: ", in->path);
	if (counts->added == 0)
		strbuf_printf(sb, "all %zu run%s already stored, of ",
		    in->rows.n, in->rows.n == 1 ? " is" : "s are");
	else
		strbuf_printf(sb, "%zu run%s added, of ", counts->added,
		    plural_ending(counts->added));
	if (counts->added > 0 && counts->there == 0)
		strbuf_printf(
		    sb, "%zu case%s, ", n_cases, plural_ending(n_cases));
	strbuf_addstr(sb, metadata->date);
	if (metadata->date_from != NULL &&
	    strcmp(metadata->date_from, "file") == 0)
		strbuf_addstr(sb, " (the time of the file)");
	if (metadata->commit != NULL)
		strbuf_printf(sb, ", commit %s", metadata->commit);
	if (metadata->host != NULL)
		strbuf_printf(sb, ", host %s", metadata->host);
	if (counts->added == 0)
		strbuf_addstr(sb, "; nothing added");
	else if (counts->there > 0)
		strbuf_printf(sb, "; %zu %s there already", counts->there,
		    counts->there == 1 ? "was" : "were");
}

static int
read_input(
    const struct history_ask *ask, struct history_input *in, struct error *e)
{
	struct history_metadata metadata;

	if (find_metadata(ask, in->path, &in->rows.arena, &metadata, e) != 0 ||
	    runs_table_or_result_read(in->path, &in->result, e) != 0)
		return -1;
	if (run_metric_find(in->result.rule.metric) != NULL)
		return error_set(e, ERROR_INPUT,
		    "%s: holds the metric %s, but a history holds speeds",
		    in->path, in->result.rule.metric);
	history_rows_of(&in->result, &metadata, &in->rows);
	if (in->rows.n == 0)
		return error_set(
		    e, ERROR_EMPTY, "%s: holds no run to be added", in->path);
	return 0;
}

/* Add or remove a result, and say so. */
static int
change_one(struct history_file *f, int remove, int allow_mixed,
    struct history_input *in, struct strbuf *sb, struct error *e)
{
	const size_t from = sb->len;
	struct history_counts counts;
	size_t removed;
	int rc = 0;

	if (remove)
		rc = history_file_remove(f, &in->rows, &removed, e);
	else if (allow_mixed ||
	    (rc = history_file_check_protocol(f, &in->rows, in->path, e)) == 0)
		rc = history_file_add(f, &in->rows, in->path, &counts, e);
	if (rc != 0)
		return -1;
	if (remove)
		strbuf_printf(sb, "%s: %zu of %zu run%s removed", in->path,
		    removed, in->rows.n, plural_ending(in->rows.n));
	else
		print_added(sb, in, &counts);
	/* Names may contain terminal escape sequences. */
	if (sb->len > from)
		text_sanitise(sb->buf + from, "");
	strbuf_addch(sb, '\n');
	return 0;
}

/* Add or remove all results in one transaction, after all were read. */
static int
change_all(const struct history_ask *ask, int remove, char *const *paths,
    size_t n, struct error *e)
{
	struct history_input *in = xcalloc(n, sizeof *in);
	struct history_file f = { .db = NULL };
	struct strbuf printed = STRBUF_INIT(MAX_REPORT);
	int rc = 0;

	for (size_t i = 0; i < n; i++) {
		in[i].path = paths[i];
		result_init(&in[i].result);
	}
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = read_input(ask, &in[i], e);
	if (rc == 0)
		rc = history_file_open(
		    ask->path, remove ? HISTORY_READ : HISTORY_WRITE, &f, e);
	if (rc == 0)
		rc = history_file_begin(&f, e);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = change_one(
		    &f, remove, ask->allow_mixed, &in[i], &printed, e);
	if (rc == 0)
		rc = history_file_commit(&f, e);
	if (rc == 0)
		fputs(printed.buf, stdout);
	history_file_close(&f);
	for (size_t i = 0; i < n; i++) {
		history_release(&in[i].rows);
		result_release(&in[i].result);
	}
	free(in);
	strbuf_release(&printed);
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
write_trends(const struct history_ask *ask, const char *verb,
    struct trend_set *set, struct error *e)
{
	struct outfile o;
	int rc = 0;

	if (strcmp(verb, "plot") == 0)
		return draw_trends(ask, &set->points, e);
	if (outfile_open(&o, ask->output != NULL ? ask->output : "-", e) != 0)
		return -1;
	if (strcmp(verb, "when") == 0)
		history_when_write(set, ask->how, o.f);
	else if (ask->html)
		rc = history_page_write(set, ask->how, o.f, e);
	else
		history_table_write(set, ask->how, o.f);
	if (rc == 0)
		return outfile_commit(&o, e);
	outfile_abort(&o);
	return -1;
}

static int
answer_trends(const struct history_ask *ask, const char *verb, struct error *e)
{
	struct history rows = HISTORY_INIT;
	struct trend_set set;
	struct history_file f;
	int rc;

	if (history_file_open(ask->path, HISTORY_READ, &f, e) != 0)
		return -1;
	if (f.upgraded_from > 0)
		fprintf(stderr,
		    "report_results: %s: version %d was brought to version "
		    "%d\n",
		    ask->path, f.upgraded_from, HISTORY_VERSION);
	rc = history_file_read(&f, ask->host, &rows, e);
	history_file_close(&f);
	if (rc == 0 && rows.n == 0)
		rc = error_set(e, ERROR_EMPTY, "%s: holds no run%s%s",
		    ask->path, ask->host != NULL ? " of host " : "",
		    ask->host != NULL ? ask->host : "");
	if (rc == 0)
		rc =
		    trend_collect(&rows, ask->select, ask->confidence, &set, e);
	if (rc == 0) {
		rc = write_trends(ask, verb, &set, e);
		trend_release(&set);
	}
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
	{ "remove", "", "" },
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
	if (n == 0)
		return error_set(e, ERROR_USAGE,
		    "--history: missing operand: add RESULT|LOGS..., "
		    "remove RESULT|LOGS..., show, plot or when");
	if (v == end)
		return error_set(e, ERROR_USAGE,
		    "--history: '%s' is not add, remove, show, plot or when",
		    name);
	takes_results = v->formats[0] == '\0';
	if (takes_results && n == 1)
		return error_set(e, ERROR_USAGE,
		    "--history: %s: missing operand: a result", name);
	if (!takes_results && n > 1)
		return error_set(e, ERROR_USAGE,
		    "--history: %s takes no operand; results are added by "
		    "'add'",
		    name);
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
	return takes_results ? change_all(ask, strcmp(name, "remove") == 0,
				   operands + 1, n - 1, e)
			     : answer_trends(ask, name, e);
}
